#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command as in a container: perf_event_open and bpf are refused with EPERM, or what the name of an error says, to it
and its children. Needs CAP_SYS_ADMIN, be it in a user namespace.

usage: forbidden.py EPERM|ENOSYS|EACCES COMMAND…
"""
import ctypes
import errno
import os
import struct
import sys

CALLS = {'x86_64': (298, 321), 'aarch64': (241, 280)}  # perf_event_open, bpf
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
RETURN_ERRNO, RETURN_ALLOW = 0x00050000, 0x7fff0000
LOAD_WORD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06


def main():
    perf_event_open, bpf = CALLS[os.uname().machine]
    program = b''.join(struct.pack('<HBBI', *step) for step in (
        (LOAD_WORD, 0, 0, 0),  # seccomp_data.nr
        (JUMP_EQUAL, 1, 0, perf_event_open),
        (JUMP_EQUAL, 0, 1, bpf),
        (RETURN, 0, 0, RETURN_ERRNO | getattr(errno, sys.argv[1])),
        (RETURN, 0, 0, RETURN_ALLOW)))
    steps = ctypes.create_string_buffer(program, len(program))
    description = struct.pack('HxxxxxxP', len(program) // 8, ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, description, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), 'seccomp')
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == '__main__':
    main()
