/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/place-finder.h"

#include <elf.h>
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
  GCancellable *cancellable;
  const ProfileElf *elf; /* of the binary, which says where its offsets are mapped */
  int main;              /* the file that has the DWARF */
  char *directory;       /* of that file; NULL: not known */
  const char *const *roots;
  ProfileDebugFile alternate;
  gboolean has_looked_for_alternate;
  int package;      /* -1: none */
  gboolean is_kept; /* the elf-reader has these files open */
  guint left;       /* addresses without an answer */
  ProfileStoredPlaces *found;
} PlaceFinder;

static void place_finder_clear(PlaceFinder *self)
{
  profile_debug_file_clear(&self->alternate);
  if (self->package >= 0)
    close(self->package);
  g_clear_pointer(&self->directory, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PlaceFinder, place_finder_clear)

static gboolean has_section(const ProfileDebugFile *file, const char *const *names)
{
  for (guint i = 0; file->elf && file->fd >= 0 && names[i]; i++) {
    const ProfileElfSection *section = profile_elf_find_section(file->elf, names[i]);

    if (section && section->type != SHT_NOBITS && section->size > 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean has_dwarf(const ProfileDebugFile *file)
{
  return has_section(file, (const char *const[]){".debug_info", ".zdebug_info", NULL});
}

/* Go programs know their lines without it. */
static gboolean has_go(const ProfileDebugFile *file)
{
  return has_section(file, (const char *const[]){".gopclntab", ".data.rel.ro.gopclntab", NULL});
}

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
  result =
      profile_elf_reader_resolve(self->reader, files, n_files, flags, addresses, n, self->cancellable, ret);
  self->is_kept = result == 0 && (flags & ELF_READER_KEEP) != 0;
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
                                           missing->build_id_size, self->roots, &self->alternate);
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

/* The file offsets of a place that holds asked; cut to that where the binary maps it in pieces. */
static void place_translate(struct dwarf_place *place, const ProfileElf *elf, const Asked *asked)
{
  guint64 before = asked->address - place->start, behind = place->end - 1 - asked->address, start, last;
  gboolean has_start = profile_elf_address_to_offset(elf, place->start, &start) && before <= asked->offset &&
                       start == asked->offset - before;
  gboolean has_last = profile_elf_address_to_offset(elf, place->end - 1, &last) &&
                      behind < G_MAXUINT64 - asked->offset && last == asked->offset + behind;

  place->start = has_start ? start : asked->offset;
  place->end = (has_last ? last : asked->offset) + 1;
}

/* False when a place holds nothing that was asked. */
static gboolean places_translate(struct dwarf_places *places, const ProfileElf *elf, const Asked *asked,
                                 guint n)
{
  struct dwarf_place *place = (struct dwarf_place *)dwarf_places_get(places);

  for (guint32 i = 0, at = 0; i < places->n_places; i++) {
    while (at < n && asked[at].address < place[i].start)
      at++;
    if (at == n || asked[at].address >= place[i].end)
      return FALSE;
    place_translate(&place[i], elf, &asked[at]);
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

  if (!places_translate(places, self->elf, asked, n) || !dwarf_places_are_valid(places, size)) {
    g_free(places);
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
  return take_places(self, places, asked, n) && in_time;
}

static int asked_compare(const void *a, const void *b)
{
  const Asked *x = a, *y = b;

  return x->address < y->address ? -1 : x->address > y->address;
}

/* What is not known, by address, each once. */
static GArray *list_asked(const ProfileElf *elf, const guint64 *offsets, gsize n,
                          const ProfileStoredPlaces *known)
{
  GArray *list = g_array_new(FALSE, FALSE, sizeof(Asked));
  Asked *asked;
  guint kept = 0;

  for (gsize i = 0; i < n; i++) {
    Asked next = {.offset = offsets[i]};

    if ((!known || !profile_stored_places_cover(known, offsets[i])) &&
        profile_elf_offset_to_address(elf, offsets[i], &next.address))
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

ProfileStoredPlaces *profile_place_finder_find(ProfileElfReaders *readers, const ProfileDebugFile *file,
                                               const ProfileDebugFile *debug, const guint64 *offsets, gsize n,
                                               const ProfileStoredPlaces *known, const char *const *roots,
                                               GCancellable *cancellable)
{
  g_autoptr(ProfileStoredPlaces) found = profile_stored_places_new();
  const ProfileDebugFile *source = has_dwarf(debug) ? debug : file;
  g_auto(PlaceFinder) self = {.cancellable = cancellable,
                              .roots = roots,
                              .elf = file->elf,
                              .main = source->fd,
                              .alternate.fd = -1,
                              .package = -1,
                              .found = found};
  g_autofree char *path = get_path(source->fd);
  g_autoptr(GArray) list = NULL;

  if (!has_dwarf(source) && !has_go(source)) {
    found_add_nothing(found);
    return g_steal_pointer(&found);
  }
  list = list_asked(file->elf, offsets, n, known);
  if (list->len == 0)
    return g_steal_pointer(&found);
  self.directory = path ? g_path_get_dirname(path) : NULL;
  self.package = open_package(file, debug);
  self.reader = profile_elf_readers_take(readers);
  place_finder_find_all(&self, list);
  profile_elf_readers_give_back(readers, self.reader);
  return g_steal_pointer(&found);
}
