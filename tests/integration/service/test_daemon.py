# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may record what through the system service: asked of a real polkit, in every kind of session."""
import unittest

from daemon import DaemonCase, status_of
from desk import OWN, SYSTEM

ACTIVE, INACTIVE, REMOTE, NO_SESSION = True, False, 'remote', None
KERNEL, USER_MODE = 2, 2

RECORD_OWN = '''
session = Session([busy()], events=[('cpu-clock', 999, 0)])
session.read(1)
session.stop()
session.wait()
session.save(out)
'''
RECORD_OTHERS = RECORD_OWN.replace('[busy()]', '[pidfd(others)]')
# A process that is in the kernel most of the time.
COPYING = 'os.pidfd_open(child("dd", "if=/dev/zero", "of=/dev/null").pid)'
RECORD_ALL = RECORD_OWN.replace('[busy()]', 'system_wide=True')


def kernel_frames(loaded):
    return [frame for sample in loaded.samples for frame in sample.frames if frame.kind == KERNEL]


class RightsTest(DaemonCase):
    # As Ubuntu has it; the service depends on it no more than on any other value.
    settings = {'/proc/sys/kernel/perf_event_paranoid': '4', '/proc/sys/kernel/kptr_restrict': '1'}

    def setUp(self):
        super().setUp()
        self.addCleanup(self.desk.authorise, '')

    def others(self):
        return self.process('bob').pid

    def test_own_process_without_password(self):
        loaded = self.recorded('alice', RECORD_OWN)
        self.assertGreater(len(loaded.samples), 20)
        self.assertEqual(loaded.commands(), {'sh'})
        self.assertEqual(kernel_frames(loaded), [])

    def test_own_process_with_what_systemd_gives_it(self):
        """Since systemd 254 every program of a user at the seat has CAP_WAKE_ALARM, and the kernel lets nobody without it look there."""
        target = self.process('alice', capabilities=('wake_alarm',))
        self.assertIn(f'{1 << 35:016x}', status_of(target.pid, 'CapPrm'))
        self.assertIsNone(self.refused('alice', 'start([pidfd(others)])', others=target.pid))

    def test_own_process_elsewhere_than_in_an_active_local_session(self):
        for session in INACTIVE, REMOTE, NO_SESSION:
            with self.subTest(session):
                self.assertEqual(self.refused('alice', 'start([own()])', active=session), 'NotAuthorized')
        for session in INACTIVE, REMOTE:
            with self.subTest(session, agent=True), self.desk.agent('alice', active=session) as lines:
                self.assertIsNone(self.refused('alice', 'start([own()], interactive=True)', active=session))
                self.assertEqual(lines().count(f'asked {OWN}'), 1)

    def test_others_are_refused_without_authorisation(self):
        others = self.others()
        for what in ('start([pidfd(others)])', 'start([own(), pidfd(others)])', 'start(system_wide=True)',
                     'start([own()], kernel=True)', 'start([own()], scope="system")',
                     'start([own()], events=[("sched:sched_switch", 0, 0)])'):
            with self.subTest(what):
                self.assertEqual(self.refused('alice', what, others=others), 'NotAuthorized')

    def test_a_rules_file_grants_it(self):
        self.desk.allow(SYSTEM, 'alice')
        others = self.others()
        loaded = self.recorded('alice', RECORD_OTHERS, others=others)
        self.assertEqual({sample.pid for sample in loaded.samples}, {others})
        loaded = self.recorded('alice', RECORD_ALL)
        self.assertIn(others, {sample.pid for sample in loaded.samples})
        loaded = self.recorded('alice', RECORD_OWN.replace('busy()', COPYING).replace('events=', 'kernel=True, events='))
        self.assertNotEqual(kernel_frames(loaded), [])
        self.assertEqual(self.refused('bob', 'start(system_wide=True)'), 'NotAuthorized')

    def test_the_administrators_password_grants_it(self):
        with self.desk.agent('alice') as lines:
            others = self.others()
            loaded = self.recorded('alice', RECORD_OTHERS.replace('events=', 'interactive=True, events='), others=others)
            self.assertEqual({sample.pid for sample in loaded.samples}, {others})
            self.assertEqual(lines().count(f'asked {SYSTEM}'), 1)
            self.assertIn(f'message Authentication is required to record processes {others}, and the kernel in them', lines())

    def test_a_wrong_password_does_not(self):
        with self.desk.agent('alice', 'wrong') as lines:
            self.assertEqual(self.refused('alice', 'start(system_wide=True, interactive=True)'), 'NotAuthorized')
            self.assertIn(f'asked {SYSTEM}', lines())
            self.assertIn('message Authentication is required to record all programs on this computer, and the kernel', lines())

    def test_nobody_is_asked_unless_the_message_allows_it(self):
        with self.desk.agent('alice') as lines:
            self.assertEqual(self.refused('alice', 'start(system_wide=True)'), 'NotAuthorized')
            self.assertEqual([line for line in lines() if line.startswith('asked')], [])

    def test_polkitd_may_be_restarted(self):
        self.assertIsNone(self.refused('alice', 'start([own()])'))
        self.desk.restart_polkitd()
        self.assertIsNone(self.refused('alice', 'start([own()])'))
        self.assertEqual(self.refused('alice', 'start(system_wide=True)'), 'NotAuthorized')

    def test_scope_own_has_no_address_of_the_kernels(self):
        """Samples taken in the kernel keep their user stack."""
        loaded = self.recorded('alice', RECORD_OWN.replace('busy()', COPYING))
        self.assertGreater(len(loaded.samples), 20)
        self.assertTrue(any(sample.mode != USER_MODE for sample in loaded.samples))
        self.assertEqual(kernel_frames(loaded), [])
        self.assertTrue(all(sample.frames for sample in loaded.samples if sample.mode != USER_MODE))


if __name__ == '__main__':
    unittest.main()
