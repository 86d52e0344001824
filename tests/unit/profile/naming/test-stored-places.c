/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places on their way to the store and back, and what becomes of them for a capture. */
#include <sqlite3.h>
#include <string.h>

#include "profile/naming/names-store.h"
#include "tests/unit/profile/symbol-files.h"

#define STORE    "cache/names.sqlite"
#define N_PLACES 1000
#define STEP     16

static const guint8 build_id[] = {1, 2, 3, 4};
static const ProfileNameSources sources = {.binary = {1, 2, 3}, .debug = {4, 5, 6}};

/* n places of 10 bytes, from `first` on; two frames each, of which the inner one has a linkage name. */
static struct dwarf_places *make_places(guint64 first, guint n)
{
  static const char texts[] = "_ZN4deep4workEi"
                              "main"
                              "/src/p.cc";
  gsize at = sizeof(struct dwarf_places) + n * (sizeof(struct dwarf_place) + 2 * sizeof(struct dwarf_frame));
  gsize size = at + strlen(texts);
  struct dwarf_places *places = g_malloc0(size);
  struct dwarf_place *place = (struct dwarf_place *)(places + 1);
  struct dwarf_frame *frame = (struct dwarf_frame *)(place + n);
  struct dwarf_text work = {(guint32)at, 15}, outer = {(guint32)at + 15, 4}, file = {(guint32)at + 19, 9};

  *places = (struct dwarf_places){
      .magic = DWARF_PLACES_MAGIC, .size = (guint32)size, .n_places = n, .n_frames = 2 * n};
  for (guint i = 0; i < n; i++) {
    place[i] = (struct dwarf_place){first + i * STEP, first + i * STEP + 10, 2 * i, 2};
    frame[2 * i] = (struct dwarf_frame){.function = work,
                                        .file = file,
                                        .line = i + 1,
                                        .flags = DWARF_FRAME_INLINED | DWARF_FRAME_LINKAGE_NAME};
    frame[2 * i + 1] = (struct dwarf_frame){.function = outer, .file = file, .line = i + 2};
  }
  memcpy((char *)places + at, texts, strlen(texts));
  g_assert_true(dwarf_places_are_valid(places, size));
  return places;
}

/* An answer with the byte behind each place as nothing. */
static gboolean add(ProfileStoredPlaces *stored, guint64 first, guint n, gboolean is_final)
{
  struct dwarf_places *places = make_places(first, n);
  ProfileStretch *nothing = g_new(ProfileStretch, n);

  for (guint i = 0; i < n; i++)
    nothing[i] = (ProfileStretch){first + i * STEP + 10, first + i * STEP + 11};
  return profile_stored_places_take(stored, places, places->size, nothing, n, is_final);
}

static ProfileStoredNames *make_entry(ProfileStoredPlaces *places)
{
  ProfileStoredNames *names =
      profile_stored_names_new(build_id, sizeof build_id, CAPTURE_NAMING_SYMBOLS, &sources, NULL);

  profile_stored_names_take_places(names, places);
  return names;
}

static void save(guint64 first, guint n, gboolean is_final)
{
  g_autoptr(ProfileNamesStore) store = profile_names_store_open(STORE, PROFILE_NAMES_STORE_MAX);
  ProfileStoredPlaces *places = profile_stored_places_new();
  g_autoptr(ProfileStoredNames) names = make_entry(places);

  g_assert_nonnull(store);
  g_assert_true(add(places, first, n, is_final));
  profile_names_store_save(store, &names, 1);
}

/* What is stored, or NULL: there is no entry. */
static ProfileStoredNames *load(void)
{
  g_autoptr(ProfileNamesStore) store = profile_names_store_open(STORE, PROFILE_NAMES_STORE_MAX);
  ProfileStoredNames *names = NULL;

  g_assert_nonnull(store);
  names = profile_names_store_load(store, build_id, sizeof build_id);
  if (names)
    profile_names_store_load_places(store, names);
  profile_names_store_save(store, NULL, 0); /* which empties a damaged one */
  return names;
}

