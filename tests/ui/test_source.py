# SPDX-License-Identifier: GPL-3.0-or-later
"""The source of a function: from every page to its hot line, by the pointer and by keys; where its text comes from when it has moved, and
in which editor it opens. Numbers are those of capturectl annotate."""
import atexit
import functools
import json
import os
import pathlib
import re
import shutil
import tempfile

from window import FLAME, FUNCTIONS, OF_DIALOGS, TREE, WindowCase  # first: it says where others lie

from servers import debuginfod, misbehaving, pack
from support import capturectl, run

SPIN = '''static inline __attribute__((always_inline)) void spin(unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    sink = sink * 7 + i;
}
'''
AWAY = 300  # lines between the beginning of the file and what is hot
# split() spins a few turns in one line and many more in another, far from the beginning of its file; so that it has a line of its own in
# a second file, it includes one.
PROGRAM = f'''extern volatile unsigned sink;
volatile unsigned sink;
#include "spin.h"
{'// far away' + chr(10)}''' + '//\n' * AWAY + '''
__attribute__((noinline)) void split(unsigned n)
{
  spin(n);

  spin(20 * n);
  for (unsigned i = 0; i < 4 * n; i++)
#include "step.inc"
}

__attribute__((noinline)) void other(unsigned n)
{
  for (unsigned i = 0; i < 3 * n; i++)
    sink = sink * 3 + i;
}

int main(void)
{
  for (int i = 0; i < 400; i++) {
    split(20000);
    other(20000);
  }
}
'''
STEP = '  sink = sink * 5 + i;\n'
HOT = re.compile(r'^Line (\d+): self ([\d.]+ %), total ([\d.]+ %)')


def share(percent):
    return f'{percent:.1f} %'


@functools.cache
def record():
    """Where the source and the program are, and what was recorded of it."""
    place = pathlib.Path(tempfile.mkdtemp(prefix='capture-source-'))
    atexit.register(shutil.rmtree, place)
    built, capture = place / 'built', place / 'work.capture'
    built.mkdir()
    for name, text in (('work.c', PROGRAM), ('spin.h', SPIN), ('step.inc', STEP)):
        (built / name).write_text(text)
    run('gcc', '-g', '-O2', '-o', built / 'work', built / 'work.c', cwd=built)
    capturectl('record', '-q', '-F', '1999', '-e', 'cpu-clock:u', '-o', capture, '--', built / 'work')
    return built, capture


