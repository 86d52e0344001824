/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-log.h"

#include <stdarg.h>

static void add_known(GString *message, const char *what, const char *value)
{
  if (*value != '\0')
    g_string_append_printf(message, "; %s %s", what, value);
}

void captured_log(uid_t user, const char *session, const char *targets, const char *format, ...)
{
  g_autoptr(GString) message = g_string_new(NULL);
  char number[16] = "";
  va_list arguments;

  va_start(arguments, format);
  g_string_vprintf(message, format, arguments);
  va_end(arguments);
  if (user != (uid_t)-1)
    g_snprintf(number, sizeof number, "%u", (unsigned)user);
  session = session ? session : "";
  targets = targets ? targets : "";
  add_known(message, "user", number);
  add_known(message, "session", session);
  add_known(message, "targets", targets);
  g_log_structured("captured", G_LOG_LEVEL_MESSAGE, "CAPTURED_UID", number, "CAPTURED_SESSION", session,
                   "CAPTURED_TARGETS", targets, "MESSAGE", "%s", message->str);
}
