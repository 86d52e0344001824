/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/sources/jitdumps.h"

#include <string.h>
#include <unistd.h>

#include "recording/collect/foreign.h"

#define MAX_FILES  4096
#define LENGTH_MAX (G_GUINT64_CONSTANT(1) << 30)
#define MAGIC      0x4a695444u

typedef struct {
  char *path;
  gint32 pid;
  guint64 device;
  guint64 inode;
} Jitdump;

struct _RecordingJitdumps {
  GArray *files; /* of Jitdump */
};

static void jitdump_clear(gpointer data)
{
  g_free(((Jitdump *)data)->path);
}

RecordingJitdumps *recording_jitdumps_new(void)
{
  RecordingJitdumps *self = g_new(RecordingJitdumps, 1);

  self->files = g_array_new(FALSE, FALSE, sizeof(Jitdump));
  g_array_set_clear_func(self->files, jitdump_clear);
  return self;
}

void recording_jitdumps_free(RecordingJitdumps *self)
{
  g_array_unref(self->files);
  g_free(self);
}

static gboolean is_called_jitdump(const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;

  if (!g_str_has_prefix(name, "jit-") || !g_ascii_isdigit(name[strlen("jit-")]))
    return FALSE;
  name += strlen("jit-");
  return strcmp(name + strspn(name, "0123456789"), ".dump") == 0;
}

/* A process that forks has its parent's mapping, and a stream defines a binary in each epoch anew. */
static gboolean is_known(RecordingJitdumps *self, const struct capture_record_binary *binary,
                         const char *path)
{
  for (guint i = 0; i < self->files->len; i++) {
    const Jitdump *known = &g_array_index(self->files, Jitdump, i);
    if (known->device == binary->device && known->inode == binary->inode && strcmp(known->path, path) == 0)
      return TRUE;
  }
  return FALSE;
}

void recording_jitdumps_see(RecordingJitdumps *self, gint32 pid, const char *path,
                            const struct capture_record_binary *binary)
{
  if (!path || !is_called_jitdump(path) || self->files->len >= MAX_FILES || is_known(self, binary, path))
    return;

  Jitdump jitdump = {.path = g_strdup(path), .pid = pid, .device = binary->device, .inode = binary->inode};
  g_array_append_val(self->files, jitdump);
}

static gboolean begins_as_jitdump(int fd)
{
  guint32 magic = 0;

  return pread(fd, &magic, sizeof magic, 0) == sizeof magic &&
         (magic == MAGIC || magic == GUINT32_SWAP_LE_BE_CONSTANT(MAGIC));
}

int recording_jitdumps_copy(RecordingJitdumps *self, RecordingBinaries *binaries, capture_file *file)
{
  int result = 0;

  for (guint i = 0; i < self->files->len && result == 0; i++) {
    const Jitdump *jitdump = &g_array_index(self->files, Jitdump, i);
    g_autoptr(RecordingForeign) foreign =
        recording_foreign_new(file, CAPTURE_FOREIGN_JITDUMP, jitdump->pid, jitdump->path);
    int fd = recording_binaries_open(binaries, NULL, 0, jitdump->path, jitdump->device, jitdump->inode);
    if (fd < 0)
      continue;
    if (begins_as_jitdump(fd))
      result = recording_foreign_copy(foreign, fd, 0, LENGTH_MAX, NULL);
    close(fd);
  }
  return result;
}
