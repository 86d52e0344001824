/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compiles an ELF file's .eh_frame into a table, with what else is known of its code: by .debug_frame, or of
 * a Go program by .gopclntab. Every byte of the file is hostile: a damaged description costs its function
 * (n_bad counts it), never the file; a damaged file costs a table, never the process. Memory is bounded by
 * the size of the file. Thread-safe; several files can be compiled at once.
 */
#ifndef UNWIND_COMPILE_H
#define UNWIND_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "unwind/unwind-table.h"

struct unwind_image {
  struct unwind_table *table; /* page-aligned, in memory of its own */
  size_t capacity;            /* of that memory; table->size is used */
};

/* Compiles `size` bytes of an ELF file at `elf` (as mapped from the file; sections of it are used, section
 * headers only where program headers do not suffice). 0, or a negative errno with *ret untouched: -ENOEXEC no
 * ELF file of a machine that is understood (64 bits, x86-64 or aarch64) -ENODATA    no unwind information:
 * remember that, it will have none the next time -EBADMSG    damaged beyond use -ENOMEM, -EFBIG (more than
 * 2^31 bytes of image) */
int unwind_compile(const void *elf, size_t size, struct unwind_image *ret);
/* Like unwind_compile, of what is in memory at its addresses, as the vDSO is. */
int unwind_compile_memory(const void *elf, size_t size, struct unwind_image *ret);
void unwind_image_clear(struct unwind_image *image);

/* Memory that tables are made in one after another, so that who compiles many files pays for its pages once.
 * Zero at first. */
struct unwind_workspace {
  void *bytes;
  size_t size; /* of the address space; what was never used of it takes no memory */
};

/* Like unwind_compile, or unwind_compile_memory when the file is `in_memory`, into memory that takes the
 * place of `memory` where that is too small. The table stays there until the memory is used again or cleared.
 */
int unwind_compile_into(struct unwind_workspace *workspace, const void *elf, size_t size, bool in_memory,
                        const struct unwind_table **ret);
void unwind_workspace_clear(struct unwind_workspace *workspace);

/* Whether all of `size` bytes are a table that walk.h may search: sizes, order, indices and, when `crc` is
 * wanted, its checksum. What is cached or comes from another process is asked before it is used. */
bool unwind_table_is_valid(const void *table, size_t size, bool crc);

/* The rule in force at an address of the ELF file; rules[0] where there is none. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t address);

/* The load bias of a mapping of `offset` in the file at `start`: runtime address - address in the file. False
 * when the mapping shows no executable segment. */
bool unwind_table_bias(const struct unwind_table *table, uint64_t start, uint64_t offset, uint64_t *ret_bias);

#endif
