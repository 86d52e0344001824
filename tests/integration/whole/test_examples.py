#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtimes that embed the library as it is installed: examples/, and what docs/embedding.md and docs/frame-pointers.md say."""
import itertools
import pathlib
import re
import shutil
import tempfile
import unittest

import examples
from examples import EXAMPLES, OWN, Judge, Recorded, Truth
from recordings import record_well
from stacks import COMPLETE, FRAME_POINTERS
from support import SOURCE, TestCase, capturectl, run

NO_TABLE, BAD_FRAME = 5, 8


def is_at(file, *lines):
    return lambda frame: frame.file == file and frame.line in lines


def is_named(name):
    return lambda frame: frame.name == name


class ExampleCase(TestCase, Judge):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.installed = pathlib.Path(tempfile.mkdtemp(prefix='capture-installed-'))
        cls.addClassCleanup(shutil.rmtree, cls.installed, ignore_errors=True)
        cls.env = examples.install(cls.installed)
        cls.places, cls.recordings = {}, {}

    def place(self, name):
        """Where the example stands, made."""
        if name not in self.places:
            self.places[name] = examples.build(name, self.installed, self.env)
        return self.places[name]

    def record(self, name, *command):
        """Records the command; the same one once for all tests of a class."""
        if command not in self.recordings:
            path, place = self.directory / f'{name}.capture', self.place(name)
            self.recordings[command] = record_well(lambda times: Recorded(path, *command, env=self.env, cwd=place))
        return self.recordings[command]

    def share_of(self, event, pattern, within):
        """Of the samples with stacks that match `within`, those that match the pattern. Stacks are names from the root
        to the leaf, each with a space behind it."""
        stacks = [(''.join(name + ' ' for name in names), n) for names, n in event.names().items()]
        inside = [(stack, n) for stack, n in stacks if re.search(within, stack)]
        self.assertGreater(sum(n for _, n in inside), 20, f'{event.name}: {within} in {stacks[:50]}')
        return sum(n for stack, n in inside if re.search(pattern, stack)) / sum(n for _, n in inside)


