/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/activity.h"

struct _ViewerActivity {
  gatomicrefcount references;
  GMutex mutex;
  double share;
  char *activity;
};

ViewerActivity *viewer_activity_new(void)
{
  ViewerActivity *self = g_new0(ViewerActivity, 1);

  g_atomic_ref_count_init(&self->references);
  g_mutex_init(&self->mutex);
  self->share = -1;
  return self;
}

ViewerActivity *viewer_activity_ref(ViewerActivity *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void viewer_activity_unref(ViewerActivity *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  g_mutex_clear(&self->mutex);
  g_free(self->activity);
  g_free(self);
}

void viewer_activity_set(ViewerActivity *self, double share, const char *activity)
{
  g_mutex_lock(&self->mutex);
  self->share = share;
  g_free(self->activity);
  self->activity = g_strdup(activity);
  g_mutex_unlock(&self->mutex);
}

double viewer_activity_get(ViewerActivity *self, char **ret_activity)
{
  double share;

  g_mutex_lock(&self->mutex);
  share = self->share;
  *ret_activity = g_strdup(self->activity);
  g_mutex_unlock(&self->mutex);
  return share;
}
