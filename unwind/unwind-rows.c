/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-rows-private.h"

#include <string.h>

void unwind_rows_forget(struct unwind_rows *rows, uint64_t from, uint64_t until, uint32_t end)
{
  uint64_t first = from >> rows->shift, last = (until - 1) >> rows->shift;

  rows->ends[first] = end;
  memset(rows->ends + first + 1, 0, (last - first) * sizeof *rows->ends);
}
