/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/namer.h"

#include <elf.h>
#include <sys/stat.h>

#include "profile/base/demangle.h"
#include "profile/base/nanoseconds.h"
#include "profile/elf/debug-roots.h"
#include "profile/elf/elf-symbols.h"
#include "profile/naming/binary-file.h"
#include "profile/naming/place-finder.h"
#include "unwind/unwind-functions.h"

/* What one binary is named from. */
typedef struct {
  ProfileDebugFile file;
  ProfileDebugFile debug; /* elf NULL: none */
  ProfileNameSources stamps;
  const ProfileStoredNames *known; /* from the same files; NULL: nothing */
  ProfileSymbols *symbols;
  struct unwind_functions functions; /* for what has no symbol; read when the first such offset comes */
  gboolean has_functions;
  enum capture_naming status;
} Source;

static void source_clear(Source *self)
{
  g_clear_pointer(&self->symbols, profile_symbols_free);
  unwind_functions_clear(&self->functions);
  profile_debug_file_clear(&self->debug);
  profile_debug_file_clear(&self->file);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Source, source_clear)

/* Symbols of the debug file first, as they are the fullest; a binary's exported ones add what its own table
 * lacks. */
static void read_symbols(Source *self)
{
  const ProfileElf *elf = self->file.elf;
  gboolean full = FALSE;

  self->symbols = profile_symbols_new();
  if (self->debug.elf)
    full = profile_elf_add_symbols(self->debug.elf, elf, SHT_SYMTAB, self->symbols);
  if (!full) {
    g_autoptr(ProfileElf) mini = NULL;

    full = profile_elf_add_symbols(elf, elf, SHT_SYMTAB, self->symbols);
    mini = full ? NULL : profile_elf_open_mini_debug_info(elf);
    if (mini)
      full = profile_elf_add_symbols(mini, elf, SHT_SYMTAB, self->symbols);
    profile_symbols_settle(self->symbols);
    profile_elf_add_symbols(elf, elf, SHT_DYNSYM, self->symbols);
  }
  profile_symbols_settle(self->symbols);
  if (full)
    self->status = CAPTURE_NAMING_SYMBOLS;
  else
    self->status = profile_symbols_get_n(self->symbols) > 0 ? CAPTURE_NAMING_DYNAMIC : CAPTURE_NAMING_NONE;
  profile_elf_add_plt_symbols(elf, self->symbols);
  profile_symbols_sort(self->symbols);
}

static void set_stamp(ProfileFileStamp *stamp, const struct stat *st)
{
  *stamp = (ProfileFileStamp){.inode = st->st_ino,
                              .size = (guint64)st->st_size,
                              .time = profile_nanoseconds(st->st_mtim.tv_sec, st->st_mtim.tv_nsec)};
}

static void stamp_descriptor(ProfileFileStamp *stamp, int fd)
{
  struct stat st;

  if (fd >= 0 && fstat(fd, &st) == 0)
    set_stamp(stamp, &st);
}

/* Looks at the files that known came from without reading the binary: false also when it cannot be told. */
static gboolean is_current(const ProfileStoredNames *known, const ProfileBinary *binary,
                           const char *const *roots)
{
  g_auto(ProfileDebugFile) debug = {.fd = -1};
  ProfileNameSources now = {0};
  struct stat st;

  if (stat(binary->path, &st) < 0)
    return FALSE;
  set_stamp(&now.binary, &st);
  if (profile_debug_file_find_again(binary->build_id, binary->build_id_size,
                                    profile_stored_names_get_link(known), binary->path, roots, &debug))
    stamp_descriptor(&now.debug, debug.fd);
  return profile_name_sources_equal(&now, profile_stored_names_get_sources(known));
}

static gboolean namer_covers(const ProfileStoredNames *known, const guint64 *offsets, gsize n)
{
  guint64 end = 0;

  for (gsize i = 0; i < n; i++) {
    const ProfileFunctionRange *stored;

    if (offsets[i] < end)
      continue;
    stored = profile_stored_names_find(known, offsets[i]);
    if (!stored)
      return FALSE;
    end = stored->end;
  }
  return TRUE;
}

