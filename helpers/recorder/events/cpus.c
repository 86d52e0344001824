/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/events/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/text-file.h"

static bool parse_number(const char **text, uint32_t *ret)
{
  if (!isdigit((unsigned char)**text))
    return false;
  char *end;
  unsigned long number = strtoul(*text, &end, 10);
  if (number >= RECORDER_CPUS_MAX)
    return false;
  *text = end;
  *ret = (uint32_t)number;
  return true;
}

bool recorder_cpus_parse(struct recorder_cpus *ret, const char *text)
{
  struct recorder_cpus cpus = {0};
  while (*text != '\0' && *text != '\n') {
    uint32_t first, last;
    if (!parse_number(&text, &first))
      return false;
    last = first;
    if (*text == '-') {
      text++;
      if (!parse_number(&text, &last) || last < first)
        return false;
    }
    for (uint32_t cpu = first; cpu <= last; cpu++)
      cpus.bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
    if (*text == ',' && text[1] != '\0' && text[1] != '\n')
      text++;
    else if (*text != '\0' && *text != '\n')
      return false;
  }
  *ret = cpus;
  return true;
}

int recorder_cpus_online(struct recorder_cpus *ret)
{
  char text[4096];
  ssize_t length = text_file_read("/sys/devices/system/cpu/online", text, sizeof text);
  if (length < 0)
    return (int)length;
  return recorder_cpus_parse(ret, text) ? 0 : -EPROTO;
}
