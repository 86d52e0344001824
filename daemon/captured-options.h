/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a caller asks StartRecording for, checked: every value is within the bounds of
 * helpers/recorder-protocol.h. */
#pragma once

#include <gio/gio.h>

#include "helpers/recorder-protocol.h"

G_BEGIN_DECLS

typedef enum { CAPTURED_SCOPE_AUTO, CAPTURED_SCOPE_OWN, CAPTURED_SCOPE_SYSTEM } CapturedScope;

typedef enum { CAPTURED_KERNEL_WHERE_POSSIBLE, CAPTURED_KERNEL_YES, CAPTURED_KERNEL_NO } CapturedKernel;

typedef struct {
  CapturedScope scope;
  CapturedKernel kernel;
  guint32 flags;  /* enum recorder_flags: those of recorder_switches */
  guint32 unwind; /* enum recorder_unwind */
  guint32 stack_bytes;
  guint32 max_stack;
  guint32 window_count;
  guint n_targets;
  gint32 targets[RECORDER_TARGETS_MAX]; /* handles in the message */
  guint n_events;                       /* 0: the machine's default */
  struct recorder_event events[RECORDER_EVENTS_MAX];
} CapturedOptions;

/* Of an a{sv}. CAPTURED_ERROR_INVALID_OPTION with the option's name in the message, or _LIMIT_EXCEEDED. */
CapturedOptions *captured_options_new(GVariant *options, GError **error);
void captured_options_free(CapturedOptions *self);
/* Whether the scope own has what is asked for. If not, CAPTURED_ERROR_NOT_PERMITTED says what it lacks. */
gboolean captured_options_fit_own(const CapturedOptions *self, GError **error);
/* Whether the rates are within the limits of the scope own; if not, CAPTURED_ERROR_LIMIT_EXCEEDED. */
gboolean captured_options_check_rates(const CapturedOptions *self, GError **error);
/* How many bytes of memory the recorder and its caller will share. */
guint64 captured_options_count_bytes(const CapturedOptions *self);
/* The message CONFIGURE for a session of that scope (own or system); g_free() it. */
struct recorder_configure *captured_options_configure(const CapturedOptions *self, CapturedScope scope);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturedOptions, captured_options_free)

G_END_DECLS
