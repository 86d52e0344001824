/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread's saved registers say, by machine. */
#ifndef RECORDER_BPF_REGISTERS_H
#define RECORDER_BPF_REGISTERS_H

#include "helpers/recorder/bpf/kernel.h"

#if defined(__TARGET_ARCH_x86)

#define REGISTERS_MACHINE WALK_X86_64
#define REGISTERS_SP      7
#define REGISTERS_IP      16
#define USER32_CS         0x23
#define SYSCALL_EXECVE    59
#define SYSCALL_EXECVEAT  322

static __always_inline int registers_are_user(const struct recorder_pt_regs *regs)
{
  return (regs->cs & 3) == 3;
}

static __always_inline int registers_are_32_bit(const struct recorder_pt_regs *regs)
{
  return regs->cs == USER32_CS;
}

static __always_inline uint64_t registers_ip(const struct recorder_pt_regs *regs)
{
  return regs->ip;
}

static __always_inline uint64_t registers_sp(const struct recorder_pt_regs *regs)
{
  return regs->sp;
}

/* Of the system call by which the kernel was entered; anything where it was by something else. */
static __always_inline uint64_t registers_syscall(const struct recorder_pt_regs *regs)
{
  return regs->orig_ax;
}

/* By DWARF's numbers: REGISTERS_IP of them. */
static __always_inline void registers_number(uint64_t *general, const struct recorder_pt_regs *regs)
{
  general[0] = regs->ax;
  general[1] = regs->dx;
  general[2] = regs->cx;
  general[3] = regs->bx;
  general[4] = regs->si;
  general[5] = regs->di;
  general[6] = regs->bp;
  general[7] = regs->sp;
  general[8] = regs->r8;
  general[9] = regs->r9;
  general[10] = regs->r10;
  general[11] = regs->r11;
  general[12] = regs->r12;
  general[13] = regs->r13;
  general[14] = regs->r14;
  general[15] = regs->r15;
}

#elif defined(__TARGET_ARCH_arm64)

#define REGISTERS_MACHINE WALK_AARCH64
#define REGISTERS_SP      31
#define REGISTERS_IP      32
#define PSR_MODE32        0x10
#define PSR_MODE_MASK     0xf
#define SYSCALL_EXECVE    221
#define SYSCALL_EXECVEAT  281

static __always_inline int registers_are_user(const struct recorder_pt_regs *regs)
{
  return (regs->pstate & PSR_MODE_MASK) == 0;
}

static __always_inline int registers_are_32_bit(const struct recorder_pt_regs *regs)
{
  return (regs->pstate & PSR_MODE32) != 0;
}

static __always_inline uint64_t registers_ip(const struct recorder_pt_regs *regs)
{
  return regs->pc;
}

static __always_inline uint64_t registers_sp(const struct recorder_pt_regs *regs)
{
  return regs->sp;
}

static __always_inline uint64_t registers_syscall(const struct recorder_pt_regs *regs)
{
  return regs->regs[8];
}

/* By DWARF's numbers: REGISTERS_IP of them. */
static __always_inline void registers_number(uint64_t *general, const struct recorder_pt_regs *regs)
{
  for (uint32_t i = 0; i < 31; i++)
    general[i] = regs->regs[i];
  general[31] = regs->sp;
}

#endif

#endif
