# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of stacks share: programs whose stacks are known, recording them, and judging what was found."""
import collections
import json
import pathlib
import re

from recordings import Load
from support import SOURCE, capturectl, run

PROGRAMS = SOURCE / 'tests' / 'programs'
KERNEL = 2
COMPLETE, FRAME_POINTERS, TRUNCATED = 1, 2, 3
COMPLETE_AT_LEAST = 0.995  # of the samples that have a user stack

# Where perf's stacks end when they are whole: the entry of a program, of a thread.
ROOTS = {'_start', 'clone3', '__clone3', 'clone', '__clone', '__GI___clone', '__GI___clone3', '__start_context'}

# What calls main, from the inside out.
ROOT = r'main <libc\.so\.6> <libc\.so\.6> _start'
STATIC_ROOT = r'main __libc_start_call_main __libc_start_main\S* _start'
THREAD_ROOT = r'run_plain thread <libc\.so\.6> <libc\.so\.6>'
SIGNAL = r'middle outer handler <libc\.so\.6> '

# Kind of program: how spin() is called there.
CHAINS = {
    'plain': f'middle outer run_plain {ROOT}',
    'threads': f'middle outer {THREAD_ROOT}',
    'leader': f'middle outer {THREAD_ROOT}',
    'signal': rf'{SIGNAL}(<libc\.so\.6> )+interrupted run_signal {ROOT}',
    'sigaltstack': rf'({SIGNAL}(<libc\.so\.6> )+interrupted |middle outer )run_sigaltstack {ROOT}',
    'timer': rf'(middle outer handler <libc\.so\.6> (<\S+> |now |clock_gettime@plt |spin )*)?(middle )?(outer )?run_plain run_timer {ROOT}',
    'dlopen': f'middle outer (in_library call open_library )?run_dlopen {ROOT}',
    'deleted': f'middle outer call_and_unlink in_library call run_deleted {ROOT}',
    'fork': f'middle outer run_fork {ROOT}',
    'exec': f'middle outer run_exec {ROOT}',
    'aligned': f'middle outer aligned run_aligned {ROOT}',
    'assembly': f'middle outer by_hand run_assembly {ROOT}',
    'jit': f'middle outer <> run_jit {ROOT}',
    'context': r'middle outer coroutine <libc\.so\.6>',
    'noreturn': f'middle outer run_plain spin_and_leave call_last run_noreturn {ROOT}',
}


def build(directory, *options, program='stacks', source='stacks.c'):
    """Compiles one of the programs without frame pointers; returns its path."""
    path = pathlib.Path(directory) / program
    run('gcc', '-O1', '-fomit-frame-pointer', '-fno-builtin', '-pthread', *options, '-o', path, PROGRAMS / source)
    return path


def build_library(directory, name='library.so'):
    return build(directory, '-shared', '-fPIC', program=name, source='library.c')


class Stacks(Load):
    """A recording of a command; the names that its frames have."""

    def __init__(self, path, *command, way='auto', options=('-F', '1999'), cwd=None, timeout=120):
        self.said = capturectl('record', '-q', '--unwind', way, *options, '-o', path, '--', *command, cwd=cwd, timeout=timeout).stderr
        self.look_at(path)

    def look_at(self, path):
        super().__init__(path)
        self.info = json.loads(capturectl('info', '--json', path).stdout)

    @classmethod
    def of(cls, path):
        """What was recorded by other means."""
        self = cls.__new__(cls)
        self.look_at(path)
        return self

    def names(self, sample):
        """The functions of the user stack, innermost first; those of the system's files by the file alone, since not every machine
        has their names: "<libc.so.6>", "<[vdso]>", and "<>" for memory without a file."""
        names, called = [], False
        for frame in sample.frames:
            if frame.kind != KERNEL:
                path = frame.owner.get('path', '') if isinstance(frame.owner, dict) else ''
                name = None if path.startswith(('/usr/', '/lib', '[')) else self.capture.symbol_of(frame, called)
                names.append(name or f'<{pathlib.PurePath(path).name}>')
                called = True
        return names


class Judge:
    """Assertions for test cases."""

    def check_complete(self, stacks, least=COMPLETE_AT_LEAST, samples=100, guesses=False):
        """Almost all stacks are, by their outcomes; each says how it ended, and none was lost. Without guesses those do not count
        on whose way a frame was left by its frame pointer for want of a rule."""
        judged = stacks.info['user_stacks']
        self.assertEqual(stacks.losses(), [])
        self.assertGreaterEqual(judged['samples'], samples)
        self.assertEqual({outcome: n for outcome, n in stacks.info['outcomes'].items() if outcome in ('unknown', 'lost')}, {})
        proven = judged['complete'] - (0 if guesses else judged['by_frame_pointers'])
        self.assertGreaterEqual(proven, least * judged['samples'], json.dumps(judged, indent=1))

    def check_chain(self, stacks, chain, least=0.9):
        """Wherever spin() was sampled, and almost always it was, it was called by these: a regular expression of names from itself
        to the root, with a space after each."""
        pattern, wrong = re.compile(f'spin {chain} '), collections.Counter()
        user = stacks.with_user_stack()
        inside = [' '.join(stacks.names(sample)) + ' ' for sample in user if sample.outcome == COMPLETE]
        inside = [names for names in inside if names.startswith('spin ')]
        wrong.update(names for names in inside if not pattern.fullmatch(names))
        self.assertEqual(dict(wrong), {}, pattern.pattern)
        self.assertGreaterEqual(len(inside), least * len(user))
