/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process that confined itself as the elf-reader does can still do: tried, not believed. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <glib.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/elf-reader/elf-reader-confine.h"

#define ORDINARY 12345

/* A socket by which a child says that it is as far as it should be, and is told to go on. */
struct child {
  pid_t pid;
  int socket;
};

static void become_ordinary(void)
{
  if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setresgid(ORDINARY, ORDINARY, ORDINARY) < 0 ||
                         setresuid(ORDINARY, ORDINARY, ORDINARY) < 0))
    _exit(90);
}

/* Runs `inside` in a child that gave up its rights, and the calls too when asked. Its result is the exit
 * status. */
static struct child start(gboolean as_ordinary, gboolean calls, int (*inside)(int socket))
{
  struct child child;
  int pair[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), ==, 0);
  child.pid = fork();
  g_assert_cmpint(child.pid, >=, 0);
  if (child.pid == 0) {
    if (as_ordinary)
      become_ordinary();
    if (elf_reader_give_up_rights(pair[1]) < 0)
      _exit(91);
    if (calls && elf_reader_give_up_calls(pair[1]) < 0)
      _exit(92);
    syscall(SYS_exit_group, inside(pair[1]));
  }
  close(pair[1]);
  child.socket = pair[0];
  return child;
}

static int end(struct child *child)
{
  int status;
  close(child->socket);
  g_assert_cmpint(waitpid(child->pid, &status, 0), ==, child->pid);
  return status;
}

static void assert_survives(gboolean calls, int (*inside)(int socket))
{
  for (gboolean as_ordinary = FALSE; as_ordinary <= TRUE; as_ordinary++) {
    struct child child = start(as_ordinary, calls, inside);
    int status = end(&child);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
  }
}

static int wait_for_word(int socket)
{
  char word = 'x';
  struct iovec iovec = {&word, 1};
  struct msghdr header = {.msg_iov = &iovec, .msg_iovlen = 1};
  if (sendmsg(socket, &header, 0) != 1)
    return 1;
  return recvmsg(socket, &header, 0) == 0 ? 0 : 2;
}

static char *status_of(struct child *child)
{
  char word, *text;
  g_autofree char *path = g_strdup_printf("/proc/%d/status", child->pid);
  g_assert_cmpint(recv(child->socket, &word, 1, 0), ==, 1);
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return text;
}

static void assert_line(const char *status, const char *name, const char *value)
{
  g_autofree char *line = g_strdup_printf("\n%s:\t%s\n", name, value);
  if (strstr(status, line) == NULL)
    g_error("no line “%s: %s” in %s", name, value, status);
}

static void test_status(void)
{
  static const char none[] = "0000000000000000";
  for (gboolean as_ordinary = FALSE; as_ordinary <= TRUE; as_ordinary++) {
    struct child child = start(as_ordinary, TRUE, wait_for_word);
    g_autofree char *status = status_of(&child);
    assert_line(status, "CapInh", none);
    assert_line(status, "CapPrm", none);
    assert_line(status, "CapEff", none);
    assert_line(status, "CapAmb", none);
    if (!as_ordinary && geteuid() == 0) {
      assert_line(status, "CapBnd", none);
      assert_line(status, "Uid", "65534\t65534\t65534\t65534");
      assert_line(status, "Gid", "65534\t65534\t65534\t65534");
      assert_line(status, "Groups", " ");
    }
    assert_line(status, "NoNewPrivs", "1");
    assert_line(status, "Seccomp", "2");
    g_assert_cmpint(end(&child), ==, 0);
  }
}

static gboolean is_denied(int result)
{
  return result < 0 &&
         (errno == ENOENT || errno == EACCES || errno == EPERM || errno == ENOTDIR || errno == ESRCH);
}

