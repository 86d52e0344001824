/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of an epoch: addresses become frames, frames become nodes. */
#include "libcapture/inside/capture-inside-private.h"

#define NODES_SIZE(items)                                                                                    \
  capture_inside_padded((uint32_t)(sizeof(struct capture_record_nodes) + (items) * sizeof(uint32_t)))
#define FRAMES_SIZE(frames)                                                                                  \
  (uint32_t)(sizeof(struct capture_record_frames) + (frames) * sizeof(struct capture_frame))

/* Frames of an address that is CAPTURE_IDENTIFIER of a handle. */
#define IDENTIFIER_BASE CAPTURE_IDENTIFIER(0)
#define IDENTIFIER_MASK UINT64_C(0xFF00000000000000)

static bool is_identifier(uint64_t address)
{
  return (address & IDENTIFIER_MASK) == IDENTIFIER_BASE;
}

static uint32_t space_of(capture *c, struct capture_windows *w, uint64_t address, bool *ret_full)
{
  const uint64_t high = address >> 32;
  struct capture_keys *spaces = &w->tables->spaces;
  uint32_t kind = is_identifier(address) ? CAPTURE_SPACE_IDENTIFIERS : CAPTURE_SPACE_PROCESS;
  uint32_t id = capture_keys_find(spaces, w->epoch, high);
  struct capture_record_space *record;
  uint32_t owner;

  if (id)
    return id;
  owner = capture_inside_process_id(c, w);
  record = owner ? capture_inside_dictionary(c, w, sizeof *record) : NULL;
  if (!record)
    return 0;
  id = capture_keys_take(spaces, 1);
  if (id == 0) {
    *ret_full = true;
    capture_inside_drop_dictionary(w);
    return 0;
  }
  *record = (struct capture_record_space){.record = {.size = sizeof *record, .type = CAPTURE_RECORD_SPACE},
                                          .id = id,
                                          .kind = kind,
                                          .owner = owner,
                                          .base = high << 32};
  capture_inside_commit_dictionary(c, w);
  return capture_keys_add(spaces, w->epoch, high, id);
}

/* Where an address lies, in words of the epoch. */
static bool inside_stack_place(capture *c, struct capture_windows *w, uint64_t address,
                               struct capture_frame *ret, bool *ret_full)
{
  uint32_t offset = (uint32_t)address;

  if (is_identifier(address)) {
    uint32_t handle = offset;

    offset = capture_inside_name(c, w, handle);
    if (offset == 0 && capture_names_get(&c->names, handle))
      return false;
    address = IDENTIFIER_BASE;
  } else {
    capture_inside_mappings_look(c, address, w->now);
  }
  *ret = (struct capture_frame){.space = space_of(c, w, address, ret_full), .offset = offset};
  return ret->space != 0;
}

/* Fills w->frame_ids with what is known; the others are 0. Returns how many are missing. */
static uint32_t find_frames(struct capture_windows *w, const uint64_t *addresses, uint32_t n)
{
  uint32_t missing = 0;

  for (uint32_t i = 0; i < n; i++) {
    w->frame_ids[i] = capture_keys_find(&w->tables->frames, w->epoch, addresses[i]);
    missing += w->frame_ids[i] == 0;
  }
  return missing;
}

static bool define_frames(capture *c, struct capture_windows *w, const uint64_t *addresses, uint32_t n,
                          bool *ret_full)
{
  uint32_t missing = find_frames(w, addresses, n);
  struct capture_record_frames *record;
  uint32_t first, at = 0;

  if (missing == 0)
    return true;
  for (uint32_t i = 0; i < n; i++) {
    if (w->frame_ids[i] == 0 && !inside_stack_place(c, w, addresses[i], &w->places[at++], ret_full))
      return false;
  }
  record = capture_inside_dictionary(c, w, FRAMES_SIZE(missing));
  if (!record)
    return false;
  first = capture_keys_take(&w->tables->frames, missing);
  if (first == 0) {
    *ret_full = true;
    capture_inside_drop_dictionary(w);
    return false;
  }
  record->record = (struct capture_record){
      .size = FRAMES_SIZE(missing), .type = CAPTURE_RECORD_FRAMES, .count = (uint16_t)missing};
  record->first = first;
  memcpy(record->frames, w->places, missing * sizeof w->places[0]);
  capture_inside_commit_dictionary(c, w);
  for (uint32_t i = 0; i < n; i++) {
    if (w->frame_ids[i] == 0)
      w->frame_ids[i] = capture_keys_add(&w->tables->frames, w->epoch, addresses[i], first++);
  }
  return true;
}

