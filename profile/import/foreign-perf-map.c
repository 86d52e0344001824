/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/foreign-private.h"
#include "profile/import/perf-map.h"

/* Code of time 0 stood there from the beginning; what is told later covers what was told before. */
gboolean profile_foreign_decode_perf_map(const ProfileForeign *foreign, capture_writer *writer,
                                         GError **error)
{
  ProfileBytes bytes = {.at = foreign->bytes, .end = foreign->bytes + foreign->length};
  ProfileForeignCode code = {.writer = writer, .pid = foreign->pid};
  ProfilePerfMapLine line;
  int status = 0;

  while (status == 0 && profile_perf_map_next(&bytes, &line)) {
    const ProfileForeignPiece piece = {
        .start = line.start, .length = line.length, .name = line.name, .name_length = line.name_length};

    status = profile_foreign_add_code(&code, &piece);
  }
  return status == 0 || profile_foreign_fail(foreign, status, error);
}
