# SPDX-License-Identifier: GPL-3.0-or-later
"""The flame graph upside down and in the order of time, and what its keys do to the stacks."""
import re

from captures import duration, make, report, share
from support import capturectl
from window import TIMELINE, WindowCase


class ViewCase(WindowCase):
    def expect_box(self, name, description='', states=()):
        """Waits until a box of that name says this of itself; returns it."""
        def has():
            nodes = self.viewer.find_all('tree item', name, states=states)
            return next((node for node in nodes if description in node.description), None)
        return self.viewer.wait(has, lambda: f'“{name}” says “{description}”: '
                                f'{[(node.name, node.description) for node in self.viewer.find_all("tree item")]}')

    def choose_view(self, name):
        self.viewer.find(name=name, states=['focusable']).act()
        self.viewer.rest()  # the boxes of before are still there until those are laid out


class ThreadNames(ViewCase):
    def test_a_thread_that_has_several_names_stays(self):
        """After an exec a thread has another name and is listed again; most samples are of the later one."""
        path = self.directory / 'exec.capture'
        script = ('i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; '
                  'exec /usr/bin/python3 -c "sum(i * i for i in range(20_000_000))"')
        capturectl('record', '-q', '-F', '997', '-o', path, '--', 'sh', '-c', script, timeout=60)
        threads = {row['name']: row for row in report(path, '--by', 'thread')['rows']}
        self.assertGreater(threads['python3']['self'], threads['sh']['self'])
        shown = f'python3 ({threads["python3"]["tid"]})'
        self.viewer = self.open(path)
        self.expect_box('All Samples')
        for view in ('Chronological', 'Top-Down', 'Chronological'):
            self.choose_view(view)
        chooser = self.viewer.find('combo box', 'Thread')
        self.viewer.find('label', shown, within=chooser.children()[0])  # the button, whatever its role


