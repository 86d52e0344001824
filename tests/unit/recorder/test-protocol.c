/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder makes of its caller: mistakes, hostile messages, hanging up. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder-client.h"

#define STACKS (RECORDER_KERNEL_STACKS | RECORDER_USER_STACKS)

/* The recorder answers this configuration with an error of that code that speaks of `word`, and exits. */
static void assert_refused(struct recorder_configure *configure, const pid_t *targets, guint n_targets,
                           int code, const char *word)
{
  struct recorder_client client;
  recorder_client_start(&client);
  g_assert_false(recorder_client_configure(&client, configure, targets, n_targets));
  g_assert_true(client.has_ended);
  g_assert_cmpuint(client.ended.reason, ==, RECORDER_END_FAILED);
  g_assert_cmpint(client.ended.error, ==, code);
  g_assert_nonnull(strstr(client.ended.text, word));
  g_assert_true(g_str_has_suffix(client.ended.text, "."));
  g_assert_true(g_utf8_validate(client.ended.text, -1, NULL));
  int status = recorder_client_wait(&client);
  g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  recorder_client_clear(&client);
}

static void refuse_event(const char *event, uint64_t frequency, int code, const char *word)
{
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(STACKS | RECORDER_SYSTEM_WIDE, event, frequency);
  assert_refused(configure, NULL, 0, code, word);
}

static void test_events(void)
{
  refuse_event("no-such-event", 1000, ENOENT, "no-such-event");
  refuse_event("cpu-clock:x", 1000, EINVAL, "cpu-clock");
  refuse_event("no-such-pmu/event=1/", 1000, ENOENT, "no-such-pmu");
  refuse_event("software/nonsense=1/", 1000, EINVAL, "nonsense");
  refuse_event("../../etc/passwd", 1000, ENOENT, "passwd");
  refuse_event("../..:passwd", 1000, ENOENT, "passwd");
  refuse_event("cpu-clock", 100000000, EINVAL, "perf_event_max_sample_rate");
}

static void test_gone(void)
{
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  siginfo_t information;
  g_assert_cmpint(waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT), ==, 0);
  g_autofree struct recorder_configure *configure = recorder_client_configuration(STACKS, "cpu-clock", 1000);
  assert_refused(configure, &child, 1, ESRCH, "exist");
  g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
}

typedef void (*spoil_fn)(struct recorder_configure *configure);

static void spoil_type(struct recorder_configure *configure)
{
  configure->message.type = RECORDER_START;
}

static void spoil_unknown_type(struct recorder_configure *configure)
{
  configure->message.type = 4711;
}

static void spoil_version(struct recorder_configure *configure)
{
  configure->version++;
}

static void spoil_flags(struct recorder_configure *configure)
{
  configure->flags |= 1u << 31;
}

static void spoil_window_size(struct recorder_configure *configure)
{
  configure->window_size = 4097;
}

static void spoil_huge_window_size(struct recorder_configure *configure)
{
  configure->window_size = 0xfffff000;
}

static void spoil_window_count(struct recorder_configure *configure)
{
  configure->window_count = UINT32_MAX;
}

static void spoil_small_window_count(struct recorder_configure *configure)
{
  configure->window_count = configure->n_events + 1;
}

static void spoil_ring_pages(struct recorder_configure *configure)
{
  configure->ring_pages = 3;
}

static void spoil_huge_ring_pages(struct recorder_configure *configure)
{
  configure->ring_pages = 1u << 31;
}

static void spoil_max_stack(struct recorder_configure *configure)
{
  configure->max_stack = UINT32_MAX;
}

static void spoil_n_targets(struct recorder_configure *configure)
{
  configure->n_targets = 7;
}

static void spoil_no_targets(struct recorder_configure *configure)
{
  configure->flags &= ~(uint32_t)RECORDER_SYSTEM_WIDE;
}

static void spoil_n_events(struct recorder_configure *configure)
{
  configure->n_events = UINT32_MAX;
}

static void spoil_no_events(struct recorder_configure *configure)
{
  configure->n_events = 0;
}

static void spoil_event_name(struct recorder_configure *configure)
{
  memset(configure->events[0].name, 'x', sizeof configure->events[0].name);
}

static void spoil_size(struct recorder_configure *configure)
{
  configure->message.size += 8;
}

static const spoil_fn spoilers[] = {
    spoil_type,        spoil_unknown_type,     spoil_version,      spoil_flags,
    spoil_window_size, spoil_huge_window_size, spoil_window_count, spoil_small_window_count,
    spoil_ring_pages,  spoil_huge_ring_pages,  spoil_max_stack,    spoil_n_targets,
    spoil_no_targets,  spoil_n_events,         spoil_no_events,    spoil_event_name,
    spoil_size,
};

