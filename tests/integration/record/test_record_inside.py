# SPDX-License-Identifier: GPL-3.0-or-later
"""`capturectl record` from inside of programs: with the preloaded sampler, where nothing else is permitted, and beside a
recorder."""
import json
import os
import pathlib
import signal
import sys

from recordings import Load, compile_c, start, wait_until
from support import CAPTURECTL, PRELOAD, SOURCE, TestCase, capturectl, environment, run

INTEGRATION = SOURCE / 'tests' / 'integration'
FORBIDDEN = (sys.executable, INTEGRATION / 'forbidden.py')
OWN_USERS = ('unshare', '--user', '--map-root-user')

# Three parts of its time in one function, one part in another; the milliseconds are of processor time.
SHARES = r'''
#include <stdlib.h>
#include <time.h>
static volatile unsigned sink;
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
__attribute__((noinline)) void spin(double until)
{
  while (now() < until)
    for (unsigned i = 0; i < 20000; i++)
      sink = sink * 3 + i;
}
__attribute__((noinline)) void much(double from) { spin(from + 750); sink++; }
__attribute__((noinline)) void little(double from) { spin(from + 250); sink++; }
int main(void)
{
  much(now());
  little(now());
  return 0;
}
'''

# Works until there is a file.
UNTIL = SHARES.replace('#include <stdlib.h>', '#include <stdlib.h>\n#include <unistd.h>').replace('''int main(void)
{
''', '''int main(int argc, char **argv)
{
  while (access(argv[1], F_OK) != 0)
    little(now());
''')

EXITS = 'int main(void) { return 3; }\n'

SLEEPS = r'''
#include <time.h>
__attribute__((noinline)) void doze(void) { nanosleep(&(struct timespec){.tv_sec = 2}, 0); }
int main(void) { doze(); return 0; }
'''

ALLOCATES = r'''
#include <stdlib.h>
__attribute__((noinline)) void *keep(int n) { return calloc(1, n); }
int main(void)
{
  for (int i = 0; i < 20000; i++) {
    char *volatile p = keep(100 + i % 100);
    if (i % 2)
      free(p);
  }
  return 0;
}
'''

# A process with a thread and a child, all of them busy. Each says what it calls itself, and what /proc calls it.
FAMILY = r'''
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned sink;
static void *work(void *name)
{
  char place[64] = {0};
  struct timespec t;
  if (readlink("/proc/thread-self", place, sizeof place - 1) > 0)
    printf("%s %d %ld %s\n", (char *)name, getpid(), syscall(SYS_gettid), place);
  fflush(stdout);
  do {
    for (unsigned i = 0; i < 20000; i++)
      sink = sink * 3 + i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (t.tv_nsec < 200000000);
  return name;
}
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, "thread");
  work("main");
  pthread_join(thread, NULL);
  if (fork() == 0)
    return work("child") == NULL;
  wait(NULL);
  return 0;
}
'''

PYTHON = 'def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(29)\n'

# Speaks the protocol by hand: joins with 20 samples of a program that never was.
EMBEDDER = r'''
import os, socket, struct, sys, time
sys.path[:0] = [{integration!r}]
import fake_pool
windows, control = fake_pool.make(time.monotonic_ns(), whole=True, pid=os.getpid())
program = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
program.connect(os.environ['CAPTURE_SOCKET'])
socket.send_fds(program, [struct.pack('<IIiI64s', 1, 1, os.getpid(), 0, b'embedder')], [windows, control])
print(*struct.unpack('<IIIIIiQ', program.recv(100)), os.getpid())
'''


class InsideCase(TestCase):
    def setUp(self):
        super().setUp()
        self.path = self.directory / 'a.capture'

    def record(self, *arguments, prefix=(), **how):
        """What --json says, and standard error."""
        result = run(*prefix, CAPTURECTL, 'record', '--json', '-o', self.path, *arguments, **how)
        return json.loads(result.stdout), result

    def report(self, *arguments):
        return json.loads(capturectl('report', '--json', *arguments, self.path).stdout)

    def has_samples(self):
        result = capturectl('info', '--json', self.path, status=None)
        return result.status == 0 and json.loads(result.stdout)['samples'] > 0

    def functions(self, event='cpu-time'):
        """{name: share of the event's time in it and what it called}; a sample stands for all the time since the one before."""
        rows = self.report('--event', event)['rows']
        whole = sum(row['self_weight'] for row in rows)
        return {row['name']: row['total_weight'] / whole for row in rows}


