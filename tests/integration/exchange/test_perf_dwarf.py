# SPDX-License-Identifier: GPL-3.0-or-later
"""perf record --call-graph dwarf: the copied stacks, walked on import, are perf's own, frame by frame; where they are not, a
table says why."""
import collections
import functools
import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import perf_oracle as oracle
from capture_decoder import Capture
from support import DATA, TestCase, capturectl, environment, run

COMPLETE, NO_TABLE, UNREADABLE, NOT_RESIDENT = 1, 5, 6, 7
PROCESS_SPACE = 3
DEEP = 21


def is_subsequence(shorter, longer):
    rest = iter(longer)
    return all(item in rest for item in shorter)


def addresses(places):
    return [place.address for place in places]


@functools.lru_cache(None)
def undescribed(path):
    """Offsets in the file of .init and .fini, of which no compiler says how they use the stack."""
    sections = re.findall(r'\] \.(?:init|fini) +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)', run('readelf', '-SW', path).stdout)
    return [range(int(offset, 16), int(offset, 16) + int(size, 16)) for offset, size in sections]


def parts_where_nothing_is_described(ours, perf):
    common = [one for one, other in zip(ours, perf) if one.address == other.address]
    last = common[-1] if common else None
    return last in ours and os.path.exists(last.binary) and any(last.address in part for part in undescribed(last.binary))


# What a signal handler returns to: mov $15,%rax; syscall.
TRAMPOLINE = bytes.fromhex('48c7c00f0000000f05')


def returns_from_a_signal(place):
    if not os.path.exists(place.binary):
        return False
    with open(place.binary, 'rb') as file:
        file.seek(place.address + 1)
        return file.read(len(TRAMPOLINE)) == TRAMPOLINE


def differs_where_a_signal_interrupted(ours, perf):
    different = [i for i, (one, other) in enumerate(zip(ours, perf)) if one.address != other.address]
    return len(ours) == len(perf) and all(i > 0 and perf[i].address == ours[i].address + 1 and returns_from_a_signal(ours[i - 1]) for i in different)


# Why a stack may be another one than perf's, and how such a sample is recognised. ours, perf: places, from the leaf on.
EXPLANATIONS = {
    'perf stops or loses its way before the root, to which the tables lead':
        lambda sample, ours, perf: sample.outcome == COMPLETE and ours[-1].address not in addresses(perf),
    'perf leaves frames out through which the tables lead':
        lambda sample, ours, perf: sample.outcome == COMPLETE and is_subsequence(addresses(perf), addresses(ours)),
    'perf has the sampled address alone where the copy of the stack ends before the root, to whose end the tables lead':
        lambda sample, ours, perf: sample.outcome == UNREADABLE and 0 < len(perf) < len(ours) and addresses(ours)[:len(perf)] == addresses(perf),
    'the start and the end of a library have no unwind information: there perf guesses':
        lambda sample, ours, perf: parts_where_nothing_is_described(ours, perf),
    'the stack is not in memory where the stack pointer has just come to, so that none of it was copied':
        lambda sample, ours, perf: sample.outcome == NOT_RESIDENT and len(ours) >= len([place for place in perf if place.binary != '[unknown]']),
    'perf shows the instruction that a signal interrupted, where this comparison takes one off as of a return address':
        lambda sample, ours, perf: differs_where_a_signal_interrupted(ours, perf),
    'perf drops a program counter for which it has no mapping':
        lambda sample, ours, perf: addresses(ours)[:-1] == addresses(perf) and sample.frames[-1].kind == PROCESS_SPACE,
}


def explain(*stacks):
    return next((reason for reason, applies in EXPLANATIONS.items() if applies(*stacks)), None)


