/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs once more, for the processes of one runtime: see RUNTIMES in
 * helpers/recorder/bpf/user-stack.h. A child process loads them, for what follows frames of languages takes
 * the verifier long, and rings are to be read meanwhile. */
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/limit.h"
#include "helpers/recorder/common/child.h"
#include "helpers/recorder/events/bpf-private.h"

#include "off-cpu-runtimes.skel.h"
#include "perf-event-runtimes.skel.h"
#include "tracepoint-runtimes.skel.h"

/* A program, and the map of its like for each runtime. */
static const struct like {
  const char *program;
  const char *runtimes;
} likes[] = {
    {"recorder_perf_event", "perf_event_runtimes"},
    {"recorder_tracepoint", "tracepoint_runtimes"},
    {"recorder_off_cpu_switch", "switch_runtimes"},
    {"recorder_off_cpu_waking", "waking_runtimes"},
};

static const char *const runtime_names[UNWIND_RUNTIMES] = {[UNWIND_RUNTIME_PYTHON] = "Python",
                                                           [UNWIND_RUNTIME_V8] = "JavaScript",
                                                           [UNWIND_RUNTIME_HOTSPOT] = "Java",
                                                           [UNWIND_RUNTIME_PHP] = "PHP",
                                                           [UNWIND_RUNTIME_RUBY] = "Ruby"};

static const struct like *find_like(const struct bpf_program *program)
{
  for (size_t i = 0; i < sizeof likes / sizeof likes[0]; i++)
    if (strcmp(likes[i].program, bpf_program__name(program)) == 0)
      return &likes[i];
  return NULL;
}

/* The map is the loaded object's. Its constants are the same, but for the runtime. */
static int runtimes_share_map(struct bpf_map *map, struct bpf_map *loaded, size_t config_at, uint32_t runtime)
{
  if (loaded == NULL)
    return -ENOENT;
  if (strstr(bpf_map__name(map), ".rodata") == NULL)
    return bpf_map__reuse_fd(map, bpf_map__fd(loaded));
  size_t size, loaded_size;
  const uint8_t *known = bpf_map__initial_value(loaded, &loaded_size);
  if (bpf_map__initial_value(map, &size) == NULL || known == NULL || size != loaded_size ||
      size < config_at + sizeof(struct recorder_bpf_config))
    return -EINVAL;
  uint8_t *constants = malloc(size);
  if (constants == NULL)
    return -ENOMEM;
  memcpy(constants, known, size);
  memcpy(constants + config_at + offsetof(struct recorder_bpf_config, runtime), &runtime, sizeof runtime);
  int result = bpf_map__set_initial_value(map, constants, size);
  free(constants);
  return result;
}

/* Lets each of the loaded object's programs go on in its like. */
static int runtimes_enter(struct bpf_object *object, struct bpf_object *loaded, uint32_t runtime)
{
  struct bpf_program *program;
  int result = 0;
  bpf_object__for_each_program(program, object)
  {
    const struct like *like = find_like(program);
    int fd = bpf_program__fd(program);
    if (like != NULL && result == 0)
      result = bpf_map_update_elem(bpf_object__find_map_fd_by_name(loaded, like->runtimes), &runtime, &fd,
                                   BPF_ANY);
  }
  return result;
}

/* config_at: where the configuration stands among the constants. */
static int runtimes_load_object(struct bpf_object *loaded, const void *bytes, size_t size, size_t config_at,
                                uint32_t runtime)
{
  LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = bpf_object__name(loaded));
  struct bpf_object *object = bpf_object__open_mem(bytes, size, &options);
  struct bpf_program *program;
  struct bpf_map *map;
  int result = object != NULL ? 0 : -errno;
  if (result < 0)
    return result;
  bpf_object__for_each_map(map, object)
  {
    if (result == 0)
      result = runtimes_share_map(map, bpf_object__find_map_by_name(loaded, bpf_map__name(map)), config_at,
                                  runtime);
  }
  bpf_object__for_each_program(program, object)
      bpf_program__set_autoload(program, find_like(program) != NULL);
  if (result == 0)
    result = bpf_object__load(object);
  if (result == 0)
    result = runtimes_enter(object, loaded, runtime);
  bpf_object__close(object); /* the maps keep the programs */
  return result;
}

static int runtimes_load(struct recorder_bpf *bpf, uint32_t runtime)
{
  size_t size;
  const void *bytes = perf_event_runtimes_bpf__elf_bytes(&size);
  int result = runtimes_load_object(bpf->programs->obj, bytes, size,
                                    offsetof(struct perf_event_runtimes_bpf__rodata, config), runtime);
  if (result == 0 && bpf->tracepoint != NULL) {
    bytes = tracepoint_runtimes_bpf__elf_bytes(&size);
    result = runtimes_load_object(bpf->tracepoint->obj, bytes, size,
                                  offsetof(struct tracepoint_runtimes_bpf__rodata, config), runtime);
  }
  if (result == 0 && bpf->off_cpu != NULL) {
    bytes = off_cpu_runtimes_bpf__elf_bytes(&size);
    result = runtimes_load_object(bpf->off_cpu->obj, bytes, size,
                                  offsetof(struct off_cpu_runtimes_bpf__rodata, config), runtime);
  }
  return result;
}

void recorder_bpf_want_runtime(struct recorder_bpf *bpf, uint32_t runtime)
{
  if (runtime != UNWIND_RUNTIME_NONE && runtime < UNWIND_RUNTIMES)
    bpf->runtimes_wanted |= 1u << runtime;
}

/* Whether none is being loaded. */
static bool has_loaded(struct recorder_bpf *bpf)
{
  int status = 0;
  if (bpf->loader == 0)
    return true;
  if (waitpid(bpf->loader, &status, WNOHANG) == 0)
    return false;
  if (status != 0)
    bpf->runtimes_refused |= bpf->runtimes_loading;
  bpf->loader = 0;
  return true;
}

void recorder_bpf_serve(struct recorder_bpf *bpf)
{
  uint32_t left = bpf->runtimes_wanted & ~bpf->runtimes_begun;
  if (!has_loaded(bpf) || left == 0 || recorder_child_is_held())
    return;
  uint32_t runtime = (uint32_t)__builtin_ctz(left);
  bpf->runtimes_begun |= 1u << runtime;
  bpf->runtimes_loading = 1u << runtime;
  pid_t self = getpid();
  bpf->loader = fork();
  if (bpf->loader == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit_priority();
    if (getppid() != self)
      _exit(EXIT_FAILURE);
    _exit(runtimes_load(bpf, runtime) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  if (bpf->loader < 0) {
    bpf->loader = 0;
    bpf->runtimes_refused |= bpf->runtimes_loading;
  }
}

void recorder_bpf_end_loader(struct recorder_bpf *bpf)
{
  if (bpf->loader == 0)
    return;
  kill(bpf->loader, SIGKILL);
  waitpid(bpf->loader, NULL, 0);
  bpf->loader = 0;
}

const char *recorder_bpf_refused_runtime(const struct recorder_bpf *bpf)
{
  return bpf->runtimes_refused != 0 ? runtime_names[__builtin_ctz(bpf->runtimes_refused)] : NULL;
}
