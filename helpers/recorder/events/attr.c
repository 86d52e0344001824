/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/events/attr.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "helpers/recorder/common/machine.h"
#include "helpers/recorder/common/rights.h"
#include "helpers/text-file.h"
#include "unwind/walk/unwind-walk.h"

#define MAX_STACK_DEFAULT 127

static struct perf_event_attr dummy_attr(void)
{
  return (struct perf_event_attr){
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof(struct perf_event_attr),
      .config = PERF_COUNT_SW_DUMMY,
      .disabled = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
  };
}

static bool is_taken(struct perf_event_attr *attr)
{
  int fd = recorder_rights_open_event(attr, 0, -1);
  if (fd < 0)
    return false;
  close(fd);
  return true;
}

void recorder_attr_probe(struct recorder_support *ret)
{
  struct perf_event_attr attr = dummy_attr();
  attr.read_format = PERF_FORMAT_LOST;
  ret->lost_format = is_taken(&attr);
  attr = dummy_attr();
  attr.inherit = 1;
  attr.inherit_thread = 1;
  ret->inherit_thread = is_taken(&attr);
  attr = dummy_attr();
  attr.mmap = 1;
  attr.mmap2 = 1;
  attr.build_id = 1;
  ret->build_id = is_taken(&attr);
  attr = dummy_attr();
  attr.ksymbol = 1;
  ret->ksymbol = is_taken(&attr);
}

static void add_side_band(struct perf_event_attr *attr, const struct recorder_source *source)
{
  attr->mmap = 1;
  attr->mmap2 = 1;
  attr->build_id = source->support.build_id;
  attr->comm = 1;
  attr->comm_exec = 1;
  attr->task = 1;
  attr->ksymbol = source->support.ksymbol && (source->flags & (RECORDER_EXCLUDE_KERNEL | RECORDER_OWN)) == 0;
}

bool recorder_attr_has_kernel_stacks(const struct recorder_source *source)
{
  return (source->flags & RECORDER_KERNEL_STACKS) != 0 &&
         (source->flags & (RECORDER_EXCLUDE_KERNEL | RECORDER_OWN)) == 0;
}

static bool has_user_chain(const struct recorder_source *source)
{
  return source->unwind == RECORDER_UNWIND_FRAME_POINTERS;
}

bool recorder_attr_has_callchain(const struct recorder_source *source)
{
  return recorder_attr_has_kernel_stacks(source) || has_user_chain(source);
}

bool recorder_attr_has_stack(const struct recorder_source *source)
{
  return source->unwind == RECORDER_UNWIND_TABLES;
}

static void add_stacks(struct perf_event_attr *attr, const struct recorder_source *source)
{
  if (recorder_attr_has_callchain(source)) {
    attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
    attr->exclude_callchain_kernel = !recorder_attr_has_kernel_stacks(source);
    attr->exclude_callchain_user = !has_user_chain(source);
    attr->sample_max_stack = (uint16_t)source->max_stack;
  }
  if (recorder_attr_has_stack(source)) {
    attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr->sample_regs_user = unwind_registers_perf_mask(RECORDER_MACHINE);
    attr->sample_stack_user = source->stack_bytes;
  }
}

void recorder_attr_init(struct perf_event_attr *attr, const struct recorder_source *source, uint32_t event,
                        uint64_t ring_size)
{
  const struct recorder_event_type *type = &source->events[event];
  bool targets = (source->flags & RECORDER_SYSTEM_WIDE) == 0;
  *attr = (struct perf_event_attr){
      .type = type->type,
      .size = sizeof *attr,
      .config = type->config,
      .config1 = type->config1,
      .config2 = type->config2,
      .sample_type = RECORDER_SAMPLE_TYPE,
      .read_format = source->support.lost_format ? PERF_FORMAT_LOST : 0,
      .disabled = !source->enabled,
      .inherit = targets,
      .exclude_user = type->exclude_user,
      .exclude_kernel = type->exclude_kernel || (source->flags & RECORDER_EXCLUDE_KERNEL) != 0,
      .exclude_hv = type->exclude_hypervisor || (source->flags & RECORDER_EXCLUDE_KERNEL) != 0,
      .freq = type->frequency != 0,
      .precise_ip = type->precise,
      .sample_id_all = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
      .watermark = 1,
      .wakeup_watermark = (uint32_t)(ring_size / 4),
  };
  attr->sample_period = type->frequency != 0 ? type->frequency : type->period;
  if (type->frequency != 0)
    attr->sample_type |= PERF_SAMPLE_PERIOD;
  if (targets && (source->flags & RECORDER_CHILDREN) == 0)
    attr->inherit_thread = source->support.inherit_thread;
  attr->enable_on_exec = !source->enabled && (source->flags & RECORDER_ENABLE_ON_EXEC) != 0;
  add_stacks(attr, source);
  if (event == 0)
    add_side_band(attr, source);
  if (type->off_cpu)
    attr->config = PERF_COUNT_SW_DUMMY;
}

void recorder_attr_init_raw(struct perf_event_attr *attr, const struct recorder_source *source)
{
  *attr = (struct perf_event_attr){
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof *attr,
      .config = PERF_COUNT_SW_BPF_OUTPUT,
      .sample_period = 1,
      .sample_type = RECORDER_SAMPLE_TYPE | PERF_SAMPLE_RAW,
      .read_format = source->support.lost_format ? PERF_FORMAT_LOST : 0,
      .sample_id_all = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
  };
}

/* With CAP_PERFMON it is not the user, and perf_event_paranoid only where the kernel wants CAP_SYS_ADMIN too.
 */
