/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which kernel this is, and whether it lets anybody walk stacks in BPF. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

enum kernel_obstacle {
  KERNEL_NO_OBSTACLE,
  KERNEL_TOO_OLD,     /* before Linux 6.1 */
  KERNEL_CONFIDENTIAL /* lockdown=confidentiality: BPF programs may not read memory, and tracefs is empty */
};

/* What keeps everybody from it, root too. No obstacle does not mean that this process may. */
enum kernel_obstacle kernel_get_obstacle(void);

/* The build-id of the kernel that runs; of a longer one as much as fits. Its size; 0: not known. */
uint32_t kernel_read_build_id(uint8_t *ret, uint32_t capacity);
/* The same of a module, by its name. */
uint32_t kernel_read_module_build_id(const char *module, uint8_t *ret, uint32_t capacity);

#endif
