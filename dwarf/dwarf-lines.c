/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-lines-private.h"

#include <errno.h>

#include "dwarf/dwarf-constants-private.h"
#include "unwind/unwind-bytes-private.h"

#define STANDARD_MAX LNS_SET_ISA

struct row {
  uint64_t address;
  uint32_t file;
  uint32_t line;
  uint32_t column;
};

struct machine {
  const struct dwarf_line_table *table;
  const struct dwarf_elf *code;
  struct dwarf_spots *spots;
  const uint8_t *at;
  const uint8_t *end;
  struct row now;
  uint32_t operation; /* in the instruction at its address */
  struct row last;    /* the row that holds all from its address on */
  bool has_last;
  bool is_removed;   /* the sequence is of code that was removed */
  uint64_t sequence; /* the address of its first row */
  uint32_t next;     /* no spot before it lies at or behind the last row */
  uint32_t work;
};

static void machine_reset(struct machine *machine)
{
  machine->now = (struct row){.file = 1, .line = 1};
  machine->operation = 0;
  machine->has_last = machine->is_removed = false;
}

/* Where sequences overlap, what begins first counts. */
static void machine_tell(struct machine *machine, struct dwarf_spot *spot, uint64_t end)
{
  if (spot->has_line && spot->sequence <= machine->sequence)
    return;
  spot->has_line = true;
  spot->sequence = machine->sequence;
  spot->file = machine->last.file;
  spot->line = machine->last.line;
  spot->column = machine->last.column;
  if (spot->start < machine->last.address)
    spot->start = machine->last.address;
  if (spot->end > end)
    spot->end = end;
}

/* The last row holds what is before `end`. */
static void machine_cover(struct machine *machine, uint64_t end)
{
  struct dwarf_spots *spots = machine->spots;

  for (; machine->next < spots->n && spots->items[machine->next].address < end; machine->next++) {
    machine_tell(machine, &spots->items[machine->next], end);
    machine->work++;
  }
}

static void machine_begin(struct machine *machine)
{
  machine->is_removed = !dwarf_elf_has_code(machine->code, machine->now.address);
  machine->sequence = machine->now.address;
  machine->last = machine->now;
  machine->has_last = true;
  if (machine->is_removed)
    return;
  machine->next = dwarf_spots_search(machine->spots, machine->now.address);
  dwarf_spots_bound(machine->spots, machine->now.address);
}

/* Of rows with one address the last counts; those that say the same as the one before are no new stretch. */
static void machine_emit(struct machine *machine)
{
  const struct row *now = &machine->now;
  struct row *last = &machine->last;

  if (!machine->has_last) {
    machine_begin(machine);
    return;
  }
  if (machine->is_removed)
    return;
  if (now->address == last->address) {
    *last = *now;
    return;
  }
  if (now->address > last->address) {
    if (now->line == last->line && now->file == last->file && now->column == last->column)
      return;
    machine_cover(machine, now->address);
  } else {
    machine->next = dwarf_spots_search(machine->spots, now->address);
  }
  *last = *now;
}

static void machine_end_sequence(struct machine *machine)
{
  if (machine->has_last && !machine->is_removed) {
    if (machine->now.address > machine->last.address)
      machine_cover(machine, machine->now.address);
    dwarf_spots_bound(machine->spots, machine->now.address);
  }
  machine_reset(machine);
}

static void machine_advance(struct machine *machine, uint64_t operations)
{
  const struct dwarf_line_table *table = machine->table;

  if (table->n_operations == 1) {
    machine->now.address += operations * table->instruction_length;
    return;
  }
  operations += machine->operation;
  machine->now.address += operations / table->n_operations * table->instruction_length;
  machine->operation = (uint32_t)(operations % table->n_operations);
}

static bool machine_run_special(struct machine *machine, uint8_t opcode)
{
  const struct dwarf_line_table *table = machine->table;
  uint8_t adjusted = (uint8_t)(opcode - table->opcode_base);

  if (table->line_range == 0)
    return false;
  machine_advance(machine, adjusted / table->line_range);
  machine->now.line += (uint32_t)(table->line_base + adjusted % table->line_range);
  machine_emit(machine);
  return true;
}

