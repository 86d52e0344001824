/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <lzma.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/elf/kallsyms-private.h"

#define CACHE_MAGIC "capture kallsyms"

/* The file: this header, n addresses, n offsets of names, the text. */
typedef struct {
  char magic[16];
  guint8 key[32];
  guint64 n;
  guint64 text_length;
  guint32 reserved;
  guint32 crc; /* CRC-32 of what stands before it */
} Header;

static Header make_header(const ProfileKallsyms *self, const guint8 *key)
{
  Header header = {.n = self->n, .text_length = self->text_length};

  memcpy(header.magic, CACHE_MAGIC, sizeof header.magic);
  memcpy(header.key, key, sizeof header.key);
  header.crc = lzma_crc32((const guint8 *)&header, offsetof(Header, crc), 0);
  return header;
}

static gboolean write_all(int fd, gconstpointer bytes, gsize length)
{
  const char *at = bytes;

  while (length > 0) {
    gssize n = write(fd, at, length);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FALSE;
    at += n;
    length -= (gsize)n;
  }
  return TRUE;
}

static gboolean write_cache(const ProfileKallsyms *self, int fd, const guint8 *key)
{
  Header header = make_header(self, key);

  return write_all(fd, &header, sizeof header) &&
         write_all(fd, self->addresses, self->n * sizeof *self->addresses) &&
         write_all(fd, self->names, self->n * sizeof *self->names) &&
         write_all(fd, self->text, self->text_length);
}

gboolean profile_kallsyms_save(const ProfileKallsyms *self, const char *path, const guint8 key[32],
                               GError **error)
{
  g_autofree char *directory = g_path_get_dirname(path);
  g_autofree char *made = g_strconcat(path, ".XXXXXX", NULL);
  gboolean done;
  int fd, saved;

  g_mkdir_with_parents(directory, 0700);
  fd = g_mkstemp_full(made, O_WRONLY | O_CLOEXEC, 0600);
  done = fd >= 0 && write_cache(self, fd, key) && close(fd) == 0 && g_rename(made, path) == 0;
  saved = errno;
  if (!done) {
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(saved), "%s: %s", path, g_strerror(saved));
    if (fd >= 0)
      g_unlink(made);
  }
  return done;
}

static gboolean is_ours(int fd)
{
  struct stat st;

  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 022) == 0;
}

static gboolean kallsyms_cache_fits(const Header *header, gsize size, const guint8 *key)
{
  guint64 columns, total;

  return memcmp(header->magic, CACHE_MAGIC, sizeof header->magic) == 0 &&
         memcmp(header->key, key, sizeof header->key) == 0 &&
         header->crc == lzma_crc32((const guint8 *)header, offsetof(Header, crc), 0) &&
         !__builtin_mul_overflow(header->n, sizeof(guint64) + sizeof(guint32), &columns) &&
         !__builtin_add_overflow(columns, header->text_length, &total) && total == size - sizeof *header;
}

static GMappedFile *map_file(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  GMappedFile *map = fd >= 0 && is_ours(fd) ? g_mapped_file_new_from_fd(fd, FALSE, NULL) : NULL;

  if (fd >= 0)
    close(fd);
  return map;
}

ProfileKallsyms *profile_kallsyms_load(const char *path, const guint8 key[32])
{
  g_autoptr(GMappedFile) map = map_file(path);
  gsize size = map ? g_mapped_file_get_length(map) : 0;
  const Header *header = map ? (gconstpointer)g_mapped_file_get_contents(map) : NULL;
  ProfileKallsyms *self;

  if (size < sizeof *header || !kallsyms_cache_fits(header, size, key))
    return NULL;
  self = g_new0(ProfileKallsyms, 1);
  self->n = header->n;
  self->addresses = (const guint64 *)(header + 1);
  self->names = (const guint32 *)(self->addresses + self->n);
  self->text = (const char *)(self->names + self->n);
  self->text_length = header->text_length;
  self->map = g_steal_pointer(&map);
  return self;
}

/* Name, size, state and address of each module, but not its count of users, which changes all the time. */
static void add_modules(GChecksum *checksum)
{
  g_autofree char *text = NULL;
  g_auto(GStrv) lines = NULL;

  if (!g_file_get_contents("/proc/modules", &text, NULL, NULL))
    return; /* a kernel without modules */
  lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) fields = g_strsplit(lines[i], " ", 7);

    for (guint j = 0; fields[j]; j++)
      if (j != 2 && j != 3)
        g_checksum_update(checksum, (const guchar *)fields[j], (gssize)strlen(fields[j]) + 1);
  }
}

gboolean profile_kallsyms_get_key(guint8 ret[32])
{
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree char *boot = NULL;
  gsize length = 32;

  if (!g_file_get_contents("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL))
    return FALSE;
  g_checksum_update(checksum, (const guchar *)boot, (gssize)strlen(boot) + 1);
  add_modules(checksum);
  g_checksum_get_digest(checksum, ret, &length);
  return TRUE;
}