static guint count_stored(void)
{
  g_autoptr(ProfileStoredNames) names = load();
  const ProfileStoredPlaces *places = names ? profile_stored_names_get_places(names) : NULL;
  guint n = 0;

  if (places)
    profile_stored_places_get(places, &n);
  return n;
}

static void assert_place(const ProfilePlaces *places, guint64 offset, guint32 line)
{
  const ProfilePlace *place = profile_places_lookup(places, offset);
  const ProfilePlaceFrame *inner, *outer;

  g_assert_nonnull(place);
  g_assert_cmpuint(place->n_frames, ==, 2);
  inner = profile_places_get_frame(places, place, 0);
  outer = profile_places_get_frame(places, place, 1);
  g_assert_cmpstr(inner->name, ==, "deep::work(int)");
  g_assert_cmpstr(inner->linkage_name, ==, "_ZN4deep4workEi");
  g_assert_cmpstr(inner->file, ==, "/src/p.cc");
  g_assert_cmpuint(inner->line, ==, line);
  g_assert_null(inner->declared_file);
  g_assert_cmpstr(outer->name, ==, "main");
  g_assert_true(outer->linkage_name == outer->name);
  g_assert_cmpuint(outer->line, ==, line + 1);
}

static void test_make(void)
{
  g_autoptr(ProfileStoredPlaces) first = profile_stored_places_new();
  g_autoptr(ProfileStoredPlaces) second = profile_stored_places_new();
  g_autoptr(ProfilePlaces) places = NULL;
  const guint64 offsets[] = {3, 5, 9, 10, 11, 100 * STEP + 9, 100 * STEP + 10, 5000 * STEP};
  gsize n;

  g_assert_true(add(first, 0, N_PLACES, TRUE));
  g_assert_true(add(second, 5000 * STEP, 10, FALSE));
  for (guint i = 0; i < 7; i++)
    g_assert_true(profile_stored_places_cover(first, offsets[i]) == (offsets[i] != 11));
  g_assert_false(profile_stored_places_cover(first, 5000 * STEP));
  places = profile_stored_places_make(first, second, offsets, G_N_ELEMENTS(offsets), CAPTURE_PLACES_COMPLETE);
  profile_places_get(places, &n);
  g_assert_cmpuint(n, ==, 3);
  assert_place(places, 9, 1);
  assert_place(places, 100 * STEP, 101);
  assert_place(places, 5000 * STEP, 1);
  g_assert_null(profile_places_lookup(places, 10));
  g_assert_null(profile_places_lookup(places, STEP));
  g_assert_null(profile_stored_places_make(first, NULL, &offsets[7], 1, CAPTURE_PLACES_COMPLETE));
  g_assert_null(
      profile_stored_places_make(NULL, NULL, offsets, G_N_ELEMENTS(offsets), CAPTURE_PLACES_COMPLETE));
}

static void test_senseless(void)
{
  g_autoptr(ProfileStoredPlaces) stored = profile_stored_places_new();
  const ProfileStretch turned[] = {{5, 6}, {3, 4}}, empty[] = {{5, 5}};
  struct dwarf_places *places;
  guint n;

  places = make_places(0, 1);
  g_assert_false(
      profile_stored_places_take(stored, places, places->size, g_memdup2(turned, sizeof turned), 2, TRUE));
  places = make_places(0, 1);
  g_assert_false(
      profile_stored_places_take(stored, places, places->size, g_memdup2(empty, sizeof empty), 1, TRUE));
  places = make_places(0, 1);
  g_assert_false(profile_stored_places_take(stored, places, places->size - 1, NULL, 0, TRUE));
  places = make_places(0, 2);
  ((struct dwarf_place *)(places + 1))[1].start = 5;
  g_assert_false(profile_stored_places_take(stored, places, places->size, NULL, 0, TRUE));
  profile_stored_places_get(stored, &n);
  g_assert_cmpuint(n, ==, 0);
}

