/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BPF programs, loaded and at work: whole stacks, misses, and what they say where there is none. */
#include "bpf-fixture.h"

#include <bpf/bpf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unwind/walk/unwind-walk.h"

#define ENOUGH 500 /* records */

/* A frame of chain's is called by the first letter of its function, another one of chain's ?, any other x. */
struct chain {
  pid_t pid;
  uint64_t base;
  uint64_t end;
  char *file;
  Elf *elf;
  struct bpf_fixture *fixture;
  struct walk_process process; /* by which misses are walked */
  guint n_stacks;
  guint n_misses;
  guint n_samples;
};

static char name_of(const struct chain *chain, uint64_t address)
{
  Elf_Scn *section = NULL;
  GElf_Shdr header;
  if (address < chain->base || address >= chain->end)
    return 'x';
  while ((section = elf_nextscn(chain->elf, section)) != NULL) {
    if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB)
      continue;
    for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
      GElf_Sym symbol;
      g_assert_nonnull(gelf_getsym(elf_getdata(section, NULL), (int)i, &symbol));
      if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
          address - chain->base - symbol.st_value < symbol.st_size)
        return elf_strptr(chain->elf, header.sh_link, symbol.st_name)[0];
    }
  }
  return '?';
}

static void expect_chain(const struct chain *chain, const uint64_t *frames, guint n)
{
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_c(names, name_of(chain, i == 0 ? frames[i] : frames[i] - 1));
  if (!g_regex_match_simple("^([lx?]*sd{21}|d{1,21}|[x?]*)mxx_$", names->str, 0, 0))
    g_error("chain has no such stack: %s", names->str);
}

static void walk_miss(const struct chain *chain, const struct recorder_raw *raw)
{
  const struct recorder_raw_registers *general = (const void *)(raw + 1);
  struct walk_registers registers;
  uint64_t frames[127];
  enum walk_end end;
  unwind_registers_set(&registers, WALK_X86_64, general->general);
  struct unwind_area area = {chain->fixture->area, BPF_FIXTURE_AREA};
  struct unwind_piece piece = {registers.sp, general + 1, raw->count};
  struct unwind_memory memory = {.pieces = &piece, .n_pieces = 1};
  struct unwind_start start = {&chain->process, &registers, WALK_X86_64, false};
  uint32_t n = unwind_walk(&area, &start, &memory, frames, G_N_ELEMENTS(frames), &end);
  g_assert_cmpint(end, ==, WALK_COMPLETE);
  expect_chain(chain, frames, n);
}

static void take_record(const struct bpf_record *record, void *data)
{
  struct chain *chain = data;
  const struct recorder_raw *raw = record->raw;
  chain->n_samples += raw == NULL;
  if (raw == NULL)
    return;
  g_assert_cmphex((uint64_t)raw->ip[1] << 32 | raw->ip[0], ==, record->ip);
  if (raw->kind == RECORDER_RAW_STACK) {
    g_assert_cmpint(raw->end, ==, WALK_COMPLETE);
    expect_chain(chain, (const uint64_t *)(raw + 1), raw->count);
    chain->n_stacks++;
  } else {
    g_assert_cmpint(raw->kind, ==, RECORDER_RAW_MISS);
    walk_miss(chain, raw);
    chain->n_misses++;
  }
}

static char *target(const char *name)
{
  return g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "tests", "unit", "recorder", name, NULL);
}

