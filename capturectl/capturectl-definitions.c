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

/* What a definition refers to: node: frame and parent; join: two nodes; thread: process and name … */
typedef struct {
  guint32 first, second;
  guint8 state;
  guint8
      form; /* of a space: its kind; of a node: whether it is a join; of a string: whether it is a function */
} Definition;

struct _CapturectlDefinitions {
  GArray *sorts[CAPTURECTL_N_SORTS]; /* Definition, by identifier - 1 */
};

CapturectlDefinitions *capturectl_definitions_new(void)
{
  CapturectlDefinitions *self = g_new0(CapturectlDefinitions, 1);

  for (guint i = 0; i < CAPTURECTL_N_SORTS; i++)
    self->sorts[i] = g_array_new(FALSE, TRUE, sizeof(Definition));
  return self;
}

void capturectl_definitions_free(CapturectlDefinitions *self)
{
  for (guint i = 0; i < CAPTURECTL_N_SORTS; i++)
    g_array_unref(self->sorts[i]);
  g_free(self);
}

static Definition *definitions_find(CapturectlDefinitions *self, CapturectlSort sort, guint32 id)
{
  GArray *definitions = self->sorts[sort];

  return id > 0 && id <= definitions->len ? &g_array_index(definitions, Definition, id - 1) : NULL;
}

static CapturectlDefined definitions_define(CapturectlDefinitions *self, CapturectlSort sort, guint64 id,
                                            guint64 bytes, guint32 first, guint32 second, guint8 form)
{
  Definition *definition;

  if (id == 0 || id > bytes / BYTES_A_DEFINITION + IDENTIFIERS_ALWAYS || id > G_MAXUINT32)
    return CAPTURECTL_OUT_OF_RANGE;
  if (id > self->sorts[sort]->len)
    g_array_set_size(self->sorts[sort], id);
  definition = definitions_find(self, sort, id);
  if (definition->state != STATE_UNDEFINED)
    return CAPTURECTL_DEFINED_TWICE;
  *definition = (Definition){first, second, STATE_DEFINED, form};
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
    worst = definitions_worse(worst, definitions_define(self, CAPTURECTL_FRAMES, (guint64)r->first + i, bytes,
                                                        r->frames[i].space, 0, 0));
  return worst;
}

static CapturectlDefined add_nodes(CapturectlDefinitions *self, const struct capture_record_nodes *r,
                                   guint64 bytes)
{
  CapturectlDefined worst = CAPTURECTL_DEFINED;
  struct capture_nodes_position position = {0};
  struct capture_node node;

  while (capture_nodes_next(r, &position, &node)) {
    if (node.parent >= node.id || node.kernel >= node.id)
      worst = CAPTURECTL_OUT_OF_ORDER;
    worst = definitions_worse(worst, definitions_define(self, CAPTURECTL_NODES, node.id, bytes,
                                                        node.join ? node.parent : node.frame,
                                                        node.join ? node.kernel : node.parent, node.join));
  }
  return worst;
}

CapturectlDefined capturectl_definitions_add(CapturectlDefinitions *self, const struct capture_record *record,
                                             guint64 bytes)
{
  const union {
    const struct capture_record *record;
    const struct capture_record_string *string;
    const struct capture_record_space *space;
    const struct capture_record_binary *binary;
    const struct capture_record_process *process;
    const struct capture_record_thread *thread;
    const struct capture_record_event *event;
    const struct capture_record_function *function;
    const struct capture_record_counter *counter;
    const struct capture_record_named_binary *named_binary;
  } r = {record};

  switch (record->type) {
  case CAPTURE_RECORD_STRING:
    return definitions_define(self, CAPTURECTL_STRINGS, r.string->id, bytes, 0, 0, 0);
  case CAPTURE_RECORD_SPACE:
    return definitions_define(self, CAPTURECTL_SPACES, r.space->id, bytes, r.space->owner, 0,
                              MIN(r.space->kind, 255));
  case CAPTURE_RECORD_FRAMES:
    return add_frames(self, (const struct capture_record_frames *)record, bytes);
  case CAPTURE_RECORD_NODES:
    return add_nodes(self, (const struct capture_record_nodes *)record, bytes);
  case CAPTURE_RECORD_BINARY:
    return definitions_define(self, CAPTURECTL_BINARIES, r.binary->id, bytes, r.binary->path, 0, 0);
  case CAPTURE_RECORD_PROCESS:
    return definitions_define(self, CAPTURECTL_PROCESSES, r.process->id, bytes, r.process->name,
                              r.process->command_line, 0);
  case CAPTURE_RECORD_THREAD:
    return definitions_define(self, CAPTURECTL_THREADS, r.thread->id, bytes, r.thread->process,
                              r.thread->name, 0);
  case CAPTURE_RECORD_EVENT:
    return definitions_define(self, CAPTURECTL_EVENTS, r.event->id, bytes, r.event->name, 0, 0);
  case CAPTURE_RECORD_FUNCTION:
    return definitions_define(self, CAPTURECTL_STRINGS, r.function->id, bytes, r.function->name,
                              r.function->file, TRUE);
  case CAPTURE_RECORD_COUNTER:
    return definitions_define(self, CAPTURECTL_COUNTERS, r.counter->id, bytes, r.counter->process,
                              r.counter->name, 0);
  case CAPTURE_RECORD_NAMED_BINARY:
    return definitions_define(self, CAPTURECTL_BINARIES, r.named_binary->id, bytes, r.named_binary->path, 0,
                              0);
  default:
    return CAPTURECTL_DEFINED;
  }
}

