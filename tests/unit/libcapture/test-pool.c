/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Neither end of a pool can harm the other, and nothing that was committed gets lost. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcapture/pool/capture-pool-private.h"
#include "libcapture/pool/capture-pool.h"

#define PAGE 4096u

static const struct capture_window_header samples_fill = {
    .kind = CAPTURE_WINDOW_SAMPLES, .epoch = 3, .event = 2, .entry_size = 16, .time_first = 77, .weight = 5};
static const struct capture_window_header dictionary_fill = {.kind = CAPTURE_WINDOW_DICTIONARY, .epoch = 3};

/* What a tap handed over. */
typedef struct {
  GArray *headers; /* struct capture_window_header */
  GByteArray *bytes;
  int fail_after; /* pieces; < 0 never */
} Taken;

static int collect(const struct capture_taken *taken, void *data)
{
  Taken *t = data;

  if (t->fail_after >= 0 && t->headers->len == (guint)t->fail_after)
    return -EIO;
  g_array_append_val(t->headers, taken->header);
  g_byte_array_append(t->bytes, taken->content, taken->header.length);
  return 0;
}

static const struct capture_window_header *piece(const Taken *t, guint i)
{
  g_assert_cmpuint(i, <, t->headers->len);
  return &g_array_index(t->headers, struct capture_window_header, i);
}

typedef struct {
  capture_pool *pool;
  capture_tap *tap;
  struct capture_pool_control *control; /* as a hostile consumer has it */
  Taken taken;
} Fixture;

static void set_up(Fixture *f, gconstpointer count)
{
  const struct capture_pool_options options = {
      .size = sizeof options, .window_size = PAGE, .window_count = GPOINTER_TO_UINT(count)};

  g_assert_cmpint(capture_pool_create(&f->pool, &options), ==, 0);
  g_assert_cmpint(
      capture_tap_open(&f->tap, capture_pool_windows_fd(f->pool), capture_pool_control_fd(f->pool)), ==, 0);
  f->control = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, capture_pool_control_fd(f->pool), 0);
  g_assert_true(f->control != MAP_FAILED);
  f->taken = (Taken){g_array_new(FALSE, FALSE, sizeof(struct capture_window_header)), g_byte_array_new(), -1};
}

static void tear_down(Fixture *f, gconstpointer count)
{
  munmap(f->control, PAGE);
  capture_tap_close(f->tap);
  capture_pool_destroy(f->pool);
  g_array_unref(f->taken.headers);
  g_byte_array_unref(f->taken.bytes);
}

static void put(Fixture *f, struct capture_slot *slot, const char *text)
{
  uint32_t length = (uint32_t)strlen(text);

  memcpy(slot->content + slot->committed, text, length);
  capture_pool_commit(f->pool, slot, slot->committed + length);
}

static void assert_not_writable(int fd)
{
  g_assert_true(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
  g_assert_cmpint(pwrite(fd, "x", 1, 0), ==, -1);
  g_assert_cmpint(ftruncate(fd, 0), ==, -1);
  g_assert_cmpint(ftruncate(fd, PAGE * 1000), ==, -1);
  g_assert_cmpint(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE), ==, -1);
  g_assert_cmpint(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), ==, -1);
}

/* No way leads to a window for writing: not the descriptor, not another one to the same file. */
static void test_seals(Fixture *f, gconstpointer count)
{
  int fd = capture_pool_windows_fd(f->pool);
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
  struct capture_slot slot;
  struct stat st;
  void *map;
  int again;

  g_assert_cmpint(capture_pool_claim(f->pool, &samples_fill, &slot), ==, 0);
  put(f, &slot, "content");
  assert_not_writable(fd);
  again = open(path, O_RDWR | O_CLOEXEC);
  if (again >= 0) { /* root is not held back by the mode */
    assert_not_writable(again);
    close(again);
  }
  g_assert_cmpint(fstat(fd, &st), ==, 0);
  g_assert_cmpint(st.st_mode & 0777, ==, 0400);
  map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
  g_assert_true(map != MAP_FAILED);
  g_assert_cmpint(mprotect(map, PAGE, PROT_READ | PROT_WRITE), ==, -1);
  munmap(map, PAGE);
  g_assert_cmpmem(slot.content, 7, "content", 7);
}

