/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event "off-cpu" in the course of a recording. Nothing happens in any of these when it is not recorded.
 */
#ifndef RECORDER_OFF_CPU_H
#define RECORDER_OFF_CPU_H

#include "helpers/recorder/samples/decoder.h"

/* The decoder's source is open. The targets, of which there are descriptors in pidfds, are recorded once it
 * is enabled. 0 or a negative errno with the error said. */
int recorder_off_cpu_add_targets(const struct recorder_decoder *decoder, const int *pidfds,
                                 struct recorder_error *error);
/* Begins; of threads that are off the CPU already their time counts from now on, and their stacks are looked
 * at. */
void recorder_off_cpu_begin(struct recorder_decoder *decoder);
void recorder_off_cpu_disable(const struct recorder_decoder *decoder);
/* Tells the stream what was lost since the last time. */
void recorder_off_cpu_count_lost(struct recorder_decoder *decoder, uint64_t now);
/* After disabling, when the rings are empty: samples of the threads that are off the CPU still. */
void recorder_off_cpu_finish(struct recorder_decoder *decoder, uint64_t now);

#endif
