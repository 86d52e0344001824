/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/recording/samplers-fixture.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/descriptors.h"

#define PATIENCE (20 * G_TIME_SPAN_SECOND)

void fixture_set_up(Fixture *f, gconstpointer data)
{
  struct capture_file_options options = {.size = sizeof options, .clock = CAPTURE_CLOCK_MONOTONIC};
  g_autoptr(GError) error = NULL;

  f->n_descriptors = count_descriptors();
  f->fd = memfd_create("capture", MFD_CLOEXEC);
  g_assert_cmpint(capture_file_create(&f->file, f->fd, &options), ==, 0);
  f->binaries = recording_binaries_new();
  f->collector = recording_collector_new(f->file, f->binaries);
  f->samplers = recording_samplers_new(&error);
  g_assert_no_error(error);
  f->directory = g_path_get_dirname(recording_samplers_get_path(f->samplers));
  f->settings = (RecordingSamplersSettings){
      .flags = CAPTURE_SETTINGS_SAMPLE | CAPTURE_SETTINGS_CHILDREN,
      .preload_flags = CAPTURE_SETTINGS_SAMPLE | CAPTURE_SETTINGS_TABLES,
      .frequency = 997,
      .max_stack = 64,
  };
}

void fixture_tear_down(Fixture *f, gconstpointer data)
{
  recording_samplers_free(f->samplers);
  g_assert_false(g_file_test(f->directory, G_FILE_TEST_EXISTS));
  g_free(f->directory);
  recording_collector_unref(f->collector);
  recording_binaries_free(f->binaries);
  capture_file_free(f->file);
  close(f->fd);
  g_assert_cmpuint(count_descriptors(), ==, f->n_descriptors);
}

void fixture_start(Fixture *f)
{
  recording_samplers_start(f->samplers, &f->settings, f->collector);
}

int program_connect(Fixture *f)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

  g_strlcpy(address.sun_path, recording_samplers_get_path(f->samplers), sizeof address.sun_path);
  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(connect(fd, (struct sockaddr *)&address, sizeof address), ==, 0);
  return fd;
}

