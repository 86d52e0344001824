/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compute: runs code that examples/jit generated for each "FRAMES N SOURCE" on a line, and prints what it
 * returns. */
#include "jit.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
  static struct jit_code code;
  char *memory =
      mmap(NULL, JIT_MAX_CODE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int frames;
  long n;
  char source[256];
  while (scanf("%d %ld %255[^\n]", &frames, &n, source) == 3) {
    code.frames = (enum jit_frames)frames;
    if (memory == MAP_FAILED || jit_compile(&code, source) < 0) {
      puts("refused");
      continue;
    }
    memcpy(memory, code.bytes, code.length);
    __builtin___clear_cache(memory, memory + code.length);
    printf("%lld\n", (long long)((jit_function)(uintptr_t)memory)(n));
  }
  return 0;
}
