/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The opener's half of recorder_names. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "helpers/recorder/common/child.h"
#include "helpers/recorder/common/clock.h"
#include "helpers/recorder/stream/names-private.h"

#define FAILURES_MAX 16
#define OPEN_MAX     2048u /* open files that wait for the end */

static void names_files_settle(struct recorder_names *names, struct recorder_named *named,
                               enum recorder_named_state state)
{
  free(named->request);
  named->request = NULL;
  named->state = state;
  if (state != RECORDER_NAMED_PUBLIC)
    return;
  names->n_addresses -= named->offsets.capacity;
  recorder_addresses_clear(&named->offsets);
}

void recorder_names_ask(struct recorder_names *names, struct recorder_named *named)
{
  named->state = RECORDER_NAMED_WAITS;
  named->request->type = OPENER_LOOK;
  recorder_named_push(&names->to_open, named);
}

static void lose_opener(struct recorder_names *names)
{
  if (names->opening != NULL)
    names_files_settle(names, names->opening, RECORDER_NAMED_LOST);
  names->opening = NULL;
  names->opener_failures++;
  recorder_opener_stop(&names->opener);
}

static void names_files_feed(struct recorder_names *names)
{
  while (names->opening == NULL && names->to_open.first != NULL &&
         (names->opener.pid != 0 || !recorder_child_is_held())) {
    struct recorder_named *named = recorder_named_pop(&names->to_open);
    if (names->opener.pid == 0 && names->opener_failures < FAILURES_MAX &&
        recorder_opener_start(&names->opener, NULL, 0) < 0)
      names->opener_failures++;
    names->opening = named;
    if (names->opener.pid == 0 || recorder_opener_send(&names->opener, named->request, -1) < 0)
      lose_opener(names);
  }
}

static void names_files_keep(struct recorder_names *names, struct recorder_named *named, int fd)
{
  if (names->n_open == OPEN_MAX) {
    close(fd);
    names_files_settle(names, named, RECORDER_NAMED_LOST);
    return;
  }
  names->n_open++;
  named->fd = fd;
  names_files_settle(names, named, RECORDER_NAMED_OPEN);
}

/* False when there is no answer yet. */
static bool names_files_take(struct recorder_names *names)
{
  struct opener_answer answer;
  int fd = -1, result = recorder_opener_receive(&names->opener, &answer, &fd);
  if (result == 0)
    return false;
  if (result < 0) {
    lose_opener(names);
    return true;
  }
  names->opener_failures = 0;
  if (answer.kind == OPENER_FILE && fd >= 0)
    names_files_keep(names, names->opening, fd);
  else
    names_files_settle(names, names->opening,
                       answer.kind == OPENER_PUBLIC ? RECORDER_NAMED_PUBLIC : RECORDER_NAMED_LOST);
  names->opening = NULL;
  return true;
}

void recorder_names_serve_until(struct recorder_names *names, uint64_t until)
{
  for (;;) {
    names_files_feed(names);
    if (names->opening == NULL)
      return;
    uint64_t now = recorder_clock_now();
    if (names_files_take(names))
      continue;
    if (now >= until || (names->tick != NULL && !recorder_names_go_on(names)))
      return;
    recorder_opener_wait(&names->opener,
                         (int)((until - now) / 1000000 + 1) < 5 ? (int)((until - now) / 1000000 + 1) : 5);
  }
}
