/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/recents/recordings.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".capture"

typedef struct {
  char *name; /* in the directory */
  gint64 time;
  guint64 size;
} Recording;

char *viewer_recordings_get_directory(void)
{
  return g_build_filename(g_get_user_cache_dir(), "capture", "recordings", NULL);
}

/* Negative: there is none of our own. */
static int open_directory(void)
{
  g_autofree char *path = viewer_recordings_get_directory();
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;

  if (fd >= 0 && (fstat(fd, &status) < 0 || status.st_uid != geteuid())) {
    close(fd);
    return -1;
  }
  return fd;
}

static gboolean is_recording(int directory, const char *name, struct stat *ret_status)
{
  return g_str_has_suffix(name, SUFFIX) && fstatat(directory, name, ret_status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(ret_status->st_mode) && ret_status->st_uid == geteuid();
}

/* The name of a file that stands in the directory; NULL: it stands elsewhere. Free it. */
static char *get_name(GFile *file)
{
  g_autofree char *path = g_file_get_path(file), *directory = viewer_recordings_get_directory();
  g_autofree char *parent = path ? g_path_get_dirname(path) : NULL;

  return g_strcmp0(parent, directory) == 0 ? g_path_get_basename(path) : NULL;
}

gboolean viewer_recordings_is_unsaved(GFile *file)
{
  g_autofree char *name = get_name(file);
  int directory = name ? open_directory() : -1;
  struct stat status;

  if (directory < 0)
    return FALSE;
  gboolean unsaved = is_recording(directory, name, &status);
  close(directory);
  return unsaved;
}

gboolean viewer_recordings_remove(GFile *file)
{
  g_autofree char *name = get_name(file);
  int directory = name ? open_directory() : -1;
  struct stat status;

  if (directory < 0)
    return FALSE;
  gboolean removed = is_recording(directory, name, &status) && unlinkat(directory, name, 0) == 0;
  close(directory);
  return removed;
}

static void clear_recording(gpointer data)
{
  g_free(((Recording *)data)->name);
}

static gint compare_newest_first(gconstpointer a, gconstpointer b)
{
  const Recording *left = a, *right = b;

  if (left->time != right->time)
    return left->time > right->time ? -1 : 1;
  return g_strcmp0(left->name, right->name);
}

static GArray *recordings_list(DIR *directory)
{
  GArray *recordings = g_array_new(FALSE, FALSE, sizeof(Recording));
  const struct dirent *entry;
  struct stat status;

  g_array_set_clear_func(recordings, clear_recording);
  while ((entry = readdir(directory))) {
    if (!is_recording(dirfd(directory), entry->d_name, &status))
      continue;
    Recording recording = {g_strdup(entry->d_name), status.st_mtim.tv_sec, (guint64)status.st_size};
    g_array_append_val(recordings, recording);
  }
  g_array_sort(recordings, compare_newest_first);
  return recordings;
}

static void remove_old(int directory, const GArray *recordings, gint64 now, GPtrArray *removed)
{
  g_autofree char *path = viewer_recordings_get_directory();
  guint64 bytes = 0;

  for (guint i = 0; i < recordings->len; i++) {
    const Recording *recording = &g_array_index(recordings, Recording, i);
    bytes += recording->size;
    gboolean is_kept = i == 0 || (i < VIEWER_RECORDINGS_MAX && bytes <= VIEWER_RECORDINGS_BYTES_MAX);
    if (is_kept || recording->time > now - VIEWER_RECORDINGS_FRESH ||
        unlinkat(directory, recording->name, 0) < 0)
      continue;
    g_autofree char *file = g_build_filename(path, recording->name, NULL);
    g_ptr_array_add(removed, g_file_new_for_path(file));
  }
}

GPtrArray *viewer_recordings_tidy(gint64 now)
{
  GPtrArray *removed = g_ptr_array_new_with_free_func(g_object_unref);
  int fd = open_directory();
  DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;

  if (directory) {
    g_autoptr(GArray) recordings = recordings_list(directory);
    remove_old(fd, recordings, now, removed);
    closedir(directory);
  } else if (fd >= 0) {
    close(fd);
  }
  return removed;
}
