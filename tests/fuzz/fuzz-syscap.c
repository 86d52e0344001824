/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports any bytes as a .syscap. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/import/syscap-import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  const ProfileInput input = {.name = (char *)"fuzz", .bytes = data, .size = size};
  int out = memfd_create("capture", MFD_CLOEXEC);
  ProfileImportResult result = {0};

  if (profile_syscap_import(&input, out, NULL, &result, &error))
    g_free(result.warning);
  else if (!error || !*error->message)
    abort();
  close(out);
  return 0;
}
