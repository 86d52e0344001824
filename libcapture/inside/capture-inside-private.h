/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of libcapture that stand inside of a program share.
 *
 * Windows are not a thread's own. A call borrows a *set* of windows for its time (capture_inside_enter …
 * capture_inside_leave), by a try that never waits: its processor's favourite one mostly, any free one when
 * a call was interrupted. So there are hardly more open windows than processors at work, however
 * many threads come and go, a thread that ends leaves nothing behind, and a handler needs no windows of its
 * own kind. Whoever finds no free set counts a loss.
 *
 * Identifiers of a stream hold for an epoch, those that the program is given hold for ever: they are
 * *handles*, and each epoch's identifier for one is found, or its definition written, when something of that
 * epoch first refers to it. A set is in one epoch from enter to leave (capture_inside_sample may take it into
 * the next), and an epoch's tables are not used for the next but one before everyone has left it.
 *
 * Everything here is async-signal-safe unless said otherwise.
 */
#ifndef CAPTURE_INSIDE_PRIVATE_H
#define CAPTURE_INSIDE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>

#include "libcapture/capture.h"
#include "libcapture/file/capture-file.h"
#include "libcapture/format/capture-format.h"
#include "libcapture/inside/capture-inside-names.h"
#include "libcapture/inside/capture-inside-table.h"
#include "libcapture/pool/capture-announce.h"
#include "libcapture/pool/capture-pool.h"

/* True or false. A word, because not every processor exchanges something smaller without a library (riscv64).
 */
typedef _Atomic uint32_t capture_flag;

#define CAPTURE_EVENTS_MAX   32u  /* handles 1 to this */
#define CAPTURE_COUNTERS_MAX 256u /* likewise */
#define CAPTURE_FRAMES_MAX   511u /* of a stack */

/* ── Threads ──────────────────────────────────────────────────────────────────────────────────────────── */

/* The stack that a thread had last: the next one mostly differs in its innermost frames alone. */
struct capture_inside_path {
  capture_flag busy; /* a call of this thread's that was interrupted has it */
  uint32_t epoch;
  uint32_t count;
  uint64_t addresses[CAPTURE_FRAMES_MAX]; /* the outermost first */
  uint32_t nodes[CAPTURE_FRAMES_MAX];
};

enum capture_thread_state {
  CAPTURE_THREAD_FREE = 0,
  CAPTURE_THREAD_TAKEN = 1, /* being filled in */
  CAPTURE_THREAD_SEEN = 2,  /* called in */
  CAPTURE_THREAD_BEGUN = 3  /* takes part: capture_thread_begin */
};

/* An entry of a fixed array: its index is what a timer's signal carries. Written by its thread alone (and by
 * who takes over the entry of one that ended). */
struct capture_thread {
  _Atomic uint32_t state; /* enum capture_thread_state; published last */
  capture *c;
  bool found; /* claimed by another thread, which found it running */
  _Atomic int32_t tid;
  _Atomic int32_t told_tid; /* as the recording numbers it, where that is known; else tid */
  uintptr_t stack_low;      /* 0: not known */
  uintptr_t stack_high;
  uint64_t chain_end;    /* capture_walk_end of the thread when it began; 0: not known */
  _Atomic uint64_t time; /* when it got that name; 0 before the recording */
  _Atomic uint32_t name; /* handle */
  capture_definition definition;
  struct capture_inside_path *path;

  /* The sampler's. */
  _Atomic(const struct capture_shadow_stack *) shadow_stack;
  timer_t timer;
  capture_flag timer_runs;
  uint64_t sampler_data[4]; /* for it to use as it likes; zero when the thread begins */
};

/* ── Windows ──────────────────────────────────────────────────────────────────────────────────────────── */

struct capture_inside_window {
  struct capture_slot slot;
  uint32_t used; /* bytes of content */
  uint32_t entry_size;
  uint64_t time_first;
  uint64_t time_last;
  uint64_t weight; /* of a samples window with entries of 16 bytes */
};

