# SPDX-License-Identifier: GPL-3.0-or-later
"""Opening: what is there, what is not, what is damaged, what is large."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from captures import BUILD, make, run
from window import DETAILS, FLAME, FUNCTIONS, HEALTH, WindowCase

PROXY = pathlib.Path(__file__).resolve().parent.parent / 'integration' / 'unwind' / 'elf_reader_proxy.py'

PROGRAM = '''
static inline unsigned mix(unsigned x)
{
  for (int i = 0; i < 24; i++)
    x = x * 31 + (x >> 7);
  return x;
}

__attribute__((noinline)) static unsigned work(unsigned x)
{
  return mix(x) + mix(x + 1);
}

int main(void)
{
  volatile unsigned sum = 0;
  for (unsigned i = 0; i < 100000000; i++)
    sum += work(i);
}
'''

# Beside each other; the last is listed where there are marks.
PAGES = 'Summary', 'Flame Graph', 'Call Tree', 'Functions', 'Source', 'Time Line', 'Processes', 'Marks'


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
        viewer.press(FLAME)
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
            if viewer.find_all('list item', page):
                viewer.press(f'alt+{number}')
                viewer.find('list item', page, states=['selected'])
                viewer.rest()
        for page in (HEALTH, DETAILS):
            viewer.press(page)
            viewer.find_gone('list item', states=['selected'])
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

    def record_and_kill(self, word):
        """A capture without names of a program with DWARF, the file of which ends in a word."""
        (self.directory / 'program.c').write_text(PROGRAM)
        program, path = self.directory / 'program', self.directory / 'killed.capture'
        run('gcc', '-g', '-O2', '-o', program, self.directory / 'program.c')
        program.write_bytes(program.read_bytes() + word)
        recording = subprocess.Popen([BUILD / 'capturectl' / 'capturectl', 'record', '-q', '-F', '1999', '-o', path, '--', program])
        while not path.exists() or path.stat().st_size < 8000:
            time.sleep(0.1)
        recording.kill()
        recording.wait()
        return path

    def test_lines_come_after_names(self):
        viewer = self.open(self.record_and_kill(b''))
        viewer.press(FUNCTIONS)
        viewer.find('row', re.compile('^work, '))
        viewer.find('row', re.compile('^mix, '))
        viewer.find_gone('label', re.compile('Looking for lines|Naming'))

    def test_looking_for_lines_is_stopped(self):
        path = self.record_and_kill(b'HANGS!!!')
        proxy = self.directory / 'proxy'
        proxy.mkdir()
        shutil.copy(PROXY, proxy / 'elf-reader')
        (proxy / 'elf-reader').chmod(0o755)
        (proxy / 'real').symlink_to(BUILD / 'helpers' / 'elf-reader' / 'capture-elf-reader')
        viewer = self.open(path, env={'CAPTURE_ELF_READER': str(proxy / 'elf-reader')})
        viewer.press(FUNCTIONS)
        viewer.find('row', re.compile('^work, '))
        viewer.find('label', 'Looking for lines of program')
        viewer.find('button', 'Stop').act()
        viewer.find_gone('label', 'Looking for lines of program')
        viewer.find('row', re.compile('^work, '))
        self.assertEqual(viewer.find_all('row', re.compile('^mix, ')), [])

    def test_a_huge_one(self):
        with tempfile.TemporaryDirectory(prefix='capture-huge-') as directory:
            huge = make(pathlib.Path(directory) / 'huge.capture', samples=2_000_000, threads=16, stacks=100_000, functions=5000)
            viewer = self.open(huge)
            viewer.find('tree item', 'main')
            self.show_all_pages(viewer)
            viewer.close()
