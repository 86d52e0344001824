/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine code as text: one instruction after the other. One piece of memory, so that it can be handed from
 * the process that decodes to the one that asked.
 *
 * Instructions follow one another without gaps, from the first byte to the last. Bytes that are no
 * instruction stand in their place: on x86 as one "(bad)" of one byte, else as one unit of the machine, such
 * as ".word 0xffffffff". x86 instructions whose length is known, but not what they do, are ".byte
 * 0x62,0xf1,…".
 */
#ifndef CODE_INSTRUCTIONS_H
#define CODE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_INSTRUCTIONS_MAGIC 0x45444f43u
#define CODE_BYTES_MAX          (1u << 20)
#define CODE_SIZE_MAX           16  /* bytes of one instruction */
#define CODE_TEXT_MAX           255 /* characters of one */

enum code_kind { CODE_PLAIN = 0, CODE_JUMP = 1, CODE_CONDITIONAL_JUMP = 2, CODE_CALL = 3, CODE_RETURN = 4 };

enum code_flags {
  CODE_UNKNOWN_MACHINE = 1 << 0 /* nothing was decoded: all of it is ".byte 0x…" */
};

struct code_instruction {
  uint64_t address;
  uint64_t target;      /* of direct jumps and calls; 0: none */
  uint32_t text;        /* where in all of it the text stands, not terminated: printable ASCII */
  uint16_t text_length; /* at least 1 */
  uint8_t size;         /* bytes, at least 1 */
  uint8_t kind;         /* enum code_kind */
};

/* The instructions follow, then the texts. */
struct code_instructions {
  uint32_t magic;
  uint32_t size;    /* of all of it */
  uint32_t machine; /* EM_… */
  uint32_t flags;   /* enum code_flags */
  uint64_t address; /* of the code */
  uint32_t length;  /* of the code, bytes */
  uint32_t n_instructions;
};

const struct code_instruction *code_instructions_get(const struct code_instructions *instructions);

/* The instruction that holds an address, or NULL. */
const struct code_instruction *code_instructions_find(const struct code_instructions *instructions,
                                                      uint64_t address);

/* Whether all of `size` bytes are instructions: sizes, order, kinds and texts inside. What comes from another
 * process is asked before it is used. */
bool code_instructions_are_valid(const void *instructions, size_t size);

#endif
