/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

#include "capturectl/capturectl-annotate-private.h"
#include "profile/base/printable.h"
#include "profile/views/source-doubt.h"

enum {
  CONTEXT = 3,    /* lines before and behind one with samples */
  MAX_OTHERS = 8, /* functions of that name that are listed */
  FLUSH_SIZE = 1 << 16,
  INDENT = 2
};

typedef struct {
  const CapturectlAnnotate *shown;
  const ProfileAnnotationLine *hottest; /* NULL: there are no lines */
  guint64 whole;                        /* 100 %, by profile_annotation_measure */
  GString *out;
  glong line_width;
} AnnotateText;

/* Writes what is there when it is much: a file may have millions of lines. */
static void annotate_text_flush(const AnnotateText *text, gsize size)
{
  if (text->out->len < size)
    return;
  fwrite(text->out->str, 1, text->out->len, stdout);
  g_string_truncate(text->out, 0);
}

static void append_share(const AnnotateText *text, ProfileWeight weight)
{
  profile_report_append_share(text->out, profile_annotation_measure(text->shown->annotation, weight),
                              text->whole);
}

static void append_blanks(const AnnotateText *text, glong n)
{
  g_string_append_printf(text->out, "%*s", (int)n, "");
}

static const char *get_function_name(const CapturectlAnnotate *shown, guint32 function)
{
  return profile_stacks_get_function_name(profile_report_get_stacks(shown->report), function);
}

/* "mix(int)  (libmix.so)" */
static char *describe_function(const CapturectlAnnotate *shown, guint32 function)
{
  const char *binary = profile_stacks_get_function_binary(profile_report_get_stacks(shown->report), function);
  g_autofree char *base = g_path_get_basename(binary);

  return g_strdup_printf("%s  (%s)", get_function_name(shown, function), base);
}

static void append_sentence(const AnnotateText *text, char *sentence)
{
  profile_printable_append(text->out, sentence);
  g_string_append_c(text->out, '\n');
  g_free(sentence);
}

/* Which other functions were as much asked for. */
static void append_others(const AnnotateText *text)
{
  const GArray *others = text->shown->others;

  if (others->len == 0)
    return;
  append_sentence(text, g_strdup_printf(_("Of the functions “%s” this is the one with most samples; --binary "
                                          "or a whole name chooses another:"),
                                        text->shown->wanted));
  for (guint i = 0; i < MIN(others->len, MAX_OTHERS); i++) {
    const ProfileRow *row = &g_array_index(others, ProfileRow, i);
    g_autofree char *name = describe_function(text->shown, row->item);
    append_blanks(text, INDENT);
    append_sentence(text, g_strdup_printf(ngettext("%s, %" G_GUINT64_FORMAT " sample",
                                                   "%s, %" G_GUINT64_FORMAT " samples", row->total.count),
                                          name, row->total.count));
  }
  if (others->len > MAX_OTHERS)
    append_sentence(text, g_strdup_printf(_("  and %u more"), others->len - MAX_OTHERS));
}

static void append_head(const AnnotateText *text)
{
  const CapturectlAnnotate *shown = text->shown;
  g_autoptr(GArray) events = profile_report_get_events(shown->report);
  g_autofree char *name = describe_function(shown, shown->function);
  g_autoptr(GString) share = g_string_new(NULL), total = g_string_new(NULL);

  profile_report_append_head(shown->report, events, text->out);
  profile_report_append_event_head(shown->weights, text->out);
  profile_report_append_fact(text->out, _("Function"), name);
  profile_report_append_share(
      share, profile_annotation_measure(shown->annotation, profile_annotation_get_self(shown->annotation)),
      text->whole);
  profile_report_append_share(
      total, profile_annotation_measure(shown->annotation, profile_annotation_get_total(shown->annotation)),
      text->whole);
  g_autofree char *both = g_strdup_printf(_("%s self, with what was inlined; %s total"),
                                          g_strchug(share->str), g_strchug(total->str));
  profile_report_append_fact(text->out, _("Share"), both);
  append_others(text);
}

