/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/sources/syscap-ring.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording/common/descriptor-private.h"

/* Sysprof's own is a quarter of that, but is read more often. */
#define BODY_SIZE  (512u << 10)
#define FRAME_MIN  24u
#define FRAME_LAST 0xff /* a type that no frame of a file has: the thread ends */

#define FILE_MAGIC 0xfdca975eu

/* As they stand in the ring and in files. */
struct ring_header {
  guint32 head;
  guint32 tail;
  guint32 offset;
  guint32 size;
};

struct syscap_frame {
  guint16 length;
  gint16 cpu;
  gint32 pid;
  gint64 time;
  guint8 type;
  guint8 padding[7];
};

struct syscap_file_header {
  guint32 magic;
  guint8 version;
  guint8 little_endian;
  guint8 padding[2];
  char capture_time[64];
  gint64 time;
  gint64 end_time;
  char suffix[168];
};

G_STATIC_ASSERT(sizeof(struct syscap_frame) == FRAME_MIN);
G_STATIC_ASSERT(sizeof(struct syscap_file_header) == 256);

struct _RecordingSyscapRing {
  gint32 pid;
  int fd; /* an opening that the program does not have */
  struct ring_header *header;
  const guint8 *body;
  gsize mapped;
  guint32 head;
};

/* What is given away is the only other opening: the one that a memfd comes with is counted by nobody. */
static int make_memory(gsize size, int *ret_descriptor)
{
  int memory = memfd_create("capture-syscap-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  int fd = -1;

  if (memory >= 0 && ftruncate(memory, (off_t)size) == 0 &&
      fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    fd = recording_descriptor_reopen(memory);
  *ret_descriptor = fd >= 0 ? recording_descriptor_reopen(memory) : -1;
  if (memory >= 0)
    close(memory);
  if (*ret_descriptor < 0 && fd >= 0) {
    close(fd);
    return -1;
  }
  return fd;
}

RecordingSyscapRing *recording_syscap_ring_new(gint32 pid, int *ret_descriptor)
{
  gsize page = (gsize)sysconf(_SC_PAGESIZE);
  int descriptor;
  int fd = make_memory(page + BODY_SIZE, &descriptor);
  void *map = fd >= 0 ? mmap(NULL, page + BODY_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

  if (map == MAP_FAILED) {
    if (fd >= 0) {
      close(fd);
      close(descriptor);
    }
    return NULL;
  }
  RecordingSyscapRing *self = g_new(RecordingSyscapRing, 1);
  *self = (RecordingSyscapRing){
      .pid = pid, .fd = fd, .header = map, .body = (const guint8 *)map + page, .mapped = page + BODY_SIZE};
  *self->header = (struct ring_header){.offset = (guint32)page, .size = BODY_SIZE};
  *ret_descriptor = descriptor;
  return self;
}

void recording_syscap_ring_free(RecordingSyscapRing *self)
{
  munmap(self->header, self->mapped);
  close(self->fd);
  g_free(self);
}

gint32 recording_syscap_ring_get_pid(const RecordingSyscapRing *self)
{
  return self->pid;
}

/* Out of memory that may change meanwhile. */
static guint8 *copy_out(const RecordingSyscapRing *self, guint32 length)
{
  guint8 *copy = g_malloc(length);
  guint32 first = MIN(length, BODY_SIZE - self->head);

  memcpy(copy, self->body + self->head, first);
  memcpy(copy + first, self->body, length - first);
  return copy;
}

/* How many bytes of whole frames stand at the beginning. */
static guint32 measure_frames(const guint8 *bytes, guint32 length, RecordingSyscapRound *round)
{
  guint32 at = 0;

  while (at < length) {
    struct syscap_frame frame;
    if (length - at < FRAME_MIN) {
      round->damaged = TRUE;
      break;
    }
    memcpy(&frame, bytes + at, sizeof frame);
    if (frame.length < FRAME_MIN || frame.length % 8 != 0 || frame.length > length - at) {
      round->damaged = TRUE;
      break;
    }
    if (frame.type == FRAME_LAST) {
      round->finished = TRUE;
      break;
    }
    at += frame.length;
  }
  return at;
}

void recording_syscap_ring_take(RecordingSyscapRing *self, RecordingSyscapRound *round)
{
  guint32 tail = __atomic_load_n(&self->header->tail, __ATOMIC_ACQUIRE);

  if (tail == self->head)
    return;
  if (tail >= BODY_SIZE || tail % 8 != 0) {
    round->damaged = round->finished = TRUE;
    return;
  }
  guint32 length = tail > self->head ? tail - self->head : BODY_SIZE - self->head + tail;
  g_autofree guint8 *bytes = copy_out(self, length);
  round->crowded |= length > BODY_SIZE / 4 * 3;
  g_byte_array_append(round->frames, bytes, measure_frames(bytes, length, round));
  self->head = tail;
  __atomic_store_n(&self->header->head, tail, __ATOMIC_RELEASE);
}

gboolean recording_syscap_ring_is_abandoned(RecordingSyscapRing *self)
{
  if (fcntl(self->fd, F_SETLEASE, F_WRLCK) < 0)
    return FALSE;
  fcntl(self->fd, F_SETLEASE, F_UNLCK);
  return TRUE;
}

void recording_syscap_append_header(GByteArray *bytes, guint64 time)
{
  struct syscap_file_header header = {.magic = FILE_MAGIC,
                                      .version = 1,
                                      .little_endian = G_BYTE_ORDER == G_LITTLE_ENDIAN,
                                      .time = (gint64)time};
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  g_autofree char *text = g_date_time_format_iso8601(now);

  g_strlcpy(header.capture_time, text, sizeof header.capture_time);
  g_byte_array_append(bytes, (const guint8 *)&header, sizeof header);
}
