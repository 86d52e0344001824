/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/module-places.h"

#include <string.h>

#include "dwarf/dwarf-object.h"
#include "profile/elf/module-files.h"
#include "profile/naming/module-map.h"
#include "profile/naming/place-finder.h"

/* What offsets in a module's file begin with: its first section. */
#define FIRST_SECTION dwarf_object_address(1, 0)

/* A sampled address, and the function of a module that it is in. */
typedef struct {
  guint64 address;
  const ProfileFunctionRange *function;
  guint64 moved; /* from its offset in the file */
} Hit;

typedef struct {
  const ProfileNamer *namer;
  ProfileCapture *capture;
  ProfileModuleFiles *files;
  ProfilePlaces *places; /* so far; NULL: none */
} ModulePlaces;

static void module_places_clear(ModulePlaces *self)
{
  g_clear_pointer(&self->files, profile_module_files_free);
  g_clear_pointer(&self->places, profile_places_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ModulePlaces, module_places_clear)

static gint hit_compare(gconstpointer a, gconstpointer b)
{
  const Hit *x = a, *y = b;
  int order = strcmp(x->function->module, y->function->module);

  if (order != 0)
    return order;
  return x->address < y->address ? -1 : x->address > y->address;
}

static const ProfileFunctionRange *find_function(ProfileCapture *capture,
                                                 const ProfileFunctionTable *functions, guint64 address)
{
  const ProfileFunctionTable *own = profile_capture_get_table(capture, G_MAXUINT32);
  const ProfileFunctionRange *function = profile_function_table_lookup(functions, address);

  return function || !own ? function : profile_function_table_lookup(own, address);
}

/* Module by module, ascending in each. */
static GArray *list_hits(ProfileCapture *capture, const ProfileFunctionTable *functions,
                         const guint64 *addresses, gsize n)
{
  GArray *hits = g_array_new(FALSE, FALSE, sizeof(Hit));

  for (gsize i = 0; i < n; i++) {
    Hit hit = {addresses[i], find_function(capture, functions, addresses[i])};

    if (hit.function && hit.function->module)
      g_array_append_val(hits, hit);
  }
  g_array_sort(hits, hit_compare);
  return hits;
}

/* "[name]", as the recorder calls it, or the path of its file, as perf may. */
static gboolean is_called(const ProfileBinary *binary, const char *module)
{
  const char *slash = strrchr(binary->path, '/');
  const char *rest =
      profile_module_skip_name(slash ? slash + 1 : binary->path + (binary->path[0] == '['), module);

  return rest && (g_str_equal(rest, "]") || g_str_has_prefix(rest, ".ko"));
}

/* NULL: of none that calls itself so the build-id is known. */
static const ProfileBinary *find_module(ProfileCapture *capture, const char *name)
{
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);

  for (guint i = 0; i < n; i++)
    if (binaries[i].flags & CAPTURE_BINARY_KERNEL_MODULE && binaries[i].build_id_size > 0 &&
        is_called(&binaries[i], name))
      return &binaries[i];
  return NULL;
}

static ProfileModuleMap *make_map(const ProfileElf *file, const Hit *hits, guint n)
{
  g_autoptr(GPtrArray) functions = g_ptr_array_new();

  for (guint i = 0; i < n; i++)
    if (i == 0 || hits[i].function != hits[i - 1].function)
      g_ptr_array_add(functions, (gpointer)hits[i].function);
  return profile_module_map_new(file, (const ProfileFunctionRange *const *)functions->pdata, functions->len);
}

/* Of those of which it is known how far they were moved, which stay; how many that are. */
static guint place_hits(const ProfileElf *file, Hit *hits, guint n)
{
  g_autoptr(ProfileModuleMap) map = make_map(file, hits, n);
  guint kept = 0;

  for (guint i = 0; i < n; i++)
    if (profile_module_map_find(map, hits[i].address, &hits[i].moved)) {
      hits[kept] = hits[i];
      hits[kept++].moved += FIRST_SECTION;
    }
  return kept;
}

