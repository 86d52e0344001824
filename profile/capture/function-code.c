/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/function-code.h"

#include <stdlib.h>

#include "profile/capture/capture-private.h"

struct _ProfileFunctionCode {
  gatomicrefcount references;
  GArray *parts; /* ProfileCodePart */
};

static void clear_part(gpointer data)
{
  ProfileCodePart *part = data;

  free(part->instructions);
  g_clear_pointer(&part->targets, profile_function_table_unref);
}

static void add_part(ProfileFunctionCode *self, guint64 start, guint64 end, guint32 binary, guint32 code)
{
  const ProfileCodePart part = {
      .start = start, .end = end, .binary = binary, .code = code, .status = PROFILE_CODE_NOT_SOUGHT};

  g_array_append_val(self->parts, part);
}

/* Ranges of one table under one name are one function; a table keeps equal strings once. */
static void add_ranges(ProfileFunctionCode *self, ProfileCapture *capture, const ProfileFunction *function)
{
  guint32 binary = function->kind == CAPTURE_SPACE_KERNEL ? G_MAXUINT32 : function->binary;
  const ProfileFunctionTable *table = profile_capture_get_table(capture, binary);
  gsize n = 0;
  const ProfileFunctionRange *ranges = table ? profile_function_table_get_ranges(table, &n) : NULL;

  for (gsize i = 0; i < n; i++)
    if (ranges[i].name == function->range->name && ranges[i].module == function->range->module)
      add_part(self, ranges[i].start, ranges[i].end, binary, G_MAXUINT32);
}

/* What a program told of, as it was compiled. */
static void add_codes(ProfileFunctionCode *self, const ProfileCapture *capture,
                      const ProfileFunction *function)
{
  const GArray *told = capture->told;

  for (guint i = 0; capture->code_functions && i < capture->code->len; i++) {
    const ProfileCode *code = &g_array_index(capture->code, ProfileCode, i);
    guint32 number = capture->code_functions[i];

    if (number < told->len && function->range == &g_array_index(told, ProfileToldFunction, number).range)
      add_part(self, code->start, code->start + MIN(code->length, G_MAXUINT64 - code->start), G_MAXUINT32, i);
  }
}

ProfileFunctionCode *profile_function_code_new(ProfileCapture *capture, guint32 function)
{
  ProfileFunctionCode *self = g_new0(ProfileFunctionCode, 1);
  const ProfileNames *names = &capture->names;
  const ProfileFunction *item = function < names->n_functions ? &names->functions[function] : NULL;

  g_atomic_ref_count_init(&self->references);
  self->parts = g_array_new(FALSE, FALSE, sizeof(ProfileCodePart));
  g_array_set_clear_func(self->parts, clear_part);
  if (item && item->range && item->kind == CAPTURE_SPACE_IDENTIFIERS)
    add_codes(self, capture, item);
  else if (item && item->range)
    add_ranges(self, capture, item);
  return self;
}

ProfileFunctionCode *profile_function_code_ref(ProfileFunctionCode *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_function_code_unref(ProfileFunctionCode *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  g_array_unref(self->parts);
  g_free(self);
}

ProfileCodePart *profile_function_code_get_parts(ProfileFunctionCode *self, guint *n)
{
  *n = self->parts->len;
  return (ProfileCodePart *)(gpointer)self->parts->data;
}
