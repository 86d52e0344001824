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
