/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "viewer/record/process-list.h"

static void end_with_parent(gpointer data)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* A process that is that program already; ended with the test. */
static pid_t start(const char *program, const char *option, const char *argument)
{
  const char *argv[] = {program, option, argument, NULL};
  GPid pid;

  g_assert_true(
      g_spawn_async(NULL, (char **)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, end_with_parent, NULL, &pid, NULL));
  return pid;
}

static pid_t start_waiting(void)
{
  return start("/bin/sleep", "1000", NULL);
}

static pid_t start_busy(void)
{
  return start("/bin/sh", "-c", "while :; do :; done");
}

static void end(pid_t pid)
{
  kill(pid, SIGKILL);
  g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
}

static ViewerProcessFacts *find_facts(GPtrArray *processes, pid_t pid)
{
  for (guint i = 0; i < processes->len; i++) {
    ViewerProcessFacts *facts = processes->pdata[i];

    if (facts->pid == pid)
      return facts;
  }
  return NULL;
}

static void test_own_facts(void)
{
  g_autoptr(ViewerProcessScan) scan = viewer_process_scan_new();
  g_autoptr(GPtrArray) processes = viewer_process_scan_look(scan);
  const ViewerProcessFacts *facts = find_facts(processes, getpid());

  g_assert_nonnull(facts);
  g_assert_cmpuint(facts->uid, ==, geteuid());
  g_assert_cmpstr(facts->name, ==, "test-viewer-processes"); /* longer than the kernel's 15 bytes */
  g_assert_nonnull(strstr(facts->command_line, "test-viewer-processes"));
  g_assert_cmpstr(facts->user, !=, "");
  g_assert_true(G_IS_ICON(facts->icon));
  g_assert_cmpuint(facts->start, >, 0);
}

static void test_order_of_facts(void)
{
  g_autoptr(ViewerProcessScan) scan = viewer_process_scan_new();
  g_autoptr(GPtrArray) processes = viewer_process_scan_look(scan);

  g_assert_cmpuint(processes->len, >, 1);
  for (guint i = 0; i + 1 < processes->len; i++) {
    const ViewerProcessFacts *a = processes->pdata[i], *b = processes->pdata[i + 1];

    g_assert_cmpint(viewer_process_facts_compare(a, b), <, 0);
    g_assert_cmpint(viewer_process_facts_compare(b, a), >, 0);
    g_assert_cmpint(a->uid == geteuid(), >=, b->uid == geteuid());
  }
}

/* A name may hold what separates the columns of /proc/PID/stat, and be no UTF-8. */
static void test_odd_name(void)
{
  g_autoptr(ViewerProcessScan) scan = viewer_process_scan_new();
  int ready[2];

  g_assert_cmpint(pipe(ready), ==, 0);
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_NAME, ") Z 1\n\xff (x");
    (void)!write(ready[1], "", 1);
    pause();
    _exit(0);
  }
  char byte;
  g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
  g_autoptr(GPtrArray) processes = viewer_process_scan_look(scan);
  const ViewerProcessFacts *facts = find_facts(processes, pid);
  g_assert_nonnull(facts);
  g_assert_true(g_utf8_validate(facts->name, -1, NULL));
  g_assert_true(g_str_has_prefix(facts->name, ") Z 1"));
  g_assert_null(strchr(facts->name, '\n'));
  end(pid);
  close(ready[0]);
  close(ready[1]);
}

/* Neither the kernel's threads nor what has ended and is not waited for. */
static void test_left_out(void)
{
  g_autoptr(ViewerProcessScan) scan = viewer_process_scan_new();
  siginfo_t info;
  pid_t pid = fork();

  if (pid == 0)
    _exit(0);
  g_assert_cmpint(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), ==, 0);
  g_autoptr(GPtrArray) processes = viewer_process_scan_look(scan);
  g_assert_null(find_facts(processes, pid));
  waitpid(pid, NULL, 0);
  const ViewerProcessFacts *kthreadd = find_facts(processes, 2);
  g_assert_true(!kthreadd || *kthreadd->command_line);
}

static ViewerProcess *find(ViewerProcessList *list, pid_t pid)
{
  guint n = g_list_model_get_n_items(G_LIST_MODEL(list));

  for (guint i = 0; i < n; i++) {
    g_autoptr(ViewerProcess) process = g_list_model_get_item(G_LIST_MODEL(list), i);

    if (viewer_process_get_facts(process)->pid == pid)
      return process;
  }
  return NULL;
}

/* Whether what is said to change is what changes. */
typedef struct {
  GPtrArray *copy;
  guint n_changes;
} Mirror;

static void mirror_change(GListModel *model, guint position, guint removed, guint added, gpointer data)
{
  Mirror *mirror = data;

  g_ptr_array_remove_range(mirror->copy, position, removed);
  for (guint i = 0; i < added; i++)
    g_ptr_array_insert(mirror->copy, (int)(position + i), g_list_model_get_item(model, position + i));
  mirror->n_changes++;
  g_assert_cmpuint(mirror->copy->len, ==, g_list_model_get_n_items(model));
  for (guint i = 0; i < mirror->copy->len; i++) {
    g_autoptr(ViewerProcess) process = g_list_model_get_item(model, i);
    g_assert_true(process == mirror->copy->pdata[i]);
  }
}

