/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bpf-fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/recorder/common/rights.h"
#include "unwind/unwind-compile.h"

#define RING_PAGES 1024
#define FREQUENCY  4000

static int open_event(struct perf_event_attr *attr, pid_t pid, struct recorder_ring *ring)
{
  int fd = recorder_rights_open_event(attr, pid, (int)ring->cpu);
  g_assert_cmpint(fd, >=, 0);
  g_assert_no_errno(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd));
  return fd;
}

static void add_ring(struct bpf_fixture *fixture, uint32_t cpu)
{
  struct recorder_ring *ring = g_new0(struct recorder_ring, 1);
  struct perf_event_attr attr = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attr,
      .config = PERF_COUNT_SW_BPF_OUTPUT,
      .sample_type = RECORDER_SAMPLE_TYPE | PERF_SAMPLE_RAW,
      .sample_period = 1,
      .sample_id_all = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
  };
  g_assert_cmpint(recorder_ring_open(ring, cpu, RING_PAGES, 0), ==, 0);
  g_ptr_array_add(fixture->rings, ring);
  int fd = open_event(&attr, -1, ring);
  g_assert_cmpint(recorder_bpf_set_output(fixture->bpf, cpu, fd), ==, 0);
  g_array_append_val(fixture->events, fd);
}

struct bpf_fixture *bpf_fixture_new(bool only_own_events, uint32_t max_stack)
{
  struct bpf_fixture *fixture = g_new0(struct bpf_fixture, 1);
  const struct recorder_bpf_options options = {
      .area_size = BPF_FIXTURE_AREA,
      .max_stack = max_stack,
      .miss_stack = BPF_FIXTURE_MISS,
      .processes = 64,
      .only_own_events = only_own_events,
  };
  struct recorder_error error = {0};
  if (recorder_bpf_open(&fixture->bpf, &options, &error) < 0)
    g_error("%s", error.text);
  size_t size;
  fixture->area = recorder_bpf_area(fixture->bpf, &size);
  g_assert_cmpuint(size, ==, BPF_FIXTURE_AREA);
  fixture->used = 64;
  fixture->rings = g_ptr_array_new();
  fixture->events = g_array_new(FALSE, FALSE, sizeof(int));
  for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
    add_ring(fixture, (uint32_t)cpu);
  return fixture;
}

void bpf_fixture_free(struct bpf_fixture *fixture)
{
  for (guint i = 0; i < fixture->events->len; i++)
    close(g_array_index(fixture->events, int, i));
  for (guint i = 0; i < fixture->rings->len; i++) {
    recorder_ring_close(fixture->rings->pdata[i]);
    g_free(fixture->rings->pdata[i]);
  }
  g_array_unref(fixture->events);
  g_ptr_array_unref(fixture->rings);
  recorder_bpf_close(fixture->bpf);
  g_free(fixture);
}

static int compile(const char *path, pid_t pid, uint64_t start, uint64_t end, struct unwind_image *image)
{
  g_autofree char *bytes = NULL;
  gsize size = end - start;
  if (path[0] == '/')
    return g_file_get_contents(path, &bytes, &size, NULL) ? unwind_compile(bytes, size, image) : -ENOENT;
  if (strcmp(path, "[vdso]") != 0)
    return -ENODATA;
  g_autofree char *memory = g_strdup_printf("/proc/%d/mem", pid);
  int fd = open(memory, O_RDONLY | O_CLOEXEC);
  bytes = g_malloc(size);
  g_assert_cmpint(pread(fd, bytes, size, (off_t)start), ==, size);
  close(fd);
  return unwind_compile_memory(bytes, size, image);
}

/* The mapping that a line of /proc/PID/maps tells of; kind 0: it is not executable. */
static struct walk_mapping make_mapping(struct bpf_fixture *fixture, pid_t pid, const char *line)
{
  struct walk_mapping mapping = {.kind = WALK_MAPPING_FRAME_POINTERS};
  struct unwind_image image;
  unsigned long start, end, offset;
  char permissions[5], path[512] = "";
  g_assert_cmpint(sscanf(line, "%lx-%lx %4s %lx %*s %*s %511s", &start, &end, permissions, &offset, path), >=,
                  4);
  if (permissions[2] != 'x')
    return (struct walk_mapping){0};
  mapping.start = start;
  mapping.end = end;
  if (compile(path, pid, start, end, &image) < 0)
    return mapping;
  g_assert_true(unwind_table_bias(image.table, start, path[0] == '/' ? offset : 0, &mapping.bias));
  g_assert_cmpuint(fixture->used + image.table->size, <, BPF_FIXTURE_AREA);
  memcpy(fixture->area + fixture->used, image.table, image.table->size);
  mapping.table = fixture->used;
  mapping.kind = WALK_MAPPING_TABLE;
  fixture->used += image.table->size;
  unwind_image_clear(&image);
  return mapping;
}

