/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands where a walker hardly finds its way: bpf-target MODE. Runs until it is killed. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (1 << 20)

static void *map(int flags)
{
  return mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static int in_kernel(void)
{
  static char bytes[SIZE];
  int fd = open("/dev/zero", O_RDONLY);
  while (read(fd, bytes, sizeof bytes) > 0)
    ;
  return 1;
}

/* Spins far below the stack's beginning. */
static int spin_deep(void)
{
  volatile char room[256 << 10];
  memset((void *)room, 1, sizeof room);
  for (;;)
    room[0]++;
  return room[1];
}

#ifdef __x86_64__
/* Spins with the stack pointer at `sp`, by a rule that finds the return address there. */
void spin_at(void *sp);
__asm__(".text\n"
        "spin_at:\n"
        ".cfi_startproc\n"
        "mov %rdi, %rsp\n"
        "1: jmp 1b\n"
        ".cfi_endproc\n");

/* Reads all the time with the stack pointer at `sp`, by a rule as above. */
void read_at(void *sp, int fd, void *bytes, size_t size);
__asm__(".text\n"
        "read_at:\n"
        ".cfi_startproc\n"
        "mov %rdi, %rsp\n"
        "mov %esi, %edi\n"
        "mov %rdx, %rsi\n"
        "mov %rcx, %rdx\n"
        "1: xor %eax, %eax\n"
        "syscall\n"
        "jmp 1b\n"
        ".cfi_endproc\n");

/* Spins in 32-bit code. */
static int spin_32_bit(void)
{
  uint8_t *code = map(MAP_32BIT);
  memcpy(code, "\xeb\xfe", 2);
  __asm__ volatile("mov %0, %%rsp\n"
                   "push $0x23\n"
                   "push %1\n"
                   "lretq\n"
                   :
                   : "r"(code + SIZE / 2), "r"(code)
                   : "memory");
  return 1;
}
#endif

int main(int argc, char **argv)
{
  if (argc != 2)
    return 2;
  if (strcmp(argv[1], "in-kernel") == 0)
    return in_kernel();
  if (strcmp(argv[1], "deep") == 0)
    return spin_deep();
#ifdef __x86_64__
  if (strcmp(argv[1], "32-bit") == 0)
    return spin_32_bit();
  if (strcmp(argv[1], "unmapped") == 0)
    spin_at((void *)4096);
  if (strcmp(argv[1], "untouched") == 0)
    spin_at((char *)map(0) + SIZE / 2);
  if (strcmp(argv[1], "untouched-in-kernel") == 0)
    read_at((char *)map(0) + SIZE / 2, open("/dev/zero", O_RDONLY), map(MAP_POPULATE), SIZE);
#endif
  return 2;
}
