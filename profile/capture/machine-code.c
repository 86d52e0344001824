/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/machine-code.h"

struct _ProfileMachineCode {
  gatomicrefcount references;
  GArray *copies; /* ProfileCodeCopy */
  gboolean sealed;
};

static void clear_copy(gpointer data)
{
  g_bytes_unref(((ProfileCodeCopy *)data)->bytes);
}

ProfileMachineCode *profile_machine_code_new(void)
{
  ProfileMachineCode *self = g_new0(ProfileMachineCode, 1);

  g_atomic_ref_count_init(&self->references);
  self->copies = g_array_new(FALSE, FALSE, sizeof(ProfileCodeCopy));
  g_array_set_clear_func(self->copies, clear_copy);
  return self;
}

ProfileMachineCode *profile_machine_code_ref(ProfileMachineCode *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_machine_code_unref(ProfileMachineCode *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  g_array_unref(self->copies);
  g_free(self);
}

void profile_machine_code_add(ProfileMachineCode *self, guint64 start, guint64 address, guint32 machine,
                              GBytes *bytes)
{
  gsize length = g_bytes_get_size(bytes);
  ProfileCodeCopy copy = {.start = start, .end = start + length, .address = address, .machine = machine};

  g_return_if_fail(!self->sealed);

  if (length == 0 || copy.end < start || address > G_MAXUINT64 - length)
    return;
  copy.bytes = g_bytes_ref(bytes);
  g_array_append_val(self->copies, copy);
}

/* Sorting is stable. */
static gint machine_code_compare(gconstpointer a, gconstpointer b)
{
  const ProfileCodeCopy *left = a, *right = b;

  return left->start < right->start ? -1 : left->start > right->start;
}

void profile_machine_code_seal(ProfileMachineCode *self)
{
  ProfileCodeCopy *copies = (ProfileCodeCopy *)(gpointer)self->copies->data, left_out;
  guint n = 0;

  g_return_if_fail(!self->sealed);

  g_array_sort(self->copies, machine_code_compare);
  for (guint i = 0; i < self->copies->len; i++) {
    if (n > 0 && copies[n - 1].start == copies[i].start)
      n--;
    else if (n > 0)
      copies[n - 1].end = MIN(copies[n - 1].end, copies[i].start);
    left_out = copies[n]; /* which goes behind the others, and is freed there */
    copies[n++] = copies[i];
    copies[i] = left_out;
  }
  g_array_set_size(self->copies, n);
  self->sealed = TRUE;
}

static void machine_code_take(ProfileMachineCode *self, const ProfileMachineCode *from)
{
  for (guint i = 0; i < from->copies->len; i++) {
    const ProfileCodeCopy *copy = &g_array_index(from->copies, ProfileCodeCopy, i);
    g_autoptr(GBytes) bytes = g_bytes_new_from_bytes(copy->bytes, 0, copy->end - copy->start);

    profile_machine_code_add(self, copy->start, copy->address, copy->machine, bytes);
  }
}

ProfileMachineCode *profile_machine_code_join(const ProfileMachineCode *old, const ProfileMachineCode *code)
{
  ProfileMachineCode *both = profile_machine_code_new();

  machine_code_take(both, old);
  machine_code_take(both, code);
  profile_machine_code_seal(both);
  return both;
}

const ProfileCodeCopy *profile_machine_code_get(const ProfileMachineCode *self, gsize *n)
{
  *n = self->copies->len;
  return (const ProfileCodeCopy *)(gconstpointer)self->copies->data;
}

const ProfileCodeCopy *profile_machine_code_lookup(const ProfileMachineCode *self, guint64 offset)
{
  const ProfileCodeCopy *copies = (const ProfileCodeCopy *)(gconstpointer)self->copies->data;
  guint low = 0, high = self->copies->len;

  g_return_val_if_fail(self->sealed, NULL);

  while (low < high) {
    guint middle = low + (high - low) / 2;

    if (copies[middle].end <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < self->copies->len && copies[low].start <= offset ? &copies[low] : NULL;
}
