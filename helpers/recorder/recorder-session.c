/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "helpers/common/memory.h"
#include "helpers/pidfd.h"
#include "helpers/recorder/common/child.h"
#include "helpers/recorder/common/rights.h"
#include "helpers/recorder/events/attr.h"
#include "helpers/recorder/events/merge.h"
#include "helpers/recorder/recorder-link.h"
#include "helpers/recorder/recorder-probe.h"
#include "helpers/recorder/recorder-way.h"
#include "helpers/recorder/samples/decoder.h"
#include "helpers/recorder/samples/off-cpu.h"
#include "helpers/recorder/stream/names.h"
#include "helpers/recorder/tables/own.h"

#define MILLISECOND UINT64_C(1000000)
/* What is sampled is committed this time later at the latest, the slack and the work itself added, and a kill
 * may cost 100 ms. Each round wakes two processes and writes two parts, so it is no shorter than that needs.
 */
#define DRAIN_PERIOD (65 * MILLISECOND)
/* The first rounds come sooner: programs learn of the mappings that are in use, and a viewer has something to
 * show. */
#define FIRST_PERIOD  (8 * MILLISECOND)
#define STATUS_PERIOD (250 * MILLISECOND)
/* Stacks are not walked on a CPU that came back until this has noticed. A look takes microseconds. */
#define CPUS_PERIOD (100 * MILLISECOND)
/* A record that carries a time is in its ring after this at the latest, but for a stolen CPU. */
#define SLACK (2 * MILLISECOND)
/* How long the end waits for a consumer to make room for what was lost. */
#define FAREWELL (500 * MILLISECOND)
/* Milliseconds that the end waits for other processes to be permitted. */
#define PLACEMENT 1000
/* Milliseconds between two looks at what waits for tables, in the end. */
#define HELD_TICK 10

enum flow { FLOW_ON, FLOW_PLACED, FLOW_STOP, FLOW_HANG_UP };

struct session {
  int socket;
  struct recorder_packet packet;
  struct recorder_event_type events[RECORDER_EVENTS_MAX + 1];
  int pidfds[RECORDER_TARGETS_MAX];
  int32_t targets[RECORDER_TARGETS_MAX]; /* their pids */
  uint32_t n_targets;
  struct recorder_source source;
  struct recorder_output output;
  struct recorder_way way;
  struct recorder_opener opener; /* of an own session */
  struct recorder_decoder decoder;
  struct recorder_names *names; /* NULL: nothing is to be named */
  struct pollfd *poll_fds;      /* the socket, target pidfds, rings, the unwinder's */
  uint32_t n_poll_fds;
  uint64_t committed;
  uint64_t status_due;
  uint64_t period; /* of the rounds: DRAIN_PERIOD after a while */
  uint64_t wake_due;
  uint64_t cpus_due;
  char notes[RECORDER_TEXT_MAX]; /* of READY */
  struct recorder_error error;
};

static uint64_t session_now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static int resolve_targets(struct session *session)
{
  session->n_targets = session->packet.configure.n_targets;
  for (uint32_t i = 0; i < session->n_targets; i++) {
    int32_t pid = pidfd_get_pid(session->packet.fds[i], true);
    if (pid == -ESRCH || pid == 0)
      return recorder_error_set(&session->error, ESRCH,
                                "A process that was to be recorded does not exist any more.");
    if (pid < 0)
      return recorder_error_set(&session->error, EPROTO, "The recorder was sent a target that is no pidfd.");
    session->targets[i] = pid;
    session->pidfds[i] = session->packet.fds[i];
  }
  return 0;
}

static bool is_own(const struct session *session)
{
  return (session->packet.configure.flags & RECORDER_OWN) != 0;
}

/* The caller could not open the events himself. */
static bool is_lent(const struct session *session)
{
  return (session->packet.configure.flags & (RECORDER_OWN | RECORDER_NAMES)) != 0;
}

/* Threads of targets came to inherit events; in the whole system none are inherited. */
static bool is_crowded(const struct session *session)
{
  return (session->source.flags & RECORDER_SYSTEM_WIDE) == 0 &&
         recorder_source_is_crowded(&session->source, session->decoder.tasks.n_alive);
}

static int begin_own(struct session *session)
{
  if (!is_own(session))
    return 0;
  int result = recorder_rights_narrow(true, &session->error);
  return result < 0
             ? result
             : recorder_own_adopt(&session->opener, session->packet.fds[session->n_targets], &session->error);
}

