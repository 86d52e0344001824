/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-crc32c-private.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* reflected */

static uint32_t crc32c_portable(uint32_t crc, const uint64_t *words, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    for (int byte = 0; byte < 8; byte++) {
      crc ^= (uint32_t)(words[i] >> (8 * byte) & 0xff);
      for (int bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    }
  }
  return crc;
}

#if defined __x86_64__
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_hardware(uint32_t crc, const uint64_t *words,
                                                                  size_t n)
{
  uint64_t wide = crc;

  for (size_t i = 0; i < n; i++)
    wide = _mm_crc32_u64(wide, words[i]);
  return (uint32_t)wide;
}

static int has_hardware(void)
{
  return __builtin_cpu_supports("sse4.2");
}

#elif defined __aarch64__
#include <arm_acle.h>
#include <sys/auxv.h>

__attribute__((target("+crc"))) static uint32_t crc32c_hardware(uint32_t crc, const uint64_t *words, size_t n)
{
  for (size_t i = 0; i < n; i++)
    crc = __crc32cd(crc, words[i]);
  return crc;
}

static int has_hardware(void)
{
  return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
}

#else

static uint32_t crc32c_hardware(uint32_t crc, const uint64_t *words, size_t n)
{
  return crc32c_portable(crc, words, n);
}

static int has_hardware(void)
{
  return 0;
}

#endif

uint32_t unwind_crc32c(uint32_t crc, const void *bytes, size_t size)
{
  const uint64_t *words = bytes;

  crc = has_hardware() ? crc32c_hardware(~crc, words, size / 8) : crc32c_portable(~crc, words, size / 8);
  return ~crc;
}
