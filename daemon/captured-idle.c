/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-idle.h"

struct _CapturedIdle {
  GObject parent_instance;
  guint seconds;
  guint holds;
  guint timeout;
};

enum { SIGNAL_IDLE, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(CapturedIdle, captured_idle, G_TYPE_OBJECT)

static void captured_idle_finalize(GObject *object)
{
  g_clear_handle_id(&CAPTURED_IDLE(object)->timeout, g_source_remove);
  G_OBJECT_CLASS(captured_idle_parent_class)->finalize(object);
}

static void captured_idle_class_init(CapturedIdleClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = captured_idle_finalize;
  signals[SIGNAL_IDLE] =
      g_signal_new("idle", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void captured_idle_init(CapturedIdle *self)
{
}

static gboolean idle_tell(gpointer user_data)
{
  CapturedIdle *self = user_data;

  self->timeout = 0;
  g_signal_emit(self, signals[SIGNAL_IDLE], 0);
  return G_SOURCE_REMOVE;
}

static void begin_waiting(CapturedIdle *self)
{
  if (self->seconds > 0)
    self->timeout = g_timeout_add_seconds(self->seconds, idle_tell, self);
}

CapturedIdle *captured_idle_new(guint seconds)
{
  CapturedIdle *self = g_object_new(CAPTURED_TYPE_IDLE, NULL);

  self->seconds = seconds;
  begin_waiting(self);
  return self;
}

void captured_idle_hold(CapturedIdle *self)
{
  self->holds++;
  g_clear_handle_id(&self->timeout, g_source_remove);
}

void captured_idle_release(CapturedIdle *self)
{
  g_return_if_fail(self->holds > 0);
  if (--self->holds == 0)
    begin_waiting(self);
}

gboolean captured_idle_is_held(CapturedIdle *self)
{
  return self->holds > 0;
}
