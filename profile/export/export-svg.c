/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/export/export-private.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "profile/base/amount.h"
#include "profile/base/printable.h"
#include "profile/profile-resources.h"

#define RESOURCES    "/org/capturectl/profile/export/"
#define WIDTH        1200
#define MARGIN       12
#define ROW          19
#define TOP          84
#define BOTTOM       34
#define COLUMN_WIDTH 7.3 /* of the widest usual monospace font at 12 pixels */

typedef enum {
  KIND_EXECUTABLE,
  KIND_LIBRARY,
  KIND_KERNEL,
  KIND_RUN_TIME, /* code made at run time */
  KIND_UNNAMED,
  N_KINDS
} Kind;

static const char kind_letters[N_KINDS] = {'e', 'l', 'k', 'j', 'u'};

typedef struct {
  guint32 function; /* PROFILE_TREE_NO_FUNCTION: all */
  guint32 depth;
  guint32 n_left_out; /* functions that are drawn as one; function is their caller then */
  guint64 begin;
  guint64 self, total;
} Frame;

typedef struct {
  ProfileCapture *capture;
  ProfileWeights *weights;
  ProfileStacks *stacks; /* the weights' */
  const ProfileExportOptions *options;
  GArray *frames; /* Frame, parents first */
  guint32 max_depth;
  guint64 limit;
  gboolean kinds[N_KINDS];
  GString *text;
  GOutputStream *stream;
  GCancellable *cancellable;
} Svg;

static void append_unichar(GString *text, gunichar c)
{
  if (c == '&')
    g_string_append(text, "&amp;");
  else if (c == '<')
    g_string_append(text, "&lt;");
  else if (c == '>')
    g_string_append(text, "&gt;");
  else if (c == '"')
    g_string_append(text, "&quot;");
  else
    g_string_append_unichar(text, c);
}

/* Appends at most `room` columns of the name, the last one an ellipsis when it is cut. */
static void append_cut(GString *text, const char *name, gsize room)
{
  g_autofree char *valid = profile_printable(name);
  gsize columns = 0, cut_columns = 0;
  const char *cut = valid;

  for (const char *c = valid; *c; c = g_utf8_next_char(c)) {
    columns += g_unichar_iswide(g_utf8_get_char(c)) ? 2 : 1;
    if (columns < room) {
      cut = g_utf8_next_char(c);
      cut_columns = columns;
    }
  }
  if (columns > room && (room < 3 || cut_columns == 0))
    return;
  for (const char *c = valid; *c && (columns <= room || c < cut); c = g_utf8_next_char(c))
    append_unichar(text, g_utf8_get_char(c));
  if (columns > room)
    g_string_append(text, "…");
}

static void append_text(GString *text, const char *name)
{
  append_cut(text, name, G_MAXSIZE);
}

/* Attributes take a point, whatever the locale's decimal mark is. */
static void append_number(GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd(buffer, sizeof buffer, "%.2f", value);
  if (strchr(buffer, '.')) {
    gsize length = strlen(buffer);

    while (buffer[length - 1] == '0')
      length--;
    buffer[buffer[length - 1] == '.' ? length - 1 : length] = '\0';
  }
  g_string_append(text, buffer);
}

static guint64 export_svg_sum(const Svg *self)
{
  return g_array_index(self->frames, Frame, 0).total;
}

static gboolean is_library(const char *path)
{
  const char *extension = strstr(path, ".so");

  return strcmp(path, "[vdso]") == 0 || (extension && (extension[3] == '\0' || extension[3] == '.'));
}

static Kind get_kind(const Svg *self, guint32 function)
{
  const ProfileFunction *f = profile_stacks_get_function(self->stacks, function);

  if (f->kind == CAPTURE_SPACE_KERNEL)
    return KIND_KERNEL;
  if (f->kind == CAPTURE_SPACE_IDENTIFIERS || (f->kind == CAPTURE_SPACE_PROCESS && f->range))
    return KIND_RUN_TIME;
  if (!f->range)
    return KIND_UNNAMED;
  return is_library(profile_stacks_get_function_binary(self->stacks, function)) ? KIND_LIBRARY
                                                                                : KIND_EXECUTABLE;
}

