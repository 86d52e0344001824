# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are no perf.data, or only part of one: a sentence that says what is wrong, and nothing half-written."""
import struct
import unittest

from perf_oracle import Capture
from support import DATA, TestCase, capturectl

HEADER_DATA_SIZE = 48


class BadInputTest(TestCase):
    def setUp(self):
        super().setUp()
        self.output = self.directory / 'out.capture'

    def refuse(self, content, *words):
        """Importing these bytes fails with one sentence that holds the words; what stood at the output is untouched."""
        path = self.directory / 'bad.perf.data'
        path.write_bytes(content)
        self.output.write_bytes(b'older')
        done = capturectl('import', path, '-o', self.output, status=1)
        self.assertEqual(done.stderr.count('\n'), 1, done)
        self.assertTrue(done.stderr.endswith('.\n'), done)
        for word in (path.name, *words):
            self.assertIn(word, done.stderr)
        self.assertEqual(self.output.read_bytes(), b'older')
        self.assertEqual(sorted(self.directory.iterdir()), sorted([path, self.output]))

    def take(self, content):
        """Importing these bytes succeeds; the warnings and the capture."""
        path = self.directory / 'part.perf.data'
        path.write_bytes(content)
        done = capturectl('import', path, '-o', self.output, '--no-names')
        capturectl('check', self.output)
        return done.stderr, Capture(self.output)

    def test_something_else(self):
        for content in b'', b'PERFILE', b'\x7fELF' + bytes(4096), b'PERFFILE' + bytes(4096):
            self.refuse(content, 'none of the formats that can be imported', 'perf.data, .syscap')

    def test_a_file_of_the_other_byte_order(self):
        self.refuse(b'2ELIFREP' + bytes(4096), 'byte order')

    def test_a_file_without_events(self):
        self.refuse(b'PERFILE2' + struct.pack('<Q', 16), 'describes no event')

    def test_a_file_that_is_missing(self):
        done = capturectl('import', self.directory / 'none', '-o', self.output, status=1)
        self.assertIn('none', done.stderr)
        self.assertFalse(self.output.exists())

    def test_an_output_that_cannot_be_written(self):
        done = capturectl('import', DATA / 'chain-fp.perf.data', '-o', '/nowhere/out.capture', status=1)
        self.assertIn('/nowhere/out.capture', done.stderr)

    def test_a_file_cut_off_in_its_header(self):
        content = (DATA / 'chain-fp.perf.data').read_bytes()
        for length in (16, 50, 103, 104, 150, 200):
            self.refuse(content[:length])

    def test_a_file_cut_off_in_its_records_gives_what_is_whole(self):
        content = (DATA / 'chain-fp.perf.data').read_bytes()
        counts = []
        for length in range(20000, 190000, 24001):
            said, capture = self.take(content[:length])
            self.assertIn('cut off', said)
            self.assertTrue(any(b'cut off' in message['text'] for message in capture.messages))
            counts.append(sum(1 for _ in capture.samples()))
        self.assertEqual(counts, sorted(set(counts)))

    def test_a_recording_whose_perf_was_killed_gives_everything(self):
        content = bytearray((DATA / 'chain-fp.perf.data').read_bytes())
        data_end = sum(struct.unpack_from('<QQ', content, HEADER_DATA_SIZE - 8))
        struct.pack_into('<Q', content, HEADER_DATA_SIZE, 0)
        said, capture = self.take(content[:data_end])
        self.assertIn('not finished', said)
        self.assertEqual(sum(1 for _ in capture.samples()), 2997)

    def test_no_compress_stores_everything_as_it_is(self):
        sizes = []
        for options in ((), ('--no-compress',)):
            capturectl('import', DATA / 'pipeline.perf.data', '-o', self.output, '--no-names', *options)
            capture = Capture(self.output)
            sizes.append(self.output.stat().st_size)
            self.assertEqual(any(part.flags & 1 for part in capture.file.parts), not options)
        self.assertLess(sizes[0] * 2, sizes[1])

    def test_no_names_leaves_names_out(self):
        capturectl('import', DATA / 'pipeline.perf.data', '-o', self.output, '--no-names')
        self.assertEqual(Capture(self.output).names, {})

    def test_facts_are_kept(self):
        capturectl('import', DATA / 'chain-fp.perf.data', '-o', self.output, '--no-names')
        facts = Capture(self.output).metadata
        self.assertEqual(facts['command'], '/usr/bin/perf record -q -F 999 -g -o chain-fp.perf.data -- ./chain-fp 3')
        self.assertEqual((facts['hostname'], facts['kernel'], facts['architecture'], facts['cpus']),
                         ('vm', '6.18.44-fc-v595', 'x86_64', '2'))
        self.assertEqual((facts['via'], facts['source-format'], facts['unwind']), ('import', 'perf.data', 'fp'))

    def test_the_default_name(self):
        capturectl('import', DATA / 'chain-fp.perf.data', '--no-names', cwd=self.directory)
        self.assertTrue((self.directory / 'chain-fp.capture').exists())


if __name__ == '__main__':
    unittest.main()
