/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/place-gaps.h"

#include <glib/gi18n.h>

#include "profile/capture/capture-private.h"

static const char *place_gaps_get_cause(enum capture_places_outcome outcome)
{
  switch (outcome) {
  case CAPTURE_PLACES_DAMAGED:
    return _("some of its debug information cannot be understood");
  case CAPTURE_PLACES_OUT_OF_MEMORY:
    return _("its debug information takes more memory than it may");
  case CAPTURE_PLACES_OUT_OF_TIME:
    return _("to read its debug information takes longer than it may");
  case CAPTURE_PLACES_LOST:
    return _("the process that read its debug information died of it");
  default:
    return _("its debug information was not read to the end");
  }
}

static char *place_gaps_get_name(const ProfileCapture *capture, guint slot)
{
  return slot == capture->binaries->len
             ? g_strdup("[kernel]")
             : g_path_get_basename(g_array_index(capture->binaries, ProfileBinary, slot).path);
}

char *profile_place_gaps_describe(ProfileCapture *capture, enum capture_places_outcome outcome)
{
  g_autofree char *name = NULL, *sentence = NULL;
  guint n = 0;

  for (guint slot = 0; slot <= capture->binaries->len; slot++) {
    const ProfilePlaces *places = capture->places[slot];

    if (places && profile_places_get_outcome(places) == outcome && n++ == 0)
      name = place_gaps_get_name(capture, slot);
  }
  if (n == 0 || outcome == CAPTURE_PLACES_COMPLETE)
    return NULL;
  sentence = g_strdup_printf(_("Lines and inlined functions of %s are not all known: %s."), name,
                             place_gaps_get_cause(outcome));
  if (n == 1)
    return g_steal_pointer(&sentence);
  return g_strdup_printf(
      ngettext("%s %u other file has the same problem.", "%s %u other files have the same problem.", n - 1),
      sentence, n - 1);
}

char **profile_place_gaps_list(ProfileCapture *capture)
{
  GPtrArray *sentences = g_ptr_array_new();

  for (guint outcome = CAPTURE_PLACES_LEFT; outcome > CAPTURE_PLACES_COMPLETE; outcome--) {
    char *sentence = profile_place_gaps_describe(capture, outcome);

    if (sentence)
      g_ptr_array_add(sentences, sentence);
  }
  g_ptr_array_add(sentences, NULL);
  return (char **)g_ptr_array_free(sentences, FALSE);
}
