/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/disassembler.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "helpers/program-path.h"
#include "profile/capture/capture-private.h"
#include "profile/naming/code-file.h"
#include "profile/naming/elf-reader.h"
#include "profile/naming/kernel-namer.h"
#include "profile/naming/naming-private.h"

typedef struct {
  ProfileCapture *capture;
  ProfileNamer namer;
  ProfileElfReader *reader; /* NULL: its program is not there */
  ProfileCodeFile *file;    /* of all parts, once it was looked for; NULL: not here */
  gboolean has_looked;
} Disassembler;

static ProfileElfReader *disassembler_find_reader(void)
{
  static const struct program_path place =
      PROGRAM_PATH("CAPTURE_CODE_READER", "elf-reader", "capture-code-reader", PROFILE_LIBEXECDIR);
  char *program = program_path_find(&place, X_OK, NULL);
  ProfileElfReader *reader = program ? profile_elf_reader_new(program) : NULL;

  free(program);
  return reader;
}

/* All machine code of a function that is in files is in one. */
static const ProfileCodeFile *disassembler_get_file(Disassembler *self, guint32 binary)
{
  if (!self->has_looked && binary == G_MAXUINT32)
    self->file = profile_code_file_new_for_kernel(&self->namer, PROFILE_CODE_FILE_KERNEL);
  else if (!self->has_looked)
    self->file =
        profile_code_file_new(&self->namer, &g_array_index(self->capture->binaries, ProfileBinary, binary));
  self->has_looked = TRUE;
  return self->file;
}

/* From the file that is here. */
static ProfileCodeStatus read_part(Disassembler *self, const ProfileCodePart *part, ProfileCodeCopy *ret)
{
  const ProfileCodeFile *file = disassembler_get_file(self, part->binary);

  ret->bytes = file ? profile_code_file_read(file, part->start, part->end) : NULL;
  if (!ret->bytes)
    return part->binary == G_MAXUINT32 ? PROFILE_CODE_NO_KERNEL : PROFILE_CODE_NO_FILE;
  ret->address = profile_code_file_get_address(file, part->start);
  ret->machine = profile_code_file_get_machine(file);
  return PROFILE_CODE_DECODED;
}

/* From the capture's copy; false when that does not have all of it. */
static gboolean copy_part(const Disassembler *self, const ProfileCodePart *part, ProfileCodeCopy *ret)
{
  const ProfileMachineCode *code = profile_capture_get_machine_code(self->capture, part->binary);
  const ProfileCodeCopy *copy = code ? profile_machine_code_lookup(code, part->start) : NULL;
  guint64 before = copy ? part->start - copy->start : 0;

  if (!copy || copy->end < part->end)
    return FALSE;
  ret->bytes = g_bytes_new_from_bytes(copy->bytes, before, part->end - part->start);
  ret->address = copy->address + before;
  ret->machine = copy->machine;
  return TRUE;
}

static ProfileCodeStatus get_told(const Disassembler *self, const ProfileCodePart *part, ProfileCodeCopy *ret)
{
  const ProfileCode *code = &g_array_index(self->capture->code, ProfileCode, part->code);

  if (!code->bytes)
    return PROFILE_CODE_NOT_TOLD;
  ret->bytes = g_bytes_ref(code->bytes);
  ret->address = code->start;
  ret->machine = code->machine;
  return PROFILE_CODE_DECODED;
}

static ProfileCodeStatus find_bytes(Disassembler *self, const ProfileCodePart *part, ProfileCodeCopy *ret)
{
  if (part->end - part->start > CODE_BYTES_MAX)
    return PROFILE_CODE_TOO_LARGE;
  if (part->code != G_MAXUINT32)
    return get_told(self, part, ret);
  return copy_part(self, part, ret) ? PROFILE_CODE_DECODED : read_part(self, part, ret);
}

/* A file of them, which the process that decodes can be handed; -1 when there is no memory. */
static int make_file(GBytes *bytes)
{
  int fd = memfd_create("capture-code", MFD_CLOEXEC);
  gsize size, at = 0;
  const guint8 *data = g_bytes_get_data(bytes, &size);
  gssize n = 0;

  for (; fd >= 0 && at < size && n >= 0; at += (gsize)MAX(n, 0))
    n = write(fd, data + at, size - at);
  if (fd >= 0 && at < size)
    close(fd);
  return at == size ? fd : -1;
}

