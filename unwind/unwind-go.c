/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-go.h"

#include <string.h>

#include "unwind/unwind-bytes-private.h"
#include "unwind/unwind-go-module-private.h"

#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u
#define TEXT_MAX   4096u

/* The head: magic, two zeros, the quantum, the size of a word; then words. */
#define WORDS_AT 8u
enum { N_FUNCTIONS, N_FILES, TEXT, NAMES, UNITS, FILES, STEPS, FUNCTIONS, N_WORDS };

/* A function's description. From 1.20 on the line at which it begins stands before its kind and flags. */
#define NAME_FIELD   4u
#define DELTAS_FIELD 16u
#define LINE_FIELD   36u
#define KIND_1_18    36u
#define KIND_1_20    40u

static uint32_t go_u32(const struct unwind_go *go, uint64_t at)
{
  uint32_t value = 0;

  if (at <= go->table.size && go->table.size - at >= sizeof value)
    memcpy(&value, go->table.bytes + at, sizeof value);
  return value;
}

static uint64_t go_word(const struct unwind_go *go, uint32_t i)
{
  uint64_t value;

  memcpy(&value, go->table.bytes + WORDS_AT + i * sizeof value, sizeof value);
  return value;
}

static bool go_read_head(struct unwind_go *go)
{
  uint32_t magic;

  if (go->table.size < WORDS_AT + N_WORDS * sizeof(uint64_t))
    return false;
  memcpy(&magic, go->table.bytes, sizeof magic);
  if ((magic != MAGIC_1_18 && magic != MAGIC_1_20) || go->table.bytes[7] != sizeof(uint64_t))
    return false;
  go->kind = magic == MAGIC_1_18 ? KIND_1_18 : KIND_1_20;
  go->quantum = go->table.bytes[6];
  go->names = go_word(go, NAMES);
  go->units = go_word(go, UNITS);
  go->files = go_word(go, FILES);
  go->steps = go_word(go, STEPS);
  go->functions = go_word(go, FUNCTIONS);
  if (go->functions > go->table.size || go->names > go->table.size || go->steps > go->table.size ||
      go->units > go->table.size || go->files > go->table.size ||
      go_word(go, N_FUNCTIONS) > (go->table.size - go->functions) / (2 * sizeof(uint32_t)))
    return false;
  go->n = (uint32_t)go_word(go, N_FUNCTIONS);
  return go->quantum != 0;
}

bool unwind_go_open(struct unwind_go *ret, const void *bytes, size_t size)
{
  struct unwind_bytes table;
  struct unwind_elf elf;
  Elf64_Shdr section;
  struct unwind_go_module module;

  *ret = (struct unwind_go){0};
  if (unwind_elf_open(&elf, bytes, size, false) < 0 ||
      (!unwind_elf_find_section(&elf, ".gopclntab", &section) &&
       !unwind_elf_find_section(&elf, ".data.rel.ro.gopclntab", &section)) ||
      !unwind_elf_section_bytes(&elf, &section, &table))
    return false;
  ret->table = (struct unwind_go_bytes){table.bytes, table.size};
  if (!go_read_head(ret))
    return false;
  unwind_go_module_find(&elf, section.sh_addr, section.sh_addr + ret->names, ret->kind == KIND_1_18, &module);
  ret->inlined = (struct unwind_go_bytes){module.inlined.bytes, module.inlined.size};
  ret->text = go_word(ret, TEXT) != 0 ? go_word(ret, TEXT) : module.text;
  return ret->text != 0;
}

static struct unwind_go_text go_text(const struct unwind_go *go, uint64_t at)
{
  size_t most;
  const char *text;

  if (at >= go->table.size)
    return (struct unwind_go_text){0};
  text = (const char *)go->table.bytes + at;
  most = go->table.size - at;
  return (struct unwind_go_text){text, (uint32_t)strnlen(text, most < TEXT_MAX ? most : TEXT_MAX)};
}

struct unwind_go_text unwind_go_name(const struct unwind_go *go, uint32_t offset)
{
  return go_text(go, go->names + offset);
}

/* The files of a unit follow one another; where each is said. */
static struct unwind_go_text go_file(const struct unwind_go *go, const struct unwind_go_function *function,
                                     int32_t number)
{
  const uint32_t unit_field = 32;
  uint64_t at = go->units + 4 * ((uint64_t)go_u32(go, function->at + unit_field) + (uint32_t)number);
  uint32_t file = go_u32(go, at);

  return number < 0 || file == UINT32_MAX ? (struct unwind_go_text){0} : go_text(go, go->files + file);
}

