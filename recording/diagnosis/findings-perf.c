/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/diagnosis/findings.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "recording/diagnosis/probe.h"

#define PARANOID  "/proc/sys/kernel/perf_event_paranoid"
#define LOCKDOWN  "/sys/kernel/security/lockdown"
#define RATE      "/proc/sys/kernel/perf_event_max_sample_rate"
#define MLOCK     "/proc/sys/kernel/perf_event_mlock_kb"
#define GOOD_RATE 10000

/* What is tried, with the rights that the recorder has. */
enum { PROBE_OWN, PROBE_OWN_KERNEL, PROBE_SYSTEM, PROBE_HARDWARE, PROBE_TRACEPOINT };
G_STATIC_ASSERT(PROBE_TRACEPOINT + 1 == RECORDER_PROBES);

/* No errno: there was no recorder to try it. */
#define NOT_TRIED (-1)

static gboolean is_confidential(void)
{
  g_autofree char *text = NULL;

  return g_file_get_contents(LOCKDOWN, &text, NULL, NULL) && strstr(text, "[confidentiality]");
}

static char *findings_perf_explain(int number)
{
  if (number == NOT_TRIED)
    return g_strdup(_("there is no recorder to try it"));
  if (number == ENOSYS)
    return g_strdup(_("the kernel has no perf events"));
  if ((number == EPERM || number == EACCES) && is_confidential())
    return g_strdup(_("the kernel is locked down to confidentiality"));
  if (number == EPERM)
    return g_strdup(_("a security filter, as containers have, forbids perf_event_open"));
  if (number == EACCES)
    return g_strdup_printf(_("kernel.perf_event_paranoid is %" PRId64), recording_read_setting(PARANOID, 0));
  return g_strdup(g_strerror(number));
}

/* Only the setting can be changed by a command; a filter is the container's. */
static char *paranoid_fix(int number, int level)
{
  if (number == EACCES && !is_confidential())
    return g_strdup_printf("sudo sysctl kernel.perf_event_paranoid=%d", level);
  return NULL;
}

static void add_probe(GPtrArray *findings, const char *id, int number, RecordingFindingState otherwise,
                      const char *good, const char *bad, int level)
{
  g_autofree char *reason = NULL;

  if (number == 0) {
    recording_findings_add(findings, id, RECORDING_FINDING_OK, g_strdup(good), NULL);
    return;
  }
  reason = findings_perf_explain(number);
  recording_findings_add(findings, id, otherwise, g_strdup_printf("%s: %s.", bad, reason),
                         paranoid_fix(number, level));
}

static void find_hardware(GPtrArray *findings, int number)
{
  gboolean absent = number == ENOENT || number == EOPNOTSUPP || number == ENODEV || number == EINVAL;

  if (number == 0)
    recording_findings_add(findings, "hardware-events", RECORDING_FINDING_OK,
                           g_strdup(_("The processor counts cycles, the default event.")), NULL);
  else if (absent)
    recording_findings_add(
        findings, "hardware-events", RECORDING_FINDING_LIMITED,
        g_strdup(
            _("The processor offers no hardware events here, as in many virtual machines; the default event "
              "is cpu-clock, a timer.")),
        NULL);
  else
    add_probe(findings, "hardware-events", number, RECORDING_FINDING_LIMITED, "",
              _("Hardware events cannot be used"), 2);
}

static gint64 read_tracepoint(void)
{
  static const char *const paths[] = {"/sys/kernel/tracing/events/sched/sched_switch/id",
                                      "/sys/kernel/debug/tracing/events/sched/sched_switch/id"};
  gint64 id = -1;

  for (gsize i = 0; i < G_N_ELEMENTS(paths) && id < 0; i++)
    id = recording_read_setting(paths[i], -1);
  return id;
}

static gboolean tracefs_is_mounted(void)
{
  g_autofree char *mounts = NULL;

  return g_file_get_contents("/proc/self/mounts", &mounts, NULL, NULL) && strstr(mounts, " tracefs ");
}

