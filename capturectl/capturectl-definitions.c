/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-definitions.h"

#include "libcapture/file/capture-reader.h"

/* Room for small captures, whose few definitions may be large. */
#define IDENTIFIERS_ALWAYS 4096
/* The fewest bytes that define anything: a node of a longer stack. */
#define BYTES_A_DEFINITION 4

typedef enum {
  STATE_UNDEFINED,
  STATE_DEFINED,
  STATE_WHOLE /* with all that it leads to */
} State;

/* What a definition refers to: frame: space; node: frame and parent; join: two nodes; space: owner; others:
 * as many references as their type has, from `first` on. */
typedef struct {
  guint32 first, second;
  guint8 state;
  guint8 form; /* of a space: its kind; of a node: whether it is a join */
  guint16 type;
} Definition;

struct _CapturectlDefinitions {
  GArray *sorts[CAPTURE_N_SORTS]; /* Definition, by identifier - 1 */
  GArray *references;             /* guint32, of records */
};

CapturectlDefinitions *capturectl_definitions_new(void)
{
  CapturectlDefinitions *self = g_new0(CapturectlDefinitions, 1);

  for (guint i = 0; i < CAPTURE_N_SORTS; i++)
    self->sorts[i] = g_array_new(FALSE, TRUE, sizeof(Definition));
  self->references = g_array_new(FALSE, FALSE, sizeof(guint32));
  return self;
}

void capturectl_definitions_free(CapturectlDefinitions *self)
{
  for (guint i = 0; i < CAPTURE_N_SORTS; i++)
    g_array_unref(self->sorts[i]);
  g_array_unref(self->references);
  g_free(self);
}

static Definition *definitions_find(CapturectlDefinitions *self, enum capture_sort sort, guint32 id)
{
  GArray *definitions = self->sorts[sort];

  return id > 0 && id <= definitions->len ? &g_array_index(definitions, Definition, id - 1) : NULL;
}

static CapturectlDefined definitions_define(CapturectlDefinitions *self, enum capture_sort sort, guint64 id,
                                            guint64 bytes, Definition what)
{
  Definition *definition;

  if (id == 0 || id > bytes / BYTES_A_DEFINITION + IDENTIFIERS_ALWAYS || id > G_MAXUINT32)
    return CAPTURECTL_OUT_OF_RANGE;
  if (id > self->sorts[sort]->len)
    g_array_set_size(self->sorts[sort], id);
  definition = definitions_find(self, sort, id);
  if (definition->state != STATE_UNDEFINED)
    return CAPTURECTL_DEFINED_TWICE;
  *definition = what;
  definition->state = STATE_DEFINED;
  return CAPTURECTL_DEFINED;
}

static CapturectlDefined definitions_worse(CapturectlDefined a, CapturectlDefined b)
{
  return MAX(a, b);
}

static CapturectlDefined add_frames(CapturectlDefinitions *self, const struct capture_record_frames *r,
                                    guint64 bytes)
{
  CapturectlDefined worst = CAPTURECTL_DEFINED;

  for (guint i = 0; i < r->record.count; i++)
    worst = definitions_worse(worst, definitions_define(self, CAPTURE_SORT_FRAME, (guint64)r->first + i,
                                                        bytes, (Definition){.first = r->frames[i].space}));
  return worst;
}

/* What they refer to is looked at in their record. */
static CapturectlDefined add_place_frames(CapturectlDefinitions *self,
                                          const struct capture_record_place_frames *r, guint64 bytes)
{
  CapturectlDefined worst = CAPTURECTL_DEFINED;

  for (guint i = 0; i < r->record.count; i++)
    worst = definitions_worse(worst, definitions_define(self, CAPTURE_SORT_PLACE_FRAME, (guint64)r->first + i,
                                                        bytes, (Definition){.type = r->record.type}));
  return worst;
}

static CapturectlDefined add_nodes(CapturectlDefinitions *self, const struct capture_record_nodes *r,
                                   guint64 bytes)
{
  CapturectlDefined worst = CAPTURECTL_DEFINED;
  struct capture_nodes_position position = {0};
  struct capture_node node;

  while (capture_nodes_next(r, &position, &node)) {
    Definition what = {.first = node.join ? node.parent : node.frame,
                       .second = node.join ? node.kernel : node.parent,
                       .form = node.join};

    if (node.parent >= node.id || node.kernel >= node.id)
      worst = CAPTURECTL_OUT_OF_ORDER;
    worst = definitions_worse(worst, definitions_define(self, CAPTURE_SORT_NODE, node.id, bytes, what));
  }
  return worst;
}

static CapturectlDefined add_space(CapturectlDefinitions *self, const struct capture_record_space *r,
                                   guint64 bytes)
{
  return definitions_define(self, CAPTURE_SORT_SPACE, r->id, bytes,
                            (Definition){.first = r->owner, .form = MIN(r->kind, 255)});
}

