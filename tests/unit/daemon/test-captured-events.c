/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-events.h"

static void test_own(void)
{
  static const char *const fit[] = {"",          "cycles",      "cycles:u",        "cycles:pp",
                                    "cpu-clock", "page-faults", "LLC-load-misses", "dTLB-loads:u",
                                    "cs"};
  static const char *const foreign[] = {"cycles:k",
                                        "cycles:",
                                        "cycles:uk",
                                        ":u",
                                        "off-cpu",
                                        "bpf-output",
                                        "dummy",
                                        "r01",
                                        "cpu/event=0x3c/",
                                        "sched:sched_switch",
                                        "LLC-",
                                        "LLC-loads-",
                                        "syscalls:sys_enter_read",
                                        "cycles ",
                                        "power/energy-pkg/",
                                        "cgroup-switches",
                                        "node"};

  for (guint i = 0; i < G_N_ELEMENTS(fit); i++)
    g_assert_true(captured_events_fit_own(fit[i]));
  for (guint i = 0; i < G_N_ELEMENTS(foreign); i++)
    g_assert_false(captured_events_fit_own(foreign[i]));
}

static void test_fast(void)
{
  g_assert_true(captured_events_is_too_fast("cycles", CAPTURED_OWN_PERIOD_MIN - 1));
  g_assert_true(captured_events_is_too_fast("L1-dcache-loads:u", 1));
  g_assert_false(captured_events_is_too_fast("cycles", CAPTURED_OWN_PERIOD_MIN));
  g_assert_false(captured_events_is_too_fast("cycles", 0));
  g_assert_false(captured_events_is_too_fast("page-faults:u", 1));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/captured/events/own", test_own);
  g_test_add_func("/captured/events/fast", test_fast);
  return g_test_run();
}
