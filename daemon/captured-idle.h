/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends the service when nobody has needed it for a while. Main thread only. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define CAPTURED_TYPE_IDLE (captured_idle_get_type())
G_DECLARE_FINAL_TYPE(CapturedIdle, captured_idle, CAPTURED, IDLE, GObject)

/* Emits "idle" when nothing has held it for that many seconds, also in the beginning; 0: never. */
CapturedIdle *captured_idle_new(guint seconds);
/* Holds add up. The time begins anew with the last release. */
void captured_idle_hold(CapturedIdle *self);
void captured_idle_release(CapturedIdle *self);
gboolean captured_idle_is_held(CapturedIdle *self);

G_END_DECLS
