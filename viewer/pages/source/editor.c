/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/editor.h"

#include <glib/gi18n.h>

#include "viewer/kit/settings.h"
#include "viewer/kit/toast.h"

#define KEY "source-editor"

/* gnome-builder takes no line. */
static const ViewerEditor editors[] = {{"gnome-builder", "Builder", "%f"},
                                       {"code", "VS Code", "-g %f:%l"},
                                       {"codium", "VSCodium", "-g %f:%l"},
                                       {"gnome-text-editor", "Text Editor", "+%l %f"},
                                       {"gedit", "gedit", "+%l %f"},
                                       {"kate", "Kate", "-l %l %f"},
                                       {"kwrite", "KWrite", "-l %l %f"},
                                       {"kdevelop", "KDevelop", "%f:%l"},
                                       {"qtcreator", "Qt Creator", "-client %f:%l"},
                                       {"clion", "CLion", "--line %l %f"},
                                       {"subl", "Sublime Text", "%f:%l"},
                                       {"zed", "Zed", "%f:%l"},
                                       {"geany", "Geany", "-l %l %f"},
                                       {"pluma", "Pluma", "+%l %f"},
                                       {"xed", "Xed", "+%l %f"},
                                       {"emacs", "Emacs", "+%l %f"},
                                       {"gvim", "GVim", "+%l %f"},
                                       {"default", N_("Default Application"), NULL}};

const char *viewer_editor_get_name(const ViewerEditor *self)
{
  return self->arguments ? self->name : _(self->name);
}

static gboolean is_there(const ViewerEditor *self)
{
  g_autofree char *path = self->arguments ? g_find_program_in_path(self->program) : NULL;

  return path || !self->arguments;
}

const ViewerEditor *viewer_editor_get_chosen(void)
{
  g_autofree char *program = g_settings_get_string(viewer_settings_get(), KEY);
  const ViewerEditor *first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(editors); i++) {
    gboolean is_chosen = g_str_equal(editors[i].program, program);
    if ((first && !is_chosen) || !is_there(&editors[i]))
      continue;
    if (is_chosen)
      return &editors[i];
    first = &editors[i];
  }
  return first;
}

void viewer_editor_set_chosen(const char *program)
{
  g_settings_set_string(viewer_settings_get(), KEY, program);
}

GMenuModel *viewer_editors_make_menu(const char *action)
{
  GMenu *menu = g_menu_new();

  for (guint i = 0; i < G_N_ELEMENTS(editors); i++) {
    if (!is_there(&editors[i]))
      continue;
    g_autofree char *label = g_strdup_printf(_("Open in %s"), viewer_editor_get_name(&editors[i]));
    g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(item, action, "s", editors[i].program);
    g_menu_append_item(menu, item);
  }
  return G_MENU_MODEL(menu);
}

static void tell_failure(GtkWidget *widget, const char *name, const GError *error)
{
  g_autofree char *text = g_strdup_printf(_("%s could not be started: %s"), name, error->message);

  viewer_toast(widget, text);
}

/* Of one argument at a time: paths may have blanks. */
static char *fill_in(const char *argument, const char *path, guint32 line)
{
  GString *text = g_string_new(NULL);

  for (const char *c = argument; *c; c++)
    if (g_str_has_prefix(c, "%f")) {
      g_string_append(text, path);
      c++;
    } else if (g_str_has_prefix(c, "%l")) {
      g_string_append_printf(text, "%u", line);
      c++;
    } else {
      g_string_append_c(text, *c);
    }
  return g_string_free(text, FALSE);
}

static gboolean editor_start(const ViewerEditor *self, const char *path, guint32 line, GError **error)
{
  g_auto(GStrv) arguments = g_strsplit(self->arguments, " ", -1);
  g_autoptr(GPtrArray) command = g_ptr_array_new_with_free_func(g_free);

  g_ptr_array_add(command, g_strdup(self->program));
  for (char **argument = arguments; *argument; argument++)
    g_ptr_array_add(command, fill_in(*argument, path, line));
  g_ptr_array_add(command, NULL);
  return g_spawn_async(NULL, (char **)command->pdata, NULL,
                       G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                       NULL, NULL, error);
}

static gboolean start_default(GtkWidget *widget, const char *path, GError **error)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autofree char *uri = g_file_get_uri(file);
  g_autoptr(GdkAppLaunchContext) context = gdk_display_get_app_launch_context(gtk_widget_get_display(widget));

  return g_app_info_launch_default_for_uri(uri, G_APP_LAUNCH_CONTEXT(context), error);
}

void viewer_editor_open(const ViewerEditor *self, GtkWidget *widget, const char *path, guint32 line)
{
  g_autoptr(GError) error = NULL;

  if (self->arguments ? !editor_start(self, path, line, &error) : !start_default(widget, path, &error))
    tell_failure(widget, viewer_editor_get_name(self), error);
}
