/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-perf-event.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/captured-call.h"
#include "daemon/captured-error.h"
#include "daemon/captured-perf-attr.h"
#include "daemon/captured-privileges.h"

/* More processors than any kernel is built for. */
#define CPUS_MAX 65536
/* More than all fields and options take. */
#define BYTES_MAX (4 << 10)

/* One call under way. */
typedef struct {
  CapturedCall call;
  struct perf_event_attr attr;
  CapturedTargets *target; /* one or none */
  int cpu;
  int group; /* an event, or -1 */
} Open;

static void open_free(Open *open)
{
  captured_call_clear(&open->call);
  g_clear_pointer(&open->target, captured_targets_free);
  if (open->group >= 0)
    close(open->group);
  g_free(open);
}

/* Takes both. */
static void perf_event_fail(Open *open, GError *error)
{
  captured_call_refuse(&open->call, open->target, "An event", error);
  open_free(open);
}

static void set_kernel_error(GError **error, int code)
{
  CapturedError name = code == ESRCH                                      ? CAPTURED_ERROR_TARGET_GONE
                       : code == EINVAL || code == EBADF || code == E2BIG ? CAPTURED_ERROR_INVALID_OPTION
                       : code == ENOENT || code == ENODEV || code == EOPNOTSUPP ? CAPTURED_ERROR_UNSUPPORTED
                                                                                : CAPTURED_ERROR_FAILED;

  g_set_error(error, CAPTURED_ERROR, name, "The kernel does not open this event: %s.", g_strerror(code));
}

/* Whatever thread it runs in has the capabilities for just that long. */
static int open_event(Open *open, GError **error)
{
  pid_t pid = open->target->n > 0 ? open->target->pids[0] : -1;

  captured_privileges_use(captured_privileges_open_event());
  int fd = (int)syscall(SYS_perf_event_open, &open->attr, pid, open->cpu, open->group, PERF_FLAG_FD_CLOEXEC);
  int code = errno;
  captured_privileges_use(0);
  if (fd < 0)
    set_kernel_error(error, code);
  else if (captured_targets_check_alive(open->target, error))
    return fd;
  else
    close(fd);
  return -1;
}

static void on_authorized(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Open *open = user_data;
  GError *error = NULL;
  int fd = -1;

  if (captured_authority_check_finish(open->call.house->authority, result, &error))
    fd = open_event(open, &error);
  if (fd < 0) {
    perf_event_fail(open, error);
    return;
  }
  g_autoptr(GUnixFDList) fds = g_unix_fd_list_new_from_array(&fd, 1);
  captured_call_log(&open->call, NULL, open->target, "Opened an event");
  g_dbus_method_invocation_return_value_with_unix_fd_list(open->call.invocation, g_variant_new("(h)", 0),
                                                          fds);
  open_free(open);
}

/* A name that was cut in the middle of a letter would be no text. */
static gboolean perf_event_refuse(GError **error, const char *name, const char *why)
{
  g_autofree char *shown = g_strescape(name, NULL);

  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_INVALID_OPTION, "The option “%.64s” %s.", shown, why);
  return FALSE;
}

static gboolean is_event(int fd)
{
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
  g_autofree char *link = g_file_read_link(path, NULL);

  return g_strcmp0(link, "anon_inode:[perf_event]") == 0;
}

static gboolean take_group(Open *open, gint32 handle, GUnixFDList *fds, GError **error)
{
  if (fds && handle >= 0 && handle < g_unix_fd_list_get_length(fds))
    open->group = g_unix_fd_list_get(fds, handle, NULL);
  return (open->group >= 0 && is_event(open->group)) || perf_event_refuse(error, "group", "is no event");
}

static gboolean take_option(Open *open, const char *name, GVariant *value, gint32 *pidfd, gint32 *group,
                            GError **error)
{
  gboolean is_handle = g_variant_is_of_type(value, G_VARIANT_TYPE_HANDLE);

  if (strcmp(name, "pidfd") == 0)
    return is_handle ? (*pidfd = g_variant_get_handle(value), TRUE)
                     : perf_event_refuse(error, name, "takes the type h");
  if (strcmp(name, "group") == 0)
    return is_handle ? (*group = g_variant_get_handle(value), TRUE)
                     : perf_event_refuse(error, name, "takes the type h");
  if (strcmp(name, "cpu") != 0)
    return perf_event_refuse(error, name, "is not known");
  if (!g_variant_is_of_type(value, G_VARIANT_TYPE_INT32))
    return perf_event_refuse(error, name, "takes the type i");
  open->cpu = g_variant_get_int32(value);
  return (open->cpu >= -1 && open->cpu < CPUS_MAX) ||
         perf_event_refuse(error, name, "is the number of no processor");
}

static gboolean take_options(Open *open, GVariant *options, GUnixFDList *fds, GError **error)
{
  gint32 pidfd = -1, group = -1;
  gboolean has_pidfd, has_group;
  GVariantIter iter;
  const char *name;
  GVariant *value;

  g_variant_iter_init(&iter, options);
  while (g_variant_iter_next(&iter, "{&sv}", &name, &value)) {
    g_autoptr(GVariant) owned = value;
    if (!take_option(open, name, owned, &pidfd, &group, error))
      return FALSE;
  }
  has_pidfd = g_variant_lookup(options, "pidfd", "h", NULL);
  has_group = g_variant_lookup(options, "group", "h", NULL);
  if (!has_pidfd && open->cpu < 0)
    return perf_event_refuse(error, "pidfd", "is missing; either it or “cpu” says what to count");
  open->target = captured_targets_new(&pidfd, has_pidfd ? 1 : 0, fds, error);
  return open->target && (!has_group || take_group(open, group, fds, error));
}

static gboolean read_call(Open *open, GError **error)
{
  GDBusMessage *message = g_dbus_method_invocation_get_message(open->call.invocation);
  GVariant *parameters = g_dbus_method_invocation_get_parameters(open->call.invocation);
  g_autoptr(GVariant) attr = g_variant_get_child_value(parameters, 0);
  g_autoptr(GVariant) options = g_variant_get_child_value(parameters, 1);

  if (g_variant_get_size(parameters) > BYTES_MAX)
    return perf_event_refuse(error, "attr", "takes more bytes than any event needs");
  return captured_perf_attr_parse(attr, &open->attr, error) &&
         take_options(open, options, g_dbus_message_get_unix_fd_list(message), error);
}

static void on_admitted(GObject *source, GAsyncResult *result, gpointer user_data)
{
  Open *open = user_data;
  GError *error = NULL;

  if (captured_call_admit_finish(&open->call, result, &error))
    captured_call_authorize_async(&open->call, CAPTURED_ACTION_SYSTEM, NULL, on_authorized);
  else
    perf_event_fail(open, error);
}

void captured_perf_event_open(const CapturedHouse *house, GDBusMethodInvocation *invocation)
{
  Open *open = g_new0(Open, 1);
  GError *error = NULL;

  open->cpu = open->group = -1;
  captured_call_init(&open->call, house, invocation, NULL, open);
  if (!read_call(open, &error) || !captured_call_admit_async(&open->call, on_admitted, &error))
    perf_event_fail(open, error);
}
