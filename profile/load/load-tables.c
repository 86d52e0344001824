/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <string.h>
#include <sys/mman.h>

#include "profile/base/memory.h"
#include "profile/load/loader-private.h"

/* The field after the head of every record that is looked up by identifier. */
static guint32 get_id(const struct capture_record *record)
{
  return ((const guint32 *)record)[2];
}

static enum load_kind get_kind(const struct capture_record *record)
{
  switch (record->type) {
  case CAPTURE_RECORD_STRING:
  case CAPTURE_RECORD_FUNCTION: /* one sequence, like the next one */
  case CAPTURE_RECORD_FUNCTION_LINE:
    return LOAD_STRING;
  case CAPTURE_RECORD_SPACE:
    return LOAD_SPACE;
  case CAPTURE_RECORD_BINARY:
    return LOAD_BINARY;
  case CAPTURE_RECORD_PROCESS:
    return LOAD_PROCESS;
  case CAPTURE_RECORD_THREAD:
    return LOAD_THREAD;
  case CAPTURE_RECORD_EVENT:
    return LOAD_EVENT;
  case CAPTURE_RECORD_COUNTER:
    return LOAD_COUNTER;
  default:
    return LOAD_N_KINDS;
  }
}

static GArray *get_dictionaries(Load *load)
{
  return load->parts[CAPTURE_WINDOW_DICTIONARY];
}

static void count_ids(Load *load)
{
  GArray *parts = get_dictionaries(load);

  for (guint i = 0; i < parts->len; i++) {
    LoadPart *part = &g_array_index(parts, LoadPart, i);
    part->epoch->bytes += part->length;
    for (guint j = 0; part->small && j < part->small->len; j++) {
      const struct capture_record *record = part->small->pdata[j];
      enum load_kind kind = get_kind(record);
      if (kind < LOAD_N_TABLES)
        part->n[kind] = MAX(part->n[kind], get_id(record));
    }
    for (guint kind = 0; kind < LOAD_N_KINDS; kind++)
      part->epoch->n[kind] = MAX(part->epoch->n[kind], part->n[kind]);
  }
}

/* A definition takes more than four bytes; an identifier above that many is a lie or stands behind
 * a loss so large that little is left. */
static gboolean bound_ids(LoadEpoch *epoch)
{
  guint32 limit = (guint32)MIN(epoch->bytes / 4, G_MAXUINT32 / 4);
  gboolean bounded = FALSE;

  for (guint kind = 0; kind < LOAD_N_KINDS; kind++) {
    bounded |= epoch->n[kind] > limit;
    epoch->n[kind] = MIN(epoch->n[kind], limit);
  }
  return bounded;
}

static void index_records(Load *load)
{
  GArray *parts = get_dictionaries(load);

  for (guint i = 0; i < parts->len; i++) {
    LoadPart *part = &g_array_index(parts, LoadPart, i);
    for (guint j = 0; part->small && j < part->small->len; j++) {
      const struct capture_record *record = part->small->pdata[j];
      enum load_kind kind = get_kind(record);
      if (kind < LOAD_N_TABLES && get_id(record) > 0 && get_id(record) <= part->epoch->n[kind])
        part->epoch->records[kind][get_id(record)] = record;
    }
  }
}

