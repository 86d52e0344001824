/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/tables/tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/common/image.h"
#include "helpers/common/memory.h"
#include "helpers/recorder/common/child.h"
#include "helpers/recorder/common/clock.h"
#include "helpers/recorder/tables/tables-private.h"

#define READERS_USUAL 4
#define ASK_PATIENCE  UINT64_C(5000000) /* nanoseconds, as the next one */
#define KEEP_PATIENCE UINT64_C(500000000)
#define KEEP_ROUND    10 /* milliseconds */
#define TO_OPEN_MAX   2048
#define NO_FILE       (CAPTURE_BINARY_KERNEL_MODULE | CAPTURE_BINARY_KERNEL | CAPTURE_BINARY_SPECIAL)

void recorder_tables_push(struct queue *queue, struct item *item)
{
  item->next = NULL;
  if (queue->first == NULL)
    queue->first = item;
  else
    queue->last->next = item;
  queue->last = item;
  queue->count++;
}

struct item *recorder_tables_pop(struct queue *queue)
{
  struct item *item = queue->first;
  if (item != NULL) {
    queue->first = item->next;
    queue->count--;
  }
  return item;
}

void recorder_tables_settle(struct recorder_tables *tables, struct item *item,
                            const struct unwind_table *table, uint64_t size, int error)
{
  item->table.state = table != NULL ? RECORDER_TABLE_READY : RECORDER_TABLE_NONE;
  item->table.table = table;
  item->table.size = size;
  item->table.error = error;
  if (item == tables->asked)
    return;
  item->is_settled = true;
  recorder_tables_push(&tables->settled, item);
}

/* What root would make in another's directory would be in that one's way. In root's own there may be a place
 * for this user. */
static bool is_of_another(const char *directory)
{
  struct stat status;
  return stat(directory, &status) == 0 && status.st_uid != geteuid() && status.st_uid != 0;
}

bool recorder_tables_default_cache(char *path, size_t size)
{
  const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  int length = 0;
  if (cache != NULL && cache[0] == '/' && !is_of_another(cache))
    length = snprintf(path, size, "%s/capture/unwind", cache);
  else if (geteuid() == 0)
    length = snprintf(path, size, "/var/cache/capture/unwind");
  else if (home != NULL && home[0] == '/')
    length = snprintf(path, size, "%s/.cache/capture/unwind", home);
  return length > 0 && (size_t)length < size;
}

bool recorder_tables_are_pending(const struct recorder_tables *tables)
{
  bool pending = tables->opening != NULL || tables->to_open.first != NULL || tables->to_compile.first != NULL;
  for (uint32_t i = 0; i < tables->n_readers; i++)
    pending = pending || tables->readers[i].job != NULL;
  return pending;
}

static char *copy_text(const char *text)
{
  size_t size = strlen(text) + 1;
  return memcpy(recorder_allocate(1, size), text, size);
}

static uint32_t usual_readers(void)
{
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1 ? 1 : processors < READERS_USUAL ? (uint32_t)processors : READERS_USUAL;
}

int recorder_tables_create(struct recorder_tables **ret, const struct recorder_tables_options *options)
{
  struct recorder_tables *tables = recorder_allocate(1, sizeof *tables);
  tables->n_readers = options->readers != 0 ? options->readers : usual_readers();
  if (tables->n_readers > READERS_MAX)
    tables->n_readers = READERS_MAX;
  tables->cache = options->cache != NULL ? copy_text(options->cache) : NULL;
  tables->ask_patience = ASK_PATIENCE;
  tables->cache_limit = options->cache_limit;
  tables->forget = options->forget;
  tables->forget_data = options->data;
  tables->reader = options->reader != NULL ? copy_text(options->reader) : recorder_reader_find();
  tables->last_keepsake = &tables->keepsakes;
  for (uint32_t i = 0; i < READERS_MAX; i++)
    tables->readers[i].socket = -1;
  recorder_table_init(&tables->names);
  recorder_table_init(&tables->identities);
  tables->own_opener.socket = -1;
  tables->opener = options->opener != NULL ? options->opener : &tables->own_opener;
  int result = access(tables->reader, X_OK) < 0 ? -errno : 0;
  if (result == 0 && !tables->opener->foreign && !recorder_child_is_held())
    result = recorder_opener_start(tables->opener, tables->cache, tables->cache_limit);
  if (result < 0) {
    recorder_tables_free(tables);
    return result;
  }
  *ret = tables;
  return 0;
}

void recorder_tables_free_item(struct item *item)
{
  if (item->table.table != NULL)
    recorder_image_unmap(item->table.table, item->table.size);
  if (item->fd >= 0)
    close(item->fd);
  free(item->request);
  free(item);
}

