/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-error.h"
#include "daemon/captured-ledger.h"
#include "daemon/captured-limits.h"
#include "daemon/captured-options.h"

static CapturedOptions *parse(const char *text, GError **error)
{
  g_autoptr(GError) broken = NULL;
  g_autoptr(GVariant) value = g_variant_parse(G_VARIANT_TYPE_VARDICT, text, NULL, NULL, &broken);

  g_assert_no_error(broken);
  return captured_options_new(value, error);
}

static void assert_refused(const char *text, CapturedError code, const char *named)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(CapturedOptions) options = parse(text, &error);

  g_test_message("%s", text);
  g_assert_error(error, CAPTURED_ERROR, (int)code);
  g_assert_nonnull(strstr(error->message, named));
  g_assert_null(options);
}

static void test_defaults(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(CapturedOptions) options = parse("{'targets': <[handle 3]>}", &error);

  g_assert_no_error(error);
  g_assert_cmpuint(options->n_targets, ==, 1);
  g_assert_cmpint(options->targets[0], ==, 3);
  g_assert_cmphex(options->flags, ==, RECORDER_CHILDREN);
  g_assert_cmpint(options->scope, ==, CAPTURED_SCOPE_AUTO);
  g_assert_cmpuint(options->unwind, ==, RECORDER_UNWIND_AUTO);
}

static void test_all(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(CapturedOptions) options =
      parse("{'targets': <[handle 0, 1]>, 'scope': <'own'>, 'children': <false>, 'enable-on-exec': <true>,"
            " 'kernel': <false>, 'events': <[('cycles', uint64 99, uint64 0), ('page-faults', 0, 1)]>,"
            " 'unwind': <'tables'>, 'stack-bytes': <uint32 4096>, 'max-stack': <uint32 64>,"
            " 'window-count': <uint32 1008>, 'command-lines': <false>, 'interpreter': <true>}",
            &error);

  g_assert_no_error(error);
  g_autofree struct recorder_configure *configure = captured_options_configure(options, CAPTURED_SCOPE_OWN);
  g_assert_cmpuint(configure->flags, ==,
                   RECORDER_USER_STACKS | RECORDER_OWN | RECORDER_EXCLUDE_KERNEL | RECORDER_ENABLE_ON_EXEC |
                       RECORDER_NO_COMMAND_LINES | RECORDER_INTERPRETER);
  g_assert_cmpuint(configure->n_targets, ==, 2);
  g_assert_cmpuint(configure->n_events, ==, 2);
  g_assert_cmpuint(configure->message.size, ==, sizeof *configure + 2 * sizeof(struct recorder_event));
  g_assert_cmpstr(configure->events[0].name, ==, "cycles");
  g_assert_cmpuint(configure->events[0].frequency, ==, 99);
  g_assert_cmpuint(configure->events[1].period, ==, 1);
  g_assert_cmpuint(configure->unwind, ==, RECORDER_UNWIND_TABLES);
  g_assert_cmpuint(configure->stack_bytes, ==, 4096);
  g_assert_cmpuint(configure->max_stack, ==, 64);
  g_assert_cmpuint(configure->window_count, ==, 1008);
  g_assert_cmpuint(configure->window_size * (guint64)configure->window_count, <=,
                   CAPTURED_WINDOW_BYTES_PER_USER_MAX);
}

/* Whatever is asked for, frames of the kernel and names are the scope system's alone. */
static void test_flags_of_scopes(void)
{
  static const struct {
    const char *text;
    CapturedScope scope;
    guint32 set, clear;
  } cases[] = {
      {"{'targets': <[handle 0]>}", CAPTURED_SCOPE_OWN, RECORDER_OWN,
       RECORDER_KERNEL_STACKS | RECORDER_NAMES | RECORDER_EXCLUDE_KERNEL},
      {"{'targets': <[handle 0]>}", CAPTURED_SCOPE_SYSTEM, RECORDER_KERNEL_STACKS | RECORDER_NAMES,
       RECORDER_OWN | RECORDER_EXCLUDE_KERNEL},
      {"{'system-wide': <true>}", CAPTURED_SCOPE_SYSTEM, RECORDER_SYSTEM_WIDE | RECORDER_NAMES, RECORDER_OWN},
      {"{'system-wide': <true>, 'kernel': <false>}", CAPTURED_SCOPE_SYSTEM, RECORDER_EXCLUDE_KERNEL,
       RECORDER_KERNEL_STACKS},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(CapturedOptions) options = parse(cases[i].text, NULL);
    g_autofree struct recorder_configure *configure = captured_options_configure(options, cases[i].scope);

    g_assert_cmpuint(configure->flags & cases[i].set, ==, cases[i].set);
    g_assert_cmpuint(configure->flags & cases[i].clear, ==, 0);
    g_assert_cmpuint(configure->n_events, ==, 1);
  }
}