/* Before system calls are closed: the file system is out of reach by itself. */
static int reach_for_files(int socket)
{
  static const char *const paths[] = {"/",  "/etc/passwd", "/proc/self/status", "/dev/null",        "/tmp",
                                      "..", "../..",       "/usr/lib",          "/proc/1/root/etc", "."};
  for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
    int fd = open(paths[i], O_RDONLY);
    char entries[4096];
    /* An empty directory may be opened where there is no Landlock; there is nothing in it but itself. */
    if (fd >= 0 && syscall(SYS_getdents64, fd, entries, sizeof entries) > 64)
      return (int)i + 1;
    if (fd < 0 && !is_denied(fd))
      return (int)i + 21;
  }
  if (!is_denied(open("/new", O_CREAT | O_WRONLY, 0600)) || !is_denied(mkdir("/new", 0700)))
    return 50;
  return 0;
}

static int look_at_descriptors(int socket)
{
  for (int fd = 0; fd < 1024; fd++) {
    struct stat status;
    if (fstat(fd, &status) < 0)
      continue;
    if (fd == socket ? !S_ISSOCK(status.st_mode) : fd > 2 || !S_ISCHR(status.st_mode))
      return 1 + (fd & 63);
  }
  return 0;
}

static int look_at_limits(int socket)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_CORE, &limit) < 0 || limit.rlim_max != 0)
    return 1;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max > ELF_READER_DESCRIPTORS_MAX + 16)
    return 2;
  if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_max > UINT64_C(1) << 30)
    return 3;
#ifndef __SANITIZE_ADDRESS__
  if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_max > UINT64_C(16) << 30)
    return 4;
  if (getrlimit(RLIMIT_DATA, &limit) < 0 || limit.rlim_max > UINT64_C(2) << 30)
    return 5;
#endif
  return prctl(PR_GET_DUMPABLE) == 0 ? 0 : 6;
}

static void test_files(void)
{
  assert_survives(FALSE, reach_for_files);
}

static void test_descriptors(void)
{
  assert_survives(FALSE, look_at_descriptors);
}

static void test_limits(void)
{
  assert_survives(FALSE, look_at_limits);
}

/* What it needs for its work, and still has. */
static int work(int socket)
{
  struct itimerval limit = {.it_value = {.tv_sec = 5}};
  struct timespec time;
  int fd = memfd_create("work", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || write(fd, "table", 5) != 5 || fcntl(fd, F_ADD_SEALS, ELF_READER_SEALS) < 0)
    return 1;
  char *memory = mmap(NULL, 5, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED || memcmp(memory, "table", 5) != 0 || munmap(memory, 5) < 0)
    return 2;
  if (close(fd) < 0 || setitimer(ITIMER_PROF, &limit, NULL) < 0)
    return 3;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) < 0)
    return 4;
  memory = g_malloc(50 << 20);
  memory[40 << 20] = 1;
  g_free(memory);
  return 0;
}

static void test_work(void)
{
  assert_survives(TRUE, work);
}

static int spin(int socket)
{
  struct itimerval limit = {.it_value = {.tv_usec = 10000}};
  setitimer(ITIMER_PROF, &limit, NULL);
  for (volatile unsigned i = 1; i != 0; i |= 1)
    continue;
  return 1;
}

static void test_time(void)
{
  struct child child = start(FALSE, TRUE, spin);
  int status = end(&child);
  g_assert_true(WIFSIGNALED(status));
  g_assert_cmpint(WTERMSIG(status), ==, SIGPROF);
}

