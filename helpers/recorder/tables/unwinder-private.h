/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RECORDER_UNWINDER_PRIVATE_H
#define RECORDER_UNWINDER_PRIVATE_H

#include "helpers/recorder/tables/area.h"
#include "helpers/recorder/tables/unwinder.h"

/* A table that stands in the area: recorder_unwind_table.user. */
struct recorder_placed {
  struct recorder_unwind_table *table;
  uint32_t at;
  uint32_t size;
  uint64_t used; /* by the unwinder's clock */
};

struct recorder_layout {
  uint32_t references;
  uint32_t
      at; /* in the area: its struct walk_mapping[count], then struct walk_language; 0: none, or no room */
  uint32_t count;
  uint32_t serial; /* no other layout has had it */
  struct recorder_unwinder *unwinder;
  uint32_t runtime;                   /* that one of its binaries holds: enum unwind_runtime_kind */
  struct recorder_mappings *mappings; /* shared, so they do not change; NULL: none */
  struct recorder_layout *next;
  struct recorder_layout *previous;
};

/* Pointers without an order. */
struct recorder_pointers {
  void **items;
  uint32_t count;
  uint32_t capacity;
};

struct recorder_unwinder {
  struct recorder_bpf *bpf;
  struct recorder_binaries *binaries;
  struct recorder_tables *tables;
  struct recorder_area area;
  struct recorder_layout *layouts;
  struct recorder_pointers placed;    /* struct recorder_placed */
  struct recorder_pointers published; /* struct recorder_process: the programs know them */
  struct recorder_pointers changed;   /* struct recorder_process: to be published */
  uint64_t clock;                     /* ticks with each walk and each touch */
  uint64_t reached;                   /* up to when all that happened to processes is known */
  uint32_t serial;
  uint32_t generation; /* of processes with a runtime */
  bool tables_came;
  const struct recorder_binary *awaited; /* by the last walk; NULL: none, or not known */
};

void recorder_pointers_add(struct recorder_pointers *pointers, void *item);
void recorder_pointers_remove(struct recorder_pointers *pointers, uint32_t index);

/* Room in the area, for which what was used least recently is given up; 0 when there is none even so. */
uint32_t recorder_unwinder_take(struct recorder_unwinder *unwinder, uint32_t size);
/* The programs forget the process; it is published again when it is sampled. */
void recorder_unwinder_withdraw(struct recorder_unwinder *unwinder, struct recorder_process *process);

/* A new one for these mappings; says of each what is known, requests nothing. */
struct recorder_layout *recorder_layout_new(struct recorder_unwinder *unwinder,
                                            struct recorder_mappings *mappings);
/* Requests the table of that mapping, which is missed, and says in the area what came of it. */
void recorder_layout_request(struct recorder_layout *layout, int32_t pid, uint32_t index);
/* Requests all that were not yet. */
void recorder_layout_request_all(struct recorder_layout *layout, int32_t pid);
/* Says again what is known of all mappings whose table was pending. */
void recorder_layout_settle(struct recorder_layout *layout);
/* The table is about to leave the area. */
void recorder_layout_give_up(struct recorder_layout *layout, const struct recorder_placed *placed);
/* The mapping that holds the address, or count. */
uint32_t recorder_layout_find(const struct recorder_layout *layout, uint64_t address);
struct walk_mapping *recorder_layout_entry(const struct recorder_layout *layout, uint32_t index);

#endif
