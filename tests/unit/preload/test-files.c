/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "helpers/preload/preload-files.h"
#include "libcapture/pool/capture-announce.h"
#include "preload-fixture.h"

#define PATIENCE 20000000000 /* nanoseconds; reached when something is wrong */

struct fixture {
  struct preload_area area;
  struct preload_files *files;
  struct fixture_recording recording;
  GThread *thread;
};

static uint64_t now(void)
{
  return (uint64_t)g_get_monotonic_time() * 1000;
}

static void set_up(struct fixture *fixture, int n_answers)
{
  int sockets[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), ==, 0);
  g_assert_cmpint(preload_area_init(&fixture->area), ==, 0);
  fixture->files = g_new0(struct preload_files, 1);
  fixture->files->area = &fixture->area;
  fixture->files->socket = sockets[0];
  fixture->recording = (struct fixture_recording){.socket = sockets[1], .n_answers = n_answers};
  fixture->thread = g_thread_new("recording", fixture_answer, &fixture->recording);
}

static void tear_down(struct fixture *fixture, int socket)
{
  shutdown(fixture->recording.socket, SHUT_RDWR);
  g_thread_join(fixture->thread);
  close(fixture->recording.socket);
  close(socket);
  g_free(fixture->files);
  preload_area_clear(&fixture->area);
}

static void find(const struct preload_map *map, void *data)
{
  preload_files_find(data, map);
}

static unsigned count_state(const struct preload_files *files, uint32_t state)
{
  unsigned n = 0;
  for (uint32_t i = 0; i < files->count; i++)
    n += files->files[i].state == state;
  return n;
}

/* This program, its libraries, the linker and the vDSO. */
static void test_own(void)
{
  struct fixture fixture;
  set_up(&fixture, -1);
  struct preload_files *files = fixture.files;
  int socket = files->socket;
  g_assert_cmpint(preload_maps_read(find, files), ==, 0);
  g_assert_cmpuint(files->count, >=, 4);
  g_assert_cmpuint(files->n_wanted, ==, files->count);
  preload_files_receive(files, now() + PATIENCE);
  g_assert_cmpuint(files->n_wanted, ==, 0);
  g_assert_cmpuint(count_state(files, PRELOAD_FILE_TABLE), ==, files->count);

  uint32_t count = files->count;
  g_assert_cmpint(preload_maps_read(find, files), ==, 0);
  g_assert_cmpuint(files->count, ==, count);
  tear_down(&fixture, socket);
  g_assert_cmpuint(fixture.recording.n_asked, ==, count);
  g_assert_cmpuint(fixture.recording.n_vdso, ==, 1);
}

static struct preload_map map_of(const char *path, GStatBuf *status)
{
  g_assert_cmpint(g_stat(path, status), ==, 0);
  return (struct preload_map){
      .start = 0x1000, .end = 0x2000, .device = status->st_dev, .inode = status->st_ino, .path = path};
}

/* Another file at a path that is mapped; one that was deleted; what is no file. */
static void test_identity(void)
{
  struct fixture fixture;
  GStatBuf status;
  set_up(&fixture, -1);
  struct preload_files *files = fixture.files;
  int socket = files->socket;
  struct preload_map map = map_of("/proc/self/exe", &status);
  const struct preload_file *file = preload_files_find(files, &map);
  g_assert_nonnull(file);
  map.is_deleted = true;
  map.path = "/somewhere/else";
  g_assert_true(preload_files_find(files, &map) == file);
  map.is_deleted = false;
  map.inode++;
  g_assert_null(preload_files_find(files, &map));
  map = map_of("/dev/null", &status);
  g_assert_null(preload_files_find(files, &map));
  map = (struct preload_map){.start = 0x1000, .end = 0x2000, .path = ""};
  g_assert_null(preload_files_find(files, &map));
  g_assert_cmpuint(files->count, ==, 1);
  tear_down(&fixture, socket);
}

/* Where device numbers say nothing the code is compared; what was unmapped meanwhile is no file's. */
static void test_other_device(void)
{
  struct fixture fixture;
  GStatBuf status;
  set_up(&fixture, -1);
  struct preload_files *files = fixture.files;
  int socket = files->socket, fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct preload_map map = map_of("/proc/self/exe", &status);
  void *code = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  g_assert_true(code != MAP_FAILED);
  map.device++;
  map.start = (uintptr_t)code;
  map.end = map.start + 4096;
  g_assert_nonnull(preload_files_find(files, &map));
  map.device++;
  g_assert_cmpint(munmap(code, 4096), ==, 0);
  g_assert_null(preload_files_find(files, &map));
  close(fd);
  tear_down(&fixture, socket);
}

