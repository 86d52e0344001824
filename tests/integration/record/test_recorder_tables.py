# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder with its tables and programs under strain: short lives, full rings, tables that never come, every kind of death."""
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from recordings import Load, bpf_objects, children, record_well, start, wait_until
from stacks import COMPLETE_AT_LEAST
from support import DATA, TestCase, capturectl, copy_programs, environment, run

COMPLETE, NO_USER_STACK, UNKNOWN, LOST, LATE = 1, 4, 0, 11, 12
KERNEL = 2

# Runs argv[2:] argv[1] times, each in a process of its own, two at a time.
STORM = '''
import subprocess, sys
running = []
for i in range(int(sys.argv[1])):
    running.append(subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL))
    if len(running) > 1:
        running.pop(0).wait()
for last in running:
    last.wait()
'''


def share(samples, outcome):
    """Of the samples that have a user stack."""
    judged = [sample for sample in samples if sample.outcome != NO_USER_STACK]
    return sum(sample.outcome == outcome for sample in judged) / len(judged)


def exists(kind, number):
    return run('bpftool', kind, 'show', 'id', str(number), status=None).status == 0


class StrainTest(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = cls.enterClassContext(TemporaryPrograms())

    def setUp(self):
        super().setUp()
        self.chain = self.programs / 'chain'
        self.path = self.directory / 'x.capture'

    def check_whole(self, loaded):
        """Nothing is lost, and each sample says how its stack ended."""
        self.assertEqual(loaded.losses(), [])
        self.assertEqual({sample.outcome for sample in loaded.samples} & {UNKNOWN, LOST}, set())
        return loaded

    def record_storm(self, way):
        capturectl('record', '-q', '--unwind', way, '-F', '4999', '-o', self.path, '--', sys.executable, '-c', STORM, '300', self.chain, '0.004')
        return Load(self.path)

    def test_storm(self):
        """Hundreds of processes that live for some milliseconds: nothing is lost to misses, and their stacks are right."""
        for way in ('auto', 'dwarf'):
            with self.subTest(way):
                loaded = self.check_whole(record_well(lambda times: self.record_storm(way)))
                chains = loaded.of_command('chain')
                self.assertGreater(len({sample.pid for sample in chains}), 250)
                self.assertGreaterEqual(share(chains, COMPLETE), COMPLETE_AT_LEAST)

    def record_everything(self, times):
        with subprocess.Popen([sys.executable, '-c', STORM, '200', 'sh', '-c', 'ls / | cat; true'], stdout=subprocess.DEVNULL) as storm:
            capturectl('record', '-q', '-a', '-F', '4999', '--duration', '2', '-o', self.path)
            storm.terminate()
        return Load(self.path)

    def test_everything_at_full_rate(self):
        loaded = self.check_whole(record_well(self.record_everything))
        storms = [sample for sample in loaded.samples if sample.command in ('sh', 'ls', 'cat')]
        self.assertGreater(len(storms), 500)
        self.assertGreaterEqual(share(storms, COMPLETE), COMPLETE_AT_LEAST)

    def test_elf_reader_that_hangs(self):
        """Samples do not wait for ever, nothing is lost, and the recording ends in time."""
        programs = self.directory / 'programs'
        programs.mkdir()
        program = copy_programs(programs)
        reader = programs / 'helpers' / 'elf-reader' / 'capture-elf-reader'
        reader.unlink()
        reader.write_text('#!/bin/sh\nexec sleep 100\n')
        reader.chmod(0o755)

        def record(times):
            run(program, 'record', '-q', '--unwind', 'auto', '-o', self.path, '--', self.chain, times,
                env=environment(XDG_CACHE_HOME=str(self.directory / 'cache')), timeout=times + 30)
            return Load(self.path)
        loaded = self.check_whole(record_well(record, enough=100))
        self.assertEqual(loaded.ended, 'exited')
        self.assertGreater(len(loaded.samples), 100)
        self.assertGreater(share(loaded.of_command('chain'), LATE), 0.9)

    def test_recorder_that_is_stopped_for_a_while(self):
        """What fills the ring meanwhile is counted: of each sample that is there, the stack is right or said to be lost."""
        record = start('record', '-q', '-F', '999', '-o', self.path, '--', self.chain, '2')
        recorder = wait_until(lambda: children(record.pid).get('capture-recorde'))
        wait_until(lambda: self.path.exists() and self.path.stat().st_size > 4096)
        os.kill(recorder, signal.SIGSTOP)
        wait_until(lambda: False, seconds=0.5)
        os.kill(recorder, signal.SIGCONT)
        record.communicate()
        loaded = Load(self.path)
        self.assertGreater(share(loaded.of_command('chain'), COMPLETE), 0.99)

    def assert_dies_clean(self, kill):
        record = start('record', '-q', '-o', self.path, '--', self.chain, '60')
        recorder = wait_until(lambda: children(record.pid).get('capture-recorde'))
        wait_until(lambda: self.path.exists() and self.path.stat().st_size > 4096)
        helpers = set(children(recorder).values())
        objects = bpf_objects(recorder)
        self.assertTrue({kind for kind, _ in objects} >= {'prog', 'map'}, objects)
        for helper in helpers:
            self.assertEqual(bpf_objects(helper), set())
        kill(record, recorder)
        record.communicate()
        self.assertEqual(wait_until(lambda: not any(exists(*each) for each in objects)), True)
        self.assertEqual(wait_until(lambda: not any(pathlib.Path(f'/proc/{helper}').exists() for helper in helpers)), True)

    def test_programs_die_with_the_recorder(self):
        self.assert_dies_clean(lambda record, recorder: os.kill(recorder, signal.SIGKILL))

    def test_programs_die_with_the_caller(self):
        def kill(record, recorder):
            target = wait_until(lambda: children(record.pid).get('chain'))
            record.kill()
            os.kill(target, signal.SIGKILL)
        self.assert_dies_clean(kill)

    def test_programs_die_with_the_recording(self):
        self.assert_dies_clean(lambda record, recorder: record.send_signal(signal.SIGINT))


class TemporaryPrograms:
    """A directory with `chain`, as long as a class is tested."""

    def __enter__(self):
        import tempfile
        self.directory = tempfile.TemporaryDirectory(prefix='capture-test-')
        path = pathlib.Path(self.directory.name)
        run('gcc', '-O1', '-fomit-frame-pointer', '-o', path / 'chain', DATA / 'chain.c')
        return path

    def __exit__(self, *error):
        self.directory.cleanup()


if __name__ == '__main__':
    unittest.main()