/* Sends bytes and, when the recorder says nothing else, asserts that it ends with a message of its own. */
static void assert_rejected(const void *bytes, size_t size, const int *fds, guint n_fds)
{
  struct recorder_client client;
  recorder_client_start(&client);
  recorder_client_send(&client, bytes, size, fds, n_fds);
  g_assert_true(recorder_client_hear(&client, G_MAXINT));
  g_assert_true(client.has_ended);
  g_assert_cmpint(client.ended.error, ==, EPROTO);
  int status = recorder_client_wait(&client);
  g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  recorder_client_clear(&client);
}

static void test_hostile_fields(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(spoilers); i++) {
    g_autofree struct recorder_configure *configure =
        recorder_client_configuration(STACKS | RECORDER_SYSTEM_WIDE, "cpu-clock", 1000);
    size_t size = configure->message.size;
    spoilers[i](configure);
    assert_rejected(configure, size, NULL, 0);
  }
}

static void test_hostile_sizes(void)
{
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(STACKS | RECORDER_SYSTEM_WIDE, "cpu-clock", 1000);
  g_autofree char *large = g_malloc0(60000);
  size_t whole = configure->message.size;
  for (size_t size = 1; size < whole; size += 7) {
    configure->message.size = (uint32_t)size;
    assert_rejected(configure, size, NULL, 0);
  }
  memcpy(large, &(struct recorder_message){RECORDER_CONFIGURE, 60000}, sizeof(struct recorder_message));
  assert_rejected(large, 60000, NULL, 0);
}

/* Descriptors that are no pidfds, and more of them than announced. */
static void test_hostile_descriptors(void)
{
  g_autofree struct recorder_configure *configure = recorder_client_configuration(STACKS, "cpu-clock", 1000);
  int fds[3];
  for (guint i = 0; i < 3; i++)
    fds[i] = memfd_create("none", MFD_CLOEXEC);
  configure->n_targets = 1;
  assert_rejected(configure, configure->message.size, fds, 1);
  assert_rejected(configure, configure->message.size, fds, 3);
  for (guint i = 0; i < 3; i++)
    close(fds[i]);
}

static void start_system_wide(struct recorder_client *client)
{
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(STACKS | RECORDER_SYSTEM_WIDE, "cpu-clock", 100);
  recorder_client_start(client);
  g_assert_true(recorder_client_configure(client, configure, NULL, 0));
}

static void test_stop_before_start(void)
{
  struct recorder_client client;
  start_system_wide(&client);
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  g_assert_cmpuint(client.ended.reason, ==, RECORDER_END_STOPPED);
  g_assert_cmpuint(client.ended.status.samples, ==, 0);
  recorder_client_clear(&client);
}

static void test_second_start(void)
{
  struct recorder_client client;
  struct recorder_message start = {RECORDER_START, sizeof start};
  start_system_wide(&client);
  recorder_client_begin(&client);
  recorder_client_send(&client, &start, sizeof start, NULL, 0);
  recorder_client_collect(&client, 30000);
  g_assert_true(client.has_ended);
  g_assert_cmpuint(client.ended.reason, ==, RECORDER_END_FAILED);
  recorder_client_wait(&client);
  recorder_client_clear(&client);
}

/* However far it has come, the recorder does not outlive its caller. */
static void test_hang_up(void)
{
  for (guint stage = 0; stage < 3; stage++) {
    struct recorder_client client;
    if (stage == 0)
      recorder_client_start(&client);
    else
      start_system_wide(&client);
    if (stage == 2)
      recorder_client_begin(&client);
    recorder_client_clear(&client);
  }
}

static void test_status(void)
{
  struct recorder_client client;
  start_system_wide(&client);
  recorder_client_begin(&client);
  recorder_client_collect(&client, 1500);
  g_assert_cmpuint(client.n_status, >, 1);
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  g_assert_cmpuint(client.ended.status.samples, >, 10);
  recorder_client_clear(&client);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/protocol/events", test_events);
  g_test_add_func("/recorder/protocol/gone", test_gone);
  g_test_add_func("/recorder/protocol/hostile-fields", test_hostile_fields);
  g_test_add_func("/recorder/protocol/hostile-sizes", test_hostile_sizes);
  g_test_add_func("/recorder/protocol/hostile-descriptors", test_hostile_descriptors);
  g_test_add_func("/recorder/protocol/stop-before-start", test_stop_before_start);
  g_test_add_func("/recorder/protocol/second-start", test_second_start);
  g_test_add_func("/recorder/protocol/hang-up", test_hang_up);
  g_test_add_func("/recorder/protocol/status", test_status);
  return g_test_run();
}