/* A set. Its members are of whoever is inside. */
struct capture_windows {
  _Alignas(64) _Atomic uint32_t inside; /* the epoch of the call that has it; 0: free */
  uint32_t epoch;                       /* of the windows that are open */
  struct capture_inside_tables *tables; /* the epoch's */
  uint64_t now;                         /* when the call entered: times in a set ascend */
  struct capture_inside_window dictionary;
  struct capture_inside_window records;
  struct capture_inside_window samples[CAPTURE_EVENTS_MAX + 1]; /* by handle */
  uint32_t entry_min[CAPTURE_EVENTS_MAX + 1]; /* what samples of the event have shown to need */
  /* Scratch of a call; so no handler needs a large stack. */
  uint64_t frames[CAPTURE_FRAMES_MAX + 1]; /* the innermost first: fill them, then capture_inside_sample */
  uint64_t sps[CAPTURE_FRAMES_MAX + 1];
  struct capture_frame places[CAPTURE_FRAMES_MAX + 1];
  uint32_t frame_ids[CAPTURE_FRAMES_MAX + 1];
  uint32_t nodes[CAPTURE_FRAMES_MAX + 1];
};

/* ── Events and counters ──────────────────────────────────────────────────────────────────────────────── */

struct capture_inside_event {
  uint32_t name; /* handle; 0: not filled in yet */
  uint32_t unit; /* enum capture_event_unit */
  uint64_t period;
  capture_definition definition;
};

struct capture_inside_counter {
  uint32_t category; /* handles */
  uint32_t name;
  uint32_t description;
  uint32_t unit;
  uint32_t kind; /* enum capture_counter_kind */
  capture_definition definition;
};

/* ── The capture ──────────────────────────────────────────────────────────────────────────────────────── */

/* What the sampler wants to be told, by ordinary calls; set while it runs, or NULL. */
struct capture_inside_hooks {
  void (*thread_begin)(capture *c, struct capture_thread *thread); /* by the thread itself */
  void (*thread_end)(capture *c, struct capture_thread *thread);   /* by itself, or for one that is gone */
  void (*attend)(capture *c); /* now and then: capture_flush, and who begins when nobody records any more */
  void (*forked)(capture *c); /* in the child, which has its stream already and no timer */
  void (*close)(capture *c);
};

/* What a call that leaves sees to. */
enum capture_inside_pending {
  CAPTURE_PENDING_LOST = 1 << 0,     /* losses are not written yet */
  CAPTURE_PENDING_NAMES = 1 << 1,    /* the table of names is full, which is not said yet */
  CAPTURE_PENDING_MAPPINGS = 1 << 2, /* known mappings are not in this epoch yet */
  CAPTURE_PENDING_STALE = 1 << 3     /* an address in no known mapping: an ordinary call reads them again */
};

struct capture {
  /* A page that a child of fork finds zeroed: nothing of the parent's is written to by a child. */
  _Atomic uint32_t *alive;
  capture_pool *pool;
  uint32_t window_size;
  uint32_t window_count;
  struct capture_settings settings;
  struct capture_hello hello;
  capture *next;      /* of the process's captures */
  size_t size;        /* of the memory that begins here */
  uint64_t serial;    /* never the same for two captures of a process */
  bool ended;         /* by the library's destructor */
  uint32_t users;     /* capture_connect's count */
  int socket;         /* -1: none */
  ino_t socket_inode; /* by which it is known */
  pid_t pid;
  pid_t told_pid;            /* as the recording numbers it */
  capture_flag numbers_said; /* that threads could not be numbered so */

  /* An own file. */
  capture_file *file;
  capture_tap *tap;
  int64_t stream;
  int file_error;
  capture_flag drain_wanted; /* half of the windows are full */
  capture_flag draining;

  _Atomic uint32_t epoch;
  capture_flag switching;                  /* somebody begins the next one */
  uint32_t prepared;                       /* that epoch's tables were emptied already; of who switches */
  struct capture_inside_tables *tables[2]; /* of odd and even epochs */
  struct capture_inside_names names;

  struct capture_windows *windows;
  uint32_t n_windows;
  _Atomic uint32_t n_failed; /* times in a row that no window was free */
  struct capture_thread *threads;
  uint32_t n_threads; /* entries */
  uint32_t max_begun; /* that take part at most */
  _Atomic uint32_t n_begun;
  pthread_key_t thread_key; /* tells of a thread's end */

  struct capture_inside_event events[CAPTURE_EVENTS_MAX + 1];
  struct capture_inside_counter counters[CAPTURE_COUNTERS_MAX + 1];
  pthread_mutex_t registering; /* both; ordinary calls only */
  _Atomic uint32_t n_events;
  _Atomic uint32_t n_counters;
  _Atomic uint32_t sampler_event; /* handle: event 0 of samples */

  uint32_t process_name; /* handles */
  uint32_t command_line;
  uint64_t process_time; /* 0: before the recording */
  uint32_t process_origin;
  capture_definition process;
  struct capture_inside_mappings *mappings;

