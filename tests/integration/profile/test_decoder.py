# SPDX-License-Identifier: GPL-3.0-or-later
"""Two readers that share no code must say the same of every capture, byte by byte (docs/dump.md)."""
import struct
import sys

from support import DATA, SOURCE, TestCase, capturectl, read_twice, run

DECODER = SOURCE / 'tests' / 'decoder'
sys.path.insert(0, str(DECODER))
from builder import Builder, code, fixed, listed, machine_code, mark, place, record, sample, source_text, string  # noqa: E402
from capture_decoder import Capture, File, container, text  # noqa: E402
from capture_decoder.container import CLOSED, SHUFFLED, ZSTD  # noqa: E402
from capture_decoder.crc32c import crc32c  # noqa: E402

BIG = (1 << 64) - 1
PARENT, JOIN = 1 << 31, 3 << 30
BUILD_ID = bytes(range(100, 120))



def log(time, thread, severity, domain, text):
    return record(40, struct.pack('<QIIII', time, thread, severity, domain, len(text)) + text + b'\0')


DICTIONARY = b''.join([
    string(1, b'/usr/bin/demo "quoted" \\ back\n\xc3\xa9\x00\x7f'), string(2, b''), string(3, b'cpu-clock'), string(4, b'demo'),
    fixed(2, 'IIIIQ', 1, 1, 1, 0, 0), fixed(2, 'IIIIQ', 2, 2, 0, 0, 0xffffffff << 32), fixed(2, 'IIIIQ', 3, 3, 1, 0, 0x7fff << 32),
    fixed(2, 'IIIIQ', 4, 4, 1, 0, 0xE0000000 << 32), fixed(2, 'IIIIQ', 5, 5, 0, 0, 0),
    listed(3, 1, 0, 'II', [(1, 0x1050), (1, 0x1100), (2, 0x81000010), (2, 0x81000020), (3, 0x1234), (4, 4), (1, 0x9999)]),
    listed(4, 1, 6, 'I', [(1,), (2,), (5,), (PARENT | 1,), (2,), (PARENT | 0,), (3,), (4,)]), listed(4, 9, 0, 'I', []),
    listed(4, 20, 2, 'I', [(7,), (6,), (1,)]), listed(4, 10, 3, 'I', [(PARENT | 3,), (JOIN | 6,), (JOIN | 6,), (PARENT | 2,), (JOIN | 0,)]),
    listed(4, 30, 5, 'I', [(1 << 30 | 1,), (2,)]),
    fixed(6, 'IIQQQQQiI20sI', 1, 1, 8 << 32 | 1, 77, 3, 0x400000, 0x402000, 4242, 1, BUILD_ID, 20),
    fixed(6, 'IIQQQQQiI20sI', 2, 2, 0, BIG, 0, 0, 0, 0, 16, bytes(20), 0),
    fixed(7, 'IiIIIIQ', 1, 4242, 0, 2, 4, 1, 0), fixed(7, 'IiIIIIQ', 2, -1, 1, 1, 0, 0, BIG),
    fixed(8, 'IIQQQQII', 1, 1, 0x400000, 0x402000, 0x1000, 100, 5, 2), fixed(8, 'IIQQQQII', 1, 1, 0x500000, 0x502000, 0x1000, 2000, 5, 2),
    fixed(8, 'IIQQQQII', 1, 0, 0x400000, 0x402000, 0, 2000, 0, 0), fixed(8, 'IIQQQQII', 0, 2, 0xffffffffc0000000, BIG, 0, 0, 5, 0),
    fixed(9, 'IIiIQ', 1, 1, 4243, 4, 0), fixed(9, 'IIiIQ', 2, 0, -5, 0, BIG),
    fixed(10, 'IIIIIIQQQQQ', 1, 3, 1, 0, 1, 0, 0, 1, 2, 0, 4999), fixed(10, 'IIIIIIQQQQQ', 2, 4, 0, 1, 2, 0, BIG, 0, 0, 1, 0),
    fixed(11, 'QQIIII', 0xffffffffc0001000, 5, 64, 3, 1, 1),
    fixed(12, 'IIII', 40, 4, 1, 7), fixed(12, 'IIII', 41, 0, 0, 0),
    code(1, 4, 0x7fff_0000_1000, 0x100, 50, 1, 12, [(0, 12, 0, 0), (0x10, 13, 1, 4)]), code(1, 0, BIG, BIG, BIG, 0, 0, []),
    fixed(14, 'IIQQQ', 1, 0, 0x7fff_0000_1000, 0x80, 3000), fixed(15, 'IIIIIIII', 1, 0, 4, 3, 2, 4, 1, 0), fixed(15, 'IIIIIIII', 2, 1, 0, 4, 0, 0, 0, 0),
    record(13, struct.pack('<IIQQQII', 1, 4, 1, 1, 1, 0, 0), 1), record(12, b'short'),
    record(1000, b'not yet known 16', 7), record(1001, b''), record(9, b'short'), record(3, struct.pack('<II', 1, 0), 9),
    record(1, struct.pack('<II', 9, 500) + b'x'), record(6, bytes(72) + struct.pack('<II', 0, 0) + b'longer than it was'),
])

