# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks by unwind tables: of programs without frame pointers, each is the known one, from the sampled function to the root."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import stacks
from recordings import record_well, start, wait_until
from stacks import CHAINS, COMPLETE, ROOT, STATIC_ROOT, TRUNCATED, Judge, Stacks
from support import OWN_MOUNTS, TestCase, capturectl, check_sanitizers, run, unmount

# Of an Elf64_Ehdr: e_shoff; e_shnum and e_shstrndx. (Offset, bytes)
SECTIONS_IN_HEADER = (40, 8), (60, 4)

# Some of what these do is system calls, and the beginning and the end of processes.
LEAST_IN_SPIN = {'signal': 0.7, 'sigaltstack': 0.7, 'context': 0.7, 'fork': 0.5}


class Programs(TestCase, Judge):
    way = None

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.built = pathlib.Path(directory.name)
        cls.program = stacks.build(cls.built)

    def setUp(self):
        super().setUp()
        self.path = self.directory / 'a.capture'

    def record(self, kind, *more, program=None, milliseconds=400, **how):
        """The program works for so long by the clock, or longer."""
        def record(times):
            return Stacks(self.path, program or self.program, kind, times * milliseconds, *more, way=self.way, **how)
        return record_well(record, enough=200, attempts=1 if kind == 'deleted' else 5)  # which works only once

    def check(self, kind, *more, **how):
        found = self.record(kind, *more, **how)
        self.check_complete(found, guesses=kind in ('jit', 'assembly'))
        self.check_chain(found, CHAINS[kind], LEAST_IN_SPIN.get(kind, 0.9))
        return found


