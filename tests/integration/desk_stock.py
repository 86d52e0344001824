#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command as under a kernel that Debian and Ubuntu build, with perf_event_paranoid 3 or 4: perf_event_open is refused
with EACCES to it and its children. Other kernels do not know those values. Needs CAP_SYS_ADMIN.

usage: desk_stock.py COMMAND…
"""
import ctypes
import errno
import os
import struct
import sys

PERF_EVENT_OPEN = {'x86_64': 298, 'aarch64': 241}
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
RETURN_ERRNO, RETURN_ALLOW = 0x00050000, 0x7fff0000
LOAD_WORD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06


def main():
    number = PERF_EVENT_OPEN[os.uname().machine]
    program = b''.join(struct.pack('<HBBI', *step) for step in (
        (LOAD_WORD, 0, 0, 0),  # seccomp_data.nr
        (JUMP_EQUAL, 0, 1, number),
        (RETURN, 0, 0, RETURN_ERRNO | errno.EACCES),
        (RETURN, 0, 0, RETURN_ALLOW)))
    steps = ctypes.create_string_buffer(program, len(program))
    description = struct.pack('HxxxxxxP', len(program) // 8, ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, description, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), 'seccomp')
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == '__main__':
    main()
