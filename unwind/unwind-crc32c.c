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

/* The instruction takes three cycles, and three of them may be under way: from so many words on it pays to go
 * over three parts at once and to put them together. */
#define LONG 3000

#if defined __x86_64__
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_hardware_3(uint32_t crc, const uint64_t *words,
                                                                    size_t n, uint32_t *ret_parts)
{
  uint64_t a = crc, b = 0, c = 0;

  for (size_t i = 0; i < n; i++) {
    a = _mm_crc32_u64(a, words[i]);
    b = _mm_crc32_u64(b, words[n + i]);
    c = _mm_crc32_u64(c, words[2 * n + i]);
  }
  ret_parts[0] = (uint32_t)b;
  ret_parts[1] = (uint32_t)c;
  return (uint32_t)a;
}

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

__attribute__((target("+crc"))) static uint32_t crc32c_hardware_3(uint32_t crc, const uint64_t *words,
                                                                  size_t n, uint32_t *ret_parts)
{
  uint32_t b = 0, c = 0;

  for (size_t i = 0; i < n; i++) {
    crc = __crc32cd(crc, words[i]);
    b = __crc32cd(b, words[n + i]);
    c = __crc32cd(c, words[2 * n + i]);
  }
  ret_parts[0] = b;
  ret_parts[1] = c;
  return crc;
}

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

static uint32_t crc32c_hardware_3(uint32_t crc, const uint64_t *words, size_t n, uint32_t *ret_parts)
{
  ret_parts[0] = crc32c_portable(0, words + n, n);
  ret_parts[1] = crc32c_portable(0, words + 2 * n, n);
  return crc32c_portable(crc, words, n);
}

static uint32_t crc32c_hardware(uint32_t crc, const uint64_t *words, size_t n)
{
  return crc32c_portable(crc, words, n);
}

static int has_hardware(void)
{
  return 0;
}

#endif

/* The product of two polynomials modulo CRC-32C's, coefficients in reversed order. */
static uint32_t crc32c_multiply(uint32_t a, uint32_t b)
{
  uint32_t product = 0;

  for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
    product ^= a & bit ? b : 0;
    b = b >> 1 ^ (b & 1 ? POLYNOMIAL : 0);
  }
  return product;
}

/* What a checksum becomes by `n` words of zeros. */
static uint32_t append_zeros(uint32_t crc, size_t n)
{
  uint32_t power = 1u << 30; /* x */

  for (int i = 0; i < 6; i++)
    power = crc32c_multiply(power, power);
  for (; n > 0; n >>= 1) {
    if (n & 1)
      crc = crc32c_multiply(crc, power);
    power = crc32c_multiply(power, power);
  }
  return crc;
}

uint32_t unwind_crc32c(uint32_t crc, const void *bytes, size_t size)
{
  const uint64_t *words = bytes;
  size_t n = size / 8;

  if (!has_hardware())
    return ~crc32c_portable(~crc, words, n);
  crc = ~crc;
  if (n >= LONG) {
    uint32_t parts[2];

    crc = crc32c_hardware_3(crc, words, n / 3, parts);
    crc = append_zeros(crc, n / 3) ^ parts[0];
    crc = append_zeros(crc, n / 3) ^ parts[1];
    words += n / 3 * 3;
    n %= 3;
  }
  return ~crc32c_hardware(crc, words, n);
}
