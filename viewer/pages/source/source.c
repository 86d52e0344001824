/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source.h"

#include <glib/gi18n.h>
#include <string.h>

#include "profile/fetch/fetch.h"
#include "profile/views/source-doubt.h"
#include "viewer/kit/format.h"

enum { PATH_CHARS = 200 };

ViewerSourceRequest *viewer_source_request_new(const ProfileFilter *filter, guint32 function,
                                               const char *path, GArray *maps, ViewerSourceFetcher *fetcher)
{
  ViewerSourceRequest *request = g_new(ViewerSourceRequest, 1);

  *request = (ViewerSourceRequest){
      .filter = profile_filter_copy(filter),
      .function = function,
      .binary = profile_stacks_get_function(profile_filter_get_stacks(filter), function)->binary,
      .path = g_strdup(path),
      .maps = maps,
      .fetcher = g_object_ref(fetcher)};
  return request;
}

void viewer_source_request_free(gpointer data)
{
  ViewerSourceRequest *request = data;

  profile_filter_free(request->filter);
  g_free(request->path);
  g_array_unref(request->maps);
  g_object_unref(request->fetcher);
  g_clear_pointer(&request->code, profile_function_code_unref);
  g_free(request);
}

ProfileSourceFile *viewer_source_request_open(const ViewerSourceRequest *request, const char *path)
{
  ProfileCapture *capture = profile_filter_get_capture(request->filter);
  ProfileSourceFile *file = profile_capture_open_source(capture, path, request->maps);
  g_autoptr(GBytes) text = NULL;

  if (profile_source_file_get_status(file) != PROFILE_SOURCE_FILE_MISSING ||
      !profile_fetch_may_have_source(capture, request->binary, path))
    return file;
  text = viewer_source_fetcher_lookup(request->fetcher, capture, request->binary, path);
  if (text) {
    profile_source_file_free(file);
    file = profile_source_file_new_from_text(path, PROFILE_SOURCE_FILE_FETCHED, g_bytes_get_data(text, NULL),
                                             g_bytes_get_size(text));
  }
  return file;
}

/* Why no line of the function is known, and what helps. */
static char *explain_no_lines(const ViewerSource *self)
{
  const ProfileStacks *stacks = profile_filter_get_stacks(self->filter);
  const ProfileFunction *function = profile_stacks_get_function(stacks, self->function);
  gsize n;

  profile_capture_get_functions(profile_filter_get_capture(self->filter), &n);
  if (self->function >= n)
    return g_strdup(_("A transform made this function of others: it has no source of its own."));
  if (function->kind == CAPTURE_SPACE_KERNEL)
    return g_strdup(
        _("No line of this function of the kernel is known: install the kernel’s debug information "
          "(linux-image-…-dbg in Debian, kernel-debuginfo in Fedora), and record again."));
  if (function->kind == CAPTURE_SPACE_IDENTIFIERS)
    return g_strdup(_("This function is known by name alone, without a line of its code."));
  if (function->kind != CAPTURE_SPACE_BINARY)
    return g_strdup(_("Nothing is known of this code but its address."));
  g_autofree char *binary =
      viewer_format_name(profile_stacks_get_function_binary(stacks, self->function), PATH_CHARS);
  return g_strdup_printf(
      _("No line of this function of “%s” is known. Build it with -g, or install the debug information of "
        "its package (-dbgsym or -dbg in Debian, -debuginfo in Fedora), and record again."),
      binary);
}

/* Why there is no text, and what helps. */
static char *explain_no_text(const ProfileSourceFile *source)
{
  g_autofree char *path = viewer_format_name(profile_source_file_get_path(source), PATH_CHARS);

  switch (profile_source_file_get_status(source)) {
  case PROFILE_SOURCE_FILE_MISSING:
    return g_strdup_printf(_("“%s” is not on this computer. Choose the folder that has its source now."),
                           path);
  case PROFILE_SOURCE_FILE_RELATIVE:
    return g_strdup_printf(_("Nobody knows in which folder “%s” was. Choose the one that it is in now."),
                           path);
  case PROFILE_SOURCE_FILE_DENIED:
    return g_strdup_printf(_("You may not read “%s”."), path);
  case PROFILE_SOURCE_FILE_NOT_REGULAR:
    return g_strdup_printf(_("“%s” is not a regular file, and was not read."), path);
  case PROFILE_SOURCE_FILE_TOO_LARGE:
    return g_strdup_printf(_("“%s” is larger than %d MB, and was not read."), path,
                           PROFILE_SOURCE_FILE_MAX >> 20);
  default:
    return g_strdup_printf(_("“%s” could not be read."), path);
  }
}

/* What would end a paragraph of a text view ends no line of the file. */
static void append_line(GString *text, char *line)
{
  const char *separator = "\u2029";

  g_strdelimit(line, "\r", ' ');
  for (char *found = line; (found = strstr(found, separator));)
    memset(found, ' ', strlen(separator));
  g_string_append(text, line);
  g_string_append_c(text, '\n');
}

