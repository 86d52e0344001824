#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A caller of the system service, for tests: what a development environment would do, and what it should not.

usage: daemon_caller.py SNIPPET…

Runs each snippet of Python with all names of this module at hand, over one connection to the bus, and prints a line of JSON
each: {"error": the name without its prefix, or null, "message": …, "value": of the last expression, where it is one}. A snippet
that fails in any other way than by an error of the bus ends the program.
"""
import ast
import atexit
import collections
import json
import mmap
import os
import pathlib
import select  # noqa: F401: for snippets
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import gi
gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'decoder'))

V = GLib.Variant
NAME, PATH = 'org.capturectl.Capture1', '/org/capturectl/Capture1'
MANAGER, SESSION = f'{NAME}.Manager', f'{NAME}.Session'
ERRORS = f'{NAME}.Error.'
TYPES = {'targets': 'ah', 'system-wide': 'b', 'scope': 's', 'children': 'b', 'enable-on-exec': 'b', 'kernel': 'b',
         'events': 'a(stt)', 'unwind': 's', 'stack-bytes': 'u', 'max-stack': 'u', 'window-count': 'u', 'command-lines': 'b',
         'pidfd': 'h', 'cpu': 'i', 'group': 'h'}
DICTIONARY = 1
PAGE = 4096


def connect():
    """A connection of its own."""
    address = Gio.dbus_address_get_for_bus_sync(Gio.BusType.SYSTEM, None)
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


bus = connect()


def message(path, interface, method, parameters, fds=(), interactive=False):
    made = Gio.DBusMessage.new_method_call(NAME, path, interface, method)
    if parameters is not None:
        made.set_body(parameters)
    if interactive:
        made.set_flags(Gio.DBusMessageFlags.ALLOW_INTERACTIVE_AUTHORIZATION)
    if fds:
        handles = Gio.UnixFDList.new()
        for fd in fds:
            handles.append(fd)
        made.set_unix_fd_list(handles)
    return made


def call(path, interface, method, parameters=None, connection=None, **how):
    """The reply's values and its descriptors; raises GLib.Error for an error."""
    sent = message(path, interface, method, parameters, **how)
    reply, _serial = (connection or bus).send_message_with_reply_sync(sent, 0, 0x7fffffff, None)
    reply.to_gerror()
    body, fds = reply.get_body(), reply.get_unix_fd_list()
    return body.unpack() if body else (), fds.steal_fds() if fds else []


def variants(options):
    """Options as the service takes them; a GLib.Variant stands for itself."""
    return {name: value if isinstance(value, GLib.Variant) else GLib.Variant(TYPES[name], value)
            for name, value in options.items()}


def underscored(options):
    return {name.replace('_', '-'): value for name, value in options.items()}


def recording(targets=(), fds=None, **options):
    """The parameters of StartRecording; options are named with underscores."""
    options = underscored(options)
    if targets:
        options['targets'] = list(range(len(targets)))
    return GLib.Variant('(a{sv})', (variants(options),))


