/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/naming.h"

#include <stdlib.h>

#include "profile/capture/capture-private.h"
#include "profile/elf/debug-files.h"
#include "profile/naming/kernel-namer.h"
#include "profile/naming/kernel-places.h"
#include "profile/naming/module-places.h"
#include "profile/naming/namer.h"
#include "profile/naming/names-store.h"
#include "profile/naming/naming-private.h"

typedef struct {
  ProfileCapture *capture;
  const ProfileNamingOptions *options;
  GCancellable *cancellable;
  ProfileNamer namer;
  GArray **addresses; /* guint64, one array a binary, the kernel's last; NULL: not hit */
  ProfileNamingTables *tables;
  ProfileNamesStore *store;   /* NULL: none; used by the calling thread alone */
  ProfileStoredNames **known; /* one a binary; NULL: nothing, as for the next */
  ProfileStoredNames **learnt;
  GMutex lock; /* of what follows, and of progress */
  guint done, total;
  GQueue under_way; /* slots + 1 */
} Naming;

static void take_address(Naming *naming, const ProfileFrame *frame, guint64 address)
{
  guint slot = frame->kind == CAPTURE_SPACE_KERNEL ? naming->tables->n - 1 : frame->owner;

  if (!naming->addresses[slot])
    naming->addresses[slot] = g_array_new(FALSE, FALSE, sizeof(guint64));
  g_array_append_val(naming->addresses[slot], address);
}

/* A frame that something was called from is looked up in the call, which ends before its address. */
static void collect_addresses(Naming *naming)
{
  const ProfileCapture *capture = naming->capture;
  g_autofree guint8 *uses = g_new0(guint8, capture->n_frames);

  for (gsize i = 0; i < capture->n_nodes; i++)
    uses[capture->frame[i]] |= capture->exact[i] ? 1 : 2;
  for (gsize i = 0; i < capture->n_frames; i++) {
    const ProfileFrame *frame = &capture->frames[i];

    if (frame->kind != CAPTURE_SPACE_KERNEL && frame->kind != CAPTURE_SPACE_BINARY)
      continue;
    if (uses[i] & 1)
      take_address(naming, frame, frame->address);
    if (uses[i] & 2)
      take_address(naming, frame, frame->address - 1);
  }
}

static int naming_compare(const void *a, const void *b)
{
  guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;

  return x < y ? -1 : x > y;
}

static guint32 get_binary(const ProfileNamingTables *tables, guint slot)
{
  return slot + 1 == tables->n ? G_MAXUINT32 : slot;
}

static gboolean is_one_of(const Naming *naming, guint slot)
{
  const ProfileBinary *binary = &g_array_index(naming->capture->binaries, ProfileBinary, slot);
  g_autofree char *hex = profile_debug_file_print_build_id(binary->build_id, binary->build_id_size);

  return g_hash_table_contains(naming->options->only, hex);
}

static gboolean are_places_left(ProfileCapture *capture, guint slot)
{
  const ProfilePlaces *places = capture->places[slot];

  return places && profile_places_get_outcome(places) == CAPTURE_PLACES_LEFT;
}

/* What only the recorder has named may be named better here. */
static gboolean is_wanted(const Naming *naming, guint slot)
{
  guint32 binary = get_binary(naming->tables, slot);
  ProfileFunctionTable *table = profile_capture_get_table(naming->capture, binary);
  enum capture_naming status;

  if (!naming->addresses[slot])
    return FALSE;
  if (naming->options->only)
    return binary != G_MAXUINT32 && is_one_of(naming, slot);
  if (!naming->options->only_missing || !profile_capture_is_looked_for(naming->capture, binary))
    return TRUE;
  status = profile_function_table_get_status(table);
  return status == CAPTURE_NAMING_UNREADABLE || status == CAPTURE_NAMING_HIDDEN ||
         are_places_left(naming->capture, slot);
}

static const char *get_name(const Naming *naming, guint slot)
{
  return slot + 1 == naming->tables->n ? "[kernel]"
                                       : g_array_index(naming->capture->binaries, ProfileBinary, slot).path;
}

static void report_progress(Naming *naming)
{
  guint first = GPOINTER_TO_UINT(g_queue_peek_head(&naming->under_way));

  if (naming->options->progress && first > 0)
    naming->options->progress(naming->done, naming->total, get_name(naming, first - 1),
                              naming->options->progress_data);
}

