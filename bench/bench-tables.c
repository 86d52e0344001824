/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a recorder waits for the tables of one process: with an empty cache, where elf-readers are started
 * and compile, and with a filled one. From recorder_tables_create on, all binaries of the process, each run
 * on its own.
 *
 *   bench-tables [PID…]   of these processes (0: of all); else of chain, python3 and clang, which it
 *                         starts, and of all
 */
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/common/proc.h"
#include "helpers/recorder/common/clock.h"
#include "helpers/recorder/tables/tables.h"

#define ROUNDS       21
#define BINARIES_MAX 512
#define SECOND       UINT64_C(1000000000)
#define START_UP     500000 /* microseconds that a program has to map what it maps */

struct run {
  int32_t pid;
  struct recorder_tables *tables;
  struct recorder_unwind_table *binaries[BINARIES_MAX];
  unsigned count;
};

struct outcome {
  double first; /* milliseconds until every request has returned */
  double all;   /* until nothing is pending */
  unsigned tables;
  unsigned ready_at_once;
  uint64_t size;
};

static char reader[4096];
static char cache[] = "/tmp/capture-bench-XXXXXX";

static void request(const struct recorder_map_line *line, void *data)
{
  struct run *run = data;
  struct recorder_binary_key key = {.device = line->device, .inode = line->inode};
  recorder_binary_key_set_path(&key, line->path, line->path_length);
  if ((key.flags & CAPTURE_BINARY_SPECIAL) == 0 && run->count < BINARIES_MAX)
    run->binaries[run->count++] =
        recorder_tables_request(run->tables, &key, run->pid, line->start, line->end);
}

static void ignore(struct recorder_unwind_table *table, void *data)
{
}

static double since(uint64_t start)
{
  return (double)(recorder_clock_now() - start) / 1e6;
}

/* Of one process, or of all when pid is 0. */
static int request_all(struct run *run, int32_t pid)
{
  run->pid = pid;
  if (pid != 0)
    return recorder_proc_maps(pid, request, run);
  DIR *directory = opendir("/proc");
  if (directory == NULL)
    return -1;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if ((run->pid = atoi(entry->d_name)) > 0)
      recorder_proc_maps(run->pid, request, run);
  closedir(directory);
  return 0;
}

static struct outcome once(int32_t pid)
{
  struct recorder_tables_options options = {.cache = cache, .reader = reader};
  struct run run = {0};
  struct outcome outcome = {0};
  uint64_t start = recorder_clock_now();
  if (recorder_tables_create(&run.tables, &options) < 0 || request_all(&run, pid) < 0)
    exit(EXIT_FAILURE);
  outcome.first = since(start);
  for (unsigned i = 0; i < run.count; i++)
    outcome.ready_at_once += run.binaries[i]->state == RECORDER_TABLE_READY;
  recorder_tables_wait(run.tables, start + 60 * SECOND, ignore, NULL);
  outcome.all = since(start);
  for (unsigned i = 0; i < run.count; i++) {
    outcome.tables += run.binaries[i]->state == RECORDER_TABLE_READY;
    outcome.size += run.binaries[i]->size;
  }
  recorder_tables_free(run.tables);
  return outcome;
}

static void empty_cache(void)
{
  DIR *directory = opendir(cache);
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
    unlinkat(dirfd(directory), entry->d_name, 0);
  if (directory != NULL)
    closedir(directory);
}

static int compare(const void *a, const void *b)
{
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void measure(const char *name, int32_t pid, bool warm)
{
  double all[ROUNDS];
  struct outcome outcome;
  for (unsigned i = 0; i < ROUNDS; i++) {
    if (!warm)
      empty_cache();
    outcome = once(pid);
    all[i] = outcome.all;
  }
  qsort(all, ROUNDS, sizeof all[0], compare);
  printf("%-10s %-5s %3u tables, %3u at once, %9" PRIu64 " bytes: median %7.2f ms, fastest %7.2f ms\n", name,
         warm ? "warm" : "cold", outcome.tables, outcome.ready_at_once, outcome.size, all[ROUNDS / 2],
         all[0]);
}

static void bench(const char *name, int32_t pid)
{
  measure(name, pid, false);
  measure(name, pid, true);
}

static void bench_command(const char *name, char *const *argv)
{
  pid_t pid = fork();
  if (pid == 0) {
    execvp(argv[0], argv);
    _exit(127);
  }
  usleep(START_UP);
  bench(name, pid);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
  static char *const chain[] = {(char *)"/lib64/ld-linux-x86-64.so.2", (char *)CHAIN, (char *)"1000", NULL};
  static char *const python[] = {(char *)"/usr/bin/python3", (char *)"-c",
                                 (char *)"import json, sqlite3, ssl, time; time.sleep(1000)", NULL};
  static char *const clang[] = {
      (char *)"clang", (char *)"-fsyntax-only", (char *)"-x", (char *)"c", (char *)"-", NULL};
  const char *build = getenv("CAPTURE_BUILDDIR");
  int pipe_fds[2];
  snprintf(reader, sizeof reader, "%s/helpers/elf-reader/capture-elf-reader",
           build != NULL ? build : "build");
  if (mkdtemp(cache) == NULL || pipe(pipe_fds) < 0 || dup2(pipe_fds[0], STDIN_FILENO) < 0)
    return EXIT_FAILURE;
  for (int i = 1; i < argc; i++)
    bench(argv[i], atoi(argv[i]));
  if (argc == 1) {
    bench_command("chain", chain);
    bench_command("python3", python);
    bench_command("clang", clang);
    bench("everything", 0);
  }
  empty_cache();
  rmdir(cache);
  return EXIT_SUCCESS;
}
