/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-log.h"

#include <stdarg.h>

void captured_log(GLogLevelFlags level, uid_t user, const char *session, const char *targets,
                  const char *format, ...)
{
  va_list arguments;
  char number[16];

  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_snprintf(number, sizeof number, "%u", (unsigned)user);
  g_log_structured("captured", level, "CAPTURED_UID", number, "CAPTURED_SESSION", session ? session : "",
                   "CAPTURED_TARGETS", targets ? targets : "", "MESSAGE", "%s (user %s%s%s%s%s)", message,
                   number, session ? ", session " : "", session ? session : "", targets ? ", targets " : "",
                   targets ? targets : "");
}
