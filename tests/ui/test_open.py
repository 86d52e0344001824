# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening: what is there, what is not, what is damaged, what is large."""
import pathlib
import re
import shutil
import tempfile

from captures import make
from window import WindowCase

PAGES = 'Flame Graph', 'Call Tree', 'Functions', 'Time Line', 'Marks', 'Processes', 'Health', 'Details'


class Open(WindowCase):
    def capture(self, name='some.capture', **numbers):
        return make(self.directory / name, **numbers)

    def test_a_file_that_is_none_and_then_one_that_is(self):
        none = self.directory / 'none.capture'
        none.write_bytes(b'This is no capture.\n' * 400)
        viewer = self.open(none)
        viewer.find('label', '“none.capture” Could Not Be Opened')
        shutil.copy(self.capture(), none)
        viewer.find('button', re.compile('Try Again')).act()
        viewer.find_gone('label', '“none.capture” Could Not Be Opened')
        viewer.find('tree item', 'main')

    def test_a_damaged_one(self):
        whole = self.capture(samples=200_000, stacks=2000)
        damaged = self.directory / 'damaged.capture'
        content = bytearray(whole.read_bytes())
        content[len(content) // 2] ^= 0xff
        damaged.write_bytes(content[:len(content) * 3 // 4])
        viewer = self.open(damaged)
        viewer.find('tree item', 'All Samples')
        viewer.find('button', re.compile('Warning|Note'))

    def show_all_pages(self, viewer):
        for number, page in enumerate(PAGES, 1):
            viewer.press(f'alt+{number}')
            viewer.find('tab', page, states=['selected'])
            viewer.rest()

    def test_without_samples(self):
        viewer = self.open(self.capture(samples=0))
        viewer.find('label', 'No Samples')
        viewer.rest()
        self.show_all_pages(viewer)

    def test_many_threads_and_long_names(self):
        viewer = self.open(self.capture(samples=40_000, threads=400, stacks=500, long_names=True, marks=50, lost=3))
        viewer.find('tree item', 'main')
        self.show_all_pages(viewer)

    def test_a_huge_one(self):
        with tempfile.TemporaryDirectory(prefix='capture-huge-') as directory:
            huge = make(pathlib.Path(directory) / 'huge.capture', samples=2_000_000, threads=16, stacks=100_000, functions=5000)
            viewer = self.open(huge)
            viewer.find('tree item', 'main')
            self.show_all_pages(viewer)
            viewer.close()
