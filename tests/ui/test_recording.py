# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording with the window: from the start page to a flame graph, with a real recorder and real programs."""
import errno
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from window import CHOICE, OF_DIALOGS, WindowCase

from captures import report  # behind what says where it is
from record_page import RecordPage
from support import capturectl

BUSY = "sh -c 'while :; do :; done'"


class RecordingTest(RecordPage, WindowCase):
    def setUp(self):
        super().setUp()
        self.viewer = self.open()
        self.command = self.viewer.find_at_rest('text box', 'Command and Arguments')
        self.addCleanup(self.stop_what_failed)

    def stop_what_failed(self):
        """A window asks before it closes on a recording, which nobody would answer."""
        if self.viewer.process.poll() is None:
            for button in self.viewer.find_all('button', 'Stop', states=('focusable',)):
                button.act()
                self.expect_document()

    def expect_no_recents(self):
        """A row of the form has the text that was typed, too."""
        self.viewer.find_gone('list item', 'true', within=self.viewer.find('list', 'Recent Captures'))

    def record(self, command):
        self.viewer.click(self.command)
        self.viewer.type(command)
        self.viewer.press('Return')


class CommandTest(RecordingTest):
    def test_what_belongs_to_a_choice_stands_below_its_title(self):
        left = self.viewer.find_at_rest('label', 'A Command').extents[0]
        for name in 'Command and Arguments', 'Working Directory':
            self.assertLessEqual(abs(self.viewer.find('label', name).extents[0] - left), 2)

    def test_a_command_to_its_flame_graph(self):
        self.record("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'")
        self.expect_document()
        capture, = self.captures()
        self.assertRegex(capture.name, r'^sh \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.capture$')
        self.assertGreater(report(capture)['events'][0]['samples'], 0)
        # It is remembered, and so is the command.
        self.viewer.press('ctrl+r')
        self.viewer.wait(lambda: len(self.viewer.windows()) == 2, 'a window for the next recording is there')
        self.viewer.find('list item', re.compile('^sh -c'))
        self.viewer.find('text box', 'Command and Arguments')

    def test_it_is_recorded_again(self):
        self.record("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'")
        self.expect_document()
        first, = self.captures()
        self.viewer.press('ctrl+shift+r')
        self.viewer.wait(lambda: len(self.captures()) == 2, 'there is another recording')
        self.expect_document()
        _, second = sorted(self.captures(), key=lambda path: path.stat().st_mtime)
        self.assertEqual([event['name'] for event in report(second)['events']], [event['name'] for event in report(first)['events']])

    def test_waiting_is_recorded_where_the_summary_says_so(self):
        self.record('sleep 0.5')
        self.expect_document()
        self.viewer.click(self.viewer.find('button', 'Record Waiting'))
        self.viewer.wait(lambda: len(self.captures()) == 2, 'there is another recording')
        self.expect_document()
        _, second = sorted(self.captures(), key=lambda path: path.stat().st_mtime)
        self.assertIn('off-cpu', [event['name'] for event in report(second)['events']])

    def test_it_is_followed_and_stopped(self):
        self.record(BUSY)
        self.wait_for_samples()
        self.viewer.find(None, 'Top-Down', states=('focusable',))
        self.viewer.find('button', 'Stop').act()
        self.expect_document()
        self.assertEqual(len(self.captures()), 1)

    def test_escape_stops(self):
        self.record(BUSY)
        self.wait_for_samples()
        self.viewer.press('Escape')
        self.expect_document()

    def test_it_is_discarded_when_that_is_confirmed(self):
        self.record(BUSY)
        self.wait_for_samples()
        self.assertEqual(len(self.captures()), 1)
        self.viewer.may_say = OF_DIALOGS
        self.viewer.find('button', 'Discard…').act()
        self.viewer.find('button', 'Keep Recording').act()
        self.viewer.find_gone('button', 'Keep Recording')
        before = self.count('Samples')
        self.viewer.wait(lambda: self.count('Samples') > before, 'the recording goes on')
        self.viewer.find('button', 'Discard…').act()
        self.viewer.find('button', 'Discard').act()
        self.viewer.find('button', 'Record')
        self.assertEqual(self.captures(), [])

    def test_a_command_that_does_not_exist(self):
        self.record('no-such-program --option')
        self.viewer.find('label', re.compile('no-such-program'))
        self.viewer.find('button', 'Back').act()
        self.viewer.find('button', 'Record')
        self.assertEqual(self.captures(), [])

    def test_quotes_that_do_not_end(self):
        self.record("echo 'x")
        self.viewer.find('label', re.compile('quotes do not end'))
        self.viewer.find('button', 'Record')

    def test_nothing_to_record(self):
        button = self.viewer.find('button', 'Record')
        self.assertNotIn('sensitive', button.states)
        self.viewer.click(self.command)
        self.viewer.type('x')
        self.viewer.wait(lambda: 'sensitive' in button.states, 'there is something to record')

    def test_a_command_of_before_is_taken_again(self):
        self.record('true')
        self.expect_document()
        self.viewer.press('ctrl+q')
        self.viewer.end(90)
        self.viewer = self.open()
        self.viewer.click(self.viewer.find_at_rest('text box', 'Command and Arguments'))
        self.viewer.press('ctrl+a', 'BackSpace')
        self.viewer.click(self.viewer.find_at_rest(None, 'Commands of Before', states=('focusable',)))
        self.viewer.find_menu_item('true').act()
        self.viewer.find('button', 'Record', states=('sensitive',)).act()
        self.expect_document()
        self.assertEqual(len(self.captures()), 2)


