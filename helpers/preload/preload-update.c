/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/preload/preload-update.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "helpers/preload/preload-files.h"
#include "helpers/preload/preload-private.h"
#include "libcapture/inside/capture-inside-private.h"
#include "unwind/unwind-compile.h"

/* Between two looks for an address that nobody knows; twice as long after each that found nothing. */
#define PAUSE_MIN_NANOSECONDS UINT64_C(20000000)
#define PAUSE_MAX_NANOSECONDS UINT64_C(10000000000)

struct found {
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  const struct preload_file *file;
};

static struct preload_files files = {.area = &preload_area, .socket = -1};
static struct found found[WALK_MAPPINGS_MAX];
static uint32_t n_found;
static struct walk_mapping mappings[WALK_MAPPINGS_MAX];
static uint32_t n_mappings;
static uint64_t patience = PRELOAD_PATIENCE_NANOSECONDS;
static uint64_t socket_inode;
static bool is_full_told;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Atomic uint64_t not_before;
static uint64_t pause_now = PAUSE_MIN_NANOSECONDS;

static void preload_update_note(const struct preload_map *map, void *data)
{
  if (n_found == WALK_MAPPINGS_MAX)
    return;
  found[n_found++] = (struct found){map->start, map->end, map->offset, preload_files_find(&files, map)};
}

static struct walk_mapping preload_update_describe(const struct found *one)
{
  struct walk_mapping mapping = {one->start, one->end, 0, 0, WALK_MAPPING_FRAME_POINTERS};
  if (one->file && one->file->state == PRELOAD_FILE_TABLE &&
      unwind_table_bias(preload_area_table(&preload_area, one->file->table), one->start, one->offset,
                        &mapping.bias)) {
    mapping.table = one->file->table;
    mapping.kind = WALK_MAPPING_TABLE;
  }
  return mapping;
}

/* Whether that made a difference. */
static bool preload_update_publish(void)
{
  bool is_new = n_found != n_mappings;
  for (uint32_t i = 0; i < n_found; i++) {
    struct walk_mapping mapping = preload_update_describe(&found[i]);
    is_new |= i >= n_mappings || memcmp(&mapping, &mappings[i], sizeof mapping) != 0;
    mappings[i] = mapping;
  }
  n_mappings = n_found;
  /* Handlers are quick; who found all versions read tries again later. */
  if (is_new && preload_area_publish(&preload_area, mappings, n_mappings) != 0) {
    n_mappings = 0;
    atomic_fetch_or(&preload_attention, PRELOAD_UPDATE);
  }
  return is_new;
}

/* Programs close descriptors that they do not know, and then use their numbers themselves. */
static void look_at_socket(const capture *c)
{
  struct stat status;
  if ((c->settings.flags & CAPTURE_SETTINGS_TABLES) == 0 || c->socket < 0 || fstat(c->socket, &status) != 0 ||
      !S_ISSOCK(status.st_mode) || (socket_inode != 0 && socket_inode != status.st_ino)) {
    preload_files_disconnect(&files);
    return;
  }
  socket_inode = status.st_ino;
  files.socket = c->socket;
}

static void preload_update_receive(void)
{
  uint64_t begin = capture_time();
  preload_files_receive(&files, begin + patience);
  uint64_t waited = capture_time() - begin;
  patience -= waited < patience ? waited : patience;
}

static void preload_update_tell(capture *c)
{
  if (files.n_not_placed == 0 || is_full_told)
    return;
  is_full_told = true;
  capture_inside_message(c, 4,
                         "Unwind tables of some libraries found no room in this process: their stacks are "
                         "walked by frame pointers.");
}

static void update_streams(capture *c)
{
  look_at_socket(c);
  atomic_fetch_and(&preload_attention, ~(uint32_t)PRELOAD_UPDATE);
  n_found = 0;
  if (!preload_area.bytes || preload_maps_read(preload_update_note, NULL) != 0)
    return;
  preload_update_receive();
  bool is_new = preload_update_publish();
  pause_now = is_new ? PAUSE_MIN_NANOSECONDS : pause_now * 2;
  if (pause_now > PAUSE_MAX_NANOSECONDS)
    pause_now = PAUSE_MAX_NANOSECONDS;
  atomic_store(&not_before, capture_time() + pause_now);
  preload_update_tell(c);
}

void preload_update(capture *c)
{
  int error = errno;
  if (!c)
    return;
  if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
    preload_update_wanted();
    return;
  }
  preload_self.inside++;
  update_streams(c);
  /* At once: what is loaded now may be gone when somebody calls in next. */
  capture_inside_mappings_read(c);
  preload_self.inside--;
  atomic_flag_clear_explicit(&busy, memory_order_release);
  errno = error;
}

void preload_update_wanted(void)
{
  if (capture_time() >= atomic_load(&not_before))
    atomic_fetch_or(&preload_attention, PRELOAD_UPDATE);
}

void preload_update_if_wanted(capture *c)
{
  if ((atomic_load_explicit(&preload_attention, memory_order_relaxed) & PRELOAD_UPDATE) != 0)
    preload_update(c);
}

void preload_update_forked(void)
{
  preload_area_forget_readers(&preload_area);
  preload_files_disconnect(&files);
  socket_inode = 0;
  patience = PRELOAD_PATIENCE_NANOSECONDS;
  atomic_flag_clear(&busy);
}
