/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether this kernel lets anybody walk stacks in BPF. */
#ifndef KERNEL_H
#define KERNEL_H

enum kernel_obstacle {
  KERNEL_NO_OBSTACLE,
  KERNEL_TOO_OLD,     /* before Linux 6.1 */
  KERNEL_CONFIDENTIAL /* lockdown=confidentiality: BPF programs may not read memory, and tracefs is empty */
};

/* What keeps everybody from it, root too. No obstacle does not mean that this process may. */
enum kernel_obstacle kernel_get_obstacle(void);

#endif
