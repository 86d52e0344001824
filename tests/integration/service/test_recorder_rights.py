# SPDX-License-Identifier: GPL-3.0-or-later
"""Which process of a recording may what, by the kernel's word, while it records. Runs as root."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
import unittest

import recorder_service as service
from recorder_service import CHILDREN, KERNEL_STACKS, OWN, SYSTEM_WIDE, USER_STACKS

CALLER, SERVICE = 64001, 64003
OPENER_RIGHTS = {'sys_ptrace', 'checkpoint_restore', 'dac_read_search'}
FOR_ROOT = {'setuid', 'setgid', 'setpcap', 'sys_chroot', 'kill'}
TARGET = os.path.join(service.BUILD, 'tests/unit/recorder/recorder-target')


def become(user):
    def drop():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    return drop


class RecorderRights(unittest.TestCase):
    def setUp(self):
        self.target = subprocess.Popen([TARGET, 'spin', '60'], preexec_fn=become(CALLER))
        self.addCleanup(self.target.wait)
        self.addCleanup(self.target.kill)
        with open('/proc/sys/kernel/perf_event_paranoid', encoding='utf-8') as file:
            self.addCleanup(self.set_paranoid, file.read())
        self.set_paranoid('2')

    def recorder(self, user, rights):
        """One whose cache is empty, so that it has elf-readers."""
        cache = tempfile.mkdtemp(prefix='capture-rights-')
        self.addCleanup(shutil.rmtree, cache)
        if user is not None:
            os.chown(cache, user, user)
        return service.Recorder(user, rights, {**os.environ, 'XDG_CACHE_HOME': cache})

    def assert_rights(self, rights, user, capabilities, permitted=()):
        """`permitted`: those that are not in effect."""
        self.assertEqual(rights.uids, {str(user)})
        self.assertEqual(rights.gids, {str(user)})
        self.assertEqual(rights.capabilities('CapEff'), set(capabilities), f'CapEff of {rights.name}')
        self.assertEqual(rights.capabilities('CapPrm'), set(capabilities).union(permitted), f'CapPrm of {rights.name}')
        for which in ('CapInh', 'CapAmb'):
            self.assertEqual(rights.capabilities(which), set(), f'{which} of {rights.name}')
        self.assertTrue(rights.no_new_privileges, rights.name)
        self.assertTrue(rights.hidden, rights.name)

    def helpers_of(self, recorder, openers_max=1):
        """The recorder's own: (opener or None, elf-readers that are confined). It may take its time to start these, each of which is
        called what the recorder is until it executes its program; and a child of it loads programs for languages, until that is
        done. Looked at again until the same are there a moment later, and no more openers than there may be."""
        before, end = None, time.monotonic() + 60
        while True:
            self.assertIsNone(recorder.process.poll())
            openers, readers = [], []
            for pid in service.children(recorder.process.pid):
                with contextlib.suppress(OSError):
                    rights = service.Rights(pid)
                    (readers if rights.name.startswith('capture-elf') else openers).append(rights)
            names = {(rights.pid, rights.name) for rights in openers + readers}
            if readers and all(reader.seccomp for reader in readers) and names == before and len(openers) <= openers_max:
                break
            self.assertLess(time.monotonic(), end, names)
            before = names
            time.sleep(0.1)
        return openers[0] if openers else None, readers

    def assert_readers(self, readers, user):
        for reader in readers:
            self.assert_rights(reader, user, ())

    def test_own(self):
        opener, socket = service.spawn(service.as_user(CALLER, ['ipc_lock'], service.helper('opener')))
        recorder = self.recorder(SERVICE, service.OWN_RIGHTS)
        recorder.record(USER_STACKS | CHILDREN | OWN, [self.target.pid], socket.fileno())
        socket.close()
        self.assert_rights(service.Rights(recorder.process.pid), SERVICE, ('perfmon', 'bpf', 'ipc_lock'))
        self.assert_rights(service.Rights(opener.pid), CALLER, ())
        _none, readers = self.helpers_of(recorder, openers_max=0)
        self.assert_readers(readers, SERVICE)
        self.assertEqual(recorder.stop(), 0)
        self.assertEqual(opener.wait(), 0)

    def test_more_than_it_needs(self):
        """What an own session does not need is given up, whoever gave it."""
        opener, socket = service.spawn(service.as_user(CALLER, ['ipc_lock'], service.helper('opener')))
        recorder = self.recorder(SERVICE, service.SYSTEM_RIGHTS + ('sys_admin', 'dac_override', 'setuid'))
        recorder.record(USER_STACKS | OWN, [self.target.pid], socket.fileno())
        socket.close()
        self.assert_rights(service.Rights(recorder.process.pid), SERVICE, ('perfmon', 'bpf', 'ipc_lock'))
        self.assertEqual(recorder.stop(), 0)
        opener.wait()

    def test_system(self):
        for flags, targets in ((SYSTEM_WIDE, ()), (0, [self.target.pid])):
            recorder = self.recorder(SERVICE, service.SYSTEM_RIGHTS + ('sys_admin', 'dac_override', 'setuid'))
            recorder.record(USER_STACKS | KERNEL_STACKS | flags, targets)
            self.assert_rights(service.Rights(recorder.process.pid), SERVICE, service.SYSTEM_RIGHTS)
            opener, readers = self.helpers_of(recorder)
            self.assert_rights(opener, SERVICE, OPENER_RIGHTS)
            self.assert_readers(readers, SERVICE)
            self.assertEqual(recorder.stop(), 0)

    def test_direct_as_root(self):
        recorder = self.recorder(None, ())
        recorder.record(USER_STACKS | KERNEL_STACKS | SYSTEM_WIDE)
        rights = service.Rights(recorder.process.pid)
        self.assert_rights(rights, 0, FOR_ROOT.union(service.SYSTEM_RIGHTS))
        opener, readers = self.helpers_of(recorder)
        self.assert_rights(opener, 0, OPENER_RIGHTS)
        self.assert_readers(readers, 65534)
        self.assertEqual(recorder.stop(), 0)

    def test_where_events_take_more(self):
        """Kernels of Debian and Ubuntu want CAP_SYS_ADMIN above 2: it is there for as long as events may be opened, and never in
        effect otherwise."""
        self.set_paranoid('3')
        recorder = self.recorder(SERVICE, service.SYSTEM_RIGHTS + ('sys_admin',))
        recorder.record(USER_STACKS | KERNEL_STACKS | SYSTEM_WIDE)
        self.assert_rights(service.Rights(recorder.process.pid), SERVICE, service.SYSTEM_RIGHTS, {'sys_admin'})
        opener, readers = self.helpers_of(recorder)
        self.assert_rights(opener, SERVICE, OPENER_RIGHTS)
        self.assert_readers(readers, SERVICE)
        self.assertEqual(recorder.stop(), 0)
        recorder = self.recorder(None, ())
        recorder.record(USER_STACKS, [self.target.pid])
        self.assert_rights(service.Rights(recorder.process.pid), 0, FOR_ROOT.union(service.SYSTEM_RIGHTS), {'sys_admin'})
        self.assertEqual(recorder.stop(), 0)
        opener, socket = service.spawn(service.as_user(CALLER, ['ipc_lock'], service.helper('opener')))
        recorder = self.recorder(SERVICE, service.OWN_RIGHTS + ('sys_admin',))
        recorder.record(USER_STACKS | OWN, [self.target.pid], socket.fileno())
        socket.close()
        self.assert_rights(service.Rights(recorder.process.pid), SERVICE, ('perfmon', 'bpf', 'ipc_lock'))
        self.assertEqual(recorder.stop(), 0)
        opener.wait()

    def test_direct_as_an_ordinary_user(self):
        self.set_paranoid('1')
        recorder = self.recorder(CALLER, ())
        recorder.record(USER_STACKS | KERNEL_STACKS, [self.target.pid], unwind=service.UNWIND_TABLES)
        self.assert_rights(service.Rights(recorder.process.pid), CALLER, ())
        opener, readers = self.helpers_of(recorder)
        self.assert_rights(opener, CALLER, ())
        self.assert_readers(readers, CALLER)
        self.assertEqual(recorder.stop(), 0)

    def set_paranoid(self, value):
        with open('/proc/sys/kernel/perf_event_paranoid', 'w', encoding='utf-8') as file:
            file.write(value)


if __name__ == '__main__':
    unittest.main()
