/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-options.h"

#include <string.h>

#include "daemon/captured-error.h"
#include "daemon/captured-events.h"
#include "daemon/captured-ledger.h"
#include "daemon/captured-limits.h"
#include "helpers/recorder-options.h"

/* Far more than all options together need. */
#define BYTES_MAX    (64 << 10)
#define WINDOW_BYTES (64 << 10)
/* A pool has a page beside its windows. */
#define CONTROL_BYTES (4 << 10)
#define WINDOWS_USUAL 128
/* As many as a pool has slots for (libcapture/pool/capture-pool.h); little less than the limit of bytes. */
#define WINDOWS_MAX   1008
#define MAX_STACK_MAX G_MAXUINT16

G_STATIC_ASSERT(CAPTURED_TARGETS_MAX == RECORDER_TARGETS_MAX);
G_STATIC_ASSERT((guint64)WINDOWS_MAX *WINDOW_BYTES + CONTROL_BYTES <= CAPTURED_WINDOW_BYTES_PER_USER_MAX);
G_STATIC_ASSERT(RECORDER_EVENTS_MAX + 2 <= WINDOWS_USUAL);

typedef gboolean (*Take)(CapturedOptions *self, const char *name, GVariant *value, GError **error);

typedef struct {
  const char *name;
  const char *type;
  Take take;
} Option;

static gboolean options_refuse(GError **error, const char *name, const char *why)
{
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_INVALID_OPTION, "The option “%s” %s.", name, why);
  return FALSE;
}

static gboolean options_exceed(GError **error, const char *name, guint64 most)
{
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED,
              "The option “%s” asks for more than %" G_GUINT64_FORMAT ", which is the limit.", name, most);
  return FALSE;
}

/* The place of a word in a list, or -1. */
static int find_word(GVariant *value, const char *const *words, guint n_words)
{
  const char *word = g_variant_get_string(value, NULL);

  for (guint i = 0; i < n_words; i++)
    if (strcmp(word, words[i]) == 0)
      return (int)i;
  return -1;
}

static gboolean take_targets(CapturedOptions *self, const char *name, GVariant *value, GError **error)
{
  gsize n = g_variant_n_children(value);

  if (n > RECORDER_TARGETS_MAX)
    return options_exceed(error, name, RECORDER_TARGETS_MAX);
  for (gsize i = 0; i < n; i++)
    g_variant_get_child(value, i, "h", &self->targets[i]);
  self->n_targets = (guint)n;
  return TRUE;
}

static gboolean take_scope(CapturedOptions *self, const char *name, GVariant *value, GError **error)
{
  static const char *const words[] = {"auto", "own", "system"};
  int found = find_word(value, words, G_N_ELEMENTS(words));

  if (found < 0)
    return options_refuse(error, name, "is “auto”, “own” or “system”");
  self->scope = (CapturedScope)found;
  return TRUE;
}

static gboolean take_kernel(CapturedOptions *self, const char *name, GVariant *value, GError **error)
{
  self->kernel = g_variant_get_boolean(value) ? CAPTURED_KERNEL_YES : CAPTURED_KERNEL_NO;
  return TRUE;
}

static gboolean take_event(struct recorder_event *event, const char *option, GVariant *value, GError **error)
{
  const char *name;

  g_variant_get(value, "(&stt)", &name, &event->frequency, &event->period);
  if (strlen(name) >= sizeof event->name)
    return options_refuse(error, option, "has a name that is longer than any event's");
  if (!g_str_is_ascii(name) || strpbrk(name, "\n\r\t\x1b\x7f"))
    return options_refuse(error, option, "has a name that is no event's");
  if (event->frequency > 0 && event->period > 0)
    return options_refuse(error, option,
                          "has an event with both a frequency and a period; one of the two is 0");
  if (event->frequency > G_MAXINT64 || event->period > G_MAXINT64)
    return options_refuse(error, option, "has a frequency or a period that is out of bounds");
  g_strlcpy(event->name, name, sizeof event->name);
  return TRUE;
}

static gboolean take_events(CapturedOptions *self, const char *name, GVariant *value, GError **error)
{
  gsize n = g_variant_n_children(value);

  if (n > RECORDER_EVENTS_MAX)
    return options_exceed(error, name, RECORDER_EVENTS_MAX);
  for (gsize i = 0; i < n; i++) {
    g_autoptr(GVariant) event = g_variant_get_child_value(value, i);

    if (!take_event(&self->events[i], name, event, error))
      return FALSE;
  }
  self->n_events = (guint)n;
  return TRUE;
}

