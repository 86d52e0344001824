/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that another process hands over: those that are none are not taken for some. */
#include <string.h>

#include <glib.h>

#include "code/code-instructions.h"

struct image {
  struct code_instructions head;
  struct code_instruction instructions[3];
  char texts[16];
};

static struct image make_image(void)
{
  uint32_t at = offsetof(struct image, texts);
  struct image image = {.head = {CODE_INSTRUCTIONS_MAGIC, sizeof image, 62, 0, 0x1000, 7, 3},
                        .instructions = {{0x1000, 0, at, 3, 1, CODE_PLAIN},
                                         {0x1001, 0x2000, at + 3, 9, 5, CODE_CALL},
                                         {0x1006, 0, at + 12, 3, 1, CODE_RETURN}},
                        .texts = "nopcall 2000ret"};

  return image;
}

static void test_good(void)
{
  struct image image = make_image();

  g_assert_true(code_instructions_are_valid(&image, sizeof image));
  g_assert_true(code_instructions_get(&image.head) == image.instructions);
}

static void test_find(void)
{
  struct image image = make_image();

  g_assert_null(code_instructions_find(&image.head, 0xfff));
  g_assert_true(code_instructions_find(&image.head, 0x1000) == &image.instructions[0]);
  for (uint64_t address = 0x1001; address < 0x1006; address++)
    g_assert_true(code_instructions_find(&image.head, address) == &image.instructions[1]);
  g_assert_true(code_instructions_find(&image.head, 0x1006) == &image.instructions[2]);
  g_assert_null(code_instructions_find(&image.head, 0x1007));
}

static void test_sizes(void)
{
  struct image image = make_image();

  for (size_t size = 0; size < sizeof image; size++)
    g_assert_false(code_instructions_are_valid(&image, size));
  g_assert_false(code_instructions_are_valid(&image, sizeof image + 1));
}

#define REFUSE(change)                                                                                       \
  do {                                                                                                       \
    struct image image = make_image();                                                                       \
    change;                                                                                                  \
    g_assert_false(code_instructions_are_valid(&image, sizeof image));                                       \
  } while (0)

static void test_head(void)
{
  REFUSE(image.head.magic++);
  REFUSE(image.head.size--);
  REFUSE(image.head.flags = 2);
  REFUSE(image.head.address++);
  REFUSE(image.head.length = 0);
  REFUSE(image.head.length = 6);
  REFUSE(image.head.length = 8);
  REFUSE(image.head.length = CODE_BYTES_MAX + 1);
  REFUSE(image.head.n_instructions = 0);
  REFUSE(image.head.n_instructions = 2);
  REFUSE(image.head.n_instructions = 4);
  REFUSE(image.head.n_instructions = UINT32_MAX);
}

static void test_instructions(void)
{
  REFUSE(image.instructions[0].address--);
  REFUSE(image.instructions[1].address++);
  REFUSE(image.instructions[2].address = 0x1005);
  REFUSE(image.instructions[0].size = 0);
  REFUSE(image.instructions[1].size = CODE_SIZE_MAX + 1);
  REFUSE(image.instructions[2].size = 2);
  REFUSE(image.instructions[0].kind = CODE_RETURN + 1);
  REFUSE(image.instructions[0].target = 1);
  REFUSE(image.instructions[2].target = 1);
}

static void test_texts(void)
{
  REFUSE(image.instructions[0].text = 0);
  REFUSE(image.instructions[1].text = UINT32_MAX);
  REFUSE(image.instructions[2].text += 2);
  REFUSE(image.instructions[0].text_length = 0);
  REFUSE(image.instructions[1].text_length = UINT16_MAX);
  REFUSE(image.texts[1] = '\0');
  REFUSE(image.texts[1] = '\n');
  REFUSE(image.texts[1] = '\x7f');
  REFUSE(image.texts[1] = '\xc3');
}

/* It would end behind the last address. */
static void test_last_address(void)
{
  struct image image = make_image();

  for (unsigned int past = 0; past < 2; past++) {
    image.head.address = UINT64_MAX - 7 + past;
    for (unsigned int i = 0; i < 3; i++)
      image.instructions[i].address = image.head.address + (i == 0 ? 0 : i == 1 ? 1 : 6);
    g_assert_true(code_instructions_are_valid(&image, sizeof image) == !past);
  }
}

static void test_none(void)
{
  struct code_instructions none = {.magic = CODE_INSTRUCTIONS_MAGIC, .size = sizeof none};

  g_assert_true(code_instructions_are_valid(&none, sizeof none));
  g_assert_null(code_instructions_find(&none, 0));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/code-instructions/good", test_good);
  g_test_add_func("/code-instructions/find", test_find);
  g_test_add_func("/code-instructions/sizes", test_sizes);
  g_test_add_func("/code-instructions/head", test_head);
  g_test_add_func("/code-instructions/instructions", test_instructions);
  g_test_add_func("/code-instructions/texts", test_texts);
  g_test_add_func("/code-instructions/last-address", test_last_address);
  g_test_add_func("/code-instructions/none", test_none);
  return g_test_run();
}
