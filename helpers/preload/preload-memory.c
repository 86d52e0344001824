/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The malloc family. Where nobody traces allocations, a call costs two branches beside its jump to the C
 * library (or whatever allocator comes next).
 *
 * The functions behind are looked up with the first call of any, which may itself allocate: that is served
 * from a piece of static memory, never given back.
 */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/preload/preload-private.h"
#include "helpers/preload/preload-tracer.h"
#include "helpers/preload/preload-update.h"

#define EARLY_BYTES 65536
#define CALLER      __builtin_return_address(0)

struct allocator {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void (*free)(void *);
  int (*posix_memalign)(void **, size_t, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  void *(*memalign)(size_t, size_t);
  void *(*valloc)(size_t);
  void *(*pvalloc)(size_t);
};

static struct allocator next;
static _Atomic bool is_found;
static __thread bool is_looking __attribute__((tls_model("initial-exec")));

static _Alignas(64) char early[EARLY_BYTES];
static _Atomic size_t early_used;

static bool is_early(const void *block)
{
  return (uintptr_t)block - (uintptr_t)early < sizeof early;
}

/* Zeros, behind a word that says how many. */
static void *take_early(size_t size)
{
  size_t whole = (size + 31) & ~(size_t)15;
  if (size > sizeof early || whole > sizeof early)
    return NULL;
  size_t at = atomic_fetch_add(&early_used, whole);
  if (at > sizeof early - whole)
    return NULL;
  *(size_t *)(void *)(early + at) = size;
  return early + at + 16;
}

static size_t early_size(const void *block)
{
  return *(const size_t *)(const void *)((const char *)block - 16);
}

static void preload_memory_find(void)
{
  struct allocator found;
  is_looking = true;
  found.malloc = (void *(*)(size_t))preload_next("malloc");
  found.calloc = (void *(*)(size_t, size_t))preload_next("calloc");
  found.realloc = (void *(*)(void *, size_t))preload_next("realloc");
  found.free = (void (*)(void *))preload_next("free");
  found.posix_memalign = (int (*)(void **, size_t, size_t))preload_next("posix_memalign");
  found.aligned_alloc = (void *(*)(size_t, size_t))preload_next("aligned_alloc");
  found.memalign = (void *(*)(size_t, size_t))preload_next("memalign");
  found.valloc = (void *(*)(size_t))preload_next("valloc");
  found.pvalloc = (void *(*)(size_t))preload_next("pvalloc");
  /* Threads that do it at once write the same. */
  next = found;
  atomic_store_explicit(&is_found, true, memory_order_release);
  is_looking = false;
}

/* False: the call comes from the look-up itself. */
static inline bool is_ready(void)
{
  if (PRELOAD_LIKELY(atomic_load_explicit(&is_found, memory_order_acquire)))
    return true;
  if (!is_looking)
    preload_memory_find();
  return !is_looking;
}

static inline uint32_t preload_memory_attention(void)
{
  return atomic_load_explicit(&preload_attention, memory_order_relaxed);
}

static __attribute__((noinline)) void *preload_memory_allocated(void *block, size_t size, const void *caller)
{
  uint32_t what = preload_memory_attention();
  if ((what & PRELOAD_UPDATE) != 0)
    preload_update(atomic_load(&preload_capture));
  if ((what & PRELOAD_TRACE) != 0)
    preload_tracer_allocated(block, size, caller);
  return block;
}

static inline void *preload_memory_seen(void *block, size_t size, const void *caller)
{
  return PRELOAD_LIKELY(preload_memory_attention() == 0) ? block
                                                         : preload_memory_allocated(block, size, caller);
}

PRELOAD_EXPORT void *malloc(size_t size)
{
  if (!is_ready())
    return take_early(size);
  if (PRELOAD_LIKELY(preload_memory_attention() == 0))
    return next.malloc(size);
  return preload_memory_allocated(next.malloc(size), size, CALLER);
}

PRELOAD_EXPORT void *calloc(size_t n, size_t size)
{
  size_t whole;
  bool fits = !__builtin_mul_overflow(n, size, &whole);
  if (!is_ready())
    return fits ? take_early(whole) : NULL;
  if (PRELOAD_LIKELY(preload_memory_attention() == 0))
    return next.calloc(n, size);
  return preload_memory_allocated(next.calloc(n, size), fits ? whole : 0, CALLER);
}

PRELOAD_EXPORT void free(void *block)
{
  if (!block || is_early(block) || !is_ready())
    return;
  if (PRELOAD_UNLIKELY((preload_memory_attention() & PRELOAD_TRACE) != 0))
    preload_tracer_freed(block, CALLER);
  next.free(block);
}

/* Out of the early memory, into the heap. */
static void *preload_memory_move(void *block, size_t size)
{
  size_t old = early_size(block);
  void *moved = is_ready() ? next.malloc(size) : take_early(size);
  if (moved)
    memcpy(moved, block, old < size ? old : size);
  return moved;
}

/* A block that moves is given back and allocated; one that stays has what it has anew. The old one is
 * forgotten before another thread can get it. */
static __attribute__((noinline)) void *preload_memory_reallocate(void *block, size_t size, const void *caller)
{
  struct preload_reallocation before;
  if (!block)
    return preload_memory_allocated(next.realloc(NULL, size), size, caller);
  if ((preload_memory_attention() & PRELOAD_TRACE) == 0)
    return next.realloc(block, size);
  preload_tracer_reallocate(&before, block);
  void *moved = next.realloc(block, size);
  preload_tracer_reallocated(&before, moved, size, caller);
  return moved;
}

PRELOAD_EXPORT void *realloc(void *block, size_t size)
{
  if (PRELOAD_UNLIKELY(is_early(block) || !is_ready()))
    return block ? preload_memory_move(block, size) : take_early(size);
  return PRELOAD_LIKELY(preload_memory_attention() == 0) ? next.realloc(block, size)
                                                         : preload_memory_reallocate(block, size, CALLER);
}

PRELOAD_EXPORT void *reallocarray(void *block, size_t n, size_t size)
{
  size_t whole;
  if (__builtin_mul_overflow(n, size, &whole)) {
    errno = ENOMEM;
    return NULL;
  }
  if (PRELOAD_UNLIKELY(is_early(block) || !is_ready()))
    return block ? preload_memory_move(block, whole) : take_early(whole);
  return PRELOAD_LIKELY(preload_memory_attention() == 0) ? next.realloc(block, whole)
                                                         : preload_memory_reallocate(block, whole, CALLER);
}

PRELOAD_EXPORT int posix_memalign(void **ret, size_t alignment, size_t size)
{
  if (!is_ready())
    return ENOMEM;
  int error = next.posix_memalign(ret, alignment, size);
  if (error == 0)
    (void)preload_memory_seen(*ret, size, CALLER);
  return error;
}

PRELOAD_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
  return is_ready() ? preload_memory_seen(next.aligned_alloc(alignment, size), size, CALLER) : NULL;
}

PRELOAD_EXPORT void *memalign(size_t alignment, size_t size)
{
  return is_ready() ? preload_memory_seen(next.memalign(alignment, size), size, CALLER) : NULL;
}

PRELOAD_EXPORT void *valloc(size_t size)
{
  return is_ready() ? preload_memory_seen(next.valloc(size), size, CALLER) : NULL;
}

PRELOAD_EXPORT void *pvalloc(size_t size)
{
  return is_ready() ? preload_memory_seen(next.pvalloc(size), size, CALLER) : NULL;
}

/* What the library's own calls become (the linker's --wrap): they are not the program's allocations. */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_reallocarray(void *block, size_t n, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size)
{
  return is_ready() ? next.malloc(size) : NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
  return is_ready() ? next.calloc(n, size) : NULL;
}

void *__wrap_realloc(void *block, size_t size)
{
  return is_ready() ? next.realloc(block, size) : NULL;
}

void *__wrap_reallocarray(void *block, size_t n, size_t size)
{
  size_t whole;
  if (!__builtin_mul_overflow(n, size, &whole))
    return __wrap_realloc(block, whole);
  errno = ENOMEM;
  return NULL;
}

void __wrap_free(void *block)
{
  if (block && is_ready())
    next.free(block);
}
