/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <libintl.h>
#include <locale.h>

#include "viewer/kit/paths.h"
#include "viewer/window/application.h"

static void bind_texts(void)
{
  g_autofree char *locale = viewer_paths_find_locale();

  setlocale(LC_ALL, "");
  bindtextdomain(GETTEXT_PACKAGE, locale);
  bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
  textdomain(GETTEXT_PACKAGE);
}

int main(int argc, char **argv)
{
  g_autoptr(ViewerApplication) application = NULL;

  bind_texts();
  application = viewer_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