/* A file that is written again at the same inode is another one. */
static void test_rewritten(void)
{
  struct fixture fixture;
  GStatBuf status;
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "preload-files-XXXXXX", NULL);
  int fd = g_mkstemp(path);
  set_up(&fixture, -1);
  struct preload_files *files = fixture.files;
  int socket = files->socket;
  struct preload_map map = map_of(path, &status);
  const struct preload_file *file = preload_files_find(files, &map);
  g_assert_true(preload_files_find(files, &map) == file);
  g_assert_cmpint(write(fd, "x", 1), ==, 1);
  g_assert_true(preload_files_find(files, &map) != file);
  preload_files_receive(files, now() + PATIENCE);
  g_assert_cmpuint(count_state(files, PRELOAD_FILE_NONE), ==, 2);
  close(fd);
  g_unlink(path);
  tear_down(&fixture, socket);
}

/* Nobody answers: time passes, and what comes later is taken later. */
static void test_late(void)
{
  struct preload_area area;
  g_autofree struct preload_files *files = g_new0(struct preload_files, 1);
  struct capture_table_message message;
  int sockets[2], elf;
  GStatBuf status;
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), ==, 0);
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  files->area = &area;
  files->socket = sockets[0];
  struct preload_map map = map_of("/proc/self/exe", &status);
  const struct preload_file *file = preload_files_find(files, &map);
  preload_files_receive(files, now() + 1000000);
  g_assert_cmpuint(file->state, ==, PRELOAD_FILE_WANTED);
  g_assert_cmpint(packet_receive(sockets[1], &message, sizeof message, &elf, true), ==, sizeof message);
  int table = fixture_compile(elf, &message.length);
  message.type = CAPTURE_ANNOUNCE_TABLE;
  g_assert_cmpint(packet_send(sockets[1], &message, sizeof message, table, true), ==, 0);
  preload_files_receive(files, 0);
  g_assert_cmpuint(file->state, ==, PRELOAD_FILE_TABLE);
  close(table);
  close(elf);
  close(sockets[0]);
  close(sockets[1]);
  preload_area_clear(&area);
}

/* Answers nobody asked for, twice, without a table, of another type; then the end. */
static void send_answer(int socket, uint32_t type, uint64_t cookie, int error, int fd)
{
  struct capture_table_message message = {.type = type, .error = error, .cookie = cookie, .length = 4096};
  g_assert_cmpint(packet_send(socket, &message, sizeof message, fd, true), ==, 0);
}

static void test_hostile(void)
{
  struct preload_area area;
  g_autofree struct preload_files *files = g_new0(struct preload_files, 1);
  int sockets[2], elf = open("/proc/self/exe", O_RDONLY);
  GStatBuf status;
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), ==, 0);
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  files->area = &area;
  files->socket = sockets[0];
  struct preload_map map = map_of("/proc/self/exe", &status), other = map_of("/bin/sh", &status);
  const struct preload_file *file = preload_files_find(files, &map);
  send_answer(sockets[1], CAPTURE_ANNOUNCE_TABLE, 7, 0, elf);
  send_answer(sockets[1], CAPTURE_ANNOUNCE_TABLE, UINT64_MAX, 0, -1);
  send_answer(sockets[1], CAPTURE_ANNOUNCE_TABLE, 0, 0, elf);
  send_answer(sockets[1], CAPTURE_ANNOUNCE_TABLE, 0, 0, elf);
  preload_files_receive(files, now() + PATIENCE);
  g_assert_cmpuint(file->state, ==, PRELOAD_FILE_NONE);
  g_assert_cmpuint(files->n_wanted, ==, 0);

  file = preload_files_find(files, &other);
  g_assert_nonnull(file);
  send_answer(sockets[1], CAPTURE_ANNOUNCE_SETTINGS, 1, 0, -1);
  preload_files_receive(files, now() + PATIENCE);
  g_assert_cmpuint(file->state, ==, PRELOAD_FILE_NONE);
  g_assert_cmpint(files->socket, ==, -1);
  close(elf);
  close(sockets[0]);
  close(sockets[1]);
  preload_area_clear(&area);
}

static void test_gone(void)
{
  struct fixture fixture;
  GStatBuf status;
  set_up(&fixture, 0);
  int socket = fixture.files->socket;
  struct preload_map map = map_of("/proc/self/exe", &status);
  const struct preload_file *file = preload_files_find(fixture.files, &map);
  shutdown(fixture.recording.socket, SHUT_RDWR);
  preload_files_receive(fixture.files, now() + PATIENCE);
  g_assert_cmpuint(file->state, ==, PRELOAD_FILE_NONE);
  g_assert_cmpint(fixture.files->socket, ==, -1);
  tear_down(&fixture, socket);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/preload/files/own", test_own);
  g_test_add_func("/preload/files/identity", test_identity);
  g_test_add_func("/preload/files/other-device", test_other_device);
  g_test_add_func("/preload/files/rewritten", test_rewritten);
  g_test_add_func("/preload/files/late", test_late);
  g_test_add_func("/preload/files/hostile", test_hostile);
  g_test_add_func("/preload/files/gone", test_gone);
  return g_test_run();
}
