# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording through the system service, with a service that does whatever a test wants: which way is taken, what the
service is asked, and everything that can go wrong with it."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

from support import CAPTURECTL, SOURCE, TestCase, capturectl, check_sanitizers, environment
from terminals import fork_on_terminal

sys.path.insert(0, str(SOURCE / 'tests' / 'decoder'))
from capture_decoder import Capture  # noqa: E402
from fake_pool import SAMPLES  # noqa: E402
from recordings import ENDED, wait_until  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parents[1]
PYTHON = '/usr/bin/python3'  # the one that knows gi
BUS_CONFIG = '''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path={directory}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow send_type="signal"/>
    <allow send_requested_reply="true"/><allow receive_requested_reply="true"/><allow receive_type="method_call"/>
    <allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/>
  </policy>
</busconfig>
'''

# Switches that are not sent where they are what the service takes without them, see test_defaults of test-captured-options.c.
DEFAULTS = {'enable-on-exec', 'children', 'command-lines'}


class Bus(TestCase):
    """A bus of its own for each test."""

    def setUp(self):
        super().setUp()
        self.path = self.directory / 'a.capture'
        (self.directory / 'bus.conf').write_text(BUS_CONFIG.format(directory=self.directory))
        self.bus = subprocess.Popen(['dbus-daemon', f'--config-file={self.directory}/bus.conf', '--nofork', '--nopidfile'],
                                    stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop, self.bus)
        self.assertTrue(wait_until((self.directory / 'bus').exists))

    @staticmethod
    def stop(process):
        process.kill()
        process.wait()

    def environment(self, **changes):
        return environment(**{'DBUS_SYSTEM_BUS_ADDRESS': f'unix:path={self.directory}/bus', 'DISPLAY': '',
                              'CAPTURE_RECORDER': str(HERE / 'fake_recorder.py'), 'FAKE_RECORDER': 'EACCES', **changes})

    def environment_without_desktop(self, **changes):
        chosen = self.environment(**changes)
        for name in 'DISPLAY', 'WAYLAND_DISPLAY':
            chosen.pop(name, None)
        return chosen

    def service(self, behaviour):
        """Starts the fake one; ends it with the test."""
        self.calls = self.directory / 'calls'
        with open(self.calls, 'w') as out:
            process = subprocess.Popen([PYTHON, '-B', HERE / 'fake_service.py', behaviour], stdout=out, env=self.environment())
        self.addCleanup(self.stop, process)
        self.assertTrue(wait_until(lambda: 'ready' in self.calls.read_text()))
        return process

    def asked(self):
        """What the service was asked."""
        return [json.loads(line) for line in self.calls.read_text().splitlines() if line != 'ready']

    def record(self, *arguments, status=0, recorder='EACCES', command=('sleep', '0.5'), **how):
        result = capturectl('record', '-o', self.path, '--no-names', *arguments, '--', *command, status=status,
                            env=self.environment_without_desktop(FAKE_RECORDER=recorder), **how)
        return result

    def assert_refused(self, says, *arguments, **how):
        result = self.record(*arguments, status=1, command=('touch', self.directory / 'ran'), **how)
        self.assertIn(says, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertFalse((self.directory / 'ran').exists())
        self.assertFalse(self.path.exists())
        return result

    def assert_recorded(self, ended, via='daemon'):
        capture = Capture(self.path)
        self.assertEqual(ENDED[capture.file.ended.reason], ended)
        self.assertEqual(capture.metadata['via'], via)
        self.assertEqual(len(list(capture.samples())), SAMPLES)
        return capture


class Way(Bus):
    """Which way is taken, and that each way does what it says."""

    def test_daemon(self):
        self.service('normal')
        result = self.record('--via', 'daemon', '--json')
        self.assertIn('Recording through the system service: fake-clock. Stacks by unwind tables in BPF.', result.stderr)
        self.assertIn('The fake service has a note.', result.stderr)
        said = json.loads(result.stdout)
        self.assertEqual((said['via'], said['ended'], said['samples'], said['exit_status']), ('daemon', 'exited', SAMPLES, 0))
        capture = self.assert_recorded('exited')
        self.assertEqual(capture.metadata['unwind'], 'bpf')
        self.assertRegex(capturectl('info', self.path).stdout, r'(?m)^Way +daemon$')
        self.assertEqual([call['method'] for call in self.asked()], ['StartRecording', 'Stop'])

    def test_what_is_asked(self):
        self.service('normal')
        self.record('--via', 'daemon', '--unwind', 'dwarf,4096', '--max-stack', '99', '--windows', '77', '--no-children',
                    '--no-command-lines', '--interpreter', '--no-kernel', '-F', '123', '-e', 'page-faults,task-clock')
        call = self.asked()[0]
        self.assertEqual(call, {
            'method': 'StartRecording', 'interactive': False, 'fds': 1, 'targets': [0], 'children': False,
            'enable-on-exec': True, 'command-lines': False, 'interpreter': True, 'kernel': False, 'unwind': 'tables', 'stack-bytes': 4096,
            'max-stack': 99, 'window-count': 77, 'events': [['page-faults', 123, 0], ['task-clock', 123, 0]]})

    def test_what_is_asked_of_processes(self):
        self.service('normal')
        others = [subprocess.Popen(['sleep', '60']) for _ in range(3)]
        for other in others:
            self.addCleanup(self.stop, other)
        self.record('--via', 'daemon', '--kernel', '-p', ','.join(str(other.pid) for other in others), '--duration', '0.3', command=())
        call = self.asked()[0]
        self.assertEqual((call['fds'], call['targets'], call['kernel']), (3, [0, 1, 2], True))
        self.assertFalse(DEFAULTS & set(call))
        self.assert_recorded('duration')

    def test_what_is_asked_of_everything(self):
        self.service('normal')
        self.record('--via', 'daemon', '-a', '--duration', '0.3', command=())
        call = self.asked()[0]
        self.assertEqual((call['fds'], call['system-wide']), (0, True))
        self.assertFalse({'targets', 'kernel', 'stack-bytes', 'max-stack', 'window-count', *DEFAULTS} & set(call))

    def test_direct_is_best(self):
        self.service('normal')
        result = self.record(recorder='bpf')
        self.assertIn('Recording directly', result.stderr)
        self.assert_recorded('exited', via='direct')
        self.assertEqual(self.asked(), [])

    def test_direct_when_it_is_asked_for(self):
        self.service('normal')
        self.record('--via', 'direct', recorder='fp')
        self.assert_recorded('exited', via='direct')
        self.path.unlink()
        self.assert_refused('The fake recorder says EACCES.', '--via', 'direct')
        self.assertEqual(self.asked(), [])

    def test_service_where_direct_is_forbidden(self):
        self.service('normal')
        for reason in 'EACCES', 'EPERM':
            self.record(recorder=reason)
            self.assert_recorded('exited')

    def test_service_is_better_than_direct_without_bpf(self):
        self.service('normal')
        self.record(recorder='dwarf')
        self.assert_recorded('exited')

    def test_direct_where_the_service_is_no_better(self):
        self.service('no-bpf')
        result = self.record(recorder='dwarf')
        self.assertNotIn('service', result.stderr)
        self.assert_recorded('exited', via='direct')
        self.assertEqual(self.asked(), [])

    def test_direct_where_the_service_refuses(self):
        self.service('refuse:NotAuthorized')
        result = self.record(recorder='dwarf')
        self.assertIn('The system service was not used: The fake service says NotAuthorized.', result.stderr)
        self.assert_recorded('exited', via='direct')

    def test_direct_where_there_is_no_service(self):
        result = self.record(recorder='dwarf')
        self.assertNotIn('service', result.stderr)
        self.assert_recorded('exited', via='direct')

    def test_direct_where_there_is_no_bus(self):
        self.stop(self.bus)
        result = self.record(recorder='dwarf')
        self.assertNotIn('service', result.stderr)
        self.assert_recorded('exited', via='direct')

    def test_a_way_of_unwinding_that_direct_has(self):
        self.service('normal')
        self.record('--unwind', 'fp', recorder='fp')
        self.assert_recorded('exited', via='direct')
        self.assertEqual(self.asked(), [])

    def test_kernel_where_direct_may_not(self):
        self.service('normal')
        self.record('--kernel', '--unwind', 'fp', recorder='fp')
        self.assert_recorded('exited')
        self.assertIs(self.asked()[0]['kernel'], True)

    def test_kernel_where_direct_may(self):
        self.service('normal')
        self.record('--kernel', recorder='bpf+kernel')
        self.assert_recorded('exited', via='direct')

    def test_mistakes_are_not_taken_to_the_service(self):
        self.service('normal')
        for mistake in 'ENOENT', 'ESRCH', 'EINVAL':
            self.assert_refused(f'The fake recorder says {mistake}.', recorder=mistake)
        self.assertEqual(self.asked(), [])

    def test_neither_way(self):
        """Nor the third one, which knows no events."""
        self.assert_refused('capturectl record: The fake recorder says EACCES.\n', '-e', 'cpu-clock')
        self.service('refuse:LimitExceeded')
        self.assert_refused('The fake service says LimitExceeded. Without the system service: The fake recorder says EACCES.',
                            '-e', 'cpu-clock')

    def test_neither_way_but_from_inside(self):
        result = self.record()
        self.assertIn('Nothing else is permitted: The fake recorder says EACCES.\n', result.stderr)
        self.assertEqual(Capture(self.path).metadata['via'], 'preload')


class Doctor(Bus):
    """What doctor says of a service."""

    def doctor(self):
        result = capturectl('doctor', '--json', status=None, env=environment(
            DBUS_SYSTEM_BUS_ADDRESS=f'unix:path={self.directory}/bus'))
        said = json.loads(result.stdout)
        return {finding['id']: finding for finding in said['findings']}, said

    def test_no_service(self):
        found, said = self.doctor()
        self.assertEqual(found['service']['state'], 'limited')
        self.assertIn('not installed', found['service']['text'])
        self.assertIn('meson install', found['service']['fix'])
        self.assertNotIn('service-own', found)
        self.assertEqual((said['ways'][1]['own_processes'], said['auto']), ('no', 'direct'))

    def test_no_bus(self):
        self.stop(self.bus)
        found = self.doctor()[0]
        self.assertIn('no system bus', found['service']['text'])
        self.assertIsNone(found['service']['fix'])

    def test_service_without_polkit(self):
        self.service('normal')
        found, said = self.doctor()
        self.assertEqual(found['service']['text'], 'The system service captured 0.1.0 answers.')
        self.assertIn('polkit does not answer', found['service-own']['text'])
        self.assertEqual(said['ways'][1]['own_processes'], 'no')


class Documentation(TestCase):
    """docs/dbus.md says what the interface and the service say."""

    def setUp(self):
        super().setUp()
        self.text = (SOURCE / 'docs' / 'dbus.md').read_text()
        self.xml = (SOURCE / 'data' / 'org.capturectl.Capture1.xml').read_text()

    def table(self, section):
        """{first cell: the rest of the row} of a section's first table."""
        text = self.text.partition(f'## {section}\n')[2].partition('\n## ')[0]
        return dict(re.findall(r'(?m)^\| (`[^|]*`) \| (.*)\|$', text))

    def test_options(self):
        documented = {name.strip('`'): rest.split('`')[1] for name, rest in self.table('Options of StartRecording').items()}
        self.assertEqual(documented, dict(re.findall(r'(?m)^        ([a-z-]+) +(\S+)  +\S', self.xml)))
        known = [(SOURCE / path).read_text().partition(f'{table}[] = {{')[2].partition('};')[0]
                 for path, table in (('daemon/captured-options.c', 'known'), ('helpers/recorder-options.h', 'recorder_switches'))]
        self.assertEqual(set(documented), set(re.findall(r'{"([a-z-]+)"', ''.join(known))))

    def test_errors(self):
        documented = {name.strip('`') for name in self.table('Errors')}
        self.assertEqual(documented, set(re.findall(r'(?m)^    ([A-Z][A-Za-z]+)  +\S', self.xml)))

    def test_reasons(self):
        documented = {name.strip('`') for name in self.table('The life of a session')}
        self.assertEqual(documented, set(re.findall('"([a-z-]+)"', self.xml.partition('@reason:')[2].partition('@message')[0])))

    def test_fields_of_events(self):
        rows = self.table('Single events: PerfEventOpen')
        documented = {name for cell in rows for name in re.findall('`([a-z0-9_]+)`', cell)}
        source = (SOURCE / 'daemon' / 'captured-perf-attr.c').read_text()
        flags = source.partition('#define FLAGS(X)')[2].partition('#define FLAG(')[0]
        numbers = re.findall(r'    NUMBER\(([a-z0-9_]+),', source)
        self.assertEqual(documented, {*numbers, *re.findall(r'X\(([a-z0-9_]+)\)', flags), 'precise_ip'})
        types = set(re.findall('`([A-Z_]+)`', rows['`sample_type`']))
        self.assertEqual(types, set(re.findall(r'PERF_SAMPLE_([A-Z_]+)', source.partition('#define READ_FORMAT')[0])))


class Asking(Bus):
    """When a person may be asked for a password."""

    def in_terminal(self, *arguments):
        """capturectl with a terminal for its standard streams: its status, and what it said there."""
        pid, terminal = fork_on_terminal(self)
        if pid == 0:
            os.execve(CAPTURECTL, ['capturectl', 'record', '-o', str(self.path), '--no-names', *arguments],
                      self.environment_without_desktop())
        said = b''
        with contextlib.suppress(OSError):
            while piece := os.read(terminal, 4096):
                said += piece
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()

    def test_nobody_is_asked_without_a_terminal(self):
        self.service('ask')
        self.assert_refused('The fake service says NotAuthorized.', '--via', 'daemon')
        self.assertEqual([call['interactive'] for call in self.asked()], [False])

    def test_on_a_desktop_somebody_may_be_asked(self):
        self.service('ask')
        capturectl('record', '-o', self.path, '--no-names', '--via', 'daemon', 'sleep', '0.3',
                   env={**self.environment_without_desktop(), 'WAYLAND_DISPLAY': 'wayland-0'})
        self.assertEqual([call['interactive'] for call in self.asked() if 'interactive' in call], [False, True])
        self.assert_recorded('exited')

    def test_on_a_terminal_somebody_may_be_asked(self):
        self.service('ask')
        status, said = self.in_terminal('--via', 'daemon', '--', 'sleep', '0.3')
        self.assertEqual(status, 0, said)
        self.assertEqual([call['interactive'] for call in self.asked() if 'interactive' in call], [False, True])
        self.assert_recorded('exited')

    def test_asked_once(self):
        self.service('refuse:NotAuthorized')
        status, said = self.in_terminal('--via', 'daemon', '--', 'sleep', '0.3')
        self.assertEqual(status, 1, said)
        self.assertIn('The fake service says NotAuthorized.', said)
        self.assertEqual([call['interactive'] for call in self.asked()], [False, True])

    def test_nobody_is_asked_without_need(self):
        self.service('normal')
        self.in_terminal('--via', 'daemon', '--', 'sleep', '0.3')
        self.assertEqual([call['interactive'] for call in self.asked() if 'interactive' in call], [False])


class Refused(Bus):
    """A service that refuses, or answers with what must not be believed: nothing is recorded, nothing is left."""

    def test_errors(self):
        for error in ('NotAuthorized', 'InvalidOption', 'InvalidTarget', 'TargetGone', 'NotPermitted', 'LimitExceeded', 'Unsupported',
                      'NoSession', 'Failed', 'SomethingNew'):
            with self.subTest(error=error):
                process = self.service(f'refuse:{error}')
                result = self.assert_refused(f'The fake service says {error}.', '--via', 'daemon')
                self.assertEqual(result.stderr, f'capturectl record: The fake service says {error}.\n')
                self.stop(process)

    def test_errors_of_the_bus(self):
        for error, says in (('org.freedesktop.DBus.Error.AccessDenied', 'bus policy is not installed'),
                            ('org.freedesktop.DBus.Error.Spawn.ChildExited', 'cannot be started'),
                            ('org.freedesktop.DBus.Error.UnknownMethod', 'not understood'),
                            ('org.freedesktop.DBus.Error.NoReply', 'went away')):
            with self.subTest(error=error):
                process = self.service(f'refuse:{error}')
                self.assert_refused(says, '--via', 'daemon')
                self.stop(process)

    def test_no_service(self):
        self.assert_refused('The system service captured is not installed', '--via', 'daemon')

    def test_no_bus(self):
        self.stop(self.bus)
        self.assert_refused('There is no system bus', '--via', 'daemon')

    def test_forged_memory(self):
        for behaviour in 'unsealed', 'unsealed-control', 'cut', 'pipes':
            with self.subTest(behaviour=behaviour):
                process = self.service(behaviour)
                self.assert_refused("The recorder’s shared memory cannot be used", '--via', 'daemon')
                self.stop(process)

    def test_answers_of_wrong_types(self):
        for behaviour in 'wrong-type', 'wrong-order', 'no-descriptors', 'one-descriptor':
            with self.subTest(behaviour=behaviour):
                process = self.service(behaviour)
                self.assert_refused('an answer that is not understood', '--via', 'daemon')
                self.stop(process)

    def test_stopped_while_it_does_not_answer(self):
        self.service('silent')
        with subprocess.Popen([CAPTURECTL, 'record', '-o', self.path, '--via', 'daemon', 'touch', self.directory / 'ran'],
                              env=self.environment(), stderr=subprocess.PIPE, text=True) as process:
            self.assertTrue(wait_until(self.asked))
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
        self.assertEqual((process.returncode, said), (130, ''))
        self.assertFalse((self.directory / 'ran').exists() or self.path.exists())


class Ending(Bus):
    """However a recording ends, what was recorded stays, and the file says how it was."""

    def end(self, behaviour, ended, status=0, says=''):
        self.service(behaviour)
        result = self.record('--via', 'daemon', '--json', status=status, command=('sleep', '5'))
        self.assertIn(says, result.stderr)
        self.assertEqual(json.loads(result.stdout)['ended'], ended)
        self.assert_recorded(ended)
        return capturectl('info', self.path).stdout

    def test_targets_gone(self):
        other = subprocess.Popen(['sleep', '60'])
        self.addCleanup(self.stop, other)
        self.service('targets-gone')
        self.record('--via', 'daemon', '-p', other.pid, command=())
        self.assert_recorded('targets-gone')

    def test_failed(self):
        info = self.end('failed', 'failed', 1, 'The machine is on fire.')
        self.assertIn('the recorder reported an error\n', info)

    def test_recorder_died(self):
        info = self.end('recorder-died', 'recorder-died', 1,
                        f'The recorder was killed by signal 9; “{self.path}” holds what was recorded until then.')
        self.assertIn('the recorder died\n', info)

    def test_service_stopped(self):
        self.end('service-stopped', 'failed', 1, 'The service is being upgraded.')

    def test_reason_that_is_not_known(self):
        self.end('nonsense-end', 'failed', 1, 'x' + 170 * '→' + '\n')

    def test_service_died(self):
        self.end('die', 'recorder-died', 1, 'The system service captured went away; ')

    def test_service_died_at_once(self):
        self.service('die-at-once')
        result = self.record('--via', 'daemon', status=1, command=('sleep', '5'))
        self.assertIn('The system service captured went away', result.stderr)

    def test_mute(self):
        self.service('mute')
        result = self.record('--via', 'daemon', status=1)
        self.assertIn('did not end the recording in time', result.stderr)
        self.assert_recorded('recorder-died')

    def test_properties_of_wrong_types(self):
        self.service('wrong-properties')
        self.record('--via', 'daemon')
        self.assert_recorded('exited')

    def test_ended_before_anybody_looked(self):
        self.service('at-once')
        other = subprocess.Popen(['sleep', '60'])
        self.addCleanup(self.stop, other)
        self.record('--via', 'daemon', '-p', other.pid, command=())
        self.assert_recorded('targets-gone')

    def test_forged_end(self):
        self.service('forged-end')
        result = self.record('--via', 'daemon', command=('sleep', '1'))
        self.assertNotIn('forged', result.stderr)
        self.assert_recorded('exited')
        self.assertEqual([call['method'] for call in self.asked()], ['StartRecording', 'Stop'])

    def test_bus_lost(self):
        self.service('normal')
        with subprocess.Popen([CAPTURECTL, 'record', '-o', self.path, '--no-names', '--via', 'daemon', 'sleep', '60'],
                              env=self.environment(), stderr=subprocess.PIPE, text=True) as process:
            self.assertTrue(wait_until(self.path.exists))
            self.stop(self.bus)
            said = process.communicate(timeout=60)[1]
        check_sanitizers(said)
        self.assertIn('The connection to the system bus was lost; ', said)
        self.assertEqual(process.returncode, 1)
        self.assert_recorded('recorder-died')

    def test_interrupted(self):
        self.service('normal')
        with subprocess.Popen([CAPTURECTL, 'record', '-o', self.path, '--no-names', '--via', 'daemon', '-a'],
                              env=self.environment(), stderr=subprocess.PIPE, text=True) as process:
            self.assertTrue(wait_until(self.path.exists))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assert_recorded('interrupted')
