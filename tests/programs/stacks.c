/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks of every kind, for unwinders. `stacks KIND MILLISECONDS [LIBRARY]` spends its time in spin(), called
 * by middle(), called by outer(), called by run_KIND(), whatever is below that. To be compiled without frame
 * pointers.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define FAR __attribute__((noinline, noclone))

static volatile unsigned long sink;
static uint64_t end;
static const char *library;
static char **arguments;

FAR static uint64_t now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The first quarter of the time. */
static uint64_t late(void)
{
  uint64_t begin = now();

  return begin + (end - begin) / 4;
}

/* About a tenth of a millisecond. */
FAR static void spin(void)
{
  for (int i = 0; i < 100000; i++)
    sink++;
}

FAR static void middle(void)
{
  spin();
  sink++;
}

FAR static void outer(void)
{
  middle();
  sink++;
}

FAR static void run_plain(void)
{
  while (now() < end)
    outer();
  sink++;
}

FAR static void *thread(void *unused)
{
  run_plain();
  sink++;
  return unused;
}

FAR static void run_threads(void)
{
  pthread_t threads[3];

  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, thread, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
}

/* The process goes on after its first thread. */
FAR static void run_leader(void)
{
  pthread_t other;

  pthread_create(&other, NULL, thread, NULL);
  pthread_exit(NULL);
}

FAR static void interrupted(void)
{
  while (now() < end)
    raise(SIGUSR1);
}

FAR static void handler(int number)
{
  outer();
  sink += (unsigned)number;
}

static void handle(int flags)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

  sigaction(SIGUSR1, &action, NULL);
}

FAR static void run_signal(void)
{
  handle(0);
  interrupted();
  sink++;
}

FAR static void run_sigaltstack(void)
{
  stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  uint64_t until = late();

  while (now() < until)
    outer();
  sigaltstack(&other, NULL);
  handle(SA_ONSTACK);
  interrupted();
  sink++;
}

/* Comes from a timer, anywhere in the function. */
FAR static void run_timer(void)
{
  struct itimerval every = {{0, 1300}, {0, 1300}};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  run_plain();
  sink++;
}

FAR static void open_library(void)
{
  void *opened = dlopen(library, RTLD_NOW);
  void (*call)(void (*)(void), uint64_t) =
      opened ? (void (*)(void (*)(void), uint64_t))dlsym(opened, "call") : NULL;

  if (!call) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  call(outer, end);
  sink++;
}

FAR static void run_dlopen(void)
{
  uint64_t until = late();

  while (now() < until)
    outer();
  open_library();
}

/* Gone from its directory while it is used. */
FAR static void call_and_unlink(void)
{
  unlink(library);
  outer();
}

FAR static void run_deleted(void)
{
  void *opened = dlopen(library, RTLD_NOW);
  void (*call)(void (*)(void), uint64_t) =
      opened ? (void (*)(void (*)(void), uint64_t))dlsym(opened, "call") : NULL;

  if (!call)
    exit(1);
  unlink(library);
  call(call_and_unlink, end);
  sink++;
}