static gboolean export_svg_collect(const ProfileExportPlace *place, const ProfileTreeNode *node,
                                   gpointer data, GError **error)
{
  Svg *self = data;
  Frame frame = {
      .function = node->function,
      .depth = node->depth + (place->n_left_out > 0),
      .n_left_out = place->n_left_out,
      .begin = place->begin,
      .self = place->n_left_out > 0 ? 0 : profile_weights_measure(self->weights, node->self),
      .total = place->count,
  };

  g_array_append_val(self->frames, frame);
  self->max_depth = MAX(self->max_depth, frame.depth);
  if (node->depth > 0)
    self->kinds[get_kind(self, node->function)] = TRUE;
  return TRUE;
}

static double get_width(const Svg *self, const Frame *frame)
{
  return export_svg_sum(self) ? (WIDTH - 2 * MARGIN) * ((double)frame->total / export_svg_sum(self))
                              : WIDTH - 2 * MARGIN;
}

static double get_x(const Svg *self, const Frame *frame)
{
  return MARGIN +
         (export_svg_sum(self) ? (WIDTH - 2 * MARGIN) * ((double)frame->begin / export_svg_sum(self)) : 0);
}

static void append_percent(const Svg *self, guint64 count)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd(buffer, sizeof buffer, "%.2f",
                  export_svg_sum(self) ? 100.0 * count / export_svg_sum(self) : 0.0);
  g_string_append_printf(self->text, "%s %%", buffer);
}

/* "12 samples", or how long they lasted. Free it. */
static char *describe_amount(const Svg *self, guint64 amount)
{
  enum capture_unit unit = profile_weights_get_unit(self->weights);

  if (unit != CAPTURE_UNIT_COUNT)
    return profile_amount_to_string(unit, amount);
  return g_strdup_printf(g_dngettext(NULL, "%" PRIu64 " sample", "%" PRIu64 " samples", amount), amount);
}

/* Three lines: name, binary, numbers. The script reads them as well. */
static void append_title(const Svg *self, const Frame *frame, const char *name)
{
  g_string_append(self->text, "<title>");
  append_text(self->text, name);
  g_string_append_c(self->text, '\n');
  if (frame->depth > 0 && frame->n_left_out == 0)
    append_text(self->text, profile_stacks_get_function_binary(self->stacks, frame->function));
  g_string_append_c(self->text, '\n');
  g_autofree char *total = describe_amount(self, frame->total);
  g_string_append_printf(self->text, "%s, ", total);
  append_percent(self, frame->total);
  if (frame->self > 0) {
    g_autofree char *own = profile_amount_to_string(profile_weights_get_unit(self->weights), frame->self);
    g_string_append_printf(self->text, _(" (%s in itself, "), own);
    append_percent(self, frame->self);
    g_string_append_c(self->text, ')');
  }
  g_string_append(self->text, "</title>");
}

/* Neighbours of one kind get different shades, always the same ones for one name. */
static void append_class(const Svg *self, const Frame *frame, const char *name)
{
  if (frame->n_left_out > 0)
    g_string_append_c(self->text, 'o');
  else if (frame->depth == 0)
    g_string_append_c(self->text, 'r');
  else
    g_string_append_printf(self->text, "%c%u", kind_letters[get_kind(self, frame->function)],
                           g_str_hash(name) % 3);
}

static char *get_name(const Svg *self, const Frame *frame)
{
  if (frame->n_left_out > 0)
    return g_strdup_printf(
        g_dngettext(NULL, "(%u smaller function)", "(%u smaller functions)", frame->n_left_out),
        frame->n_left_out);
  return g_strdup(frame->depth == 0 ? _("all")
                                    : profile_stacks_get_function_name(self->stacks, frame->function));
}

static void append_frame(const Svg *self, const Frame *frame)
{
  g_autofree char *name = get_name(self, frame);
  double width = get_width(self, frame);

  g_string_append(self->text, "<svg class=\"");
  append_class(self, frame, name);
  g_string_append(self->text, "\" x=\"");
  append_number(self->text, get_x(self, frame));
  g_string_append_printf(self->text, "\" y=\"%u\" width=\"", TOP + frame->depth * ROW);
  append_number(self->text, width);
  g_string_append_printf(
      self->text,
      "\" height=\"%d\" role=\"treeitem\" aria-level=\"%u\" tabindex=\"%d\" data-b=\"%" G_GUINT64_FORMAT
      "\" data-n=\"%" G_GUINT64_FORMAT "\" data-d=\"%u\">",
      ROW - 1, frame->depth + 1, frame->depth == 0 ? 0 : -1, frame->begin, frame->total, frame->depth);
  append_title(self, frame, name);
  g_string_append(self->text, "<rect width=\"100%\" height=\"100%\" rx=\"2\"/><text x=\"4\" y=\"13\">");
  append_cut(self->text, name, width > 8 ? (gsize)((width - 8) / COLUMN_WIDTH) : 0);
  g_string_append(self->text, "</text></svg>\n");
}

