/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-compile.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "unwind/unwind-builder-private.h"
#include "unwind/unwind-bytes-private.h"
#include "unwind/unwind-elf-private.h"
#include "unwind/unwind-writer-private.h"

struct job {
  struct unwind_elf elf;
  const struct unwind_machine *machine;
  struct unwind_segment *segments;
  struct unwind_range *ranges;
  uint32_t n_segments;
  struct unwind_section section;
  bool until_zero;
  struct unwind_order linker_order;
};

static int compare_segments(const void *a, const void *b)
{
  const struct unwind_segment *x = a, *y = b;

  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int find_segments(struct job *job)
{
  uint32_t n = job->elf.n_programs;
  uint64_t end;

  job->segments = malloc((n + 1) * sizeof *job->segments);
  job->ranges = malloc((n + 1) * sizeof *job->ranges);
  if (!job->segments || !job->ranges)
    return -ENOMEM;
  for (uint32_t i = 0; i < n; i++) {
    Elf64_Phdr program = unwind_elf_program(&job->elf, i);

    if (program.p_type != PT_LOAD || !(program.p_flags & PF_X) || program.p_memsz == 0 ||
        __builtin_add_overflow(program.p_vaddr, program.p_memsz, &end))
      continue;
    job->segments[job->n_segments] = (struct unwind_segment){
        .offset = program.p_offset, .address = program.p_vaddr, .size = program.p_memsz};
    job->ranges[job->n_segments++] = (struct unwind_range){program.p_vaddr, end};
  }
  qsort(job->segments, job->n_segments, sizeof *job->segments, compare_segments);
  return job->n_segments > 0 ? 0 : -ENODATA;
}

/* The pointer to .eh_frame and the search table; both may be missing. */
static bool read_search_table(struct job *job, const Elf64_Phdr *program, uint64_t *ret_eh_frame)
{
  struct unwind_section header = {.address = program->p_vaddr};
  struct unwind_bytes bytes;
  const uint8_t *at, *end;
  uint8_t encodings[4];
  uint64_t n;

  if (!unwind_elf_find_address(&job->elf, program->p_vaddr, &bytes) || bytes.size < sizeof encodings)
    return false;
  header.bytes = bytes.bytes;
  header.size = bytes.size < program->p_memsz ? bytes.size : program->p_memsz;
  if (header.size < sizeof encodings)
    return false;
  memcpy(encodings, header.bytes, sizeof encodings);
  at = header.bytes + sizeof encodings;
  end = header.bytes + header.size;
  if (encodings[0] != 1 || !unwind_cfi_read_pointer(&header, &at, end, encodings[1], ret_eh_frame))
    return false;
  if (encodings[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
      !unwind_cfi_read_pointer(&header, &at, end, encodings[2], &n) ||
      n > (uint64_t)(end - at) / sizeof(struct unwind_order_entry))
    return true;
  job->linker_order = (struct unwind_order){.entries = at,
                                            .n = (uint32_t)n,
                                            .start_origin = program->p_vaddr,
                                            .fde_origin = program->p_vaddr - *ret_eh_frame};
  return true;
}

static void set_section(struct job *job, const struct unwind_bytes *bytes, uint64_t address, bool debug)
{
  job->section = (struct unwind_section){.bytes = bytes->bytes,
                                         .size = bytes->size < INT32_MAX ? bytes->size : INT32_MAX,
                                         .address = address,
                                         .debug = debug,
                                         .machine = job->machine};
}

/* Where .eh_frame begins is in the program headers; where it ends only section headers say, else a length of
 * zero does. */
static bool find_eh_frame(struct job *job)
{
  struct unwind_bytes bytes, limited;
  Elf64_Shdr section;
  uint64_t address;
  bool has_section = unwind_elf_find_section(&job->elf, ".eh_frame", &section);

  if (has_section && !unwind_elf_section_bytes(&job->elf, &section, &limited))
    return false;
  for (uint32_t i = 0; i < job->elf.n_programs; i++) {
    Elf64_Phdr program = unwind_elf_program(&job->elf, i);

    if (program.p_type != PT_GNU_EH_FRAME || !read_search_table(job, &program, &address) ||
        !unwind_elf_find_address(&job->elf, address, &bytes))
      continue;
    job->until_zero = !has_section || section.sh_addr != address || limited.size > bytes.size;
    set_section(job, job->until_zero ? &bytes : &limited, address, false);
    return true;
  }
  job->linker_order = (struct unwind_order){0};
  if (!has_section)
    return false;
  set_section(job, &limited, section.sh_addr, false);
  return true;
}

static bool find_debug_frame(struct job *job)
{
  struct unwind_bytes bytes;
  Elf64_Shdr section;

  if (!unwind_elf_find_section(&job->elf, ".debug_frame", &section) || section.sh_flags & SHF_COMPRESSED ||
      !unwind_elf_section_bytes(&job->elf, &section, &bytes))
    return false;
  set_section(job, &bytes, 0, true);
  job->until_zero = false;
  job->linker_order = (struct unwind_order){0};
  return true;
}

/* The executable addresses, as far as rows can reach. */
static struct unwind_range find_span(const struct job *job)
{
  struct unwind_range span = job->ranges[0];

  for (uint32_t i = 1; i < job->n_segments; i++) {
    span.start = job->ranges[i].start < span.start ? job->ranges[i].start : span.start;
    span.end = job->ranges[i].end > span.end ? job->ranges[i].end : span.end;
  }
  if (span.end - span.start > UINT32_MAX)
    span.end = span.start + UINT32_MAX;
  return span;
}

/* Whether the section holds nothing but what the search table names. Less than a description may remain: what
 * ends it. */
static bool is_all_covered(const struct job *job, const struct unwind_builder *builder)
{
  uint64_t size = builder->covered + job->section.cies_size;

  return job->until_zero ||
         (!job->section.cies_evicted && size <= job->section.size && job->section.size - size < 16);
}

/* Where the program begins, from base on. */
static struct unwind_range find_entry(const struct job *job, uint64_t base)
{
  uint64_t entry = job->elf.entry;

  for (uint32_t i = 0; entry >= base && i < job->n_segments; i++) {
    const struct unwind_range *range = &job->ranges[i];
    uint64_t left = range->end - entry;

    if (entry >= range->start && entry < range->end && range->end - base <= UINT32_MAX)
      return (struct unwind_range){entry - base,
                                   entry - base + (left < UNWIND_ENTRY_MAX ? left : UNWIND_ENTRY_MAX)};
  }
  return (struct unwind_range){0};
}

/* 0, a negative errno, or 1 if the linker's order does not do. */
static int build(struct job *job, const struct unwind_order *order, uint32_t n_bad, struct unwind_image *ret)
{
  struct unwind_range span = find_span(job);
  struct unwind_builder builder = {.section = &job->section,
                                   .ranges = job->ranges,
                                   .n_ranges = job->n_segments,
                                   .budget = 4 * (uint64_t)job->section.size,
                                   .n_bad = n_bad};
  bool is_linkers = order == &job->linker_order;
  struct unwind_writer writer;
  uint64_t base;
  int error;

  if (order->n == 0)
    return -ENODATA;
  base = unwind_order_start(order, 0);
  base =
      (base < span.start || base >= span.end ? span.start : base) & ~((1ull << UNWIND_BUCKET_SHIFT_MIN) - 1);
  error = unwind_writer_init(&writer, job->section.size, job->n_segments, base, span.end - base);
  if (error < 0)
    return error;
  builder.rows = &writer.rows;
  builder.entry = find_entry(job, base);
  if (!unwind_builder_add_all(&builder, order))
    error = is_linkers ? 1 : -EBADMSG;
  else if (is_linkers && (!is_all_covered(job, &builder) || builder.n_moved > order->n / 8))
    error = 1;
  else if (writer.rows.n == 0)
    error = builder.n_bad > 0 ? -EBADMSG : -ENODATA;
  else
    error = unwind_writer_finish(&writer, job->machine, job->segments, job->n_segments, builder.n_bad, ret);
  unwind_writer_clear(&writer);
  return error;
}

static int compile_section(struct job *job, struct unwind_image *ret)
{
  struct unwind_range span = find_span(job);
  struct unwind_order order;
  uint32_t n_bad = 0;
  int error;

  if (job->linker_order.n > 0) {
    error = build(job, &job->linker_order, 0, ret);
    if (error <= 0)
      return error;
  }
  error = unwind_order_make(&order, &job->section, job->until_zero, span.start, span.end, &job->linker_order,
                            &n_bad);
  if (error < 0)
    return error;
  error = build(job, &order, n_bad, ret);
  unwind_order_clear(&order);
  return error;
}

static int compile(const void *elf, size_t size, bool in_memory, struct unwind_image *ret)
{
  struct job job = {0};
  int error = unwind_elf_open(&job.elf, elf, size, in_memory);

  if (error < 0)
    return error;
  if (job.elf.type != ET_EXEC && job.elf.type != ET_DYN)
    return -ENODATA;
  job.machine = unwind_machine_find(job.elf.machine);
  error = find_segments(&job);
  if (error == 0)
    error = find_eh_frame(&job) ? compile_section(&job, ret) : -ENODATA;
  if ((error == -ENODATA || error == -EBADMSG) && job.n_segments > 0 && find_debug_frame(&job))
    error = compile_section(&job, ret);
  free(job.segments);
  free(job.ranges);
  return error;
}

int unwind_compile(const void *elf, size_t size, struct unwind_image *ret)
{
  return compile(elf, size, false, ret);
}

int unwind_compile_memory(const void *elf, size_t size, struct unwind_image *ret)
{
  return compile(elf, size, true, ret);
}

void unwind_image_clear(struct unwind_image *image)
{
  if (image->table)
    munmap(image->table, image->capacity);
  *image = (struct unwind_image){0};
}
