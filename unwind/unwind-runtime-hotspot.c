/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HotSpot, by what it exports for debuggers: arrays that name the members of its structures and say where
 * static ones stand, and the sizes of types. Their pointers are relocated, so in the file they are addends.
 * Offsets of members are not in the file: from 17 on they are written when the library is loaded. */
#include <string.h>

#include "unwind/unwind-runtime-private.h"

/* A VMStructEntry: type, member, the member's type, whether it is static (an int), offset, address. */
#define ENTRY_TYPE    0
#define ENTRY_MEMBER  8
#define ENTRY_STATIC  24
#define ENTRY_ADDRESS 40
#define ENTRY_SIZE    UNWIND_HOTSPOT_ENTRY_SIZE
/* A VMTypeEntry: name, that of what it extends, three ints, size. */
#define TYPE_LENGTH 32
#define TYPE_SIZE   40

#define ENTRIES_MAX 8192
#define TEXT_MAX    64

#define FIRST_VERSION  11
#define LATEST_VERSION 25
/* From here on an nmethod's parts are found by offsets, and its description lies apart. */
#define VERSION_OFFSETS 23
/* From here on its metadata do, too. */
#define VERSION_APART 25

struct reader {
  const struct unwind_elf *elf;
  struct unwind_bytes relocations; /* Elf64_Rela, those without a symbol first, ascending */
};

/* Which member a field is; of two for one field, versions have one. */
struct member {
  uint8_t field; /* enum unwind_hotspot_field */
  const char *type;
  const char *member;
};

static const struct member members[] = {
    {UNWIND_HOTSPOT_ARRAY_LENGTH, "GrowableArrayBase", "_len"},
    {UNWIND_HOTSPOT_ARRAY_LENGTH, "GenericGrowableArray", "_len"},
    {UNWIND_HOTSPOT_ARRAY_DATA, "GrowableArray<int>", "_data"},
    {UNWIND_HOTSPOT_HEAP_MEMORY, "CodeHeap", "_memory"},
    {UNWIND_HOTSPOT_HEAP_SEGMENTS, "CodeHeap", "_segmap"},
    {UNWIND_HOTSPOT_HEAP_SHIFT, "CodeHeap", "_log2_segment_size"},
    {UNWIND_HOTSPOT_SPACE_LOW, "VirtualSpace", "_low_boundary"},
    {UNWIND_HOTSPOT_SPACE_HIGH, "VirtualSpace", "_high_boundary"},
    {UNWIND_HOTSPOT_BLOCK_USED, "HeapBlock::Header", "_used"},
    {UNWIND_HOTSPOT_BLOB_NAME, "CodeBlob", "_name"},
    {UNWIND_HOTSPOT_BLOB_SIZE, "CodeBlob", "_size"},
    {UNWIND_HOTSPOT_BLOB_FRAME_SIZE, "CodeBlob", "_frame_size"},
    {UNWIND_HOTSPOT_BLOB_CODE, "CodeBlob", "_code_begin"},
    {UNWIND_HOTSPOT_BLOB_CODE, "CodeBlob", "_code_offset"},
    {UNWIND_HOTSPOT_BLOB_DATA, "CodeBlob", "_data_offset"},
    {UNWIND_HOTSPOT_BLOB_APART, "CodeBlob", "_mutable_data"},
    {UNWIND_HOTSPOT_BLOB_RELOCATIONS, "CodeBlob", "_relocation_size"},
    {UNWIND_HOTSPOT_NMETHOD_METHOD, "CompiledMethod", "_method"},
    {UNWIND_HOTSPOT_NMETHOD_METHOD, "nmethod", "_method"},
    {UNWIND_HOTSPOT_NMETHOD_ENTRY, "nmethod", "_verified_entry_point"},
    {UNWIND_HOTSPOT_NMETHOD_ENTRY, "nmethod", "_verified_entry_offset"},
    {UNWIND_HOTSPOT_NMETHOD_COMPILE, "nmethod", "_compile_id"},
    {UNWIND_HOTSPOT_NMETHOD_DEOPT, "CompiledMethod", "_deopt_handler_begin"},
    {UNWIND_HOTSPOT_NMETHOD_DEOPT, "nmethod", "_deopt_handler_offset"},
    {UNWIND_HOTSPOT_NMETHOD_ORIGINAL, "nmethod", "_orig_pc_offset"},
    {UNWIND_HOTSPOT_NMETHOD_METADATA, "nmethod", "_metadata_offset"},
    {UNWIND_HOTSPOT_NMETHOD_FIXED, "nmethod", "_immutable_data"},
    {UNWIND_HOTSPOT_NMETHOD_SCOPES, "CompiledMethod", "_scopes_data_begin"},
    {UNWIND_HOTSPOT_NMETHOD_SCOPES, "nmethod", "_scopes_data_offset"},
    {UNWIND_HOTSPOT_NMETHOD_PLACES, "nmethod", "_scopes_pcs_offset"},
    {UNWIND_HOTSPOT_NMETHOD_PLACES_END, "nmethod", "_dependencies_offset"},
    {UNWIND_HOTSPOT_METHOD_CONST, "Method", "_constMethod"},
    {UNWIND_HOTSPOT_CONST_POOL, "ConstMethod", "_constants"},
    {UNWIND_HOTSPOT_CONST_SIZE, "ConstMethod", "_constMethod_size"},
    {UNWIND_HOTSPOT_CONST_FLAGS, "ConstMethod", "_flags"},
    {UNWIND_HOTSPOT_CONST_FLAGS, "ConstMethod", "_flags._flags"},
    {UNWIND_HOTSPOT_CONST_CODE_SIZE, "ConstMethod", "_code_size"},
    {UNWIND_HOTSPOT_CONST_NAME, "ConstMethod", "_name_index"},
    {UNWIND_HOTSPOT_POOL_HOLDER, "ConstantPool", "_pool_holder"},
    {UNWIND_HOTSPOT_POOL_FILE, "ConstantPool", "_source_file_name_index"},
    {UNWIND_HOTSPOT_CLASS_FILE, "InstanceKlass", "_source_file_name_index"},
    {UNWIND_HOTSPOT_CLASS_NAME, "Klass", "_name"},
    {UNWIND_HOTSPOT_TEXT_LENGTH, "Symbol", "_length"},
    {UNWIND_HOTSPOT_TEXT, "Symbol", "_body"},
};

