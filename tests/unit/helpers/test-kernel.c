/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The build-id of a module, from notes where the kernel has them. */
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <glib.h>

#include "helpers/kernel.h"
#include "tests/unit/run-shell.h"

static gboolean own_modules(void)
{
  return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("none", "/sys/module", "tmpfs", 0, NULL) == 0;
}

static void test_module(void)
{
  uint8_t build_id[20], cut[4];
  g_autofree char *said = NULL, *printed = g_strnfill(40, '0');

  if (!own_modules()) {
    g_test_skip("needs root");
    return;
  }
  said = run_shell(
      "/sys/module",
      "mkdir -p some/notes empty/notes; : > empty/notes/.note.gnu.build-id; cd some; echo 'int x;' > m.c; "
      "gcc -c m.c; ld -r --build-id -o m.ko m.o; "
      "objcopy -O binary -j .note.gnu.build-id --set-section-flags .note.gnu.build-id=alloc m.ko "
      "notes/.note.gnu.build-id; readelf -n m.ko | sed -n 's/.*Build ID: //p' | tr -d '\\n'");
  g_assert_cmpuint(kernel_read_module_build_id("some", build_id, sizeof build_id), ==, 20);
  for (guint i = 0; i < sizeof build_id; i++)
    g_snprintf(printed + 2 * i, 3, "%02x", build_id[i]);
  g_assert_cmpstr(printed, ==, said);
  g_assert_cmpuint(kernel_read_module_build_id("some", cut, sizeof cut), ==, 4);
  g_assert_cmpmem(cut, sizeof cut, build_id, 4);
  g_assert_cmpuint(kernel_read_module_build_id("empty", build_id, sizeof build_id), ==, 0);
  g_assert_cmpuint(kernel_read_module_build_id("none", build_id, sizeof build_id), ==, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/kernel/module", test_module);
  return g_test_run();
}