gboolean program_send(int socket, gconstpointer bytes, gsize size, const int *fds, guint n_fds)
{
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {0};
  struct iovec vector = {(void *)bytes, size};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

  if (n_fds > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
    memcpy(CMSG_DATA(header), fds, n_fds * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

gssize program_receive(int socket, gpointer bytes, gsize size, int *ret_fd)
{
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  struct iovec vector = {bytes, size};
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct pollfd readable = {.fd = socket, .events = POLLIN};

  g_assert_cmpint(poll(&readable, 1, PATIENCE / 1000), ==, 1);
  gssize n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (n < 0 && errno == ECONNRESET)
    n = 0;
  g_assert_cmpint(n, >=, 0);
  struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (ret_fd)
    *ret_fd = -1;
  if (header && ret_fd)
    memcpy(ret_fd, CMSG_DATA(header), sizeof *ret_fd);
  return n;
}

void program_fill_hello(struct capture_hello *hello, const char *name)
{
  *hello = (struct capture_hello){
      .type = CAPTURE_ANNOUNCE_HELLO, .version = CAPTURE_ANNOUNCE_VERSION, .pid = getpid()};
  g_strlcpy(hello->name, name, sizeof hello->name);
}

static gboolean is_preload(const char *name)
{
  return g_str_has_prefix(name, "preload");
}

void program_join(Program *self, Fixture *f, const char *name)
{
  const struct capture_pool_options options = {
      .size = sizeof options, .window_size = 4096 * 4, .window_count = 8};
  struct capture_settings settings;
  struct capture_hello hello;

  g_assert_cmpint(capture_pool_create(&self->pool, &options), ==, 0);
  self->socket = program_connect(f);
  program_fill_hello(&hello, name);
  hello.flags = is_preload(name) ? CAPTURE_HELLO_PRELOAD : 0;
  const int fds[] = {capture_pool_windows_fd(self->pool), capture_pool_control_fd(self->pool)};
  g_assert_true(program_send(self->socket, &hello, sizeof hello, fds, 2));
  g_assert_cmpint(program_receive(self->socket, &settings, sizeof settings, NULL), ==, sizeof settings);
  g_assert_cmpuint(settings.type, ==, CAPTURE_ANNOUNCE_SETTINGS);
  g_assert_cmpuint(settings.version, ==, CAPTURE_ANNOUNCE_VERSION);
  g_assert_cmpuint(settings.flags, ==, is_preload(name) ? f->settings.preload_flags : f->settings.flags);
  g_assert_cmpuint(settings.frequency, ==, 997);
  g_assert_cmpuint(settings.max_stack, ==, 64);
  g_assert_cmpint(settings.pid, ==, getpid());
}

void program_write_window(Program *self, const struct capture_window_header *fill, gconstpointer content,
                          gsize length)
{
  struct capture_slot slot;

  g_assert_cmpint(capture_pool_claim(self->pool, fill, &slot), ==, 0);
  g_assert_cmpuint(length, <=, slot.capacity);
  memcpy(slot.content, content, length);
  slot.header->time_last = fill->time_last;
  capture_pool_commit(self->pool, &slot, (guint32)length);
  capture_pool_close(self->pool, &slot);
}

void program_write_samples(Program *self, guint n)
{
  guint64 now = (guint64)g_get_monotonic_time() * 1000;
  const struct capture_window_header fill = {.kind = CAPTURE_WINDOW_SAMPLES,
                                             .epoch = 1,
                                             .event = 1,
                                             .entry_size = 16,
                                             .time_first = now,
                                             .time_last = now,
                                             .weight = 1};
  g_autofree guint8 *entries = g_malloc0_n(n, 16);

  program_write_window(self, &fill, entries, 16 * (gsize)n);
}

void program_leave(Program *self)
{
  close(self->socket);
  capture_pool_destroy(self->pool);
}

void fixture_await_samples(Fixture *f, guint64 n)
{
  gint64 until = g_get_monotonic_time() + PATIENCE;
  RecordingCounts counts;

  do {
    g_assert_cmpint(recording_collector_collect(f->collector, NULL), ==, 0);
    recording_collector_get_counts(f->collector, &counts);
    g_assert_cmpint(g_get_monotonic_time(), <, until);
    g_usleep(1000);
  } while (counts.samples < n);
  g_assert_cmpuint(counts.samples, ==, n);
}

static void note_problem(const struct capture_problem *problem, void *data)
{
  g_test_message("%s", problem->message);
  g_assert_not_reached();
}

static capture_reader *open_capture(Fixture *f)
{
  const struct capture_reader_options options = {.size = sizeof options, .problem = note_problem};
  capture_reader *reader;

  g_assert_cmpint(capture_reader_open(&reader, f->fd, &options), ==, 0);
  return reader;
}

typedef void (*SeePart)(const struct capture_window_header *header, const guint8 *content, gpointer data);

/* Whatever programs did, each part of the file is whole. */
static void see_parts(Fixture *f, SeePart see, gpointer data)
{
  capture_reader *reader = open_capture(f);
  void *buffer = NULL;
  size_t buffer_size = 0;

  for (size_t i = 0; i < capture_reader_n_parts(reader); i++) {
    const struct capture_part *part = capture_reader_part(reader, i);
    const uint8_t *content;
    size_t length;
    g_assert_cmpint(capture_reader_content(reader, i, &buffer, &buffer_size, &content, &length), ==, 0);
    see(&part->header, content, data);
  }
  free(buffer);
  capture_reader_close(reader);
}

typedef struct {
  const char *text;
  GHashTable *streams; /* numbers of streams with that name */
  guint n;
} Search;

static void see_meta(const struct capture_window_header *header, const guint8 *content, gpointer data)
{
  Search *search = data;
  const struct capture_record *record;
  size_t position = 0;

  while (header->kind == CAPTURE_WINDOW_META &&
         (record = capture_records_next(content, header->length, &position))) {
    const struct capture_record_stream *stream = (gconstpointer)record;
    const struct capture_record_message *message = (gconstpointer)record;
    if (record->type == CAPTURE_RECORD_STREAM && (!search->text || strcmp(stream->name, search->text) == 0))
      g_hash_table_add(search->streams, GUINT_TO_POINTER(stream->id));
    else if (record->type == CAPTURE_RECORD_MESSAGE && search->text)
      search->n += strstr(message->text, search->text) != NULL;
  }
}

static void see_samples(const struct capture_window_header *header, const guint8 *content, gpointer data)
{
  Search *search = data;

  if (header->kind == CAPTURE_WINDOW_SAMPLES &&
      g_hash_table_contains(search->streams, GUINT_TO_POINTER(header->stream)))
    search->n += header->length / header->entry_size;
}

guint fixture_count_samples(Fixture *f, const char *stream)
{
  g_autoptr(GHashTable) streams = g_hash_table_new(NULL, NULL);
  Search search = {.text = stream, .streams = streams};

  see_parts(f, see_meta, &search);
  search.n = 0;
  see_parts(f, see_samples, &search);
  return search.n;
}

gboolean fixture_has_message(Fixture *f, const char *text)
{
  g_autoptr(GHashTable) streams = g_hash_table_new(NULL, NULL);
  Search search = {.text = text, .streams = streams};

  see_parts(f, see_meta, &search);
  return search.n > 0;
}
