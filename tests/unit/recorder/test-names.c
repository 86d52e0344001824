/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that the recorder finds: what goes into the stream, and what happens when nobody can be relied on. */
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "helpers/recorder/stream/names-private.h"
#include "libcapture/file/capture-reader.h"
#include "tables-fixture.h"

#define SECOND UINT64_C(1000000000)

struct fixture {
  struct tables_fixture files; /* without tables */
  struct recorder_output output;
  struct recorder_binaries binaries;
  struct recorder_event_type events[RECORDER_EVENTS_MAX + 1];
  struct recorder_names *names;
  struct recorder_process process;
  GArray *mapped; /* struct tables_mapped */
  capture_tap *tap;
  gboolean consumes;
  guint ticks_left;
  GHashTable *strings;  /* identifier → text */
  GHashTable *statuses; /* base name of a binary → status + 1 */
  GHashTable *by_id;    /* named binary → base name */
  GArray *functions;    /* struct capture_function */
  char *message;
};

static void keep_string(struct fixture *fixture, const struct capture_record_string *string)
{
  g_hash_table_insert(fixture->strings, GUINT_TO_POINTER(string->id),
                      g_strndup(string->bytes, string->length));
}

static void keep_binary(struct fixture *fixture, const struct capture_record_named_binary *binary)
{
  const char *path = g_hash_table_lookup(fixture->strings, GUINT_TO_POINTER(binary->path));
  g_assert_nonnull(path);
  g_hash_table_insert(fixture->statuses, g_path_get_basename(path), GUINT_TO_POINTER(binary->status + 1));
  g_hash_table_insert(fixture->by_id, GUINT_TO_POINTER(binary->id), g_path_get_basename(path));
}

static int keep(const struct capture_taken *taken, void *data)
{
  struct fixture *fixture = data;
  const struct capture_record *record;
  size_t position = 0;
  while ((record = capture_records_next(taken->content, taken->header.length, &position)) != NULL) {
    g_assert_true(capture_record_is_valid(record));
    if (record->type == CAPTURE_RECORD_MESSAGE) {
      g_free(fixture->message);
      fixture->message = g_strdup(((const struct capture_record_message *)record)->text);
    }
    if (taken->header.kind != CAPTURE_WINDOW_NAMES)
      continue;
    if (record->type == CAPTURE_RECORD_STRING)
      keep_string(fixture, (const void *)record);
    else if (record->type == CAPTURE_RECORD_NAMED_BINARY)
      keep_binary(fixture, (const void *)record);
    else if (record->type == CAPTURE_RECORD_FUNCTIONS)
      g_array_append_vals(fixture->functions, ((const struct capture_record_functions *)record)->functions,
                          record->count);
  }
  g_assert_cmpuint(position, ==, taken->header.length);
  return 0;
}

static void consume(struct fixture *fixture)
{
  g_assert_cmpint(capture_tap_take(fixture->tap, keep, fixture), >=, 0);
}

static bool tick(void *data)
{
  struct fixture *fixture = data;
  recorder_output_commit(&fixture->output, 0);
  if (fixture->consumes)
    consume(fixture);
  return fixture->ticks_left > 0 && fixture->ticks_left-- > 0;
}

static void create_names(struct fixture *fixture, const char *reader, const char *kallsyms, guint64 patience)
{
  struct recorder_names_options options = {
      .binaries = &fixture->binaries, .reader = reader, .kallsyms = kallsyms, .patience = patience};
  g_assert_cmpint(recorder_names_create(&fixture->names, &options), ==, 0);
  fixture->output.names = fixture->names;
}

static void set_up(struct fixture *fixture, gconstpointer data)
{
  struct recorder_configure configure = {.window_size = 4096, .window_count = 32};
  tables_set_up(&fixture->files, NULL);
  recorder_tables_free(fixture->files.tables);
  fixture->files.tables = NULL;
  g_assert_cmpint(recorder_output_init(&fixture->output, &configure, fixture->events, NULL), ==, 0);
  recorder_binaries_init(&fixture->binaries);
  g_assert_cmpint(capture_tap_open(&fixture->tap, capture_pool_windows_fd(fixture->output.pool),
                                   capture_pool_control_fd(fixture->output.pool)),
                  ==, 0);
  fixture->process.pid = getpid();
  fixture->mapped = g_array_new(FALSE, FALSE, sizeof(struct tables_mapped));
  fixture->strings = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  fixture->statuses = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  fixture->by_id = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  fixture->functions = g_array_new(FALSE, FALSE, sizeof(struct capture_function));
  fixture->consumes = TRUE;
  fixture->ticks_left = G_MAXUINT;
}

