/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/preload/preload-area.h"
#include "preload-fixture.h"
#include "unwind/unwind-compile.h"

static struct preload_area area;

static int own_table(uint64_t *ret_length)
{
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int table = fixture_compile(fd, ret_length);
  close(fd);
  g_assert_cmpint(table, >=, 0);
  return table;
}

static void test_table(void)
{
  uint64_t length;
  uint32_t at, other;
  int fd = own_table(&length);
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  g_assert_cmpint(preload_area_add_table(&area, fd, length, &at), ==, 0);
  g_assert_cmpint(preload_area_add_table(&area, fd, length, &other), ==, 0);
  g_assert_cmpuint(other, >=, at + length);
  g_assert_cmpuint(at % 8, ==, 0);
  g_assert_true(unwind_table_is_valid(preload_area_table(&area, at), length, true));
  g_assert_true(unwind_table_is_valid(preload_area_table(&area, other), length, true));
  close(fd);
  preload_area_clear(&area);
}

/* What is no table, or could change, does not stay in the area, and what stands there afterwards reads as
 * zeros. */
static void test_hostile(void)
{
  uint64_t length;
  uint32_t at = 1;
  int fd = own_table(&length);
  g_autofree uint8_t *bytes = g_malloc(length);
  g_assert_cmpint(pread(fd, bytes, length, 0), ==, (ssize_t)length);
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  uint64_t used = area.used;
  g_assert_cmpint(preload_area_add_table(&area, fd, length - 8, &at), ==, -EBADMSG);
  g_assert_cmpint(preload_area_add_table(&area, fd, length + 8, &at), ==, -EBADMSG);
  g_assert_cmpint(preload_area_add_table(&area, fd, UINT64_MAX, &at), ==, -EBADMSG);
  close(fd);

  fd = fixture_memfd(bytes, length, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  g_assert_cmpint(preload_area_add_table(&area, fd, length, &at), ==, -EBADMSG);
  close(fd);
  bytes[0] ^= 1;
  fd = fixture_memfd(bytes, length, ELF_READER_SEALS);
  g_assert_cmpint(preload_area_add_table(&area, fd, length, &at), ==, -EBADMSG);
  close(fd);
  fd = open("/proc/self/exe", O_RDONLY);
  g_assert_cmpint(preload_area_add_table(&area, fd, 4096, &at), ==, -EBADMSG);
  close(fd);

  g_assert_cmpuint(area.used, ==, used);
  g_assert_cmpuint(at, ==, 1);
  g_assert_cmpuint(area.bytes[area.used], ==, 0);
  g_assert_cmpuint(area.bytes[area.size - 1], ==, 0);
  preload_area_clear(&area);
}

/* A memfd that is sealed, but a hole: reading it could kill. */
static void test_hole(void)
{
  uint32_t at;
  int fd = memfd_create("hole", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  g_assert_cmpint(ftruncate(fd, 1 << 20), ==, 0);
  g_assert_cmpint(fcntl(fd, F_ADD_SEALS, ELF_READER_SEALS), ==, 0);
  g_assert_cmpint(preload_area_add_table(&area, fd, 1 << 20, &at), ==, -EBADMSG);
  close(fd);
  preload_area_clear(&area);
}

static void test_full(void)
{
  uint64_t length;
  uint32_t at;
  int fd = own_table(&length);
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  area.used = area.size - 4096;
  g_assert_cmpint(preload_area_add_table(&area, fd, length, &at), ==, length > 4096 ? -ENOSPC : 0);
  area.used = area.size;
  g_assert_cmpint(preload_area_add_table(&area, fd, length, &at), ==, -ENOSPC);
  close(fd);
  preload_area_clear(&area);
}

static uint64_t first_start(const struct walk_process *process)
{
  return ((const struct walk_mapping *)(const void *)(area.bytes + process->mappings))->start;
}

static void publish(uint64_t start, int wanted)
{
  struct walk_mapping mapping = {.start = start, .end = start + 1};
  g_assert_cmpint(preload_area_publish(&area, &mapping, 1), ==, wanted);
}

/* What is read stays as it is; when all versions but the current one are, nothing can be published. */
static void test_versions(void)
{
  struct preload_version *version, *others[PRELOAD_VERSIONS];
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  g_assert_null(preload_area_enter(&area, &version));
  publish(1, 0);
  const struct walk_process *process = preload_area_enter(&area, &version);
  uint32_t serial = process->serial;
  for (uint64_t i = 2; i < 50; i++) {
    publish(i, 0);
    g_assert_cmpuint(first_start(process), ==, 1);
    g_assert_cmpuint(process->serial, ==, serial);
  }
  preload_area_leave(version);

  unsigned n = 0;
  for (uint64_t i = 100; n < PRELOAD_VERSIONS; i++) {
    publish(i, 0);
    process = preload_area_enter(&area, &others[n++]);
    g_assert_cmpuint(first_start(process), ==, i);
  }
  publish(1000, -EAGAIN);
  g_assert_cmpuint(first_start(process), ==, 100 + PRELOAD_VERSIONS - 1);
  preload_area_leave(others[0]);
  publish(1000, 0);
  preload_area_forget_readers(&area);
  preload_area_clear(&area);
}

/* Handlers and the writer at once: each sees mappings of one version, whole. */
struct reader {
  bool stop;
  unsigned seen;
};

static void *read_versions(void *data)
{
  struct reader *reader = data;
  while (!__atomic_load_n(&reader->stop, __ATOMIC_ACQUIRE)) {
    struct preload_version *version;
    const struct walk_process *process = preload_area_enter(&area, &version);
    if (!process)
      continue;
    const struct walk_mapping *mappings = (const void *)(area.bytes + process->mappings);
    uint64_t first = mappings[0].start;
    g_assert_cmpuint(process->n_mappings, ==, 1 + first % 100);
    for (uint32_t i = 0; i < process->n_mappings; i++)
      g_assert_cmpuint(mappings[i].start, ==, first);
    preload_area_leave(version);
    __atomic_store_n(&reader->seen, reader->seen + 1, __ATOMIC_RELEASE);
  }
  return NULL;
}

static void test_threads(void)
{
  struct reader readers[3] = {0};
  GThread *threads[3];
  struct walk_mapping mappings[100];
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  for (unsigned i = 0; i < 3; i++)
    threads[i] = g_thread_new("reader", read_versions, &readers[i]);
  for (uint64_t round = 0; round < 100000 || __atomic_load_n(&readers[2].seen, __ATOMIC_ACQUIRE) < 100;
       round++) {
    for (unsigned i = 0; i < 100; i++)
      mappings[i].start = round;
    int error = preload_area_publish(&area, mappings, 1 + (uint32_t)(round % 100));
    g_assert_true(error == 0 || error == -EAGAIN);
  }
  for (unsigned i = 0; i < 3; i++) {
    __atomic_store_n(&readers[i].stop, true, __ATOMIC_RELEASE);
    g_thread_join(threads[i]);
  }
  preload_area_clear(&area);
}

static void test_fork(void)
{
  struct preload_version *version;
  int status;
  uint64_t length;
  uint32_t at;
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  int fd = own_table(&length);
  g_assert_cmpint(preload_area_add_table(&area, fd, length, &at), ==, 0);
  close(fd);
  publish(1, 0);
  preload_area_enter(&area, &version);
  pid_t child = fork();
  if (child == 0) {
    preload_area_forget_readers(&area);
    for (uint64_t i = 2; i < 20; i++)
      publish(i, 0);
    _exit(!unwind_table_is_valid(preload_area_table(&area, at), length, true));
  }
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(status, ==, 0);
  g_assert_cmpuint(first_start(&version->process), ==, 1);
  preload_area_leave(version);
  preload_area_clear(&area);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/preload/area/table", test_table);
  g_test_add_func("/preload/area/hostile", test_hostile);
  g_test_add_func("/preload/area/hole", test_hole);
  g_test_add_func("/preload/area/full", test_full);
  g_test_add_func("/preload/area/versions", test_versions);
  g_test_add_func("/preload/area/threads", test_threads);
  g_test_add_func("/preload/area/fork", test_fork);
  return g_test_run();
}
