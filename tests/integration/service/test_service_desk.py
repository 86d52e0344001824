# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording through the real system service, as people do it: capturectl and the examples, on a desk with a real polkit."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import termios

from daemon import ALICE, DaemonCase, processes, status_of
from desk import PASSWORD, PYTHON, SYSTEM, wait_until
from recordings import Load, record_well
from support import BUILD, SOURCE
from terminals import fork_on_terminal

KERNEL = 2
BUSY = ('/home/programs/busy', '300')


class ServiceCase(DaemonCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.desk.installed_file('bin/capturectl')

    def capturectl(self, user, *arguments, active=True, stock=True, prefix=(), **how):
        """capturectl on a machine whose kernel refuses ordinary users everything, unless `stock` is false."""
        return self.desk.run([*prefix, self.program, *arguments], user, active, stock=stock, cwd=self.directory, **how)

    def record(self, *arguments, user='alice', command=BUSY, status=0, **how):
        words = ['record', '-o', self.path, *arguments, *(['--', *command] if command else [])]
        self.result = self.capturectl(user, *words, status=status, **how)
        return Load(self.path) if status == 0 else self.result

    def via(self, loaded):
        return loaded.capture.metadata['via']


class RecordTest(ServiceCase):
    def test_an_ordinary_user_on_a_stock_kernel(self):
        loaded = self.record()
        self.assertIn('Recording through the system service: cpu-clock. Stacks by unwind tables in BPF.', self.result.stderr)
        self.assertEqual((self.via(loaded), loaded.ended, loaded.capture.metadata['unwind']), ('daemon', 'exited', 'bpf'))
        self.assertGreater(len(loaded.of_command('busy')), 500)
        self.assertEqual(loaded.commands(), {'busy'})
        self.assertEqual([frame for sample in loaded.samples for frame in sample.frames if frame.kind == KERNEL], [])
        report = self.capturectl('alice', 'report', self.path).stdout
        self.assertRegex(report, r'(?m)\bturn$')

    def test_the_same_options(self):
        """What may be asked for directly may be asked of the service, and does the same there."""
        for unwind in 'fp', 'dwarf', 'dwarf,4096', 'none':
            with self.subTest(unwind=unwind):
                loaded = self.record('--unwind', unwind)
                self.assertEqual(loaded.capture.metadata['unwind'], unwind.partition(',')[0])
                self.assertGreater(len(loaded.of_command('busy')), 500)
        loaded = self.record('-F', '100')
        self.assertLess(10, len(loaded.samples))
        self.assertLess(len(loaded.samples), 60)
        self.assertLess(len(self.record('-c', '10000000').samples), 60)
        self.record('-e', 'task-clock,page-faults')
        events = json.loads(self.capturectl('alice', 'info', '--json', self.path).stdout)['events']
        self.assertEqual({event['name'] for event in events}, {'task-clock', 'page-faults'})
        self.assertLessEqual(max(len(sample.frames) for sample in self.record('--max-stack', '3').samples), 3)
        self.assertEqual(self.record('--duration', '0.3', command=('/home/programs/busy', '0')).ended, 'duration')
        for more, telling in ([], True), (['--no-command-lines'], False):
            self.record('--no-compress', *more, command=('sh', '-c', '/home/programs/busy 50 # telling'))
            self.assertEqual(b'telling' in self.path.read_bytes(), telling)
        loaded = self.record('--no-children', command=('sh', '-c', '/home/programs/busy 300; true'))
        self.assertNotIn('busy', loaded.commands())

    def test_the_commands_own_status(self):
        self.record(command=('sh', '-c', 'exit 7'), status=7)
        self.record(command=('sh', '-c', 'kill -9 $$'), status=137)
        self.record(command=('/no/such/program',), status=127)

    def test_more_processes_than_the_bus_hands_on(self):
        script = 'p=; for i in $(seq 17); do sleep 60 & p="$p -p $!"; done; "$@" $p; status=$?; kill $(jobs -p); exit $status'
        words = [self.program, 'record', '--via', 'daemon', '--duration', '0.2', '-o', str(self.path)]
        result = self.desk.run(['bash', '-c', script, 'bash', *words], 'alice', True, stock=True, cwd=self.directory, status=1)
        self.assertIn('The system bus does not hand on so many processes at once, usually no more than 16: record fewer', result.stderr)
        self.assertFalse(self.path.exists())

    def test_everything_is_refused_without_a_password(self):
        for arguments in ['-a'], ['--kernel'], ['-e', 'sched:sched_switch'], ['--off-cpu']:
            with self.subTest(arguments):
                result = self.record(*arguments, '--duration', '0.2', status=1)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertFalse(self.path.exists())

    def test_everything_where_it_is_granted(self):
        self.desk.allow(SYSTEM, 'alice')
        self.addCleanup(self.desk.authorise, '')
        other = self.process('bob')
        loaded = self.record('-a', '--duration', '1', command=())
        self.assertIn(other.pid, {sample.pid for sample in loaded.samples})
        loaded = self.record('-p', str(other.pid), '--kernel', '--duration', '1', command=())
        self.assertEqual({sample.pid for sample in loaded.samples}, {other.pid})
        self.assertEqual(self.via(loaded), 'daemon')

    def test_tracepoints_and_waits_where_they_are_granted(self):
        self.desk.allow(SYSTEM, 'alice')
        self.addCleanup(self.desk.authorise, '')
        sleeper = ('sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.02; done')
        loaded = self.record('-e', 'sched:sched_switch', command=sleeper)
        self.assertGreater(len(loaded.of_command('sleep')), 8)
        loaded = self.record('--off-cpu=1ms', command=sleeper)
        self.assertEqual((self.via(loaded), loaded.ended), ('daemon', 'exited'))
        waits = self.capturectl('alice', 'report', '--by', 'wait', '-e', 'off-cpu', self.path).stdout
        self.assertRegex(waits, r'sleeping +sleep\n')
        self.assertRegex(waits, r'sleeping +child\n')

    def test_the_service_where_direct_has_no_bpf(self):
        loaded = self.record(stock=False)
        self.assertEqual((self.via(loaded), loaded.capture.metadata['unwind']), ('daemon', 'bpf'))

    def test_direct_where_that_is_as_good(self):
        loaded = self.record('--unwind', 'fp', stock=False)
        self.assertEqual(self.via(loaded), 'direct')
        loaded = self.record(user='root', active=None, stock=False)
        self.assertEqual(self.via(loaded), 'direct')

    def test_direct_where_polkit_says_no(self):
        self.addCleanup(self.desk.authorise, '')
        self.desk.authorise('polkit.addRule(function() { return polkit.Result.NO; });\n')
        loaded = self.record(stock=False)
        self.assertEqual((self.via(loaded), loaded.capture.metadata['unwind']), ('direct', 'dwarf'))
        self.assertIn('The system service was not used: ', self.result.stderr)
        self.assertEqual(self.via(self.record()), 'preload')
        self.assertRegex(self.result.stderr, 'Nothing else is permitted: .*polkit.* Without the system service: ')

    def test_frames_in_the_kernel_have_names(self):
        self.desk.allow(SYSTEM, 'alice')
        self.addCleanup(self.desk.authorise, '')
        self.record('--kernel', command=('dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=300000'))
        report = self.capturectl('alice', 'report', '--json', self.path).stdout
        names = {row['name'] for row in json.loads(report)['rows'] if row['binary'] == '[kernel]'}
        self.assertIn('ksys_read', names)

    def test_direct_where_it_is_refused(self):
        result = self.record('--via', 'direct', status=1)
        self.assertIn('The kernel permits no recording to this user', result.stderr)

    def on_terminal(self, answer):
        """A recording on a terminal, in a session where a password is asked for: its status, and what it said."""
        pid, terminal = fork_on_terminal(self)
        if pid == 0:
            command = self.desk.command([self.program, 'record', '-o', str(self.path), '--', *BUSY], 'alice', False, stock=True)
            os.execvpe(command[0], [str(word) for word in command], self.desk.environment('alice'))
        said = b''
        with contextlib.suppress(OSError):  # which is how a terminal says that nobody has it any more
            while b'assword:' not in said:
                said += os.read(terminal, 4096)
            # What is typed before is thrown away.
            wait_until(lambda: not termios.tcgetattr(terminal)[3] & termios.ECHO, 'the terminal hides what is typed')
            os.write(terminal, answer)
            while piece := os.read(terminal, 4096):
                said += piece
        self.assertTrue(termios.tcgetattr(terminal)[3] & termios.ECHO, 'the terminal shows what is typed again')
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()

    def test_a_password_on_a_terminal(self):
        """pkttyagent asks for the administrator's."""
        status, said = self.on_terminal(PASSWORD.encode() + b'\n')
        self.assertEqual(status, 0, said)
        self.assertNotIn(PASSWORD, said)
        self.assertEqual(self.via(Load(self.path)), 'daemon')

    def test_a_wrong_password_on_a_terminal(self):
        status, said = self.on_terminal(b'wrong\n')
        self.assertEqual(status, 0, said)
        # What went wrong, and which way was taken then, in the line that says how it is recorded.
        line, = [line for line in said.splitlines() if 'Recording from inside' in line]
        self.assertRegex(line, 'Nothing else is permitted: The password was wrong, .* Without the system service: ')
        loaded = Load(self.path)
        self.assertEqual(self.via(loaded), 'preload')
        self.assertIn('The password was wrong', self.capturectl('alice', 'info', self.path).stdout)

    def test_an_interrupt_instead_of_a_password(self):
        status, said = self.on_terminal(b'\x03')
        self.assertEqual(status, 130, said)
        self.assertFalse(self.path.exists())
        wait_until(lambda: not self.agents(), 'pkttyagent is gone')

    def agents(self):
        return [pid for pid in processes(self.desk, ALICE) if status_of(pid, 'Name') == 'pkttyagent']


class DoctorTest(ServiceCase):
    def doctor(self, user='alice', **how):
        said = json.loads(self.capturectl(user, 'doctor', '--json', status=None, **how).stdout)
        return {finding['id']: finding for finding in said['findings']}, said

    def test_in_an_active_session(self):
        found, said = self.doctor()
        self.assertEqual((found['service']['state'], found['service-own']['state'], found['service-system']['state']),
                         ('ok', 'ok', 'limited'))
        self.assertEqual(found['own-processes']['state'], 'limited')
        direct, daemon, preload = said['ways']
        self.assertEqual((direct['own_processes'], daemon['own_processes'], daemon['kernel'], daemon['unwind']),
                         ('no', 'yes', 'password', 'bpf'))
        self.assertEqual((preload['own_processes'], preload['kernel']), ('commands', 'no'))
        self.assertEqual((said['can_record'], said['auto']), (True, 'daemon'))

    def test_elsewhere(self):
        for active in False, 'remote', None:
            with self.subTest(active):
                found, said = self.doctor(active=active)
                self.assertEqual(said['ways'][1]['own_processes'], 'password')
                self.assertIn('password', found['service-own']['text'])

    def test_confined(self):
        """Who may do less than his user has an answer of his own, whatever polkit would say."""
        for confined, word in (('setpriv', '--no-new-privs'), 'no_new_privs'), (('unshare', '--user', '--map-current-user'), 'user namespace'):
            with self.subTest(word):
                found, said = self.doctor(prefix=confined)
                self.assertEqual(found['service-own']['state'], 'limited')
                self.assertIn(word, found['service-own']['text'])
                self.assertEqual(said['ways'][1]['own_processes'], 'no')

    def test_by_the_rules(self):
        self.addCleanup(self.desk.authorise, '')
        self.desk.allow(SYSTEM, 'alice')
        self.assertEqual(self.doctor()[1]['ways'][1]['kernel'], 'yes')
        self.desk.authorise('polkit.addRule(function(action, subject) { if (action.id.indexOf("org.capturectl.") == 0) '
                            'return polkit.Result.NO; });\n')
        found, said = self.doctor()
        self.assertEqual([way['own_processes'] for way in said['ways']], ['no', 'no', 'commands'])
        self.assertEqual((said['can_record'], said['auto']), (True, 'preload'))
        self.assertIn('polkit refuses', found['service-own']['text'])

    def test_without_the_policy(self):
        policy = next((self.desk.directory / 'actions').glob('*capturectl.Capture1.policy'))
        away = self.desk.directory / 'policy'
        shutil.move(policy, away)
        self.addCleanup(wait_until, lambda: self.doctor()[1]['auto'] == 'daemon', 'polkitd has read the policy again')
        self.addCleanup(shutil.move, away, policy)
        wait_until(lambda: self.doctor()[1]['auto'] != 'daemon', 'polkitd has noticed')
        found = self.doctor()[0]
        self.assertIn('policy file is not installed', found['service-own']['text'])
        self.assertIn('meson install', found['service-own']['fix'])


class ExamplesTest(ServiceCase):
    """What docs/dbus.md shows is run, as it stands there."""

    def example(self, *argv, user='alice', status=0):
        return self.desk.run(argv, user, True, status=status)

    def shares(self, output):
        return {name: int(count) for count, name in re.findall(r'(?m)^ *(\d+) +[\d.]+ %  (.*)$', output)}

    def test_python_of_a_command(self):
        functions = self.shares(self.example(PYTHON, '-B', self.copy('record.py'), *BUSY).stdout)
        self.assertGreater(functions['turn [busy]'], 500)
        self.assertGreater(functions['turn [busy]'], 0.8 * sum(functions.values()))

    def test_python_of_a_process(self):
        process = self.process('alice', 'busy', '4000')
        functions = self.shares(self.example(PYTHON, '-B', self.copy('record.py'), '-p', str(process.pid)).stdout)
        self.assertGreater(functions['turn [busy]'], 500)

    def test_python_of_others(self):
        """The kernel's functions have the names that the service found."""
        self.desk.allow(SYSTEM, 'alice')
        self.addCleanup(self.desk.authorise, '')
        others = self.desk.popen(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=6000000'], 'bob', True, stderr=subprocess.DEVNULL)
        self.addCleanup(others.wait)
        self.addCleanup(others.kill)
        functions = self.shares(self.example(PYTHON, '-B', self.copy('record.py'), '-p', str(others.pid)).stdout)
        named = {name for name in functions if name.endswith(' [kernel]')}
        self.assertGreater(len(named), 5)
        self.assertNotIn('? [kernel]', named)

    def test_python_is_refused(self):
        others = self.process('bob')
        said = self.example(PYTHON, '-B', self.copy('record.py'), '-p', str(others.pid), status=1).stderr
        self.assertRegex(said, r'^record\.py: ')
        self.assertEqual(self.example(PYTHON, '-B', self.copy('record.py'), 'no-such-program').stdout, '')

    def copy(self, name):
        return shutil.copy(SOURCE / 'examples' / name, self.desk.directory / name)

    def test_c(self):
        program = shutil.copy(BUILD / 'examples' / 'record', self.desk.directory / 'record')
        process = self.process('alice')

        def record(times):
            self.example(program, str(process.pid), self.path, str(times))
            return Load(self.path)
        loaded = record_well(record, enough=500)
        self.assertEqual((loaded.ended, loaded.losses()), ('interrupted', []))
        self.assertGreater(len(loaded.of_command('busy')), 400)
        process = self.process('alice', 'busy', '3000')
        self.example(program, str(process.pid), self.path)
        self.assertEqual(Load(self.path).ended, 'targets-gone')
        others = self.process('bob')
        self.assertIn('NotAuthorized', self.example(program, str(others.pid), self.path, status=1).stderr)
