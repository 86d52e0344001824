/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-progress.h"

#include <stdio.h>
#include <unistd.h>

static gboolean shown;

void capturectl_progress_show(const char *line)
{
  if (!isatty(STDERR_FILENO))
    return;
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
  shown = TRUE;
}

void capturectl_progress_clear(void)
{
  if (!shown)
    return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  shown = FALSE;
}
