/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcapture/format/capture-format.h"
#include "recording/collect/binaries.h"

typedef struct {
  char *directory;
  char *path;
  struct stat status;
  RecordingBinaries *binaries;
  _Alignas(8) guint8 content[8192];
  gsize length;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
  f->directory = g_dir_make_tmp("recording-XXXXXX", NULL);
  f->path = g_build_filename(f->directory, "binary", NULL);
  g_assert_true(g_file_set_contents(f->path, "the binary", -1, NULL));
  g_assert_cmpint(g_stat(f->path, &f->status), ==, 0);
  f->binaries = recording_binaries_new();
}

static void tear_down(Fixture *f, gconstpointer data)
{
  recording_binaries_free(f->binaries);
  g_unlink(f->path);
  g_assert_cmpint(g_rmdir(f->directory), ==, 0);
  g_free(f->directory);
  g_free(f->path);
}

static void add_string(Fixture *f, guint32 id, const char *text)
{
  struct capture_record_string *string = (void *)(f->content + f->length);
  gsize length = strlen(text);

  string->id = id;
  string->length = (guint32)length;
  memcpy(string->bytes, text, length + 1);
  string->record.type = CAPTURE_RECORD_STRING;
  string->record.size = (sizeof *string + length + 1 + 7) & ~(gsize)7;
  f->length += string->record.size;
}

static struct capture_record_binary *add_binary(Fixture *f, guint32 path)
{
  struct capture_record_binary *binary = (void *)(f->content + f->length);

  binary->record.type = CAPTURE_RECORD_BINARY;
  binary->record.size = sizeof *binary;
  binary->id = 1;
  binary->path = path;
  f->length += sizeof *binary;
  return binary;
}

static void scan(Fixture *f)
{
  recording_binaries_scan(f->binaries, 1, 1, f->content, f->length);
}

static void assert_binary(int fd)
{
  char text[16] = "";

  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(read(fd, text, sizeof text - 1), ==, 10);
  g_assert_cmpstr(text, ==, "the binary");
  close(fd);
}

static void test_path(Fixture *f, gconstpointer data)
{
  add_string(f, 7, f->path);
  add_binary(f, 7)->inode = f->status.st_ino;
  scan(f);
  g_unlink(f->path);
  assert_binary(recording_binaries_open(f->binaries, NULL, 0, f->path, 0, f->status.st_ino));
  g_assert_cmpint(recording_binaries_open(f->binaries, NULL, 0, "/other", 0, f->status.st_ino), ==, -1);
}

static void test_build_id(Fixture *f, gconstpointer data)
{
  add_string(f, 7, f->path);
  struct capture_record_binary *binary = add_binary(f, 7);
  binary->build_id_size = 20;
  memset(binary->build_id, 0xab, 20);
  scan(f);
  assert_binary(recording_binaries_open(f->binaries, binary->build_id, 20, "/elsewhere", 0, 0));
}

/* A file that took the place of the one that was mapped is not that one. */
static void test_other_inode(Fixture *f, gconstpointer data)
{
  add_string(f, 7, f->path);
  add_binary(f, 7)->inode = f->status.st_ino + 1;
  scan(f);
  g_assert_cmpint(recording_binaries_open(f->binaries, NULL, 0, f->path, 0, f->status.st_ino + 1), ==, -1);
}

/* Only the mapping leads to a deleted file. */
static void test_deleted(Fixture *f, gconstpointer data)
{
  int fd = open(f->path, O_RDONLY | O_CLOEXEC);
  void *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

  g_assert_true(map != MAP_FAILED);
  close(fd);
  g_unlink(f->path);
  add_string(f, 7, f->path);
  struct capture_record_binary *binary = add_binary(f, 7);
  binary->flags = CAPTURE_BINARY_DELETED;
  binary->mapped_pid = getpid();
  binary->mapped_start = (guint64)(guintptr)map;
  binary->mapped_end = binary->mapped_start + 4096;
  scan(f);
  assert_binary(recording_binaries_open(f->binaries, NULL, 0, f->path, 0, 0));
  munmap(map, 4096);
}

/* Opening a FIFO would block, opening a device may do anything. */
static void test_not_regular(Fixture *f, gconstpointer data)
{
  g_unlink(f->path);
  g_assert_cmpint(mkfifo(f->path, 0600), ==, 0);
  add_string(f, 7, f->path);
  add_binary(f, 7);
  scan(f);
  g_assert_cmpint(recording_binaries_open(f->binaries, NULL, 0, f->path, 0, 0), ==, -1);
}

static void test_epochs(Fixture *f, gconstpointer data)
{
  add_string(f, 7, f->path);
  scan(f);
  f->length = 0;
  memset(f->content, 0, sizeof f->content);
  add_binary(f, 7);
  recording_binaries_scan(f->binaries, 1, 2, f->content, f->length);
  g_assert_cmpint(recording_binaries_open(f->binaries, NULL, 0, f->path, 0, 0), ==, -1);
}

static void test_damaged(Fixture *f, gconstpointer data)
{
  add_string(f, 7, f->path);
  struct capture_record_string *string = (void *)f->content;

  for (gsize length = 0; length < f->length; length++)
    recording_binaries_scan(f->binaries, 1, 1, f->content, length & ~(gsize)7);
  string->length = G_MAXUINT32;
  scan(f);
  string->record.size = 0;
  scan(f);
}

#define ADD(path, function)                                                                                  \
  g_test_add("/recording/binaries/" path, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("path", test_path);
  ADD("build-id", test_build_id);
  ADD("other-inode", test_other_inode);
  ADD("deleted", test_deleted);
  ADD("not-regular", test_not_regular);
  ADD("epochs", test_epochs);
  ADD("damaged", test_damaged);
  return g_test_run();
}