static void test_round_trip(void)
{
  char *directory = symbol_files_enter();
  const guint64 offsets[] = {3, (N_PLACES + 2) * STEP, (N_PLACES + 2) * STEP + 10};

  save(0, N_PLACES, TRUE);
  save(N_PLACES * STEP, 10, TRUE);
  save(5000 * STEP, 10, FALSE); /* which is not kept */
  {
    g_autoptr(ProfileStoredNames) names = load();
    const ProfileStoredPlaces *stored = profile_stored_names_get_places(names);
    g_autoptr(ProfilePlaces) places =
        profile_stored_places_make(stored, NULL, offsets, G_N_ELEMENTS(offsets), CAPTURE_PLACES_COMPLETE);

    assert_place(places, 3, 1);
    assert_place(places, (N_PLACES + 2) * STEP, 3);
    g_assert_true(profile_stored_places_cover(stored, offsets[2]));
    g_assert_false(profile_stored_places_cover(stored, 5000 * STEP));
  }
  g_assert_cmpuint(count_stored(), ==, 2);
  symbol_files_leave(directory);
}

/* Where there are enough the next ones take their place. */
static void test_many(void)
{
  char *directory = symbol_files_enter();

  for (guint i = 0; i < PROFILE_STORED_PLACES_ANSWERS_MAX; i++)
    save(i * STEP, 1, TRUE);
  g_assert_cmpuint(count_stored(), ==, PROFILE_STORED_PLACES_ANSWERS_MAX);
  save(0, 100, TRUE);
  g_assert_cmpuint(count_stored(), ==, 1);
  symbol_files_leave(directory);
}

static void test_other_sources(void)
{
  char *directory = symbol_files_enter();
  const ProfileNameSources others = {.binary = {7, 8, 9}};
  ProfileStoredPlaces *places = profile_stored_places_new();
  g_autoptr(ProfileStoredNames) names =
      profile_stored_names_new(build_id, sizeof build_id, CAPTURE_NAMING_SYMBOLS, &others, NULL);

  save(0, 5, TRUE);
  save(5 * STEP, 5, TRUE);
  profile_stored_names_take_places(names, places);
  g_assert_true(add(places, 0, 1, TRUE));
  {
    g_autoptr(ProfileNamesStore) store = profile_names_store_open(STORE, PROFILE_NAMES_STORE_MAX);

    profile_names_store_save(store, &names, 1);
  }
  g_assert_cmpuint(count_stored(), ==, 1);
  symbol_files_leave(directory);
}

static void change(const char *sql)
{
  sqlite3 *db;

  g_assert_cmpint(sqlite3_open(STORE, &db), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close(db);
}

/* What makes no sense costs all, and the next is as if nothing had been. */
static void test_hostile_rows(void)
{
  static const char *const changes[] = {
      "UPDATE answer SET places = 'text'",
      "UPDATE answer SET places = x'00'",
      "UPDATE answer SET size = size + 1",
      "UPDATE answer SET size = -1",
      "UPDATE answer SET size = 9223372036854775807",
      "UPDATE answer SET size = 0",
      "UPDATE answer SET gaps = x'00'",
      "UPDATE answer SET gaps = zeroblob(32)",
      "UPDATE answer SET gaps = 7",
      "UPDATE answer SET size = 'x'",
      "UPDATE answer SET places = zeroblob(1000)",
  };
  char *directory = symbol_files_enter();

  for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
    save(0, N_PLACES, TRUE);
    g_assert_cmpuint(count_stored(), ==, 1);
    change(changes[i]);
    g_assert_cmpuint(count_stored(), ==, 0);
    g_assert_null(load());
  }
  symbol_files_leave(directory);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/stored-places/make", test_make);
  g_test_add_func("/stored-places/senseless", test_senseless);
  g_test_add_func("/stored-places/round-trip", test_round_trip);
  g_test_add_func("/stored-places/many", test_many);
  g_test_add_func("/stored-places/other-sources", test_other_sources);
  g_test_add_func("/stored-places/hostile-rows", test_hostile_rows);
  return g_test_run();
}
