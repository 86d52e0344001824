# SPDX-License-Identifier: GPL-3.0-or-later
"""What one sees as a file, by the real dialogs: each format holds what capturectl exports or reports of the same filter; and nothing
is left of a file that was given up or could not be written."""
import collections
import fcntl
import gzip
import os
import pathlib
import re
import signal
import struct
import xml.etree.ElementTree as ElementTree

from window import FLAME, FUNCTIONS, HEALTH, MARKS, PROCESSES, TIMELINE, TREE, VIEWER, WindowCase

from captures import make, report
from support import OWN_MOUNTS, capturectl, environment, run, unmount

SVG = '{http://www.w3.org/2000/svg}'
FOCUS = '--transform', 'focus-function:parse'
FIRST_HALF = '--time', '0,4'


def samples_by_name(path):
    """In each function itself, by its name: whose it is, Sysprof says in its own way."""
    counts = collections.Counter()
    for row in report(path)['rows']:
        counts[row['name']] += row['self']
    return counts


class ExportCase(WindowCase):
    numbers = {}
    finds_leaks = False

    def setUp(self):
        super().setUp()
        self.path = make(self.directory / 'some.capture', **self.numbers)
        self.out = self.directory / 'out'
        self.out.mkdir()
        self.viewer = self.open_capture()
        self.addCleanup(self.close_dialogs)

    def open_capture(self):
        viewer = self.open(self.path)
        viewer.find('button', 'Whole Recording')
        return viewer

    def show(self, key):
        self.viewer.press(key)
        self.viewer.rest()

    def choose(self, title):
        """Opens the dialog and goes on from a format to the question where to."""
        self.viewer.press('ctrl+e')
        dialog = self.viewer.find(None, 'Export', states=('modal',))
        self.viewer.click(self.viewer.find('label', title, within=dialog))
        self.ask_where()

    def ask_where(self):
        self.before = len(self.viewer.windows())
        # A failure that is said moves the button.
        self.viewer.click(self.viewer.find_at_rest('label', 'Export…'))
        self.viewer.wait(lambda: len(self.viewer.windows()) > self.before, 'there is a dialog for the file')
        self.viewer.find('text box', 'Name:', states=('focused',))

    def press(self, *keys):
        """In a dialog, which never says that it is the active window."""
        self.viewer.screen.focus(self.viewer.window)
        for key in keys:
            self.viewer.screen.press(key)

    def answer(self, path):
        self.press('ctrl+a', *str(path), 'Return')

    def close_dialogs(self):
        while self.viewer.process.poll() is None and len(self.viewer.windows()) > 1:
            before = len(self.viewer.windows())
            self.press('Escape')
            self.viewer.wait(lambda: len(self.viewer.windows()) < before, 'a dialog is closed')

    def export(self, title, name):
        """The file that came of it."""
        path = self.out / name
        self.choose(title)
        self.answer(path)
        self.expect_done(path)
        return path

    def expect_done(self, path):
        """The window says so only for a few seconds, in which not every test looks."""
        self.viewer.wait(lambda: path.exists() and len(self.viewer.windows()) == 1, lambda: f'{path.name} is there and the dialogs are closed')

    def exported(self, form, *arguments):
        """What capturectl exports, as bytes."""
        return capturectl('export', '--format', form, *arguments, self.path, binary=True).stdout

    def focus_on_parse(self):
        self.show(FUNCTIONS)
        self.viewer.click(self.viewer.find_at_rest('row', re.compile('^parse, ')))
        self.viewer.find('row', re.compile('^parse, '), states=['selected'])
        self.viewer.press('f')
        self.viewer.find('button', 'Focus: parse')
        self.viewer.rest()

    def select_first_half(self):
        overview = self.viewer.find('slider', 'Selected Span of Time')
        self.viewer.click(overview)
        self.viewer.find('slider', 'Selected Span of Time', states=['focused'])
        self.viewer.press('Right', *['shift+Right'] * 40)
        self.viewer.wait(lambda: overview.description.startswith('0.00 s – 4.00 s'), lambda: f'half is selected; it is {overview.description}')
        # Exported is what one sees, and that follows a little later.
        self.viewer.rest()


