/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets between processes: what does not fit, and who is gone. Each test counts descriptors at its end. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "tests/unit/descriptors.h"

typedef struct {
  int ends[2];
  guint n_open;
} Pair;

static void set_up(Pair *pair, gconstpointer data)
{
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair->ends), ==, 0);
  pair->n_open = count_descriptors();
}

static void tear_down(Pair *pair, gconstpointer data)
{
  g_assert_cmpuint(count_descriptors(), ==, pair->n_open);
  close(pair->ends[0]);
  close(pair->ends[1]);
}

static void send_copies(Pair *pair, const void *bytes, gsize size, gsize n)
{
  int fds[PACKET_DESCRIPTORS_MAX];

  for (gsize i = 0; i < n; i++)
    fds[i] = pair->ends[0];
  g_assert_cmpint(packet_send_many(pair->ends[0], bytes, size, fds, n, false), ==, 0);
}

static void test_numbers(Pair *pair, gconstpointer data)
{
  static const gsize numbers[] = {0, 1, 2, 3, 250, PACKET_DESCRIPTORS_MAX};
  int fds[PACKET_DESCRIPTORS_MAX];
  char bytes[8];

  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    send_copies(pair, "hello", 5, numbers[i]);
    g_assert_cmpint(packet_receive_many(pair->ends[1], bytes, sizeof bytes, fds, G_N_ELEMENTS(fds), false),
                    ==, 5);
    g_assert_cmpmem(bytes, 5, "hello", 5);
    for (gsize j = 0; j < G_N_ELEMENTS(fds); j++) {
      g_assert_cmpint(fds[j] >= 0, ==, j < numbers[i]);
      g_assert_true(fds[j] < 0 || (fcntl(fds[j], F_GETFD) == FD_CLOEXEC && close(fds[j]) == 0));
    }
  }
}

static void test_one(Pair *pair, gconstpointer data)
{
  char bytes[8];
  int fd;

  g_assert_cmpint(packet_send(pair->ends[0], "a", 1, -1, false), ==, 0);
  g_assert_cmpint(packet_send(pair->ends[0], "bc", 2, pair->ends[1], false), ==, 0);
  g_assert_cmpint(packet_receive(pair->ends[1], bytes, sizeof bytes, &fd, false), ==, 1);
  g_assert_cmpint(fd, ==, -1);
  g_assert_cmpint(packet_receive(pair->ends[1], bytes, sizeof bytes, &fd, false), ==, 2);
  g_assert_cmpint(fd, >=, 0);
  close(fd);
  g_assert_cmpint(packet_receive(pair->ends[1], bytes, sizeof bytes, &fd, false), ==, -EAGAIN);
  g_assert_cmpint(fd, ==, -1);
}

/* With every number, since alignment leaves room for one more beside every other. */
static void test_too_many(Pair *pair, gconstpointer data)
{
  int fds[8];
  char byte;

  for (gsize room = 0; room <= G_N_ELEMENTS(fds); room++)
    for (gsize more = 1; more <= 3; more++) {
      memset(fds, 0, sizeof fds);
      send_copies(pair, "x", 1, room + more);
      g_assert_cmpint(packet_receive_many(pair->ends[1], &byte, 1, fds, room, false), ==, -EBADMSG);
      for (gsize i = 0; i < room; i++)
        g_assert_cmpint(fds[i], ==, -1);
    }
}

static void test_too_long(Pair *pair, gconstpointer data)
{
  int fds[] = {0, 0};
  char bytes[4];

  send_copies(pair, "hello", 5, 2);
  g_assert_cmpint(packet_receive_many(pair->ends[1], bytes, sizeof bytes, fds, 2, false), ==, -EBADMSG);
  g_assert_cmpint(fds[0], ==, -1);
  g_assert_cmpint(fds[1], ==, -1);
}

/* Reads as the end, so that nobody looks for descriptors that came along. */
static void test_empty(Pair *pair, gconstpointer data)
{
  char byte;
  int fd = 0;

  send_copies(pair, "", 0, 1);
  g_assert_cmpint(packet_receive(pair->ends[1], &byte, 1, &fd, false), ==, 0);
  g_assert_cmpint(fd, ==, -1);
}

static void test_not_sent(Pair *pair, gconstpointer data)
{
  int fds[PACKET_DESCRIPTORS_MAX + 1] = {0}, result;

  g_assert_cmpint(packet_send_many(pair->ends[0], "x", 1, fds, G_N_ELEMENTS(fds), false), ==, -EINVAL);
  g_assert_cmpint(packet_send(pair->ends[0], "x", 1, 1 << 20, false), ==, -EBADF);
  while ((result = packet_send(pair->ends[0], "x", 1, -1, false)) == 0)
    continue;
  g_assert_cmpint(result, ==, -EAGAIN);
  g_assert_cmpint(shutdown(pair->ends[1], SHUT_RD), ==, 0);
  g_assert_cmpint(packet_send(pair->ends[0], "x", 1, -1, true), ==, -EPIPE);
}

/* Who goes without having read all resets the connection; what he said before comes all the same. */
static void test_last_words(Pair *pair, gconstpointer data)
{
  char bytes[8];
  int fd;

  g_assert_cmpint(packet_send(pair->ends[0], "go", 2, -1, false), ==, 0);
  g_assert_cmpint(packet_send(pair->ends[1], "last", 4, pair->ends[1], false), ==, 0);
  close(pair->ends[1]);
  g_assert_cmpint(packet_receive(pair->ends[0], bytes, sizeof bytes, &fd, false), ==, 4);
  close(fd);
  g_assert_cmpint(packet_receive(pair->ends[0], bytes, sizeof bytes, &fd, true), ==, 0);
  g_assert_cmpint(fd, ==, -1);
  pair->ends[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*test)(Pair *, gconstpointer);
  } tests[] = {{"/packet/numbers", test_numbers},      {"/packet/one", test_one},
               {"/packet/too-many", test_too_many},    {"/packet/too-long", test_too_long},
               {"/packet/empty", test_empty},          {"/packet/not-sent", test_not_sent},
               {"/packet/last-words", test_last_words}};

  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
    g_test_add(tests[i].path, Pair, NULL, set_up, tests[i].test, tear_down);
  return g_test_run();
}
