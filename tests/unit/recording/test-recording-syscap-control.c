/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket as a program sees it: this test is the program, honest and not. */
#include <poll.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "recording/sources/syscap-control.h"

static const char request[] = "CreatRing";

/* Asks with a descriptor (-1: with none), and gives up the ring that is answered. */
static void ask(RecordingSyscapControl *control, int attached)
{
  int socket = recording_syscap_control_get_descriptor(control), ring;
  char answer[2];

  g_assert_cmpint(packet_send(socket, request, sizeof request, attached, true), ==, 0);
  g_assert_cmpint(packet_receive(socket, answer, sizeof answer, &ring, true), ==, 1);
  g_assert_cmpint(ring, >=, 0);
  close(ring);
}

static void test_ring(void)
{
  g_autoptr(RecordingSyscapControl) control = recording_syscap_control_new();

  g_assert_nonnull(control);
  ask(control, -1);
  ask(control, -1);
}

/* Nobody holds on to what came with a request, once it is answered. */
static void test_attached(void)
{
  g_autoptr(RecordingSyscapControl) control = recording_syscap_control_new();

  g_assert_nonnull(control);
  for (guint i = 0; i < 3; i++) {
    int ends[2];
    g_assert_cmpint(pipe(ends), ==, 0);
    ask(control, ends[1]);
    close(ends[1]);
    struct pollfd closed = {.fd = ends[0]};
    g_assert_cmpint(poll(&closed, 1, 0), ==, 1);
    g_assert_true(closed.revents & POLLHUP);
    close(ends[0]);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recording/syscap-control/ring", test_ring);
  g_test_add_func("/recording/syscap-control/attached", test_attached);
  return g_test_run();
}
