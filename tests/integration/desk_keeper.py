#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the namespaces of a desk (desk.py) until its standard input ends; then ends all that runs in them.

usage: desk_keeper.py PLAN

PLAN is JSON: "name" of the cgroup; "directory", which is deleted in the end; "empty", directories that become empty
ones; "covered", pairs of a directory or a file and what covers it; "settings", values of files of the kernel's by path,
which are put back, whatever becomes of the test, and which only one desk at a time may have. Prints "ready" when a process may
be put into the mount and cgroup namespaces of this one.
"""
import ctypes
import fcntl
import json
import os
import shutil
import sys
import time

CLONE_NEWNS, CLONE_NEWCGROUP = 0x00020000, 0x02000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 1 << 18
MNT_DETACH = 2
CGROUPS = '/sys/fs/cgroup'

libc = ctypes.CDLL(None, use_errno=True)


def checked(result, what):
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f'{what}: {os.strerror(error)}')


def mount(source, target, kind=None, flags=0, options=None):
    words = (word.encode() if word is not None else None for word in (source, target, kind))
    checked(libc.mount(*words, ctypes.c_ulong(flags), options.encode() if options else None), f'mount on {target}')


def own_mounts():
    """A mount namespace whose mounts nobody else sees, also in a chroot, where / is no mount point: entering the own
    namespace leads to its top, and back."""
    checked(libc.unshare(CLONE_NEWNS), 'unshare')
    here = os.open('/', os.O_PATH)
    namespace = os.open('/proc/self/ns/mnt', os.O_RDONLY)
    checked(libc.setns(namespace, CLONE_NEWNS), 'setns')
    mount(None, '/', flags=MS_REC | MS_PRIVATE)
    os.fchdir(here)
    os.chroot('.')
    os.chdir('/')


class Cgroup:
    """A cgroup that is the root of a cgroup namespace; what ends it is opened before, while it can be."""

    def __init__(self, name):
        if not os.path.isdir(CGROUPS):
            mount('sysfs', '/sys', 'sysfs')
        mount('cgroup2', CGROUPS, 'cgroup2')
        self.name = name
        self.parent = os.open(CGROUPS, os.O_DIRECTORY)
        os.mkdir(name, dir_fd=self.parent)
        self.directory = os.open(name, os.O_DIRECTORY, dir_fd=self.parent)
        self.way_out = os.open('cgroup.procs', os.O_WRONLY, dir_fd=self.parent)
        self.kill = os.open('cgroup.kill', os.O_WRONLY, dir_fd=self.directory)
        with open(os.open('cgroup.procs', os.O_WRONLY, dir_fd=self.directory), 'w') as members:
            members.write('0')
        checked(libc.unshare(CLONE_NEWCGROUP), 'unshare')
        checked(libc.umount2(CGROUPS.encode(), MNT_DETACH), 'umount')
        mount('cgroup2', CGROUPS, 'cgroup2')

    def end(self):
        os.write(self.way_out, b'0')
        os.write(self.kill, b'1')
        while self.is_populated():
            time.sleep(0.01)
        self.remove(self.directory)
        os.rmdir(self.name, dir_fd=self.parent)

    def is_populated(self):
        with open(os.open('cgroup.events', os.O_RDONLY, dir_fd=self.directory)) as events:
            return 'populated 1' in events.read()

    def remove(self, directory):
        for entry in os.listdir(directory):
            try:
                child = os.open(entry, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
            except NotADirectoryError:
                continue
            self.remove(child)
            os.close(child)
            os.rmdir(entry, dir_fd=directory)


class Setting:
    def __init__(self, path, value):
        self.file = open(path, 'r+')
        fcntl.flock(self.file, fcntl.LOCK_EX)
        self.before = self.file.read()
        self.write(value)

    def write(self, value):
        self.file.seek(0)
        self.file.write(value)
        self.file.flush()


def main():
    plan = json.loads(sys.argv[1])
    own_mounts()
    cgroup = Cgroup(plan['name'])
    settings = []
    try:
        for path, value in plan['settings'].items():
            settings.append(Setting(path, value))
        for directory in plan['empty']:
            mount('tmpfs', directory, 'tmpfs', options='mode=755')
        for covered, source in plan['covered']:
            mount(source, covered, flags=MS_BIND)
        print('ready', flush=True)
        sys.stdin.read()
    finally:
        for setting in settings:
            setting.write(setting.before)
        cgroup.end()
        shutil.rmtree(plan['directory'], ignore_errors=True)


if __name__ == '__main__':
    main()