static void free_names(struct recorder_table *names)
{
  for (size_t i = 0; i <= names->mask; i++) {
    for (struct name *name = names->entries[i].value, *next; name != NULL; name = next) {
      next = name->next;
      free(name);
    }
  }
  recorder_table_clear(names);
}

/* What was compiled is kept, when that does not take long. */
static void keep_all(struct recorder_tables *tables)
{
  uint64_t until = recorder_clock_now() + KEEP_PATIENCE;
  for (;;) {
    tables->to_open = tables->to_compile = (struct queue){0};
    recorder_tables_feed_opener(tables);
    if (!recorder_opener_is_busy(tables->opener) || recorder_clock_now() >= until)
      return;
    recorder_opener_wait(tables->opener, KEEP_ROUND);
    recorder_tables_serve_opener(tables);
  }
}

static void free_keepsakes(struct recorder_tables *tables)
{
  for (struct keepsake *keepsake = tables->keepsakes, *next; keepsake != NULL; keepsake = next) {
    next = keepsake->next;
    if (keepsake->fd >= 0)
      close(keepsake->fd);
    free(keepsake);
  }
}

void recorder_tables_free(struct recorder_tables *tables)
{
  for (uint32_t i = 0; i < tables->n_readers; i++)
    recorder_reader_stop(&tables->readers[i]);
  keep_all(tables);
  recorder_opener_stop(&tables->own_opener);
  free_keepsakes(tables);
  free_names(&tables->names);
  recorder_table_clear(&tables->identities);
  for (struct item *item = tables->all, *next; item != NULL; item = next) {
    next = item->next_all;
    recorder_tables_free_item(item);
  }
  free(tables->cache);
  free(tables->reader);
  free(tables);
}

