# SPDX-License-Identifier: GPL-3.0-or-later
"""The window itself: its keys, what it says of itself, its languages."""
import os
import pathlib
import re
import threading
import time

from window import FUNCTIONS, TREE, WindowCase

from captures import make
from support import capturectl, language, run


def wakes(viewer):
    """How often its main thread has waited and went on."""
    status = pathlib.Path(f'/proc/{viewer.process.pid}/status').read_text()
    return int(re.search(r'^voluntary_ctxt_switches:\s*(\d+)', status, re.M).group(1))


TITLES = ['Summary', 'Flame Graph', 'Call Tree', 'Functions', 'Source', 'Time Line', 'Processes']


class MainWindow(WindowCase):
    def open_document(self, **how):
        """A viewer that shows a capture."""
        viewer = self.open(make(self.directory / 'some.capture'), **how)
        viewer.find('button', 'Whole Recording')
        return viewer

    def rest(self, viewer):
        """Waits until it asks for no frames."""
        def rests():
            before = wakes(viewer)
            time.sleep(1)
            return wakes(viewer) - before < 20
        viewer.wait(rests, 'it no longer asks for frame after frame')

    def test_nothing_is_drawn_where_nothing_changes(self):
        """Nor where a bar has moved: it does while a pipe is read that nobody writes into."""
        path = self.directory / 'some.capture'
        os.mkfifo(path)
        end = os.open(path, os.O_RDWR)
        viewer = self.open(path)
        bar = viewer.find('progress bar', within=viewer.find('label', 'Converting').parent())
        shown = set()

        def moves():
            left, top, width, height = map(int, viewer.extents_of(bar))
            picture = viewer.picture()
            shown.add(tuple(picture.pixel(x, top + height // 2) for x in range(left, left + width)))
            return len(shown) > 3
        viewer.wait(moves, 'the bar moves')
        os.close(end)
        again = viewer.find('button', 'Try Again')
        self.rest(viewer)
        path.unlink()
        make(path)
        again.act()
        viewer.find('button', 'Whole Recording')
        self.rest(viewer)

    def test_titles_of_pages_are_whole_also_in_a_window_that_is_not_wide(self):
        viewer = self.open_document(size=(1600, 700))

        def widths():
            """Of the titles beside the page, or in its place."""
            look = viewer.look()
            rows = [row for row in look.find_all('list item') if look.name(row) in TITLES]
            labels = [label for row in rows for label in look.find_all('label', within=row)]
            return {text: label.extents[2] for text, label in zip(look.texts(labels), labels)}
        whole = viewer.wait(lambda: len(widths()) == len(TITLES) and widths(), 'every page has a title')
        self.assertGreater(min(whole.values()), 0)
        for width in 1000, 860, 700, 500:
            viewer.resize(width, 700)
            if width < 860:
                viewer.press('F9')
            viewer.wait(lambda: widths() == whole, lambda: f'titles are whole in {width} pixels: {whole}, {widths()}')

    def test_what_is_typed_into_the_search_is_no_key_of_the_window(self):
        viewer = self.open_document()
        viewer.press('slash')
        viewer.find('search box', 'Search Functions', states=('focused',))
        viewer.type('2/1')
        viewer.find('status', 'Nothing found')
        viewer.press('Escape')
        viewer.find_gone('status', 'Nothing found')
        viewer.find('button', 'Whole Recording')

    def test_a_step_is_taken_back_and_again_and_by_its_crumb(self):
        viewer = self.open_document()
        viewer.press(TREE)
        viewer.find_at_rest('row', re.compile('^main, '))
        viewer.press('Down', 'f')
        crumb = viewer.find('button', re.compile('^Focus: ')).name
        viewer.press('ctrl+z')
        viewer.find_gone('button', crumb)
        viewer.press('ctrl+shift+z')
        viewer.find('button', crumb)
        viewer.press('alt+Left')
        viewer.find_gone('button', crumb)
        viewer.press('alt+Right')
        viewer.find('button', crumb)
        viewer.find('button', 'Whole Recording').act()
        viewer.find_gone('button', crumb)

    def test_a_file_is_chosen(self):
        path = make(self.directory / 'chosen.capture')
        viewer = self.open(leaks=False)
        viewer.press('ctrl+o')
        viewer.wait(lambda: len(viewer.windows()) == 2, 'there is a dialog')
        # GTK's own dialog never says that it is the active window.
        viewer.screen.focus(viewer.window)
        viewer.screen.type(str(path))
        viewer.screen.press('Return')
        viewer.find('button', 'Whole Recording')

    def test_a_file_that_is_cut_off_while_one_looks_ends_nothing(self):
        path = make(self.directory / 'some.capture', samples=400_000, stacks=4000, functions=2000)
        viewer = self.open(path)
        viewer.find('button', 'Whole Recording')
        with open(path, 'r+b') as file:
            file.truncate(300)
        for page in '23456781':
            viewer.press(page)
            viewer.picture()
        viewer.press(TREE)
        viewer.find_at_rest('row', re.compile('^All Samples, '))
        viewer.press('Down', 'f')
        viewer.find('button', re.compile('^Focus: '))

    def test_a_file_that_is_cut_off_while_it_is_opened_ends_nothing(self):
        path = make(self.directory / 'some.capture', samples=400_000, stacks=4000, functions=2000)
        whole = path.read_bytes()
        stop = threading.Event()

        def cut_off():
            with open(path, 'r+b', buffering=0) as file:
                while not stop.is_set():
                    file.truncate(len(whole) // 2)
                    os.pwrite(file.fileno(), whole, 0)
        cutting = threading.Thread(target=cut_off)
        cutting.start()
        try:
            viewer = self.open(path)
            viewer.find('button', re.compile('Whole Recording|Try Again'))
        finally:
            stop.set()
            cutting.join()
        for button in viewer.find_all('button', re.compile('Try Again')):
            button.act()
        viewer.find('button', 'Whole Recording')

    def test_the_bus_starts_it_and_opens_files(self):
        path = make(self.directory / 'some.capture')
        viewer = self.start('--gapplication-service')

        def open_file():
            run('gdbus', 'call', '--session', '--dest=org.capturectl.Viewer', '--object-path=/org/capturectl/Viewer',
                '--method=org.freedesktop.Application.Open', f"['{path.as_uri()}']", '{}', env=self.desktop.environment(self.home),
                timeout=60)
        run('gdbus', 'wait', '--session', '--timeout=60', 'org.capturectl.Viewer', env=self.desktop.environment(self.home), timeout=90)
        open_file()
        viewer.find('button', 'Whole Recording')

    def test_help_opens_and_closes(self):
        viewer = self.open_document()
        viewer.press('F1')
        viewer.wait(lambda: len(viewer.windows()) == 2, 'there is a window for help')
        viewer.find('heading', 'Reading a Flame Graph')
        viewer.press('Escape')
        viewer.wait(lambda: len(viewer.windows()) == 1, 'the window is closed')

    def test_shortcuts_are_told(self):
        viewer = self.open_document()
        viewer.press('ctrl+question')
        viewer.wait(lambda: len(viewer.windows()) == 2, 'there is a window of shortcuts')
        viewer.find('label', 'Next match')
        viewer.press('Escape')
        viewer.wait(lambda: len(viewer.windows()) == 1, 'the window is closed')

    def test_it_says_what_it_is(self):
        viewer = self.open_document()
        viewer.press('F10')
        viewer.find_menu_item('_About Capture').act()
        viewer.find('label', 'The authors of Capture')
        viewer.press('Escape')
        viewer.wait(lambda: len(viewer.windows()) == 1, 'the window is closed')

    def test_a_new_window_starts_anew(self):
        viewer = self.open_document()
        viewer.press('ctrl+n')
        viewer.wait(lambda: len(viewer.windows()) == 2, 'there are two windows')
        viewer.press('ctrl+w')
        viewer.wait(lambda: len(viewer.windows()) == 1, 'there is one window again')

    def test_german(self):
        viewer = self.open(make(self.directory / 'some.capture'), env=language('de'))
        viewer.find('button', 'Ganze Aufnahme')
        viewer.find(None, 'Hauptmenü')

    def test_template_arguments_are_folded(self):
        """On all pages, until one wants to see them; a report does it when it is asked to."""
        folded, whole = re.compile(r'std::__detail::_Map_base<…>::operator\[\]'), re.compile(r'std::__detail::_Map_base<[^…].*>::operator\[\]')
        capture = make(self.directory / 'some.capture', stacks=40, functions=20, long_names=True)
        viewer = self.open(capture)
        for page in (TREE, FUNCTIONS):
            viewer.press(page)
            viewer.find('row', folded)
        viewer.press('F10')
        viewer.find_menu_item('_Fold Template Arguments').act()
        for page in (FUNCTIONS, TREE):
            viewer.press(page)
            viewer.find('row', whole)
            viewer.find_gone('row', folded)
        self.assertRegex(capturectl('report', capture).stdout, whole)
        said = capturectl('report', '--fold-templates', capture).stdout
        self.assertRegex(said, folded)
        self.assertNotRegex(said, whole)

    def test_inlined_functions_are_shown(self):
        """Where debug information tells of them; until they are to count as the functions that hold them."""
        (self.directory / 'work.c').write_text(
            'static inline unsigned mix(unsigned x) { for (int i = 0; i < 400000000; i++) x = x * 31 + (x >> 7); return x; }\n'
            'int main(int n, char **v) { return mix(n) == 7; }\n')
        run('gcc', '-O2', '-g', '-o', 'work', 'work.c', cwd=self.directory)
        capture = self.directory / 'some.capture'
        capturectl('record', '-q', '-o', capture, '--', self.directory / 'work')
        viewer = self.open(capture)
        viewer.press(TREE)
        viewer.find('row', re.compile(r'^mix \(inlined\), '))
        viewer.press('F10')
        viewer.find_menu_item('Show _Inlined Functions').act()
        viewer.find_gone('row', re.compile('^mix '))
        viewer.find('row', re.compile('^main, '))

    def test_hebrew_goes_from_right_to_left(self):
        viewer = self.open(make(self.directory / 'some.capture'), env=language('he'))
        crumb = viewer.find('button', 'ההקלטה כולה')
        menu = viewer.find(None, 'תפריט ראשי')
        x, _, width, _ = viewer.extents_of(crumb)
        self.assertGreater(x + width / 2, 500)
        self.assertLess(viewer.extents_of(menu)[0], 500)

    def test_many_names_come_to_rest_in_hebrew(self):
        """In boxes they read from the left, and what the viewer says itself from the right."""
        capture = make(self.directory / 'many.capture', functions=2000, stacks=40, depth=40, long_names=True)
        viewer = self.open(capture, env=language('he'))
        viewer.resize(1600, 1000)
        viewer.rest()
