/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the whole system for somebody who cannot read what the recorder can, into a capture that nobody has
 * named yet: `record-named FILE [FLAG]…` records until its standard input ends and writes FILE. Flags:
 * kernel, tables, plain (does not ask for names). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "recorder-client.h"

static gboolean has(int argc, char **argv, const char *flag)
{
  for (int i = 2; i < argc; i++)
    if (g_str_equal(argv[i], flag))
      return TRUE;
  return FALSE;
}

static gboolean input_has_ended(void)
{
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  return poll(&input, 1, 0) > 0;
}

static void write_file(struct recorder_client *client, const char *path)
{
  char piece[65536];
  ssize_t got;
  FILE *file = fopen(path, "we");
  g_assert_nonnull(file);
  for (off_t at = 0; (got = pread(client->file_fd, piece, sizeof piece, at)) > 0; at += got)
    g_assert_cmpuint(fwrite(piece, 1, (size_t)got, file), ==, (size_t)got);
  g_assert_cmpint(got, ==, 0);
  g_assert_cmpint(fclose(file), ==, 0);
}

int main(int argc, char **argv)
{
  struct recorder_client client;
  uint32_t flags = RECORDER_SYSTEM_WIDE | RECORDER_USER_STACKS;
  if (argc < 2)
    return 2;
  flags |= has(argc, argv, "kernel") ? RECORDER_KERNEL_STACKS : RECORDER_EXCLUDE_KERNEL;
  flags |= has(argc, argv, "plain") ? 0 : RECORDER_NAMES;
  g_autofree struct recorder_configure *configure = recorder_client_configuration(flags, "cpu-clock", 2000);
  configure->unwind = has(argc, argv, "tables") ? RECORDER_UNWIND_AUTO : RECORDER_UNWIND_FRAME_POINTERS;
  recorder_client_start(&client);
  if (!recorder_client_configure(&client, configure, NULL, 0)) {
    fprintf(stderr, "%s\n", client.ended.text);
    return 1;
  }
  recorder_client_begin(&client);
  puts("recording");
  fflush(stdout);
  while (!client.has_ended && !input_has_ended())
    recorder_client_collect(&client, 20);
  gint64 asked = g_get_monotonic_time();
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  printf("ended after %.3f seconds with %u messages of its state\n",
         (double)(g_get_monotonic_time() - asked) / 1e6, client.n_status);
  g_assert_cmpint(capture_file_add_index(client.file), ==, 0);
  g_assert_cmpint(capture_file_end(client.file, CAPTURE_END_INTERRUPTED, 0, client.ended.status.time), ==, 0);
  write_file(&client, argv[1]);
  recorder_client_clear(&client);
  return 0;
}
