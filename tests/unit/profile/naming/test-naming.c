/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"
#include "libcapture/file/capture-writer.h"
#include "profile/base/zstd.h"
#include "profile/capture/reader.h"
#include "profile/capture/translate.h"
#include "profile/elf/kallsyms.h"
#include "profile/naming/naming.h"
#include "profile/naming/place-gaps.h"
#include "tests/unit/profile/symbol-files.h"

#define BPF_ADDRESS G_GUINT64_CONSTANT(0xffffffffc1000000)

/* A capture with one sample: outer calls inner in ./program, which calls into the kernel. */
typedef struct {
  char *directory;
  guint64 outer, inner; /* file offsets: a return address in outer, which is its end; a byte of inner */
  guint64 kernel;       /* address */
  guint64 inode;
  gboolean serves; /* the recorder has names, too */
} Case;

static guint32 take(gint64 id)
{
  g_assert_cmpint(id, >, 0);
  return (guint32)id;
}

static guint32 add_binary(capture_writer *writer, const Case *c)
{
  struct capture_record_binary record = {.record = {sizeof record, CAPTURE_RECORD_BINARY, 0}};
  g_autofree char *path = g_build_filename(c->directory, "program", NULL);

  record.id = capture_writer_next_id(writer, CAPTURE_RECORD_BINARY);
  record.path = take(capture_writer_string(writer, path, strlen(path)));
  record.inode = c->inode;
  g_assert_cmpint(capture_writer_define(writer, &record.record), ==, 0);
  return record.id;
}

static void add_kernel_symbol(capture_writer *writer)
{
  struct capture_record_kernel_symbol record = {
      .record = {sizeof record, CAPTURE_RECORD_KERNEL_SYMBOL, 0}, .address = BPF_ADDRESS, .length = 0x100};

  record.name = take(capture_writer_string(writer, "bpf_prog_recorded", 17));
  g_assert_cmpint(capture_writer_define(writer, &record.record), ==, 0);
}

static guint32 add_event(capture_writer *writer)
{
  struct capture_record_event record = {.record = {sizeof record, CAPTURE_RECORD_EVENT, 0}};

  record.id = capture_writer_next_id(writer, CAPTURE_RECORD_EVENT);
  record.name = take(capture_writer_string(writer, "cpu-clock", 9));
  g_assert_cmpint(capture_writer_define(writer, &record.record), ==, 0);
  return record.id;
}

static void write_stream(capture_writer *writer, const Case *c)
{
  guint32 binary = add_binary(writer, c);
  guint32 user[2] = {take(capture_writer_frame(writer, CAPTURE_SPACE_BINARY, binary, c->inner)),
                     take(capture_writer_frame(writer, CAPTURE_SPACE_BINARY, binary, c->outer))};
  guint32 kernel[2] = {take(capture_writer_frame(writer, CAPTURE_SPACE_KERNEL, 0, BPF_ADDRESS)),
                       take(capture_writer_frame(writer, CAPTURE_SPACE_KERNEL, 0, c->kernel + 1))};
  struct capture_writer_sample sample = {.time = 1, .event = add_event(writer), .weight = 1};

  add_kernel_symbol(writer);
  sample.leaf = take(capture_writer_join(writer, take(capture_writer_stack(writer, 0, user, 2)),
                                         take(capture_writer_stack(writer, 0, kernel, 2))));
  g_assert_cmpint(capture_writer_sample(writer, &sample), ==, 0);
}

static guint32 add_name(capture_writer *writer, guint32 id, const char *text)
{
  union {
    struct capture_record_string record;
    char bytes[sizeof(struct capture_record_string) + 256];
  } string = {0};
  gsize length = strlen(text);

  string.record = (struct capture_record_string){
      .record = {.size = (guint32)(sizeof string.record + length + 8) & ~7u, .type = CAPTURE_RECORD_STRING},
      .id = id,
      .length = (guint32)length};
  memcpy(string.bytes + sizeof string.record, text, length);
  g_assert_cmpint(capture_writer_name(writer, &string.record.record), ==, 0);
  return id;
}

