/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/export.h"

#include <glib/gi18n.h>

#include "profile/export/export-file.h"
#include "profile/export/exporter.h"

typedef struct {
  guint format;
  ProfileWeights *weights;
  char *title, *path;
  GdkTexture *picture;
  ProfileReport report;
  GFile *file;
} Export;

static gboolean write_picture(const Export *export, GOutputStream *stream, GCancellable *cancellable,
                              GError **error)
{
  g_autoptr(GBytes) png = gdk_texture_save_to_png_bytes(export->picture);
  gsize size;
  gconstpointer bytes = g_bytes_get_data(png, &size);

  return g_output_stream_write_all(stream, bytes, size, NULL, cancellable, error);
}

static gboolean write_text(const Export *export, GOutputStream *stream, GCancellable *cancellable,
                           GError **error)
{
  return profile_report_write(&export->report, stream, cancellable, error);
}

/* What shows the page. */
static const struct {
  const char *title, *description, *suffix;
  gboolean (*write)(const Export *export, GOutputStream *stream, GCancellable *cancellable, GError **error);
} page_formats[] = {
    {N_("Picture of This Page"), N_("What is seen right now (PNG)"), ".png", write_picture},
    {N_("Text"), N_("The list or the call tree of this page, as a report to read"), ".txt", write_text},
};

/* Of the format; NULL: it shows the page, as *ret_page of these says. */
static const ProfileExporter *get_exporter(guint format, guint *ret_page)
{
  guint n;
  const ProfileExporter *exporters = profile_exporters_get(&n);

  *ret_page = format - n;
  return format < n ? &exporters[format] : NULL;
}

guint viewer_export_count_formats(void)
{
  guint n;

  profile_exporters_get(&n);
  return n + G_N_ELEMENTS(page_formats);
}

const char *viewer_export_get_title(guint format)
{
  guint page;
  const ProfileExporter *exporter = get_exporter(format, &page);

  return exporter ? _(exporter->title) : _(page_formats[page].title);
}

const char *viewer_export_get_description(guint format)
{
  guint page;
  const ProfileExporter *exporter = get_exporter(format, &page);

  return exporter ? _(exporter->description) : _(page_formats[page].description);
}

const char *viewer_export_get_suffix(guint format)
{
  guint page;
  const ProfileExporter *exporter = get_exporter(format, &page);

  return exporter ? exporter->suffix : page_formats[page].suffix;
}

gboolean viewer_export_is_possible(guint format, const ViewerExportContent *content)
{
  guint page;

  return get_exporter(format, &page) || page_formats[page].write != write_picture || content->picture;
}

static Export *export_new(guint format, const ViewerExportContent *content, GFile *file)
{
  Export *export = g_new0(Export, 1);

  export->format = format;
  export->weights = profile_weights_ref(content->weights);
  export->title = g_strdup(content->title);
  export->path = g_strdup(content->path);
  export->picture = content->picture ? g_object_ref(content->picture) : NULL;
  export->report = (ProfileReport){.path = export->path,
                                   .filter = profile_weights_get_filter(export->weights),
                                   .one_event = TRUE,
                                   .by = content->report_by,
                                   .tree = content->report_tree,
                                   .limit = -1};
  export->file = g_object_ref(file);
  return export;
}

static void export_free(gpointer data)
{
  Export *export = data;

  profile_weights_unref(export->weights);
  g_free(export->title);
  g_free(export->path);
  g_clear_object(&export->picture);
  g_object_unref(export->file);
  g_free(export);
}

static gboolean write_content(const Export *export, GOutputStream *stream, GCancellable *cancellable,
                              GError **error)
{
  const ProfileExportOptions options = {.title = export->title, .min_share = PROFILE_EXPORT_MIN_SHARE};
  guint page;
  const ProfileExporter *exporter = get_exporter(export->format, &page);

  return exporter ? exporter->write(export->weights, &options, stream, cancellable, error)
                  : page_formats[page].write(export, stream, cancellable, error);
}

static const char *export_advise(const GError *error)
{
  switch (error->domain == G_IO_ERROR ? error->code : G_IO_ERROR_FAILED) {
  case G_IO_ERROR_NOT_FOUND:
    return _("its folder does not exist any more; choose another one");
  case G_IO_ERROR_IS_DIRECTORY:
    return _("there is a folder of that name; choose another name");
  case G_IO_ERROR_NOT_REGULAR_FILE:
    return _("there is something of that name that is no file; choose another name");
  case G_IO_ERROR_PERMISSION_DENIED:
    return _("you may not write there; choose another folder");
  case G_IO_ERROR_READ_ONLY:
    return _("that place cannot be written to; choose another folder");
  case G_IO_ERROR_NO_SPACE:
    return _("no space is left; make room, or choose another folder");
  default:
    return error->message;
  }
}

/* GIO's own words give no advice. */
static void export_explain(GError **error, GFile *file)
{
  g_autofree char *name = g_file_get_basename(file), *valid = g_utf8_make_valid(name, -1);
  GError *explained;

  if (g_error_matches(*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  explained = g_error_new((*error)->domain, (*error)->code, _("“%s” could not be written: %s."), valid,
                          export_advise(*error));
  g_error_free(*error);
  *error = explained;
}

static void write_file(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Export *export = data;
  GError *error = NULL;
  gboolean is_new;
  g_autoptr(GFileOutputStream) stream = profile_export_file_open(export->file, &is_new, cancellable, &error);

  if (stream && write_content(export, G_OUTPUT_STREAM(stream), cancellable, &error) &&
      g_output_stream_close(G_OUTPUT_STREAM(stream), cancellable, &error)) {
    g_task_return_boolean(task, TRUE);
    return;
  }
  if (stream)
    profile_export_file_discard(export->file, stream, is_new);
  export_explain(&error, export->file);
  g_task_return_error(task, error);
}

void viewer_export_write_async(guint format, const ViewerExportContent *content, GFile *file,
                               GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, data);

  g_task_set_source_tag(task, viewer_export_write_async);
  g_task_set_task_data(task, export_new(format, content, file), export_free);
  g_task_run_in_thread(task, write_file);
}

gboolean viewer_export_write_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean(G_TASK(result), error);
}