static int plain_memfd(size_t size, int seals)
{
  int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  g_assert_cmpint(ftruncate(fd, (off_t)size), ==, 0);
  g_assert_cmpint(fcntl(fd, F_ADD_SEALS, seals), ==, 0);
  return fd;
}

static int open_tap(int windows_fd, int control_fd)
{
  capture_tap *tap = NULL;
  int r = capture_tap_open(&tap, windows_fd, control_fd);

  g_assert_true((r == 0) == (tap != NULL));
  capture_tap_close(tap);
  return r;
}

static void test_hostile_producer_memfds(Fixture *f, gconstpointer count)
{
  int windows = capture_pool_windows_fd(f->pool), control = capture_pool_control_fd(f->pool);
  int unsealed = plain_memfd(4 * PAGE, F_SEAL_SHRINK);
  int short_windows = plain_memfd(3 * PAGE, CAPTURE_WINDOWS_SEALS);
  int empty_control = plain_memfd(PAGE, CAPTURE_CONTROL_SEALS);
  int short_control = plain_memfd(100, CAPTURE_CONTROL_SEALS);
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

  g_assert_cmpint(open_tap(windows, control), ==, 0);
  g_assert_cmpint(open_tap(unsealed, control), ==, -EPERM);
  g_assert_cmpint(open_tap(file, control), ==, -EPERM);
  g_assert_cmpint(open_tap(windows, unsealed), ==, -EPERM);
  g_assert_cmpint(open_tap(short_windows, control), ==, -EBADMSG);
  g_assert_cmpint(open_tap(windows, empty_control), ==, -EBADMSG);
  g_assert_cmpint(open_tap(windows, short_control), ==, -EBADMSG);
  g_assert_cmpint(open_tap(-1, control), ==, -EBADF);
  close(unsealed);
  close(short_windows);
  close(empty_control);
  close(short_control);
  close(file);
}

static void test_options(void)
{
  const struct capture_pool_options odd = {.size = sizeof odd, .window_size = 5000};
  const struct capture_pool_options many = {.size = sizeof many, .window_count = CAPTURE_POOL_SLOTS_MAX + 1};
  capture_pool *pool = NULL;

  g_assert_cmpint(capture_pool_create(&pool, &odd), ==, -EINVAL);
  g_assert_cmpint(capture_pool_create(&pool, &many), ==, -EINVAL);
  g_assert_null(pool);
  g_assert_cmpint(capture_pool_create(&pool, NULL), ==, 0);
  g_assert_cmpuint(capture_pool_free_windows(pool), ==, 128);
  capture_pool_destroy(pool);
}

static void test_pieces(Fixture *f, gconstpointer count)
{
  struct capture_slot slot;

  g_assert_cmpint(capture_pool_claim(f->pool, &samples_fill, &slot), ==, 0);
  g_assert_cmpuint(slot.capacity, ==, PAGE - sizeof *slot.header);
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 0);
  put(f, &slot, "first ");
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 6);
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 0);
  put(f, &slot, "second ");
  put(f, &slot, "third");
  capture_pool_close(f->pool, &slot);
  g_assert_null(slot.header);
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 12);
  g_assert_cmpmem(f->taken.bytes->data, f->taken.bytes->len, "first second third", 18);
  g_assert_cmpuint(f->taken.headers->len, ==, 2);
  g_assert_cmpuint(piece(&f->taken, 0)->flags, ==, 0);
  g_assert_cmpuint(piece(&f->taken, 1)->flags, ==, CAPTURE_WINDOW_CLOSED);
  g_assert_cmpuint(piece(&f->taken, 1)->start, ==, 6);
  g_assert_cmpuint(piece(&f->taken, 1)->length, ==, 12);
  g_assert_cmpuint(piece(&f->taken, 1)->weight, ==, 5);
  g_assert_cmpuint(piece(&f->taken, 1)->time_first, ==, 77);
  g_assert_cmpuint(piece(&f->taken, 1)->epoch, ==, 3);
  g_assert_cmpuint(piece(&f->taken, 1)->stream, ==, 0);
}