static const struct member sizes[] = {
    {UNWIND_HOTSPOT_BLOCK_SIZE, "HeapBlock", NULL},
    {UNWIND_HOTSPOT_CONST_CODE, "ConstMethod", NULL},
    {UNWIND_HOTSPOT_POOL_ITEMS, "ConstantPool", NULL},
    {UNWIND_HOTSPOT_CONTINUATION, "ContinuationEntry", NULL},
};

/* A member that is static: its address. */
struct place {
  const char *type;
  const char *member;
  size_t to; /* in struct unwind_runtime */
};

static const struct place places[] = {
    {"CodeCache", "_heaps", offsetof(struct unwind_runtime, address)},
    {"CodeCache", "_low_bound", offsetof(struct unwind_runtime, code_start)},
    {"CodeCache", "_high_bound", offsetof(struct unwind_runtime, code_end)},
    {"StubRoutines", "_call_stub_return_address", offsetof(struct unwind_runtime, type)},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool is_relative(const struct reader *reader, uint64_t i, Elf64_Rela *ret)
{
  memcpy(ret, reader->relocations.bytes + i * sizeof *ret, sizeof *ret);
  return ELF64_R_SYM(ret->r_info) == 0;
}

/* A pointer of the file's, as an address in the file: its relocation's addend, or what stands there. */
static uint64_t read_pointer(const struct reader *reader, uint64_t address)
{
  uint64_t low = 0, high = reader->relocations.size / sizeof(Elf64_Rela), value = 0;
  Elf64_Rela relocation;

  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (!is_relative(reader, middle, &relocation) || relocation.r_offset > address)
      high = middle;
    else if (relocation.r_offset < address)
      low = middle + 1;
    else
      return (uint64_t)relocation.r_addend;
  }
  return unwind_runtime_read(reader->elf, address, &value, sizeof value) ? value : 0;
}

/* Whether the pointer at that address leads to this text. */
static bool is_text(const struct reader *reader, uint64_t address, const char *text)
{
  char found[TEXT_MAX];
  size_t size = strlen(text) + 1;

  return size <= sizeof found && unwind_runtime_read(reader->elf, address, found, size) &&
         memcmp(found, text, size) == 0;
}

/* Texts of an entry, by their addresses. */
struct named {
  uint64_t type;
  uint64_t member;
};

static bool is_named(const struct reader *reader, const struct named *named, const char *type,
                     const char *member)
{
  return is_text(reader, named->member, member) && is_text(reader, named->type, type);
}

