/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture's life: connecting, an own file, fork, the end. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcapture/inside/capture-inside-private.h"
#include "libcapture/inside/capture-preload-private.h"

/* Of connecting and closing. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static capture *_Atomic captures; /* the process's */
static capture *connected;
static uint64_t last_serial;
static bool watches_forks;

bool capture_is_recording(const capture *c)
{
  return c && capture_inside_is_open(c);
}

/* ── What the process is ──────────────────────────────────────────────────────────────────────────────── */

/* At most size bytes of a file of /proc. */
static size_t read_text(const char *path, char *text, size_t size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  size_t length = 0;
  ssize_t n;

  if (fd < 0)
    return 0;
  while (length < size && (n = read(fd, text + length, size - length)) > 0)
    length += (size_t)n;
  close(fd);
  return length;
}

static void describe_process(capture *c)
{
  char text[CAPTURE_NAME_LENGTH_MAX];
  size_t length = read_text("/proc/self/comm", text, sizeof text);

  while (length > 0 && text[length - 1] == '\n')
    length--;
  c->process_name = capture_names_text(&c->names, text, length, true);
  c->command_line = 0;
  if ((c->settings.flags & CAPTURE_SETTINGS_NO_COMMAND_LINES) != 0)
    return;
  length = read_text("/proc/self/cmdline", text, sizeof text);
  while (length > 0 && text[length - 1] == '\0')
    length--;
  for (size_t i = 0; i < length; i++)
    text[i] = text[i] == '\0' ? ' ' : text[i];
  if (length > 0)
    c->command_line = capture_names_text(&c->names, text, length, true);
}

static void define_all(capture *c)
{
  bool lost;
  struct capture_windows *w = capture_inside_enter(c, NULL, &lost);

  if (!w)
    return;
  capture_inside_define_all(c, w);
  capture_inside_leave(c, w);
}

/* The windows are there, and somebody takes them: from now on it is written. */
static void inside_go(capture *c)
{
  describe_process(c);
  atomic_store(c->alive, 1);
  define_all(c);
  capture_inside_mappings_read(c);
}

/* ── Streams ──────────────────────────────────────────────────────────────────────────────────────────── */

static int create_pool(capture *c)
{
  const struct capture_pool_options options = {
      .size = sizeof options, .window_size = c->window_size, .window_count = c->window_count};

  c->pid = c->told_pid = getpid();
  return capture_pool_create(&c->pool, &options);
}

/* Some programs close all descriptors that they do not know; then the number is somebody else's. */
static void close_socket(capture *c)
{
  struct stat status;

  if (c->socket >= 0 && fstat(c->socket, &status) == 0 && S_ISSOCK(status.st_mode) &&
      status.st_ino == c->socket_inode)
    close(c->socket);
  c->socket = -1;
}

static void close_stream(capture *c)
{
  close_socket(c);
  capture_pool_destroy(c->pool);
  c->pool = NULL;
}

static int open_stream(capture *c)
{
  struct stat status;
  int r;

  c->socket = capture_inside_announce_open();
  if (c->socket < 0)
    return c->socket;
  c->socket_inode = fstat(c->socket, &status) == 0 ? status.st_ino : 0;
  r = create_pool(c);
  if (r == 0)
    r = capture_inside_announce(c, c->socket);
  if (r < 0)
    close_stream(c);
  else
    capture_pool_close_fds(c->pool);
  return r;
}

/* ── fork ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* Nothing of what the parent's threads were about to do is done here. One of them may have been filling the
 * next epoch: what it defined there is not in this stream. */
static void forget_parent(capture *c)
{
  uint32_t epoch = atomic_load(&c->epoch) + 2;

  for (uint32_t i = 0; i < c->n_windows; i++) {
    struct capture_windows *w = &c->windows[i];

    w->dictionary.slot.header = w->records.slot.header = NULL;
    for (uint32_t j = 0; j <= CAPTURE_EVENTS_MAX; j++)
      w->samples[j].slot.header = NULL;
    w->epoch = 0;
    atomic_store(&w->inside, 0);
  }
  capture_inside_clear_tables(c->tables[0]);
  capture_inside_clear_tables(c->tables[1]);
  c->prepared = 0;
  for (uint32_t i = 0; i <= CAPTURE_EVENTS_MAX; i++)
    atomic_store(&c->lost_samples[i], 0);
  atomic_store(&c->lost_records, 0);
  atomic_store(&c->pending, 0);
  atomic_store(&c->names_full_said, false);
  atomic_store(&c->threads_full_said, false);
  atomic_store(&c->switching, false);
  atomic_store(&c->epoch, epoch);
  c->registering = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  capture_inside_mappings_forked(c);
  capture_inside_thread_forked(c);
}

/* The parent's stream is not kept open by a descriptor of the child's. */
static void leave_parent(capture *c)
{
  const struct capture_inside_hooks *hooks = atomic_load(&c->hooks);
  bool follow = !c->file && c->pool && (c->settings.flags & CAPTURE_SETTINGS_CHILDREN) != 0;

  if (!c->pool)
    return;
  forget_parent(c);
  if (c->file)
    capture_inside_file_close(c, false);
  close_stream(c);
  if (!follow || open_stream(c) < 0)
    return;
  capture_inside_thread_number(c);
  c->process_origin = CAPTURE_PROCESS_FORKED;
  c->process_time = capture_time();
  inside_go(c);
  capture_inside_mark_pending(c, CAPTURE_PENDING_MAPPINGS);
  if (hooks)
    hooks->forked(c);
}

static void in_child(void)
{
  int saved_errno = errno;

  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  for (capture *c = captures; c; c = c->next)
    leave_parent(c);
  errno = saved_errno;
}

