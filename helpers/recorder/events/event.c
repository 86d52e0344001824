/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/events/event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/recorder/common/rights.h"
#include "helpers/text-file.h"
#include "libcapture/format/capture-format.h"

#define MAX_RATE          "/proc/sys/kernel/perf_event_max_sample_rate"
#define DEFAULT_FREQUENCY 4000
/* The kernel begins with it, and lowers it where sampling took it too long: what that forbids is no mistake.
 */
#define USUAL_MAXIMUM 100000

/* Only trying tells: virtual machines often have no hardware counters. */
static bool has_cycles(void)
{
  struct perf_event_attr attr = {
      .type = PERF_TYPE_HARDWARE,
      .size = sizeof attr,
      .config = PERF_COUNT_HW_CPU_CYCLES,
      .disabled = 1,
      .exclude_kernel = 1,
      .exclude_hv = 1,
  };
  int fd = recorder_rights_open_event(&attr, 0, -1);
  if (fd < 0)
    return false;
  close(fd);
  return true;
}

static bool apply_modifiers(struct recorder_event_type *event, const char *modifiers)
{
  bool user = false, kernel = false, hypervisor = false;
  for (; *modifiers != '\0'; modifiers++) {
    if (*modifiers == 'u')
      user = true;
    else if (*modifiers == 'k')
      kernel = true;
    else if (*modifiers == 'h')
      hypervisor = true;
    else if (*modifiers == 'p' && event->precise < 3)
      event->precise++;
    else
      return false;
  }
  if (user || kernel || hypervisor) {
    event->exclude_user = !user;
    event->exclude_kernel = !kernel;
    event->exclude_hypervisor = !hypervisor;
  }
  return true;
}

/* Cuts off modifiers: those behind the last colon or slash, when there are only letters that can be some. */
static void split_modifiers(char *name, const char **ret_modifiers)
{
  char *end = strrchr(name, '/');
  char *last = end != NULL ? end : strrchr(name, ':');
  *ret_modifiers = "";
  if (last == NULL || last[1] == '\0' || strspn(last + 1, "ukhp") != strlen(last + 1))
    return;
  static char modifiers[RECORDER_EVENT_NAME_MAX];
  snprintf(modifiers, sizeof modifiers, "%s", last + 1);
  last[*last == '/' ? 1 : 0] = '\0';
  *ret_modifiers = modifiers;
}

/* "cpu-clock:zz" is no tracepoint. */
static int refuse_modifiers(const char *name, struct recorder_error *error)
{
  struct recorder_event_type type;
  char event[RECORDER_EVENT_NAME_MAX];
  const char *colon = strrchr(name, ':');
  if (colon == NULL)
    return -ENOENT;
  snprintf(event, sizeof event, "%.*s", (int)(colon - name), name);
  if (recorder_event_generic(&type, event) < 0)
    return -ENOENT;
  return recorder_error_set(
      error, EINVAL, "The event “%s” has no modifier “%s”: write letters of u, k, h and p behind the colon.",
      event, colon + 1);
}

/* It comes the way that BPF programs' records do. */
static int off_cpu_event(struct recorder_event_type *ret, const char *name)
{
  if (strcmp(name, RECORDER_EVENT_OFF_CPU) != 0)
    return -ENOENT;
  ret->type = PERF_TYPE_SOFTWARE;
  ret->config = PERF_COUNT_SW_BPF_OUTPUT;
  ret->unit = CAPTURE_UNIT_NANOSECONDS;
  ret->off_cpu = true;
  return 0;
}

static int event_find(struct recorder_event_type *ret, const char *name, struct recorder_error *error)
{
  int result = off_cpu_event(ret, name);
  if (result == -ENOENT)
    result = recorder_event_generic(ret, name);
  if (result == -ENOENT)
    result = recorder_event_pmu(ret, name, error);
  if (result == -ENOENT && error->code == 0)
    result = refuse_modifiers(name, error);
  if (result == -ENOENT && error->code == 0)
    result = recorder_event_tracepoint(ret, name, error);
  if (result < 0 && error->code == 0)
    recorder_error_set(error, ENOENT,
                       "There is no event “%s”: “perf list” shows what this kernel knows, "
                       "“cpu-clock” exists everywhere.",
                       name);
  return result;
}

/* Neither raw numbers, which mean what the processor makes of them, nor what other programs write. */
static int find_own(struct recorder_event_type *ret, const char *name, struct recorder_error *error)
{
  int result = recorder_event_generic(ret, name);
  bool output = ret->type == PERF_TYPE_SOFTWARE && ret->config == PERF_COUNT_SW_BPF_OUTPUT;
  if (result == 0 && ret->type != PERF_TYPE_RAW && !output)
    return 0;
  result = result == -ENOENT ? refuse_modifiers(name, error) : 0;
  return error->code != 0
             ? result
             : recorder_error_set(
                   error, EPERM,
                   "The event “%s” may not be recorded of one's own processes: take a hardware or "
                   "software event, as “cycles” or “page-faults”, or record with an "
                   "administrator's authorisation.",
                   name);
}

