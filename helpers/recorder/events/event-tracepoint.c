/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "subsystem:name" by the identifier that tracefs gives. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helpers/kernel.h"
#include "helpers/recorder/common/rights.h"
#include "helpers/recorder/events/event.h"
#include "helpers/text-file.h"
#include "libcapture/format/capture-format.h"

static const char *const roots[] = {"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"};

/* Keeps the name inside of tracefs. */
static bool is_plain(const char *text, size_t length)
{
  return length != 0 && length < 64 && text[0] != '.' && memchr(text, '/', length) == NULL;
}

static int events_missing(const char *name, int reason, struct recorder_error *error)
{
  if (kernel_get_obstacle() == KERNEL_CONFIDENTIAL)
    return recorder_error_set(
        error, EPERM,
        "The tracepoint “%s” cannot be looked up: the kernel is locked down to "
        "confidentiality, which takes tracefs away; “lockdown=integrity” or none at the "
        "next boot permits it.",
        name);
  for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
    if (access(roots[i], F_OK) == 0)
      return recorder_error_set(error, ENOENT, "There is no tracepoint “%s”: %s/ lists those of this kernel.",
                                name, roots[i]);
  if (reason == -EACCES)
    return recorder_error_set(
        error, EACCES, "The tracepoint “%s” cannot be looked up: tracefs is not readable; record %s.", name,
        recorder_rights_are_lent() ? "without it" : "as root, or with an administrator's authorisation");
  return recorder_error_set(error, ENOENT,
                            "The tracepoint “%s” cannot be looked up: tracefs is not mounted; run "
                            "“mount -t tracefs tracefs /sys/kernel/tracing” as root.",
                            name);
}

int recorder_event_tracepoint(struct recorder_event_type *ret, const char *name, struct recorder_error *error)
{
  const char *colon = strchr(name, ':');
  if (colon == NULL || !is_plain(name, (size_t)(colon - name)) || !is_plain(colon + 1, strlen(colon + 1)))
    return -ENOENT;
  int reason = -ENOENT;
  for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
    char path[256], text[32];
    snprintf(path, sizeof path, "%s/%.*s/%s/id", roots[i], (int)(colon - name), name, colon + 1);
    ssize_t length = text_file_read(path, text, sizeof text);
    int64_t id = length < 0 ? -1 : text_file_number(path, -1);
    if (id >= 0) {
      ret->type = PERF_TYPE_TRACEPOINT;
      ret->unit = CAPTURE_UNIT_COUNT;
      ret->config = (uint64_t)id;
      return 0;
    }
    if (length == -EACCES || length == -EPERM)
      reason = -EACCES;
  }
  return events_missing(name, reason, error);
}
