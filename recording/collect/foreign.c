/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/collect/foreign.h"

#include <errno.h>
#include <unistd.h>

#define WINDOW_LENGTH_MAX (1u << 20)

struct _RecordingForeign {
  capture_file *file;
  enum capture_foreign kind;
  gint32 pid;
  char *name;
  guint32 stream; /* 0: none yet */
  guint32 sequence;
};

RecordingForeign *recording_foreign_new(capture_file *file, enum capture_foreign kind, gint32 pid,
                                        const char *name)
{
  RecordingForeign *self = g_new(RecordingForeign, 1);

  *self = (RecordingForeign){.file = file, .kind = kind, .pid = pid, .name = g_utf8_make_valid(name, -1)};
  return self;
}

void recording_foreign_free(RecordingForeign *self)
{
  g_free(self->name);
  g_free(self);
}

static int append_window(RecordingForeign *self, const void *bytes, gsize length)
{
  const struct capture_window_header header = {.kind = CAPTURE_WINDOW_FOREIGN,
                                               .flags = CAPTURE_WINDOW_CLOSED,
                                               .stream = self->stream,
                                               .sequence = ++self->sequence,
                                               .epoch = 1,
                                               .length = (guint32)length,
                                               .event = (guint16)self->kind};

  return capture_file_append(self->file, &header, bytes);
}

int recording_foreign_append(RecordingForeign *self, const void *bytes, gsize length)
{
  int result = 0;

  if (self->stream == 0 && length > 0) {
    int64_t stream = capture_file_add_stream(self->file, CAPTURE_STREAM_FOREIGN, self->pid, self->name);
    if (stream < 0)
      return (int)stream;
    self->stream = (guint32)stream;
  }
  for (gsize done = 0; done < length && result == 0; done += WINDOW_LENGTH_MAX)
    result = append_window(self, (const guint8 *)bytes + done, MIN(length - done, WINDOW_LENGTH_MAX));
  return result;
}

/* Where the next bytes stand: holes are those of a file that was made longer than what was written to it.
 * FALSE: there are none. */
static gboolean find_data(int fd, guint64 *offset, guint64 *ret_end)
{
  off_t data = lseek(fd, (off_t)*offset, SEEK_DATA);
  off_t hole = data >= 0 ? lseek(fd, data, SEEK_HOLE) : -1;

  if (data >= 0 && hole > data) {
    *offset = (guint64)data;
    *ret_end = (guint64)hole;
    return TRUE;
  }
  *ret_end = G_MAXINT64; /* a file system without that knowledge: reading finds the end */
  return data < 0 && errno != ENXIO;
}

int recording_foreign_copy(RecordingForeign *self, int fd, guint64 offset, guint64 limit, guint64 *ret_offset)
{
  g_autofree guint8 *buffer = g_malloc(WINDOW_LENGTH_MAX);
  guint64 end;
  int result = 0;

  while (limit > 0 && result == 0 && find_data(fd, &offset, &end)) {
    ssize_t n = pread(fd, buffer, MIN(MIN(limit, end - offset), WINDOW_LENGTH_MAX), (off_t)offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    result = recording_foreign_append(self, buffer, (gsize)n);
    offset += (guint64)n;
    limit -= (guint64)n;
  }
  if (ret_offset)
    *ret_offset = offset;
  return result;
}

gboolean recording_foreign_is_empty(const RecordingForeign *self)
{
  return self->stream == 0;
}
