# SPDX-License-Identifier: GPL-3.0-or-later
"""Terminals, also where /dev/pts is not mounted, as in a plain chroot."""
import fcntl
import os
import pathlib
import pty
import struct
import tempfile

from support import run, unmount

TIOCSPTLCK, TIOCGPTN = 0x40045431, 0x80045430


def open_terminal(case):
    """As pty.openpty(). What it takes is gone when the test case ends."""
    try:
        return pty.openpty()
    except OSError:
        directory = pathlib.Path(tempfile.mkdtemp(prefix='capture-pts-'))
        case.addCleanup(directory.rmdir)
        run('mount', '-t', 'devpts', '-o', 'newinstance,ptmxmode=0666', 'none', directory)
        case.addCleanup(unmount, directory)
    primary = os.open(directory / 'ptmx', os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(primary, TIOCSPTLCK, struct.pack('i', 0))
    number, = struct.unpack('i', fcntl.ioctl(primary, TIOCGPTN, bytes(4)))
    return primary, os.open(directory / str(number), os.O_RDWR | os.O_NOCTTY)


def fork_on_terminal(case):
    """As pty.fork()."""
    primary, secondary = open_terminal(case)
    pid = os.fork()
    if pid == 0:
        os.close(primary)
        os.login_tty(secondary)
    else:
        os.close(secondary)
    return pid, primary
