/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has what walkers deliver for a language's frame where the address of code belongs, and spins: "return" in
 * its own frame, "signal" where a signal is said to have interrupted it. Built with frame pointers. */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define SECONDS 60

static const uint64_t word = UINT64_C(1) << 63 | 7;

static void spin(void)
{
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do
    for (volatile int i = 0; i < 10000000; i++)
      continue;
  while (clock_gettime(CLOCK_MONOTONIC, &now) == 0 && now.tv_sec < begin.tv_sec + SECONDS);
}

static void swap_and_spin(volatile uint64_t *place)
{
  uint64_t kept = *place;
  *place = word;
  spin();
  *place = kept;
}

static __attribute__((noinline)) void forge_return(void)
{
  volatile uint64_t *frame = __builtin_frame_address(0);
  swap_and_spin(&frame[1]);
}

static void handle(int number, siginfo_t *info, void *data)
{
  ucontext_t *context = data;
  (void)number;
  (void)info;
#ifdef __x86_64__
  swap_and_spin((volatile uint64_t *)&context->uc_mcontext.gregs[REG_RIP]);
#else
  swap_and_spin((volatile uint64_t *)&context->uc_mcontext.pc);
#endif
}

int main(int argc, char **argv)
{
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  if (argc != 2)
    return 2;
  if (strcmp(argv[1], "return") == 0) {
    forge_return();
    return 0;
  }
  sigaction(SIGUSR1, &action, NULL);
  return raise(SIGUSR1);
}
