/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The errors that callers get, by their names on the bus: org.capturectl.Capture1.Error.NAME
 * (data/org.capturectl.Capture1.xml). Messages are for the person in front of the caller. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CAPTURED_ERROR (captured_error_quark())

typedef enum {
  CAPTURED_ERROR_NOT_AUTHORIZED,
  CAPTURED_ERROR_INVALID_OPTION,
  CAPTURED_ERROR_INVALID_TARGET,
  CAPTURED_ERROR_TARGET_GONE,
  CAPTURED_ERROR_NOT_PERMITTED,
  CAPTURED_ERROR_LIMIT_EXCEEDED,
  CAPTURED_ERROR_UNSUPPORTED,
  CAPTURED_ERROR_NO_SESSION,
  CAPTURED_ERROR_FAILED
} CapturedError;

GQuark captured_error_quark(void);

G_END_DECLS
