/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/process-scan.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD */
#define GENERIC_ICON  "application-x-executable"
/* What is shown of a command line. */
#define COMMAND_LINE_MAX 1000
/* The kernel cuts longer names off. */
#define COMM_MAX 15

struct _ViewerProcessScan {
  GHashTable *users; /* by uid: char * */
  GHashTable *icons; /* by program: GIcon *; NULL: not asked for yet */
  GIcon *generic;
};

ViewerProcessFacts *viewer_process_facts_ref(ViewerProcessFacts *self)
{
  return g_atomic_rc_box_acquire(self);
}

static void clear_facts(gpointer data)
{
  ViewerProcessFacts *self = data;

  g_free(self->user);
  g_free(self->name);
  g_free(self->command_line);
  g_clear_object(&self->icon);
}

void viewer_process_facts_unref(ViewerProcessFacts *self)
{
  g_atomic_rc_box_release_full(self, clear_facts);
}

ViewerProcessScan *viewer_process_scan_new(void)
{
  ViewerProcessScan *self = g_new0(ViewerProcessScan, 1);

  self->users = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  self->generic = g_themed_icon_new(GENERIC_ICON);
  return self;
}

void viewer_process_scan_free(ViewerProcessScan *self)
{
  g_hash_table_unref(self->users);
  g_clear_pointer(&self->icons, g_hash_table_unref);
  g_object_unref(self->generic);
  g_free(self);
}

/* Programs that run programs: their icon would be wrong. */
static gboolean is_interpreter(const char *program)
{
  static const char *const names[] = {"sh",   "bash",   "env",     "flatpak", "gjs",  "java", "node",
                                      "perl", "python", "python3", "ruby",    "snap", "wine", NULL};

  return g_strv_contains(names, program);
}

static void take_application(GHashTable *icons, GAppInfo *application)
{
  const char *executable = g_app_info_get_executable(application);
  GIcon *icon = g_app_info_get_icon(application);

  if (!executable || !icon)
    return;
  g_autofree char *program = g_path_get_basename(executable);
  if (!is_interpreter(program) && !g_hash_table_contains(icons, program))
    g_hash_table_insert(icons, g_steal_pointer(&program), g_object_ref(icon));
}

/* Applications that are installed while somebody looks at the list go without theirs. */
static GIcon *find_icon(ViewerProcessScan *self, const char *program)
{
  if (!self->icons) {
    GList *applications = g_app_info_get_all();

    self->icons = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
    for (GList *l = applications; l; l = l->next)
      take_application(self->icons, l->data);
    g_list_free_full(applications, g_object_unref);
  }
  GIcon *icon = g_hash_table_lookup(self->icons, program);
  return g_object_ref(icon ? icon : self->generic);
}

static const char *find_user(ViewerProcessScan *self, uid_t uid)
{
  char *name = g_hash_table_lookup(self->users, GUINT_TO_POINTER(uid));

  if (!name) {
    char buffer[4096];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 && found)
      name = g_utf8_make_valid(found->pw_name, -1);
    else
      name = g_strdup_printf("%u", uid);
    g_hash_table_insert(self->users, GUINT_TO_POINTER(uid), name);
  }
  return name;
}

/* At most size - 1 bytes of a file of a process, and a NUL behind them. How many; negative: it is gone. */
static gssize read_file(int directory, const char *name, char *buffer, gsize size)
{
  int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return -1;
  gssize n = read(fd, buffer, size - 1);
  close(fd);
  buffer[MAX(n, 0)] = '\0';
  return n;
}

/* Control characters would break the line. */
static char *make_line(const char *text)
{
  char *line = g_utf8_make_valid(text, -1);

  for (char *c = line; *c; c++)
    if (g_ascii_iscntrl(*c))
      *c = ' ';
  return g_strstrip(line);
}

static char *read_command_line(int directory)
{
  char buffer[COMMAND_LINE_MAX];
  gssize n = read_file(directory, "cmdline", buffer, sizeof buffer);

  for (gssize i = 0; i + 1 < n; i++)
    if (buffer[i] == '\0')
      buffer[i] = ' ';
  return n > 0 ? make_line(buffer) : g_strdup("");
}

