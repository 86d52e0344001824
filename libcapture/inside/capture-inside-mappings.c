/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where code stands in the process. What was read is kept, so that a handler that begins an epoch, or a child
 * of fork, has it at hand. One call at a time reads or writes; who comes second leaves it to a later call.
 */
#include <fcntl.h>
#include <unistd.h>

#include "libcapture/inside/capture-inside-maps.h"
#include "libcapture/inside/capture-inside-private.h"

#define BINARIES_MAX 512u
#define MAPPINGS_MAX 1024u

/* Addresses that stand nowhere are met again and again: reading finds nothing new, and is done less often. */
#define READ_AGAIN_AFTER UINT64_C(100000000) /* nanoseconds */
#define READ_AGAIN_MAX   UINT64_C(10000000000)

struct binary {
  struct capture_inside_maps_file file;
  uint32_t path; /* handle */
  uint32_t build_id_size;
  uint8_t build_id[CAPTURE_BUILD_ID_MAX];
  uint64_t mapped_start;
  uint64_t mapped_end;
  capture_definition definition;
};

struct mapping {
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  uint64_t time;
  uint32_t binary; /* 0: none stands there */
  uint32_t protection;
  uint32_t flags;
  uint32_t epoch; /* that it was written in */
};

struct range {
  _Atomic uint64_t start;
  _Atomic uint64_t end;
};

struct capture_inside_mappings {
  capture_flag busy;
  _Atomic uint64_t read_again; /* not before that time */
  uint64_t pause;
  uint64_t time; /* of the last reading; 0 before the first */
  uint32_t n_binaries;
  uint32_t n_mappings;
  uint32_t n_before;
  bool changed;
  struct capture_inside_maps_scratch scratch;
  struct binary binaries[BINARIES_MAX + 1];
  struct mapping mappings[MAPPINGS_MAX];
  struct mapping before[MAPPINGS_MAX];
  /* For handlers: sorted; while they change, an address is looked for in vain, which is harmless. */
  _Atomic uint32_t n_ranges;
  struct range ranges[MAPPINGS_MAX];
};

uint64_t capture_inside_mappings_size(void)
{
  return sizeof(struct capture_inside_mappings);
}

void capture_inside_mappings_init(capture *c, void *memory)
{
  c->mappings = memory;
  c->mappings->pause = READ_AGAIN_AFTER;
}

static bool is_known(struct capture_inside_mappings *m, uint64_t address)
{
  uint32_t low = 0, high = atomic_load_explicit(&m->n_ranges, memory_order_relaxed);

  while (low < high) {
    uint32_t middle = low + (high - low) / 2;

    if (address < atomic_load_explicit(&m->ranges[middle].start, memory_order_relaxed))
      high = middle;
    else if (address >= atomic_load_explicit(&m->ranges[middle].end, memory_order_relaxed))
      low = middle + 1;
    else
      return true;
  }
  return false;
}

void capture_inside_mappings_look(capture *c, uint64_t address, uint64_t now)
{
  if (!is_known(c->mappings, address) &&
      now >= atomic_load_explicit(&c->mappings->read_again, memory_order_relaxed))
    capture_inside_mark_pending(c, CAPTURE_PENDING_STALE);
}

static bool inside_mappings_begin(struct capture_inside_mappings *m)
{
  return !atomic_exchange_explicit(&m->busy, true, memory_order_acquire);
}

static void inside_mappings_end(struct capture_inside_mappings *m)
{
  atomic_store_explicit(&m->busy, false, memory_order_release);
}

/* ── Writing ──────────────────────────────────────────────────────────────────────────────────────────── */