static ProfileCodeStatus decode_bytes(const Disassembler *self, const ProfileCodeCopy *copy,
                                      struct code_instructions **ret)
{
  const struct elf_reader_code code = {.address = copy->address,
                                       .machine = copy->machine <= G_MAXUINT16 ? copy->machine : EM_NONE};
  int fd = self->reader ? make_file(copy->bytes) : -1, result;

  if (!self->reader)
    return PROFILE_CODE_NO_READER;
  if (fd < 0)
    return PROFILE_CODE_FAILED;
  result = profile_elf_reader_disassemble(self->reader, fd, &code, self->namer.cancellable, ret);
  close(fd);
  return result == 0 ? PROFILE_CODE_DECODED : PROFILE_CODE_FAILED;
}

static gint target_compare(gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;

  return x < y ? -1 : x > y;
}

/* Where a part calls and jumps to outside of itself, as frames have it. */
static void add_targets(const ProfileCodePart *part, GArray *targets)
{
  const struct code_instruction *instructions = code_instructions_get(part->instructions);

  for (guint32 i = 0; i < part->instructions->n_instructions; i++) {
    guint64 target = instructions[i].target - part->instructions->address + part->start;
    if (instructions[i].target != 0 && (target < part->start || target >= part->end))
      g_array_append_val(targets, target);
  }
}

/* Ascending; of what is in files. */
static GArray *list_targets(const ProfileCodePart *parts, guint n)
{
  GArray *targets = g_array_new(FALSE, FALSE, sizeof(guint64));

  for (guint i = 0; i < n; i++)
    if (parts[i].instructions && parts[i].code == G_MAXUINT32)
      add_targets(&parts[i], targets);
  g_array_sort(targets, target_compare);
  return targets;
}

/* The capture names only what was sampled. Once for all parts: it takes all symbols of the file. */
static void name_targets(const Disassembler *self, ProfileCodePart *parts, guint n)
{
  g_autoptr(GArray) targets = list_targets(parts, n);
  const guint64 *addresses = (const guint64 *)(gconstpointer)targets->data;
  g_autoptr(ProfileFunctionTable) table = NULL;

  if (targets->len == 0)
    return;
  if (parts->binary == G_MAXUINT32)
    table = profile_kernel_name(self->capture, addresses, targets->len, TRUE);
  else
    table = profile_namer_name_binary(&self->namer,
                                      &g_array_index(self->capture->binaries, ProfileBinary, parts->binary),
                                      addresses, targets->len, NULL, NULL, NULL);
  for (guint i = 0; i < n; i++)
    parts[i].targets = profile_function_table_ref(table);
}

static void decode_part(Disassembler *self, ProfileCodePart *part)
{
  ProfileCodeCopy copy = {0};

  part->status = find_bytes(self, part, &copy);
  if (part->status == PROFILE_CODE_DECODED)
    part->status = decode_bytes(self, &copy, &part->instructions);
  g_clear_pointer(&copy.bytes, g_bytes_unref);
}

ProfileFunctionCode *profile_disassembler_decode(ProfileCapture *capture, guint32 function,
                                                 GCancellable *cancellable, GError **error)
{
  g_autoptr(ProfileFunctionCode) code = profile_function_code_new(capture, function);
  Disassembler self = {.capture = capture,
                       .namer = profile_naming_make_namer(capture, NULL, cancellable),
                       .reader = disassembler_find_reader()};
  guint n;
  ProfileCodePart *parts = profile_function_code_get_parts(code, &n);

  for (guint i = 0; i < n && !g_cancellable_is_cancelled(cancellable); i++)
    decode_part(&self, &parts[i]);
  if (!g_cancellable_is_cancelled(cancellable))
    name_targets(&self, parts, n);
  g_clear_pointer(&self.reader, profile_elf_reader_free);
  g_clear_pointer(&self.file, profile_code_file_free);
  return g_cancellable_set_error_if_cancelled(cancellable, error) ? NULL : g_steal_pointer(&code);
}
