/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a process may do less than its user: what the system service asks of its callers. */
#ifndef CONFINEMENT_H
#define CONFINEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum confinement {
  CONFINEMENT_NONE,
  CONFINEMENT_NO_NEW_PRIVILEGES, /* so there may be Landlock or a filter of system calls */
  CONFINEMENT_USER_NAMESPACE,    /* another one than that: with rights there it may have the same */
  CONFINEMENT_LABEL,             /* of a security module */
  CONFINEMENT_GONE               /* there is no such process */
};

/* The machine's own user namespace is this inode, by the kernel's PROC_USER_INIT_INO. */
#define CONFINEMENT_MACHINES_NAMESPACE UINT64_C(0xeffffffd)

/* Looks into /proc/PID, which this process must be permitted to; for itself pid is getpid(). */
enum confinement confinement_find(int32_t pid, uint64_t user_namespace);
/* The inode of this process's user namespace, 0 when that cannot be seen. */
uint64_t confinement_own_namespace(void);
/* Whether a label as in /proc/PID/attr/current permits all that the user may do. */
bool confinement_is_open_label(const char *label);

#endif
