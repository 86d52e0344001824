/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/kernel-namer.h"

#include <string.h>

#include "helpers/kernel.h"
#include "profile/base/demangle.h"
#include "profile/base/memory.h"
#include "profile/capture/code-index.h"
#include "profile/elf/kallsyms.h"

static gboolean get_boot_id(guint8 ret[16])
{
  g_autofree char *text = NULL;
  guint digits = 0;

  memset(ret, 0, 16);
  if (!g_file_get_contents("/proc/sys/kernel/random/boot_id", &text, NULL, NULL))
    return FALSE;
  for (const char *c = text; *c && digits < 32; c++)
    if (g_ascii_isxdigit(*c)) {
      ret[digits / 2] = (guint8)(ret[digits / 2] << 4 | g_ascii_xdigit_value(*c));
      digits++;
    }
  return digits == 32;
}

/* Importers give a capture a boot only where they know that it was this one. */
gboolean profile_kernel_is_same_boot(ProfileCapture *capture)
{
  struct capture_file_header header;
  guint8 boot_id[16];

  profile_capture_get_header(capture, &header);
  return get_boot_id(boot_id) && memcmp(header.boot_id, boot_id, sizeof boot_id) == 0;
}

gboolean profile_kernel_has_build_id(const guint8 *build_id, gsize size)
{
  guint8 running[CAPTURE_BUILD_ID_MAX];

  return size > 0 && kernel_read_build_id(running, sizeof running) == size &&
         memcmp(running, build_id, size) == 0;
}

static gboolean is_in_place(const ProfileKallsyms *kallsyms, const ProfileBinary *binary)
{
  guint64 text;

  return profile_kallsyms_is_hidden(kallsyms) ||
         (profile_kallsyms_find(kallsyms, "_text", &text) && text == binary->mapped_start) ||
         (profile_kallsyms_find(kallsyms, "_stext", &text) && text == binary->mapped_start);
}

const ProfileBinary *profile_kernel_get_binary(ProfileCapture *capture)
{
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);

  for (guint i = 0; i < n; i++)
    if (binaries[i].flags & CAPTURE_BINARY_KERNEL && binaries[i].build_id_size > 0)
      return &binaries[i];
  return NULL;
}

/* Of another boot, which an import does not know, its modules may lie elsewhere. */
static gboolean is_recorded_kernel(ProfileCapture *capture, const ProfileKallsyms *kallsyms)
{
  static const guint8 no_boot[16];
  const ProfileBinary *binary = profile_kernel_get_binary(capture);
  struct capture_file_header header;

  profile_capture_get_header(capture, &header);
  if (profile_kernel_is_same_boot(capture))
    return TRUE;
  return memcmp(header.boot_id, no_boot, sizeof no_boot) == 0 && binary &&
         profile_kernel_has_build_id(binary->build_id, binary->build_id_size) &&
         is_in_place(kallsyms, binary);
}

/* What the capture says itself of the kernel's addresses. */
typedef struct {
  const ProfileKernelSymbol *symbols;
  ProfileCode *code; /* the same, to be looked up as code of one process and one time */
  ProfileCodeIndex *index;
} Recorded;

static void make_recorded(Recorded *self, ProfileCapture *capture)
{
  gsize n;

  self->symbols = profile_capture_get_kernel_symbols(capture, &n);
  self->code = profile_new0(ProfileCode, n);
  for (gsize i = 0; i < n; i++) {
    self->code[i].start = self->symbols[i].address;
    self->code[i].length = self->symbols[i].length;
    self->code[i].name = self->symbols[i].name;
  }
  self->index = profile_code_index_new(self->code, n);
}

static void clear_recorded(Recorded *self)
{
  profile_code_index_free(self->index);
  g_free(self->code);
}

/* The latest that holds address. */
static const ProfileKernelSymbol *find_recorded(const Recorded *self, guint64 address)
{
  guint64 from = 0, until = G_MAXUINT64;
  const ProfileCode *code =
      profile_code_index_find(self->index, PROFILE_CODE_TOLD, 0, address, 0, &from, &until);

  return code ? &self->symbols[code - self->code] : NULL;
}

static guint64 add_recorded(ProfileFunctionTable *table, const ProfileKernelSymbol *symbol)
{
  g_autofree char *name = profile_demangle(symbol->name);
  ProfileFunctionRange range = {.start = symbol->address,
                                .end = symbol->address + symbol->length,
                                .name = name ? name : symbol->name,
                                .linkage_name = symbol->name};

  if (g_str_has_prefix(symbol->name, "bpf_prog_"))
    range.module = "bpf";
  profile_function_table_add(table, &range);
  return range.end;
}

static guint64 add_listed(ProfileFunctionTable *table, const ProfileKallsym *symbol)
{
  g_autofree char *linkage_name = g_strndup(symbol->name, symbol->name_length);
  g_autofree char *name = profile_demangle(linkage_name);
  g_autofree char *module = symbol->module ? g_strndup(symbol->module, symbol->module_length) : NULL;
  ProfileFunctionRange range = {.start = symbol->start,
                                .end = symbol->end,
                                .name = name ? name : linkage_name,
                                .linkage_name = linkage_name,
                                .module = module};

  profile_function_table_add(table, &range);
  return range.end;
}

static void add_hits(ProfileFunctionTable *table, ProfileCapture *capture, const ProfileKallsyms *kallsyms,
                     const guint64 *addresses, gsize n)
{
  guint64 end = 0;
  Recorded all;

  make_recorded(&all, capture);
  for (gsize i = 0; i < n; i++) {
    const ProfileKernelSymbol *recorded;
    ProfileKallsym listed;

    if (addresses[i] < end)
      continue;
    recorded = find_recorded(&all, addresses[i]);
    if (recorded)
      end = add_recorded(table, recorded);
    else if (kallsyms && profile_kallsyms_lookup(kallsyms, addresses[i], &listed))
      end = add_listed(table, &listed);
  }
  clear_recorded(&all);
}

ProfileFunctionTable *profile_kernel_name(ProfileCapture *capture, const guint64 *addresses, gsize n,
                                          gboolean use_cache)
{
  g_autoptr(ProfileKallsyms) kallsyms = profile_kallsyms_new_running(use_cache, NULL);
  enum capture_naming status = CAPTURE_NAMING_SYMBOLS;
  ProfileFunctionTable *table;

  if (kallsyms && !is_recorded_kernel(capture, kallsyms))
    g_clear_pointer(&kallsyms, profile_kallsyms_free);
  if (!kallsyms)
    status = CAPTURE_NAMING_UNREADABLE;
  else if (profile_kallsyms_is_hidden(kallsyms))
    status = CAPTURE_NAMING_HIDDEN;
  table = profile_function_table_new(status);
  add_hits(table, capture, kallsyms, addresses, n);
  profile_function_table_seal(table);
  return table;
}
