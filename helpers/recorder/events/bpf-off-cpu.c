/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs that record time off the CPU. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "helpers/recorder/events/bpf-private.h"

/* A record as it stands in what the iterator writes: its size, then the raw record. */
#define REST_MAX 65536

static struct bpf_link **link_of(struct off_cpu_bpf *programs, unsigned number,
                                 struct bpf_program **ret_program)
{
  switch (number) {
  case 0:
    *ret_program = programs->progs.recorder_off_cpu_fork;
    return &programs->links.recorder_off_cpu_fork;
  case 1:
    *ret_program = programs->progs.recorder_off_cpu_exec;
    return &programs->links.recorder_off_cpu_exec;
  case 2:
    *ret_program = programs->progs.recorder_off_cpu_waking;
    return &programs->links.recorder_off_cpu_waking;
  case 3:
    *ret_program = programs->progs.recorder_off_cpu_switch;
    return &programs->links.recorder_off_cpu_switch;
  case 4:
    *ret_program = programs->progs.recorder_off_cpu_rest;
    return &programs->links.recorder_off_cpu_rest;
  case 5:
    *ret_program = programs->progs.recorder_off_cpu_found;
    return &programs->links.recorder_off_cpu_found;
  default:
    return NULL;
  }
}

/* Linux 5.18 began to hand over the state with which a thread leaves. */
static bool switch_has_state(const struct btf *btf)
{
  const struct btf_type *type = NULL;
  int id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
  while (id > 0 && (type = btf__type_by_id(btf, (uint32_t)id)) != NULL &&
         (btf_is_typedef(type) || btf_is_ptr(type)))
    id = (int)type->type;
  /* The programs' own data, preempt, previous, next and the state. */
  return id > 0 && type != NULL && btf_is_func_proto(type) && btf_vlen(type) >= 5;
}

#ifdef __x86_64__
/* Where a variable that each CPU has of its own stands among them; -1: there is none. */
static int64_t find_cpu_variable(const struct btf *btf, const char *name, const struct btf_type **ret_type)
{
  int id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
  const struct btf_type *section = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
  const struct btf_var_secinfo *variables = section != NULL ? btf_var_secinfos(section) : NULL;
  for (unsigned i = 0; variables != NULL && i < btf_vlen(section); i++) {
    const struct btf_type *variable = btf__type_by_id(btf, variables[i].type);
    if (strcmp(btf__name_by_offset(btf, variable->name_off), name) != 0)
      continue;
    *ret_type = btf__type_by_id(btf, variable->type);
    return variables[i].offset;
  }
  return -1;
}

static int64_t find_member(const struct btf *btf, const struct btf_type *type, const char *name)
{
  const struct btf_member *members = btf_members(type);
  if (!btf_is_composite(type))
    return -1;
  for (unsigned i = 0; i < btf_vlen(type); i++) {
    const struct btf_type *inner = btf__type_by_id(btf, members[i].type);
    int64_t at = strcmp(btf__name_by_offset(btf, members[i].name_off), name) == 0 ? 0
                 : members[i].name_off == 0 && inner != NULL ? find_member(btf, inner, name)
                                                             : -1;
    if (at >= 0)
      return at + btf_member_bit_offset(type, i) / 8;
  }
  return -1;
}

/* Linux 6.2 to 6.14 keep the count in a structure with others. */
static int64_t find_preempt_count(const struct btf *btf)
{
  const struct btf_type *type;
  int64_t queue = find_cpu_variable(btf, "runqueues", &type),
          count = find_cpu_variable(btf, "__preempt_count", &type);
  if (count < 0 && (count = find_cpu_variable(btf, "pcpu_hot", &type)) >= 0) {
    int64_t at = find_member(btf, type, "preempt_count");
    count = at >= 0 ? count + at : -1;
  }
  return queue >= 0 && count >= 0 ? count - queue : 0;
}
#endif

static void configure_kernel(struct off_cpu_bpf *programs)
{
  struct btf *btf = btf__load_vmlinux_btf();
  if (btf == NULL)
    return;
  programs->rodata->off_switch_has_state = switch_has_state(btf);
#ifdef __x86_64__
  programs->rodata->preempt_count_place = find_preempt_count(btf);
#endif
  btf__free(btf);
}

static uint32_t user_way(const struct recorder_off_cpu_options *options)
{
  switch (options->unwind) {
  case RECORDER_UNWIND_NONE:
    return 0;
  case RECORDER_UNWIND_FRAME_POINTERS:
    return 2;
  default:
    return 1;
  }
}

