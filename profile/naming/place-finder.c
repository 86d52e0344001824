/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/place-finder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "profile/base/regular-file.h"

/* An address that is asked for. */
typedef struct {
  guint64 address;
  guint64 offset;
} Asked;

typedef struct {
  ProfileElfReader *reader;
  const ProfilePlaceSearch *search;
  int main;        /* the file that has the DWARF */
  char *directory; /* of that file; NULL: not known */
  ProfileDebugFile alternate;
  gboolean has_looked_for_alternate;
  int package;      /* -1: none */
  gboolean is_kept; /* the elf-reader has these files open */
  guint left;       /* addresses without an answer */
  ProfileStoredPlaces *found;
  enum capture_places_outcome outcome;
} PlaceFinder;

static void place_finder_clear(PlaceFinder *self)
{
  profile_debug_file_clear(&self->alternate);
  if (self->package >= 0)
    close(self->package);
  g_clear_pointer(&self->directory, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PlaceFinder, place_finder_clear)

/* Where an open file is, or NULL. */
static char *get_path(int fd)
{
  g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);

  return fd >= 0 ? g_file_read_link(link, NULL) : NULL;
}

/* FILE.dwp, beside the binary or its debug file; -1: none. */
static int open_package(const ProfileDebugFile *file, const ProfileDebugFile *debug)
{
  const int fds[] = {file->fd, debug->fd};
  int package = -1;

  for (guint i = 0; i < G_N_ELEMENTS(fds) && package < 0; i++) {
    g_autofree char *path = get_path(fds[i]);
    g_autofree char *candidate = path ? g_strconcat(path, ".dwp", NULL) : NULL;

    if (candidate)
      package = profile_regular_file_open(candidate);
  }
  return package;
}

static ProfileStretch *copy_stretches(const GArray *stretches)
{
  return g_memdup2(stretches->data, stretches->len * sizeof(ProfileStretch));
}

/* Nothing is known about any offset of the binary. */
static void found_add_nothing(ProfileStoredPlaces *found)
{
  const struct dwarf_places none = {.magic = DWARF_PLACES_MAGIC, .size = sizeof none};
  const ProfileStretch all = {0, G_MAXUINT64};

  profile_stored_places_take(found, g_memdup2(&none, sizeof none), sizeof none, g_memdup2(&all, sizeof all),
                             1, TRUE);
}

static gboolean is_over(const ProfilePlaceSearch *search)
{
  return search->until > 0 && g_get_monotonic_time() >= search->until;
}

static void place_finder_note(PlaceFinder *self, enum capture_places_outcome outcome)
{
  self->outcome = MAX(self->outcome, outcome);
}

/* Why there is no answer: an elf-reader that says so is well. */
static void place_finder_note_error(PlaceFinder *self, int error)
{
  if (error == -ECANCELED || is_over(self->search))
    place_finder_note(self, CAPTURE_PLACES_LEFT);
  else if (error == -ENOMEM || error == -EFBIG)
    place_finder_note(self, CAPTURE_PLACES_OUT_OF_MEMORY);
  else if (error != -ENODATA && error != -ENOEXEC)
    place_finder_note(self, CAPTURE_PLACES_LOST);
}

/* Asks with dwo (-1 where one is not there) beside the other files. */
static int place_finder_ask(PlaceFinder *self, const Asked *asked, guint n, const int *dwo, guint n_dwo,
                            struct dwarf_places **ret)
{
  guint64 addresses[ELF_READER_OFFSETS_MAX];
  int files[ELF_READER_DESCRIPTORS_MAX], result;
  guint32 flags = n_dwo == 0 && n < self->left ? ELF_READER_KEEP : 0;
  guint n_files = 0;

  for (guint i = 0; i < n; i++)
    addresses[i] = asked[i].address;
  if (self->is_kept && n_dwo == 0) {
    flags |= ELF_READER_AGAIN;
  } else {
    files[n_files++] = self->main;
    if (self->alternate.elf)
      files[n_files++] = self->alternate.fd;
    if (self->package >= 0)
      files[n_files++] = self->package;
    flags |= (self->alternate.elf ? ELF_READER_ALTERNATE : 0) | (self->package >= 0 ? ELF_READER_PACKAGE : 0);
    for (guint i = 0; i < n_dwo; i++)
      if (dwo[i] >= 0)
        files[n_files++] = dwo[i];
  }
  result = profile_elf_reader_resolve(self->reader, files, n_files, flags, addresses, n,
                                      self->search->cancellable, ret);
  self->is_kept = result == 0 && (flags & ELF_READER_KEEP) != 0;
  if (result < 0)
    place_finder_note_error(self, result);
  return result;
}

static guint count_missing_dwo(const struct dwarf_places *places)
{
  const struct dwarf_missing *missing = dwarf_places_get_missing(places);
  guint n = 0;

  for (guint32 i = 0; i < places->n_missing; i++)
    n += missing[i].build_id_size == 0;
  return n;
}

