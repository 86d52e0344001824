/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which nodes are the outermost of their function or binary on their stack: a recursive function counts once.
 */
#include "profile/profile-capture-private.h"
#include "profile/profile-memory.h"

typedef struct {
  const ProfileCapture *capture;
  guint8 *outermost;
  guint32 *open_functions, *open_binaries; /* how often each occurs on the path to the node */
} Walk;

static guint32 get_binary(const Walk *walk, guint32 function)
{
  const ProfileFunction *item = &walk->capture->names.functions[function];
  guint32 n_binaries = walk->capture->binaries->len;

  if (item->binary != G_MAXUINT32)
    return item->binary;
  return item->kind == CAPTURE_SPACE_KERNEL ? n_binaries : n_binaries + 1;
}

static void enter_node(Walk *walk, guint32 node)
{
  guint32 function = walk->capture->names.of_node[node], binary = get_binary(walk, function);

  if (walk->open_functions[function]++ == 0)
    walk->outermost[node] |= PROFILE_OUTERMOST_FUNCTION;
  if (walk->open_binaries[binary]++ == 0)
    walk->outermost[node] |= PROFILE_OUTERMOST_BINARY;
}

static void leave_node(Walk *walk, guint32 node)
{
  guint32 function = walk->capture->names.of_node[node];

  walk->open_functions[function]--;
  walk->open_binaries[get_binary(walk, function)]--;
}

/* Depth first without a stack: parents and siblings say where to go on. */
static void walk_nodes(Walk *walk)
{
  const ProfileCapture *capture = walk->capture;
  guint32 node = capture->first_child[0];

  while (node) {
    enter_node(walk, node);
    if (capture->first_child[node]) {
      node = capture->first_child[node];
      continue;
    }
    while (node && !capture->next[node]) {
      leave_node(walk, node);
      node = capture->parent[node];
    }
    if (node) {
      leave_node(walk, node);
      node = capture->next[node];
    }
  }
}

const guint8 *profile_capture_get_outermost(ProfileCapture *self)
{
  ProfileNames *names = &self->names;

  profile_capture_link_nodes(self);
  if (g_once_init_enter(&names->outermost_once)) {
    g_autofree guint32 *functions = profile_new0(guint32, names->n_functions);
    g_autofree guint32 *binaries = profile_new0(guint32, (gsize)self->binaries->len + 2);
    Walk walk = {.capture = self, .open_functions = functions, .open_binaries = binaries};
    walk.outermost = names->outermost = profile_new0(guint8, self->n_nodes);
    walk_nodes(&walk);
    g_once_init_leave(&names->outermost_once, 1);
  }
  return names->outermost;
}
