/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib.h>
#include <string.h>

#include "libcapture/file/capture-crc32c.h"

/* RFC 3720, B.4, and the catalogue's check value. */
static void test_vectors(void)
{
  uint8_t bytes[32];

  g_assert_cmphex(capture_crc32c(0, "123456789", 9), ==, 0xe3069283);
  g_assert_cmphex(capture_crc32c(0, NULL, 0), ==, 0);
  memset(bytes, 0, sizeof bytes);
  g_assert_cmphex(capture_crc32c(0, bytes, sizeof bytes), ==, 0x8a9136aa);
  memset(bytes, 0xff, sizeof bytes);
  g_assert_cmphex(capture_crc32c(0, bytes, sizeof bytes), ==, 0x62a8ab43);
  for (uint8_t i = 0; i < 32; i++)
    bytes[i] = i;
  g_assert_cmphex(capture_crc32c(0, bytes, sizeof bytes), ==, 0x46dd794e);
  for (uint8_t i = 0; i < 32; i++)
    bytes[i] = (uint8_t)(31 - i);
  g_assert_cmphex(capture_crc32c(0, bytes, sizeof bytes), ==, 0x113fdb5c);
}

static void test_pieces(void)
{
  const char text[] = "123456789";

  for (size_t cut = 0; cut <= 9; cut++)
    g_assert_cmphex(capture_crc32c(capture_crc32c(0, text, cut), text + cut, 9 - cut), ==, 0xe3069283);
}

/* The processor's instruction and the table agree at every length and alignment. */
static void test_portable(void)
{
  uint8_t bytes[300];

  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 151 + (i >> 3));
  for (size_t begin = 0; begin < 9; begin++) {
    for (size_t length = 0; begin + length < sizeof bytes; length++)
      g_assert_cmphex(capture_crc32c(7, bytes + begin, length), ==,
                      capture_crc32c_portable(7, bytes + begin, length));
  }
}

/* Long ones are gone over in three parts at once. */
static void test_long(void)
{
  enum { LENGTH = 100000 };
  g_autofree uint8_t *bytes = g_malloc(LENGTH);

  for (size_t i = 0; i < LENGTH; i++)
    bytes[i] = (uint8_t)(i * 151 + (i >> 3));
  for (size_t begin = 0; begin < 9; begin++) {
    for (size_t length = 23900; begin + length < LENGTH; length += length / 30)
      g_assert_cmphex(capture_crc32c(7, bytes + begin, length), ==,
                      capture_crc32c_portable(7, bytes + begin, length));
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/libcapture/crc32c/vectors", test_vectors);
  g_test_add_func("/libcapture/crc32c/pieces", test_pieces);
  g_test_add_func("/libcapture/crc32c/portable", test_portable);
  g_test_add_func("/libcapture/crc32c/long", test_long);
  return g_test_run();
}