static const struct forbidden {
  const char *name;
  long number;
  long arguments[6];
} forbidden[] = {
    {"openat", SYS_openat, {AT_FDCWD, (long)"/etc/passwd", O_RDONLY}},
    {"openat of a descriptor", SYS_openat, {0, (long)".", O_RDONLY}},
    {"openat2", SYS_openat2, {AT_FDCWD, (long)"/", 0, 0}},
    {"newfstatat", SYS_newfstatat, {AT_FDCWD, (long)"/etc/passwd", 0, 0}},
    {"statx", SYS_statx, {AT_FDCWD, (long)"/", 0, 0, 0}},
    {"readlinkat", SYS_readlinkat, {AT_FDCWD, (long)"/proc/self/exe", 0, 0}},
    {"getdents64", SYS_getdents64, {0, 0, 0}},
    {"unlinkat", SYS_unlinkat, {AT_FDCWD, (long)"/nothing", 0}},
    {"socket", SYS_socket, {AF_INET, SOCK_STREAM, 0}},
    {"socket of this machine", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}},
    {"socketpair", SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, 0}},
    {"connect", SYS_connect, {0, 0, 0}},
    {"sendmsg to another", SYS_sendmsg, {0, 0, 0}},
    {"recvmsg from another", SYS_recvmsg, {0, 0, 0}},
    {"ptrace", SYS_ptrace, {PTRACE_TRACEME}},
    {"process_vm_readv", SYS_process_vm_readv, {1, 0, 0, 0, 0, 0}},
    {"pidfd_open", SYS_pidfd_open, {1, 0}},
    {"execve", SYS_execve, {(long)"/bin/true", 0, 0}},
    {"execveat", SYS_execveat, {0, (long)"", 0, 0, AT_EMPTY_PATH}},
    {"clone", SYS_clone, {SIGCHLD, 0, 0, 0, 0}},
    {"clone3", SYS_clone3, {0, 0}},
    {"kill", SYS_kill, {1, 0}},
    {"tgkill", SYS_tgkill, {1, 1, 0}},
    {"unshare", SYS_unshare, {CLONE_NEWUSER}},
    {"setns", SYS_setns, {0, 0}},
    {"chroot", SYS_chroot, {(long)"/"}},
    {"mount", SYS_mount, {0, 0, 0, 0, 0}},
    {"setuid", SYS_setuid, {0}},
    {"capset", SYS_capset, {0, 0}},
    {"prctl", SYS_prctl, {PR_SET_DUMPABLE, 1}},
    {"prlimit64", SYS_prlimit64, {0, RLIMIT_NOFILE, 0, 0}},
    {"ioctl", SYS_ioctl, {0, TIOCSTI, 0}},
    {"executable memory", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
    {"mprotect", SYS_mprotect, {0, 4096, PROT_EXEC}},
    {"fcntl but for seals", SYS_fcntl, {0, F_DUPFD, 0}},
    {"dup", SYS_dup, {0}},
    {"another timer", SYS_setitimer, {ITIMER_REAL, 0, 0}},
    {"another clock", SYS_clock_gettime, {CLOCK_PROCESS_CPUTIME_ID, 0}},
    {"clock_settime", SYS_clock_settime, {CLOCK_REALTIME, 0}},
    {"perf_event_open", SYS_perf_event_open, {0, 0, -1, -1, 0}},
    {"bpf", SYS_bpf, {0, 0, 0}},
    {"io_uring_setup", SYS_io_uring_setup, {1, 0}},
    {"userfaultfd", SYS_userfaultfd, {0}},
    {"keyctl", SYS_keyctl, {0, 0}},
    {"seccomp", SYS_seccomp, {0, 0, 0}},
    {"memfd of huge pages", SYS_memfd_create, {(long)"huge", MFD_HUGETLB}},
    {"a call of no number", 9999, {0}},
};

static const struct forbidden *tried;

static int try_forbidden(int socket)
{
  const long *argument = tried->arguments;
  syscall(tried->number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
  return 3;
}

static void test_forbidden(const void *data)
{
  tried = data;
  for (gboolean as_ordinary = FALSE; as_ordinary <= TRUE; as_ordinary++) {
    struct child child = start(as_ordinary, TRUE, try_forbidden);
    int status = end(&child);
    g_assert_true(WIFSIGNALED(status));
    g_assert_cmpint(WTERMSIG(status), ==, SIGSYS);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/confine/status", test_status);
  g_test_add_func("/confine/files", test_files);
  g_test_add_func("/confine/descriptors", test_descriptors);
  g_test_add_func("/confine/limits", test_limits);
  g_test_add_func("/confine/work", test_work);
  g_test_add_func("/confine/time", test_time);
  for (gsize i = 0; i < G_N_ELEMENTS(forbidden); i++) {
    g_autofree char *path = g_strdup_printf("/confine/killed for/%s", forbidden[i].name);
    g_test_add_data_func(path, &forbidden[i], test_forbidden);
  }
  return g_test_run();
}