/* The kernel might have given a pid to somebody else between looking and opening. */
static int check_targets(struct session *session)
{
  for (uint32_t i = 0; i < session->n_targets; i++) {
    struct pollfd poll_fd = {.fd = session->pidfds[i], .events = POLLIN};
    if (poll(&poll_fd, 1, 0) != 0)
      return recorder_error_set(&session->error, ESRCH, "Process %d does not exist any more.",
                                session->targets[i]);
  }
  if (!is_own(session))
    return 0;
  int result = recorder_own_prove(&session->opener, session->pidfds, session->targets, session->n_targets,
                                  &session->error);
  return result < 0 ? result : recorder_rights_narrow(false, &session->error);
}

static struct recorder_status status_of(const struct session *session)
{
  struct recorder_status status = {
      .time = session->committed,
      .samples = session->output.samples,
      .lost = session->output.lost,
      .throttled = session->output.throttled,
  };
  memcpy(status.outcomes, session->output.outcomes, sizeof status.outcomes);
  return status;
}

static void send_ended(struct session *session, enum recorder_end reason, int code, const char *text)
{
  struct recorder_ended ended = {
      .reason = reason,
      .error = code,
      .status = status_of(session),
  };
  memcpy(ended.text, text, strnlen(text, sizeof ended.text - 1));
  recorder_link_send(session->socket, &ended, RECORDER_ENDED, sizeof ended, NULL, 0, true);
}

static int session_fail(struct session *session)
{
  send_ended(session, RECORDER_END_FAILED, session->error.code, session->error.text);
  return EXIT_FAILURE;
}

static bool send_ready(struct session *session)
{
  struct recorder_ready ready = {.n_cpus = session->source.n_rings,
                                 .n_events = session->source.n_events,
                                 .unwind = session->source.unwind};
  if (recorder_attr_has_kernel_stacks(&session->source))
    ready.flags |= RECORDER_KERNEL_STACKS;
  for (uint32_t i = 0; i < session->source.n_events; i++)
    memcpy(ready.events[i], session->events[i].name, sizeof ready.events[i]);
  memcpy(ready.notes, session->notes, sizeof ready.notes);
  int fds[] = {capture_pool_windows_fd(session->output.pool), capture_pool_control_fd(session->output.pool)};
  return recorder_link_send(session->socket, &ready, RECORDER_READY, sizeof ready, fds, 2, true);
}

static void send_status(struct session *session)
{
  struct recorder_status status = status_of(session);
  recorder_link_send(session->socket, &status, RECORDER_STATUS, sizeof status, NULL, 0, false);
}

/* After each period's commits, so that they need not wait for a tick of the consumer's own. */
static void wake_consumer(struct session *session, uint64_t time)
{
  struct recorder_message message;
  if (time < session->wake_due &&
      capture_pool_free_windows(session->output.pool) >= session->output.window_count / 2)
    return;
  session->wake_due = time + session->period;
  recorder_link_send(session->socket, &message, RECORDER_WAKE, sizeof message, NULL, 0, false);
}

static void watch_descriptors(struct session *session)
{
  uint32_t first_ring = 1 + session->n_targets;
  session->n_poll_fds = first_ring + session->source.n_rings;
  session->poll_fds = recorder_reallocate(session->poll_fds, session->n_poll_fds + RECORDER_UNWINDER_FDS,
                                          sizeof *session->poll_fds);
  session->poll_fds[0] = (struct pollfd){.fd = session->socket, .events = POLLIN};
  for (uint32_t i = 0; i < session->n_targets; i++)
    session->poll_fds[1 + i] = (struct pollfd){.fd = session->pidfds[i], .events = POLLIN};
  for (uint32_t i = 0; i < session->source.n_rings; i++)
    session->poll_fds[first_ring + i] = (struct pollfd){.fd = session->source.rings[i]->fd, .events = POLLIN};
}

static void note_cpu(uint32_t cpu, bool online, void *data)
{
  struct session *session = data;
  uint64_t time = session_now();
  struct capture_record_cpu record = {.record = {.size = sizeof record, .type = CAPTURE_RECORD_CPU},
                                      .time = time,
                                      .cpu = cpu,
                                      .online = online};
  recorder_output_record(&session->output, &record.record, time);
  if (session->n_poll_fds != 1 + session->n_targets + session->source.n_rings)
    watch_descriptors(session);
}

static void take_record(struct recorder_ring *ring, const struct perf_event_header *record, void *data)
{
  recorder_decoder_record(data, ring, record);
}

