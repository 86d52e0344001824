/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/sources/syscap-trace.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/collect/foreign.h"
#include "recording/common/descriptor-private.h"

/* Of one round; the rest waits, so that others have theirs. */
#define ROUND_MAX (G_GUINT64_CONSTANT(16) << 20)

struct _RecordingSyscapTrace {
  char *variable;
  int descriptor; /* the command's, which tells how far it wrote */
  int fd;         /* another opening, so that no offset is shared */
  guint64 copied;
  guint64 returned;     /* up to where its memory was given back */
  gboolean begun_again; /* so that what stands behind the shared offset is older */
  RecordingForeign *foreign;
};

RecordingSyscapTrace *recording_syscap_trace_new(const char *variable)
{
  g_autoptr(RecordingSyscapTrace) self = g_new0(RecordingSyscapTrace, 1);

  self->variable = g_strdup(variable);
  self->fd = -1;
  self->descriptor =
      recording_descriptor_move_up(memfd_create("capture-syscap", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (self->descriptor < 0 || fcntl(self->descriptor, F_ADD_SEALS, F_SEAL_SHRINK) < 0)
    return NULL;
  self->fd = recording_descriptor_reopen(self->descriptor);
  return self->fd < 0 ? NULL : g_steal_pointer(&self);
}

const char *recording_syscap_trace_get_variable(const RecordingSyscapTrace *self)
{
  return self->variable;
}

int recording_syscap_trace_get_descriptor(const RecordingSyscapTrace *self)
{
  return self->descriptor;
}

/* Zeroes what was copied, so that something there is news. The memory of a last page that is not whole goes
 * the next time. */
static void give_back(RecordingSyscapTrace *self)
{
  if (self->copied > self->returned)
    fallocate(self->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)self->returned,
              (off_t)(self->copied - self->returned));
  self->returned = self->copied - self->copied % (guint64)sysconf(_SC_PAGESIZE);
}

/* A program whose library is of Sysprof 51 or newer begins at the beginning, whoever wrote before it. */
static void begin_again(RecordingSyscapTrace *self)
{
  guint8 first = 0;

  if (self->copied == 0 || pread(self->fd, &first, 1, 0) != 1 || first == 0)
    return;
  self->copied = self->returned = 0;
  self->begun_again = TRUE;
}

static guint64 find_end(const RecordingSyscapTrace *self)
{
  struct stat status;
  off_t offset = self->begun_again ? lseek(self->descriptor, 0, SEEK_CUR) : G_MAXINT64;

  return fstat(self->fd, &status) < 0 ? 0 : (guint64)CLAMP(offset, 0, status.st_size);
}

static int copy_more(RecordingSyscapTrace *self, capture_file *file, gint32 pid)
{
  guint64 end = find_end(self);

  if (end <= self->copied)
    return 0;
  if (!self->foreign)
    self->foreign = recording_foreign_new(file, CAPTURE_FOREIGN_SYSCAP, pid, self->variable);
  int result = recording_foreign_copy(self->foreign, self->fd, self->copied,
                                      MIN(end - self->copied, ROUND_MAX), &self->copied);
  give_back(self);
  return result;
}

int recording_syscap_trace_copy(RecordingSyscapTrace *self, capture_file *file, gint32 pid)
{
  begin_again(self);
  return copy_more(self, file, pid);
}

int recording_syscap_trace_end(RecordingSyscapTrace *self, capture_file *file, gint32 pid)
{
  guint64 before;
  int result;

  fcntl(self->fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  begin_again(self);
  do {
    before = self->copied;
    result = copy_more(self, file, pid);
  } while (result == 0 && self->copied > before);
  return result;
}

void recording_syscap_trace_free(RecordingSyscapTrace *self)
{
  if (self->descriptor >= 0)
    close(self->descriptor);
  if (self->fd >= 0)
    close(self->fd);
  g_clear_pointer(&self->foreign, recording_foreign_free);
  g_free(self->variable);
  g_free(self);
}
