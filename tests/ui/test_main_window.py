# SPDX-License-Identifier: GPL-3.0-or-later
"""The window itself: files that open and files that do not, its pages and keys, its languages, what it remembers."""
import re

from support import run
from window import BUILD, WindowCase

MAKE_CAPTURE = BUILD / 'tests' / 'ui' / 'make-capture'


class MainWindowTest(WindowCase):
    def make_capture(self, name='some.capture', *options):
        path = self.directory / name
        run(MAKE_CAPTURE, *options, path)
        return path

    def open_document(self, *paths, **how):
        """A viewer that shows a capture."""
        viewer = self.open(*(paths or [self.make_capture()]), **how)
        viewer.find('push button', 'Whole Recording')
        return viewer

    def selected_page(self, viewer):
        return viewer.find('radio button', states=('checked',)).name


class FilesTest(MainWindowTest):
    def expect_failure(self, viewer, name, reason):
        viewer.find('label', f'“{name}” Could Not Be Opened')
        viewer.find('label', re.compile(reason))

    def test_a_file_that_is_not_there(self):
        viewer = self.open(self.directory / 'none.capture')
        self.expect_failure(viewer, 'none.capture', 'moved, renamed or deleted')
        self.make_capture('none.capture')
        viewer.find('push button', 'Try Again').act()
        viewer.find('push button', 'Whole Recording')

    def test_a_file_that_is_something_else(self):
        path = self.directory / 'text.capture'
        path.write_text('Some <b>text</b> & nothing else.\n' * 100)
        self.expect_failure(self.open(path), 'text.capture', 'What can be opened are captures')

    def test_a_file_that_is_empty(self):
        path = self.directory / 'empty.capture'
        path.write_bytes(b'')
        self.expect_failure(self.open(path), 'empty.capture', 'What can be opened are captures')

    def test_a_file_without_its_end_opens(self):
        path = self.make_capture()
        path.write_bytes(path.read_bytes()[:path.stat().st_size * 2 // 3])
        self.open_document(path)

    def test_without_a_file_there_is_the_start(self):
        viewer = self.open()
        viewer.find('label', re.compile('Record'))
        self.assertEqual(viewer.find_all('push button', 'Whole Recording'), [])

    def test_files_open_in_windows_of_their_own_and_once(self):
        one, other = self.make_capture('one.capture'), self.make_capture('other.capture')
        viewer = self.open(one, other, one, size=None)
        viewer.wait(lambda: len(viewer.windows()) == 2, 'it shows two windows')
        self.start(one).end(60)
        self.assertEqual(len(viewer.windows()), 2)


class KeysTest(MainWindowTest):
    def test_pages_by_number(self):
        viewer = self.open_document()
        titles = [node.name for node in viewer.find_all('radio button')]
        self.assertGreater(len(titles), 1)
        for number, title in reversed(list(enumerate(titles, 1))):
            viewer.press(f'alt+{number}')
            viewer.wait(lambda: self.selected_page(viewer) == title, f'page {title} shows')
        viewer.press('2')
        viewer.wait(lambda: self.selected_page(viewer) == titles[1], 'a number without Alt shows a page, too')

    def test_numbers_and_slashes_can_be_searched_for(self):
        viewer = self.open_document()
        viewer.press('slash')
        entry = viewer.find('text', states=('focused',))
        viewer.type('2/1')
        viewer.wait(lambda: entry.text == '2/1', 'the text is in the entry')
        viewer.press('Escape')
        viewer.wait(lambda: entry.text == '', 'Escape ends the search')

    def test_help_shortcuts_about(self):
        viewer = self.open_document()
        for key, expected in ('F1', 'Reading a Flame Graph'), ('ctrl+question', 'Next match'):
            with self.subTest(key):
                viewer.press(key)
                viewer.find('label', expected)
                viewer.press('Escape')
                viewer.wait(lambda: len(viewer.windows()) == 1, 'the window is closed')
        viewer.choose('Main Menu', 'About Capture')
        viewer.find('label', 'The authors of Capture')
        viewer.press('Escape')

    def test_a_new_window_starts(self):
        viewer = self.open_document()
        viewer.press('ctrl+n')
        viewer.wait(lambda: len(viewer.windows()) == 2, 'there are two windows')
        viewer.press('ctrl+w')
        viewer.wait(lambda: len(viewer.windows()) == 1, 'there is one window again')


class MemoryTest(MainWindowTest):
    def test_size_and_page_are_remembered(self):
        path = self.make_capture()
        viewer = self.open_document(path, size=(900, 640))
        viewer.press('3')
        page = viewer.wait(lambda: viewer.find_all('radio button')[2].name, 'there is a third page')
        viewer.wait(lambda: self.selected_page(viewer) == page, 'it shows')
        viewer.close()
        viewer = self.open_document(path, size=None)
        viewer.wait(lambda: viewer.window.frame[2:] == (900, 640), lambda: f'the window is as it was; it is {viewer.window.frame}')
        self.assertEqual(self.selected_page(viewer), page)


class LanguagesTest(MainWindowTest):
    def test_german(self):
        viewer = self.open(self.make_capture(), env={'LANGUAGE': 'de'})
        viewer.find('push button', 'Ganze Aufnahme')

    def test_hebrew_goes_from_right_to_left(self):
        viewer = self.open(self.make_capture(), env={'LANGUAGE': 'he'})
        crumb = viewer.find('push button', 'ההקלטה כולה')
        menu = viewer.find(None, 'תפריט ראשי')
        x, _, width, _ = crumb.extents
        self.assertGreater(x + width / 2, 500)
        self.assertLess(menu.extents[0], 500)