class Session:
    """A recording of one's own; what was read of its windows is in `capture`."""

    def __init__(self, targets=(), interactive=False, connection=None, **options):
        from builder import Builder  # takes a while, which most callers need not wait
        self.connection = connection or bus
        self.capture = Builder(reason=0)
        self.taken, self.endings = {}, {}
        self.subscription = self.connection.signal_subscribe(NAME, SESSION, 'Ended', None, None, 0, self.on_ended)
        values, (self.windows, self.control) = call(PATH, MANAGER, 'StartRecording', recording(targets, **options),
                                                    self.connection, fds=targets, interactive=interactive)
        self.path = values[0]
        self.shared = mmap.mmap(self.control, PAGE)
        _magic, _version, self.window_size, self.window_count = struct.unpack_from('<IIII', self.shared)

    def on_ended(self, _connection, _sender, path, _interface, _signal, parameters):
        self.endings[path] = parameters.unpack()

    def header(self, slot):
        fields = struct.unpack('<IIHHIIIIIIHHQQQ', os.pread(self.windows, 64, slot * self.window_size))
        names = 'magic turn kind flags stream sequence epoch start length stored event entry_size first last weight'
        return dict(zip(names.split(), fields))

    def take(self):
        """One round, as libcapture/pool/capture-pool.h says: what leads nowhere yet is looked at before what it leads to."""
        seen = [self.header(slot) for slot in range(self.window_count)]
        slots = [(slot, header) for slot, header in enumerate(seen) if header['turn'] and header['kind'] != DICTIONARY]
        slots.sort(key=lambda entry: entry[1]['sequence'])
        again = [(slot, self.header(slot)) for slot in range(self.window_count)]
        dictionaries = [(slot, header) for slot, header in again if header['turn'] and header['kind'] == DICTIONARY]
        dictionaries.sort(key=lambda entry: entry[1]['sequence'])
        return sum([self.take_window(slot, header) for slot, header in dictionaries + slots])

    def take_window(self, slot, header):
        turn, start = self.taken.get(slot, (header['turn'], 0))
        if turn != header['turn']:
            start = 0
        elif self.released(slot) == turn:
            return 0
        length = header['length']
        if length == start and not header['stored']:
            return 0
        content = os.pread(self.windows, length - start, slot * self.window_size + 64 + start)
        self.capture.part(header['kind'], content, flags=4 if header['stored'] else 0, stream=1, start=start,
                          **{name: header[name] for name in ('sequence', 'epoch', 'event', 'entry_size', 'weight')},
                          time_first=header['first'], time_last=header['last'])
        self.taken[slot] = header['turn'], length
        if header['stored']:
            struct.pack_into('<I', self.shared, 64 + 4 * slot, header['turn'])
        return len(content)

    def released(self, slot):
        return struct.unpack_from('<I', self.shared, 64 + 4 * slot)[0]

    def read(self, seconds):
        """Reads for that long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.take()
            time.sleep(0.05)

    def get(self, name):
        parameters = GLib.Variant('(ss)', (SESSION, name))
        return call(self.path, 'org.freedesktop.DBus.Properties', 'Get', parameters, self.connection)[0][0]

    def stop(self):
        call(self.path, SESSION, 'Stop', connection=self.connection)

    def wait(self, seconds=60):
        """What Ended says: (reason, message); reads meanwhile."""
        end = time.monotonic() + seconds
        while self.path not in self.endings:
            while GLib.MainContext.default().iteration(False):
                pass
            self.take()
            if time.monotonic() > end:
                raise TimeoutError(f'{self.path} did not end')
            time.sleep(0.01)
        self.take()
        return self.endings[self.path]

    def close(self):
        self.connection.signal_unsubscribe(self.subscription)
        self.shared.close()
        os.close(self.windows)
        os.close(self.control)

    def save(self, path):
        pathlib.Path(path).write_bytes(self.capture.bytes)


def perf_event_open(attr=None, fds=(), **options):
    """PerfEventOpen; attr {name: number or bool or Variant}. Gives the descriptor."""
    fields = {name: value if isinstance(value, GLib.Variant) else GLib.Variant('b' if isinstance(value, bool) else 't', value)
              for name, value in (attr or {}).items()}
    parameters = GLib.Variant('(a{sv}a{sv})', (fields, variants(underscored(options))))
    return call(PATH, MANAGER, 'PerfEventOpen', parameters, fds=fds)[1][0]


# An event that whoever may open any may open.
EVENT = {'type': 1, 'config': 0, 'sample_period': 1000000, 'sample_type': 1 | 2 | 4, 'disabled': True}


def opened(**changes):
    """PerfEventOpen of EVENT, with what is changed about it."""
    return perf_event_open({**EVENT, **changes}, cpu=0)


def pmu(name, other):
    """The number of a kind of events, or another one where the machine has none of it."""
    path = pathlib.Path('/sys/bus/event_source/devices', name, 'type')
    return int(path.read_text()) if path.exists() else other


def tried(targets, targets_=None, **options):
    """StartRecording; `targets_` stands for what the option says of them."""
    options = underscored(options)
    if targets:
        options['targets'] = list(range(len(targets))) if targets_ is None else targets_
    call(PATH, MANAGER, 'StartRecording', V('(a{sv})', (variants(options),)), fds=targets)


held = []


def keep(thing):
    """It, for as long as the caller lives."""
    held.append(thing)
    return thing


def flood(connections, calls, targets, **options):
    """That many calls of StartRecording over each of so many connections, all at once: how many had which error, and the
    last message of each. Whoever has not got an answer after a minute is "unanswered"."""
    counts, messages, loop = {}, {}, GLib.MainLoop()

    def replied(connection, result):
        reply = connection.send_message_with_reply_finish(result)
        name = (reply.get_error_name() or 'none').removeprefix(ERRORS)
        counts[name] = counts.get(name, 0) + 1
        messages[name] = str(reply.get_body())
        if sum(counts.values()) == connections * calls:
            loop.quit()

    for connection in [keep(connect()) for _ in range(connections)]:
        for _ in range(calls):
            sent = message(PATH, MANAGER, 'StartRecording', recording(targets, **options), targets, interactive=True)
            connection.send_message_with_reply(sent, 0, 0x7fffffff, None, replied)
    GLib.timeout_add_seconds(60, loop.quit)
    loop.run()
    lacking = connections * calls - sum(counts.values())
    return {**counts, **({'unanswered': lacking} if lacking else {})}, messages


BUS, BUS_PATH = 'org.freedesktop.DBus', '/org/freedesktop/DBus'


class Bare:
    """A connection without a library, for messages that none would send."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect('/run/dbus/system_bus_socket')
        self.socket.sendall(b'\0AUTH EXTERNAL ' + str(os.getuid()).encode().hex().encode() + b'\r\n')
        self.expect(b'OK ')
        self.socket.sendall(b'NEGOTIATE_UNIX_FD\r\n')
        self.expect(b'AGREE_UNIX_FD')
        self.socket.sendall(b'BEGIN\r\n')
        self.send(Gio.DBusMessage.new_method_call(BUS, BUS_PATH, BUS, 'Hello'), 1)
        self.receive(1)

    def expect(self, word):
        said = self.socket.recv(1000)
        assert said.startswith(word), said

    def send(self, sent, serial, fds=()):
        """A message, or the bytes of one."""
        if isinstance(sent, Gio.DBusMessage):
            sent.set_serial(serial)
            sent = sent.to_blob(0)
        sent = sent[:8] + struct.pack('<I', serial) + sent[12:]
        n = socket.send_fds(self.socket, [sent], list(fds))
        self.socket.sendall(memoryview(sent)[n:])

    def receive(self, serial=None):
        """The next answer, or that to the message of that serial: (the serial, name of the error or None, values)."""
        while True:
            head = self.socket.recv(16, socket.MSG_WAITALL)
            size = Gio.DBusMessage.bytes_needed(head)
            message = Gio.DBusMessage.new_from_blob(head + self.socket.recv(size - 16, socket.MSG_WAITALL), 0)
            if message.get_reply_serial() == serial or (serial is None and message.get_reply_serial()):
                body = message.get_body()
                return message.get_reply_serial(), message.get_error_name(), body and body.unpack()


