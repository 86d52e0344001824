/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capstone, open for one machine. */
#ifndef CODE_MACHINE_PRIVATE_H
#define CODE_MACHINE_PRIVATE_H

#include <capstone/capstone.h>
#include <stdbool.h>

struct code_machine {
  csh handle;
  cs_insn *instruction; /* the last one that was decoded */
  uint16_t machine;     /* EM_… */
  bool is_x86;
  uint8_t unit; /* bytes of which instructions consist */
};

/* 0; -ENOTSUP when Capstone does not have the machine; -ENOMEM. */
int code_machine_open(struct code_machine *machine, uint16_t number, bool thumb);
void code_machine_close(struct code_machine *machine);

#endif
