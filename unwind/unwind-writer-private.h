/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that a table is made in: rows stand in the image from the beginning, the rest is put behind
 * them. */
#ifndef UNWIND_WRITER_PRIVATE_H
#define UNWIND_WRITER_PRIVATE_H

#include "unwind/unwind-compile.h"
#include "unwind/unwind-machine-private.h"
#include "unwind/unwind-rows-private.h"

struct unwind_writer {
  struct unwind_table *table; /* at the memory's beginning */
  struct unwind_rows rows;
};

/* Room for the rows of `cfi_size` bytes of descriptions of addresses in [base, base + span), span at most 4
 * GiB, for n_more rows that may come beside, and for segments. Takes the memory as it is if it is large
 * enough, else other memory in its place. 0, -ENOMEM or -EFBIG. */
int unwind_writer_init(struct unwind_writer *ret, struct unwind_workspace *workspace, size_t cfi_size,
                       uint64_t n_more, uint32_t n_segments, uint64_t base, uint64_t span);

/* Makes the image complete. runtime: NULL where there is none. 0 or -EFBIG. */
int unwind_writer_finish(struct unwind_writer *writer, const struct unwind_machine *machine,
                         const struct unwind_segment *segments, uint32_t n_segments,
                         const struct unwind_runtime *runtime, uint32_t n_bad);

#endif
