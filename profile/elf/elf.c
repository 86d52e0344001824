/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/elf/elf.h"

#include <elf.h>
#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTION_BYTES_MAX    (G_GUINT64_CONSTANT(1) << 30)
#define WHOLE_BYTES_MAX      (G_GUINT64_CONSTANT(2) << 30)
#define NOTES_BYTES_MAX      (1u << 20)
#define SECTIONS_MAX         (1u << 20)
#define SEGMENTS_MAX         1024 /* each symbol's address may be compared with all of them */
#define MINI_DEBUG_BYTES_MAX ((gsize)256 << 20)
#define LZMA_MEMORY_MAX      (G_GUINT64_CONSTANT(512) << 20)

typedef struct {
  guint32 type;
  guint64 offset, address, file_size, memory_size;
} Segment;

struct _ProfileElf {
  int fd;
  GBytes *bytes; /* NULL: fd is read */
  guint64 size;
  gboolean is_64_bit;
  guint16 machine;
  Segment *segments;
  guint n_segments;
  ProfileElfSection *sections;
  guint n_sections;
  char *section_names;
  guint8 build_id[CAPTURE_BUILD_ID_MAX];
  guint build_id_size;
};

/* What differs between the two classes of ELF headers, as far as it is needed. */
typedef struct {
  guint64 segments_at, sections_at;
  guint32 n_segments, segment_size, n_sections, section_size, names;
} Header;

static gboolean read_from_fd(int fd, guint8 *out, gsize length, guint64 offset)
{
  while (length > 0) {
    gssize n = pread(fd, out, length, (off_t)offset);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FALSE;
    out += n;
    length -= (gsize)n;
    offset += (guint64)n;
  }
  return TRUE;
}

static gboolean is_inside(const ProfileElf *self, guint64 offset, guint64 length)
{
  return offset <= self->size && length <= self->size - offset;
}

static gboolean read_at(const ProfileElf *self, void *out, gsize length, guint64 offset)
{
  if (!is_inside(self, offset, length))
    return FALSE;
  if (!self->bytes)
    return read_from_fd(self->fd, out, length, offset);
  if (length > 0)
    memcpy(out, (const guint8 *)g_bytes_get_data(self->bytes, NULL) + offset, length);
  return TRUE;
}

/* length bytes and a NUL, or NULL. */
static guint8 *read_block(const ProfileElf *self, guint64 offset, guint64 length)
{
  g_autofree guint8 *block = NULL;

  if (length > SECTION_BYTES_MAX || !is_inside(self, offset, length))
    return NULL;
  block = g_try_malloc(length + 1);
  if (!block || !read_at(self, block, length, offset))
    return NULL;
  block[length] = 0;
  return g_steal_pointer(&block);
}