static char *get_title(const Svg *self)
{
  const char *command = profile_capture_get_metadata(self->capture, "command");
  const char *source = profile_capture_get_metadata(self->capture, "source");

  if (self->options->title)
    return g_strdup(self->options->title);
  return g_strdup(command && *command ? command : source && *source ? source : _("Every process"));
}

static char *get_subtitle(const Svg *self)
{
  guint event = profile_filter_get_event(profile_weights_get_filter(self->weights));
  const char *host = profile_capture_get_metadata(self->capture, "hostname");
  g_autoptr(GDateTime) time = NULL;
  g_autofree char *date = NULL;
  struct capture_file_header header;
  GString *text = g_string_new(NULL);

  profile_capture_get_header(self->capture, &header);
  g_autofree char *amount = describe_amount(self, export_svg_sum(self));
  /* Translators: an amount of samples, or of time, and an event. */
  g_string_append_printf(text, _("%s of %s"), amount, profile_capture_get_event(self->capture, event)->name);
  if (header.time_realtime > 0)
    time = g_date_time_new_from_unix_utc(header.time_realtime / 1000000000);
  if (time) {
    date = g_date_time_format(time, "%Y-%m-%d %H:%M UTC");
    g_string_append_printf(text, " · %s", date);
  }
  if (host)
    g_string_append_printf(text, " · %s", host);
  return g_string_free(text, FALSE);
}

static void append_legend(const Svg *self)
{
  const char *words[N_KINDS] = {_("program"), _("library"), _("kernel"), _("made at run time"),
                                _("without a name")};
  double x = MARGIN;

  g_string_append(self->text, "<g class=\"sans\">");
  for (int i = 0; i < N_KINDS; i++) {
    if (!self->kinds[i])
      continue;
    g_string_append_printf(self->text, "<g class=\"%c0\"><rect x=\"", kind_letters[i]);
    append_number(self->text, x);
    g_string_append(self->text, "\" y=\"61\" width=\"12\" height=\"12\" rx=\"3\"/></g><text x=\"");
    append_number(self->text, x + 18);
    g_string_append_printf(self->text, "\" y=\"71\">%s</text>", words[i]);
    x += 42 + 6.6 * g_utf8_strlen(words[i], -1);
  }
  g_string_append(self->text, "</g>");
}

