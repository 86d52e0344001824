/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Openers that do not behave, in sessions of the caller's own processes: they cost stacks by table, never the
 * recording, and what they hand over is not believed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/common/proc.h"
#include "helpers/opener-protocol.h"
#include "helpers/opener/opener-serve.h"
#include "helpers/packet.h"
#include "trust-fixture.h"
#include "unwind/unwind-compile.h"

#define OWN (RECORDER_USER_STACKS | RECORDER_CHILDREN | RECORDER_OWN)
#define TIB (INT64_C(1) << 40)

/* Fills the answer to a request that is no PROVE in; returns the descriptor to send, -1, or QUIET or LEAVE.
 */
typedef int (*answer_fn)(const struct opener_request *request, struct opener_answer *answer);
#define QUIET (-2)
#define LEAVE (-3)

struct fake {
  int socket;
  answer_fn answer;
  GThread *thread;
};

static int open_maps(const struct opener_request *request)
{
  return recorder_proc_open(request->pid, request->tid, (enum opener_proc)request->file);
}

static gpointer fake_serve(gpointer data)
{
  struct fake *fake = data;
  union {
    struct opener_request request;
    char bytes[sizeof(struct opener_request) + OPENER_PATH_MAX];
  } packet;
  int fd = -1, sent = -1;
  while (sent != LEAVE && packet_receive(fake->socket, &packet, sizeof packet, &fd, true) > 0) {
    struct opener_answer answer = {.type = packet.request.type, .size = sizeof answer};
    sent = packet.request.type == OPENER_PROVE ? -1 : fake->answer(&packet.request, &answer);
    if (sent != QUIET && sent != LEAVE)
      packet_send(fake->socket, &answer, answer.size < sizeof answer ? answer.size : sizeof answer, sent,
                  true);
    if (sent >= 0)
      close(sent);
    if (fd >= 0)
      close(fd);
  }
  close(fake->socket);
  return NULL;
}

static int fake_start(struct fake *fake, answer_fn answer)
{
  int pair[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), ==, 0);
  *fake = (struct fake){.socket = pair[1], .answer = answer};
  fake->thread = g_thread_new("opener", fake_serve, fake);
  return pair[0];
}

/* Stacks without tables end in ways of their own; each is counted as one of the outcomes. */
static guint64 sum_of_outcomes(const struct recorder_status *status)
{
  guint64 sum = 0;
  for (guint i = 0; i < RECORDER_OUTCOMES; i++)
    sum += status->outcomes[i];
  return sum;
}

/* Records a program with that opener; returns how many of the samples have a stack that is proven. What the
 * program has mapped the recorder knows from the opener (told) or not at all. */
static guint record(answer_fn answer, uint32_t unwind, gboolean told)
{
  struct recorder_client client;
  struct loaded loaded;
  struct fake fake;
  guint complete = 0;
  g_autofree struct recorder_configure *configure = recorder_client_configuration(OWN, "cpu-clock", 1000);
  configure->unwind = unwind;
  pid_t target = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  int socket = fake_start(&fake, answer);
  trust_begin_own(&client, configure, target, socket);
  close(socket);
  trust_collect(&client, 100);
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  g_assert_cmpint(client.ended.error, ==, 0);
  g_assert_cmpuint(sum_of_outcomes(&client.ended.status), ==, client.ended.status.samples);
  g_thread_join(fake.thread);
  trust_end(target);
  loaded_read(&loaded, client.file_fd);
  recorder_client_clear(&client);
  g_assert_cmpuint(loaded.samples->len, >, 50);
  g_assert_false(trust_knows_binary(&loaded, "test-recorder-own-hostile"));
  g_assert_true(told || !trust_knows_binary(&loaded, "recorder-target"));
  for (guint i = 0; i < loaded.samples->len; i++) {
    const struct loaded_sample *sample = &g_array_index(loaded.samples, struct loaded_sample, i);
    /* While the recorder waits for the opener its rings may fill, and say so. */
    if (sample->leaf == 0)
      g_assert_cmpuint(sample->outcome, ==, CAPTURE_OUTCOME_LOST);
    complete += sample->outcome == CAPTURE_OUTCOME_COMPLETE;
  }
  loaded_clear(&loaded);
  return complete;
}