static gboolean take_unwind(CapturedOptions *self, const char *name, GVariant *value, GError **error)
{
  int found = find_word(value, recorder_unwind_words, G_N_ELEMENTS(recorder_unwind_words));

  if (found < 0)
    return options_refuse(error, name, "is “auto”, “bpf”, “tables”, “fp” or “none”");
  self->unwind = (guint32)found;
  return TRUE;
}

static gboolean take_stack_bytes(CapturedOptions *self, const char *name, GVariant *value, GError **error)
{
  self->stack_bytes = g_variant_get_uint32(value);
  if (self->stack_bytes % 8 != 0 || self->stack_bytes > RECORDER_STACK_BYTES_MAX)
    return options_refuse(error, name, "is a multiple of 8 and at most 65528");
  return TRUE;
}

static gboolean take_max_stack(CapturedOptions *self, const char *name, GVariant *value, GError **error)
{
  self->max_stack = g_variant_get_uint32(value);
  return self->max_stack <= MAX_STACK_MAX || options_refuse(error, name, "is at most 65535");
}

static gboolean take_window_count(CapturedOptions *self, const char *name, GVariant *value, GError **error)
{
  self->window_count = g_variant_get_uint32(value);
  return self->window_count <= WINDOWS_MAX || options_exceed(error, name, WINDOWS_MAX);
}

static gboolean take_switch(CapturedOptions *self, const char *name, GVariant *value, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS(recorder_switches); i++)
    if (strcmp(recorder_switches[i].name, name) == 0) {
      if (g_variant_get_boolean(value) != recorder_switches[i].is_off)
        self->flags |= recorder_switches[i].flag;
      else
        self->flags &= ~recorder_switches[i].flag;
    }
  return TRUE;
}

static const Option known[] = {
    {"targets", "ah", take_targets},    {"scope", "s", take_scope},
    {"kernel", "b", take_kernel},       {"events", "a(stt)", take_events},
    {"unwind", "s", take_unwind},       {"stack-bytes", "u", take_stack_bytes},
    {"max-stack", "u", take_max_stack}, {"window-count", "u", take_window_count},
};

/* Its number, or -1. */
static int find_option(const char *name, Option *ret)
{
  for (guint i = 0; i < G_N_ELEMENTS(known); i++)
    if (strcmp(known[i].name, name) == 0) {
      *ret = known[i];
      return (int)i;
    }
  for (guint i = 0; i < G_N_ELEMENTS(recorder_switches); i++)
    if (strcmp(recorder_switches[i].name, name) == 0) {
      *ret = (Option){recorder_switches[i].name, "b", take_switch};
      return (int)(G_N_ELEMENTS(known) + i);
    }
  return -1;
}

static gboolean options_take(CapturedOptions *self, const Option *option, GVariant *value, GError **error)
{
  if (!g_variant_is_of_type(value, G_VARIANT_TYPE(option->type))) {
    g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_INVALID_OPTION,
                "The option “%s” has the type %.16s; it takes %s.", option->name,
                g_variant_get_type_string(value), option->type);
    return FALSE;
  }
  return option->take(self, option->name, value, error);
}