static void test_refused(void)
{
  static const struct {
    const char *text;
    const char *named;
  } cases[] = {
      {"{'nonsense': <true>}", "“nonsense”"},
      {"{}", "“targets”"},
      {"{'system-wide': <false>}", "“targets”"},
      {"{'system-wide': <true>, 'targets': <[handle 0]>}", "“targets”"},
      {"{'system-wide': <true>, 'enable-on-exec': <true>}", "“enable-on-exec”"},
      {"{'system-wide': <'yes'>}", "“system-wide”"},
      {"{'system-wide': <true>, 'system-wide': <true>}", "“system-wide”"},
      {"{'targets': <[1, 2]>}", "“targets”"},
      {"{'targets': <handle 1>}", "“targets”"},
      {"{'system-wide': <true>, 'scope': <'mine'>}", "“scope”"},
      {"{'system-wide': <true>, 'scope': <1>}", "“scope”"},
      {"{'system-wide': <true>, 'unwind': <'magic'>}", "“unwind”"},
      {"{'system-wide': <true>, 'kernel': <byte 1>}", "“kernel”"},
      {"{'system-wide': <true>, 'stack-bytes': <uint32 7>}", "“stack-bytes”"},
      {"{'system-wide': <true>, 'stack-bytes': <uint32 65536>}", "“stack-bytes”"},
      {"{'system-wide': <true>, 'stack-bytes': <-8>}", "“stack-bytes”"},
      {"{'system-wide': <true>, 'max-stack': <uint32 65536>}", "“max-stack”"},
      {"{'system-wide': <true>, 'max-stack': <int64 -1>}", "“max-stack”"},
      {"{'system-wide': <true>, 'window-count': <uint32 2>}", "“window-count”"},
      {"{'system-wide': <true>, 'window-count': <uint64 64>}", "“window-count”"},
      {"{'system-wide': <true>, 'events': <['cycles']>}", "“events”"},
      {"{'system-wide': <true>, 'events': <[('cycles', uint64 1, uint64 1)]>}", "“events”"},
      {"{'system-wide': <true>, 'events': <[('cycles', uint64 18446744073709551615, uint64 0)]>}",
       "“events”"},
      {"{'system-wide': <true>, 'events': <[('cycles', uint64 0, uint64 9223372036854775808)]>}", "“events”"},
      {"{'system-wide': <true>, 'events': <[('cy\\ncles', uint64 0, uint64 0)]>}", "“events”"},
      {"{'system-wide': <true>, 'events': <[('cyclés', uint64 0, uint64 0)]>}", "“events”"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    assert_refused(cases[i].text, CAPTURED_ERROR_INVALID_OPTION, cases[i].named);
}

static void add_many(GVariantBuilder *builder, const char *name, const char *type, GVariant *element, guint n)
{
  GVariantBuilder array;

  g_variant_builder_init(&array, G_VARIANT_TYPE(type));
  g_variant_ref_sink(element);
  for (guint i = 0; i < n; i++)
    g_variant_builder_add_value(&array, element);
  g_variant_unref(element);
  g_variant_builder_add(builder, "{sv}", name, g_variant_builder_end(&array));
}

static void assert_limit(const char *name, const char *type, GVariant *floating, guint most)
{
  g_autoptr(GVariant) element = g_variant_ref_sink(floating);

  for (guint n = most; n <= most + 1; n++) {
    g_autoptr(GError) error = NULL;
    GVariantBuilder builder;

    g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
    add_many(&builder, name, type, element, n);
    if (g_strcmp0(name, "targets") != 0)
      g_variant_builder_add(&builder, "{sv}", "system-wide", g_variant_new_boolean(TRUE));
    g_autoptr(GVariant) value = g_variant_ref_sink(g_variant_builder_end(&builder));
    g_autoptr(CapturedOptions) options = captured_options_new(value, &error);
    if (n > most)
      g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED);
    else
      g_assert_no_error(error);
    g_assert_true((options != NULL) == (n <= most));
  }
}

static void test_limits(void)
{
  assert_limit("targets", "ah", g_variant_new_handle(0), CAPTURED_TARGETS_MAX);
  assert_limit("events", "a(stt)", g_variant_new("(stt)", "cpu-clock", (guint64)1, (guint64)0),
               RECORDER_EVENTS_MAX);
  assert_refused("{'system-wide': <true>, 'window-count': <uint32 1009>}", CAPTURED_ERROR_LIMIT_EXCEEDED,
                 "“window-count”");
}

static void test_name_lengths(void)
{
  for (guint length = RECORDER_EVENT_NAME_MAX - 1; length <= RECORDER_EVENT_NAME_MAX; length++) {
    g_autofree char *name = g_strnfill(length, 'c');
    g_autofree char *text =
        g_strdup_printf("{'system-wide': <true>, 'events': <[('%s', uint64 0, uint64 0)]>}", name);
    g_autoptr(CapturedOptions) options = parse(text, NULL);

    g_assert_true((options != NULL) == (length < RECORDER_EVENT_NAME_MAX));
  }
}

static void test_huge(void)
{
  GVariantBuilder builder;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = g_strnfill(1 << 20, 'x');

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&builder, "{sv}", "scope", g_variant_new_string(text));
  g_autoptr(GVariant) value = g_variant_ref_sink(g_variant_builder_end(&builder));
  g_autoptr(CapturedOptions) options = captured_options_new(value, &error);
  g_assert_null(options);
  g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_INVALID_OPTION);
}

