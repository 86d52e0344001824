# SPDX-License-Identifier: GPL-3.0-or-later
"""`capturectl record --off-cpu` on programs that wait in known ways: how long, why, where, and who woke them."""
import collections
import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import time

from recordings import Load, children, compile_c, record_well, start, wait_until
from support import SOURCE, TestCase, capturectl, copy_programs, environment, run
from told import frames

# What a thread says of itself when it ends; times in nanoseconds.
Account = collections.namedtuple('Account', 'tid lived on queued begin end')

MS = 1000000

SAMPLE, MARK = 2, 10  # of Sysprof's frames

# Set-user-ID: becomes root for good, and then the program that its arguments name.
GAIN = r'''
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
  if (setresuid(0, 0, 0) != 0)
    return 2;
  printf("%d %d\n", getpid(), geteuid());
  fflush(stdout);
  execvp(argv[1], argv + 1);
  return 3;
}
'''


def compile_waiting(directory):
    program = pathlib.Path(directory) / 'waiting'
    run('gcc', '-O1', '-g', '-fomit-frame-pointer', '-pthread', '-o', program, SOURCE / 'tests/integration/waiting.c')
    return program


def read_accounts(output):
    """{name of a thread: its accounts}."""
    accounts = collections.defaultdict(list)
    for line in output.splitlines():
        name, *numbers = line.split()
        accounts[name].append(Account(*map(int, numbers)))
    return accounts


def programs_left():
    """Names of the BPF programs of recordings that are loaded."""
    programs = json.loads(run('/usr/sbin/bpftool', 'prog', 'list', '-j').stdout)
    return [program for program in programs if program.get('name', '').startswith('recorder_off_cp')]


class OffCpuCase(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.programs.cleanup)
        cls.waiting = compile_waiting(cls.programs.name)

    def setUp(self):
        super().setUp()
        self.path = self.directory / 'a.capture'

    def record(self, *program, options=('-e', 'off-cpu')):
        """Records the program waiting; sets load, and accounts of its threads."""
        def record(times):
            self.done = capturectl('record', '-q', '-o', self.path, *options, '--', self.waiting, *program)
            return Load(self.path)
        # All the others that run here may be too much for a slow recorder.
        everything = '-a' in options
        self.load = record_well(record, attempts=1 if everything else 5)
        self.accounts = read_accounts(self.done.stdout)
        if not everything:
            self.assertEqual(self.load.losses(), [])
        return self.done

    def off(self, account):
        """Samples of time off the CPU that end while the thread's account is open."""
        return [sample for sample in self.load.samples
                if sample.off_cpu and sample.tid == account.tid and account.begin <= sample.time <= account.end]

    def assert_adds_up(self, account, share=0.04):
        """What a thread was on and off the CPU is all that it lived. Its time on the CPU is known to a tick."""
        off = sum(min(sample.weight, sample.time - account.begin) for sample in self.off(account))
        self.assertLess(abs(account.on + off - account.lived), share * account.lived + 4 * MS, (account, off))

    def names(self, frames):
        return [self.load.capture.function_of(frame, number > 0) for number, frame in enumerate(frames)]

    def report(self, *options):
        return json.loads(capturectl('report', '--json', *options, self.path).stdout)

    def waits(self, *options):
        """{(reason, wait): nanoseconds}."""
        report = self.report('--by', 'wait', *options)
        self.assertEqual(report['by'], 'wait')
        return {(row['reason'], row['name']): row['self_weight'] for row in report['rows']}

    def check_root(self, thread, names):
        """Where the stack begins. Without its debug file the C library does not name what a thread begins with."""
        if thread in ('sleeper', 'writer', 'parent'):
            self.assertIn('main', names)
        else:
            self.assertIn(names[-2], ('start_thread', None))
            self.assertIsNotNone(names[-3])

    def check_wait(self, thread, function, reason, wait, least):
        """A thread that waited so in that function: its stack, the sum, the report. While it waited for a processor instead, what it
        would have waited for may have come."""
        account, = self.accounts[thread]
        self.assert_adds_up(account)
        there = [sample for sample in self.off(account)
                 if sample.off_cpu.reason == reason and function in self.names(sample.frames)]
        time = sum(sample.weight for sample in there)
        self.assertGreater(time, least - account.queued)
        self.assertGreaterEqual(self.waits('--thread', account.tid)[reason, wait], time)
        for sample in there:
            self.assertEqual(sample.outcome, 1)
            self.check_root(thread, self.names(sample.frames))
        return there


