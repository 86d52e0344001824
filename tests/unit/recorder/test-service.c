/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder as the service's user, who is not root and has the capabilities of the scope "system": all of
 * it works. */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/unit/remove-tree.h"
#include "trust-fixture.h"

#define STACKS (RECORDER_USER_STACKS | RECORDER_KERNEL_STACKS | RECORDER_CHILDREN)

/* A cache of the user's, so that what other tests left is not used. */
struct place {
  char *directory;
  char **environment;
};

static void place_make(struct place *place, guint user)
{
  place->directory = g_dir_make_tmp("capture-trust-XXXXXX", NULL);
  g_assert_cmpint(chown(place->directory, user, user), ==, 0);
  place->environment = g_environ_setenv(g_get_environ(), "XDG_CACHE_HOME", place->directory, TRUE);
}

static void place_clear(struct place *place)
{
  remove_tree(place->directory);
  g_free(place->directory);
  g_strfreev(place->environment);
}

/* At least that many samples. */
static void record(struct loaded *loaded, guint user, const char *rights,
                   struct recorder_configure *configure, const pid_t *target, guint samples)
{
  struct recorder_client client;
  struct place place;
  place_make(&place, user);
  recorder_client_start_as(&client, user, rights, place.environment);
  if (!recorder_client_configure(&client, configure, target, target != NULL))
    g_error("%s", client.ended.text);
  if (*rights != '\0')
    g_assert_cmpstr(client.ready.notes, ==, "");
  recorder_client_begin(&client);
  trust_collect(&client, samples);
  g_assert_cmpint(recorder_client_stop(&client), ==, 0);
  loaded_read(loaded, client.file_fd);
  recorder_client_clear(&client);
  place_clear(&place);
}

static guint count(const struct loaded *loaded, pid_t pid, guint outcome)
{
  guint number = 0;
  for (guint i = 0; i < loaded->samples->len; i++) {
    const struct loaded_sample *sample = &g_array_index(loaded->samples, struct loaded_sample, i);
    number += loaded_process(loaded, sample)->pid == pid && (outcome == 0 || sample->outcome == outcome);
  }
  return number;
}

static void test_system_wide(gconstpointer data)
{
  struct loaded loaded;
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(STACKS | RECORDER_SYSTEM_WIDE, "cpu-clock", 1000);
  configure->unwind = GPOINTER_TO_UINT(data);
  pid_t target = trust_target(TRUST_CALLER, NULL, "system", "60", NULL);
  record(&loaded, TRUST_SERVICE, TRUST_SYSTEM_RIGHTS, configure, NULL, 3000);
  trust_end(target);
  guint samples = count(&loaded, target, 0);
  g_assert_cmpuint(samples, >, 100);
  g_assert_cmpuint(count(&loaded, target, CAPTURE_OUTCOME_COMPLETE), >=, samples * 9 / 10);
  g_assert_cmpuint(trust_count_kernel_words(&loaded), >, 0);
  g_assert_true(trust_knows_binary(&loaded, "[kernel]"));
  loaded_clear(&loaded);
}

static void test_event(gconstpointer data)
{
  struct loaded loaded;
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(STACKS | RECORDER_SYSTEM_WIDE, data, 0);
  configure->unwind = RECORDER_UNWIND_BPF;
  pid_t target = trust_target(TRUST_CALLER, NULL, "threads", "60", NULL);
  record(&loaded, TRUST_SERVICE, TRUST_SYSTEM_RIGHTS, configure, NULL, 3000);
  trust_end(target);
  g_assert_cmpuint(loaded.samples->len, >, 10);
  g_assert_cmpuint(count(&loaded, target, 0), >, 0);
  loaded_clear(&loaded);
}

/* Nobody may read them but the caller, and they are gone: only the mappings still lead there. */
struct private_files {
  char *directory;
  char *program;
  char *library;
};