/* Everything up to limit goes into the windows. */
static int session_drain(struct session *session, uint64_t limit)
{
  struct recorder_ring *bad = NULL;
  int result = recorder_merge(session->source.rings, session->source.n_rings, limit, take_record,
                              &session->decoder, &bad);
  uint64_t time = session_now();
  if (result == 0 && session->decoder.unwinder != NULL)
    recorder_unwinder_reach(session->decoder.unwinder, limit);
  recorder_decoder_serve(&session->decoder, time);
  recorder_off_cpu_count_lost(&session->decoder, time);
  session->committed = limit < time ? limit : time;
  recorder_output_commit(&session->output, session->committed);
  recorder_tasks_bury(&session->decoder.tasks, session->committed);
  if (session->names != NULL)
    recorder_names_serve(session->names);
  if (result < 0)
    return recorder_error_set(&session->error, EPROTO,
                              "The ring of CPU %u holds a record that makes no sense.", bad->cpu);
  return 0;
}

/* True when the targets, and what they left behind, are gone. */
static bool targets_are_gone(struct session *session)
{
  bool gone = session->n_targets != 0;
  for (uint32_t i = 0; i < session->n_targets; i++) {
    struct pollfd *target = &session->poll_fds[1 + i];
    if (target->fd >= 0 && target->revents != 0)
      target->fd = ~target->fd; /* negative: poll does not look at it any more */
    gone = gone && target->fd < 0;
  }
  return gone && recorder_source_is_over(&session->source);
}

static enum flow hear_caller(struct session *session, uint32_t expected)
{
  int result = recorder_link_receive(session->socket, &session->packet, &session->error);
  if (result == 0)
    return FLOW_HANG_UP;
  if (result > 0 && session->packet.message.size == sizeof session->packet.message &&
      session->packet.n_fds == 0) {
    if (session->packet.message.type == RECORDER_STOP)
      return FLOW_STOP;
    if (session->packet.message.type == expected)
      return FLOW_ON;
    if (session->packet.message.type == RECORDER_PLACED) {
      recorder_child_hold(false);
      return FLOW_PLACED;
    }
  }
  recorder_error_set(&session->error, EPROTO, "The recorder was sent a message out of turn.");
  send_ended(session, RECORDER_END_FAILED, EPROTO, session->error.text);
  return FLOW_HANG_UP;
}

/* What is due now and then. */
static void keep_house(struct session *session, uint64_t time)
{
  if (time >= session->status_due) {
    send_status(session);
    session->status_due = time + STATUS_PERIOD;
  }
  if (time >= session->cpus_due) {
    recorder_source_follow_cpus(&session->source, note_cpu, session);
    session->cpus_due = time + CPUS_PERIOD;
  }
  wake_consumer(session, time);
}

/* Waits until something happens, but no longer than that. Returns as poll does. */
static int wait_for_something(struct session *session, int milliseconds)
{
  struct pollfd *fds = session->poll_fds;
  uint32_t n = session->n_poll_fds;
  if (session->decoder.unwinder != NULL)
    n += recorder_unwinder_poll(session->decoder.unwinder, fds + n);
  return poll(fds, n, milliseconds);
}

/* Samples that wait for tables get them, or have waited long enough. */
static void wait_for_held(struct session *session)
{
  struct pollfd fds[RECORDER_UNWINDER_FDS];
  while (session->decoder.held.count != 0) {
    poll(fds, recorder_unwinder_poll(session->decoder.unwinder, fds), HELD_TICK);
    recorder_decoder_serve(&session->decoder, session_now());
  }
}

/* While names are looked for: who waits for them is told that this goes on, and makes room for them. */
static bool keep_waiting(void *data)
{
  struct session *session = data;
  struct pollfd caller = {.fd = session->socket, .events = POLLRDHUP};
  uint64_t time = session_now();
  recorder_output_commit(&session->output, session->committed);
  if (time >= session->status_due) {
    send_status(session);
    session->status_due = time + STATUS_PERIOD;
  }
  wake_consumer(session, time);
  return poll(&caller, 1, 0) == 0;
}

/* Of what was not kept because there was too much of it. */
static void tell_bounds(struct session *session)
{
  uint64_t forgotten = 0, refused = 0;
  if (session->decoder.unwinder != NULL)
    recorder_unwinder_count_bounds(session->decoder.unwinder, &forgotten, &refused);
  if (forgotten != 0)
    recorder_output_say(
        &session->output,
        "%llu files that were not mapped any more were forgotten, as there were so many: what "
        "was known of them was looked up anew when they were mapped again.",
        (unsigned long long)forgotten);
  if (refused != 0)
    recorder_output_say(
        &session->output,
        "Files were mapped faster than they could be looked at: %llu times one was left out, so "
        "some stacks through them are not whole.",
        (unsigned long long)refused);
  const char *language = session->way.bpf != NULL ? recorder_bpf_refused_runtime(session->way.bpf) : NULL;
  if (language != NULL)
    recorder_output_say(
        &session->output,
        "This kernel did not take the programs that find functions of %s: stacks show what runs them.",
        language);
  if (session->decoder.functions.unnamed != 0)
    recorder_output_say(
        &session->output,
        "%llu frames of languages have no name: it could not be read, or came faster than it may.",
        (unsigned long long)session->decoder.functions.unnamed);
}

