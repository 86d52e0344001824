/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/elf/debug-files.h"

#include <elf.h>
#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/cache-path.h"
#include "profile/base/regular-file.h"

#define DEBUG_ROOT "/usr/lib/debug"

void profile_debug_file_clear(ProfileDebugFile *file)
{
  g_clear_pointer(&file->elf, profile_elf_free);
  if (file->fd >= 0)
    close(file->fd);
  *file = (ProfileDebugFile){.fd = -1};
}

static gboolean open_elf(const char *path, ProfileDebugFile *ret)
{
  int fd = profile_regular_file_open(path);
  ProfileElf *elf;

  if (fd < 0)
    return FALSE;
  elf = profile_regular_file_is_of_others(fd) ? NULL : profile_elf_new_for_fd(fd, NULL);
  if (!elf) {
    close(fd);
    return FALSE;
  }
  *ret = (ProfileDebugFile){.elf = elf, .fd = fd};
  return TRUE;
}

static gboolean elf_has_build_id(const ProfileElf *elf, const guint8 *build_id, guint size)
{
  guint found_size;
  const guint8 *found = profile_elf_get_build_id(elf, &found_size);

  return size > 0 && found_size == size && memcmp(found, build_id, size) == 0;
}

static gboolean open_with_build_id(const char *path, const guint8 *build_id, guint size,
                                   ProfileDebugFile *ret)
{
  g_auto(ProfileDebugFile) file = {.fd = -1};

  if (!open_elf(path, &file) || !elf_has_build_id(file.elf, build_id, size))
    return FALSE;
  *ret = file;
  file = (ProfileDebugFile){.fd = -1};
  return TRUE;
}

static gboolean has_checksum(int fd, guint32 wanted)
{
  gsize size = 1 << 16;
  g_autofree guint8 *buffer = g_malloc(size);
  guint32 crc = 0;
  off_t at = 0;
  gssize n;

  while ((n = pread(fd, buffer, size, at)) > 0) {
    crc = lzma_crc32(buffer, (gsize)n, crc);
    at += n;
  }
  return n == 0 && crc == wanted;
}

/* The binary whose debug file is looked for. */
typedef struct {
  const char *path;
  const guint8 *build_id;
  guint build_id_size;
  const char *link; /* NULL: none */
  guint32 crc;
  const char *const *roots; /* where else; NULL: nowhere */
} Wanted;

static gboolean open_linked(const char *path, const Wanted *wanted, ProfileDebugFile *ret)
{
  g_auto(ProfileDebugFile) file = {.fd = -1};

  if (wanted->build_id_size > 0)
    return open_with_build_id(path, wanted->build_id, wanted->build_id_size, ret);
  if (!open_elf(path, &file) || !has_checksum(file.fd, wanted->crc))
    return FALSE;
  *ret = file;
  file = (ProfileDebugFile){.fd = -1};
  return TRUE;
}

static gboolean find_by_link(const Wanted *wanted, ProfileDebugFile *ret)
{
  g_autofree char *directory = g_path_get_dirname(wanted->path);

  for (guint i = 0; wanted->link && i < 3; i++) {
    static const char *const roots[] = {"", "", DEBUG_ROOT};
    static const char *const below[] = {"", ".debug", ""};
    g_autofree char *candidate = g_build_filename(roots[i], directory, below[i], wanted->link, NULL);

    if (!g_str_equal(candidate, wanted->path) && open_linked(candidate, wanted, ret))
      return TRUE;
  }
  return FALSE;
}

char *profile_debug_file_print_build_id(const guint8 *build_id, guint size)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < size; i++)
    g_string_append_printf(text, "%02x", build_id[i]);
  return g_string_free(text, FALSE);
}

/* In a home that is another's, as sudo keeps it, root would leave files in that one's way. */
char *profile_debug_file_get_cache(void)
{
  const char *cache = g_getenv("DEBUGINFOD_CACHE_PATH");
  struct stat home;

  if (cache && *cache)
    return g_strdup(cache);
  if (geteuid() == 0 && (stat(g_get_home_dir(), &home) < 0 || home.st_uid != 0))
    return profile_cache_path("debuginfod_client");
  return g_build_filename(g_get_user_cache_dir(), "debuginfod_client", NULL);
}

/* In a tree of debug files. Without a build-id there is nothing. */
static char *get_build_id_path(const char *root, const char *hex)
{
  return g_strdup_printf("%s/.build-id/%.2s/%s.debug", root, hex, hex + MIN(2, strlen(hex)));
}

static char *get_debuginfod_path(const char *hex, const char *kind)
{
  g_autofree char *cache = profile_debug_file_get_cache();

  return g_build_filename(cache, hex, kind, NULL);
}

