# SPDX-License-Identifier: GPL-3.0-or-later
"""What a capture holds beside samples: counters, and the bytes of other formats; read without our reader."""
import collections
import struct

from capture_decoder import File

DICTIONARY, RECORDS, FOREIGN, META = 1, 3, 4, 5
STRING, COUNTER, COUNTS, STREAM, MESSAGE = 1, 15, 39, 64, 66
SYSCAP, PERF_MAP, JITDUMP = 1, 2, 3

Stream = collections.namedtuple('Stream', 'kind pid name')
Foreign = collections.namedtuple('Foreign', 'stream pid name kind bytes')
Counter = collections.namedtuple('Counter', 'category name description unit flags')
Frame = collections.namedtuple('Frame', 'type cpu pid time bytes')


def _records(content):
    position = 0
    while position < len(content):
        size, kind, count = struct.unpack_from('IHH', content, position)
        yield kind, count, content[position:position + size]
        position += size


class Told:
    """messages  texts of stream 0
    streams   {number: Stream}
    foreign   list of Foreign, by stream
    counters  {(category, name): Counter}; values {(category, name): [(time, value)]}, in the order of the file"""

    def __init__(self, path):
        file = File(path)
        self.messages, self.streams, self.counters = [], {}, {}
        self.values = collections.defaultdict(list)
        self.records_of_counts = 0
        pieces, kinds, names, strings = collections.defaultdict(list), {}, {}, {}
        for part in file.parts:
            content = file.content(part)
            if part.kind == FOREIGN:
                pieces[part.stream].append((part.sequence, part.start, content))
                kinds[part.stream] = part.event
            elif part.kind == META:
                self._read_meta(content)
            elif part.kind in (DICTIONARY, RECORDS) and self.streams.get(part.stream, (0,))[0] == 4:
                self._read_counters(content, strings, names)
        self.foreign = [Foreign(n, self.streams[n].pid, self.streams[n].name, kinds[n],
                                b''.join(piece for _, _, piece in sorted(pieces[n]))) for n in sorted(pieces)]

    def _read_meta(self, content):
        for kind, _, data in _records(content):
            if kind == STREAM:
                number, stream_kind, pid, length = struct.unpack_from('IIiI', data, 8)
                self.streams[number] = Stream(stream_kind, pid, data[24:24 + length].decode())
            elif kind == MESSAGE:
                length, = struct.unpack_from('I', data, 20)
                self.messages.append(data[24:24 + length].decode())

    def _read_counters(self, content, strings, names):
        for kind, count, data in _records(content):
            if kind == STRING:
                number, length = struct.unpack_from('II', data, 8)
                strings[number] = data[16:16 + length].decode()
            elif kind == COUNTER:
                number, _, category, name, description, unit, flags, _ = struct.unpack_from('8I', data, 8)
                counter = Counter(strings[category], strings[name], strings[description], strings[unit], flags)
                names[number] = counter.category, counter.name
                assert names[number] not in self.counters, f'{names[number]} is defined twice'
                self.counters[names[number]] = counter
            elif kind == COUNTS:
                self.records_of_counts += 1
                time, = struct.unpack_from('Q', data, 8)
                for number, _, value in struct.iter_unpack('IId', data[16:16 + 16 * count]):
                    self.values[names[number]].append((time, value))


def frames(data, growing=False):
    """The frames of Sysprof's format that stand in data, and how many file headers stand among them. What is growing may end
    within one."""
    found, headers, position = [], 0, 0
    while position < len(data):
        if growing and not _is_whole(data, position):
            break
        if struct.unpack_from('I', data, position)[0] == 0xFDCA975E:
            headers += 1
            position += 256
            continue
        length, cpu, pid, time, kind = struct.unpack_from('HhiqB', data, position)
        assert length >= 24 and length % 8 == 0 and position + length <= len(data), f'no frame at {position}'
        found.append(Frame(kind, cpu, pid, time, data[position:position + length]))
        position += length
    return found, headers


def _is_whole(data, position):
    """Whether a header or a frame stands in data from position on with its whole length."""
    left = len(data) - position
    if left < 24:
        return False
    magic, = struct.unpack_from('I', data, position)
    return left >= (256 if magic == 0xFDCA975E else magic & 0xFFFF)