class ProcessTest(RecordingTest):
    def test_a_running_process_is_found_and_recorded(self):
        program = self.directory / 'a-busy-program'
        program.write_text('#!/bin/sh\nwhile :; do :; done\n')
        program.chmod(0o755)
        process = subprocess.Popen([program])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.viewer.find('button', 'Choose…').act()
        self.viewer.find('search box')
        self.viewer.type(str(process.pid))
        self.viewer.find('label', 'a-busy-program')
        self.viewer.rest()  # others are no longer listed, of which the first would be taken
        self.viewer.press('Return')
        self.viewer.find('label', f'a-busy-program ({process.pid})')
        self.viewer.find('button', 'Record').act()
        self.wait_for_samples()
        self.viewer.find('button', 'Stop').act()
        self.expect_document()
        capture, = self.captures()
        self.assertTrue(capture.name.startswith('a-busy-program'))


class SystemTest(RecordingTest):
    def test_the_whole_system(self):
        self.viewer.click(self.viewer.find(CHOICE, 'The Whole System'))
        self.viewer.find('button', 'Record').act()
        self.wait_for_samples()
        self.viewer.find('button', 'Stop').act()
        self.expect_document()
        capture, = self.captures()
        self.assertTrue(capture.name.startswith('system'))


class RecentTest(RecordingTest):
    def test_a_file_that_is_gone_is_shown_and_removed(self):
        self.record('true')
        self.expect_document()
        self.viewer.press('ctrl+r')
        self.viewer.wait(lambda: len(self.viewer.windows()) == 2, 'there is a start page')
        self.viewer.find('list item', 'true')
        capture, = self.captures()
        pathlib.Path(capture).unlink()
        self.viewer.press('ctrl+q')
        self.viewer.end(90)
        self.viewer = self.open()
        self.viewer.find('label', re.compile('no longer there'))
        self.viewer.find('button', 'Remove From the List').act()
        self.expect_no_recents()

    def test_what_nobody_saved_is_deleted_when_that_is_confirmed(self):
        self.record('true')
        self.expect_document()
        self.viewer.press('ctrl+r')
        self.viewer.find('label', re.compile('not saved'))
        self.viewer.may_say = OF_DIALOGS
        self.viewer.find('button', 'Delete Recording').act()
        self.viewer.find('button', 'Cancel').act()
        self.viewer.find_gone('button', 'Cancel')
        self.assertEqual(len(self.captures()), 1)
        self.viewer.find('button', 'Delete Recording').act()
        self.viewer.find('button', 'Delete').act()
        self.expect_no_recents()
        self.assertEqual(self.captures(), [])


class SavedTest(RecordingTest):
    finds_leaks = False

    def save_as(self, path):
        self.viewer.press('ctrl+s')
        self.viewer.wait(lambda: len(self.viewer.windows()) == 2, 'there is a dialog')
        self.viewer.screen.focus(self.viewer.window)
        self.viewer.screen.press('ctrl+a')
        self.viewer.screen.type(str(path))
        self.viewer.screen.press('Return')

    def write_into(self, pipe):
        """The end that one writes into, as soon as the viewer reads."""
        def find_reader():
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
                return None
        end = self.viewer.wait(find_reader, 'it reads the pipe')
        os.set_blocking(end, True)
        return open(end, 'wb', buffering=0)

    def let_go(self, pipe):
        """Nobody waits for what is no recording, whatever failed."""
        if pipe.exists():
            os.close(os.open(pipe, os.O_RDWR))
            pipe.unlink()

    def test_what_was_saved_is_the_persons(self):
        saved = self.directory / 'mine.capture'
        self.record('true')
        self.expect_document()
        self.save_as(saved)
        self.viewer.find('label', re.compile('^Saved as'))
        self.assertEqual(self.captures(), [])
        self.assertEqual(json.loads(capturectl('info', '--json', saved).stdout)['command'], 'true')
        self.viewer.press('ctrl+s')  # nothing is left to be saved
        self.viewer.press('ctrl+r')
        self.viewer.find('list item', 'true')
        self.viewer.find('button', 'Remove From the List').act()
        self.expect_no_recents()
        self.assertTrue(saved.exists())

    def test_what_takes_long_to_be_saved_is_shown_and_can_be_given_up(self):
        """Onto another file system a recording is copied: here from a pipe, so for as long as the test likes."""
        elsewhere = pathlib.Path(tempfile.mkdtemp(prefix='capture-saved-', dir='/dev/shm'))
        self.addCleanup(shutil.rmtree, elsewhere)
        saved = elsewhere / 'mine.capture'
        self.record('true')
        self.expect_document()
        recording, = self.captures()
        content = recording.read_bytes()
        recording.unlink()
        os.mkfifo(recording)
        self.addCleanup(self.let_go, recording)

        self.save_as(saved)
        strip = self.viewer.find('label', 'Saving “mine.capture”').parent()
        self.viewer.find('progress bar', within=strip)
        self.viewer.find('button', 'Stop', within=strip).act()
        self.viewer.find_gone('label', 'Saving “mine.capture”')
        self.write_into(recording).close()
        self.viewer.find('label', re.compile('was not saved$'))
        self.assertEqual(list(elsewhere.iterdir()), [])
        self.assertTrue(recording.is_fifo())

        self.save_as(saved)
        with self.write_into(recording) as pipe:
            pipe.write(content[:100])
            self.viewer.find('label', 'Saving “mine.capture”')
            self.assertFalse(saved.exists())
            pipe.write(content[100:])
        self.viewer.find('label', re.compile('^Saved as'))
        self.viewer.find_gone('label', 'Saving “mine.capture”')
        self.assertEqual(list(elsewhere.iterdir()), [saved])
        self.assertEqual(saved.read_bytes(), content)
        self.assertEqual(self.captures(), [])
