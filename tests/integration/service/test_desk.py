# SPDX-License-Identifier: GPL-3.0-or-later
"""The desk itself: polkit there says of our two actions what the policy says of active, inactive and no session."""
import unittest

from desk import Desk, OWN, SYSTEM

ACTIVE, INACTIVE, REMOTE, NO_SESSION = True, False, 'remote', None


class DeskTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.desk = Desk().start()
        cls.addClassCleanup(cls.desk.stop)

    def test_own_needs_no_password_in_an_active_local_session_only(self):
        for session, answer in (ACTIVE, 'yes'), (INACTIVE, 'ask'), (REMOTE, 'ask'), (NO_SESSION, 'ask'):
            with self.subTest(session):
                self.assertEqual(self.desk.check('alice', OWN, session), answer)

    def test_system_asks_for_a_password_everywhere(self):
        for session in ACTIVE, INACTIVE, REMOTE, NO_SESSION:
            with self.subTest(session):
                self.assertEqual(self.desk.check('bob', SYSTEM, session), 'ask')

    def test_rules_hold_at_once_and_for_their_user(self):
        self.addCleanup(self.desk.authorise, '')
        self.desk.allow(SYSTEM, 'alice')
        self.assertEqual(self.desk.check('alice', SYSTEM), 'yes')
        self.assertEqual(self.desk.check('bob', SYSTEM), 'ask')
        self.desk.authorise('')
        self.assertEqual(self.desk.check('alice', SYSTEM), 'ask')

    def asked(self, user):
        words = ['sh', '-c', 'exec pkcheck --allow-user-interaction --action-id "$0" --process $$', SYSTEM]
        return self.desk.run_as(user, words, status=None).status

    def test_the_agents_password_is_the_administrators(self):
        with self.desk.agent('alice') as lines:
            self.assertEqual(self.asked('alice'), 0)
            self.assertIn(f'asked {SYSTEM}', lines())
        with self.desk.agent('bob', 'wrong') as lines:
            self.assertNotEqual(self.asked('bob'), 0)
            self.assertIn(f'asked {SYSTEM}', lines())

    def test_the_service_may_ask_about_others(self):
        """polkit lets only root and the owner of an action ask about a process of somebody else."""
        caller = self.desk.popen(['sleep', '1000'], 'alice', True)
        self.addCleanup(caller.wait)
        self.addCleanup(caller.kill)
        words = ['pkcheck', '--action-id', OWN, '--process', caller.pid]
        self.assertEqual(self.desk.run(words, user='captured').status, 0)
        self.assertNotEqual(self.desk.run(words, user='bob', status=None).status, 0)


if __name__ == '__main__':
    unittest.main()