static void tear_down(struct fixture *fixture, gconstpointer data)
{
  fixture->output.names = NULL;
  recorder_names_free(fixture->names);
  recorder_output_clear(&fixture->output);
  capture_tap_close(fixture->tap);
  recorder_binaries_clear(&fixture->binaries);
  for (guint i = 0; i < fixture->mapped->len; i++)
    tables_unmap(&g_array_index(fixture->mapped, struct tables_mapped, i));
  g_array_unref(fixture->mapped);
  g_array_unref(fixture->functions);
  g_hash_table_unref(fixture->strings);
  g_hash_table_unref(fixture->statuses);
  g_hash_table_unref(fixture->by_id);
  g_free(fixture->message);
  tables_tear_down(&fixture->files, NULL);
}

/* A copy of this program, or of `source`, of that mode, mapped into this process and told to the stream. The
 * caller has a reference to it. */
static struct recorder_binary *map_copy(struct fixture *fixture, const char *source, const char *name,
                                        mode_t mode)
{
  g_autofree char *path = tables_copy(&fixture->files, source ? source : "/proc/self/exe", name);
  g_assert_cmpint(chmod(path, mode), ==, 0);
  struct tables_mapped mapped = tables_map(path);
  g_array_append_val(fixture->mapped, mapped);
  struct recorder_mapping mapping = {.start = (guint64)(guintptr)mapped.memory,
                                     .end = (guint64)(guintptr)mapped.memory + mapped.size,
                                     .binary = recorder_binaries_take(&fixture->binaries, &mapped.key)};
  g_assert_cmpint(recorder_output_mapping(&fixture->output, &fixture->process, &mapping), ==, 0);
  return mapping.binary;
}

static void sample(struct fixture *fixture, const struct recorder_binary *binary, guint64 offset)
{
  capture_writer *writer = fixture->output.writer;
  g_assert_cmpuint(binary->epoch, ==, fixture->output.epoch);
  if (capture_writer_frame(writer, CAPTURE_SPACE_BINARY, binary->id, offset) > 0)
    return;
  recorder_output_commit(&fixture->output, 0);
  consume(fixture);
  g_assert_cmpint(capture_writer_frame(writer, CAPTURE_SPACE_BINARY, binary->id, offset), >, 0);
}

static void sample_kernel(struct fixture *fixture, guint64 address)
{
  g_assert_cmpint(capture_writer_frame(fixture->output.writer, CAPTURE_SPACE_KERNEL, 0, address), >, 0);
}

static void finish(struct fixture *fixture)
{
  recorder_names_finish(fixture->names, &fixture->output, tick, fixture);
  recorder_output_commit(&fixture->output, 0);
  consume(fixture);
}

static int status_of(const struct fixture *fixture, const char *name)
{
  return (int)GPOINTER_TO_UINT(g_hash_table_lookup(fixture->statuses, name)) - 1;
}

/* The name of an offset, or NULL. */
static const char *name_of(const struct fixture *fixture, guint64 offset)
{
  for (guint i = 0; i < fixture->functions->len; i++) {
    const struct capture_function *function = &g_array_index(fixture->functions, struct capture_function, i);
    g_assert_cmpuint(function->name, ==, 0);
    if (function->start <= offset && offset < function->end)
      return g_hash_table_lookup(fixture->strings, GUINT_TO_POINTER(function->linkage_name));
  }
  return NULL;
}

/* Where in this program's file a function of it stands: its segments are mapped as they stand there. */
static guint64 offset_of(void *function)
{
  g_autofree char *maps = NULL;
  guint64 address = (guint64)(guintptr)function;
  g_assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(maps, "\n", -1);
  for (char **line = lines; *line; line++) {
    unsigned long long start, end, offset;
    if (sscanf(*line, "%llx-%llx %*s %llx", &start, &end, &offset) == 3 && start <= address && address < end)
      return address - start + offset;
  }
  g_assert_not_reached();
}

