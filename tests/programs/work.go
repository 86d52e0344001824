// SPDX-License-Identifier: GPL-3.0-or-later

// Work of which every stack is known: worker calls spin, and sink through deep; allocation and maps make the
// runtime change stacks, and a signal's handler interrupts it while /proc/self's time runs.
package main

import (
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

//go:noinline
func spin(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum = sum*31 + i
	}
	return sum
}

//go:noinline
func deep(depth int) int {
	if depth == 0 {
		return spin(200000)
	}
	return deep(depth-1) + 1
}

type node struct {
	left, right *node
}

//go:noinline
func grow(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{grow(depth - 1), grow(depth - 1)}
}

//go:noinline
func worker(group *sync.WaitGroup, end time.Time) {
	defer group.Done()
	counts := map[string]int{}
	for i := 0; time.Now().Before(end); i++ {
		counts[strconv.Itoa(i%1000)] += spin(100000) + deep(20)
		grow(10)
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	}
}

func main() {
	milliseconds, _ := strconv.Atoi(os.Args[1])
	end := time.Now().Add(time.Duration(milliseconds) * time.Millisecond)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	var group sync.WaitGroup
	for i := 0; i < runtime.NumCPU(); i++ {
		group.Add(1)
		go worker(&group, end)
	}
	group.Wait()
}