HAPPENINGS = b''.join([
    fixed(32, 'QQQIIII', 1, 2, 3, 1, 0xffff, 0, 0), fixed(32, 'QQQIIII', BIG, BIG, BIG, 9, 3, 1, 0),
    fixed(33, 'QIIII', 10, 1, 0, 1, 0), fixed(34, 'Qiiii', 11, 1, 2, 3, 4), fixed(35, 'Qiiii', 12, -1, -2, -3, -4), fixed(36, 'QII', 13, 2, 1),
    record(37, struct.pack('<QIIQQQ', 14, 1, 1, 2, 0b101, 12) + struct.pack('<QQ', 5, BIG) + bytes(range(12)), 2),
    record(37, struct.pack('<QIIQQQ', 14, 1, 1, 2, 0, 0), 0), record(37, struct.pack('<QIIQQQ', 14, 1, 1, 2, 0, BIG), 0),
    record(66, struct.pack('<QII', 15, 4, 5) + b'watch\0'),
    mark(20, 0, 1, 0, 4, 3, b'key "x"'), mark(21, 0, 1, 1, 0, 4), mark(22, 0, 1, 2, 0, 4), mark(BIG, BIG, 99, 9, 77, 78),
    record(38, struct.pack('<QQIIIII', 1, 0, 0, 0, 0, 0, 500) + b'x\0'),
    record(39, struct.pack('<QIIdIId', 30, 1, 0, 2.5, 2, 0, float('-inf')), 2), record(39, struct.pack('<Q', 31), 0), record(39, struct.pack('<Q', 31), 3),
    log(40, 1, 4, 4, b'slow\n'), log(41, 0, 7, 0, b''), record(40, struct.pack('<QIIII', 1, 0, 0, 0, 9) + b'x'),
])

META = b''.join([
    record(64, struct.pack('<IIiI', 1, 1, 77, 4) + b'perf\0'),
    record(65, struct.pack('<II', 2, 3) + b'os\0abc\0'), record(65, struct.pack('<II', 0, 0) + b'\0\0'),
    record(65, struct.pack('<II', 500, 3) + b'os\0abc\0'), record(66, struct.pack('<QII', 0, 6, 0) + b'\0'),
])

NAMES = b''.join([
    string(1, b'/usr/bin/demo'), string(2, b'main'), string(3, b'std::vector<int>::push_back(int const&)'), string(4, b'_ZN'),
    string(5, b'do_idle'), fixed(80, 'IIQQII20sI', 1, 1, 8 << 32 | 1, 77, 0, 20, BUILD_ID, 0), fixed(80, 'IIQQII20sI', 2, 0, 0, 0, 8, 0, bytes(20), 4),
    listed(81, 1, 0, 'QQIIIIII', [(0x1040, 0x1060, 2, 0, 1, 12, 0, 0), (0x1100, 0x1200, 3, 4, 0, 0, 0, 0)]),
    listed(81, 2, 0, 'QQIIIIII', [(0xffffffff81000000, 0xffffffff81000020, 5, 0, 0, 0, 0, 0)]), listed(81, 1, 0, 'QQIIIIII', []),
    string(6, b'/usr/include/c++/12/bits/stl_vector.h'), string(7, b'/source/demo.cc'),
    listed(82, 1, 0, 'IIIIIIII', [(3, 4, 6, 1276, 9, 6, 1270, 0), (2, 0, 7, 14, 3, 7, 12, 0)]), listed(82, 9, 0, 'IIIIIIII', [(0, 0, 0, 0, 0, 0, 0, BIG >> 32)]),
    listed(82, 5, 0, 'IIIIIIII', []), record(82, bytes(8), 1), record(82, b''),
    place(1, 0x1040, 0x104f, [1, 2]), place(1, 0x104f, 0x1060, [2]), place(2, 0xffffffff81000000, 0xffffffff81000020, [9]), place(1, 0x1100, 0x1200, [1, 77]),
    place(1, 0, BIG, []), record(83, bytes(24), 1), record(83, bytes(16)),
    machine_code(1, 62, 0x1040, 0x2040, b'\x55\x48\x89\xe5\xc3'), machine_code(2, 183, 0xffffffff81000000, 0xffffffff81000000, bytes(8), flags=BIG >> 32),
    machine_code(1, 62, 0x2000, 0x3000, b''), machine_code(1, 62, 0x2000, 0x3000, b'ab', length=9), record(84, bytes(24)),
    source_text(1, 0, b'int main;\n'), source_text(1, 10, b'more'), source_text(2, 7, b'lost'), source_text(1, 0, b'', length=9), record(86, bytes(16)),
     fixed(85, 'II', 1, 5), fixed(85, 'II', 2, 77), fixed(85, 'II', 99, 0),
])

