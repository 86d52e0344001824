/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-missing-private.h"

#include "unwind/unwind-bytes-private.h"

#define SUP_VERSION 5

static size_t path_add(char *path, size_t length, const struct dwarf_string *part)
{
  size_t most = part->length < DWARF_TEXT_MAX - length ? part->length : DWARF_TEXT_MAX - length;

  if (most > 0)
    memcpy(path + length, part->text, most);
  return length + most;
}

int dwarf_missing_add_split(struct dwarf_builder *builder, const struct dwarf_unit *skeleton)
{
  struct dwarf_string name = dwarf_unit_get_string(skeleton, &skeleton->split_name),
                      directory = dwarf_unit_get_string(skeleton, &skeleton->directory), slash = {"/", 1};
  struct dwarf_missing missing = {.dwo_id = skeleton->signature};
  char path[DWARF_TEXT_MAX];
  size_t length = 0;

  if (directory.length > 0 && name.length > 0 && name.text[0] != '/') {
    length = path_add(path, length, &directory);
    length = path_add(path, length, &slash);
  }
  length = path_add(path, length, &name);
  missing.path = dwarf_builder_add_text(builder, path, length);
  return dwarf_builder_add_missing(builder, &missing);
}

/* Where the path stands in the section, and the identity behind it. */
struct link {
  struct dwarf_string path;
  const uint8_t *at;
  const uint8_t *end;
};

static bool link_read_path(struct link *link)
{
  const uint8_t *zero = link->at ? memchr(link->at, 0, (size_t)(link->end - link->at)) : NULL;

  if (!zero)
    return false;
  link->path = (struct dwarf_string){(const char *)link->at, (size_t)(zero - link->at)};
  link->at = zero + 1;
  return true;
}

static void link_open(struct link *link, struct dwarf_file *file, enum dwarf_section kind)
{
  struct dwarf_bytes section = dwarf_elf_section(&file->elf, kind);

  *link = (struct link){.at = section.bytes};
  link->end = link->at ? link->at + section.size : NULL;
}

/* DWARF 5 has a head before the path, and tells the identity's size. */
static bool link_read_sup(struct link *link, struct dwarf_file *file)
{
  uint16_t version;
  uint8_t is_alternate;
  uint64_t size;

  link_open(link, file, DWARF_SECTION_SUP);
  if (!unwind_read_uint16(&link->at, link->end, &version) ||
      !unwind_read_uint8(&link->at, link->end, &is_alternate) || version != SUP_VERSION || is_alternate ||
      !link_read_path(link) || !unwind_read_uleb(&link->at, link->end, &size) ||
      size > (size_t)(link->end - link->at))
    return false;
  link->end = link->at + size;
  return true;
}

static bool link_read(struct link *link, struct dwarf_file *file)
{
  link_open(link, file, DWARF_SECTION_ALTLINK);
  return link_read_path(link) || link_read_sup(link, file);
}

int dwarf_missing_add_alternate(struct dwarf_builder *builder, struct dwarf_file *file)
{
  struct dwarf_missing missing = {0};
  struct link link;
  size_t size;

  if (!link_read(&link, file) || link.at == link.end)
    return 0;
  size = (size_t)(link.end - link.at);
  missing.build_id_size = size < sizeof missing.build_id ? (uint32_t)size : (uint32_t)sizeof missing.build_id;
  memcpy(missing.build_id, link.at, missing.build_id_size);
  missing.path = dwarf_builder_add_text(builder, link.path.text, link.path.length);
  return dwarf_builder_add_missing(builder, &missing);
}