class WaitsTest(OffCpuCase):
    def test_sleep(self):
        self.record('sleep')
        naps = self.check_wait('sleeper', 'nap', 'sleeping', 'sleep', 5 * 20 * MS)
        self.assertEqual(len(naps), 5)
        # A kernel may keep to itself what interrupts threads that are hidden from tracing.
        self.assertGreaterEqual(sum(sample.off_cpu.by_interrupt for sample in naps), 3)
        for sample in naps:
            self.assertGreaterEqual(sample.weight, 20 * MS - MS // 10)
            self.assertEqual((sample.off_cpu.waker, sample.off_cpu.waker_frames), (-1, []))

    def test_for_sysprof(self):
        """Samples of its format have no weight: each wait is a mark, too, from when it began."""
        self.record('sleep')
        exported = self.directory / 'a.syscap'
        capturectl('export', '--format', 'syscap', '-e', 'off-cpu', '-o', exported, self.path)
        found = collections.Counter(frame.type for frame in frames(exported.read_bytes())[0])
        marks = [(frame, *struct.unpack_from('q24s40s', frame.bytes, 24)) for frame in frames(exported.read_bytes())[0] if frame.type == MARK]
        waits = [sample for sample in self.load.samples if sample.off_cpu]
        self.assertGreaterEqual(len(waits), 5)
        self.assertEqual(found[SAMPLE], len(waits))
        self.assertEqual(sorted((frame.time, duration, frame.pid) for frame, duration, _, _ in marks),
                         sorted((sample.time - sample.weight, sample.weight, sample.pid) for sample in waits))
        self.assertEqual({group.rstrip(b'\0') for _, _, group, _ in marks}, {b'off-cpu'})
        self.assertGreaterEqual([name.rstrip(b'\0') for _, _, _, name in marks].count(b'sleep'), 5)

    def check_wakers(self, there, function):
        """Who was woken was so by the main thread, within that function. For a waker's tables nothing waits, so the first ones
        may have no stack but the kernel's."""
        long = [sample for sample in there if sample.weight >= 5 * MS]
        stacks = [self.names(sample.off_cpu.waker_frames) for sample in long]
        for sample, names in zip(long, stacks):
            self.assertFalse(sample.off_cpu.by_interrupt)
            self.assertEqual(sample.off_cpu.waker, sample.pid)
            self.assertIn('try_to_wake_up', names)
            self.assertEqual(function in names, 'main' in names)
        self.assertIn(function, stacks[-1])
        self.check_wakers_report()

    def check_wakers_report(self):
        """Who woke whom, in sums: of each thread what the samples say."""
        report, times = self.report('--by', 'waker'), {}
        self.assertEqual(report['by'], 'waker')
        for sample in self.load.samples:
            if sample.off_cpu:
                times[sample.off_cpu.waker] = times.get(sample.off_cpu.waker, 0) + sample.weight
        self.assertEqual({row['tid']: row['self_weight'] for row in report['rows']}, times)
        text = capturectl('report', '--by', 'waker', self.path).stdout
        self.assertIn('Woken by', text)
        self.assertIn('[no thread]', text)

    def test_condition(self):
        self.record('futex')
        self.check_wakers(self.check_wait('waiter', 'await', 'sleeping', 'futex', 5 * 20 * MS - 10 * MS), 'announce')

    def test_mutex_that_is_handed_over(self):
        self.record('mutex')
        there = self.check_wait('waiter', 'take', 'sleeping', 'futex', 5 * 15 * MS)
        self.assertEqual(len([sample for sample in there if sample.weight > 10 * MS]), 5)
        self.check_wakers(there, 'let_go')

    def test_pipe(self):
        self.record('pipe')
        self.check_wakers(self.check_wait('reader', 'drink', 'sleeping', 'pipe', 5 * 20 * MS - 10 * MS), 'feed')

    def test_poll(self):
        self.record('poll')
        self.check_wakers(self.check_wait('poller', 'poller', 'sleeping', 'poll', 5 * 20 * MS - 10 * MS), 'feed')

    def test_disk(self):
        self.record('disk', self.directory / 'written')
        account, = self.accounts['writer']
        self.assert_adds_up(account)
        waits = self.waits('--thread', account.tid)
        waited = sum(time for (reason, wait), time in waits.items() if wait == 'disk' and reason in ('io', 'blocked'))
        self.assertGreater(waited, 0.5 * sum(time for (reason, _), time in waits.items() if reason != 'preempted'))
        self.assertTrue(any('write_through' in self.names(sample.frames) and 'fsync' in self.names(sample.frames)
                            for sample in self.off(account)))

    def test_child(self):
        self.record('child')
        self.check_wait('parent', 'wait_for_child', 'sleeping', 'child', 50 * MS)
        # The child is recorded as well, and woke its parent by its end.
        self.assertTrue(any('nap' in self.names(sample.frames) and sample.pid != self.accounts['parent'][0].tid
                            for sample in self.load.samples))

    def test_preempted(self):
        self.record('spin')
        self.assertEqual(len(self.accounts['spinner']), 2)
        for account in self.accounts['spinner']:
            off = self.off(account)
            preempted = [sample for sample in off if sample.off_cpu.reason == 'preempted']
            time = sum(min(sample.weight, sample.time - account.begin) for sample in preempted)
            self.assertGreater(time, 100 * MS)
            # The scheduler's own account of the same. What a hypervisor took may count for either.
            self.assertLess(abs(time - account.queued), 0.08 * account.queued + 4 * MS)
            self.assertTrue(all(sample.off_cpu.waker == -1 and not sample.off_cpu.by_interrupt for sample in preempted))
            self.assertIn('spinner', self.names(max(preempted, key=lambda sample: sample.weight).frames))
        self.assertIn(('preempted', 'cpu'), self.waits())


class OptionsTest(OffCpuCase):
    def test_threshold(self):
        self.record('sleep', options=('-e', 'off-cpu', '--off-cpu=15ms'))
        self.assertGreaterEqual(len(self.load.samples), 5)
        self.assertTrue(all(sample.weight >= 15 * MS for sample in self.load.samples))
        self.assertEqual(len([sample for sample in self.load.samples if 'nap' in self.names(sample.frames)]), 5)
        event, = self.report()['events']
        self.assertEqual((event['name'], event['unit'], event['period']), ('off-cpu', 'nanoseconds', 15 * MS))

    def test_beside_samples_on_the_cpu(self):
        self.record('spin', options=('--off-cpu', '-e', 'cpu-clock'))
        events = {event['name']: event for event in self.report()['events']}
        self.assertEqual(list(events), ['cpu-clock', 'off-cpu'])
        for account in self.accounts['spinner']:
            on = sum(sample.weight for sample in self.load.samples if not sample.off_cpu and sample.tid == account.tid)
            self.assertLess(abs(on - account.on), 0.15 * account.on)
        self.assertEqual(sum(row['self_weight'] for row in events['off-cpu']['rows']), events['off-cpu']['weight'])

    def test_default_event_stays(self):
        self.record('sleep', options=('--off-cpu',))
        self.assertEqual([event['name'] for event in self.report('--by', 'event')['events']][-1], 'off-cpu')
        self.assertGreaterEqual(len({sample.event for sample in self.load.samples}), 2)

    def test_ways_of_unwinding(self):
        for way in 'fp', 'dwarf', 'none':
            with self.subTest(way):
                self.record('sleep', options=('-e', 'off-cpu', '--unwind', way))
                account, = self.accounts['sleeper']
                self.assert_adds_up(account)
                naps = [sample for sample in self.off(account) if sample.weight >= 19 * MS]
                self.assertEqual(len(naps), 5)
                for sample in naps:
                    self.assertIn('do_nanosleep', self.names(sample.frames))
                    self.assertEqual('nap' in self.names(sample.frames), way == 'dwarf')
                self.assertEqual({sample.outcome for sample in naps}, {{'fp': 2, 'dwarf': 1, 'none': 4}[way]})

    def test_no_kernel(self):
        self.record('sleep', options=('-e', 'off-cpu', '--no-kernel'))
        account, = self.accounts['sleeper']
        naps = [sample for sample in self.off(account) if sample.weight >= 19 * MS]
        self.assertEqual(len(naps), 5)
        for sample in naps:
            self.assertIn('nap', self.names(sample.frames))
            self.assertFalse(any(frame.kind == 2 for frame in sample.frames))

    def test_everything(self):
        self.record('mutex', options=('-a', '-e', 'off-cpu', '--off-cpu=2ms'))
        self.check_wait('waiter', 'take', 'sleeping', 'futex', 5 * 15 * MS)
        self.assertGreater(len({sample.pid for sample in self.load.samples}), 1)
        self.assertFalse(any(sample.tid == 0 for sample in self.load.samples))

    def test_others_are_not_told_of(self):
        self.record('child', options=('-e', 'off-cpu', '--no-children'))
        pid = self.accounts['parent'][0].tid
        self.assertEqual({sample.pid for sample in self.load.samples}, {pid})
        self.assertTrue(all(sample.off_cpu.waker in (-1, pid) for sample in self.load.samples))
        there = [sample for sample in self.load.samples if 'wait_for_child' in self.names(sample.frames) and sample.weight > 40 * MS]
        self.assertEqual([sample.off_cpu.waker for sample in there], [-1])

    def test_thread_that_is_off_the_cpu_at_the_end(self):
        capturectl('record', '-q', '-e', 'off-cpu', '-o', self.path, '--duration', '1.2', '--', self.waiting, 'hang', status=None)
        self.load = Load(self.path)
        last, = [sample for sample in self.load.samples if 'pause' in ' '.join(map(str, self.names(sample.frames)))]
        self.assertIn('main', self.names(last.frames))
        self.assertEqual((last.tid, last.off_cpu.reason, last.off_cpu.waker, last.outcome), (last.pid, 'sleeping', -1, 1))
        self.assertGreater(last.weight, 300 * MS)
        # It slept for 200 ms before.
        self.assertLess(last.weight, json.loads(capturectl('info', '--json', self.path).stdout)['duration_ns'] - 190 * MS)

    def test_thread_that_hangs(self):
        program = subprocess.Popen([self.waiting, 'hang'], env=environment())
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        time.sleep(0.5)
        for options in ('-p', program.pid), ('-a', '--off-cpu=100ms'):
            with self.subTest(options):
                capturectl('record', '-q', '-e', 'off-cpu', '-o', self.path, *options, '--duration', '0.5')
                self.load = Load(self.path)
                sample, = [sample for sample in self.load.samples if sample.pid == program.pid]
                self.assertIn('pause', ' '.join(map(str, self.names(sample.frames))))
                self.assertEqual((sample.off_cpu.reason, sample.outcome), ('sleeping', 1))
                self.assertGreater(sample.weight, 400 * MS)
                self.assertLess(sample.weight, 60000 * MS)

    def test_without_permission(self):
        programs = self.directory / 'programs'
        programs.mkdir()
        program = copy_programs(programs)
        self.directory.chmod(0o777)
        done = run('setpriv', '--reuid=65534', '--clear-groups', '--inh-caps=-all', program, 'record', '--off-cpu',
                   '-o', self.directory / 'b.capture', 'true', status=1)
        self.assertRegex(done.stderr, 'Time off the CPU .* CAP_BPF and CAP_PERFMON')
        self.assertFalse((self.directory / 'b.capture').exists())

    def test_least_capabilities(self):
        programs = self.directory / 'programs'
        programs.mkdir()
        program = copy_programs(programs)
        self.directory.chmod(0o777)
        capabilities = '-all,+bpf,+perfmon'
        run('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', f'--inh-caps={capabilities}', f'--ambient-caps={capabilities}',
            program, 'record', '-q', '-e', 'off-cpu', '-o', self.directory / 'b.capture', 'sleep', '0.1',
            env=environment(XDG_CACHE_HOME=str(self.directory / 'cache')))
        load = Load(self.directory / 'b.capture')
        self.assertGreater(max(sample.weight for sample in load.samples), 100 * MS - MS)
        self.assertEqual({sample.outcome for sample in load.samples if sample.weight > 90 * MS}, {1})

    def test_program_that_gained_rights(self):
        """Nor what it executes then, although its rights do not change again. The shell that waits for it is recorded."""
        programs = self.directory / 'programs'
        programs.mkdir()
        program, gain = copy_programs(programs), compile_c(programs, 'gain', GAIN)
        gain.chmod(0o4755)
        self.directory.chmod(0o777)
        capabilities = '-all,+bpf,+perfmon'
        done = run('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', f'--inh-caps={capabilities}',
                   f'--ambient-caps={capabilities}', program, 'record', '-q', '-e', 'off-cpu', '-o', self.directory / 'b.capture',
                   'sh', '-c', '"$0" sleep 0.2; exit 0', gain, env=environment(XDG_CACHE_HOME=str(self.directory / 'cache')))
        pid, uid = map(int, done.stdout.split())
        self.assertEqual(uid, 0)
        long = [sample for sample in Load(self.directory / 'b.capture').samples if sample.weight > 150 * MS]
        self.assertNotEqual(long, [])
        self.assertNotIn(pid, {sample.pid for sample in long})

    def test_not_a_time(self):
        for text in '1', '1x', 'ms', '-1ms', 'nan':
            self.assertIn(text, capturectl('record', f'--off-cpu={text}', 'true', status=2).stderr)

    def test_words_of_the_command(self):
        done = capturectl('record', '-q', '--no-names', '-o', self.path, '--off-cpu', 'echo', '--off-cpu', '--off-cpu=0')
        self.assertEqual(done.stdout, '--off-cpu --off-cpu=0\n')

    def test_nothing_to_list(self):
        capturectl('record', '-q', '-o', self.path, '-e', 'cpu-clock', 'true')
        for by in 'wait', 'waker':
            self.assertIn('--off-cpu', capturectl('report', '--by', by, self.path, status=1).stderr)


class ExportTest(OffCpuCase):
    def test_weights(self):
        self.record('sleep', options=('--off-cpu',))
        weight = next(event['weight'] for event in self.report('-e', 'off-cpu')['events'])
        folded = capturectl('export', '-e', 'off-cpu', '--format', 'folded', self.path).stdout
        self.assertEqual(sum(int(line.rpartition(' ')[2]) for line in folded.splitlines()), weight)
        svg = capturectl('export', '-e', 'off-cpu', '--format', 'svg', self.path).stdout
        self.assertIn(f'data-n="{weight}"', svg)
        self.assertRegex(svg, r'[\d.]+ (ms|s) of off-cpu')
        text = capturectl('report', '-e', 'off-cpu', '--tree', self.path).stdout
        self.assertRegex(text, r'100\.00% +[\d.]+ (ms|s) +0\.00%  all')


class EndsTest(OffCpuCase):
    def test_nothing_stays(self):
        before = len(programs_left())
        self.record('sleep')
        # The kernel lets go of them a little later.
        self.assertTrue(wait_until(lambda: len(programs_left()) <= before))
        recording = start('record', '-q', '-a', '-e', 'off-cpu', '-o', self.path)
        recorder = wait_until(lambda: self.recorder_of(recording.pid))
        wait_until(lambda: len(programs_left()) > before)
        os.kill(recorder, signal.SIGKILL)
        recording.communicate()
        self.assertTrue(wait_until(lambda: len(programs_left()) <= before))

    @staticmethod
    def recorder_of(pid):
        return children(pid).get('capture-recorde')