__attribute__((noinline, used)) static int function_to_find(int i)
{
  __asm__ volatile("" : "+r"(i));
  return 3 * i;
}

static guint64 known_offset(void)
{
  return offset_of((void *)function_to_find) + 1;
}

static void test_file(struct fixture *fixture, gconstpointer data)
{
  create_names(fixture, fixture->files.reader, NULL, 0);
  struct recorder_binary *private = map_copy(fixture, NULL, "private", 0700);
  struct recorder_binary *public = map_copy(fixture, NULL, "public", 0755);
  struct recorder_binary *idle = map_copy(fixture, NULL, "idle", 0700);
  sample(fixture, private, known_offset());
  sample(fixture, public, known_offset());
  finish(fixture);
  g_assert_cmpint(status_of(fixture, "private"), ==, CAPTURE_NAMING_SYMBOLS);
  g_assert_cmpint(status_of(fixture, "public"), ==, -1);
  g_assert_cmpint(status_of(fixture, "idle"), ==, -1);
  g_assert_cmpuint(fixture->functions->len, ==, 1);
  g_assert_cmpstr(name_of(fixture, known_offset()), ==, "function_to_find");
  g_assert_null(fixture->message);
  recorder_binaries_release(&fixture->binaries, private);
  recorder_binaries_release(&fixture->binaries, public);
  recorder_binaries_release(&fixture->binaries, idle);
}

/* What an earlier epoch has sampled is remembered without its identifiers. */
static void test_epochs(struct fixture *fixture, gconstpointer data)
{
  create_names(fixture, fixture->files.reader, NULL, 0);
  struct recorder_binary *first = map_copy(fixture, NULL, "first", 0700);
  sample(fixture, first, known_offset());
  recorder_binaries_release(&fixture->binaries, first);
  g_assert_cmpint(recorder_output_next_epoch(&fixture->output), ==, 0);
  struct recorder_binary *second = map_copy(fixture, NULL, "second", 0700);
  sample(fixture, second, known_offset());
  recorder_binaries_release(&fixture->binaries, second);
  finish(fixture);
  g_assert_cmpint(status_of(fixture, "first"), ==, CAPTURE_NAMING_SYMBOLS);
  g_assert_cmpint(status_of(fixture, "second"), ==, CAPTURE_NAMING_SYMBOLS);
  g_assert_cmpuint(fixture->functions->len, ==, 2);
}

/* More offsets than one request holds, and more names than the windows hold at once. */
static void test_many(struct fixture *fixture, gconstpointer data)
{
  guint64 end = 0;
  Dl_info info;
  g_assert_cmpint(dladdr((void *)g_malloc, &info), !=, 0);
  create_names(fixture, fixture->files.reader, NULL, 30 * SECOND);
  struct recorder_binary *library = map_copy(fixture, info.dli_fname, "library", 0700);
  for (guint64 offset = 0x10000; offset < 0x100000; offset += 24)
    sample(fixture, library, offset);
  recorder_binaries_release(&fixture->binaries, library);
  finish(fixture);
  g_assert_cmpuint(fixture->functions->len, >, 500);
  for (guint i = 0; i < fixture->functions->len; i++) {
    const struct capture_function *function = &g_array_index(fixture->functions, struct capture_function, i);
    g_assert_cmpuint(function->start, >=, end);
    g_assert_cmpuint(function->end, >, function->start);
    end = function->end;
  }
}

/* Nobody can know whether it may be read, and the process that had it mapped has gone. */
static struct recorder_binary *map_nowhere(struct fixture *fixture)
{
  struct recorder_binary_key key = {.device = 1, .inode = 2};
  recorder_binary_key_set_path(&key, "/no/such/file", strlen("/no/such/file"));
  struct recorder_mapping mapping = {
      .start = 4096, .end = 8192, .binary = recorder_binaries_take(&fixture->binaries, &key)};
  g_assert_cmpint(recorder_output_mapping(&fixture->output, &fixture->process, &mapping), ==, 0);
  return mapping.binary;
}