gboolean load_make_epochs(Load *load, GError **error)
{
  guint64 n_nodes = 1, n_frames = 1; /* node 0 and frame 0 belong to nobody */

  count_ids(load);
  for (guint i = 0; i < load->epochs->len; i++) {
    LoadEpoch *epoch = load->epochs->pdata[i];
    if (bound_ids(epoch))
      load_problem(load,
                   _("Epoch %u of stream %u has definitions with numbers that cannot be; they are left out."),
                   epoch->epoch, epoch->stream);
    for (guint kind = 0; kind < LOAD_N_TABLES; kind++) {
      epoch->records[kind] = g_new0(const struct capture_record *, (gsize)epoch->n[kind] + 1);
      epoch->index[kind] = g_new0(guint32, (gsize)epoch->n[kind] + 1);
    }
    epoch->node_base = (guint32)(n_nodes - 1);
    epoch->frame_base = (guint32)n_frames;
    n_nodes += epoch->n[LOAD_NODE];
    n_frames += (guint64)epoch->n[LOAD_FRAME] + 1;
    if (n_nodes > G_MAXUINT32 / 2 || n_frames > G_MAXUINT32 / 2) {
      g_set_error_literal(error, PROFILE_ERROR, PROFILE_ERROR_UNSUPPORTED,
                          _("The capture defines more than two thousand million stacks."));
      return FALSE;
    }
  }
  index_records(load);
  load->capture->n_nodes = n_nodes;
  load->node_capacity = n_nodes + n_nodes / 2 + 1024; /* joins become nodes as well */
  load->capture->parent = profile_new(guint32, load->node_capacity);
  load->capture->frame = profile_new(guint32, load->node_capacity);
  memset(load->capture->parent, 0, n_nodes * sizeof(guint32));
  memset(load->capture->frame, 0, n_nodes * sizeof(guint32));
  load->capture->n_frames = n_frames;
  load->capture->frames = profile_new0(ProfileFrame, n_frames);
  return TRUE;
}

/* The index of the item that says the same as key, or of the one appended. Takes key. */
static guint32 load_tables_merge(GHashTable *known, GArray *items, char *key, gconstpointer item)
{
  gpointer index;

  if (g_hash_table_lookup_extended(known, key, NULL, &index)) {
    g_free(key);
    return GPOINTER_TO_UINT(index);
  }
  g_hash_table_insert(known, key, GUINT_TO_POINTER(items->len));
  g_array_append_vals(items, item, 1);
  return items->len - 1;
}

static guint32 merge_binary(Load *load, GHashTable *known, LoadEpoch *epoch,
                            const struct capture_record *record)
{
  const struct capture_record_binary *binary = (gconstpointer)record;
  const char *path = load_keep_string(load, epoch, binary->path);
  ProfileBinary item = {.path = path ? path : "[unknown]",
                        .device = binary->device,
                        .inode = binary->inode,
                        .mapped_start = binary->mapped_start,
                        .mapped_end = binary->mapped_end,
                        .mapped_pid = binary->mapped_pid,
                        .flags = binary->flags,
                        .build_id_size = MIN(binary->build_id_size, CAPTURE_BUILD_ID_MAX)};
  GString *key = g_string_new(item.path);

  memcpy(item.build_id, binary->build_id, item.build_id_size);
  g_string_append_c(key, '\n');
  for (guint i = 0; i < item.build_id_size; i++)
    g_string_append_printf(key, "%02x", item.build_id[i]);
  if (item.build_id_size == 0)
    g_string_append_printf(key, "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x", item.device, item.inode);
  return load_tables_merge(known, load->capture->binaries, g_string_free(key, FALSE), &item);
}

/* Two that sample one process at the same time, each for itself, are events of their own. */
static const char *distinguish_event(Load *load, const LoadEpoch *epoch, const char *name)
{
  g_autofree char *longer = NULL;

  if (load_is_alone(load, epoch, name) || !load_is_inside(epoch->of))
    return name;
  longer = g_strdup_printf("%s (%s)", name, epoch->of->name);
  return g_string_chunk_insert_const(load->capture->strings, longer);
}

static guint32 merge_event(Load *load, GHashTable *known, LoadEpoch *epoch,
                           const struct capture_record *record)
{
  const struct capture_record_event *event = (gconstpointer)record;
  const char *name = load_keep_string(load, epoch, event->name);
  ProfileEvent item = {.name = distinguish_event(load, epoch, name ? name : "unknown"),
                       .unit = event->unit <= CAPTURE_UNIT_CYCLES ? event->unit : CAPTURE_UNIT_COUNT,
                       .period = event->period,
                       .frequency = event->frequency,
                       .detail =
                           event->detail <= CAPTURE_DETAIL_OFF_CPU ? event->detail : CAPTURE_DETAIL_NONE};
  char *key =
      g_strdup_printf("%s %u %u %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x",
                      item.name, item.unit, event->type, event->config, event->config1, event->config2);

  return load_tables_merge(known, load->capture->events, key, &item);
}