  capture_flag names_full_said;
  capture_flag threads_full_said;
  _Atomic uint32_t pending;                              /* enum capture_inside_pending */
  _Atomic uint64_t lost_samples[CAPTURE_EVENTS_MAX + 1]; /* by handle; not written yet */
  _Atomic uint64_t lost_records;

  _Atomic(const struct capture_inside_hooks *) hooks;
  void *sampler; /* its own, or NULL */
};

/* ── For every call ───────────────────────────────────────────────────────────────────────────────────── */

/* Borrows a set and enters the current epoch. thread may be NULL. NULL when there is nothing to write to (no
 * recording any more, a child of fork): that is no loss; or when no set is free: then the caller counts with
 * capture_inside_lost. *ret_lost says which. */
struct capture_windows *capture_inside_enter(capture *c, const struct capture_thread *thread, bool *ret_lost);
/* Gives it back, after seeing to what is pending. */
void capture_inside_leave(capture *c, struct capture_windows *w);

/* The calling thread's entry, claimed when it has none; NULL when there is none free. Not in the sampler's
 * handler, which has the index. */
struct capture_thread *capture_inside_thread(capture *c);
/* Claims an entry for a thread of this process / gives it back, its timer's end included (hooks). */
struct capture_thread *capture_inside_thread_claim(capture *c, pid_t tid);
/* The entry of a running thread of this process, which takes part from now on; NULL when too many do. */
struct capture_thread *capture_inside_thread_take(capture *c, pid_t tid);
void capture_inside_thread_release(capture *c, struct capture_thread *thread);

/* In a child of fork, whose stream is there: the number of the only thread as the recording has it. */
void capture_inside_thread_number(capture *c);

/* It is sampled from now on, if not too many are. Its stack's bounds must be known. */
bool capture_inside_thread_take_part(capture *c, struct capture_thread *thread);

/* Counts what was not written: samples of an event (handle), and records. They get into the stream as LOST
 * records with a later call. */
void capture_inside_lost(capture *c, uint32_t event, uint64_t samples);
void capture_inside_lost_record(capture *c);

struct capture_inside_sample {
  uint32_t event;  /* handle; 0: the sampler's */
  uint32_t count;  /* of w->frames */
  uint8_t outcome; /* enum capture_outcome */
  bool has_detail;
  uint64_t weight; /* 0: the event's period */
  uint64_t detail;
};

/* Writes a sample whose stack is in w->frames, the innermost first, at the time w->now; begins another epoch
 * when this one is full. False when it was lost, which has been counted, or there is no such event. */
bool capture_inside_sample(capture *c, struct capture_windows *w, struct capture_thread *thread,
                           const struct capture_inside_sample *sample);

/* What struct capture_stack is. */
struct capture_inside_stack {
  capture *c; /* NULL: nothing is done with it */
  struct capture_windows *w;
  struct capture_thread *thread; /* may be NULL: no native frames then */
  const void *ucontext;          /* NULL: native frames begin with the caller */
  uint32_t count;                /* of w->frames */
  uint32_t max;
  struct capture_inside_sample sample;
  uint64_t native[8]; /* where native frames go on; capture_sample_native's own, zero at first */
};

_Static_assert(sizeof(struct capture_inside_stack) <= sizeof(struct capture_stack),
               "what a program sets aside");

/* A MESSAGE record: something that a person should know. severity as of syslog. */
void capture_inside_message(capture *c, uint32_t severity, const char *text);

/* ── For the parts of this side ───────────────────────────────────────────────────────────────────────── */

/* The node of n addresses, the innermost first. 0 when there is no room: *ret_full says that another epoch
 * helps, else no window was free. */
uint32_t capture_inside_path(capture *c, struct capture_windows *w, struct capture_thread *thread,
                             const uint64_t *addresses, uint32_t n, bool *ret_full);
/* Defines the process, the events and the counters in the set's epoch; false when no window is free. */
bool capture_inside_define_all(capture *c, struct capture_windows *w);
void capture_inside_clear_tables(struct capture_inside_tables *tables);
/* Takes w from a full epoch into the next one. False when that cannot be yet. */
bool capture_inside_next_epoch(capture *c, struct capture_windows *w);

/* The set's epoch's identifiers, defined when they were not; 0 for 0, and when there is no room. */
uint32_t capture_inside_name(capture *c, struct capture_windows *w, uint32_t handle);
/* Of a text (a function's name where the handle is a function's). False when there is no room; handle 0, and
 * what is no handle, are 0. */
