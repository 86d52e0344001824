/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which places a loaded capture has when several names windows speak of its binaries. */
#include "libcapture/file/capture-reader.h"
#include "profile/capture/names-window.h"
#include "tests/unit/profile/stream-fixture.h"

typedef struct {
  TestFile *file;
  guint32 sequence, epoch;
} Writer;

static gboolean append_names(const guint8 *content, gsize length, gpointer data)
{
  Writer *writer = data;
  const struct capture_window_header header = {.kind = CAPTURE_WINDOW_NAMES,
                                               .flags = CAPTURE_WINDOW_CLOSED,
                                               .sequence = ++writer->sequence,
                                               .epoch = writer->epoch,
                                               .length = (guint32)length};

  return capture_file_append(writer->file->file, &header, content) == 0;
}

/* Says of a stretch that it is of that line, and how that ended; line 0: says nothing of places. */
static void name_binary_so(ProfileNamesEncoder *encoder, const char *path, guint64 start, guint64 end,
                           guint32 line, enum capture_places_outcome outcome)
{
  g_autoptr(ProfileFunctionTable) table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);
  g_autoptr(ProfilePlaces) places = profile_places_new();
  const ProfilePlaceFrame frames[] = {{.name = "inner", .line = line}, {.name = "outer", .line = 1}};
  const ProfileBinary binary = {.path = path, .inode = g_str_equal(path, test_place_paths[0]) ? 100 : 101};

  profile_function_table_seal(table);
  profile_places_add(places, start, end, frames, G_N_ELEMENTS(frames));
  profile_places_seal(places);
  profile_places_set_outcome(places, outcome);
  profile_names_encoder_add(encoder, g_str_equal(path, "[kernel]") ? NULL : &binary, table,
                            line ? places : NULL, NULL);
}

static void name_binary(ProfileNamesEncoder *encoder, const char *path, guint64 start, guint64 end,
                        guint32 line)
{
  name_binary_so(encoder, path, start, end, line, CAPTURE_PLACES_COMPLETE);
}

/* An epoch of the collector's that names one binary. */
static void append_epoch(Writer *writer, const char *path, guint64 start, guint64 end, guint32 line)
{
  ProfileNamesEncoder *encoder = profile_names_encoder_new(append_names, writer);

  writer->epoch++;
  name_binary(encoder, path, start, end, line);
  g_assert_true(profile_names_encoder_finish(encoder));
}

static guint32 add_leaf(TestStream *stream, TestPlace place)
{
  const guint32 frame = test_stream_add_frame(stream, place, 0);
  guint32 node = test_take_id(capture_writer_stack(stream->writer, 0, &frame, 1));

  return place == TEST_KERNEL ? test_take_id(capture_writer_join(stream->writer, 0, node)) : node;
}

static void add_samples(TestStream *stream)
{
  test_stream_define(stream, (struct capture_record_event){.frequency = 1}, "cpu-clock");
  for (TestPlace place = 0; place < TEST_N_PLACES; place++)
    test_stream_add_sample(
        stream, 0, (struct capture_writer_sample){.time = 10 + place, .leaf = add_leaf(stream, place)});
}

static gboolean serve_records(const guint8 *content, gsize length, gpointer data)
{
  gsize position = 0;
  const struct capture_record *record;

  while ((record = capture_records_next(content, length, &position)))
    g_assert_cmpint(capture_writer_name(data, record), ==, 0);
  return TRUE;
}

/* What a recorder says of the program, in an epoch of its own. */
static void serve(TestStream *stream, guint64 start, guint64 end, guint32 line)
{
  ProfileNamesEncoder *encoder = profile_names_encoder_new(serve_records, stream->writer);

  g_assert_cmpint(capture_writer_next_epoch(stream->writer), ==, 0);
  name_binary(encoder, test_place_paths[TEST_PROGRAM], start, end, line);
  g_assert_true(profile_names_encoder_finish(encoder));
}

static guint32 find_binary(ProfileCapture *capture, const char *path)
{
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal(binaries[i].path, path))
      return i;
  return G_MAXUINT32;
}

/* The line of an offset; 0: nothing is said of it. */
static guint32 get_line(ProfileCapture *capture, TestPlace where, guint64 offset)
{
  ProfilePlaces *places = profile_capture_get_places(capture, find_binary(capture, test_place_paths[where]));
  const ProfilePlace *place = places ? profile_places_lookup(places, offset) : NULL;

  if (!place)
    return 0;
  g_assert_cmpuint(place->n_frames, ==, 2);
  return profile_places_get_frame(places, place, 0)->line;
}

