/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How numbers, times and names are written on all pages: in the user's language, short, and such that numbers
 * of one column stand well below each other. All results are UTF-8 and to be freed. Thread-safe but for what
 * says otherwise.
 */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

/* profile_share_to_string. */
char *viewer_format_share(guint64 part, guint64 whole);
/* "12,345" */
char *viewer_format_count(guint64 count);
/* "12,345 samples", "1 sample" */
char *viewer_format_samples(guint64 count);
/* "56.78 ms", "1.2 MB", or for other units the number as viewer_format_count writes it. */
char *viewer_format_amount(enum capture_unit unit, guint64 amount);

/* For how long samples stand, or how much they are; their number where they say neither. */
char *viewer_format_weight(const ProfileWeights *weights, ProfileWeight weight);
/* As long as what viewer_format_weight makes of any weight of these samples. */
char *viewer_format_widest_weight(const ProfileWeights *weights);
/* A weight as a share of all samples that passed the filter. */
char *viewer_format_weight_share(const ProfileWeights *weights, ProfileWeight weight);

/* "1.234 s", "56.78 ms", "9.012 µs", "345 ns"; from a minute on "2:03 min", from an hour on "1:02:03 h". */
char *viewer_format_duration(guint64 nanoseconds);
/* A time after the beginning of a recording, with as many decimals as it takes to tell it from another that
 * is `step` nanoseconds away: "1.23 s", "2:03.5", "1:02:03". */
char *viewer_format_time(guint64 nanoseconds, guint64 step);
/* "1.20 s – 1.45 s", with decimals as the span's length needs them. */
char *viewer_format_span(guint64 first, guint64 end);

/* A name from a file, fit to be shown on one line: valid UTF-8 without control characters, and where it is
 * longer than n_max characters (0: any length) "…" in place of its middle. NULL: what has no name has an
 * empty one. */
char *viewer_format_name(const char *name, guint n_max);
/* A function's name as it stands in rows and boxes: with its template arguments folded where the settings
 * want that, and then as viewer_format_name. Main thread only. */
char *viewer_format_function(const char *name, guint n_max);
/* A sentence whose options (-fasynchronous-unwind-tables) no line breaks behind a hyphen. */
char *viewer_format_advice(const char *advice);
/* A function's name without parameters and template arguments, of 40 characters at most: for breadcrumbs and
 * labels of menus. */
char *viewer_format_short_name(const char *name);
/* The last part of a path, "libc.so.6"; "[kernel]" and the like as they are. */
char *viewer_format_binary(const char *path);

G_END_DECLS
