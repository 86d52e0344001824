/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-rows-private.h"

#include <string.h>

void unwind_rows_go_back(struct unwind_rows *rows, const struct unwind_rows_mark *mark, uint64_t until)
{
  uint64_t first = mark->at >> rows->shift, last = (until - 1) >> rows->shift;

  if (rows->n == mark->n)
    return;
  rows->n = mark->n;
  rows->rule = mark->rule;
  rows->ends[first] = mark->end;
  memset(rows->ends + first + 1, 0, (last - first) * sizeof *rows->ends);
}