static void find_tracepoints(GPtrArray *findings, gint64 id, int number)
{
  if (id >= 0 || is_confidential())
    add_probe(findings, "tracepoints", id >= 0 ? number : EPERM, RECORDING_FINDING_LIMITED,
              _("Tracepoints can be recorded in every process."),
              _("Tracepoints cannot be recorded in every process"), -1);
  else if (tracefs_is_mounted())
    recording_findings_add(findings, "tracepoints", RECORDING_FINDING_LIMITED,
                           g_strdup(_("Tracepoints cannot be found: tracefs may be read by root only.")),
                           g_strdup("sudo mount -o remount,mode=755 /sys/kernel/tracing"));
  else
    recording_findings_add(findings, "tracepoints", RECORDING_FINDING_LIMITED,
                           g_strdup(_("Tracepoints cannot be found: tracefs is not mounted.")),
                           g_strdup("sudo mount -t tracefs tracefs /sys/kernel/tracing"));
}

static void find_rate(GPtrArray *findings)
{
  gint64 rate = recording_read_setting(RATE, 0);

  if (rate >= GOOD_RATE)
    recording_findings_add(
        findings, "sample-rate", RECORDING_FINDING_OK,
        g_strdup_printf(_("Up to %" PRId64 " samples per second and CPU can be taken."), rate), NULL);
  else
    recording_findings_add(
        findings, "sample-rate", RECORDING_FINDING_LIMITED,
        g_strdup_printf(_("Only %" PRId64 " samples per second and CPU can be taken; the kernel lowers this "
                          "when sampling took it too long."),
                        rate),
        g_strdup("sudo sysctl kernel.perf_event_max_sample_rate=100000"));
}

/* The rings of an ordinary user count against this allowance, of all CPUs together with RLIMIT_MEMLOCK on
 * top. */
static void find_memory(GPtrArray *findings)
{
  gint64 allowance = recording_read_setting(MLOCK, 516);
  struct rlimit limit = {0, 0};

  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (geteuid() == 0 || limit.rlim_cur == RLIM_INFINITY)
    recording_findings_add(findings, "ring-memory", RECORDING_FINDING_OK,
                           g_strdup(_("Memory for samples on their way is not limited.")), NULL);
  else
    recording_findings_add(
        findings, "ring-memory", allowance >= 512 ? RECORDING_FINDING_OK : RECORDING_FINDING_LIMITED,
        g_strdup_printf(_("Samples on their way may take %" PRId64 " KiB per CPU and %" PRIu64
                          " KiB in all beyond that; more lets fewer be lost."),
                        allowance, (guint64)(limit.rlim_cur / 1024)),
        allowance >= 512 ? NULL : g_strdup("sudo sysctl kernel.perf_event_mlock_kb=2048"));
}

void recording_find_perf_events(GPtrArray *findings)
{
  const gint64 tracepoint = read_tracepoint();
  const struct recorder_probe_event events[RECORDER_PROBES] = {
      [PROBE_OWN] = {PERF_TYPE_SOFTWARE, 0, PERF_COUNT_SW_CPU_CLOCK},
      [PROBE_OWN_KERNEL] = {PERF_TYPE_SOFTWARE, RECORDER_PROBE_KERNEL, PERF_COUNT_SW_CPU_CLOCK},
      [PROBE_SYSTEM] = {PERF_TYPE_SOFTWARE, RECORDER_PROBE_KERNEL | RECORDER_PROBE_EVERYBODY,
                        PERF_COUNT_SW_CPU_CLOCK},
      [PROBE_HARDWARE] = {PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_CPU_CYCLES},
      [PROBE_TRACEPOINT] = {PERF_TYPE_TRACEPOINT, RECORDER_PROBE_KERNEL | RECORDER_PROBE_EVERYBODY,
                            (guint64)MAX(tracepoint, 0)},
  };
  int errors[RECORDER_PROBES] = {NOT_TRIED, NOT_TRIED, NOT_TRIED, NOT_TRIED, NOT_TRIED};

  recording_probe_events(events, errors, NULL);
  add_probe(findings, "own-processes", errors[PROBE_OWN], RECORDING_FINDING_MISSING,
            _("Your own processes can be recorded directly."),
            _("Your own processes cannot be recorded directly"), 2);
  add_probe(findings, "own-kernel", errors[PROBE_OWN_KERNEL], RECORDING_FINDING_LIMITED,
            _("What the kernel does for your processes can be recorded directly."),
            _("What the kernel does for your processes cannot be recorded directly"), 1);
  add_probe(findings, "system-wide", errors[PROBE_SYSTEM], RECORDING_FINDING_LIMITED,
            _("Every process can be recorded directly."), _("Not every process can be recorded directly"), 0);
  find_hardware(findings, errors[PROBE_HARDWARE]);
  find_tracepoints(findings, tracepoint, errors[PROBE_TRACEPOINT]);
  find_rate(findings);
  find_memory(findings);
}
