# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording the whole system from the window of an ordinary user, whom the system's own dialog asks for a password: on a desk with the
service, a real polkit and its agent, and a kernel that refuses everything else."""
import re
import shutil

from window import BUILD, CHOICE, WindowCase

from daemon import ALICE, DaemonCase
from desk import DISMISS, SYSTEM
from desktop import Desktop
from record_page import RecordPage
from recordings import Load


class Password(RecordPage, WindowCase, DaemonCase):
    @classmethod
    def make_desktop(cls):
        return Desktop(cls.desk)

    def setUp(self):
        super().setUp()
        self.viewer = self.start_as_alice()
        self.viewer.resize(1000, 800)

    def start_as_alice(self):
        schemas = self.home / 'schemas'
        schemas.mkdir()
        shutil.copy(BUILD / 'data' / 'gschemas.compiled', schemas)
        self.desktop.environment(self.home)  # which makes what is below it
        for path in self.home, *self.home.rglob('*'):
            shutil.chown(path, ALICE, ALICE)
        words = self.desk.command([self.desk.installed_file('bin/capture-viewer')], 'alice', True, stock=True)
        return self.start(*words[1:], program=words[0], env={
            'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/run/dbus/system_bus_socket', 'GSETTINGS_SCHEMA_DIR': str(schemas)})

    def record_the_system(self):
        self.viewer.click(self.viewer.find_at_rest(CHOICE, 'The Whole System'))
        self.viewer.find('label', 'You will be asked for a password.')
        self.viewer.find('button', 'Record', states=('sensitive',)).act()

    def expect_failure(self, pattern):
        self.viewer.find('label', 'Nothing Was Recorded')
        self.viewer.find('label', re.compile(pattern))
        self.viewer.find('button', 'Back').act()
        self.expect_start_page()

    def expect_start_page(self):
        self.viewer.find('button', 'Record')
        self.assertEqual(self.captures(), [])

    def test_the_right_one(self):
        with self.desk.agent('alice') as lines:
            self.record_the_system()
            self.wait_for_samples()
            self.assertIn(f'asked {SYSTEM}', lines())
            self.viewer.find('button', 'Stop').act()
            self.expect_document()
        capture, = self.captures()
        self.assertEqual(capture.stat().st_uid, ALICE)
        self.assertEqual(Load(capture).capture.metadata['via'], 'daemon')

    def test_a_wrong_one(self):
        with self.desk.agent('alice', 'wrong') as lines:
            self.record_the_system()
            self.expect_failure('^The password was wrong, .* Without the system service: ')
            self.assertIn(f'asked {SYSTEM}', lines())

    def test_the_question_is_closed(self):
        with self.desk.agent('alice', DISMISS) as lines:
            self.record_the_system()
            self.expect_failure('^The question for a password, .* was dismissed')
            self.assertIn(f'asked {SYSTEM}', lines())

    def test_nobody_can_ask(self):
        self.record_the_system()
        self.expect_failure(r'^\S+ takes a password, and there is nobody here who could be asked')

    def test_the_recording_is_given_up_while_it_asks(self):
        with self.desk.agent('alice', None) as lines:
            self.record_the_system()
            self.viewer.wait(lambda: f'asked {SYSTEM}' in lines(), 'a password is asked for')
            self.viewer.find('label', 'Starting…')
            self.viewer.find('button', 'Cancel').act()
            self.viewer.wait(lambda: 'cancelled' in lines(), 'the question is taken back')
            self.expect_start_page()

    def test_once_more_after_a_wrong_one(self):
        with self.desk.agent('alice', 'wrong'):
            self.record_the_system()
            self.expect_failure('^The password was wrong')
        with self.desk.agent('alice'):
            self.viewer.find('button', 'Record', states=('sensitive',)).act()
            self.wait_for_samples()
            self.viewer.find('button', 'Stop').act()
            self.expect_document()