class Walked(TestCase):
    """Records a command in setUpClass, and imports it."""

    @classmethod
    def record(cls, *command, stack=32768):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix='capture-test-'))
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.path, cls.file = cls.directory / 'perf.data', cls.directory / 'imported.capture'
        oracle.record('-F', '999', '--call-graph', f'dwarf,{stack}', '-o', cls.path, '--', *command)
        capturectl('import', cls.path, '-o', cls.file)
        cls.capture = Capture(cls.file)
        cls.perf = oracle.scripted_stacks(cls.path)

    def setUp(self):
        pass

    @classmethod
    def stack_in_perf(cls, sample, places):
        """perf's stack of that sample; of several at one time the one that is like ours, if there is one."""
        stacks = cls.perf[sample.time, sample.tid]
        return next((stack for stack in stacks if addresses(stack) == addresses(places)), stacks[0])

    def compare(self, sample, places):
        """How the sample's stack is to perf's: 'equal', or the explanation."""
        perf = self.stack_in_perf(sample, places)
        if addresses(places) == addresses(perf):
            return 'equal'
        reason = explain(sample, places, perf)
        self.assertIsNotNone(reason, f'outcome {sample.outcome}, here {places}, in perf {perf}')
        return reason

    def compare_all(self):
        """How many of the samples are how to perf's."""
        samples = list(oracle.imported_stacks(self.capture))
        ours = collections.Counter((sample.time, sample.tid) for sample, _ in samples)
        perf = collections.Counter({key: len(stacks) for key, stacks in self.perf.items()})
        self.assertEqual((ours - perf, perf - ours), ({}, {}))
        return collections.Counter(self.compare(*sample) for sample in samples)


class ChainTest(Walked):
    """A known stack, without frame pointers, through a library and a callback."""

    @classmethod
    def setUpClass(cls):
        program = pathlib.Path(tempfile.mkdtemp(prefix='capture-test-')) / 'chain'
        cls.addClassCleanup(shutil.rmtree, program.parent, ignore_errors=True)
        run('gcc', '-O2', '-fomit-frame-pointer', '-o', program, DATA / 'chain.c')
        cls.record(program, '1', stack=16384)

    def test_every_stack_is_perf_s(self):
        counts = self.compare_all()
        self.assertGreaterEqual(counts['equal'], counts.total() * 0.95, counts)
        self.assertGreater(counts['equal'], 100)

    def test_every_stack_is_the_known_one(self):
        checked = 0
        for sample, places in oracle.imported_stacks(self.capture):
            names = [place.symbol for place in places]
            if 'sorter' not in names:
                continue
            self.assertEqual(sample.outcome, COMPLETE)
            known = names[names.index('sorter'):]
            self.assertEqual(known[:DEEP + 2], ['sorter'] + ['deep'] * DEEP + ['main'])
            self.assertEqual(known[-1], '_start')
            checked += 1
        self.assertGreater(checked, 100)

    def test_bytes_of_walked_stacks_are_not_kept(self):
        complete = {sample.time for sample in self.capture.samples() if sample.outcome == COMPLETE}
        kept = {record.fields['time'] for record in self.capture.records if record.word == 'user_stack'}
        self.assertGreater(len(complete), 100)
        self.assertEqual(complete & kept, set())

    def test_the_capture_says_so(self):
        info = json.loads(capturectl('info', '--json', self.file).stdout)
        self.assertEqual(info['unwind'], 'dwarf')
        self.assertEqual(info['user_stacks']['complete'], info['outcomes']['complete'])
        self.assertGreaterEqual(info['user_stacks']['complete'], info['user_stacks']['samples'] * 0.95)


