/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-opener as a caller: what it proves, what it opens, whom it lets near, and what ends it. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "helpers/opener-protocol.h"
#include "helpers/packet.h"
#include "trust-fixture.h"

struct opener {
  pid_t pid;
  int socket;
};

static void set_up(struct opener *opener, gconstpointer data)
{
  opener->pid = trust_opener(TRUST_CALLER, "ipc_lock", &opener->socket);
}

static void tear_down(struct opener *opener, gconstpointer data)
{
  close(opener->socket);
  g_assert_cmpint(waitpid(opener->pid, NULL, 0), ==, opener->pid);
}

static struct opener_request request_of(enum opener_type type, pid_t pid)
{
  return (struct opener_request){
      .type = type, .size = sizeof(struct opener_request), .version = OPENER_PROTOCOL_VERSION, .pid = pid};
}

/* Returns the descriptor that came with the answer, or -1. */
static int ask(int socket, const struct opener_request *request, int fd, struct opener_answer *ret)
{
  int got = -1;
  g_assert_cmpint(packet_send(socket, request, sizeof *request, fd, true), ==, 0);
  g_assert_cmpint(packet_receive(socket, ret, sizeof *ret, &got, true), ==, sizeof *ret);
  g_assert_cmpuint(ret->type, ==, request->type);
  g_assert_cmpuint(ret->size, ==, sizeof *ret);
  return got;
}

static int prove(struct opener *opener, pid_t pid, int pidfd)
{
  struct opener_answer answer;
  struct opener_request request = request_of(OPENER_PROVE, pid);
  g_assert_cmpint(ask(opener->socket, &request, pidfd, &answer), ==, -1);
  g_assert_cmpuint(answer.kind, ==, OPENER_DONE);
  return answer.error;
}

static int prove_pid(struct opener *opener, pid_t pid)
{
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  g_assert_cmpint(pidfd, >=, 0);
  int error = prove(opener, pid, pidfd);
  close(pidfd);
  return error;
}

static void test_proofs(struct opener *opener, gconstpointer data)
{
  pid_t own = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  pid_t other = trust_target(TRUST_OTHER, NULL, "spin", "60", NULL);
  pid_t hidden = trust_target(TRUST_CALLER, NULL, "hide", "60", NULL);
  trust_await_hidden(hidden);
  g_assert_cmpint(prove_pid(opener, own), ==, 0);
  g_assert_cmpint(prove_pid(opener, other), ==, EACCES);
  g_assert_cmpint(prove_pid(opener, hidden), ==, EACCES);
  g_assert_cmpint(prove_pid(opener, getpid()), ==, EACCES);
  g_assert_cmpint(prove_pid(opener, 1), ==, EACCES);
  g_assert_cmpint(prove_pid(opener, 2), ==, EACCES); /* the kernel's, which has no memory to look into */
  g_assert_cmpint(prove_pid(opener, own), ==, 0);
  trust_end(own);
  trust_end(other);
  trust_end(hidden);
}

/* The number and the descriptor must be one process, and its leader. */
static void test_mismatches(struct opener *opener, gconstpointer data)
{
  pid_t own = trust_target(TRUST_CALLER, NULL, "threads", "60", NULL);
  pid_t other = trust_target(TRUST_OTHER, NULL, "spin", "60", NULL);
  int pidfd = (int)syscall(SYS_pidfd_open, own, 0), memory = memfd_create("no pidfd", MFD_CLOEXEC);
  g_assert_cmpint(prove(opener, own, pidfd), ==, 0);
  g_assert_cmpint(prove(opener, other, pidfd), ==, EINVAL);
  g_assert_cmpint(prove(opener, 0, pidfd), ==, EINVAL);
  g_assert_cmpint(prove(opener, -1, pidfd), ==, EINVAL);
  g_assert_cmpint(prove(opener, own, memory), ==, EBADF);
  trust_end(other);
  trust_end(own);
  g_assert_cmpint(prove(opener, own, pidfd), ==, ESRCH);
  close(pidfd);
  close(memory);
}