/* The program's whole name, where the kernel has kept its beginning. */
static char *make_name(const char *comm, int directory)
{
  char buffer[COMMAND_LINE_MAX];

  if (strlen(comm) == COMM_MAX && read_file(directory, "cmdline", buffer, sizeof buffer) > 0) {
    g_autofree char *program = g_path_get_basename(buffer);
    if (g_str_has_prefix(program, comm))
      return make_line(program);
  }
  return make_line(comm);
}

static char *get_program(int directory, const char *name)
{
  char target[PATH_MAX];
  gssize n = readlinkat(directory, "exe", target, sizeof target - 1);

  if (n <= 0)
    return g_strdup(name);
  target[n] = '\0';
  g_autofree char *program = g_path_get_basename(target);
  return is_interpreter(program) ? g_strdup(name) : g_steal_pointer(&program);
}

/* "PID (NAME) STATE …", where NAME may hold anything. FALSE: it is none of those to show. */
static gboolean parse_stat(char *stat, const char **ret_comm, ViewerProcessFacts *facts)
{
  char *open = strchr(stat, '('), *close = strrchr(stat, ')');
  guint64 user_time, system_time;
  guint flags;
  char state;

  if (!open || !close || close < open)
    return FALSE;
  *close = '\0';
  *ret_comm = open + 1;
  if (sscanf(close + 1,
             " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
             " %*d %*d %*d %*d %*d %*d %" G_GUINT64_FORMAT,
             &state, &flags, &user_time, &system_time, &facts->start) != 5)
    return FALSE;
  facts->time = (user_time + system_time) * (1000000000 / (guint64)sysconf(_SC_CLK_TCK));
  return !(flags & KERNEL_THREAD) && state != 'Z' && state != 'X';
}

static ViewerProcessFacts *look_at(ViewerProcessScan *self, int proc, const char *number)
{
  g_autoptr(ViewerProcessFacts) facts = g_atomic_rc_box_new0(ViewerProcessFacts);
  int directory = openat(proc, number, O_PATH | O_DIRECTORY | O_CLOEXEC);
  char stat_line[1024];
  const char *comm;
  struct stat status;

  if (directory < 0)
    return NULL;
  gboolean there = fstat(directory, &status) == 0 &&
                   read_file(directory, "stat", stat_line, sizeof stat_line) > 0 &&
                   parse_stat(stat_line, &comm, facts);
  if (there) {
    facts->pid = (pid_t)g_ascii_strtoll(number, NULL, 10);
    facts->uid = status.st_uid;
    facts->user = g_strdup(find_user(self, status.st_uid));
    facts->name = make_name(comm, directory);
    facts->command_line = read_command_line(directory);
    g_autofree char *program = get_program(directory, facts->name);
    facts->icon = find_icon(self, program);
  }
  close(directory);
  return there ? g_steal_pointer(&facts) : NULL;
}

int viewer_process_facts_compare(const ViewerProcessFacts *a, const ViewerProcessFacts *b)
{
  uid_t self = geteuid();
  int order = (b->uid == self) - (a->uid == self);

  if (order == 0)
    order = g_ascii_strcasecmp(a->name, b->name);
  if (order == 0)
    order = strcmp(a->name, b->name);
  if (order == 0)
    order = (a->pid > b->pid) - (a->pid < b->pid);
  return order ? order : (a->start > b->start) - (a->start < b->start);
}

static int process_scan_compare(gconstpointer a, gconstpointer b)
{
  return viewer_process_facts_compare(*(ViewerProcessFacts *const *)a, *(ViewerProcessFacts *const *)b);
}

GPtrArray *viewer_process_scan_look(ViewerProcessScan *self)
{
  GPtrArray *processes = g_ptr_array_new_with_free_func((GDestroyNotify)viewer_process_facts_unref);
  int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_autoptr(GDir) directory = g_dir_open("/proc", 0, NULL);
  const char *name;

  while (proc >= 0 && directory && (name = g_dir_read_name(directory))) {
    ViewerProcessFacts *facts = g_ascii_isdigit(*name) ? look_at(self, proc, name) : NULL;
    if (facts)
      g_ptr_array_add(processes, facts);
  }
  if (proc >= 0)
    close(proc);
  g_ptr_array_sort(processes, process_scan_compare);
  return processes;
}
