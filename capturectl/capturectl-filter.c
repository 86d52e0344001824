/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-filter.h"

#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-transform.h"
#include "profile/naming/naming.h"

void capturectl_filter_options_clear(CapturectlFilterOptions *options)
{
  g_free(options->event);
  g_free(options->time);
  g_strfreev(options->threads);
  g_strfreev(options->processes);
  g_strfreev(options->binaries);
  g_strfreev(options->transforms);
}

static gboolean set_error(GError **error, GIOErrorEnum code, char *message)
{
  g_set_error_literal(error, G_IO_ERROR, code, message);
  g_free(message);
  return FALSE;
}

static gboolean apply_event(ProfileFilter *filter, const char *name, GError **error)
{
  g_autoptr(GString) names = g_string_new(NULL);
  guint n;
  const ProfileEvent *events = profile_capture_get_events(profile_filter_get_capture(filter), &n);

  for (guint i = 0; i < n; i++) {
    if (strcmp(events[i].name, name) == 0) {
      profile_filter_set_event(filter, i);
      return TRUE;
    }
    g_string_append_printf(names, "%s%s", i ? ", " : "", events[i].name);
  }
  return set_error(error, G_IO_ERROR_NOT_FOUND,
                   g_strdup_printf(_("There is no event “%s” in the capture; it has: %s."), name,
                                   n ? names->str : _("none")));
}

/* One side of "BEGIN,END", after the recording's begin, in nanoseconds. */
static gboolean parse_moment(const char *text, guint64 duration, guint64 *ret)
{
  char *end;
  double value = g_ascii_strtod(text, &end);

  if (end == text || !(value >= 0))
    return FALSE;
  if (strcmp(end, "%") == 0)
    value = value / 100 * (double)duration;
  else if (*end == '\0' || strcmp(end, "s") == 0)
    value *= 1e9;
  else
    return FALSE;
  *ret = value < 9e18 ? (guint64)value : G_MAXINT64;
  return TRUE;
}

static gboolean apply_time(ProfileFilter *filter, const char *text, GError **error)
{
  ProfileCapture *capture = profile_filter_get_capture(filter);
  g_auto(GStrv) sides = g_strsplit(text, ",", 2);
  guint64 duration = profile_capture_get_duration(capture), begin = 0, end = G_MAXINT64;
  struct capture_file_header header;

  profile_capture_get_header(capture, &header);
  if (g_strv_length(sides) != 2 || (*sides[0] && !parse_moment(sides[0], duration, &begin)) ||
      (*sides[1] && !parse_moment(sides[1], duration, &end)))
    return set_error(error, G_IO_ERROR_INVALID_ARGUMENT,
                     g_strdup_printf(_("The time “%s” is not understood; write for example “1.5,3” (seconds) "
                                       "or “10%%,20%%”."),
                                     text));
  if (begin >= end)
    return set_error(error, G_IO_ERROR_INVALID_ARGUMENT,
                     g_strdup_printf(_("The time “%s” ends before it begins."), text));
  profile_filter_set_time(filter, header.time + begin, header.time + end);
  return TRUE;
}

/* A number is a tid or pid; a name that looks like one can still be meant. */
static gboolean filter_matches(const char *wanted, gint32 number, const char *name)
{
  gint64 value;

  return g_strcmp0(wanted, name) == 0 ||
         (g_ascii_string_to_signed(wanted, 10, G_MININT32, G_MAXINT32, &value, NULL) && value == number);
}

static gboolean apply_thread(ProfileFilter *filter, const char *wanted, GError **error)
{
  gboolean found = FALSE;
  guint n;
  const ProfileThread *threads = profile_capture_get_threads(profile_filter_get_capture(filter), &n);

  for (guint i = 1; i < n; i++)
    if (filter_matches(wanted, threads[i].tid, threads[i].name)) {
      profile_filter_add_thread(filter, i);
      found = TRUE;
    }
  return found || set_error(error, G_IO_ERROR_NOT_FOUND,
                            g_strdup_printf(_("There is no thread “%s” in the capture."), wanted));
}

