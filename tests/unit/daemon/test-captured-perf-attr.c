/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "daemon/captured-error.h"
#include "daemon/captured-perf-attr.h"

static gboolean parse(const char *text, struct perf_event_attr *attr, GError **error)
{
  g_autoptr(GError) broken = NULL;
  g_autoptr(GVariant) value = g_variant_parse(G_VARIANT_TYPE_VARDICT, text, NULL, NULL, &broken);

  g_assert_no_error(broken);
  return captured_perf_attr_parse(value, attr, error);
}

static void test_fields(void)
{
  struct perf_event_attr attr, expected = {.size = sizeof expected};
  g_autoptr(GError) error = NULL;

  g_assert_true(
      parse("{'type': <uint64 1>, 'config': <uint64 0>, 'sample_freq': <uint64 99>, 'disabled': <true>,"
            " 'inherit': <true>, 'exclude_kernel': <true>, 'sample_type': <uint64 7>,"
            " 'read_format': <uint64 15>, 'precise_ip': <uint64 2>, 'sample_stack_user': <uint64 65528>,"
            " 'sample_max_stack': <uint64 127>, 'use_clockid': <true>, 'clockid': <uint64 1>}",
            &attr, &error));
  g_assert_no_error(error);
  expected.type = PERF_TYPE_SOFTWARE;
  expected.sample_freq = 99;
  expected.freq = expected.disabled = expected.inherit = expected.exclude_kernel = 1;
  expected.sample_type = 7;
  expected.read_format = 15;
  expected.precise_ip = 2;
  expected.sample_stack_user = 65528;
  expected.sample_max_stack = 127;
  expected.use_clockid = 1;
  expected.clockid = 1;
  g_assert_cmpmem(&attr, sizeof attr, &expected, sizeof expected);
}

