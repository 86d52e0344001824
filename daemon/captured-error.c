/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-error.h"

#include <gio/gio.h>

#define NAME(name) "org.capturectl.Capture1.Error." name

static const GDBusErrorEntry entries[] = {
    {CAPTURED_ERROR_NOT_AUTHORIZED, NAME("NotAuthorized")},
    {CAPTURED_ERROR_INVALID_OPTION, NAME("InvalidOption")},
    {CAPTURED_ERROR_INVALID_TARGET, NAME("InvalidTarget")},
    {CAPTURED_ERROR_TARGET_GONE, NAME("TargetGone")},
    {CAPTURED_ERROR_NOT_PERMITTED, NAME("NotPermitted")},
    {CAPTURED_ERROR_LIMIT_EXCEEDED, NAME("LimitExceeded")},
    {CAPTURED_ERROR_UNSUPPORTED, NAME("Unsupported")},
    {CAPTURED_ERROR_NO_SESSION, NAME("NoSession")},
    {CAPTURED_ERROR_FAILED, NAME("Failed")},
};

GQuark captured_error_quark(void)
{
  static gsize quark;

  g_dbus_error_register_error_domain("captured-error-quark", &quark, entries, G_N_ELEMENTS(entries));
  return (GQuark)quark;
}
