/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/proc-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LENGTH_MAX (4u << 20)

int recording_proc_file_open(const char *directory, const char *name)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);

  return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/* The kernel may hand out less than it has in one call. */
char *recording_proc_file_read(int fd, GByteArray *buffer)
{
  gsize used = 0;
  ssize_t n = 0;

  if (fd < 0)
    return NULL;
  if (buffer->len == 0)
    g_byte_array_set_size(buffer, 16384);
  do {
    if (used + 1 == buffer->len && buffer->len < LENGTH_MAX)
      g_byte_array_set_size(buffer, buffer->len * 2);
    n = pread(fd, buffer->data + used, buffer->len - 1 - used, (off_t)used);
    if (n > 0)
      used += (gsize)n;
  } while (n > 0 || (n < 0 && errno == EINTR));
  buffer->data[used] = '\0';
  return n < 0 || used == 0 ? NULL : (char *)buffer->data;
}

char *recording_proc_file_next_line(char **text)
{
  char *line = *text;

  if (*line == '\0')
    return NULL;
  *text = line + strcspn(line, "\n");
  if (**text == '\n')
    *(*text)++ = '\0';
  return line;
}

gboolean recording_proc_file_scan(const char **text, guint64 *ret)
{
  const char *c = *text;
  guint64 number = 0;

  while (*c == ' ' || *c == '\t')
    c++;
  if (!g_ascii_isdigit(*c))
    return FALSE;
  for (; g_ascii_isdigit(*c); c++)
    number = number * 10 + (guint64)(*c - '0');
  *text = c;
  *ret = number;
  return TRUE;
}

guint64 recording_proc_file_get(const char *text, guint n)
{
  guint64 number = 0;

  for (guint i = 0; i <= n; i++)
    if (!recording_proc_file_scan(&text, &number))
      return 0;
  return number;
}