class SourceCase(WindowCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.built, cls.capture = record()

    def setUp(self):
        super().setUp()
        self.programs = self.directory / 'programs'
        self.programs.mkdir()

    def open_capture(self, size=(1000, 700), **env):
        self.viewer = self.open(self.capture, size=size, env={'PATH': f'{self.programs}:/usr/bin:/bin', **env})
        self.viewer.find('tree item', 'All Samples', states=['focused'])
        self.viewer.rest()

    def annotate(self, function='split', *arguments):
        return json.loads(capturectl('annotate', '--json', *arguments, function, self.capture).stdout)

    def ranked(self, annotated, file='work.c'):
        """(line, self, total) as the page says them, the hottest first."""
        whole = annotated['samples']
        lines = next(each for each in annotated['files'] if each['path'].endswith('/' + file))['lines']
        ordered = sorted(lines, key=lambda line: (-line['self'], -line['total']))
        return [(str(line['line']), share(100 * line['self'] / whole), share(100 * line['total'] / whole)) for line in ordered
                if line['total'] > 0]

    def box(self, name):
        """A box of the flame graph, selected: keys walk down until it is seen, and stands still."""
        self.viewer.press('Home')
        here = 'All Samples'
        self.viewer.find('tree item', here, states=['focused'])
        while not self.viewer.find_all('tree item', name):
            self.viewer.press('Down')
            here = self.viewer.wait(lambda: next((item.name for item in self.viewer.find_all('tree item', states=['focused'])
                                                  if item.name != here), None), lambda: f'a key leads on from “{here}”')
        self.viewer.rest()
        self.viewer.click(self.viewer.find('tree item', name))
        return self.viewer.find('tree item', name, states=['focused'])

    def expect_line(self, line, own, total):
        def says():
            label = self.viewer.find_all('label', HOT)
            return label and HOT.match(label[0].text).groups() == (line, own, total)
        self.viewer.wait(says, lambda: f'the bar says {line}, {own}, {total} in\n{self.viewer.outline()}')

    def expect_function(self, name, file):
        self.viewer.find('label', name)
        self.viewer.find('label', re.compile(f'/{file}$'))

    def open_source(self, name='split', **how):
        self.open_capture(**how)
        self.viewer.click(self.box(name), times=2)
        self.viewer.find('text box', 'Source')
        self.viewer.rest()

    def hot_pixels(self):
        """How many pixels beside the text are as hot as can be."""
        picture = self.viewer.picture()
        x, y, _, height = (int(number) for number in self.viewer.extents_of(self.viewer.find('text box', 'Source')))
        pixels = [picture.rgba[4 * (row * picture.width + column):][:3] for row in range(y, y + height) for column in range(x + 1, x + 6)]
        return sum(red > 200 and 120 < green < 200 and blue < 140 for red, green, blue in pixels)


class SourceTest(SourceCase):
    def test_a_double_click_in_the_flame_graph_leads_to_the_hot_line(self):
        hottest = self.ranked(self.annotate())[0]
        self.assertGreater(int(hottest[0]), AWAY)
        self.open_source()
        self.expect_function('split', 'work.c')
        self.expect_line(*hottest)
        self.assertGreater(self.hot_pixels(), 20, 'the hot line is not in sight')
        rows = [self.viewer.look().texts(self.viewer.look().find_all('grid cell', within=row))
                for row in self.viewer.find_all('row', within=self.viewer.find('tree grid', 'Hottest lines')) if
                self.viewer.find_all('grid cell', within=row)]
        self.assertEqual([(line, own, total) for own, total, line, _code in rows], self.ranked(self.annotate()))
        self.assertIn('spin(20 * n);', [code for *_, code in rows])
        self.assertTrue(self.viewer.find('text box', 'Source').description.startswith(
            f'Line {hottest[0]}: self {hottest[1]}, total {hottest[2]}; inlined there: spin'), 'a screen reader hears what the line costs')

    def test_by_keys_from_line_to_line_and_into_what_was_inlined(self):
        ranked = self.ranked(self.annotate())
        self.open_capture()
        self.box('split')
        self.viewer.press('Return')
        self.expect_line(*ranked[0])
        self.viewer.press('n')
        self.expect_line(*ranked[1])
        self.viewer.press('p')
        self.expect_line(*ranked[0])
        self.viewer.find('button', re.compile('^spin, '))
        self.viewer.press('Return')
        self.expect_function('spin', 'spin.h')
        self.expect_line(*self.ranked(self.annotate('spin'), 'spin.h')[0])
        self.viewer.press('Escape')
        self.expect_function('split', 'work.c')
        self.viewer.press('Escape')
        self.viewer.find('tree item', states=['focused'])

    def test_its_other_file_is_chosen(self):
        step = self.ranked(self.annotate(), 'step.inc')[0]
        self.open_source()
        self.viewer.click(self.viewer.find('combo box', 'File of This Function'))
        self.viewer.find('list item', states=('focused',))
        self.viewer.press('Down', 'Return')
        self.viewer.find('label', re.compile('/step.inc$'))
        self.expect_line(*step)

    def test_from_the_call_tree_the_functions_and_menus(self):
        self.open_capture()
        for page, open_it in ((TREE, lambda row: self.viewer.click(row, times=2)),
                              (FUNCTIONS, lambda row: (self.viewer.click(row), self.viewer.press('Return'))),
                              (FUNCTIONS, self.choose_in_menu)):
            with self.subTest(page):
                self.viewer.press(page)
                open_it(self.viewer.find_at_rest('row', re.compile('^other, ')))
                self.expect_function('other', 'work.c')
                self.viewer.press('Escape')
                self.viewer.find('row', re.compile('^other, '))

    def choose_in_menu(self, row):
        self.viewer.click(row, button='right')
        self.viewer.find_menu_item('Sho_w Source').act()

    def test_steps_hold(self):
        """Samples of a function that was dropped are no part of the whole."""
        self.open_capture()
        self.box('other')
        self.viewer.press('d')
        self.viewer.find('button', 'Drop: other')
        self.viewer.click(self.box('split'), times=2)
        self.expect_line(*self.ranked(self.annotate('split', '--transform=drop-function:other'))[0])
        self.viewer.press('ctrl+z')
        self.expect_line(*self.ranked(self.annotate())[0])

    def test_zoom_has_control_and_a_key(self):
        self.open_capture()
        width = self.viewer.extents_of(self.box('other'))[2]
        for how in (lambda box: self.viewer.click(box, times=2, modifiers=['ctrl']), lambda box: self.viewer.press('z')):
            how(self.viewer.find('tree item', 'other'))
            self.viewer.wait(lambda: self.viewer.find('tree item', 'other').extents[2] > 2 * width, 'it is zoomed')
            self.viewer.press('BackSpace')
            self.viewer.wait(lambda: self.viewer.find('tree item', 'other').extents[2] < 2 * width, 'it is as it was')

    def test_search_in_the_text(self):
        self.open_source()
        self.viewer.press('ctrl+f')
        self.viewer.type('spin(')
        self.viewer.find(name='2 matches')

    def test_it_stands_below_in_a_narrow_window(self):
        self.open_source(size=(1000, 940))
        text, lines = (self.viewer.extents_of(self.viewer.find(*what)) for what in (('text box', 'Source'), ('tree grid', 'Hottest lines')))
        self.assertGreaterEqual(lines[0], text[0] + text[2])
        self.viewer.resize(640, 940)

        def is_below():
            text, lines = (self.viewer.find(*what).extents for what in (('text box', 'Source'), ('tree grid', 'Hottest lines')))
            return lines[1] >= text[1] + text[3]
        self.viewer.wait(is_below, 'the lines are below the text')

    def test_it_is_dark_where_the_desktop_is(self):
        self.open_source(ADW_DEBUG_COLOR_SCHEME='prefer-dark')
        picture = self.viewer.picture()
        x, y, width, height = (int(number) for number in self.viewer.extents_of(self.viewer.find('text box', 'Source')))
        pixel = picture.rgba[4 * ((y + height - 20) * picture.width + x + width - 40):][:3]
        self.assertLess(max(pixel), 80)


class CodeTest(SourceCase):
    """Its instructions: those that capturectl shows, with the same numbers."""

    def open_code(self, function='split'):
        self.open_source(function, size=(1200, 940))
        self.viewer.click(self.viewer.find('tab', 'Machine Code'))
        self.viewer.find('grid cell', re.compile('^(ret|jmp|call|jne)'))
        self.viewer.rest()
        said = self.annotate(function, '--code', '--all')
        return said['samples'], [each for part in said['code']['parts'] for each in part['instructions']]

    def rows(self):
        """{address: (row, its cells but for the drawn one)} of what is in sight."""
        look = self.viewer.look()
        rows = [(row, look.texts(look.find_all('grid cell', within=row)))
                for row in look.find_all('row', within=look.find('tree grid', 'Machine code'))]
        return {cells[2]: (row, cells[:3] + cells[4:]) for row, cells in rows if len(cells) == 5 and cells[2]}

    def test_numbers_are_those_of_annotate(self):
        whole, instructions = self.open_code()
        seen = self.rows()
        self.assertGreater(len(seen), 5)
        for each in instructions:
            address = each['address'][2:]
            if address in seen:
                with self.subTest(address):
                    text = each['text'] + (f' <{each["target"]}>' if each['target'] else '')
                    costs = [share(100 * each[cost] / whole) if each[cost] else '' for cost in ('self', 'total')]
                    cells = [cell.replace('<0.1 %', '0.1 %') for cell in seen[address][1]]
                    self.assertEqual(cells, [*('0.1 %' if cost == '0.0 %' else cost for cost in costs), address, text])

    def test_a_click_selects_instruction_and_line(self):
        _whole, instructions = self.open_code('other')
        lines = {line[0]: line for line in self.ranked(self.annotate('other'))}
        self.assertGreater(len(lines), 1)
        for line in lines:
            with self.subTest(line):
                seen = self.rows()
                self.viewer.click(next(seen[each['address'][2:]][0] for each in instructions
                                       if str(each['line']) == line and each['address'][2:] in seen))
                self.expect_line(*lines[line])

    def test_sorted_by_cost_the_hottest_is_first(self):
        _whole, instructions = self.open_code()
        hottest = max(instructions, key=lambda each: each['self'])['address'][2:]
        title = self.viewer.find('label', 'Self', within=self.viewer.find('tree grid', 'Machine code'))
        self.viewer.click(title)
        self.viewer.rest()
        self.viewer.click(title)
        self.viewer.wait(lambda: next(iter(self.rows())) == hottest, lambda: f'{hottest} is first of {list(self.rows())}')

    def test_a_call_leads_to_what_is_called(self):
        self.open_code('main')
        row = next(row for row, cells in self.rows().values() if cells[3].endswith('<other>'))
        self.viewer.click(row)
        self.viewer.press('Return')
        self.expect_function('other', 'work.c')


class EditorTest(SourceCase):
    def install(self, name):
        program = self.programs / name
        program.write_text(f'#!/bin/sh\nprintf "%s\\n" "{name}" "$@" > "{self.directory}/{name}.part"\n'
                           f'mv "{self.directory}/{name}.part" "{self.directory}/{name}.said"\n')
        program.chmod(0o755)

    def expect_started(self, name, *arguments):
        said = self.directory / f'{name}.said'
        self.viewer.wait(said.exists, f'{name} was started')
        self.assertEqual(said.read_text().splitlines(), [name, *arguments])
        said.unlink()

    def test_the_editor_opens_at_the_line(self):
        line = self.ranked(self.annotate())[0][0]
        for name in 'code', 'kate':
            self.install(name)
        self.open_source()
        self.viewer.press('e')
        self.expect_started('code', '-g', f'{self.built}/work.c:{line}')
        self.viewer.click(self.viewer.find(None, 'Other Editors', states=['focusable']))
        self.viewer.wait(lambda: len(self.viewer.find_all('menu item')) > 1, 'there are others')
        self.viewer.find_all('menu item')[1].act()  # by its place: with GTK 4.18 items have no names
        self.expect_started('kate', '-l', line, f'{self.built}/work.c')
        self.viewer.find('button', 'Open in Kate').act()
        self.expect_started('kate', '-l', line, f'{self.built}/work.c')


class MovedCase(SourceCase):
    def setUp(self):
        super().setUp()
        self.moved = self.directory / 'moved' / 'built'
        self.moved.mkdir(parents=True)

    def move(self):
        for name in 'work.c', 'spin.h', 'step.inc':
            os.rename(self.built / name, self.moved / name)
            self.addCleanup(shutil.copy, self.moved / name, self.built / name)

    def open_moved(self, said='', **how):
        self.move()
        self.open_capture(**how)
        self.viewer.click(self.box('split'), times=2)
        missing = f'“{self.built}/work.c” is not on this computer. Choose the folder that has its source now.'
        self.viewer.find('label', missing + said)


class MovedTest(MovedCase):
    def test_lines_are_listed_without_their_text(self):
        ranked = self.ranked(self.annotate())
        self.open_moved()
        for cell in ranked[0]:
            self.viewer.find('grid cell', cell)
        self.viewer.find_gone('text box', 'Source')

    def test_the_folder_is_said_once(self):
        self.open_moved()
        self.viewer.click(self.viewer.find(None, 'Other Editors', states=['focusable']))
        self.viewer.find_menu_item('Source _Folders…').act()
        for title, text in (('Folder Where It Was Built', self.built), ('Folder Where It Is Now', self.moved)):
            self.viewer.click(self.viewer.find_at_rest(name=title))
            self.viewer.type(str(text))
        self.viewer.press('Return')
        self.viewer.find('label', str(self.moved))
        self.viewer.press('Escape')
        self.viewer.find('text box', 'Source')
        self.viewer.find('label', f'{self.moved}/work.c')
        self.expect_line(*self.ranked(self.annotate())[0])
        self.viewer.close()
        self.viewer.said.write_text('')
        self.open_source()
        self.viewer.find('label', f'{self.moved}/work.c')

    def test_a_changed_file_is_said(self):
        path = self.built / 'work.c'
        self.addCleanup(os.utime, path, (path.stat().st_atime, path.stat().st_mtime))
        os.utime(path, (2**31, 2**31))
        self.open_source()
        self.viewer.find('label', 'The file was changed after the program was built: its lines may be other ones.')

    def test_a_shorter_file_is_said(self):
        path = self.built / 'work.c'
        whole = path.read_text()
        self.addCleanup(path.write_text, whole)
        path.write_text('int main(void)\n')
        self.open_source()
        self.viewer.find('label', re.compile('^This is another version: it has 1 line, and line [0-9]+ was sampled.$'))


class ChosenTest(MovedCase):
    finds_leaks = False

    def test_the_folder_is_chosen_in_the_dialog(self):
        """The desktop's own, which never says that it is the active window. Typing a slash in it asks for a path."""
        self.open_moved()
        before = len(self.viewer.windows())
        self.viewer.click(self.viewer.find('button', 'Choose Folder…'))
        self.viewer.wait(lambda: len(self.viewer.windows()) > before, 'there is a dialog for the folder')
        self.viewer.screen.focus(self.viewer.window)
        for key in (*str(self.moved), 'Return'):
            self.viewer.screen.press(key)
        self.viewer.wait(lambda: len(self.viewer.windows()) == before, 'the dialog is closed')
        self.viewer.find('text box', 'Source')
        self.viewer.find('label', f'{self.moved}/work.c')
        self.expect_line(*self.ranked(self.annotate())[0])


class FetchedTest(MovedCase):
    """What is not on this computer any more servers may have."""

    ASKING = '\nServers are being asked for it…'

    def allow(self, servers):
        """As somebody who said yes before."""
        settings = self.home / 'config/capture/debug-servers'
        settings.parent.mkdir(parents=True)
        settings.write_text(f'[debug-servers]\nallowed={servers};\n')

    def ask(self, answer):
        self.viewer.may_say = OF_DIALOGS
        self.viewer.click(self.viewer.find('button', 'Ask Servers…'))
        self.viewer.find('label', 'Ask Servers for Debug Information?')
        self.viewer.find('button', answer).act()
        self.viewer.find_gone('label', 'Ask Servers for Debug Information?')

    def is_fetching(self):
        children = ' '.join(path.read_text() for path in pathlib.Path('/proc', str(self.viewer.pid), 'task').glob('*/children')).split()
        return any('symbol-fetcher' in pathlib.Path('/proc', child, 'cmdline').read_text() for child in children)

    def test_the_text_comes_from_a_server(self):
        build_id = re.search(r'Build ID: (\w+)', run('readelf', '-n', self.built / 'work').stdout)[1]
        work, served = self.built / 'work.c', self.directory / 'served'
        served.mkdir()
        pack(served / 'work.tar', self.built / 'work', work)
        self.install_editor()
        hottest = self.ranked(self.annotate())[0]
        with debuginfod(served, [], [(build_id, work)]) as servers:
            self.open_moved(DEBUGINFOD_URLS=servers)
            self.ask('Cancel')
            self.viewer.find_gone('text box', 'Source')
            self.ask('Download')
            self.viewer.find('text box', 'Source')
            self.viewer.find('label', 'A server had this text; nothing tells whether the program was built from it.')
            self.expect_line(*hottest)
            self.viewer.wait(lambda: self.hot_pixels() > 20, 'the hot line is in sight')
            self.expect_function('split', 'work.c')
            self.viewer.find_gone('button', 'Open in VS Code', states=['sensitive'])
            self.viewer.find_gone('button', 'Ask Servers…')

    def install_editor(self):
        program = self.programs / 'code'
        program.write_text('#!/bin/sh\n')
        program.chmod(0o755)

    def test_asking_ends_with_the_page(self):
        with misbehaving('slow') as (servers, server):
            self.allow(servers)
            self.open_moved(self.ASKING, DEBUGINFOD_URLS=servers)
            self.viewer.wait(lambda: server.asked == 1 and self.is_fetching(), 'the server is asked')
            self.viewer.press(FLAME)
            self.viewer.wait(lambda: not self.is_fetching(), 'nobody is asked any more')
            self.viewer.click(self.box('split'), times=2)
            self.viewer.wait(lambda: server.asked == 2, 'the server is asked again')

    def test_what_no_server_has_is_asked_for_once(self):
        with misbehaving('missing') as (servers, server):
            self.allow(servers)
            self.open_moved('\nNo server gave the file “work.c”.', DEBUGINFOD_URLS=servers)
            asked = server.asked
            self.viewer.press(FLAME)
            self.viewer.click(self.box('split'), times=2)
            self.viewer.find('label', re.compile('No server gave the file “work.c”.$'))
            self.viewer.rest()
            self.assertEqual(server.asked, asked)

    def test_nobody_is_asked_without_a_yes(self):
        with misbehaving('missing') as (servers, server):
            self.open_moved(DEBUGINFOD_URLS=servers)
            self.ask('Cancel')
            self.viewer.rest()
            self.assertEqual(server.asked, 0)


if __name__ == '__main__':
    import unittest
    unittest.main()
