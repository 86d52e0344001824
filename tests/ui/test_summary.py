# SPDX-License-Identifier: GPL-3.0-or-later
"""The summary, with which a capture opens, and the list of pages beside it."""
import json
import pathlib
import re
import tempfile

from window import FLAME, SUMMARY, WindowCase  # first: it says where others lie
from support import capturectl, run

WORK = '''#include <stdlib.h>
static volatile unsigned long counter;
__attribute__((noinline)) void spin(int n)
{
  for (int i = 0; i < n; i++)
    counter++;
}
__attribute__((noinline)) void work(void) { spin(300000000); }
int main(void) { work(); return 3; }
'''
PAGES = ['Summary', 'Flame Graph', 'Call Tree', 'Functions', 'Source', 'Time Line', 'Processes']


class SummaryCase(WindowCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = tempfile.TemporaryDirectory(prefix='capture-work-')
        cls.addClassCleanup(made.cleanup)
        cls.made = pathlib.Path(made.name)
        (cls.made / 'work.c').write_text(WORK)
        run('gcc', '-O1', '-g', '-fno-omit-frame-pointer', '-o', 'work', 'work.c', cwd=cls.made)
        cls.capture = cls.made / 'work.capture'
        capturectl('record', '-q', '-F', '999', '-o', cls.capture, '--', cls.made / 'work', status=None)

    def open_summary(self, **how):
        viewer = self.open(self.capture, page=None, **how)
        viewer.find('button', 'Whole Recording')
        return viewer

    def row(self, viewer, words):
        return viewer.find('list item', re.compile(words))


class SummaryTest(SummaryCase):
    def show(self, viewer, words, button):
        viewer.click(viewer.find('button', button, within=self.row(viewer, words)))

    def test_it_opens_with_what_report_says(self):
        viewer = self.open_summary()
        for finding in json.loads(capturectl('report', '--summary', '--json', self.capture).stdout)['summary']:
            self.row(viewer, '^' + re.escape(finding['sentence']))
        self.row(viewer, r'^The command failed: status 3\.$')

    def test_one_click_to_the_hot_line(self):
        viewer = self.open_summary()
        self.show(viewer, r'in spin \(work\.c:[56]\)', 'Show Source')
        viewer.find('label', 'spin')
        viewer.find('label', str(self.made / 'work.c'))

    def test_one_click_to_the_heaviest_path(self):
        viewer = self.open_summary()
        self.show(viewer, 'Heaviest path: .*main › work › spin', 'Show Path')
        viewer.find('row', re.compile('^spin, '), states=('selected',))

    def test_it_is_copied(self):
        viewer = self.open_summary()
        self.row(viewer, 'The command failed')
        self.assertIn('The command failed: status 3.\n', viewer.copy())


class SidebarTest(SummaryCase):
    def pages(self, viewer):
        return [item.name for item in viewer.find_all('list item') if item.name in PAGES]

    def test_beside_the_page(self):
        viewer = self.open_summary()
        self.assertEqual(self.pages(viewer), PAGES)
        viewer.find('list item', 'Summary', states=('selected',))
        viewer.press(FLAME)
        viewer.find('list item', 'Flame Graph', states=('selected',))
        viewer.click(viewer.find('list item', 'Call Tree'))
        viewer.find('row', re.compile('^All Samples, '))
        viewer.press('alt+0')
        viewer.find_gone('list item', states=('selected',))

    def test_over_the_page(self):
        viewer = self.open_summary(size=(700, 600))
        viewer.wait(lambda: not self.pages(viewer), 'the list of pages is not in sight')
        viewer.click(viewer.find('button', 'Pages'))
        viewer.click(viewer.find('list item', 'Flame Graph'))
        viewer.wait(lambda: not self.pages(viewer), 'the list of pages has gone')
        viewer.find(None, 'Top-Down')
        viewer.press('F9')
        viewer.find('list item', 'Flame Graph', states=('selected',))
        viewer.press('Escape')
        viewer.wait(lambda: not self.pages(viewer), 'the list of pages has gone again')

    def test_in_place_of_the_page(self):
        viewer = self.open_summary(size=(560, 500))
        self.row(viewer, 'The command failed')
        viewer.click(viewer.find('button', 'Pages'))
        viewer.wait(lambda: self.pages(viewer) == PAGES, 'the list of pages has come')
        viewer.find_gone('list item', re.compile('The command failed'))
        viewer.click(viewer.find('list item', 'Summary'))
        self.row(viewer, 'The command failed')
        viewer.press(SUMMARY)