static uint64_t tables_mix(uint64_t hash, const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t hash_key(const struct recorder_binary_key *key)
{
  if ((key->flags & CAPTURE_BINARY_VDSO) != 0)
    return CAPTURE_BINARY_VDSO;
  if (key->build_id_size != 0)
    return tables_mix(0, key->build_id, key->build_id_size);
  uint64_t numbers[3] = {key->device, key->inode, key->inode_generation};
  return tables_mix(tables_mix(1, numbers, sizeof numbers), key->path, key->path_length);
}

/* The path is there for inodes without a generation, which file systems use again and /proc does not tell
 * apart. */
static bool are_equal(const struct recorder_binary_key *a, const struct recorder_binary_key *b)
{
  if ((a->flags & CAPTURE_BINARY_VDSO) != (b->flags & CAPTURE_BINARY_VDSO))
    return false;
  if ((a->flags & CAPTURE_BINARY_VDSO) != 0)
    return true;
  if (a->build_id_size != b->build_id_size || memcmp(a->build_id, b->build_id, a->build_id_size) != 0)
    return false;
  return a->build_id_size != 0 ||
         (a->device == b->device && a->inode == b->inode && a->inode_generation == b->inode_generation &&
          a->path_length == b->path_length && memcmp(a->path, b->path, a->path_length) == 0);
}

static struct item *item_new(struct recorder_tables *tables)
{
  struct item *item = recorder_allocate(1, sizeof *item);
  item->fd = -1;
  item->next_all = tables->all;
  tables->all = item;
  tables->n_items++;
  return item;
}

static struct name *name_take(struct recorder_tables *tables, const struct recorder_binary_key *key)
{
  uint64_t hash = hash_key(key);
  struct name *first = recorder_table_find(&tables->names, hash), *name = first;
  while (name != NULL && !are_equal(&name->key, key))
    name = name->next;
  if (name != NULL)
    return name;
  name = recorder_allocate(1, sizeof *name + key->path_length);
  memcpy(name->path, key->path, key->path_length);
  name->key = *key;
  name->key.path = name->path;
  name->next = first;
  tables->n_names++;
  recorder_table_set(&tables->names, hash, name);
  return name;
}

/* Whether it is this one that the opener does, or will do as soon as it has stored a table. */
static bool is_next(const struct recorder_tables *tables, const struct item *item)
{
  return recorder_opener_is_busy(tables->opener) &&
         (tables->opening == item || (tables->opening == NULL && tables->to_open.first == item));
}

/* The answer is nearly always there in some microseconds; when not, it comes later. Returns what
 * recorder_tables_serve_opener does. */
static struct item *tables_ask(struct recorder_tables *tables, struct item *item)
{
  struct item *same = NULL;
  uint64_t start = recorder_clock_now() - tables->ask_waited, passed = tables->ask_waited;
  recorder_tables_feed_opener(tables);
  while (same == NULL && is_next(tables, item) && passed < tables->ask_patience) {
    if (recorder_opener_wait(tables->opener, (int)((tables->ask_patience - passed) / 1000000 + 1))) {
      tables->asked = item;
      same = recorder_tables_serve_opener(tables);
      tables->asked = NULL;
    }
    passed = recorder_clock_now() - start;
  }
  tables->ask_waited = passed;
  return same;
}

static bool is_to_be_opened(const struct item *item, int32_t pid)
{
  const struct recorder_unwind_table *table = &item->table;
  if (item->is_settled)
    return false;
  return table->state == 0 || (table->state == RECORDER_TABLE_NONE && item->not_opened && item->pid != pid) ||
         (table->state == RECORDER_TABLE_READY && table->table == NULL && table->user == NULL);
}

/* It is tried again when it is asked for again, whoever asks. */
static void tables_refuse(struct recorder_tables *tables, struct item *item)
{
  item->table.state = RECORDER_TABLE_NONE;
  item->table.error = EBUSY;
  item->not_opened = true;
  item->pid = 0;
  tables->n_refused++;
}

/* It was given to nobody yet, so it is the newest. */
static void forget_newest(struct recorder_tables *tables, struct item *item)
{
  tables->all = item->next_all;
  tables->n_items--;
  recorder_tables_free_item(item);
}

struct recorder_unwind_table *recorder_tables_request(struct recorder_tables *tables,
                                                      const struct recorder_binary_key *key, int32_t pid,
                                                      uint64_t start, uint64_t end)
{
  recorder_tables_make_room(tables);
  struct name *name = name_take(tables, key);
  if (name->item == NULL)
    name->item = item_new(tables);
  struct item *item = name->item;
  name->was_used = item->was_used = true;
  if ((key->flags & NO_FILE) != 0 && (key->flags & CAPTURE_BINARY_VDSO) == 0) {
    item->table.state = RECORDER_TABLE_NONE;
    item->table.error = ENODATA;
  } else if (is_to_be_opened(item, pid) && tables->to_open.count >= TO_OPEN_MAX) {
    tables_refuse(tables, item);
  } else if (is_to_be_opened(item, pid)) {
    item->table.state = RECORDER_TABLE_PENDING;
    item->pid = pid;
    item->request = recorder_opener_request_new(key, pid, start, end);
    recorder_tables_push(&tables->to_open, item);
    struct item *same = tables_ask(tables, item);
    if (same != NULL) {
      name->item = same;
      forget_newest(tables, item);
    }
  }
  name->item->is_given = name->item->was_used = true;
  recorder_tables_serve_readers(tables);
  return &name->item->table;
}

uint32_t recorder_tables_poll(struct recorder_tables *tables, struct pollfd *fds)
{
  uint32_t count = 0;
  if (tables->opener->busy)
    fds[count++] = (struct pollfd){.fd = tables->opener->socket, .events = POLLIN};
  for (uint32_t i = 0; i < tables->n_readers; i++)
    if (tables->readers[i].pid != 0)
      fds[count++] = (struct pollfd){.fd = tables->readers[i].socket, .events = POLLIN};
  return count;
}

void recorder_tables_serve(struct recorder_tables *tables,
                           void (*fn)(struct recorder_unwind_table *table, void *data), void *data)
{
  tables->ask_waited = 0;
  recorder_child_reap();
  recorder_tables_serve_opener(tables);
  recorder_tables_serve_readers(tables);
  recorder_tables_feed_opener(tables);
  for (struct item *item; (item = recorder_tables_pop(&tables->settled)) != NULL;) {
    item->is_settled = false;
    fn(&item->table, data);
  }
}

void recorder_tables_wait(struct recorder_tables *tables, uint64_t until,
                          void (*fn)(struct recorder_unwind_table *table, void *data), void *data)
{
  for (;;) {
    struct pollfd fds[READERS_MAX + 1];
    recorder_tables_serve(tables, fn, data);
    uint64_t now = recorder_clock_now();
    if (!recorder_tables_are_pending(tables) || now >= until)
      return;
    uint64_t left = (until - now + 999999) / 1000000;
    /* Somebody who hangs makes no descriptor ready. */
    poll(fds, recorder_tables_poll(tables, fds), left < 100 ? (int)left : 100);
  }
}

void recorder_tables_drop(struct recorder_tables *tables, struct recorder_unwind_table *table)
{
  if (table->state != RECORDER_TABLE_READY || table->table == NULL)
    return;
  recorder_image_unmap(table->table, table->size);
  table->table = NULL;
}

void recorder_tables_count_bounds(const struct recorder_tables *tables, uint64_t *ret_forgotten,
                                  uint64_t *ret_refused)
{
  *ret_forgotten = tables->n_forgotten;
  *ret_refused = tables->n_refused;
}