/* Where a binary has so many answers that no more are stored all of it is asked again, and stored instead. */
static const ProfileStoredPlaces *get_known_places(const ProfileStoredNames *known)
{
  const ProfileStoredPlaces *places = known ? profile_stored_names_get_places(known) : NULL;
  guint n = 0;

  if (places)
    profile_stored_places_get(places, &n);
  return n < PROFILE_STORED_PLACES_ANSWERS_MAX ? places : NULL;
}

static gboolean namer_covers_places(const ProfileStoredNames *known, const guint64 *offsets, gsize n)
{
  const ProfileStoredPlaces *places = get_known_places(known);

  for (gsize i = 0; i < n; i++)
    if (!places || !profile_stored_places_cover(places, offsets[i]))
      return FALSE;
  return TRUE;
}

static ProfileStoredNames *new_learnt(const Source *source, const ProfileBinary *binary)
{
  g_autofree char *link = NULL;
  guint32 crc;

  profile_elf_get_debug_link(source->file.elf, &link, &crc);
  return profile_stored_names_new(binary->build_id, binary->build_id_size, source->status, &source->stamps,
                                  link);
}

/* The function that holds an offset by the unwind information, or NULL, and the stretch that it has, or none.
 */
static const struct unwind_function *find_function(Source *source, guint64 offset, guint64 *ret_start,
                                                   guint64 *ret_end)
{
  if (!source->has_functions) {
    gsize size;
    g_autofree guint8 *bytes = profile_elf_read_unwinding(source->file.elf, &size);

    if (bytes)
      unwind_functions_find(bytes, size, &source->functions);
    source->has_functions = TRUE;
  }
  return unwind_functions_at(&source->functions, offset, ret_start, ret_end);
}

/* Go knows its name even so. */
static void add_unsymbolised(ProfileFunctionTable *table, ProfileStoredNames *learnt,
                             const struct unwind_function *function, guint64 start, guint64 end)
{
  g_autofree char *name = function->name ? g_utf8_make_valid(function->name, function->length)
                                         : g_strdup_printf("fn@%" G_GINT64_MODIFIER "x", function->address);
  const ProfileFunctionRange range = {
      .start = start, .end = end, .name = name, .nameless = function->name == NULL};

  profile_function_table_add(table, &range);
  if (learnt)
    profile_stored_names_add(learnt, &range);
}

/* Looks a stretch up in the symbols, where symbol holds it, or none does. */
static void add_stretch(ProfileFunctionTable *table, ProfileStoredNames *learnt, const ProfileSymbol *symbol,
                        guint64 start, guint64 end)
{
  g_autofree char *demangled = symbol ? profile_demangle(symbol->name) : NULL;
  ProfileFunctionRange range = {.start = start, .end = end};

  if (symbol) {
    range.linkage_name = symbol->name;
    range.name = demangled ? demangled : symbol->name;
    profile_function_table_add(table, &range);
  } else {
    range.end = MIN(end, G_MAXINT64);
  }
  if (learnt)
    profile_stored_names_add(learnt, &range);
}

static guint64 add_known(ProfileFunctionTable *table, const ProfileFunctionRange *stored)
{
  if (stored->name)
    profile_function_table_add(table, stored);
  return stored->end;
}

/* Returns where the stretch ends. */
static guint64 add_hit(ProfileFunctionTable *table, ProfileStoredNames *learnt, Source *source,
                       guint64 offset)
{
  guint64 start, end, its_start = 0, its_end = G_MAXUINT64;
  const ProfileSymbol *symbol = profile_symbols_lookup(source->symbols, offset, &start, &end);
  const struct unwind_function *function = NULL;

  if (!symbol || (symbol->sizeless && source->status == CAPTURE_NAMING_DYNAMIC))
    function = find_function(source, offset, &its_start, &its_end);
  start = MAX(start, its_start);
  end = MIN(end, its_end);
  if (symbol && symbol->start < its_start)
    symbol = NULL;
  if (!symbol && function)
    add_unsymbolised(table, learnt, function, start, end);
  else
    add_stretch(table, learnt, symbol, start, end);
  return end;
}

