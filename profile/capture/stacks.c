/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/stacks-private.h"

#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"

static void clear_collapsed(gpointer data)
{
  ProfileCollapsed *collapsed = data;

  g_free((gpointer)collapsed->range.name);
  g_free((gpointer)collapsed->range.file);
  g_free((gpointer)collapsed->range.module);
}

static void release_collapsed(gpointer collapsed)
{
  g_atomic_rc_box_release_full(collapsed, clear_collapsed);
}

GPtrArray *profile_collapsed_copy(const GPtrArray *all)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func(release_collapsed);

  for (guint i = 0; all && i < all->len; i++)
    g_ptr_array_add(copy, g_atomic_rc_box_acquire(all->pdata[i]));
  return copy;
}

void profile_collapsed_add(GPtrArray *all, const ProfileFunctionRange *range, guint32 binary, guint16 kind)
{
  ProfileCollapsed *collapsed = g_atomic_rc_box_new0(ProfileCollapsed);

  collapsed->range = (ProfileFunctionRange){.name = g_strdup(range->name),
                                            .file = g_strdup(range->file),
                                            .module = g_strdup(range->module),
                                            .line = range->line};
  collapsed->range.linkage_name = collapsed->range.name;
  collapsed->function = (ProfileFunction){.range = &collapsed->range, .binary = binary, .kind = kind};
  g_ptr_array_add(all, collapsed);
}

ProfileStacks *profile_stacks_new_own(ProfileCapture *capture)
{
  ProfileStacks *self = g_new0(ProfileStacks, 1);

  self->capture = capture;
  self->is_own = TRUE;
  return self;
}

static void forget_derived(ProfileStacks *self)
{
  g_clear_pointer(&self->outermost, g_free);
  self->outermost_once = 0;
}

void profile_stacks_renew_own(ProfileStacks *self)
{
  forget_derived(self);
  self->n_nodes = self->capture->n_nodes;
  self->parents = self->capture->parent;
  self->functions = self->capture->names.of_node;
  self->first_child = self->capture->first_child;
  self->n_capture_functions = self->capture->names.n_functions;
}

void profile_stacks_clear(ProfileStacks *self)
{
  forget_derived(self);
  g_clear_pointer((gpointer *)&self->parents, g_free);
  g_clear_pointer((gpointer *)&self->functions, g_free);
  g_clear_pointer((gpointer *)&self->first_child, g_free);
  g_clear_pointer(&self->map, g_free);
  g_clear_pointer(&self->inlined, g_free);
}

void profile_stacks_free_own(ProfileStacks *self)
{
  forget_derived(self);
  if (self->map) /* else they are the capture's columns */
    profile_stacks_clear(self);
  g_free(self);
}

ProfileStacks *profile_stacks_new(ProfileCapture *capture)
{
  return profile_stacks_ref(capture->inlined_stacks ? capture->inlined_stacks : capture->stacks);
}

ProfileStacks *profile_stacks_new_without_inlined(ProfileCapture *capture)
{
  return profile_stacks_ref(capture->stacks);
}

ProfileStacks *profile_stacks_ref(ProfileStacks *self)
{
  if (self->is_own)
    g_object_ref(self->capture);
  else
    g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_stacks_unref(ProfileStacks *self)
{
  if (self->is_own) {
    g_object_unref(self->capture);
    return;
  }
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  profile_stacks_clear(self);
  g_ptr_array_unref(self->collapsed);
  g_object_unref(self->capture);
  g_free(self);
}

ProfileCapture *profile_stacks_get_capture(const ProfileStacks *self)
{
  return self->capture;
}

gsize profile_stacks_get_n_nodes(const ProfileStacks *self)
{
  return self->n_nodes;
}

const guint32 *profile_stacks_get_parents(const ProfileStacks *self)
{
  return self->parents;
}

const guint32 *profile_stacks_get_functions(const ProfileStacks *self)
{
  return self->functions;
}

const guint32 *profile_stacks_get_map(const ProfileStacks *self)
{
  return self->map;
}

const guint8 *profile_stacks_get_inlined(const ProfileStacks *self)
{
  return self->inlined;
}

gboolean profile_stacks_is_transformed(const ProfileStacks *self)
{
  return self->is_transformed;
}

gsize profile_stacks_get_n_functions(const ProfileStacks *self)
{
  return self->n_capture_functions + (self->collapsed ? self->collapsed->len : 0);
}

const ProfileFunction *profile_stacks_get_function(const ProfileStacks *self, guint32 function)
{
  if (function < self->n_capture_functions)
    return &self->capture->names.functions[function];
  const ProfileCollapsed *collapsed = self->collapsed->pdata[function - self->n_capture_functions];
  return &collapsed->function;
}

const char *profile_stacks_get_function_name(const ProfileStacks *self, guint32 function)
{
  if (function < self->n_capture_functions)
    return profile_capture_get_function_name(self->capture, function);
  return profile_stacks_get_function(self, function)->range->name;
}

const char *profile_stacks_get_function_binary(const ProfileStacks *self, guint32 function)
{
  const ProfileFunction *item;

  if (function < self->n_capture_functions)
    return profile_capture_get_function_binary(self->capture, function);
  item = profile_stacks_get_function(self, function);
  if (item->binary == G_MAXUINT32)
    return item->range->module ? item->range->module : "[kernel]";
  return g_array_index(self->capture->binaries, ProfileBinary, item->binary).path;
}

gboolean profile_stacks_function_is_kernel(const ProfileStacks *self, guint32 function)
{
  return profile_stacks_get_function(self, function)->kind == CAPTURE_SPACE_KERNEL;
}

guint32 *profile_stacks_make_binaries(const ProfileStacks *self)
{
  gsize n = profile_stacks_get_n_functions(self);
  guint32 *binaries = profile_new(guint32, n), n_binaries = self->capture->binaries->len;

  for (gsize i = 0; i < n; i++) {
    const ProfileFunction *function = profile_stacks_get_function(self, (guint32)i);
    if (function->binary != G_MAXUINT32)
      binaries[i] = function->binary;
    else
      binaries[i] = function->kind == CAPTURE_SPACE_KERNEL ? n_binaries : n_binaries + 1;
  }
  return binaries;
}