static void add_served(capture_writer *writer, const struct capture_record_named_binary *binary, guint32 name,
                       guint64 start, guint64 end)
{
  union {
    struct capture_record_functions record;
    char bytes[sizeof(struct capture_record_functions) + sizeof(struct capture_function)];
  } functions = {.record = {{sizeof functions, CAPTURE_RECORD_FUNCTIONS, 1}, .binary = binary->id}};

  functions.record.functions[0] = (struct capture_function){.start = start, .end = end, .linkage_name = name};
  g_assert_cmpint(capture_writer_name(writer, &binary->record), ==, 0);
  g_assert_cmpint(capture_writer_name(writer, &functions.record.record), ==, 0);
}

/* What a recorder says at the end of functions that it may read: not demangled, in an epoch of its own. */
static void serve_names(capture_writer *writer, const Case *c)
{
  g_autofree char *path = g_build_filename(c->directory, "program", NULL);
  struct capture_record_named_binary program = {{sizeof program, CAPTURE_RECORD_NAMED_BINARY, 0}, .id = 1};
  struct capture_record_named_binary kernel = {
      {sizeof kernel, CAPTURE_RECORD_NAMED_BINARY, 0}, .id = 2, .flags = CAPTURE_BINARY_KERNEL};

  g_assert_cmpint(capture_writer_next_epoch(writer), ==, 0);
  program.path = add_name(writer, 1, path);
  program.inode = c->inode;
  kernel.path = add_name(writer, 2, "[kernel]");
  add_served(writer, &program, add_name(writer, 3, "_Z6servedi"), c->inner - 1, c->inner + 1);
  add_served(writer, &kernel, add_name(writer, 4, "served_by_kernel"), c->kernel, c->kernel + 8);
}