CapturectlDefined capturectl_definitions_add(CapturectlDefinitions *self, const struct capture_record *record,
                                             guint64 bytes)
{
  const struct capture_record_layout *layout = capture_record_layout_find(record->type);
  Definition what = {.first = self->references->len, .type = record->type};

  if (record->type == CAPTURE_RECORD_FRAMES)
    return add_frames(self, (const struct capture_record_frames *)record, bytes);
  if (record->type == CAPTURE_RECORD_NODES)
    return add_nodes(self, (const struct capture_record_nodes *)record, bytes);
  if (record->type == CAPTURE_RECORD_PLACE_FRAMES)
    return add_place_frames(self, (const struct capture_record_place_frames *)record, bytes);
  if (record->type == CAPTURE_RECORD_SPACE)
    return add_space(self, (const struct capture_record_space *)record, bytes);
  if (!layout || !layout->defines)
    return CAPTURECTL_DEFINED;
  for (const struct capture_field *field = layout->fields; field->form; field++)
    if (field->refers) {
      guint32 id = (guint32)capture_field_number(field, record);
      g_array_append_val(self->references, id);
    }
  return definitions_define(self, layout->defines, capture_field_number(layout->fields, record), bytes, what);
}

/* A text, and no function, so that nothing leads in a circle. */
static gboolean is_text(CapturectlDefinitions *self, guint32 id)
{
  const Definition *text = definitions_find(self, CAPTURE_SORT_STRING, id);

  return id == 0 || (text && text->state != STATE_UNDEFINED && text->type == CAPTURE_RECORD_STRING);
}

static gboolean refers_to_whole(CapturectlDefinitions *self, const struct capture_field *field, guint32 id)
{
  return field->refers == CAPTURE_SORT_STRING ? is_text(self, id)
                                              : capturectl_definitions_is_whole(self, field->refers, id);
}

static gboolean space_is_whole(CapturectlDefinitions *self, const Definition *space)
{
  switch (space->form) {
  case CAPTURE_SPACE_BINARY:
    return capturectl_definitions_is_whole(self, CAPTURE_SORT_BINARY, space->first);
  case CAPTURE_SPACE_PROCESS:
  case CAPTURE_SPACE_IDENTIFIERS:
    return capturectl_definitions_is_whole(self, CAPTURE_SORT_PROCESS, space->first);
  default:
    return TRUE;
  }
}

/* Joins stand on nodes that are no joins, so this nests no deeper than two. */
static gboolean join_is_whole(CapturectlDefinitions *self, const Definition *join)
{
  for (guint i = 0; i < 2; i++) {
    guint32 id = i == 0 ? join->first : join->second;
    const Definition *node = definitions_find(self, CAPTURE_SORT_NODE, id);

    if (id != 0 && (!node || node->form || !capturectl_definitions_is_whole(self, CAPTURE_SORT_NODE, id)))
      return FALSE;
  }
  return TRUE;
}

/* Up to the root or to a node known to be whole, then marks the way. */
static gboolean stack_is_whole(CapturectlDefinitions *self, guint32 leaf)
{
  Definition *node;

  for (guint32 id = leaf; id != 0; id = node->second) {
    node = definitions_find(self, CAPTURE_SORT_NODE, id);
    if (!node || node->state == STATE_UNDEFINED || node->form || node->second >= id)
      return FALSE;
    if (node->state == STATE_WHOLE)
      break;
    if (!capturectl_definitions_is_whole(self, CAPTURE_SORT_FRAME, node->first))
      return FALSE;
  }
  for (guint32 id = leaf; id != 0; id = node->second) {
    node = definitions_find(self, CAPTURE_SORT_NODE, id);
    if (node->state == STATE_WHOLE)
      break;
    node->state = STATE_WHOLE;
  }
  return TRUE;
}

static gboolean references_are_whole(CapturectlDefinitions *self, const Definition *d)
{
  const struct capture_record_layout *layout = capture_record_layout_find(d->type);
  guint32 at = d->first;

  for (const struct capture_field *field = layout->fields; field->form; field++)
    if (field->refers && !refers_to_whole(self, field, g_array_index(self->references, guint32, at++)))
      return FALSE;
  return TRUE;
}

static gboolean leads_to_whole(CapturectlDefinitions *self, enum capture_sort sort, guint32 id,
                               const Definition *d)
{
  switch (sort) {
  case CAPTURE_SORT_SPACE:
    return space_is_whole(self, d);
  case CAPTURE_SORT_FRAME:
    return d->first != 0 && capturectl_definitions_is_whole(self, CAPTURE_SORT_SPACE, d->first);
  case CAPTURE_SORT_NODE:
    return d->form ? join_is_whole(self, d) : stack_is_whole(self, id);
  default:
    return references_are_whole(self, d);
  }
}

gboolean capturectl_definitions_is_whole(CapturectlDefinitions *self, enum capture_sort sort, guint32 id)
{
  Definition *definition = definitions_find(self, sort, id);

  if (id == 0)
    return TRUE;
  if (!definition || definition->state == STATE_UNDEFINED)
    return FALSE;
  if (definition->state == STATE_WHOLE)
    return TRUE;
  if (!leads_to_whole(self, sort, id, definition))
    return FALSE;
  definition->state = STATE_WHOLE;
  return TRUE;
}

static gboolean fields_are_whole(CapturectlDefinitions *self, const struct capture_field *fields,
                                 const void *bytes)
{
  for (const struct capture_field *field = fields; field->form; field++)
    if (field->refers && !refers_to_whole(self, field, (guint32)capture_field_number(field, bytes)))
      return FALSE;
  return TRUE;
}

gboolean capturectl_definitions_has_all(CapturectlDefinitions *self, const struct capture_record *record)
{
  const struct capture_record_layout *layout = capture_record_layout_find(record->type);
  gboolean all = fields_are_whole(self, layout->fields, record);

  for (guint i = 0; layout->items && i < record->count; i++)
    all &= fields_are_whole(self, layout->items, (const guint8 *)record + layout->fixed + i * layout->item);
  return all;
}