static gboolean append_resource(GString *text, const char *name, GError **error)
{
  g_autoptr(GBytes) bytes = NULL;

  g_resources_register(profile_get_resource());
  bytes = g_resources_lookup_data(name, G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  if (!bytes)
    return FALSE;
  g_string_append_len(text, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  return TRUE;
}

/* What the script says; it stands here because it is translated. */
static const char *describe_match(enum capture_unit unit)
{
  switch (unit) {
  case CAPTURE_UNIT_NANOSECONDS:
    return _("%1 of all time match");
  case CAPTURE_UNIT_BYTES:
    return _("%1 of all bytes match");
  default:
    return _("%1 of all samples (%2) match");
  }
}

static void append_words(const Svg *self)
{
  g_string_append_printf(self->text,
                         "<metadata id=\"words\" data-search=\"%s\" data-reset=\"%s\" data-found=\"%s\" "
                         "data-none=\"%s\" data-of=\"%s\"/>\n",
                         _("Search (Ctrl+F)"), _("Show all"),
                         describe_match(profile_weights_get_unit(self->weights)), _("Nothing matches"),
                         _("of"));
}

static void append_head(const Svg *self, const char *title, const char *subtitle)
{
  g_string_append_printf(self->text, "<g id=\"head\"><rect class=\"panel wide\" width=\"%d\" height=\"%d\"/>",
                         WIDTH, TOP - 3);
  g_string_append_printf(self->text, "<text class=\"sans title\" x=\"%d\" y=\"28\" aria-hidden=\"true\">",
                         MARGIN);
  append_cut(self->text, title, 78);
  g_string_append_printf(self->text,
                         "</text><text class=\"sans muted\" x=\"%d\" y=\"48\" aria-hidden=\"true\">", MARGIN);
  append_cut(self->text, subtitle, 140);
  g_string_append(self->text, "</text>");
  append_legend(self);
  g_string_append_printf(
      self->text,
      "<text id=\"found\" class=\"sans\" x=\"%d\" y=\"71\" text-anchor=\"end\" role=\"status\" "
      "aria-live=\"polite\"></text></g>\n",
      WIDTH - MARGIN);
}

/* What was left out is said, since the picture alone would not tell. */
static void append_foot(const Svg *self, guint height)
{
  double share = self->options->min_share * 100;

  g_string_append_printf(self->text,
                         "<g id=\"foot\" transform=\"translate(0 %u)\"><rect class=\"panel wide\" y=\"-28\" "
                         "width=\"%d\" height=\"28\"/><line class=\"rule\" y1=\"-28\" x2=\"%d\" y2=\"-28\"/>"
                         "<text id=\"detail\" class=\"muted\" x=\"%d\" y=\"-10\" aria-hidden=\"true\">",
                         height, WIDTH, WIDTH, MARGIN);
  if (self->limit > 1) {
    g_string_append(self->text, _("Drawn as one: functions with less than "));
    append_number(self->text, share);
    g_string_append(self->text, " %");
  }
  g_string_append(self->text, "</text></g>\n");
}

static gboolean append_document_head(const Svg *self, const char *title, const char *subtitle, guint height,
                                     GError **error)
{
  g_string_append_printf(
      self->text,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" "
      "role=\"graphics-document\" aria-roledescription=\"%s\" aria-labelledby=\"title\" "
      "aria-describedby=\"description\">\n<title id=\"title\">",
      WIDTH, height, WIDTH, height, _("flame graph"));
  append_text(self->text, title);
  g_string_append(self->text, "</title>\n<desc id=\"description\">");
  append_text(self->text, subtitle);
  g_string_append(self->text, "</desc>\n");
  append_words(self);
  g_string_append(self->text, "<style>\n");
  if (!append_resource(self->text, RESOURCES "export-svg.css", error))
    return FALSE;
  g_string_append_printf(
      self->text,
      "</style>\n<rect class=\"panel wide\" width=\"%d\" height=\"%u\"/>\n"
      "<g id=\"frames\" role=\"tree\" aria-label=\"%s\" data-margin=\"%d\" data-top=\"%d\">\n",
      WIDTH, height, _("Call tree, callers above what they call"), MARGIN, TOP);
  return TRUE;
}

static gboolean write_document(Svg *self, GError **error)
{
  g_autofree char *title = get_title(self);
  g_autofree char *subtitle = get_subtitle(self);
  guint height = TOP + (self->max_depth + 1) * ROW + BOTTOM;

  if (!append_document_head(self, title, subtitle, height, error))
    return FALSE;
  for (guint i = 0; i < self->frames->len; i++) {
    append_frame(self, &g_array_index(self->frames, Frame, i));
    if (!profile_export_flush(self->text, FALSE, self->stream, self->cancellable, error))
      return FALSE;
  }
  g_string_append(self->text, "</g>\n");
  append_head(self, title, subtitle);
  append_foot(self, height);
  g_string_append(self->text, "<script><![CDATA[\n");
  if (!append_resource(self->text, RESOURCES "export-svg.js", error))
    return FALSE;
  g_string_append(self->text, "]]></script>\n</svg>\n");
  return profile_export_flush(self->text, TRUE, self->stream, self->cancellable, error);
}

gboolean profile_export_svg(ProfileWeights *weights, const ProfileExportOptions *options,
                            GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  g_autoptr(ProfileTree) tree = profile_tree_new(weights);
  g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Frame));
  g_autoptr(GString) text = g_string_new(NULL);
  ProfileCapture *capture = profile_weights_get_capture(weights);
  Svg self = {
      .capture = capture,
      .weights = weights,
      .stacks = profile_weights_get_stacks(weights),
      .options = options,
      .frames = frames,
      .text = text,
      .stream = stream,
      .cancellable = cancellable,
  };

  self.limit = MAX(ceil(profile_weights_measure(weights, profile_weights_get_sum(weights)) *
                        CLAMP(self.options->min_share, 0, 1)),
                   1);
  return profile_export_walk(tree, self.limit, export_svg_collect, &self, cancellable, error) &&
         write_document(&self, error);
}
