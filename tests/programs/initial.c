/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spends its time in calls from .init and from .fini, which no compiler describes: libcrypto's way of finding
 * out what the processor can. */
#define FAR __attribute__((noinline, noclone))

static volatile unsigned long sink;

FAR static void spin(void)
{
  for (int i = 0; i < 100000; i++)
    sink++;
}

FAR __attribute__((used)) static void run_early(void)
{
  for (int i = 0; i < 1000; i++)
    spin();
}

FAR __attribute__((used)) static void run_late(void)
{
  for (int i = 0; i < 1000; i++)
    spin();
}

__asm__(
    ".pushsection .init\n call run_early\n .popsection\n .pushsection .fini\n call run_late\n .popsection");

int main(void)
{
  return 0;
}
