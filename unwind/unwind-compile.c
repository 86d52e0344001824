/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-compile.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unwind/unwind-builder-private.h"
#include "unwind/unwind-locate-private.h"
#include "unwind/unwind-runtime-private.h"
#include "unwind/unwind-writer-private.h"

/* Of code: a bucket may reach so far beyond it. */
#define ADDRESS_MAX (UINT64_MAX - (1u << UNWIND_BUCKET_SHIFT_MAX))

/* Of descriptions that make as many rows as a known place and a gap behind it. */
#define BYTES_OF_KNOWN 4

struct job {
  struct unwind_elf elf;
  struct unwind_workspace *workspace;
  const struct unwind_machine *machine;
  struct unwind_segment *segments;
  struct unwind_range *ranges;
  uint32_t n_segments;
  uint32_t n_known;
  struct unwind_known *known;
  bool is_go;                  /* its functions are among what is known */
  struct unwind_source source; /* what is compiled */
  struct unwind_source spare;  /* where that says nothing */
  struct unwind_order spare_order;
  struct unwind_assembly assembly;
  struct unwind_runtime runtime;
  bool has_runtime;
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
        __builtin_add_overflow(program.p_vaddr, program.p_memsz, &end) || end > ADDRESS_MAX)
      continue;
    job->segments[job->n_segments] = (struct unwind_segment){
        .offset = program.p_offset, .address = program.p_vaddr, .size = program.p_memsz};
    job->ranges[job->n_segments++] = (struct unwind_range){program.p_vaddr, end};
  }
  qsort(job->segments, job->n_segments, sizeof *job->segments, compare_segments);
  return job->n_segments > 0 ? 0 : -ENODATA;
}

/* The executable addresses. */
static struct unwind_range find_code(const struct job *job)
{
  struct unwind_range code = job->ranges[0];

  for (uint32_t i = 1; i < job->n_segments; i++) {
    code.start = job->ranges[i].start < code.start ? job->ranges[i].start : code.start;
    code.end = job->ranges[i].end > code.end ? job->ranges[i].end : code.end;
  }
  return code;
}

static struct unwind_range compile_from(struct unwind_range code, uint64_t start)
{
  return (struct unwind_range){start, code.end - start > UINT32_MAX ? start + UINT32_MAX : code.end};
}

/* As many of them as rows can reach that begin with the first. */
static struct unwind_range find_span(const struct job *job)
{
  struct unwind_range code = find_code(job);

  return compile_from(code, code.start);
}

/* Whether the section holds nothing but what the search table names. Less than a description may remain: what
 * ends it. */
static bool is_all_covered(const struct job *job, const struct unwind_builder *builder)
{
  uint64_t size = builder->covered + job->source.section.cies_size;

  return job->source.until_zero || (!job->source.section.cies_evicted && size <= job->source.section.size &&
                                    job->source.section.size - size < 16);
}

/* Where the first function begins that is among the executable addresses, or a little before. */
static uint64_t find_base(const struct job *job, const struct unwind_order *order)
{
  struct unwind_range span = find_span(job);
  uint64_t base = order->n > 0 ? unwind_order_start(order, 0) : UINT64_MAX;

  if (job->spare_order.n > 0 && unwind_order_start(&job->spare_order, 0) < base)
    base = unwind_order_start(&job->spare_order, 0);
  if (job->n_known > 0 && job->known[0].range.start < base)
    base = job->known[0].range.start;
  if (job->assembly.n_sections > 0 && job->assembly.sections[0].start < base)
    base = job->assembly.sections[0].start;
  if (base < span.start || base >= span.end)
    base = span.start;
  return base & ~((1ull << UNWIND_BUCKET_SHIFT_MIN) - 1);
}

/* 0, a negative errno, or 1 if the linker's order does not do. */
static int compile_build(struct job *job, const struct unwind_order *order, uint32_t n_bad)
{
  struct unwind_range span;
  struct unwind_builder builder = {.section = &job->source.section,
                                   .ranges = job->ranges,
                                   .n_ranges = job->n_segments,
                                   .budget =
                                       4 * (uint64_t)(job->source.section.size + job->spare.section.size),
                                   .spare_section = job->spare.section.bytes ? &job->spare.section : NULL,
                                   .spare_order = &job->spare_order,
                                   .elf = &job->elf,
                                   .known = job->known,
                                   .n_known = job->n_known,
                                   .assembly = &job->assembly,
                                   .n_bad = n_bad};
  bool is_linkers = order == &job->source.order;
  struct unwind_writer writer;
  size_t described = job->source.section.size + job->spare.section.size;
  int error;

  if (order->n == 0 && !job->is_go)
    return -ENODATA;
  span = compile_from(find_code(job), find_base(job, order));
  error = unwind_writer_init(&writer, job->workspace, described + job->n_known * BYTES_OF_KNOWN,
                             unwind_assembly_rows(&job->assembly), job->n_segments, span.start,
                             span.end - span.start);
  if (error < 0)
    return error;
  builder.rows = &writer.rows;
  if (!unwind_builder_add_all(&builder, order))
    return is_linkers ? 1 : -EBADMSG;
  if (is_linkers && (!is_all_covered(job, &builder) || builder.n_moved > order->n / 8))
    return 1;
  if (writer.rows.n == 0)
    return builder.n_bad > 0 ? -EBADMSG : -ENODATA;
  return unwind_writer_finish(&writer, job->machine, job->segments, job->n_segments,
                              job->has_runtime ? &job->runtime : NULL,
                              builder.n_bad + writer.rows.rules.is_full);
}