static void find_names(struct session *session)
{
  session->period = FIRST_PERIOD;
  if (session->names != NULL)
    recorder_names_finish(session->names, &session->output, keep_waiting, session);
}

/* A recording may be shorter than that takes; its tables and names need those processes. */
static void await_placement(struct session *session)
{
  struct pollfd caller = {.fd = session->socket, .events = POLLIN};
  while (recorder_child_is_held() && poll(&caller, 1, PLACEMENT) == 1 &&
         hear_caller(session, RECORDER_STOP) != FLOW_HANG_UP)
    ;
}

/* Losses that no record told of, names, and the last windows. */
static void say_farewell(struct session *session)
{
  await_placement(session);
  recorder_source_disable(&session->source);
  recorder_off_cpu_disable(&session->decoder);
  session_drain(session, UINT64_MAX);
  recorder_off_cpu_finish(&session->decoder, session_now());
  wait_for_held(session);
  for (uint32_t i = 0; i < session->source.n_rings; i++) {
    struct recorder_ring *ring = session->source.rings[i];
    uint64_t untold = recorder_source_untold(&session->source, ring);
    if (untold != 0)
      recorder_output_lost(&session->output, session_now(), 0, untold, ring->cpu, 0);
  }
  tell_bounds(session);
  find_names(session);
  uint64_t end = session_now() + FAREWELL;
  recorder_output_commit(&session->output, session_now());
  while (recorder_output_owes(&session->output) && session_now() < end) {
    struct recorder_message message;
    recorder_link_send(session->socket, &message, RECORDER_WAKE, sizeof message, NULL, 0, false);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    recorder_output_commit(&session->output, session_now());
  }
  capture_writer_flush(session->output.writer);
}

/* A command at its gate has a life before its exec, which is looked up while it still lasts. */
static void look_at_gate(struct session *session)
{
  if ((session->source.flags & RECORDER_ENABLE_ON_EXEC) == 0)
    return;
  for (uint32_t i = 0; i < session->n_targets; i++)
    recorder_tasks_thread(&session->decoder.tasks, session->targets[i], session->targets[i]);
}

/* From here on no change of their mappings goes unnoticed. */
static void look_at_targets(struct session *session)
{
  if ((session->source.flags & RECORDER_ENABLE_ON_EXEC) != 0 || session->decoder.unwinder == NULL)
    return;
  for (uint32_t i = 0; i < session->n_targets; i++)
    recorder_decoder_expect(&session->decoder, session->targets[i]);
  recorder_decoder_serve(&session->decoder, session_now());
}

/* First of all the kernel gets its memory back. */
static int end_crowded(struct session *session)
{
  recorder_source_give_up(&session->source);
  say_farewell(session);
  recorder_source_explain_crowd(&session->source, &session->error);
  return session_fail(session);
}

static int session_record(struct session *session)
{
  struct recorder_message message;
  enum recorder_end reason = RECORDER_END_STOPPED;
  session->period = FIRST_PERIOD;
  uint64_t due = session_now() + session->period;
  recorder_source_enable(&session->source);
  recorder_off_cpu_begin(&session->decoder);
  look_at_targets(session);
  if (!recorder_link_send(session->socket, &message, RECORDER_STARTED, sizeof message, NULL, 0, true))
    return EXIT_SUCCESS;
  watch_descriptors(session);
  for (;;) {
    uint64_t time = session_now();
    int timeout = time < due ? (int)((due - time) / MILLISECOND) + 1 : 0;
    int ready = wait_for_something(session, timeout);
    if (ready > 0 && session->poll_fds[0].revents != 0) {
      enum flow flow = hear_caller(session, RECORDER_STOP);
      if (flow == FLOW_HANG_UP)
        return EXIT_SUCCESS;
      if (flow == FLOW_STOP)
        break;
    }
    bool gone = targets_are_gone(session);
    time = session_now();
    due = time + session->period;
    session->period = session->period < DRAIN_PERIOD / 2 ? 2 * session->period : DRAIN_PERIOD;
    if (session_drain(session, time - SLACK) < 0)
      return session_fail(session);
    if (is_crowded(session))
      return end_crowded(session);
    keep_house(session, time);
    if (gone) {
      reason = RECORDER_END_TARGETS_GONE;
      break;
    }
  }
  say_farewell(session);
  send_ended(session, reason, 0, "");
  return EXIT_SUCCESS;
}

