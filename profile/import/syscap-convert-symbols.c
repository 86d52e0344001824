/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbols that Sysprof puts into a file when a recording ends: a file within it, of entries ascending by
 * pid and address, an empty one, and text. Each entry names the sampled addresses of one pid from its first
 * to its last. */
#include "profile/import/syscap-convert-private.h"

#define SYMBOLS     "__symbols__"
#define KERNEL_HALF (G_GUINT64_CONSTANT(1) << 63)

typedef struct {
  guint64 first, last;
  gint32 pid;
  const char *name;
} Symbol;

void syscap_add_chunk(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  const char *path;
  const guint8 *data;
  gsize length;

  if (profile_syscap_read_chunk(frame, &path, &data, &length) && strcmp(path, SYMBOLS) == 0)
    g_byte_array_append(self->symbols, data, (guint)length);
}

/* False at the empty entry, and where none is left. An entry whose name lies outside has none. */
static gboolean read_symbol(const SyscapConvert *self, ProfileBytes *bytes, Symbol *ret)
{
  const guint8 *start = self->symbols->data;
  gsize length = self->symbols->len;
  guint32 name;

  ret->first = profile_bytes_take_64(bytes);
  ret->last = profile_bytes_take_64(bytes);
  ret->pid = (gint32)profile_bytes_take_32(bytes);
  name = profile_bytes_take_32(bytes);
  profile_bytes_take(bytes, 8);
  ret->name =
      name > 0 && name < length && memchr(start + name, 0, length - name) ? (const char *)start + name : NULL;
  return !bytes->failed && (ret->first | ret->last | name) != 0;
}

static ProfileFunctionTable *get_table(GHashTable *tables, gpointer key)
{
  ProfileFunctionTable *table = g_hash_table_lookup(tables, key);

  if (!table) {
    table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);
    g_hash_table_insert(tables, key, table);
  }
  return table;
}

/* Callers are looked up a byte before the address that is returned to. */
static void add_range(ProfileFunctionTable *table, guint64 first, guint64 last, const char *name)
{
  const ProfileFunctionRange range = {
      .start = first > 0 ? first - 1 : 0, .end = last + 1, .name = name, .linkage_name = name};

  profile_function_table_add(table, &range);
}

/* Keys: a binary's index + 1; NULL is the kernel. */
static void add_symbol(SyscapConvert *self, GHashTable *tables, const Symbol *symbol)
{
  const ProfilePerfMapping *mapping;
  guint64 shift;

  if (!symbol->name || symbol->last < symbol->first || symbol->last == G_MAXUINT64)
    return;
  if (symbol->first >= KERNEL_HALF) {
    if (symbol->first >> 56 != 0xe0)
      add_range(get_table(tables, NULL), symbol->first, symbol->last, symbol->name);
    return;
  }
  mapping = profile_perf_maps_find(
      profile_perf_machine_get_thread(self->machine, symbol->pid, symbol->pid)->process->maps, symbol->first);
  if (!mapping || symbol->last >= mapping->end)
    return;
  shift = mapping->offset - mapping->start;
  if (symbol->last + shift >= symbol->first + shift && symbol->last + shift != G_MAXUINT64)
    add_range(get_table(tables, GUINT_TO_POINTER(mapping->binary + 1)), symbol->first + shift,
              symbol->last + shift, symbol->name);
}

static void write_table(gpointer key, gpointer value, gpointer data)
{
  SyscapConvert *self = data;
  guint index = GPOINTER_TO_UINT(key);
  ProfileBinary binary = {0};

  profile_function_table_seal(value);
  if (index > 0) {
    const ProfilePerfBinary *known = self->import.binaries->pdata[index - 1];

    binary.path = known->path;
    binary.device = known->device;
    binary.inode = known->inode;
    binary.flags = known->flags;
    binary.build_id_size = known->build_id_size;
    memcpy(binary.build_id, known->build_id, sizeof binary.build_id);
  }
  profile_names_encoder_add(self->options->names, index > 0 ? &binary : NULL, value, NULL, NULL);
}

void syscap_write_symbols(SyscapConvert *self)
{
  g_autoptr(GHashTable) tables =
      g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)profile_function_table_unref);
  ProfileBytes bytes = {.swap = self->syscap->bytes.swap};
  Symbol symbol;

  if (!self->options->names || self->symbols->len == 0)
    return;
  bytes.at = self->symbols->data;
  bytes.end = bytes.at + self->symbols->len;
  while (read_symbol(self, &bytes, &symbol))
    add_symbol(self, tables, &symbol);
  g_hash_table_foreach(tables, write_table, self);
}

static gint compare_symbols(gconstpointer a, gconstpointer b)
{
  const Symbol *left = a, *right = b;

  if (left->pid != right->pid)
    return left->pid < right->pid ? -1 : 1;
  return left->first < right->first ? -1 : left->first > right->first;
}

static GArray *read_ranges(const SyscapConvert *self)
{
  GArray *ranges = g_array_new(FALSE, FALSE, sizeof(Symbol));
  ProfileBytes bytes = {.at = self->symbols->data,
                        .end = self->symbols->data + self->symbols->len,
                        .swap = self->syscap->bytes.swap};
  Symbol symbol;

  while (read_symbol(self, &bytes, &symbol))
    if (symbol.name)
      g_array_append_val(ranges, symbol);
  g_array_sort(ranges, compare_symbols);
  return ranges;
}

const char *syscap_find_symbol(SyscapConvert *self, gint32 pid, guint64 address)
{
  const Symbol wanted = {.first = address, .pid = pid};
  guint low = 0, high;

  if (self->options->names || self->symbols->len == 0)
    return NULL;
  if (!self->ranges)
    self->ranges = read_ranges(self);
  for (high = self->ranges->len; low < high;) {
    guint middle = low + (high - low) / 2;

    if (compare_symbols(&g_array_index(self->ranges, Symbol, middle), &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  const Symbol *found = low > 0 ? &g_array_index(self->ranges, Symbol, low - 1) : NULL;
  return found && found->pid == pid && address <= found->last ? found->name : NULL;
}
