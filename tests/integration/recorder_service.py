# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder's protocol (helpers/recorder-protocol.h), as small as tests of processes and their rights need it."""

import array
import os
import socket
import struct
import subprocess

BUILD = os.environ['CAPTURE_BUILDDIR']
VERSION = 4
CONFIGURE, START, STOP, READY, STARTED, ENDED = 1, 2, 3, 64, 65, 68
KERNEL_STACKS, USER_STACKS, SYSTEM_WIDE, CHILDREN, OWN = 1, 2, 4, 8, 128
UNWIND_TABLES, UNWIND_BPF = 2, 3

CAPABILITIES = {'chown': 0, 'dac_override': 1, 'dac_read_search': 2, 'kill': 5, 'setgid': 6, 'setuid': 7, 'setpcap': 8,
                'ipc_lock': 14, 'sys_chroot': 18, 'sys_ptrace': 19, 'sys_admin': 21, 'syslog': 34, 'perfmon': 38,
                'bpf': 39, 'checkpoint_restore': 40}
OWN_RIGHTS = ('perfmon', 'bpf', 'sys_ptrace', 'ipc_lock')
SYSTEM_RIGHTS = OWN_RIGHTS + ('syslog', 'checkpoint_restore', 'dac_read_search')


def helper(name):
    return f'{BUILD}/helpers/{name}/capture-{name}'


def as_user(user, rights, *command):
    """The command of a user with ambient capabilities; user None: our own."""
    if user is None:
        return list(command)
    listed = ','.join('+' + right for right in rights)
    ambient = [f'--inh-caps={listed}', f'--ambient-caps={listed}'] if rights else []
    return ['setpriv', f'--reuid={user}', f'--regid={user}', '--clear-groups', *ambient, *command]


def spawn(command, environment=None):
    """A helper that is talked to by a socket: (process, our end)."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen([*command, str(theirs.fileno())], pass_fds=[theirs.fileno()], env=environment)
    theirs.close()
    return process, ours


class Recorder:
    def __init__(self, user, rights, environment):
        self.process, self.socket = spawn(as_user(user, rights, helper('recorder')), environment)

    def record(self, flags, targets=(), opener=None, unwind=UNWIND_BPF):
        """Until events count; asserts that they do."""
        event = struct.pack('128sQQ', b'cpu-clock', 1000, 0)
        fields = (VERSION, flags, 0, 0, 0, 0, len(targets), unwind, 0, 1)
        body = struct.pack('10I', *fields) + event
        pidfds = [os.pidfd_open(pid) for pid in targets]
        sent = pidfds + ([opener] if opener is not None else [])
        self.socket.sendmsg([struct.pack('II', CONFIGURE, 8 + len(body)) + body],
                            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', sent))] if sent else [])
        for pidfd in pidfds:
            os.close(pidfd)
        self.expect(READY)
        self.socket.send(struct.pack('II', START, 8))
        self.expect(STARTED)

    def expect(self, wanted):
        """Waits for that message; others pass."""
        while True:
            message, received, _, _ = self.socket.recvmsg(8192, 64)
            for _, _, data in received:
                for fd in array.array('i', data):
                    os.close(fd)
            kind = struct.unpack_from('I', message)[0] if message else 0
            if kind == wanted:
                return message
            if kind in (0, ENDED):
                raise AssertionError(message[-512:].rstrip(b'\0').decode() or 'the recorder is gone')

    def stop(self):
        self.socket.send(struct.pack('II', STOP, 8))
        self.expect(ENDED)
        self.socket.close()
        return self.process.wait()


class Rights:
    """What /proc/PID/status says."""

    def __init__(self, pid):
        self.pid = pid
        with open(f'/proc/{pid}/status', encoding='utf-8', errors='replace') as file:
            self.fields = dict(line.rstrip('\n').split(':\t', 1) for line in file if ':\t' in line)
        self.name = self.fields['Name']
        self.uids = set(self.fields['Uid'].split())
        self.gids = set(self.fields['Gid'].split())
        self.no_new_privileges = self.fields['NoNewPrivs'] == '1'
        self.seccomp = self.fields['Seccomp'] == '2'
        # What is in it is root's when nobody may look into it, whatever the user is.
        self.hidden = os.stat(f'/proc/{pid}/auxv').st_uid == 0

    def capabilities(self, which):
        value = int(self.fields[which], 16)
        known = {name for name, number in CAPABILITIES.items() if value >> number & 1}
        assert value == sum(1 << CAPABILITIES[name] for name in known), f'{which} {value:x}'
        return known


def children(pid):
    found = []
    for entry in os.listdir('/proc'):
        if not entry.isdigit():
            continue
        try:
            with open(f'/proc/{entry}/stat', encoding='utf-8', errors='replace') as file:
                fields = file.read().rpartition(')')[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != 'Z':
            found.append(int(entry))
    return found
