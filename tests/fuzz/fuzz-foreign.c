/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes any bytes as each of the formats that captures keep verbatim, into a capture. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"
#include "profile/import/foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(enum capture_foreign kind, const uint8_t *data, size_t size)
{
  g_autoptr(GError) error = NULL;
  const struct capture_file_options options = {.size = sizeof options};
  const struct capture_file_header header = {.size = sizeof header};
  const ProfileForeign foreign = {
      .kind = kind, .pid = 1, .name = "fuzz", .bytes = data, .length = size, .header = &header};
  int out = memfd_create("capture", MFD_CLOEXEC);
  capture_file *file;
  capture_sink *sink;
  capture_writer *writer;

  if (capture_file_create(&file, out, &options) < 0 || capture_file_sink_new(&sink, file, 1, 0) < 0 ||
      capture_writer_create(&writer, sink, NULL) < 0)
    abort();
  if (!profile_foreign_decode(&foreign, writer, &error) && !*error->message)
    abort();
  if (capture_writer_destroy(writer) < 0)
    abort();
  capture_file_sink_free(sink);
  capture_file_free(file);
  close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  for (guint kind = CAPTURE_FOREIGN_SYSCAP; kind <= CAPTURE_FOREIGN_JITDUMP; kind++)
    decode(kind, data, size);
  return 0;
}
