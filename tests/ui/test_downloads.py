# SPDX-License-Identifier: GPL-3.0-or-later
"""Debug information from servers, by the buttons of the page Health."""
import pathlib
import re
import shutil
import tempfile

from window import FUNCTIONS, HEALTH, OF_DIALOGS, WindowCase

from captures import functions
from servers import debuginfod, misbehaving
from support import capturectl, run

BUTTON = re.compile('^Download for stripped')  # older GTKs put the label behind it
PROGRAM = '''#include <stdlib.h>

__attribute__((noinline)) static unsigned hidden_work(unsigned n)
{
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++)
    sum = sum * 31 + (i ^ sum >> 7);
  return sum;
}

int main(int argc, char **argv)
{
  unsigned sum = 0;
  for (int i = 0; i < atoi(argv[1]); i++)
    sum += hidden_work(1000000 + sum % 2);
  return sum == 1;
}
'''


class Downloads(WindowCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix='capture-downloads-'))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        (cls.place / 'served').mkdir()
        program = cls.place / 'stripped'
        run('gcc', '-g', '-O2', '-o', program, '-x', 'c', '-', stdin=PROGRAM.encode())
        run('objcopy', '--only-keep-debug', program, cls.place / 'served' / 'stripped.debug')
        run('strip', program)
        cls.build_id = re.search(r'Build ID: (\w+)', run('readelf', '-n', program).stdout)[1]
        cls.capture = cls.place / 'some.capture'
        capturectl('record', '--no-kernel', '-q', '-o', cls.capture, program, '100')

    def open_health(self, servers):
        path = self.home / 'some.capture'
        shutil.copy(self.capture, path)
        viewer = self.open(path, size=(1000, 900), env={'DEBUGINFOD_URLS': servers})
        viewer.may_say = OF_DIALOGS
        viewer.find('button', 'Whole Recording')
        viewer.press(HEALTH)
        return viewer, path

    def say_yes(self, viewer, servers):
        """The person is asked, and learns who would be."""
        viewer.find('label', re.compile(re.escape(servers)))
        viewer.find('label', 'Ask Servers for Debug Information?')
        viewer.find('button', 'Download').act()
        viewer.find_gone('label', 'Ask Servers for Debug Information?')

    def test_names_come(self):
        with debuginfod(self.place / 'served', [self.build_id]) as servers:
            viewer, path = self.open_health(servers)
            button = viewer.find_at_rest('button', BUTTON)
            button.act()
            viewer.find('label', 'Ask Servers for Debug Information?')
            viewer.find('button', 'Cancel').act()
            viewer.find_gone('label', 'Ask Servers for Debug Information?')
            self.assertNotIn('hidden_work', functions(path))
            viewer.find('button', BUTTON).act()
            self.say_yes(viewer, servers)
            viewer.find_gone('button', BUTTON)
            viewer.press(FUNCTIONS)
            viewer.find('row', re.compile('^hidden_work'))
        self.assertIn('hidden_work', functions(path))

    def test_progress_is_shown_and_cancelled_and_yes_is_said_once(self):
        with misbehaving('drip') as (servers, _):
            viewer, _ = self.open_health(servers)
            viewer.find_at_rest('button', BUTTON).act()
            self.say_yes(viewer, servers)
            viewer.find('label', 'Fetching for stripped')
            viewer.find('label', re.compile('of 1.0\xa0MB$'))
            viewer.find('button', 'Cancel').act()
            viewer.find_gone('label', 'Fetching for stripped')
            viewer.find('button', BUTTON, states=('sensitive',)).act()
            viewer.find('label', 'Fetching for stripped')

    def test_what_goes_wrong_is_said(self):
        with misbehaving('another_file') as (servers, _):
            viewer, _ = self.open_health(servers)
            viewer.find_at_rest('button', BUTTON).act()
            self.say_yes(viewer, servers)
            viewer.find('label', 'What the server sent for “stripped” is another file, and was thrown away.')

    def test_no_servers_are_offered_where_none_is_known(self):
        viewer, _ = self.open_health('')
        viewer.find_at_rest('label', 'Functions without Names by Binary')
        viewer.find_gone('button', BUTTON)
