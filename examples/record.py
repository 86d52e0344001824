#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records a command, or a process, through the system service captured, and prints its hottest functions:

    record.py COMMAND…          record.py -p PID

It needs nothing but Gio through gi: the windows are read by pread and decoded here. See docs/dbus.md for the life of a
session, docs/format.md for what stands in the windows. What is hot is counted by the function that was being executed, not by
its callers: the dictionary's stack nodes have those, too.
"""
import bisect
import collections
import functools
import os
import signal
import struct
import sys

import gi

gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib  # noqa: E402

NAME, PATH = 'org.capturectl.Capture1', '/org/capturectl/Capture1'
HEADER = struct.Struct('<IIHHIIIIIIHHQQQ')
DICTIONARY, SAMPLES, NAMES = 1, 2, 6  # kinds of windows
STRING, SPACE, FRAMES, NODES, BINARY, NAMED_BINARY, FUNCTIONS = 1, 2, 3, 4, 6, 80, 81  # types of records
IN_BINARY, IN_KERNEL = 1, 2  # kinds of spaces
TICK = 80  # milliseconds; the windows must not run out


class Pool:
    """The consumer's end of libcapture/pool/capture-pool.h: two memfds, of which only control is written."""

    def __init__(self, windows, control):
        self.windows, self.control = windows, control
        self.size, self.count = struct.unpack_from('<8xII', os.pread(control, 16, 0))
        self.taken = [0] * self.count  # bytes of the slot's turn so far
        self.released = [0] * self.count

    def take(self):
        """Yields (kind, epoch, entry size, content) of everything that was committed since the last time."""
        for slot in range(self.count):
            at = slot * self.size
            turn = HEADER.unpack(os.pread(self.windows, HEADER.size, at))[1]
            # Closed is read after the turn, lest it is that of the turn before, and before the length, which is then the last one.
            closed = os.pread(self.windows, 4, at + 32) != bytes(4)
            header = HEADER.unpack(os.pread(self.windows, HEADER.size, at))
            kind, epoch, length, entry = header[2], header[6], header[8], header[11]
            if turn == self.released[slot] or turn != header[1]:
                continue
            length = min(length, self.size - HEADER.size)
            content = os.pread(self.windows, length - self.taken[slot], at + HEADER.size + self.taken[slot])
            self.taken[slot] += len(content)
            if content:
                yield kind, epoch, entry, content
            if closed:
                self.taken[slot], self.released[slot] = 0, turn
                os.pwrite(self.control, struct.pack('<I', turn), 64 + 4 * slot)


class Stream:
    """What the windows say: samples by their leaf, and what leaves lead to. Identifiers hold for an epoch."""

    def __init__(self):
        self.samples = collections.Counter()  # by (epoch, leaf)
        self.strings, self.spaces, self.frames, self.nodes, self.binaries = {}, {}, {}, {}, {}
        self.named = {}  # path (None: the kernel): [(start, end, name)]

    def add(self, kind, epoch, entry, content):
        if kind == SAMPLES:
            for at in range(0, len(content), entry):
                self.samples[epoch, struct.unpack_from('<I', content, at + 8)[0]] += 1
        elif kind in (DICTIONARY, NAMES):
            # The names of a stream have strings of their own.
            self.add_records(epoch if kind == DICTIONARY else 'names', content)

    def add_records(self, epoch, content):
        at = 0
        while at + 8 <= len(content):
            size, kind, count = struct.unpack_from('<IHH', content, at)
            if size < 8 or at + size > len(content):
                raise ValueError('a record is damaged')
            self.add_record(epoch, kind, count, content[at + 8:at + size])
            at += size

    def add_record(self, epoch, kind, count, body):
        first, second, third, fourth = struct.unpack_from('<IIII', body.ljust(16, b'\0'))
        if kind == STRING:
            self.strings[epoch, first] = body[8:8 + second].decode(errors='replace')
        elif kind == SPACE:
            self.spaces[epoch, first] = second, third, struct.unpack_from('<Q', body, 16)[0]
        elif kind == FRAMES:
            for i in range(count):
                self.frames[epoch, first + i] = struct.unpack_from('<II', body, 8 + 8 * i)
        elif kind == NODES:
            self.add_nodes(epoch, first, struct.unpack_from(f'<{count}I', body, 8))
        elif kind == BINARY:
            self.binaries[epoch, first] = self.strings.get((epoch, second), '?')
        elif kind == NAMED_BINARY:
            flags = struct.unpack_from('<I', body, 24)[0]
            self.binaries[epoch, first] = None if flags & 8 else self.strings.get((epoch, second))
        elif kind == FUNCTIONS:
            functions = self.named.setdefault(self.binaries.get((epoch, first)), [])
            for i in range(count):
                start, end, name, linkage_name = struct.unpack_from('<QQII', body, 8 + 40 * i)
                functions.append((start, end, self.strings.get((epoch, name or linkage_name), '?')))

    def add_nodes(self, epoch, node, items):
        """Of each node the innermost frame: of two joined stacks the kernel's."""
        for item in items:
            tag, value = item >> 30, item & 0x3fffffff
            if tag == 0:
                self.nodes[epoch, node] = value
            elif tag == 3:
                self.nodes[epoch, node] = self.nodes.get((epoch, value))
            node += tag in (0, 3)

    def name(self, epoch, leaf):
        space, offset = self.frames.get((epoch, self.nodes.get((epoch, leaf))), (0, 0))
        kind, owner, base = self.spaces.get((epoch, space), (0, 0, 0))
        address = base + offset
        if kind == IN_KERNEL:
            return f'{find(sorted(self.named.get(None, [])), address) or "?"} [kernel]'
        if kind != IN_BINARY:
            return hex(address) if space else '[no stack]'
        path = self.binaries.get((epoch, owner), '?')
        functions = sorted(self.named.get(path, [])) or functions_of(path)
        return f'{find(functions, address) or "?"} [{os.path.basename(path)}]'