static void chain_begin(struct chain *chain, struct bpf_fixture *fixture)
{
  g_autofree char *path = target("bpf-chain");
  unsigned long start, end = 0;
  gsize size;
  *chain =
      (struct chain){.fixture = fixture, .pid = bpf_fixture_start((const char *const[]){path, "1000", NULL})};
  elf_version(EV_CURRENT);
  g_assert_true(g_file_get_contents(path, &chain->file, &size, NULL));
  chain->elf = elf_memory(chain->file, size);
  g_assert_nonnull(chain->elf);
  g_autofree char *maps = g_strdup_printf("/proc/%d/maps", chain->pid);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(maps, &text, NULL, NULL));
  for (const char *line = text; line != NULL && *line != '\0';
       line = strchr(line, '\n'), line += line != NULL) {
    const char *eol = strchr(line, '\n');
    g_autofree char *one = g_strndup(line, (gsize)(eol - line));
    if (strstr(one, "bpf-chain") == NULL)
      continue;
    g_assert_cmpint(sscanf(one, "%lx-%lx", &start, &end), ==, 2);
    if (chain->base == 0)
      chain->base = start;
    chain->end = end;
  }
  g_assert_cmphex(chain->end, !=, 0);
}

/* Stops it, and takes what it has left. */
static void chain_end(struct chain *chain)
{
  bpf_fixture_stop(chain->pid);
  bpf_fixture_read(chain->fixture, take_record, chain);
  elf_end(chain->elf);
  g_free(chain->file);
}

/* Every stack is the known one, and every sample has one. */
static void test_stacks(void)
{
  g_autoptr(BpfFixture) fixture = bpf_fixture_new(false, 127);
  struct chain chain;
  chain_begin(&chain, fixture);
  bpf_fixture_publish(fixture, chain.pid, WALK_MAPPING_TABLE);
  bpf_fixture_sample(fixture, chain.pid);
  bpf_fixture_await(fixture, ENOUGH, take_record, &chain);
  chain_end(&chain);
  g_assert_cmpuint(chain.n_misses, ==, 0);
  g_assert_cmpuint(chain.n_stacks, ==, chain.n_samples);
}

/* What is not known, or pending, carries all that user space needs to find the same. */
static void test_misses(void)
{
  g_autoptr(BpfFixture) fixture = bpf_fixture_new(false, 127);
  struct chain chain;
  chain_begin(&chain, fixture);
  chain.process = bpf_fixture_publish(fixture, chain.pid, WALK_MAPPING_TABLE);
  g_assert_cmpint(recorder_bpf_remove_process(fixture->bpf, chain.pid), ==, 0);
  bpf_fixture_sample(fixture, chain.pid);
  bpf_fixture_await(fixture, ENOUGH, take_record, &chain);
  g_assert_cmpuint(chain.n_stacks, ==, 0);
  g_assert_cmpuint(chain.n_misses, >, 0);

  bpf_fixture_publish(fixture, chain.pid, WALK_MAPPING_PENDING);
  bpf_fixture_await(fixture, ENOUGH, take_record, &chain);
  g_assert_cmpuint(chain.n_stacks, ==, 0);

  g_assert_cmpint(recorder_bpf_set_process(fixture->bpf, chain.pid, &chain.process, UINT64_MAX), ==, 0);
  bpf_fixture_await(fixture, ENOUGH, take_record, &chain);
  g_assert_cmpuint(chain.n_stacks, >, 0);

  /* Nothing that was remembered outlives its mappings. */
  bpf_fixture_publish(fixture, chain.pid, WALK_MAPPING_PENDING);
  g_usleep(20000); /* what has begun ends */
  bpf_fixture_read(fixture, take_record, &chain);
  guint n_stacks = chain.n_stacks;
  bpf_fixture_await(fixture, ENOUGH, take_record, &chain);
  g_assert_cmpuint(chain.n_stacks, ==, n_stacks);
  chain_end(&chain);
}

static bool is_known(struct bpf_fixture *fixture, pid_t pid)
{
  struct walk_process process;
  return bpf_map_lookup_elem(bpf_map__fd(fixture->bpf->programs->maps.processes), &pid, &process) == 0;
}

