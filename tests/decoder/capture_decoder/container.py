# SPDX-License-Identifier: GPL-3.0-or-later
"""The file as such: header, parts, checksums, compression (sections 2, 3.1 and 9 of docs/format.md)."""
import collections
import struct

from . import zstd
from .crc32c import crc32c

MAGIC = b'\x89CAPT\r\n\x1a'
PART_MAGIC = 0x4E495743
HEADER_SIZE = 256
PART_HEADER_SIZE = 64
MAX_LENGTH = 1 << 30
ZSTD, SHUFFLED, CLOSED = 1, 2, 4
DICTIONARY, SAMPLES, RECORDS, FOREIGN, META, NAMES, INDEX, FOOTER = range(1, 9)

Header = collections.namedtuple('Header', 'major minor time time_realtime uuid boot_id page_size machine clock')
Ended = collections.namedtuple('Ended', 'reason status time')
IndexEntry = collections.namedtuple(
    'IndexEntry', 'offset time_first time_last stream epoch length stored kind event entry_size flags')
_PART_FIELDS = ('crc kind flags stream sequence epoch start length stored event entry_size '
                'time_first time_last weight')


class Part(collections.namedtuple('Part', 'offset ' + _PART_FIELDS)):
    """One part's header, and where it stands."""

    @property
    def end(self):
        return self.offset + PART_HEADER_SIZE + (self.stored + 7 & ~7)

    def index_entry(self):
        return IndexEntry(*(getattr(self, field) for field in IndexEntry._fields))


class NotACapture(Exception):
    """The file is refused; the text says why."""


class File:
    """A capture's header and its parts in file order.

    header, ended      as they stand in the file
    order              '<' or '>', for struct
    parts              list of Part
    end, size          where the last whole part ends; how long the file is
    has_index          found through a valid footer and index
    """

    def __init__(self, path):
        with open(path, 'rb') as file:
            self.bytes = file.read()
        self.size = len(self.bytes)
        self._read_header()
        self.parts = self._read_index()
        self.has_index = self.parts is not None
        if not self.has_index:
            self.parts = list(self._walk())
        self.end = self.parts[-1].end if self.parts else HEADER_SIZE

    def content(self, part):
        """The content of a part; None when it is damaged or of a make that is not known."""
        stored = self.bytes[part.offset + PART_HEADER_SIZE:part.offset + PART_HEADER_SIZE + part.stored]
        if part.flags & ~(ZSTD | SHUFFLED | CLOSED) or not self._crc_is_right(part):
            return None
        if not part.flags & ZSTD:
            return stored if part.length == part.stored and not part.flags & SHUFFLED else None
        if part.length > min(max(16 << 20, 2048 * part.stored), MAX_LENGTH):
            return None
        content = zstd.decompress(stored, part.length)
        if content is not None and part.flags & SHUFFLED:
            content = _unshuffle(content, part)
        return content

    def entries(self, part, content):
        """The values of each entry of a samples window; None when they are no whole number of known entries."""
        layout = {16: 'IIIHBB', 24: 'IIIHBBQ', 32: 'IIIHBBQQ'}.get(part.entry_size)
        return None if layout is None or len(content) % part.entry_size else self.iter_unpack(layout, content)

    def unpack(self, layout, data, offset=0):
        return struct.unpack_from(self.order + layout, data, offset)

    def iter_unpack(self, layout, data):
        return struct.iter_unpack(self.order + layout, data)

    def _read_header(self):
        head = self.bytes[:HEADER_SIZE]
        if len(head) < HEADER_SIZE:
            raise NotACapture('shorter than a file header')
        if head[:8] != MAGIC:
            raise NotACapture('does not begin like a capture')
        order = {b'\4\3\2\1': '<', b'\1\2\3\4': '>'}.get(head[16:20])
        if order is None:
            raise NotACapture('in no known byte order')
        self.order = order
        major, minor, size, _, crc, *fields = self.unpack('HHIIIQq16s16sIHH', head, 8)
        if major != 1:
            raise NotACapture(f'of version {major}')
        if crc32c(head[:20] + bytes(4) + head[24:232]) != crc or size != HEADER_SIZE:
            raise NotACapture('its header is damaged')
        self.header = Header(major, minor, *fields)
        crc, reason, status, _, time = self.unpack('IIiIQ', head, 232)
        whole = crc32c(bytes(4) + head[236:256]) == crc
        self.ended = Ended(reason, status, time) if whole else Ended(0, 0, 0)

    def _part_at(self, offset):
        """The part whose header stands there; None when it makes no sense or does not fit into the file."""
        if offset + PART_HEADER_SIZE > self.size:
            return None
        magic, *fields = self.unpack('IIHHIIIIIIHHQQQ', self.bytes, offset)
        part = Part(offset, *fields)
        return part if magic == PART_MAGIC and part.end <= self.size else None

    def _crc_is_right(self, part):
        start = part.offset
        header = self.bytes[start:start + 4] + bytes(4) + self.bytes[start + 8:start + PART_HEADER_SIZE]
        stored = memoryview(self.bytes)[start + PART_HEADER_SIZE:start + PART_HEADER_SIZE + part.stored]
        return crc32c(stored, crc32c(header)) == part.crc

    def _walk(self):
        """Parts one after the other; where there is no whole one, on at the next place where one is."""
        offset = HEADER_SIZE
        while offset + PART_HEADER_SIZE <= self.size:
            part = self._part_at(offset)
            if part and self._crc_is_right(part):
                yield part
                offset = part.end
            else:
                offset += 8

    def _read_index(self):
        """The parts that the last footer's index lists; None when footer or index are not as they should be."""
        footer = self._part_at(self.size - PART_HEADER_SIZE)
        if self.size % 8 or not footer or footer.kind != FOOTER or footer.length or footer.stream or footer.offset < HEADER_SIZE:
            return None
        index = self._part_at(footer.time_first) if footer.time_first >= HEADER_SIZE else None
        if not index or index.kind != INDEX or index.stream or index.end != footer.offset or not self._crc_is_right(footer):
            return None
        content = self.content(index)
        if content is None or index.flags & ZSTD or len(content) % 48:
            return None
        parts, offset = [], HEADER_SIZE
        for entry in map(IndexEntry._make, self.iter_unpack('QQQIIIIHHHH', content)):
            part = self._part_at(offset)
            if entry.offset != offset or not part or part.index_entry() != entry:
                return None
            parts.append(part)
            offset = part.end
        return parts + [index, footer] if offset == index.offset else None


def _unshuffle(content, part):
    """Puts the planes of bytes together to entries again."""
    size = {SAMPLES: part.entry_size, DICTIONARY: 8}.get(part.kind)
    if size not in (8, 16, 24, 32) or part.length % size:
        return None
    entries = part.length // size
    whole = bytearray(part.length)
    for plane in range(size):
        whole[plane::size] = content[plane * entries:(plane + 1) * entries]
    return bytes(whole)
