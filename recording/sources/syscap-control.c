/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/sources/syscap-control.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "recording/collect/foreign.h"
#include "recording/common/descriptor-private.h"
#include "recording/sources/syscap-ring.h"

/* At the same time; half a MiB of memory each, as it is written to. */
#define MAX_RINGS 512
#define REQUEST   "CreatRing"
/* Rounds between two looks whether rings are still somebody's, as long as there are few. */
#define LOOK_EVERY   16
#define FEW_RINGS    64
#define MAX_MESSAGES 10
/* Who asks while all rings are somebody's waits so long for one of a thread that has ended; and when that was
 * in vain, nobody does for a while. Milliseconds. */
#define PATIENCE   200
#define IMPATIENCE 2000

typedef struct {
  RecordingSyscapRing *ring;
  RecordingForeign *foreign; /* NULL: nothing came yet */
  gboolean told;
} Source;

struct _RecordingSyscapControl {
  int descriptor; /* the command's end; -1 once given away */
  int socket;     /* ours; -1: ended */
  int quit;       /* an eventfd */
  GThread *thread;
  gint n_rings;       /* atomic: of those that are somebody's */
  gint64 impatient;   /* the thread's: until this time (g_get_monotonic_time) nobody waits for a ring */
  GAsyncQueue *asked; /* of RecordingSyscapRing: made by the thread */

  GArray *sources; /* of Source */
  GByteArray *frames;
  guint round;
  guint n_messages;
};

static void source_clear(gpointer data)
{
  Source *source = data;

  recording_syscap_ring_free(source->ring);
  g_clear_pointer(&source->foreign, recording_foreign_free);
}

static void free_ring(gpointer ring)
{
  recording_syscap_ring_free(ring);
}

/* One byte, with a descriptor or without. Who does not read its answers has none. */
static gboolean syscap_control_answer(int socket, int descriptor)
{
  const char byte = 0;

  return packet_send(socket, &byte, 1, descriptor, false) == 0;
}

/* Threads that come and go faster than rounds come hold more rings than there are threads. */
static gboolean await_room(RecordingSyscapControl *self)
{
  gint64 now = g_get_monotonic_time(), end = now + PATIENCE * G_TIME_SPAN_MILLISECOND;

  if (now < self->impatient)
    end = now;
  while (g_atomic_int_get(&self->n_rings) >= MAX_RINGS && g_get_monotonic_time() < end)
    g_usleep(G_TIME_SPAN_MILLISECOND);
  if (g_atomic_int_get(&self->n_rings) < MAX_RINGS)
    return TRUE;
  if (now >= self->impatient)
    self->impatient = g_get_monotonic_time() + IMPATIENCE * G_TIME_SPAN_MILLISECOND;
  return FALSE;
}

static void make_ring(RecordingSyscapControl *self, gint32 pid)
{
  int descriptor = -1;
  RecordingSyscapRing *ring = NULL;

  if (await_room(self))
    ring = recording_syscap_ring_new(pid, &descriptor);
  if (!syscap_control_answer(self->socket, descriptor))
    g_clear_pointer(&ring, recording_syscap_ring_free);
  if (descriptor >= 0)
    close(descriptor);
  if (!ring)
    return;
  g_atomic_int_inc(&self->n_rings);
  g_async_queue_push(self->asked, ring);
}

/* What a program attaches would stay open here for good, until there is no room for anybody's. */
static void close_descriptors(const struct cmsghdr *control)
{
  int descriptor;

  for (gsize at = CMSG_LEN(0); at + sizeof descriptor <= control->cmsg_len; at += sizeof descriptor) {
    memcpy(&descriptor, (const guint8 *)control + at, sizeof descriptor);
    close(descriptor);
  }
}

/* As the kernel says it, not as the program does; bytes of one process are never read together with
 * another's. */
static gint32 get_sender(struct msghdr *message)
{
  struct ucred credentials = {0};

  for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
    if (c->cmsg_level != SOL_SOCKET)
      continue;
    if (c->cmsg_type == SCM_CREDENTIALS)
      memcpy(&credentials, CMSG_DATA(c), sizeof credentials);
    else if (c->cmsg_type == SCM_RIGHTS)
      close_descriptors(c);
  }
  return credentials.pid;
}

