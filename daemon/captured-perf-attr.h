/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event as PerfEventOpen's callers describe it. What is not known here is not opened: each field is named,
 * bounded, and stays zero otherwise. */
#pragma once

#include <glib.h>
#include <linux/perf_event.h>

G_BEGIN_DECLS

/* Fills *ret_attr, all of it, from an a{sv}. CAPTURED_ERROR_INVALID_OPTION when a field is unknown, of
 * another type or out of bounds, _NOT_PERMITTED for kinds of events that are never opened: breakpoints,
 * probes, AUX, and PMUs other than the processors'. */
gboolean captured_perf_attr_parse(GVariant *fields, struct perf_event_attr *ret_attr, GError **error);

G_END_DECLS
