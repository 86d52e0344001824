/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/inside/capture-inside-table.h"

#include "libcapture/inside/capture-inside-hash.h"

#define ID_BITS    24u
#define ID_MASK    CAPTURE_KEYS_MAX
#define EPOCH_MASK 0xffffffu
#define TAG_SHIFT  48u

_Static_assert(sizeof(_Atomic uint64_t) == 8 && ATOMIC_LLONG_LOCK_FREE == 2, "tables take no lock");

uint32_t capture_definition_add(capture_definition *definition, uint32_t epoch, uint32_t id)
{
  _Atomic uint64_t *of = &definition->of[epoch & 1];
  uint64_t value = atomic_load_explicit(of, memory_order_acquire);

  do {
    if (value >> 32 == epoch)
      return (uint32_t)value;
  } while (!atomic_compare_exchange_weak_explicit(of, &value, (uint64_t)epoch << 32 | id,
                                                  memory_order_acq_rel, memory_order_acquire));
  return id;
}

void capture_definition_forget(capture_definition *definition)
{
  atomic_store_explicit(&definition->of[0], 0, memory_order_relaxed);
  atomic_store_explicit(&definition->of[1], 0, memory_order_relaxed);
}

static uint32_t slots_for(uint32_t max)
{
  uint32_t slots = 16;

  while (slots / 2 < max)
    slots *= 2;
  return slots;
}

uint64_t capture_keys_size(uint32_t max)
{
  return ((uint64_t)slots_for(max) + max + 1) * sizeof(uint64_t);
}

void capture_keys_init(struct capture_keys *table, void *memory, uint32_t max, uint64_t seed)
{
  uint32_t slots = slots_for(max);

  *table = (struct capture_keys){.slots = memory, .seed = seed, .mask = slots - 1, .max = max};
  table->keys = (uint64_t *)memory + slots;
}

void capture_keys_clear(struct capture_keys *table)
{
  atomic_store_explicit(&table->count, 0, memory_order_relaxed);
}

static uint64_t filled_slot(uint32_t epoch, uint64_t hash, uint32_t id)
{
  return hash >> TAG_SHIFT << TAG_SHIFT | (uint64_t)(epoch & EPOCH_MASK) << ID_BITS | id;
}

static bool is_of_epoch(uint64_t slot, uint32_t epoch)
{
  return (slot & ID_MASK) != 0 && ((slot >> ID_BITS) & EPOCH_MASK) == (epoch & EPOCH_MASK);
}

static bool inside_table_holds(const struct capture_keys *table, uint64_t slot, uint64_t hash, uint64_t key)
{
  return slot >> TAG_SHIFT == hash >> TAG_SHIFT && table->keys[slot & ID_MASK] == key;
}

uint32_t capture_keys_find(const struct capture_keys *table, uint32_t epoch, uint64_t key)
{
  uint64_t hash = capture_hash_key(table->seed, key);

  for (uint32_t at = (uint32_t)hash & table->mask;; at = (at + 1) & table->mask) {
    uint64_t slot = atomic_load_explicit(&table->slots[at], memory_order_acquire);

    if (!is_of_epoch(slot, epoch))
      return 0;
    if (inside_table_holds(table, slot, hash, key))
      return (uint32_t)(slot & ID_MASK);
  }
}

uint32_t capture_keys_take(struct capture_keys *table, uint32_t n)
{
  uint32_t count = atomic_load_explicit(&table->count, memory_order_relaxed);

  do {
    if (n > table->max - count)
      return 0;
  } while (!atomic_compare_exchange_weak_explicit(&table->count, &count, count + n, memory_order_relaxed,
                                                  memory_order_relaxed));
  return count + 1;
}

uint32_t capture_keys_add(struct capture_keys *table, uint32_t epoch, uint64_t key, uint32_t id)
{
  uint64_t hash = capture_hash_key(table->seed, key);
  uint32_t at = (uint32_t)hash & table->mask;
  uint64_t slot = atomic_load_explicit(&table->slots[at], memory_order_acquire);

  table->keys[id] = key;
  for (;;) {
    if (is_of_epoch(slot, epoch)) {
      if (inside_table_holds(table, slot, hash, key))
        return (uint32_t)(slot & ID_MASK);
      at = (at + 1) & table->mask;
      slot = atomic_load_explicit(&table->slots[at], memory_order_acquire);
    } else if (atomic_compare_exchange_weak_explicit(&table->slots[at], &slot, filled_slot(epoch, hash, id),
                                                     memory_order_acq_rel, memory_order_acquire)) {
      return id;
    }
  }
}
