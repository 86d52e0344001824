#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An elf-reader that dies of, hangs on or lies about files that end in a word, and has a real one read all others.

It stands beside a link `real` to that one, and leaves its process number in `pids`. No environment reaches it."""
import os
import pathlib
import signal
import socket
import sys
import time

SELF = pathlib.Path(__file__)
MESSAGE = 48


def word_of(fd):
    size = os.fstat(fd).st_size
    return os.pread(fd, 8, max(size - 8, 0))


def main():
    owner = socket.socket(fileno=int(sys.argv[1]))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        os.dup2(theirs.fileno(), 9)
        os.execv(SELF.with_name('real'), ['capture-elf-reader', '9'])
    theirs.close()
    with open(SELF.with_name('pids'), 'a', encoding='ascii') as pids:
        print(os.getpid(), file=pids)
    owner.sendall(socket.recv_fds(ours, 1 << 17, 8)[0])
    while True:
        request, fds, _flags, _address = socket.recv_fds(owner, 1 << 17, 80)
        if not request:
            return
        word = word_of(fds[0]) if fds else b''
        if word == b'DEADLY!!':
            os.kill(os.getpid(), signal.SIGKILL)
        if word == b'HANGS!!!':
            time.sleep(1000)
        socket.send_fds(ours, [request], fds)
        for fd in fds:
            os.close(fd)
        answer, fds, _flags, _address = socket.recv_fds(ours, 1 << 17, 1)
        if word == b'UNSEALED':
            copy = os.memfd_create('copy')
            os.write(copy, os.pread(fds[0], 1 << 20, 0))
            fds = [copy]
        if word == b'GARBAGE!':
            copy = os.memfd_create('garbage', os.MFD_ALLOW_SEALING)
            os.write(copy, bytes(os.fstat(fds[0]).st_size))
            __import__('fcntl').fcntl(copy, 1033, 15)
            fds = [copy]
        socket.send_fds(owner, [answer], fds)


main()
