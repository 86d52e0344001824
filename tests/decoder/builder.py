# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes captures byte by byte, so that tests can hold what no recording ever held."""
import ctypes
import struct

from capture_decoder import container
from capture_decoder.crc32c import crc32c

CLOCK = 1_000_000_000


def record(kind, body, count=0):
    """A record, padded."""
    body += bytes(-len(body) % 8)
    return struct.pack('<IHH', 8 + len(body), kind, count) + body


def string(identifier, text):
    return record(1, struct.pack('<II', identifier, len(text)) + text + b'\0')


def fixed(kind, layout, *values):
    return record(kind, struct.pack('<' + layout, *values))


def listed(kind, first, second, layout, items):
    """FRAMES, NODES, FUNCTIONS, PLACE_FRAMES: two fields, then items (tuples)."""
    return record(kind, struct.pack('<II', first, second) + b''.join(struct.pack('<' + layout, *i) for i in items), len(items))


def place(binary, start, end, frames):
    """PLACE; frames are identifiers, innermost first."""
    return record(83, struct.pack(f'<IIQQ{len(frames)}I', binary, 0, start, end, *frames), len(frames))


def code(process, name, start, length, time, file, line, ranges):
    """CODE; ranges are tuples of offset, line, file and function."""
    body = struct.pack('<IIQQQII', process, name, start, length, time, file, line)
    return record(13, body + b''.join(struct.pack('<IIII', *item) for item in ranges), len(ranges))


def machine_code(binary, machine, start, address, code, flags=0, length=None):
    """MACHINE_CODE."""
    return record(84, struct.pack('<IIQQII', binary, machine, start, address, len(code) if length is None else length, flags) + code)


def source_text(path, offset, text, length=None):
    """SOURCE_TEXT."""
    return record(86, struct.pack('<IIQ', path, len(text) if length is None else length, offset) + text)


def mark(time, duration, thread, kind, category, name, message=b''):
    return record(38, struct.pack('<QQIIIII', time, duration, thread, kind, category, name, len(message)) + message + b'\0')


def sample(time, thread, leaf, cpu=0, outcome=2, mode=2, weight=None, detail=None):
    entry = struct.pack('<IIIHBB', time, thread, leaf, cpu, outcome, mode)
    return entry + b''.join(struct.pack('<Q', value) for value in (weight, detail) if value is not None)


def _compress(content):
    library = ctypes.CDLL('libzstd.so.1')
    for function in (library.ZSTD_compress, library.ZSTD_compressBound):
        function.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(library.ZSTD_compressBound(ctypes.c_size_t(len(content))))
    size = library.ZSTD_compress(out, ctypes.c_size_t(len(out)), content, ctypes.c_size_t(len(content)), 1)
    return out.raw[:size]


class Builder:
    """Collects parts; `bytes` is the capture so far."""

    def __init__(self, minor=0, reason=9):
        head = container.MAGIC + struct.pack('<HHIIIQq16s16sIHH', 1, minor, 256, 0x01020304, 0, CLOCK, 1_700_000_000_000_000_000,
                                             bytes(range(16)), bytes(range(16, 32)), 4096, 62, 0) + bytes(152)
        ended = struct.pack('<iIQ', 0, 0, CLOCK + 5_000)
        ended = struct.pack('<II', 0, reason) + ended
        ended = struct.pack('<I', crc32c(ended)) + ended[4:]
        self.bytes = head[:20] + struct.pack('<I', crc32c(head)) + head[24:] + ended
        self.entries = []

    def part(self, kind, content=b'', *, flags=container.CLOSED, stream=1, sequence=0, epoch=1, start=0, event=0,
             entry_size=0, time_first=0, time_last=0, weight=0):
        """Appends a part; with ZSTD (and SHUFFLED) in flags, content is stored that way."""
        stored = content
        if flags & container.SHUFFLED:
            size = entry_size or 8
            stored = b''.join(content[plane::size] for plane in range(size))
        if flags & container.ZSTD:
            stored = _compress(stored)
        header = struct.pack('<IIHHIIIIIIHHQQQ', container.PART_MAGIC, 0, kind, flags, stream, sequence, epoch, start,
                             len(content), len(stored), event, entry_size, time_first, time_last, weight)
        crc = crc32c(stored, crc32c(header))
        self.entries.append((len(self.bytes), time_first, time_last, stream, epoch, len(content), len(stored), kind,
                             event, entry_size, flags))
        self.bytes += header[:4] + struct.pack('<I', crc) + header[8:] + stored + bytes(-len(stored) % 8)
        return self

    def finish(self):
        """Appends index and footer."""
        index = len(self.bytes)
        self.part(container.INDEX, b''.join(struct.pack('<QQQIIIIHHHH', *entry) for entry in self.entries), stream=0, epoch=0)
        return self.part(container.FOOTER, stream=0, epoch=0, time_first=index)
