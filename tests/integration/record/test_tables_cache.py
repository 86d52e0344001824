# SPDX-License-Identifier: GPL-3.0-or-later
"""The cache of unwind tables, as a recording uses it: what is kept, what is believed, and what happens without it."""
import os
import shutil
import stat
import unittest
from unittest import mock

from recordings import record_well
from stacks import Judge, Stacks
from support import DATA, ELF_READER, RECORDER, TestCase, copy_programs, run

ORDINARY = 12345


class Cache(TestCase, Judge):
    def setUp(self):
        super().setUp()
        self.program = self.directory / 'chain'
        run('gcc', '-O1', '-fomit-frame-pointer', '-o', self.program, DATA / 'chain.c')
        self.cache = self.directory / 'cache'
        self.tables = self.cache / 'capture' / 'unwind'
        patch = mock.patch.dict(os.environ, {'XDG_CACHE_HOME': str(self.cache)})
        patch.start()
        self.addCleanup(patch.stop)

    def stacks(self):
        """Those of the program."""
        return record_well(lambda times: Stacks(self.directory / 'chain.capture', self.program, times / 2), enough=200)

    def record(self):
        """Records the program; its stacks must be complete."""
        self.check_complete(self.stacks())

    def kept(self):
        """What is in the cache: {name: bytes}."""
        return {path.name: path.read_bytes() for path in self.tables.iterdir()}

    def without_elf_reader(self):
        """From here on, what is not in the cache is not to be had."""
        recorder = self.directory / 'recorder' / RECORDER.name
        recorder.parent.mkdir()
        shutil.copy(RECORDER, recorder)
        shutil.copy('/bin/false', recorder.parent / ELF_READER.name)
        os.environ['CAPTURE_RECORDER'] = str(recorder)

    def test_is_filled_and_used(self):
        self.record()
        kept = self.kept()
        self.assertGreaterEqual(len(kept), 3)  # the program, the C library, the dynamic loader
        self.assertEqual(stat.S_IMODE(self.tables.stat().st_mode), 0o700)
        self.without_elf_reader()
        self.record()
        self.assertEqual(self.kept(), kept)

    def test_is_needed_without_elf_reader(self):
        """So the test above can fail."""
        self.without_elf_reader()
        stacks = self.stacks()
        self.assertEqual(stacks.info['user_stacks']['complete'], 0)
        self.assertEqual(stacks.losses(), [])

    def test_damage_is_mended(self):
        self.record()
        kept = self.kept()
        for number, (name, contents) in enumerate(sorted(kept.items())):
            at = (number * 37 + 50) % len(contents)
            (self.tables / name).write_bytes(contents[:at] + bytes([contents[at] ^ 1]) + contents[at + 1:])
        self.record()
        self.assertEqual(self.kept(), kept)

    def test_other_users_cache_is_left_alone(self):
        self.record()
        kept = self.kept()
        os.chown(self.tables, ORDINARY, ORDINARY)
        for path in self.tables.iterdir():
            path.write_bytes(b'lies')
        self.record()
        self.assertEqual(self.kept(), {name: b'lies' for name in kept})

    def test_ordinary_user(self):
        program = copy_programs(self.directory)
        self.cache.mkdir()
        os.chown(self.cache, ORDINARY, ORDINARY)
        out = self.directory / 'out'
        out.mkdir()
        os.chown(out, ORDINARY, ORDINARY)

        def record(times):
            run('setpriv', '--reuid', ORDINARY, '--regid', ORDINARY, '--clear-groups', program, 'record', '-q', '--unwind', 'dwarf',
                '-o', out / 'chain.capture', '--', self.program, times / 2)
            return Stacks.of(out / 'chain.capture')
        for _ in range(2):
            self.check_complete(record_well(record, enough=200))
        self.assertGreaterEqual(len(self.kept()), 3)
        self.assertEqual({path.stat().st_uid for path in self.tables.iterdir()}, {ORDINARY})


if __name__ == '__main__':
    unittest.main()
