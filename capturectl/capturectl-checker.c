/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-checker.h"

#include <glib/gi18n.h>
#include <stdlib.h>

#include "capturectl/capturectl-definitions.h"
#include "capturectl/capturectl-reader.h"

typedef enum {
  PROBLEM_CONTENT,
  PROBLEM_ENTRIES,
  PROBLEM_RECORDS_END,
  PROBLEM_RECORD,
  PROBLEM_TWICE,
  PROBLEM_RANGE,
  PROBLEM_NODE_ORDER,
  PROBLEM_EVENT,
  PROBLEM_THREAD,
  PROBLEM_STACK,
  PROBLEM_TIME_ORDER,
  PROBLEM_TIME_LAST,
  PROBLEM_MAPPING,
  PROBLEM_FUNCTION_NAME,
  PROBLEM_FUNCTION_ORDER,
  PROBLEM_REFERENCE,
  N_PROBLEMS
} Problem;

static const char *const problem_texts[N_PROBLEMS] = {
    [PROBLEM_CONTENT] = N_("the content of the window cannot be read"),
    [PROBLEM_ENTRIES] = N_("the window does not hold a whole number of samples"),
    [PROBLEM_RECORDS_END] = N_("from some record on, the sizes of records make no sense"),
    [PROBLEM_RECORD] = N_("a record does not hold what its type asks for"),
    [PROBLEM_TWICE] = N_("an identifier is defined twice"),
    [PROBLEM_RANGE] = N_("an identifier is far beyond any that could be in use"),
    [PROBLEM_NODE_ORDER] = N_("a stack node does not come after the one it stands on"),
    [PROBLEM_EVENT] = N_("the event of the samples is not defined before them"),
    [PROBLEM_THREAD] = N_("a sample's thread, or what it leads to, is not defined before it"),
    [PROBLEM_STACK] = N_("a sample's stack, or what it leads to, is not defined before it"),
    [PROBLEM_TIME_ORDER] = N_("a sample is earlier than the one before it"),
    [PROBLEM_TIME_LAST] = N_("a sample is later than its window says"),
    [PROBLEM_MAPPING] = N_("a mapping's process or binary is not defined"),
    [PROBLEM_FUNCTION_NAME] = N_("a named function's binary or name is not defined"),
    [PROBLEM_FUNCTION_ORDER] = N_("named functions overlap or do not ascend"),
    [PROBLEM_REFERENCE] = N_("what a record refers to is not defined"),
};

typedef struct {
  const capture_reader *reader;
  CapturectlProblemFunc problem;
  gpointer problem_data;
  GHashTable *epochs; /* guint64 stream and epoch → CapturectlDefinitions; names have epochs of their own */
  guint64 dictionary_size;    /* bytes so far */
  guint64 counts[N_PROBLEMS]; /* of the part in hand */
  CapturectlCheckCounts totals;
} Checker;

static void checker_note(Checker *self, Problem problem)
{
  self->counts[problem]++;
}

/* One line a sort of problem and part: a damaged dictionary would say the same thousands of times. */
static void checker_tell(Checker *self, guint64 offset)
{
  for (guint i = 0; i < N_PROBLEMS; i++) {
    g_autofree char *many = NULL;

    if (self->counts[i] == 0)
      continue;
    if (self->counts[i] > 1)
      many = g_strdup_printf(_("%s (%" G_GUINT64_FORMAT " times)"), _(problem_texts[i]), self->counts[i]);
    self->problem(offset, many ? many : _(problem_texts[i]), self->problem_data);
    self->counts[i] = 0;
  }
}

static CapturectlDefinitions *get_epoch(Checker *self, const struct capture_window_header *header)
{
  guint64 key = (guint64)header->stream << 32 | header->epoch;
  CapturectlDefinitions *definitions = g_hash_table_lookup(self->epochs, &key);

  if (definitions)
    return definitions;
  definitions = capturectl_definitions_new();
  g_hash_table_insert(self->epochs, g_memdup2(&key, sizeof key), definitions);
  return definitions;
}

static void check_definition(Checker *self, CapturectlDefinitions *definitions,
                             const struct capture_record *record)
{
  switch (capturectl_definitions_add(definitions, record, self->dictionary_size)) {
  case CAPTURECTL_DEFINED_TWICE:
    checker_note(self, PROBLEM_TWICE);
    break;
  case CAPTURECTL_OUT_OF_RANGE:
    checker_note(self, PROBLEM_RANGE);
    break;
  case CAPTURECTL_OUT_OF_ORDER:
    checker_note(self, PROBLEM_NODE_ORDER);
    break;
  default:
    break;
  }
}