/* A window closed after all of it was taken still tells that it is closed; one without content says nothing.
 */
static void test_closed_late(Fixture *f, gconstpointer count)
{
  struct capture_slot slot, empty;

  capture_pool_claim(f->pool, &samples_fill, &slot);
  capture_pool_claim(f->pool, &samples_fill, &empty);
  put(f, &slot, "all");
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 3);
  capture_pool_close(f->pool, &slot);
  capture_pool_close(f->pool, &empty);
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 0);
  g_assert_cmpuint(f->taken.headers->len, ==, 2);
  g_assert_cmpuint(piece(&f->taken, 1)->flags, ==, CAPTURE_WINDOW_CLOSED);
  g_assert_cmpuint(piece(&f->taken, 1)->length, ==, 0);
  g_assert_cmpuint(capture_pool_free_windows(f->pool), ==, GPOINTER_TO_UINT(count));
}

static void test_full(Fixture *f, gconstpointer count)
{
  struct capture_slot slots[4], another;

  for (guint i = 0; i < 4; i++) {
    g_assert_cmpuint(capture_pool_free_windows(f->pool), ==, 4 - i);
    g_assert_cmpint(capture_pool_claim(f->pool, &samples_fill, &slots[i]), ==, 0);
    put(f, &slots[i], "x");
  }
  g_assert_cmpint(capture_pool_claim(f->pool, &samples_fill, &another), ==, -EAGAIN);
  capture_pool_close(f->pool, &slots[2]);
  g_assert_cmpint(capture_pool_claim(f->pool, &samples_fill, &another), ==, -EAGAIN);
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 4);
  g_assert_cmpint(capture_pool_claim(f->pool, &dictionary_fill, &another), ==, 0);
  g_assert_cmpuint(another.index, ==, slots[2].index);
  put(f, &another, "y");
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 1);
  g_assert_cmpuint(piece(&f->taken, 4)->kind, ==, CAPTURE_WINDOW_DICTIONARY);
  g_assert_cmpuint(piece(&f->taken, 4)->start, ==, 0);
}

static void test_turns(Fixture *f, gconstpointer count)
{
  for (guint i = 0; i < 1000; i++) {
    struct capture_slot slot;

    g_assert_cmpint(capture_pool_claim(f->pool, &samples_fill, &slot), ==, 0);
    memcpy(slot.content, &i, sizeof i);
    capture_pool_commit(f->pool, &slot, sizeof i);
    capture_pool_close(f->pool, &slot);
    g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, sizeof i);
    g_assert_cmpuint(((guint *)f->taken.bytes->data)[i], ==, i);
    g_assert_cmpuint(piece(&f->taken, i)->sequence, ==, i + 1);
  }
}

/* No value of the consumer's makes the producer give a window to two users. */
static void test_hostile_consumer(Fixture *f, gconstpointer count)
{
  struct capture_slot slots[4], another;

  for (guint i = 0; i < 4; i++)
    capture_pool_claim(f->pool, &samples_fill, &slots[i]);
  for (guint i = 0; i < 4; i++)
    f->control->released[i] = 1;
  g_assert_cmpint(capture_pool_claim(f->pool, &samples_fill, &another), ==, -EAGAIN);
  for (guint i = 0; i < 4; i++)
    capture_pool_close(f->pool, &slots[i]);
  for (guint i = 0; i < 4; i++)
    f->control->released[i] = i == 0 ? 0 : i == 1 ? 2 : i == 2 ? UINT32_MAX : 0x80000001;
  g_assert_cmpint(capture_pool_claim(f->pool, &samples_fill, &another), ==, -EAGAIN);
  g_assert_cmpuint(capture_pool_free_windows(f->pool), ==, 0);
  memset(f->control, 0xff, offsetof(struct capture_pool_control, released));
  f->control->released[3] = 1;
  g_assert_cmpint(capture_pool_claim(f->pool, &samples_fill, &another), ==, 0);
  g_assert_cmpuint(another.index, ==, 3);
}