static int bpf_off_cpu_attach(struct off_cpu_bpf *programs)
{
  struct bpf_program *program;
  struct bpf_link **link;
  for (unsigned i = 0; (link = link_of(programs, i, &program)) != NULL; i++) {
    *link = bpf_program__attach(program);
    if (*link == NULL)
      return -errno;
  }
  return 0;
}

int recorder_bpf_load_off_cpu(struct recorder_bpf *bpf, const struct recorder_off_cpu_options *options)
{
  struct off_cpu_bpf *programs = bpf->off_cpu = off_cpu_bpf__open();
  if (programs == NULL)
    return -errno;
  programs->rodata->config = bpf->config;
  programs->rodata->off_threshold = options->threshold;
  programs->rodata->off_everybody = options->everybody;
  programs->rodata->off_children = options->children;
  programs->rodata->off_kernel = options->kernel;
  programs->rodata->off_user = user_way(options);
  configure_kernel(programs);
  int r = recorder_bpf_share_maps(bpf, programs->obj);
  if (r == 0)
    r = off_cpu_bpf__load(programs);
  return r == 0 ? bpf_off_cpu_attach(programs) : r;
}

int recorder_bpf_off_cpu_add(struct recorder_bpf *bpf, int pidfd, enum recorder_off_cpu_member member)
{
  uint32_t value = member;
  int map = bpf_map__fd(bpf->off_cpu->maps.off_members);
  return bpf_map_update_elem(map, &pidfd, &value, BPF_ANY) == 0 ? 0 : -errno;
}

void recorder_bpf_off_cpu_enable(struct recorder_bpf *bpf, bool enable)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  bpf->off_cpu->bss->off_begin = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
  __atomic_store_n(&bpf->off_cpu->bss->off_enabled, enable, __ATOMIC_RELEASE);
}

uint64_t recorder_bpf_off_cpu_lost(const struct recorder_bpf *bpf)
{
  return __atomic_load_n(&bpf->off_cpu->bss->off_lost, __ATOMIC_RELAXED);
}

/* The whole of it, in parts as the kernel hands them out. */
static ssize_t read_whole(int fd, uint8_t *bytes, size_t room)
{
  size_t n = 0;
  while (n < room) {
    ssize_t r = read(fd, bytes + n, room - n);
    if (r < 0 && errno == EINTR)
      continue;
    if (r <= 0)
      return r < 0 ? -errno : (ssize_t)n;
    n += (size_t)r;
  }
  return (ssize_t)n;
}

/* Its size, 32 bits, then so many bytes. 1, 0 at the end, or -errno. */
static int read_record(int fd, uint8_t *bytes, uint32_t *ret_size)
{
  ssize_t n = read_whole(fd, bytes, sizeof *ret_size);
  if (n <= 0)
    return (int)n;
  memcpy(ret_size, bytes, sizeof *ret_size);
  if (n != sizeof *ret_size || *ret_size > REST_MAX - sizeof *ret_size)
    return -EPROTO;
  n = read_whole(fd, bytes + sizeof *ret_size, *ret_size);
  return n < 0 ? (int)n : (size_t)n == *ret_size ? 1 : -EPROTO;
}

static int bpf_off_cpu_iterate(const struct bpf_link *link, recorder_bpf_rest_fn fn, void *data)
{
  uint8_t *bytes =
      aligned_alloc(8, REST_MAX); /* the size at its beginning: what follows stands as in a ring */
  int fd = bpf_iter_create(bpf_link__fd(link));
  int result = bytes == NULL ? -ENOMEM : fd < 0 ? fd : 1;
  uint32_t size = 0;
  while (result > 0 && (result = read_record(fd, bytes, &size)) > 0)
    fn((const struct recorder_raw *)(const void *)(bytes + sizeof size), size, data);
  if (fd >= 0)
    close(fd);
  free(bytes);
  return result;
}

int recorder_bpf_off_cpu_rest(struct recorder_bpf *bpf, recorder_bpf_rest_fn fn, void *data)
{
  return bpf_off_cpu_iterate(bpf->off_cpu->links.recorder_off_cpu_rest, fn, data);
}

int recorder_bpf_off_cpu_found(struct recorder_bpf *bpf, recorder_bpf_rest_fn fn, void *data)
{
  return bpf_off_cpu_iterate(bpf->off_cpu->links.recorder_off_cpu_found, fn, data);
}