static gboolean read_header(ProfileElf *self, Header *ret)
{
  guint8 ident[EI_NIDENT];
  Elf64_Ehdr wide;
  Elf32_Ehdr narrow;

  if (!read_at(self, ident, sizeof ident, 0) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
      ident[EI_DATA] != (G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
    return FALSE;
  self->is_64_bit = ident[EI_CLASS] == ELFCLASS64;
  if (self->is_64_bit) {
    if (!read_at(self, &wide, sizeof wide, 0))
      return FALSE;
    self->machine = wide.e_machine;
    *ret = (Header){wide.e_phoff, wide.e_shoff,     wide.e_phnum,   wide.e_phentsize,
                    wide.e_shnum, wide.e_shentsize, wide.e_shstrndx};
    return wide.e_phentsize == sizeof(Elf64_Phdr) || wide.e_phnum == 0;
  }
  if (ident[EI_CLASS] != ELFCLASS32 || !read_at(self, &narrow, sizeof narrow, 0))
    return FALSE;
  self->machine = narrow.e_machine;
  *ret = (Header){narrow.e_phoff, narrow.e_shoff,     narrow.e_phnum,   narrow.e_phentsize,
                  narrow.e_shnum, narrow.e_shentsize, narrow.e_shstrndx};
  return narrow.e_phentsize == sizeof(Elf32_Phdr) || narrow.e_phnum == 0;
}

static void read_segments(ProfileElf *self, const Header *header)
{
  guint64 length = (guint64)header->n_segments * header->segment_size;
  g_autofree guint8 *block = read_block(self, header->segments_at, length);

  if (!block || header->n_segments == 0 || header->n_segments > SEGMENTS_MAX)
    return;
  self->segments = g_new0(Segment, header->n_segments);
  self->n_segments = header->n_segments;
  for (guint i = 0; i < header->n_segments; i++) {
    const guint8 *at = block + (gsize)i * header->segment_size;

    if (self->is_64_bit) {
      Elf64_Phdr p;
      memcpy(&p, at, sizeof p);
      self->segments[i] = (Segment){p.p_type, p.p_offset, p.p_vaddr, p.p_filesz, p.p_memsz};
    } else {
      Elf32_Phdr p;
      memcpy(&p, at, sizeof p);
      self->segments[i] = (Segment){p.p_type, p.p_offset, p.p_vaddr, p.p_filesz, p.p_memsz};
    }
  }
}

/* name is the offset of the name until the names are read. */
static void parse_section(const ProfileElf *self, const guint8 *at, ProfileElfSection *ret, guint32 *ret_name)
{
  if (self->is_64_bit) {
    Elf64_Shdr s;
    memcpy(&s, at, sizeof s);
    *ret = (ProfileElfSection){"",        s.sh_type,   s.sh_link, s.sh_flags,
                               s.sh_addr, s.sh_offset, s.sh_size, s.sh_entsize};
    *ret_name = s.sh_name;
  } else {
    Elf32_Shdr s;
    memcpy(&s, at, sizeof s);
    *ret = (ProfileElfSection){"",        s.sh_type,   s.sh_link, s.sh_flags,
                               s.sh_addr, s.sh_offset, s.sh_size, s.sh_entsize};
    *ret_name = s.sh_name;
  }
}

/* With 65,280 sections or more their number and that of the names stand in section 0. */
static gboolean complete_header(const ProfileElf *self, Header *header)
{
  guint32 size = self->is_64_bit ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  g_autofree guint8 *first = NULL;
  ProfileElfSection section;
  guint32 name;

  if (header->sections_at == 0 || header->section_size != size)
    return FALSE;
  if (header->n_sections != 0 && header->names != SHN_XINDEX)
    return TRUE;
  first = read_block(self, header->sections_at, size);
  if (!first)
    return FALSE;
  parse_section(self, first, &section, &name);
  if (header->n_sections == 0)
    header->n_sections = (guint32)MIN(section.size, SECTIONS_MAX);
  if (header->names == SHN_XINDEX)
    header->names = section.link;
  return header->n_sections > 0;
}

static void name_sections(ProfileElf *self, guint names, const guint32 *offsets)
{
  gsize size;

  if (names == 0 || names >= self->n_sections)
    return;
  self->section_names = (char *)profile_elf_read_section(self, &self->sections[names], &size);
  if (!self->section_names)
    return;
  for (guint i = 1; i < self->n_sections; i++)
    if (offsets[i] < size)
      self->sections[i].name = self->section_names + offsets[i];
}

static void read_sections(ProfileElf *self, Header *header)
{
  g_autofree guint8 *block = NULL;
  g_autofree guint32 *names = NULL;

  if (!complete_header(self, header))
    return;
  block = read_block(self, header->sections_at, (guint64)header->n_sections * header->section_size);
  if (!block)
    return;
  names = g_new0(guint32, header->n_sections);
  self->sections = g_new0(ProfileElfSection, header->n_sections);
  self->n_sections = header->n_sections;
  for (guint i = 0; i < header->n_sections; i++)
    parse_section(self, block + (gsize)i * header->section_size, &self->sections[i], &names[i]);
  name_sections(self, header->names, names);
}

static gboolean find_build_id(ProfileElf *self, const guint8 *notes, gsize length)
{
  gsize at = 0;

  while (length - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    guint64 description, next;

    memcpy(&note, notes + at, sizeof note);
    at += sizeof note;
    description = at + (((guint64)note.n_namesz + 3) & ~G_GUINT64_CONSTANT(3));
    next = description + (((guint64)note.n_descsz + 3) & ~G_GUINT64_CONSTANT(3));
    if (description > length || note.n_descsz > length - description)
      return FALSE;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + at, "GNU", 4) == 0) {
      self->build_id_size = MIN(note.n_descsz, CAPTURE_BUILD_ID_MAX);
      memcpy(self->build_id, notes + description, self->build_id_size);
      return TRUE;
    }
    at = MIN(next, length);
  }
  return FALSE;
}

