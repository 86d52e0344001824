/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting together the stack of one sample. The frames of a sample grow from the beginning of a set's
 * scratch; native ones that were found but not asked for yet wait at its end.
 */
#ifndef CAPTURE_STACK_PRIVATE_H
#define CAPTURE_STACK_PRIVATE_H

#include "libcapture/inside/capture-inside-private.h"

/* Appends what the thread's shadow stack holds, the innermost first. */
void capture_stack_add_shadow(struct capture_inside_stack *in);
/* Appends all native frames: capture_sample_native without the way through the end of the scratch. */
void capture_stack_add_native(struct capture_inside_stack *in);

#endif
