/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cfi-image.h"

#include <elf.h>
#include <string.h>

#include "rule-text.h"

struct cfi cfi_new(void)
{
  return (struct cfi){.bytes = g_byte_array_new()};
}

struct cfi cfi_new_debug(void)
{
  return (struct cfi){.bytes = g_byte_array_new(), .debug = true};
}

void cfi_clear(struct cfi *cfi)
{
  g_clear_pointer(&cfi->bytes, g_byte_array_unref);
}

void cfi_add(struct cfi *cfi, const void *bytes, size_t size)
{
  if (size > 0)
    g_byte_array_append(cfi->bytes, bytes, (guint)size);
}

uint32_t cfi_add_record(struct cfi *cfi, uint32_t id, const void *bytes, size_t size)
{
  uint32_t offset = cfi->bytes->len, padding = -(uint32_t)size & 3, length = (uint32_t)size + padding + 4;

  cfi_add(cfi, &length, sizeof length);
  cfi_add(cfi, &id, sizeof id);
  cfi_add(cfi, bytes, size);
  cfi_add(cfi, "\0\0\0", padding);
  return offset;
}

uint32_t cfi_add_cie(struct cfi *cfi)
{
  static const uint8_t eh[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1};
  static const uint8_t debug[] = {1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1};

  return cfi->debug ? cfi_add_record(cfi, UINT32_MAX, debug, sizeof debug)
                    : cfi_add_record(cfi, 0, eh, sizeof eh);
}

uint32_t cfi_add_cie_aarch64(struct cfi *cfi)
{
  static const uint8_t eh[] = {1, 'z', 'R', 0, 4, 0x78, 30, 1, 0x1b, 0x0c, 31, 0};

  return cfi_add_record(cfi, 0, eh, sizeof eh);
}

static void add_fde_debug(struct cfi *cfi, uint32_t cie, uint64_t start, uint64_t size, const void *program,
                          size_t program_size)
{
  g_autoptr(GByteArray) body = g_byte_array_new();
  uint64_t address = CODE_START + start;

  g_byte_array_append(body, (const guint8 *)&address, sizeof address);
  g_byte_array_append(body, (const guint8 *)&size, sizeof size);
  g_byte_array_append(body, program, (guint)program_size);
  cfi_add_record(cfi, cie, body->data, body->len);
}

void cfi_add_fde(struct cfi *cfi, uint32_t cie, uint64_t start, uint32_t size, const void *program,
                 size_t program_size)
{
  g_autoptr(GByteArray) body = g_byte_array_new();
  uint32_t here = cfi->bytes->len;
  uint32_t address = (uint32_t)(CODE_START + start - (FRAME_START + here + 8));

  if (cfi->debug) {
    add_fde_debug(cfi, cie, start, size, program, program_size);
    return;
  }
  g_byte_array_append(body, (const guint8 *)&address, sizeof address);
  g_byte_array_append(body, (const guint8 *)&size, sizeof size);
  g_byte_array_append(body, (const guint8 *)"", 1);
  g_byte_array_append(body, program, (guint)program_size);
  cfi_add_record(cfi, here + 4 - cie, body->data, body->len);
}

static int compare_entries(const void *a, const void *b)
{
  const int32_t *x = a, *y = b;

  return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* As a linker makes it of .eh_frame: version, encodings, pointer, count, pairs. */
static GByteArray *make_search_table(const struct cfi *cfi, uint32_t at)
{
  GByteArray *table = g_byte_array_new();
  g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, 2 * sizeof(int32_t));
  int32_t pointer = (int32_t)FRAME_START - (int32_t)(at + 4);
  uint32_t length, id;

  for (uint32_t offset = 0; offset + 16 <= cfi->bytes->len; offset += length + 4) {
    int32_t start, entry[2];

    memcpy(&length, cfi->bytes->data + offset, sizeof length);
    memcpy(&id, cfi->bytes->data + offset + 4, sizeof id);
    memcpy(&start, cfi->bytes->data + offset + 8, sizeof start);
    entry[0] = start + (int32_t)(FRAME_START + offset + 8) - (int32_t)at;
    entry[1] = (int32_t)(FRAME_START + offset) - (int32_t)at;
    if (length > 0 && id != 0)
      g_array_append_val(entries, entry);
  }
  qsort(entries->data, entries->len, 2 * sizeof(int32_t), compare_entries);
  g_byte_array_append(table, (const guint8 *)"\x01\x1b\x03\x3b", 4);
  g_byte_array_append(table, (const guint8 *)&pointer, sizeof pointer);
  g_byte_array_append(table, (const guint8 *)&entries->len, 4);
  g_byte_array_append(table, (const guint8 *)entries->data, entries->len * 8);
  return table;
}

