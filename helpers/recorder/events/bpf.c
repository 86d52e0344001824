/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/events/bpf-private.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "helpers/kernel.h"
#include "helpers/recorder/common/rights.h"

/* The inode of the first namespace of processes, in which the programs number them (PROC_PID_INIT_INO). */
#define PID_NAMESPACE_FIRST 0xeffffffcu
#define AREA_SIZE_MAX       (1u << 29)

static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
  return 0;
}

static int bpf_explain(int result, bool off_cpu, struct recorder_error *error)
{
  const char *what =
      off_cpu ? "Time off the CPU cannot be recorded" : "Stacks cannot be walked in the kernel";
  struct utsname kernel = {0};

  uname(&kernel);
  switch (kernel_get_obstacle()) { /* the error itself does not say so */
  case KERNEL_TOO_OLD:
    return recorder_error_set(error, -result, "%s: this kernel is Linux %s, and it takes 6.1 or newer.", what,
                              kernel.release);
  case KERNEL_CONFIDENTIAL:
    return recorder_error_set(
        error, -result,
        "%s: the kernel is locked down to confidentiality, which forbids BPF programs to "
        "read memory; “lockdown=integrity” or none at the next boot permits it.",
        what);
  default:
    break;
  }
  switch (-result) {
  case EPERM:
  case EACCES:
    if (recorder_rights_has(CAP_BPF) && recorder_rights_has(CAP_PERFMON))
      return recorder_error_set(error, -result, "%s: a security module or a sandbox forbids BPF programs.",
                                what);
    return recorder_error_set(
        error, -result,
        "%s may not be %s: run this with the capabilities CAP_BPF and CAP_PERFMON, or as root.",
        off_cpu ? "Time off the CPU" : "Stacks",
        off_cpu ? "recorded by this user" : "walked in the kernel by this user");
  case ENOMEM:
    return recorder_error_set(error, ENOMEM, "There is not enough memory to walk stacks in the kernel.");
  default:
    return recorder_error_set(
        error, -result,
        "%s: this kernel does not take the programs for it (%s); they need one that is built with "
        "CONFIG_BPF_SYSCALL, CONFIG_BPF_EVENTS and CONFIG_DEBUG_INFO_BTF.",
        what, strerror(-result));
  }
}

/* What of an aarch64 address is the address: as many bits as the stack's own, which lies highest. */
static uint64_t find_address_mask(void)
{
#ifdef __aarch64__
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  return ~0ull >> __builtin_clzll(here);
#else
  return ~0ull;
#endif
}

static struct recorder_bpf_config make_config(const struct recorder_bpf_options *options)
{
  struct stat pids;
  struct recorder_bpf_config config = {
      .area_size = options->area_size,
      .address_mask = find_address_mask(),
      .max_frames = options->max_stack < WALK_FRAMES_MAX ? options->max_stack : WALK_FRAMES_MAX,
      .miss_stack = options->miss_stack,
      .only_own_events = options->only_own_events,
      .interpreter = options->interpreter,
      .recorder = (uint32_t)getpid(),
  };
  if (stat("/proc/self/ns/pid", &pids) == 0 && pids.st_ino != PID_NAMESPACE_FIRST) {
    config.pid_namespace_device = pids.st_dev;
    config.pid_namespace_inode = pids.st_ino;
  }
  return config;
}

static int bpf_load(struct recorder_bpf *bpf, const struct recorder_bpf_options *options)
{
  bpf->programs = perf_event_bpf__open();
  if (bpf->programs == NULL)
    return -errno;
  bpf->programs->rodata->config = bpf->config;
  bpf_map__set_value_size(bpf->programs->maps.area, options->area_size);
  bpf_map__set_max_entries(bpf->programs->maps.processes, options->processes);
  int r = perf_event_bpf__load(bpf->programs);
  if (r == 0 && options->off_cpu != NULL)
    r = recorder_bpf_load_off_cpu(bpf, options->off_cpu);
  if (r != 0)
    return r;
  bpf->exec_fd =
      bpf_raw_tracepoint_open("sched_process_exec", bpf_program__fd(bpf->programs->progs.recorder_exec));
  if (bpf->exec_fd < 0)
    return -errno;
  bpf->area_size = options->area_size;
  bpf->area = mmap(NULL, bpf->area_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                   bpf_map__fd(bpf->programs->maps.area), 0);
  /* What the recorder forks has no business there. */
  return bpf->area != MAP_FAILED && madvise(bpf->area, bpf->area_size, MADV_DONTFORK) == 0 ? 0 : -errno;
}

int recorder_bpf_open(struct recorder_bpf **ret, const struct recorder_bpf_options *options,
                      struct recorder_error *error)
{
  uint32_t size = options->area_size;
  if (size < 4096 || size > AREA_SIZE_MAX || (size & (size - 1)) != 0 || options->processes == 0 ||
      options->max_stack == 0)
    return recorder_error_set(error, EINVAL, "The area's size is %u: it is no power of two from 4096 to %u.",
                              size, AREA_SIZE_MAX);
  struct recorder_bpf *bpf = calloc(1, sizeof *bpf);
  if (bpf == NULL)
    return recorder_error_set(error, ENOMEM, "There is not enough memory.");
  bpf->area = MAP_FAILED;
  bpf->exec_fd = -1;
  bpf->config = make_config(options);
  libbpf_set_print(say_nothing);
  int r = bpf_load(bpf, options);
  if (r != 0) {
    recorder_bpf_close(bpf);
    return bpf_explain(r, options->off_cpu != NULL, error);
  }
  *ret = bpf;
  return 0;
}

