/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every verb needs: options, errors, opening a capture. Main thread only. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Exit statuses; `record` passes on others. */
enum { CAPTURECTL_DONE = 0, CAPTURECTL_FAILED = 1, CAPTURECTL_USAGE = 2 };

/*
 * Parses a verb's options with --help and --version. `parameters` stands behind "capturectl VERB [OPTION…]"
 * in --help ("FILE"), `summary` below it (translated). The entries end with a NULL name. argv[0] and what is
 * no option stay in argv. Returns -1 to go on, else the exit status to return at once.
 */
int capturectl_parse_options(int *argc, char ***argv, const GOptionEntry *entries, const char *parameters,
                             const char *summary);
/* As capturectl_parse_options, but options end at the first argument: a command with options of its own
 * follows. */
int capturectl_parse_command_options(int *argc, char ***argv, const GOptionEntry *entries,
                                     const char *parameters, const char *summary);
/* The one FILE that follows the options; NULL after having said what is wrong (return CAPTURECTL_USAGE). */
const char *capturectl_get_file(int argc, char **argv);
/* The same, behind another argument, which messages call `what`. */
const char *capturectl_get_file_behind(int argc, char **argv, const char *what, const char **ret);

/* Whether what was given with an option (NULL: it was not) can be a file to write: -1, or CAPTURECTL_USAGE
 * after having said that it names none. */
int capturectl_check_output(const char *option, const char *path);

/* Bytes as options take them, at most max: "0", "65536", "512k", "4M", "4MiB"; a kilobyte has 1024. False
 * when text is none. */
gboolean capturectl_parse_size(const char *text, guint64 max, guint64 *ret);

/* Prints "capturectl VERB: sentence" on standard error and returns CAPTURECTL_FAILED. */
int capturectl_fail(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* As capturectl_fail, and points to --help; returns CAPTURECTL_USAGE. */
int capturectl_fail_usage(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* "capturectl VERB: warning: sentence" on standard error. */
void capturectl_warn(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Opens path for reading. Returns the descriptor, or -1 and an error whose message is a whole sentence that
 * names the file: missing, a directory, empty, a perf.data file (says how to import it), no capture … */
int capturectl_open_capture(const char *path, GError **error);

G_END_DECLS
