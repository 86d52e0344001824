# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of recording share: programs to record, and looking into captures and /proc."""
import collections
import os
import pathlib
import re
import subprocess
import sys
import time

from support import CAPTURECTL, SOURCE, capturectl, environment, run

sys.path.insert(0, str(SOURCE / 'tests' / 'decoder'))
from capture_decoder import Capture  # noqa: E402

SANITISED = b'__asan_init' in CAPTURECTL.read_bytes()

ENDED = {0: 'cut-off', 1: 'exited', 2: 'duration', 3: 'interrupted', 4: 'targets-gone', 5: 'recorder-died', 6: 'output-error', 7: 'failed'}

NO_USER_STACK, NO_STACK, LOST = 4, 10, 11  # outcomes
REASONS = {1: 'the ring was full', 2: 'no window was free', 3: 'it was damaged'}

# Works for argv[1] milliseconds of processor time, or for ever with 0, in argv[2] threads more. With argv[3] it leaves
# there, in a ring of 4096 words, the monotonic times at which it ran, about one a millisecond of its own time.
BUSY = r'''
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long counter;
static uint64_t *ring;

static uint64_t now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) static void turn(void)
{
  for (int i = 0; i < 20000; i++)
    counter++;
}

static void *work(void *limit)
{
  uint64_t begin = now(CLOCK_THREAD_CPUTIME_ID), used, last = 0;
  unsigned n = 0;
  do {
    turn();
    used = now(CLOCK_THREAD_CPUTIME_ID) - begin;
    if (ring && limit && used - last >= 1000000) {
      ring[n++ % 4096] = now(CLOCK_MONOTONIC);
      last = used;
    }
  } while (!*(uint64_t *)limit || used < *(uint64_t *)limit * 1000000);
  return NULL;
}

int main(int argc, char **argv)
{
  uint64_t limit = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
  int more = argc > 2 ? atoi(argv[2]) : 0;
  pthread_t thread;
  if (argc > 3) {
    int fd = open(argv[3], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096 * 8) < 0)
      return 1;
    ring = mmap(NULL, 4096 * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  while (more-- > 0)
    pthread_create(&thread, NULL, work, &limit);
  work(&limit);
  return 0;
}
'''

# Forks and execs itself argv[1] times, two at a time; each child works for a moment.
FORKER = r'''
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;
static volatile unsigned long counter;

int main(int argc, char **argv)
{
  if (argc > 2) {
    for (int i = 0; i < 200000; i++)
      counter++;
    return 0;
  }
  char *child[] = {argv[0], "x", "x", 0};
  int n = argc > 1 ? atoi(argv[1]) : 0, running = 0;
  for (int i = 0; i < n; i++) {
    pid_t pid;
    if (posix_spawn(&pid, argv[0], 0, 0, child, environ))
      return 1;
    if (++running == 2)
      wait(0), running--;
  }
  while (wait(0) > 0)
    ;
  return 0;
}
'''


def compile_c(directory, name, source):
    """Compiles source with frame pointers; returns the program's path."""
    path = pathlib.Path(directory) / name
    path.with_suffix('.c').write_text(source)
    run('gcc', '-O1', '-g', '-fno-omit-frame-pointer', '-pthread', '-o', path, path.with_suffix('.c'))
    return path


