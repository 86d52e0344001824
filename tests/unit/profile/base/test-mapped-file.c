/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are cut off while they are mapped. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/base/mapped-file.h"

enum { PAGES = 5 };

static gsize page_size;

static int make_file(gsize size)
{
  int fd = memfd_create("mapped", MFD_CLOEXEC);
  g_autofree char *bytes = g_malloc(size + 1);

  memset(bytes, 'x', size);
  g_assert_cmpint(write(fd, bytes, size), ==, (gssize)size);
  return fd;
}

static ProfileMappedFile *map(int fd)
{
  g_autoptr(GError) error = NULL;
  ProfileMappedFile *file = profile_mapped_file_new(fd, &error);

  g_assert_no_error(error);
  return file;
}

static gsize count(const ProfileMappedFile *file, guint8 byte)
{
  const volatile guint8 *bytes = profile_mapped_file_get_bytes(file);
  gsize n = 0;

  for (gsize i = 0; i < profile_mapped_file_get_size(file); i++)
    n += bytes[i] == byte;
  return n;
}

static void test_whole(void)
{
  gsize size = PAGES * page_size + 1;
  int fd = make_file(size);
  g_autoptr(ProfileMappedFile) file = map(fd);

  close(fd);
  g_assert_cmpuint(profile_mapped_file_get_size(file), ==, size);
  g_assert_cmpuint(count(file, 'x'), ==, size);
  g_assert_false(profile_mapped_file_is_cut_off(file));
}

static void test_empty(void)
{
  int fd = make_file(0);
  g_autoptr(ProfileMappedFile) file = map(fd);

  close(fd);
  g_assert_cmpuint(profile_mapped_file_get_size(file), ==, 0);
  g_assert_false(profile_mapped_file_is_cut_off(file));
}

static void test_no_file(void)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(profile_mapped_file_new(-1, &error));
  g_assert_nonnull(error);
}

/* Another one, whole, stands beside it. */
static void test_cut_off(void)
{
  gsize size = PAGES * page_size + 10;
  int fd = make_file(size), other_fd = make_file(size);
  g_autoptr(ProfileMappedFile) file = map(fd), other = map(other_fd);

  g_assert_cmpuint(count(file, 'x'), ==, size);
  g_assert_cmpint(ftruncate(fd, (off_t)(2 * page_size)), ==, 0);
  g_assert_cmpuint(count(file, 'x'), ==, 2 * page_size);
  g_assert_cmpuint(count(file, 0), ==, size - 2 * page_size);
  g_assert_true(profile_mapped_file_is_cut_off(file));
  g_assert_cmpint(ftruncate(fd, 0), ==, 0);
  g_assert_cmpuint(count(file, 0), ==, size);
  /* What was read is no better when the file is as long again. */
  g_assert_cmpint(ftruncate(fd, (off_t)size), ==, 0);
  g_assert_true(profile_mapped_file_is_cut_off(file));
  g_assert_cmpuint(count(other, 'x'), ==, size);
  g_assert_false(profile_mapped_file_is_cut_off(other));
  close(fd);
  close(other_fd);
}

static void test_less_than_a_page(void)
{
  int fd = make_file(page_size);
  g_autoptr(ProfileMappedFile) file = map(fd);

  g_assert_cmpint(ftruncate(fd, 10), ==, 0);
  g_assert_cmpuint(count(file, 'x'), ==, 10);
  g_assert_true(profile_mapped_file_is_cut_off(file));
  close(fd);
}

static void test_many(void)
{
  ProfileMappedFile *some[PROFILE_MAPPED_FILES_MAX];
  g_autoptr(GError) error = NULL;
  int fd = make_file(page_size);

  for (guint i = 0; i < G_N_ELEMENTS(some); i++)
    some[i] = map(fd);
  g_assert_null(profile_mapped_file_new(fd, &error));
  g_assert_nonnull(error);
  for (guint i = 0; i < G_N_ELEMENTS(some); i++)
    profile_mapped_file_unref(some[i]);
  profile_mapped_file_unref(map(fd));
  close(fd);
}

static G_NORETURN void read_beyond_end(int fd)
{
  const volatile char *bytes = mmap(NULL, page_size, PROT_READ, MAP_PRIVATE, fd, 0);

  close(STDERR_FILENO); /* sanitizers would tell of it */
  _exit(bytes[0]);
}

/* The signal means others what it did. */
static void test_others(void)
{
  int fd = make_file(page_size), other_fd = make_file(0), status;
  g_autoptr(ProfileMappedFile) file = map(fd);
  pid_t pid = fork();

  if (pid == 0)
    read_beyond_end(other_fd);
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
  close(fd);
  close(other_fd);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  page_size = (gsize)sysconf(_SC_PAGESIZE);
  g_test_add_func("/profile/mapped-file/whole", test_whole);
  g_test_add_func("/profile/mapped-file/empty", test_empty);
  g_test_add_func("/profile/mapped-file/no-file", test_no_file);
  g_test_add_func("/profile/mapped-file/cut-off", test_cut_off);
  g_test_add_func("/profile/mapped-file/less-than-a-page", test_less_than_a_page);
  g_test_add_func("/profile/mapped-file/many", test_many);
  g_test_add_func("/profile/mapped-file/others", test_others);
  return g_test_run();
}
