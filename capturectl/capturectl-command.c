/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-command.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcapture/format/capture-format.h"
#include "profile/base/printable.h"
#include "profile/import/importer.h"

static gboolean show_version;

static const GOptionEntry common_entries[] = {
    {"version", 0, 0, G_OPTION_ARG_NONE, &show_version, N_("Print the version and exit"), NULL},
    {NULL},
};

static int parse_options(int *argc, char ***argv, const GOptionEntry *entries, const char *parameters,
                         const char *summary, gboolean command_follows)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new(parameters);

  g_option_context_set_summary(context, summary);
  g_option_context_set_strict_posix(context, command_follows);
  g_option_context_add_main_entries(context, entries, GETTEXT_PACKAGE);
  g_option_context_add_main_entries(context, common_entries, GETTEXT_PACKAGE);
  if (!g_option_context_parse(context, argc, argv, &error))
    return capturectl_fail_usage("%s.", error->message);
  if (show_version) {
    g_print("capturectl %s\n", CAPTURE_VERSION);
    return CAPTURECTL_DONE;
  }
  return -1;
}

int capturectl_parse_options(int *argc, char ***argv, const GOptionEntry *entries, const char *parameters,
                             const char *summary)
{
  return parse_options(argc, argv, entries, parameters, summary, FALSE);
}

int capturectl_parse_command_options(int *argc, char ***argv, const GOptionEntry *entries,
                                     const char *parameters, const char *summary)
{
  return parse_options(argc, argv, entries, parameters, summary, TRUE);
}

const char *capturectl_get_file(int argc, char **argv)
{
  int first = 1;

  if (first < argc && strcmp(argv[first], "--") == 0)
    first++;
  if (first >= argc) {
    capturectl_fail_usage(_("A FILE is missing."));
    return NULL;
  }
  if (first + 1 < argc) {
    capturectl_fail_usage(_("One FILE is expected; “%s” is one too many."), argv[first + 1]);
    return NULL;
  }
  return argv[first];
}

int capturectl_check_output(const char *option, const char *path)
{
  if (!path || *path)
    return -1;
  return capturectl_fail_usage(_("%s takes the name of a file, but what was given is empty."), option);
}

gboolean capturectl_parse_size(const char *text, guint64 max, guint64 *ret)
{
  static const char *const units[] = {"", "k", "m", "g"};
  char *end;
  guint64 value = g_ascii_strtoull(text, &end, 10);

  if (!g_ascii_isdigit(*text))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
    gsize length = strlen(units[i]);
    const char *rest = end + length;
    if (g_ascii_strncasecmp(end, units[i], length) != 0 || value > max >> (10 * i) ||
        (*rest && g_ascii_strcasecmp(rest, "B") != 0 && (i == 0 || g_ascii_strcasecmp(rest, "iB") != 0)))
      continue;
    *ret = value << (10 * i);
    return TRUE;
  }
  return FALSE;
}

const char *capturectl_get_file_behind(int argc, char **argv, const char *what, const char **ret)
{
  int first = 1;

  if (first < argc && strcmp(argv[first], "--") == 0)
    first++;
  if (first >= argc) {
    capturectl_fail_usage(_("A %s and a FILE are missing."), what);
    return NULL;
  }
  *ret = argv[first];
  return capturectl_get_file(argc - first, argv + first);
}

static void print_sentence(const char *kind, const char *format, va_list arguments)
{
  g_autofree char *sentence = g_strdup_vprintf(format, arguments);

  g_autofree char *shown = profile_printable(sentence);

  g_printerr("%s: %s%s\n", g_get_prgname(), kind, shown);
}

int capturectl_fail(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  print_sentence("", format, arguments);
  va_end(arguments);
  return CAPTURECTL_FAILED;
}

int capturectl_fail_usage(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  print_sentence("", format, arguments);
  va_end(arguments);
  g_printerr(_("Try “%s --help”.\n"), g_get_prgname());
  return CAPTURECTL_USAGE;
}

void capturectl_warn(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  print_sentence(_("warning: "), format, arguments);
  va_end(arguments);
}

static void set_open_error(GError **error, const char *path, int number)
{
  int code = g_io_error_from_errno(number);

  if (number == ENOENT)
    g_set_error(error, G_IO_ERROR, code, _("There is no file “%s”."), path);
  else if (number == EACCES || number == EPERM)
    g_set_error(error, G_IO_ERROR, code, _("“%s” cannot be read: permission denied."), path);
  else
    g_set_error(error, G_IO_ERROR, code, _("“%s” cannot be opened: %s."), path, g_strerror(number));
}

static gboolean check_kind(int fd, const char *path, GError **error)
{
  struct stat status;

  if (fstat(fd, &status) != 0)
    set_open_error(error, path, errno);
  else if (S_ISDIR(status.st_mode))
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY,
                _("“%s” is a directory; name a capture file in it."), path);
  else if (!S_ISREG(status.st_mode))
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE,
                _("“%s” is not a regular file; a capture cannot be read from a pipe or a device."), path);
  else if (status.st_size == 0)
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _("“%s” is empty."), path);
  else
    return TRUE;
  return FALSE;
}

static gboolean check_magic(int fd, const char *path, GError **error)
{
  const ProfileImporter *importer;
  guint8 magic[8] = "";

  if (pread(fd, magic, sizeof magic, 0) < 0)
    set_open_error(error, path, errno);
  else if (memcmp(magic, CAPTURE_FILE_MAGIC, sizeof magic) == 0)
    return TRUE;
  else if ((importer = profile_importers_recognise(magic, sizeof magic)) != NULL)
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                _("“%s” is a %s file; import it with “capturectl import %s” first."), path, importer->name,
                path);
  else
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _("“%s” is not a capture."), path);
  return FALSE;
}

int capturectl_open_capture(const char *path, GError **error)
{
  /* Not blocking, lest a FIFO without a writer hangs before it can be refused. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

  if (fd < 0) {
    set_open_error(error, path, errno);
    return -1;
  }
  if (!check_kind(fd, path, error) || !check_magic(fd, path, error)) {
    close(fd);
    return -1;
  }
  return fd;
}
