/* SPDX-License-Identifier: BSD-2-Clause */
/* The dictionary of a writer's epoch: what was interned, and how it gets into the window. */
#include <errno.h>
#include <string.h>

#include "libcapture/file/capture-reader.h"
#include "libcapture/file/capture-writer-private.h"

/* Frames are gathered, so that many share a record's header. */
#define PENDING_MAX 1024u
#define PAIR_SIZE   ((uint32_t)sizeof(struct capture_pair))

_Static_assert(sizeof(struct capture_pair) == sizeof(struct capture_frame),
               "pairs are written as frames as they are");

static uint32_t nodes_size(uint32_t items)
{
  return items
             ? (uint32_t)sizeof(struct capture_record_nodes) + (items + (items & 1)) * (uint32_t)sizeof items
             : 0;
}

static uint32_t frames_size(uint32_t pending)
{
  return pending ? (uint32_t)sizeof(struct capture_record_frames) + pending * PAIR_SIZE : 0;
}

/* Space in the window that capture_writer_reserve has set aside or found. */
static void *writer_dictionary_take(capture_writer *writer, uint32_t size)
{
  void *at = writer->dictionary.slot.content + writer->dictionary.used;

  writer->dictionary.used += size;
  return at;
}

static void write_pending_frames(capture_writer *writer)
{
  uint32_t n = writer->pending_frames;
  uint32_t first = writer->frames.count - n + 1;
  struct capture_record_frames *record;

  if (n == 0)
    return;
  writer->pending_frames = 0;
  record = writer_dictionary_take(writer, frames_size(n));
  *record = (struct capture_record_frames){
      .record = {.size = frames_size(n), .type = CAPTURE_RECORD_FRAMES, .count = (uint16_t)n},
      .first = first};
  memcpy(record->frames, &writer->frames.pairs[first], n * PAIR_SIZE);
}

static void write_pending_nodes(capture_writer *writer)
{
  uint32_t n = writer->n_pending_items;
  struct capture_record_nodes *record;

  if (n == 0)
    return;
  record = writer_dictionary_take(writer, nodes_size(n));
  *record = (struct capture_record_nodes){
      .record = {.size = nodes_size(n), .type = CAPTURE_RECORD_NODES, .count = (uint16_t)n},
      .first = writer->nodes.count - writer->pending_nodes + 1,
      .nodes = writer->pending_nodes};
  memcpy(record->items, writer->pending_items, n * sizeof writer->pending_items[0]);
  if (n & 1)
    record->items[n] = 0;
  writer->pending_nodes = writer->n_pending_items = writer->current = 0;
}

void capture_writer_commit_dictionary(capture_writer *writer)
{
  write_pending_frames(writer);
  write_pending_nodes(writer);
  capture_writer_commit_window(writer, &writer->dictionary);
}

int capture_writer_close_dictionary(capture_writer *writer)
{
  capture_writer_commit_dictionary(writer);
  return capture_writer_close_window(writer, &writer->dictionary);
}

int capture_writer_reserve(capture_writer *writer, uint32_t size)
{
  const struct capture_window_header fill = {.kind = CAPTURE_WINDOW_DICTIONARY, .epoch = writer->epoch};
  struct capture_writer_window *window = &writer->dictionary;
  uint64_t needed = (uint64_t)window->used + frames_size(writer->pending_frames) +
                    nodes_size(writer->n_pending_items) + size;
  int r;

  if (window->slot.header && needed <= window->slot.capacity)
    return 0;
  r = capture_writer_close_dictionary(writer);
  if (r == 0)
    r = capture_writer_open_window(writer, window, &fill);
  if (r == 0 && size > window->slot.capacity)
    r = -EINVAL;
  return r;
}

void capture_writer_forget(capture_writer *writer)
{
  capture_table_clear(&writer->spaces);
  capture_table_clear(&writer->frames);
  capture_table_clear(&writer->nodes);
  capture_writer_strings_clear(&writer->strings);
  memset(writer->next_ids, 0, sizeof writer->next_ids);
  writer->last_counter = 0;
  writer->last_space_id = 0;
}

/* An owner and a kind share 32 bits; no epoch has half a billion owners. */
#define OWNER_BITS 29u

