/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ring as a program sees it: this test is the program, honest and not. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/sources/syscap-ring.h"

#define FRAME 24

typedef struct {
  RecordingSyscapRing *ring;
  int fd;
  gsize size;
  guint32 *header; /* head, tail, offset, size */
  guint8 *body;
  guint32 body_size;
  RecordingSyscapRound round;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
  struct stat status;

  f->ring = recording_syscap_ring_new(42, &f->fd);
  g_assert_nonnull(f->ring);
  g_assert_cmpint(fstat(f->fd, &status), ==, 0);
  f->size = (gsize)status.st_size;
  f->header = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
  g_assert_true(f->header != MAP_FAILED);
  f->body = (guint8 *)f->header + f->header[2];
  f->body_size = f->header[3];
  g_assert_cmpuint(f->header[2] + f->body_size, ==, f->size);
  f->round.frames = g_byte_array_new();
}

static void tear_down(Fixture *f, gconstpointer data)
{
  if (f->header)
    munmap(f->header, f->size);
  if (f->fd >= 0)
    close(f->fd);
  recording_syscap_ring_free(f->ring);
  g_byte_array_unref(f->round.frames);
}

/* A frame of that length, with a number in its time; around the ring's end where it comes to that. */
static void write_frame(Fixture *f, guint16 length, guint8 type, guint64 number)
{
  guint8 frame[512] = {0};
  guint32 tail = f->header[1];

  memcpy(frame, &length, sizeof length);
  memcpy(frame + 8, &number, sizeof number);
  frame[16] = type;
  for (guint32 i = 0; i < length; i++)
    f->body[(tail + i) % f->body_size] = frame[i];
  __atomic_store_n(&f->header[1], (tail + length) % f->body_size, __ATOMIC_RELEASE);
}

static void take(Fixture *f)
{
  g_byte_array_set_size(f->round.frames, 0);
  recording_syscap_ring_take(f->ring, &f->round);
}

/* More than once around, in pieces whose length does not divide the ring's. */
static void test_around(Fixture *f, gconstpointer data)
{
  guint64 number = 0, expected = 0;

  for (guint round = 0; round < 40; round++) {
    for (guint i = 0; i < 100; i++)
      write_frame(f, 152 + 8 * (i % 7), 10, number++);
    take(f);
    g_assert_cmpuint(f->header[0], ==, f->header[1]);
    for (guint at = 0; at < f->round.frames->len;) {
      guint16 length;
      guint64 found;
      memcpy(&length, f->round.frames->data + at, sizeof length);
      memcpy(&found, f->round.frames->data + at + 8, sizeof found);
      g_assert_cmpuint(found, ==, expected++);
      at += length;
    }
  }
  g_assert_cmpuint(expected, ==, 4000);
  g_assert_false(f->round.damaged || f->round.crowded || f->round.finished);
}

static void test_finished(Fixture *f, gconstpointer data)
{
  write_frame(f, FRAME, 10, 1);
  write_frame(f, FRAME, 0xff, 2);
  take(f);
  g_assert_true(f->round.finished);
  g_assert_cmpuint(f->round.frames->len, ==, FRAME);
}

static void test_crowded(Fixture *f, gconstpointer data)
{
  for (guint32 used = 0; used + 512 < f->body_size; used += 504)
    write_frame(f, 504, 10, used);
  take(f);
  g_assert_true(f->round.crowded);
  g_assert_false(f->round.damaged);
}

/* Frames up to the first that makes no sense are kept; then it goes on with what is written later. */
static void test_garbage(Fixture *f, gconstpointer data)
{
  static const guint16 lengths[] = {0, 8, 23, 25, 65528};

  for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
    f->round.damaged = FALSE;
    write_frame(f, FRAME, 10, 1);
    guint32 bad = f->header[1];
    write_frame(f, FRAME, 10, 2);
    memcpy(f->body + bad, &lengths[i], sizeof lengths[i]);
    take(f);
    g_assert_true(f->round.damaged);
    g_assert_cmpuint(f->round.frames->len, ==, FRAME);
    write_frame(f, FRAME, 10, 3);
    take(f);
    g_assert_cmpuint(f->round.frames->len, ==, FRAME);
  }
}

/* What the program makes of head, tail, offset and size does not matter to who reads. */
static void test_lies(Fixture *f, gconstpointer data)
{
  const guint32 tails[] = {f->body_size, f->body_size + 8, G_MAXUINT32, 4, 1u << 31};

  write_frame(f, FRAME, 10, 1);
  f->header[0] = 12345;
  f->header[2] = f->header[3] = G_MAXUINT32;
  take(f);
  g_assert_cmpuint(f->round.frames->len, ==, FRAME);
  for (guint i = 0; i < G_N_ELEMENTS(tails); i++) {
    f->round.damaged = FALSE;
    f->header[1] = tails[i];
    take(f);
    g_assert_true(f->round.damaged);
    g_assert_cmpuint(f->round.frames->len, ==, 0);
  }
}

static void test_random(Fixture *f, gconstpointer data)
{
  for (guint round = 0; round < 3000; round++) {
    for (guint i = 0; i < 64; i++)
      f->body[g_test_rand_int_range(0, (gint32)f->body_size)] = (guint8)g_test_rand_int();
    f->header[1] = (guint32)g_test_rand_int_range(0, (gint32)f->body_size / 8) * 8;
    take(f);
    g_assert_cmpuint(f->round.frames->len, <, f->body_size);
    g_assert_cmpuint(f->round.frames->len % 8, ==, 0);
  }
}

/* Neither what is open nor what is only mapped is abandoned; what is neither is. And nobody makes it shorter.
 */
static void test_abandoned(Fixture *f, gconstpointer data)
{
  g_assert_false(recording_syscap_ring_is_abandoned(f->ring));
  g_assert_cmpint(ftruncate(f->fd, 0), ==, -1);
  close(f->fd);
  f->fd = -1;
  g_assert_false(recording_syscap_ring_is_abandoned(f->ring));
  munmap(f->header, f->size);
  f->header = NULL;
  g_assert_true(recording_syscap_ring_is_abandoned(f->ring));
}

static void test_file_header(void)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  const guint32 magic = 0xfdca975e;

  recording_syscap_append_header(bytes, 5);
  g_assert_cmpuint(bytes->len, ==, 256);
  g_assert_cmpmem(bytes->data, 4, &magic, 4);
}

#define ADD(path, function)                                                                                  \
  g_test_add("/recording/syscap-ring/" path, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("around", test_around);
  ADD("finished", test_finished);
  ADD("crowded", test_crowded);
  ADD("garbage", test_garbage);
  ADD("lies", test_lies);
  ADD("random", test_random);
  ADD("abandoned", test_abandoned);
  g_test_add_func("/recording/syscap-ring/file-header", test_file_header);
  return g_test_run();
}
