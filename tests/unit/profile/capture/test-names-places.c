/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places through names windows: as they were put in, and what becomes of hostile ones. */
#include <string.h>

#include "profile/capture/names-window.h"

#define KERNEL_BASE G_GUINT64_CONSTANT(0xffffffff81000000)

static const ProfileBinary program = {.path = "/usr/bin/program", .inode = 77};
static const ProfileBinary library = {.path = "/usr/lib/library.so", .inode = 78};

/* Frames as compilers leave them: few functions, each inlined in many others. */
static ProfilePlaces *make_places(guint n, guint64 base)
{
  ProfilePlaces *places = profile_places_new();

  for (guint i = 0; i < n; i++) {
    g_autofree char *inner = g_strdup_printf("std::inner<%u>::get(int) const", i % 900);
    g_autofree char *outer = g_strdup_printf("outer%u(int)", i / 100);
    g_autofree char *linkage_name = g_strdup_printf("_Z5outer%ui", i / 100);
    const ProfilePlaceFrame frames[] = {
        {.name = inner, .file = "/usr/include/inner.h", .line = 10 + i % 900, .column = 3},
        {.name = NULL, .line = i % 7},
        {.name = "middle", .linkage_name = "middle", .declared_file = "/source/middle.c"},
        {outer, linkage_name, "/source/outer.c", 100 + i / 10, i % 2, "/source/outer.h", i / 100}};
    guint first = i % 4;

    profile_places_add(places, base + 16 * (guint64)i, base + 16 * (guint64)i + 1 + i % 16, &frames[first],
                       G_N_ELEMENTS(frames) - first);
  }
  profile_places_seal(places);
  return places;
}

static void assert_equal_frames(const ProfilePlaceFrame *a, const ProfilePlaceFrame *b)
{
  g_assert_cmpstr(a->name, ==, b->name);
  g_assert_cmpstr(a->linkage_name, ==, b->linkage_name);
  g_assert_cmpint(a->name == a->linkage_name, ==, b->name == b->linkage_name);
  g_assert_cmpstr(a->file, ==, b->file);
  g_assert_cmpuint(a->line, ==, b->line);
  g_assert_cmpuint(a->column, ==, b->column);
  g_assert_cmpstr(a->declared_file, ==, b->declared_file);
  g_assert_cmpuint(a->declared_line, ==, b->declared_line);
}

static void assert_equal_places(const ProfilePlaces *a, const ProfilePlaces *b)
{
  gsize n, other;
  const ProfilePlace *x = profile_places_get(a, &n), *y = profile_places_get(b, &other);

  g_assert_cmpuint(n, ==, other);
  for (gsize i = 0; i < n; i++) {
    g_assert_cmphex(x[i].start, ==, y[i].start);
    g_assert_cmphex(x[i].end, ==, y[i].end);
    g_assert_cmpuint(x[i].n_frames, ==, y[i].n_frames);
    for (guint32 j = 0; j < x[i].n_frames; j++)
      assert_equal_frames(profile_places_get_frame(a, &x[i], j), profile_places_get_frame(b, &y[i], j));
  }
}

static gboolean collect(const guint8 *content, gsize length, gpointer data)
{
  g_assert_cmpuint(length, <=, 1 << 20);
  g_ptr_array_add(data, g_bytes_new(content, length));
  return TRUE;
}

/* Both with their places, and between them a library without any. */
static GPtrArray *encode(const ProfilePlaces *places, const ProfilePlaces *kernel)
{
  g_autoptr(ProfileFunctionTable) table = profile_function_table_new(CAPTURE_NAMING_SYMBOLS);
  GPtrArray *contents = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  ProfileNamesEncoder *encoder = profile_names_encoder_new(collect, contents);

  profile_function_table_seal(table);
  profile_names_encoder_add(encoder, &program, table, places, NULL);
  profile_names_encoder_add(encoder, &library, table, NULL, NULL);
  profile_names_encoder_add(encoder, NULL, table, kernel, NULL);
  g_assert_true(profile_names_encoder_finish(encoder));
  return contents;
}

typedef struct {
  guint n;
  ProfilePlaces *program, *library, *kernel;
} Found;

