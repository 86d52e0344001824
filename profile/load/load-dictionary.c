/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "profile/load/loader-private.h"

static void note_ids(LoadPart *part, enum load_kind kind, guint32 first, guint32 count)
{
  if (count > 0 && first > 0 && first <= G_MAXUINT32 - count)
    part->n[kind] = MAX(part->n[kind], first + count - 1);
}

static void scan_record(LoadPart *part, const struct capture_record *record)
{
  switch (record->type) {
  case CAPTURE_RECORD_FRAMES:
    note_ids(part, LOAD_FRAME, ((const struct capture_record_frames *)record)->first, record->count);
    break;
  case CAPTURE_RECORD_NODES:
    note_ids(part, LOAD_NODE, ((const struct capture_record_nodes *)record)->first,
             MIN(((const struct capture_record_nodes *)record)->nodes, record->count));
    break;
  default:
    g_ptr_array_add(part->small, (gpointer)record);
  }
}

void load_scan_dictionary(Load *load, LoadPart *part)
{
  const struct capture_record *record;
  size_t position = 0;

  if (!load_content(load, part))
    return;
  part->small = g_ptr_array_new();
  while ((record = capture_records_next(part->content, part->length, &position)))
    if (capture_record_is_valid(record))
      scan_record(part, record);
  if (position < part->length)
    load_problem(load,
                 _("A dictionary makes no sense from byte %zu of its %zu bytes on; the rest is left out."),
                 position, part->length);
}

/* What an identifier of a space leads to; kind 0 when it is not defined. */
static ProfileFrame get_space(const LoadEpoch *epoch, guint32 id)
{
  ProfileFrame frame = {0};

  if (!load_is_defined(epoch, LOAD_SPACE, id))
    return frame;
  const struct capture_record_space *space = (gconstpointer)epoch->records[LOAD_SPACE][id];
  frame.kind = (guint16)space->kind;
  frame.address = space->base;
  if (space->kind == CAPTURE_SPACE_BINARY && !load_is_defined(epoch, LOAD_BINARY, space->owner))
    frame.kind = 0;
  else if (space->kind == CAPTURE_SPACE_BINARY)
    frame.owner = load_get_index(epoch, LOAD_BINARY, space->owner);
  else if (space->kind == CAPTURE_SPACE_PROCESS || space->kind == CAPTURE_SPACE_IDENTIFIERS)
    frame.owner = load_get_index(epoch, LOAD_PROCESS, space->owner);
  else if (space->kind != CAPTURE_SPACE_KERNEL && space->kind != CAPTURE_SPACE_GUEST)
    frame.kind = 0;
  return frame;
}

/* Identifiers are local to the epoch: they become functions of the whole capture. */
static void resolve_identifier(Load *load, LoadEpoch *epoch, ProfileFrame *frame)
{
  guint32 id = (guint32)frame->address, name = id, file = 0, line = 0, executed = 0;

  if (load_is_defined(epoch, LOAD_STRING, id) &&
      epoch->records[LOAD_STRING][id]->type == CAPTURE_RECORD_FUNCTION_LINE) {
    const struct capture_record_function_line *item = (gconstpointer)epoch->records[LOAD_STRING][id];
    executed = item->line;
    name = item->function;
    frame->address += item->function - (guint64)id;
    id = item->function;
  }
  if (load_is_defined(epoch, LOAD_STRING, id) &&
      epoch->records[LOAD_STRING][id]->type == CAPTURE_RECORD_FUNCTION) {
    const struct capture_record_function *function = (gconstpointer)epoch->records[LOAD_STRING][id];
    name = function->name;
    file = function->file;
    line = function->line;
  }
  if (!load_get_string(epoch, name) || frame->address != (PROFILE_IDENTIFIER_BASE | id)) {
    frame->kind = 0;
    return;
  }
  g_mutex_lock(&load->lock);
  frame->owner = load_tell(load, frame->owner, load_keep_string(load, epoch, name),
                           load_keep_string(load, epoch, file), line);
  g_mutex_unlock(&load->lock);
  frame->address = PROFILE_IDENTIFIER_BASE |
                   (guint64)MIN(executed, PROFILE_IDENTIFIER_LINE_MAX) << PROFILE_IDENTIFIER_LINE_SHIFT |
                   frame->owner;
}

/* Where the file of an address in a process is known, the address becomes an offset in that file. What
 * depends on the time is seen to when stacks are. */