/* What was true before a process executed another program is not believed any more. */
static void test_exec(void)
{
  g_autoptr(BpfFixture) fixture = bpf_fixture_new(false, 127);
  uint64_t before = (uint64_t)g_get_monotonic_time() * 1000;
  pid_t pid = bpf_fixture_start((const char *[]){"/bin/sleep", "1000", NULL});
  struct walk_process process = bpf_fixture_publish(fixture, pid, WALK_MAPPING_TABLE);
  int result = 0;
  g_assert_cmpint(recorder_bpf_remove_process(fixture->bpf, pid), ==, 0);
  for (int i = 0; i < 10000 && result == 0; i++, g_usleep(1000)) /* the exec is over when it is known */
    result = recorder_bpf_set_process(fixture->bpf, pid, &process, before);
  g_assert_cmpint(result, ==, -ESTALE);
  g_assert_false(is_known(fixture, pid));
  uint64_t now = (uint64_t)g_get_monotonic_time() * 1000;
  g_assert_cmpint(recorder_bpf_set_process(fixture->bpf, pid, &process, now), ==, 0);
  g_assert_true(is_known(fixture, pid));
  bpf_fixture_stop(pid);
}

static void set_scratches(struct bpf_fixture *fixture, uint64_t taken)
{
  uint32_t zero = 0;
  uint64_t each[1024];
  for (guint i = 0; i < G_N_ELEMENTS(each); i++)
    each[i] = taken;
  g_assert_cmpint(
      bpf_map_update_elem(bpf_map__fd(fixture->bpf->programs->maps.scratches_taken), &zero, each, BPF_ANY),
      ==, 0);
}

/* One that interrupts another on its CPU takes the next scratch; where there is none left, it leaves nothing.
 */
static void test_nested(void)
{
  g_autoptr(BpfFixture) fixture = bpf_fixture_new(false, 127);
  struct chain chain;
  chain_begin(&chain, fixture);
  bpf_fixture_publish(fixture, chain.pid, WALK_MAPPING_TABLE);
  set_scratches(fixture, 1);
  bpf_fixture_sample(fixture, chain.pid);
  bpf_fixture_await(fixture, ENOUGH, take_record, &chain);
  g_assert_cmpuint(chain.n_stacks, >, 0);
  /* A program that was at work gives its scratch back when it ends; so they are taken twice. */
  for (int i = 0; i < 2; i++) {
    set_scratches(fixture, ~0ull);
    g_usleep(20000);
  }
  bpf_fixture_read(fixture, take_record, &chain);
  guint stacks = chain.n_stacks, samples = chain.n_samples;
  bpf_fixture_await(fixture, ENOUGH, take_record, &chain);
  g_assert_cmpuint(chain.n_stacks, ==, stacks);
  g_assert_cmpuint(chain.n_samples, >, samples);
  chain_end(&chain);
}

struct tally {
  guint records[RECORDER_RAW_NONE + 1][WALK_MISSED + 1];
  guint n_in_kernel;
  guint n_own; /* of this process, which nobody records */
  pid_t pid;
};

static void count(const struct bpf_record *record, void *data)
{
  struct tally *tally = data;
  tally->n_own += record->pid == getpid();
  if (record->raw == NULL || record->pid != tally->pid)
    return;
  g_assert_cmpuint(record->raw->kind, <=, RECORDER_RAW_NONE);
  g_assert_cmpuint(record->raw->end, <=, WALK_MISSED);
  g_assert_cmphex((uint64_t)record->raw->ip[1] << 32 | record->raw->ip[0], ==, record->ip);
  tally->records[record->raw->kind][record->raw->end]++;
  tally->n_in_kernel += record->ip >> 63 != 0;
}

struct pieces {
  struct recorder_raw_registers registers; /* of the miss before */
  guint first;                             /* bytes of it; 0: none waits for more */
  guint n_more;
};

