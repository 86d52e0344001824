# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording goes on over all processors: when one goes away and comes back, and when the recorder is tied to one."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from recordings import BUSY, Load, compile_c, processor_time, record_well, wait_until
from support import CAPTURECTL, TestCase, check_sanitizers, environment, run

ONLINE = pathlib.Path('/sys/devices/system/cpu/cpu1/online')
NS = 1_000_000_000


class Processors(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.programs.cleanup)
        cls.busy = compile_c(cls.programs.name, 'busy', BUSY)

    def setUp(self):
        super().setUp()
        self.path = self.directory / 'a.capture'
        self.process = subprocess.Popen([self.busy, '0', '3'])  # more threads than processors
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)

    def record(self, *arguments, before=()):
        recording = subprocess.Popen([*before, CAPTURECTL, 'record', '--no-names', '-F', '500', '-o', self.path, *arguments],
                                     env=environment(), stderr=subprocess.PIPE, text=True)
        self.addCleanup(recording.kill)
        wait_until(self.path.exists)
        return recording

    def stop(self, recording):
        recording.send_signal(signal.SIGINT)
        check_sanitizers(recording.communicate(timeout=60)[1])
        self.assertEqual(recording.returncode, 0)
        return Load(self.path)

    def set_online(self, online):
        """When it began and ended: beside other work it takes its time, and the processor works in it."""
        begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        ONLINE.write_text('1' if online else '0')
        return begin, time.clock_gettime_ns(time.CLOCK_MONOTONIC)

    def look(self, load_of):
        """Now, and by now how many milliseconds each processor has worked, or the process."""
        if load_of == 'process':
            used = {None: processor_time(self.process.pid)}
        else:
            lines = [line.split() for line in pathlib.Path('/proc/stat').read_text().splitlines()]
            used = {int(words[0][3:]): sum(map(int, words[1:4])) * 1000 // os.sysconf('SC_CLK_TCK')
                    for words in lines if words[0].startswith('cpu') and words[0] != 'cpu'}
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC), used

    def check_samples(self, samples, before, after):
        """At least half of what the time that was worked gives: a sample every two milliseconds."""
        (begin, used_before), (end, used_after) = before, after
        for cpu in used_before.keys() & used_after.keys():
            worked = used_after[cpu] - used_before[cpu]
            taken = [s for s in samples if begin <= s.time <= end and (cpu is None or s.cpu == cpu)]
            self.assertGreater(worked, 0)
            self.assertGreaterEqual(len(taken) + 5, worked / 2 / 2, f'of {worked} ms on processor {cpu}')

    def take_processor_away(self, load_of, *arguments):
        self.addCleanup(self.set_online, True)
        recording = self.record(*arguments)
        time.sleep(0.3)
        moments = [self.look(load_of)]
        time.sleep(1)
        moments.append(self.look(load_of))
        goes, gone = self.set_online(False)
        moments.append(self.look(load_of))
        time.sleep(2.5)
        moments.append(self.look(load_of))
        comes, back = self.set_online(True)
        time.sleep(1)
        moments.append(self.look(load_of))
        time.sleep(2)
        moments.append(self.look(load_of))
        load = self.stop(recording)
        times = [sample.time for sample in load.samples if sample.cpu == 1]
        self.assertGreater(len([t for t in times if t < goes]), 0)
        self.assertEqual([t for t in times if gone < t < comes], [])
        self.assertGreater(len([t for t in times if t > back + NS]), 0)
        for before, after in zip(moments[::2], moments[1::2]):
            self.check_samples(load.samples, before, after)

    def test_processor_goes_and_comes_back_system_wide(self):
        self.take_processor_away('processors', '-a')

    def test_processor_goes_and_comes_back_for_a_process(self):
        self.take_processor_away('process', '-p', str(self.process.pid))

    def test_recorder_tied_to_one_processor(self):
        recording = self.record('-a', '-e', 'cpu-clock', before=('taskset', '-c', '0'))
        # cpu-clock ticks on idle processors, too.
        wait_until(lambda: min(self.samples_of_each(Load(self.path))) > 300)
        self.assertGreater(min(self.samples_of_each(self.stop(recording))), 300)

    @staticmethod
    def samples_of_each(load):
        return [sum(sample.cpu == cpu for sample in load.samples) for cpu in (0, 1)]

    def record_beside_others(self, times):
        """Beside perf, which records everything, and recordings that come and go. When it began and ended is in self.span."""
        begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        recording = self.record('-a', '-F', '4999', '--unwind', 'fp')
        other = subprocess.Popen(['perf', 'record', '-q', '-N', '-B', '-a', '-g', '-o', self.directory / 'other.perf.data'],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(2)  # the rings have gone round
            for _ in range(10):
                run(CAPTURECTL, 'record', '-q', '--no-names', '-o', self.directory / 'other.capture', '--', 'true')
            time.sleep(0.5)
            self.span = begin, time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            return self.stop(recording)
        finally:
            other.kill()
            other.wait()

    def test_bpf_programs_that_come_and_go_hold_nothing_up(self):
        """The kernel tells of their symbols, and where others record at the same time, leaves old bytes behind what it tells."""
        load = record_well(self.record_beside_others)
        begin, end = self.span
        dump = run(CAPTURECTL, 'dump', self.path).stdout
        times = [int(time) for time in re.findall(r'^ *kernel_symbol .*\btime=(\d+)', dump, re.MULTILINE)]
        self.assertGreater(len(times), 0)
        self.assertEqual([time for time in times if not begin <= time <= end + NS], [])
        self.assertEqual(load.losses(), [])