/* FALSE when nobody has the other end any more. */
static gboolean serve_request(RecordingSyscapControl *self)
{
  char request[sizeof REQUEST];
  union {
    struct cmsghdr alignment;
    char bytes[256];
  } control;
  struct iovec iov = {request, sizeof request};
  struct msghdr message = {
      .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t n = recvmsg(self->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

  if (n < 0)
    return errno == EAGAIN || errno == EINTR;
  gint32 pid = get_sender(&message);
  if (n == sizeof request && memcmp(request, REQUEST, sizeof request) == 0)
    make_ring(self, pid);
  return n > 0;
}

static gpointer syscap_control_serve(gpointer data)
{
  RecordingSyscapControl *self = data;
  struct pollfd fds[] = {{.fd = self->socket, .events = POLLIN}, {.fd = self->quit, .events = POLLIN}};

  do {
    if (poll(fds, G_N_ELEMENTS(fds), -1) < 0 && errno != EINTR)
      break;
    if (fds[0].revents && !serve_request(self))
      fds[0].fd = -1;
  } while (!fds[1].revents);
  return NULL;
}

RecordingSyscapControl *recording_syscap_control_new(void)
{
  g_autoptr(RecordingSyscapControl) self = g_new0(RecordingSyscapControl, 1);
  int ends[2] = {-1, -1};
  int on = 1;

  self->asked = g_async_queue_new_full(free_ring);
  self->sources = g_array_new(FALSE, FALSE, sizeof(Source));
  g_array_set_clear_func(self->sources, source_clear);
  self->frames = g_byte_array_new();
  self->quit = eventfd(0, EFD_CLOEXEC);
  (void)!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
  self->socket = ends[0];
  self->descriptor = recording_descriptor_move_up(ends[1]);
  if (self->quit < 0 || self->descriptor < 0 ||
      setsockopt(self->socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0)
    return NULL;
  self->thread = g_thread_new("syscap-control", syscap_control_serve, self);
  return g_steal_pointer(&self);
}

int recording_syscap_control_get_descriptor(const RecordingSyscapControl *self)
{
  return self->descriptor;
}

void recording_syscap_control_close_descriptor(RecordingSyscapControl *self)
{
  if (self->descriptor >= 0)
    close(self->descriptor);
  self->descriptor = -1;
}

static int syscap_control_tell(RecordingSyscapControl *self, capture_file *file, Source *source,
                               const RecordingSyscapRound *round)
{
  if (source->told || !(round->crowded || round->damaged) || self->n_messages++ >= MAX_MESSAGES)
    return 0;
  source->told = TRUE;
  g_autofree char *text = g_strdup_printf(
      round->damaged
          ? _("A thread of process %d wrote something to its ring (%s) that is not a frame; it was left out.")
          : _("A thread of process %d filled its ring (%s) faster than it was emptied; some of its data may "
              "be missing."),
      recording_syscap_ring_get_pid(source->ring), RECORDING_SYSCAP_CONTROL_VARIABLE);
  return capture_file_add_message(file, (guint64)g_get_monotonic_time() * 1000, 4, text);
}

static int append_frames(RecordingSyscapControl *self, capture_file *file, Source *source)
{
  gint32 pid = recording_syscap_ring_get_pid(source->ring);
  int result = 0;

  if (self->frames->len == 0)
    return 0;
  if (!source->foreign) {
    g_autoptr(GByteArray) header = g_byte_array_new();
    recording_syscap_append_header(header, (guint64)g_get_monotonic_time() * 1000);
    source->foreign =
        recording_foreign_new(file, CAPTURE_FOREIGN_SYSCAP, pid, RECORDING_SYSCAP_CONTROL_VARIABLE);
    result = recording_foreign_append(source->foreign, header->data, header->len);
  }
  return result < 0 ? result
                    : recording_foreign_append(source->foreign, self->frames->data, self->frames->len);
}

static int copy_ring(RecordingSyscapControl *self, capture_file *file, Source *source, gboolean *ret_over)
{
  gboolean look = self->round % LOOK_EVERY == 0 || self->sources->len > FEW_RINGS;
  /* Asked first: what is abandoned by now has all its bytes in the ring. */
  gboolean abandoned = look && recording_syscap_ring_is_abandoned(source->ring);
  RecordingSyscapRound round = {.frames = self->frames};

  g_byte_array_set_size(self->frames, 0);
  recording_syscap_ring_take(source->ring, &round);
  int result = append_frames(self, file, source);
  *ret_over = abandoned || round.finished;
  return result < 0 ? result : syscap_control_tell(self, file, source, &round);
}

static void take_new_rings(RecordingSyscapControl *self)
{
  RecordingSyscapRing *ring;

  while ((ring = g_async_queue_try_pop(self->asked))) {
    Source source = {.ring = ring};
    g_array_append_val(self->sources, source);
  }
}

int recording_syscap_control_copy(RecordingSyscapControl *self, capture_file *file)
{
  int result = 0;

  take_new_rings(self);
  self->round++;
  for (guint i = 0; i < self->sources->len && result == 0;) {
    gboolean over;
    result = copy_ring(self, file, &g_array_index(self->sources, Source, i), &over);
    if (over) {
      g_array_remove_index_fast(self->sources, i);
      g_atomic_int_add(&self->n_rings, -1);
    } else {
      i++;
    }
  }
  return result;
}

void recording_syscap_control_end(RecordingSyscapControl *self)
{
  guint64 one = 1;

  if (self->thread) {
    (void)!write(self->quit, &one, sizeof one);
    g_thread_join(g_steal_pointer(&self->thread));
  }
  if (self->socket >= 0)
    close(self->socket);
  self->socket = -1;
}

void recording_syscap_control_free(RecordingSyscapControl *self)
{
  recording_syscap_control_end(self);
  recording_syscap_control_close_descriptor(self);
  if (self->quit >= 0)
    close(self->quit);
  g_array_unref(self->sources);
  g_async_queue_unref(self->asked);
  g_byte_array_unref(self->frames);
  g_free(self);
}