/* Alive no more, but its number not yet free. */
static void test_zombie(struct opener *opener, gconstpointer data)
{
  pid_t own = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  int pidfd = (int)syscall(SYS_pidfd_open, own, 0);
  siginfo_t information;
  kill(own, SIGKILL);
  g_assert_cmpint(waitid(P_PID, (id_t)own, &information, WEXITED | WNOWAIT), ==, 0);
  g_assert_cmpint(prove(opener, own, pidfd), !=, 0);
  close(pidfd);
  trust_end(own);
}

static int look(struct opener *opener, pid_t pid, guint file, int *ret_error)
{
  struct opener_answer answer;
  struct opener_request request = request_of(OPENER_PROC, pid);
  request.tid = pid;
  request.file = file;
  int fd = ask(opener->socket, &request, -1, &answer);
  g_assert_true((fd >= 0) == (answer.error == 0));
  *ret_error = answer.error;
  return fd;
}

static void test_proc(struct opener *opener, gconstpointer data)
{
  pid_t own = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  pid_t other = trust_target(TRUST_OTHER, NULL, "spin", "60", NULL);
  for (guint file = OPENER_PROC_MAPS; file <= OPENER_PROC_NAME; file++) {
    char text[4096] = "";
    int error, fd = look(opener, own, file, &error);
    g_assert_cmpint(error, ==, 0);
    g_assert_cmpint(read(fd, text, sizeof text - 1), >, 0);
    g_assert_nonnull(strstr(text, "recorder-target"));
    close(fd);
  }
  int error;
  g_assert_cmpint(look(opener, other, OPENER_PROC_MAPS, &error), ==, -1);
  g_assert_cmpint(error, ==, EACCES);
  trust_end(own);
  trust_end(other);
}

/* The socket goes from one owner to another between two requests. */
static void test_other_owner(struct opener *opener, gconstpointer data)
{
  pid_t own = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  g_assert_cmpint(prove_pid(opener, own), ==, 0);
  pid_t child = fork();
  if (child == 0)
    _exit(prove_pid(opener, own) != 0);
  int status;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(status, ==, 0);
  g_assert_cmpint(prove_pid(opener, own), ==, 0);
  trust_end(own);
}

static void assert_ends(struct opener *opener)
{
  char bytes[sizeof(struct opener_answer)];
  int fd = -1;
  g_assert_cmpint(packet_receive(opener->socket, bytes, sizeof bytes, &fd, true), ==, 0);
}

static void send_request(struct opener *opener, const struct opener_request *request, gsize size, int fd)
{
  g_assert_cmpint(packet_send(opener->socket, request, size, fd, true), ==, 0);
}

typedef void (*spoil_fn)(struct opener_request *request);

static void spoil_type(struct opener_request *request)
{
  request->type = 4711;
}
static void spoil_size(struct opener_request *request)
{
  request->size++;
}
static void spoil_version(struct opener_request *request)
{
  request->version++;
}
static void spoil_path(struct opener_request *request)
{
  request->type = OPENER_OPEN;
  request->binary.path_length = UINT32_MAX;
}
static void spoil_build_id(struct opener_request *request)
{
  request->type = OPENER_OPEN;
  request->binary.build_id_size = OPENER_BUILD_ID_MAX + 1;
}
static void spoil_file(struct opener_request *request)
{
  request->file = 4;
}
static void spoil_proof(struct opener_request *request)
{
  request->type = OPENER_PROVE; /* without a pidfd */
}
static void spoil_store(struct opener_request *request)
{
  request->type = OPENER_STORE; /* of nothing */
  g_strlcpy(request->identity, "0123", sizeof request->identity);
}
/* An identity becomes the name of a file. */
static void spoil_identity(struct opener_request *request)
{
  request->type = OPENER_STORE;
  request->error = ENODATA;
  g_strlcpy(request->identity, "../../escaped", sizeof request->identity);
}
static void spoil_endless_identity(struct opener_request *request)
{
  request->type = OPENER_STORE;
  request->error = ENODATA;
  memset(request->identity, 'a', sizeof request->identity);
}
static void spoil_negative_error(struct opener_request *request)
{
  request->type = OPENER_STORE;
  request->error = -1;
  g_strlcpy(request->identity, "0123", sizeof request->identity);
}