static void write_capture(const Case *c)
{
  struct capture_file_options options = {.size = sizeof options, .compress = profile_zstd_compress};
  struct capture_writer_options writer_options = {.size = sizeof writer_options};
  int fd = open("test.capture", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  capture_file *file;
  capture_sink *sink;
  capture_writer *writer;

  g_assert_cmpint(capture_file_create(&file, fd, &options), ==, 0);
  g_assert_cmpint(capture_file_sink_new(&sink, file, take(capture_file_add_stream(file, 1, 1, "test")), 0),
                  ==, 0);
  g_assert_cmpint(capture_writer_create(&writer, sink, &writer_options), ==, 0);
  write_stream(writer, c);
  if (c->serves)
    serve_names(writer, c);
  g_assert_cmpint(capture_writer_destroy(writer), ==, 0);
  capture_file_sink_free(sink);
  g_assert_cmpint(capture_file_add_index(file), ==, 0);
  capture_file_free(file);
  close(fd);
}

static guint64 find_kernel_function(void)
{
  g_autoptr(ProfileKallsyms) kallsyms = profile_kallsyms_new_running(FALSE, NULL);
  guint64 address = 0;

  g_assert_true(profile_kallsyms_find(kallsyms, "schedule", &address));
  return address;
}

/* The program's addresses are its offsets, as in every file whose text begins at a page of its own. */
static Case case_new(void)
{
  Case c = {.directory = symbol_files_enter(), .kernel = find_kernel_function()};
  struct stat st;

  symbol_files_write("program.c", symbol_files_program);
  symbol_files_run("gcc -g -O1 program.c -o program");
  c.inner = symbol_files_address("program", "inner") + 1;
  c.outer = symbol_files_address("program", "outer") + 1;
  g_assert_cmpint(g_stat("program", &st), ==, 0);
  c.inode = st.st_ino;
  write_capture(&c);
  return c;
}

static ProfileCapture *load(void)
{
  g_autoptr(GError) error = NULL;
  ProfileCapture *capture = profile_capture_load("test.capture", PROFILE_LOAD_DEFAULT, NULL, &error);

  g_assert_no_error(error);
  g_assert_cmpuint(g_strv_length((char **)profile_capture_get_problems(capture)), ==, 0);
  return capture;
}

static const char *name_of(ProfileCapture *capture, guint32 binary, guint64 offset)
{
  ProfileFunctionTable *table = profile_capture_get_table(capture, binary);
  const ProfileFunctionRange *range = table ? profile_function_table_lookup(table, offset) : NULL;

  return range ? range->name : NULL;
}

static void assert_program_named(ProfileCapture *capture, const Case *c)
{
  gsize n;

  g_assert_cmpstr(name_of(capture, 0, c->inner), ==, "inner");
  g_assert_cmpstr(name_of(capture, 0, c->outer - 1), ==, "outer");
  profile_function_table_get_ranges(profile_capture_get_table(capture, 0), &n);
  g_assert_cmpuint(n, ==, 2);
}

static void assert_kernel_named(ProfileCapture *capture, const Case *c)
{
  g_assert_cmpstr(name_of(capture, G_MAXUINT32, c->kernel), ==, "schedule");
  g_assert_cmpstr(name_of(capture, G_MAXUINT32, BPF_ADDRESS), ==, "bpf_prog_recorded");
}

static void test_run(void)
{
  Case c = case_new();
  ProfileNamingResult result;
  g_autoptr(GError) error = NULL;
  ProfileNamingOptions options = {.no_store = TRUE};

  g_assert_true(profile_naming_run("test.capture", &options, &result, NULL, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(result.binaries, ==, 2);
  g_assert_cmpuint(result.functions, ==, 4);
  g_assert_cmpuint(result.unreadable, ==, 0);
  g_assert_false(result.kernel_hidden);
  symbol_files_run("rm program");
  {
    g_autoptr(ProfileCapture) capture = load();

    assert_program_named(capture, &c);
    assert_kernel_named(capture, &c);
  }
  symbol_files_leave(c.directory);
}

static void test_resolve(void)
{
  Case c = case_new();
  g_autoptr(ProfileCapture) capture = load();
  ProfileNamingOptions options = {.no_store = TRUE, .max_threads = 1};

  g_assert_true(profile_naming_resolve(capture, &options, NULL, NULL, NULL));
  assert_program_named(capture, &c);
  assert_kernel_named(capture, &c);
  symbol_files_leave(c.directory);
}

static void assert_place(ProfilePlaces *places, guint64 offset, const char *name, guint32 line)
{
  const ProfilePlace *place = profile_places_lookup(places, offset);
  const ProfilePlaceFrame *frame;

  g_assert_nonnull(place);
  frame = profile_places_get_frame(places, place, 0);
  g_assert_cmpstr(frame->name, ==, name);
  g_assert_true(g_str_has_suffix(frame->file, "/program.c"));
  g_assert_cmpuint(frame->line, ==, line);
}

/* Of sampled addresses alone, by an elf-reader; none where that is missing. */
static void test_places(void)
{
  Case c = case_new();
  g_autofree char *reader =
      g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "helpers/elf-reader/capture-elf-reader", NULL);
  const char *readers[] = {reader, "/nonexistent"};

  for (guint i = 0; i < G_N_ELEMENTS(readers); i++) {
    g_autoptr(ProfileCapture) capture = load();
    ProfileNamingOptions options = {.no_store = TRUE};
    ProfilePlaces *places;
    gsize n;

    g_setenv("CAPTURE_ELF_READER", readers[i], TRUE);
    g_assert_true(profile_naming_resolve(capture, &options, NULL, NULL, NULL));
    places = profile_capture_get_places(capture, 0);
    g_assert_true((places != NULL) == (i == 0));
    g_assert_null(profile_capture_get_places(capture, G_MAXUINT32));
    if (places) {
      profile_places_get(places, &n);
      g_assert_cmpuint(n, ==, 2);
      assert_place(places, c.inner, "inner", 5);
      assert_place(places, c.outer - 1, "outer", 7);
    }
  }
  g_unsetenv("CAPTURE_ELF_READER");
  symbol_files_leave(c.directory);
}

static void assert_left(ProfileCapture *capture, gboolean are_left)
{
  g_autofree char *sentence = profile_place_gaps_describe(capture, CAPTURE_PLACES_LEFT);
  gsize n;

  profile_places_get(profile_capture_get_places(capture, 0), &n);
  g_assert_cmpuint(n, ==, are_left ? 0 : 2);
  g_assert_true(profile_naming_is_wanted(capture) == are_left);
  g_assert_true((sentence != NULL) == are_left);
  if (are_left)
    g_assert_nonnull(strstr(sentence, "of program are not all known"));
}

/* A recording that has no time for them; whoever opens it finds them, if the file is still there. */
static void test_places_left(void)
{
  Case c = case_new();
  g_autofree char *reader =
      g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "helpers/elf-reader/capture-elf-reader", NULL);
  const ProfileNamingOptions none = {.no_store = TRUE, .places_time = -1};
  const ProfileNamingOptions missing = {.no_store = TRUE, .only_missing = TRUE};
  ProfileNamingResult result;

  g_setenv("CAPTURE_ELF_READER", reader, TRUE);
  g_assert_true(profile_naming_run("test.capture", &none, &result, NULL, NULL));
  g_assert_cmpuint(result.left, ==, 1);
  for (guint i = 0; i < 2; i++) {
    g_autoptr(ProfileCapture) capture = load();
    g_autoptr(GPtrArray) gaps = profile_naming_describe_gaps(&result, NULL);

    g_assert_cmpuint(gaps->len, ==, 1 - i);
    assert_program_named(capture, &c);
    assert_left(capture, TRUE);
    g_assert_true(profile_naming_resolve(capture, &missing, &result, NULL, NULL));
    g_assert_cmpuint(result.left, ==, 0);
    assert_program_named(capture, &c);
    assert_kernel_named(capture, &c);
    assert_left(capture, i == 1);
    if (i == 0) {
      assert_place(profile_capture_get_places(capture, 0), c.inner, "inner", 5);
      symbol_files_run("rm program");
    }
  }
  g_unsetenv("CAPTURE_ELF_READER");
  symbol_files_leave(c.directory);
}

/* "schedule" … of each node that leads to the sample, the innermost first. Free it. */
static char *get_path(ProfileCapture *capture)
{
  const guint32 *functions = profile_capture_get_node_functions(capture), *parent, *frame;
  GString *path = g_string_new(NULL);
  gsize n;

  profile_capture_get_nodes(capture, &parent, &frame, &n);
  for (guint32 node = profile_capture_get_event(capture, 0)->leaf[0]; node; node = parent[node])
    g_string_append_printf(path, "%s ", profile_capture_get_function_name(capture, functions[node]));
  return g_string_free(path, FALSE);
}

/* What is looked at stays as it is; the new one has the same columns, and keeps them. */
static void test_resolve_new(void)
{
  Case c = case_new();
  ProfileCapture *capture = load();
  ProfileNamingOptions options = {.no_store = TRUE};
  ProfileNamingResult result;
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *before = get_path(capture);
  const guint32 *functions = profile_capture_get_node_functions(capture);
  guint32 inner = functions[profile_capture_get_event(capture, 0)->leaf[0]];

  g_autoptr(ProfileCapture) named = profile_naming_resolve_new(capture, &options, &result, NULL, NULL);
  g_autofree char *path = get_path(named), *after = get_path(capture);
  g_assert_cmpstr(path, ==, "bpf_prog_recorded schedule inner outer ");
  g_assert_cmpstr(after, ==, before);
  g_assert_cmpstr(before, !=, path);
  g_assert_cmpuint(result.functions, ==, 4);
  g_assert_true(profile_capture_get_node_functions(capture) == functions);
  g_assert_true(profile_capture_get_event(named, 0) == profile_capture_get_event(capture, 0));
  guint32 there = profile_capture_translate_function(capture, named, inner);
  g_assert_cmpstr(profile_capture_get_function_name(named, there), ==, "bpf_prog_recorded");
  g_assert_cmpuint(profile_capture_translate_function(named, capture, there), ==, inner);
  g_cancellable_cancel(cancellable);
  g_assert_null(profile_naming_resolve_new(capture, &options, NULL, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_finalize_object(capture);
  g_autofree char *alone = get_path(named);
  g_assert_cmpstr(alone, ==, path);
  assert_program_named(named, &c);
  symbol_files_leave(c.directory);
}

static Case case_new_served(void)
{
  Case c = case_new();

  c.serves = TRUE;
  write_capture(&c);
  return c;
}

/* They count as nobody's attempt at naming, and are read as a person reads them. */
static void test_served(void)
{
  Case c = case_new_served();
  g_autoptr(ProfileCapture) capture = load();
  const ProfileFunctionRange *range;

  g_assert_cmpstr(name_of(capture, 0, c.inner), ==, "served(int)");
  g_assert_cmpstr(name_of(capture, G_MAXUINT32, c.kernel + 1), ==, "served_by_kernel");
  range = profile_function_table_lookup(profile_capture_get_table(capture, 0), c.inner);
  g_assert_cmpstr(range->linkage_name, ==, "_Z6servedi");
  g_assert_true(range->served);
  g_assert_false(profile_capture_is_looked_for(capture, 0));
  g_assert_false(profile_capture_is_looked_for(capture, G_MAXUINT32));
  symbol_files_leave(c.directory);
}

/* Who can read the file himself knows better, also when he is asked for what is missing alone. */
static void test_served_and_readable(void)
{
  Case c = case_new_served();
  g_autoptr(ProfileCapture) resolved = load();
  ProfileNamingOptions options = {.no_store = TRUE, .only_missing = TRUE};

  g_assert_true(profile_naming_resolve(resolved, &options, NULL, NULL, NULL));
  assert_program_named(resolved, &c);
  assert_kernel_named(resolved, &c);
  g_assert_true(profile_naming_run("test.capture", &options, NULL, NULL, NULL));
  {
    g_autoptr(ProfileCapture) capture = load();

    assert_program_named(capture, &c);
    assert_kernel_named(capture, &c);
    g_assert_false(profile_function_table_lookup(profile_capture_get_table(capture, 0), c.inner)->served);
  }
  symbol_files_leave(c.directory);
}

/* Who cannot read it keeps what the recorder said, and is not told that something is missing. */
static void test_served_and_unreadable(void)
{
  Case c = case_new_served();
  ProfileNamingOptions options = {.no_store = TRUE};
  ProfileNamingResult result;

  symbol_files_run("rm program");
  g_assert_true(profile_naming_run("test.capture", &options, &result, NULL, NULL));
  g_assert_cmpuint(result.unreadable, ==, 0);
  {
    g_autoptr(ProfileCapture) capture = load();

    g_assert_cmpstr(name_of(capture, 0, c.inner), ==, "served(int)");
    g_assert_null(name_of(capture, 0, c.outer - 1));
    g_assert_true(profile_capture_is_looked_for(capture, 0));
    g_assert_cmpint(profile_function_table_get_status(profile_capture_get_table(capture, 0)), ==,
                    CAPTURE_NAMING_SYMBOLS);
    g_assert_true(profile_naming_resolve(capture, &options, NULL, NULL, NULL));
    g_assert_cmpstr(name_of(capture, 0, c.inner), ==, "served(int)");
  }
  symbol_files_leave(c.directory);
}

/* What the collector and each naming wrote are windows of their own. */
static void assert_windows_differ(void)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  capture_reader *reader = profile_reader_open("test.capture", TRUE, NULL, NULL);

  for (size_t i = 0; i < capture_reader_n_parts(reader); i++) {
    const struct capture_window_header *header = &capture_reader_part(reader, i)->header;

    if (header->stream == 0)
      g_assert_true(g_hash_table_add(seen, GUINT_TO_POINTER(header->sequence)));
  }
  g_assert_cmpuint(g_hash_table_size(seen), >, 6);
  capture_reader_close(reader);
}

/* Names of a later run replace those before, and what was named stays when its binary is gone. */
static void test_run_again(void)
{
  Case c = case_new();
  ProfileNamingOptions options = {.no_store = TRUE, .only_missing = TRUE};
  ProfileNamingResult result;

  symbol_files_run("mv program away");
  g_assert_true(profile_naming_run("test.capture", &options, &result, NULL, NULL));
  g_assert_cmpuint(result.unreadable, ==, 1);
  symbol_files_run("mv away program");
  g_assert_true(profile_naming_run("test.capture", &options, &result, NULL, NULL));
  g_assert_cmpuint(result.binaries, ==, 1);
  symbol_files_run("rm program");
  g_assert_true(profile_naming_run("test.capture", &options, &result, NULL, NULL));
  g_assert_cmpuint(result.binaries, ==, 0);
  {
    g_autoptr(ProfileCapture) capture = load();

    assert_program_named(capture, &c);
    assert_kernel_named(capture, &c);
  }
  assert_windows_differ();
  symbol_files_leave(c.directory);
}

static int open_away(const ProfileBinary *binary, gpointer data)
{
  g_assert_true(g_str_has_suffix(binary->path, "/program"));
  return open("away", O_RDONLY | O_CLOEXEC);
}

typedef struct {
  guint calls, last, total;
} Progress;

static void note_progress(guint done, guint total, const char *name, gpointer data)
{
  Progress *progress = data;

  progress->calls++;
  g_assert_cmpuint(done - progress->last, <=, 1);
  progress->last = done;
  progress->total = total;
  g_assert_nonnull(name);
}

static void test_deleted(void)
{
  Case c = case_new();
  Progress progress = {0};
  ProfileNamingOptions options = {
      .no_store = TRUE, .open = open_away, .progress = note_progress, .progress_data = &progress};

  symbol_files_run("mv program away; cp away program");
  g_assert_true(profile_naming_run("test.capture", &options, NULL, NULL, NULL));
  g_assert_cmpuint(progress.calls, ==, 4);
  g_assert_cmpuint(progress.last, ==, 2);
  g_assert_cmpuint(progress.total, ==, 2);
  {
    g_autoptr(ProfileCapture) capture = load();
    assert_program_named(capture, &c);
  }
  symbol_files_leave(c.directory);
}

static void test_replaced(void)
{
  Case c = case_new();
  ProfileNamingOptions options = {.no_store = TRUE};
  ProfileNamingResult result;
  g_autoptr(ProfileCapture) capture = NULL;

  symbol_files_run("mv program away; cp away program");
  g_assert_true(profile_naming_run("test.capture", &options, &result, NULL, NULL));
  g_assert_cmpuint(result.unreadable, ==, 1);
  capture = load();
  g_assert_null(name_of(capture, 0, c.inner));
  g_assert_cmpint(profile_function_table_get_status(profile_capture_get_table(capture, 0)), ==,
                  CAPTURE_NAMING_UNREADABLE);
  symbol_files_leave(c.directory);
}

static void test_cancelled(void)
{
  Case c = case_new();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize length, other;

  g_file_get_contents("test.capture", &before, &length, NULL);
  g_cancellable_cancel(cancellable);
  g_assert_false(profile_naming_run("test.capture", NULL, NULL, cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_file_get_contents("test.capture", &after, &other, NULL);
  g_assert_cmpmem(before, length, after, other);
  symbol_files_leave(c.directory);
}

static void test_bad_files(void)
{
  char *directory = symbol_files_enter();
  g_autoptr(GError) error = NULL;

  g_assert_false(profile_naming_run("nonexistent", NULL, NULL, NULL, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  symbol_files_write("text", "no capture");
  g_assert_false(profile_naming_run("text", NULL, NULL, NULL, &error));
  g_assert_nonnull(error);
  symbol_files_leave(directory);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naming/run", test_run);
  g_test_add_func("/naming/resolve", test_resolve);
  g_test_add_func("/naming/resolve-new", test_resolve_new);
  g_test_add_func("/naming/run-again", test_run_again);
  g_test_add_func("/naming/served", test_served);
  g_test_add_func("/naming/served-and-readable", test_served_and_readable);
  g_test_add_func("/naming/served-and-unreadable", test_served_and_unreadable);
  g_test_add_func("/naming/deleted", test_deleted);
  g_test_add_func("/naming/replaced", test_replaced);
  g_test_add_func("/naming/places", test_places);
  g_test_add_func("/naming/places-left", test_places_left);
  g_test_add_func("/naming/cancelled", test_cancelled);
  g_test_add_func("/naming/bad-files", test_bad_files);
  return g_test_run();
}