class Formats(ExportCase):
    numbers = {'marks': 200}

    def test_a_flame_graph(self):
        self.focus_on_parse()
        exported = self.export('Flame Graph', 'some.svg').read_bytes()
        self.assertEqual(exported, self.exported('svg', *FOCUS))
        root = ElementTree.fromstring(exported)
        frames = root.find(f"{SVG}g[@id='frames']")
        names = {frame.find(SVG + 'title').text.split('\n')[0]: int(frame.get('data-n')) for frame in frames}
        said = report(self.path, *FOCUS)
        self.assertEqual(names['parse'], said['samples'])
        self.assertNotIn('optimise', names)

    def test_folded_stacks(self):
        self.select_first_half()
        self.assertEqual(self.export('Folded Stacks', 'some.folded').read_bytes(), self.exported('folded', *FIRST_HALF))

    def test_pprof(self):
        self.focus_on_parse()
        path = self.export('pprof', 'some.pb.gz')
        self.assertEqual(gzip.decompress(path.read_bytes()), gzip.decompress(self.exported('pprof', *FOCUS)))
        read = run('go', 'tool', 'pprof', '-symbolize=none', '-top', path, env=environment(HOME=str(self.home))).stdout
        self.assertIn(f'Total samples = {report(self.path, *FOCUS)["samples"]}', read)

    def test_sysprof(self):
        path = self.export('Sysprof', 'some.syscap')
        self.assertEqual(path.read_bytes(), self.exported('syscap'))
        back = self.directory / 'back.capture'
        capturectl('import', path, '-o', back)
        self.assertEqual(samples_by_name(back), samples_by_name(self.path))

    def test_a_picture(self):
        self.show(HEALTH)
        page = self.viewer.find('label', 'Some Stacks May Be Incomplete')
        data = self.export('Picture of This Page', 'some.png').read_bytes()
        self.assertEqual(data[:8], b'\x89PNG\r\n\x1a\n')
        width, height = struct.unpack('>II', data[16:24])
        self.assertEqual(width, 1000 - self.viewer.find('list item', 'Summary').parent().extents[2] - 1)  # all but the list of pages
        self.assertGreater(height, page.extents[3])
        self.assertLess(height, 700)

    def expect_text(self, name, *arguments):
        self.assertEqual(self.export('Text', name).read_text(), capturectl('report', *arguments, self.path).stdout)

    def test_text_is_what_the_page_shows(self):
        for key, name, *arguments in ((FLAME, 'flame', '--tree'), (TREE, 'tree', '--tree'), (FUNCTIONS, 'functions'),
                                      (TIMELINE, 'time', '--by', 'thread'), (MARKS, 'marks', '--by', 'mark'),
                                      (PROCESSES, 'processes', '--by', 'process'), (HEALTH, 'health', '--tree')):
            with self.subTest(name):
                self.show(key)
                self.expect_text(name, *arguments)

    def test_text_is_of_what_was_chosen(self):
        self.focus_on_parse()
        self.select_first_half()
        self.show(FUNCTIONS)
        self.expect_text('functions', *FOCUS, *FIRST_HALF)
        self.show(TREE)
        self.expect_text('tree', '--tree', *FOCUS, *FIRST_HALF)

    def test_text_has_the_direction_of_the_page(self):
        for key in TREE, FLAME:
            with self.subTest(key):
                self.show(key)
                self.viewer.find(None, 'Bottom-Up').act()
                self.viewer.rest()
                self.expect_text(f'{key} bottom-up', '--bottom-up')
                self.viewer.find(None, 'Top-Down').act()
                self.viewer.rest()
                self.expect_text(f'{key} top-down', '--tree')


