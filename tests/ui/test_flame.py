# SPDX-License-Identifier: GPL-3.0-or-later
"""The flame graph, by its keys, by the pointer, and as a screen reader walks it; its numbers are those of capturectl."""
import re

from captures import make, report, share
from window import WindowCase


class Flame(WindowCase):
    def setUp(self):
        super().setUp()
        self.path = make(self.directory / 'some.capture', samples=8000, threads=4)
        self.viewer = self.open(self.path)
        self.press('Home')
        self.expect_focus('All Samples')

    def press(self, *keys):
        self.viewer.press(*keys)

    def focused(self):
        return self.viewer.find('tree item', states=['focused'])

    def expect_focus(self, name, description=''):
        """Waits until the box of that name has the focus and says this of itself, somewhere; returns it."""
        def has():
            node = self.focused()
            return node if node.name == name and description in node.description else None
        return self.viewer.wait(has, lambda: f'“{name}” has the focus and says “{description}”; it is “{self.focused().name}”, '
                                f'“{self.focused().description}”')

    def walk_to(self, *names):
        """From the root to a box, by the keys; returns it."""
        self.press('Home')
        self.expect_focus('All Samples')
        for name in names:
            self.press('Down', *['Left'] * 20)
            self.viewer.rest()
            while self.focused().name != name:
                before = self.focused()
                self.press('Right')
                self.viewer.wait(lambda: self.focused() != before, f'there is “{name}” beside “{before.name}”', 10)
        return self.expect_focus(names[-1])

    def test_numbers_are_those_of_report(self):
        said = report(self.path, '--tree', '--limit', '0')
        self.expect_focus('All Samples', '100.0 %')
        node = said['tree']
        for _ in range(3):
            node = min(node['children'], key=lambda child: (-child['total'], child['name']))
            self.press('Down')
            self.expect_focus(node['name'], f'{share(node["total"], said["samples"])}, ')
            self.assertIn(f'self {share(node["self"], said["samples"])}', self.focused().description)

    def test_every_function_of_the_program_is_there(self):
        said = report(self.path, '--tree', '--limit', '0')
        main, = said['tree']['children']
        for node in main['children']:
            self.walk_to('main', node['name'])
            self.expect_focus(node['name'], share(node['total'], said['samples']))

    def test_zoom_by_keys(self):
        box = self.walk_to('main', 'optimise')
        whole = self.viewer.extents_of(self.viewer.find('tree item', 'main'))[2]
        self.assertLess(self.viewer.extents_of(box)[2], whole / 2)
        self.press('z')
        self.viewer.wait(lambda: self.focused().extents[2] > whole * 0.95, 'the box fills the width')
        self.press('BackSpace')
        self.viewer.wait(lambda: self.focused().extents[2] < whole / 2, 'the box is as wide as it was')
        self.press('plus', 'plus')
        self.viewer.wait(lambda: self.focused().extents[2] > whole / 2, 'the box is wider')
        self.press('0')
        self.viewer.wait(lambda: self.focused().extents[2] < whole / 2, 'the box is as wide as it was')

    def test_zoom_by_the_pointer(self):
        box = self.walk_to('main', 'optimise')
        width = self.viewer.extents_of(box)[2]
        place = self.viewer.place_of(box)
        self.viewer.screen.scroll(place, 'up', times=3, modifiers=['ctrl'])
        self.viewer.wait(lambda: self.focused().extents[2] > 1.5 * width, 'the box is wider')
        x, _, wide, _ = self.viewer.extents_of(self.focused())
        here = place[0] - self.viewer.window.frame[0]
        self.assertTrue(x < here < x + wide, 'it was not zoomed about the pointer')
        self.viewer.screen.scroll(place, 'down', times=3, modifiers=['ctrl'])
        self.viewer.wait(lambda: abs(self.focused().extents[2] - width) < 2, 'the box is as wide as it was')
        self.viewer.click(self.viewer.place_of(self.focused()), times=2, modifiers=['ctrl'])
        self.viewer.wait(lambda: self.focused().extents[2] > 2 * width, 'the box fills the width')

    def test_a_click_selects(self):
        place = self.viewer.place_of(self.walk_to('main', 'parse'))
        self.press('Home')
        self.expect_focus('All Samples')
        self.viewer.click(place)
        self.expect_focus('parse')

    def test_search(self):
        said = report(self.path, '--tree', '--limit', '0')
        found = sum(node['total'] for node in said['tree']['children'][0]['children'] if node['name'] == 'parse')
        self.press('ctrl+f')
        self.viewer.type('PARSE')
        self.viewer.find(name=re.compile(rf'^2 functions, {re.escape(share(found, said["samples"]))}'))
        self.press('Return')
        self.expect_name(re.compile('parse'))

    def expect_name(self, pattern):
        self.viewer.wait(lambda: [node for node in self.viewer.find_all('tree item', pattern)], f'{pattern} is selected')