/* Lengths beyond the window, lengths that shrink, and windows that only a collector may write. */
static void test_hostile_producer(Fixture *f, gconstpointer count)
{
  static const uint16_t forbidden[] = {CAPTURE_WINDOW_META, CAPTURE_WINDOW_INDEX, CAPTURE_WINDOW_FOOTER};
  struct capture_slot slot;

  capture_pool_claim(f->pool, &samples_fill, &slot);
  capture_pool_commit(f->pool, &slot, UINT32_MAX);
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, PAGE - sizeof *slot.header);
  capture_pool_commit(f->pool, &slot, 8);
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS(forbidden); i++) {
    const struct capture_window_header fill = {.kind = forbidden[i]};

    capture_pool_claim(f->pool, &fill, &slot);
    put(f, &slot, "x");
    g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, -EBADMSG);
  }
  g_assert_cmpuint(f->taken.headers->len, ==, 1);
}

static void test_order(Fixture *f, gconstpointer count)
{
  struct capture_slot samples[2], dictionary;

  capture_pool_claim(f->pool, &samples_fill, &samples[0]);
  capture_pool_claim(f->pool, &samples_fill, &samples[1]);
  capture_pool_claim(f->pool, &dictionary_fill, &dictionary);
  put(f, &samples[1], "2");
  put(f, &dictionary, "0");
  put(f, &samples[0], "1");
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 3);
  g_assert_cmpmem(f->taken.bytes->data, f->taken.bytes->len, "012", 3);
}

static void test_failed_round(Fixture *f, gconstpointer count)
{
  struct capture_slot slots[3];

  for (guint i = 0; i < 3; i++) {
    capture_pool_claim(f->pool, &samples_fill, &slots[i]);
    put(f, &slots[i], i == 0 ? "a" : i == 1 ? "b" : "c");
    capture_pool_close(f->pool, &slots[i]);
  }
  f->taken.fail_after = 1;
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, -EIO);
  g_assert_cmpuint(capture_pool_free_windows(f->pool), ==, 2);
  f->taken.fail_after = -1;
  g_assert_cmpint(capture_tap_take(f->tap, collect, &f->taken), ==, 2);
  g_assert_cmpmem(f->taken.bytes->data, f->taken.bytes->len, "abc", 3);
}

/* A program whose files may not be long is not ended by the signal that says so. */
static void test_short_files(void)
{
  const struct rlimit limit = {.rlim_cur = 1 << 16, .rlim_max = 1 << 16};
  const struct capture_pool_options fits = {.size = sizeof fits, .window_size = PAGE, .window_count = 16};
  capture_pool *pool;
  int status;
  pid_t pid = fork();

  g_assert_cmpint(pid, >=, 0);
  if (pid == 0) {
    bool is_right = setrlimit(RLIMIT_FSIZE, &limit) == 0 && capture_pool_create(&pool, NULL) == -EFBIG &&
                    capture_pool_create(&pool, &fits) == 0;

    _exit(is_right ? 0 : 1);
  }
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_cmpint(status, ==, 0);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*test)(Fixture *f, gconstpointer count);
  } tests[] = {{"seals", test_seals},
               {"hostile-producer-memfds", test_hostile_producer_memfds},
               {"pieces", test_pieces},
               {"closed-late", test_closed_late},
               {"full", test_full},
               {"turns", test_turns},
               {"hostile-consumer", test_hostile_consumer},
               {"hostile-producer", test_hostile_producer},
               {"order", test_order},
               {"failed-round", test_failed_round}};

  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/libcapture/pool/options", test_options);
  g_test_add_func("/libcapture/pool/short-files", test_short_files);
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_autofree char *path = g_strconcat("/libcapture/pool/", tests[i].name, NULL);

    g_test_add(path, Fixture, GUINT_TO_POINTER(4), set_up, tests[i].test, tear_down);
  }
  return g_test_run();
}