static gboolean take_all(CapturedOptions *self, GVariant *options, GError **error)
{
  GVariantIter iter;
  const char *name;
  GVariant *value;
  guint seen = 0;

  g_variant_iter_init(&iter, options);
  while (g_variant_iter_next(&iter, "{&sv}", &name, &value)) {
    g_autoptr(GVariant) owned = value;
    Option option;
    int i = find_option(name, &option);

    if (i < 0) {
      /* A name that was cut in the middle of a letter would be no text. */
      g_autofree char *shown = g_strescape(name, NULL);
      g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_INVALID_OPTION, "There is no option “%.64s”.", shown);
      return FALSE;
    }
    if (seen & 1u << i)
      return options_refuse(error, option.name, "is there twice");
    seen |= 1u << i;
    if (!options_take(self, &option, owned, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean options_check(const CapturedOptions *self, GError **error)
{
  gboolean system_wide = (self->flags & RECORDER_SYSTEM_WIDE) != 0;

  if (system_wide == (self->n_targets > 0))
    return options_refuse(error, "targets",
                          system_wide ? "is not for a recording that is system-wide"
                                      : "is missing; either it or “system-wide” says what to record");
  if (system_wide && self->flags & RECORDER_ENABLE_ON_EXEC)
    return options_refuse(error, "enable-on-exec", "is for targets, not for a recording that is system-wide");
  if (self->window_count > 0 && self->window_count < MAX(self->n_events, 1) + 2)
    return options_refuse(error, "window-count", "is at least the number of events and two more");
  return TRUE;
}

CapturedOptions *captured_options_new(GVariant *options, GError **error)
{
  g_autoptr(CapturedOptions) self = g_new0(CapturedOptions, 1);

  self->flags = RECORDER_SWITCHES_DEFAULT;
  if (g_variant_get_size(options) > BYTES_MAX) {
    g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_INVALID_OPTION,
                "The options take more than %d bytes; no recording needs so many.", BYTES_MAX);
    return NULL;
  }
  if (!take_all(self, options, error) || !options_check(self, error))
    return NULL;
  return g_steal_pointer(&self);
}

void captured_options_free(CapturedOptions *self)
{
  g_free(self);
}

gboolean captured_options_fit_own(const CapturedOptions *self, GError **error)
{
  const char *lacks = self->flags & RECORDER_SYSTEM_WIDE    ? "other processes"
                      : self->kernel == CAPTURED_KERNEL_YES ? "frames in the kernel"
                                                            : NULL;

  for (guint i = 0; !lacks && i < self->n_events; i++)
    if (!captured_events_fit_own(self->events[i].name))
      lacks = self->events[i].name;
  if (!lacks)
    return TRUE;
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_NOT_PERMITTED,
              "A recording of the scope “own” does not have %s; that takes the scope “system”.", lacks);
  return FALSE;
}

gboolean captured_options_check_rates(const CapturedOptions *self, GError **error)
{
  for (guint i = 0; i < self->n_events; i++) {
    const struct recorder_event *event = &self->events[i];

    if (event->frequency > CAPTURED_OWN_FREQUENCY_MAX)
      return options_exceed(error, "events", CAPTURED_OWN_FREQUENCY_MAX);
    if (captured_events_is_too_fast(event->name, event->period)) {
      g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED,
                  "The option “events” has a period of %" G_GUINT64_FORMAT " for “%s”; %d is the shortest.",
                  event->period, event->name, CAPTURED_OWN_PERIOD_MIN);
      return FALSE;
    }
  }
  return TRUE;
}

static guint32 count_windows(const CapturedOptions *self)
{
  return self->window_count > 0 ? self->window_count : WINDOWS_USUAL;
}

guint64 captured_options_count_bytes(const CapturedOptions *self)
{
  return (guint64)count_windows(self) * WINDOW_BYTES + CONTROL_BYTES;
}

static guint32 make_flags(const CapturedOptions *self, CapturedScope scope)
{
  guint32 flags = self->flags | RECORDER_USER_STACKS;

  flags |= scope == CAPTURED_SCOPE_OWN ? RECORDER_OWN : RECORDER_NAMES;
  if (self->kernel == CAPTURED_KERNEL_NO)
    flags |= RECORDER_EXCLUDE_KERNEL;
  else if (scope == CAPTURED_SCOPE_SYSTEM)
    flags |= RECORDER_KERNEL_STACKS;
  return flags;
}

struct recorder_configure *captured_options_configure(const CapturedOptions *self, CapturedScope scope)
{
  guint n_events = MAX(self->n_events, 1);
  gsize size = sizeof(struct recorder_configure) + n_events * sizeof(struct recorder_event);
  struct recorder_configure *configure = g_malloc0(size);

  configure->message = (struct recorder_message){RECORDER_CONFIGURE, (guint32)size};
  configure->version = RECORDER_PROTOCOL_VERSION;
  configure->flags = make_flags(self, scope);
  configure->window_size = WINDOW_BYTES;
  configure->window_count = count_windows(self);
  configure->max_stack = self->max_stack;
  configure->n_targets = self->n_targets;
  configure->unwind = self->unwind;
  configure->stack_bytes = self->stack_bytes;
  configure->n_events = n_events;
  memcpy(configure->events, self->events, self->n_events * sizeof(struct recorder_event));
  return configure;
}