typedef guint32 (*MergeFunc)(Load *load, GHashTable *known, LoadEpoch *epoch,
                             const struct capture_record *record);

static void merge_kind(Load *load, enum load_kind kind, MergeFunc function)
{
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < load->epochs->len; i++) {
    LoadEpoch *epoch = load->epochs->pdata[i];
    for (guint32 id = 1; id <= epoch->n[kind]; id++)
      if (epoch->records[kind][id])
        epoch->index[kind][id] = function(load, known, epoch, epoch->records[kind][id]);
  }
}

static void link_parents(Load *load)
{
  for (guint i = 0; i < load->epochs->len; i++) {
    const LoadEpoch *epoch = load->epochs->pdata[i];
    for (guint32 id = 1; id <= epoch->n[LOAD_PROCESS]; id++) {
      const struct capture_record_process *record = (gconstpointer)epoch->records[LOAD_PROCESS][id];
      guint32 index = epoch->index[LOAD_PROCESS][id], parent;
      if (!record || !record->parent)
        continue;
      parent = load_get_index(epoch, LOAD_PROCESS, record->parent);
      if (parent != index)
        g_array_index(load->capture->processes, ProfileProcess, index).parent = parent;
    }
  }
}

static void add_mapping(Load *load, const LoadEpoch *epoch, const struct capture_record_mapping *record)
{
  ProfileMapping mapping = {.start = record->start,
                            .end = record->end,
                            .offset = record->offset,
                            .time = record->time,
                            .executable = (record->protection & PROT_EXEC) != 0,
                            .process = load_get_index(epoch, LOAD_PROCESS, record->process),
                            .binary = G_MAXUINT32};

  if (record->process && mapping.process == 0)
    return;
  if (load_is_defined(epoch, LOAD_BINARY, record->binary))
    mapping.binary = epoch->index[LOAD_BINARY][record->binary];
  profile_address_spaces_add(load->capture->spaces, &mapping);
}

/* What went names nothing that was sampled later, but still what was sampled before. */
static void add_kernel_symbol(Load *load, const LoadEpoch *epoch,
                              const struct capture_record_kernel_symbol *record)
{
  const char *name = load_get_string(epoch, record->name);
  ProfileKernelSymbol symbol = {.address = record->address, .length = record->length, .time = record->time};

  if (!name || record->flags & 1)
    return;
  symbol.name = g_string_chunk_insert_const(load->capture->strings, name);
  g_array_append_val(load->capture->kernel_symbols, symbol);
}

/* Records that define no identifier. */
static void add_rest(Load *load)
{
  GArray *parts = get_dictionaries(load);

  for (guint i = 0; i < parts->len; i++) {
    const LoadPart *part = &g_array_index(parts, LoadPart, i);
    for (guint j = 0; part->small && j < part->small->len; j++) {
      const struct capture_record *record = part->small->pdata[j];
      if (record->type == CAPTURE_RECORD_MAPPING)
        add_mapping(load, part->epoch, (gconstpointer)record);
      else if (record->type == CAPTURE_RECORD_KERNEL_SYMBOL)
        add_kernel_symbol(load, part->epoch, (gconstpointer)record);
      else if (record->type == CAPTURE_RECORD_CODE || record->type == CAPTURE_RECORD_CODE_END)
        load_add_code(load, part->epoch, record);
    }
  }
  profile_address_spaces_seal(load->capture->spaces);
  load_seal_code(load);
}

void load_merge_tables(Load *load)
{
  ProfileThread thread = {.tid = -1, .name = "[unknown]"};
  ProfileProcess process = {.pid = -1, .name = "[unknown]", .binary = G_MAXUINT32};

  g_array_append_val(load->capture->threads, thread);
  g_array_append_val(load->capture->processes, process);
  merge_kind(load, LOAD_BINARY, merge_binary);
  merge_kind(load, LOAD_PROCESS, load_merge_process);
  merge_kind(load, LOAD_THREAD, load_merge_thread);
  merge_kind(load, LOAD_EVENT, merge_event);
  merge_kind(load, LOAD_COUNTER, load_merge_counter);
  link_parents(load);
  add_rest(load);
  load_make_told_binaries(load);
}
