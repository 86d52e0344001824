# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are dragged onto the window from another program's, by XDND as file managers do it."""
import re
import time

from window import BUILD, WindowCase

from captures import make

DRAG_SOURCE = BUILD / 'tests' / 'ui' / 'drag-source'


class Drop(WindowCase):
    def capture(self, name):
        return make(self.directory / f'{name}.capture', samples=200)

    def drag(self, viewer, *paths):
        """From a window beside the viewer's into the middle of the one that is on top."""
        source = self.start(*paths, program=DRAG_SOURCE)
        files = source.find('label', 'nothing yet')
        self.place(source, 1300, 100, 300, 200)
        x, y, width, height = viewer.window.frame
        end = x + width / 2, y + height / 2
        source.screen.drag(source.place_of(files), end, drop=False)
        self.hover(source, files, end)
        source.screen.button('left', False)
        source.wait(lambda: files.text == 'ended', lambda: f'the drag has ended; it is {files.text}')
        source.close()

    @staticmethod
    def place(source, *frame):
        """As often as it takes: what has just come may not say yet how wide its shadow is."""
        def is_there():
            if source.window.frame == frame:
                return True
            source.screen.place(source.window, *frame)
            return False
        source.wait(is_there, lambda: f'the source is at {frame}; it is at {source.window.frame}')

    @staticmethod
    def hover(source, files, place):
        """Moves a little, as every hand does, until the source is told whether they would be taken."""
        step = 0

        def is_taken():
            nonlocal step
            step += 1
            source.screen.move((place[0] + step % 2, place[1]))
            time.sleep(0.05)
            return files.text == 'taken'
        source.wait(is_taken, lambda: f'the files would be taken; they are {files.text}')

    def open_document(self, path):
        viewer = self.open(path)
        viewer.find('button', 'Whole Recording')
        return viewer

    def test_onto_the_start_page(self):
        viewer = self.open()
        viewer.find('button', 'Record')
        self.drag(viewer, self.capture('one'))
        viewer.find('button', 'Whole Recording')
        self.assertEqual(len(viewer.windows()), 1)

    def test_onto_a_document(self):
        viewer = self.open_document(self.capture('one'))
        self.drag(viewer, self.capture('two'))
        viewer.wait(lambda: len(viewer.windows()) == 2, 'there is a window for the other file')
        viewer.wait(lambda: len(viewer.find_all('button', 'Whole Recording')) == 2, 'both are shown')

    def test_several_at_once(self):
        viewer = self.open()
        viewer.find('button', 'Record')
        self.drag(viewer, *(self.capture(name) for name in ('one', 'two', 'three')))
        viewer.wait(lambda: len(viewer.windows()) == 3, 'each has a window')
        viewer.wait(lambda: len(viewer.find_all('button', 'Whole Recording')) == 3, 'all are shown')

    def test_the_same_again(self):
        path = self.capture('one')
        viewer = self.open_document(path)
        self.drag(viewer, path)
        viewer.rest()
        self.assertEqual(len(viewer.windows()), 1)

    def test_what_is_no_capture(self):
        path = self.directory / 'none.txt'
        path.write_text('This is no capture.\n')
        viewer = self.open()
        viewer.find('button', 'Record')
        self.drag(viewer, path)
        viewer.find('label', '“none.txt” Could Not Be Opened')
        # Another one may take its place.
        self.drag(viewer, self.capture('one'))
        viewer.find_gone('label', re.compile('Could Not Be Opened'))
        viewer.find('button', 'Whole Recording')
        self.assertEqual(len(viewer.windows()), 1)
