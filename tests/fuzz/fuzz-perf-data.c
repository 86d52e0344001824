/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports any bytes as a perf.data. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/import/perf-data-import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void import(const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfilePerfData) perf = profile_perf_data_open(path, &error);
  int out = memfd_create("capture", MFD_CLOEXEC);
  ProfileImportResult result = {0};

  if (perf && profile_perf_import(perf, out, NULL, &result, &error))
    g_free(result.warning);
  else if (!error || !*error->message)
    abort();
  close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  int in = memfd_create("perf.data", MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", in);

  if (write(in, data, size) == (ssize_t)size)
    import(path);
  close(in);
  return 0;
}
