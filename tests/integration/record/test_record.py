# SPDX-License-Identifier: GPL-3.0-or-later
"""`capturectl record` on real programs: what is recorded, how it ends, what it says."""
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from recordings import BUSY, FORKER, Load, children, compile_c, is_running, record_well, start, wait_until
from support import CAPTURECTL, DATA, SOURCE, TestCase, capturectl, check_sanitizers, copy_programs, environment, run
from terminals import open_terminal

# Outcomes.
COMPLETE, FRAME_POINTERS, TRUNCATED, NO_USER_STACK = 1, 2, 3, 4
BINARY = 1  # kind of a frame

# Of linux/tty.h: unlock a pseudo-terminal, ask for its number.


class RecordCase(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.programs.cleanup)
        cls.busy = compile_c(cls.programs.name, 'busy', BUSY)

    def setUp(self):
        super().setUp()
        self.path = self.directory / 'a.capture'

    def record(self, *arguments, **how):
        return capturectl('record', '--no-names', '-o', self.path, *arguments, **how)

    def assert_whole(self, load):
        self.assertTrue(load.capture.file.has_index)
        self.assertEqual(load.unknown(), [])

    def start_busy(self, *arguments):
        process = subprocess.Popen([self.busy, *map(str, arguments)])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process


class Commands(RecordCase):
    def test_busy_program(self):
        def record(times):
            self.record('-e', 'cpu-clock', '-F', 1000, '--', self.busy, 500)
            return Load(self.path)
        # What a hypervisor takes counts as time of the processor's, in which nothing ticks.
        load = record_well(record, enough=450)
        self.assert_whole(load)
        self.assertEqual((load.ended, load.status), ('exited', 0))
        # cpu-clock counts processor time, of which there was half a second.
        self.assertAlmostEqual(len(load.of_command('busy')), 500, delta=50)
        self.assertEqual({sample.event for sample in load.samples}, {'cpu-clock'})

    def test_period_of_a_software_event(self):
        # Not nearly as fast as the kernel lets anything be sampled: 400 times a tick, and a virtual machine's ticks may be late.
        touch = 'm = __import__("mmap").mmap(-1, 4096 * 20000)\nfor page in range(20000): m[page * 4096] = sum(range(1000)) & 1'
        self.record('-e', 'page-faults', '-c', 10, '--', 'python3', '-c', touch)
        samples = Load(self.path).samples
        self.assertEqual({sample.weight for sample in samples}, {10})
        # 20,000 faults of the loop, and those of starting python.
        self.assertGreaterEqual(len(samples), 2000)
        self.assertLess(len(samples), 6000)

    def test_json(self):
        said = json.loads(self.record('--json', '-q', '--', self.busy, 100).stdout)
        load = Load(self.path)
        self.assertEqual(said['samples'], len(load.samples))
        self.assertEqual((said['lost'], said['ended'], said['exit_status']), (load.lost, 'exited', 0))
        self.assertEqual(said['size'], self.path.stat().st_size)
        self.assertEqual(said['file'], str(self.path))

    def test_frame_pointers_alone(self):
        said = self.record('--unwind', 'fp', '-e', 'cpu-clock', '--', self.busy, 100).stderr
        self.assertIn('Recording directly: cpu-clock. Stacks by frame pointers.\n', said)
        load = Load(self.path)
        self.assertEqual(load.capture.metadata['unwind'], 'fp')
        # Libc has no frame pointers: the kernel follows there whatever the register holds.
        own = [sample.outcome for sample in load.of_command('busy')
               if sample.frames and sample.frames[0].kind == BINARY and sample.frames[0].owner['path'] == str(self.busy)]
        self.assertGreater(len(own), 10)
        self.assertEqual(set(own), {FRAME_POINTERS})
        self.assertEqual(json.loads(self.record('--unwind', 'fp', '-q', '--json', '--', 'true').stdout)['unwind'], 'fp')
        self.assertEqual(self.record('--unwind', 'fp', '-q', '--', 'true').stderr, '')

    def test_stacks_no_deeper_than_asked(self):
        self.record('--unwind', 'fp', '--max-stack', 2, '--no-kernel', '--', self.busy, 100)
        samples = Load(self.path).of_command('busy')
        self.assertEqual(max(len(sample.frames) for sample in samples), 2)
        self.assertIn(TRUNCATED, {sample.outcome for sample in samples})

    def test_stacks_deeper_than_the_kernels_maximum(self):
        """By tables there is no need for kernel.perf_event_max_stack, 127."""
        program, source = self.directory / 'deep', self.directory / 'deep.c'
        source.write_text('volatile long sink; __attribute__((noinline)) int deep(int n) { if (!n) for (long i = 0; i < 100000000; i++) sink += i;'
                          ' else { deep(n - 1); sink++; } return n; } int main(void) { return deep(200) - 200; }')
        run('gcc', '-O2', '-fomit-frame-pointer', '-o', program, source)
        for frames, outcome in (300, COMPLETE), (150, TRUNCATED):
            said = self.record('--no-kernel', f'--max-stack={frames}', '--', program).stderr
            samples = [sample for sample in Load(self.path).of_command('deep') if len(sample.frames) > 100]
            self.assertGreater(len(samples), 10)
            self.assertEqual({sample.outcome for sample in samples}, {outcome})
            self.assertEqual({len(sample.frames) for sample in samples}, {min(205, frames)})
            self.assertNotIn('are cut', said)
        self.assertIn('are cut at', self.record('--unwind', 'fp', '--max-stack=300', '--', 'true').stderr)

    def test_compiler(self):
        source = self.directory / 'a.c'
        source.write_text('\n'.join(f'int f{i}(int *a) {{ int s = {i}; for (int j = 0; j < a[0]; j++) s += a[j] * {i}; return s; }}'
                                    for i in range(1500)))
        self.record('--', 'gcc', '-O1', '-c', '-o', self.directory / 'a.o', source)
        load = Load(self.path)
        self.assert_whole(load)
        self.assertIn('cc1', load.commands())
        # gcc 16 calls the assembler by the longer of its names, which the kernel cuts.
        self.assertTrue({'as', 'x86_64-linux-gn', 'aarch64-linux-g'} & load.commands(), load.commands())
        self.assertGreater(len(load.of_command('cc1')), 100)
        self.assertTrue((self.directory / 'a.o').exists())

    def test_python(self):
        result = self.record('--', 'python3', '-c', 'print(sum(i * i for i in range(3000000)))')
        self.assertEqual(result.stdout, f'{sum(i * i for i in range(3000000))}\n')
        load = Load(self.path)
        self.assert_whole(load)
        self.assertGreater(len(load.of_command('python3')), 50)

    def test_sqlite(self):
        sql = ('with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500000) '
               'select sum(i * i % 7) from n;')
        self.record('--', 'sqlite3', ':memory:', sql)
        load = Load(self.path)
        self.assert_whole(load)
        self.assertGreater(len(load.of_command('sqlite3')), 50)

    def test_pipeline(self):
        self.record('--', 'sh', '-c', 'seq 1 400000 | sort -rn | gzip -9 | wc -c')
        load = Load(self.path)
        self.assert_whole(load)
        self.assertLessEqual({'sort', 'gzip'}, load.commands())

    def test_standard_input_is_the_commands(self):
        self.assertEqual(self.record('--', 'cat', stdin=b'word\n').stdout, 'word\n')

    def test_without_children(self):
        self.record('--no-children', '--', 'sh', '-c', f'"{self.busy}" 200; i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done')
        load = Load(self.path)
        self.assert_whole(load)
        self.assertEqual(load.commands(), {'sh'})

    def test_several_events(self):
        self.record('-e', 'cpu-clock,page-faults', '-e', 'context-switches', '--', 'python3', '-c', 'bytearray(50000000)')
        load = Load(self.path)
        self.assertLessEqual({'cpu-clock', 'page-faults'}, {sample.event for sample in load.samples})

    def test_many_short_processes(self):
        forker = compile_c(self.programs.name, 'forker', FORKER)

        def record(times):
            self.record('--', forker, 5000, timeout=300)
            return Load(self.path)
        load = record_well(record)
        self.assertEqual(load.losses(), [])
        self.assert_whole(load)
        self.assertEqual(load.commands(), {'forker'})
        self.assertGreater(len({sample.pid for sample in load.samples}), 1000)

    def test_default_name(self):
        result = capturectl('record', '--no-names', '--', self.busy, 50, cwd=self.directory)
        self.assertIn('busy.capture', result.stderr)
        Load(self.directory / 'busy.capture')

    def test_no_environment_is_stored(self):
        self.record('--no-compress', '--', self.busy, 50, env=environment(SECRET='do-not-keep-me'))
        self.assertNotIn(b'do-not-keep-me', self.path.read_bytes())

    def test_command_lines(self):
        self.record('--no-compress', '--', 'sh', '-c', f'"{self.busy}" 50 # telling')
        self.assertIn(b'telling', self.path.read_bytes())
        self.record('--no-compress', '--no-command-lines', '--', 'sh', '-c', f'"{self.busy}" 50 # telling')
        self.assertNotIn(b'telling', self.path.read_bytes())
        self.assertNotIn('command', Load(self.path).capture.metadata)

    def test_metadata(self):
        self.record('--', self.busy, 50)
        metadata = Load(self.path).capture.metadata
        self.assertEqual(metadata['hostname'], os.uname().nodename)
        self.assertEqual(metadata['kernel'], os.uname().release)
        self.assertEqual(metadata['command'], f'{self.busy} 50')
        self.assertEqual(metadata['via'], 'direct')
        self.assertIn(metadata['unwind'], ('bpf', 'dwarf'))


