/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What samples of an event are compared by: one rule for weights, densities and all that is shown of them. */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

/* Samples that a clock took stand for equal times, so their number (COUNT) says as much as their weights and
 * is easier to judge; time off the CPU and allocations are compared by their weights, in that unit. */
static inline enum capture_unit profile_measure_get_unit(const ProfileEvent *event)
{
  return event->detail == CAPTURE_DETAIL_OFF_CPU || event->unit == CAPTURE_UNIT_BYTES ? event->unit
                                                                                      : CAPTURE_UNIT_COUNT;
}

G_END_DECLS