class Compiler(ExampleCase):
    def jit(self, *options, seconds=3):
        truth = self.installed / f'truth{seconds}{"".join(options)}'
        recorded = self.record('jit', self.place('jit') / 'jit', f'--seconds={seconds}', f'--truth={truth}', *options)
        return recorded, Truth(truth)

    def assert_outcomes(self, event, recorded, truth, expected):
        """Stacks that begin in generated code end in these ways, but for a few in prologues."""
        inside = [sample.outcome for sample in recorded.of_event(event.name)
                  if sample.frames and truth.name_of(sample.frames[0].address, sample.time)]
        self.assertGreater(sum(outcome in expected for outcome in inside), 0.99 * len(inside), (event.name, inside))

    def test_nothing_is_named_wrongly(self):
        """Hundreds of functions a second at the same addresses: by both samplers, each frame of each sample has the name of what
        stood there then."""
        recorded, truth = self.jit()
        self.assertGreater(len(truth.runs), 300)
        self.assertEqual(recorded.losses(), [])
        for event in recorded.events[OWN], recorded.recorder:
            expected = truth.expected(recorded.of_event(event.name))
            self.assertGreater(sum(expected.values()), 100)
            self.assertEqual(truth.reported(event), expected, event.name)
            for path in event.paths:
                for frame in path.frames:
                    if frame.name in truth.names:
                        self.assertEqual((frame.file, frame.line), (f'{frame.name}.expr', 1))

    def test_lines(self):
        """Both lines of an expression are in pprof's samples, and no others."""
        self.jit(seconds=1)
        exported = self.directory / 'jit.pb.gz'
        capturectl('export', '--format', 'pprof', '-o', exported, self.directory / 'jit.capture')
        places = set(re.findall(r' (heavy|light|calls) (\w+)\.expr:(\d+)', run('go', 'tool', 'pprof', '-raw', exported).stdout))
        self.assertLessEqual(places, {(name, name, line) for name in ('heavy', 'light', 'calls') for line in '12'})
        self.assertLessEqual({(name, name, line) for name in ('heavy', 'light') for line in '12'}, places)

    def test_shares(self):
        recorded, truth = self.jit()
        heavy, light = truth.rounds('heavy'), truth.rounds('light')
        for event in recorded.events[OWN], recorded.recorder:
            self.check_share(event, is_named('heavy'), is_named('light'), heavy / (heavy + light), recorded.spread(event.name))

    def test_callers(self):
        """Native frames below generated code, and above it."""
        recorded, truth = self.jit()
        for event in recorded.events[OWN], recorded.recorder:
            self.assert_outcomes(event, recorded, truth, {COMPLETE, FRAME_POINTERS})
            self.assertGreater(self.share_of(event, r'\bmain run (heavy|light) $', r'(heavy|light) $'), 0.99, event.name)
            # C that keeps frame pointers sets its own up in its first instructions.
            self.assertGreater(self.share_of(event, r'\bmain run calls jit_steps $', r'jit_steps $'), 0.9, event.name)

    def test_without_frames(self):
        """docs/frame-pointers.md: code without a record loses its caller, and no outcome tells."""
        recorded, truth = self.jit('--frames=none', seconds=2)
        for event in recorded.events[OWN], recorded.recorder:
            self.assertEqual(self.share_of(event, r'\brun (heavy|light|calls) ', r'(heavy|light|calls) '), 0)
            self.assertGreater(self.share_of(event, r'\bmain (heavy|light) $', r'(heavy|light) $'), 0.99)
            self.assert_outcomes(event, recorded, truth, {COMPLETE, FRAME_POINTERS})

    def test_frame_pointer_in_use(self):
        """docs/frame-pointers.md: where the register holds something else, stacks end, and the ledger says so."""
        recorded, truth = self.jit('--frames=reused', seconds=2)
        for event in recorded.events[OWN], recorded.recorder:
            # Before a function's first instructions and at its return the register holds what it held in the caller.
            self.assertLess(self.share_of(event, r'\bmain ', r'(heavy|light|calls) '), 0.01)
            self.assert_outcomes(event, recorded, truth, {NO_TABLE, BAD_FRAME})
        judged = recorded.info['user_stacks']
        self.assertLess(judged['complete'], judged['samples'] / 2, judged)
        said = capturectl('info', self.directory / 'jit.capture').stdout
        self.assertIn('without frame pointers: let its compiler keep them', said)
        self.assertIn('uses the frame pointer for something else', said)

    def test_both_architectures(self):
        """Generated code computes what Python does, on this processor and on an aarch64 one."""
        def steps(n):
            return 0 if n <= 1 else 1 + steps(3 * n + 1 if n % 2 else n // 2)
        sources = ['x * 3 + 7', '(x - 2) * (x - 3) - 4 * (5 - x)', 'steps(x) * 2 + x * x', '1 - 2 - x', '((((x + 1) * 2 - 3) * 4)) * x',
                   '100000 * x - steps(steps(x) + 70)']
        expected = [sum(eval(source, {'x': x, 'steps': steps}) for x in range(1, 31)) for source in sources]
        lines = [f'{frames} 30 {source}' for frames in range(3) for source in sources] + ['0 1 x +', '0 1 (x', '0 1 y', '0 1 x x']
        place = self.place('jit')
        for compiler, emulator in ('gcc', []), ('aarch64-linux-gnu-gcc', ['qemu-aarch64']):
            program = self.directory / compiler
            run(compiler, '-O1', '-static', '-I', place, '-o', program, SOURCE / 'tests' / 'programs' / 'compute.c', place / 'jit.c',
                *sorted(place.glob('emit-*.c')))
            said = run(*emulator, program, stdin='\n'.join(lines).encode()).stdout.split()
            self.assertEqual(said, [str(value) for value in expected * 3] + ['refused'] * 4, compiler)

    def test_every_instruction(self):
        """docs/frame-pointers.md: step by step through generated code, its caller is missed in the two instructions of the prologue
        and at the return, and nowhere else."""
        place = self.place('jit')
        run('gcc', '-O1', '-I', place, '-o', place / 'step', SOURCE / 'tests' / 'programs' / 'step.c', place / 'jit.c',
            *sorted(place.glob('emit-*.c')))
        missed = {frames: [line for line in run(place / 'step', frames).stdout.splitlines() if not line.endswith('caller')]
                  for frames in ('kept', 'none', 'reused')}
        total = len(run(place / 'step', 'kept').stdout.splitlines())
        self.assertGreater(total, 15)
        self.assertEqual(missed['kept'], ['first skipped', 'second skipped', 'last skipped'])
        self.assertEqual(len(missed['none']), total - 3)  # without push, mov and pop
        self.assertEqual({line.split()[1] for line in missed['none']}, {'skipped'})
        self.assertEqual({line for line in missed['reused'] if line.startswith('inside')}, {'inside lost'})
        self.assertEqual(len(missed['reused']), total)


class Lua(ExampleCase):
    LIGHT, HEAVY = staticmethod(is_at('work.lua', 4)), staticmethod(is_at('work.lua', 12))

    def lua(self):
        return self.record('lua', self.place('lua') / 'lua-host', 'work.lua', 4)

    def test_shares(self):
        """heavy() is called three times a round, light() four times, for a third of the time each."""
        recorded = self.lua()
        self.assertEqual(recorded.losses(), [])
        self.check_share(recorded.events[OWN], self.HEAVY, self.LIGHT, 9 / 13, recorded.spread(OWN))

    def test_frames(self):
        """Lua's functions stand between native ones: those that called Lua, and those that Lua called."""
        event = self.lua().events[OWN]
        self.assertGreater(self.share_of(event, r'\bmain run_script main chunk ', r'main chunk '), 0.99)
        self.assertGreater(self.share_of(event, r'main chunk native mix (scramble )?$', r'(mix|scramble) $'), 0.99)
        self.assertGreater(self.share_of(event, r'main chunk back each function <work.lua:\d+> light $', r'back .*light $'), 0.99)
        self.assertGreater(self.share_of(event, r'main chunk pcall function <work.lua:\d+> light $', r'pcall .*light $'), 0.99)
        self.assertGreater(self.share_of(event, r'main chunk (step |function <\[C\]:-1> )function <work.lua:\d+> light $',
                                         r'main chunk (step |function <\[C\]:-1> ).*light $'), 0.99)

    def test_both_samplers_agree(self):
        """On how much of the time is C that Lua called."""
        recorded = self.lua()
        own, recorder = recorded.events[OWN], recorded.recorder
        n, weight = own.leaves(lambda frame: True)
        share = own.leaves(is_named('scramble'))[1] / weight
        self.check_share(recorder, is_named('scramble'), lambda frame: frame.name != 'scramble', share,
                         1 + recorded.spread(OWN) * recorder.leaves(lambda frame: True)[0] / n)


class LuaJIT(ExampleCase):
    EVENT = 'luajit'

    def luajit(self):
        return self.record('luajit', self.place('luajit') / 'luajit-host', 'work.lua', 4)

    def line_of(self, function):
        lines = (EXAMPLES / 'luajit' / 'work.lua').read_text().splitlines()
        return next(number for number, line in enumerate(lines, 1) if line.startswith(f'local function {function}('))

    def test_shares(self):
        recorded = self.luajit()
        event = recorded.events[self.EVENT]
        for prefix in '', 'interpreted_':
            light, heavy = (is_at('work.lua', self.line_of(prefix + name)) for name in ('light', 'heavy'))
            self.check_share(event, heavy, light, 3 / 4, recorded.spread(self.EVENT))

    def test_frames(self):
        event = self.luajit().events[self.EVENT]
        self.assertGreater(self.share_of(event, r'\bmain run_script main chunk (interpreted_)?heavy ', r'heavy '), 0.99)
        self.assertGreater(self.share_of(event, r'main run_script main chunk native scramble $', r'scramble $'), 0.9)

    def test_machine_code(self):
        """The recorder's own samples name LuaJIT's traces; together they take what the hook says of what was compiled."""
        recorded = self.luajit()
        recorder, hook = recorded.recorder, recorded.events[self.EVENT]
        traces = {frame.name for path in recorder.paths for frame in path.frames if frame.name.startswith('trace ')}
        for function in 'light', 'heavy':
            self.assertTrue([name for name in traces if name.endswith(f' of work.lua:{self.line_of(function)}')], traces)
        compiled = is_at('work.lua', self.line_of('light'), self.line_of('heavy'))
        n, weight = hook.leaves(lambda frame: True)
        share = hook.leaves(compiled)[1] / weight
        self.check_share(recorder, lambda frame: frame.name.startswith('trace '), lambda frame: not frame.name.startswith('trace '),
                         share, 1 + recorded.spread(self.EVENT) * recorder.leaves(lambda frame: True)[0] / n)


class Embedding(ExampleCase):
    def compile_and_record(self, source, *options):
        flags = run('pkg-config', '--cflags', '--libs', 'capture-1', env=self.env).stdout.split()
        program = self.directory / source.stem
        run('gcc', *self.env['CFLAGS'].split(), '-fno-omit-frame-pointer', *options, '-o', program, source, *flags)
        return Recorded(self.directory / f'{source.stem}.capture', program, env=self.env)

    def record_recipe(self, title, name):
        """A program of tests/programs that includes a recipe of capture.h as recipe.h."""
        lines = (SOURCE / 'libcapture' / 'capture.h').read_text().splitlines()
        begin = lines.index(next(line for line in lines if line.startswith(f' * {title}: ')))
        code = itertools.dropwhile(lambda line: not line.startswith(' *   '), lines[begin:])
        code = itertools.takewhile(lambda line: line == ' *' or line.startswith(' *   '), code)
        (self.directory / 'recipe.h').write_text('\n'.join(line[5:] for line in code))
        source = self.directory / f'{name}.c'
        source.write_text((SOURCE / 'tests' / 'programs' / f'{name}.c').read_text())
        return self.compile_and_record(source, '-Wall', '-Wextra', '-Werror')

    def test_recipe_of_a_shadow_stack(self):
        recorded = self.record_recipe('A shadow stack', 'shadow')
        event = recorded.events[OWN]
        outer, inner = is_at('shadow.lang', 1), is_at('shadow.lang', 7)
        self.check_share(event, inner, outer, 3 / 4, recorded.spread(OWN))
        self.assertGreater(self.share_of(event, r'\bmain (work )?outer inner $', r'inner $'), 0.99)

    def test_recipe_of_a_callback(self):
        recorded = self.record_recipe('A callback', 'alternate')
        event = recorded.events[OWN]
        self.assertGreater(self.share_of(event, r'\bmain host outer inner (builtin |helper |clock\S* |__vdso\S* )+$', r'inner (builtin |helper |clock\S* |__vdso\S* )+$'), 0.99)
        self.assertGreater(self.share_of(event, r'outer inner builtin helper $', r''), 0.9)

    def test_a_dozen_lines(self):
        """What docs/embedding.md begins with compiles as it stands there and delivers samples."""
        page = (SOURCE / 'docs' / 'embedding.md').read_text()
        lines = re.search(r'## A dozen lines\n\n```c\n(.*?)```', page, re.S).group(1).splitlines()
        self.assertLessEqual(len([line for line in lines if line.strip()]), 12)
        program = ['#include <time.h>'] + [line for line in lines if line.startswith('#')]
        program += ['static volatile long n;', 'static void run(void) {', 'while (clock() < CLOCKS_PER_SEC)',
                    'for (int i = 0; i < 100000; i++) n++;', '}', 'int main(void) {']
        program += [line for line in lines if not line.startswith('#')] + ['}']
        (self.directory / 'dozen.c').write_text('\n'.join(program))
        recorded = self.compile_and_record(self.directory / 'dozen.c')
        self.assertGreater(self.share_of(recorded.events[OWN], r'\bmain (run )?$', r'main '), 0.9)

    def test_nobody_records(self):
        """The examples run all the same, and say the same."""
        for name, command in ('jit', ['./jit', '--seconds=0.1']), ('lua', ['./lua-host', 'work.lua', '0.1']), \
                ('luajit', ['./luajit-host', 'work.lua', '0.1']):
            self.assertEqual(run(*command, cwd=self.place(name), env=self.env).stderr, '')


if __name__ == '__main__':
    unittest.main()