/* Takes each stretch once, though many offsets lie in it. */
static void add_hits(ProfileFunctionTable *table, ProfileStoredNames *learnt, Source *source,
                     const guint64 *offsets, gsize n)
{
  guint64 end = 0;

  for (gsize i = 0; i < n; i++) {
    const ProfileFunctionRange *stored;

    if (offsets[i] < end)
      continue;
    stored = source->known ? profile_stored_names_find(source->known, offsets[i]) : NULL;
    end = stored ? add_known(table, stored) : add_hit(table, learnt, source, offsets[i]);
  }
}

static ProfileFunctionTable *new_empty(enum capture_naming status)
{
  ProfileFunctionTable *table = profile_function_table_new(status);

  profile_function_table_seal(table);
  return table;
}

/* From what was known before alone, which need not cover all. */
static ProfileFunctionTable *name_from_known(const ProfileStoredNames *known, const guint64 *offsets, gsize n)
{
  ProfileFunctionTable *table = profile_function_table_new(profile_stored_names_get_status(known));
  guint64 end = 0;

  for (gsize i = 0; i < n; i++) {
    const ProfileFunctionRange *stored;

    stored = offsets[i] < end ? NULL : profile_stored_names_find(known, offsets[i]);
    if (stored)
      end = add_known(table, stored);
  }
  profile_function_table_seal(table);
  return table;
}

static ProfileFunctionTable *name_from_files(Source *source, const ProfileBinary *binary,
                                             const guint64 *offsets, gsize n, ProfileStoredNames **ret_learnt)
{
  ProfileFunctionTable *table;

  read_symbols(source);
  if (ret_learnt && profile_namer_can_keep(binary))
    *ret_learnt = new_learnt(source, binary);
  table = profile_function_table_new(source->status);
  add_hits(table, ret_learnt ? *ret_learnt : NULL, source, offsets, n);
  profile_function_table_seal(table);
  return table;
}

gboolean profile_namer_can_keep(const ProfileBinary *binary)
{
  return binary->build_id_size > 0 && binary->path[0] == '/' &&
         (binary->flags & (CAPTURE_BINARY_SPECIAL | CAPTURE_BINARY_VDSO | CAPTURE_BINARY_KERNEL)) == 0;
}

/* What one binary is named for. */
typedef struct {
  const ProfileBinary *binary;
  const guint64 *offsets;
  gsize n;
  const ProfileStoredNames *known;
  const char *const *roots; /* of debug files, beside the usual ones */
  gboolean has_names;       /* all that is wanted of them is known */
  gboolean has_places;      /* likewise, or none is wanted */
  ProfileStoredNames **ret_learnt;
  ProfilePlaces **ret_places;
} Task;

static void set_known_places(const Task *task)
{
  const ProfileStoredPlaces *places = task->known ? profile_stored_names_get_places(task->known) : NULL;

  if (task->ret_places && places)
    *task->ret_places =
        profile_stored_places_make(places, NULL, task->offsets, task->n,
                                   task->has_places ? CAPTURE_PLACES_COMPLETE : CAPTURE_PLACES_LEFT);
}

static void find_places(const ProfileNamer *self, const Source *source, const Task *task)
{
  const ProfileStoredPlaces *known = get_known_places(source->known);
  const ProfilePlaceSearch search = {.file = &source->file,
                                     .debug = &source->debug,
                                     .offsets = task->offsets,
                                     .n = task->n,
                                     .known = known,
                                     .roots = task->roots,
                                     .until = self->places_until,
                                     .cancellable = self->cancellable};
  enum capture_places_outcome outcome;
  g_autoptr(ProfileStoredPlaces) found = profile_place_finder_find(self->readers, &search, &outcome);

  *task->ret_places = profile_stored_places_make(known, found, task->offsets, task->n, outcome);
  if (!task->ret_learnt || !profile_namer_can_keep(task->binary))
    return;
  if (!*task->ret_learnt)
    *task->ret_learnt = new_learnt(source, task->binary);
  profile_stored_names_take_places(*task->ret_learnt, g_steal_pointer(&found));
}

/* The file is open, and its debug file where there is one. */
static ProfileFunctionTable *namer_do(const ProfileNamer *self, Source *source, const Task *task)
{
  ProfileFunctionTable *table;

  if (task->has_names && source->known) {
    source->status = profile_stored_names_get_status(source->known);
    table = name_from_known(source->known, task->offsets, task->n);
  } else {
    table = name_from_files(source, task->binary, task->offsets, task->n, task->ret_learnt);
  }
  if (task->has_places && source->known)
    set_known_places(task);
  else if (task->ret_places && self->readers)
    find_places(self, source, task);
  return table;
}