static void resolve_process_address(Load *load, ProfileFrame *frame)
{
  const ProfileCapture *capture = load->capture;
  gboolean ambiguous = FALSE;
  const ProfileMapping *mapping =
      profile_address_spaces_find(capture->spaces, frame->owner, frame->address, &ambiguous);

  if (ambiguous || load_has_code(load, frame->owner, frame->address) ||
      load_has_code(load, frame->owner, frame->address - 1)) {
    frame->kind = LOAD_SPACE_TIMED;
    if (!g_atomic_int_get(&load->timed))
      g_atomic_int_set(&load->timed, TRUE);
    return;
  }
  if (mapping)
    load_use_mapping(capture, mapping, frame);
}

void load_use_mapping(const ProfileCapture *capture, const ProfileMapping *mapping, ProfileFrame *frame)
{
  if (mapping->binary == G_MAXUINT32)
    return;
  const ProfileBinary *binary = &g_array_index(capture->binaries, ProfileBinary, mapping->binary);
  if ((binary->flags & (CAPTURE_BINARY_SPECIAL | CAPTURE_BINARY_VDSO)) == CAPTURE_BINARY_SPECIAL)
    return;
  frame->address = frame->address - mapping->start + mapping->offset;
  frame->owner = mapping->binary;
  frame->kind = CAPTURE_SPACE_BINARY;
}

static void place_frames(Load *load, LoadEpoch *epoch, const struct capture_record_frames *record)
{
  guint32 last_space = 0;
  ProfileFrame space = {0};

  for (guint32 i = 0; i < record->record.count; i++) {
    const struct capture_frame *item = &record->frames[i];
    guint64 id = (guint64)record->first + i;
    if (id == 0 || id > epoch->n[LOAD_FRAME])
      continue;
    if (item->space != last_space)
      space = get_space(epoch, last_space = item->space);
    ProfileFrame frame = space;
    frame.address += item->offset;
    if (frame.kind == CAPTURE_SPACE_PROCESS)
      resolve_process_address(load, &frame);
    else if (frame.kind == CAPTURE_SPACE_IDENTIFIERS)
      resolve_identifier(load, epoch, &frame);
    load->capture->frames[epoch->frame_base + id] = frame;
  }
}

static void place_join(LoadPart *part, const struct capture_node *node)
{
  guint32 base = part->epoch->node_base;
  LoadJoin join = {.slot = base + node->id};

  if (node->parent && node->parent < node->id)
    join.user = base + node->parent;
  if (node->kernel && node->kernel < node->id)
    join.kernel = base + node->kernel;
  g_array_append_val(part->joins, join);
}

static void place_nodes(Load *load, LoadPart *part, const struct capture_record_nodes *record)
{
  const LoadEpoch *epoch = part->epoch;
  guint32 *parents = load->capture->parent + epoch->node_base;
  guint32 *frames = load->capture->frame + epoch->node_base;
  guint32 n = epoch->n[LOAD_NODE], n_frames = epoch->n[LOAD_FRAME], bad = 0;
  struct capture_nodes_position position = {0};
  struct capture_node node;

  while (capture_nodes_next(record, &position, &node)) {
    if (node.id == 0 || node.id > n)
      break;
    if (node.join) {
      place_join(part, &node);
      continue;
    }
    guint32 frame = node.frame <= n_frames ? node.frame : 0;
    guint32 parent = node.parent < node.id ? node.parent : 0;
    bad += frame == 0 || parent != node.parent;
    parents[node.id] = parent ? epoch->node_base + parent : 0;
    frames[node.id] = epoch->frame_base + frame;
  }
  if (bad)
    g_atomic_int_add(&load->undefined, (gint)bad);
}

void load_place_dictionary(Load *load, LoadPart *part)
{
  const struct capture_record *record;
  size_t position = 0;

  if (!part->content)
    return;
  part->joins = g_array_new(FALSE, FALSE, sizeof(LoadJoin));
  while ((record = capture_records_next(part->content, part->length, &position))) {
    if (!capture_record_is_valid(record))
      continue;
    if (record->type == CAPTURE_RECORD_FRAMES)
      place_frames(load, part->epoch, (gconstpointer)record);
    else if (record->type == CAPTURE_RECORD_NODES)
      place_nodes(load, part, (gconstpointer)record);
  }
}