static void test_list(void)
{
  g_autoptr(ViewerProcessList) list = viewer_process_list_new();
  Mirror mirror = {.copy = g_ptr_array_new_with_free_func(g_object_unref)};
  pid_t early = start_waiting();

  g_signal_connect(list, "items-changed", G_CALLBACK(mirror_change), &mirror);
  g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(list)), ==, 0);
  viewer_process_list_set_running(list, TRUE);
  while (!find(list, early))
    g_main_context_iteration(NULL, TRUE);
  ViewerProcess *known = find(list, early);
  pid_t late = start_busy();
  while (!find(list, late) || viewer_process_get_cpu(find(list, late)) < 0.01)
    g_main_context_iteration(NULL, TRUE);
  g_assert_true(find(list, early) == known);
  g_assert_cmpfloat(viewer_process_get_cpu(known), >=, 0);
  g_assert_cmpfloat(viewer_process_get_cpu(known), <, 0.01);
  end(early);
  end(late);
  while (find(list, early) || find(list, late))
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpuint(mirror.n_changes, >, 0);
  viewer_process_list_set_running(list, FALSE);
  g_ptr_array_unref(mirror.copy);
}

/* The same number and start, but another program. */
static void test_exec(void)
{
  g_autoptr(ViewerProcessList) list = viewer_process_list_new();
  int gate[2];

  g_assert_cmpint(pipe(gate), ==, 0);
  pid_t pid = fork();
  if (pid == 0) {
    char byte;
    (void)!read(gate[0], &byte, 1);
    execl("/bin/sleep", "a-new-name", "1000", NULL);
    _exit(1);
  }
  viewer_process_list_set_running(list, TRUE);
  while (!find(list, pid))
    g_main_context_iteration(NULL, TRUE);
  (void)!write(gate[1], "", 1);
  while (!find(list, pid) ||
         !g_str_has_prefix(viewer_process_get_facts(find(list, pid))->command_line, "a-new"))
    g_main_context_iteration(NULL, TRUE);
  viewer_process_list_set_running(list, FALSE);
  end(pid);
  close(gate[0]);
  close(gate[1]);
}

static void test_rights(void)
{
  g_autoptr(ViewerProcessList) list = viewer_process_list_new();
  pid_t pid = start_waiting();

  viewer_process_list_set_rights(list, TRUE, FALSE);
  viewer_process_list_set_running(list, TRUE);
  while (!find(list, pid))
    g_main_context_iteration(NULL, TRUE);
  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(list)); i++) {
    g_autoptr(ViewerProcess) process = g_list_model_get_item(G_LIST_MODEL(list), i);
    gboolean itself = viewer_process_get_facts(process)->pid == getpid();
    g_assert_cmpint(viewer_process_is_recordable(process), ==, viewer_process_is_own(process) && !itself);
  }
  g_assert_true(viewer_process_is_recordable(find(list, pid)));
  g_assert_false(viewer_process_is_recordable(find(list, getpid())));
  viewer_process_list_set_rights(list, FALSE, FALSE);
  g_assert_false(viewer_process_is_recordable(find(list, pid)));
  viewer_process_list_set_rights(list, FALSE, TRUE);
  g_assert_true(viewer_process_is_recordable(find(list, pid)));
  viewer_process_list_set_running(list, FALSE);
  end(pid);
}

static void test_matches(void)
{
  g_autoptr(ViewerProcessFacts) facts = g_atomic_rc_box_new0(ViewerProcessFacts);

  facts->pid = 4711;
  facts->name = g_strdup("Straße");
  facts->command_line = g_strdup("/usr/bin/Straße --Option");
  facts->user = g_strdup("nobody");
  g_autoptr(ViewerProcess) process = viewer_process_new(facts);
  g_assert_true(viewer_process_matches(process, NULL));
  g_assert_true(viewer_process_matches(process, ""));
  g_assert_true(viewer_process_matches(process, "STRASSE"));
  g_assert_true(viewer_process_matches(process, "--option"));
  g_assert_true(viewer_process_matches(process, "47"));
  g_assert_false(viewer_process_matches(process, "711"));
  g_assert_false(viewer_process_matches(process, "firefox"));
}

static void test_cpu(void)
{
  g_autoptr(ViewerProcessFacts) facts = g_atomic_rc_box_new0(ViewerProcessFacts);

  facts->name = g_strdup("a");
  facts->command_line = g_strdup("");
  facts->user = g_strdup("b");
  facts->time = 1000;
  g_autoptr(ViewerProcess) process = viewer_process_new(facts);
  g_assert_cmpfloat(viewer_process_get_cpu(process), <, 0);
  viewer_process_look(process, 2000, 0);
  g_assert_cmpfloat(viewer_process_get_cpu(process), <, 0);
  viewer_process_look(process, 3500, 1000);
  g_assert_cmpfloat_with_epsilon(viewer_process_get_cpu(process), 1.5, 1e-9);
  viewer_process_look(process, 3500, 1000);
  g_assert_cmpfloat(viewer_process_get_cpu(process), ==, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/viewer/processes/own-facts", test_own_facts);
  g_test_add_func("/viewer/processes/order-of-facts", test_order_of_facts);
  g_test_add_func("/viewer/processes/odd-name", test_odd_name);
  g_test_add_func("/viewer/processes/left-out", test_left_out);
  g_test_add_func("/viewer/processes/list", test_list);
  g_test_add_func("/viewer/processes/exec", test_exec);
  g_test_add_func("/viewer/processes/rights", test_rights);
  g_test_add_func("/viewer/processes/matches", test_matches);
  g_test_add_func("/viewer/processes/cpu", test_cpu);
  return g_test_run();
}