class EachWay:
    """What must hold however stacks are found by tables."""

    def test_plain(self):
        self.assertEqual(self.check('plain').info['unwind'], self.became)

    def test_threads(self):
        found = self.check('threads')
        # The first one only waits for them.
        self.assertEqual(len({sample.tid for sample in found.samples if 'thread' in found.names(sample)}), 3)

    def test_threads_whose_leader_is_gone(self):
        self.check('leader')

    def test_signal_handler(self):
        self.check('signal')

    def test_signal_anywhere(self):
        found = self.check('timer')
        self.assertTrue(any('handler' in found.names(sample) for sample in found.samples))

    def test_library_that_is_loaded_while_recording(self):
        found = self.check('dlopen', stacks.build_library(self.directory))
        self.assertTrue(any('in_library' in found.names(sample) for sample in found.samples))

    def test_library_that_was_just_deleted(self):
        self.check('deleted', stacks.build_library(self.directory))
        self.assertFalse((self.directory / 'library.so').exists())

    def test_forks(self):
        self.assertGreater(len({sample.pid for sample in self.check('fork').samples}), 20)

    def test_execs(self):
        """In the middle of an exec the registers lead into memory that is gone."""
        found = self.record('exec', milliseconds=800)
        self.check_complete(found)
        self.check_chain(found, CHAINS['exec'], 0.2)
        self.assertEqual(len({sample.pid for sample in found.samples}), 1)

    def test_execs_of_programs_at_the_same_place(self):
        """What stands at an address, and how to get from there to the caller, is another thing after each exec."""
        one, other = (stacks.build(self.directory, '-no-pie', level, program=name) for level, name in (('-O1', 'one'), ('-Os', 'other')))
        found = self.record('exec', other, program=one, milliseconds=800)
        self.check_complete(found)
        self.check_chain(found, CHAINS['exec'], 0.2)

    def test_stack_that_is_realigned(self):
        self.check('aligned')

    def test_coroutine(self):
        """The C library's __start_context is its root: the return address is its very beginning, where no call comes before."""
        self.check('context')

    def test_code_made_at_run_time(self):
        """The root is proven, but not what lies between: that is said."""
        found = self.check('jit')
        inside = [sample for sample in found.with_user_stack() if found.names(sample)[0] == 'spin']
        self.assertEqual({sample.by_frame_pointers for sample in inside}, {True})
        partly = sum(sample.by_frame_pointers for sample in found.samples if sample.outcome == COMPLETE)
        self.assertEqual(found.info['user_stacks']['by_frame_pointers'], partly)

    def test_assembly_that_nothing_describes(self):
        """Its instructions tell the way, and it is said that nothing else does."""
        found = self.check('assembly')
        inside = [sample for sample in found.with_user_stack() if found.names(sample)[0] == 'spin']
        self.assertEqual({sample.by_frame_pointers for sample in inside}, {True})

    def test_call_that_does_not_return(self):
        self.check('noreturn')

    def check_all(self, kind, chain, least=0.9):
        """The same for samples anywhere."""
        found, pattern = self.record(kind), re.compile(chain + ' ')
        self.check_complete(found)
        chains = [' '.join(found.names(sample)) + ' ' for sample in found.with_user_stack()]
        others = [chain for chain in chains if not pattern.fullmatch(chain)]
        self.assertLessEqual(len(others), (1 - least) * len(chains), others[:10])

    def test_system_call(self):
        self.check_all('syscall', rf'((<libc\.so\.6> ){{1,3}}|read@plt )?run_syscall {ROOT}')

    def test_linkage_table(self):
        self.check_all('plt', rf'(<libc\.so\.6> |labs@plt )?run_plt {ROOT}')

    def test_sections_that_linkers_put_together(self):
        program = stacks.build(self.directory, program='initial', source='initial.c')
        found = record_well(lambda times: Stacks(self.path, program, way=self.way))
        self.check_complete(found)
        before, after = r'run_early _init', r'run_late _fini <ld-linux-x86-64\.so\.2> <libc\.so\.6> <libc\.so\.6>'
        self.check_chain(found, rf'({before}|{after}) (<libc\.so\.6> )+_start')

    def test_vdso(self):
        self.check_all('vdso', rf'(<\[vdso\]> )*(<libc\.so\.6> )?(clock_gettime@plt )?(now )?run_vdso {ROOT}')

    def test_statically_linked(self):
        program = stacks.build(self.directory, '-static', program='static')
        found = self.record('plain', program=program)
        self.check_complete(found)
        self.check_chain(found, f'middle outer run_plain {STATIC_ROOT}')

    def test_statically_linked_anywhere(self):
        program = stacks.build(self.directory, '-static-pie', '-fPIE', program='static')
        found = self.record('plain', program=program)
        self.check_complete(found)
        self.check_chain(found, f'middle outer run_plain {STATIC_ROOT}')

    def check_stripped(self, program):
        found = self.record('plain', program=program)
        self.check_complete(found)
        chains = [' '.join(found.names(sample)) for sample in found.with_user_stack()]
        known = [chain for chain in chains if re.fullmatch(fr'(<{program.name}> ){{5}}(<libc\.so\.6> ){{2}}<{program.name}>', chain)]
        self.assertGreaterEqual(len(known), 0.9 * len(chains), set(chains))

    def test_stripped(self):
        program = self.directory / 'stripped'
        run('strip', '-s', '-o', program, self.program)
        self.check_stripped(program)

    def test_without_section_headers(self):
        program = self.directory / 'stripped'
        run('strip', '-s', '-o', program, self.program)
        content = bytearray(program.read_bytes())
        content[0x28:0x30], content[0x3c:0x40] = bytes(8), bytes(4)  # e_shoff; e_shnum and e_shstrndx
        program.write_bytes(content)
        self.check_stripped(program)

    def test_another_mount_namespace(self):
        inside = self.directory / 'inside'
        inside.mkdir()
        self.addCleanup(unmount, inside)
        def record(times):
            script = f'mount -t tmpfs none {inside} && cp "{self.program}" {inside}/hidden && exec {inside}/hidden plain {400 * times}'
            return Stacks(self.path, *OWN_MOUNTS, 'sh', '-c', script, way=self.way)
        found = record_well(record, enough=200)
        self.check_complete(found)
        self.check_chain(found, CHAINS['plain'])

    def test_more_frames_than_wanted(self):
        found = self.record('deep', options=('-F', '999', '--max-stack', '127'))
        inside = [sample for sample in found.with_user_stack() if found.names(sample)[0] == 'spin']
        self.assertGreater(len(inside), 0.9 * len(found.with_user_stack()))
        for sample in inside:
            self.assertEqual((sample.outcome, found.names(sample)), (TRUNCATED, ['spin', 'middle', 'outer', *['deeper'] * 124]))

    def test_many_frames(self):
        found = self.record('deep')
        self.check_complete(found)
        self.check_chain(found, f'middle outer (deeper ){{301}}run_deep {ROOT}')


