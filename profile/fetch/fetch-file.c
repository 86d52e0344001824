/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/fetch/fetch-file.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "libcapture/format/capture-format.h"
#include "profile/base/amount.h"
#include "profile/fetch/fetch-directory.h"

/* With less than 100 kB in that time a server counts as dead; libdebuginfod's own measure is 90 seconds. */
#define STALL_SECONDS 20

static const char *get_cached_name(enum symbol_fetcher_kind kind)
{
  return kind == SYMBOL_FETCHER_DEBUG ? "debuginfo" : "executable";
}

/* Of what a fetcher answered. */
static void fetch_file_set_error(const ProfileFetchFile *self, enum symbol_fetcher_kind kind,
                                 const char *path, int result, GError **error)
{
  g_autofree char *name = g_path_get_basename(path);
  g_autofree char *most = profile_amount_to_string(CAPTURE_UNIT_BYTES, self->size_max);

  switch (-result) {
  case ENOENT:
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                kind == SYMBOL_FETCHER_DEBUG ? _("No server gave debug information for “%s”.")
                                             : _("No server gave the file “%s”."),
                name);
    break;
  case EFBIG:
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE,
                _("What the server has for “%s” is larger than %s, so it was not fetched."), name, most);
    break;
  case ETIME:
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
                ngettext("What the server has for “%s” did not come within %u second.",
                         "What the server has for “%s” did not come within %u seconds.", self->seconds_max),
                name, self->seconds_max);
    break;
  case EBADMSG:
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                _("What the server sent for “%s” is another file, and was thrown away."), name);
    break;
  case ECONNABORTED:
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT, _("The server broke off what it sent for “%s”."),
                name);
    break;
  case ECANCELED:
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, _("Fetching was cancelled."));
    break;
  case ENOSYS:
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE,
                        _("The program “capture-symbol-fetcher” is not installed."));
    break;
  case EPROTO:
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED,
                        _("The program “capture-symbol-fetcher” ended without an answer."));
    break;
  case ECONNREFUSED:
  case EHOSTUNREACH:
  case ENETUNREACH:
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE, _("No server can be reached at %s: %s."),
                self->servers, g_strerror(-result));
    break;
  default:
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, _("What the server has for “%s” did not come: %s."),
                name, g_strerror(-result));
  }
}

/* Seconds that are left, rounded up; 0: none. */
static guint fetch_file_get_seconds(const ProfileFetchFile *self)
{
  gint64 left = self->deadline - g_get_monotonic_time();

  return left <= 0 ? 0 : (guint)MIN((left + G_USEC_PER_SEC - 1) / G_USEC_PER_SEC, G_MAXINT);
}

/* A descriptor or -errno. */
static int fetch_file_run(const ProfileFetchFile *self, enum symbol_fetcher_kind kind, const char *build_id,
                          const char *path, const char *directory, GCancellable *cancellable)
{
  g_autofree struct symbol_fetcher_request *request = g_new0(struct symbol_fetcher_request, 1);

  request->version = SYMBOL_FETCHER_PROTOCOL_VERSION;
  request->kind = kind;
  request->size_max = self->size_max;
  request->seconds_max = fetch_file_get_seconds(self);
  request->seconds_stall = MIN(STALL_SECONDS, request->seconds_max);
  if (request->seconds_max == 0)
    return -ETIME;
  if (g_strlcpy(request->build_id, build_id, sizeof request->build_id) >= sizeof request->build_id ||
      g_strlcpy(request->path, path, sizeof request->path) >= sizeof request->path ||
      g_strlcpy(request->directory, directory, sizeof request->directory) >= sizeof request->directory ||
      g_strlcpy(request->urls, self->servers, sizeof request->urls) >= sizeof request->urls)
    return -ENAMETOOLONG;
  return profile_symbol_fetcher_run(request, self->progress, self->progress_data, cancellable);
}