class FlameViews(ViewCase):
    def setUp(self):
        super().setUp()
        self.path = make(self.directory / 'some.capture', samples=8000, threads=4)
        self.viewer = self.open(self.path, size=(1141, 700))
        self.expect_box('All Samples')

    def test_bottom_up_begins_where_samples_were_taken(self):
        said = report(self.path, '--limit', '0')
        most = max(row['self'] for row in said['rows'])
        names = [row['name'] for row in said['rows'] if row['self'] == most]
        self.choose_view('Bottom-Up')
        below = self.viewer.wait(lambda: next((node for node in self.viewer.find_all('tree item') if node.name in names), None),
                                 f'one of {names} is below the root')
        self.assertIn(share(most, said['samples']), below.description)
        self.assertNotIn('self', below.description)
        self.viewer.press('Home', 'Down')
        self.expect_box(below.name, states=['focused'])

    def test_chronological(self):
        self.choose_view('Chronological')
        chart = self.viewer.find('tree', 'Stack chart')
        self.viewer.wait(lambda: self.viewer.find_all('tree item', 'main', within=chart), 'there are stacks')
        self.viewer.click(self.viewer.place_of(chart, 0.02, 0.12))
        box = self.viewer.find('tree item', within=chart, states=['focused'])
        self.assertRegex(box.description, r'\d.* m?s, in ')
        width = self.viewer.extents_of(box)[2]
        self.viewer.press('plus', 'plus')
        self.viewer.wait(lambda: [node for node in self.viewer.find_all('tree item', within=chart) if node.extents[2] > width],
                         'boxes are wider')
        self.viewer.press('BackSpace')
        self.viewer.wait(lambda: self.viewer.find('tree item', within=chart, states=['focused']).extents[2] == width, 'all is shown')
        self.viewer.find('tree item', 'parse', within=chart)
        self.viewer.press('z')
        self.viewer.wait(lambda: all(node.extents[2] <= 1 for node in self.viewer.find_all('tree item', 'parse', within=chart)),
                         'what comes after the box is out of sight')

    def test_chronological_goes_to_matches(self):
        """Near what is shown, and where there is no layout of their time yet."""
        for zoom in ((), ('plus',) * 4):
            with self.subTest(zoom=zoom):
                self.go_to_match(zoom)
                self.viewer.press('0')

    def go_to_match(self, zoom):
        self.choose_view('Chronological')
        chart = self.viewer.find('tree', 'Stack chart')

        def widths(name):
            return [node.extents[2] for node in self.viewer.find_all('tree item', name, within=chart)]

        self.viewer.wait(lambda: widths('main'), 'there are stacks')  # which of its callees is told of is a matter of a pixel
        self.viewer.click(self.viewer.place_of(chart, 0.02, 0.12))
        self.viewer.press('z', *zoom)
        self.viewer.wait(lambda: max(widths('parse'), default=0) <= 1, 'what comes after the box is out of sight')
        self.viewer.rest()
        self.viewer.press('ctrl+f')
        self.viewer.type('parse')
        self.viewer.find(name=re.compile('^[1-9]\\d* functions?, '))
        self.viewer.press('Return')
        self.viewer.wait(lambda: max(widths('parse'), default=0) > 1, 'the match is shown')
        self.viewer.press('Escape')
        self.viewer.find('tree item', 'parse', within=chart, states=['focused'])

    def test_chronological_shows_what_was_selected(self):
        nothing = re.compile('^Select a box')
        self.viewer.press('Home', 'Down')
        self.expect_box('main', states=['focused'])
        self.choose_view('Chronological')
        self.viewer.find('tree item', 'main', within=self.viewer.find('tree', 'Stack chart'))
        self.viewer.find_gone('label', nothing)
        self.choose_view('Top-Down')
        self.viewer.press('Home')
        self.expect_box('All Samples', states=['focused'])
        self.choose_view('Chronological')
        self.viewer.find('label', nothing)

    def expect_zoom(self, possible, show_all='Show All'):
        for name in ('Zoom Out', show_all):
            self.viewer.wait(lambda: ('sensitive' in self.viewer.find('button', name).states) == possible,
                             f'“{name}” is {"" if possible else "not "}possible')

    def test_zoom_out_of_all_is_not_possible(self):
        for view in ('Top-Down', 'Chronological'):
            self.choose_view(view)
            self.expect_zoom(False)
            self.viewer.find('button', 'Zoom In').act()
            self.expect_zoom(True)
            self.viewer.find('button', 'Show All').act()
            self.expect_zoom(False)
        self.viewer.press(TIMELINE)
        self.expect_zoom(False, 'Show Whole Recording')

    def test_nothing_left_says_how_to_go_back(self):
        self.viewer.press('Home', 'Down')
        self.expect_box('main', states=['focused'])
        self.viewer.press('d')
        self.viewer.find('label', 'No Samples')
        self.viewer.find_gone('group', 'Selected function')
        self.viewer.find('button', 'Take Back a Step').act()
        self.expect_box('main')

    def test_drop_and_undo(self):
        said = report(self.path, '--tree', '--limit', '0')
        parse = next(node for node in said['tree']['children'][0]['children'] if node['name'] == 'parse')
        self.viewer.press('Home', 'Down', 'Down')
        self.viewer.rest()
        while not self.viewer.find_all('tree item', 'parse', states=['focused']):
            before = self.viewer.find('tree item', states=['focused'])
            self.viewer.press('Right')
            self.viewer.wait(lambda: self.viewer.find('tree item', states=['focused']) != before, 'the focus moves')
        self.viewer.press('d')
        self.viewer.press('Home')
        self.expect_box('All Samples', duration((said['samples'] - parse['total']) * 1_000_000))
        self.viewer.press('ctrl+z')
        self.expect_box('All Samples', duration(said['samples'] * 1_000_000))

    def test_colours_are_told(self):
        for name in ('Program', 'Library', 'Kernel'):
            self.viewer.find('label', re.compile(name))
        self.assertFalse(self.viewer.find_all('label', 'Made at Run Time'), 'nothing was')


class DeepFlame(WindowCase):
    def test_rows_are_whole_after_scrolling(self):
        viewer = self.open(make(self.directory / 'deep.capture', samples=8000, threads=4, stacks=4000, depth=60))
        viewer.find('tree item', 'All Samples')
        viewer.press('Home', 'End')
        leaf = viewer.wait(lambda: next((node for node in viewer.find_all('tree item', states=['focused']) if node.name != 'All Samples'), None),
                           'another box has the focus')
        viewer.rest()
        _, top, _, page = viewer.extents_of(viewer.find('tree', 'Flame graph'))
        _, y, _, row = viewer.extents_of(leaf)
        self.assertEqual((y - top) % row, 0)
        self.assertLessEqual(y + row, top + page)
