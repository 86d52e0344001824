/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The beginning and the end: of the process, of its children, of the recording. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/preload/preload-private.h"
#include "helpers/preload/preload-totals.h"
#include "helpers/preload/preload-tracer.h"
#include "helpers/preload/preload-update.h"
#include "libcapture/inside/capture-inside-private.h"
#include "libcapture/inside/capture-preload-private.h"

#define MAX_THREADS 1024

_Atomic(capture *) preload_capture;
_Atomic uint32_t preload_attention;
struct preload_area preload_area;

/* The sampler's hook. */
static uint32_t preload_main_unwind(const void *ucontext, uintptr_t low, uintptr_t high, uint64_t *frames,
                                    uint64_t *sps, uint32_t max, uint32_t *ret_outcome, void *data)
{
  struct preload_remembered *remembered = preload_self.remembered;
  struct preload_walk walk = {.area = &preload_area,
                              .memos = remembered ? &remembered->interrupted : NULL,
                              .low = low,
                              .high = high,
                              .frames = frames,
                              .sps = sps,
                              .max = max};
  uint32_t n = preload_walk_interrupted(&walk, ucontext, ret_outcome);
  if (walk.missed)
    preload_update_wanted();
  return n;
}

static void start_sampler(capture *c)
{
  bool has_tables = PRELOAD_WALKS && (c->settings.flags & CAPTURE_SETTINGS_TABLES) != 0 && preload_area.bytes;
  struct capture_sampler_options options = {
      .size = sizeof options,
      .max_stack = has_tables && c->settings.max_stack == 0 ? CAPTURE_FRAMES_MAX : c->settings.max_stack,
      .all_threads = true,
      .unwind = has_tables ? preload_main_unwind : NULL};
  int error = capture_sampler_start(c, &options);
  if (error != 0 && error != -EALREADY)
    capture_inside_message(c, 4, "The sampler could not be started in this program.");
}

static void start_tracer(capture *c)
{
  if (preload_tracer_start(c, c->settings.allocation_bytes) != 0)
    capture_inside_message(c, 4, "Allocations cannot be traced in this program: there is no memory for it.");
}

/* libcapture's own handler was registered before, so its stream is the child's by now. */
static void preload_main_forked(void)
{
  capture *c = atomic_load(&preload_capture);
  preload_self.inside++;
  preload_update_forked();
  preload_tracer_forked(c && (c->settings.flags & CAPTURE_SETTINGS_CHILDREN) != 0);
  preload_self.inside--;
}

static void preload_main_start(capture *c)
{
  preload_threads_init();
  atomic_store(&preload_capture, c);
  preload_area_init(&preload_area);
  preload_update(c);
  if ((c->settings.flags & CAPTURE_SETTINGS_ALLOCATIONS) != 0)
    start_tracer(c);
  preload_thread_begin();
  if ((c->settings.flags & CAPTURE_SETTINGS_SAMPLE) != 0)
    start_sampler(c);
  pthread_atfork(NULL, NULL, preload_main_forked);
}

static __attribute__((constructor)) void preload_main_begin(void)
{
  struct capture_options options = {.size = sizeof options, .max_threads = MAX_THREADS};
  capture *c = NULL;
  preload_signals_init();
  if (!secure_getenv(CAPTURE_SOCKET_VARIABLE))
    return;
  preload_self.inside++;
  if (capture_inside_connect(&c, &options, CAPTURE_HELLO_PRELOAD) == 0)
    preload_main_start(c);
  preload_self.inside--;
}

static __attribute__((destructor)) void preload_main_end(void)
{
  preload_self.inside++;
  preload_tracer_stop();
  preload_self.inside--;
}

/* Ends without destructors, perhaps in a signal handler, or in a child of vfork, which has its parent's
 * memory: the thread that goes on with it is not inside. */
static __attribute__((noreturn)) void preload_main_leave(int status)
{
  capture *c = atomic_load(&preload_capture);
  preload_self.inside++;
  if (c && (atomic_load(&preload_attention) & PRELOAD_TRACE) != 0)
    preload_totals_tell(c);
  preload_self.inside--;
  for (;;)
    syscall(SYS_exit_group, status);
}

PRELOAD_EXPORT void _exit(int status)
{
  preload_main_leave(status);
}

PRELOAD_EXPORT void _Exit(int status)
{
  preload_main_leave(status);
}
