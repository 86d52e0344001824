/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* pidfds (int, closed with the array) of an array of pid_t; NULL when one is not a process that exists. */
GArray *recording_targets_open(const GArray *pids, GError **error);

G_END_DECLS
