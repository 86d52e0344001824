# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings through the system service of which one process is killed at a moment: nothing of the session is left within a
second, and the caller's file is valid and says how it ended."""
import os
import random
import signal
import subprocess
import time
import unittest

from daemon import CAPTURED, DaemonCase, existing, helpers_of, processes, recorder_of, stalled, status_of
from desk import SYSTEM, wait_until
from recordings import Load, bpf_objects, is_running
from support import capturectl, check_sanitizers

# How many in all; KILLS=100 is the long run.
KILLS = int(os.environ.get('KILLS', 12))
VICTIMS = ('captured', 'recorder', 'client')
ENDED = {'captured': {'recorder-died', 'failed'}, 'recorder': {'recorder-died'}, 'client': {'cut-off'}}
SECOND = 1.0
# A machine that is busy with something else may take longer once; it does not three times. What waits for a processor meanwhile
# does not count.
ATTEMPTS = 3


class Killed:
    """One recording of which one process was killed. `elapsed`: how long after that something was left of the session, in
    seconds in which nothing of the service's waited for a processor."""

    def __init__(self, case, victim, moment, system):
        self.desk, self.path = case.desk, case.path
        self.path.unlink(missing_ok=True)
        what = ['-a'] if system else ['-p', case.target.pid]
        self.client = self.desk.popen([case.capturectl, 'record', '-q', '--via', 'daemon', '-F', '499', '-o', self.path, *what],
                                      'alice', True, stderr=subprocess.PIPE, text=True)
        began = time.monotonic()
        wait_until(lambda: recorder_of(self.desk) or self.client.poll() is not None, 'there is a recorder')
        time.sleep(max(0, began + moment - time.monotonic()))
        recorder = recorder_of(self.desk)
        if recorder is None:
            raise AssertionError(f'it did not record: {self.client.stderr.read()}')
        self.helpers = helpers_of(self.desk)
        self.objects = set().union(*map(bpf_objects, self.helpers))
        pid = {'captured': self.desk.captured.pid, 'recorder': recorder, 'client': self.client.pid}[victim]
        killed = time.monotonic() - stalled(self.desk)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.left(), lambda: f'nothing is left of the session, but there is {self.left()}')
        self.elapsed = time.monotonic() - stalled(self.desk) - killed
        self.stderr = self.client.communicate(timeout=60)[1]
        check_sanitizers(self.stderr)
        if victim == 'captured':
            self.desk.captured.wait()
            self.desk.start_captured()

    def left(self):
        """What there is of the session."""
        helpers = self.helpers.keys() | processes(self.desk, CAPTURED) - {self.desk.captured.pid}
        running = [f'{status_of(pid, "Name")} {pid}' for pid in helpers if is_running(pid)]
        return running or sorted(existing(self.objects))


class KillTest(DaemonCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.capturectl = cls.desk.installed_file('bin/capturectl')
        cls.desk.allow(SYSTEM, 'alice')

    def check_file(self, killed, victim):
        if not self.path.exists():
            return
        loaded = Load(self.path)
        self.assertIn(loaded.ended, ENDED[victim])
        self.assertIn(capturectl('check', self.path, status=None).status, (0, 1))

    def kill(self, victim):
        self.target = self.process('alice')
        dice = random.Random(f'kill the {victim}')
        slowest = 0
        for number in range(KILLS // len(VICTIMS)):
            moment, system = dice.uniform(0.01, 0.8), bool(number % 2)
            with self.subTest(number=number, moment=moment, system=system):
                for _ in range(ATTEMPTS):
                    killed = Killed(self, victim, moment, system)
                    self.check_file(killed, victim)
                    if killed.elapsed < SECOND:
                        break
                slowest = max(slowest, killed.elapsed)
                self.assertLess(killed.elapsed, SECOND)
        print(f'# {victim}: {KILLS // len(VICTIMS)} killed, nothing left after at most {slowest * 1000:.0f} ms')

    def test_captured(self):
        self.kill('captured')

    def test_recorder(self):
        self.kill('recorder')

    def test_client(self):
        self.kill('client')


if __name__ == '__main__':
    unittest.main()
