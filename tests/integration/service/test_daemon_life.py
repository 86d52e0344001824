# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of the system service: what its processes may, what it holds and leaves behind, when it goes."""
import contextlib
import json
import os
import re
import time
import unittest

from daemon import ALICE, BOB, CAPTURED, DaemonCase, helpers_of, members, processes, status_of
from desk import CAPTURED_CAPABILITIES, NAME, SYSTEM, Desk, limit_nice, wait_until
from recordings import SANITISED, bpf_objects, is_running

# SESSIONS=1000 is the long run.
SESSIONS = int(os.environ.get('SESSIONS', 60))
PARANOID = '/proc/sys/kernel/perf_event_paranoid'
IDLE_KIB, GROWTH_KIB = 12 * 1024, 512

# The design's table: which capabilities each process has while it records, by scope. In a system session the recorder's own
# forks open files; in an own session a program does that runs as the caller.
LOOKING = {'sys_ptrace', 'checkpoint_restore', 'dac_read_search'}
RECORDER = {'own': {'perfmon', 'bpf', 'ipc_lock'}, 'system': {'perfmon', 'bpf', 'ipc_lock', 'syslog', *LOOKING}}
CAPABILITY_NUMBERS = {'setgid': 6, 'setuid': 7, 'dac_read_search': 2, 'ipc_lock': 14, 'sys_ptrace': 19, 'sys_admin': 21, 'syslog': 34, 'wake_alarm': 35,
                      'perfmon': 38, 'bpf': 39, 'checkpoint_restore': 40}
CAPABILITY_NAMES = {number: name for name, number in CAPABILITY_NUMBERS.items()}

RUNNING = '''
session = Session({what}, events=[("cpu-clock", 499, 0)])
session.read(1)
print(session.path, flush=True)
sys.stdin.readline()
'''
MANY = '''
target = busy()
for _ in range({times}):
    session = Session([target], events=[("cpu-clock", 999, 0)])
    session.take()
    session.stop()
    session.wait()
    session.close()
'''


def capabilities(pid, kind='CapPrm'):
    """The names in one of a process's sets."""
    bits = int(status_of(pid, kind), 16)
    return {CAPABILITY_NAMES.get(bit, str(bit)) for bit in range(64) if bits >> bit & 1}


def threads_without_rights(pid):
    """The names of a process's threads that have no capability."""
    threads = [f'{pid}/task/{task}' for task in os.listdir(f'/proc/{pid}/task')]
    return {status_of(thread, 'Name') for thread in threads if not capabilities(thread)}


class FlatTest(DaemonCase):
    def resident(self):
        return int(status_of(self.desk.captured.pid, 'VmRSS').split()[0])

    def test_sessions_leave_nothing(self):
        """One after another: no descriptor, no process, no memory."""
        self.assertIsNone(self.refused('alice', MANY.format(times=20)))
        wait_until(self.has_nothing_left, 'the first sessions have ended')
        before = self.resident()
        self.assertIsNone(self.refused('alice', MANY.format(times=SESSIONS), timeout=60 + 5 * SESSIONS))
        wait_until(self.has_nothing_left, 'all sessions have ended')
        after = self.resident()
        print(f'# {SESSIONS} sessions: {before} KiB before, {after} KiB after')
        if not SANITISED:
            self.assertLess(after, IDLE_KIB)
            self.assertLess(after - before, GROWTH_KIB)

    def test_flood_leaves_nothing(self):
        """Callers that vanish while they are being served."""
        for _ in range(5):
            with self.desk.caller('alice', 'print("here", flush=True)\nfor _ in range(4): bus.send_message('
                                  'message(PATH, MANAGER, "StartRecording", recording([own()]), [own()]), 0)') as caller:
                caller.stdout.readline()
        wait_until(self.has_nothing_left, 'all sessions have ended')


