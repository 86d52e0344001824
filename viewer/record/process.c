/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/process.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

struct _ViewerProcess {
  GObject parent_instance;

  ViewerProcessFacts *facts;
  char *folded; /* name and command line, to be searched */
  guint64 time;
  double cpu;
  gboolean recordable;
};

G_DEFINE_FINAL_TYPE(ViewerProcess, viewer_process, G_TYPE_OBJECT)

enum { PROP_CPU = 1, PROP_RECORDABLE, N_PROPERTIES };
static GParamSpec *properties[N_PROPERTIES];

static void viewer_process_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ViewerProcess *self = VIEWER_PROCESS(object);

  if (id == PROP_CPU)
    g_value_set_double(value, self->cpu);
  else if (id == PROP_RECORDABLE)
    g_value_set_boolean(value, self->recordable);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void viewer_process_finalize(GObject *object)
{
  ViewerProcess *self = VIEWER_PROCESS(object);

  viewer_process_facts_unref(self->facts);
  g_free(self->folded);
  G_OBJECT_CLASS(viewer_process_parent_class)->finalize(object);
}

static void viewer_process_class_init(ViewerProcessClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS(class);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = viewer_process_get_property;
  object_class->finalize = viewer_process_finalize;
  properties[PROP_CPU] = g_param_spec_double("cpu", NULL, NULL, -1, G_MAXDOUBLE, -1, flags);
  properties[PROP_RECORDABLE] = g_param_spec_boolean("recordable", NULL, NULL, FALSE, flags);
  g_object_class_install_properties(object_class, N_PROPERTIES, properties);
}

static void viewer_process_init(ViewerProcess *self)
{
  self->cpu = -1;
}

ViewerProcess *viewer_process_new(ViewerProcessFacts *facts)
{
  ViewerProcess *self = g_object_new(VIEWER_TYPE_PROCESS, NULL);
  g_autofree char *both = g_strconcat(facts->name, "\n", facts->command_line, NULL);

  self->facts = viewer_process_facts_ref(facts);
  self->time = facts->time;
  self->folded = g_utf8_casefold(both, -1);
  return self;
}

const ViewerProcessFacts *viewer_process_get_facts(ViewerProcess *self)
{
  return self->facts;
}

gboolean viewer_process_is_own(ViewerProcess *self)
{
  return self->facts->uid == geteuid();
}

double viewer_process_get_cpu(ViewerProcess *self)
{
  return self->cpu;
}

/* Of hundreds, few are busy: nothing is said of what nobody would see. */
void viewer_process_look(ViewerProcess *self, guint64 time, gint64 elapsed)
{
  double cpu = elapsed > 0 && time >= self->time ? (double)(time - self->time) / (double)elapsed : self->cpu;

  self->time = time;
  if (fabs(self->cpu - cpu) < 0.0005)
    return;
  self->cpu = cpu;
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_CPU]);
}

gboolean viewer_process_is_recordable(ViewerProcess *self)
{
  return self->recordable;
}

void viewer_process_set_recordable(ViewerProcess *self, gboolean recordable)
{
  if (self->recordable == recordable)
    return;
  self->recordable = recordable;
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_RECORDABLE]);
}

gboolean viewer_process_matches(ViewerProcess *self, const char *text)
{
  char number[16];

  if (!text || !*text)
    return TRUE;
  g_snprintf(number, sizeof number, "%d", self->facts->pid);
  g_autofree char *folded = g_utf8_casefold(text, -1);
  return g_str_has_prefix(number, text) || strstr(self->folded, folded);
}
