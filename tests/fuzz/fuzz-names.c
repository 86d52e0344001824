/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The content of a names window. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "profile/capture/names-window.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const ProfilePlaces *places, const ProfilePlace *place)
{
  if (place->start >= place->end || profile_places_lookup(places, place->start) != place ||
      place->n_frames == 0)
    g_error("a place cannot be found");
  for (guint32 i = 0; i < place->n_frames; i++)
    if (!profile_places_get_frame(places, place, i)->name !=
        !profile_places_get_frame(places, place, i)->linkage_name)
      g_error("a function has one name and not the other");
}

static void check_places(const ProfilePlaces *places)
{
  gsize n;
  const ProfilePlace *all = profile_places_get(places, &n);

  for (gsize i = 0; i < n; i++)
    check_place(places, &all[i]);
}

static void check_code(const ProfileMachineCode *code)
{
  gsize n;
  const ProfileCodeCopy *copies = profile_machine_code_get(code, &n);

  for (gsize i = 0; i < n; i++)
    if (copies[i].start >= copies[i].end ||
        copies[i].end - copies[i].start > g_bytes_get_size(copies[i].bytes) ||
        profile_machine_code_lookup(code, copies[i].end - 1) != &copies[i])
      g_error("a copy of code cannot be found");
}

static void look_up(const ProfileBinary *binary, ProfileFunctionTable *table, ProfilePlaces *places,
                    ProfileMachineCode *code, gpointer data)
{
  gsize n;
  const ProfileFunctionRange *ranges = profile_function_table_get_ranges(table, &n);

  for (gsize i = 0; i < n; i++)
    if (ranges[i].start >= ranges[i].end ||
        profile_function_table_lookup(table, ranges[i].start) != &ranges[i] ||
        strlen(ranges[i].name) > G_MAXUINT32)
      g_error("a range of %s cannot be found", binary->path);
  if (places)
    check_places(places);
  if (code)
    check_code(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(ProfileSourceTexts) texts = profile_source_texts_new();
  ProfileNamesDecoder *decoder = profile_names_decoder_new(size % 2);
  g_autofree uint8_t *aligned = g_memdup2(data, size); /* as contents are */

  profile_names_decoder_add(decoder, aligned, size);
  profile_names_decoder_take_sources(decoder, texts);
  profile_names_decoder_finish(decoder, look_up, NULL);
  return 0;
}