/* Why no line of the function is known, and what helps. */
static char *explain_no_lines(const CapturectlAnnotate *shown)
{
  const ProfileStacks *stacks = profile_report_get_stacks(shown->report);
  const ProfileFunction *function = profile_stacks_get_function(stacks, shown->function);
  gsize n;

  profile_capture_get_functions(profile_report_get_capture(shown->report), &n);
  if (shown->function >= n)
    return g_strdup(_("A transform made this function of others; it has no lines of its own."));
  if (function->kind == CAPTURE_SPACE_KERNEL)
    return g_strdup(
        _("No line of this function of the kernel is known: install the kernel’s debug information "
          "(linux-image-…-dbg in Debian, kernel-debuginfo in Fedora), and record again."));
  if (function->kind == CAPTURE_SPACE_IDENTIFIERS)
    return g_strdup(_("The program named this function itself, and told no lines of its code."));
  if (function->kind != CAPTURE_SPACE_BINARY)
    return g_strdup(_("Nothing is known of this code but its address."));
  return g_strdup_printf(
      _("No line of this function of “%s” is known: build that with -g, or install its package of debug "
        "information (-dbgsym or -dbg in Debian, -debuginfo in Fedora), and record again."),
      profile_stacks_get_function_binary(stacks, shown->function));
}

/* Why there is no text, and what helps. */
static char *explain_no_text(const CapturectlSource *source)
{
  const char *path = profile_source_file_get_path(source->file);

  switch (profile_source_file_get_status(source->file)) {
  case PROFILE_SOURCE_FILE_MISSING:
    if (source->is_offered)
      return g_strdup_printf(_("There is no file “%s” here: --map FROM=TO says where its folder is, and "
                               "--download asks servers for it."),
                             path);
    return g_strdup_printf(_("There is no file “%s” here: --map FROM=TO says where its folder is."), path);
  case PROFILE_SOURCE_FILE_DENIED:
    return g_strdup_printf(_("“%s” cannot be read: permission denied."), path);
  case PROFILE_SOURCE_FILE_NOT_REGULAR:
    return g_strdup_printf(_("“%s” is not a regular file, and was not read."), path);
  case PROFILE_SOURCE_FILE_TOO_LARGE:
    return g_strdup_printf(_("“%s” is larger than %d MiB, and was not read."), path,
                           PROFILE_SOURCE_FILE_MAX >> 20);
  case PROFILE_SOURCE_FILE_RELATIVE:
    return g_strdup_printf(
        _("The debug information does not say in which folder “%s” is: --map =FOLDER does."), path);
  default:
    return g_strdup_printf(_("“%s” could not be read."), path);
  }
}

/* What a reader has to know of the text. */
static void append_notes(const AnnotateText *text, const ProfileAnnotationFile *file,
                         const CapturectlSource *source)
{
  const char *path = profile_source_file_get_path(source->file);
  char *doubt = profile_source_doubt_explain(text->shown->annotation, file, source->file);

  if (profile_source_file_get_status(source->file) != PROFILE_SOURCE_FILE_READ) {
    append_sentence(text, explain_no_text(source));
    if (source->failure)
      append_sentence(text, g_strdup(source->failure));
  } else if (strcmp(path, file->path) != 0) {
    append_sentence(text, g_strdup_printf(_("Read from “%s”."), path));
  }
  if (doubt)
    append_sentence(text, doubt);
}

/* Also of lines without samples: found is NULL. */
static void append_line(const AnnotateText *text, guint32 line, const ProfileAnnotationLine *found,
                        const ProfileSourceFile *source)
{
  g_autofree char *code = profile_source_file_get_printable_line(source, line);
  g_autofree char *number = g_strdup_printf("%u", line);

  if (found) {
    append_share(text, found->self);
    append_share(text, found->total);
  } else {
    append_blanks(text, 2 * PROFILE_REPORT_SHARE_WIDTH);
  }
  g_string_append(text->out, found && found == text->hottest ? " >" : "  ");
  profile_report_append_cell(text->out, number, text->line_width);
  if (code && *code)
    g_string_append_printf(text->out, "  %s", code);
  g_string_append_c(text->out, '\n');
  annotate_text_flush(text, FLUSH_SIZE);
}

static void append_inlined(const AnnotateText *text, const ProfileAnnotationLine *line)
{
  const ProfileAnnotationInlined *inlined = profile_annotation_get_inlined(text->shown->annotation, line);

  for (guint32 i = 0; i < line->n_inlined; i++) {
    append_share(text, inlined[i].self);
    append_share(text, inlined[i].total);
    append_blanks(text, 2 + text->line_width + 2 + INDENT);
    append_sentence(text, g_strdup_printf(_("inlined %s"), inlined[i].name));
  }
}

/* Lines without samples up to one before `end`, from `begin` on. */
static void append_context(const AnnotateText *text, guint32 begin, guint32 end,
                           const ProfileSourceFile *source)
{
  for (guint32 line = begin; line < MIN(end, profile_source_file_get_n_lines(source) + 1); line++)
    append_line(text, line, NULL, source);
}

