# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings during which something is killed, stopped, or runs full: what was committed is in the file, the file says how
it ended, and nothing stays behind."""
import array
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest

from recordings import BUSY, SANITISED, Load, children, compile_c, is_running, processor_time, recording_descriptors, start, wait_until
from support import CAPTURECTL, OWN_MOUNTS, RECORDER, TestCase, capturectl, check_sanitizers, environment, unmount

# Of each; KILLS=100 is the long run.
KILLS = int(os.environ.get('KILLS', 0)) or (8 if SANITISED else 20)
MILLISECOND = 1_000_000
# A machine that is busy with something else may keep the collector waiting for longer once; it does not three times.
ATTEMPTS = 3
# What a kill may cost, and the samples' own distance.
COST = 100 * MILLISECOND
PERIOD = 2 * MILLISECOND


def read_times(path):
    """The times at which the recorded program ran, ascending."""
    with open(path, 'rb') as file:
        return sorted(word for word in array.array('Q', file.read()) if word)


class Killed:
    """One recording of the busy program, of which one process is killed at a moment."""

    def __init__(self, busy, directory, victim, moment):
        self.path, self.ring = directory / 'a.capture', directory / 'ring'
        for path in (self.path, self.ring):
            path.unlink(missing_ok=True)
        self.process = start('record', '-q', '--no-names', '-F', 1000, '-o', self.path, '--', busy, 0, 0, self.ring)
        self.busy = self.recorder = None
        began = time.monotonic()
        try:
            wait_until(self.find_children)
            time.sleep(max(0, began + moment - time.monotonic()))
            self.killed = time.monotonic_ns()
            os.kill({'collector': self.process.pid, 'recorder': self.recorder, 'command': self.busy}[victim], signal.SIGKILL)
            if victim == 'collector':
                self.leftovers = recording_descriptors(self.busy)
                wait_until(lambda: not is_running(self.recorder))
                os.kill(self.busy, signal.SIGKILL)
            self.stderr = self.process.communicate(timeout=20)[1].decode()
        finally:
            self.process.kill()
            if self.busy and is_running(self.busy):
                os.kill(self.busy, signal.SIGKILL)
        check_sanitizers(self.stderr)

    def find_children(self):
        if self.process.poll() is not None:
            raise AssertionError(f'it ended of its own accord: {self.process.stderr.read().decode()}')
        found = children(self.process.pid)
        # Until it executes its program, the recorder is called what the collector is, as the command is.
        self.recorder = found.pop('capture-recorde', None)
        self.busy = next(iter(found.values()), None)
        return self.recorder and self.busy

    def missing(self):
        """How much of what ran up to 100 ms before the kill is not in the file, in nanoseconds."""
        ran = [t for t in read_times(self.ring) if t <= self.killed - COST] if self.ring.exists() else []
        if not ran:
            return 0
        times = [sample.time for sample in Load(self.path).samples] if self.path.exists() else []
        last = max(times, default=ran[0])
        return max(0, ran[-1] - last - PERIOD)


class Kill(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.programs.cleanup)
        cls.busy = compile_c(cls.programs.name, 'busy', BUSY)

    def kill(self, victim, check):
        dice = random.Random(f'kill the {victim}')
        worst = 0
        for number in range(KILLS):
            moment = dice.uniform(0.01, 0.6)
            with self.subTest(number=number, moment=moment):
                for _ in range(ATTEMPTS):
                    killed = Killed(self.busy, self.directory, victim, moment)
                    for pid in (killed.process.pid, killed.recorder, killed.busy):
                        self.assertTrue(wait_until(lambda: not is_running(pid)), 'something stayed behind')
                    check(killed)
                    self.check_file(killed)
                    missing = killed.missing()
                    if not missing:
                        break
                worst = max(worst, missing)
                self.assertEqual(missing, 0)
        print(f'# {victim}: {KILLS} killed, at most {worst / MILLISECOND:.1f} ms missing beyond the 100')

    def check_file(self, killed):
        if not killed.path.exists():
            return
        info = json.loads(capturectl('info', '--json', killed.path).stdout)
        self.assertEqual(info['samples'], len(Load(killed.path).samples))
        self.assertEqual(info['ended'], Load(killed.path).ended)
        checked = capturectl('check', killed.path, status=None)
        self.assertIn(checked.status, (0, 1), checked)

    def test_collector(self):
        def check(killed):
            self.assertEqual(killed.process.returncode, -signal.SIGKILL)
            self.assertEqual(killed.leftovers, [])
            self.assertEqual(sorted(p.name for p in self.directory.iterdir() if p.name != 'ring'),
                             ['a.capture'] if killed.path.exists() else [])
            if killed.path.exists():
                self.assertEqual(Load(killed.path).ended, 'cut-off')
        self.kill('collector', check)

    def test_recorder(self):
        def check(killed):
            self.assertEqual(killed.process.returncode, 1, killed.stderr)
            self.assertIn('killed by signal 9', killed.stderr)
            if killed.path.exists():
                load = Load(killed.path)
                self.assertEqual((load.ended, load.status), ('recorder-died', signal.SIGKILL))
        self.kill('recorder', check)

    def test_command(self):
        def check(killed):
            self.assertEqual(killed.process.returncode, 128 + signal.SIGKILL, killed.stderr)
            if killed.path.exists():
                load = Load(killed.path)
                self.assertEqual((load.ended, load.status), ('exited', signal.SIGKILL))
        self.kill('command', check)


class Trouble(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.programs.cleanup)
        cls.busy = compile_c(cls.programs.name, 'busy', BUSY)

    def test_file_system_fills_up(self):
        small, copy = self.directory / 'small', self.directory / 'copy'
        small.mkdir()
        self.addCleanup(unmount, small)
        script = ('mount -t tmpfs -o size=256k none "$1" && cd "$1" && "$2" record --no-compress -e cpu-clock -c 100000 -o a.capture'
                  ' -- "$3" 60000; status=$?; ls -A > "$4.list"; cp a.capture "$4"; exit $status')
        done = subprocess.run([*OWN_MOUNTS, 'sh', '-c', script, 'sh', small, CAPTURECTL, self.busy, copy], timeout=100,
                              env=environment(), capture_output=True, text=True)
        check_sanitizers(done.stderr)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('No space left on device', done.stderr)
        self.assertEqual((self.directory / 'copy.list').read_text(), 'a.capture\n')
        load = Load(copy)
        self.assertEqual(load.ended, 'output-error')
        self.assertEqual(load.status, 28)
        self.assertEqual(load.capture.file.end, load.capture.file.size)
        self.assertGreater(len(load.samples), 1000)
        self.assertEqual(json.loads(capturectl('info', '--json', copy).stdout)['ended'], 'output-error')

    def test_stalled_collector(self):
        path = self.directory / 'a.capture'
        process = start('record', '--json', '--no-names', '--windows', 5, '-e', 'cpu-clock', '-c', 50000, '-o', path, '--',
                        self.busy, 3000)
        self.addCleanup(process.kill)
        wait_until(path.exists)
        busy = wait_until(lambda: children(process.pid).get('busy'))
        wait_until(lambda: processor_time(busy) > 300, 100)
        stopped = time.monotonic_ns()
        process.send_signal(signal.SIGSTOP)
        # 20 samples of 16 bytes each millisecond: more than five windows of 64 KiB hold.
        wait_until(lambda: processor_time(busy) > 2000, 100)
        process.send_signal(signal.SIGCONT)
        continued = time.monotonic_ns()
        stdout, stderr = process.communicate(timeout=100)
        check_sanitizers(stderr.decode())
        self.assertEqual(process.returncode, 0, stderr)

        said, load = json.loads(stdout), Load(path)
        self.assertIn('were lost', stderr.decode())
        self.assertGreater(load.lost, 0)
        self.assertEqual(said['lost'], load.lost)
        self.assertEqual(said['samples'], len(load.samples))
        self.assertEqual(load.ended, 'exited')
        self.assertEqual(load.unknown(), [])
        info = json.loads(capturectl('info', '--json', path).stdout)
        self.assertEqual((info['samples'], info['lost']), (len(load.samples), load.lost))
        self.assertTrue(any(sample.time < stopped for sample in load.samples))
        self.assertTrue(any(sample.time > continued for sample in load.samples))

    def test_no_recorder_stays_when_interrupted_at_once(self):
        process = start('record', '-o', self.directory / 'a.capture', '--', self.busy, 300)
        self.addCleanup(process.kill)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=20)
        self.assertTrue(wait_until(lambda: not self.recorders()))

    def recorders(self):
        return [pid for pid in os.listdir('/proc') if pid.isdigit() and self.executable(pid) == str(RECORDER)]

    @staticmethod
    def executable(pid):
        try:
            return os.readlink(f'/proc/{pid}/exe')
        except OSError:
            return None


if __name__ == '__main__':
    unittest.main()
