/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The opener's half of recorder_tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/common/image.h"
#include "helpers/common/memory.h"
#include "helpers/elf-reader-protocol.h"
#include "helpers/recorder/common/child.h"
#include "helpers/recorder/tables/tables-private.h"

#define FAILURES_MAX  16
#define COMPILED_MAX  64  /* open files that wait for an elf-reader */
#define KEEPSAKES_MAX 128 /* what does not fit is compiled again another time */
#define KEEPSAKES     64  /* that wait, so that processors first do what somebody waits for */

static uint64_t hash_identity(const char *identity)
{
  uint64_t hash = 0;
  for (; *identity != '\0'; identity++)
    hash = (hash ^ (unsigned char)*identity) * UINT64_C(0x100000001b3);
  return hash;
}

/* The binary of that identity; when there is none, this one is from then on. */
static struct item *find_or_be(struct recorder_tables *tables, struct item *item, const char *identity)
{
  uint64_t hash = hash_identity(identity);
  struct item *first = recorder_table_find(&tables->identities, hash), *found = first;
  while (found != NULL && strcmp(found->identity, identity) != 0)
    found = found->next_same;
  if (found != NULL)
    return found;
  bool is_known = item->identity[0] != '\0';
  memcpy(item->identity, identity, sizeof item->identity);
  if (!is_known) {
    item->next_same = first;
    recorder_table_set(&tables->identities, hash, item);
  }
  return item;
}

static bool is_wanted(const struct item *item)
{
  return !item->is_settled && item->table.table == NULL && item->table.user == NULL &&
         (item->table.state == RECORDER_TABLE_READY || item->not_opened);
}

static void take_table(struct recorder_tables *tables, struct item *item, int fd, uint64_t size)
{
  const struct unwind_table *table = NULL;
  int result = tables->opener->foreign ? recorder_image_map_answer(fd, size, &table)
                                       : recorder_image_map_checked(fd, size, &table);
  recorder_tables_settle(tables, item, table, size, -result);
  close(fd);
}

static void take_opened(struct recorder_tables *tables, struct item *item, const struct opener_answer *answer,
                        int fd)
{
  item->not_opened = false;
  if (answer->kind == OPENER_TABLE && fd >= 0) {
    take_table(tables, item, fd, answer->length);
  } else if (answer->kind == OPENER_NONE || fd < 0) {
    recorder_tables_settle(tables, item, NULL, 0, answer->error != 0 ? answer->error : EPROTO);
  } else {
    item->table.state = RECORDER_TABLE_PENDING;
    item->fd = fd;
    item->reader_flags = answer->kind == OPENER_MEMORY ? ELF_READER_MEMORY : 0;
    recorder_tables_push(&tables->to_compile, item);
  }
}

/* Returns the binary that it turned out to be, when another has that identity and nobody holds this one
 * yet. */
static struct item *take_answer(struct recorder_tables *tables, struct item *item,
                                struct opener_answer *answer, int fd)
{
  if (answer->kind == OPENER_NOT) {
    item->not_opened = true;
    recorder_tables_settle(tables, item, NULL, 0, answer->error);
    return NULL;
  }
  answer->identity[OPENER_IDENTITY_MAX - 1] = '\0';
  struct item *same = find_or_be(tables, item, answer->identity);
  if (same == item || item->is_given) {
    /* Two names of one binary may both be given out before it is known; the cache must know either. */
    memcpy(item->identity, answer->identity, sizeof item->identity);
    take_opened(tables, item, answer, fd);
    return NULL;
  }
  if (is_wanted(same)) {
    tables->asked = same;
    take_opened(tables, same, answer, fd);
  } else if (fd >= 0) {
    close(fd);
  }
  return same;
}

/* It is not there, and may not be started yet. */
static bool is_opener_held(const struct recorder_tables *tables)
{
  return tables->opener->socket < 0 && !tables->opener->foreign && recorder_child_is_held();
}