static int be_quiet(const struct opener_request *request, struct opener_answer *answer)
{
  return QUIET;
}

static int leave(const struct opener_request *request, struct opener_answer *answer)
{
  return LEAVE;
}

/* Behaves with mappings, which come first. */
#define WITH_MAPS(name)                                                                                      \
  static int name##_later(const struct opener_request *request, struct opener_answer *answer)                \
  {                                                                                                          \
    return request->type == OPENER_PROC ? open_maps(request) : name(request, answer);                        \
  }
WITH_MAPS(be_quiet)
WITH_MAPS(leave)

static void set_file(struct opener_answer *answer, guint kind)
{
  if (answer->type != OPENER_OPEN)
    return;
  answer->kind = kind;
  g_strlcpy(answer->identity, "0123456789abcdef", sizeof answer->identity);
}

static int answer_short(const struct opener_request *request, struct opener_answer *answer)
{
  answer->size = 8;
  return -1;
}
WITH_MAPS(answer_short)

static int answer_type(const struct opener_request *request, struct opener_answer *answer)
{
  answer->type = OPENER_PROVE;
  return -1;
}
WITH_MAPS(answer_type)

static int answer_kind(const struct opener_request *request, struct opener_answer *answer)
{
  set_file(answer, 4711);
  return -1;
}
WITH_MAPS(answer_kind)

static int answer_error(const struct opener_request *request, struct opener_answer *answer)
{
  set_file(answer, OPENER_NOT);
  answer->error = INT32_MIN;
  return -1;
}
WITH_MAPS(answer_error)

static int answer_endless_identity(const struct opener_request *request, struct opener_answer *answer)
{
  set_file(answer, OPENER_NONE);
  answer->error = ENODATA;
  memset(answer->identity, 'a', sizeof answer->identity);
  return -1;
}
WITH_MAPS(answer_endless_identity)

static int answer_without_table(const struct opener_request *request, struct opener_answer *answer)
{
  set_file(answer, OPENER_TABLE);
  answer->length = 4096;
  return -1;
}
WITH_MAPS(answer_without_table)

static int answer_file_to_nothing(const struct opener_request *request, struct opener_answer *answer)
{
  set_file(answer, OPENER_NONE);
  answer->error = ENODATA;
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}
WITH_MAPS(answer_file_to_nothing)

static int memory_of(const void *bytes, size_t size, int seals)
{
  int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  g_assert_cmpint(write(fd, bytes, size), ==, (ssize_t)size);
  if (seals != 0)
    g_assert_cmpint(fcntl(fd, F_ADD_SEALS, seals), ==, 0);
  return fd;
}

static int answer_open_table(const struct opener_request *request, struct opener_answer *answer)
{
  char bytes[4096] = "";
  set_file(answer, OPENER_TABLE);
  answer->length = sizeof bytes;
  return memory_of(bytes, sizeof bytes, 0);
}
WITH_MAPS(answer_open_table)

static int answer_garbage_table(const struct opener_request *request, struct opener_answer *answer)
{
  guint32 bytes[16384];
  for (guint i = 0; i < G_N_ELEMENTS(bytes); i++)
    bytes[i] = g_random_int();
  set_file(answer, OPENER_TABLE);
  answer->length = sizeof bytes;
  return memory_of(bytes, sizeof bytes, OPENER_SEALS);
}
WITH_MAPS(answer_garbage_table)