/* What is quoted of a caller's words is text wherever it is cut. */
static void test_names_of_letters(void)
{
  for (guint n = 60; n < 70; n++) {
    g_autofree char *letters = g_strnfill(n, 'x');
    g_autofree char *text = g_strdup_printf("{'%séééé\\n': <true>}", letters);
    g_autoptr(GError) error = NULL;
    g_autoptr(CapturedOptions) options = parse(text, &error);

    g_assert_null(options);
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    g_assert_null(strchr(error->message, '\n'));
  }
}

static void test_own(void)
{
  static const char *const foreign[] = {
      "{'system-wide': <true>}",
      "{'targets': <[handle 0]>, 'kernel': <true>}",
      "{'targets': <[handle 0]>, 'events': <[('sched:sched_switch', uint64 0, uint64 0)]>}",
      "{'targets': <[handle 0]>, 'events': <[('off-cpu', uint64 0, uint64 0)]>}",
      "{'targets': <[handle 0]>, 'events': <[('r1a2', uint64 0, uint64 0)]>}",
  };
  g_autoptr(CapturedOptions) own = parse("{'targets': <[handle 0]>, 'kernel': <false>}", NULL);

  g_assert_true(captured_options_fit_own(own, NULL));
  for (guint i = 0; i < G_N_ELEMENTS(foreign); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(CapturedOptions) options = parse(foreign[i], NULL);

    g_assert_nonnull(options);
    g_assert_false(captured_options_fit_own(options, &error));
    g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_NOT_PERMITTED);
  }
}

static void test_rates(void)
{
  static const struct {
    const char *event;
    gboolean fits;
  } cases[] = {
      {"('cycles', uint64 10000, uint64 0)", TRUE},      {"('cycles', uint64 10001, uint64 0)", FALSE},
      {"('cpu-clock', uint64 0, uint64 100000)", TRUE},  {"('cpu-clock', uint64 0, uint64 99999)", FALSE},
      {"('page-faults', uint64 0, uint64 1)", TRUE},     {"('', uint64 0, uint64 1)", FALSE},
      {"('instructions:u', uint64 0, uint64 1)", FALSE}, {"('', uint64 0, uint64 0)", TRUE},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = g_strdup_printf("{'targets': <[handle 0]>, 'events': <[%s]>}", cases[i].event);
    g_autoptr(GError) error = NULL;
    g_autoptr(CapturedOptions) options = parse(text, NULL);

    g_assert_cmpint(captured_options_check_rates(options, &error), ==, cases[i].fits);
    if (!cases[i].fits)
      g_assert_error(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/captured/options/defaults", test_defaults);
  g_test_add_func("/captured/options/all", test_all);
  g_test_add_func("/captured/options/flags-of-scopes", test_flags_of_scopes);
  g_test_add_func("/captured/options/refused", test_refused);
  g_test_add_func("/captured/options/limits", test_limits);
  g_test_add_func("/captured/options/name-lengths", test_name_lengths);
  g_test_add_func("/captured/options/huge", test_huge);
  g_test_add_func("/captured/options/names-of-letters", test_names_of_letters);
  g_test_add_func("/captured/options/own", test_own);
  g_test_add_func("/captured/options/rates", test_rates);
  return g_test_run();
}
