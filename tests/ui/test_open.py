# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening: what is there, what is not, what is damaged, what is large."""
import re
import tempfile
import pathlib
import shutil

from captures import make
from window import WindowCase

PAGES = ['Flame Graph', 'Call Tree', 'Functions', 'Timeline', 'Marks', 'Processes', 'Health', 'Details']


class Open(WindowCase):
    def capture(self, name='some.capture', **numbers):
        return make(self.directory / name, **numbers)

    def test_no_file(self):
        viewer = self.open()
        self.assertEqual(len(viewer.windows()), 1)
        viewer.find('button', re.compile('Record'))

    def test_a_file_that_is_not_there(self):
        viewer = self.open(self.directory / 'missing.capture')
        viewer.find('label', '“missing.capture” Could Not Be Opened')
        viewer.find('label', re.compile('may have been moved, renamed or deleted'))

    def test_a_file_that_is_none_and_then_one_that_is(self):
        none = self.directory / 'none.capture'
        none.write_bytes(b'This is no capture.\n' * 400)
        viewer = self.open(none)
        viewer.find('label', '“none.capture” Could Not Be Opened')
        shutil.copy(self.capture(), none)
        viewer.find('button', re.compile('Try Again')).act()
        viewer.find_gone('label', '“none.capture” Could Not Be Opened')
        viewer.find(name=re.compile('main'))

    def test_a_damaged_one(self):
        whole = self.capture(samples=200_000, stacks=2000)
        damaged = self.directory / 'damaged.capture'
        content = bytearray(whole.read_bytes())
        content[len(content) // 2] ^= 0xff
        damaged.write_bytes(content[:len(content) * 3 // 4])
        viewer = self.open(damaged)
        viewer.find(name=re.compile('main'))

    def test_an_empty_one(self):
        viewer = self.open(self.capture(samples=0))
        viewer.find('label', re.compile('[Nn]o [Ss]amples'))
        for number in range(len(PAGES)):
            viewer.press(str(number + 1))
        viewer.find('label', re.compile('.'))

    def test_many_threads_and_long_names(self):
        viewer = self.open(self.capture(samples=40_000, threads=400, stacks=500, long_names=True, marks=50, lost=3))
        viewer.find(name=re.compile('main'))
        for number in range(len(PAGES)):
            viewer.press(str(number + 1))
            viewer.picture()

    def test_a_huge_one(self):
        with tempfile.TemporaryDirectory(prefix='capture-huge-') as directory:
            huge = make(pathlib.Path(directory) / 'huge.capture', samples=2_000_000, threads=16, stacks=100_000, functions=5000)
            viewer = self.open(huge)
            viewer.find(name=re.compile('main'))
            for number in range(len(PAGES)):
                viewer.press(str(number + 1))
            viewer.close()

    def test_the_same_file_twice_is_one_window(self):
        path = self.capture()
        first = self.open(path)
        first.find(name=re.compile('main'))
        second = self.start(path)
        second.end(60)
        self.assertEqual(len(first.windows()), 1)
        other = self.start(self.capture('other.capture'))
        other.end(60)
        first.wait(lambda: len(first.windows()) == 2, 'the other file has a window of its own')

    def test_the_size_of_the_window_is_remembered(self):
        viewer = self.open(size=(812, 614))
        viewer.close()
        viewer = self.open(size=None)
        viewer.wait(lambda: viewer.window.frame[2:] == (812, 614), lambda: f'the window is as it was; it is {viewer.window.frame}')

    def test_the_page_is_remembered(self):
        path = self.capture()
        viewer = self.open(path)
        viewer.find(name=re.compile('main'))
        viewer.press('3')
        viewer.find('toggle button', 'Functions', states=['checked'])
        viewer.close()
        viewer = self.open(path)
        viewer.find('toggle button', 'Functions', states=['checked'])