def swollen(size, path=PATH):
    """StartRecording with about so many bytes of options, all of them named "", of which a library makes many times as much."""
    made = message(path, MANAGER, 'StartRecording', V('(a{sv})', ({},)))
    made.set_serial(1)
    head = made.to_blob(0)[:-8]
    option = b'\0\0\0\0\0\1y\0\0'
    options = option.ljust(16, b'\0') * (size // 16) + option
    return head[:4] + struct.pack('<I', 8 + len(options)) + head[8:] + struct.pack('<II', len(options), 0) + options


def bombard(bomb, connections, messages):
    """Sends a message that many times over each of some connections, all at once, and fetches the answers: how many had which error."""
    counts = collections.Counter()

    def run(bare):
        for serial in range(2, messages + 2):
            bare.send(bomb, serial)
        for _ in range(messages):
            counts[bare.receive()[1]] += 1

    threads = [threading.Thread(target=run, args=(Bare(),)) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts


def clock():
    """Seconds in which neither this process nor the bus or the service waited for a processor, because the machine is busy with
    something else."""
    waited = sum(int(path.read_text().split()[1]) for path in pathlib.Path('/proc/self/task').glob('*/schedstat')) / 1e9
    try:
        said = pathlib.Path('/sys/fs/cgroup/system.slice/desk.service/cpu.pressure').read_text()
        waited += int(said.split('total=')[1].split()[0]) / 1e6
    except OSError:  # the kernel does not count that
        pass
    return time.monotonic() - waited


def longest_wait(until):
    """By how many seconds the service answers later than the bus does, at most, while `until` is false."""
    longest = 0
    while not until():
        began = clock()
        bus.call_sync(BUS, BUS_PATH, BUS, 'GetId', None, None, 0, -1, None)
        asked = clock()
        bus.call_sync(NAME, PATH, 'org.freedesktop.DBus.Properties', 'Get', V('(ss)', (MANAGER, 'Version')), None, 0, 0x7fffffff, None)
        longest = max(longest, clock() - asked - (asked - began))
        time.sleep(0.05)  # so many calls are within everybody's share
    return longest


children = []


def gone():
    """The pidfd of a process that has ended."""
    ended = child('true')
    fd = os.pidfd_open(ended.pid)
    ended.wait()
    return fd


def child(*argv):
    """A process of the caller's own, as Popen, until the caller ends."""
    started = subprocess.Popen(argv or ('sleep', '1000'), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    children.append(started)
    return started


def own():
    """The pidfd of a process of the caller's own."""
    return os.pidfd_open(child().pid)


def busy():
    """One that works."""
    return os.pidfd_open(child('sh', '-c', 'while :; do :; done').pid)


def pidfd(pid):
    return os.pidfd_open(int(pid))


@atexit.register
def end_children():
    for process in children:
        process.kill()
        process.wait()


def start(targets=(), **how):
    """Begins a recording and ends it."""
    session = Session(targets, **how)
    session.stop()
    return session.wait()[0]


def run_snippet(text, names):
    """Runs it; the value of its last statement when that is an expression."""
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, 'snippet', 'exec'), names)
    return eval(compile(ast.Expression(last.value), 'snippet', 'eval'), names) if last else None


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    for text in sys.argv[1:]:
        error, said, value = None, '', None
        try:
            value = run_snippet(text, {**globals()})
        except GLib.Error as failure:
            said = failure.message
            error = (Gio.DBusError.get_remote_error(failure) or str(failure.domain)).removeprefix(ERRORS)
        print(json.dumps({'error': error, 'message': said, 'value': value}, default=str), flush=True)


if __name__ == '__main__':
    main()