static bool machine_set_address(struct machine *machine, uint64_t size)
{
  if (size != 4 && size != 8)
    return false;
  machine->now.address = 0;
  memcpy(&machine->now.address, machine->at, size);
  machine->operation = 0;
  return true;
}

static bool machine_run_extended(struct machine *machine)
{
  uint64_t length;
  uint8_t opcode;
  const uint8_t *after;

  if (!unwind_read_uleb(&machine->at, machine->end, &length) || length == 0 ||
      length > (size_t)(machine->end - machine->at))
    return false;
  after = machine->at + length;
  opcode = *machine->at++;
  if (opcode == LNE_END_SEQUENCE)
    machine_end_sequence(machine);
  else if (opcode == LNE_SET_ADDRESS && !machine_set_address(machine, length - 1))
    return false;
  machine->at = after;
  return true;
}

static bool machine_read(struct machine *machine, uint32_t *ret)
{
  uint64_t value;

  if (!unwind_read_uleb(&machine->at, machine->end, &value))
    return false;
  *ret = value <= UINT32_MAX ? (uint32_t)value : 0;
  return true;
}

static bool machine_run_fixed_advance(struct machine *machine)
{
  uint16_t advance;

  if (!unwind_read_uint16(&machine->at, machine->end, &advance))
    return false;
  machine->now.address += advance;
  machine->operation = 0;
  return true;
}

static bool machine_run_advance(struct machine *machine)
{
  uint64_t operations;

  if (!unwind_read_uleb(&machine->at, machine->end, &operations))
    return false;
  machine_advance(machine, operations);
  return true;
}

static bool machine_run_advance_line(struct machine *machine)
{
  int64_t lines;

  if (!unwind_read_sleb(&machine->at, machine->end, &lines))
    return false;
  machine->now.line += (uint32_t)lines;
  return true;
}

static bool machine_run_const_add(struct machine *machine)
{
  if (machine->table->line_range == 0)
    return false;
  machine_advance(machine, (uint8_t)(255 - machine->table->opcode_base) / machine->table->line_range);
  return true;
}

static bool machine_skip(struct machine *machine, uint8_t opcode)
{
  uint64_t value;

  for (uint8_t i = machine->table->lengths[opcode - 1]; i > 0; i--)
    if (!unwind_read_uleb(&machine->at, machine->end, &value))
      return false;
  return true;
}

/* What the table says takes other operands than the standard's is not the standard's. */
static bool machine_knows(const struct machine *machine, uint8_t opcode)
{
  static const uint8_t lengths[] = {0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

  return opcode <= STANDARD_MAX && machine->table->lengths[opcode - 1] == lengths[opcode];
}

static bool machine_run_standard(struct machine *machine, uint8_t opcode)
{
  if (!machine_knows(machine, opcode))
    return machine_skip(machine, opcode);
  switch (opcode) {
  case LNS_COPY:
    machine_emit(machine);
    return true;
  case LNS_ADVANCE_PC:
    return machine_run_advance(machine);
  case LNS_ADVANCE_LINE:
    return machine_run_advance_line(machine);
  case LNS_SET_FILE:
    return machine_read(machine, &machine->now.file);
  case LNS_SET_COLUMN:
    return machine_read(machine, &machine->now.column);
  case LNS_CONST_ADD_PC:
    return machine_run_const_add(machine);
  case LNS_FIXED_ADVANCE_PC:
    return machine_run_fixed_advance(machine);
  default:
    return machine_skip(machine, opcode);
  }
}

static bool machine_step(struct machine *machine)
{
  uint8_t opcode = *machine->at++;

  if (opcode >= machine->table->opcode_base)
    return machine_run_special(machine, opcode);
  return opcode == LNS_EXTENDED ? machine_run_extended(machine) : machine_run_standard(machine, opcode);
}

int dwarf_lines_find(const struct dwarf_line_table *table, const struct dwarf_elf *code,
                     struct dwarf_spots *spots)
{
  struct machine machine = {
      .table = table, .code = code, .spots = spots, .at = table->program, .end = table->end, .work = 0};

  machine_reset(&machine);
  while (machine.at < machine.end) {
    if (!machine_step(&machine))
      return -EBADMSG;
    if (++machine.work >= 4096) {
      if (dwarf_budget_work(table->budget, machine.work) < 0)
        return -ETIME;
      machine.work = 0;
    }
  }
  return 0;
}
