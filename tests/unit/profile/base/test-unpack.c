/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressed files, by the programs that compress them; cut off, damaged and without time. */
#include "profile/base/unpack.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/remove-tree.h"
#include "tests/unit/run-shell.h"

#define SIZE (3u << 20)

static const char *const names[] = {"plain.xz", "plain.zst"};
static const char *const packers[] = {"xz -0 --check=crc32 -k plain", "zstd -q -1 plain"};

static char *directory;
static guint8 *plain;

/* What is easy to compress, and what is not. */
static void write_plain(void)
{
  g_autofree char *path = g_build_filename(directory, "plain", NULL);

  plain = g_malloc(SIZE);
  for (guint i = 0; i < SIZE; i++)
    plain[i] = i < SIZE / 2 ? (guint8)(i >> 12) : (guint8)g_test_rand_int();
  g_assert_true(g_file_set_contents(path, (const char *)plain, SIZE, NULL));
}

static int open_file(const char *name)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);
  int fd = open(path, O_RDWR | O_CLOEXEC);

  g_assert_cmpint(fd, >=, 0);
  return fd;
}

static void assert_unpacked(const char *name, gsize size)
{
  g_autofree guint8 *found = g_malloc(SIZE);
  gboolean is_late = FALSE;
  int fd = open_file(name), unpacked = profile_unpack(fd, name, 0, NULL, &is_late);
  struct stat status;

  g_assert_cmpint(unpacked, >=, 0);
  g_assert_false(is_late);
  g_assert_cmpint(fstat(unpacked, &status), ==, 0);
  g_assert_cmpint(status.st_size, ==, size);
  for (gsize at = 0; at < size; at += SIZE) {
    g_assert_cmpint(pread(unpacked, found, SIZE, (off_t)at), ==, SIZE);
    g_assert_true(memcmp(found, plain, SIZE) == 0);
  }
  close(unpacked);
  close(fd);
}

static void test_whole(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_free(run_shell(directory, "%s", packers[i]));
    g_assert_true(profile_unpack_is_packed(names[i]));
    assert_unpacked(names[i], SIZE);
    g_free(run_shell(directory, "cat %s %s > two-%s", names[i], names[i], names[i]));
    g_autofree char *two = g_strconcat("two-", names[i], NULL);
    assert_unpacked(two, 2 * SIZE);
  }
  g_assert_false(profile_unpack_is_packed("plain"));
  g_assert_false(profile_unpack_is_packed("plain.gz"));
}

static void assert_refused(const char *name, gint64 until, GCancellable *cancellable, gboolean late)
{
  gboolean is_late = FALSE;
  int fd = open_file(name);

  g_assert_cmpint(profile_unpack(fd, name, until, cancellable, &is_late), <, 0);
  g_assert_cmpint(is_late, ==, late);
  close(fd);
}

static void test_damaged(void)
{
  static const char *const ways[] = {"truncate -s 0", "truncate -s 1", "truncate -s -1", "truncate -s 1M",
                                     "dd if=/dev/zero bs=1 count=64 seek=999 conv=notrunc status=none of="};

  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    for (guint k = 0; k < G_N_ELEMENTS(ways); k++) {
      gboolean is_dd = g_str_has_suffix(ways[k], "=");

      g_free(run_shell(directory, "%s -f; %s%s%s", packers[i], ways[k], is_dd ? "" : " ", names[i]));
      assert_refused(names[i], 0, NULL, FALSE);
    }
}

static void test_late(void)
{
  g_autoptr(GCancellable) cancellable = g_cancellable_new();

  g_cancellable_cancel(cancellable);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_free(run_shell(directory, "%s -f", packers[i]));
    assert_refused(names[i], 1, NULL, TRUE);
    assert_refused(names[i], 0, cancellable, TRUE);
  }
}

int main(int argc, char **argv)
{
  int status;

  g_test_init(&argc, &argv, NULL);
  directory = g_dir_make_tmp("unpack-XXXXXX", NULL);
  write_plain();
  g_test_add_func("/unpack/whole", test_whole);
  g_test_add_func("/unpack/damaged", test_damaged);
  g_test_add_func("/unpack/late", test_late);
  status = g_test_run();
  remove_tree(directory);
  g_free(directory);
  g_free(plain);
  return status;
}