static void test_refused(void)
{
  static const struct {
    const char *fields;
    CapturedError code;
    const char *named;
  } cases[] = {
      {"", CAPTURED_ERROR_INVALID_OPTION, "“type”"},
      {"'type': <1>", CAPTURED_ERROR_INVALID_OPTION, "“type”"},
      {"'type': <uint64 4294967296>", CAPTURED_ERROR_INVALID_OPTION, "“type”"},
      {"'type': <uint64 5>", CAPTURED_ERROR_NOT_PERMITTED, "breakpoints"},
      {"'type': <uint64 4000000000>", CAPTURED_ERROR_NOT_PERMITTED, "probes"},
      {"'type': <uint64 1>, 'config': <uint64 10>", CAPTURED_ERROR_INVALID_OPTION, "“config”"},
      {"'type': <uint64 1>, 'config': <uint64 12>", CAPTURED_ERROR_INVALID_OPTION, "“config”"},
      {"'type': <uint64 0>, 'config': <uint64 17179869184000000>", CAPTURED_ERROR_NOT_PERMITTED, "PMU"},
      {"'type': <uint64 2>, 'config': <uint64 4294967296>", CAPTURED_ERROR_INVALID_OPTION, "“config”"},
      {"'type': <uint64 1>, 'aux_output': <true>", CAPTURED_ERROR_INVALID_OPTION, "“aux_output”"},
      {"'type': <uint64 1>, 'aux_sample_size': <uint64 1>", CAPTURED_ERROR_INVALID_OPTION,
       "“aux_sample_size”"},
      {"'type': <uint64 1>, 'aux_watermark': <uint64 1>", CAPTURED_ERROR_INVALID_OPTION, "“aux_watermark”"},
      {"'type': <uint64 1>, 'bp_type': <uint64 1>", CAPTURED_ERROR_INVALID_OPTION, "“bp_type”"},
      {"'type': <uint64 1>, 'kprobe_func': <uint64 1>", CAPTURED_ERROR_INVALID_OPTION, "“kprobe_func”"},
      {"'type': <uint64 1>, 'sigtrap': <true>", CAPTURED_ERROR_INVALID_OPTION, "“sigtrap”"},
      {"'type': <uint64 1>, 'text_poke': <true>", CAPTURED_ERROR_INVALID_OPTION, "“text_poke”"},
      {"'type': <uint64 1>, 'pinned': <true>", CAPTURED_ERROR_INVALID_OPTION, "“pinned”"},
      {"'type': <uint64 1>, 'sample_regs_intr': <uint64 1>", CAPTURED_ERROR_INVALID_OPTION,
       "“sample_regs_intr”"},
      {"'type': <uint64 1>, 'branch_sample_type': <uint64 1>", CAPTURED_ERROR_INVALID_OPTION,
       "“branch_sample_type”"},
      {"'type': <uint64 1>, 'size': <uint64 64>", CAPTURED_ERROR_INVALID_OPTION, "“size”"},
      /* PHYS_ADDR, AUX, and a bit that does not exist */
      {"'type': <uint64 1>, 'sample_type': <uint64 524288>", CAPTURED_ERROR_INVALID_OPTION, "“sample_type”"},
      {"'type': <uint64 1>, 'sample_type': <uint64 1048576>", CAPTURED_ERROR_INVALID_OPTION, "“sample_type”"},
      {"'type': <uint64 1>, 'sample_type': <uint64 9223372036854775808>", CAPTURED_ERROR_INVALID_OPTION,
       "“sample_type”"},
      {"'type': <uint64 1>, 'read_format': <uint64 256>", CAPTURED_ERROR_INVALID_OPTION, "“read_format”"},
      {"'type': <uint64 1>, 'disabled': <uint64 1>", CAPTURED_ERROR_INVALID_OPTION, "“disabled”"},
      {"'type': <uint64 1>, 'disabled': <true>, 'disabled': <true>", CAPTURED_ERROR_INVALID_OPTION,
       "“disabled”"},
      {"'type': <uint64 1>, 'precise_ip': <uint64 4>", CAPTURED_ERROR_INVALID_OPTION, "“precise_ip”"},
      {"'type': <uint64 1>, 'sample_stack_user': <uint64 7>", CAPTURED_ERROR_INVALID_OPTION,
       "“sample_stack_user”"},
      {"'type': <uint64 1>, 'sample_period': <uint64 9223372036854775808>", CAPTURED_ERROR_INVALID_OPTION,
       "“sample_period”"},
      {"'type': <uint64 1>, 'sample_period': <uint64 1>, 'sample_freq': <uint64 1>",
       CAPTURED_ERROR_INVALID_OPTION, "“sample_freq”"},
      {"'type': <uint64 1>, 'freq': <true>", CAPTURED_ERROR_INVALID_OPTION, "“freq”"},
      {"'type': <uint64 1>, 'clockid': <uint64 12>", CAPTURED_ERROR_INVALID_OPTION, "“clockid”"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = g_strdup_printf("{%s}", cases[i].fields);
    g_autoptr(GError) error = NULL;
    struct perf_event_attr attr;

    g_test_message("%s", text);
    g_assert_false(parse(strcmp(text, "{}") == 0 ? "@a{sv} {}" : text, &attr, &error));
    g_assert_error(error, CAPTURED_ERROR, (int)cases[i].code);
    g_assert_nonnull(strstr(error->message, cases[i].named));
  }
}

/* Every PMU of this machine: the processors' are taken, all others are not. */
static void test_pmus(void)
{
  g_autoptr(GDir) directory = g_dir_open("/sys/bus/event_source/devices", 0, NULL);
  const char *name;

  g_assert_nonnull(directory);
  while ((name = g_dir_read_name(directory))) {
    g_autofree char *path = g_build_filename("/sys/bus/event_source/devices", name, "type", NULL);
    g_autofree char *number = NULL;
    g_assert_true(g_file_get_contents(path, &number, NULL, NULL));
    g_autofree char *text = g_strdup_printf("{'type': <uint64 %s>}", g_strchomp(number));
    struct perf_event_attr attr;
    gboolean taken = parse(text, &attr, NULL);

    g_test_message("%s %s", name, text);
    if (strstr(name, "probe") || strstr(name, "breakpoint") || strcmp(name, "intel_pt") == 0 ||
        strcmp(name, "msr") == 0)
      g_assert_false(taken);
    if (strcmp(name, "cpu") == 0 || strcmp(name, "software") == 0 || strcmp(name, "tracepoint") == 0)
      g_assert_true(taken);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/captured/perf-attr/fields", test_fields);
  g_test_add_func("/captured/perf-attr/refused", test_refused);
  g_test_add_func("/captured/perf-attr/pmus", test_pmus);
  return g_test_run();
}