class CgroupsTest(DaemonCase):
    """Each user's recordings are in a cgroup of their own, and the service is in none of them. What the limit of such a cgroup
    does is seen where systemd gives it (tests/vm)."""

    def record(self, user, what):
        caller = self.background(user, RUNNING.format(what=what))
        self.assertIn('/session/', caller.stdout.readline())
        return caller

    def test_by_user(self):
        self.desk.allow(SYSTEM, 'bob')
        self.addCleanup(self.desk.authorise, '')
        before = set()
        for user, uid, what in ('alice', ALICE, '[busy()]'), ('bob', BOB, 'system_wide=True'):
            self.record(user, what)
            wait_until(lambda: 'capture-elf-rea' in helpers_of(self.desk).values(), 'an elf-reader runs')
            started = {pid for pid in helpers_of(self.desk) if is_running(pid)} - before
            self.assertLessEqual({'capture-recorde'}, {status_of(pid, 'Name') for pid in started})
            self.assertEqual(members(self.desk, f'user-{uid}'), started)
            before |= started
        self.assertEqual(members(self.desk, 'service'), {self.desk.captured.pid})
        self.assertEqual(members(self.desk, ''), set())

    def test_two_of_one_user(self):
        first, second = self.record('alice', '[busy()]'), self.record('alice', '[busy()]')

        def recorders():
            return [pid for pid in members(self.desk, f'user-{ALICE}') or () if status_of(pid, 'Name') == 'capture-recorde']

        wait_until(lambda: len(recorders()) == 2, 'both have been moved')
        both = members(self.desk, f'user-{ALICE}')
        first.kill()
        wait_until(lambda: len(members(self.desk, f'user-{ALICE}')) < len(both), 'the first has ended')
        self.assertTrue(members(self.desk, f'user-{ALICE}'))
        second.kill()
        wait_until(lambda: members(self.desk, f'user-{ALICE}') is None, 'the cgroup is removed')


class RightsOfProcessesTest(DaemonCase):
    """From outside, as the kernel tells it."""

    settings = {PARANOID: '2'}
    to_open_events = set()  # what it takes beside the others, never in effect but for the system call

    def running(self, what, wanted):
        """{what it is: pids} of what the service has started for a session, once that is what is wanted and each has given up what
        it does not need: what has just been started is for a moment what started it."""
        caller = self.background('alice', RUNNING.format(what=what))
        self.assertIn('/session/', caller.stdout.readline())

        found = None

        def are_at_work():
            nonlocal found
            before, found = found, self.look()
            time.sleep(0.1)
            return before == found and set(found) == set(wanted) and all(
                status_of(pid, 'Seccomp') == '2' for pids in found.values() for pid in pids)
        with contextlib.suppress(AssertionError):  # whoever asked says what is wrong with them
            wait_until(are_at_work, 'all are at work')
        return found

    def look(self):
        found = {}
        for pid, name in helpers_of(self.desk).items():
            is_fork = name == 'capture-recorde' and status_of(pid, 'PPid') != str(self.desk.captured.pid)
            found.setdefault('fork' if is_fork else name, []).append(pid)
        return found

    def assert_precedence(self, pid, nice):
        """Before other processes, where the unit permits that, or as all others; and no right to change it."""
        self.assertEqual(os.getpriority(os.PRIO_PROCESS, pid), nice)
        with open(f'/proc/{pid}/limits', encoding='ascii') as limits:
            self.assertRegex(limits.read(), r'\nMax nice priority +0 +0 ')

    def assert_rights(self, pid, user, rights):
        self.assertEqual(status_of(pid, 'Uid').split(), [str(user)] * 4)
        self.assertEqual(capabilities(pid), rights)
        self.assertLessEqual(capabilities(pid, 'CapEff'), rights - self.to_open_events)
        for kind in 'CapAmb', 'CapInh':
            self.assertEqual(capabilities(pid, kind), set(), kind)
        self.assertLessEqual(capabilities(pid, 'CapBnd'), set(CAPTURED_CAPABILITIES))
        self.assertEqual(status_of(pid, 'NoNewPrivs'), '1')
        self.assertEqual(status_of(pid, 'Seccomp'), '2')

    def assert_table(self, found, table):
        """Each process has exactly the rights that the table says, and nobody but the recorder has anything of BPF."""
        self.assertEqual(set(found), set(table))
        self.assertEqual(len(found['capture-recorde']), 1)
        for name, (user, rights) in table.items():
            for pid in found[name]:
                with self.subTest(name):
                    self.assert_rights(pid, user, rights)
                    self.assertEqual(bool(bpf_objects(pid)), name == 'capture-recorde')
                    self.assert_precedence(pid, -10 if name == 'capture-recorde' and limit_nice() else 0)
        captured = self.desk.captured.pid
        self.assert_rights(captured, CAPTURED, set(CAPTURED_CAPABILITIES) - {'sys_admin'} | self.to_open_events)
        self.assertEqual(capabilities(captured, 'CapEff'), set())
        self.assertEqual(bpf_objects(captured), set())
        self.assertEqual(threads_without_rights(captured), {'relay-in', 'relay-out'})

    def check_table(self, what, table):
        self.assert_table(self.running(what, table), table)

    def test_own(self):
        self.check_table('[busy()]', {
            'capture-recorde': (CAPTURED, RECORDER['own']), 'capture-opener': (ALICE, {'wake_alarm'}), 'capture-elf-rea': (CAPTURED, set())})

    def test_system(self):
        self.desk.allow(SYSTEM, 'alice')
        self.addCleanup(self.desk.authorise, '')
        self.check_table('system_wide=True', {
            'capture-recorde': (CAPTURED, RECORDER['system'] | self.to_open_events), 'fork': (CAPTURED, LOOKING), 'capture-elf-rea': (CAPTURED, set())})

    def test_unit_gives_what_the_table_says(self):
        unit = self.desk.installed_file('captured.service').read_text()
        for key in 'AmbientCapabilities', 'CapabilityBoundingSet':
            given = re.search(rf'^{key}=(.*)$', unit, re.M)[1].lower().replace('cap_', '').split()
            self.assertEqual(set(given), set(CAPTURED_CAPABILITIES), key)
        self.assertIn('\nLimitNICE=-10\n', unit)
        self.assertRegex(unit, r'(?m)^SystemCallFilter=.*\bsetpriority\b')


