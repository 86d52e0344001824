# SPDX-License-Identifier: GPL-3.0-or-later
"""The window itself: its keys, what it says of itself, its languages."""
from window import WindowCase

from captures import make


class MainWindow(WindowCase):
    def open_document(self, **how):
        """A viewer that shows a capture."""
        viewer = self.open(make(self.directory / 'some.capture'), **how)
        viewer.find('button', 'Whole Recording')
        return viewer

    def test_what_is_typed_into_the_search_is_no_key_of_the_window(self):
        viewer = self.open_document()
        viewer.press('slash')
        entry = viewer.find('search box', 'Search Functions', states=('focused',))
        viewer.type('2/1')
        viewer.wait(lambda: entry.text == '2/1', 'the text is in the entry')
        viewer.press('Escape')
        viewer.wait(lambda: entry.text == '', 'Escape ends the search')

    def test_help_opens_and_closes(self):
        viewer = self.open_document()
        viewer.press('F1')
        viewer.find('heading', 'Reading a Flame Graph')
        viewer.press('Escape')
        viewer.wait(lambda: len(viewer.windows()) == 1, 'the window is closed')

    def test_shortcuts_are_told(self):
        viewer = self.open_document()
        viewer.press('ctrl+question')
        viewer.find('label', 'Next match')
        viewer.press('Escape')
        viewer.wait(lambda: len(viewer.windows()) == 1, 'the window is closed')

    def test_it_says_what_it_is(self):
        viewer = self.open_document()
        viewer.press('F10')
        viewer.find('menu item', 'About Capture').act()
        viewer.find('label', 'The authors of Capture')
        viewer.press('Escape')
        viewer.wait(lambda: len(viewer.windows()) == 1, 'the window is closed')

    def test_a_new_window_starts_anew(self):
        viewer = self.open_document()
        viewer.press('ctrl+n')
        viewer.wait(lambda: len(viewer.windows()) == 2, 'there are two windows')
        viewer.press('ctrl+w')
        viewer.wait(lambda: len(viewer.windows()) == 1, 'there is one window again')

    def test_german(self):
        viewer = self.open(make(self.directory / 'some.capture'), env={'LANGUAGE': 'de'})
        viewer.find('button', 'Ganze Aufnahme')
        viewer.find(None, 'Hauptmenü')

    def test_hebrew_goes_from_right_to_left(self):
        viewer = self.open(make(self.directory / 'some.capture'), env={'LANGUAGE': 'he'})
        crumb = viewer.find('button', 'ההקלטה כולה')
        menu = viewer.find(None, 'תפריט ראשי')
        x, _, width, _ = crumb.extents
        self.assertGreater(x + width / 2, 500)
        self.assertLess(menu.extents[0], 500)