class GivenUp(ExportCase):
    def expect_nothing(self):
        self.assertEqual(list(self.out.iterdir()), [])

    def expect_closed(self):
        self.viewer.wait(lambda: len(self.viewer.windows()) == 1, 'the dialogs are closed')
        self.assertEqual(self.viewer.find_all('label', 'Exported'), [])

    def test_before_a_format_is_chosen(self):
        self.viewer.press('ctrl+e')
        self.viewer.find(None, 'Export', states=('modal',))
        self.press('Escape')
        self.expect_closed()

    def test_before_a_name_is_given(self):
        self.choose('Text')
        self.press(*str(self.out / 'some.txt'), 'Escape')
        self.viewer.wait(lambda: len(self.viewer.windows()) == 2, 'the format can be chosen again')
        self.press('Escape')
        self.expect_closed()
        self.expect_nothing()

    def hold_up(self, path):
        """Whoever opens the file to write it waits until end() is called; says whether somebody does."""
        waits = []
        before = signal.signal(signal.SIGIO, lambda *_: waits.append(True))
        self.addCleanup(signal.signal, signal.SIGIO, before)
        descriptor = os.open(path, os.O_RDONLY)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)

        def end():
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            os.close(descriptor)
        return waits, end

    def begin_over(self, path):
        """Begins to write over a file, which is then held up."""
        path.write_text('before')
        waits, end = self.hold_up(path)
        self.choose('Text')
        self.answer(path)
        self.viewer.find('button', 'Replace').act()
        self.viewer.wait(lambda: waits, 'it is being written')
        return end

    def test_while_it_is_written(self):
        path = self.out / 'some.txt'
        end = self.begin_over(path)
        self.viewer.find('progress bar', 'Exporting')
        self.press('Escape')
        self.expect_closed()
        end()
        self.viewer.rest()
        self.viewer.close()
        self.assertEqual(path.read_text(), 'before')
        self.assertEqual(list(self.out.iterdir()), [path])

    def test_it_goes_on_when_nobody_gives_it_up(self):
        path = self.out / 'some.txt'
        end = self.begin_over(path)
        self.viewer.find('progress bar', 'Exporting')
        end()
        self.viewer.find('label', 'Exported')
        self.expect_done(path)
        self.assertEqual(path.read_text(), capturectl('report', '--tree', self.path).stdout)

    def test_whoever_quits_gives_it_up(self):
        path = self.out / 'some.txt'
        end = self.begin_over(path)
        self.press('Escape')
        self.expect_closed()
        self.viewer.press('ctrl+q')
        self.viewer.wait(lambda: not self.viewer.windows(), 'its windows are closed')
        self.assertIsNone(self.viewer.process.poll())
        end()
        self.viewer.end(90)
        self.assertEqual(path.read_text(), 'before')
        self.assertEqual(list(self.out.iterdir()), [path])


class NotWritable(ExportCase):
    """Where nothing may be written, and where something may but does not fit; as nobody in particular, without root's rights."""

    def open_capture(self):
        self.full = self.directory / 'full'
        self.full.mkdir()
        self.addCleanup(unmount, self.full)
        words = ['sh', '-c', 'mount -t tmpfs -o size=64k none "$0" && exec "$@"', self.full, 'setpriv', '--bounding-set=-all',
                 '--inh-caps=-all', '--', VIEWER, self.path]
        viewer = self.start(*OWN_MOUNTS[1:], *words, program=OWN_MOUNTS[0])
        viewer.resize(1000, 700)
        viewer.find('button', 'Whole Recording')
        return viewer

    def expect_failure(self, path, pattern):
        self.answer(path)
        found = self.viewer.find('label', re.compile(pattern))
        self.viewer.wait(lambda: len(self.viewer.windows()) == self.before, 'the dialog for the file is closed')
        return found

    def seen(self, directory):
        """What the viewer sees in a directory, which may be mounted for it alone."""
        return os.listdir(f'/proc/{self.viewer.pid}/root{directory}')

    def test_a_directory_that_may_not_be_written(self):
        forbidden = self.directory / 'forbidden'
        forbidden.mkdir()
        forbidden.chmod(0o555)
        self.choose('Text')
        self.expect_failure(forbidden / 'some.txt', r'^“some\.txt” could not be written: you may not write there; choose another folder\.$')
        self.assertEqual(os.listdir(forbidden), [])
        # Where one may, it goes on from there.
        self.ask_where()
        self.answer(self.out / 'some.txt')
        self.expect_done(self.out / 'some.txt')
        self.assertEqual(os.listdir(self.out), ['some.txt'])

    def test_a_full_disk(self):
        self.choose('Sysprof')
        self.expect_failure(self.full / 'some.syscap', r'^“some\.syscap” could not be written: no space is left; make room')
        self.assertEqual(self.seen(self.full), [])

    def test_a_full_disk_keeps_what_was_there(self):
        there = pathlib.Path(f'/proc/{self.viewer.pid}/root{self.full}') / 'some.syscap'
        there.write_text('before')
        self.choose('Sysprof')
        self.answer(self.full / 'some.syscap')
        self.viewer.find('button', 'Replace').act()
        self.viewer.find('label', re.compile(r'^“some\.syscap” could not be written: no space is left'))
        self.assertEqual((there.read_text(), self.seen(self.full)), ('before', ['some.syscap']))

    def test_something_that_is_no_file(self):
        self.choose('Text')
        self.answer('/dev/full')
        self.viewer.find('button', 'Replace').act()
        self.viewer.find('label', '“full” could not be written: there is something of that name that is no file; choose another name.')
