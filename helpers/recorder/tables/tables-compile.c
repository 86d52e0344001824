/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elf-readers' half of recorder_tables. */
#include <errno.h>
#include <unistd.h>

#include "helpers/common/image.h"
#include "helpers/recorder/common/child.h"
#include "helpers/recorder/tables/tables-private.h"

#define FAILURES_MAX 3

/* Whether the file is to blame, and always will be. */
static bool is_lasting(int error)
{
  return error == ENODATA || error == ENOEXEC || error == EBADMSG || error == EFBIG;
}

static void close_file(struct item *item)
{
  close(item->fd);
  item->fd = -1;
}

/* False when the elf-reader said what no honest one says. */
static bool take_compiled(struct recorder_tables *tables, struct item *item,
                          const struct elf_reader_answer *answer)
{
  const struct unwind_table *table = NULL;
  close_file(item);
  if (answer->error != 0) {
    recorder_tables_settle(tables, item, NULL, 0, -answer->error);
    if (is_lasting(-answer->error))
      recorder_tables_keep(tables, item, -1);
    return true;
  }
  int result = recorder_image_map_answer(answer->fd, answer->size, &table);
  recorder_tables_settle(tables, item, table, answer->size, -result);
  if (result == 0)
    recorder_tables_keep(tables, item, answer->fd);
  else
    close(answer->fd);
  return result == 0;
}

/* Whatever it died of was this file, as far as anybody can tell. */
static void lose_reader(struct recorder_tables *tables, struct elf_reader_client *reader, int error)
{
  struct item *item = reader->job;
  if (!reader->ready)
    tables->reader_failures++;
  recorder_reader_stop(reader);
  if (item == NULL)
    return;
  close_file(item);
  recorder_tables_settle(tables, item, NULL, 0, error == -ETIMEDOUT ? ETIMEDOUT : ECONNABORTED);
}

static void serve_reader(struct recorder_tables *tables, struct elf_reader_client *reader)
{
  struct elf_reader_answer answer;
  struct item *item = reader->job;
  int result = elf_reader_client_receive(reader, &answer);
  if (result < 0)
    lose_reader(tables, reader, result);
  else if (result > 0 && !take_compiled(tables, item, &answer))
    recorder_reader_stop(reader);
  else if (reader->ready)
    tables->reader_failures = 0;
}

static void tables_compile_give(struct recorder_tables *tables, struct elf_reader_client *reader)
{
  struct item *item = recorder_tables_pop(&tables->to_compile);
  int result = elf_reader_client_compile(reader, item, item->fd, item->reader_flags);
  if (result < 0) {
    reader->job = item;
    lose_reader(tables, reader, result);
  }
}

/* No more of them than there is work for. */
static void start_readers(struct recorder_tables *tables)
{
  uint32_t coming = 0;
  for (uint32_t i = 0; i < tables->n_readers; i++)
    coming += tables->readers[i].pid != 0 && tables->readers[i].job == NULL;
  for (uint32_t i = 0; i < tables->n_readers && coming < tables->to_compile.count; i++) {
    if (tables->readers[i].pid != 0 || tables->reader_failures >= FAILURES_MAX)
      continue;
    if (elf_reader_client_start(&tables->readers[i], tables->reader) < 0)
      tables->reader_failures++;
    else
      coming++;
  }
}

static bool are_all_gone(const struct recorder_tables *tables)
{
  for (uint32_t i = 0; i < tables->n_readers; i++)
    if (tables->readers[i].pid != 0)
      return false;
  return tables->reader_failures >= FAILURES_MAX;
}

static void give_up(struct recorder_tables *tables)
{
  for (struct item *item; (item = recorder_tables_pop(&tables->to_compile)) != NULL;) {
    close_file(item);
    recorder_tables_settle(tables, item, NULL, 0, ENOSYS);
  }
}

void recorder_tables_serve_readers(struct recorder_tables *tables)
{
  for (uint32_t i = 0; i < tables->n_readers; i++) {
    struct elf_reader_client *reader = &tables->readers[i];
    if (reader->pid != 0)
      serve_reader(tables, reader);
    if (reader->pid != 0 && reader->ready && reader->job == NULL && tables->to_compile.first != NULL)
      tables_compile_give(tables, reader);
  }
  if (!recorder_child_is_held())
    start_readers(tables);
  if (tables->to_compile.first != NULL && are_all_gone(tables))
    give_up(tables);
}
