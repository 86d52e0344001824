/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recorder/service-message-private.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <string.h>

#include "helpers/recorder-options.h"

#define ERROR_PREFIX RECORDING_SERVICE_NAME ".Error."

static void service_message_add(GVariantDict *dict, const char *key, GVariant *value)
{
  g_variant_dict_insert_value(dict, key, value);
}

static void add_flag(GVariantDict *dict, const char *key, gboolean value)
{
  service_message_add(dict, key, g_variant_new_boolean(value));
}

/* 0 stands for the default, which the service knows better. */
static void add_number(GVariantDict *dict, const char *key, guint32 value)
{
  if (value != 0)
    service_message_add(dict, key, g_variant_new_uint32(value));
}

static GVariant *make_targets(guint n)
{
  g_auto(GVariantBuilder) builder = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE("ah"));

  for (guint i = 0; i < n; i++)
    g_variant_builder_add(&builder, "h", i);
  return g_variant_builder_end(&builder);
}

static GVariant *make_events(const struct recorder_configure *configure)
{
  g_auto(GVariantBuilder) builder = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE("a(stt)"));

  for (guint i = 0; i < configure->n_events; i++) {
    const struct recorder_event *event = &configure->events[i];
    g_variant_builder_add(&builder, "(stt)", event->name, event->frequency, event->period);
  }
  return g_variant_builder_end(&builder);
}

GVariant *recording_service_make_options(const struct recorder_configure *configure, RecordingKernel kernel)
{
  g_auto(GVariantDict) dict = G_VARIANT_DICT_INIT(NULL);

  if (configure->n_targets > 0)
    service_message_add(&dict, "targets", make_targets(configure->n_targets));
  /* An older service does not know them all: it is asked for what is not its default. */
  for (guint i = 0; i < G_N_ELEMENTS(recorder_switches); i++) {
    const struct recorder_switch *option = &recorder_switches[i];

    if ((configure->flags ^ RECORDER_SWITCHES_DEFAULT) & option->flag)
      add_flag(&dict, option->name, ((configure->flags & option->flag) != 0) != option->is_off);
  }
  if (kernel != RECORDING_KERNEL_AUTO)
    add_flag(&dict, "kernel", kernel == RECORDING_KERNEL_YES);
  service_message_add(&dict, "events", make_events(configure));
  service_message_add(&dict, "unwind", g_variant_new_string(recorder_unwind_words[configure->unwind]));
  add_number(&dict, "stack-bytes", configure->stack_bytes);
  add_number(&dict, "max-stack", configure->max_stack);
  add_number(&dict, "window-count", configure->window_count);
  return g_variant_ref_sink(g_variant_dict_end(&dict));
}

/* Cuts at a letter's end. */
static void copy_text(char *ret, gsize size, const char *text)
{
  const char *end;

  g_strlcpy(ret, text, size);
  g_utf8_validate(ret, -1, &end);
  ret[end - ret] = '\0';
}

static void read_notes(GVariant *properties, struct recorder_ready *ret)
{
  g_autofree const char **notes = NULL;

  if (!g_variant_lookup(properties, "Notes", "^a&s", &notes))
    return;
  g_autofree char *text = g_strjoinv("\n", (char **)notes);
  copy_text(ret->notes, sizeof ret->notes, text);
}

static void read_events(GVariant *properties, struct recorder_ready *ret)
{
  g_autofree const char **events = NULL;

  if (!g_variant_lookup(properties, "Events", "^a&s", &events))
    return;
  for (; ret->n_events < RECORDER_EVENTS_MAX && events[ret->n_events]; ret->n_events++)
    copy_text(ret->events[ret->n_events], sizeof ret->events[0], events[ret->n_events]);
}

