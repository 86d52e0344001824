/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* RECORDER_OUTCOMES numbers of samples, as the property Outcomes has them: a{st}, those that occur; floating.
 */
GVariant *captured_outcomes_describe(const guint64 *samples);

G_END_DECLS