int64_t capture_writer_space(capture_writer *writer, uint32_t kind, uint32_t owner, uint64_t base)
{
  const struct capture_pair pair = {.high = kind << OWNER_BITS | owner, .low = (uint32_t)(base >> 32)};
  struct capture_record_space *record;
  uint32_t id;
  int r;

  if (kind == 0 || kind >= 1u << (32 - OWNER_BITS) || owner >= 1u << OWNER_BITS || (uint32_t)base != 0)
    return -EINVAL;
  id = capture_table_find(&writer->spaces, pair);
  if (id)
    return id;
  if (capture_table_is_full(&writer->spaces, 1))
    return -ENOSPC;
  r = capture_writer_reserve(writer, sizeof *record);
  if (r < 0)
    return r;
  id = capture_table_add(&writer->spaces, pair);
  record = writer_dictionary_take(writer, sizeof *record);
  *record = (struct capture_record_space){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_SPACE},
                                          .id = id,
                                          .kind = kind,
                                          .owner = owner,
                                          .base = base};
  return id;
}

static int64_t space_of(capture_writer *writer, uint32_t kind, uint32_t owner, uint64_t address)
{
  const struct capture_pair pair = {.high = kind << OWNER_BITS | owner, .low = (uint32_t)(address >> 32)};
  int64_t id;

  if (writer->last_space_id && writer->last_space.high == pair.high && writer->last_space.low == pair.low)
    return writer->last_space_id;
  id = capture_writer_space(writer, kind, owner, address & ~(uint64_t)UINT32_MAX);
  if (id > 0) {
    writer->last_space = pair;
    writer->last_space_id = (uint32_t)id;
  }
  return id;
}

int64_t capture_writer_frame(capture_writer *writer, uint32_t kind, uint32_t owner, uint64_t address)
{
  struct capture_pair pair = {.low = (uint32_t)address};
  int64_t space;
  uint32_t id;
  int r;

  if (kind >= 1u << (32 - OWNER_BITS) || owner >= 1u << OWNER_BITS)
    return -EINVAL;
  space = space_of(writer, kind, owner, address);
  if (space < 0)
    return space;
  pair.high = (uint32_t)space;
  id = capture_table_find(&writer->frames, pair);
  if (id)
    return id;
  if (capture_table_is_full(&writer->frames, 1))
    return -ENOSPC;
  if (writer->pending_frames == PENDING_MAX)
    write_pending_frames(writer);
  r = capture_writer_reserve(writer, frames_size(1));
  if (r < 0)
    return r;
  writer->pending_frames++;
  return capture_table_add(&writer->frames, pair);
}

uint32_t capture_writer_n_frames(const capture_writer *writer)
{
  return writer->frames.count;
}

void capture_writer_get_frame(const capture_writer *writer, uint32_t frame, uint32_t *ret_kind,
                              uint32_t *ret_owner, uint64_t *ret_address)
{
  struct capture_pair pair = writer->frames.pairs[frame];
  struct capture_pair space = writer->spaces.pairs[pair.high];

  *ret_kind = space.high >> OWNER_BITS;
  *ret_owner = space.high & ((1u << OWNER_BITS) - 1);
  *ret_address = (uint64_t)space.low << 32 | pair.low;
}

/* Room for n more items of NODES, in the window as among those that are pending. */
static int reserve_items(capture_writer *writer, uint32_t n)
{
  if (n > CAPTURE_WRITER_ITEMS_MAX - writer->n_pending_items)
    write_pending_nodes(writer);
  return capture_writer_reserve(writer, (uint32_t)sizeof(struct capture_record_nodes) +
                                            (n + 1) * (uint32_t)sizeof writer->pending_items[0]);
}

static void add_item(capture_writer *writer, uint32_t item)
{
  writer->pending_items[writer->n_pending_items++] = item;
}

static void set_current(capture_writer *writer, uint32_t node)
{
  if (writer->current != node)
    add_item(writer, CAPTURE_NODE_PARENT | node);
  writer->current = node;
}

/* Defines n nodes above parent, the last of frames first; frames has n items, leaf first. */
static int define_chain(capture_writer *writer, uint32_t parent, const uint32_t *frames, uint32_t n)
{
  int r = reserve_items(writer, n + 1);

  if (r < 0)
    return r;
  set_current(writer, parent);
  while (n-- > 0) {
    add_item(writer, CAPTURE_NODE_FRAME | frames[n]);
    writer->current =
        capture_table_add(&writer->nodes, (struct capture_pair){.high = writer->current, .low = frames[n]});
    writer->pending_nodes++;
  }
  return 0;
}

static bool frames_are_defined(const capture_writer *writer, const uint32_t *frames, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (frames[i] - 1u >= writer->frames.count)
      return false;
  }
  return true;
}