/* What became of it is told. */
static void test_out_of_reach(struct fixture *fixture, gconstpointer data)
{
  create_names(fixture, fixture->files.reader, NULL, 0);
  struct recorder_binary *binary = map_nowhere(fixture);
  sample(fixture, binary, 0x100);
  recorder_binaries_release(&fixture->binaries, binary);
  finish(fixture);
  g_assert_cmpint(status_of(fixture, "file"), ==, CAPTURE_NAMING_UNREADABLE);
  g_assert_true(g_str_has_prefix(fixture->message, "1 file "));
}

/* A program that runs everywhere fills no memory; that names are missing for it is told. */
static void test_sampled_everywhere(struct fixture *fixture, gconstpointer data)
{
  create_names(fixture, fixture->files.reader, NULL, 0);
  struct recorder_binary *binary = map_nowhere(fixture);
  for (guint64 i = 0; i < 1u << 20; i++)
    recorder_names_add(fixture->names, binary, 16 * i + 8);
  recorder_binaries_release(&fixture->binaries, binary);
  finish(fixture);
  g_assert_nonnull(g_strstr_len(fixture->message, -1, " more places "));
}

/* Whatever the elf-reader does, the rest is named and the end comes. */
static void test_reader(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *fake =
      g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "tests", "unit", "recorder", "fake-elf-reader", NULL);
  g_autofree char *reader = tables_copy(&fixture->files, fake, data);
  g_autofree char *kallsyms = g_build_filename(fixture->files.directory, "kallsyms", NULL);
  g_assert_true(
      g_file_set_contents(kallsyms, "ffffffff81000000 T _text\nffffffff81001000 T schedule\n", -1, NULL));
  create_names(fixture, reader, kallsyms, SECOND);
  struct recorder_binary *private = map_copy(fixture, NULL, "private", 0700);
  sample(fixture, private, known_offset());
  sample_kernel(fixture, G_GUINT64_CONSTANT(0xffffffff81001010));
  recorder_binaries_release(&fixture->binaries, private);
  finish(fixture);
  g_assert_cmpint(status_of(fixture, "private"), ==, CAPTURE_NAMING_UNREADABLE);
  g_assert_cmpint(status_of(fixture, "[kernel]"), ==, CAPTURE_NAMING_SYMBOLS);
  g_assert_cmpuint(fixture->functions->len, ==, 1);
  g_assert_cmpstr(name_of(fixture, G_GUINT64_CONSTANT(0xffffffff81001010)), ==, "schedule");
  g_assert_nonnull(fixture->message);
}

/* The caller hung up: nothing is done for nobody, and this does not take the ten minutes that it might. */
static void test_left_alone(struct fixture *fixture, gconstpointer data)
{
  create_names(fixture, "/bin/sleep", NULL, 600 * SECOND);
  struct recorder_binary *private = map_copy(fixture, NULL, "private", 0700);
  sample(fixture, private, known_offset());
  recorder_binaries_release(&fixture->binaries, private);
  fixture->ticks_left = 3;
  finish(fixture);
  g_assert_cmpuint(fixture->ticks_left, ==, 0);
  g_assert_true(fixture->names->is_over);
}

/* Nobody takes what stands in the windows. */
static void test_stalled(struct fixture *fixture, gconstpointer data)
{
  Dl_info info;
  g_assert_cmpint(dladdr((void *)g_malloc, &info), !=, 0);
  create_names(fixture, fixture->files.reader, NULL, SECOND);
  struct recorder_binary *library = map_copy(fixture, info.dli_fname, "library", 0700);
  for (guint64 offset = 0x10000; offset < 0x100000; offset += 64)
    sample(fixture, library, offset);
  recorder_binaries_release(&fixture->binaries, library);
  consume(fixture);
  fixture->consumes = FALSE;
  finish(fixture);
  g_assert_true(fixture->names->is_over);
}