static gint offset_compare(gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;

  return x < y ? -1 : x > y;
}

static GArray *list_offsets(const Hit *hits, guint n)
{
  GArray *offsets = g_array_new(FALSE, FALSE, sizeof(guint64));

  for (guint i = 0; i < n; i++) {
    guint64 offset = hits[i].address - hits[i].moved;

    g_array_append_val(offsets, offset);
  }
  g_array_sort(offsets, offset_compare);
  return offsets;
}

/* Takes places of hits that were moved equally far; NULL: there are none. */
static void add_places(ModulePlaces *self, ProfilePlaces *places, guint64 moved)
{
  if (!places)
    return;
  profile_places_move(places, moved);
  self->places = profile_places_merge(self->places, places);
}

/* None, because it was too late. */
static ProfilePlaces *new_places_left(void)
{
  ProfilePlaces *places = profile_places_new();

  profile_places_seal(places);
  profile_places_set_outcome(places, CAPTURE_PLACES_LEFT);
  return places;
}

static void add_found(ModulePlaces *self, const ProfileStoredPlaces *found,
                      enum capture_places_outcome outcome, const Hit *hits, guint n)
{
  for (guint i = 0, next; i < n; i = next) {
    g_autoptr(GArray) offsets = NULL;

    for (next = i + 1; next < n && hits[next].moved == hits[i].moved; next++)
      continue;
    offsets = list_offsets(hits + i, next - i);
    add_places(self,
               profile_stored_places_make(NULL, found, (const guint64 *)(gpointer)offsets->data, offsets->len,
                                          outcome),
               hits[i].moved);
  }
}

static void find_in_file(ModulePlaces *self, const ProfileDebugFile *file, Hit *hits, guint n)
{
  static const ProfileDebugFile none = {.fd = -1};
  guint n_placed = place_hits(file->elf, hits, n);
  g_autoptr(GArray) offsets = list_offsets(hits, n_placed);
  const ProfilePlaceSearch search = {.file = file,
                                     .debug = &none,
                                     .offsets = (const guint64 *)(gpointer)offsets->data,
                                     .n = offsets->len,
                                     .text = FIRST_SECTION,
                                     .until = self->namer->places_until,
                                     .cancellable = self->namer->cancellable};
  enum capture_places_outcome outcome;
  g_autoptr(ProfileStoredPlaces) found = profile_place_finder_find(self->namer->readers, &search, &outcome);

  add_found(self, found, outcome, hits, n_placed);
}

static void find_in_module(ModulePlaces *self, Hit *hits, guint n)
{
  const char *name = hits->function->module;
  const ProfileBinary *module = find_module(self->capture, name);
  g_auto(ProfileDebugFile) file = {.fd = -1};

  if (module && profile_module_files_find(self->files, name, module->build_id, module->build_id_size, &file))
    find_in_file(self, &file, hits, n);
}

ProfilePlaces *profile_module_places_find(const ProfileNamer *namer, ProfileCapture *capture,
                                          const ProfileFunctionTable *functions, const guint64 *addresses,
                                          gsize n)
{
  g_autoptr(GArray) list = list_hits(capture, functions, addresses, n);
  Hit *hits = (Hit *)(gpointer)list->data;
  g_auto(ModulePlaces) self = {.namer = namer, .capture = capture};

  self.files = profile_module_files_new(profile_capture_get_metadata(capture, "kernel"), namer->places_until,
                                        namer->cancellable);
  for (guint i = 0, next; i < list->len && namer->readers && !g_cancellable_is_cancelled(namer->cancellable);
       i = next) {
    for (next = i + 1; next < list->len && g_str_equal(hits[next].function->module, hits[i].function->module);
         next++)
      continue;
    find_in_module(&self, hits + i, next - i);
  }
  if (profile_module_files_are_late(self.files))
    add_places(&self, new_places_left(), 0);
  return g_steal_pointer(&self.places);
}