bool capture_inside_text(capture *c, struct capture_windows *w, uint32_t handle, uint32_t *ret_id);
uint32_t capture_inside_thread_id(capture *c, struct capture_windows *w, struct capture_thread *thread);
uint32_t capture_inside_process_id(capture *c, struct capture_windows *w);
uint32_t capture_inside_event_id(capture *c, struct capture_windows *w, uint32_t event);
uint32_t capture_inside_counter_id(capture *c, struct capture_windows *w, uint32_t counter);

/* `size` bytes, zeroed, at the end of the dictionary or records window (another one is opened when it is
 * full), or NULL when no window is free. The commit that must follow publishes them; drop takes them back. */
void *capture_inside_dictionary(capture *c, struct capture_windows *w, uint32_t size);
void capture_inside_commit_dictionary(capture *c, struct capture_windows *w);
void capture_inside_drop_dictionary(struct capture_windows *w);
void *capture_inside_records(capture *c, struct capture_windows *w, uint32_t size, uint64_t time);
void capture_inside_commit_records(capture *c, struct capture_windows *w);
/* Closes the window and opens another one like `fill`; false when none is free. */
bool capture_inside_open(capture *c, struct capture_inside_window *window,
                         const struct capture_window_header *fill);
void capture_inside_commit_window(capture *c, struct capture_inside_window *window);
void capture_inside_close_windows(capture *c, struct capture_windows *w);
/* Closes the windows of every set that nobody is in. */
void capture_inside_close_idle(capture *c);
/* Whether somebody is in a set in that epoch. */
bool capture_inside_is_anyone_in(capture *c, uint32_t epoch);
/* What the epoch is, or what it becomes while one enters it. */
void capture_inside_pin(capture *c, struct capture_windows *w);

static inline bool capture_inside_is_open(const capture *c)
{
  return atomic_load_explicit(c->alive, memory_order_relaxed) != 0 && !capture_pool_is_ended(c->pool);
}

static inline uint32_t capture_inside_padded(uint32_t size)
{
  return (size + 7) & ~7u;
}

/* Bytes of a text, at most max. */
static inline uint32_t capture_inside_length(const char *text, uint32_t max)
{
  return text ? (uint32_t)strnlen(text, max) : 0;
}

static inline void capture_inside_mark_pending(capture *c, uint32_t what)
{
  if ((atomic_load_explicit(&c->pending, memory_order_relaxed) & what) != what)
    atomic_fetch_or_explicit(&c->pending, what, memory_order_release);
}

/* Mappings of the process that may hold code, kept for every epoch. look notices an address that lies in none
 * of them; write puts them all into the set's epoch (false: another call must, somebody changes them or no
 * window is free). */
void capture_inside_mappings_look(capture *c, uint64_t address, uint64_t now);
bool capture_inside_mappings_write(capture *c, struct capture_windows *w);
/* Reads /proc/self/maps and writes what changed; not in the sampler's handler. After dlopen, and when some
 * of the process's memory with code in it went away. */
void capture_inside_mappings_read(capture *c);
/* The same, unless it was done lately. */
void capture_inside_mappings_refresh(capture *c);
uint64_t capture_inside_mappings_size(void);
void capture_inside_mappings_init(capture *c, void *memory);

/* Of a capture's begin and end, and of a child of fork; not async-signal-safe. */
int capture_inside_fill_in(struct capture_options *ret, const struct capture_options *asked);
int capture_inside_allocate(capture **ret, const struct capture_options *options);
void capture_inside_free(capture *c);
bool capture_inside_is_announced(void);
/* The socket of the recording that is announced, or a negative errno. */
int capture_inside_announce_open(void);
/* Says hello there with c->pool and takes the settings. */
int capture_inside_announce(capture *c, int fd);
int capture_inside_file_open(capture *c, int fd, const char *name);
void capture_inside_file_close(capture *c, bool to_finish);
void capture_inside_mappings_forked(capture *c);
int capture_inside_threads_begin(capture *c);
void capture_inside_threads_end(capture *c);
void capture_inside_thread_forked(capture *c);

/* What every call but the sampler's sees to at its end: an own file that is to be written to, mappings that
 * are to be read again. Allocates nothing. */
void capture_inside_catch_up(capture *c);
/* Writes to an own file what was committed. Not async-signal-safe. */
void capture_inside_drain(capture *c);

/* The table of names is full: this is said once. */
void capture_inside_mark_names_full(capture *c);
/* Losses and messages that a call could not write itself; see capture_inside_leave. */
void capture_inside_see_to_pending(capture *c, struct capture_windows *w);

#endif
