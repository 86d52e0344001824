/* SPDX-License-Identifier: GPL-3.0-or-later */
/* docs/annotate-json.md describes what is printed. */
#include "capturectl/capturectl-annotate-private.h"
#include "capturectl/capturectl-json.h"
#include "profile/views/source-doubt.h"

typedef struct {
  const CapturectlAnnotate *shown;
  JsonBuilder *builder;
} AnnotateJson;

static void add_costs(const AnnotateJson *json, ProfileWeight self, ProfileWeight total)
{
  capturectl_json_int(json->builder, "self", (gint64)self.count);
  capturectl_json_int(json->builder, "total", (gint64)total.count);
  capturectl_json_int(json->builder, "self_weight", (gint64)self.weight);
  capturectl_json_int(json->builder, "total_weight", (gint64)total.weight);
}

static void add_inlined(const AnnotateJson *json, const ProfileAnnotationLine *line)
{
  capturectl_json_array(json->builder, "inlined");
  for (guint32 i = 0; line && i < line->n_inlined; i++) {
    const ProfileAnnotationInlined *inlined =
        &profile_annotation_get_inlined(json->shown->annotation, line)[i];
    json_builder_begin_object(json->builder);
    capturectl_json_string(json->builder, "name", inlined->name);
    add_costs(json, inlined->self, inlined->total);
    json_builder_end_object(json->builder);
  }
  json_builder_end_array(json->builder);
}

/* found: NULL for a line without samples. */
static void add_line(const AnnotateJson *json, guint32 line, const ProfileAnnotationLine *found,
                     const ProfileSourceFile *source)
{
  static const ProfileWeight none;
  g_autofree char *text = profile_source_file_get_line(source, line);

  json_builder_begin_object(json->builder);
  capturectl_json_int(json->builder, "line", line);
  add_costs(json, found ? found->self : none, found ? found->total : none);
  capturectl_json_string(json->builder, "text", text);
  add_inlined(json, found);
  json_builder_end_object(json->builder);
}

static void add_lines(const AnnotateJson *json, const ProfileAnnotationFile *file,
                      const ProfileSourceFile *source)
{
  const ProfileAnnotationLine *lines = profile_annotation_get_lines(json->shown->annotation, file);
  guint32 next = capturectl_annotate_get_range(json->shown, file).first;
  guint32 n_lines = profile_source_file_get_n_lines(source);

  capturectl_json_array(json->builder, "lines");
  for (guint32 i = 0; i < file->n_lines; i++) {
    for (; json->shown->all && next < MIN(lines[i].line, n_lines + 1); next++)
      add_line(json, next, NULL, source);
    add_line(json, lines[i].line, &lines[i], source);
    next = lines[i].line + 1;
  }
  json_builder_end_array(json->builder);
}

static void add_file(const AnnotateJson *json, const ProfileAnnotationFile *file)
{
  const CapturectlSource *got = capturectl_sources_get(json->shown->sources, file->path);
  const ProfileSourceFile *source = got->file;
  gboolean found = profile_source_file_get_status(source) == PROFILE_SOURCE_FILE_READ;
  gboolean is_file = found && profile_source_file_get_origin(source) == PROFILE_SOURCE_FILE_HERE;
  ProfileSourceDoubt doubts = profile_source_doubt_find(json->shown->annotation, file, source);

  json_builder_begin_object(json->builder);
  capturectl_json_string(json->builder, "path", file->path);
  capturectl_json_bool(json->builder, "found", found);
  capturectl_json_string(json->builder, "read_from", is_file ? profile_source_file_get_path(source) : NULL);
  capturectl_json_string(json->builder, "origin", found ? profile_source_file_get_origin_name(source) : NULL);
  capturectl_json_string(json->builder, "reason", found ? NULL : profile_source_file_get_status_name(source));
  capturectl_json_string(json->builder, "download_error", got->failure);
  capturectl_json_bool(json->builder, "newer", (doubts & PROFILE_SOURCE_DOUBT_NEWER) != 0);
  capturectl_json_bool(json->builder, "changed", (doubts & PROFILE_SOURCE_DOUBT_CHANGED) != 0);
  capturectl_json_bool(json->builder, "too_short", (doubts & PROFILE_SOURCE_DOUBT_TOO_SHORT) != 0);
  add_lines(json, file, source);
  json_builder_end_object(json->builder);
}

static void add_function(const AnnotateJson *json, guint32 function)
{
  const ProfileStacks *stacks = profile_report_get_stacks(json->shown->report);

  capturectl_json_string(json->builder, "function", profile_stacks_get_function_name(stacks, function));
  capturectl_json_string(json->builder, "binary", profile_stacks_get_function_binary(stacks, function));
}

static void add_others(const AnnotateJson *json)
{
  const GArray *others = json->shown->others;

  capturectl_json_array(json->builder, "others");
  for (guint i = 0; i < others->len; i++) {
    const ProfileRow *row = &g_array_index(others, ProfileRow, i);
    json_builder_begin_object(json->builder);
    add_function(json, row->item);
    capturectl_json_int(json->builder, "total", (gint64)row->total.count);
    json_builder_end_object(json->builder);
  }
  json_builder_end_array(json->builder);
}

static void add_event(const AnnotateJson *json)
{
  const ProfileFilter *filter = profile_weights_get_filter(json->shown->weights);
  const ProfileEvent *event =
      profile_capture_get_event(profile_filter_get_capture(filter), profile_filter_get_event(filter));
  ProfileWeight sum = profile_annotation_get_sum(json->shown->annotation);

  capturectl_json_string(json->builder, "event", event->name);
  capturectl_json_int(json->builder, "samples", (gint64)sum.count);
  capturectl_json_int(json->builder, "weight", (gint64)sum.weight);
}

static void add_source(const AnnotateJson *json)
{
  const ProfileAnnotation *annotation = json->shown->annotation;
  gsize n;
  const ProfileAnnotationFile *files = profile_annotation_get_files(annotation, &n);

  capturectl_json_object(json->builder, "without_line");
  add_costs(json, profile_annotation_get_self_without_line(annotation),
            profile_annotation_get_total_without_line(annotation));
  json_builder_end_object(json->builder);
  capturectl_json_array(json->builder, "files");
  for (gsize i = 0; i < n; i++)
    add_file(json, &files[i]);
  json_builder_end_array(json->builder);
}

void capturectl_annotate_json(const CapturectlAnnotate *self)
{
  g_autoptr(JsonBuilder) builder = json_builder_new();
  const AnnotateJson json = {.shown = self, .builder = builder};
  const ProfileAnnotation *annotation = self->annotation;

  json_builder_begin_object(builder);
  capturectl_json_string(builder, "file", self->report->path);
  add_function(&json, self->function);
  add_others(&json);
  add_event(&json);
  add_costs(&json, profile_annotation_get_self(annotation), profile_annotation_get_total(annotation));
  if (self->source)
    add_source(&json);
  if (self->disassembly)
    capturectl_annotate_code_json(self, builder);
  json_builder_end_object(builder);
  capturectl_json_print(builder);
}
