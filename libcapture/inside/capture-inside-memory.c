/* SPDX-License-Identifier: BSD-2-Clause */
/* All memory of a capture is one piece of address space, and touched as it is used. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "libcapture/inside/capture-inside-private.h"

#define DEFAULT_THREADS      64u
#define DEFAULT_STRINGS      16384u
#define DEFAULT_NODES        65536u
#define DEFAULT_WINDOW_SIZE  (16u << 10)
#define DEFAULT_WINDOW_COUNT 64u

#define THREADS_MAX     4096u
#define STRINGS_MAX     (1u << 24)
#define NODES_MIN       1024u
#define SPACES_MAX      1024u
#define WINDOW_SIZE_MIN (8u << 10) /* the longest record of a stack fits */
#define WINDOW_SIZE_MAX (16u << 20)
#define WINDOWS_MIN     8u
#define SETS_MIN        2u
#define SETS_MAX        128u

/* Threads that only call in have an entry as well. */
#define ENTRIES(threads) ((threads)*2 + 64)

static uint32_t or_default(uint32_t wanted, uint32_t fallback)
{
  return wanted ? wanted : fallback;
}

static uint32_t at_least(uint32_t wanted, uint32_t min)
{
  return wanted > min ? wanted : min;
}

int capture_inside_fill_in(struct capture_options *ret, const struct capture_options *asked)
{
  const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
  struct capture_options options = {0};

  if (asked)
    memcpy(&options, asked, asked->size < sizeof options ? asked->size : sizeof options);
  options.max_threads = or_default(options.max_threads, DEFAULT_THREADS);
  options.max_strings = or_default(options.max_strings, DEFAULT_STRINGS);
  options.max_nodes = at_least(or_default(options.max_nodes, DEFAULT_NODES), NODES_MIN);
  options.window_count = at_least(or_default(options.window_count, DEFAULT_WINDOW_COUNT), WINDOWS_MIN);
  options.window_size = at_least(or_default(options.window_size, DEFAULT_WINDOW_SIZE), WINDOW_SIZE_MIN);
  if (options.max_threads > THREADS_MAX || options.max_strings > STRINGS_MAX ||
      options.max_nodes > CAPTURE_KEYS_MAX || options.window_count > CAPTURE_POOL_SLOTS_MAX ||
      options.window_size > WINDOW_SIZE_MAX)
    return -EINVAL;
  options.window_size = (options.window_size + page - 1) / page * page;
  *ret = options;
  return 0;
}

/* Sets of windows: each has three open mostly, and some are left that wait for the consumer. */
static uint32_t n_sets(uint32_t window_count)
{
  uint32_t sets = SETS_MIN;

  while (sets * 2 <= window_count / 3 && sets < SETS_MAX)
    sets *= 2;
  return sets;
}

/* Gives out pieces of memory; with none, it counts what is needed. */
struct carving {
  uint8_t *memory;
  size_t used;
};

static void *inside_memory_carve(struct carving *carving, uint64_t size)
{
  size_t at = carving->used;

  carving->used += (size + 63) & ~UINT64_C(63);
  return carving->memory ? carving->memory + at : NULL;
}

static void carve_tables(struct carving *carving, struct capture_inside_tables **ret, uint32_t max_nodes,
                         uint64_t seed)
{
  const uint32_t max[3] = {SPACES_MAX, max_nodes / 2, max_nodes};
  struct capture_inside_tables *tables = inside_memory_carve(carving, sizeof *tables);

  for (uint32_t i = 0; i < 3; i++) {
    void *memory = inside_memory_carve(carving, capture_keys_size(max[i]));

    if (tables)
      capture_keys_init(i == 0   ? &tables->spaces
                        : i == 1 ? &tables->frames
                                 : &tables->nodes,
                        memory, max[i], seed);
  }
  if (ret)
    *ret = tables;
}

static void carve_threads(struct carving *carving, capture *c, uint32_t max_threads)
{
  const uint32_t entries = ENTRIES(max_threads);
  struct capture_thread *threads = inside_memory_carve(carving, entries * sizeof *threads);
  struct capture_inside_path *paths = inside_memory_carve(carving, entries * sizeof *paths);

  if (!c)
    return;
  c->threads = threads;
  c->n_threads = entries;
  c->max_begun = max_threads;
  for (uint32_t i = 0; i < entries; i++)
    threads[i].path = &paths[i];
}

static capture *carve_all(struct carving *carving, const struct capture_options *options, uint64_t seed)
{
  capture *c = inside_memory_carve(carving, sizeof *c);
  const uint32_t sets = n_sets(options->window_count);
  struct capture_windows *windows = inside_memory_carve(carving, sets * sizeof *windows);
  void *names, *mappings;

  carve_threads(carving, c, options->max_threads);
  carve_tables(carving, c ? &c->tables[0] : NULL, options->max_nodes, seed);
  carve_tables(carving, c ? &c->tables[1] : NULL, options->max_nodes, seed);
  names = inside_memory_carve(carving, capture_names_size(options->max_strings));
  mappings = inside_memory_carve(carving, capture_inside_mappings_size());
  if (!c)
    return NULL;
  c->windows = windows;
  c->n_windows = sets;
  c->window_count = options->window_count;
  capture_names_init(&c->names, names, options->max_strings, seed);
  capture_inside_mappings_init(c, mappings);
  return c;
}

static void *inside_memory_map(size_t size)
{
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  return memory == MAP_FAILED ? NULL : memory;
}

int capture_inside_allocate(capture **ret, const struct capture_options *options)
{
  struct carving carving = {0};
  uint64_t seed = 0;
  capture *c;

  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
    seed = capture_time();
  carve_all(&carving, options, seed);
  carving.memory = inside_memory_map(carving.used);
  if (!carving.memory)
    return -ENOMEM;
  carving.used = 0;
  c = carve_all(&carving, options, seed);
  c->size = carving.used;
  c->alive = inside_memory_map((size_t)sysconf(_SC_PAGESIZE));
  if (!c->alive) {
    munmap(c, c->size);
    return -ENOMEM;
  }
  (void)madvise((void *)c->alive, (size_t)sysconf(_SC_PAGESIZE), MADV_WIPEONFORK);
  *ret = c;
  return 0;
}

void capture_inside_free(capture *c)
{
  munmap((void *)c->alive, (size_t)sysconf(_SC_PAGESIZE));
  munmap(c, c->size);
}