struct walk_process bpf_fixture_publish(struct bpf_fixture *fixture, pid_t pid, enum walk_mapping_kind kind)
{
  static uint32_t serial;
  g_autofree char *path = g_strdup_printf("/proc/%d/maps", pid);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autoptr(GArray) mappings = g_array_new(FALSE, FALSE, sizeof(struct walk_mapping));
  for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++) {
    struct walk_mapping mapping = make_mapping(fixture, pid, lines[i]);
    if (kind == WALK_MAPPING_PENDING && mapping.kind != 0)
      mapping.kind = WALK_MAPPING_PENDING;
    if (mapping.kind != 0)
      g_array_append_val(mappings, mapping);
  }
  struct walk_process process = {.mappings = fixture->used, .n_mappings = mappings->len, .serial = ++serial};
  memcpy(fixture->area + fixture->used, mappings->data, mappings->len * sizeof(struct walk_mapping));
  fixture->used += mappings->len * (uint32_t)sizeof(struct walk_mapping);
  g_assert_cmpint(recorder_bpf_set_process(fixture->bpf, pid, &process, UINT64_MAX), ==, 0);
  return process;
}

static void attach(struct bpf_fixture *fixture, pid_t pid, struct perf_event_attr attr, uint64_t tracepoint)
{
  attr.size = sizeof attr;
  attr.sample_type = RECORDER_SAMPLE_TYPE;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.disabled = 1;
  for (guint i = 0; i < fixture->rings->len; i++) {
    int fd = open_event(&attr, pid, fixture->rings->pdata[i]);
    g_assert_cmpint(recorder_bpf_attach(fixture->bpf, fd, tracepoint), ==, 0);
    g_assert_no_errno(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
    g_array_append_val(fixture->events, fd);
  }
}

void bpf_fixture_sample(struct bpf_fixture *fixture, pid_t pid)
{
  attach(
      fixture, pid,
      (struct perf_event_attr){
          .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .freq = 1, .sample_freq = FREQUENCY},
      0);
}

void bpf_fixture_trace(struct bpf_fixture *fixture, pid_t pid, const char *tracepoint)
{
  g_autofree char *path = g_strdup_printf("/sys/kernel/tracing/events/%s/id", tracepoint);
  g_autofree char *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL)) {
    g_autofree char *debug = g_strdup_printf("/sys/kernel/debug/tracing/events/%s/id", tracepoint);
    g_assert_true(g_file_get_contents(debug, &text, NULL, NULL));
  }
  uint64_t id = g_ascii_strtoull(text, NULL, 10);
  attach(fixture, pid,
         (struct perf_event_attr){.type = PERF_TYPE_TRACEPOINT, .config = id, .sample_period = 1}, id);
}

static guint read_ring(struct recorder_ring *ring, bpf_record_fn fn, void *data)
{
  guint n = 0;
  recorder_ring_look(ring);
  for (;;) {
    g_assert_cmpint(recorder_ring_peek(ring), ==, 0);
    if (ring->record == NULL)
      break;
    const struct recorder_sample_fixed *sample = (const void *)ring->record;
    struct bpf_record record = {.ip = sample->ip, .pid = sample->pid};
    if (sample->header.size > sizeof *sample)
      record.raw = (const void *)((const uint8_t *)(sample + 1) + sizeof(uint32_t));
    if (sample->header.type == PERF_RECORD_SAMPLE) {
      fn(&record, data);
      n++;
    }
    recorder_ring_skip(ring);
  }
  recorder_ring_release(ring);
  return n;
}

guint bpf_fixture_read(struct bpf_fixture *fixture, bpf_record_fn fn, void *data)
{
  guint n = 0;
  for (guint i = 0; i < fixture->rings->len; i++)
    n += read_ring(fixture->rings->pdata[i], fn, data);
  return n;
}

void bpf_fixture_await(struct bpf_fixture *fixture, guint n, bpf_record_fn fn, void *data)
{
  guint found = 0;
  for (guint i = 0; i < 500 && found < n; i++) {
    g_usleep(20000);
    found += bpf_fixture_read(fixture, fn, data);
  }
  g_assert_cmpuint(found, >=, n);
}

/* Until it is beyond the dynamic linker: by then it has worked for longer than that takes, or it sleeps. */
static void await_beginning(pid_t pid)
{
  enum { TENTH = 10 }; /* of a second, in ticks of /proc */
  g_autofree char *path = g_strdup_printf("/proc/%d/stat", pid);
  char state = 'R';
  unsigned long user = 0, system = 0;
  while (state != 'S' && user + system < TENTH) {
    g_autofree char *stat = NULL;
    g_usleep(1000);
    g_assert_true(g_file_get_contents(path, &stat, NULL, NULL));
    g_assert_cmpint(sscanf(strrchr(stat, ')'), ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state,
                           &user, &system),
                    ==, 3);
  }
}

pid_t bpf_fixture_start(const char *const *arguments)
{
  int gate[2];
  char byte;
  g_assert_no_errno(pipe2(gate, O_CLOEXEC));
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execvp(arguments[0], (char *const *)arguments);
    _exit(127);
  }
  close(gate[1]);
  g_assert_cmpint(read(gate[0], &byte, 1), ==, 0); /* closed by the exec */
  close(gate[0]);
  await_beginning(pid);
  g_assert_cmpint(waitpid(pid, NULL, WNOHANG), ==, 0);
  return pid;
}

void bpf_fixture_stop(pid_t pid)
{
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}
