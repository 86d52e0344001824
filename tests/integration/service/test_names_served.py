# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of what only the recorder can read, for a caller who cannot: others' binaries, deleted ones, those of another
mount namespace, and the kernel's functions. Recorded as root with RECORDER_NAMES, loaded as an ordinary user."""
import bisect
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import time
import unittest

from daemon import BOB, DaemonCase
from desk import SYSTEM
from recordings import compile_c, wait_until
from support import BUILD, OWN_MOUNTS, RECORDER, TestCase, capturectl, copy_programs, run, unmount
from capture_decoder.model import BINARY, KERNEL, Capture

RECORD_NAMED = BUILD / 'tests' / 'unit' / 'recorder' / 'record-named'
ORDINARY, OTHER = '65534', '54321'
AS_ORDINARY = ('setpriv', f'--reuid={ORDINARY}', f'--regid={ORDINARY}', '--clear-groups')
AS_OTHER = ('setpriv', f'--reuid={OTHER}', f'--regid={OTHER}', '--clear-groups')
HIDDEN, NONE, UNREADABLE = 4, 2, 3

# Functions of known names that work until they are killed. What calls a leaf is not seen by frame pointers.
SPIN = r'''
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
static volatile unsigned long sink;
__attribute__((noinline)) void JOIN(NAME, leaf)(void) { for (int i = 0; i < 100000; i++) sink += i; }
static __attribute__((noinline)) void JOIN(NAME, inner)(void) { JOIN(NAME, leaf)(); sink++; }
static __attribute__((noinline)) void JOIN(NAME, outer)(void) { JOIN(NAME, inner)(); sink++; }
int main(void) { for (;;) { JOIN(NAME, outer)(); sink++; } }
'''
SPIN_CXX = r'''
static volatile unsigned long sink;
namespace served { struct Wheel { __attribute__((noinline)) void spin(int n) { for (int i = 0; i < n; i++) sink = sink + i; } }; }
int main() { served::Wheel wheel; for (;;) wheel.spin(100000); }
'''


