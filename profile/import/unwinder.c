/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/unwinder.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "unwind/unwind-compile.h"

/* Reserved addresses; memory is taken as it is written. */
#define AREA_SIZE ((gsize)1 << 30)
/* Processes whose mappings stand in the area at once. */
#define PLACES     64
#define PLACE_SIZE (WALK_MAPPINGS_MAX * sizeof(struct walk_mapping))

/* What is known of a binary. */
typedef struct {
  guint32 kind;  /* enum walk_mapping_kind */
  guint32 table; /* offset in the area */
} Binary;

/* A process's mappings in the area. */
typedef struct {
  guint32 version;
  guint32 n;
  guint n_tables; /* that were known when they were written, plus one; 0: none are written */
} Place;

struct _ProfileUnwinder {
  guint32 machine;
  ProfileUnwinderOpenFunc open;
  gpointer data;
  guint8 *area;
  gsize used;
  guint32 no_table; /* offset of one that has no rule for any address */
  struct unwind_workspace workspace;
  GArray *binaries; /* Binary, by index */
  guint n_tables;   /* binaries that are not pending any more */
  Place places[PLACES];
};

static guint32 add_to_area(ProfileUnwinder *self, gconstpointer bytes, gsize size)
{
  gsize at = self->used;

  if (size > AREA_SIZE - at)
    return self->no_table;
  memcpy(self->area + at, bytes, size);
  self->used = (at + size + 7) & ~(gsize)7;
  return (guint32)at;
}