/* In a debug file the segments' offsets may point anywhere, so sections come first. */
static void read_build_id(ProfileElf *self)
{
  for (guint i = 1; i < self->n_sections; i++) {
    const ProfileElfSection *section = &self->sections[i];
    g_autofree guint8 *notes = NULL;

    if (section->type != SHT_NOTE || section->size > NOTES_BYTES_MAX)
      continue;
    notes = read_block(self, section->offset, section->size);
    if (notes && find_build_id(self, notes, section->size))
      return;
  }
  for (guint i = 0; i < self->n_segments; i++) {
    const Segment *segment = &self->segments[i];
    g_autofree guint8 *notes = NULL;

    if (segment->type != PT_NOTE || segment->file_size > NOTES_BYTES_MAX)
      continue;
    notes = read_block(self, segment->offset, segment->file_size);
    if (notes && find_build_id(self, notes, segment->file_size))
      return;
  }
}

static ProfileElf *read_headers(ProfileElf *elf, GError **error)
{
  g_autoptr(ProfileElf) self = elf;
  Header header;

  if (!read_header(self, &header)) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "not an ELF file of this machine");
    return NULL;
  }
  read_segments(self, &header);
  read_sections(self, &header);
  read_build_id(self);
  return g_steal_pointer(&self);
}

ProfileElf *profile_elf_new_for_fd(int fd, GError **error)
{
  struct stat st;
  ProfileElf *self;

  if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "not a regular file");
    return NULL;
  }
  self = g_new0(ProfileElf, 1);
  self->fd = fd;
  self->size = (guint64)st.st_size;
  return read_headers(self, error);
}

ProfileElf *profile_elf_new_for_bytes(GBytes *bytes, GError **error)
{
  ProfileElf *self = g_new0(ProfileElf, 1);

  self->fd = -1;
  self->bytes = g_bytes_ref(bytes);
  self->size = g_bytes_get_size(bytes);
  return read_headers(self, error);
}

void profile_elf_free(ProfileElf *self)
{
  g_clear_pointer(&self->bytes, g_bytes_unref);
  g_free(self->segments);
  g_free(self->sections);
  g_free(self->section_names);
  g_free(self);
}

gboolean profile_elf_is_64_bit(const ProfileElf *self)
{
  return self->is_64_bit;
}

guint16 profile_elf_get_machine(const ProfileElf *self)
{
  return self->machine;
}

const guint8 *profile_elf_get_build_id(const ProfileElf *self, guint *ret_size)
{
  *ret_size = self->build_id_size;
  return self->build_id;
}