class Load:
    """A capture that was recorded, read by the second decoder, with what most tests ask of it."""

    def __init__(self, path):
        self.capture = Capture(path)
        self.ended = ENDED[self.capture.file.ended.reason]
        self.status = self.capture.file.ended.status
        self.samples = list(self.capture.samples())
        self.lost = sum(r.fields['samples'] + r.fields['records'] for r in self.capture.records if r.word == 'lost')

    def of_command(self, command):
        return [sample for sample in self.samples if sample.command == command]

    def commands(self):
        return {sample.command for sample in self.samples}

    def unknown(self):
        """Samples without their process or without their thread."""
        return [sample for sample in self.samples if sample.pid < 0 or sample.tid < 0]

    def with_user_stack(self):
        return [sample for sample in self.samples if sample.outcome not in (NO_USER_STACK, NO_STACK)]

    def since_functions(self):
        """Samples with a user stack, by time, from the first on that has a language's function: before it the tables were not there."""
        samples = sorted(self.with_user_stack(), key=lambda sample: sample.time)
        begin = next((i for i, sample in enumerate(samples) if any(frame.told for frame in sample.frames)), len(samples))
        return samples[begin:]

    def losses(self):
        """What it says itself that it lost, in words; empty when it is whole."""
        lost = collections.defaultdict(lambda: [0, 0])
        for record in self.capture.records:
            if record.word == 'lost':
                sums = lost[record.fields['cpu'], record.fields['reason']]
                sums[0] += record.fields['samples']
                sums[1] += record.fields['records']
        said = [f'{samples} samples and {records} records of processor {cpu}: {REASONS.get(reason, "nobody knows why")}'
                for (cpu, reason), (samples, records) in lost.items()]
        stacks = sum(sample.outcome == LOST for sample in self.samples)
        return said + ([f'stacks of {stacks} samples'] if stacks else [])


def record_well(record, enough=1, attempts=5, judged=Load.with_user_stack):
    """record(times) records what works for so many times as long as usual, and returns a Load of it. Beside other work, that may have
    so little of the processors that there are fewer samples than are enough to judge, and the recorder so little that something is
    lost, which it says: then it is recorded again. Returns the last Load, for the test to judge, which must be of something else than
    losses. judged(load) are the samples that the test judges."""
    times = 1
    for _ in range(attempts):
        load = record(times)
        is_enough = len(judged(load)) >= enough
        if is_enough and not load.losses():
            break
        times = times if is_enough else min(4 * times, 16)
    return load


def record_program(command, capture, seconds):
    """A Load of what runs already when it is recorded, and longer."""
    program = subprocess.Popen(command)
    try:
        capturectl('record', '-q', '-F', '999', '--duration', str(seconds), '-p', str(program.pid), '-o', capture)
    finally:
        program.kill()
        program.wait()
    return Load(capture)


def start(*arguments, **how):
    """capturectl in the background, its outputs in pipes."""
    return subprocess.Popen([str(CAPTURECTL), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment(), **how)


def bpf_objects(pid):
    """What a process has of BPF: {('prog', 12), ('map', 7) …}."""
    found = set()
    for path in pathlib.Path(f'/proc/{pid}/fdinfo').glob('*'):
        try:
            said = path.read_text()
        except OSError:
            continue
        found |= {(kind, int(number)) for kind, number in re.findall(r'^(prog|map|link)_id:\t(\d+)$', said, re.M)}
    return found


def wait_until(condition, seconds=20):
    """The first true value of condition(), which is asked every few milliseconds; None when there is none in time."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value or None
        time.sleep(0.004)


def children(pid):
    """{comm: pid} of a process's children, of any of its threads."""
    found = {}
    try:
        for task in os.listdir(f'/proc/{pid}/task'):
            for child in pathlib.Path(f'/proc/{pid}/task/{task}/children').read_text().split():
                found[pathlib.Path(f'/proc/{child}/comm').read_text().strip()] = int(child)
    except OSError:
        pass
    return found


def is_running(pid):
    """False for a process that is gone, or only waits to be reaped."""
    try:
        return pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] not in 'ZX'
    except OSError:
        return False


def is_working(pid):
    """Whether any thread of the process runs, or would if it had a processor."""
    for path in pathlib.Path(f'/proc/{pid}/task').glob('*/stat'):
        try:
            if path.read_text().rpartition(')')[2].split()[0] in 'RD':
                return True
        except OSError:
            continue
    return False


def processor_time(pid):
    """Milliseconds of processor time in user space that the process has had."""
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return int(fields[11]) * 1000 // os.sysconf('SC_CLK_TCK')


def recording_descriptors(pid):
    """Descriptors of a process that belong to a recording, but for those that it offers to commands."""
    found = []
    try:
        for fd in os.listdir(f'/proc/{pid}/fd'):
            target = os.readlink(f'/proc/{pid}/fd/{fd}')
            memory = target.startswith('/memfd:') and not target.startswith('/memfd:capture-syscap ')
            if 'perf_event' in target or memory or '.capture' in target:
                found.append(target)
    except OSError:
        pass
    return found
