/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What perf_event_open is asked for, and what its refusals mean. */
#ifndef RECORDER_ATTR_H
#define RECORDER_ATTR_H

#include "helpers/recorder/events/source.h"

/* Tries which of the newer features this kernel takes. */
void recorder_attr_probe(struct recorder_support *ret);
/* The attributes of source->events[event]; the first event carries the records about tasks and mappings. */
void recorder_attr_init(struct perf_event_attr *attr, const struct recorder_source *source, uint32_t event,
                        uint64_t ring_size);
/* The attributes of the event that carries what BPF programs leave. */
void recorder_attr_init_raw(struct perf_event_attr *attr, const struct recorder_source *source);
/* Whether stacks in the kernel are taken. */
bool recorder_attr_has_kernel_stacks(const struct recorder_source *source);
/* Whether samples have a callchain. */
bool recorder_attr_has_callchain(const struct recorder_source *source);
/* Whether samples have registers and a piece of the stack; the registers are those of
 * unwind_registers_perf_mask. */
bool recorder_attr_has_stack(const struct recorder_source *source);
/* Says why an event could not be opened (pid 0: for no process in particular); returns result, a negative
 * errno. */
int recorder_attr_explain(const struct recorder_source *source, uint32_t event, int32_t pid, int result,
                          struct recorder_error *error);
/* Sets the default depth, and lowers it to what the kernel takes. */
void recorder_attr_limit_stack(struct recorder_source *source, char *notes);

#endif