static ProfileFunctionTable *namer_do_from_known(const Task *task)
{
  set_known_places(task);
  return name_from_known(task->known, task->offsets, task->n);
}

static ProfileFunctionTable *namer_open_and_do(const ProfileNamer *self, const Task *task)
{
  g_auto(Source) source = {.file.fd = -1, .debug.fd = -1};
  const ProfileBinary *binary = task->binary;

  switch (profile_binary_file_open(self, binary, &source.file)) {
  case PROFILE_BINARY_FILE_NOT_ELF:
    return new_empty(CAPTURE_NAMING_NONE);
  case PROFILE_BINARY_FILE_UNREADABLE:
    return task->known ? namer_do_from_known(task) : new_empty(CAPTURE_NAMING_UNREADABLE);
  case PROFILE_BINARY_FILE_OPEN:
    break;
  }
  profile_debug_file_find(source.file.elf, binary->path, task->roots, &source.debug);
  stamp_descriptor(&source.stamps.binary, source.file.fd);
  stamp_descriptor(&source.stamps.debug, source.debug.fd);
  if (task->known &&
      profile_name_sources_equal(&source.stamps, profile_stored_names_get_sources(task->known)))
    source.known = task->known;
  return namer_do(self, &source, task);
}

/* Each place of a function tells where it begins: that is its last frame. */
static const ProfilePlaceFrame *find_declaration(const ProfilePlaces *places,
                                                 const ProfileFunctionRange *range)
{
  const ProfilePlace *place = profile_places_find_from(places, range->start);
  const ProfilePlaceFrame *frame = NULL;

  if (place && place->start < range->end)
    frame = profile_places_get_frame(places, place, place->n_frames - 1);
  return frame && frame->declared_file && frame->declared_line > 0 ? frame : NULL;
}

ProfileFunctionTable *profile_namer_add_declarations(ProfileFunctionTable *plain, const ProfilePlaces *places)
{
  ProfileFunctionTable *table = profile_function_table_new(profile_function_table_get_status(plain));
  gsize n;
  const ProfileFunctionRange *ranges = profile_function_table_get_ranges(plain, &n);

  for (gsize i = 0; i < n; i++) {
    const ProfilePlaceFrame *declaration = find_declaration(places, &ranges[i]);
    ProfileFunctionRange range = ranges[i];

    if (declaration) {
      range.file = declaration->declared_file;
      range.line = declaration->declared_line;
    }
    profile_function_table_add(table, &range);
  }
  profile_function_table_seal(table);
  profile_function_table_unref(plain);
  return table;
}

ProfileFunctionTable *profile_namer_name_binary(const ProfileNamer *self, const ProfileBinary *binary,
                                                const guint64 *offsets, gsize n,
                                                const ProfileStoredNames *known,
                                                ProfileStoredNames **ret_learnt, ProfilePlaces **ret_places)
{
  Task task = {binary, offsets, n, known, .ret_learnt = ret_learnt, .ret_places = ret_places};
  g_auto(GStrv) roots = profile_debug_roots_find(self->same_boot ? binary->mapped_pid : 0);
  ProfileFunctionTable *table;

  if (ret_learnt)
    *ret_learnt = NULL;
  if (ret_places)
    *ret_places = NULL;
  if ((binary->flags & (CAPTURE_BINARY_SPECIAL | CAPTURE_BINARY_VDSO)) == CAPTURE_BINARY_SPECIAL)
    return new_empty(CAPTURE_NAMING_NONE);
  task.roots = (const char *const *)roots;
  task.has_names = known && namer_covers(known, offsets, n);
  task.has_places = !ret_places || !self->readers || (known && namer_covers_places(known, offsets, n));
  if (task.has_names && task.has_places && is_current(known, binary, task.roots))
    table = namer_do_from_known(&task);
  else
    table = namer_open_and_do(self, &task);
  if (ret_places && *ret_places)
    table = profile_namer_add_declarations(table, *ret_places);
  return table;
}
