/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/matches.h"

#include "viewer/kit/latest.h"

enum { MOST_PLACES = 1000 };

typedef struct {
  ProfileSearch *search;
  gboolean inverted;
} Request;

struct _ViewerMatches {
  GObject parent;
  ProfileSearch *search; /* NULL: none */
  gboolean inverted;
  ViewerLatest *finding; /* makes a GPtrArray of ProfilePath */
  gboolean is_asked_for; /* of finding */
  int waiting;           /* direction to be gone when places are known; 0: none */
  gint at;               /* the place that was reached; -1: none */
};

G_DEFINE_FINAL_TYPE(ViewerMatches, viewer_matches, G_TYPE_OBJECT)

enum { REACHED, N_SIGNALS };
static guint signals[N_SIGNALS];

static gpointer matches_find(gpointer data)
{
  const Request *request = data;

  return profile_search_find_paths(request->search, request->inverted, MOST_PLACES);
}

static void request_free(gpointer data)
{
  Request *request = data;

  profile_search_unref(request->search);
  g_free(request);
}

static gboolean matches_go(ViewerMatches *self, const GPtrArray *places, int direction)
{
  gint n = (gint)places->len;

  if (n == 0)
    return FALSE;
  self->at = self->at < 0 && direction < 0 ? n - 1 : (self->at + direction + n) % n;
  g_signal_emit(self, signals[REACHED], 0);
  return TRUE;
}

static void take_places(ViewerMatches *self)
{
  int direction = self->waiting;

  self->waiting = 0;
  if (direction)
    matches_go(self, viewer_latest_get(self->finding), direction);
}

static void matches_forget(ViewerMatches *self)
{
  viewer_latest_clear(self->finding);
  g_clear_pointer(&self->search, profile_search_unref);
  self->is_asked_for = FALSE;
  self->waiting = 0;
  self->at = -1;
}

void viewer_matches_set(ViewerMatches *self, ProfileSearch *search, gboolean inverted)
{
  if (search == self->search && inverted == self->inverted)
    return;
  if (search)
    profile_search_ref(search);
  matches_forget(self);
  self->search = search;
  self->inverted = inverted;
}

gboolean viewer_matches_go(ViewerMatches *self, int direction)
{
  const GPtrArray *places = viewer_latest_get(self->finding);

  if (places)
    return matches_go(self, places, direction);
  if (!self->search || profile_search_get_n_functions(self->search) == 0)
    return FALSE;
  if (!self->is_asked_for) {
    Request *request = g_new(Request, 1);
    *request = (Request){profile_search_ref(self->search), self->inverted};
    viewer_latest_request(self->finding, request);
    self->is_asked_for = TRUE;
  }
  self->waiting = direction;
  return TRUE;
}

const ProfilePath *viewer_matches_get(ViewerMatches *self)
{
  const GPtrArray *places = viewer_latest_get(self->finding);

  return places && self->at >= 0 ? places->pdata[self->at] : NULL;
}

static void viewer_matches_dispose(GObject *object)
{
  ViewerMatches *self = VIEWER_MATCHES(object);

  if (self->finding)
    matches_forget(self);
  g_clear_object(&self->finding);
  G_OBJECT_CLASS(viewer_matches_parent_class)->dispose(object);
}

static void viewer_matches_class_init(ViewerMatchesClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_matches_dispose;
  signals[REACHED] = g_signal_new("reached", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
}

static void viewer_matches_init(ViewerMatches *self)
{
  self->at = -1;
  self->finding = viewer_latest_new(matches_find, request_free, (GDestroyNotify)g_ptr_array_unref);
  g_signal_connect_object(self->finding, "ready", G_CALLBACK(take_places), self, G_CONNECT_SWAPPED);
}

ViewerMatches *viewer_matches_new(void)
{
  return g_object_new(VIEWER_TYPE_MATCHES, NULL);
}
