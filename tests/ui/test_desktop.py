# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the tests of the window can be believed: what they do arrives, and what goes wrong is noticed."""
import signal

from window import BUILD, WindowCase

from captures import make
from support import TestCase, read_twice

PROBE = BUILD / 'tests' / 'ui' / 'probe'


class Probe(WindowCase):
    def setUp(self):
        super().setUp()
        self.probe = self.start(program=PROBE)
        self.probe.resize(600, 500)
        self.canvas = self.probe.find(name='Canvas')

    def expect(self, text):
        self.probe.find('label', text)

    def test_a_click_arrives_where_it_was_made(self):
        self.probe.resize(700, 400)
        _, _, width, height = self.canvas.extents
        self.probe.click(self.canvas, times=2)
        self.expect(f'pressed 2 at {int(width / 2)}, {int(height / 2)}')
        self.probe.click(self.probe.place_of(self.canvas, 10.5 / width, 20.5 / height))
        self.expect('pressed 1 at 10, 20')

    def test_a_drag_and_the_wheel_arrive(self):
        begin = self.probe.place_of(self.canvas)
        self.probe.screen.drag(begin, (begin[0] + 40, begin[1] - 30))
        self.expect('dragged by 40, -30')
        self.probe.screen.scroll(begin, 'down')
        self.expect('scrolled 1')
        self.probe.screen.scroll(begin, 'up', modifiers=['ctrl'])
        self.expect('scrolled -1 with Control')

    def test_keys_arrive(self):
        self.probe.click(self.probe.find('text box'))
        self.probe.type('Some text, ":+/_"')
        self.expect('typed Some text, ":+/_"')
        self.probe.press('ctrl+a', 'BackSpace', 'x')
        self.expect('typed x')

    def test_a_picture_shows_the_window(self):
        picture = self.probe.picture()
        self.assertEqual((picture.width, picture.height), (600, 500))
        x, y, width, height = self.canvas.extents
        self.probe.wait(lambda: self.probe.picture().pixel(x + width // 2, y + height // 2) == (255, 0, 0), 'the canvas is drawn')
        path = self.directory / 'picture.png'
        picture.write_png(path)
        self.assertEqual(path.read_bytes()[:8], b'\x89PNG\r\n\x1a\n')

    def test_what_is_said_fails_a_test(self):
        self.probe.find(name='Warn').act()
        self.probe.wait(self.probe.said.read_text, 'it said something')
        with self.assertRaisesRegex(AssertionError, 'This is what the test waits for'):
            self.probe.close()
        self.probe.said.write_text('')

    def test_an_end_by_a_signal_fails_a_test(self):
        self.probe.process.send_signal(signal.SIGABRT)
        with self.assertRaisesRegex(AssertionError, 'status -6'):
            self.probe.end(60)

    def test_what_is_not_there_is_not_found(self):
        with self.assertRaisesRegex(AssertionError, 'Canvas'):
            self.probe.find(name='No such thing', seconds=0.5)


class Captures(TestCase):
    def test_what_is_made_reads_alike_in_both_decoders(self):
        lines = read_twice(make(self.directory / 'made.capture', samples=3000, threads=40, stacks=300, marks=50, lost=3, long_names=True))
        self.assertGreater(len(lines), 3000)