static gboolean try_paths(const char *const *paths, const guint8 *build_id, guint size, ProfileDebugFile *ret)
{
  for (guint i = 0; paths[i]; i++)
    if (open_with_build_id(paths[i], build_id, size, ret))
      return TRUE;
  return FALSE;
}

static gboolean find_by_build_id(const Wanted *wanted, ProfileDebugFile *ret)
{
  g_autofree char *hex = profile_debug_file_print_build_id(wanted->build_id, wanted->build_id_size);
  g_autofree char *installed = NULL;
  g_autofree char *cached = NULL;
  g_autofree char *by_path = NULL;

  if (wanted->build_id_size < 2)
    return FALSE;
  installed = get_build_id_path(DEBUG_ROOT, hex);
  cached = get_debuginfod_path(hex, "debuginfo");
  by_path = g_strconcat(DEBUG_ROOT, wanted->path, ".debug", NULL);
  return try_paths((const char *const[]){installed, cached, by_path, NULL}, wanted->build_id,
                   wanted->build_id_size, ret);
}

static gboolean find_linked_in_root(const Wanted *wanted, const char *root, const char *path,
                                    ProfileDebugFile *ret)
{
  g_autofree char *directory = g_path_get_dirname(path);
  g_autofree char *beside = g_build_filename(root, directory, wanted->link, NULL);
  g_autofree char *below = g_build_filename(root, directory, ".debug", wanted->link, NULL);

  return open_linked(beside, wanted, ret) || open_linked(below, wanted, ret);
}

static gboolean find_in_root(const Wanted *wanted, const char *root, const char *path, ProfileDebugFile *ret)
{
  g_autofree char *by_path = g_strconcat(root, path, ".debug", NULL);

  return (wanted->link && find_linked_in_root(wanted, root, path, ret)) ||
         open_with_build_id(by_path, wanted->build_id, wanted->build_id_size, ret);
}

/* Flatpak's trees lack the first folder of paths: what runs as /app/bin/x has its debug file as bin/x.debug.
 */
static gboolean find_in_roots(const Wanted *wanted, ProfileDebugFile *ret)
{
  g_autofree char *hex = profile_debug_file_print_build_id(wanted->build_id, wanted->build_id_size);
  const char *rest = strchr(wanted->path + 1, '/');

  for (guint i = 0; wanted->roots && wanted->roots[i]; i++) {
    const char *root = wanted->roots[i];
    g_autofree char *by_id = get_build_id_path(root, hex);

    if (open_with_build_id(by_id, wanted->build_id, wanted->build_id_size, ret) ||
        find_in_root(wanted, root, wanted->path, ret) || (rest && find_in_root(wanted, root, rest, ret)))
      return TRUE;
  }
  return FALSE;
}

static gboolean debug_files_find(const Wanted *wanted, ProfileDebugFile *ret)
{
  return wanted->path[0] == '/' &&
         (find_by_link(wanted, ret) || find_by_build_id(wanted, ret) || find_in_roots(wanted, ret));
}

gboolean profile_debug_file_find(const ProfileElf *elf, const char *path, const char *const *roots,
                                 ProfileDebugFile *ret)
{
  g_autofree char *link = NULL;
  Wanted wanted = {.path = path, .roots = roots};

  wanted.build_id = profile_elf_get_build_id(elf, &wanted.build_id_size);
  if (profile_elf_get_debug_link(elf, &link, &wanted.crc))
    wanted.link = link;
  return debug_files_find(&wanted, ret);
}

gboolean profile_debug_file_find_again(const guint8 *build_id, guint size, const char *link, const char *path,
                                       const char *const *roots, ProfileDebugFile *ret)
{
  Wanted wanted = {.path = path, .build_id = build_id, .build_id_size = size, .link = link, .roots = roots};

  return size > 0 && debug_files_find(&wanted, ret);
}

gboolean profile_debug_file_find_binary(const guint8 *build_id, guint size, ProfileDebugFile *ret)
{
  g_autofree char *hex = profile_debug_file_print_build_id(build_id, size);
  g_autofree char *installed = NULL;
  g_autofree char *cached = NULL;
  g_autofree char *perf = NULL;

  if (size < 2)
    return FALSE;
  installed = g_strdup_printf("/usr/lib/.build-id/%.2s/%s", hex, hex + 2);
  cached = get_debuginfod_path(hex, "executable");
  perf = g_strdup_printf("%s/.debug/.build-id/%.2s/%s/elf", g_get_home_dir(), hex, hex + 2);
  return try_paths((const char *const[]){installed, cached, perf, NULL}, build_id, size, ret);
}