static int record_when_told(struct session *session)
{
  if (!send_ready(session))
    return EXIT_SUCCESS;
  enum flow flow;
  do
    flow = hear_caller(session, RECORDER_START);
  while (flow == FLOW_PLACED);
  switch (flow) {
  case FLOW_ON:
    look_at_gate(session);
    return session_record(session);
  case FLOW_STOP:
    send_ended(session, RECORDER_END_STOPPED, 0, "");
    return EXIT_SUCCESS;
  default:
    return EXIT_SUCCESS;
  }
}

/* Without them everything else is recorded as well. */
static void begin_names(struct session *session)
{
  const struct recorder_names_options options = {.binaries = &session->decoder.tasks.binaries};
  if ((session->packet.configure.flags & RECORDER_NAMES) != 0 &&
      recorder_names_create(&session->names, &options) == 0)
    session->output.names = session->names;
}

static void end_names(struct session *session)
{
  session->output.names = NULL;
  if (session->names != NULL)
    recorder_names_free(session->names);
}

static int with_decoder(struct session *session)
{
  recorder_decoder_init(&session->decoder, &session->output, &session->source);
  begin_names(session);
  int status = recorder_way_prepare(&session->way, &session->decoder,
                                    is_own(session) ? &session->opener : NULL, &session->error) < 0 ||
                       recorder_off_cpu_add_targets(&session->decoder, session->pidfds, &session->error) < 0
                   ? session_fail(session)
                   : record_when_told(session);
  end_names(session);
  recorder_decoder_clear(&session->decoder);
  return status;
}

static int with_source(struct session *session)
{
  const struct recorder_configure *configure = &session->packet.configure;
  int result = recorder_output_init(&session->output, configure, session->events, NULL);
  if (result < 0) {
    recorder_error_set(&session->error, -result, "The windows cannot be allocated: %s.", strerror(-result));
    return session_fail(session);
  }
  int status = EXIT_FAILURE;
  result = recorder_way_open(&session->way, &session->source, configure, session->notes, &session->error);
  if (result == 0)
    result = check_targets(session);
  if (result < 0)
    session_fail(session);
  else
    status = with_decoder(session);
  recorder_source_close(&session->source);
  recorder_way_close(&session->way);
  recorder_output_clear(&session->output);
  return status;
}

static int session_configure(struct session *session)
{
  const struct recorder_configure *asked = &session->packet.configure;
  if (recorder_link_check_configure(&session->packet, &session->error) < 0 || resolve_targets(session) < 0 ||
      begin_own(session) < 0 ||
      recorder_events_resolve(session->events, asked, session->notes, &session->error) < 0)
    return session_fail(session);
  recorder_child_hold((asked->flags & RECORDER_PLACED_LATER) != 0);
  session->source = (struct recorder_source){
      .events = session->events,
      .n_events = asked->n_events,
      .flags = asked->flags,
      .max_stack = asked->max_stack,
      .ring_pages = asked->ring_pages,
      .max_open = is_lent(session) ? RECORDER_OPEN_EVENTS_MAX : 0,
      .targets = session->targets,
      .n_targets = session->n_targets,
  };
  return with_source(session);
}

/* Any number of PROBE messages, then CONFIGURE. As recorder_link_receive. */
static int receive_configure(struct session *session)
{
  for (;;) {
    int result = recorder_link_receive(session->socket, &session->packet, &session->error);
    if (result <= 0 || session->packet.message.type != RECORDER_PROBE)
      return result;
    struct recorder_probed probed;
    result = recorder_link_check_probe(&session->packet, &session->error);
    if (result < 0)
      return result;
    recorder_probe(&session->packet.probe, &probed);
    if (!recorder_link_send(session->socket, &probed, RECORDER_PROBED, sizeof probed, NULL, 0, true))
      return 0;
  }
}

int recorder_session_run(int socket)
{
  struct session *session = recorder_allocate(1, sizeof *session);
  session->socket = socket;
  session->opener.socket = -1;
  int result = receive_configure(session);
  int status = result == 0 ? EXIT_SUCCESS : result < 0 ? session_fail(session) : session_configure(session);
  recorder_opener_stop(&session->opener);
  free(session->poll_fds);
  free(session);
  return status;
}