static void start_opener(struct recorder_tables *tables)
{
  if (tables->opener->socket < 0 && !tables->opener->foreign && tables->opener_failures < FAILURES_MAX &&
      recorder_opener_start(tables->opener, tables->cache, tables->cache_limit) < 0)
    tables->opener_failures++;
}

static void lose_opener(struct recorder_tables *tables, int error)
{
  struct item *item = tables->opening;
  tables->opening = NULL;
  tables->opener_failures += error != ETIMEDOUT;
  recorder_opener_stop(tables->opener);
  if (item != NULL)
    recorder_tables_settle(tables, item, NULL, 0, error);
}

static void send_open(struct recorder_tables *tables, struct item *item)
{
  int result = tables->opener->socket >= 0 ? recorder_opener_send(tables->opener, item->request, -1) : -EPIPE;
  free(item->request);
  item->request = NULL;
  tables->opening = item;
  if (result < 0)
    lose_opener(tables, ECONNABORTED);
}

static void send_keepsake(struct recorder_tables *tables)
{
  struct keepsake *keepsake = tables->keepsakes;
  tables->keepsakes = keepsake->next;
  if (tables->keepsakes == NULL)
    tables->last_keepsake = &tables->keepsakes;
  tables->n_keepsakes--;
  int result = tables->opener->socket >= 0
                   ? recorder_opener_send(tables->opener, &keepsake->request, keepsake->fd)
                   : -EPIPE;
  if (keepsake->fd >= 0)
    close(keepsake->fd);
  free(keepsake);
  if (result < 0)
    lose_opener(tables, ECONNABORTED);
}

void recorder_tables_feed_opener(struct recorder_tables *tables)
{
  while (!recorder_opener_is_busy(tables->opener) && !is_opener_held(tables)) {
    bool opens = tables->to_open.first != NULL && tables->to_compile.count < COMPILED_MAX;
    bool stores = tables->keepsakes != NULL &&
                  (tables->n_keepsakes > KEEPSAKES || !recorder_tables_are_pending(tables));
    if (!opens && !stores)
      return;
    start_opener(tables);
    if (opens)
      send_open(tables, recorder_tables_pop(&tables->to_open));
    else
      send_keepsake(tables);
  }
}

struct item *recorder_tables_serve_opener(struct recorder_tables *tables)
{
  struct opener_answer answer;
  struct item *same = NULL, *item = tables->opening;
  int fd = -1;
  int result = 0;
  if (recorder_opener_is_busy(tables->opener))
    result = recorder_opener_receive(tables->opener, &answer, &fd);
  else if (item != NULL) /* lost by who else asks it */
    result = -EPIPE;
  if (result < 0)
    lose_opener(tables, result == -ETIMEDOUT ? ETIMEDOUT : ECONNABORTED);
  if (result > 0) {
    tables->opener_failures = 0;
    tables->opening = NULL;
    if (item != NULL)
      same = take_answer(tables, item, &answer, fd);
    else if (fd >= 0)
      close(fd);
  }
  recorder_tables_feed_opener(tables);
  return same;
}

void recorder_tables_keep(struct recorder_tables *tables, const struct item *item, int fd)
{
  bool kept = tables->cache != NULL || tables->opener->foreign;
  if (!kept || tables->n_keepsakes == KEEPSAKES_MAX) {
    if (fd >= 0)
      close(fd);
    return;
  }
  struct keepsake *keepsake = recorder_allocate(1, sizeof *keepsake);
  keepsake->fd = fd;
  keepsake->request.type = OPENER_STORE;
  keepsake->request.size = sizeof keepsake->request;
  keepsake->request.version = OPENER_PROTOCOL_VERSION;
  keepsake->request.error = item->table.error;
  memcpy(keepsake->request.identity, item->identity, sizeof item->identity);
  *tables->last_keepsake = keepsake;
  tables->last_keepsake = &keepsake->next;
  tables->n_keepsakes++;
}
