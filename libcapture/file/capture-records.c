/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/file/capture-reader.h"

const struct capture_record *capture_records_next(const uint8_t *content, size_t length, size_t *position)
{
  const struct capture_record *record;
  size_t left = length - *position;

  if (*position > length || left < sizeof *record)
    return NULL;
  record = (const struct capture_record *)(content + *position);
  if (record->size < sizeof *record || record->size % 8 != 0 || record->size > left)
    return NULL;
  *position += record->size;
  return record;
}

bool capture_nodes_next(const struct capture_record_nodes *record, struct capture_nodes_position *position,
                        struct capture_node *ret)
{
  while (position->item < record->record.count && position->node < record->nodes) {
    uint32_t item = record->items[position->item++];
    uint32_t id = item & ~CAPTURE_NODE_TAG;

    if ((item & CAPTURE_NODE_TAG) == CAPTURE_NODE_PARENT) {
      position->current = id;
      continue;
    }
    *ret = (struct capture_node){.id = record->first + position->node++, .parent = position->current};
    if ((item & CAPTURE_NODE_TAG) == CAPTURE_NODE_FRAME)
      ret->frame = id;
    else if ((item & CAPTURE_NODE_TAG) == CAPTURE_NODE_JOIN)
      ret->kernel = id;
    else
      break;
    ret->join = (item & CAPTURE_NODE_TAG) == CAPTURE_NODE_JOIN;
    position->current = ret->join ? 0 : ret->id;
    return true;
  }
  return false;
}

/* What every record of a type takes: a fixed part and count items. */
static bool record_layout(uint16_t type, size_t *ret_fixed, size_t *ret_item)
{
  static const struct {
    uint8_t type;
    uint8_t fixed;
    uint8_t item;
  } layouts[] = {
      {CAPTURE_RECORD_STRING, sizeof(struct capture_record_string), 0},
      {CAPTURE_RECORD_SPACE, sizeof(struct capture_record_space), 0},
      {CAPTURE_RECORD_FRAMES, sizeof(struct capture_record_frames), sizeof(struct capture_frame)},
      {CAPTURE_RECORD_NODES, sizeof(struct capture_record_nodes), sizeof(uint32_t)},
      {CAPTURE_RECORD_BINARY, sizeof(struct capture_record_binary), 0},
      {CAPTURE_RECORD_PROCESS, sizeof(struct capture_record_process), 0},
      {CAPTURE_RECORD_MAPPING, sizeof(struct capture_record_mapping), 0},
      {CAPTURE_RECORD_THREAD, sizeof(struct capture_record_thread), 0},
      {CAPTURE_RECORD_EVENT, sizeof(struct capture_record_event), 0},
      {CAPTURE_RECORD_KERNEL_SYMBOL, sizeof(struct capture_record_kernel_symbol), 0},
      {CAPTURE_RECORD_FUNCTION, sizeof(struct capture_record_function), 0},
      {CAPTURE_RECORD_CODE, sizeof(struct capture_record_code), sizeof(struct capture_code_range)},
      {CAPTURE_RECORD_CODE_END, sizeof(struct capture_record_code_end), 0},
      {CAPTURE_RECORD_COUNTER, sizeof(struct capture_record_counter), 0},
      {CAPTURE_RECORD_MARK, offsetof(struct capture_record_mark, message), 0},
      {CAPTURE_RECORD_COUNTS, sizeof(struct capture_record_counts), sizeof(struct capture_count)},
      {CAPTURE_RECORD_LOG, sizeof(struct capture_record_log), 0},
      {CAPTURE_RECORD_LOST, sizeof(struct capture_record_lost), 0},
      {CAPTURE_RECORD_THROTTLE, sizeof(struct capture_record_throttle), 0},
      {CAPTURE_RECORD_FORK, sizeof(struct capture_record_task), 0},
      {CAPTURE_RECORD_EXIT, sizeof(struct capture_record_task), 0},
      {CAPTURE_RECORD_CPU, sizeof(struct capture_record_cpu), 0},
      {CAPTURE_RECORD_USER_STACK, sizeof(struct capture_record_user_stack), sizeof(uint64_t)},
      {CAPTURE_RECORD_STREAM, sizeof(struct capture_record_stream), 0},
      {CAPTURE_RECORD_METADATA, sizeof(struct capture_record_metadata), 0},
      {CAPTURE_RECORD_MESSAGE, sizeof(struct capture_record_message), 0},
      {CAPTURE_RECORD_NAMED_BINARY, sizeof(struct capture_record_named_binary), 0},
      {CAPTURE_RECORD_FUNCTIONS, sizeof(struct capture_record_functions), sizeof(struct capture_function)},
  };

  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    if (layouts[i].type == type) {
      *ret_fixed = layouts[i].fixed;
      *ret_item = layouts[i].item;
      return true;
    }
  }
  return false;
}

/* Whether `length` bytes and a NUL stand at `at`. */
static bool holds_text(const struct capture_record *record, uint64_t at, uint32_t length)
{
  return at + length < record->size && ((const char *)record)[at + length] == '\0';
}

static bool metadata_is_valid(const struct capture_record_metadata *metadata)
{
  uint64_t value_at = sizeof *metadata + (uint64_t)metadata->key_length + 1;

  return holds_text(&metadata->record, sizeof *metadata, metadata->key_length) &&
         holds_text(&metadata->record, value_at, metadata->value_length);
}

static bool variable_part_is_valid(const struct capture_record *record, uint64_t fixed_and_items)
{
  switch (record->type) {
  case CAPTURE_RECORD_STRING:
    return holds_text(record, fixed_and_items, ((const struct capture_record_string *)record)->length);
  case CAPTURE_RECORD_STREAM:
    return holds_text(record, fixed_and_items, ((const struct capture_record_stream *)record)->length);
  case CAPTURE_RECORD_MESSAGE:
    return holds_text(record, fixed_and_items, ((const struct capture_record_message *)record)->length);
  case CAPTURE_RECORD_MARK:
    return holds_text(record, fixed_and_items, ((const struct capture_record_mark *)record)->length);
  case CAPTURE_RECORD_LOG:
    return holds_text(record, fixed_and_items, ((const struct capture_record_log *)record)->length);
  case CAPTURE_RECORD_METADATA:
    return metadata_is_valid((const struct capture_record_metadata *)record);
  case CAPTURE_RECORD_BINARY:
    return ((const struct capture_record_binary *)record)->build_id_size <= CAPTURE_BUILD_ID_MAX;
  case CAPTURE_RECORD_NAMED_BINARY:
    return ((const struct capture_record_named_binary *)record)->build_id_size <= CAPTURE_BUILD_ID_MAX;
  case CAPTURE_RECORD_USER_STACK:
    return ((const struct capture_record_user_stack *)record)->stack_length <= record->size - fixed_and_items;
  default:
    return true;
  }
}

bool capture_record_is_valid(const struct capture_record *record)
{
  size_t fixed, item;
  uint64_t needed;

  if (record->size % 8 != 0 || !record_layout(record->type, &fixed, &item))
    return false;
  needed = fixed + (uint64_t)record->count * item;
  return needed <= record->size && variable_part_is_valid(record, needed);
}