ProfileUnwinder *profile_unwinder_new(guint32 machine, ProfileUnwinderOpenFunc open, gpointer data)
{
  struct unwind_table empty = {
      .magic = UNWIND_TABLE_MAGIC, .size = sizeof empty, .bucket_shift = UNWIND_BUCKET_SHIFT_MIN};
  guint8 *area =
      mmap(NULL, AREA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ProfileUnwinder *self;

  if (area == MAP_FAILED)
    return NULL;
  self = g_new0(ProfileUnwinder, 1);
  self->machine = machine;
  self->open = open;
  self->data = data;
  self->area = area;
  self->used = PLACES * PLACE_SIZE;
  self->no_table = add_to_area(self, &empty, sizeof empty);
  self->binaries = g_array_new(FALSE, TRUE, sizeof(Binary));
  return self;
}

void profile_unwinder_free(ProfileUnwinder *self)
{
  munmap(self->area, AREA_SIZE);
  unwind_workspace_clear(&self->workspace);
  g_array_unref(self->binaries);
  g_free(self);
}

static Binary *get_binary(ProfileUnwinder *self, guint32 index)
{
  if (index >= self->binaries->len)
    g_array_set_size(self->binaries, index + 1);
  Binary *binary = &g_array_index(self->binaries, Binary, index);
  if (binary->kind == 0)
    binary->kind = WALK_MAPPING_PENDING;
  return binary;
}

/* Only what says nothing of unwinding is left to frame pointers: guesses are no stacks. */
static void unwinder_compile(ProfileUnwinder *self, const ProfileElf *elf, Binary *binary)
{
  const struct unwind_table *table;
  gsize size;
  g_autofree guint8 *bytes = profile_elf_read_unwinding(elf, &size);
  int result = bytes ? unwind_compile_into(&self->workspace, bytes, size, false, &table) : -EIO;

  if (result == 0) {
    binary->table = add_to_area(self, table, table->size);
  } else if (result == -ENODATA) {
    binary->kind = WALK_MAPPING_FRAME_POINTERS;
  }
}

static void load_table(ProfileUnwinder *self, guint32 index)
{
  g_auto(ProfileDebugFile) file = {.fd = -1};
  Binary *binary = get_binary(self, index);

  binary->kind = WALK_MAPPING_TABLE;
  binary->table = self->no_table;
  switch (self->open(index, &file, self->data)) {
  case PROFILE_UNWINDER_FILE:
    unwinder_compile(self, file.elf, binary);
    break;
  case PROFILE_UNWINDER_NO_FILE:
    binary->kind = WALK_MAPPING_FRAME_POINTERS;
    break;
  case PROFILE_UNWINDER_MISSING:
    break;
  }
  self->n_tables++;
}

/* Whether a table came that the walk at that address may have missed: a return address is looked up minus
 * one. */
static gboolean load_missed(ProfileUnwinder *self, const ProfilePerfMaps *maps, guint64 address)
{
  guint n_tables = self->n_tables;

  for (guint i = 0; i < 2; i++) {
    const ProfilePerfMapping *mapping = profile_perf_maps_find(maps, address - i);
    if (mapping && get_binary(self, mapping->binary)->kind == WALK_MAPPING_PENDING)
      load_table(self, mapping->binary);
  }
  return self->n_tables > n_tables;
}

static struct walk_mapping make_mapping(ProfileUnwinder *self, const ProfilePerfMapping *mapping)
{
  const Binary *binary = get_binary(self, mapping->binary);
  struct walk_mapping made = {
      .start = mapping->start, .end = mapping->end, .table = binary->table, .kind = binary->kind};
  const struct unwind_table *table = (gconstpointer)(self->area + binary->table);

  if (made.kind == WALK_MAPPING_TABLE && made.table != self->no_table &&
      !unwind_table_bias(table, mapping->start, mapping->offset, &made.bias))
    made.table = self->no_table;
  return made;
}

static gboolean is_executable(const ProfilePerfMapping *mapping)
{
  return (mapping->protection & PROT_EXEC) != 0;
}

/* Where the process's mappings stand, with every table that is known by now. */
static const Place *find_place(ProfileUnwinder *self, const ProfileUnwinderProcess *process,
                               guint32 *ret_offset)
{
  guint number = process->version % PLACES;
  Place *place = &self->places[number];
  struct walk_mapping *mappings = (gpointer)(self->area + number * PLACE_SIZE);

  *ret_offset = (guint32)(number * PLACE_SIZE);
  if (place->version == process->version && place->n_tables == self->n_tables + 1)
    return place;
  *place = (Place){.version = process->version, .n_tables = self->n_tables + 1};
  for (guint i = 0; i < process->maps->n && place->n < WALK_MAPPINGS_MAX; i++)
    if (is_executable(&process->maps->items[i]))
      mappings[place->n++] = make_mapping(self, &process->maps->items[i]);
  return place;
}

/* Of what lies below sp nothing was to be copied. */
static int find_no_memory(void *data, uint64_t address, uint64_t *ret_word)
{
  const ProfileUnwinderSample *sample = data;

  return sample->is_cut && address >= sample->registers.sp ? WALK_NOT_RESIDENT : WALK_UNREADABLE;
}

guint profile_unwinder_walk(ProfileUnwinder *self, const ProfileUnwinderProcess *process,
                            const ProfileUnwinderSample *sample, guint64 *frames, guint max,
                            enum walk_end *ret_end)
{
  const struct unwind_area area = {.bytes = self->area, .size = AREA_SIZE};
  const struct unwind_memory memory = {
      .pieces = &sample->stack, .n_pieces = 1, .read = find_no_memory, .data = (gpointer)sample};
  struct walk_process walked = {.flags = WALK_PROCESS_FRAME_POINTERS | WALK_PROCESS_CERTAIN};
  const struct unwind_start start = {.process = &walked,
                                     .registers = &sample->registers,
                                     .machine = self->machine,
                                     .in_kernel = sample->in_kernel};
  guint n;

  do {
    walked.n_mappings = find_place(self, process, &walked.mappings)->n;
    n = unwind_walk(&area, &start, &memory, frames, max, ret_end);
  } while (*ret_end == WALK_MISSED && load_missed(self, process->maps, frames[n - 1]));
  if (*ret_end == WALK_MISSED)
    *ret_end = WALK_NO_TABLE;
  return n;
}