class ProgramsTest(Walked):
    """Programs as a distribution builds them. perf follows the stacks of about every second process, and loses its way in
    all of the others' from the first frame on: each program runs several times, so that there is one to compare with."""

    COMMANDS = ('sqlite3', 'python3', 'xz', 'cc1')
    SCRIPT = """for i in 1 2 3 4 5; do
        sqlite3 :memory: 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000) select sum(i * i % 7) from n;'
        /usr/bin/python3 -c 'print(sum(i * i for i in range(200000)))'
        head -c 100000 /bin/bash | xz -9 | wc -c
        gcc -O2 -c hello.c -o hello.o
    done"""

    @classmethod
    def setUpClass(cls):
        work = pathlib.Path(tempfile.mkdtemp(prefix='capture-test-'))
        cls.addClassCleanup(shutil.rmtree, work, ignore_errors=True)
        (work / 'hello.c').write_text('#include <stdio.h>\n#include <stdlib.h>\nint main(void) { return printf("%d", rand()); }\n')
        for _ in range(5):
            cls.record('sh', '-c', f'cd {work}; {cls.SCRIPT}')
            if cls.followed().issuperset(cls.COMMANDS):
                break

    @classmethod
    def followed(cls):
        """The commands of which perf followed all stacks of a process as we do, and found some."""
        equal = collections.defaultdict(list)
        for sample, places in oracle.imported_stacks(cls.capture):
            equal[sample.pid, sample.command].append(addresses(places) == addresses(cls.stack_in_perf(sample, places)))
        return {command for (_, command), all_of_it in equal.items() if len(all_of_it) >= 5 and all(all_of_it)}

    def test_there_are_processes_of_each_program_whose_every_stack_is_perf_s(self):
        self.assertLessEqual(set(self.COMMANDS), self.followed())

    def test_every_stack_is_perf_s_or_explained(self):
        self.assertGreater(self.compare_all()['equal'], 100)

    def test_most_stacks_are_complete(self):
        outcomes = collections.Counter(sample.outcome for sample in self.capture.samples())
        self.assertGreaterEqual(outcomes[COMPLETE], outcomes.total() * 0.98, outcomes)


class OutOfReachTest(unittest.TestCase):
    """chain-dwarf: 8 KiB of stack a sample, of a program that is nowhere to be found here."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix='capture-test-'))
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.file = cls.directory / 'imported.capture'
        nowhere = {name: str(cls.directory) for name in ('HOME', 'DEBUGINFOD_CACHE_PATH')}
        capturectl('import', DATA / 'chain-dwarf.perf.data', '-o', cls.file, env=environment(**nowhere))
        cls.capture = Capture(cls.file)

    def test_samples_are_perf_s_but_for_their_callers(self):
        def innermost(samples):
            return [sample._replace(chain=sample.chain[:1]) for sample in samples]
        self.assertEqual(innermost(oracle.imported_samples(self.capture)), innermost(oracle.dumped_samples(DATA / 'chain-dwarf.perf.data')))

    def test_stacks_end_where_there_is_no_binary(self):
        outcomes = {sample.outcome for sample in self.capture.samples()}
        self.assertLessEqual(outcomes, {NO_TABLE})
        info = json.loads(capturectl('info', '--json', self.file).stdout)
        self.assertEqual(info['user_stacks']['complete'], 0)
        self.assertLessEqual({entry['binary'].rpartition('/')[2] for entry in info['user_stacks']['incomplete']}, {'chain', 'libc.so.6', '[vdso]'})
        for entry in info['user_stacks']['incomplete']:
            self.assertIn('the very files', entry['advice'])

    def test_every_sample_keeps_its_registers_and_stack(self):
        times = [sample.time for sample in self.capture.samples()]
        stacks = [record.fields for record in self.capture.records if record.word == 'user_stack']
        self.assertEqual(sorted(stack['time'] for stack in stacks), sorted(times))
        self.assertEqual({stack['mask'] for stack in stacks}, {0xff0fff})

    def test_registers_and_stack_hold_what_perf_copied(self):
        dump = run('perf', 'report', '-D', '-i', DATA / 'chain-dwarf.perf.data').stdout
        instruction_pointers = sorted(int(line.split()[2], 16) for line in dump.splitlines()
                                      if line.startswith('.... IP '))
        stacks = [record.fields for record in self.capture.records if record.word == 'user_stack']
        # Register 8 of perf's is the instruction pointer; bits 0 to 8 are all in the mask.
        self.assertEqual(sorted(stack['registers'][8] for stack in stacks), instruction_pointers)
        sizes = sorted(int(line.split('size')[1].split(',')[0]) for line in dump.splitlines()
                       if line.startswith('... ustack: size'))
        self.assertEqual(sorted(len(stack['stack']) for stack in stacks), sizes)


if __name__ == '__main__':
    unittest.main()
