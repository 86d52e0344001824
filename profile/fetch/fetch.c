/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/fetch/fetch.h"

#include <string.h>
#include <sys/stat.h>

#include "profile/capture/capture-private.h"
#include "profile/elf/debug-roots.h"
#include "profile/fetch/fetch-file.h"
#include "profile/naming/binary-file.h"
#include "profile/naming/kernel-namer.h"

typedef struct {
  ProfileCapture *capture;
  const ProfileFetchOptions *options;
  ProfileFetchFile file; /* how each is fetched */
  ProfileNamer namer;    /* how binaries are found */
  const char *path;      /* that is being fetched for */
  GStrv roots;           /* where its debug files may be */

  GCancellable *cancellable;
} Fetching;

void profile_fetch_result_clear(ProfileFetchResult *result)
{
  g_clear_error(&result->error);
}

static const ProfileBinary *get_binary(ProfileCapture *capture, guint i)
{
  return &g_array_index(capture->binaries, ProfileBinary, i);
}

/* The next binary of an entry from i on, or none: how many there are. Those of one path count as one,
 * whatever their build-ids; the entry has the first. */
static guint find_next(ProfileCapture *capture, const ProfileMissingEntry *entry, guint i)
{
  guint n = capture->binaries->len;

  while (i < n && (strcmp(get_binary(capture, i)->path, get_binary(capture, entry->binary)->path) != 0 ||
                   !profile_namer_can_keep(get_binary(capture, i))))
    i++;
  return MIN(i, n);
}

static GArray *list_binaries(ProfileCapture *capture, const ProfileMissingEntry *entry)
{
  GArray *list = g_array_new(FALSE, FALSE, sizeof(guint));

  for (guint i = entry->binary; (i = find_next(capture, entry, i)) < capture->binaries->len; i++)
    g_array_append_val(list, i);
  return list;
}

gboolean profile_fetch_may_help(ProfileCapture *capture, const ProfileMissingEntry *entry)
{
  return entry->reason != PROFILE_MISSING_UNCOVERED &&
         find_next(capture, entry, entry->binary) < capture->binaries->len;
}

GHashTable *profile_fetch_list_build_ids(ProfileCapture *capture, const ProfileMissingEntry *entries, guint n)
{
  GHashTable *ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < n; i++) {
    g_autoptr(GArray) binaries = list_binaries(capture, &entries[i]);

    for (guint j = 0; j < binaries->len; j++) {
      const ProfileBinary *binary = get_binary(capture, g_array_index(binaries, guint, j));
      g_hash_table_add(ids, profile_debug_file_print_build_id(binary->build_id, binary->build_id_size));
    }
  }
  return ids;
}

static void on_fetched(guint64 bytes, guint64 total, gpointer data)
{
  Fetching *self = data;

  if (self->options->progress)
    self->options->progress(self->path, bytes, total, self->options->progress_data);
}

static guint64 fetching_measure(const ProfileDebugFile *file)
{
  struct stat status;

  return fstat(file->fd, &status) == 0 ? (guint64)status.st_size : 0;
}

/* Like profile_fetch_file, and counts. */
static gboolean fetching_fetch(Fetching *self, enum symbol_fetcher_kind kind, const guint8 *build_id,
                               guint size, ProfileDebugFile *ret, ProfileFetchResult *result)
{
  if (!profile_fetch_file(&self->file, kind, build_id, size, self->path, ret, self->cancellable,
                          result->error ? NULL : &result->error))
    return FALSE;
  result->bytes += fetching_measure(ret);
  result->fetched = TRUE;
  return TRUE;
}

/* dwz's file, where the debug file speaks of one that is not here. */
static void fetching_fetch_alternate(Fetching *self, const ProfileDebugFile *debug,
                                     ProfileFetchResult *result)
{
  const ProfileElfSection *section = profile_elf_find_section(debug->elf, ".gnu_debugaltlink");
  gsize size, length;
  g_autofree guint8 *link = section ? profile_elf_read_section(debug->elf, section, &size) : NULL;
  g_auto(ProfileDebugFile) alternate = {.fd = -1};

  if (!link || (length = strlen((const char *)link) + 1) >= size)
    return;
  if (!profile_debug_file_find_alternate("/", (const char *)link, link + length, (guint)(size - length),
                                         (const char *const *)self->roots, &alternate))
    fetching_fetch(self, SYMBOL_FETCHER_DEBUG, link + length, (guint)(size - length), &alternate, result);
}

static gboolean has_symbols(const ProfileDebugFile *file)
{
  const ProfileElfSection *section = profile_elf_find_section(file->elf, ".symtab");

  return section && section->size > 0;
}

static gboolean fetching_open_binary(Fetching *self, const ProfileBinary *binary, ProfileDebugFile *ret)
{
  return profile_binary_file_open(&self->namer, binary, ret) == PROFILE_BINARY_FILE_OPEN;
}

static gboolean fetching_open_debug(Fetching *self, const ProfileBinary *binary, const ProfileDebugFile *file,
                                    ProfileDebugFile *ret)
{
  g_autofree char *link = NULL;
  guint32 crc;

  profile_elf_get_debug_link(file->elf, &link, &crc);
  return profile_debug_file_find_again(binary->build_id, binary->build_id_size, link, binary->path,
                                       (const char *const *)self->roots, ret);
}

/* A binary with symbols of its own needs no debug file to be named: that no server has one is no failure
 * then. */