static void test_kernel(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *kallsyms = g_build_filename(fixture->files.directory, "kallsyms", NULL);
  g_assert_true(g_file_set_contents(kallsyms,
                                    "ffffffff81000000 T _stext\n"
                                    "ffffffff81000100 T __first\n"
                                    "ffffffff81000100 T first\n"
                                    "ffffffff81000200 r data\n"
                                    "ffffffff81000300 t second\n"
                                    "nonsense\n"
                                    "ffffffffc0000000 t in_module\t[module]\n"
                                    "ffffffffc0005000 t in_other\t[other]\n"
                                    "ffffffff81000280 t unsorted",
                                    -1, NULL));
  create_names(fixture, fixture->files.reader, kallsyms, 0);
  sample_kernel(fixture, G_GUINT64_CONSTANT(0xffffffff81000110));
  sample_kernel(fixture, G_GUINT64_CONSTANT(0xffffffff81000290));
  sample_kernel(fixture, G_GUINT64_CONSTANT(0xffffffffc0000010));
  sample_kernel(fixture, G_GUINT64_CONSTANT(0xffffffffc0004010));
  finish(fixture);
  g_assert_cmpint(status_of(fixture, "[kernel]"), ==, CAPTURE_NAMING_SYMBOLS);
  g_assert_cmpuint(fixture->functions->len, ==, 3);
  g_assert_cmpstr(name_of(fixture, G_GUINT64_CONSTANT(0xffffffff81000110)), ==, "first");
  g_assert_cmpstr(name_of(fixture, G_GUINT64_CONSTANT(0xffffffff81000290)), ==, "unsorted");
  g_assert_cmpstr(name_of(fixture, G_GUINT64_CONSTANT(0xffffffffc0000010)), ==, "in_module");
  g_assert_null(name_of(fixture, G_GUINT64_CONSTANT(0xffffffffc0004010)));
  const struct capture_function *last = &g_array_index(fixture->functions, struct capture_function, 2);
  g_assert_cmpstr(g_hash_table_lookup(fixture->strings, GUINT_TO_POINTER(last->module)), ==, "module");
}

static void test_hidden_kernel(struct fixture *fixture, gconstpointer data)
{
  g_autofree char *kallsyms = g_build_filename(fixture->files.directory, "kallsyms", NULL);
  g_assert_true(
      g_file_set_contents(kallsyms, "0000000000000000 T _stext\n0000000000000000 T schedule\n", -1, NULL));
  create_names(fixture, fixture->files.reader, kallsyms, 0);
  sample_kernel(fixture, G_GUINT64_CONSTANT(0xffffffff81000110));
  finish(fixture);
  g_assert_cmpint(status_of(fixture, "[kernel]"), ==, CAPTURE_NAMING_HIDDEN);
  g_assert_cmpuint(fixture->functions->len, ==, 0);
}

static void test_addresses(void)
{
  struct recorder_addresses addresses = {0};
  for (guint64 i = 0; i < 100000; i++)
    recorder_addresses_add(&addresses, i * 7919 % 1000);
  g_assert_cmpuint(addresses.capacity, <=, 4096);
  recorder_addresses_sort(&addresses);
  g_assert_cmpuint(addresses.count, ==, 1000);
  for (guint64 i = 0; i < 1000; i++)
    g_assert_cmpuint(addresses.items[i], ==, i);
  for (guint64 i = 0; i < (3u << 20); i++)
    recorder_addresses_add(&addresses, i << 8);
  g_assert_cmpuint(addresses.capacity, <=, 1u << 20);
  g_assert_cmpuint(addresses.dropped, >, 1u << 20);
  recorder_addresses_clear(&addresses);
}

static void add(const char *path, void (*test)(struct fixture *, gconstpointer), const char *data)
{
  g_test_add(path, struct fixture, data, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
  static const char *const deeds[] = {
      "die",   "never-ready", "wrong-version", "wrong-cookie", "wrong-type", "short",      "wrong-size",
      "holes", "no-memfd",    "no-table",      "unsealed",     "hang",       "wrong-error"};
  g_test_init(&argc, &argv, NULL);
  add("/recorder/names/file", test_file, NULL);
  add("/recorder/names/epochs", test_epochs, NULL);
  add("/recorder/names/many", test_many, NULL);
  add("/recorder/names/out-of-reach", test_out_of_reach, NULL);
  add("/recorder/names/sampled-everywhere", test_sampled_everywhere, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(deeds); i++) {
    g_autofree char *path = g_strconcat("/recorder/names/reader/", deeds[i], NULL);
    add(path, test_reader, deeds[i]);
  }
  add("/recorder/names/left-alone", test_left_alone, NULL);
  add("/recorder/names/stalled", test_stalled, NULL);
  add("/recorder/names/kernel", test_kernel, NULL);
  add("/recorder/names/hidden-kernel", test_hidden_kernel, NULL);
  g_test_add_func("/recorder/names/addresses", test_addresses);
  return g_test_run();
}
