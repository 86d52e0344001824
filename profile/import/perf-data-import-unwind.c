/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user stacks of a recording with --call-graph dwarf: perf stored registers and a piece of each stack,
 * and leaves walking to whoever reads the file. */
#include "profile/base/bytes.h"
#include "profile/import/perf-data-import-private.h"
#include "profile/naming/binary-file.h"

static guint32 get_machine(const ProfilePerfImport *self)
{
  const char *architecture = profile_perf_data_get_facts(self->data)->architecture;

#ifdef __aarch64__
  return g_strcmp0(architecture, "x86_64") == 0 ? WALK_X86_64 : WALK_AARCH64;
#else
  return g_strcmp0(architecture, "aarch64") == 0 ? WALK_AARCH64 : WALK_X86_64;
#endif
}

static ProfileUnwinderFile open_binary(guint32 index, ProfileDebugFile *ret, gpointer data)
{
  const ProfilePerfImport *self = data;
  const ProfilePerfBinary *binary = self->import.binaries->pdata[index];
  const ProfileNamer namer = {.same_boot = self->same_boot};
  ProfileBinary wanted = {.path = binary->path,
                          .device = binary->device,
                          .inode = binary->inode,
                          .mapped_start = binary->mapped_start,
                          .mapped_end = binary->mapped_end,
                          .mapped_pid = binary->mapped_pid,
                          .flags = binary->flags,
                          .build_id_size = binary->build_id_size};

  if (binary->flags & CAPTURE_BINARY_SPECIAL)
    return PROFILE_UNWINDER_NO_FILE;
  memcpy(wanted.build_id, binary->build_id, sizeof wanted.build_id);
  switch (profile_binary_file_open(&namer, &wanted, ret)) {
  case PROFILE_BINARY_FILE_OPEN:
    return PROFILE_UNWINDER_FILE;
  case PROFILE_BINARY_FILE_NOT_ELF:
    return PROFILE_UNWINDER_NO_FILE;
  default:
    return PROFILE_UNWINDER_MISSING;
  }
}

gboolean profile_perf_import_has_user_stack(const ProfilePerfRecord *record, const ProfilePerfSample *sample)
{
  return (record->event->attr.sample_type & PERF_SAMPLE_STACK_USER) &&
         sample->registers_abi != PERF_SAMPLE_REGS_ABI_NONE;
}

static gboolean read_sample(const ProfilePerfRecord *record, const ProfilePerfSample *sample, guint32 machine,
                            ProfileUnwinderSample *ret)
{
  guint64 values[64];

  for (guint i = 0; i < sample->n_registers; i++)
    values[i] = profile_bytes_load_64(sample->registers + 8 * (gsize)i);
  if (sample->registers_abi != PERF_SAMPLE_REGS_ABI_64 ||
      !unwind_registers_set_perf(&ret->registers, machine, sample->registers_mask, values))
    return FALSE;
  ret->in_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
  ret->is_cut = sample->stack_is_cut;
  ret->stack = (struct unwind_piece){
      .address = ret->registers.sp, .bytes = sample->stack, .size = sample->stack_length};
  return TRUE;
}

guint profile_perf_import_unwind(ProfilePerfImport *self, const ProfilePerfRecord *record,
                                 const ProfilePerfSample *sample, const ProfilePerfProcess *process,
                                 guint64 frames[WALK_FRAMES_MAX], guint8 *ret_outcome)
{
  const ProfileUnwinderProcess walked = {.maps = process->maps, .version = process->version};
  guint32 machine = get_machine(self);
  ProfileUnwinderSample copied;
  enum walk_end end;
  guint n;

  *ret_outcome = CAPTURE_OUTCOME_UNSUPPORTED;
  if (!read_sample(record, sample, machine, &copied))
    return 0;
  if (!self->unwinder)
    self->unwinder = profile_unwinder_new(machine, open_binary, self);
  if (!self->unwinder)
    return 0;
  n = profile_unwinder_walk(self->unwinder, &walked, &copied, frames, WALK_FRAMES_MAX, &end);
  *ret_outcome = (guint8)end;
  return n;
}