bool unwind_go_read(const struct unwind_go *go, uint32_t i, struct unwind_go_function *ret)
{
  uint64_t entry = go->functions + (uint64_t)i * 2 * sizeof(uint32_t);
  uint64_t at = go->functions + go_u32(go, entry + sizeof(uint32_t));

  *ret = (struct unwind_go_function){.start = go->text + go_u32(go, entry),
                                     .end = go->text + go_u32(go, entry + 2 * sizeof(uint32_t)),
                                     .at = at};
  if (ret->start >= ret->end || at + go->kind + sizeof(uint32_t) > go->table.size)
    return false;
  ret->flags = go->table.bytes[at + go->kind + 1] & (UNWIND_GO_TOP | UNWIND_GO_SWITCH);
  ret->deltas = go_u32(go, at + DELTAS_FIELD);
  ret->line = go->kind == KIND_1_20 ? go_u32(go, at + LINE_FIELD) : 0;
  ret->name = unwind_go_name(go, go_u32(go, at + NAME_FIELD));
  return ret->name.text != NULL;
}

bool unwind_go_find(const struct unwind_go *go, uint64_t address, struct unwind_go_function *ret)
{
  uint32_t low = 0, high = go->n;

  if (address < go->text || address - go->text > UINT32_MAX)
    return false;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;

    if (go_u32(go, go->functions + (uint64_t)middle * 2 * sizeof(uint32_t)) <= address - go->text)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && unwind_go_read(go, low - 1, ret) && address >= ret->start && address < ret->end;
}

void unwind_go_begin(const struct unwind_go *go, const struct unwind_go_function *function, uint32_t steps,
                     struct unwind_go_step *ret)
{
  uint64_t at = go->steps + steps;

  *ret = (struct unwind_go_step){.at = go->table.bytes + (at < go->table.size ? at : go->table.size),
                                 .end = function->start,
                                 .value = -1,
                                 .is_first = true};
}

bool unwind_go_next(const struct unwind_go *go, struct unwind_go_step *step)
{
  const uint8_t *end = go->table.bytes + go->table.size;
  uint64_t change, length;

  if (!unwind_read_uleb(&step->at, end, &change) || (change == 0 && !step->is_first) ||
      !unwind_read_uleb(&step->at, end, &length) || length == 0 || length > UINT32_MAX || change > UINT32_MAX)
    return false;
  step->is_first = false;
  step->value = (int32_t)((uint32_t)step->value + ((uint32_t)(change >> 1) ^ (change & 1 ? UINT32_MAX : 0)));
  step->start = step->end;
  step->end += length * go->quantum;
  return true;
}

/* The value in force at the address, -1 where there is none; narrows the place to where it holds. */
static int32_t go_value_at(const struct unwind_go *go, const struct unwind_go_function *function,
                           uint32_t steps, uint64_t address, struct unwind_go_place *place)
{
  struct unwind_go_step step;

  if (steps == 0)
    return -1;
  unwind_go_begin(go, function, steps, &step);
  while (unwind_go_next(go, &step)) {
    if (address >= step.end)
      continue;
    place->start = step.start > place->start ? step.start : place->start;
    place->end = step.end < place->end ? step.end : place->end;
    return step.value;
  }
  return -1;
}

static void go_find_inlined(const struct unwind_go *go, const struct unwind_go_function *function,
                            uint64_t address, struct unwind_go_place *place)
{
  /* Numbers of the tables that a function has, behind its description: the index of an inlined call, and
   * where the tree of those is. */
  const uint32_t index_table = 2, tree = 3;
  uint64_t tables = function->at + go->kind + sizeof(uint32_t);
  uint32_t n_tables = go_u32(go, function->at + 28), n_data = go->table.bytes[function->at + go->kind + 3],
           offset;
  struct unwind_go_call call;
  int32_t index;

  if (n_tables <= index_table || n_data <= tree)
    return;
  index = go_value_at(go, function, go_u32(go, tables + 4 * index_table), address, place);
  offset = go_u32(go, tables + 4 * ((uint64_t)n_tables + tree));
  if (index < 0 || offset == UINT32_MAX ||
      !unwind_go_call_read(&go->inlined, offset, (uint32_t)index, go->kind == KIND_1_18, &call))
    return;
  place->function = unwind_go_name(go, call.name);
  place->declared = call.line;
  place->is_inlined = true;
  place->caller = function->start + call.caller;
}

void unwind_go_locate(const struct unwind_go *go, const struct unwind_go_function *function, uint64_t address,
                      struct unwind_go_place *ret)
{
  const uint32_t files_field = 20, lines_field = 24;
  int32_t line;

  *ret = (struct unwind_go_place){
      .start = function->start, .end = function->end, .function = function->name, .declared = function->line};
  line = go_value_at(go, function, go_u32(go, function->at + lines_field), address, ret);
  ret->line = line > 0 ? (uint32_t)line : 0;
  ret->file =
      go_file(go, function, go_value_at(go, function, go_u32(go, function->at + files_field), address, ret));
  go_find_inlined(go, function, address, ret);
}
