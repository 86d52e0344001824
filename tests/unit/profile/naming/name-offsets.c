/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the functions of file offsets, for tests that compare them with other programs: `name-offsets FILE`
 * reads one hexadecimal offset a line, ascending, and answers "OFFSET LINKAGE-NAME" or "OFFSET". FILE may be
 * [kernel]. */
#include <stdio.h>
#include <string.h>

#include "profile/elf/kallsyms.h"
#include "profile/naming/namer.h"

static void print(guint64 offset, const char *name, gsize length)
{
  printf("%" G_GINT64_MODIFIER "x%s%.*s\n", offset, length ? " " : "", (int)length, name);
}

static void name_kernel(const GArray *addresses)
{
  g_autoptr(ProfileKallsyms) kallsyms = profile_kallsyms_new_running(FALSE, NULL);

  for (guint i = 0; i < addresses->len; i++) {
    guint64 address = g_array_index(addresses, guint64, i);
    ProfileKallsym symbol = {0};

    profile_kallsyms_lookup(kallsyms, address, &symbol);
    print(address, symbol.name_length ? symbol.name : "", symbol.name_length);
  }
}

static void name_file(const char *path, const GArray *offsets)
{
  ProfileNamer namer = {0};
  ProfileBinary binary = {.path = path};
  g_autoptr(ProfileFunctionTable) table = profile_namer_name_binary(
      &namer, &binary, (guint64 *)(gpointer)offsets->data, offsets->len, NULL, NULL, NULL);

  for (guint i = 0; i < offsets->len; i++) {
    guint64 offset = g_array_index(offsets, guint64, i);
    const ProfileFunctionRange *range = profile_function_table_lookup(table, offset);

    print(offset, range ? range->linkage_name : "", range ? strlen(range->linkage_name) : 0);
  }
}

int main(int argc, char **argv)
{
  g_autoptr(GArray) offsets = g_array_new(FALSE, FALSE, sizeof(guint64));
  char line[64];

  while (fgets(line, sizeof line, stdin)) {
    guint64 offset = g_ascii_strtoull(line, NULL, 16);

    g_array_append_val(offsets, offset);
  }
  if (argc == 2 && g_str_equal(argv[1], "[kernel]"))
    name_kernel(offsets);
  else if (argc == 2)
    name_file(argv[1], offsets);
  return argc == 2 ? 0 : 2;
}