/* Reading its holes would take memory that is not there. */
static int answer_hollow_table(const struct opener_request *request, struct opener_answer *answer)
{
  int fd = memfd_create("hollow", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  g_assert_cmpint(ftruncate(fd, INT32_MAX), ==, 0);
  g_assert_cmpint(fcntl(fd, F_ADD_SEALS, OPENER_SEALS), ==, 0);
  set_file(answer, OPENER_TABLE);
  answer->length = INT32_MAX;
  return fd;
}
WITH_MAPS(answer_hollow_table)

static int file_as_table(const struct opener_request *request, struct opener_answer *answer)
{
  set_file(answer, OPENER_TABLE);
  answer->length = 4096;
  return open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
}
WITH_MAPS(file_as_table)

/* A true one, in which some bytes are others. */
static int answer_bent_table(const struct opener_request *request, struct opener_answer *answer)
{
  g_autofree char *program = trust_target_program(), *bytes = NULL;
  gsize size;
  struct unwind_image image;
  g_assert_true(g_file_get_contents(program, &bytes, &size, NULL));
  g_assert_cmpint(unwind_compile(bytes, size, &image), ==, 0);
  size = image.table->size;
  g_autofree guint8 *table = g_memdup2(image.table, size);
  unwind_image_clear(&image);
  for (guint i = 0; i < 4; i++)
    table[g_random_int_range(64, (gint32)size)] ^= (guint8)g_random_int_range(1, 256);
  set_file(answer, OPENER_TABLE);
  static guint serial;
  g_snprintf(answer->identity, sizeof answer->identity, "bent-%u", serial++);
  answer->length = size;
  return memory_of(table, size, OPENER_SEALS);
}
WITH_MAPS(answer_bent_table)

#define SEND_FILE(name, expression)                                                                          \
  static int name(const struct opener_request *request, struct opener_answer *answer)                        \
  {                                                                                                          \
    set_file(answer, OPENER_FILE);                                                                           \
    return expression;                                                                                       \
  }                                                                                                          \
  WITH_MAPS(name)

static int reading_end(void)
{
  int pair[2];
  g_assert_cmpint(pipe(pair), ==, 0);
  close(pair[1]);
  return pair[0];
}

static int endless_file(void)
{
  int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  g_assert_cmpint(ftruncate(fd, TIB), ==, 0);
  return fd;
}

SEND_FILE(send_pipe, reading_end())
SEND_FILE(send_directory, open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
SEND_FILE(send_device, open("/dev/zero", O_RDONLY | O_CLOEXEC))
SEND_FILE(send_path, open("/usr/bin/env", O_PATH | O_CLOEXEC))
SEND_FILE(send_socket, socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0))
SEND_FILE(send_pidfd, (int)syscall(SYS_pidfd_open, getpid(), 0))
SEND_FILE(send_text, open("/etc/passwd", O_RDONLY | O_CLOEXEC))
SEND_FILE(send_endless, endless_file())

#define SEND_MAPS(name, expression)                                                                          \
  static int name(const struct opener_request *request, struct opener_answer *answer)                        \
  {                                                                                                          \
    return request->type == OPENER_PROC ? expression : LEAVE;                                                \
  }

SEND_MAPS(maps_pipe, reading_end())
SEND_MAPS(maps_memory, open("/proc/self/mem", O_RDONLY | O_CLOEXEC))
SEND_MAPS(maps_of_another, open("/proc/self/maps", O_RDONLY | O_CLOEXEC))
SEND_MAPS(maps_file, open("/etc/passwd", O_RDONLY | O_CLOEXEC))
SEND_MAPS(maps_none, -1)

static void test_hostile(gconstpointer data)
{
  g_assert_cmpuint(record((answer_fn)data, RECORDER_UNWIND_BPF, TRUE), ==, 0);
}

static void test_hostile_maps(gconstpointer data)
{
  g_assert_cmpuint(record((answer_fn)data, RECORDER_UNWIND_BPF, FALSE), ==, 0);
}

/* Wherever its tables lead: nothing breaks. */
static void test_bent_tables(void)
{
  for (guint i = 0; i < 3; i++)
    record(answer_bent_table_later, RECORDER_UNWIND_BPF, TRUE);
  record(answer_bent_table_later, RECORDER_UNWIND_TABLES, TRUE);
}

/* What the others lack: the same, of an opener that behaves. */
static gpointer serve_well(gpointer data)
{
  opener_serve(GPOINTER_TO_INT(data), &(struct opener_options){.foreign = true});
  close(GPOINTER_TO_INT(data));
  return NULL;
}

static void test_good_opener(void)
{
  struct recorder_client client;
  int pair[2];
  g_autofree struct recorder_configure *configure = recorder_client_configuration(OWN, "cpu-clock", 1000);
  configure->unwind = RECORDER_UNWIND_BPF;
  pid_t target = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), ==, 0);
  GThread *thread = g_thread_new("opener", serve_well, GINT_TO_POINTER(pair[1]));
  trust_begin_own(&client, configure, target, pair[0]);
  close(pair[0]);
  trust_collect(&client, 200);
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  g_thread_join(thread);
  trust_end(target);
  g_assert_cmpuint(client.ended.status.outcomes[CAPTURE_OUTCOME_COMPLETE], >, 50);
  recorder_client_clear(&client);
}