SMALL = [sample(5, 1, 3), sample(5, 1, 10, cpu=0xffff), sample(3000, 1, 4, outcome=9, mode=1), sample(0xffffffff, 2, 0), sample(4000, 77, 5000)]


def everything():
    """A capture with every kind of window, record and entry, in good order."""
    builder = Builder()
    builder.part(container.META, META, stream=0, epoch=0)
    builder.part(container.DICTIONARY, DICTIONARY, flags=0)
    builder.part(container.SAMPLES, b''.join(SMALL), event=1, entry_size=16, time_first=1000, time_last=BIG, weight=200_040)
    builder.part(container.SAMPLES, b''.join(SMALL * 50), event=1, entry_size=16, flags=ZSTD | SHUFFLED | CLOSED, weight=1)
    builder.part(container.SAMPLES, sample(1, 1, 12, weight=BIG), event=2, entry_size=24, flags=ZSTD, time_first=BIG)
    builder.part(container.SAMPLES, sample(1, 1, 11, weight=7, detail=BIG) * 9, event=2, entry_size=32, flags=ZSTD | SHUFFLED)
    builder.part(container.RECORDS, HAPPENINGS, time_first=1, flags=ZSTD)
    builder.part(container.FOREIGN, bytes(range(77)), event=3, stream=2)
    builder.part(container.RECORDS, b'', start=len(HAPPENINGS))
    builder.part(99, b'a window of a later version', stream=9)
    return builder.part(container.NAMES, NAMES, stream=0)


def odd():
    """A capture whose checksums are right and whose contents are not."""
    builder = Builder(minor=7, reason=0)
    builder.part(container.DICTIONARY, string(1, b'good') + struct.pack('<IHH', 12, 1, 0) + bytes(20))
    builder.part(container.DICTIONARY, string(1, b'good') + struct.pack('<IHH', 1 << 20, 1, 0))
    builder.part(container.META, string(1, b'good') + struct.pack('<IHH', 0, 1, 0), stream=0)
    builder.part(container.RECORDS, string(1, b'good') + b'1234', stream=0)
    builder.part(container.SAMPLES, b''.join(SMALL) + b'more', event=1, entry_size=16)
    builder.part(container.SAMPLES, b''.join(SMALL), event=1, entry_size=20)
    builder.part(container.SAMPLES, b''.join(SMALL), event=1, entry_size=16, flags=0x80)
    builder.part(container.SAMPLES, b''.join(SMALL), event=1, entry_size=16, flags=SHUFFLED)
    builder.part(container.DICTIONARY, DICTIONARY, flags=ZSTD | SHUFFLED)
    builder.part(container.INDEX, bytes(50), stream=0)
    return builder.part(container.FOOTER, stream=0, time_first=256)


class SameText(TestCase):
    def write(self, data):
        path = self.directory / 'made.capture'
        path.write_bytes(data)
        return path


class Made(SameText):
    def test_everything_with_index(self):
        lines = read_twice(self.write(everything().finish().bytes))
        self.assertFalse([line for line in lines if 'damaged' in line])
        self.assertEqual(len([line for line in lines if line.startswith('  sample')]), 5 + 250 + 1 + 9)
        self.assertEqual(len([line for line in lines if line.startswith('  invalid')]), 17)

    def test_everything_without_index(self):
        read_twice(self.write(everything().bytes))

    def test_continued_after_an_index(self):
        read_twice(self.write(everything().finish().part(container.RECORDS, HAPPENINGS).finish().bytes))

    def test_odd_contents(self):
        lines = read_twice(self.write(odd().bytes))
        self.assertEqual(len([line for line in lines if line.startswith('  damaged')]), 9)

    def test_nothing_but_a_header(self):
        read_twice(self.write(Builder().bytes))
        read_twice(self.write(Builder().finish().bytes))

    def test_cut_off(self):
        whole = everything().finish().bytes
        for length in range(256, len(whole), 97):
            with self.subTest(length=length):
                read_twice(self.write(whole[:length]))

    def test_damaged_bytes(self):
        whole = everything().finish().bytes
        for place in range(256, len(whole), 131):
            with self.subTest(place=place):
                read_twice(self.write(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1:]))