static void take_piece(const struct bpf_record *record, void *data)
{
  struct pieces *pieces = data;
  if (record->raw == NULL)
    return;
  const struct recorder_raw_registers *registers = (const void *)(record->raw + 1);
  if (record->raw->kind == RECORDER_RAW_MISS) {
    pieces->first = record->raw->count;
    pieces->registers = *registers;
    return;
  }
  g_assert_cmpint(record->raw->kind, ==, RECORDER_RAW_MORE);
  g_assert_cmpuint(pieces->first, >, 0);
  g_assert_cmpmem(registers, sizeof *registers, &pieces->registers, sizeof *registers);
  g_assert_cmpuint(pieces->first + record->raw->count, >, BPF_FIXTURE_MISS + BPF_FIXTURE_MISS / 2);
  pieces->first = 0;
  pieces->n_more++;
}

/* A deep stack is left in two pieces. */
static void test_pieces(void)
{
  g_autoptr(BpfFixture) fixture = bpf_fixture_new(false, 127);
  g_autofree char *path = target("bpf-target");
  struct pieces pieces = {0};
  pid_t pid = bpf_fixture_start((const char *const[]){path, "deep", NULL});
  bpf_fixture_sample(fixture, pid);
  for (int i = 0; i < 100 && pieces.n_more < ENOUGH; i++)
    bpf_fixture_await(fixture, ENOUGH, take_piece, &pieces);
  g_assert_cmpuint(pieces.n_more, >=, ENOUGH);
  bpf_fixture_stop(pid);
}

static void run_target(struct tally *tally, const char *mode, const char *tracepoint)
{
  g_autoptr(BpfFixture) fixture = bpf_fixture_new(true, 127);
  g_autofree char *path = target("bpf-target");
  *tally = (struct tally){.pid = bpf_fixture_start((const char *const[]){path, mode, NULL})};
  bpf_fixture_publish(fixture, tally->pid, WALK_MAPPING_TABLE);
  if (tracepoint != NULL)
    bpf_fixture_trace(fixture, tally->pid, tracepoint);
  else
    bpf_fixture_sample(fixture, tally->pid);
  bpf_fixture_await(fixture, ENOUGH, count, tally);
  bpf_fixture_stop(tally->pid);
}

/* Begins where the thread has entered the kernel. */
static void test_in_kernel(void)
{
  struct tally tally;
  run_target(&tally, "in-kernel", NULL);
  guint complete = tally.records[RECORDER_RAW_STACK][WALK_COMPLETE];
  g_assert_cmpuint(tally.n_in_kernel, >, 0);
  g_assert_cmpuint(complete, >, 0);
  for (guint kind = 0; kind <= RECORDER_RAW_NONE; kind++)
    for (guint end = 0; end <= WALK_MISSED; end++)
      if (kind != RECORDER_RAW_STACK || end != WALK_COMPLETE)
        g_assert_cmpuint(tally.records[kind][end], ==, 0);
}

static void test_tracepoint(void)
{
  struct tally tally;
  run_target(&tally, "in-kernel", "raw_syscalls/sys_enter");
  g_assert_cmpuint(tally.records[RECORDER_RAW_STACK][WALK_COMPLETE], >, 0);
  g_assert_cmpuint(tally.n_in_kernel, ==, tally.records[RECORDER_RAW_STACK][WALK_COMPLETE]);
  g_assert_cmpuint(tally.n_own, ==, 0); /* it calls the system, too */
}

static void test_unreadable(void)
{
  struct tally tally;
  run_target(&tally, "unmapped", NULL);
  g_assert_cmpuint(tally.records[RECORDER_RAW_STACK][WALK_UNREADABLE], >, 0);
  g_assert_cmpuint(tally.records[RECORDER_RAW_STACK][WALK_NOT_RESIDENT], ==, 0);
}