/* Whether stacks may stand on it: no stack at all, or a node that is no join. */
static bool is_stack_node(const capture_writer *writer, uint32_t node)
{
  return node == 0 ||
         (node <= writer->nodes.count && (writer->nodes.pairs[node].low & CAPTURE_WRITER_JOIN) == 0);
}

static int64_t define_stack(capture_writer *writer, uint32_t node, const uint32_t *frames, size_t n)
{
  const size_t chain_max = 512; /* fits the smallest window */

  if (!is_stack_node(writer, node) || !frames_are_defined(writer, frames, n))
    return -EINVAL;
  if (capture_table_is_full(&writer->nodes, n))
    return -ENOSPC;
  while (n > 0) {
    size_t chain = n < chain_max ? n : chain_max;
    int r = define_chain(writer, node, frames + n - chain, (uint32_t)chain);

    if (r < 0)
      return r;
    node = writer->nodes.count;
    n -= chain;
  }
  return node;
}

/* A chain's nodes were mostly given their identifiers together, so the next one is tried before the table is
 * asked. */
static uint32_t find_child(const capture_writer *writer, uint32_t node, uint32_t frame)
{
  const struct capture_table *nodes = &writer->nodes;
  const struct capture_pair pair = {.high = node, .low = frame};

  if (node < nodes->count && nodes->pairs[node + 1].high == node && nodes->pairs[node + 1].low == frame)
    return node + 1;
  return capture_table_find(nodes, pair);
}

int64_t capture_writer_stack(capture_writer *writer, uint32_t root, const uint32_t *frames, size_t count)
{
  uint32_t node = root;

  while (count > 0) {
    uint32_t child = find_child(writer, node, frames[count - 1]);

    if (child == 0)
      return define_stack(writer, node, frames, count);
    node = child;
    count--;
  }
  return node;
}

int64_t capture_writer_path(capture_writer *writer, uint32_t root, const uint32_t *frames, size_t count,
                            uint32_t *ret_nodes)
{
  uint32_t node = root;
  int64_t leaf;

  for (; count > 0; count--) {
    uint32_t child = find_child(writer, node, frames[count - 1]);

    if (child == 0)
      break;
    ret_nodes[count - 1] = node = child;
  }
  if (count == 0)
    return node;
  leaf = define_stack(writer, node, frames, count);
  for (size_t i = 0; leaf > 0 && i < count; i++)
    ret_nodes[i] = (uint32_t)(leaf - (int64_t)i); /* new ones follow each other from the root to the leaf */
  return leaf;
}

int64_t capture_writer_join(capture_writer *writer, uint32_t user, uint32_t kernel)
{
  const struct capture_pair pair = {.high = user, .low = kernel | CAPTURE_WRITER_JOIN};
  uint32_t id;
  int r;

  if (user == 0 || kernel == 0)
    return user ? user : kernel;
  id = capture_table_find(&writer->nodes, pair);
  if (id)
    return id;
  if (!is_stack_node(writer, user) || !is_stack_node(writer, kernel))
    return -EINVAL;
  if (capture_table_is_full(&writer->nodes, 1))
    return -ENOSPC;
  r = reserve_items(writer, 2);
  if (r < 0)
    return r;
  set_current(writer, user);
  add_item(writer, CAPTURE_NODE_JOIN | kernel);
  writer->pending_nodes++;
  writer->current = 0;
  return capture_table_add(&writer->nodes, pair);
}

int capture_writer_define(capture_writer *writer, const struct capture_record *record)
{
  int r;

  if (!capture_record_is_valid(record) || record->type < CAPTURE_RECORD_BINARY ||
      record->type > CAPTURE_RECORD_FUNCTION_LINE)
    return -EINVAL;
  r = capture_writer_reserve(writer, record->size);
  if (r < 0)
    return r;
  memcpy(writer_dictionary_take(writer, record->size), record, record->size);
  return 0;
}

uint32_t capture_writer_next_id(capture_writer *writer, uint16_t type)
{
  uint32_t *last;

  if (type == CAPTURE_RECORD_FUNCTION || type == CAPTURE_RECORD_FUNCTION_LINE)
    return capture_writer_strings_skip(&writer->strings);
  if (type == CAPTURE_RECORD_COUNTER)
    return ++writer->last_counter;
  if (type < CAPTURE_RECORD_BINARY || type > CAPTURE_RECORD_EVENT)
    return 0;
  last = &writer->next_ids[type - CAPTURE_RECORD_BINARY];
  if (type == CAPTURE_RECORD_EVENT && *last == writer->max_events)
    return 0;
  return ++*last;
}