class Imported(SameText):
    def test_perf_data(self):
        for name in ('chain-fp', 'pipeline', 'chain-dwarf'):
            with self.subTest(name):
                capture = self.directory / f'{name}.capture'
                capturectl('import', DATA / f'{name}.perf.data', '-o', capture)
                lines = read_twice(capture)
                self.assertGreater(len(lines), 100)


class Recorded(SameText):
    SCRIPT = 'for i in 1 2 3 4 5; do gcc -O1 -x c -c -o /dev/null "$0"; done'

    def test_compiler(self):
        capture = self.directory / 'gcc.capture'
        capturectl('record', '-F', '4999', '-o', capture, '--', 'sh', '-c', self.SCRIPT, DATA / 'chain.c')
        lines = read_twice(capture)
        self.assertTrue(any(line.startswith('  sample') for line in lines))

    def test_uncompressed(self):
        capture = self.directory / 'gcc.capture'
        capturectl('record', '--no-compress', '-o', capture, '--', 'sh', '-c', self.SCRIPT, DATA / 'chain.c')
        read_twice(capture)


class Model(TestCase):
    """The decoder's own resolving, against what everything() was made of."""

    def setUp(self):
        super().setUp()
        path = self.directory / 'made.capture'
        path.write_bytes(everything().bytes)
        self.capture = Capture(path)
        self.samples = list(self.capture.samples())

    def addresses(self, number):
        return [frame.address for frame in self.samples[number].frames]

    def test_crc(self):
        self.assertEqual(crc32c(b'123456789'), 0xE3069283)
        self.assertEqual(crc32c(b'6789', crc32c(b'12345')), 0xE3069283)

    def test_user_stack_through_mappings(self):
        self.assertEqual(self.addresses(0), [0x7fff00001234, 0x400100, 0x400050])

    def test_join_puts_the_kernel_on_top(self):
        self.assertEqual(self.addresses(1), [0xffffffff81000020, 0xffffffff81000010, 0x7fff00001234, 0x400100, 0x400050])

    def test_later_mapping_covers(self):
        self.assertEqual(self.addresses(2), [0x500100, 0x500050])

    def test_what_is_not_defined_is_not_known(self):
        self.assertEqual([(s.pid, s.tid, s.frames) for s in self.samples[3:5]], [(-1, -5, []), (-1, -1, [])])

    def test_names(self):
        names = [self.capture.function_of(frame, number > 0) for number, frame in enumerate(self.samples[1].frames)]
        self.assertEqual(names, [None, 'do_idle', None, None, 'main'])
        self.assertEqual([self.capture.function_of(frame, False) for frame in self.samples[2].frames],
                         ['std::vector<int>::push_back(int const&)', 'main'])

    def test_places(self):
        inner, outer = ('std::vector<int>::push_back(int const&)', '_ZN', '/usr/include/c++/12/bits/stl_vector.h', 1276, 9,
                        '/usr/include/c++/12/bits/stl_vector.h', 1270, 0), ('main', 'main', '/source/demo.cc', 14, 3, '/source/demo.cc', 12, 0)
        places = [self.capture.place_of(frame, number > 0) for number, frame in enumerate(self.samples[1].frames)]
        self.assertEqual(places, [[], [(None, None, None, 0, 0, None, 0, BIG >> 32)], [], [], [outer]])
        leaf = self.samples[2].frames[0]
        self.assertEqual(self.capture.place_of(leaf, False), [], 'one of its frames is not defined')
        self.assertEqual(self.capture.place_of(leaf._replace(value=0x1040), False), [inner, outer])
        self.assertEqual(self.capture.place_of(leaf._replace(value=0x104f), True), [inner, outer])

    def test_machine_code(self):
        leaf = self.samples[2].frames[0]._replace(value=0x1044)
        self.assertEqual(tuple(self.capture.machine_code_of(leaf, False)), (0x1040, 0x2040, 62, b'\x55\x48\x89\xe5\xc3'))
        self.assertIsNone(self.capture.machine_code_of(leaf._replace(value=0x1045), False))
        self.assertEqual(self.capture.machine_code_of(leaf._replace(value=0x1045), True).start, 0x1040)

    def test_who_and_how_much(self):
        first = self.samples[0]
        self.assertEqual((first.time, first.event, first.pid, first.tid, first.command, first.weight),
                         (1005, 'cpu-clock', 4242, 4243, 'demo', 200_040))
        self.assertEqual((self.samples[-1].weight, self.samples[-1].detail), (7, BIG))
        self.assertEqual(self.capture.metadata, {'os': 'abc', '': ''})