static gboolean apply_process(ProfileFilter *filter, const char *wanted, GError **error)
{
  gboolean found = FALSE;
  guint n;
  const ProfileProcess *processes = profile_capture_get_processes(profile_filter_get_capture(filter), &n);

  for (guint i = 1; i < n; i++)
    if (filter_matches(wanted, processes[i].pid, processes[i].name)) {
      profile_filter_add_process(filter, i);
      found = TRUE;
    }
  return found || set_error(error, G_IO_ERROR_NOT_FOUND,
                            g_strdup_printf(_("There is no process “%s” in the capture."), wanted));
}

gboolean capturectl_is_binary(const char *wanted, const char *path)
{
  const char *slash = strrchr(path, '/');

  return strcmp(wanted, path) == 0 || (slash && strcmp(wanted, slash + 1) == 0);
}

static gboolean apply_binary(ProfileFilter *filter, const char *wanted, GError **error)
{
  gboolean found = strcmp(wanted, "[kernel]") == 0;
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(profile_filter_get_capture(filter), &n);

  if (found)
    profile_filter_add_binary(filter, G_MAXUINT32);
  for (guint i = 0; i < n; i++)
    if (capturectl_is_binary(wanted, binaries[i].path)) {
      profile_filter_add_binary(filter, i);
      found = TRUE;
    }
  return found || set_error(error, G_IO_ERROR_NOT_FOUND,
                            g_strdup_printf(_("There is no binary “%s” in the capture."), wanted));
}

typedef gboolean (*ApplyFunc)(ProfileFilter *filter, const char *wanted, GError **error);

static gboolean apply_each(ProfileFilter *filter, char **wanted, ApplyFunc apply, GError **error)
{
  for (; wanted && *wanted; wanted++)
    if (!apply(filter, *wanted, error))
      return FALSE;
  return TRUE;
}

ProfileFilter *capturectl_filter_new(ProfileCapture *capture, const CapturectlFilterOptions *options,
                                     GError **error)
{
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileStacks) recorded = profile_stacks_new_without_inlined(capture);

  if (options->no_inline)
    profile_filter_set_stacks(filter, recorded);
  if ((options->event && !apply_event(filter, options->event, error)) ||
      (options->time && !apply_time(filter, options->time, error)) ||
      !apply_each(filter, options->threads, apply_thread, error) ||
      !apply_each(filter, options->processes, apply_process, error) ||
      !apply_each(filter, options->binaries, apply_binary, error) ||
      !apply_each(filter, options->transforms, capturectl_transform_apply, error))
    return NULL;
  return g_steal_pointer(&filter);
}

int capturectl_filter_fail(const GError *error)
{
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT))
    return capturectl_fail_usage("%s", error->message);
  return capturectl_fail("%s", error->message);
}

static void warn_of_losses(ProfileCapture *capture)
{
  guint64 lost = profile_capture_get_n_lost(capture);

  if (lost > 0)
    capturectl_warn(ngettext("%" G_GUINT64_FORMAT " sample was lost while recording.",
                             "%" G_GUINT64_FORMAT " samples were lost while recording.", lost),
                    lost);
}

void capturectl_name_functions(ProfileCapture *capture)
{
  const ProfileNamingOptions options = {.only_missing = TRUE};

  if (profile_naming_is_wanted(capture))
    profile_naming_resolve(capture, &options, NULL, NULL, NULL);
}

ProfileCapture *capturectl_load(const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileCapture) capture = NULL;
  int fd = capturectl_open_capture(path, &error);

  if (fd >= 0) {
    close(fd);
    capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error);
  }
  if (!capture) {
    capturectl_fail("%s", error->message);
    return NULL;
  }
  for (const char *const *problem = profile_capture_get_problems(capture); *problem; problem++)
    capturectl_warn("%s", *problem);
  warn_of_losses(capture);
  return g_steal_pointer(&capture);
}