static void assert_not_resident(const char *mode)
{
  const guint *ends = NULL;
  struct tally tally;
  /* The mappings may not be looked at when somebody else's program has just done so in the same interrupt: as
   * long as others record on this CPU at the same rate, it is tried again. */
  for (int i = 0; i < 20 && (ends == NULL || ends[WALK_NOT_RESIDENT] <= ends[WALK_UNREADABLE]); i++) {
    run_target(&tally, mode, NULL);
    ends = tally.records[RECORDER_RAW_STACK];
  }
  g_assert_cmpuint(ends[WALK_NOT_RESIDENT], >, ends[WALK_UNREADABLE]);
}

static void test_not_resident(void)
{
  assert_not_resident("untouched");
  assert_not_resident("untouched-in-kernel");
}

static void test_32_bit(void)
{
  struct tally tally;
  run_target(&tally, "32-bit", NULL);
  g_assert_cmpuint(tally.records[RECORDER_RAW_STACK][WALK_UNSUPPORTED], >, 0);
  g_assert_cmpuint(tally.records[RECORDER_RAW_STACK][WALK_COMPLETE], ==, 0);
}

/* In a namespace of their own, processes have other numbers than the kernel's. */
static void test_pid_namespace(void)
{
  int status;
  pid_t outer = fork();
  if (outer == 0) {
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0)
      _exit(1);
    pid_t inner = fork();
    if (inner == 0) {
      if (mount("", "/proc", NULL, MS_PRIVATE, NULL) != 0 || mount("proc", "/proc", "proc", 0, NULL) != 0)
        _exit(2);
      test_stacks();
      _exit(0);
    }
    waitpid(inner, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
  }
  waitpid(outer, &status, 0);
  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

static uint32_t program_id(const struct bpf_program *program)
{
  struct bpf_prog_info info = {0};
  uint32_t size = sizeof info;
  g_assert_cmpint(bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size), ==, 0);
  return info.id;
}

static bool is_loaded(uint32_t id)
{
  int fd = bpf_prog_get_fd_by_id(id);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

/* The kernel frees programs a moment after the last descriptor was closed. */
static void await_gone(uint32_t id)
{
  for (guint i = 0; i < 500 && is_loaded(id); i++)
    g_usleep(20000);
  g_assert_false(is_loaded(id));
}

static void test_gone(void)
{
  struct bpf_fixture *fixture = bpf_fixture_new(false, 127);
  bpf_fixture_sample(fixture, getpid());
  bpf_fixture_trace(fixture, getpid(), "sched/sched_switch");
  uint32_t perf_event = program_id(fixture->bpf->programs->progs.recorder_perf_event);
  uint32_t tracepoint = program_id(fixture->bpf->tracepoint->progs.recorder_tracepoint);
  g_assert_true(is_loaded(perf_event) && is_loaded(tracepoint));
  bpf_fixture_free(fixture);
  await_gone(perf_event);
  await_gone(tracepoint);
}

/* However the process ends that has them. */
static void test_killed(void)
{
  int pipes[2];
  uint32_t ids[2];
  g_assert_no_errno(pipe2(pipes, O_CLOEXEC));
  pid_t pid = fork();
  if (pid == 0) {
    struct bpf_fixture *fixture = bpf_fixture_new(false, 127);
    bpf_fixture_sample(fixture, getppid());
    bpf_fixture_trace(fixture, getppid(), "sched/sched_switch");
    ids[0] = program_id(fixture->bpf->programs->progs.recorder_perf_event);
    ids[1] = program_id(fixture->bpf->tracepoint->progs.recorder_tracepoint);
    if (write(pipes[1], ids, sizeof ids) == sizeof ids)
      pause();
    _exit(1);
  }
  g_assert_cmpint(read(pipes[0], ids, sizeof ids), ==, sizeof ids);
  g_assert_true(is_loaded(ids[0]) && is_loaded(ids[1]));
  bpf_fixture_stop(pid);
  await_gone(ids[0]);
  await_gone(ids[1]);
  close(pipes[0]);
  close(pipes[1]);
}

/* Becomes nobody, with CAP_BPF and CAP_PERFMON alone. */
static bool drop_all_but_two(void)
{
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2] = {0};
  data[1].permitted = data[1].effective = CAP_TO_MASK(CAP_BPF) | CAP_TO_MASK(CAP_PERFMON);
  return prctl(PR_SET_KEEPCAPS, 1) == 0 && setresgid(65534, 65534, 65534) == 0 &&
         setresuid(65534, 65534, 65534) == 0 && syscall(SYS_capset, &header, data) == 0;
}

