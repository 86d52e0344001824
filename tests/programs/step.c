/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step kept|none|reused: executes generated code of examples/jit instruction by instruction, and at each
 * follows the frame pointer. Says, a line an instruction, whether the caller was found there:
 *
 *   first|second|inside|last caller|skipped|lost
 *
 * skipped: what comes next is the caller's caller. lost: nothing is found.
 */
#include "jit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static jit_function function;

__attribute__((noinline, optimize("no-omit-frame-pointer"))) static int64_t caller(void)
{
  raise(SIGSTOP);
  return function(1) + 1;
}

__attribute__((noinline, optimize("no-omit-frame-pointer"))) static int64_t callers_caller(void)
{
  return caller() + 1;
}

static int compile(const char *frames)
{
  static struct jit_code code;
  code.frames = strcmp(frames, "none") == 0     ? JIT_FRAMES_NONE
                : strcmp(frames, "reused") == 0 ? JIT_FRAMES_REUSED
                                                : JIT_FRAMES_KEPT;
  void *memory =
      mmap(NULL, JIT_MAX_CODE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || jit_compile(&code, "x * 3 + (x - 7)") < 0)
    return -1;
  memcpy(memory, code.bytes, code.length);
  function = (jit_function)(uintptr_t)memory;
  return (int)code.length;
}

static int is_in(unsigned long address, const void *start, unsigned long size)
{
  return address - (unsigned long)start < size;
}

/* What a walk by frame pointers takes for the function that called this one. */
static const char *find(pid_t pid, unsigned long frame)
{
  unsigned long back = (unsigned long)ptrace(PTRACE_PEEKDATA, pid, (void *)(frame + 8), NULL);
  if (is_in(back, (const void *)(uintptr_t)caller, 200) && back < (unsigned long)(uintptr_t)callers_caller)
    return "caller";
  return is_in(back, (const void *)(uintptr_t)callers_caller, 200) ? "skipped" : "lost";
}

int main(int argc, char **argv)
{
  int length = argc == 2 ? compile(argv[1]) : -1;
  pid_t pid = length < 0 ? -1 : fork();
  if (pid < 0)
    return 1;
  if (pid == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    callers_caller();
    _exit(0);
  }
  int status;
  struct user_regs_struct registers;
  const char *last = "";
  int n = 0;
  waitpid(pid, &status, 0);
  while (WIFSTOPPED(status)) {
    ptrace(PTRACE_GETREGS, pid, NULL, &registers);
    if (is_in(registers.rip, (const void *)(uintptr_t)function, (unsigned long)length)) {
      if (n > 0)
        printf("%s %s\n", n == 1 ? "first" : n == 2 ? "second" : "inside", last);
      last = find(pid, registers.rbp);
      n++;
    }
    ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
    waitpid(pid, &status, 0);
  }
  printf("last %s\n", last);
  return n > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
