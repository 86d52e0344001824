/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a thread waited for while it was off the CPU: known by the functions of the kernel through which it
 * came to the scheduler.
 */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

typedef enum {
  PROFILE_WAIT_UNKNOWN, /* there is no stack in the kernel */
  PROFILE_WAIT_CPU,     /* for nothing but a CPU */
  PROFILE_WAIT_STOPPED, /* until a signal or a debugger let it go on */
  PROFILE_WAIT_SLEEP,   /* for time to go by */
  PROFILE_WAIT_FUTEX,   /* a lock or condition of user space */
  PROFILE_WAIT_POLL,    /* for one of several files: poll, select, epoll */
  PROFILE_WAIT_PIPE,    /* pipe or FIFO */
  PROFILE_WAIT_SOCKET,
  PROFILE_WAIT_TERMINAL,
  PROFILE_WAIT_EVENT, /* eventfd, timerfd, signalfd, inotify */
  PROFILE_WAIT_IO_URING,
  PROFILE_WAIT_DISK,       /* files and block devices: reading, writing, syncing */
  PROFILE_WAIT_PAGE_FAULT, /* memory that had to be fetched */
  PROFILE_WAIT_MEMORY,     /* memory to be freed or moved */
  PROFILE_WAIT_LOCK,       /* a lock of the kernel's, or of a file */
  PROFILE_WAIT_CHILD,      /* a child process: wait, vfork */
  PROFILE_WAIT_SIGNAL,
  PROFILE_WAIT_MESSAGE, /* System V's or POSIX' queues and semaphores */
  PROFILE_WAIT_IDLE,    /* a thread of the kernel without work */
  PROFILE_WAIT_OTHER,
  PROFILE_WAITS
} ProfileWait;

/* "futex", "disk" … Static. */
const char *profile_wait_get_name(ProfileWait wait);
/* enum capture_off_cpu: "preempted", "sleeping" … Static; other numbers are "unknown". */
const char *profile_reason_get_name(guint reason);

/* What a function of the kernel by itself tells: PROFILE_WAIT_UNKNOWN, nothing. Suffixes of compilers, as in
 * "futex_wait.isra.0", do not matter. */
ProfileWait profile_wait_of_function(const char *name);
/* Of a stack: the innermost function that tells something decides, but that what a page fault fetches from a
 * disk is PAGE_FAULT. names: n of the kernel's functions, the innermost first. reason: enum capture_off_cpu.
 */
ProfileWait profile_wait_of_names(guint reason, const char *const *names, gsize n);

/* The waits of the nodes of a capture whose functions are named; the capture must outlive them. */
typedef struct _ProfileWaits ProfileWaits;

ProfileWaits *profile_waits_new(ProfileCapture *capture);
void profile_waits_free(ProfileWaits *self);
/* Of a sample that was off the CPU for that reason with that leaf. */
ProfileWait profile_waits_get(ProfileWaits *self, guint reason, guint32 leaf);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileWaits, profile_waits_free)

G_END_DECLS