static void begin_slot(Naming *naming, gpointer job)
{
  g_mutex_lock(&naming->lock);
  g_queue_push_tail(&naming->under_way, job);
  report_progress(naming);
  g_mutex_unlock(&naming->lock);
}

static void end_slot(Naming *naming, gpointer job)
{
  g_mutex_lock(&naming->lock);
  naming->done++;
  report_progress(naming);
  g_queue_remove(&naming->under_way, job);
  g_mutex_unlock(&naming->lock);
}

static void name_kernel(Naming *naming, const guint64 *addresses, gsize n)
{
  guint slot = naming->tables->n - 1;
  ProfileFunctionTable *table =
      profile_kernel_name(naming->capture, addresses, n, !naming->options->no_store);
  ProfilePlaces *image =
      profile_kernel_places_find(&naming->namer, naming->capture, addresses, n, naming->known[slot],
                                 naming->options->no_store ? NULL : &naming->learnt[slot]);
  ProfilePlaces *modules = profile_module_places_find(&naming->namer, naming->capture, table, addresses, n);
  ProfilePlaces *places = profile_places_merge(image, modules);

  naming->tables->tables[slot] = places ? profile_namer_add_declarations(table, places) : table;
  naming->tables->places[slot] = places;
}

/* A job of the pool: slot + 1. */
static void name_slot(gpointer job, gpointer data)
{
  Naming *naming = data;
  guint slot = GPOINTER_TO_UINT(job) - 1;
  guint64 *addresses = (guint64 *)(gpointer)naming->addresses[slot]->data;
  gsize n = naming->addresses[slot]->len;

  if (g_cancellable_is_cancelled(naming->cancellable))
    return;
  begin_slot(naming, job);
  qsort(addresses, n, sizeof *addresses, naming_compare);
  if (slot + 1 == naming->tables->n)
    name_kernel(naming, addresses, n);
  else
    naming->tables->tables[slot] = profile_namer_name_binary(
        &naming->namer, &g_array_index(naming->capture->binaries, ProfileBinary, slot), addresses, n,
        naming->known[slot], naming->options->no_store ? NULL : &naming->learnt[slot],
        &naming->tables->places[slot]);
  if (naming->options->only &&
      profile_function_table_get_status(naming->tables->tables[slot]) == CAPTURE_NAMING_UNREADABLE)
    g_clear_pointer(&naming->tables->tables[slot], profile_function_table_unref);
  end_slot(naming, job);
}

/* Where most was sampled first, as places may not be looked for to the end. */
static gint compare_jobs(gconstpointer a, gconstpointer b, gpointer data)
{
  const Naming *naming = data;
  guint left = naming->addresses[GPOINTER_TO_UINT(*(gpointer const *)a) - 1]->len;
  guint right = naming->addresses[GPOINTER_TO_UINT(*(gpointer const *)b) - 1]->len;

  return left > right ? -1 : left < right;
}

