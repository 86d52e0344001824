/* SPDX-License-Identifier: BSD-2-Clause */
/* Hashes with a secret seed: who chooses what is hashed does not choose where it collides. */
#ifndef CAPTURE_INSIDE_HASH_H
#define CAPTURE_INSIDE_HASH_H

#include <stdint.h>
#include <string.h>

static inline uint64_t capture_fold(uint64_t a, uint64_t b)
{
  unsigned __int128 product = (unsigned __int128)a * b;

  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t capture_hash_key(uint64_t seed, uint64_t key)
{
  return capture_fold(capture_fold(key ^ seed, 0x9e3779b97f4a7c15u) ^ seed, 0xd6e8feb86659fd93u);
}

static inline uint64_t capture_hash_bytes(uint64_t seed, const char *bytes, size_t length)
{
  uint64_t hash = seed ^ length;
  uint64_t word;

  for (; length > 8; bytes += 8, length -= 8) {
    memcpy(&word, bytes, 8);
    hash = capture_fold(hash ^ word ^ 0xa0761d6478bd642fu, seed ^ 0xe7037ed1a0b428dbu);
  }
  word = 0;
  memcpy(&word, bytes, length);
  return capture_hash_key(seed, hash ^ word);
}

#endif