static void set_place(const struct reader *reader, const struct named *named, uint64_t address,
                      struct unwind_runtime *runtime)
{
  for (size_t i = 0; i < COUNT(places); i++)
    if (is_named(reader, named, places[i].type, places[i].member))
      memcpy((char *)runtime + places[i].to, &address, sizeof address);
  if (is_named(reader, named, "Abstract_VM_Version", "_vm_major_version"))
    unwind_runtime_read(reader->elf, address, &runtime->version, sizeof runtime->version);
}

static void set_field(const struct reader *reader, const struct named *named, uint32_t entry,
                      struct unwind_runtime *runtime)
{
  for (size_t i = 0; i < COUNT(members); i++)
    if (runtime->fields[members[i].field] == 0 && is_named(reader, named, members[i].type, members[i].member))
      runtime->fields[members[i].field] = (uint16_t)(entry + 1);
}

static void read_members(const struct reader *reader, uint64_t array, struct unwind_runtime *runtime)
{
  runtime->names = array;
  for (uint32_t i = 0; i < ENTRIES_MAX; i++, array += ENTRY_SIZE) {
    struct named named = {read_pointer(reader, array + ENTRY_TYPE),
                          read_pointer(reader, array + ENTRY_MEMBER)};
    uint32_t is_static;
    if (named.type == 0 || named.member == 0 ||
        !unwind_runtime_read(reader->elf, array + ENTRY_STATIC, &is_static, sizeof is_static))
      break;
    if (is_static != 0)
      set_place(reader, &named, read_pointer(reader, array + ENTRY_ADDRESS), runtime);
    else
      set_field(reader, &named, i, runtime);
  }
}

static void read_sizes(const struct reader *reader, uint64_t array, struct unwind_runtime *runtime)
{
  for (uint32_t i = 0; i < ENTRIES_MAX; i++, array += TYPE_SIZE) {
    uint64_t name = read_pointer(reader, array), size;
    if (name == 0 || !unwind_runtime_read(reader->elf, array + TYPE_LENGTH, &size, sizeof size))
      break;
    for (size_t k = 0; k < COUNT(sizes); k++)
      if (size <= UINT16_MAX && is_text(reader, name, sizes[k].type))
        runtime->fields[sizes[k].field] = (uint16_t)size;
  }
}

/* Whether a version may be without a field. */
static bool is_optional(uint32_t version, uint32_t field)
{
  switch (field) {
  case UNWIND_HOTSPOT_BLOB_APART:
  case UNWIND_HOTSPOT_BLOB_RELOCATIONS:
    return version < VERSION_APART;
  case UNWIND_HOTSPOT_NMETHOD_METADATA:
    return version >= VERSION_APART;
  case UNWIND_HOTSPOT_NMETHOD_FIXED:
    return version < VERSION_OFFSETS;
  case UNWIND_HOTSPOT_NMETHOD_PLACES_END:
    return version >= VERSION_OFFSETS;
  case UNWIND_HOTSPOT_POOL_FILE:
  case UNWIND_HOTSPOT_CLASS_FILE:
  case UNWIND_HOTSPOT_CONTINUATION:
    return true;
  default:
    return false;
  }
}

static bool is_understood(const struct unwind_runtime *runtime)
{
  for (uint32_t i = 0; i < UNWIND_HOTSPOT_FIELDS; i++)
    if (runtime->fields[i] == 0 && !is_optional(runtime->version, i))
      return false;
  return runtime->version >= FIRST_VERSION && runtime->version <= LATEST_VERSION && runtime->address != 0 &&
         runtime->type != 0 && runtime->code_start != 0 && runtime->code_end != 0;
}

bool unwind_runtime_find_hotspot(const struct unwind_elf *elf, struct unwind_runtime *ret)
{
  struct reader reader = {.elf = elf};
  Elf64_Sym structures, types;
  Elf64_Shdr section;

  if (elf->machine != EM_X86_64 || !unwind_runtime_find_symbol(elf, "gHotSpotVMStructs", &structures) ||
      !unwind_runtime_find_symbol(elf, "gHotSpotVMTypes", &types))
    return false;
  if (unwind_elf_find_section(elf, ".rela.dyn", &section))
    unwind_elf_section_bytes(elf, &section, &reader.relocations);
  ret->kind = UNWIND_RUNTIME_HOTSPOT;
  read_members(&reader, read_pointer(&reader, structures.st_value), ret);
  read_sizes(&reader, read_pointer(&reader, types.st_value), ret);
  return is_understood(ret);
}