static void run_jobs(Naming *naming)
{
  guint n_threads = naming->options->max_threads ? naming->options->max_threads : g_get_num_processors();

  g_autoptr(GPtrArray) jobs = g_ptr_array_new();

  for (guint slot = 0; slot < naming->tables->n; slot++)
    if (is_wanted(naming, slot))
      g_ptr_array_add(jobs, GUINT_TO_POINTER(slot + 1));
  naming->total = jobs->len;
  if (naming->total == 0)
    return;
  g_ptr_array_sort_with_data(jobs, compare_jobs, naming);
  /* Threads of its own have this one's niceness. Those that pools share want the niceness of whoever made the
   * first pool, which the kernel may refuse them. */
  GThreadPool *pool = g_thread_pool_new(name_slot, naming, (gint)MIN(n_threads, naming->total), TRUE, NULL);
  for (guint i = 0; i < jobs->len; i++)
    g_thread_pool_push(pool, jobs->pdata[i], NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
}

/* NULL: nothing of it can be known before. */
static const ProfileBinary *get_kept_binary(const Naming *naming, guint slot)
{
  const ProfileBinary *binary;

  if (slot + 1 == naming->tables->n)
    return profile_kernel_get_binary(naming->capture);
  binary = &g_array_index(naming->capture->binaries, ProfileBinary, slot);
  return profile_namer_can_keep(binary) ? binary : NULL;
}

/* Everything up front, so that the threads of the pool do not wait for each other. */
static void load_known(Naming *naming)
{
  g_autofree char *path = profile_names_store_get_path();

  for (guint slot = 0; slot < naming->tables->n && !g_cancellable_is_cancelled(naming->cancellable); slot++) {
    const ProfileBinary *binary = is_wanted(naming, slot) ? get_kept_binary(naming, slot) : NULL;

    if (!binary)
      continue;
    if (!naming->store)
      naming->store = profile_names_store_open(path, PROFILE_NAMES_STORE_MAX);
    if (!naming->store)
      return;
    naming->known[slot] = profile_names_store_load(naming->store, binary->build_id, binary->build_id_size);
    if (naming->known[slot])
      profile_names_store_load_places(naming->store, naming->known[slot]);
  }
}

static void save_learnt(Naming *naming)
{
  guint n = naming->tables->n;

  if (naming->store)
    profile_names_store_save(naming->store, naming->learnt, n);
  for (guint slot = 0; slot < n; slot++) {
    g_clear_pointer(&naming->known[slot], profile_stored_names_free);
    g_clear_pointer(&naming->learnt[slot], profile_stored_names_free);
  }
  g_clear_pointer(&naming->store, profile_names_store_free);
}

/* What could not be named here may have been named by the recorder. */
static enum capture_naming get_status(ProfileCapture *capture, const ProfileNamingTables *tables, guint slot)
{
  const ProfileFunctionTable *served = profile_capture_get_served_table(capture, get_binary(tables, slot));
  enum capture_naming status = profile_function_table_get_status(tables->tables[slot]);

  if (served && (status == CAPTURE_NAMING_UNREADABLE || status == CAPTURE_NAMING_HIDDEN))
    return profile_function_table_get_status(served);
  return status;
}

static gboolean is_over(const Naming *naming)
{
  return naming->namer.places_until > 0 && g_get_monotonic_time() >= naming->namer.places_until;
}

static void count_results(const Naming *naming)
{
  ProfileNamingTables *tables = naming->tables;

  for (guint slot = 0; slot < tables->n; slot++) {
    gsize n;

    if (!tables->tables[slot])
      continue;
    profile_function_table_get_ranges(tables->tables[slot], &n);
    tables->result.binaries++;
    tables->result.functions += (guint)n;
    if (is_over(naming) && tables->places[slot] &&
        profile_places_get_outcome(tables->places[slot]) == CAPTURE_PLACES_LEFT)
      tables->result.left++;
    switch (get_status(naming->capture, tables, slot)) {
    case CAPTURE_NAMING_UNREADABLE:
      tables->result.unreadable++;
      break;
    case CAPTURE_NAMING_HIDDEN:
      tables->result.kernel_hidden = TRUE;
      break;
    default:
      break;
    }
  }
}

/* When the last sample was taken by the wall clock; 0 not known. */
static gint64 get_end(ProfileCapture *capture)
{
  struct capture_file_header header;
  guint64 first, last;
  gint64 end;

  profile_capture_get_header(capture, &header);
  if (header.time_realtime <= 0 || !profile_capture_get_time_range(capture, &first, &last) ||
      last < header.time || __builtin_add_overflow(header.time_realtime, last - header.time, &end))
    return 0;
  return end;
}

ProfileNamer profile_naming_make_namer(ProfileCapture *capture, const ProfileNamingOptions *options,
                                       GCancellable *cancellable)
{
  return (ProfileNamer){.open = options ? options->open : NULL,
                        .open_data = options ? options->open_data : NULL,
                        .same_boot = profile_kernel_is_same_boot(capture),
                        .end = get_end(capture),
                        .cancellable = cancellable};
}

static gint64 get_end_of_places(gint64 time)
{
  return time == 0 ? 0 : MAX(g_get_monotonic_time() + time, 1);
}

gboolean profile_naming_make_tables(ProfileCapture *capture, const ProfileNamingOptions *options,
                                    ProfileNamingTables *ret, GCancellable *cancellable, GError **error)
{
  static const ProfileNamingOptions defaults;
  g_autoptr(ProfileElfReaders) readers = profile_elf_readers_new();
  Naming naming = {.capture = capture,
                   .options = options ? options : &defaults,
                   .cancellable = cancellable,
                   .namer = profile_naming_make_namer(capture, options, cancellable),
                   .tables = ret};

  naming.namer.readers = readers;
  naming.namer.places_until = get_end_of_places(naming.options->places_time);
  ret->n = capture->binaries->len + 1;
  ret->tables = g_new0(ProfileFunctionTable *, ret->n);
  ret->places = g_new0(ProfilePlaces *, ret->n);
  ret->code = g_new0(ProfileMachineCode *, ret->n);
  naming.addresses = g_new0(GArray *, ret->n);
  naming.known = g_new0(ProfileStoredNames *, ret->n);
  naming.learnt = g_new0(ProfileStoredNames *, ret->n);
  g_mutex_init(&naming.lock);
  collect_addresses(&naming);
  if (!naming.options->no_store)
    load_known(&naming);
  run_jobs(&naming);
  save_learnt(&naming);
  count_results(&naming);
  for (guint slot = 0; slot < ret->n; slot++)
    g_clear_pointer(&naming.addresses[slot], g_array_unref);
  g_free(naming.addresses);
  g_free(naming.known);
  g_free(naming.learnt);
  g_mutex_clear(&naming.lock);
  return !g_cancellable_set_error_if_cancelled(cancellable, error);
}

void profile_naming_tables_clear(ProfileNamingTables *tables)
{
  for (guint slot = 0; slot < tables->n; slot++) {
    g_clear_pointer(&tables->tables[slot], profile_function_table_unref);
    g_clear_pointer(&tables->places[slot], profile_places_unref);
    g_clear_pointer(&tables->code[slot], profile_machine_code_unref);
  }
  g_clear_pointer(&tables->tables, g_free);
  g_clear_pointer(&tables->places, g_free);
  g_clear_pointer(&tables->code, g_free);
  g_clear_pointer(&tables->source, profile_source_texts_unref);
  tables->n = 0;
}

/* Where the names are known and only places were left: names stay when the file is not there. */
static void take_places_left(ProfileCapture *capture, const ProfileNamingTables *tables, guint slot)
{
  guint32 binary = get_binary(tables, slot);
  enum capture_naming status = profile_function_table_get_status(tables->tables[slot]);
  g_autoptr(ProfileFunctionTable) table = NULL;
  g_autoptr(ProfilePlaces) both = NULL;

  if (!tables->places[slot])
    return;
  both = profile_places_join(capture->places[slot], tables->places[slot]);
  profile_places_set_outcome(both, profile_places_get_outcome(tables->places[slot]));
  if (status == CAPTURE_NAMING_UNREADABLE || status == CAPTURE_NAMING_HIDDEN)
    table = profile_function_table_ref(profile_capture_get_table(capture, binary));
  else
    table = profile_function_table_ref(tables->tables[slot]);
  table = profile_namer_add_declarations(g_steal_pointer(&table), both);
  profile_capture_set_table(capture, binary, table);
  profile_capture_set_places(capture, binary, both);
}

static void take_tables(ProfileCapture *capture, const ProfileNamingTables *tables)
{
  for (guint slot = 0; slot < tables->n; slot++) {
    if (tables->tables[slot] && are_places_left(capture, slot)) {
      take_places_left(capture, tables, slot);
      continue;
    }
    if (tables->tables[slot])
      profile_capture_set_table(capture, get_binary(tables, slot), tables->tables[slot]);
    if (tables->places[slot])
      profile_capture_set_places(capture, get_binary(tables, slot), tables->places[slot]);
  }
  profile_capture_update_functions(capture);
}

gboolean profile_naming_resolve(ProfileCapture *capture, const ProfileNamingOptions *options,
                                ProfileNamingResult *ret_result, GCancellable *cancellable, GError **error)
{
  g_auto(ProfileNamingTables) tables = {0};
  gboolean done = profile_naming_make_tables(capture, options, &tables, cancellable, error);

  take_tables(capture, &tables);
  if (ret_result)
    *ret_result = tables.result;
  return done;
}

gboolean profile_naming_is_wanted(ProfileCapture *capture)
{
  gboolean is_looked_for = FALSE, are_left = FALSE;

  for (guint slot = 0; slot <= capture->binaries->len; slot++) {
    is_looked_for |= profile_capture_is_looked_for(capture, slot);
    are_left |= are_places_left(capture, slot);
  }
  return !is_looked_for || are_left;
}

ProfileCapture *profile_naming_resolve_new(ProfileCapture *capture, const ProfileNamingOptions *options,
                                           ProfileNamingResult *ret_result, GCancellable *cancellable,
                                           GError **error)
{
  g_auto(ProfileNamingTables) tables = {0};

  if (!profile_naming_make_tables(capture, options, &tables, cancellable, error))
    return NULL;
  ProfileCapture *named = profile_capture_share(capture);
  take_tables(named, &tables);
  if (ret_result)
    *ret_result = tables.result;
  return named;
}