static uint64_t node_key(uint32_t parent, uint32_t frame)
{
  return (uint64_t)parent << 32 | frame;
}

/* Makes n nodes above parent known; the first that somebody else was faster with ends that: what stands above
 * ours is then ours alone, and as right as his. */
static void add_nodes(struct capture_windows *w, uint32_t parent, uint32_t first, uint32_t n)
{
  while (n-- > 0) {
    if (capture_keys_add(&w->tables->nodes, w->epoch, node_key(parent, w->frame_ids[n]), first) != first)
      return;
    parent = first++;
  }
}

/* Defines a node for each of the n frames in w->frame_ids, the innermost first, above parent. */
static bool define_nodes(capture *c, struct capture_windows *w, uint32_t parent, uint32_t n, bool *ret_full)
{
  uint32_t items = n + (parent != 0), at = 0;
  struct capture_record_nodes *record = capture_inside_dictionary(c, w, NODES_SIZE(items));
  uint32_t first;

  if (!record)
    return false;
  first = capture_keys_take(&w->tables->nodes, n);
  if (first == 0) {
    *ret_full = true;
    capture_inside_drop_dictionary(w);
    return false;
  }
  record->record = (struct capture_record){
      .size = NODES_SIZE(items), .type = CAPTURE_RECORD_NODES, .count = (uint16_t)items};
  record->first = first;
  record->nodes = n;
  if (parent != 0)
    record->items[at++] = CAPTURE_NODE_PARENT | parent;
  for (uint32_t i = n; i-- > 0;)
    record->items[at++] = CAPTURE_NODE_FRAME | w->frame_ids[i];
  capture_inside_commit_dictionary(c, w);
  add_nodes(w, parent, first, n);
  for (uint32_t i = 0; i < n; i++)
    w->nodes[i] = first + n - 1 - i;
  return true;
}

/* The nodes of n addresses above node, in w->nodes. */
static bool find_nodes(capture *c, struct capture_windows *w, uint32_t node, const uint64_t *addresses,
                       uint32_t n, bool *ret_full)
{
  for (; n > 0; n--) {
    uint32_t frame = capture_keys_find(&w->tables->frames, w->epoch, addresses[n - 1]);
    uint32_t child = frame ? capture_keys_find(&w->tables->nodes, w->epoch, node_key(node, frame)) : 0;

    if (child == 0)
      break;
    w->nodes[n - 1] = node = child;
  }
  return n == 0 || (define_frames(c, w, addresses, n, ret_full) && define_nodes(c, w, node, n, ret_full));
}

/* How many of the outermost frames are those of the stack before. */
static uint32_t common_frames(const struct capture_inside_path *path, uint32_t epoch,
                              const uint64_t *addresses, uint32_t n)
{
  uint32_t max = path->epoch != epoch ? 0 : path->count < n ? path->count : n;
  uint32_t common = 0;

  while (common < max && path->addresses[common] == addresses[n - 1 - common])
    common++;
  return common;
}

static void inside_stack_remember(struct capture_inside_path *path, const struct capture_windows *w,
                                  const uint64_t *addresses, uint32_t n, uint32_t common)
{
  for (uint32_t i = common; i < n; i++) {
    path->addresses[i] = addresses[n - 1 - i];
    path->nodes[i] = w->nodes[n - 1 - i];
  }
  path->epoch = w->epoch;
  path->count = n;
}

static uint32_t follow_path(capture *c, struct capture_windows *w, struct capture_inside_path *path,
                            const uint64_t *addresses, uint32_t n, bool *ret_full)
{
  uint32_t common = common_frames(path, w->epoch, addresses, n);
  uint32_t node = common ? path->nodes[common - 1] : 0;

  if (common == n)
    return node;
  if (!find_nodes(c, w, node, addresses, n - common, ret_full))
    return 0;
  inside_stack_remember(path, w, addresses, n, common);
  return w->nodes[0];
}

uint32_t capture_inside_path(capture *c, struct capture_windows *w, struct capture_thread *thread,
                             const uint64_t *addresses, uint32_t n, bool *ret_full)
{
  uint32_t leaf;

  *ret_full = false;
  if (n == 0 || n > CAPTURE_FRAMES_MAX)
    return 0;
  if (!thread || atomic_exchange_explicit(&thread->path->busy, true, memory_order_acquire))
    return find_nodes(c, w, 0, addresses, n, ret_full) ? w->nodes[0] : 0;
  leaf = follow_path(c, w, thread->path, addresses, n, ret_full);
  atomic_store_explicit(&thread->path->busy, false, memory_order_release);
  return leaf;
}
