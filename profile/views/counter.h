/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a counter's values come to, and how they are written for people. */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

/* The least and the greatest value of a counter that has any. */
void profile_counter_get_range(const ProfileCounter *counter, double *min, double *max);
/* A value in the counter's unit: "1.2 MB", "17 requests". Free it. */
char *profile_counter_describe(const ProfileCounter *counter, double value);

G_END_DECLS