static int set_rate(struct recorder_event_type *ret, const struct recorder_event *event,
                    struct recorder_error *error)
{
  int64_t maximum = text_file_number(MAX_RATE, INT64_MAX);
  ret->frequency = ret->off_cpu ? 0 : event->frequency;
  ret->period = event->period;
  if (ret->off_cpu)
    return 0;
  if (event->frequency == 0 && event->period == 0) {
    if (ret->type == PERF_TYPE_TRACEPOINT)
      ret->period = 1;
    else
      ret->frequency = maximum < DEFAULT_FREQUENCY ? (uint64_t)maximum : DEFAULT_FREQUENCY;
  }
  if (ret->frequency > (uint64_t)maximum && ret->frequency > USUAL_MAXIMUM)
    return recorder_error_set(
        error, EINVAL,
        "%llu samples per second are more than the kernel's maximum of %lld: take less, or run "
        "“sysctl kernel.perf_event_max_sample_rate=%llu” as root.",
        (unsigned long long)ret->frequency, (long long)maximum, (unsigned long long)ret->frequency);
  if (ret->frequency > (uint64_t)maximum)
    ret->frequency = (uint64_t)maximum;
  if (ret->frequency == 0 && ret->period > INT64_MAX)
    return recorder_error_set(error, EINVAL, "A period of %llu is too long: take at most %lld.",
                              (unsigned long long)ret->period, (long long)INT64_MAX);
  return 0;
}

int recorder_event_resolve(struct recorder_event_type *ret, const struct recorder_event *event, bool own,
                           struct recorder_error *error)
{
  struct recorder_event_type type = {0};
  char name[RECORDER_EVENT_NAME_MAX];
  const char *modifiers;
  if (event->name[0] == '\0' || event->name[0] == ':')
    snprintf(name, sizeof name, "%s%.16s", has_cycles() ? "cycles" : "cpu-clock", event->name);
  else
    snprintf(name, sizeof name, "%s", event->name);
  snprintf(type.name, sizeof type.name, "%s", name);
  split_modifiers(name, &modifiers);
  error->code = 0;
  int result = own ? find_own(&type, name, error) : event_find(&type, name, error);
  if (result < 0)
    return result;
  if (type.off_cpu && *modifiers != '\0')
    return recorder_error_set(error, EINVAL, "The event “" RECORDER_EVENT_OFF_CPU "” takes no modifiers.");
  if (!apply_modifiers(&type, modifiers))
    return recorder_error_set(error, EINVAL, "The event “%s” has a modifier that is none of u, k, h and p.",
                              type.name);
  result = set_rate(&type, event, error);
  if (result == 0)
    *ret = type;
  return result;
}

bool recorder_event_leave_kernel_out(struct recorder_event_type *type)
{
  bool hardware = type->type == PERF_TYPE_HARDWARE || type->type == PERF_TYPE_HW_CACHE;
  if (!hardware || type->unit == CAPTURE_UNIT_CYCLES || (type->exclude_kernel && type->exclude_hypervisor))
    return false;
  type->exclude_kernel = type->exclude_hypervisor = true;
  return true;
}

/* The kernel lowers its maximum where sampling took it too long, and may have just done so. */
static void note_rate(char *notes, uint64_t asked, uint64_t taken)
{
  if (taken != 0 && taken < asked)
    recorder_notes_add(notes,
                       "%llu samples per second are taken, the kernel's maximum at present, not %llu: run "
                       "“sysctl kernel.perf_event_max_sample_rate=100000” as root for more.",
                       (unsigned long long)taken, (unsigned long long)asked);
}

/* Who records his own with the service's rights counts no more of the kernel than with his own. */
static void leave_kernel_out(struct recorder_event_type *type, char *notes)
{
  int paranoid = recorder_rights_paranoid();
  if (paranoid > 1 && recorder_event_leave_kernel_out(type))
    recorder_notes_add(notes,
                       "“%s” is counted in user space only: perf_event_paranoid is %d; record with an "
                       "administrator's authorisation to have it in the kernel, too.",
                       type->name, paranoid);
}

int recorder_events_resolve(struct recorder_event_type *ret, const struct recorder_configure *configure,
                            char *notes, struct recorder_error *error)
{
  bool own = (configure->flags & RECORDER_OWN) != 0;
  for (uint32_t i = 0; i < configure->n_events; i++) {
    int result = recorder_event_resolve(&ret[i], &configure->events[i], own, error);
    if (result < 0)
      return result;
    if (own)
      leave_kernel_out(&ret[i], notes);
    note_rate(notes, configure->events[i].frequency, ret[i].frequency);
  }
  return 0;
}
