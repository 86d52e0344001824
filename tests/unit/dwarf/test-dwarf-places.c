/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places that another process hands over: those that are none are not taken for some. */
#include <string.h>

#include <glib.h>

#include "dwarf/dwarf-places.h"

struct image {
  struct dwarf_places head;
  struct dwarf_place places[2];
  struct dwarf_frame frames[3];
  struct dwarf_missing missing[1];
  char texts[16];
};

static struct image make_image(void)
{
  uint32_t at = offsetof(struct image, texts);
  struct image image = {
      .head = {DWARF_PLACES_MAGIC, sizeof image, DWARF_COMPLETE, 2, 3, 1},
      .places = {{0x1000, 0x1010, 0, 2}, {0x1010, 0x1018, 2, 1}},
      .frames = {{.function = {at, 5}, .file = {at + 5, 4}, .line = 7, .flags = DWARF_FRAME_INLINED},
                 {.function = {at + 5, 4}, .file = {at + 5, 4}, .line = 9},
                 {.file = {at, 16}, .declared_file = {at + 16, 0}}},
      .missing = {{.path = {at, 5}, .dwo_id = 1}},
      .texts = "inner/a.c"};

  return image;
}

static void test_good(void)
{
  struct image image = make_image();

  g_assert_true(dwarf_places_are_valid(&image, sizeof image));
  g_assert_true(dwarf_places_get(&image.head) == image.places);
  g_assert_true(dwarf_places_get_frames(&image.head) == image.frames);
  g_assert_true(dwarf_places_get_missing(&image.head) == image.missing);
}

static void test_find(void)
{
  struct image image = make_image();

  g_assert_null(dwarf_places_find(&image.head, 0xfff));
  g_assert_true(dwarf_places_find(&image.head, 0x1000) == &image.places[0]);
  g_assert_true(dwarf_places_find(&image.head, 0x100f) == &image.places[0]);
  g_assert_true(dwarf_places_find(&image.head, 0x1010) == &image.places[1]);
  g_assert_null(dwarf_places_find(&image.head, 0x1018));
  image.head.n_places = 0;
  g_assert_null(dwarf_places_find(&image.head, 0x1000));
}

static void test_sizes(void)
{
  struct image image = make_image();

  for (size_t size = 0; size < sizeof image; size++)
    g_assert_false(dwarf_places_are_valid(&image, size));
  g_assert_false(dwarf_places_are_valid(&image, sizeof image + 1));
}

#define REFUSE(change)                                                                                       \
  do {                                                                                                       \
    struct image image = make_image();                                                                       \
    change;                                                                                                  \
    g_assert_false(dwarf_places_are_valid(&image, sizeof image));                                            \
  } while (0)

static void test_head(void)
{
  REFUSE(image.head.magic++);
  REFUSE(image.head.size--);
  REFUSE(image.head.outcome = DWARF_DAMAGED + 1);
  REFUSE(image.head.n_places = DWARF_ADDRESSES_MAX + 1);
  REFUSE(image.head.n_places = UINT32_MAX);
  REFUSE(image.head.n_frames = UINT32_MAX);
  REFUSE(image.head.n_missing = UINT32_MAX);
  REFUSE(image.head.n_missing = 2);
}

static void test_places(void)
{
  REFUSE(image.places[0].end = 0x1000);
  REFUSE(image.places[0].end = 0x1011);
  REFUSE(image.places[1].start = 0x100f);
  REFUSE(image.places[1].end = 0);
  REFUSE(image.places[0].n_frames = 0);
  REFUSE(image.places[0].n_frames = 4);
  REFUSE(image.places[1].first_frame = 3);
  REFUSE(image.places[1].first_frame = UINT32_MAX);
  REFUSE(image.places[1].n_frames = UINT32_MAX);
}

static void test_texts(void)
{
  REFUSE(image.frames[0].function.at = 0);
  REFUSE(image.frames[1].function.at = UINT32_MAX);
  REFUSE(image.frames[2].file.at++);
  REFUSE(image.frames[2].file.length = UINT32_MAX);
  REFUSE(image.frames[2].declared_file.length = 1);
  REFUSE(image.missing[0].path.length = 17);
  REFUSE(image.missing[0].build_id_size = 33);
}

/* A text may not reach beyond what is handed over, and not be longer than is said. */
static void test_long_text(void)
{
  g_autofree char *bytes = g_malloc0(sizeof(struct image) + DWARF_TEXT_MAX + 1);
  struct image *image = (struct image *)bytes;
  size_t size = sizeof *image + DWARF_TEXT_MAX + 1;

  *image = make_image();
  image->head.size = (uint32_t)size;
  image->frames[0].function.length = DWARF_TEXT_MAX;
  g_assert_true(dwarf_places_are_valid(bytes, size));
  image->frames[0].function.length++;
  g_assert_false(dwarf_places_are_valid(bytes, size));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/dwarf-places/good", test_good);
  g_test_add_func("/dwarf-places/find", test_find);
  g_test_add_func("/dwarf-places/sizes", test_sizes);
  g_test_add_func("/dwarf-places/head", test_head);
  g_test_add_func("/dwarf-places/places", test_places);
  g_test_add_func("/dwarf-places/texts", test_texts);
  g_test_add_func("/dwarf-places/long-text", test_long_text);
  return g_test_run();
}
