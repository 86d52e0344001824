# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes .syscap files as Sysprof's library does, in either byte order, and reads the calls that `sysprof-cat` prints."""
import re
import struct

HEADER_SIZE = 256


class Syscap:
    """A file being written; `order` is '<' or '>'. Strings are cut to their fields; every frame is padded to 8 bytes."""

    def __init__(self, order='<', begin=1_000_000):
        self.order = order
        flags = b'\x01\x01\0\0' if order == '<' else b'\x01\0\0\0'  # version, byte order
        self.content = b'\x5e\x97\xca\xfd' + flags + b'2026-11-21T09:29:48Z'.ljust(64, b'\0')
        self.content += self.pack('qq', begin, begin + 1000)
        self.content = self.content.ljust(HEADER_SIZE, b'\0')

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def frame(self, kind, payload=b'', *, pid=100, time=1_000_000, cpu=-1):
        length = (24 + len(payload) + 7) & ~7
        self.content += (self.pack('HhiqB7x', length, cpu, pid, time, kind) + payload).ljust(length, b'\0')
        return self

    def sample(self, addresses, *, tid=-1, **how):
        return self.frame(2, self.pack(f'HHi{len(addresses)}Q', len(addresses), 0, tid, *addresses), **how)

    def map(self, start, end, offset, path, *, inode=7, build_id=None, **how):
        path = path.encode() + b'\0' + (b'@' + build_id.encode() + b'\0' if build_id else b'')
        return self.frame(3, self.pack('QQQQ', start, end, offset, inode) + path, **how)

    def process(self, command, **how):
        return self.frame(4, command.encode() + b'\0', **how)

    def fork(self, child, **how):
        return self.frame(5, self.pack('i', child), **how)

    def exit(self, **how):
        return self.frame(6, **how)

    def jitmap(self, names, **how):
        """names: address → name."""
        pairs = b''.join(self.pack('Q', address) + name.encode() + b'\0' for address, name in names.items())
        return self.frame(7, self.pack('I', len(names)) + pairs, **how)

    def counters(self, *counters, **how):
        """Each: (identifier, category, name, description, whether its values are doubles)."""
        items = b''
        for number, category, name, description, is_double in counters:
            word = number | is_double << 24 if self.order == '<' else number << 8 | is_double
            items += struct.pack('32s32s52s', category.encode(), name.encode(), description.encode())
            items += self.pack('IQ', word, 0)
        return self.frame(8, self.pack('HHI', len(counters), 0, 0) + items, **how)

    def values(self, values, **how):
        """values: identifier → integer or float; at most eight."""
        words = [self.pack('d' if isinstance(value, float) else 'q', value) for value in values.values()]
        group = self.pack('8I', *(list(values) + [0] * 8)[:8]) + b''.join(words).ljust(64, b'\0')
        return self.frame(9, self.pack('HHI', 1, 0, 0) + group, **how)

    def mark(self, group, name, message, duration, **how):
        return self.frame(10, self.pack('q24s40s', duration, group.encode(), name.encode()) + message.encode() + b'\0', **how)

    def metadata(self, key, value, **how):
        return self.frame(11, key.encode().ljust(40, b'\0') + value.encode() + b'\0', **how)

    def log(self, levels, domain, message, **how):
        return self.frame(12, self.pack('HHI32s', levels, 0, 0, domain.encode()) + message.encode() + b'\0', **how)

    def file_chunk(self, path, data, **how):
        first = self.pack('HH', 1 if self.order == '<' else 0x8000, len(data))
        return self.frame(13, first + path.encode().ljust(256, b'\0') + data, **how)

    def allocation(self, address, size, addresses, *, tid=100, **how):
        return self.frame(14, self.pack(f'QqiHH{len(addresses)}Q', address, size, tid, len(addresses), 0, *addresses), **how)

    def overlay(self, source, target, **how):
        return self.frame(15, self.pack('IHH', 0, len(source), len(target)) + source.encode() + b'\0' + target.encode() + b'\0', **how)

    def trace(self, entering, addresses, *, tid=100, **how):
        flag = int(entering) if self.order == '<' else int(entering) << 15
        return self.frame(16, self.pack(f'HHi{len(addresses)}Q', len(addresses), flag, tid, *addresses), **how)


def read_calls(text):
    """The call tree that sysprof-cat prints: a set of (names from the root on, self, total)."""
    path, calls, own = [], set(), None
    for line in text[text.index('callgraph {'):].splitlines():
        found = re.match(r'\s*(?:symbol: "(.*)"|self: (\d+)|total: (\d+)|(node \{)|(\}))', line)
        if not found:
            continue
        symbol, self_count, total, opens, closes = found.groups()
        if opens:
            path.append(None)
        elif symbol is not None:
            path[-1] = symbol
        elif self_count:
            own = int(self_count)
        elif total:
            calls.add((tuple(path), own, int(total)))
        elif closes:
            if not path:
                break
            path.pop()
    return calls


def read_counters(text):
    """(category, name, description, values) that sysprof-cat prints; values: ((time, value), …)."""
    counters = set()
    for part in re.split(r'counter \{', text)[1:]:
        names = [re.search(rf'{field}: "(.*)"', part).group(1) for field in ('category', 'name', 'description')]
        values = re.findall(r'value \{\s*time: (\d+);\s*offset: \d+;\s*value: ([-\d.]+);', part)
        counters.add((*names, tuple((int(time), float(value)) for time, value in values)))
    return counters