static void test_broken_rules(void)
{
  static const spoil_fn spoils[] = {
      spoil_type,          spoil_size,  spoil_version, spoil_path,     spoil_build_id,
      spoil_file,          spoil_proof, spoil_store,   spoil_identity, spoil_endless_identity,
      spoil_negative_error};
  for (guint i = 0; i < G_N_ELEMENTS(spoils); i++) {
    struct opener opener;
    struct opener_request request = request_of(OPENER_PROC, 1);
    request.file = OPENER_PROC_NAME;
    set_up(&opener, NULL);
    spoils[i](&request);
    send_request(&opener, &request, sizeof request, -1);
    assert_ends(&opener);
    tear_down(&opener, NULL);
  }
}

static void test_short_request(struct opener *opener, gconstpointer data)
{
  struct opener_request request = request_of(OPENER_PROC, 1);
  send_request(opener, &request, 8, -1);
  assert_ends(opener);
}

/* Tries, as that user, to look into the process and to take it over, in every way there is; returns which
 * worked. */
static guint attack(guint user, pid_t pid)
{
  int pair[2];
  guint worked = 0;
  g_assert_cmpint(pipe(pair), ==, 0);
  pid_t attacker = fork();
  if (attacker == 0) {
    g_autofree char *memory = g_strdup_printf("/proc/%d/mem", pid);
    if (setgroups(0, NULL) < 0 || setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0)
      _exit(1);
    int fd = open(memory, O_RDWR | O_CLOEXEC);
    worked |= fd >= 0;
    close(fd);
    worked |= (guint)(ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0) << 1;
    worked |= (guint)(syscall(SYS_kcmp, pid, getpid(), 0, 0, 0) >= 0) << 2;
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    worked |= (guint)(syscall(SYS_pidfd_getfd, pidfd, 3, 0) >= 0) << 3;
    _exit(write(pair[1], &worked, sizeof worked) != sizeof worked);
  }
  int status;
  g_assert_cmpint(waitpid(attacker, &status, 0), ==, attacker);
  g_assert_cmpint(status, ==, 0);
  g_assert_cmpint(read(pair[0], &worked, sizeof worked), ==, sizeof worked);
  close(pair[0]);
  close(pair[1]);
  return worked;
}

/* Between its exec and the moment when it hides itself, a capability that the user lacks keeps him out. */
static void test_capability_protects(void)
{
  GPid pid;
  g_autoptr(GError) error = NULL;
  g_autofree char *program = trust_target_program();
  g_auto(GStrv) as = recorder_client_command_as(TRUST_CALLER, "ipc_lock", program, "spin");
  g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
  g_strv_builder_addv(argv, (const char **)as);
  g_strv_builder_add(argv, "60");
  g_auto(GStrv) all = g_strv_builder_end(argv);
  g_spawn_async("/", all, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH, NULL, NULL, &pid, &error);
  g_assert_no_error(error);
  trust_await_name(pid, "recorder-target");
  g_assert_cmpuint(attack(TRUST_CALLER, pid), ==, 0);
  trust_end(pid);
}

/* From before its exec on: the attacks begin at once, and go on until long after it has settled. */
static void test_attacks(void)
{
  pid_t victim = trust_target(TRUST_CALLER, NULL, "spin", "60", NULL);
  g_assert_cmpuint(attack(TRUST_CALLER, victim), !=, 0);
  trust_end(victim);
  for (guint round = 0; round < 20; round++) {
    struct opener opener;
    set_up(&opener, NULL);
    for (guint i = 0; i < 5; i++)
      g_assert_cmpuint(attack(TRUST_CALLER, opener.pid), ==, 0);
    tear_down(&opener, NULL);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(path, test) g_test_add("/opener/" path, struct opener, NULL, set_up, test, tear_down)
  ADD("proofs", test_proofs);
  ADD("mismatches", test_mismatches);
  ADD("zombie", test_zombie);
  ADD("proc", test_proc);
  ADD("other-owner", test_other_owner);
  ADD("short-request", test_short_request);
  g_test_add_func("/opener/broken-rules", test_broken_rules);
  g_test_add_func("/opener/capability-protects", test_capability_protects);
  g_test_add_func("/opener/attacks", test_attacks);
  return g_test_run();
}