def find(functions, address):
    """The name of the function [(start, end, name)] at an address."""
    at = bisect.bisect_right(functions, (address, float('inf'))) - 1
    return functions[at][2] if at >= 0 and functions[at][0] <= address < functions[at][1] else None


@functools.cache
def functions_of(path):
    """The functions of an ELF file by file offset, from its symbol tables; none when it cannot be read."""
    try:
        with open(path, 'rb') as file:
            return sorted(read_functions(file.read()))
    except (OSError, struct.error, ValueError):
        return []


def read_functions(elf):
    if elf[:6] != b'\x7fELF\x02\x01':
        return
    segments_at, sections_at, segment_size, n_segments, section_size, n_sections = struct.unpack_from('<32xQQ6xHHHH', elf)
    segments = [struct.unpack_from('<I4xQQQQ', elf, segments_at + i * segment_size) for i in range(n_segments)]
    sections = [struct.unpack_from('<4xI16xQQI', elf, sections_at + i * section_size) for i in range(n_sections)]
    for kind, at, size, link in sections:
        if kind not in (2, 11):  # .symtab, .dynsym
            continue
        names = sections[link][1]
        for symbol in range(at, at + size, 24):
            name, info, index, value, length = struct.unpack_from('<IBxHQQ', elf, symbol)
            if info & 15 not in (2, 10) or index == 0:  # functions that are defined here
                continue
            for load, offset, address, _, file_size in segments:
                if load == 1 and address <= value < address + file_size:
                    start = value - address + offset
                    yield start, start + max(length, 1), elf[names + name:elf.index(b'\0', names + name)].decode(errors='replace')


class Recording:
    def __init__(self, pidfd, *, enable_on_exec):
        self.loop, self.stream, self.session, self.message = GLib.MainLoop(), Stream(), None, ''
        self.bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
        self.bus.signal_subscribe(NAME, f'{NAME}.Session', 'Ended', None, None, Gio.DBusSignalFlags.NONE, self.on_ended)
        options = {'targets': GLib.Variant('ah', [0]), 'enable-on-exec': GLib.Variant('b', enable_on_exec)}
        # Somebody may be asked for a password, for as long as that takes.
        reply, fds = self.bus.call_with_unix_fd_list_sync(
            NAME, PATH, f'{NAME}.Manager', 'StartRecording', GLib.Variant('(a{sv})', (options,)), GLib.VariantType('(ohh)'),
            Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION, GLib.MAXINT32, Gio.UnixFDList.new_from_array([pidfd]))
        self.session, windows, control = reply.unpack()
        self.pool = Pool(fds.get(windows), fds.get(control))

    def take(self):
        for window in self.pool.take():
            self.stream.add(*window)
        return True

    def stop(self):
        self.bus.call(NAME, self.session, f'{NAME}.Session', 'Stop', None, None, Gio.DBusCallFlags.NONE, -1)
        return True

    def on_ended(self, bus, sender, path, interface, member, parameters):
        if path == self.session:
            self.message = parameters[1]
            self.loop.quit()

    def on_vanished(self, *_):
        self.message = 'The service went away.'
        self.loop.quit()

    def run(self):
        """Until the process has ended, or Ctrl+C."""
        GLib.timeout_add(TICK, self.take)
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, self.stop)
        Gio.bus_watch_name_on_connection(self.bus, NAME, Gio.BusNameWatcherFlags.NONE, None, self.on_vanished)
        self.loop.run()
        self.take()
        functions = collections.Counter()
        for (epoch, leaf), count in self.stream.samples.items():
            functions[self.stream.name(epoch, leaf)] += count
        return functions


def fork_at_gate(argv):
    """A child that waits for its gate to be opened before it becomes argv: (pid, gate)."""
    gate, opened = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(opened)
        if os.read(gate, 1) == b'':
            os._exit(0)
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            print(f'{argv[0]}: {error.strerror}', file=sys.stderr)
        os._exit(127)
    os.close(gate)
    return pid, opened


def main(argv):
    if not argv or (argv[0] == '-p' and len(argv) != 2):
        sys.exit(__doc__)
    gate = None
    if argv[0] == '-p':
        pid = int(argv[1])
    else:
        pid, gate = fork_at_gate(argv)
    try:
        recording = Recording(os.pidfd_open(pid), enable_on_exec=gate is not None)
    except GLib.Error as error:
        # remote error: "GDBus.Error:org.capturectl.Capture1.Error.NotAuthorized: …"
        sys.exit(f'record.py: {error.message.partition(": ")[2] or error.message}')
    if gate is not None:
        os.write(gate, b'x')
    functions = recording.run()
    total = sum(functions.values())
    for function, count in functions.most_common(20):
        print(f'{count:8}  {100 * count / total:5.1f} %  {function}')
    if recording.message:
        sys.exit(f'record.py: {recording.message}')


main(sys.argv[1:])
