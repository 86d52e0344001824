/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <glib.h>
#include <libintl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "capturectl/capturectl-verbs.h"

typedef struct {
  const char *name;
  const char *help;
  int (*run)(int argc, char **argv);
} Verb;

#define VERB_ENTRY(verb, text) {#verb, text, capturectl_##verb},
static const Verb verbs[] = {CAPTURECTL_VERBS(VERB_ENTRY){NULL, NULL, NULL}};

static void print_help(void)
{
  g_print(
      _("Usage: capturectl VERB [OPTION…] …\n\nRecords where programs spend their time, and shows it.\n\n"));
  for (const Verb *verb = verbs; verb->name; verb++)
    g_print("  %-8s %s\n", verb->name, _(verb->help));
  g_print(_("\n“capturectl VERB --help” says more about each; the manual page is capturectl(1).\n"));
}

static const Verb *find_verb(const char *name)
{
  for (const Verb *verb = verbs; verb->name; verb++)
    if (strcmp(verb->name, name) == 0)
      return verb;
  return NULL;
}

/* Levenshtein's distance; words longer than a verb ever is are as far as can be. */
static guint main_distance(const char *a, const char *b)
{
  gsize a_length = strlen(a), b_length = strlen(b);
  guint row[32];

  if (a_length >= G_N_ELEMENTS(row) || b_length >= G_N_ELEMENTS(row))
    return G_MAXUINT;
  for (gsize i = 0; i <= b_length; i++)
    row[i] = i;
  for (gsize i = 1; i <= a_length; i++) {
    guint diagonal = row[0];

    row[0] = i;
    for (gsize j = 1; j <= b_length; j++) {
      guint above = row[j];

      row[j] = MIN(MIN(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[b_length];
}

static const char *nearest_verb(const char *name)
{
  const char *best = NULL;
  guint best_distance = 4;

  for (const Verb *verb = verbs; verb->name; verb++) {
    guint d = strlen(name) >= 2 && g_str_has_prefix(verb->name, name) ? 0 : main_distance(name, verb->name);

    if (d < best_distance && d < strlen(verb->name)) {
      best = verb->name;
      best_distance = d;
    }
  }
  return best;
}

static int fail_unknown(const char *name)
{
  const char *nearest = nearest_verb(name);

  if (nearest)
    return capturectl_fail_usage(_("There is no verb “%s”; did you mean “%s”?"), name, nearest);
  return capturectl_fail_usage(_("There is no verb “%s”."), name);
}

/* A reader that went away is not worth a word: it has what it wanted. */
static int finish_output(int status)
{
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  if (errno != EPIPE)
    capturectl_fail(_("Standard output could not be written: %s."), g_strerror(errno ? errno : EIO));
  return status == CAPTURECTL_DONE ? CAPTURECTL_FAILED : status;
}

static int main_run(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL;
  const Verb *verb;
  g_autofree char *program = NULL;

  if (!name)
    return capturectl_fail_usage(_("A verb is missing."));
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "-?") == 0) {
    print_help();
    return CAPTURECTL_DONE;
  }
  if (strcmp(name, "--version") == 0) {
    g_print("capturectl %s\n", CAPTURE_VERSION);
    return CAPTURECTL_DONE;
  }
  if (name[0] == '-')
    return capturectl_fail_usage(_("A verb is expected in place of “%s”."), name);
  verb = find_verb(name);
  if (!verb)
    return fail_unknown(name);
  program = g_strconcat("capturectl ", name, NULL);
  g_set_prgname(program);
  argv[1] = program;
  return verb->run(argc - 1, argv + 1);
}

/* Without a locale (LC_ALL=C, as in scripts) texts are still UTF-8: better than a question mark for each
 * quotation mark and each letter of a name that is not ASCII. */
static void set_locale(void)
{
  setlocale(LC_ALL, "");
  if (strcmp(setlocale(LC_CTYPE, NULL), "C") == 0)
    setlocale(LC_CTYPE, "C.UTF-8");
}

int main(int argc, char **argv)
{
  set_locale();
  bindtextdomain(GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
  textdomain(GETTEXT_PACKAGE);
  g_set_prgname("capturectl");
  return finish_output(main_run(argc, argv));
}
