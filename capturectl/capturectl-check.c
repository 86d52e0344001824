/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "capturectl/capturectl-checker.h"
#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-reader.h"
#include "capturectl/capturectl-recover.h"
#include "capturectl/capturectl-verbs.h"
#include "profile/naming/naming.h"

static void print_problem(guint64 offset, const char *message, gpointer data)
{
  guint64 *n_problems = data;

  g_print(_("offset %" G_GUINT64_FORMAT ": %s\n"), offset, message);
  (*n_problems)++;
}

static void print_reader_problem(const struct capture_problem *problem, void *data)
{
  print_problem(problem->offset, problem->message, data);
}

/* What concerns the file as a whole: the end of what is whole, the index. */
static void check_end(const capture_reader *reader, guint64 *n_problems)
{
  gsize n = capture_reader_n_parts(reader);

  if (capture_reader_has_index(reader))
    return;
  if (n > 0 && capture_reader_part(reader, n - 1)->header.kind == CAPTURE_WINDOW_FOOTER)
    print_problem(capture_reader_part(reader, n - 1)->offset, _("the index does not fit the windows"),
                  n_problems);
  else
    print_problem(capture_reader_end(reader),
                  _("there is no index: the recording was cut off, or is still going on"), n_problems);
}

static void print_counts(const CapturectlCheckCounts *counts, guint64 n_problems)
{
  g_print(_("%zu of %zu windows and %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " samples are whole.\n"),
          counts->whole_parts, counts->parts, counts->whole_samples, counts->samples);
  if (n_problems == 0)
    g_print(_("No problem was found.\n"));
  else
    g_print(ngettext("%" G_GUINT64_FORMAT " problem was found.\n",
                     "%" G_GUINT64_FORMAT " problems were found.\n", n_problems),
            n_problems);
}

/* Those that a recorder wrote are of what nobody else can read, and nothing more. */
static gboolean has_names(const capture_reader *reader)
{
  for (gsize i = 0; i < capture_reader_n_parts(reader); i++) {
    const struct capture_window_header *header = &capture_reader_part(reader, i)->header;

    if (header->kind == CAPTURE_WINDOW_NAMES && header->stream == 0)
      return TRUE;
  }
  return FALSE;
}

/* What was cut off was cut off before it was named; without names it would not open elsewhere. */
static void name_functions(const char *path)
{
  g_autoptr(GError) error = NULL;

  if (!profile_naming_run(path, NULL, NULL, NULL, &error))
    capturectl_warn(_("The functions of “%s” could not be named: %s"), path, error->message);
}

static int check_recover(int fd, const capture_reader *reader, const guint8 *whole, const char *path)
{
  g_autoptr(GError) error = NULL;

  if (!capturectl_recover(fd, reader, whole, path, &error))
    return capturectl_fail("%s", error->message);
  if (!has_names(reader))
    name_functions(path);
  g_print(_("The intact part was written to “%s”, with an index.\n"), path);
  return CAPTURECTL_DONE;
}

static int check_capture(int fd, const char *path, const char *recovered)
{
  g_autoptr(GError) error = NULL;
  guint64 n_problems = 0;
  CapturectlReaderOptions options = {
      .scan = TRUE, .problem = print_reader_problem, .problem_data = &n_problems};
  g_autoptr(capture_reader) reader = capturectl_reader_open_fd(fd, path, &options, &error);
  g_autofree guint8 *whole = NULL;
  CapturectlCheckCounts counts;

  if (!reader)
    return capturectl_fail("%s", error->message);
  whole = g_new0(guint8, capture_reader_n_parts(reader) + 1);
  capturectl_check_parts(reader, print_problem, &n_problems, whole, &counts);
  check_end(reader, &n_problems);
  print_counts(&counts, n_problems);
  if (recovered)
    return check_recover(fd, reader, whole, recovered);
  if (n_problems > 0 && !capture_reader_has_index(reader))
    g_print(_("“capturectl check --recover OUT %s” writes the intact part to OUT.\n"), path);
  return n_problems == 0 ? CAPTURECTL_DONE : CAPTURECTL_FAILED;
}

int capturectl_check(int argc, char **argv)
{
  g_autofree char *recovered = NULL;
  g_autoptr(GError) error = NULL;
  const GOptionEntry entries[] = {
      {"recover", 0, 0, G_OPTION_ARG_FILENAME, &recovered,
       N_("Write the intact part to OUT, with an index; OUT may be FILE itself"), N_("OUT")},
      {NULL},
  };
  int fd, status = capturectl_parse_options(
              &argc, &argv, entries, "FILE",
              _("Verifies every window, record and sample of a capture, and says where something is wrong.\n"
                "The exit status is 0 when nothing is, and 0 after --recover when OUT was written."));
  const char *path;

  if (status >= 0)
    return status;
  status = capturectl_check_output("--recover", recovered);
  if (status >= 0)
    return status;
  path = capturectl_get_file(argc, argv);
  if (!path)
    return CAPTURECTL_USAGE;
  fd = capturectl_open_capture(path, &error);
  if (fd < 0)
    return capturectl_fail("%s", error->message);
  status = check_capture(fd, path, recovered);
  close(fd);
  return status;
}