static char *read_text(const ProfileSourceFile *source)
{
  GString *text = g_string_new(NULL);
  guint32 n = profile_source_file_get_n_lines(source);

  for (guint32 i = 1; i <= n; i++) {
    g_autofree char *line = profile_source_file_get_line(source, i);
    append_line(text, line);
  }
  if (text->len > 0)
    g_string_truncate(text, text->len - 1);
  return g_string_free(text, FALSE);
}

static gint compare_ranked(gconstpointer a, gconstpointer b, gpointer self)
{
  return profile_annotation_compare_heat(self, *(const ProfileAnnotationLine *const *)a,
                                         *(const ProfileAnnotationLine *const *)b);
}

static void source_rank(ViewerSource *self)
{
  const ProfileAnnotationLine *lines = profile_annotation_get_lines(self->annotation, self->file);

  self->n_ranked = self->file->n_lines;
  self->ranked = g_new(const ProfileAnnotationLine *, self->n_ranked);
  for (guint i = 0; i < self->n_ranked; i++)
    self->ranked[i] = &lines[i];
  g_qsort_with_data(self->ranked, (gint)self->n_ranked, sizeof *self->ranked, compare_ranked,
                    self->annotation);
}

static void source_read(ViewerSource *self, const ViewerSourceRequest *request)
{
  self->source = viewer_source_request_open(request, self->file->path);
  ProfileSourceFileStatus status = profile_source_file_get_status(self->source);
  self->is_fetchable =
      status == PROFILE_SOURCE_FILE_MISSING &&
      profile_fetch_may_have_source(profile_filter_get_capture(self->filter), self->binary, self->file->path);
  self->is_missing = status == PROFILE_SOURCE_FILE_MISSING || status == PROFILE_SOURCE_FILE_RELATIVE;
  if (status != PROFILE_SOURCE_FILE_READ) {
    self->notice = explain_no_text(self->source);
    return;
  }
  self->text = read_text(self->source);
  self->n_lines = profile_source_file_get_n_lines(self->source);
  self->notice = profile_source_doubt_explain(self->annotation, self->file, self->source);
}

static const ProfileAnnotationFile *choose_file(const ViewerSource *self, const char *path)
{
  for (gsize i = 0; path && i < self->n_files; i++)
    if (strcmp(self->files[i].path, path) == 0)
      return &self->files[i];
  return self->n_files > 0 ? &self->files[0] : NULL;
}

gpointer viewer_source_new(gpointer data)
{
  const ViewerSourceRequest *request = data;
  ViewerSource *self = g_new0(ViewerSource, 1);

  self->filter = profile_filter_copy(request->filter);
  self->function = request->function;
  self->binary = request->binary;
  self->fetcher = g_object_ref(request->fetcher);
  self->annotation = profile_annotation_new(self->filter, self->function);
  self->files = profile_annotation_get_files(self->annotation, &self->n_files);
  self->file = choose_file(self, request->path);
  if (self->file) {
    source_rank(self);
    source_read(self, request);
  } else {
    self->notice = explain_no_lines(self);
  }
  return self;
}

void viewer_source_free(gpointer data)
{
  ViewerSource *self = data;

  profile_filter_free(self->filter);
  profile_annotation_free(self->annotation);
  g_clear_pointer(&self->source, profile_source_file_free);
  g_object_unref(self->fetcher);
  g_free(self->text);
  g_free(self->ranked);
  g_free(self->notice);
  g_free(self);
}

const ProfileAnnotationLine *viewer_source_get_line(const ViewerSource *self, guint32 line)
{
  const ProfileAnnotationLine *lines =
      self->file ? profile_annotation_get_lines(self->annotation, self->file) : NULL;
  guint32 first = 0, end = self->file ? self->file->n_lines : 0;

  while (first < end) {
    guint32 middle = first + (end - first) / 2;
    if (lines[middle].line == line)
      return &lines[middle];
    if (lines[middle].line < line)
      first = middle + 1;
    else
      end = middle;
  }
  return NULL;
}

double viewer_source_get_heat(const ViewerSource *self, ProfileWeight weight)
{
  ProfileWeight most = self->n_ranked > 0 ? self->ranked[0]->self : (ProfileWeight){0};
  guint64 whole = profile_annotation_measure(self->annotation, most);

  if (whole == 0)
    return 0;
  return MIN((double)profile_annotation_measure(self->annotation, weight) / (double)whole, 1);
}

char *viewer_source_format_share(const ViewerSource *self, ProfileWeight weight)
{
  return viewer_format_share(
      profile_annotation_measure(self->annotation, weight),
      profile_annotation_measure(self->annotation, profile_annotation_get_sum(self->annotation)));
}

double viewer_source_get_share(const ViewerSource *self, ProfileWeight weight)
{
  guint64 sum = profile_annotation_measure(self->annotation, profile_annotation_get_sum(self->annotation));

  return sum > 0 ? (double)profile_annotation_measure(self->annotation, weight) / (double)sum : 0;
}

char *viewer_source_get_code(const ViewerSource *self, guint32 line)
{
  g_autofree char *text = self->source ? profile_source_file_get_line(self->source, line) : NULL;

  return text ? viewer_format_name(g_strstrip(text), 0) : g_strdup("");
}
