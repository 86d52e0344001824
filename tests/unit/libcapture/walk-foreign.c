/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For other machines, where libc is all there is: a timer interrupts functions that call each other, and each
 * walk from there is judged. Prints TAP. Exits with 1 when one is wrong. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "libcapture/inside/capture-maps-private.h"
#include "walk-chain.h"

#define ENOUGH     400u
#define FRAMES_MAX 32

static struct capture_maps maps;
static struct capture_walk_bounds bounds;
static volatile unsigned verdicts[4];
static volatile uint64_t last_wrong;

static void on_tick(int number, siginfo_t *info, void *ucontext)
{
  uint64_t frames[FRAMES_MAX], sps[FRAMES_MAX];
  struct capture_registers registers;
  enum walk_chain_verdict verdict;
  uint32_t outcome, count;

  (void)number;
  (void)info;
  capture_registers_read(&registers, ucontext);
  count = capture_walk(&registers, &bounds, frames, sps, FRAMES_MAX, &outcome);
  verdict = walk_chain_judge(frames, count);
  verdicts[verdict]++;
  if (verdict > WALK_CHAIN_COMPLETE)
    last_wrong = frames[0];
}

static void tick(suseconds_t us)
{
  const struct itimerval times = {.it_interval = {.tv_usec = us}, .it_value = {.tv_usec = us}};

  (void)setitimer(ITIMER_REAL, &times, NULL);
}

int main(void)
{
  const struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
  uintptr_t here = (uintptr_t)&action;
  int is_wrong;

  if (capture_maps_read(&maps) < 0 || !capture_maps_find_stack(&maps, here, &bounds.low, &bounds.high)) {
    puts("Bail out! The stack was not found.");
    return 1;
  }
  bounds.text = &maps.text;
  (void)sigaction(SIGALRM, &action, NULL);
  tick(700);
  while (verdicts[WALK_CHAIN_COMPLETE] + verdicts[WALK_CHAIN_NO_CALLER] + verdicts[WALK_CHAIN_WRONG] < ENOUGH)
    walk_chain_run(100);
  tick(0);
  printf("# %u whole, %u without the caller, %u wrong; the last at %#llx\n", verdicts[WALK_CHAIN_COMPLETE],
         verdicts[WALK_CHAIN_NO_CALLER], verdicts[WALK_CHAIN_WRONG], (unsigned long long)last_wrong);
  is_wrong = verdicts[WALK_CHAIN_WRONG] != 0;
#if defined(WALK_CHAIN_PLAIN)
  is_wrong |= verdicts[WALK_CHAIN_NO_CALLER] != 0;
#endif
  printf("1..1\n%s 1 - a walk from anywhere finds the callers\n", is_wrong ? "not ok" : "ok");
  return is_wrong;
}