class Preload(InsideCase):
    def test_shares(self):
        program = compile_c(self.directory, 'shares', SHARES)
        run('gcc', '-O1', '-g', '-fomit-frame-pointer', '-o', program, program.with_suffix('.c'))
        said, result = self.record('--via', 'preload', '--', program)
        self.assertEqual((said['via'], said['events'], said['unwind'], said['programs'], said['exit_status']),
                         ('preload', ['cpu-time'], 'dwarf', 1, 0))
        self.assertIn('Recording from inside, by the preloaded sampler: cpu-time. Stacks by unwind tables.\n', result.stderr)
        shares = self.functions()
        self.assertAlmostEqual(shares['much'], 0.75, delta=0.12)
        self.assertAlmostEqual(shares['little'], 0.25, delta=0.12)
        self.assertGreater(shares['main'], 0.95)

    def test_wall_time_counts_waiting(self):
        program = compile_c(self.directory, 'sleeps', SLEEPS)
        said, _ = self.record('--via', 'preload', '--wall', '-F', '200', '--', program)
        self.assertEqual(said['events'], ['wall-time'])
        self.assertGreater(self.functions('wall-time')['doze'], 0.8)

    def test_compiler_and_what_it_starts(self):
        source = self.directory / 'exits.c'
        source.write_text(EXITS)
        said, _ = self.record('--via', 'preload', '--', 'gcc', '-O2', '-o', self.directory / 'exits', source)
        self.assertGreaterEqual(said['programs'], 4)  # gcc, cc1, as, collect2, ld
        self.assertEqual(run(self.directory / 'exits', status=3).status, 3)
        names = capturectl('report', '--by', 'process', self.path).stdout
        self.assertIn('cc1', names)

    def test_many_programs(self):
        said, result = self.record('--via', 'preload', '--no-names', '--', 'sh', '-c',
                                   'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done')
        self.assertEqual(said['programs'], 301)
        self.assertNotIn('missing', result.stderr)

    def test_children_left_out(self):
        said, _ = self.record('--via', 'preload', '--no-children', '--no-names', '--', 'sh', '-c', '/bin/true; /bin/true')
        self.assertEqual(said['programs'], 1)

    def test_status_of_the_command(self):
        program = compile_c(self.directory, 'exits', EXITS)
        said, _ = self.record('--via', 'preload', '--', program, status=3)
        self.assertEqual((said['exit_status'], said['ended']), (3, 'exited'))

    def test_what_others_preload_stays(self):
        # Sanitizers want to be the first, which capturectl's own are not with such an environment.
        options = f'{os.environ.get("ASAN_OPTIONS", "")}:verify_asan_link_order=0'
        result = run(CAPTURECTL, 'record', '--via', 'preload', '--no-names', '-o', self.path, '--', 'sh', '-c', 'echo "$LD_PRELOAD"',
                     env=environment(LD_PRELOAD='libm.so.6', ASAN_OPTIONS=options))
        self.assertEqual(result.stdout.strip(), f'{PRELOAD}:libm.so.6')

    def test_program_that_nothing_gets_into(self):
        source = self.directory / 'static.c'
        source.write_text(EXITS)
        run('gcc', '-static', '-o', self.directory / 'static', source)
        said, result = self.record('--via', 'preload', '--', self.directory / 'static', status=3)
        self.assertEqual((said['programs'], said['samples']), (0, 0))
        self.assertIn('No program joined the recording from inside', result.stderr)
        self.assertIn('capturectl doctor', result.stderr)
        self.assertIn('No program joined', capturectl('info', self.path).stdout)

    def test_wishes_that_are_in_the_way(self):
        for arguments, says in ((['-p', '1'], 'commands only'), (['-a'], 'commands only'), (['-e', 'cycles', 'true'], 'by time only'),
                                (['-c', '1000', 'true'], 'by time only'), (['--off-cpu', 'true'], 'by time only'),
                                (['--kernel', 'true'], 'does not see the kernel')):
            with self.subTest(arguments=arguments):
                result = capturectl('record', '--via', 'preload', '-o', self.path, *arguments, status=2)
                self.assertIn(says, result.stderr)
                self.assertFalse(self.path.exists())

    def test_library_that_is_missing(self):
        result = run(CAPTURECTL, 'record', '--via', 'preload', '-o', self.path, '--', 'true', status=1,
                     env=environment(CAPTURE_PRELOAD='/nowhere.so'))
        self.assertIn('“/nowhere.so” is missing', result.stderr)
        self.assertFalse(self.path.exists())

    def test_recording_that_is_killed(self):
        """The program goes on as if nothing had been, and the capture holds what was committed."""
        program = compile_c(self.directory, 'until', UNTIL)
        told, killed = self.directory / 'told', self.directory / 'killed'
        process = start('record', '--via', 'preload', '--no-names', '-q', '-o', self.path, '--', 'sh', '-c',
                        f'{program} {killed}; echo $? > {told}.new; mv {told}.new {told}')
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertTrue(wait_until(self.has_samples))
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed.touch()
        process.communicate()
        self.assertTrue(wait_until(told.exists))
        self.assertEqual(told.read_text(), '0\n')
        said = json.loads(capturectl('info', '--json', self.path).stdout)
        self.assertEqual(said['ended'], 'cut-off')
        self.assertGreater(said['samples'], 0)


