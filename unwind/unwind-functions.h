/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where functions begin and end, as an ELF file's unwind information says: also those that have no symbol. A
 * part that the compiler split off is a function of its own there. What Go says of its functions has their
 * names, too. Every byte of the file is hostile. Memory
 * is bounded by the size of the file. Thread-safe; several files can be read at once.
 */
#ifndef UNWIND_FUNCTIONS_H
#define UNWIND_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct unwind_function {
  uint64_t start; /* file offsets */
  uint64_t end;
  uint64_t address; /* of start, as the file has it */
  const char *name; /* not terminated; NULL: not known */
  uint32_t length;
};

struct unwind_functions {
  struct unwind_function *functions; /* ascending, not overlapping */
  size_t n;
  char *names;
};

/* Finds the functions in `size` bytes of an ELF file as it is mapped. *ret is to be cleared. 0, or a negative
 * errno with *ret empty: -ENOEXEC no ELF file of a machine that is understood (64 bits, x86-64 or aarch64),
 * -ENODATA no unwind information, -ENOMEM. */
int unwind_functions_find(const void *elf, size_t size, struct unwind_functions *ret);
void unwind_functions_clear(struct unwind_functions *functions);

/* The function that holds a file offset, or NULL; and the stretch around the offset that the function has, or
 * that no function has. */
const struct unwind_function *unwind_functions_at(const struct unwind_functions *functions, uint64_t offset,
                                                  uint64_t *ret_start, uint64_t *ret_end);

#endif
