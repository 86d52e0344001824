# SPDX-License-Identifier: GPL-3.0-or-later
"""A pool of windows as a recorder hands over, with SAMPLES samples of a program that never was."""
import fcntl
import mmap
import os
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'decoder'))
from builder import fixed, listed, record, sample, string  # noqa: E402

SAMPLES = 20
SIZE, COUNT = 65536, 4
SHRINK, GROW, FUTURE_WRITE = fcntl.F_SEAL_SHRINK, fcntl.F_SEAL_GROW, 0x10


def dictionary(pid):
    return b''.join([
        string(1, b'/bin/demo'), string(2, b'cpu-clock'), string(3, b'demo'), fixed(2, 'IIIIQ', 1, 1, 1, 0, 0),
        listed(3, 1, 0, 'II', [(1, 0x1050), (1, 0x1100)]), record(4, struct.pack('<IIII', 1, 2, 1, 2), 2),
        fixed(6, 'IIQQQQQiI20sI', 1, 1, 1, 2, 0, 0x400000, 0x500000, pid, 0, bytes(20), 0),
        fixed(7, 'IiIIIIQ', 1, pid, 0, 0, 3, 0, 0), fixed(9, 'IIiIQ', 1, 1, pid, 3, 0),
        fixed(10, 'IIIIIIQQQQQ', 1, 2, 1, 0, 1, 0, 0, 0, 0, 0, 1000)])



def window(kind, content, sequence, **how):
    """A window as it stands in shared memory; the turn is where a file has a checksum."""
    return struct.pack('<IIHHIIIIIIHHQQQ', 0x4e495743, 1, kind, 0, 0, sequence, 1, 0, len(content), 1, how.get('event', 0),
                       how.get('entry_size', 0), how.get('first', 0), how.get('last', 0), how.get('weight', 0)) + content


def memfd(name, size, content=b'', mode=0o600, whole=False):
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    if whole:
        os.posix_fallocate(fd, 0, size)
    os.pwrite(fd, content, 0)
    os.fchmod(fd, mode)
    return fd


def make(now, *, seals=SHRINK | GROW | FUTURE_WRITE, control_seals=SHRINK | GROW, size=SIZE * COUNT, whole=False, pid=10):
    """(windows, control), sealed as asked for; all of it in memory, as programs have to have it, if whole. Of the process pid."""
    samples = b''.join(sample(10 * i, 1, 1 + i % 2) for i in range(SAMPLES))
    windows = memfd('windows', size, mode=0o400, whole=whole)
    os.pwrite(windows, window(1, dictionary(pid), 0), 0)
    os.pwrite(windows, window(2, samples, 1, event=1, entry_size=16, first=now, last=now + 1000, weight=1000), SIZE)
    control = memfd('control', mmap.PAGESIZE, struct.pack('<IIII', 0x4c4f4f50, 1, SIZE, COUNT))
    fcntl.fcntl(windows, fcntl.F_ADD_SEALS, seals)
    fcntl.fcntl(control, fcntl.F_ADD_SEALS, control_seals)
    return windows, control
