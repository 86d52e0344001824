/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libcapture: what a program tells a profiler about itself.
 *
 * The kernel knows where a processor is; a language runtime knows what that means. A runtime that embeds
 * libcapture has its own functions in the same call tree as native code and the kernel's, its machine code
 * named, its phases marked and its counters drawn. A program needs about a dozen lines:
 *
 *   capture *c = NULL;
 *   capture_connect(&c, CAPTURE_OPTIONS(options, .name = "lua"));
 *   capture_thread_begin(c, NULL);                         once in each thread that is to be sampled
 *   capture_sampler_start(c, CAPTURE_OPTIONS(sampler_options, .stack = my_frames));
 *   …
 *   uint32_t name = capture_string(c, "update_world", CAPTURE_NUL);
 *   capture_mark_begin(c, capture_string(c, "frame", CAPTURE_NUL), name);
 *   …
 *   capture_close(c);
 *
 * It is built, recorded and looked at like this; the end of this file has two recipes for interpreters.
 *
 *   cc -fno-omit-frame-pointer $(pkg-config --cflags capture-1) lua.c $(pkg-config --libs capture-1) -o lua
 *   capturectl record -o lua.capture -- ./lua program
 *   capturectl report --tree lua.capture
 *
 * When nobody records, capture_connect leaves c NULL, and every function takes NULL and does nothing: the
 * calls on the hot path are inline here and cost one branch that is predicted.
 *
 * RULES
 *
 * Size. Structures whose first member is `size` grow at their end: set it to sizeof the structure, as
 * CAPTURE_OPTIONS does.
 *
 * Errors. Functions that return int return 0 or a negative errno. Those that return an identifier return 0
 * when there is none; 0 may be handed on, it means "no name". Losses are counted in the recording and never
 * told twice. Nothing here blocks for a recorder that is slow, stopped or gone: what finds no room is counted
 * and dropped.
 *
 * Threads. Every function may be called by any thread at any time, unless said otherwise. No thread is
 * started. The library takes one real-time or ordinary signal only when a sampler is started: SIGPROF.
 *
 * Signals. Functions marked [signal] are async-signal-safe: no lock, no allocation, errno is kept. They may
 * interrupt any other call of this library's. With capture_create they may write to the file; the sampler's
 * own handler never does.
 *
 * fork, exec, dlclose. A child of fork has a stream of its own before fork returns in it, when the recording
 * asked to follow children; otherwise, and with capture_create, nothing of it is recorded, and its calls do
 * nothing. A child of a bare fork system call, around the C library, is not recorded. exec ends the stream. A
 * program that unloads the library's code closes it before; the library's destructor does the same.
 *
 * Memory. All of it is taken in capture_connect or capture_create, and is bounded by the options. Nothing is
 * allocated afterwards, but for 40 KiB by the first capture_sampler_start.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAPTURE_VERSION_MAJOR 1
#define CAPTURE_VERSION_MINOR 0

/* A pointer to struct capture_NAME with its size and these members, in C: CAPTURE_OPTIONS(options, .name =
 * "lua"). It is valid as a local variable is. Members that are not named are 0. */
