/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/unwind-go.h"
#include "unwind/unwind-locate-private.h"

/* The file's executable addresses, at most 4 GiB of them: what unwind_order_make takes. */
static struct unwind_range find_code(const struct unwind_elf *elf)
{
  struct unwind_range code = {UINT64_MAX, 0};
  uint64_t end;

  for (uint32_t i = 0; i < elf->n_programs; i++) {
    Elf64_Phdr program = unwind_elf_program(elf, i);

    if (program.p_type != PT_LOAD || !(program.p_flags & PF_X) || program.p_filesz == 0 ||
        __builtin_add_overflow(program.p_vaddr, program.p_filesz, &end))
      continue;
    code.start = program.p_vaddr < code.start ? program.p_vaddr : code.start;
    code.end = end > code.end ? end : code.end;
  }
  if (code.start < code.end && code.end - code.start > UINT32_MAX)
    code.end = code.start + UINT32_MAX;
  return code;
}

/* False where the file has no code at the address. */
static bool find_offset(const struct unwind_elf *elf, uint64_t address, uint64_t *ret)
{
  for (uint32_t i = 0; i < elf->n_programs; i++) {
    Elf64_Phdr program = unwind_elf_program(elf, i);

    if (program.p_type == PT_LOAD && (program.p_flags & PF_X) && address >= program.p_vaddr &&
        address - program.p_vaddr < program.p_filesz) {
      *ret = address - program.p_vaddr + program.p_offset;
      return true;
    }
  }
  return false;
}

static int functions_compare(const void *a, const void *b)
{
  const struct unwind_function *x = a, *y = b;

  return x->start < y->start ? -1 : x->start > y->start;
}

/* Of two that begin together the first stays; one that reaches into the next ends where that begins. */
static void functions_settle(struct unwind_functions *self)
{
  size_t n = 0;

  if (self->n > 1)
    qsort(self->functions, self->n, sizeof *self->functions, functions_compare);
  for (size_t i = 0; i < self->n; i++) {
    if (n > 0 && self->functions[n - 1].start == self->functions[i].start)
      continue;
    if (n > 0 && self->functions[n - 1].end > self->functions[i].start)
      self->functions[n - 1].end = self->functions[i].start;
    self->functions[n++] = self->functions[i];
  }
  self->n = n;
}

/* Room for n more. */
static int functions_grow(struct unwind_functions *self, size_t n)
{
  struct unwind_function *grown = realloc(self->functions, (self->n + n + 1) * sizeof *grown);

  if (!grown)
    return -ENOMEM;
  self->functions = grown;
  return 0;
}

/* One after the other at `text`; NULL: none is copied. The bytes they take. */
static size_t read_go(struct unwind_functions *self, const struct unwind_elf *elf, const struct unwind_go *go,
                      char *text)
{
  struct unwind_go_function found;
  size_t size = 0;

  self->n = 0;
  for (uint32_t i = 0; i < go->n && unwind_go_read(go, i, &found); i++) {
    struct unwind_function function = {
        .address = found.start, .name = text ? text + size : NULL, .length = found.name.length};

    if (found.name.length == 0 || !find_offset(elf, found.start, &function.start))
      continue;
    if (text)
      memcpy(text + size, found.name.text, found.name.length);
    size += found.name.length;
    function.end = function.start + (found.end - found.start);
    self->functions[self->n++] = function;
  }
  return size;
}

/* As large as the table at most: what a damaged one would take more is left out with its names. */
static int functions_from_go(struct unwind_functions *self, const struct unwind_elf *elf)
{
  struct unwind_go go;
  size_t size;

  if (!unwind_go_open(&go, elf->bytes, elf->size))
    return 0;
  if (functions_grow(self, go.n) < 0)
    return -ENOMEM;
  size = read_go(self, elf, &go, NULL);
  if (size > go.table.size) {
    self->n = 0;
    return 0;
  }
  self->names = malloc(size + 1);
  if (!self->names)
    return -ENOMEM;
  read_go(self, elf, &go, self->names);
  return 0;
}

static int read_functions(struct unwind_functions *self, const struct unwind_elf *elf,
                          struct unwind_source *source, const struct unwind_order *order)
{
  if (functions_grow(self, order->n) < 0)
    return -ENOMEM;
  for (uint32_t i = 0; i < order->n; i++) {
    struct unwind_function function = {0};
    struct unwind_fde fde;

    if (!unwind_cfi_read_fde(&source->section, unwind_order_fde(order, i), &fde) || fde.start >= fde.end ||
        !find_offset(elf, fde.start, &function.start))
      continue;
    function.end = function.start + (fde.end - fde.start);
    function.address = fde.start;
    if (function.end > function.start)
      self->functions[self->n++] = function;
  }
  return 0;
}

static int functions_from(struct unwind_functions *self, const struct unwind_elf *elf,
                          struct unwind_source *source, struct unwind_range code)
{
  struct unwind_order order;
  uint32_t n_bad = 0;
  int error = unwind_order_make(&order, &source->section, source->until_zero, code.start, code.end,
                                source->order.n > 0 ? &source->order : NULL, &n_bad);

  if (error < 0)
    return error;
  error = read_functions(self, elf, source, &order);
  unwind_order_clear(&order);
  return error;
}

int unwind_functions_find(const void *bytes, size_t size, struct unwind_functions *ret)
{
  struct unwind_source source = {0};
  struct unwind_elf elf;
  struct unwind_range code;
  int error = unwind_elf_open(&elf, bytes, size, false);

  *ret = (struct unwind_functions){0};
  if (error < 0)
    return error;
  code = find_code(&elf);
  if (code.start >= code.end)
    return -ENODATA;
  error = functions_from_go(ret, &elf);
  if (error == 0 && !unwind_locate_eh_frame(&elf, code, &source) && ret->n == 0)
    error = unwind_locate_debug_frame(&elf, &source);
  if (error == 0)
    error = functions_from(ret, &elf, &source, code);
  functions_settle(ret);
  unwind_source_clear(&source);
  if (error < 0)
    unwind_functions_clear(ret);
  return error == -EBADMSG ? -ENODATA : error;
}

void unwind_functions_clear(struct unwind_functions *self)
{
  free(self->functions);
  free(self->names);
  *self = (struct unwind_functions){0};
}

const struct unwind_function *unwind_functions_at(const struct unwind_functions *self, uint64_t offset,
                                                  uint64_t *ret_start, uint64_t *ret_end)
{
  size_t low = 0, high = self->n;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (self->functions[middle].start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low > 0 && offset < self->functions[low - 1].end) {
    *ret_start = self->functions[low - 1].start;
    *ret_end = self->functions[low - 1].end;
    return &self->functions[low - 1];
  }
  *ret_start = low > 0 ? self->functions[low - 1].end : 0;
  *ret_end = low < self->n ? self->functions[low].start : UINT64_MAX;
  return NULL;
}