def functions_of(binary):
    """(first offset, end, name) of its functions as nm lists them, by their place in the file. Ascending."""
    segments = [[int(number, 16) for number in m.groups()]
                for m in re.finditer(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)', run('readelf', '-lW', binary).stdout)]
    functions = []
    for line in run('nm', '-S', '--defined-only', binary).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in 'TtWw':
            address, size = int(words[0], 16), int(words[1], 16)
            functions += [(address - start + offset, address - start + offset + size, words[3])
                          for offset, start, length in segments if start <= address < start + length]
    return sorted(functions)


def name_at(functions, offset):
    found = bisect.bisect_right(functions, (offset, 1 << 64, '')) - 1
    return functions[found][2] if found >= 0 and offset < functions[found][1] else None


class Recording:
    """A recording of the whole system by record-named, between begin and end."""

    def __init__(self, path, *flags):
        self.process = subprocess.Popen([RECORD_NAMED, path, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, 'CAPTURE_BUILDDIR': str(BUILD)})
        assert self.process.stdout.readline() == 'recording\n'

    def end(self):
        self.process.stdin.close()
        said = self.process.stdout.read()
        assert self.process.wait(timeout=60) == 0, said
        self.process.stdout.close()
        return said


class Served(TestCase):
    def setUp(self):
        super().setUp()
        self.directory.chmod(0o755)
        self.path = self.directory / 'a.capture'
        programs = self.directory / 'programs'
        programs.mkdir()
        self.capturectl = copy_programs(programs)
        self.functions = {}

    def build(self, name, directory=None):
        program = pathlib.Path(compile_c(directory or self.directory, name, f'#define NAME {name}\n{SPIN}'))
        self.functions[name] = functions_of(program)
        return program

    def start(self, *command):
        process = subprocess.Popen([*map(str, command)])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def setting(self, name, value):
        path = pathlib.Path('/proc/sys/kernel') / name
        before = path.read_text()
        path.write_text(str(value))
        self.addCleanup(path.write_text, before)

    def load_twice(self):
        """The capture as the second decoder has it, after capturectl has found no fault in it."""
        capturectl('check', self.path)
        return Capture(self.path)

    def report(self):
        """Rows of a report by an ordinary user, by name; his caches are his own."""
        self.path.chmod(0o644)
        cache = self.directory / 'cache'
        cache.mkdir(exist_ok=True)
        shutil.chown(cache, int(ORDINARY), int(ORDINARY))
        text = run(*AS_ORDINARY, 'env', f'XDG_CACHE_HOME={cache}', self.capturectl, 'report', '--json', self.path).stdout
        return {(pathlib.Path(row['binary'] or '').name, row['name']): row for row in json.loads(text)['rows']}

    def assert_named(self, capture, name, least=20):
        """Every frame of the program is named as nm names it, and there are some."""
        seen = 0
        for sample in capture.samples():
            for i, frame in enumerate(sample.frames):
                if frame.kind != BINARY or pathlib.Path(frame.owner['path']).name != name:
                    continue
                expected = name_at(self.functions[name], frame.value - (i > 0))
                if expected:
                    self.assertEqual(capture.function_of(frame, i > 0), expected, hex(frame.value))
                    seen += 1
        self.assertGreater(seen, least, f'frames of {name}')

    def assert_reported(self, rows, name):
        self.assertGreater(rows[name, f'{name}_leaf']['self'], 20)
        self.assertGreater(rows[name, f'{name}_outer']['total'], 20)
        self.assertNotIn(f'{name}+', ' '.join(function for binary, function in rows if binary == name))

    def served(self, capture):
        """Names that the recorder wrote: statuses by the binaries' file names."""
        records = [record for (stream, _), window in capture._names.items() if stream != 0 for record in window]
        strings = {record.fields['id']: record.fields['value'].decode() for record in records if record.word == 'string'}
        return {pathlib.Path(strings[record.fields['path']]).name: record.fields['status']
                for record in records if record.word == 'named_binary'}


class Files(Served):
    def test_of_another_user(self):
        private = self.build('private')
        private.chmod(0o700)
        shutil.chown(private, int(OTHER), int(OTHER))
        self.start(*AS_OTHER, private)
        recording = Recording(self.path)
        time.sleep(1.5)
        recording.end()
        capture = self.load_twice()
        self.assert_named(capture, 'private')
        self.assert_reported(self.report(), 'private')

    def test_nobody_else_names_it(self):
        """Without names from the recorder the same user sees offsets: what the other tests find comes from it."""
        private = self.build('private')
        private.chmod(0o700)
        self.start(private)
        recording = Recording(self.path, 'plain')
        time.sleep(1)
        recording.end()
        self.assertEqual(self.served(self.load_twice()), {})
        rows = self.report()
        self.assertNotIn(('private', 'private_leaf'), rows)
        self.assertTrue(any(function.startswith('private+0x') for _, function in rows))

    def test_in_a_closed_directory(self):
        closed = self.directory / 'closed'
        closed.mkdir(mode=0o700)
        self.start(self.build('inside', closed))
        recording = Recording(self.path)
        time.sleep(1)
        recording.end()
        self.assert_named(self.load_twice(), 'inside')
        self.assert_reported(self.report(), 'inside')

    def test_that_everybody_may_read(self):
        """His own reader names those; the recorder says nothing of them."""
        public = self.build('public')
        self.start(public)
        recording = Recording(self.path)
        time.sleep(1)
        recording.end()
        self.assertNotIn('public', self.served(self.load_twice()))
        self.assert_reported(self.report(), 'public')

    def test_that_others_may_write_for_root(self):
        """Root reads no program of others itself: an elf-reader does, and names what was sampled."""
        theirs = self.build('theirs')
        shutil.chown(theirs, int(OTHER), int(OTHER))
        capturectl('record', '--via', 'direct', '-o', self.path, '--', *AS_OTHER, 'timeout', '1', theirs, status=124)
        capture = self.load_twice()
        self.assertIn('theirs', self.served(capture))
        self.assert_named(capture, 'theirs')
        rows = json.loads(capturectl('report', '--json', self.path).stdout)['rows']
        self.assertIn('theirs_leaf', [row['name'] for row in rows])

    def test_root_parses_none_of_others(self):
        """Without names from the recorder root sees offsets where everybody else sees names."""
        theirs = self.build('theirs')
        shutil.chown(theirs, int(OTHER), int(OTHER))
        self.start(*AS_OTHER, theirs)
        recording = Recording(self.path, 'plain')
        time.sleep(1)
        recording.end()
        rows = json.loads(capturectl('report', '--json', self.path).stdout)['rows']
        self.assertNotIn('theirs_leaf', [row['name'] for row in rows])
        self.assert_reported(self.report(), 'theirs')

    def test_deleted(self):
        deleted, short = self.build('deleted'), self.build('short')
        short.chmod(0o700)
        process = self.start(deleted)
        wait_until(lambda: os.readlink(f'/proc/{process.pid}/exe') == str(deleted))
        deleted.unlink()
        recording = Recording(self.path)
        gone = self.start(short)
        time.sleep(1)
        short.unlink()
        gone.kill()
        gone.wait()
        time.sleep(0.5)
        recording.end()
        capture = self.load_twice()
        self.assert_named(capture, 'deleted')
        # Its file was kept open from when it was first seen; it has gone since, and its process, too.
        self.assert_named(capture, 'short')
        rows = self.report()
        self.assert_reported(rows, 'deleted')
        self.assert_reported(rows, 'short')

    def test_deleted_under_another_name(self):
        """A file that stands where the one that ran was is another one, whatever it is called."""
        replaced = self.build('replaced')
        process = self.start(replaced)
        wait_until(lambda: os.readlink(f'/proc/{process.pid}/exe') == str(replaced))
        replaced.unlink()
        shutil.copy('/bin/true', replaced)
        recording = Recording(self.path)
        time.sleep(1)
        recording.end()
        self.assert_named(self.load_twice(), 'replaced')
        self.assert_reported(self.report(), 'replaced')

    def test_in_another_mount_namespace(self):
        hidden = self.build('hidden')
        place = self.directory / 'place'
        place.mkdir()
        self.addCleanup(unmount, place)
        ready = self.directory / 'ready'
        script = 'mount -t tmpfs tmpfs "$1" && cp "$2" "$1/hidden" && rm "$2" && : > "$3" && exec "$1/hidden"'
        self.start(*OWN_MOUNTS, 'sh', '-c', script, 'sh', place, hidden, ready)
        wait_until(ready.exists)
        recording = Recording(self.path)
        time.sleep(1)
        recording.end()
        self.assert_named(self.load_twice(), 'hidden')
        self.assert_reported(self.report(), 'hidden')

    def test_with_unwind_tables(self):
        private = self.build('private')
        private.chmod(0o700)
        self.start(private)
        recording = Recording(self.path, 'tables')
        time.sleep(1)
        recording.end()
        self.assert_named(self.load_twice(), 'private')
        self.assert_reported(self.report(), 'private')

    def test_mangled_names(self):
        """They stand in the stream as in the file; whoever loads it reads them out."""
        source = self.directory / 'wheel.cc'
        source.write_text(SPIN_CXX)
        run('g++', '-O1', '-fno-omit-frame-pointer', '-o', self.directory / 'wheel', source)
        (self.directory / 'wheel').chmod(0o700)
        self.start(self.directory / 'wheel')
        recording = Recording(self.path)
        time.sleep(1)
        recording.end()
        self.functions = {'wheel': functions_of(self.directory / 'wheel')}
        self.assert_named(self.load_twice(), 'wheel')
        self.assertGreater(self.report()['wheel', 'served::Wheel::spin(int)']['self'], 20)

    def test_stripped(self):
        """Without symbols there are no names, which is said."""
        stripped = self.build('stripped')
        run('strip', stripped)
        stripped.chmod(0o700)
        self.start(stripped)
        recording = Recording(self.path)
        time.sleep(1)
        recording.end()
        self.assertIn(self.served(self.load_twice())['stripped'], (NONE, 1))

    def test_damaged(self):
        """What is damaged, in whatever way, costs its own names at most."""
        private = self.build('private')
        content = private.read_bytes()
        loaded = max(int(m[1], 16) + int(m[2], 16) for m in
                     re.finditer(r'LOAD +(0x\w+) 0x\w+ 0x\w+ (0x\w+)', run('readelf', '-lW', private).stdout))
        choose = random.Random(4)
        for number in range(12):
            damaged = bytearray(content)
            for _ in range(1 << number % 8):
                damaged[choose.randrange(loaded, len(content))] = choose.randrange(256)
            if number == 0:
                damaged[40:48] = (len(content) - 8).to_bytes(8, 'little')  # e_shoff
            if number == 1:
                damaged[60:62] = b'\xff\xff'  # e_shnum
            if number == 2:
                del damaged[loaded:]
            (self.directory / f'damaged{number}').write_bytes(damaged)
            (self.directory / f'damaged{number}').chmod(0o700)
            self.start(self.directory / f'damaged{number}')
        private.chmod(0o700)
        self.start(private)
        recording = Recording(self.path)
        time.sleep(3)
        recording.end()
        capture = self.load_twice()
        self.assert_named(capture, 'private')
        served = self.served(capture)
        self.assertLessEqual({f'damaged{number}' for number in range(12)}, set(served))
        self.assertEqual(served['damaged2'], NONE)
        self.assert_reported(self.report(), 'private')

    def test_stored_beside_ones_own(self):
        """An ordinary user names a capture that has the recorder's names: what he can read he names himself, the rest stays."""
        private, public = self.build('private'), self.build('public')
        private.chmod(0o700)
        self.start(private)
        self.start(public)
        recording = Recording(self.path)
        time.sleep(1)
        recording.end()
        self.path.chmod(0o644)
        place = self.directory / 'place'
        place.mkdir()
        shutil.chown(place, int(ORDINARY), int(ORDINARY))
        named = place / 'named.capture'
        run(*AS_ORDINARY, 'env', f'XDG_CACHE_HOME={place}', self.capturectl, 'check', '--recover', named, self.path)
        private.unlink()
        public.unlink()
        capture = Capture(named)
        self.assert_named(capture, 'private')
        self.assert_named(capture, 'public')
        self.assertEqual({stream == 0 for stream, _ in capture._names}, {True, False})
        capturectl('check', named)
        folded = capturectl('export', '--format', 'folded', named).stdout
        self.assertRegex(folded, r'private_outer;(private_inner;)?private_leaf \d+')
        self.assertRegex(folded, r'public_outer;(public_inner;)?public_leaf \d+')

    def test_info(self):
        private = self.build('private')
        private.chmod(0o700)
        self.start(private)
        recording = Recording(self.path)
        time.sleep(1)
        recording.end()
        said = json.loads(capturectl('info', '--json', self.path).stdout)
        self.assertGreaterEqual(said['served_functions'], 2)
        self.assertLessEqual(said['served_functions'], said['named_functions'])
        self.assertRegex(capturectl('info', self.path).stdout, f"{said['served_functions']} of them were named by the service")


class PartsTest(unittest.TestCase):
    def test_the_recorder_links_no_parser(self):
        """Other people's ELF files, and what is compressed in them, are read by elf-readers alone."""
        needed = run('readelf', '-dW', RECORDER).stdout
        self.assertNotRegex(needed, r'NEEDED.*lib(lzma|zstd|dw)')
        self.assertNotRegex(run('nm', RECORDER).stdout, r'unwind_(names_find|compile)')


class KernelNames(Served):
    def record(self, restriction):
        self.setting('kptr_restrict', restriction)
        self.start('dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'status=none')
        recording = Recording(self.path, 'kernel')
        time.sleep(1)
        recording.end()
        return self.load_twice()

    def test_names(self):
        capture = self.record(1)
        listed = {}
        for line in pathlib.Path('/proc/kallsyms').read_text().splitlines():
            words = line.split()
            if words[1] in 'TtWwDdBb':
                listed[int(words[0], 16)] = words[2]  # the last one of an address names it
        starts = sorted(listed)
        seen = set()
        for sample in capture.samples():
            for i, frame in enumerate(sample.frames):
                if frame.kind != KERNEL:
                    continue
                expected = listed[starts[bisect.bisect_right(starts, frame.value - (i > 0)) - 1]]
                if not expected.startswith('bpf_'):
                    self.assertEqual(capture.function_of(frame, i > 0), expected, hex(frame.value))
                seen.add(expected)
        self.assertGreater(len(seen), 20)
        self.assertIn('vfs_read', seen)
        # Who may see no address himself is told the same.
        pathlib.Path('/proc/sys/kernel/kptr_restrict').write_text('2')
        rows = self.report()
        self.assertGreater(rows['[kernel]', 'vfs_read']['total'], 20)
        self.assertTrue(rows['[kernel]', 'vfs_read']['kernel'])
        self.assertFalse([name for binary, name in rows if binary == '[kernel]' and name.startswith('0x')])

    def test_hidden_from_everybody(self):
        capture = self.record(2)
        self.assertEqual(self.served(capture)['[kernel]'], HIDDEN)
        self.assertFalse(any(capture.function_of(frame, i > 0) for sample in capture.samples()
                             for i, frame in enumerate(sample.frames) if frame.kind == KERNEL))


class ThroughTheService(DaemonCase):
    """The whole way: alice records the machine through the service, and sees what bob's private program does."""

    def test_names(self):
        self.desk.allow(SYSTEM, 'alice')
        self.addCleanup(self.desk.authorise, '')
        there = self.desk.root / 'home' / 'programs' / 'secret'
        shutil.copy(compile_c(self.desk.directory, 'secret', f'#define NAME secret\n{SPIN}'), there)
        shutil.chown(there, BOB, BOB)
        there.chmod(0o700)
        self.process('bob', 'secret')
        self.process('bob', 'busy')
        program = self.desk.installed_file('bin/capturectl')

        def alice(*arguments):
            return self.desk.run([program, *arguments], 'alice', stock=True, cwd=self.directory)

        said = alice('record', '-a', '--kernel', '--duration', '2', '-o', self.path)
        self.assertNotIn('hides its addresses', said.stderr)
        rows = {(pathlib.Path(row['binary'] or '').name, row['name']): row
                for row in json.loads(alice('report', '--json', self.path).stdout)['rows']}
        self.assertGreater(rows['secret', 'secret_leaf']['self'], 100)
        self.assertFalse([name for binary, name in rows if binary == 'secret' and name.startswith('secret+')])
        self.assertGreater(rows['busy', 'turn']['self'], 100)  # which she has read herself
        self.assertGreater(len([name for binary, name in rows if rows[binary, name].get('kernel')]), 5)
        self.assertFalse([name for binary, name in rows if binary == '[kernel]' and name.startswith('0x')])
        capture = Capture(self.path)
        self.assertEqual(capture.metadata['via'], 'daemon')
        self.assertNotIn('kernel-addresses', capture.metadata)
        self.assertGreater(json.loads(alice('info', '--json', self.path).stdout)['served_functions'], 10)
        # She has not got the file.
        self.assertNotEqual(self.desk.run(['cat', '/home/programs/secret'], 'alice', status=None).status, 0)


if __name__ == '__main__':
    unittest.main()