class KernelTest(EachWay, Programs):
    """The tables are walked in the kernel: BPF is permitted here, so auto chooses it."""
    way, became = 'auto', 'bpf'

    def test_signal_handler_on_a_stack_of_its_own(self):
        self.check('sigaltstack')

    def record_running(self, *arguments):
        """A process that was there before, for half a second or longer."""
        def record(times):
            return self.record_once(*arguments, '--duration', str(times / 2))
        return record_well(record, enough=200)

    def record_once(self, *arguments):
        recording = start('record', '-F', '1999', '-o', self.path, *arguments)
        self.addCleanup(recording.kill)
        check_sanitizers(recording.communicate(timeout=60)[1].decode())
        self.assertEqual(recording.returncode, 0)
        return Stacks.of(self.path)

    def start_program(self):
        process = subprocess.Popen([self.program, 'threads', '20000'])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: len(os.listdir(f'/proc/{process.pid}/task')) == 4)
        return process

    def test_running_process(self):
        found = self.record_running('-p', self.start_program().pid)
        self.check_complete(found)
        self.check_chain(found, CHAINS['threads'])

    def test_everything(self):
        pid = self.start_program().pid
        found = self.record_running('-a')
        found.samples = [sample for sample in found.samples if sample.pid == pid]
        self.check_chain(found, CHAINS['threads'])
        self.assertEqual({sample.outcome for sample in found.samples}, {stacks.COMPLETE})

    def build_bare(self):
        return stacks.build(self.directory, '-fno-asynchronous-unwind-tables', '-fno-unwind-tables', '-Wl,--build-id=none', program='bare')

    def test_without_tables(self):
        """What it does with the stack is read from the code of its functions, which symbols tell apart; it is said that this was done."""
        found = self.record('plain', program=self.build_bare())
        self.check_chain(found, CHAINS['plain'])
        self.assertEqual(set(found.info['outcomes']), {'complete'})
        self.assertGreaterEqual(found.info['user_stacks']['by_frame_pointers'], 0.95 * found.info['user_stacks']['samples'])

    def test_with_nothing(self):
        """Neither tables nor frame pointers, nor sections to say where code is: it is said, for every sample, and is found out once."""
        program = self.build_bare()
        with program.open('r+b') as file:
            for at, size in SECTIONS_IN_HEADER:
                file.seek(at)
                file.write(bytes(size))
        found = self.record('plain', program=program)
        outcomes = {outcome for outcome, n in found.info['outcomes'].items() if n > 5}
        self.assertTrue(outcomes <= {'no-table', 'frame-pointers', 'bad-frame'}, found.info['outcomes'])
        self.assertEqual(found.losses(), [])


class CopyTest(EachWay, Programs):
    """The tables are walked in the recorder, over a copy of the stack."""
    way, became = 'dwarf', 'dwarf'

    def test_signal_handler_on_a_stack_of_its_own(self):
        """The copy holds the handler's stack alone; beyond it there is nothing, which is said."""
        found = self.record('sigaltstack')
        self.assertEqual({outcome for outcome, n in found.info['outcomes'].items() if n > 5}, {'complete', 'unreadable'})
        handled = [found.names(sample) for sample in found.samples if 'handler' in found.names(sample)]
        self.assertEqual({tuple(names[:3]) for names in handled if names[0] == 'spin'}, {('spin', 'middle', 'outer')})
        self.assertGreater(len(handled), 100)


if __name__ == '__main__':
    unittest.main()