void recording_service_read_session(GVariant *properties, struct recorder_ready *ret)
{
  const char *unwind, *scope;

  if (!properties)
    return;
  read_events(properties, ret);
  read_notes(properties, ret);
  if (g_variant_lookup(properties, "Unwind", "&s", &unwind))
    for (guint i = 0; i < G_N_ELEMENTS(recorder_unwind_words); i++)
      if (strcmp(unwind, recorder_unwind_words[i]) == 0)
        ret->unwind = i;
  if (g_variant_lookup(properties, "Scope", "&s", &scope) && strcmp(scope, "system") == 0)
    ret->flags = RECORDER_KERNEL_STACKS;
}

void recording_service_make_ended(int number, const char *sentence, struct recorder_ended *ret)
{
  *ret = (struct recorder_ended){.reason = RECORDER_END_FAILED, .error = number};
  copy_text(ret->text, sizeof ret->text, sentence);
}

static int number_of_service_error(const char *name)
{
  static const struct {
    const char *name;
    int number;
  } errors[] = {{"NotAuthorized", EACCES},   {"NotPermitted", EPERM},   {"TargetGone", ESRCH},
                {"InvalidTarget", EBADF},    {"InvalidOption", EINVAL}, {"LimitExceeded", EDQUOT},
                {"Unsupported", EOPNOTSUPP}, {"NoSession", ENXIO}};

  for (guint i = 0; i < G_N_ELEMENTS(errors); i++)
    if (strcmp(name, errors[i].name) == 0)
      return errors[i].number;
  return EIO;
}

static void read_bus_error(const char *name, const char *sentence, struct recorder_ended *ret)
{
  g_autofree char *text = NULL;

  if (strcmp(name, "org.freedesktop.DBus.Error.ServiceUnknown") == 0 ||
      strcmp(name, "org.freedesktop.DBus.Error.NameHasNoOwner") == 0) {
    recording_service_make_ended(
        ENOENT, _("The system service captured is not installed; install it, or record directly."), ret);
    return;
  }
  if (strcmp(name, "org.freedesktop.DBus.Error.AccessDenied") == 0) {
    recording_service_make_ended(
        EACCES,
        _("The system bus lets nobody speak to the service captured: its bus policy is not installed; "
          "install it again."),
        ret);
    return;
  }
  if (strcmp(name, "org.freedesktop.DBus.Error.NoReply") == 0)
    text = g_strdup(_("The system service captured went away; see “journalctl -u captured”."));
  else if (g_str_has_prefix(name, "org.freedesktop.DBus.Error.Spawn.") ||
           g_str_has_prefix(name, "org.freedesktop.systemd1."))
    text = g_strdup_printf(_("The system service captured cannot be started: %s"), sentence);
  else
    text =
        g_strdup_printf(_("The system service captured sent an answer that is not understood: %s"), sentence);
  recording_service_make_ended(EIO, text, ret);
}

void recording_service_read_error(const GError *error, struct recorder_ended *ret)
{
  g_autofree char *name = g_dbus_error_get_remote_error(error);
  g_autoptr(GError) plain = g_error_copy(error);

  g_dbus_error_strip_remote_error(plain);
  if (!name)
    recording_service_make_ended(EIO, plain->message, ret);
  else if (g_str_has_prefix(name, ERROR_PREFIX))
    recording_service_make_ended(number_of_service_error(name + strlen(ERROR_PREFIX)), plain->message, ret);
  else
    read_bus_error(name, plain->message, ret);
}

gboolean recording_service_read_ended(const char *reason, const char *message, struct recorder_ended *ret)
{
  gboolean stopped = strcmp(reason, "stopped") == 0;

  *ret = (struct recorder_ended){.reason = RECORDER_END_STOPPED};
  if (stopped)
    return TRUE;
  if (strcmp(reason, "targets-gone") == 0)
    ret->reason = RECORDER_END_TARGETS_GONE;
  else if (strcmp(reason, "recorder-died") == 0)
    return FALSE;
  else if (strcmp(reason, "service-stopped") == 0)
    recording_service_make_ended(ECANCELED,
                                 *message ? message : _("The system service captured was stopped."), ret);
  else
    recording_service_make_ended(
        0, *message ? message : _("The system service captured ended the recording."), ret);
  return TRUE;
}