/* Memory beyond the file's part (.bss) counts too: symbols there still bound those before them. */
gboolean profile_elf_address_to_offset(const ProfileElf *self, guint64 address, guint64 *ret_offset)
{
  for (guint i = 0; i < self->n_segments; i++) {
    const Segment *segment = &self->segments[i];

    if (segment->type == PT_LOAD && address >= segment->address &&
        address - segment->address < MAX(segment->memory_size, segment->file_size)) {
      *ret_offset = address - segment->address + segment->offset;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean profile_elf_offset_to_address(const ProfileElf *self, guint64 offset, guint64 *ret_address)
{
  for (guint i = 0; i < self->n_segments; i++) {
    const Segment *segment = &self->segments[i];

    if (segment->type == PT_LOAD && offset >= segment->offset &&
        offset - segment->offset < segment->file_size) {
      *ret_address = offset - segment->offset + segment->address;
      return TRUE;
    }
  }
  return FALSE;
}

const ProfileElfSection *profile_elf_get_section(const ProfileElf *self, guint number)
{
  return number > 0 && number < self->n_sections ? &self->sections[number] : NULL;
}

const ProfileElfSection *profile_elf_find_section(const ProfileElf *self, const char *name)
{
  for (guint i = 1; i < self->n_sections; i++)
    if (g_str_equal(self->sections[i].name, name))
      return &self->sections[i];
  return NULL;
}

guint8 *profile_elf_read_section(const ProfileElf *self, const ProfileElfSection *section, gsize *ret_size)
{
  guint8 *block;

  if (section->type == SHT_NOBITS || section->type == SHT_NULL)
    return NULL;
  block = read_block(self, section->offset, section->size);
  if (block)
    *ret_size = section->size;
  return block;
}

guint8 *profile_elf_read(const ProfileElf *self, guint64 offset, guint64 length)
{
  return read_block(self, offset, length);
}

/* Whether a section says nothing of unwinding. It may be the greater part of a file. */
static gboolean is_debug_alone(const ProfileElfSection *section)
{
  return !(section->flags & SHF_ALLOC) && section->type == SHT_PROGBITS &&
         (g_str_has_prefix(section->name, ".debug_") || g_str_has_prefix(section->name, ".zdebug_")) &&
         !g_str_has_suffix(section->name, "debug_frame");
}

/* Memory that nothing is read into is not there until it is used. */
guint8 *profile_elf_read_unwinding(const ProfileElf *self, gsize *ret_size)
{
  g_autofree guint8 *bytes = self->size <= WHOLE_BYTES_MAX ? g_try_malloc0(self->size + 1) : NULL;
  guint64 at = 0;

  for (guint i = 1; bytes && i < self->n_sections; i++) {
    const ProfileElfSection *section = &self->sections[i];

    if (!is_debug_alone(section) || section->offset < at || !is_inside(self, section->offset, section->size))
      continue;
    if (!read_at(self, bytes + at, section->offset - at, at))
      return NULL;
    at = section->offset + section->size;
  }
  if (!bytes || !read_at(self, bytes + at, self->size - at, at))
    return NULL;
  *ret_size = self->size;
  return g_steal_pointer(&bytes);
}

gboolean profile_elf_get_debug_link(const ProfileElf *self, char **ret_name, guint32 *ret_crc)
{
  const ProfileElfSection *section = profile_elf_find_section(self, ".gnu_debuglink");
  g_autofree guint8 *content = NULL;
  gsize size, length, crc_at;

  if (!section || section->size > 4096)
    return FALSE;
  content = profile_elf_read_section(self, section, &size);
  if (!content)
    return FALSE;
  length = strlen((char *)content);
  crc_at = (length + 4) & ~(gsize)3;
  if (length == 0 || memchr(content, '/', length) || crc_at + 4 > size)
    return FALSE;
  memcpy(ret_crc, content + crc_at, 4);
  *ret_name = g_strdup((char *)content);
  return TRUE;
}

static GBytes *decompress_xz(const guint8 *in, gsize length)
{
  lzma_stream stream = LZMA_STREAM_INIT;
  GByteArray *out = g_byte_array_new();
  lzma_ret result = lzma_stream_decoder(&stream, LZMA_MEMORY_MAX, LZMA_CONCATENATED);

  stream.next_in = in;
  stream.avail_in = length;
  while (result == LZMA_OK && out->len < MINI_DEBUG_BYTES_MAX) {
    guint at = out->len;

    g_byte_array_set_size(out, at + (1u << 16));
    stream.next_out = out->data + at;
    stream.avail_out = 1u << 16;
    result = lzma_code(&stream, LZMA_FINISH);
    g_byte_array_set_size(out, at + (1u << 16) - (guint)stream.avail_out);
  }
  lzma_end(&stream);
  if (result != LZMA_STREAM_END) {
    g_byte_array_unref(out);
    return NULL;
  }
  return g_byte_array_free_to_bytes(out);
}

ProfileElf *profile_elf_open_mini_debug_info(const ProfileElf *self)
{
  const ProfileElfSection *section = profile_elf_find_section(self, ".gnu_debugdata");
  g_autofree guint8 *content = NULL;
  g_autoptr(GBytes) bytes = NULL;
  gsize size;

  if (!section)
    return NULL;
  content = profile_elf_read_section(self, section, &size);
  if (!content)
    return NULL;
  bytes = decompress_xz(content, size);
  return bytes ? profile_elf_new_for_bytes(bytes, NULL) : NULL;
}