static uint32_t binary_id(capture *c, struct capture_windows *w, struct binary *binary)
{
  uint32_t id = capture_definition_find(&binary->definition, w->epoch);
  struct capture_record_binary *record;
  uint32_t path;

  if (id)
    return id;
  if (!capture_inside_text(c, w, binary->path, &path))
    return 0;
  record = capture_inside_dictionary(c, w, sizeof *record);
  if (!record)
    return 0;
  id = 1 + atomic_fetch_add_explicit(&w->tables->binaries, 1, memory_order_relaxed);
  *record = (struct capture_record_binary){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_BINARY},
                                           .id = id,
                                           .path = path,
                                           .device = binary->file.device,
                                           .inode = binary->file.inode,
                                           .mapped_start = binary->mapped_start,
                                           .mapped_end = binary->mapped_end,
                                           .mapped_pid = c->told_pid,
                                           .flags = (uint32_t)binary->file.flags,
                                           .build_id_size = binary->build_id_size};
  memcpy(record->build_id, binary->build_id, sizeof record->build_id);
  capture_inside_commit_dictionary(c, w);
  return capture_definition_add(&binary->definition, w->epoch, id);
}

static bool write_mapping(capture *c, struct capture_windows *w, struct mapping *mapping)
{
  uint32_t binary = mapping->binary ? binary_id(c, w, &c->mappings->binaries[mapping->binary]) : 0;
  uint32_t process = capture_inside_process_id(c, w);
  struct capture_record_mapping *record;

  if (!process || (mapping->binary && !binary))
    return false;
  record = capture_inside_dictionary(c, w, sizeof *record);
  if (!record)
    return false;
  *record =
      (struct capture_record_mapping){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_MAPPING},
                                      .process = process,
                                      .binary = binary,
                                      .start = mapping->start,
                                      .end = mapping->end,
                                      .offset = mapping->offset,
                                      .time = mapping->time,
                                      .protection = mapping->protection,
                                      .flags = mapping->flags};
  capture_inside_commit_dictionary(c, w);
  mapping->epoch = w->epoch;
  return true;
}

bool capture_inside_mappings_write(capture *c, struct capture_windows *w)
{
  struct capture_inside_mappings *m = c->mappings;
  bool written = atomic_load(&c->epoch) == w->epoch;

  if (!written || !inside_mappings_begin(m))
    return false;
  for (uint32_t i = 0; i < m->n_mappings && written; i++)
    written = m->mappings[i].epoch == w->epoch || write_mapping(c, w, &m->mappings[i]);
  inside_mappings_end(m);
  return written;
}

/* ── Reading ──────────────────────────────────────────────────────────────────────────────────────────── */

static uint32_t find_binary(capture *c, const struct capture_inside_maps_line *line)
{
  struct capture_inside_mappings *m = c->mappings;
  uint32_t path = capture_names_text(&c->names, line->path, line->path_length, true);
  struct binary *binary;

  for (uint32_t i = 1; i <= m->n_binaries; i++) {
    binary = &m->binaries[i];
    if (binary->path == path && memcmp(&binary->file, &line->file, sizeof line->file) == 0)
      return i;
  }
  if (path == 0 || m->n_binaries == BINARIES_MAX)
    return 0;
  binary = &m->binaries[++m->n_binaries];
  binary->file = line->file;
  binary->path = path;
  binary->mapped_start = line->start;
  binary->mapped_end = line->end;
  binary->build_id_size = capture_inside_maps_build_id(&m->scratch, line, binary->build_id);
  return m->n_binaries;
}

static bool inside_mappings_overlap(const struct mapping *a, const struct mapping *b)
{
  return a->start < b->end && b->start < a->end;
}

/* A mapping of before that is the same, else NULL; *ret_covers: another one stood there. */
static const struct mapping *find_before(const struct capture_inside_mappings *m,
                                         const struct mapping *mapping, bool *ret_covers)
{
  *ret_covers = false;
  for (uint32_t i = 0; i < m->n_before; i++) {
    const struct mapping *before = &m->before[i];

    if (before->start == mapping->start && before->end == mapping->end && before->offset == mapping->offset &&
        before->binary == mapping->binary)
      return before;
    if (before->binary && inside_mappings_overlap(before, mapping))
      *ret_covers = true;
  }
  return NULL;
}

