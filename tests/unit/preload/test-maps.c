/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "helpers/preload/preload-maps.h"

static bool parse(const char *line, struct preload_map *map)
{
  static char copy[8192];
  g_strlcpy(copy, line, sizeof copy);
  return preload_map_parse(copy, map);
}

static void test_line(void)
{
  struct preload_map map;
  g_assert_true(
      parse("7f00001000-7f00203000 r-xp 00026000 fd:1a 123456789    /usr/lib/with space (1).so", &map));
  g_assert_cmphex(map.start, ==, 0x7f00001000);
  g_assert_cmphex(map.end, ==, 0x7f00203000);
  g_assert_cmphex(map.offset, ==, 0x26000);
  g_assert_true(map.device == makedev(0xfd, 0x1a));
  g_assert_cmpuint(map.inode, ==, 123456789);
  g_assert_cmpstr(map.path, ==, "/usr/lib/with space (1).so");
  g_assert_false(map.is_deleted);
}

static void test_deleted(void)
{
  struct preload_map map;
  g_assert_true(parse("1000-2000 rwxp 00000000 08:01 7 /tmp/a.so (deleted)", &map));
  g_assert_true(map.is_deleted);
  g_assert_cmpstr(map.path, ==, "/tmp/a.so");
}

static void test_without_file(void)
{
  struct preload_map map;
  g_assert_true(parse("7ffe000-7fff000 r-xp 00000000 00:00 0                          [vdso]", &map));
  g_assert_cmpstr(map.path, ==, "[vdso]");
  g_assert_true(parse("7ffe000-7fff000 r-xp 00000000 00:00 0 ", &map));
  g_assert_cmpstr(map.path, ==, "");
  g_assert_cmpuint(map.inode, ==, 0);
}

static void test_others(void)
{
  static const char *const lines[] = {
      "",
      "1000",
      "1000-2000",
      "1000-2000 r-",
      "1000-2000 rw-p 00000000 08:01 7 /not/executable",
      "2000-1000 r-xp 00000000 08:01 7 /backwards",
      "1000-1000 r-xp 00000000 08:01 7 /empty",
      "10000000000000000-20000000000000000 r-xp 00000000 08:01 7 /overflow",
      "1000-2000 r-xp",
      "1000-2000 r-xp zz 08:01 7 /offset",
      "1000-2000 r-xp 0 0801 7 /device",
      "1000-2000 r-xp 0 08:01 x7 /inode",
  };
  struct preload_map map;
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
    g_assert_false(parse(lines[i], &map));
}

struct seen {
  uint64_t end;
  unsigned here, vdso, mapped;
  const void *page;
};

static void see(const struct preload_map *map, void *data)
{
  struct seen *seen = data;
  g_assert_cmphex(map->start, >=, seen->end);
  seen->end = map->end;
  uint64_t here = (uint64_t)(uintptr_t)see;
  if (here >= map->start && here < map->end) {
    struct stat status;
    g_assert_cmpint(stat(map->path, &status), ==, 0);
    g_assert_cmpuint(status.st_ino, ==, map->inode);
    seen->here++;
  }
  seen->vdso += strcmp(map->path, "[vdso]") == 0;
  seen->mapped += map->start <= (uintptr_t)seen->page && map->end > (uintptr_t)seen->page;
}

static void test_own(void)
{
  void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct seen seen = {.page = page};
  g_assert_cmpint(preload_maps_read(see, &seen), ==, 0);
  g_assert_cmpuint(seen.here, ==, 1);
  g_assert_cmpuint(seen.mapped, ==, 1);
  munmap(page, 4096);
  seen = (struct seen){.page = page};
  g_assert_cmpint(preload_maps_read(see, &seen), ==, 0);
  g_assert_cmpuint(seen.mapped, ==, 0);
}

/* More lines than fit into one read. */
static void test_many(void)
{
  void *pages[600];
  struct seen seen = {0};
  for (size_t i = 0; i < G_N_ELEMENTS(pages); i++)
    pages[i] =
        mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(pages); i++) {
    seen = (struct seen){.page = pages[i]};
    if (i % 50 > 1)
      continue;
    g_assert_cmpint(preload_maps_read(see, &seen), ==, 0);
    g_assert_cmpuint(seen.mapped, ==, i % 2 == 0);
    g_assert_cmpuint(seen.here, ==, 1);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(pages); i++)
    munmap(pages[i], 4096);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/preload/maps/line", test_line);
  g_test_add_func("/preload/maps/deleted", test_deleted);
  g_test_add_func("/preload/maps/without-file", test_without_file);
  g_test_add_func("/preload/maps/others", test_others);
  g_test_add_func("/preload/maps/own", test_own);
  g_test_add_func("/preload/maps/many", test_many);
  return g_test_run();
}
