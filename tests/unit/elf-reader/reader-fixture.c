/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/elf-reader/reader-fixture.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "tests/unit/socket-in-child.h"

static const char *program_name = "capture-elf-reader";

void reader_set_program(const char *name)
{
  program_name = name;
}

void reader_start(struct reader *reader)
{
  int pair[2];
  g_autoptr(GError) error = NULL;
  g_autofree char *program =
      g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "helpers", "elf-reader", program_name, NULL);
  char *argv[] = {program, (char *)"3", NULL};
  struct elf_reader_message message;
  int fd;
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), ==, 0);
  g_spawn_async(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_LEAVE_DESCRIPTORS_OPEN, move_socket,
                GINT_TO_POINTER(pair[1]), &reader->pid, &error);
  g_assert_no_error(error);
  close(pair[1]);
  reader->socket = pair[0];
  g_assert_cmpint(packet_receive(reader->socket, &message, sizeof message, &fd, true), ==, sizeof message);
  g_assert_cmpint(message.type, ==, ELF_READER_READY);
  g_assert_cmpint(message.version, ==, ELF_READER_PROTOCOL_VERSION);
}

int reader_wait(struct reader *reader)
{
  int status;
  g_assert_cmpint(waitpid(reader->pid, &status, 0), ==, reader->pid);
  close(reader->socket);
  return status;
}

void reader_stop(struct reader *reader)
{
  int status;
  shutdown(reader->socket, SHUT_WR);
  status = reader_wait(reader);
  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

struct elf_reader_message reader_request(guint32 flags)
{
  static guint64 cookie;
  return (struct elf_reader_message){.type = ELF_READER_COMPILE,
                                     .size = sizeof(struct elf_reader_message),
                                     .cookie = ++cookie * G_GUINT64_CONSTANT(0x100000001),
                                     .flags = flags};
}

void reader_assert_ends(const void *bytes, gsize size, int file)
{
  struct reader reader;
  int status;
  reader_start(&reader);
  g_assert_cmpint(packet_send(reader.socket, bytes, size, file, true), ==, 0);
  status = reader_wait(&reader);
  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 1);
}

int reader_file_of(const char *text, off_t size)
{
  int file = memfd_create("file", MFD_CLOEXEC);
  g_assert_cmpint(write(file, text, strlen(text)), ==, (gssize)strlen(text));
  g_assert_cmpint(ftruncate(file, size), ==, 0);
  return file;
}