#define CAPTURE_OPTIONS(name, ...)                                                                           \
  (&(struct capture_##name){.size = sizeof(struct capture_##name), __VA_ARGS__})

#if defined(CAPTURE_BUILDING) && defined(__GNUC__)
#define CAPTURE_API __attribute__((visibility("default")))
#else
#define CAPTURE_API
#endif

typedef struct capture capture;

/* The library's own version, which may be newer than the header's: CAPTURE_VERSION_MAJOR << 16 |
 * CAPTURE_VERSION_MINOR. [signal] */
CAPTURE_API uint32_t capture_version(void);

/* Length of a text that ends with a NUL. */
#define CAPTURE_NUL SIZE_MAX

/* ── Connecting ───────────────────────────────────────────────────────────────────────────────────────── */

struct capture_options {
  size_t size;
  const char *name;      /* of what embeds the library, "luajit"; NULL: the program's */
  uint32_t max_threads;  /* that are sampled at once; 0: 64 */
  uint32_t max_strings;  /* distinct ones; 0: 16384. Later ones are 0, and that is said in the recording */
  uint32_t max_nodes;    /* of distinct stacks, between two epochs; 0: 65536. About 24 bytes each */
  uint32_t window_size;  /* bytes of a window, at least 8 KiB; 0: 16 KiB */
  uint32_t window_count; /* at least 8: a call at work needs two or three; 0: 64 */
};

/*
 * Joins the recording that is announced in the environment (CAPTURE_SOCKET: a socket's path), if there is
 * one. It is believed only when the peer is this user's, or root's (SO_PEERCRED). Takes at most a second, and
 * longer only where the recording asks for it (the preload library, whose tables are waited for).
 *
 * Returns 0 and *ret is the connection; -ENOENT when nobody records, which is the usual case and no error;
 * another negative errno when it did not work (-ECONNREFUSED: this program is not wanted). *ret is NULL
 * unless 0 is returned. A second call in a process returns the same connection, counted: each has a
 * capture_close of its own, and the first one's options hold. Not [signal].
 */
CAPTURE_API int capture_connect(capture **ret, const struct capture_options *options);

/*
 * Writes a capture of this program's own to fd, an empty seekable file open for writing, which stays the
 * caller's, without anybody who records and without a thread: what was committed goes to the file in
 * capture_flush, in capture_close, and whenever an ordinary call (not one in a signal handler) finds half of
 * the windows full. Returns 0 or a negative errno. Not [signal].
 */
CAPTURE_API int capture_create(capture **ret, int fd, const struct capture_options *options);

/* Commits everything; with capture_create, writes it. 0 or the negative errno of a write. Not [signal]. */
CAPTURE_API int capture_flush(capture *c);

/* Ends the sampler and the stream. Other threads must have ended their calls. NULL is allowed. Not [signal].
 */
CAPTURE_API void capture_close(capture *c);

/* Whether the recording still goes on; false for NULL. Costs a load. [signal] */
CAPTURE_API bool capture_is_recording(const capture *c);

/* CLOCK_MONOTONIC in nanoseconds: the time of everything here. [signal] */
CAPTURE_API uint64_t capture_time(void);

/* ── Names ────────────────────────────────────────────────────────────────────────────────────────────── */

/* The identifier of a text (at most 4095 bytes of it), which is written once, however often it is asked for;
 * known ones cost a hash and a comparison. 0 for NULL, and when the table is full. [signal] */
CAPTURE_API uint32_t capture_string(capture *c, const char *text, size_t length);

/* A function that has no address, as an address: what frames of interpreted functions are. `function` is the
 * identifier of its name, by custom "name file:line" is written as name, file and line apart with
 * capture_function. */
#define CAPTURE_IDENTIFIER(function) (UINT64_C(0xE000000000000000) | (uint64_t)(function))

/* The identifier of a function that has a place in a source, for CAPTURE_IDENTIFIER: interned by all three.
 * name and file are identifiers of texts; line 0: not known. 0 when the table is full. [signal] */
CAPTURE_API uint32_t capture_function(capture *c, uint32_t name, uint32_t file, uint32_t line);

/* ── Machine code made at run time ────────────────────────────────────────────────────────────────────── */

struct capture_code_line {
  uint32_t offset; /* in the code, ascending; holds up to the next one's */
  uint32_t line;
  uint32_t file;     /* identifier of a text; 0: the code's */
  uint32_t function; /* identifier of a text: what was inlined there; 0: the code's own */
};

struct capture_code {
  size_t size;
  const void *start;
  size_t length;
  uint32_t name; /* identifiers of texts */
  uint32_t file;
  uint32_t line;
  uint32_t n_lines; /* at most 65535 */
  const struct capture_code_line *lines;
};

/* From now on that code stands there; what was registered there before ends. Call it before the code runs for
 * the first time. Samples are named by what stood there at their time. 0 or a negative errno. */
CAPTURE_API int capture_code_add(capture *c, const struct capture_code *code);
/* From now on no code stands in that range. Call it when the code cannot run any more, before its memory is
 * used for anything else. */
CAPTURE_API int capture_code_remove(capture *c, const void *start, size_t length);

/* ── Threads ──────────────────────────────────────────────────────────────────────────────────────────── */

/*
 * Frames that a runtime keeps on a stack of its own, for the sampler to read while the thread is interrupted
 * at any instruction: the runtime writes frames[depth], then depth + 1 with release order, and on return
 * depth alone. Each is CAPTURE_IDENTIFIER(function) or an address.
 */
struct capture_shadow_stack {
  size_t size;
  const uint64_t *frames; /* the outermost first */
  uint32_t capacity;      /* of frames; what depth says beyond it is not read */
  uint32_t depth;         /* atomic */
};

/* The calling thread takes part: its stack's bounds are looked up, it is sampled as long as a sampler runs.
 * name NULL: the kernel's name for it. Once a thread; a second call renames it. A thread that ends without
 * capture_thread_end is noticed, but its timer may outlive it by one signal to nobody. 0 or a negative
 * errno: -ENOSPC when max_threads take part already. Not [signal]. */
CAPTURE_API int capture_thread_begin(capture *c, const char *name);
/* Puts the frames of that stack on top of the thread's native ones in every sample (NULL: no more). It must
 * stay valid until then, or until capture_thread_end. Of the calling thread. Not [signal]. */
CAPTURE_API int capture_thread_set_shadow_stack(capture *c, const struct capture_shadow_stack *stack);
/* The calling thread takes no part any more, and is not sampled; it may begin again. Harmless when it does
 * not take part. Not [signal]. */
CAPTURE_API void capture_thread_end(capture *c);

/* ── Samples ──────────────────────────────────────────────────────────────────────────────────────────── */

/* A sample that is being made; its members are the library's. */
struct capture_stack {
  uint64_t opaque[24];
};

/*
 * The runtime's say in each sample of the sampler's, called in the signal handler with the interrupted
 * thread's ucontext_t. It appends frames from the innermost outwards with capture_sample_frame, and native
 * ones where it wants them with capture_sample_native; native frames it did not ask for are not recorded. It
 * must be async-signal-safe and keep to memory that may be read.
 */
typedef void (*capture_stack_fn)(struct capture_stack *stack, const void *ucontext, void *data);

/* Appends the address or CAPTURE_IDENTIFIER of a frame, the innermost first. Return addresses are given as
 * they stand. [signal] */
CAPTURE_API void capture_sample_frame(struct capture_stack *stack, uint64_t frame);
/* Appends the native frames that lie below `until` on the thread's stack (their stack pointer on entry is
 * less); NULL: all that are left. So a runtime puts its own frames where the interpreter's native ones are:
 * with `until` the __builtin_frame_address(0) of the function that interprets, those that it called are
 * appended, and the function itself is left for the next call. [signal] */
CAPTURE_API void capture_sample_native(struct capture_stack *stack, const void *until);
/* The next native frame is the one that called the function whose __builtin_frame_address(0) is `frame`:
 * leads around code that keeps no frame pointers, such as an interpreter that a distribution built. Nothing
 * is appended. A `frame` that is not on the thread's stack, or below what was appended, ends the native
 * frames. [signal] */
CAPTURE_API void capture_sample_skip(struct capture_stack *stack, const void *frame);

struct capture_sample_options {
  size_t size;
  uint32_t event;       /* of capture_event; 0: the sampler's */
  uint64_t weight;      /* in the event's unit; 0: the event's period */
  uint64_t detail;      /* what the event says; 0: none */
  const void *ucontext; /* where native frames begin; NULL: the caller */
};

/* Samples that a runtime takes of its own accord, as in a profiler hook of its virtual machine: begin,
 * frames, end, all in one function of one thread. The thread need not have begun, but has no native frames
 * then. 0 or a negative errno (-EINVAL: there is no such event), and then the others do nothing. [signal] */
CAPTURE_API int capture_sample_begin(capture *c, struct capture_stack *stack,
                                     const struct capture_sample_options *options);
CAPTURE_API void capture_sample_end(struct capture_stack *stack);

enum capture_event_unit { CAPTURE_EVENT_COUNT = 0, CAPTURE_EVENT_NANOSECONDS = 1, CAPTURE_EVENT_BYTES = 2 };

/* An event of the program's own: "allocations". period: what a sample without a weight stands for. Its
 * identifier, 0 when there are too many (32). Interned by name. Not [signal]. */
CAPTURE_API uint32_t capture_event(capture *c, const char *name, enum capture_event_unit unit,
                                   uint64_t period);

enum capture_clock_of_sampler {
  CAPTURE_SAMPLE_AS_ASKED = 0, /* by who records; CPU time when there is nobody */
  CAPTURE_SAMPLE_CPU_TIME = 1,
  CAPTURE_SAMPLE_WALL_TIME = 2
};

/* How unwinding ended. */
enum capture_unwind_outcome {
  CAPTURE_UNWIND_COMPLETE = 1,       /* the root was reached and proven */
  CAPTURE_UNWIND_FRAME_POINTERS = 2, /* followed frame pointers to their end; not proven */
  CAPTURE_UNWIND_TRUNCATED = 3,      /* there are more frames than max */
  CAPTURE_UNWIND_NO_TABLE = 5,       /* nothing describes the code at a frame's address */
  CAPTURE_UNWIND_UNREADABLE = 6,     /* the stack's memory could not be read */
  CAPTURE_UNWIND_BAD_FRAME = 8,      /* the next frame would not lie above this one */
  CAPTURE_UNWIND_UNSUPPORTED = 9,    /* a rule that the unwinder does not evaluate */
  CAPTURE_UNWIND_LATE = 12           /* what describes the code was not there in time */
};

/*
 * Unwinding without frame pointers, for those who have tables: fills frames, the innermost first, with at
 * most max addresses (the interrupted one itself, then return addresses) and, where it can, sps[i] with the
 * stack pointer on entry to frame i. Called in the signal handler. Memory outside low … high is not the
 * thread's stack. Returns how many; *ret_outcome is an enum capture_unwind_outcome.
 */
typedef uint32_t (*capture_unwind_fn)(const void *ucontext, uintptr_t low, uintptr_t high, uint64_t *frames,
                                      uint64_t *sps, uint32_t max, uint32_t *ret_outcome, void *data);

struct capture_sampler_options {
  size_t size;
  enum capture_clock_of_sampler clock;
  uint32_t frequency;     /* hertz, of each thread's time; 0: as asked, else 1000 */
  uint32_t max_stack;     /* frames of a sample at most; 0: 127; at most 511 */
  bool all_threads;       /* those, too, that never called capture_thread_begin but exist now */
  capture_stack_fn stack; /* NULL: native frames alone, and shadow stacks */
  void *stack_data;
  capture_unwind_fn unwind; /* NULL: by frame pointers */
  void *unwind_data;
};

/*
 * Samples every thread that takes part, now and later, by a timer each whose signal is delivered to that very
 * thread. The handler allocates nothing, locks nothing, keeps errno, and makes no system call but its return;
 * it follows frame pointers within the thread's stack only.
 *
 * By processor time a running thread is sampled once in `1 / frequency` or once in a tick of the kernel's,
 * whichever is longer (4 ms on many systems); a sample's weight says how long it stands for. By the wall's
 * time waiting threads are sampled as well: system calls go on afterwards (SA_RESTART) but for those that
 * signal(7) lists as never restarted, such as poll and nanosleep, which return EINTR.
 *
 * -EBUSY when the program has a SIGPROF handler of its own, which is told in the recording, as is one that it
 * installs later; -EALREADY when one runs in this process; -ECANCELED when the recording wants no samples
 * from inside; -EINVAL for more than 100000 Hz. SIGPROF that is not of the library's timers does what it did
 * before. A handler cannot end its timer: when the recording has ended, signals of no use go on until
 * capture_flush, capture_thread_begin, capture_thread_end or capture_sampler_stop is called. Not [signal].
 */
CAPTURE_API int capture_sampler_start(capture *c, const struct capture_sampler_options *options);
/* No handler runs any more when it returns: the library may be unloaded then. Waits for handlers that other
 * threads are in, at most a second. Not [signal]. */
CAPTURE_API void capture_sampler_stop(capture *c);

/* ── Marks, counters, log ─────────────────────────────────────────────────────────────────────────────── */

enum capture_mark_kind {
  CAPTURE_MARK_INSTANT = 0,
  CAPTURE_MARK_BEGIN = 1,
  CAPTURE_MARK_END = 2,
  CAPTURE_MARK_SPAN = 3 /* from time on, as long as duration */
};

/* What happened: at an instant, or from begin to end, nested within a thread (an end ends the latest begin of
 * its category and name), or over a time that is past. category and name are identifiers of texts, message
 * is text or NULL and at most 1023 bytes of it are kept. [signal] */
CAPTURE_API void capture_mark_(capture *c, enum capture_mark_kind kind, uint64_t time, uint64_t duration,
                               uint32_t category, uint32_t name, const char *message);

static inline void capture_mark(capture *c, uint32_t category, uint32_t name, const char *message)
{
  if (__builtin_expect(c != NULL, 0))
    capture_mark_(c, CAPTURE_MARK_INSTANT, 0, 0, category, name, message);
}

static inline void capture_mark_begin(capture *c, uint32_t category, uint32_t name)
{
  if (__builtin_expect(c != NULL, 0))
    capture_mark_(c, CAPTURE_MARK_BEGIN, 0, 0, category, name, NULL);
}

static inline void capture_mark_end(capture *c, uint32_t category, uint32_t name, const char *message)
{
  if (__builtin_expect(c != NULL, 0))
    capture_mark_(c, CAPTURE_MARK_END, 0, 0, category, name, message);
}

/* begin: of capture_time. */
static inline void capture_mark_span(capture *c, uint64_t begin, uint64_t duration, uint32_t category,
                                     uint32_t name, const char *message)
{
  if (__builtin_expect(c != NULL, 0))
    capture_mark_(c, CAPTURE_MARK_SPAN, begin, duration, category, name, message);
}

enum capture_counter_kind {
  CAPTURE_COUNTER_GAUGE = 0, /* a level: what it is */
  CAPTURE_COUNTER_TOTAL = 1  /* grows: what came since the last value is of interest */
};

struct capture_counter_options {
  size_t size;
  const char *category;    /* "memory" */
  const char *name;        /* "heap" */
  const char *description; /* may be NULL */
  const char *unit;        /* "bytes", "%", "1/s"; may be NULL */
  enum capture_counter_kind kind;
};

/* Its identifier, 0 when there are too many (256). Interned by category and name. Not [signal]. */
CAPTURE_API uint32_t capture_counter(capture *c, const struct capture_counter_options *options);
/* Its value now. [signal] */
CAPTURE_API void capture_count_(capture *c, uint32_t counter, double value);

static inline void capture_count(capture *c, uint32_t counter, double value)
{
  if (__builtin_expect(c != NULL, 0))
    capture_count_(c, counter, value);
}

/* A line of a log; severity as of syslog (3 error, 4 warning, 6 information, 7 debugging). domain is an
 * identifier of a text; at most 1023 bytes of text are kept. [signal] */
CAPTURE_API void capture_log(capture *c, uint32_t severity, uint32_t domain, const char *text);

#ifdef __cplusplus
}
#endif

/*
 * RECIPES for interpreters, whose functions are no machine code. Both are per thread, and `c` is the
 * connection.
 *
 * A shadow stack: the interpreter keeps its calls a second time. Its frames come innermost, then all native
 * ones. Each thread calls begin_thread; every call of a function is between enter and leave.
 *
 *   static _Thread_local struct {
 *     uint64_t frames[1000];
 *     struct capture_shadow_stack stack;
 *   } shadow;
 *
 *   static void begin_thread(void)
 *   {
 *     shadow.stack = *CAPTURE_OPTIONS(shadow_stack, .frames = shadow.frames, .capacity = 1000);
 *     capture_thread_begin(c, NULL);
 *     capture_thread_set_shadow_stack(c, &shadow.stack);
 *   }
 *
 *   static void enter(uint32_t function) // of capture_function
 *   {
 *     if (shadow.stack.depth < 1000)
 *       shadow.frames[shadow.stack.depth] = CAPTURE_IDENTIFIER(function);
 *     __atomic_store_n(&shadow.stack.depth, shadow.stack.depth + 1, __ATOMIC_RELEASE);
 *   }
 *
 *   static void leave(void)
 *   {
 *     __atomic_store_n(&shadow.stack.depth, shadow.stack.depth - 1, __ATOMIC_RELEASE);
 *   }
 *
 * A callback: own and native frames alternate. The interpreter's loop publishes its machine in `current`
 * while it runs, and takes it back before it returns. Without volatile compilers leave both out.
 *
 *   struct machine {
 *     const void *frame; // __builtin_frame_address(0) of the loop, which must not be inlined
 *     uint64_t calls[1000];
 *     uint32_t depth; // written with release order, at most 1000
 *   };
 *   static _Thread_local struct machine *volatile current __attribute__((tls_model("initial-exec")));
 *
 *   static void add_frames(struct capture_stack *stack, const void *ucontext, void *data)
 *   {
 *     const struct machine *machine = current;
 *
 *     (void)ucontext, (void)data;
 *     if (machine) {
 *       capture_sample_native(stack, machine->frame);
 *       for (uint32_t i = __atomic_load_n(&machine->depth, __ATOMIC_ACQUIRE); i > 0; i--)
 *         capture_sample_frame(stack, machine->calls[i - 1]);
 *       capture_sample_skip(stack, machine->frame);
 *     }
 *     capture_sample_native(stack, NULL);
 *   }
 *
 *   static int start_sampler(void)
 *   {
 *     return capture_sampler_start(c, CAPTURE_OPTIONS(sampler_options, .stack = add_frames));
 *   }
 */

#endif