static gboolean checker_defines(const struct capture_window_header *header)
{
  return header->kind == CAPTURE_WINDOW_DICTIONARY || header->kind == CAPTURE_WINDOW_NAMES;
}

static void check_records(Checker *self, const struct capture_window_header *header, const guint8 *content,
                          gsize length)
{
  CapturectlDefinitions *definitions = checker_defines(header) ? get_epoch(self, header) : NULL;
  const struct capture_record *record;
  gsize position = 0;

  if (definitions)
    self->dictionary_size += length;
  while ((record = capture_records_next(content, length, &position))) {
    if (capture_record_layout_find(record->type) && !capture_record_is_valid(record))
      checker_note(self, PROBLEM_RECORD);
    else if (definitions)
      check_definition(self, definitions, record);
  }
  if (position < length)
    checker_note(self, PROBLEM_RECORDS_END);
}

static void check_sample(Checker *self, CapturectlDefinitions *definitions,
                         const struct capture_sample *sample, gboolean event_is_whole)
{
  gboolean thread_is_whole =
      capturectl_definitions_is_whole(definitions, CAPTURE_SORT_THREAD, sample->thread);
  gboolean stack_is_whole = capturectl_definitions_is_whole(definitions, CAPTURE_SORT_NODE, sample->leaf);

  if (!thread_is_whole)
    checker_note(self, PROBLEM_THREAD);
  if (!stack_is_whole)
    checker_note(self, PROBLEM_STACK);
  self->totals.samples++;
  if (thread_is_whole && stack_is_whole && event_is_whole)
    self->totals.whole_samples++;
}

static void check_samples(Checker *self, const struct capture_window_header *header, const guint8 *content,
                          gsize length)
{
  CapturectlDefinitions *definitions = get_epoch(self, header);
  gboolean event_is_whole =
      header->event != 0 && capturectl_definitions_is_whole(definitions, CAPTURE_SORT_EVENT, header->event);
  gsize entry_size = header->entry_size;
  guint32 before = 0;

  if ((entry_size != 16 && entry_size != 24 && entry_size != 32) || length % entry_size != 0) {
    checker_note(self, PROBLEM_ENTRIES);
    return;
  }
  if (!event_is_whole && length > 0)
    checker_note(self, PROBLEM_EVENT);
  for (gsize at = 0; at < length; at += entry_size) {
    const struct capture_sample *sample = (const struct capture_sample *)(content + at);

    if (sample->time < before)
      checker_note(self, PROBLEM_TIME_ORDER);
    if (header->time_first + sample->time > header->time_last)
      checker_note(self, PROBLEM_TIME_LAST);
    before = sample->time;
    check_sample(self, definitions, sample, event_is_whole);
  }
}

static void check_content(Checker *self, const struct capture_window_header *header, const guint8 *content,
                          gsize length)
{
  switch (header->kind) {
  case CAPTURE_WINDOW_SAMPLES:
    check_samples(self, header, content, length);
    break;
  case CAPTURE_WINDOW_DICTIONARY:
  case CAPTURE_WINDOW_RECORDS:
  case CAPTURE_WINDOW_META:
  case CAPTURE_WINDOW_NAMES:
    check_records(self, header, content, length);
    break;
  default:
    break;
  }
}

static gboolean place_is_complete(const struct capture_record_place *r)
{
  gboolean complete = r->binary != 0;

  for (guint i = 0; i < r->record.count; i++)
    complete &= r->frames[i] != 0;
  return complete;
}

/* Beside references: what must not be 0. */
static gboolean is_complete(const struct capture_record *record)
{
  const struct capture_record_functions *functions = (const struct capture_record_functions *)record;
  const struct capture_record_counts *counts = (const struct capture_record_counts *)record;
  gboolean complete = TRUE;

  if (record->type == CAPTURE_RECORD_FUNCTIONS) {
    complete = functions->binary != 0;
    for (guint i = 0; i < record->count; i++)
      complete &= functions->functions[i].name != 0 || functions->functions[i].linkage_name != 0;
  } else if (record->type == CAPTURE_RECORD_PLACE)
    complete = place_is_complete((const struct capture_record_place *)record);
  else if (record->type == CAPTURE_RECORD_MACHINE_CODE)
    complete = ((const struct capture_record_machine_code *)record)->binary != 0;
  else if (record->type == CAPTURE_RECORD_COUNTS)
    for (guint i = 0; i < record->count; i++)
      complete &= counts->values[i].counter != 0;
  return complete;
}