static void test_capabilities(void)
{
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    if (!drop_all_but_two())
      _exit(1);
    test_stacks();
    _exit(0);
  }
  waitpid(pid, &status, 0);
  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

static void expect_refusal(struct recorder_bpf_options options, int code, const char *word)
{
  struct recorder_bpf *bpf = NULL;
  struct recorder_error error = {0};
  g_assert_cmpint(recorder_bpf_open(&bpf, &options, &error), ==, -code);
  g_assert_cmpint(error.code, ==, code);
  g_assert_nonnull(strstr(error.text, word));
  g_assert_null(bpf);
}

static void test_refused(void)
{
  struct recorder_bpf_options options = {.area_size = 4096, .max_stack = 1, .processes = 1};
  options.area_size = 5000;
  expect_refusal(options, EINVAL, "5000");
  options.area_size = 2048;
  expect_refusal(options, EINVAL, "2048");
  options.area_size = 4096;
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)
      _exit(1);
    expect_refusal(options, EPERM, "CAP_BPF");
    _exit(0);
  }
  waitpid(pid, &status, 0);
  g_assert_cmpint(status, ==, 0);
}

/* Reading the kernel's BTF would take longer than all else that is done before a recording begins. */
static void test_needs_no_kernel_btf(void)
{
  size_t size;
  const void *bytes = perf_event_bpf__elf_bytes(&size);
  size_t names;
  Elf_Scn *section = NULL;
  guint found = 0;
  elf_version(EV_CURRENT);
  Elf *elf = elf_memory((char *)bytes, size);
  g_assert_cmpint(elf_getshdrstrndx(elf, &names), ==, 0);
  while ((section = elf_nextscn(elf, section)) != NULL) {
    GElf_Shdr header;
    gelf_getshdr(section, &header);
    if (strcmp(elf_strptr(elf, names, header.sh_name), ".BTF.ext") != 0)
      continue;
    /* struct btf_ext_header: magic, version and flags, then lengths; relocations' is the last */
    const uint32_t *words = elf_rawdata(section, NULL)->d_buf;
    g_assert_cmpuint(words[1], >=, 32);
    g_assert_cmpuint(words[7], ==, 0);
    found++;
  }
  g_assert_cmpuint(found, ==, 1);
  elf_end(elf);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/bpf/stacks", test_stacks);
  g_test_add_func("/recorder/bpf/misses", test_misses);
  g_test_add_func("/recorder/bpf/pieces", test_pieces);
  g_test_add_func("/recorder/bpf/exec", test_exec);
  g_test_add_func("/recorder/bpf/nested", test_nested);
  g_test_add_func("/recorder/bpf/in-kernel", test_in_kernel);
  g_test_add_func("/recorder/bpf/tracepoint", test_tracepoint);
  g_test_add_func("/recorder/bpf/unreadable", test_unreadable);
  g_test_add_func("/recorder/bpf/not-resident", test_not_resident);
  g_test_add_func("/recorder/bpf/32-bit", test_32_bit);
  g_test_add_func("/recorder/bpf/pid-namespace", test_pid_namespace);
  g_test_add_func("/recorder/bpf/gone", test_gone);
  g_test_add_func("/recorder/bpf/killed", test_killed);
  g_test_add_func("/recorder/bpf/capabilities", test_capabilities);
  g_test_add_func("/recorder/bpf/refused", test_refused);
  g_test_add_func("/recorder/bpf/needs-no-kernel-btf", test_needs_no_kernel_btf);
  return g_test_run();
}