gboolean profile_debug_file_has_lines(const ProfileDebugFile *file)
{
  static const char *const names[] = {".debug_info", ".zdebug_info", ".gopclntab", ".data.rel.ro.gopclntab"};

  for (guint i = 0; file->elf && file->fd >= 0 && i < G_N_ELEMENTS(names); i++) {
    const ProfileElfSection *section = profile_elf_find_section(file->elf, names[i]);

    if (section && section->type != SHT_NOBITS && section->size > 0)
      return TRUE;
  }
  return FALSE;
}

gboolean profile_debug_file_take(int fd, const guint8 *build_id, guint size, ProfileDebugFile *ret)
{
  g_auto(ProfileDebugFile) file = {.elf = profile_elf_new_for_fd(fd, NULL), .fd = fd};

  if (!file.elf || !elf_has_build_id(file.elf, build_id, size) || !profile_debug_file_has_lines(&file))
    return FALSE;
  *ret = file;
  file = (ProfileDebugFile){.fd = -1};
  return TRUE;
}

static gboolean find_lines_at(const char *path, const guint8 *build_id, guint size, ProfileDebugFile *ret)
{
  gboolean found = open_with_build_id(path, build_id, size, ret);

  if (found && !profile_debug_file_has_lines(ret)) {
    profile_debug_file_clear(ret);
    return FALSE;
  }
  return found;
}

gboolean profile_debug_file_find_by_build_id(const guint8 *build_id, guint size, ProfileDebugFile *ret)
{
  g_autofree char *hex = profile_debug_file_print_build_id(build_id, size);
  g_autofree char *installed = get_build_id_path(DEBUG_ROOT, hex);
  g_autofree char *cached = get_debuginfod_path(hex, "debuginfo");

  return size >= 2 &&
         (find_lines_at(installed, build_id, size, ret) || find_lines_at(cached, build_id, size, ret));
}

gboolean profile_debug_file_find_kernel(const char *release, const guint8 *build_id, guint size,
                                        ProfileDebugFile *ret)
{
  static const char *const places[] = {DEBUG_ROOT "/lib/modules/%s/vmlinux",
                                       DEBUG_ROOT "/boot/vmlinux-%s",
                                       DEBUG_ROOT "/boot/vmlinux-%s.debug",
                                       "/boot/vmlinux-%s",
                                       "/lib/modules/%s/vmlinux",
                                       "/lib/modules/%s/build/vmlinux"};

  for (guint i = 0; release && !strchr(release, '/') && i < G_N_ELEMENTS(places); i++) {
    g_auto(GStrv) parts = g_strsplit(places[i], "%s", 2);
    g_autofree char *path = g_strjoinv(release, parts);

    if (find_lines_at(path, build_id, size, ret))
      return TRUE;
  }
  return profile_debug_file_find_by_build_id(build_id, size, ret);
}

/* What stands behind the last ".dwz" of a path, that too: packages of debug files say where it is from where
 * they are, and may be looked at elsewhere. */
static const char *find_dwz(const char *path)
{
  const char *found = g_strrstr(path, "/.dwz/");

  return found ? found : "";
}

/* By build-id, and where the path says it is below a tree of debug files. */
static gboolean find_alternate_in_roots(const char *const *roots, const char *path, const char *hex,
                                        const guint8 *build_id, guint size, ProfileDebugFile *ret)
{
  static const char tree[] = "/lib/debug";
  const char *below = strstr(path, tree);

  for (guint i = 0; roots && roots[i]; i++) {
    g_autofree char *by_id = get_build_id_path(roots[i], hex);
    g_autofree char *by_dwz = g_strconcat(roots[i], find_dwz(path), NULL);
    g_autofree char *by_path = g_strconcat(roots[i], below ? below + strlen(tree) : "", NULL);

    if (try_paths((const char *const[]){by_id, by_dwz, by_path, NULL}, build_id, size, ret))
      return TRUE;
  }
  return FALSE;
}

gboolean profile_debug_file_find_alternate(const char *directory, const char *path, const guint8 *build_id,
                                           guint size, const char *const *roots, ProfileDebugFile *ret)
{
  g_autofree char *hex = profile_debug_file_print_build_id(build_id, size);
  g_autofree char *said = g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(directory, path, NULL);
  g_autofree char *by_path = g_strconcat(DEBUG_ROOT, find_dwz(path), NULL);
  g_autofree char *installed = NULL;
  g_autofree char *cached = NULL;

  if (size < 2)
    return FALSE;
  installed = get_build_id_path(DEBUG_ROOT, hex);
  cached = get_debuginfod_path(hex, "debuginfo");
  size = MIN(size, CAPTURE_BUILD_ID_MAX);
  return try_paths((const char *const[]){said, installed, by_path, cached, NULL}, build_id, size, ret) ||
         find_alternate_in_roots(roots, path, hex, build_id, size, ret);
}