class Forbidden(InsideCase):
    """Where neither perf_event_open nor bpf is permitted, and no service answers."""

    def record_forbidden(self, number, *command):
        return self.record('--', *command, prefix=(*OWN_USERS, *FORBIDDEN, number),
                           env=environment(DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nowhere'))

    def assert_one_line(self, result):
        said = [line for line in result.stderr.splitlines() if line.startswith('Recording ')]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertRegex(said[0], '^Recording from inside, by the preloaded sampler: cpu-time. Stacks by unwind tables. '
                                  'Nothing else is permitted: .*\\.$')

    def test_python(self):
        for number in ('EPERM', 'EACCES', 'ENOSYS'):
            with self.subTest(number=number):
                said, result = self.record_forbidden(number, sys.executable, '-c', PYTHON)
                self.assert_one_line(result)
                self.assertEqual(said['via'], 'preload')
                self.assertGreater(said['samples'], 5)
                # What the interpreter's loop is called by: of the loop itself compilers make parts that have no name.
                self.assertGreater(self.functions()['PyEval_EvalCode'], 0.3)

    def test_compiler(self):
        source = self.directory / 'shares.c'
        source.write_text(SHARES)
        said, result = self.record_forbidden('EPERM', 'gcc', '-O2', '-o', self.directory / 'shares', source)
        self.assert_one_line(result)
        self.assertGreaterEqual(said['programs'], 4)
        self.assertGreater(said['samples'], 0)
        self.assertIn('cc1', capturectl('report', '--by', 'process', self.path).stdout)

    def test_wishes_that_nothing_grants(self):
        for arguments in (['-e', 'cycles', 'true'], ['-a', '--duration', '1'], ['-p', str(os.getpid())], ['--kernel', 'true']):
            with self.subTest(arguments=arguments):
                result = run(*OWN_USERS, *FORBIDDEN, 'EPERM', CAPTURECTL, 'record', '-o', self.path, *arguments, status=1,
                             env=environment(DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nowhere'))
                self.assertIn('permits no recording', result.stderr)
                if int(pathlib.Path('/proc/sys/kernel/perf_event_paranoid').read_text()) <= 2:
                    self.assertIn('a security filter', result.stderr)
                self.assertFalse(self.path.exists())

    def test_doctor(self):
        result = run(*OWN_USERS, *FORBIDDEN, 'EPERM', CAPTURECTL, 'doctor', '--json',
                     env=environment(DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nowhere'))
        said = json.loads(result.stdout)
        self.assertEqual((said['can_record'], said['auto']), (True, 'preload'))
        self.assertEqual({way['way']: way['own_processes'] for way in said['ways']},
                         {'direct': 'no', 'daemon': 'no', 'preload': 'commands'})


class Namespaces(InsideCase):
    """What runs in a namespace of processes of its own has the numbers of where the recording is."""

    def family(self, *arguments, own_proc=False):
        """{name: (pid, tid)} as it calls itself and as the kernel does outside, and what was sampled, {(pid, tid)}."""
        program = compile_c(self.directory, 'family', FAMILY)
        unshare = ('unshare', '--pid', '--fork', '--kill-child', *(['--mount-proc'] if own_proc else []))
        result = capturectl('record', '-q', '--no-names', *arguments, '-o', self.path, '--', *unshare, program)
        inside, outside = {}, {}
        for name, pid, tid, place in (line.split() for line in result.stdout.splitlines()):
            inside[name] = int(pid), int(tid)
            outside[name] = int(place.split('/')[0]), int(place.split('/')[2])
        sampled = {(sample.pid, sample.tid) for sample in Load(self.path).samples if sample.command == 'family'}
        return inside, outside, sampled

    def test_sampler(self):
        inside, outside, sampled = self.family('--via', 'preload')
        self.assertEqual(inside['main'], (1, 1))
        self.assertEqual(sampled, set(outside.values()))

    def test_recorder(self):
        _, outside, sampled = self.family('--via', 'direct', '-e', 'cpu-clock', '-F', '500')
        self.assertEqual(sampled, set(outside.values()))

    def test_both(self):
        """Samples of one process, whoever took them, are of one process."""
        _, outside, sampled = self.family('--via', 'direct', '-e', 'cpu-clock', '-F', '500', '--allocations=1')
        self.assertEqual(sampled, set(outside.values()))
        processes = json.loads(capturectl('info', '--json', self.path).stdout)['processes']
        self.assertEqual(processes, 3)  # unshare is the third

    def test_threads_without_a_number_outside(self):
        """Where /proc is the namespace's, too, a thread cannot know: it has the number that it has there, which is said."""
        inside, _, sampled = self.family('--via', 'preload', own_proc=True)
        self.assertEqual({tid for pid, tid in sampled if pid != tid}, {inside['thread'][1]})
        self.assertEqual(len({pid for pid, _ in sampled}), 2)
        self.assertGreater(min(pid for pid, _ in sampled), 2)
        self.assertIn('PID namespace of its own', capturectl('info', self.path).stdout)


class Beside(InsideCase):
    """Programs that embed libcapture join a recording that goes another way."""

    def test_embedder(self):
        script = EMBEDDER.format(integration=str(INTEGRATION))
        result = capturectl('record', '--via', 'direct', '-e', 'cpu-clock', '-F', '1500', '-o', self.path, '--',
                            sys.executable, '-c', script)
        *settings, told, interval, pid = result.stdout.split()
        self.assertEqual((settings, interval), (['2', '1', '17', '1500', '0'], '0'))
        self.assertEqual(told, pid)
        self.assertIn('demo', capturectl('report', '--by', 'binary', '-e', 'cpu-clock (embedder)', self.path).stdout)

    def test_allocations(self):
        """The library traces them and leaves sampling to the recorder."""
        program = compile_c(self.directory, 'allocates', ALLOCATES)
        for _ in range(5):
            said, _ = self.record('--via', 'direct', '-e', 'cpu-clock', '--allocations=1', '--', program)
            # Every allocation, as fast as they come: beside other work whoever takes them may be too late, and says so.
            if not said['lost']:
                break
        self.assertEqual((said['via'], said['events'], said['lost']), ('direct', ['cpu-clock', 'allocations', 'frees'], 0))
        rows = {row['name']: row for row in self.report('--event', 'allocations')['rows']}
        self.assertEqual((rows['keep']['total'], rows['keep']['total_weight']), (20000, 200 * sum(range(100, 200))))
        sampled = {event['name'] for event in json.loads(capturectl('info', '--json', self.path).stdout)['events'] if event['samples']}
        self.assertEqual(sampled, {'cpu-clock', 'allocations', 'frees'})

    def test_only_the_commands_own_socket(self):
        """Every way of recording a command announces itself; one of other processes does not."""
        ask = 'echo "${CAPTURE_SOCKET-none}"; test -S "$CAPTURE_SOCKET" && stat -c %a "$(dirname "$CAPTURE_SOCKET")"'
        result = capturectl('record', '--no-names', '-o', self.path, '--', 'sh', '-c', ask)
        socket, mode = result.stdout.split()
        self.assertEqual(mode, '700')
        self.assertFalse(pathlib.Path(socket).parent.exists())
        result = capturectl('record', '--no-names', '-o', self.path, '-p', str(os.getpid()), '--', 'sh', '-c', f'{ask}; true')
        self.assertEqual(result.stdout, 'none\n')

    def test_no_socket_where_others_could_move_it(self):
        """A directory for temporary files that anybody may write without bounds, or that another user has."""
        for name, mode, owner in ('open', 0o777, os.geteuid()), ("another's", 0o700, 64001):
            there = self.directory / name
            there.mkdir()
            there.chmod(mode)
            os.chown(there, owner, -1)
            done = run(CAPTURECTL, 'record', '--no-names', '-o', self.path, '--', 'sh', '-c', 'echo "$CAPTURE_SOCKET"',
                       env=environment(TMPDIR=str(there), XDG_RUNTIME_DIR=str(there / 'none')))
            self.assertTrue(done.stdout.startswith('/tmp/'), done.stdout)
            self.assertNotIn(str(there), done.stdout)

    def test_frequency_of_samplers(self):
        script = EMBEDDER.format(integration=str(INTEGRATION))
        for arguments, frequency in (([], '1000'), (['-F', '50000'], '10000')):
            result = capturectl('record', '--no-names', '-e', 'cpu-clock', *arguments, '-o', self.path, '--',
                                sys.executable, '-c', script)
            self.assertEqual(result.stdout.split()[3], frequency)


if __name__ == '__main__':
    import unittest
    unittest.main()
