/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/kernel-places.h"

#include "profile/naming/kernel-namer.h"
#include "profile/naming/place-finder.h"

/* From the beginning of the kernel's text: so they are the same wherever it was put, and known again without
 * its image. */
static GArray *list_offsets(const ProfileBinary *binary, const guint64 *addresses, gsize n)
{
  GArray *offsets = g_array_new(FALSE, FALSE, sizeof(guint64));

  for (gsize i = 0; i < n; i++)
    if (addresses[i] >= binary->mapped_start && addresses[i] < binary->mapped_end) {
      guint64 offset = addresses[i] - binary->mapped_start;

      g_array_append_val(offsets, offset);
    }
  return offsets;
}

/* The image has its text where it was linked for, at the symbol _stext, which is what was mapped first. */
static guint64 get_text(const ProfileDebugFile *image)
{
  const ProfileElfSection *text = profile_elf_find_section(image->elf, ".text");

  return text ? text->address : 0;
}

static ProfilePlaces *make_places(const ProfileBinary *binary, const ProfileStoredPlaces *known,
                                  const ProfileStoredPlaces *found, const GArray *offsets,
                                  enum capture_places_outcome outcome)
{
  ProfilePlaces *places = profile_stored_places_make(known, found, (const guint64 *)(gpointer)offsets->data,
                                                     offsets->len, outcome);

  if (places)
    profile_places_move(places, binary->mapped_start);
  return places;
}

/* Nothing of the image decides what is known of a build-id but that it has DWARF. */
static ProfileStoredNames *keep_found(const ProfileBinary *binary, ProfileStoredPlaces *found)
{
  const ProfileNameSources sources = {.binary = {.size = binary->build_id_size}};
  ProfileStoredNames *learnt =
      profile_stored_names_new(binary->build_id, binary->build_id_size, CAPTURE_NAMING_NONE, &sources, NULL);

  profile_stored_names_take_places(learnt, found);
  return learnt;
}

static ProfilePlaces *find_in_image(const ProfileNamer *namer, const ProfileBinary *binary,
                                    const ProfileDebugFile *image, const ProfileStoredPlaces *known,
                                    const GArray *offsets, ProfileStoredNames **ret_learnt)
{
  static const ProfileDebugFile none = {.fd = -1};
  const ProfilePlaceSearch search = {.file = image,
                                     .debug = &none,
                                     .offsets = (const guint64 *)(gpointer)offsets->data,
                                     .n = offsets->len,
                                     .text = get_text(image),
                                     .known = known,
                                     .until = namer->places_until,
                                     .cancellable = namer->cancellable};
  enum capture_places_outcome outcome;
  ProfileStoredPlaces *found = profile_place_finder_find(namer->readers, &search, &outcome);
  ProfilePlaces *places = make_places(binary, known, found, offsets, outcome);

  if (ret_learnt)
    *ret_learnt = keep_found(binary, found);
  else
    profile_stored_places_free(found);
  return places;
}

static gboolean kernel_places_cover(const ProfileStoredPlaces *known, const GArray *offsets)
{
  for (guint i = 0; i < offsets->len; i++)
    if (!known || !profile_stored_places_cover(known, g_array_index(offsets, guint64, i)))
      return FALSE;
  return TRUE;
}

ProfilePlaces *profile_kernel_places_find(const ProfileNamer *namer, ProfileCapture *capture,
                                          const guint64 *addresses, gsize n, const ProfileStoredNames *known,
                                          ProfileStoredNames **ret_learnt)
{
  const ProfileBinary *binary = profile_kernel_get_binary(capture);
  const ProfileStoredPlaces *places = known ? profile_stored_names_get_places(known) : NULL;
  g_autoptr(GArray) offsets = binary ? list_offsets(binary, addresses, n) : NULL;
  g_auto(ProfileDebugFile) image = {.fd = -1};

  if (!offsets || offsets->len == 0)
    return NULL;
  if (namer->readers && !kernel_places_cover(places, offsets) &&
      profile_debug_file_find_kernel(profile_capture_get_metadata(capture, "kernel"), binary->build_id,
                                     binary->build_id_size, &image) &&
      get_text(&image) != 0)
    return find_in_image(namer, binary, &image, places, offsets, ret_learnt);
  if (!places)
    return NULL;
  return make_places(binary, places, NULL, offsets,
                     kernel_places_cover(places, offsets) ? CAPTURE_PLACES_COMPLETE : CAPTURE_PLACES_LEFT);
}
