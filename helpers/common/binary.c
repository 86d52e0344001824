/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/common/binary.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/common/memory.h"
#include "helpers/common/unwind-table.h"

#define BUCKETS_MIN 256
#define DELETED     " (deleted)"

static bool has_prefix(const char *path, size_t length, const char *prefix)
{
  size_t prefix_length = strlen(prefix);
  return length >= prefix_length && memcmp(path, prefix, prefix_length) == 0;
}

/* Memory that no file holds, or one whose bytes a program makes up as it goes. */
static bool is_special(const char *path, size_t length)
{
  return length == 0 || path[0] != '/' || has_prefix(path, length, "//") ||
         has_prefix(path, length, "/memfd:") || has_prefix(path, length, "/dev/zero") ||
         has_prefix(path, length, "/SYSV");
}

void recorder_binary_key_set_path(struct recorder_binary_key *key, const char *path, size_t length)
{
  size_t suffix = strlen(DELETED);
  key->flags = 0;
  if (length > suffix && memcmp(path + length - suffix, DELETED, suffix) == 0) {
    key->flags |= CAPTURE_BINARY_DELETED;
    length -= suffix;
  }
  if (length == strlen("[vdso]") && memcmp(path, "[vdso]", length) == 0)
    key->flags |= CAPTURE_BINARY_VDSO;
  else if (is_special(path, length))
    key->flags |= CAPTURE_BINARY_SPECIAL;
  key->path = length != 0 ? path : "//anon";
  key->path_length = length != 0 ? length : strlen("//anon");
  if ((key->flags & (CAPTURE_BINARY_VDSO | CAPTURE_BINARY_SPECIAL)) != 0) {
    key->device = key->inode = key->inode_generation = 0;
    key->build_id_size = 0;
  }
}

static uint64_t binary_mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t hash_key(const struct recorder_binary_key *key)
{
  uint64_t hash =
      binary_mix(binary_mix(binary_mix(key->flags, key->device), key->inode), key->inode_generation);
  for (size_t i = 0; i < key->path_length; i++)
    hash = binary_mix(hash, (unsigned char)key->path[i]);
  for (size_t i = 0; i < key->build_id_size; i++)
    hash = binary_mix(hash, key->build_id[i]);
  return hash;
}

static bool binary_equal(const struct recorder_binary_key *a, const struct recorder_binary_key *b)
{
  return a->device == b->device && a->inode == b->inode && a->inode_generation == b->inode_generation &&
         a->flags == b->flags && a->build_id_size == b->build_id_size &&
         memcmp(a->build_id, b->build_id, a->build_id_size) == 0 && a->path_length == b->path_length &&
         memcmp(a->path, b->path, a->path_length) == 0;
}

void recorder_binaries_init(struct recorder_binaries *binaries)
{
  binaries->buckets = recorder_allocate(BUCKETS_MIN, sizeof *binaries->buckets);
  binaries->mask = BUCKETS_MIN - 1;
  binaries->count = 0;
}

void recorder_binaries_clear(struct recorder_binaries *binaries)
{
  free(binaries->buckets);
  binaries->buckets = NULL;
}

static void binary_grow(struct recorder_binaries *binaries)
{
  struct recorder_binaries old = *binaries;
  binaries->mask = 2 * old.mask + 1;
  binaries->buckets = recorder_allocate(binaries->mask + 1, sizeof *binaries->buckets);
  for (size_t i = 0; i <= old.mask; i++) {
    for (struct recorder_binary *binary = old.buckets[i], *next; binary != NULL; binary = next) {
      next = binary->next;
      binary->next = binaries->buckets[binary->hash & binaries->mask];
      binaries->buckets[binary->hash & binaries->mask] = binary;
    }
  }
  free(old.buckets);
}

static struct recorder_binary *binary_new(const struct recorder_binary_key *key, uint64_t hash)
{
  struct recorder_binary *binary = recorder_allocate(1, sizeof *binary + key->path_length + 1);
  char *path = (char *)(binary + 1);
  memcpy(path, key->path, key->path_length);
  binary->key = *key;
  binary->key.path = path;
  binary->hash = hash;
  return binary;
}

struct recorder_binary *recorder_binaries_take(struct recorder_binaries *binaries,
                                               const struct recorder_binary_key *key)
{
  uint64_t hash = hash_key(key);
  struct recorder_binary *binary = binaries->buckets[hash & binaries->mask];
  while (binary != NULL && !(binary->hash == hash && binary_equal(&binary->key, key)))
    binary = binary->next;
  if (binary == NULL) {
    if (binaries->count > binaries->mask)
      binary_grow(binaries);
    binary = binary_new(key, hash);
    binary->next = binaries->buckets[hash & binaries->mask];
    binaries->buckets[hash & binaries->mask] = binary;
    binaries->count++;
  }
  binary->references++;
  return binary;
}

void recorder_binaries_release(struct recorder_binaries *binaries, struct recorder_binary *binary)
{
  if (--binary->references != 0)
    return;
  struct recorder_binary **link = &binaries->buckets[binary->hash & binaries->mask];
  while (*link != binary)
    link = &(*link)->next;
  *link = binary->next;
  binaries->count--;
  if (binary->table != NULL)
    binary->table->holders--;
  free(binary);
}