/* No proof, no recording: the caller can stop his opener. */
static gpointer prove_nothing(gpointer data)
{
  char byte;
  while (recv(GPOINTER_TO_INT(data), &byte, 1, 0) > 0)
    ;
  close(GPOINTER_TO_INT(data));
  return NULL;
}

static void test_no_proof(void)
{
  struct recorder_client client;
  int pair[2];
  g_autofree struct recorder_configure *configure = recorder_client_configuration(OWN, "cpu-clock", 1000);
  pid_t target = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), ==, 0);
  GThread *thread = g_thread_new("opener", prove_nothing, GINT_TO_POINTER(pair[1]));
  recorder_client_start_as(&client, TRUST_SERVICE, TRUST_OWN_RIGHTS, NULL);
  g_assert_false(recorder_client_configure_own(&client, configure, &target, 1, pair[0]));
  close(pair[0]);
  g_assert_cmpint(client.ended.error, ==, ETIMEDOUT);
  recorder_client_wait(&client);
  recorder_client_clear(&client);
  g_thread_join(thread);
  trust_end(target);
}

#define ADD(name, answer)                                                                                    \
  g_test_add_data_func("/recorder/own/hostile/" name, (gconstpointer)(answer), test_hostile)
#define ADD_MAPS(name, answer)                                                                               \
  g_test_add_data_func("/recorder/own/hostile/maps/" name, (gconstpointer)(answer), test_hostile_maps)

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("quiet", be_quiet);
  ADD("quiet-later", be_quiet_later);
  ADD("gone", leave);
  ADD("gone-later", leave_later);
  ADD("short", answer_short_later);
  ADD("type", answer_type_later);
  ADD("kind", answer_kind_later);
  ADD("error", answer_error_later);
  ADD("endless-identity", answer_endless_identity_later);
  ADD("table/none", answer_without_table_later);
  ADD("table/unasked", answer_file_to_nothing_later);
  ADD("table/open", answer_open_table_later);
  ADD("table/garbage", answer_garbage_table_later);
  ADD("table/hollow", answer_hollow_table_later);
  ADD("table/file", file_as_table_later);
  ADD("file/pipe", send_pipe_later);
  ADD("file/directory", send_directory_later);
  ADD("file/device", send_device_later);
  ADD("file/path", send_path_later);
  ADD("file/socket", send_socket_later);
  ADD("file/pidfd", send_pidfd_later);
  ADD("file/text", send_text_later);
  ADD("file/endless", send_endless_later);
  ADD_MAPS("pipe", maps_pipe);
  ADD_MAPS("memory", maps_memory);
  ADD_MAPS("of-another", maps_of_another);
  ADD_MAPS("file", maps_file);
  ADD_MAPS("none", maps_none);
  g_test_add_func("/recorder/own/hostile/table/bent", test_bent_tables);
  g_test_add_func("/recorder/own/hostile/control", test_good_opener);
  g_test_add_func("/recorder/own/hostile/no-proof", test_no_proof);
  return g_test_run();
}