static int explain_denied_service(const struct recorder_source *source, uint32_t event, int32_t pid, int code,
                                  struct recorder_error *error)
{
  const char *cause =
      "a security module, kernel lockdown or the service's sandbox forbids it; the kernel's log (“dmesg”) "
      "and “systemctl cat captured” tell";
  if (source->n_rings == 0 && recorder_rights_paranoid() > 2 && !recorder_rights_has(CAP_SYS_ADMIN))
    return recorder_error_set(error, code,
                              "The kernel permits the service no recording: it takes CAP_SYS_ADMIN while "
                              "perf_event_paranoid is %d, which the service has only if it was %d when it "
                              "began; run “systemctl restart captured”, or “sysctl "
                              "kernel.perf_event_paranoid=2”, as root.",
                              recorder_rights_paranoid(), recorder_rights_paranoid());
  if (source->n_rings == 0)
    return recorder_error_set(error, code, "The kernel permits the service no recording: %s.", cause);
  if (pid > 0)
    return recorder_error_set(error, code, "The service may not record process %d: %s.", pid, cause);
  return recorder_error_set(error, code, "The service may not record the event “%s”: %s.",
                            source->events[event].name, cause);
}

static int explain_denied(const struct recorder_source *source, uint32_t event, int32_t pid, int code,
                          struct recorder_error *error)
{
  int paranoid = recorder_rights_paranoid();
  bool system_wide = (source->flags & RECORDER_SYSTEM_WIDE) != 0;
  if (recorder_rights_are_lent())
    return explain_denied_service(source, event, pid, code, error);
  /* Up to 2 everybody may record what their own processes do in user space, and above it whoever has
   * CAP_SYS_ADMIN. No more is asked for a ring. */
  if (source->n_rings == 0 && (paranoid <= 2 || recorder_rights_has(CAP_SYS_ADMIN)))
    return recorder_error_set(error, code,
                              "The kernel permits no recording to this user, although perf_event_paranoid is "
                              "%d: a security filter, "
                              "as containers have, or a security module forbids it.",
                              paranoid);
  if (source->n_rings == 0 && geteuid() == 0)
    return recorder_error_set(
        error, code,
        "The kernel permits no recording without CAP_SYS_ADMIN (perf_event_paranoid is %d), "
        "which root lacks here, as in containers: give it to the container, or run “sysctl "
        "kernel.perf_event_paranoid=2” outside of it.",
        paranoid);
  if (source->n_rings == 0)
    return recorder_error_set(
        error, code,
        "The kernel permits no recording to this user (perf_event_paranoid is %d): record as root, "
        "or run “sysctl kernel.perf_event_paranoid=%d” as root.",
        paranoid, system_wide ? 0 : 1);
  if (source->events[event].type == PERF_TYPE_TRACEPOINT)
    return recorder_error_set(error, code,
                              "The tracepoint “%s” may not be recorded by this user: record as root.",
                              source->events[event].name);
  if (system_wide)
    return recorder_error_set(
        error, code,
        "The whole system may not be recorded by this user (perf_event_paranoid is %d): record as "
        "root, or run “sysctl kernel.perf_event_paranoid=0” as root.",
        paranoid);
  return recorder_error_set(
      error, code, "Process %d may not be recorded by this user: record as root, or as its owner.", pid);
}

int recorder_attr_explain(const struct recorder_source *source, uint32_t event, int32_t pid, int result,
                          struct recorder_error *error)
{
  const char *name = source->events[event].name;
  struct rlimit limit = {0};
  switch (-result) {
  case EACCES:
  case EPERM:
    return explain_denied(source, event, pid, -result, error);
  case ESRCH:
    return recorder_error_set(error, ESRCH, "Process %d does not exist: see “ps -e” for those that do.", pid);
  case EMFILE:
  case ENFILE:
    getrlimit(RLIMIT_NOFILE, &limit);
    return recorder_error_set(
        error, -result,
        "There are more threads, CPUs and events than the limit of %llu open files allows: raise it "
        "with “ulimit -n”, or record the whole system.",
        (unsigned long long)limit.rlim_cur);
  case ENOENT:
  case ENODEV:
  case EOPNOTSUPP:
    if (source->events[event].type != PERF_TYPE_SOFTWARE &&
        source->events[event].type != PERF_TYPE_TRACEPOINT)
      return recorder_error_set(error, -result,
                                "The processor offers no event “%s” here, as in many virtual machines: "
                                "record another one, as “cpu-clock”.",
                                name);
    return recorder_error_set(
        error, -result, "This machine cannot sample the event “%s”: record another one, as “cpu-clock”.",
        name);
  case EINVAL:
    return recorder_error_set(error, EINVAL, "The kernel does not take the event “%s” with these settings.",
                              name);
  default:
    return recorder_error_set(error, -result, "The event “%s” cannot be opened: %s.", name,
                              strerror(-result));
  }
}

void recorder_attr_limit_stack(struct recorder_source *source, char *notes)
{
  uint32_t maximum = (uint32_t)text_file_number("/proc/sys/kernel/perf_event_max_stack", MAX_STACK_DEFAULT);
  uint32_t wanted = source->max_stack != 0 ? source->max_stack : MAX_STACK_DEFAULT;
  if (source->max_stack > maximum && source->unwind == RECORDER_UNWIND_FRAME_POINTERS)
    recorder_notes_add(notes,
                       "Stacks are cut at %u frames, the kernel's maximum: run “sysctl "
                       "kernel.perf_event_max_stack=%u” as root for more.",
                       maximum, source->max_stack);
  source->max_stack = wanted < maximum ? wanted : maximum;
}
