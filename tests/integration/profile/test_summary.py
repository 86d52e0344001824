# SPDX-License-Identifier: GPL-3.0-or-later
"""What `report --summary` says of programs that have what a rule looks for, and of one that has nothing of it."""
import json
import pathlib
import re
import tempfile
import unittest

from recordings import compile_c
from support import TestCase, capturectl, run

PROGRAM = r'''
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define HOT __attribute__((noinline, noclone))
static volatile unsigned long counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

HOT void spin(void)
{
  for (int i = 0; i < 100000; i++) counter++; /* here: of a loop a sample may stand at any instruction */
}

HOT void work(void)
{
  spin();
}

HOT void allocate(void)
{
  void *p[64];
  for (int i = 0; i < 64; i++)
    p[i] = malloc(64 + (size_t)i * 3000);
  for (int i = 0; i < 64; i++)
    free(p[i]);
}

HOT unsigned long nest(int depth)
{
  for (int i = 0; i < 200; i++)
    counter++;
  return depth ? nest(depth - 1) + 1 : counter;
}

HOT void touch(void)
{
  size_t size = 8 << 20;
  char *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(p, size, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < size; i += 4096)
    p[i] = 1;
  munmap(p, size);
}

HOT void contend(void)
{
  for (int i = 0; i < 1000; i++) {
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
  }
}

static void (*turn)(void) = work;
static double until;

static void *go(void *unused)
{
  while (now() < until)
    turn();
  return unused;
}

static void nest_deep(void)
{
  nest(20);
}

static void rest(void)
{
  spin();
  usleep(20000);
}

static void *idle(void *unused)
{
  for (;;) {
    spin();
    usleep(10000);
  }
  return unused;
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "work";
  pthread_t threads[3];
  until = now() + 0.8;
  turn = !strcmp(what, "allocate")  ? allocate
         : !strcmp(what, "nest")    ? nest_deep
         : !strcmp(what, "touch")   ? touch
         : !strcmp(what, "contend") ? contend
         : !strcmp(what, "rest")    ? rest
                                    : work;
  if (!strcmp(what, "brief"))
    until = now() + 0.004;
  for (int i = 0; i < 3; i++)
    if (turn == contend || !strcmp(what, "idle"))
      pthread_create(&threads[i], 0, turn == contend ? go : idle, 0);
  go(0);
  return !strcmp(what, "fail") ? 3 : 0;
}
'''
LINE = 1 + PROGRAM[:PROGRAM.index('/* here')].count('\n')


class SummaryTest(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = tempfile.TemporaryDirectory(prefix='capture-test-')
        cls.addClassCleanup(made.cleanup)
        cls.made = pathlib.Path(made.name)
        cls.program = compile_c(cls.made, 'program', PROGRAM)

    def record(self, *command, options=()):
        capture = self.directory / 'it.capture'
        capturectl('record', '-q', '-F', '999', *options, '-o', capture, '--', *command, status=None)
        return capture

    def summarize(self, *what, **how):
        return self.read(self.record(self.program, *what, **how))

    def read(self, capture, *options):
        said = json.loads(capturectl('report', '--summary', '--json', capture, *options).stdout)['summary']
        return {finding['rule']: finding for finding in said}

    def find(self, summary, rule, words, show=None, function=None):
        self.assertIn(rule, summary)
        self.assertRegex(summary[rule]['sentence'], words)
        if show:
            self.assertEqual(summary[rule]['show'], show)
        if function:
            self.assertEqual(summary[rule]['function'], function)

    def test_work_is_told_by_function_line_and_path(self):
        """It has nothing of what the other rules look for."""
        summary = self.summarize('work')
        self.assertEqual(list(summary), ['busy', 'hottest', 'path'])
        self.find(summary, 'hottest', rf'^(9[0-9]|100) % in spin \(program\.c:{LINE}\)\.$', 'source', 'spin')
        self.find(summary, 'path', r'main › go › work › spin, (9[0-9]|100) %\.$', 'path', 'spin')

    def test_a_command_that_failed(self):
        self.find(self.summarize('fail'), 'failure', r'^The command failed: status 3\.$', 'nothing')
        self.find(self.read(self.record('sh', '-c', 'kill -9 $$')), 'failure', r'^The command was killed by signal 9 \(.+\)\.$')

    def test_few_samples(self):
        self.find(self.summarize('brief'), 'few-samples', r'^(No samples|\d+ samples?): what was recorded was on a CPU for .* of .*\.$', 'record-waiting')

    def test_mostly_waiting(self):
        summary = self.summarize('rest')
        self.find(summary, 'busy', r'^Busy \d+ % of one CPU, mostly waiting\.$', 'record-waiting')
        self.find(self.summarize('rest', options=['--off-cpu=0']), 'busy', 'mostly waiting', 'waiting')

    def test_allocation(self):
        self.find(self.summarize('allocate'), 'allocation', r'^\d+ % allocates and frees memory, mostly for allocate\.$', 'callers')

    def test_recursion(self):
        self.find(self.summarize('nest'), 'recursion', r'^nest calls itself in \d+ %, up to 21 deep\.$', 'recursion', 'nest')

    def test_page_faults(self):
        self.find(self.summarize('touch'), 'page-faults', r'^\d+ % brings in memory that is touched for the first time, mostly in touch\.$', 'callers')

    def test_locks(self):
        self.find(self.summarize('contend'), 'locks', r'^\d+ % takes and gives back locks, mostly in contend\.$', 'callers')

    def test_one_thread_of_many(self):
        self.find(self.summarize('idle'), 'threads', r'^\d+ % in one thread, program \(\d+\), while 3 others of its process wait\.$', 'threads')

    def test_names_that_are_missing(self):
        stripped = self.directory / 'stripped'
        run('strip', '-o', stripped, self.program)
        self.find(self.read(self.record(stripped)), 'names', r'^\d+ % in functions without names, mostly of stripped\.$', 'health')

    def test_text_says_the_same_and_what_to_do(self):
        capture = self.record(self.program)
        text = capturectl('report', '--summary', capture).stdout
        for finding in self.read(capture).values():
            self.assertIn('\n' + finding['sentence'] + '\n', text)
        annotate = re.search(r'^    capturectl (annotate spin .*)$', text, re.M)
        self.assertIn('counter++', capturectl(*annotate[1].split()).stdout)

    def test_filters_hold(self):
        capture = self.record(self.program)
        self.assertEqual(self.read(capture, '--transform', 'drop-function:spin').get('hottest', {}).get('function') == 'spin', False)

    def test_it_is_no_list(self):
        said = capturectl('report', '--summary', '--tree', 'x', '--by', 'binary', status=2).stderr
        self.assertIn('--summary', said)


if __name__ == '__main__':
    unittest.main()
