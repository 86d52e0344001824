/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder knows of a binary's unwind table; made by helpers/recorder/tables/tables.h. */
#ifndef RECORDER_UNWIND_TABLE_H
#define RECORDER_UNWIND_TABLE_H

#include <stdint.h>

#include "unwind/unwind-table.h"

enum recorder_table_state {
  RECORDER_TABLE_PENDING = 1,
  RECORDER_TABLE_READY = 2,
  RECORDER_TABLE_NONE = 3 /* there is no table and there will be none; `error` says why */
};

struct recorder_unwind_table {
  enum recorder_table_state state;
  int error; /* positive errno for RECORDER_TABLE_NONE */
  /* When ready: valid and mapped read-only until recorder_tables_free, or recorder_tables_drop once it was
   * copied elsewhere. */
  const struct unwind_table *table;
  uint64_t size;
  void *user;       /* the unwinder's: where the table stands in the area */
  uint32_t holders; /* who may come back to it, as they count themselves; with none it may be forgotten */
};

#endif