static void found_clear(Found *found)
{
  g_clear_pointer(&found->program, profile_places_unref);
  g_clear_pointer(&found->library, profile_places_unref);
  g_clear_pointer(&found->kernel, profile_places_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Found, found_clear)

static void keep(const ProfileBinary *binary, ProfileFunctionTable *table, ProfilePlaces *places,
                 ProfileMachineCode *code, gpointer data)
{
  Found *found = data;
  ProfilePlaces **slot = binary->flags & CAPTURE_BINARY_KERNEL ? &found->kernel
                         : binary->inode == library.inode      ? &found->library
                                                               : &found->program;

  found->n++;
  if (places && !*slot)
    *slot = profile_places_ref(places);
}

static void decode(GPtrArray *contents, Found *found)
{
  ProfileNamesDecoder *decoder = profile_names_decoder_new(FALSE);

  for (guint i = 0; i < contents->len; i++) {
    gsize length;
    const guint8 *content = g_bytes_get_data(contents->pdata[i], &length);

    g_assert_true(profile_names_decoder_add(decoder, content, length));
  }
  profile_names_decoder_finish(decoder, keep, found);
}

static gsize get_size(GPtrArray *contents)
{
  gsize size = 0;

  for (guint i = 0; i < contents->len; i++)
    size += g_bytes_get_size(contents->pdata[i]);
  return size;
}

static void test_round_trip(gconstpointer size)
{
  guint n = GPOINTER_TO_UINT(size);
  g_autoptr(ProfilePlaces) places = make_places(n, 0x1000), kernel = make_places(5, KERNEL_BASE);
  g_autoptr(GPtrArray) contents = encode(places, kernel);
  g_auto(Found) found = {0};

  decode(contents, &found);
  g_assert_cmpuint(found.n, ==, 3);
  g_assert_null(found.library);
  assert_equal_places(found.program, places);
  assert_equal_places(found.kernel, kernel);
  g_test_message("%u places take %zu bytes in %u windows", n, get_size(contents), contents->len);
}

/* A frame takes 32 bytes once, and 4 in each place that refers to it. */
static void test_frames_are_shared(void)
{
  g_autoptr(ProfilePlaces) places = profile_places_new(), none = make_places(0, 0);
  const ProfilePlaceFrame frames[] = {{.name = "inner", .line = 3}, {.name = "outer", .line = 7}};

  for (guint i = 0; i < 1000; i++)
    profile_places_add(places, 8 * i, 8 * i + 8, frames, G_N_ELEMENTS(frames));
  profile_places_seal(places);
  g_autoptr(GPtrArray) many = encode(places, none), empty = encode(none, none);
  g_assert_cmpuint(get_size(many) - get_size(empty), <, 1000 * (32 + 2 * 4) + 2 * 32 + 100);
}

/* Frames and strings may come after what refers to them. */
static void test_any_order(void)
{
  g_autoptr(ProfilePlaces) places = make_places(60000, 0x1000), kernel = make_places(5, KERNEL_BASE);
  g_autoptr(GPtrArray) contents = encode(places, kernel), turned = NULL;
  g_auto(Found) found = {0};

  g_assert_cmpuint(contents->len, >, 2);
  turned = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  for (guint i = contents->len; i > 0; i--)
    g_ptr_array_add(turned, g_bytes_ref(contents->pdata[i - 1]));
  decode(turned, &found);
  assert_equal_places(found.program, places);
  assert_equal_places(found.kernel, kernel);
}

/* More than compilers put in one another are left out, and the function that holds them stays. */
static void test_too_deep(void)
{
  g_autoptr(ProfilePlaces) places = profile_places_new(), kernel = make_places(5, KERNEL_BASE);
  g_autofree ProfilePlaceFrame *frames = g_new0(ProfilePlaceFrame, G_MAXUINT16 + 1);
  g_auto(Found) found = {0};
  const guint last = PROFILE_PLACE_FRAMES_MAX - 1;
  const ProfilePlace *place;
  gsize n;

  for (guint i = 0; i <= G_MAXUINT16; i++)
    frames[i] = (ProfilePlaceFrame){.name = "deep", .line = i};
  profile_places_add(places, 10, 20, frames, 1);
  profile_places_add(places, 20, 30, frames, G_MAXUINT16 + 1);
  profile_places_add(places, 30, 40, frames, PROFILE_PLACE_FRAMES_MAX);
  profile_places_seal(places);
  g_autoptr(GPtrArray) contents = encode(places, kernel);
  decode(contents, &found);
  place = profile_places_get(found.program, &n);
  g_assert_cmpuint(n, ==, 3);
  g_assert_cmpuint(place[0].n_frames, ==, 1);
  g_assert_cmpuint(place[1].n_frames, ==, PROFILE_PLACE_FRAMES_MAX);
  g_assert_cmpuint(profile_places_get_frame(found.program, &place[1], last - 1)->line, ==, last - 1);
  g_assert_cmpuint(profile_places_get_frame(found.program, &place[1], last)->line, ==, G_MAXUINT16);
  g_assert_cmpuint(place[2].n_frames, ==, PROFILE_PLACE_FRAMES_MAX);
  g_assert_cmpuint(profile_places_get_frame(found.program, &place[2], last)->line, ==, last);
  assert_equal_places(found.kernel, kernel);
}

static gpointer add_record(GByteArray *content, gsize size, guint16 type, guint16 count)
{
  guint at = content->len;
  struct capture_record *record;

  size = (size + 7) & ~(gsize)7;
  g_byte_array_set_size(content, at + (guint)size);
  memset(content->data + at, 0, size);
  record = (gpointer)(content->data + at);
  *record = (struct capture_record){(guint32)size, type, count};
  return record;
}

static void add_string(GByteArray *content, guint32 id, const char *text)
{
  struct capture_record_string *string =
      add_record(content, sizeof *string + strlen(text) + 1, CAPTURE_RECORD_STRING, 0);

  string->id = id;
  string->length = (guint32)strlen(text);
  memcpy(string->bytes, text, strlen(text));
}

static void add_frame(GByteArray *content, guint32 first, struct capture_place_frame frame)
{
  struct capture_record_place_frames *frames =
      add_record(content, sizeof *frames + sizeof frame, CAPTURE_RECORD_PLACE_FRAMES, 1);

  frames->first = first;
  frames->frames[0] = frame;
}

/* Of two frames; the second is left out when it is 0. */
static struct capture_record_place *add_place(GByteArray *content, guint64 start, guint32 inner,
                                              guint32 outer)
{
  struct capture_record_place *place =
      add_record(content, sizeof *place + 8, CAPTURE_RECORD_PLACE, outer ? 2 : 1);

  place->binary = 1;
  place->start = start;
  place->end = start + 4;
  place->frames[0] = inner;
  place->frames[1] = outer;
  return place;
}

/* A named binary 1, and a string of that identifier. */
static GByteArray *begin_content(void)
{
  GByteArray *content = g_byte_array_new();
  struct capture_record_named_binary *binary;

  add_string(content, 1, "text");
  binary = add_record(content, sizeof *binary, CAPTURE_RECORD_NAMED_BINARY, 0);
  binary->id = 1;
  return content;
}

static void decode_content(GByteArray *content, Found *found)
{
  ProfileNamesDecoder *decoder = profile_names_decoder_new(FALSE);

  g_assert_true(profile_names_decoder_add(decoder, content->data, content->len));
  profile_names_decoder_finish(decoder, keep, found);
}

static const ProfilePlaceFrame *find_frame(const Found *found, guint64 offset)
{
  const ProfilePlace *place = found->program ? profile_places_lookup(found->program, offset) : NULL;

  return place ? profile_places_get_frame(found->program, place, 0) : NULL;
}

/* A writer that does not demangle leaves that to the reader; what is no mangled name is taken as it is. */
static void test_demangles(void)
{
  g_autoptr(GByteArray) content = begin_content();
  g_auto(Found) found = {0};

  add_string(content, 2, "_Z5outeri");
  add_frame(content, 1, (struct capture_place_frame){.linkage_name = 2});
  add_frame(content, 2, (struct capture_place_frame){.linkage_name = 1, .flags = G_MAXUINT32});
  add_frame(content, 3, (struct capture_place_frame){.line = 9});
  for (guint i = 1; i <= 3; i++)
    add_place(content, 16 * i, i, 0);
  decode_content(content, &found);
  g_assert_cmpstr(find_frame(&found, 16)->name, ==, "outer(int)");
  g_assert_cmpstr(find_frame(&found, 16)->linkage_name, ==, "_Z5outeri");
  g_assert_cmpstr(find_frame(&found, 32)->name, ==, "text");
  g_assert_null(find_frame(&found, 48)->name);
  g_assert_cmpuint(find_frame(&found, 48)->line, ==, 9);
}

/* Identifiers that lead nowhere, twice somewhere, or around the end of numbers. */
static void test_hostile_identifiers(void)
{
  g_autoptr(GByteArray) content = begin_content();
  g_auto(Found) found = {0};
  struct capture_record_place_frames *frames;
  gsize n;

  add_frame(content, 1, (struct capture_place_frame){.name = 1, .file = 99, .line = 1});
  add_frame(content, 1, (struct capture_place_frame){.name = 1, .line = 2});
  add_frame(content, 0, (struct capture_place_frame){.name = 1, .line = 3});
  frames = add_record(content, sizeof *frames + 3 * sizeof *frames->frames, CAPTURE_RECORD_PLACE_FRAMES, 3);
  frames->first = G_MAXUINT32;
  frames->frames[0] = (struct capture_place_frame){.name = 1, .line = 4};
  frames->frames[2] = (struct capture_place_frame){.name = 1, .line = 5};
  add_place(content, 0x10, 1, 0);
  add_place(content, 0x20, G_MAXUINT32, 1);
  add_place(content, 0x30, 1, 77);
  add_place(content, 0x40, 77, 1);
  add_place(content, 0x50, 0, 0);
  add_place(content, 0x60, 1, 0)->binary = 2;
  add_place(content, 0x70, 1, 0)->binary = 0;
  decode_content(content, &found);
  profile_places_get(found.program, &n);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpuint(find_frame(&found, 0x10)->line, ==, 1);
  g_assert_null(find_frame(&found, 0x10)->file);
  g_assert_cmpuint(find_frame(&found, 0x20)->line, ==, 4);
}

/* Counts that the records do not hold, and places that are none. */
static void test_hostile_counts(void)
{
  g_autoptr(GByteArray) content = begin_content();
  g_auto(Found) found = {0};
  struct capture_record_place_frames *frames;
  struct capture_record_place *place;

  frames = add_record(content, sizeof *frames + sizeof *frames->frames, CAPTURE_RECORD_PLACE_FRAMES, 2);
  frames->first = 1;
  add_record(content, sizeof *frames - 8, CAPTURE_RECORD_PLACE_FRAMES, 0);
  add_record(content, sizeof *place - 8, CAPTURE_RECORD_PLACE, 0);
  add_frame(content, 9, (struct capture_place_frame){.name = 1});
  add_place(content, 0x10, 9, 9)->record.count = 3;
  add_place(content, 0x20, 9, 9)->record.count = G_MAXUINT16;
  add_place(content, 0x30, 9, 9)->record.count = 0;
  add_place(content, 0x40, 1, 0);
  add_place(content, 0x50, 9, 0)->end = 0x50;
  add_place(content, 0x60, 9, 0)->end = 0;
  decode_content(content, &found);
  g_assert_cmpuint(found.n, ==, 1);
  g_assert_null(found.program);
}

static void test_damage(void)
{
  g_autoptr(ProfilePlaces) places = make_places(9, 0x1000), kernel = make_places(3, KERNEL_BASE);
  g_autoptr(GPtrArray) contents = encode(places, kernel);
  gsize length;
  const guint8 *content = g_bytes_get_data(contents->pdata[0], &length);
  g_autofree guint8 *copy = g_memdup2(content, length);

  for (gsize i = 0; i < 2 * length; i++) {
    g_auto(Found) found = {0};
    ProfileNamesDecoder *decoder = profile_names_decoder_new(FALSE);
    gboolean flip = i < length;

    copy[i % length] ^= flip ? 0xff : 0;
    profile_names_decoder_add(decoder, copy, flip ? length : i - length);
    profile_names_decoder_finish(decoder, keep, &found);
    copy[i % length] ^= flip ? 0xff : 0;
    g_assert_cmpuint(found.n, <=, 3);
  }
}

static void add_line(ProfilePlaces *places, guint64 start, guint64 end, guint32 line)
{
  profile_places_add(places, start, end, &(ProfilePlaceFrame){.name = "function", .line = line}, 1);
}

static guint32 get_line(const ProfilePlaces *places, guint64 offset)
{
  const ProfilePlace *place = profile_places_lookup(places, offset);

  return place ? profile_places_get_frame(places, place, 0)->line : 0;
}

static void test_join(void)
{
  g_autoptr(ProfilePlaces) old = profile_places_new(), places = profile_places_new();

  add_line(old, 10, 20, 1);
  add_line(old, 20, 30, 2);
  add_line(old, 40, 50, 3);
  add_line(places, 15, 18, 4);
  add_line(places, 20, 25, 5);
  add_line(places, 60, 70, 6);
  profile_places_seal(old);
  profile_places_seal(places);
  g_autoptr(ProfilePlaces) both = profile_places_join(old, places);
  g_assert_cmpuint(get_line(both, 10), ==, 1);
  g_assert_cmpuint(get_line(both, 15), ==, 4);
  g_assert_cmpuint(get_line(both, 20), ==, 5);
  g_assert_cmpuint(get_line(both, 25), ==, 0);
  g_assert_cmpuint(get_line(both, 49), ==, 3);
  g_assert_cmpuint(get_line(both, 69), ==, 6);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/names-places/round-trip/one", GUINT_TO_POINTER(1), test_round_trip);
  g_test_add_data_func("/names-places/round-trip/few", GUINT_TO_POINTER(600), test_round_trip);
  g_test_add_data_func("/names-places/round-trip/many", GUINT_TO_POINTER(100000), test_round_trip);
  g_test_add_func("/names-places/frames-are-shared", test_frames_are_shared);
  g_test_add_func("/names-places/any-order", test_any_order);
  g_test_add_func("/names-places/too-deep", test_too_deep);
  g_test_add_func("/names-places/demangles", test_demangles);
  g_test_add_func("/names-places/hostile-identifiers", test_hostile_identifiers);
  g_test_add_func("/names-places/hostile-counts", test_hostile_counts);
  g_test_add_func("/names-places/damage", test_damage);
  g_test_add_func("/names-places/join", test_join);
  return g_test_run();
}
