#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speaks the recorder's protocol, to begin or to refuse as $FAKE_RECORDER says: an errno's name, or a way of unwinding
("bpf", "dwarf", "fp"), with "+kernel" where the kernel is recorded as well."""
import errno
import os
import pathlib
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import fake_pool  # noqa: E402

START, STOP, READY, STARTED, ENDED = 2, 3, 64, 65, 68
UNWIND = {'fp': 1, 'dwarf': 2, 'bpf': 3}


def message(kind, body=b''):
    return struct.pack('<II', kind, 8 + len(body)) + body


def ended(reason, error=0, text=''):
    return message(ENDED, struct.pack('<Ii', reason, error) + bytes(8 + 32 + 128) + text.encode().ljust(512, b'\0'))


def main():
    channel = socket.socket(fileno=int(sys.argv[1]))
    way, _, kernel = os.environ['FAKE_RECORDER'].partition('+')
    channel.recv(65536)
    if way not in UNWIND:
        channel.send(ended(3, getattr(errno, way), f'The fake recorder says {way}.'))
        return
    ready = struct.pack('<IIII', 1, 1, UNWIND[way], 1 if kernel else 0) + b'fake'.ljust(16 * 128, b'\0') + bytes(512)
    socket.send_fds(channel, [message(READY, ready)], fake_pool.make(time.monotonic_ns()))
    while command := channel.recv(65536):
        kind = struct.unpack_from('<I', command)[0]
        if kind == START:
            channel.send(message(STARTED))
        elif kind == STOP:
            channel.send(ended(1))
            return


main()
