/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/packet.h"
#include "libcapture/pool/capture-announce.h"
#include "unwind/unwind-compile.h"

int fixture_memfd(const void *bytes, size_t size, int seals)
{
  int fd = memfd_create("table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(write(fd, bytes, size), ==, (ssize_t)size);
  g_assert_cmpint(fcntl(fd, F_ADD_SEALS, seals), ==, 0);
  return fd;
}

int fixture_compile(int fd, uint64_t *ret_length)
{
  struct stat status;
  struct unwind_image image;
  g_assert_cmpint(fstat(fd, &status), ==, 0);
  void *elf = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (elf == MAP_FAILED)
    return -errno;
  int error = unwind_compile(elf, (size_t)status.st_size, &image);
  munmap(elf, (size_t)status.st_size);
  if (error != 0)
    return error;
  *ret_length = image.table->size;
  int table = fixture_memfd(image.table, image.table->size, ELF_READER_SEALS);
  unwind_image_clear(&image);
  return table;
}

/* Of all processes of a machine it is the same. */
static int open_vdso(void)
{
  const ElfW(Ehdr) *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
  return fixture_memfd(vdso, vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize, 0);
}

void *fixture_answer(void *data)
{
  struct fixture_recording *recording = data;
  struct capture_table_message message;
  int fd;
  while (packet_receive(recording->socket, &message, sizeof message, &fd, true) == (ssize_t)sizeof message) {
    g_assert_cmpuint(message.type, ==, CAPTURE_ANNOUNCE_TABLE_WANTED);
    recording->n_asked++;
    recording->n_vdso += fd < 0;
    if (fd < 0)
      fd = open_vdso();
    g_assert_cmpint(fcntl(fd, F_GETFL) & O_ACCMODE, !=, O_WRONLY);
    int table = fixture_compile(fd, &message.length);
    close(fd);
    message.type = CAPTURE_ANNOUNCE_TABLE;
    message.error = table < 0 ? table : 0;
    if (recording->n_answers != 0 &&
        packet_send(recording->socket, &message, sizeof message, table, true) != 0)
      break;
    recording->n_answers -= recording->n_answers > 0;
    if (table >= 0)
      close(table);
  }
  return NULL;
}
