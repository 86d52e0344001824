# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that make machine code at run time: their functions are named as the files say that they left behind, at the
time of each sample. The files are read here by other code than that which is tested."""
import bisect
import collections
import json
import pathlib
import platform
import re
import struct
import unittest

from perf_oracle import record as perf_record
from recordings import Capture
from support import CAPTURECTL, SOURCE, TestCase, capturectl, run
from told import Told

PROGRAMS = SOURCE / 'tests' / 'programs'
PROCESS = 3
PERF_MAP, JITDUMP = 2, 3
BY_ADDRESS = '--unwind=fp',  # Java's methods stand in stacks that the walker made by their own names
INSIDE = '--via', 'preload'


class PerfMap:
    """Names by address; a later line covers an earlier one."""

    def __init__(self, content):
        self.lines = []
        for line in content.decode(errors='replace').splitlines():
            start, size, name = line.split(' ', 2)
            self.lines.append((int(start, 16), int(start, 16) + int(size, 16), name))
        self.known = {}

    def find(self, address, time):
        if address not in self.known:
            self.known[address] = next((name for start, end, name in reversed(self.lines) if start <= address < end), None)
        return self.known[address]


class Jitdump:
    """Names by address and time: who was loaded there last by then, if nothing was put over it."""

    def __init__(self, content):
        magic, self.version, at, _, _, self.pid, _, flags = struct.unpack_from('<IIIIIIQQ', content)
        assert (magic, self.version, flags) == (0x4A695444, 1, 0)
        self.loads, self.pages, self.codes = [], collections.defaultdict(list), {}
        while at + 16 <= len(content):
            kind, size, time = struct.unpack_from('<IIQ', content, at)
            if kind == 0:
                start, length = struct.unpack_from('<QQ', content, at + 32)
                name = content[at + 56:content.index(0, at + 56)].decode(errors='replace')
                for page in range(start >> 12, (start + length - 1 >> 12) + 1):
                    self.pages[page].append((time, start, start + length, name))
                code = content.index(0, at + 56) + 1
                self.loads.append((start, start + length, name))
                self.codes[start, time] = content[code:code + length]
            at += size
        for page in self.pages.values():
            page.sort(key=lambda load: load[0])

    def find(self, address, time):
        loads = self.pages.get(address >> 12, [])
        for when, start, end, name in reversed(loads[:bisect.bisect_right(loads, time, key=lambda load: load[0])]):
            if start <= address < end:
                return name
        return None

    def was_reused(self, address):
        return len({name for _, start, end, name in self.pages.get(address >> 12, []) if start <= address < end}) > 1


class JitTest(TestCase):
    def record(self, *command, options=('--unwind=auto',), **how):
        """Records; the foreign file, and the capture as the second decoder reads it."""
        self.capture = self.directory / 'out.capture'
        run(CAPTURECTL, 'record', '-q', '-F', 997, *options, '-o', self.capture, '--', *command, cwd=self.directory, **how)
        self.foreign, = Told(self.capture).foreign
        for path in (pathlib.Path(self.foreign.name),):
            self.addCleanup(path.unlink, missing_ok=True)

    def said(self):
        """Stacks of functions made at run time, as capturectl names them: names from the outermost on → samples."""
        stacks = collections.Counter()
        for line in capturectl('export', self.capture, '--format', 'folded').stdout.splitlines():
            stack, count = line.rsplit(' ', 1)
            stacks[tuple(name[:-4] for name in stack.split(';') if name.endswith('_[j]'))] += int(count)
        return stacks

    def wanted(self, file):
        """The same, of the addresses that were recorded, looked up in the file, and of the functions that V8 itself names."""
        stacks, reused = collections.Counter(), 0
        for sample in Capture(self.capture).samples():
            names = []
            for depth, frame in enumerate(sample.frames):
                is_caller = depth > 0 and sample.frames[depth - 1].kind != 2
                name = frame.told.name if frame.told else file.find(frame.address - is_caller, sample.time) \
                    if frame.kind == PROCESS and frame.address else None
                if name is not None and sample.pid == self.foreign.pid:
                    names.insert(0, re.sub('[\x00-\x1f\x7f]', ' ', name.replace(';', ':')))
                    reused += getattr(file, 'was_reused', lambda address: False)(frame.address - is_caller)
            stacks[tuple(names)] += 1
        return stacks, reused

    def assert_named(self, file, *names):
        """Both say the same, and something of names is among it; how many frames stood where code was replaced."""
        info = json.loads(capturectl('info', '--json', self.capture).stdout)
        kept, = (stream for stream in info['streams'] if stream['kind'] == 'foreign')
        self.assertEqual((kept['name'], kept['pid'], kept['bytes']), (self.foreign.name, self.foreign.pid, len(self.foreign.bytes)))
        self.assertEqual(kept['format'], {PERF_MAP: 'perf-map', JITDUMP: 'jitdump'}[self.foreign.kind])
        wanted, reused = self.wanted(file)
        said = self.said()
        self.assertEqual((said - wanted, wanted - said), (collections.Counter(), collections.Counter()))
        found = {name for stack in said for name in stack}
        for name in names:
            self.assertTrue(any(name in each for each in found), (name, sorted(found)[:50]))
        return reused

    def assert_code(self, dump, word):
        """The machine code of the sampled functions with that word in their names is what the jitdump has, as objdump decodes it, and the
        samples in it are those of the functions."""
        rows = json.loads(capturectl('report', '--json', self.capture).stdout)['rows']
        for row in (row for row in rows if word in row['name']):
            shown = json.loads(capturectl('annotate', '--json', '--code', row['name'], self.capture).stdout)
            parts = shown['code']['parts']
            self.assertEqual((shown['code']['self'], shown['code']['self_elsewhere']), (row['self'], 0))
            self.assertEqual(sum(one['self'] for part in parts for one in part['instructions']), row['self'])
            for part in parts:
                self.assertEqual(part['status'], 'decoded')
                self.assert_decoded(part, dump.codes[int(part['address'], 16), part['time']])
        self.assertTrue(any(word in row['name'] and row['self'] for row in rows))

    def assert_decoded(self, part, code):
        path, machine = self.directory / 'code', 'aarch64' if platform.machine() == 'aarch64' else 'i386:x86-64'
        path.write_bytes(code)
        lines = run('objdump', '-D', '--no-show-raw-insn', '-b', 'binary', '-m', machine, f'--adjust-vma={part["address"]}', path).stdout
        theirs = [f'0x{address}' for address in re.findall(r'^ *([0-9a-f]+):\t', lines, re.M)]
        ours = [one['address'] for one in part['instructions']]
        self.assertEqual(part['length'], len(code))
        # V8 puts tables behind the code, which are no instructions
        first = next((one['address'] for one in part['instructions'] if one['text'] in ('(bad)', 'int3') or one['text'].startswith('.')), None)
        end = ours.index(first) if first else len(ours)
        self.assertEqual(ours[:end], theirs[:end])
        self.assertGreater(end, 5)

    def test_node_with_a_perf_map(self):
        self.record('node', '--perf-basic-prof', PROGRAMS / 'work.js', 700)
        self.assertEqual(self.foreign.kind, PERF_MAP)
        self.assert_named(PerfMap(self.foreign.bytes), 'collatz')

    def test_node_with_a_jitdump(self):
        self.record('node', '--perf-prof', PROGRAMS / 'work.js', 700)
        self.assertEqual(self.foreign.kind, JITDUMP)
        dump = Jitdump(self.foreign.bytes)
        self.assert_named(dump, 'collatz')
        self.assert_code(dump, 'collatz')

    def test_node_that_is_sampled_from_inside(self):
        for option, kind, read in ('--perf-basic-prof', PERF_MAP, PerfMap), ('--perf-prof', JITDUMP, Jitdump):
            self.record('node', option, PROGRAMS / 'work.js', 700, options=INSIDE)
            self.assertEqual(self.foreign.kind, kind)
            self.assert_named(read(self.foreign.bytes), 'collatz')

    def test_code_where_other_code_stood(self):
        self.record('node', '--expose-gc', '--always-sparkplug', '--perf-prof', PROGRAMS / 'churn.js', 1500)
        reused = self.assert_named(Jitdump(self.foreign.bytes))
        self.assertGreater(reused, 10, 'no sample lies where code was replaced')

    def test_java_that_is_asked_for_its_perf_map(self):
        run('javac', '-d', self.directory, PROGRAMS / 'Work.java')
        self.record('sh', '-c', 'java -XX:+PreserveFramePointer -cp . Work 60000 >/dev/null & p=$!; '
                    'until jcmd $p VM.uptime >/dev/null 2>&1; do sleep 0.1; done; sleep 2; '
                    'jcmd $p Compiler.perfmap >/dev/null && kill $p && ! wait $p', options=BY_ADDRESS)
        self.assertEqual(self.foreign.kind, PERF_MAP)
        self.assert_named(PerfMap(self.foreign.bytes), 'Work.collatz')

    def test_java_with_a_perf_map_of_its_end(self):
        run('javac', '-d', self.directory, PROGRAMS / 'Work.java')
        self.record('java', '-XX:+PreserveFramePointer', '-XX:+UnlockDiagnosticVMOptions', '-XX:+DumpPerfMapAtExit', '-cp', '.',
                    'Work', 1000, options=BY_ADDRESS)
        self.assert_named(PerfMap(self.foreign.bytes), 'Work.collatz', 'Interpreter')

    def import_recording(self, *clock):
        """Records with perf and imports that; what was warned of."""
        data, self.capture = self.directory / 'perf.data', self.directory / 'out.capture'
        perf_record(*clock, '-e', 'cpu-clock', '-F', 997, '-g', '-o', data,
                    'sh', '-c', 'cd "$1" && shift && rm -f jit-*.dump && exec "$@"', 'sh', self.directory,
                    'node', '--perf-prof', '--interpreted-frames-native-stack', PROGRAMS / 'work.js', 700)
        return capturectl('import', data, '-o', self.capture).stderr

    def test_perf_and_a_jitdump(self):
        """What perf recorded of a process whose jitdump is still there."""
        self.assertEqual(self.import_recording('-k', 'mono'), '')
        self.foreign, = Told(self.capture).foreign
        self.assertEqual(self.foreign.bytes, next(self.directory.glob('jit-*.dump')).read_bytes())
        self.assert_named(Jitdump(self.foreign.bytes), 'collatz')

    def test_perf_with_a_clock_of_its_own(self):
        self.assertIn('perf record -k mono', self.import_recording())
        self.assertEqual(Told(self.capture).foreign, [])


if __name__ == '__main__':
    unittest.main()
