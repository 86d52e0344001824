/* SPDX-License-Identifier: GPL-3.0-or-later */
/* captured [--idle-seconds N]: the system service that records for callers who may not open perf events
 * themselves (data/org.capturectl.Capture1.xml). */
#include <glib.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "daemon/captured-filter.h"
#include "daemon/captured-privileges.h"
#include "daemon/captured-service.h"

#define IDLE_SECONDS 30

static int idle_seconds = IDLE_SECONDS;
static gboolean version;

static const GOptionEntry entries[] = {
    {"idle-seconds", 0, 0, G_OPTION_ARG_INT, &idle_seconds,
     "End after so many seconds without work (default: 30; 0: never)", "N"},
    {"version", 0, 0, G_OPTION_ARG_NONE, &version, "Say which version this is", NULL},
    {NULL},
};

static gboolean main_parse(int *argc, char ***argv, GError **error)
{
  g_autoptr(GOptionContext) context = g_option_context_new("— records for callers on the system bus");

  g_option_context_add_main_entries(context, entries, NULL);
  if (!g_option_context_parse(context, argc, argv, error))
    return FALSE;
  if (*argc == 1 && idle_seconds >= 0)
    return TRUE;
  g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                      *argc > 1 ? "captured takes options only." : "--idle-seconds takes a number from 0.");
  return FALSE;
}

/* Callers send descriptors: there must be room for what all of them send at once. */
static void raise_descriptor_limit(void)
{
  struct rlimit limit;

  if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;

  /* Whoever starts services gives them no locale, but the journal and people have one. */
  setlocale(LC_CTYPE, "C.UTF-8");
  if (!main_parse(&argc, &argv, &error)) {
    g_printerr("captured: %s\n", error->message);
    return 2;
  }
  if (version) {
    g_print("captured " CAPTURED_VERSION "\n");
    return EXIT_SUCCESS;
  }
  raise_descriptor_limit();
  if (!captured_privileges_settle(&error) || !captured_filter_install(&error)) {
    g_printerr("captured: %s\n", error->message);
    return EXIT_FAILURE;
  }
  return captured_service_run((guint)idle_seconds);
}