class RightsWhereEventsTakeMoreTest(RightsOfProcessesTest):
    """As kernels of Debian and Ubuntu want it; in an own session only until the events are open."""

    settings = {PARANOID: '3'}
    to_open_events = {'sys_admin'}


class EndTest(DaemonCase):
    """What ends the service ends its sessions, and their callers are told."""

    def begin(self):
        caller = self.background('alice', RUNNING.format(what='[busy()]') + 'session.wait()')
        self.assertIn('/session/', caller.stdout.readline())
        self.helpers = helpers_of(self.desk)
        self.assertTrue(self.helpers)
        return caller

    def assert_helpers_end(self):
        wait_until(lambda: not any(map(is_running, self.helpers)), 'the helpers have ended')

    def test_termination(self):
        caller = self.begin()
        self.assertEqual(self.desk.stop_captured(), 0)
        self.assert_helpers_end()
        self.desk.start_captured()
        caller.stdin.write('\n')
        caller.stdin.flush()
        self.assertEqual(json.loads(caller.stdout.readline())['value'][0], 'service-stopped')

    def test_caller_that_leaves(self):
        self.begin().kill()
        self.assert_helpers_end()

    def test_helper_that_its_user_has_stopped(self):
        """The kernel lets a caller stop what runs as him; he gains nothing by that."""
        caller = self.begin()
        openers = [pid for pid, name in self.helpers.items() if name == 'capture-opener']
        self.assertTrue(openers)
        self.desk.run_as('alice', ['sh', '-c', 'kill -STOP "$@"', 'sh', *openers])
        caller.kill()
        self.assert_helpers_end()

    def test_target_that_ends(self):
        said = self.caller('alice', 'target = child("sleep", "1000"); session = Session([os.pidfd_open(target.pid)]); '
                           'target.kill(); session.wait()')[0]
        self.assertEqual(said['value'], ['targets-gone', ''], said)

    def test_idle_service_ends_and_is_started_again(self):
        self.desk.stop_captured()
        self.desk.make_activatable()
        self.assertIsNone(self.refused('alice', 'start([own()])'))
        self.assertTrue(self.desk.has_name(NAME))
        for pid in processes(self.desk, CAPTURED):
            os.kill(pid, 15)
        self.desk.wait_for_name(NAME, owned=False)
        idle = self.desk.start_captured('--idle-seconds', '1')
        self.assertEqual(idle.wait(60), 0)
        self.desk.start_captured()


class BusTest(unittest.TestCase):
    def test_loss_of_the_bus_ends_everything(self):
        desk = Desk().start()
        self.addCleanup(desk.stop)
        captured = desk.start_captured()
        with desk.caller('alice', RUNNING.format(what='[busy()]')) as caller:
            self.assertIn('/session/', caller.stdout.readline())
            helpers = helpers_of(desk)
            self.assertTrue(helpers)
            desk.bus.kill()
            captured.wait(60)
            wait_until(lambda: not any(map(is_running, helpers)), 'the helpers have ended')


if __name__ == '__main__':
    unittest.main()
