/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-machine-private.h"

#include <elf.h>
#include <errno.h>

struct machine_row {
  uint16_t machine;
  bool thumb;
  cs_arch arch;
  unsigned int mode;
  uint8_t unit;
};

static const struct machine_row machine_rows[] = {
    {EM_X86_64, false, CS_ARCH_X86, CS_MODE_64, 1},
    {EM_386, false, CS_ARCH_X86, CS_MODE_32, 1},
    {EM_AARCH64, false, CS_ARCH_ARM64, CS_MODE_ARM, 4},
    {EM_ARM, false, CS_ARCH_ARM, CS_MODE_ARM, 4},
    {EM_ARM, true, CS_ARCH_ARM, CS_MODE_THUMB, 2},
#if CS_API_MAJOR >= 5
    {EM_RISCV, false, CS_ARCH_RISCV, CS_MODE_RISCV64 | CS_MODE_RISCVC, 2},
#endif
};

static const struct machine_row *machine_find(uint16_t number, bool thumb)
{
  for (size_t i = 0; i < sizeof machine_rows / sizeof machine_rows[0]; i++)
    if (machine_rows[i].machine == number && machine_rows[i].thumb == thumb)
      return &machine_rows[i];
  return NULL;
}

int code_machine_open(struct code_machine *machine, uint16_t number, bool thumb)
{
  const struct machine_row *row = machine_find(number, thumb);
  cs_err error = row ? cs_open(row->arch, (cs_mode)row->mode, &machine->handle) : CS_ERR_ARCH;

  if (error != CS_ERR_OK)
    return error == CS_ERR_MEM ? -ENOMEM : -ENOTSUP;
  machine->machine = number;
  machine->is_x86 = row->arch == CS_ARCH_X86;
  machine->unit = row->unit;
  cs_option(machine->handle, CS_OPT_DETAIL, CS_OPT_ON);
  if (machine->is_x86)
    cs_option(machine->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
  machine->instruction = cs_malloc(machine->handle);
  if (!machine->instruction) {
    cs_close(&machine->handle);
    return -ENOMEM;
  }
  return 0;
}

void code_machine_close(struct code_machine *machine)
{
  cs_free(machine->instruction, 1);
  cs_close(&machine->handle);
}