/* ── Beginning and end ────────────────────────────────────────────────────────────────────────────────── */

static void add_to_process(capture *c)
{
  c->serial = ++last_serial;
  c->users = 1;
  c->next = captures;
  captures = c;
  if (!watches_forks)
    watches_forks = pthread_atfork(NULL, NULL, in_child) == 0;
}

static void remove_from_process(capture *c)
{
  if (captures == c) {
    captures = c->next;
    return;
  }
  for (capture *before = captures; before; before = before->next) {
    if (before->next == c)
      before->next = c->next;
  }
}

static int new_capture(capture **ret, const struct capture_options *asked)
{
  struct capture_options options;
  int r = capture_inside_fill_in(&options, asked);

  if (r == 0)
    r = capture_inside_allocate(ret, &options);
  if (r < 0)
    return r;
  (*ret)->socket = -1;
  (*ret)->window_size = options.window_size;
  (*ret)->registering = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  atomic_store(&(*ret)->epoch, 1);
  strncpy((*ret)->hello.name, options.name ? options.name : program_invocation_short_name,
          sizeof(*ret)->hello.name - 1);
  r = capture_inside_threads_begin(*ret);
  if (r < 0)
    capture_inside_free(*ret);
  return r;
}

static void inside_discard(capture *c)
{
  capture_inside_threads_end(c);
  capture_inside_free(c);
}

static int connect_new(const struct capture_options *options, uint32_t hello_flags)
{
  capture *c = NULL;
  int r = capture_inside_is_announced() ? new_capture(&c, options) : -ENOENT;

  if (r < 0)
    return r;
  c->hello.flags = hello_flags;
  r = open_stream(c);
  if (r < 0) {
    inside_discard(c);
    return r;
  }
  add_to_process(c);
  connected = c;
  inside_go(c);
  return 0;
}

int capture_inside_connect(capture **ret, const struct capture_options *options, uint32_t hello_flags)
{
  int r = 0;

  *ret = NULL;
  pthread_mutex_lock(&lock);
  if (connected)
    connected->users++;
  else
    r = connect_new(options, hello_flags);
  if (r == 0)
    *ret = connected;
  pthread_mutex_unlock(&lock);
  return r;
}

int capture_connect(capture **ret, const struct capture_options *options)
{
  return capture_inside_connect(ret, options, 0);
}

int capture_create(capture **ret, int fd, const struct capture_options *options)
{
  capture *c = NULL;
  int r = new_capture(&c, options);

  *ret = NULL;
  if (r < 0)
    return r;
  r = create_pool(c);
  if (r == 0)
    r = capture_inside_file_open(c, fd, c->hello.name);
  if (r < 0) {
    capture_inside_file_close(c, false);
    close_stream(c);
    inside_discard(c);
    return r;
  }
  pthread_mutex_lock(&lock);
  add_to_process(c);
  pthread_mutex_unlock(&lock);
  inside_go(c);
  *ret = c;
  return 0;
}

static void see_to_pending(capture *c)
{
  bool lost;
  struct capture_windows *w = capture_inside_enter(c, NULL, &lost);

  if (w)
    capture_inside_leave(c, w);
}

/* What is pending gets into the stream. Where a pool is small, windows that are open may be all there are:
 * they are given back, so that losses are still told. */
static void inside_finish(capture *c)
{
  if (!capture_inside_is_open(c))
    return;
  capture_inside_drain(c);
  if ((atomic_load(&c->pending) & CAPTURE_PENDING_STALE) != 0)
    capture_inside_mappings_read(c);
  see_to_pending(c);
  if ((atomic_load(&c->pending) & ~CAPTURE_PENDING_STALE) == 0)
    return;
  capture_inside_close_idle(c);
  capture_inside_drain(c);
  see_to_pending(c);
}

int capture_flush(capture *c)
{
  const struct capture_inside_hooks *hooks = c ? atomic_load(&c->hooks) : NULL;

  if (!c)
    return 0;
  if (hooks)
    hooks->attend(c);
  inside_finish(c);
  if (!c->file)
    return 0;
  capture_inside_close_idle(c);
  capture_inside_drain(c);
  return c->file_error;
}

/* Nothing is written from now on; the memory stays. */
static void end_capture(capture *c)
{
  const struct capture_inside_hooks *hooks = atomic_load(&c->hooks);

  if (hooks)
    hooks->close(c);
  capture_inside_mappings_read(c);
  inside_finish(c);
  /* First: nobody who still calls in shall look for himself by a key that is somebody else's by then. */
  atomic_store(c->alive, 0);
  capture_inside_threads_end(c);
  if (c->pool)
    capture_inside_close_idle(c);
  if (c->file)
    capture_inside_file_close(c, true);
  close_socket(c);
}

void capture_close(capture *c)
{
  if (!c)
    return;
  pthread_mutex_lock(&lock);
  if (!c->ended && --c->users == 0) {
    remove_from_process(c);
    if (connected == c)
      connected = NULL;
    end_capture(c);
    close_stream(c);
    capture_inside_free(c);
  }
  pthread_mutex_unlock(&lock);
}

/* The library's code is unloaded, or the process ends; then other threads may be anywhere in the library, and
 * so the memory stays. Destructors of the same object that have no priority come before: they may have
 * something to say. */
__attribute__((destructor(1000))) static void end_all(void)
{
  pthread_mutex_lock(&lock);
  for (capture *c = captures; c; c = c->next) {
    end_capture(c);
    c->ended = true;
  }
  captures = connected = NULL;
  pthread_mutex_unlock(&lock);
}