static char *copy_to(const struct private_files *files, const char *source, const char *name)
{
  g_autofree char *bytes = NULL;
  char *path = g_build_filename(files->directory, name, NULL);
  gsize size;
  g_assert_true(g_file_get_contents(source, &bytes, &size, NULL));
  g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
  g_assert_cmpint(chown(path, TRUST_CALLER, TRUST_CALLER), ==, 0);
  g_assert_cmpint(chmod(path, 0700), ==, 0);
  return path;
}

static void private_files_make(struct private_files *files)
{
  g_autofree char *program = trust_target_program();
  g_autofree char *built = g_path_get_dirname(program);
  g_autofree char *library = g_build_filename(built, "librecorder-target.so", NULL);
  files->directory = g_dir_make_tmp("capture-trust-XXXXXX", NULL);
  g_assert_cmpint(chown(files->directory, TRUST_CALLER, TRUST_CALLER), ==, 0);
  files->program = copy_to(files, program, "private-program");
  files->library = copy_to(files, library, "private-library.so");
}

static void private_files_delete(struct private_files *files)
{
  g_unlink(files->program);
  g_unlink(files->library);
  g_assert_cmpint(g_rmdir(files->directory), ==, 0);
  g_free(files->directory);
  g_free(files->program);
  g_free(files->library);
}

static void await_mapping(pid_t pid, const char *name)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/maps", pid);
  for (;;) {
    g_autofree char *maps = NULL;
    g_assert_true(g_file_get_contents(path, &maps, NULL, NULL));
    if (strstr(maps, name) != NULL)
      return;
    g_usleep(10000);
  }
}

/* Returns how many of the library's samples in a hundred have a stack that is proven. */
static guint record_deleted(guint user, const char *rights, uint32_t unwind)
{
  struct loaded loaded;
  struct private_files files;
  g_autofree struct recorder_configure *configure =
      recorder_client_configuration(RECORDER_USER_STACKS, "cpu-clock", 1000);
  configure->unwind = unwind;
  private_files_make(&files);
  pid_t target = trust_target(TRUST_CALLER, files.program, "library", "6", files.library);
  /* A quarter of the time it is in the program. */
  await_mapping(target, "private-library.so");
  private_files_delete(&files);
  record(&loaded, user, rights, configure, &target, 300);
  trust_end(target);
  guint samples = count(&loaded, target, 0);
  g_assert_cmpuint(samples, >, 100);
  guint share = count(&loaded, target, CAPTURE_OUTCOME_COMPLETE) * 100 / samples;
  loaded_clear(&loaded);
  return share;
}

static void test_deleted_library(gconstpointer data)
{
  g_assert_cmpuint(record_deleted(TRUST_SERVICE, TRUST_SYSTEM_RIGHTS, GPOINTER_TO_UINT(data)), >=, 95);
}

/* What the kernel opens for CAP_CHECKPOINT_RESTORE alone, an ordinary user has not. */
static void test_deleted_library_directly(void)
{
  g_assert_cmpuint(record_deleted(TRUST_CALLER, "", RECORDER_UNWIND_TABLES), <, 5);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/recorder/service/system-wide/bpf", GUINT_TO_POINTER(RECORDER_UNWIND_BPF),
                       test_system_wide);
  g_test_add_data_func("/recorder/service/system-wide/tables", GUINT_TO_POINTER(RECORDER_UNWIND_TABLES),
                       test_system_wide);
  g_test_add_data_func("/recorder/service/event/tracepoint", "sched:sched_switch", test_event);
  g_test_add_data_func("/recorder/service/event/off-cpu", RECORDER_EVENT_OFF_CPU, test_event);
  g_test_add_data_func("/recorder/service/deleted-library/bpf", GUINT_TO_POINTER(RECORDER_UNWIND_BPF),
                       test_deleted_library);
  g_test_add_data_func("/recorder/service/deleted-library/tables", GUINT_TO_POINTER(RECORDER_UNWIND_TABLES),
                       test_deleted_library);
  g_test_add_func("/recorder/service/deleted-library/directly", test_deleted_library_directly);
  return g_test_run();
}