static gboolean functions_ascend(const struct capture_record_functions *r)
{
  for (guint i = 0; i < r->record.count; i++)
    if (r->functions[i].start >= r->functions[i].end ||
        (i > 0 && r->functions[i].start < r->functions[i - 1].end))
      return FALSE;
  return TRUE;
}

static gboolean place_is_empty(const struct capture_record_place *r)
{
  return r->record.count == 0 || r->start >= r->end;
}

static gboolean machine_code_is_empty(const struct capture_record_machine_code *r)
{
  return r->length == 0 || r->start > G_MAXUINT64 - r->length;
}

static gboolean ranges_ascend(const struct capture_record_code *r)
{
  for (guint i = 1; i < r->record.count; i++)
    if (r->ranges[i].offset < r->ranges[i - 1].offset)
      return FALSE;
  return TRUE;
}

static void check_references(Checker *self, CapturectlDefinitions *definitions,
                             const struct capture_record *record)
{
  Problem problem = record->type == CAPTURE_RECORD_MAPPING     ? PROBLEM_MAPPING
                    : record->type == CAPTURE_RECORD_FUNCTIONS ? PROBLEM_FUNCTION_NAME
                                                               : PROBLEM_REFERENCE;

  if (!capturectl_definitions_has_all(definitions, record) || !is_complete(record))
    checker_note(self, problem);
  if (record->type == CAPTURE_RECORD_FUNCTIONS &&
      !functions_ascend((const struct capture_record_functions *)record))
    checker_note(self, PROBLEM_FUNCTION_ORDER);
  if (record->type == CAPTURE_RECORD_PLACE && place_is_empty((const struct capture_record_place *)record))
    checker_note(self, PROBLEM_RECORD);
  if (record->type == CAPTURE_RECORD_MACHINE_CODE &&
      machine_code_is_empty((const struct capture_record_machine_code *)record))
    checker_note(self, PROBLEM_RECORD);
  if (record->type == CAPTURE_RECORD_CODE && !ranges_ascend((const struct capture_record_code *)record))
    checker_note(self, PROBLEM_REFERENCE);
}

/* What may be defined later in the epoch, so that it is looked at when all is known. */
static void check_late(Checker *self, const struct capture_window_header *header, const guint8 *content,
                       gsize length)
{
  CapturectlDefinitions *definitions = get_epoch(self, header);
  const struct capture_record *record;
  gsize position = 0;

  while ((record = capture_records_next(content, length, &position)))
    if (capture_record_is_valid(record) && !capture_record_layout_find(record->type)->defines)
      check_references(self, definitions, record);
}

static gboolean checker_refers(const struct capture_window_header *header)
{
  return checker_defines(header) || header->kind == CAPTURE_WINDOW_RECORDS;
}

typedef void (*CheckFunc)(Checker *self, const struct capture_window_header *header, const guint8 *content,
                          gsize length);

static void check_each(Checker *self, guint8 *whole, CheckFunc check,
                       gboolean (*wanted)(const struct capture_window_header *))
{
  void *buffer = NULL;
  gsize buffer_size = 0;

  for (gsize i = 0; i < capture_reader_n_parts(self->reader); i++) {
    const struct capture_part *part = capture_reader_part(self->reader, i);
    const guint8 *content;
    gsize length;

    if (wanted && (!whole[i] || !wanted(&part->header)))
      continue;
    whole[i] = capture_reader_content(self->reader, i, &buffer, &buffer_size, &content, &length) == 0;
    if (whole[i])
      check(self, &part->header, content, length);
    else
      checker_note(self, PROBLEM_CONTENT);
    checker_tell(self, part->offset);
  }
  free(buffer);
}

void capturectl_check_parts(const capture_reader *reader, CapturectlProblemFunc problem, gpointer data,
                            guint8 *whole, CapturectlCheckCounts *ret)
{
  g_autoptr(GHashTable) epochs =
      g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)capturectl_definitions_free);
  Checker self = {.reader = reader, .problem = problem, .problem_data = data, .epochs = epochs};

  check_each(&self, whole, check_content, NULL);
  /* A capture that was cut off may have lost what came last. */
  if (capture_reader_has_index(reader))
    check_each(&self, whole, check_late, checker_refers);
  self.totals.parts = capture_reader_n_parts(reader);
  for (gsize i = 0; i < self.totals.parts; i++)
    self.totals.whole_parts += whole[i];
  *ret = self.totals;
}
