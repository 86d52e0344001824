/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interns pairs of 32 bits: each distinct pair has an identifier, counted from 1. The address space is
 * taken once, memory is touched as it is used; nothing but create and destroy calls the kernel.
 */
#ifndef CAPTURE_TABLE_H
#define CAPTURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_pair {
  uint32_t high;
  uint32_t low;
};

struct capture_table_slot {
  uint32_t tag; /* a piece of the hash, so that most slots are told apart without looking at pairs */
  uint32_t id;  /* 0: empty */
};

/* Holds the pair itself: with millions of them each look elsewhere is a miss of every cache. */
struct capture_table_pair_slot {
  struct capture_pair pair;
  uint32_t id; /* 0: empty */
};

struct capture_table {
  struct capture_pair *pairs; /* by identifier; pairs[0] is unused */
  struct capture_table_pair_slot *slots;
  uint64_t seed; /* keeps whoever chooses the pairs from choosing where they collide */
  uint32_t mask; /* number of slots in use - 1; they double until they are twice the maximum */
  uint32_t count;
  uint32_t max;
};

/* max below 2^31. Returns 0 or -ENOMEM. */
int capture_table_create(struct capture_table *table, uint32_t max, uint64_t seed);
void capture_table_destroy(struct capture_table *table);
void capture_table_clear(struct capture_table *table);

/* The pair's identifier, or 0. */
uint32_t capture_table_find(const struct capture_table *table, struct capture_pair pair);
/* Gives the next identifier to a pair that is not in the table; the caller has checked that count < max. */
uint32_t capture_table_add(struct capture_table *table, struct capture_pair pair);

static inline bool capture_table_is_full(const struct capture_table *table, size_t more)
{
  return more > table->max - table->count;
}

#endif
