/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the places of file offsets, for tests that compare them with `addr2line -a -i -f -C`: `place-offsets
 * FILE...` reads one hexadecimal offset a line, ascending, and answers for each FILE, all named by one thread
 * with one namer, "OFFSET", then for each frame its function and FILE:LINE, as addr2line does. Where nothing
 * is known it says "??" alone. With --keep what is found out is kept in the user's store; with --cancel=MS
 * all is cancelled so much later. At the end it says on standard error whether there was an elf-reader, and
 * how the search of each file ended (enum capture_places_outcome). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/elf/elf.h"
#include "profile/naming/namer.h"
#include "profile/naming/names-store.h"

static gboolean keep;
static int cancel_ms = -1;

static void print_place(const ProfilePlaces *places, guint64 offset)
{
  const ProfilePlace *place = places ? profile_places_lookup(places, offset) : NULL;

  printf("%" G_GINT64_MODIFIER "x\n", offset);
  if (!place)
    printf("??\n");
  for (guint32 i = 0; place && i < place->n_frames; i++) {
    const ProfilePlaceFrame *frame = profile_places_get_frame(places, place, i);

    printf("%s\n%s:%u\n", frame->name ? frame->name : "??", frame->file ? frame->file : "??", frame->line);
  }
}

static void set_build_id(ProfileBinary *binary)
{
  int fd = open(binary->path, O_RDONLY | O_CLOEXEC);
  g_autoptr(ProfileElf) elf = fd >= 0 ? profile_elf_new_for_fd(fd, NULL) : NULL;
  const guint8 *build_id = NULL;

  if (elf)
    build_id = profile_elf_get_build_id(elf, &binary->build_id_size);
  if (build_id)
    memcpy(binary->build_id, build_id, binary->build_id_size);
  if (fd >= 0)
    close(fd);
}

static ProfilePlaces *place_file(const ProfileNamer *namer, ProfileNamesStore *store, const char *path,
                                 const GArray *offsets)
{
  ProfileBinary binary = {.path = path};
  g_autoptr(ProfileStoredNames) known = NULL;
  g_autoptr(ProfileStoredNames) learnt = NULL;
  g_autoptr(ProfileFunctionTable) table = NULL;
  ProfilePlaces *places;

  set_build_id(&binary);
  if (store)
    known = profile_names_store_load(store, binary.build_id, binary.build_id_size);
  if (known)
    profile_names_store_load_places(store, known);
  table = profile_namer_name_binary(namer, &binary, (guint64 *)(gpointer)offsets->data, offsets->len, known,
                                    &learnt, &places);
  if (store)
    profile_names_store_save(store, &learnt, 1);
  return places;
}

static gpointer cancel_later(gpointer data)
{
  g_usleep((gulong)cancel_ms * 1000);
  g_cancellable_cancel(data);
  return NULL;
}

static void place_files(char **paths, const GArray *offsets, GString *outcomes)
{
  g_autofree char *store_path = profile_names_store_get_path();
  g_autoptr(ProfileNamesStore) store =
      keep ? profile_names_store_open(store_path, PROFILE_NAMES_STORE_MAX) : NULL;
  g_autoptr(ProfileElfReaders) readers = profile_elf_readers_new();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  ProfileNamer namer = {.readers = readers, .cancellable = cancellable};
  GThread *thread = cancel_ms >= 0 ? g_thread_new("cancel", cancel_later, cancellable) : NULL;

  for (; *paths; paths++) {
    ProfilePlaces *places = place_file(&namer, store, *paths, offsets);

    for (guint i = 0; i < offsets->len; i++)
      print_place(places, g_array_index(offsets, guint64, i));
    g_string_append_printf(outcomes, " %u", places ? profile_places_get_outcome(places) : 0);
    g_clear_pointer(&places, profile_places_unref);
  }
  if (thread)
    g_thread_join(thread);
}

int main(int argc, char **argv)
{
  g_autoptr(GArray) offsets = g_array_new(FALSE, FALSE, sizeof(guint64));
  g_autoptr(GString) outcomes = g_string_new(NULL);
  struct rusage children;
  char line[64];

  for (; argv[1] && g_str_has_prefix(argv[1], "--"); argv++) {
    keep |= g_str_equal(argv[1], "--keep");
    if (g_str_has_prefix(argv[1], "--cancel="))
      cancel_ms = atoi(argv[1] + strlen("--cancel="));
  }
  while (fgets(line, sizeof line, stdin)) {
    guint64 offset = g_ascii_strtoull(line, NULL, 16);

    g_array_append_val(offsets, offset);
  }
  place_files(argv + 1, offsets, outcomes);
  getrusage(RUSAGE_CHILDREN, &children);
  fprintf(stderr, "elf-reader: %s, outcomes:%s\n", children.ru_maxrss > 0 ? "started" : "none",
          outcomes->str);
  return 0;
}