void recorder_bpf_close(struct recorder_bpf *bpf)
{
  if (bpf == NULL)
    return;
  recorder_bpf_end_loader(bpf);
  if (bpf->area != MAP_FAILED)
    munmap(bpf->area, bpf->area_size);
  if (bpf->exec_fd >= 0)
    close(bpf->exec_fd);
  for (uint32_t i = 0; i < bpf->n_tracepoints; i++)
    close(bpf->tracepoint_fds[i]);
  free(bpf->tracepoint_fds);
  free(bpf->tracepoints);
  tracepoint_bpf__destroy(bpf->tracepoint);
  off_cpu_bpf__destroy(bpf->off_cpu);
  perf_event_bpf__destroy(bpf->programs);
  free(bpf);
}

void *recorder_bpf_area(struct recorder_bpf *bpf, size_t *ret_size)
{
  *ret_size = bpf->area_size;
  return bpf->area;
}

static bool has_executed(const struct recorder_bpf *bpf, int32_t pid, uint64_t since)
{
  uint64_t last = 0;
  return bpf_map_lookup_elem(bpf_map__fd(bpf->programs->maps.execs), &pid, &last) == 0 && last > since;
}

int recorder_bpf_set_process(struct recorder_bpf *bpf, int32_t pid, const struct walk_process *process,
                             uint64_t since)
{
  if (has_executed(bpf, pid, since))
    return -ESTALE;
  int r = bpf_map_update_elem(bpf_map__fd(bpf->programs->maps.processes), &pid, process, BPF_ANY);
  /* The program that forgets those who execute may have been there just before. */
  if (r != 0 || !has_executed(bpf, pid, since))
    return r;
  recorder_bpf_remove_process(bpf, pid);
  return -ESTALE;
}

int recorder_bpf_remove_process(struct recorder_bpf *bpf, int32_t pid)
{
  return bpf_map_delete_elem(bpf_map__fd(bpf->programs->maps.processes), &pid);
}

int recorder_bpf_set_output(struct recorder_bpf *bpf, uint32_t cpu, int fd)
{
  return bpf_map_update_elem(bpf_map__fd(bpf->programs->maps.outputs), &cpu, &fd, BPF_ANY);
}

int recorder_bpf_share_maps(struct recorder_bpf *bpf, struct bpf_object *object)
{
  struct bpf_map *map;
  bpf_object__for_each_map(map, bpf->programs->obj)
  {
    struct bpf_map *other = bpf_object__find_map_by_name(object, bpf_map__name(map));
    if (bpf_map__is_internal(map) || other == NULL)
      continue;
    int r = bpf_map__reuse_fd(other, bpf_map__fd(map));
    if (r != 0)
      return r;
  }
  return 0;
}

static int load_tracepoint(struct recorder_bpf *bpf)
{
  struct tracepoint_bpf *tracepoint = tracepoint_bpf__open();
  if (tracepoint == NULL)
    return -errno;
  tracepoint->rodata->config = bpf->config;
  int r = recorder_bpf_share_maps(bpf, tracepoint->obj);
  if (r == 0)
    r = tracepoint_bpf__load(tracepoint);
  if (r != 0) {
    tracepoint_bpf__destroy(tracepoint);
    return r;
  }
  bpf->tracepoint = tracepoint;
  return 0;
}

/* An event of that tracepoint that never counts, with the program; a descriptor or -errno. */
static int open_tracepoint(struct recorder_bpf *bpf, uint64_t id)
{
  struct perf_event_attr attr = {
      .type = PERF_TYPE_TRACEPOINT,
      .size = sizeof attr,
      .config = id,
      .disabled = 1,
  };
  int fd = recorder_rights_open_event(&attr, 0, -1);
  if (fd < 0)
    return fd;
  if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(bpf->tracepoint->progs.recorder_tracepoint)) == 0)
    return fd;
  int r = -errno;
  close(fd);
  return r;
}

/* The kernel runs such a program for each task on each CPU, whichever event it was attached by, and takes it
 * once. */
static int attach_tracepoint(struct recorder_bpf *bpf, uint64_t id)
{
  uint32_t n = bpf->n_tracepoints;
  for (uint32_t i = 0; i < n; i++)
    if (bpf->tracepoints[i] == id)
      return 0;
  uint64_t *ids = reallocarray(bpf->tracepoints, n + 1, sizeof *ids);
  if (ids == NULL)
    return -ENOMEM;
  bpf->tracepoints = ids;
  int *fds = reallocarray(bpf->tracepoint_fds, n + 1, sizeof *fds);
  if (fds == NULL)
    return -ENOMEM;
  bpf->tracepoint_fds = fds;
  int r = bpf->tracepoint != NULL ? 0 : load_tracepoint(bpf);
  if (r != 0)
    return r;
  r = open_tracepoint(bpf, id);
  if (r < 0)
    return r;
  ids[n] = id;
  fds[n] = r;
  bpf->n_tracepoints = n + 1;
  return 0;
}

int recorder_bpf_attach(struct recorder_bpf *bpf, int event_fd, uint64_t tracepoint)
{
  if (tracepoint != 0)
    return attach_tracepoint(bpf, tracepoint);
  int program = bpf_program__fd(bpf->programs->progs.recorder_perf_event);
  return ioctl(event_fd, PERF_EVENT_IOC_SET_BPF, program) == 0 ? 0 : -errno;
}