static void test_epochs(void)
{
  TestFile file = test_file_open(1, TRUE);
  TestStream stream = test_stream_open(&file);
  Writer writer = {.file = &file};

  add_samples(&stream);
  serve(&stream, 50, 300, 1);
  test_stream_close(&stream);
  append_epoch(&writer, test_place_paths[TEST_PROGRAM], 100, 200, 2);
  append_epoch(&writer, test_place_paths[TEST_KERNEL], G_MAXUINT64 - 100, G_MAXUINT64, 3);
  append_epoch(&writer, test_place_paths[TEST_PROGRAM], 150, 160, 4);
  append_epoch(&writer, test_place_paths[TEST_PROGRAM], 0, 0, 0);
  append_epoch(&writer, test_place_paths[TEST_LIBRARY], 0, 0, 0);
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 100);
  g_assert_cmpuint(get_line(capture, TEST_PROGRAM, 49), ==, 0);
  g_assert_cmpuint(get_line(capture, TEST_PROGRAM, 99), ==, 1);
  g_assert_cmpuint(get_line(capture, TEST_PROGRAM, 149), ==, 2);
  g_assert_cmpuint(get_line(capture, TEST_PROGRAM, 155), ==, 4);
  g_assert_cmpuint(get_line(capture, TEST_KERNEL, G_MAXUINT64 - 1), ==, 3);
  g_assert_cmpuint(get_line(capture, TEST_KERNEL, 100), ==, 0);
  g_assert_null(profile_capture_get_places(capture, find_binary(capture, test_place_paths[TEST_LIBRARY])));
}

/* One file that was mapped by two paths. */
static void test_twice_in_an_epoch(void)
{
  TestFile file = test_file_open(1, FALSE);
  TestStream stream = test_stream_open(&file);
  Writer writer = {.file = &file, .epoch = 1};
  ProfileNamesEncoder *encoder = profile_names_encoder_new(append_names, &writer);

  add_samples(&stream);
  test_stream_close(&stream);
  name_binary(encoder, test_place_paths[TEST_LIBRARY], 10, 20, 1);
  name_binary(encoder, test_place_paths[TEST_LIBRARY], 30, 40, 2);
  g_assert_true(profile_names_encoder_finish(encoder));
  g_autoptr(ProfileCapture) capture = test_file_load(&file, 100);
  g_assert_cmpuint(get_line(capture, TEST_LIBRARY, 10), ==, 1);
  g_assert_cmpuint(get_line(capture, TEST_LIBRARY, 30), ==, 2);
  g_assert_null(profile_capture_get_places(capture, find_binary(capture, test_place_paths[TEST_PROGRAM])));
}

static void append_outcomes(Writer *writer, enum capture_places_outcome first,
                            enum capture_places_outcome second)
{
  ProfileNamesEncoder *encoder = profile_names_encoder_new(append_names, writer);

  writer->epoch++;
  name_binary_so(encoder, test_place_paths[TEST_LIBRARY], 10, 20, 1, first);
  name_binary_so(encoder, test_place_paths[TEST_LIBRARY], 30, 40, 2, second);
  g_assert_true(profile_names_encoder_finish(encoder));
}

/* Of one epoch the greatest; of several, that of the last one that has places. */
static void test_outcomes(void)
{
  for (guint n = 1; n <= 4; n++) {
    static const enum capture_places_outcome last[] = {CAPTURE_PLACES_LEFT, CAPTURE_PLACES_DAMAGED,
                                                       CAPTURE_PLACES_COMPLETE, CAPTURE_PLACES_COMPLETE};
    TestFile file = test_file_open(1, FALSE);
    TestStream stream = test_stream_open(&file);
    Writer writer = {.file = &file};

    add_samples(&stream);
    test_stream_close(&stream);
    append_outcomes(&writer, CAPTURE_PLACES_LEFT, CAPTURE_PLACES_COMPLETE);
    if (n > 1)
      append_outcomes(&writer, CAPTURE_PLACES_COMPLETE, CAPTURE_PLACES_DAMAGED);
    if (n > 2)
      append_outcomes(&writer, CAPTURE_PLACES_COMPLETE, CAPTURE_PLACES_COMPLETE);
    if (n > 3)
      append_epoch(&writer, test_place_paths[TEST_LIBRARY], 0, 0, 0);
    g_autoptr(ProfileCapture) capture = test_file_load(&file, 100);
    ProfilePlaces *places =
        profile_capture_get_places(capture, find_binary(capture, test_place_paths[TEST_LIBRARY]));
    g_assert_cmpint(profile_places_get_outcome(places), ==, last[n - 1]);
    g_assert_cmpuint(get_line(capture, TEST_LIBRARY, 30), ==, 2);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/named-places/epochs", test_epochs);
  g_test_add_func("/profile/named-places/twice-in-an-epoch", test_twice_in_an_epoch);
  g_test_add_func("/profile/named-places/outcomes", test_outcomes);
  return g_test_run();
}
