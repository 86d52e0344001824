#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the preloaded library costs: allocations untraced, traced and under heaptrack; sampling by the processor's clock. In pairs: each
run of a way has one of the bare program beside it, in turns. Processor time of the program (user and system), not the clock's.

    ROUNDS=15 bench/run preload
"""
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile

BUILD = pathlib.Path(os.environ['CAPTURE_BUILDDIR'])
CAPTURECTL = BUILD / 'capturectl' / 'capturectl'
LIBRARY = BUILD / 'helpers' / 'preload' / 'libcapture-preload.so'
ROUNDS = int(os.environ.get('ROUNDS', 15))

ALLOCATOR = r'''
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define N 4096
static void *blocks[N];
static __attribute__((noinline)) void *take(uint64_t random) { return malloc(16 + random % 512); }
static __attribute__((noinline)) void turn(unsigned n, uint64_t *random)
{
  if (n > 0) {
    turn(n - 1, random);
    __asm__ volatile("");
    return;
  }
  for (int i = 0; i < 1000; i++) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    unsigned k = *random >> 33 & (N - 1);
    free(blocks[k]);
    blocks[k] = take(*random >> 45);
    *(volatile char *)blocks[k] = 1;
  }
}
int main(int argc, char **argv)
{
  struct timespec used;
  uint64_t random = 1;
  for (int i = 0; i < 3000; i++)
    turn(20, &random);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  fprintf(stderr, "USED %lld\n", (long long)used.tv_sec * 1000000000 + used.tv_nsec);
  return 0;
}
'''

SPINNER = r'''
#include <stdint.h>
#include <stdio.h>
#include <time.h>
static volatile unsigned long sink;
static __attribute__((noinline)) void turn(unsigned n) { if (n > 0) turn(n - 1); else for (int i = 0; i < 10000; i++) sink += i; sink++; }
int main(void)
{
  struct timespec used;
  for (int i = 0; i < 40000; i++)
    turn(25);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  fprintf(stderr, "USED %lld\n", (long long)used.tv_sec * 1000000000 + used.tv_nsec);
  return 0;
}
'''


def compile_c(directory, name, source):
    path = pathlib.Path(directory) / name
    path.with_suffix('.c').write_text(source)
    subprocess.run(['gcc', '-O2', '-fomit-frame-pointer', '-fno-builtin', '-o', path, path.with_suffix('.c')], check=True)
    return path


def used(command, env=None, cwd=None):
    """Milliseconds of processor time that the program says it had from its first instruction to its last."""
    done = subprocess.run([str(word) for word in command], env={**os.environ, **(env or {})}, cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return int(next(line for line in done.stderr.splitlines() if line.startswith('USED')).split()[1]) / 1e6


def compare(title, bare, way, **how):
    """The median of the differences within pairs, and where half of them lie."""
    pairs = [(used(bare), used(way, **how)) for _ in range(ROUNDS)]
    shares = sorted((b - a) / a * 100 for a, b in pairs)
    quartiles = statistics.quantiles(shares, n=4)
    print(f'{title:46} {statistics.median(a for a, _ in pairs):8.1f} ms {statistics.median(b for _, b in pairs):8.1f} ms  '
          f'{statistics.median(shares):+8.2f} %  ({quartiles[0]:+.2f} to {quartiles[2]:+.2f})', flush=True)
    return statistics.median(b - a for a, b in pairs)


def main():
    with tempfile.TemporaryDirectory() as directory:
        allocator, spinner = compile_c(directory, 'allocator', ALLOCATOR), compile_c(directory, 'spinner', SPINNER)
        record = [CAPTURECTL, 'record', '-q', '--via', 'preload', '-o', pathlib.Path(directory) / 'a.capture']
        print(f'{ROUNDS} pairs each; load average {os.getloadavg()[0]:.1f}\n')
        print(f'{"":46} {"bare":>11} {"with it":>11}  {"median":>10}  (half of the pairs)')
        print('3,000,000 times malloc and free, 16 to 527 bytes, 20 frames deep:')
        for title, options in (('sampled every 512 KiB allocated', ('--allocations=524288',)), ('every 4 KiB', ('--allocations=4096',)),
                               ('every allocation', ('--allocations=1',))):
            extra = compare(f'  {title}', [allocator], [*record, *options, '--', allocator])
            print(f'    {extra * 1e6 / 3e6:.1f} ns an allocation and its free')
        compare('  the library without a recording', [allocator], [allocator], env={'LD_PRELOAD': str(LIBRARY)})
        compare('  recorded, allocations not traced', [allocator], [*record, '--', allocator])
        if shutil.which('heaptrack'):
            extra = compare('  heaptrack', [allocator], ['heaptrack', '-o', pathlib.Path(directory) / 'heap', allocator], cwd=directory)
            print(f'    {extra * 1e6 / 3e6:.1f} ns an allocation and its free; its interpreter is another process')
        else:
            print('  heaptrack is not installed: not measured')
        print('A loop, 26 frames deep, without frame pointers:')
        compare('  sampled at 1,000 Hz', [spinner], [*record, '-F', '1000', '--', spinner])
        compare('  beside itself', [spinner], [spinner])


if __name__ == '__main__':
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