/* Takes fd. 0, or -EBADMSG: it is not the file that was asked for. */
static int fetch_file_examine(int fd, const guint8 *build_id, guint size, ProfileDebugFile *ret)
{
  g_auto(ProfileDebugFile) file = {.elf = profile_elf_new_for_fd(fd, NULL), .fd = fd};
  const guint8 *found;
  guint found_size;

  if (!file.elf)
    return -EBADMSG;
  found = profile_elf_get_build_id(file.elf, &found_size);
  if (found_size != MIN(size, CAPTURE_BUILD_ID_MAX) || memcmp(found, build_id, found_size) != 0)
    return -EBADMSG;
  *ret = file;
  file = (ProfileDebugFile){.fd = -1};
  return 0;
}

/* Asks for what is in the cache now: libdebuginfod looks there first, and removes, once a day, what nobody
 * wanted for a week. Nobody else might do so where no other program uses debuginfod. */
static void fetch_file_tidy(const ProfileFetchFile *self, enum symbol_fetcher_kind kind, const char *build_id,
                            const char *cache, GCancellable *cancellable)
{
  ProfileFetchFile quiet = *self;
  int fd;

  quiet.progress = NULL;
  fd = fetch_file_run(&quiet, kind, build_id, "", cache, cancellable);
  if (fd >= 0)
    close(fd);
}

static int fetch_file_fetch(const ProfileFetchFile *self, enum symbol_fetcher_kind kind,
                            const guint8 *build_id, guint size, ProfileDebugFile *ret,
                            GCancellable *cancellable)
{
  g_autofree char *hex = profile_debug_file_print_build_id(build_id, size);
  g_autofree char *cache = profile_debug_file_get_cache();
  char *directory = profile_fetch_directory_new(cache);
  int result;

  if (!directory)
    return -errno;
  result = fetch_file_run(self, kind, hex, "", directory, cancellable);
  if (result >= 0)
    result = fetch_file_examine(result, build_id, size, ret);
  if (result == 0 && !profile_fetch_directory_keep(directory, cache, ret->fd, hex, get_cached_name(kind))) {
    result = -errno;
    profile_debug_file_clear(ret);
  }
  profile_fetch_directory_free(directory);
  if (result == 0)
    fetch_file_tidy(self, kind, hex, cache, cancellable);
  return result;
}

gboolean profile_fetch_file(const ProfileFetchFile *self, enum symbol_fetcher_kind kind,
                            const guint8 *build_id, guint size, const char *path, ProfileDebugFile *ret,
                            GCancellable *cancellable, GError **error)
{
  int result = fetch_file_fetch(self, kind, build_id, size, ret, cancellable);

  if (result < 0)
    fetch_file_set_error(self, kind, path, result, error);
  return result == 0;
}

static GBytes *read_text(int fd)
{
  g_autoptr(GByteArray) text = g_byte_array_new();
  guint8 buffer[16384];
  gssize n;

  while ((n = pread(fd, buffer, sizeof buffer, text->len)) > 0)
    g_byte_array_append(text, buffer, (guint)n);
  return n < 0 ? NULL : g_byte_array_free_to_bytes(g_steal_pointer(&text));
}

GBytes *profile_fetch_file_source(const ProfileFetchFile *self, const guint8 *build_id, guint size,
                                  const char *path, GCancellable *cancellable, GError **error)
{
  g_autofree char *hex = profile_debug_file_print_build_id(build_id, size);
  g_autofree char *cache = profile_debug_file_get_cache();
  GBytes *text = NULL;
  int fd = -EINVAL;

  if (path[0] == '/')
    fd = g_mkdir_with_parents(cache, 0700) < 0
             ? -errno
             : fetch_file_run(self, SYMBOL_FETCHER_SOURCE, hex, path, cache, cancellable);
  if (fd >= 0) {
    text = read_text(fd);
    close(fd);
    fd = text ? 0 : -EIO;
  }
  if (!text)
    fetch_file_set_error(self, SYMBOL_FETCHER_SOURCE, path, fd, error);
  return text;
}