/* A text, and no function, so that nothing leads in a circle. */
static gboolean is_text(CapturectlDefinitions *self, guint32 id)
{
  const Definition *text = definitions_find(self, CAPTURECTL_STRINGS, id);

  return id == 0 || (text && text->state != STATE_UNDEFINED && !text->form);
}

static gboolean space_is_whole(CapturectlDefinitions *self, const Definition *space)
{
  switch (space->form) {
  case CAPTURE_SPACE_BINARY:
    return capturectl_definitions_is_whole(self, CAPTURECTL_BINARIES, space->first);
  case CAPTURE_SPACE_PROCESS:
  case CAPTURE_SPACE_IDENTIFIERS:
    return capturectl_definitions_is_whole(self, CAPTURECTL_PROCESSES, space->first);
  default:
    return TRUE;
  }
}

/* Joins stand on nodes that are no joins, so this nests no deeper than two. */
static gboolean join_is_whole(CapturectlDefinitions *self, const Definition *join)
{
  for (guint i = 0; i < 2; i++) {
    guint32 id = i == 0 ? join->first : join->second;
    const Definition *node = definitions_find(self, CAPTURECTL_NODES, id);

    if (id != 0 && (!node || node->form || !capturectl_definitions_is_whole(self, CAPTURECTL_NODES, id)))
      return FALSE;
  }
  return TRUE;
}

/* Up to the root or to a node known to be whole, then marks the way. */
static gboolean stack_is_whole(CapturectlDefinitions *self, guint32 leaf)
{
  Definition *node;

  for (guint32 id = leaf; id != 0; id = node->second) {
    node = definitions_find(self, CAPTURECTL_NODES, id);
    if (!node || node->state == STATE_UNDEFINED || node->form || node->second >= id)
      return FALSE;
    if (node->state == STATE_WHOLE)
      break;
    if (!capturectl_definitions_is_whole(self, CAPTURECTL_FRAMES, node->first))
      return FALSE;
  }
  for (guint32 id = leaf; id != 0; id = node->second) {
    node = definitions_find(self, CAPTURECTL_NODES, id);
    if (node->state == STATE_WHOLE)
      break;
    node->state = STATE_WHOLE;
  }
  return TRUE;
}

static gboolean leads_to_whole(CapturectlDefinitions *self, CapturectlSort sort, guint32 id,
                               const Definition *d)
{
  switch (sort) {
  case CAPTURECTL_STRINGS:
    return !d->form || (is_text(self, d->first) && is_text(self, d->second));
  case CAPTURECTL_SPACES:
    return space_is_whole(self, d);
  case CAPTURECTL_FRAMES:
    return d->first != 0 && capturectl_definitions_is_whole(self, CAPTURECTL_SPACES, d->first);
  case CAPTURECTL_NODES:
    return d->form ? join_is_whole(self, d) : stack_is_whole(self, id);
  case CAPTURECTL_BINARIES:
  case CAPTURECTL_EVENTS:
    return capturectl_definitions_is_whole(self, CAPTURECTL_STRINGS, d->first);
  case CAPTURECTL_PROCESSES:
    return capturectl_definitions_is_whole(self, CAPTURECTL_STRINGS, d->first) &&
           capturectl_definitions_is_whole(self, CAPTURECTL_STRINGS, d->second);
  case CAPTURECTL_COUNTERS:
  case CAPTURECTL_THREADS:
    return capturectl_definitions_is_whole(self, CAPTURECTL_PROCESSES, d->first) &&
           capturectl_definitions_is_whole(self, CAPTURECTL_STRINGS, d->second);
  default:
    return TRUE;
  }
}

gboolean capturectl_definitions_is_whole(CapturectlDefinitions *self, CapturectlSort sort, guint32 id)
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

static gboolean has_all_of_code(CapturectlDefinitions *self, const struct capture_record_code *r)
{
  gboolean all = capturectl_definitions_is_whole(self, CAPTURECTL_PROCESSES, r->process) &&
                 is_text(self, r->name) && is_text(self, r->file);

  for (guint i = 0; i < r->record.count; i++)
    all &= is_text(self, r->ranges[i].file) && is_text(self, r->ranges[i].function) &&
           (i == 0 || r->ranges[i].offset >= r->ranges[i - 1].offset);
  return all;
}

static gboolean has_all_counters(CapturectlDefinitions *self, const struct capture_record_counts *r)
{
  for (guint i = 0; i < r->record.count; i++)
    if (r->values[i].counter == 0 ||
        !capturectl_definitions_is_whole(self, CAPTURECTL_COUNTERS, r->values[i].counter))
      return FALSE;
  return TRUE;
}

gboolean capturectl_definitions_has_all(CapturectlDefinitions *self, const struct capture_record *record)
{
  const union {
    const struct capture_record *record;
    const struct capture_record_code_end *code_end;
    const struct capture_record_mark *mark;
    const struct capture_record_log *log;
  } r = {record};

  switch (record->type) {
  case CAPTURE_RECORD_CODE:
    return has_all_of_code(self, (const struct capture_record_code *)record);
  case CAPTURE_RECORD_CODE_END:
    return capturectl_definitions_is_whole(self, CAPTURECTL_PROCESSES, r.code_end->process);
  case CAPTURE_RECORD_MARK:
    return capturectl_definitions_is_whole(self, CAPTURECTL_THREADS, r.mark->thread) &&
           is_text(self, r.mark->category) && is_text(self, r.mark->name);
  case CAPTURE_RECORD_COUNTS:
    return has_all_counters(self, (const struct capture_record_counts *)record);
  case CAPTURE_RECORD_LOG:
    return capturectl_definitions_is_whole(self, CAPTURECTL_THREADS, r.log->thread) &&
           is_text(self, r.log->domain);
  default:
    return TRUE;
  }
}