static void add_programs(GByteArray *file, uint64_t size, uint64_t table_at, uint64_t table_size)
{
  Elf64_Phdr programs[3] = {{.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = size, .p_memsz = size},
                            {.p_type = PT_LOAD,
                             .p_flags = PF_R | PF_X,
                             .p_offset = CODE_OFFSET,
                             .p_vaddr = CODE_START,
                             .p_memsz = CODE_SIZE},
                            {.p_type = table_size > 0 ? PT_GNU_EH_FRAME : PT_NULL,
                             .p_offset = table_at,
                             .p_vaddr = table_at,
                             .p_filesz = table_size,
                             .p_memsz = table_size}};

  memcpy(file->data + sizeof(Elf64_Ehdr), programs, sizeof programs);
}

static void add_sections(GByteArray *file, const struct cfi *cfi, const struct cfi_elf *how)
{
  static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
  Elf64_Shdr sections[4] = {
      {0},
      {.sh_name = cfi->debug ? 11 : 1,
       .sh_type = how->section_type ? how->section_type : SHT_PROGBITS,
       .sh_flags = cfi->debug ? how->section_flags : SHF_ALLOC,
       .sh_addr = cfi->debug ? 0 : FRAME_START,
       .sh_offset = FRAME_START,
       .sh_size = cfi->bytes->len},
      {.sh_name = 24, .sh_type = SHT_STRTAB, .sh_offset = file->len, .sh_size = sizeof names},
      {.sh_name = sizeof names, .sh_type = SHT_PROGBITS, .sh_addr = CODE_START, .sh_size = 4 * how->n_code}};
  Elf64_Ehdr *header;

  g_byte_array_append(file, (const guint8 *)names, sizeof names);
  if (how->section) {
    g_byte_array_append(file, (const guint8 *)how->section, (guint)strlen(how->section) + 1);
    sections[2].sh_size = file->len - sections[2].sh_offset;
    sections[3].sh_offset = file->len;
    g_byte_array_append(file, (const guint8 *)how->code, 4 * how->n_code);
  }
  g_byte_array_set_size(file, (file->len + 7) & ~7u);
  header = (Elf64_Ehdr *)file->data;
  header->e_shoff = file->len;
  header->e_shnum = how->section ? 4 : 3;
  header->e_shstrndx = 2;
  g_byte_array_append(file, (const guint8 *)sections, header->e_shnum * (guint)sizeof *sections);
}

GBytes *cfi_to_elf(const struct cfi *cfi, const struct cfi_elf *how)
{
  GByteArray *file = g_byte_array_new();
  Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_DYN,
                       .e_machine = how->machine ? how->machine : EM_X86_64,
                       .e_version = EV_CURRENT,
                       .e_entry = how->entry,
                       .e_phoff = sizeof header,
                       .e_ehsize = sizeof header,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 3,
                       .e_shentsize = sizeof(Elf64_Shdr)};
  uint32_t table_at;

  g_byte_array_set_size(file, FRAME_START);
  memset(file->data, 0, file->len);
  memcpy(file->data, &header, sizeof header);
  g_byte_array_append(file, cfi->bytes->data, cfi->bytes->len);
  g_byte_array_set_size(file, (file->len + 7) & ~7u);
  table_at = file->len;
  if (how->search_table) {
    g_autoptr(GByteArray) table = make_search_table(cfi, table_at);

    g_byte_array_append(file, table->data, table->len);
  }
  add_programs(file, file->len, table_at, file->len - table_at);
  if (!how->stripped)
    add_sections(file, cfi, how);
  return g_byte_array_free_to_bytes(file);
}

int cfi_try_compile(const struct cfi *cfi, const struct cfi_elf *how, struct unwind_image *ret)
{
  g_autoptr(GBytes) elf = cfi_to_elf(cfi, how);
  size_t size;
  const void *bytes = g_bytes_get_data(elf, &size);

  return unwind_compile(bytes, size, ret);
}

struct unwind_image cfi_compile(const struct cfi *cfi, const struct cfi_elf *how)
{
  struct unwind_image image = {0};

  g_assert_cmpint(cfi_try_compile(cfi, how, &image), ==, 0);
  g_assert_true(unwind_table_is_valid(image.table, image.table->size, true));
  return image;
}

struct unwind_image cfi_finish(struct cfi *cfi, const struct cfi_elf *how)
{
  struct unwind_image image = cfi_compile(cfi, how);

  cfi_clear(cfi);
  return image;
}

const struct unwind_rule *cfi_find(const struct unwind_image *image, uint64_t place)
{
  return unwind_table_find(image->table, CODE_START + place);
}

void cfi_assert_rule(const struct unwind_image *image, uint64_t place, const char *text)
{
  char found[96];

  rule_text(cfi_find(image, place), found, sizeof found);
  g_assert_cmpstr(found, ==, text);
}
