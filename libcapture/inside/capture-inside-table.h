/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interns 64-bit keys between threads and signal handlers without a lock, in fixed memory, for one epoch
 * after another. Nothing is cleared between them: a slot names the epoch it was filled in, and those of other
 * epochs count as empty.
 *
 * Whoever finds a key missing takes an identifier (capture_keys_take), writes the definition, commits it,
 * and only then adds the key; when somebody else was faster, his identifier is what add returns, and one's
 * own stays unused.
 */
#ifndef CAPTURE_INSIDE_TABLE_H
#define CAPTURE_INSIDE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A thing's identifier in the latest odd and the latest even epoch that had one: epoch << 32 | identifier. */
typedef struct capture_definition {
  _Atomic uint64_t of[2];
} capture_definition;

/* Its identifier in that epoch; 0: it has none. */
static inline uint32_t capture_definition_find(const capture_definition *definition, uint32_t epoch)
{
  uint64_t value = atomic_load_explicit(&definition->of[epoch & 1], memory_order_acquire);

  return value >> 32 == epoch ? (uint32_t)value : 0;
}

/* Gives it one, after the definition was committed; returns the one that holds: that of who was first. */
uint32_t capture_definition_add(capture_definition *definition, uint32_t epoch, uint32_t id);
/* It is defined anew where it is used next. */
void capture_definition_forget(capture_definition *definition);

/* Identifiers fit 24 bits, the other bits of a slot are the epoch's lowest ones and a piece of the hash. */
#define CAPTURE_KEYS_MAX ((1u << 24) - 1)

struct capture_keys {
  _Atomic uint64_t *slots;
  uint64_t *keys; /* by identifier */
  uint64_t seed;
  uint32_t mask;
  uint32_t max;
  _Atomic uint32_t count; /* identifiers taken in this epoch; beyond max when it is full */
};

/* Bytes of memory, zeroed, that a table of at most max keys an epoch needs. */
uint64_t capture_keys_size(uint32_t max);
void capture_keys_init(struct capture_keys *table, void *memory, uint32_t max, uint64_t seed);
/* For another epoch; nobody else may use the table meanwhile. */
void capture_keys_clear(struct capture_keys *table);

uint32_t capture_keys_find(const struct capture_keys *table, uint32_t epoch, uint64_t key);
/* The first of n new identifiers that follow each other; 0 when the epoch is full. */
uint32_t capture_keys_take(struct capture_keys *table, uint32_t n);
uint32_t capture_keys_add(struct capture_keys *table, uint32_t epoch, uint64_t key, uint32_t id);

/* What an epoch has interned. */
struct capture_inside_tables {
  struct capture_keys spaces; /* of kind << 32 | the base's high half */
  struct capture_keys frames; /* of addresses */
  struct capture_keys nodes;  /* of parent << 32 | frame */
  /* Identifiers given out. */
  _Atomic uint32_t strings; /* FUNCTION's as well */
  _Atomic uint32_t binaries;
  _Atomic uint32_t processes;
  _Atomic uint32_t threads;
  _Atomic uint32_t events;
  _Atomic uint32_t counters;
};

#endif