static int compile_section(struct job *job)
{
  struct unwind_range span = find_span(job);
  struct unwind_order order;
  uint32_t n_bad = 0;
  int error;

  if (job->source.order.n > 0) {
    error = compile_build(job, &job->source.order, 0);
    if (error <= 0)
      return error;
  }
  error = unwind_order_make(&order, &job->source.section, job->source.until_zero, span.start, span.end,
                            &job->source.order, &n_bad);
  if (error < 0)
    return error;
  error = compile_build(job, &order, n_bad);
  unwind_order_clear(&order);
  return error;
}

static int compile_find_known(struct job *job)
{
  uint32_t n;
  int error = unwind_known_find_go(&job->elf, job->ranges, job->n_segments, &job->known, &n);
  struct unwind_known *grown;

  if (error < 0)
    return error;
  job->is_go = n > 0;
  grown = realloc(job->known, (n + UNWIND_KNOWN_MAX) * sizeof *grown);
  if (!grown)
    return -ENOMEM;
  job->known = grown;
  job->n_known = unwind_known_find(&job->elf, job->machine, job->ranges, job->n_segments, job->known, n);
  return 0;
}

/* .eh_frame describes more than .debug_frame, mostly; what it leaves out the latter may know. */
static int compile_locate(struct job *job)
{
  struct unwind_range code = find_span(job);
  bool has_eh_frame = unwind_locate_eh_frame(&job->elf, code, &job->source);
  int error;

  if (job->is_go)
    return 0;
  error = unwind_locate_debug_frame(&job->elf, has_eh_frame ? &job->spare : &job->source);
  return has_eh_frame && error != -ENOMEM ? 0 : error;
}

static int order_spare(struct job *job)
{
  struct unwind_range code = find_span(job);
  uint32_t n_bad = 0;

  if (!job->spare.section.bytes)
    return 0;
  return unwind_order_make(&job->spare_order, &job->spare.section, false, code.start, code.end, NULL, &n_bad);
}

/* Where .eh_frame is of no use at all, .debug_frame is all there is. */
static int compile_sources(struct job *job)
{
  struct unwind_source useless;
  int error = compile_section(job);

  if ((error != -ENODATA && error != -EBADMSG) || !job->spare.section.bytes)
    return error;
  useless = job->source;
  job->source = job->spare;
  job->spare = (struct unwind_source){0};
  unwind_source_clear(&useless);
  unwind_order_clear(&job->spare_order);
  return compile_section(job);
}

int unwind_compile_into(struct unwind_workspace *workspace, const void *elf, size_t size, bool in_memory,
                        const struct unwind_table **ret)
{
  struct job job = {.workspace = workspace};
  int error = unwind_elf_open(&job.elf, elf, size, in_memory);

  if (error < 0)
    return error;
  if (job.elf.type != ET_EXEC && job.elf.type != ET_DYN)
    return -ENODATA;
  job.machine = unwind_machine_find(job.elf.machine);
  unwind_assembly_open(&job.assembly, &job.elf);
  job.has_runtime = unwind_runtime_find(&job.elf, &job.runtime);
  error = find_segments(&job);
  if (error == 0)
    error = compile_find_known(&job);
  if (error == 0)
    error = compile_locate(&job);
  if (error == 0)
    error = order_spare(&job);
  if (error == 0)
    error = compile_sources(&job);
  if (error == 0)
    *ret = workspace->bytes;
  unwind_order_clear(&job.spare_order);
  unwind_source_clear(&job.source);
  unwind_source_clear(&job.spare);
  unwind_assembly_clear(&job.assembly);
  free(job.segments);
  free(job.ranges);
  free(job.known);
  return error;
}

/* What is behind the image was only needed to make it. */
static void give_image(struct unwind_workspace *workspace, struct unwind_image *ret)
{
  struct unwind_table *table = workspace->bytes;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (table->size + page - 1) & ~(page - 1);

  if (used < workspace->size)
    munmap((uint8_t *)workspace->bytes + used, workspace->size - used);
  *ret = (struct unwind_image){.table = table, .capacity = used};
}

static int compile_image(const void *elf, size_t size, bool in_memory, struct unwind_image *ret)
{
  struct unwind_workspace workspace = {0};
  const struct unwind_table *table;
  int error = unwind_compile_into(&workspace, elf, size, in_memory, &table);

  if (error == 0)
    give_image(&workspace, ret);
  else
    unwind_workspace_clear(&workspace);
  return error;
}

int unwind_compile(const void *elf, size_t size, struct unwind_image *ret)
{
  return compile_image(elf, size, false, ret);
}

int unwind_compile_memory(const void *elf, size_t size, struct unwind_image *ret)
{
  return compile_image(elf, size, true, ret);
}

void unwind_image_clear(struct unwind_image *image)
{
  if (image->table)
    munmap(image->table, image->capacity);
  *image = (struct unwind_image){0};
}

void unwind_workspace_clear(struct unwind_workspace *workspace)
{
  if (workspace->bytes)
    munmap(workspace->bytes, workspace->size);
  *workspace = (struct unwind_workspace){0};
}