/* The first line that is shown before one with samples, behind `shown`, the last one that was; *ret_gap: some
 * are left out between the two. */
static guint32 get_begin(const AnnotateText *text, const ProfileAnnotationFile *file, guint32 line,
                         guint32 shown, gboolean *ret_gap)
{
  CapturectlAnnotateRange range = capturectl_annotate_get_range(text->shown, file);
  guint32 begin = line > CONTEXT ? line - CONTEXT : 1;

  if (text->shown->all && range.first > CONTEXT)
    begin = MIN(begin, shown > 0 ? shown + 1 : range.first - CONTEXT);
  else if (text->shown->all)
    begin = 1;
  *ret_gap = shown > 0 && begin > shown + 1;
  return MAX(begin, shown + 1);
}

static void append_lines(const AnnotateText *text, const ProfileAnnotationFile *file,
                         const ProfileSourceFile *source)
{
  const ProfileAnnotationLine *lines = profile_annotation_get_lines(text->shown->annotation, file);
  guint32 n_lines = profile_source_file_get_n_lines(source), shown = 0;

  for (guint32 i = 0; i < file->n_lines; i++) {
    gboolean gap;
    guint32 line = lines[i].line, begin = get_begin(text, file, line, shown, &gap);
    if (gap && n_lines > 0) {
      append_blanks(text, 2 * PROFILE_REPORT_SHARE_WIDTH + 2);
      profile_report_append_cell(text->out, "…", text->line_width);
      g_string_append_c(text->out, '\n');
    }
    append_context(text, begin, line, source);
    append_line(text, line, &lines[i], source);
    append_inlined(text, &lines[i]);
    shown = line;
    guint32 next = i + 1 < file->n_lines ? lines[i + 1].line : G_MAXUINT32;
    if (line < n_lines) {
      guint32 end = MIN(MIN(n_lines, line + CONTEXT) + 1, next);
      append_context(text, line + 1, end, source);
      shown = end - 1;
    }
  }
}

static void append_titles(const AnnotateText *text)
{
  profile_report_append_cell(text->out, _("Self"), PROFILE_REPORT_SHARE_WIDTH);
  profile_report_append_cell(text->out, _("Total"), PROFILE_REPORT_SHARE_WIDTH);
  g_string_append(text->out, "  ");
  profile_report_append_cell(text->out, _("Line"), text->line_width);
  g_string_append_printf(text->out, "  %s\n", _("Source"));
}

static void append_file(AnnotateText *text, const ProfileAnnotationFile *file)
{
  const CapturectlSource *source = capturectl_sources_get(text->shown->sources, file->path);
  guint64 last = (guint64)capturectl_annotate_get_range(text->shown, file).last + CONTEXT;
  g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, last);

  text->line_width = MAX((glong)strlen(number), g_utf8_strlen(_("Line"), -1)) + 1;
  g_string_append_c(text->out, '\n');
  profile_printable_append(text->out, file->path);
  g_string_append_c(text->out, '\n');
  append_notes(text, file, source);
  append_titles(text);
  append_lines(text, file, source->file);
}

/* Of what has no line. */
static void append_rest(const AnnotateText *text)
{
  const ProfileAnnotation *annotation = text->shown->annotation;
  ProfileWeight self = profile_annotation_get_self_without_line(annotation);
  ProfileWeight total = profile_annotation_get_total_without_line(annotation);

  if (total.count == 0)
    return;
  g_string_append_c(text->out, '\n');
  append_share(text, self);
  append_share(text, total);
  g_string_append_printf(text->out, "  %s\n", _("in code of which no line is known"));
}

void capturectl_annotate_text(const CapturectlAnnotate *self)
{
  g_autoptr(GString) out = g_string_new(NULL);
  gsize n;
  const ProfileAnnotationFile *files = profile_annotation_get_files(self->annotation, &n);
  AnnotateText text = {
      .shown = self,
      .hottest = profile_annotation_get_hottest(self->annotation, NULL),
      .whole = profile_annotation_measure(self->annotation, profile_annotation_get_sum(self->annotation)),
      .out = out};

  append_head(&text);
  for (gsize i = 0; self->source && i < n; i++)
    append_file(&text, &files[i]);
  if (self->source && n > 0) {
    append_rest(&text);
  } else if (self->source) {
    g_string_append_c(out, '\n');
    append_sentence(&text, explain_no_lines(self));
  }
  annotate_text_flush(&text, 0);
  if (self->disassembly)
    capturectl_annotate_code(self);
}
