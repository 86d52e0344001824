/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread's mark: whether its time off the CPU is recorded. Included by both sides. */
#ifndef RECORDER_OFF_CPU_MEMBER_H
#define RECORDER_OFF_CPU_MEMBER_H

enum recorder_off_cpu_member {
  RECORDER_OFF_CPU_NO_MEMBER = 0,
  RECORDER_OFF_CPU_MEMBER = 1,
  RECORDER_OFF_CPU_FROM_EXEC = 2, /* a member once it has executed its program */
  RECORDER_OFF_CPU_LEFT = 3       /* it has gained rights */
};

#endif