static void add_mapping(capture *c, struct mapping *mapping, uint64_t now)
{
  struct capture_inside_mappings *m = c->mappings;
  const struct mapping *before;
  bool covers;

  if (m->n_mappings == MAPPINGS_MAX)
    return;
  before = find_before(m, mapping, &covers);
  if (before) {
    mapping->time = before->time;
    mapping->epoch = before->epoch;
  } else {
    /* It came at any time since the last reading: samples were taken there already. */
    mapping->time = covers ? now : m->time;
    m->changed = true;
  }
  m->mappings[m->n_mappings++] = *mapping;
}

static void read_line(const struct capture_inside_maps_line *line, void *data)
{
  capture *c = data;
  struct mapping mapping = {.start = line->start,
                            .end = line->end,
                            .offset = line->offset,
                            .protection = line->protection,
                            .flags = line->flags};

  if (line->path_length > 0)
    mapping.binary = find_binary(c, line);
  add_mapping(c, &mapping, line->now);
}

/* What is gone, and nothing took its place. */
static void add_gone(capture *c, uint64_t now)
{
  struct capture_inside_mappings *m = c->mappings;
  uint32_t n = m->n_mappings;

  for (uint32_t i = 0; i < m->n_before; i++) {
    struct mapping gone = {.start = m->before[i].start, .end = m->before[i].end, .time = now};
    bool covered = m->before[i].binary == 0;

    for (uint32_t j = 0; j < n && !covered; j++)
      covered = inside_mappings_overlap(&m->mappings[j], &gone);
    if (!covered && m->n_mappings < MAPPINGS_MAX) {
      m->mappings[m->n_mappings++] = gone;
      m->changed = true;
    }
  }
}

static void publish_ranges(struct capture_inside_mappings *m, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    atomic_store_explicit(&m->ranges[i].start, m->mappings[i].start, memory_order_relaxed);
    atomic_store_explicit(&m->ranges[i].end, m->mappings[i].end, memory_order_relaxed);
  }
  atomic_store_explicit(&m->n_ranges, n, memory_order_relaxed);
}

static void read_again(capture *c)
{
  struct capture_inside_mappings *m = c->mappings;
  uint64_t now = capture_time();

  memcpy(m->before, m->mappings, m->n_mappings * sizeof m->before[0]);
  m->n_before = m->n_mappings;
  m->n_mappings = 0;
  m->changed = false;
  if (!capture_inside_maps_read(&m->scratch, read_line, c)) {
    memcpy(m->mappings, m->before, m->n_before * sizeof m->before[0]);
    m->n_mappings = m->n_before;
    return;
  }
  publish_ranges(m, m->n_mappings);
  add_gone(c, now);
  m->pause = m->changed ? READ_AGAIN_AFTER : m->pause < READ_AGAIN_MAX ? m->pause * 2 : READ_AGAIN_MAX;
  m->time = now;
  atomic_store_explicit(&m->read_again, now + m->pause, memory_order_relaxed);
}

void capture_inside_mappings_read(capture *c)
{
  struct capture_inside_mappings *m = c->mappings;
  struct capture_windows *w;
  bool lost, changed;

  if (!capture_inside_is_open(c))
    return;
  if (!inside_mappings_begin(m)) {
    capture_inside_mark_pending(c, CAPTURE_PENDING_STALE);
    return;
  }
  atomic_fetch_and(&c->pending, ~(uint32_t)CAPTURE_PENDING_STALE);
  read_again(c);
  changed = m->changed;
  inside_mappings_end(m);
  if (!changed)
    return;
  capture_inside_mark_pending(c, CAPTURE_PENDING_MAPPINGS);
  w = capture_inside_enter(c, NULL, &lost);
  if (w)
    capture_inside_leave(c, w);
}

void capture_inside_mappings_refresh(capture *c)
{
  if (capture_time() >= atomic_load_explicit(&c->mappings->read_again, memory_order_relaxed))
    capture_inside_mappings_read(c);
}

void capture_inside_mappings_forked(capture *c)
{
  inside_mappings_end(c->mappings);
}
