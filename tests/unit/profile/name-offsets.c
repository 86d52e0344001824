/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the functions of file offsets, for tests that compare them with other programs: `name-offsets FILE`
 * reads one hexadecimal offset a line, ascending, and answers "OFFSET LINKAGE-NAME" or "OFFSET". */
#include <stdio.h>

#include "profile/profile-namer.h"

int main(int argc, char **argv)
{
  ProfileNamer namer = {.same_boot = TRUE};
  ProfileBinary binary = {.path = argc > 1 ? argv[1] : ""};
  g_autoptr(GArray) offsets = g_array_new(FALSE, FALSE, sizeof(guint64));
  g_autoptr(ProfileFunctionTable) table = NULL;
  unsigned long long offset;

  if (g_str_equal(binary.path, "[vdso]"))
    binary.flags = CAPTURE_BINARY_VDSO;
  while (scanf("%llx", &offset) == 1) {
    guint64 value = offset;
    g_array_append_val(offsets, value);
  }
  table = profile_namer_name_binary(&namer, &binary, (guint64 *)(gpointer)offsets->data, offsets->len);
  for (guint i = 0; i < offsets->len; i++) {
    const ProfileFunctionRange *range;

    offset = g_array_index(offsets, guint64, i);
    range = profile_function_table_lookup(table, offset);
    if (range)
      printf("%llx %s\n", offset, range->linkage_name);
    else
      printf("%llx\n", offset);
  }
  return 0;
}