static int open_dwo(const PlaceFinder *self, const char *path)
{
  g_autofree char *whole = NULL;

  if (g_path_is_absolute(path))
    return profile_regular_file_open(path);
  whole = self->directory ? g_build_filename(self->directory, path, NULL) : NULL;
  return whole ? profile_regular_file_open(whole) : -1;
}

static gboolean look_for_alternate(PlaceFinder *self, const char *path, const struct dwarf_missing *missing)
{
  if (self->has_looked_for_alternate)
    return FALSE;
  self->has_looked_for_alternate = TRUE;
  return profile_debug_file_find_alternate(self->directory ? self->directory : "/", path, missing->build_id,
                                           missing->build_id_size, self->search->roots, &self->alternate);
}

/* Opens what is missing; false when nothing of it is there. */
static gboolean open_missing(PlaceFinder *self, const struct dwarf_places *places, int *dwo, guint *ret_n)
{
  const struct dwarf_missing *missing = dwarf_places_get_missing(places);
  gboolean any = FALSE;

  for (guint32 i = 0; i < places->n_missing; i++) {
    g_autofree char *path = g_strndup((const char *)places + missing[i].path.at, missing[i].path.length);
    int fd;

    if (missing[i].build_id_size > 0) {
      any |= look_for_alternate(self, path, &missing[i]);
    } else if (path[0] && (fd = open_dwo(self, path)) >= 0) {
      dwo[(*ret_n)++] = fd;
      any = TRUE;
    }
  }
  return any;
}

static int ask_again(PlaceFinder *self, const Asked *asked, guint n, struct dwarf_places **places)
{
  int dwo[ELF_READER_SPLIT_MAX], result = 0;
  guint n_dwo = 0;

  if (open_missing(self, *places, dwo, &n_dwo)) {
    g_clear_pointer(places, g_free);
    self->is_kept = FALSE;
    result = place_finder_ask(self, asked, n, dwo, n_dwo, places);
  }
  for (guint i = 0; i < n_dwo; i++)
    close(dwo[i]);
  return result;
}

static gboolean search_to_address(const ProfilePlaceSearch *search, guint64 offset, guint64 *ret)
{
  if (search->text == 0)
    return profile_elf_offset_to_address(search->file->elf, offset, ret);
  return !__builtin_add_overflow(search->text, offset, ret);
}

static gboolean search_to_offset(const ProfilePlaceSearch *search, guint64 address, guint64 *ret)
{
  if (search->text == 0)
    return profile_elf_address_to_offset(search->file->elf, address, ret);
  return !__builtin_sub_overflow(address, search->text, ret);
}

/* The offsets of a place that holds asked; cut to that where the binary maps it in pieces. */
static void place_translate(struct dwarf_place *place, const ProfilePlaceSearch *search, const Asked *asked)
{
  guint64 before = asked->address - place->start, behind = place->end - 1 - asked->address, start, last;
  gboolean has_start = search_to_offset(search, place->start, &start) && before <= asked->offset &&
                       start == asked->offset - before;
  gboolean has_last = search_to_offset(search, place->end - 1, &last) &&
                      behind < G_MAXUINT64 - asked->offset && last == asked->offset + behind;

  place->start = has_start ? start : asked->offset;
  place->end = (has_last ? last : asked->offset) + 1;
}

/* False when a place holds nothing that was asked. */
static gboolean places_translate(struct dwarf_places *places, const ProfilePlaceSearch *search,
                                 const Asked *asked, guint n)
{
  struct dwarf_place *place = (struct dwarf_place *)dwarf_places_get(places);

  for (guint32 i = 0, at = 0; i < places->n_places; i++) {
    while (at < n && asked[at].address < place[i].start)
      at++;
    if (at == n || asked[at].address >= place[i].end)
      return FALSE;
    place_translate(&place[i], search, &asked[at]);
  }
  return TRUE;
}

static int stretch_compare(const void *a, const void *b)
{
  const ProfileStretch *x = a, *y = b;

  return x->start < y->start ? -1 : x->start > y->start;
}

/* Where nothing was found. What time was too short for may be found another time. */
static GArray *list_nothing(const struct dwarf_places *places, const Asked *asked, guint n)
{
  GArray *nothing = g_array_new(FALSE, FALSE, sizeof(ProfileStretch));

  for (guint i = 0; i < n && places->outcome != DWARF_OUT_OF_TIME; i++)
    if (!dwarf_places_find(places, asked[i].offset)) {
      const ProfileStretch stretch = {asked[i].offset, asked[i].offset + 1};

      g_array_append_val(nothing, stretch);
    }
  g_array_sort(nothing, stretch_compare);
  return nothing;
}