FAR static void run_fork(void)
{
  while (now() < end) {
    pid_t child = fork();

    if (child == 0) {
      for (int i = 0; i < 20; i++)
        outer();
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
}

/* A new program in the same process every few milliseconds: the same, or LIBRARY and it in turns. */
FAR static void run_exec(void)
{
  char rest[32];

  for (int i = 0; i < 20; i++)
    outer();
  if (now() >= end)
    return;
  snprintf(rest, sizeof rest, "%llu", (unsigned long long)((end - now()) / 1000000));
  execl(library ? library : "/proc/self/exe", library ? library : arguments[0], "exec", rest,
        library ? arguments[0] : NULL, (char *)NULL);
}

/* Mostly in the kernel. */
FAR static void run_syscall(void)
{
  static char buffer[1 << 16];
  int from = open("/dev/zero", O_RDONLY);

  while (now() < end)
    for (int i = 0; i < 100; i++)
      sink += (unsigned long)read(from, buffer, sizeof buffer);
}

/* Through the procedure linkage table, over and over. */
FAR static void run_plt(void)
{
  while (now() < end)
    for (int i = 0; i < 100000; i++)
      sink += (unsigned long)labs((long)sink);
}

FAR static void run_vdso(void)
{
  while (now() < end)
    sink++;
}

/* A realigned stack: the frame is found through a register, then through memory. */
FAR static void aligned(unsigned size)
{
  char block[256] __attribute__((aligned(128)));
  char *more = alloca(size);

  memset(block, (int)size, sizeof block);
  more[0] = block[size % 256];
  outer();
  sink += (unsigned long)more[0] + (unsigned long)block[1];
}

FAR static void run_aligned(void)
{
  while (now() < end)
    aligned(64 + (unsigned)sink % 64);
}

#ifdef __x86_64__
/* Without any description; rbp is no frame pointer in it. */
void by_hand(void (*call)(void));
__asm__(".text\n"
        ".p2align 4\n"
        ".type by_hand, @function\n"
        "by_hand:\n"
        "push %rbp\n"
        "push %rbx\n"
        "sub $24, %rsp\n"
        "mov %rdi, %rbx\n"
        "mov $1, %ebp\n"
        "call *%rbx\n"
        "add $24, %rsp\n"
        "pop %rbx\n"
        "pop %rbp\n"
        "ret\n"
        ".size by_hand, . - by_hand\n");

FAR static void run_assembly(void)
{
  while (now() < end)
    by_hand(outer);
}
#endif

FAR static void deeper(int n)
{
  if (n > 0)
    deeper(n - 1);
  else
    outer();
  sink++;
}

FAR static void run_deep(void)
{
  while (now() < end)
    deeper(300);
}

static ucontext_t here, there;

FAR static void coroutine(void)
{
  for (;;) {
    outer();
    swapcontext(&there, &here);
  }
}

FAR static void run_context(void)
{
  getcontext(&there);
  there.uc_stack.ss_sp = malloc(1 << 16);
  there.uc_stack.ss_size = 1 << 16;
  makecontext(&there, coroutine, 0);
  while (now() < end)
    swapcontext(&here, &there);
}

#ifdef __x86_64__
/* Machine code made at run time, with a frame pointer: push rbp; mov rbp, rsp; call rdi; pop rbp; ret */
FAR static void run_jit(void)
{
  /* What comes behind the call is no way straight to the return: mov %eax, %eax. */
  static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x89, 0xc0, 0x5d, 0xc3};
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  memcpy(memory, code, sizeof code);
  while (now() < end)
    ((void (*)(void (*)(void)))memory)(outer);
}
#endif

/* The call is the function's last instruction: its return address lies in the next function. */
static void (*last_call)(void);
FAR static void call_last(void) __attribute__((noreturn));
FAR static void call_last(void)
{
  last_call();
  __builtin_unreachable();
}

FAR static void spin_and_leave(void)
{
  run_plain();
  exit(0);
}

FAR static void run_noreturn(void)
{
  last_call = spin_and_leave;
  call_last();
}

static const struct {
  const char *name;
  void (*run)(void);
} kinds[] = {{"plain", run_plain},      {"threads", run_threads},         {"leader", run_leader},
             {"signal", run_signal},    {"sigaltstack", run_sigaltstack}, {"timer", run_timer},
             {"dlopen", run_dlopen},    {"deleted", run_deleted},         {"fork", run_fork},
             {"exec", run_exec},        {"syscall", run_syscall},         {"plt", run_plt},
             {"vdso", run_vdso},        {"aligned", run_aligned},         {"deep", run_deep},
             {"context", run_context},
#ifdef __x86_64__
             {"jit", run_jit},          {"assembly", run_assembly},
#endif
             {"noreturn", run_noreturn}};

int main(int argc, char **argv)
{
  if (argc < 3)
    return 2;
  arguments = argv;
  library = argc > 3 ? argv[3] : NULL;
  end = now() + strtoull(argv[2], NULL, 10) * 1000000;
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, argv[1]) == 0) {
      kinds[i].run();
      return 0;
    }
  }
  return 2;
}
