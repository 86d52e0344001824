/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuse-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define NODE    2
#define NAME    "program"
#define REQUEST (1u << 20)
#define FOREVER 3600

static void reply(const struct fuse_file *file, guint64 unique, int error, const void *bytes, gsize size)
{
  struct fuse_out_header header = {.len = (guint32)(sizeof header + size), .error = -error, .unique = unique};
  struct iovec parts[] = {{&header, sizeof header}, {(void *)bytes, size}};
  /* Whoever asked may be gone. */
  (void)!writev(file->device, parts, 2);
}

static struct fuse_attr attributes(const struct fuse_file *file, guint64 node)
{
  gboolean is_root = node == FUSE_ROOT_ID;
  return (struct fuse_attr){
      .ino = node,
      .size = is_root ? 0 : file->size,
      .blocks = is_root ? 0 : file->size / 512 + 1,
      .mode = is_root ? S_IFDIR | 0755 : S_IFREG | 0755,
      .nlink = 1,
      .blksize = 4096,
  };
}

static void answer_lookup(const struct fuse_file *file, const struct fuse_in_header *request)
{
  struct fuse_entry_out entry = {
      .nodeid = NODE, .entry_valid = FOREVER, .attr_valid = FOREVER, .attr = attributes(file, NODE)};
  if (strcmp((const char *)(request + 1), NAME) != 0)
    reply(file, request->unique, ENOENT, NULL, 0);
  else
    reply(file, request->unique, 0, &entry, sizeof entry);
}

static void answer_read(const struct fuse_file *file, const struct fuse_in_header *request)
{
  const struct fuse_read_in *asked = (const struct fuse_read_in *)(request + 1);
  gsize offset = MIN(asked->offset, file->size);
  reply(file, request->unique, 0, file->bytes + offset, MIN(asked->size, file->size - offset));
}

static void answer(struct fuse_file *file, const struct fuse_in_header *request)
{
  struct fuse_init_out init = {
      .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 65536, .max_pages = 16};
  struct fuse_attr_out attr = {.attr_valid = FOREVER, .attr = attributes(file, request->nodeid)};
  struct fuse_open_out opened = {.fh = 1};
  switch (request->opcode) {
  case FUSE_INIT:
    reply(file, request->unique, 0, &init, sizeof init);
    break;
  case FUSE_LOOKUP:
    answer_lookup(file, request);
    break;
  case FUSE_GETATTR:
    reply(file, request->unique, 0, &attr, sizeof attr);
    break;
  case FUSE_OPEN:
    reply(file, request->unique, 0, &opened, sizeof opened);
    break;
  case FUSE_READ:
    answer_read(file, request);
    break;
  case FUSE_FLUSH:
    g_atomic_int_inc(&file->flushes);
    if (!file->hangs)
      reply(file, request->unique, 0, NULL, 0);
    break;
  case FUSE_FORGET:
  case FUSE_BATCH_FORGET:
  case FUSE_INTERRUPT:
    break;
  case FUSE_RELEASE:
    reply(file, request->unique, 0, NULL, 0);
    break;
  default:
    reply(file, request->unique, ENOSYS, NULL, 0);
  }
}

static gpointer serve(gpointer data)
{
  struct fuse_file *file = data;
  g_autofree char *buffer = g_malloc(REQUEST);
  for (;;) {
    gssize size = read(file->device, buffer, REQUEST);
    if (size >= (gssize)sizeof(struct fuse_in_header))
      answer(file, (const struct fuse_in_header *)(void *)buffer);
    else if (size >= 0 || (errno != EINTR && errno != EAGAIN && errno != ENOENT))
      return NULL;
  }
}

void fuse_file_mount(struct fuse_file *file, guint user, const char *program, gboolean hangs)
{
  *file = (struct fuse_file){.hangs = hangs, .device = open("/dev/fuse", O_RDWR | O_CLOEXEC)};
  g_assert_cmpint(file->device, >=, 0);
  g_assert_true(g_file_get_contents(program, &file->bytes, &file->size, NULL));
  file->directory = g_dir_make_tmp("capture-fuse-XXXXXX", NULL);
  file->path = g_build_filename(file->directory, NAME, NULL);
  g_autofree char *options =
      g_strdup_printf("fd=%d,rootmode=40000,user_id=%u,group_id=%u", file->device, user, user);
  g_assert_cmpint(chown(file->directory, user, user), ==, 0);
  g_assert_cmpint(mount("capture-test", file->directory, "fuse", MS_NOSUID | MS_NODEV, options), ==, 0);
  file->thread = g_thread_new("fuse", serve, file);
}

void fuse_file_unmount(struct fuse_file *file)
{
  g_assert_cmpint(umount2(file->directory, MNT_FORCE | MNT_DETACH), ==, 0);
  g_thread_join(file->thread);
  close(file->device);
  g_assert_cmpint(g_rmdir(file->directory), ==, 0);
  g_free(file->directory);
  g_free(file->path);
  g_free(file->bytes);
}