/* Takes places. */
static gboolean take_places(PlaceFinder *self, struct dwarf_places *places, const Asked *asked, guint n)
{
  g_autoptr(GArray) nothing = NULL;
  gsize size = places->size;

  if (!places_translate(places, self->search, asked, n) || !dwarf_places_are_valid(places, size)) {
    g_free(places);
    place_finder_note(self, CAPTURE_PLACES_LOST);
    return FALSE;
  }
  self->left -= n;
  nothing = list_nothing(places, asked, n);
  return profile_stored_places_take(self->found, places, size, copy_stretches(nothing), nothing->len,
                                    places->n_missing == 0);
}

static gboolean place_finder_find_part(PlaceFinder *self, const Asked *asked, guint n);

/* Where more split units are missing than can be sent, those of the first half are others than those of the
 * second, or nearly so. */
static gboolean find_halves(PlaceFinder *self, const Asked *asked, guint n)
{
  return place_finder_find_part(self, asked, n / 2) && place_finder_find_part(self, asked + n / 2, n - n / 2);
}

/* False when there is nothing to be found any more. */
static gboolean place_finder_find_part(PlaceFinder *self, const Asked *asked, guint n)
{
  struct dwarf_places *places = NULL;
  gboolean in_time;
  guint n_dwo;

  if (place_finder_ask(self, asked, n, NULL, 0, &places) < 0)
    return FALSE;
  n_dwo = count_missing_dwo(places);
  if (n_dwo > ELF_READER_SPLIT_MAX) {
    g_free(places);
    return n > 1 && find_halves(self, asked, n);
  }
  if (places->n_missing > 0 && ask_again(self, asked, n, &places) < 0)
    return FALSE;
  in_time = places->outcome != DWARF_OUT_OF_TIME;
  if (!in_time)
    place_finder_note(self, is_over(self->search) ? CAPTURE_PLACES_LEFT : CAPTURE_PLACES_OUT_OF_TIME);
  return take_places(self, places, asked, n) && in_time;
}

static int asked_compare(const void *a, const void *b)
{
  const Asked *x = a, *y = b;

  return x->address < y->address ? -1 : x->address > y->address;
}

/* What is not known, by address, each once. */
static GArray *list_asked(const ProfilePlaceSearch *search)
{
  const ProfileStoredPlaces *known = search->known;
  const guint64 *offsets = search->offsets;
  GArray *list = g_array_new(FALSE, FALSE, sizeof(Asked));
  Asked *asked;
  guint kept = 0;

  for (gsize i = 0; i < search->n; i++) {
    Asked next = {.offset = offsets[i]};

    if ((!known || !profile_stored_places_cover(known, offsets[i])) &&
        search_to_address(search, offsets[i], &next.address))
      g_array_append_val(list, next);
  }
  g_array_sort(list, asked_compare);
  asked = (Asked *)(gpointer)list->data;
  for (guint i = 0; i < list->len; i++)
    if (kept == 0 || asked[kept - 1].address != asked[i].address)
      asked[kept++] = asked[i];
  g_array_set_size(list, kept);
  return list;
}

static void place_finder_find_all(PlaceFinder *self, const GArray *list)
{
  const Asked *asked = (const Asked *)(gconstpointer)list->data;

  self->left = list->len;
  for (guint i = 0; i < list->len; i += ELF_READER_OFFSETS_MAX)
    if (!place_finder_find_part(self, asked + i, MIN(list->len - i, ELF_READER_OFFSETS_MAX)))
      return;
}

ProfileStoredPlaces *profile_place_finder_find(ProfileElfReaders *readers, const ProfilePlaceSearch *search,
                                               enum capture_places_outcome *ret_outcome)
{
  g_autoptr(ProfileStoredPlaces) found = profile_stored_places_new();
  const ProfileDebugFile *source = profile_debug_file_has_lines(search->debug) ? search->debug : search->file;
  g_auto(PlaceFinder)
      self = {.search = search, .main = source->fd, .alternate.fd = -1, .package = -1, .found = found};
  g_autofree char *path = get_path(source->fd);
  g_autoptr(GArray) list = profile_debug_file_has_lines(source) ? list_asked(search) : NULL;

  *ret_outcome = CAPTURE_PLACES_COMPLETE;
  if (!list)
    found_add_nothing(found);
  if (!list || list->len == 0)
    return g_steal_pointer(&found);
  if (is_over(search)) {
    *ret_outcome = CAPTURE_PLACES_LEFT;
    return g_steal_pointer(&found);
  }
  self.directory = path ? g_path_get_dirname(path) : NULL;
  self.package = open_package(search->file, search->debug);
  self.reader = profile_elf_readers_take(readers);
  profile_elf_reader_set_end(self.reader, search->until);
  place_finder_find_all(&self, list);
  profile_elf_readers_give_back(readers, self.reader);
  *ret_outcome = self.outcome;
  return g_steal_pointer(&found);
}