static void fetching_fetch_debug(Fetching *self, const ProfileBinary *binary, const ProfileDebugFile *file,
                                 ProfileFetchResult *result)
{
  g_auto(ProfileDebugFile) debug = {.fd = -1};
  gboolean had_error = result->error != NULL;

  if (fetching_open_debug(self, binary, file, &debug) ||
      fetching_fetch(self, SYMBOL_FETCHER_DEBUG, binary->build_id, binary->build_id_size, &debug, result))
    fetching_fetch_alternate(self, &debug, result);
  else if (!had_error && has_symbols(file) &&
           g_error_matches(result->error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    g_clear_error(&result->error);
}

static void fetching_fetch_binary(Fetching *self, const ProfileBinary *binary, ProfileFetchResult *result)
{
  g_auto(ProfileDebugFile) file = {.fd = -1};

  if (fetching_open_binary(self, binary, &file) ||
      fetching_fetch(self, SYMBOL_FETCHER_BINARY, binary->build_id, binary->build_id_size, &file, result))
    fetching_fetch_debug(self, binary, &file, result);
}

/* The binary itself helps, where it was the one that could not be read. */
static gboolean fetching_has(Fetching *self, const ProfileBinary *binary, ProfileMissingReason reason)
{
  g_auto(ProfileDebugFile) file = {.fd = -1};
  g_auto(ProfileDebugFile) debug = {.fd = -1};

  return fetching_open_binary(self, binary, &file) &&
         (reason == PROFILE_MISSING_UNREADABLE || fetching_open_debug(self, binary, &file, &debug));
}

/* What makes it vain to ask for more. */
static gboolean is_final(const GError *error)
{
  return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
         g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) ||
         g_error_matches(error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE);
}

/* Of an entry that may be helped: looks on this machine, or asks servers for the rest. */
static void fetching_do_entry(Fetching *self, const ProfileMissingEntry *entry, gboolean ask,
                              ProfileFetchResult *result)
{
  g_autoptr(GArray) binaries = list_binaries(self->capture, entry);

  self->path = profile_missing_names_get_binary(self->capture, entry);
  for (guint i = 0; i < binaries->len && !is_final(result->error); i++) {
    const ProfileBinary *binary = get_binary(self->capture, g_array_index(binaries, guint, i));
    g_auto(GStrv) roots = profile_debug_roots_find(self->namer.same_boot ? binary->mapped_pid : 0);

    self->roots = roots;
    if (ask)
      fetching_fetch_binary(self, binary, result);
    else
      result->here |= fetching_has(self, binary, entry->reason);
  }
}

guint profile_fetch_look(ProfileCapture *capture, const ProfileMissingEntry *entries, guint n,
                         ProfileFetchResult *results)
{
  Fetching self = {.capture = capture, .namer.same_boot = profile_kernel_is_same_boot(capture)};
  guint here = 0;

  for (guint i = 0; i < n; i++) {
    if (profile_fetch_may_help(capture, &entries[i]))
      fetching_do_entry(&self, &entries[i], FALSE, &results[i]);
    here += results[i].here;
  }
  return here;
}

/* With limits for where options have none. */
static void fetching_init(Fetching *self, guint64 size_max, guint seconds_max)
{
  const ProfileFetchOptions *options = self->options;

  self->file.servers = options->servers;
  self->file.size_max = options->size_max ? options->size_max : size_max;
  self->file.seconds_max = options->seconds_max ? options->seconds_max : seconds_max;
  self->file.deadline = g_get_monotonic_time() + (gint64)self->file.seconds_max * G_USEC_PER_SEC;
  self->file.progress = on_fetched;
  self->file.progress_data = self;
}

gboolean profile_fetch_may_have_source(ProfileCapture *capture, guint32 binary, const char *path)
{
  return binary < capture->binaries->len && profile_namer_can_keep(get_binary(capture, binary)) &&
         g_path_is_absolute(path);
}

GBytes *profile_fetch_source(ProfileCapture *capture, guint32 binary, const char *path,
                             const ProfileFetchOptions *options, GCancellable *cancellable, GError **error)
{
  Fetching self = {.capture = capture, .options = options, .path = path, .cancellable = cancellable};
  const ProfileBinary *of = get_binary(capture, binary);

  fetching_init(&self, PROFILE_FETCH_SOURCE_SIZE_MAX, PROFILE_FETCH_SOURCE_SECONDS_MAX);
  return profile_fetch_file_source(&self.file, of->build_id, of->build_id_size, path, cancellable, error);
}

guint profile_fetch_run(ProfileCapture *capture, const ProfileMissingEntry *entries, guint n,
                        const ProfileFetchOptions *options, ProfileFetchResult *results,
                        GCancellable *cancellable)
{
  Fetching self = {.capture = capture, .options = options, .cancellable = cancellable};
  guint fetched = 0;

  self.namer.same_boot = profile_kernel_is_same_boot(capture);
  fetching_init(&self, PROFILE_FETCH_SIZE_MAX, PROFILE_FETCH_SECONDS_MAX);
  for (guint i = 0; i < n && !(i > 0 && is_final(results[i - 1].error)); i++) {
    if (profile_fetch_may_help(capture, &entries[i]))
      fetching_do_entry(&self, &entries[i], TRUE, &results[i]);
    fetched += results[i].fetched;
  }
  return fetched;
}