class Statuses(RecordCase):
    def test_status_is_passed_on(self):
        self.record('--', 'sh', '-c', 'exit 7', status=7)
        self.record('--', 'sh', '-c', 'kill -SEGV $$', status=128 + signal.SIGSEGV)

    def assert_nothing_left(self):
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_no_such_command(self):
        self.assertIn('“no-such-command”: no directory of $PATH', self.record('--', 'no-such-command', status=127).stderr)
        self.assertIn('“./no-such-command”: there is no such file', self.record('--', './no-such-command', status=127).stderr)
        self.assert_nothing_left()

    def test_command_that_is_no_program(self):
        self.assertIn('“/etc/passwd”: you may not execute it; “chmod +x /etc/passwd”', self.record('--', '/etc/passwd', status=126).stderr)
        self.assertIn('“/tmp”: it is a directory', self.record('--', '/tmp', status=126).stderr)
        self.assert_nothing_left()

    def test_script_without_its_interpreter(self):
        script = self.directory / 'script'
        script.write_text('#!/nowhere/interpreter\n')
        script.chmod(0o755)
        self.assertIn('interpreter', self.record('--', script, status=127).stderr.partition(str(script))[2])
        self.assertFalse(self.path.exists())

    def refuse(self, *arguments, says, status=1):
        """Says one sentence, leaves nothing, and does not run the command."""
        ran = self.directory / 'ran'
        result = capturectl('record', *arguments, '--', 'touch', ran, status=status, cwd=self.directory)
        self.assertRegex(result.stderr, says)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assert_nothing_left()

    def test_unknown_event(self):
        self.refuse('-e', 'no-such-event', says='no-such-event')

    def test_unknown_modifier(self):
        self.refuse('-e', 'cpu-clock:zz', says='“cpu-clock” has no modifier “zz”: .* u, k, h and p')
        self.refuse('-e', 'sched:zz', says='no tracepoint “sched:zz”')

    @unittest.skipIf(os.path.exists('/sys/bus/event_source/devices/cpu'), 'the processor counts events here')
    def test_event_of_a_processor_that_counts_none(self):
        for event in 'r01c2', 'cycles', 'LLC-loads':
            self.refuse('-e', event, says=f'The processor offers no event “{event}” here.* “cpu-clock”')

    def test_frequency_above_the_maximum(self):
        self.refuse('-F', '1000000000', says='maximum')

    def test_process_that_does_not_exist(self):
        gone = subprocess.Popen(['true'])
        gone.wait()
        self.refuse('-p', gone.pid, says=f'no process {gone.pid}')

    def test_directory_that_does_not_exist(self):
        self.refuse('-o', 'none/a.capture', says='directory does not exist')

    def test_output_that_is_a_directory(self):
        self.refuse('-o', '/tmp', says='is a directory')

    def test_output_without_a_name(self):
        result = capturectl('record', '-o', '', '--', 'touch', self.directory / 'ran', status=2)
        self.assertEqual(result.stderr, 'capturectl record: -o takes the name of a file, but what was given is empty.\n'
                                        'Try “capturectl record --help”.\n')
        self.assert_nothing_left()

    def test_output_that_is_a_device(self):
        self.refuse('-o', '/dev/null', says='not a regular file')

    def test_ways_that_do_not_exist(self):
        result = capturectl('record', '--via', 'post', '--', 'true', status=2)
        self.assertIn('“post” is not a way to record; --via takes auto, direct, daemon or preload.', result.stderr)

    def test_wrong_usage(self):
        for arguments in ([], ['-F', 'often', 'true'], ['-F', '10', '-c', '10', 'true'], ['-p', 'x'], ['-a', '-p', '1'],
                          ['--no-such-option'], ['-e', 'cycles,,', 'true'], ['--duration', '-3', 'true'],
                          ['--duration', '0', 'true'], ['-c', '0', 'true'], ['-c', '-1', 'true'], ['--windows', '2', 'true'],
                          ['--windows', '4', '-e', 'cpu-clock,page-faults,context-switches', 'true'], ['--via', 'x', 'true']):
            with self.subTest(arguments=arguments):
                result = capturectl('record', *arguments, status=2, cwd=self.directory)
                self.assertIn('--help', result.stderr)
        self.assert_nothing_left()

    def set_for_perf(self, name, value):
        """One of the kernel's settings; put back afterwards."""
        with open(f'/proc/sys/kernel/perf_event_{name}') as file:
            self.addCleanup(run, 'sysctl', '-q', f'kernel.perf_event_{name}={file.read().strip()}')
        run('sysctl', '-q', f'kernel.perf_event_{name}={value}')

    def test_frequency_above_the_kernels_maximum(self):
        """The kernel lowers it by itself, so that a number that was good a moment ago is not refused, but lowered and told."""
        self.set_for_perf('max_sample_rate', 400)
        result = run(CAPTURECTL, 'record', '-e', 'cpu-clock', '-F', 999, '-o', self.path, '--', self.busy, '200')
        self.assertIn('400 samples per second are taken, the kernel\'s maximum at present, not 999', result.stderr)
        self.assertEqual([event['frequency'] for event in json.loads(capturectl('info', '--json', self.path).stdout)['events']], [400])

    def refused_root(self, paranoid, *without):
        """What root is told whom the kernel refuses perf_event_open, as one with Debian's patch does."""
        self.set_for_perf('paranoid', paranoid)
        rights = [f'--bounding-set={",".join(without)}'] if without else ['--clear-groups']
        return run(sys.executable, SOURCE / 'tests/integration/desk_stock.py', 'setpriv', *rights, CAPTURECTL, 'record', '--via', 'direct',
                   '-o', self.path, '--', 'true', status=1).stderr

    @unittest.skipIf(os.getuid() != 0, 'only root is told of what root may not')
    def test_root_is_told_why(self):
        self.assertIn('perf_event_paranoid is 3), which root lacks here', self.refused_root(3, '-sys_admin'))
        for paranoid in (2, 3):
            self.assertIn(f'although perf_event_paranoid is {paranoid}: a security filter', self.refused_root(paranoid))

    def as_ordinary_user(self, *arguments, paranoid=2, capabilities=(), memlock=8 << 20):
        """capturectl record as nobody, in a directory of nobody's, with these capabilities and no other."""
        self.set_for_perf('paranoid', paranoid)
        programs = tempfile.TemporaryDirectory()
        self.addCleanup(programs.cleanup)
        os.chmod(self.directory, 0o777)
        only = ','.join(['-all'] + ['+' + capability for capability in capabilities])
        return run('prlimit', f'--memlock={memlock}', 'setpriv', '--reuid=65534', '--regid=65534', '--clear-groups',
                   f'--inh-caps={only}', f'--ambient-caps={only}', f'--bounding-set={only}', copy_programs(pathlib.Path(programs.name)),
                   'record', '--no-names', *arguments, status=None, cwd=self.directory)

    @unittest.skipIf(os.getuid() != 0, 'an ordinary user cannot become another one')
    def test_all_processes_are_not_an_ordinary_users(self):
        result = self.as_ordinary_user('-a', '--', 'touch', self.directory / 'ran')
        self.assertEqual(result.status, 1, result)
        self.assertIn('perf_event_paranoid', result.stderr)
        self.assert_nothing_left()

    @unittest.skipIf(os.getuid() != 0, 'an ordinary user cannot become another one')
    def test_anothers_process_is_not_an_ordinary_users(self):
        process = self.start_busy(0)
        for paranoid in (2, 4):
            result = self.as_ordinary_user('--duration', 0.2, '-p', process.pid, paranoid=paranoid)
            self.assertEqual(result.status, 1, result)
            self.assertIn(f'Process {process.pid} may not be recorded by this user', result.stderr)
            self.assert_nothing_left()

    @unittest.skipIf(os.getuid() != 0, 'an ordinary user cannot become another one')
    def test_ordinary_user_records_own_programs(self):
        result = self.as_ordinary_user('-o', 'a.capture', '--', 'python3', '-c', 'sum(range(30000000))')
        self.assertEqual(result.status, 0, result)
        self.assertIn('kernel', result.stderr)
        self.assertGreater(len(Load(self.path).of_command('python3')), 20)

    @unittest.skipIf(os.getuid() != 0, 'an ordinary user cannot become another one')
    def test_little_memory_is_shared_by_all_cpus(self):
        """The first rings leave room for the last ones, whatever the number of CPUs."""
        self.set_for_perf('mlock_kb', 5 * resource.getpagesize() // 1024)
        result = self.as_ordinary_user('--via', 'direct', '--unwind', 'fp', '-F', '499', '-o', 'a.capture', '--',
                                       'python3', '-c', 'sum(range(3000000))', memlock=0)
        self.assertEqual(result.status, 0, result)
        self.assertGreater(len(Load(self.path).of_command('python3')), 0)

    @unittest.skipIf(os.getuid() != 0, 'an ordinary user cannot become another one')
    def test_no_memory(self):
        self.set_for_perf('mlock_kb', 0)
        result = self.as_ordinary_user('--via', 'direct', '--', 'true', memlock=0)
        self.assertEqual(result.status, 1, result)
        self.assertRegex(result.stderr, 'may not lock the memory .* “ulimit -l”, .*perf_event_mlock_kb')
        self.assert_nothing_left()

    @unittest.skipIf(os.getuid() != 0, 'an ordinary user cannot give capabilities')
    def test_capabilities_that_suffice_to_walk_stacks_in_the_kernel(self):
        """chain has no frame pointers. What is lacking is said, and stacks are as good without."""
        chain = self.directory / 'chain'
        shutil.copy(DATA / 'chain', chain)
        chain.chmod(0o755)
        for capabilities, way in (('bpf', 'perfmon'), 'bpf'), (('bpf',), 'dwarf'), (('perfmon',), 'dwarf'), ((), 'dwarf'):
            with self.subTest(capabilities=capabilities):
                def record(times):
                    result = self.as_ordinary_user('--no-kernel', '-o', 'a.capture', '--', chain, times / 5, capabilities=capabilities)
                    self.assertEqual(result.status, 0, result)
                    self.assertEqual('CAP_BPF and CAP_PERFMON' in result.stderr, way != 'bpf', result)
                    return Load(self.path)
                load = record_well(record, enough=120)
                self.assertEqual(load.capture.metadata['unwind'], way)
                stacks = [sample.outcome for sample in load.of_command('chain') if sample.outcome != NO_USER_STACK]
                self.assertGreater(len(stacks), 100)
                self.assertGreaterEqual(stacks.count(COMPLETE), len(stacks) * 0.99)


class Targets(RecordCase):
    def test_running_process(self):
        process = self.start_busy(0, 1)
        self.record('--duration', 0.5, '-p', process.pid)
        load = Load(self.path)
        self.assert_whole(load)
        self.assertEqual(load.ended, 'duration')
        self.assertEqual({sample.pid for sample in load.samples}, {process.pid})
        self.assertEqual(len({sample.tid for sample in load.samples}), 2)
        self.assertTrue(is_running(process.pid))

    def test_several_processes(self):
        processes = [self.start_busy(0), self.start_busy(0), self.start_busy(0)]
        self.record('--duration', 0.6, '-p', f'{processes[0].pid},{processes[1].pid}', '-p', processes[2].pid)
        self.assertEqual({sample.pid for sample in Load(self.path).samples}, {process.pid for process in processes})

    def test_threads_and_children_born_later(self):
        script = ('import subprocess, sys, threading, time\n'
                  'print(flush=True); sys.stdin.readline()\n'
                  'thread = threading.Thread(target=lambda: sum(range(4000000))); thread.start(); thread.join()\n'
                  f'subprocess.run(["{self.busy}", "100"])')
        process = subprocess.Popen(['python3', '-c', script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.communicate)
        process.stdout.readline()
        recording = start('record', '--no-names', '-o', self.path, '-p', process.pid)
        self.addCleanup(recording.kill)
        self.assertTrue(wait_until(self.path.exists))
        process.stdin.write(b'\n')
        process.stdin.flush()
        check_sanitizers(recording.communicate(timeout=60)[1].decode())
        self.assertEqual(recording.returncode, 0)
        load = Load(self.path)
        self.assert_whole(load)
        self.assertEqual(load.ended, 'targets-gone')
        self.assertTrue([sample for sample in load.samples if sample.pid == process.pid != sample.tid])
        self.assertTrue(load.of_command('busy'))

    def test_everything(self):
        process = self.start_busy(0)
        self.record('-a', '--duration', 0.5)
        load = Load(self.path)
        self.assertEqual(load.ended, 'duration')
        self.assertIn(process.pid, {sample.pid for sample in load.samples})
        self.assertEqual(load.unknown(), [])

    def test_command_bounds_a_recording_of_everything(self):
        process = self.start_busy(0)
        self.record('-a', '--', self.busy, 200)
        load = Load(self.path)
        self.assertEqual((load.ended, load.status), ('exited', 0))
        self.assertIn(process.pid, {sample.pid for sample in load.samples})

    def test_thread_is_no_process(self):
        process = self.start_busy(0, 1)
        tasks = wait_until(lambda: [t for t in os.listdir(f'/proc/{process.pid}/task') if int(t) != process.pid])
        result = self.record('-p', tasks[0], status=1)
        self.assertIn('is a thread', result.stderr)


class Ends(RecordCase):
    def test_duration_ends_the_command(self):
        self.record('--duration', 0.3, '--', self.busy, 0, status=0)
        load = Load(self.path)
        self.assert_whole(load)
        self.assertEqual(load.ended, 'duration')

    def interrupt(self, number, *arguments):
        process = start('record', '--no-names', '-o', self.path, *arguments)
        self.addCleanup(process.kill)
        self.assertTrue(wait_until(self.path.exists))
        time.sleep(0.3)
        process.send_signal(number)
        stderr = process.communicate(timeout=30)[1].decode()
        check_sanitizers(stderr)
        return process.returncode, Load(self.path)

    def test_interrupts(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                status, load = self.interrupt(number, '-a')
                self.assertEqual(status, 0)
                self.assert_whole(load)
                self.assertEqual((load.ended, load.status), ('interrupted', number))
                self.path.unlink()

    def test_interrupted_command(self):
        status, load = self.interrupt(signal.SIGTERM, '--', self.busy, 0)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertEqual((load.ended, load.status), ('interrupted', signal.SIGTERM))

    def test_command_that_does_not_want_to_end(self):
        script = 'trap "" TERM; echo; read x'
        process = subprocess.Popen([CAPTURECTL, 'record', '--no-names', '-o', self.path, '--', 'sh', '-c', script],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.addCleanup(process.kill)
        process.stdout.readline()
        self.assertTrue(wait_until(self.path.exists))
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        process.stdin.close()
        self.assertIn('still runs', process.stderr.read().decode())
        process.stdout.close()
        process.stderr.close()

    def test_file_grows_while_recording(self):
        process = start('record', '--no-names', '-o', self.path, '--', self.busy, 0)
        self.addCleanup(process.kill)
        self.assertTrue(wait_until(self.path.exists))
        size = 0
        for _ in range(4):
            found = wait_until(lambda: [n for n in [len(Load(self.path).samples)] if n > size])
            self.assertTrue(found, f'it stays at {size} samples')
            size, = found
        self.assertEqual(Load(self.path).ended, 'cut-off')
        os.kill(wait_until(lambda: children(process.pid).get('busy')), signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(Load(self.path).ended, 'exited')


class Terminal(RecordCase):
    def test_progress(self):
        primary, secondary = open_terminal(self)
        process = subprocess.Popen([CAPTURECTL, 'record', '--no-names', '-o', self.path, '--', self.busy, '3000'],
                                   stdin=subprocess.DEVNULL, stderr=secondary, env=environment(TERM='xterm'))
        os.close(secondary)
        text = b''
        while select.select([primary], [], [], 60)[0]:
            try:
                text += os.read(primary, 65536)
            except OSError:
                break
        os.close(primary)
        self.assertEqual(process.wait(timeout=60), 0)
        lines = re.findall(rb'\r\x1b\[K([0-9.]+ s  [0-9,]+ samples  [0-9,]+ lost  [^\r]+B)', text)
        self.assertGreaterEqual(len(lines), 3, text)
        # Each overwrites the one before, and the last is wiped.
        self.assertRegex(text, rb'\r\x1b\[K[^\n\r]*a\.capture: \d')

    def test_silence_in_a_pipe(self):
        result = self.record('--', self.busy, 600)
        self.assertNotIn('\r', result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)
        self.assertEqual(self.record('-q', '--', self.busy, 50).stderr, '')


if __name__ == '__main__':
    unittest.main()
