# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the window share: the real capture-viewer on a desktop of its own, with real keys and a real pointer, and its
accessible tree to see by. Needs the Python that knows gi: /usr/bin/python3 tests/tap.py tests/ui/test_NAME.py

    class Some(WindowCase):
        def test_it(self):
            viewer = self.open(path)
            viewer.find('push button', 'Record').act()
            viewer.press('ctrl+f')
            self.assertEqual(viewer.find('label', showing='12 functions').text, …)

Every test ends with a viewer that was closed in order and had nothing to say on standard error.
"""
import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'integration')]

from accessible import Gone  # noqa: E402
from desk import wait_until  # noqa: E402
from desktop import Desktop, end_with_parent  # noqa: E402
from look import Look  # noqa: E402
from recordings import is_working, processor_time  # noqa: E402
from support import BUILD, TestCase, check_sanitizers, read_twice  # noqa: E402

VIEWER = BUILD / 'viewer' / 'capture-viewer'
COPIED = 'Copied to the clipboard'
SECONDS = 120  # ample, also for sanitizers on a busy machine
GTK_MINOR = ctypes.CDLL('libgtk-4.so.1').gtk_get_minor_version()
IS_NEW = GTK_MINOR >= 16
# Nobody draws by OpenGL here, and its drivers keep memory. What says so has another name since GTK 4.16.
WITHOUT_GL = {'GDK_DISABLE': 'gl,vulkan'} if IS_NEW else {'GDK_DEBUG': 'gl-disable'}
# Newer ones of libadwaita's dialogs measure labels of their own for less than they need.
OF_DIALOGS = r'Gtk-WARNING \*\*: \S+ Trying to measure GtkLabel' if IS_NEW else None
# The keys of pages.
SUMMARY, FLAME, TREE, FUNCTIONS, SOURCE, TIMELINE, PROCESSES, MARKS, HEALTH, DETAILS = (f'alt+{key}' for key in '1234567890')
# The role of what is one of several to choose from.
CHOICE = 'radio' if IS_NEW else 'checkbox'


class Viewer:
    """A running capture-viewer. Its window is found by itself, and by every method that needs it."""

    def __init__(self, desktop, home, *arguments, program=VIEWER, env=None, leaks=True):
        self.desktop, self.screen, self.home = desktop, desktop.screen, pathlib.Path(home)
        self.said = self.home / 'stderr'
        environment = {**desktop.environment(home), **WITHOUT_GL, **sanitizers(leaks), **(env or {})}
        with open(self.said, 'a') as said:
            self.process = subprocess.Popen([str(word) for word in (program, *arguments)], env=environment, stdin=subprocess.DEVNULL,
                                            stdout=said, stderr=said, preexec_fn=end_with_parent, cwd=self.home)
        self.pid = self.process.pid
        self.may_say = None  # a pattern: lines that are no mistake of ours
        self._application = None

    def copy(self, key='ctrl+c', message=COPIED):
        """What a key puts on the clipboard, once the window says that it is there."""
        self.find_gone('label', message)
        self.press(key)
        self.find('label', message)
        return subprocess.run(['xclip', '-selection', 'clipboard', '-o'], env={**os.environ, 'DISPLAY': self.desktop.display},
                              stdout=subprocess.PIPE, timeout=SECONDS, check=True).stdout.decode()

    # Its windows.

    def wait(self, condition, what, seconds=SECONDS):
        """The first true value of condition(). Fails after that time, or when the viewer ends meanwhile."""
        found = None

        def look():
            nonlocal found
            try:
                found = condition()
            except Gone:
                found = None
            if not found and self.process.poll() is not None:
                raise AssertionError(f'the viewer ended with status {self.process.returncode} before {_text(what)}:'
                                     f'\n{self.said.read_text()}')
            return found
        wait_until(look, what, seconds)
        return found

    @property
    def application(self):
        """The root of its accessible tree."""
        if self._application is None:
            self._application = self.wait(lambda: dict(self.desktop.bus.applications()).get(self.pid), 'it is on the accessible bus')
        return self._application

    def windows(self):
        """Its windows on the screen, the last one on top; menus are none."""
        return [window for window in self.screen.windows(self.pid) if not window.popup]

    @property
    def window(self):
        """The window on top."""
        return self.wait(self.windows, 'it shows a window')[-1]

    def resize(self, width, height):
        """Makes the window on top so large, as a person would by its corner. A window that has just come may not say yet how wide its
        shadow is: as often as it takes."""
        def fits():
            if self.window.frame[2:] != (width, height):
                self.screen.place(self.window, 40, 40, width, height)
                return False
            return any(tuple(node.extents[2:]) == (width, height) for node in self.application.children())
        self.screen.place(self.window, 40, 40, width, height)
        self.wait(fits, lambda: f'the window is {width}×{height}; it is {self.window.frame}')

    # Finding.

    def look(self, showing=True):
        """All its objects at this moment, for who asks for many."""
        return Look(self.application, showing)

    def find_all(self, role=None, name=None, within=None, states=(), showing=True):
        """Objects by role, by name (a text, or a compiled pattern to search for) and by states, outermost first. A name is also
        looked for in the text of what has one."""
        return self.look(showing).find_all(role, name, within, states)

    def find(self, role=None, name=None, within=None, states=(), showing=True, seconds=SECONDS):
        """The first such object, as soon as there is one."""
        return self.wait(lambda: self.look(showing).find(role, name, within, states),
                         lambda: f'there is {role} “{name}” {" ".join(states)} in\n{self.outline()}', seconds)

    def find_menu_item(self, label):
        """An item of a menu by its label, with "_" before its mnemonic. With GTK 4.18 items have no names: then it is the only one of
        that mnemonic, or the only one without any."""
        return self.wait(lambda: self._menu_item(label), lambda: f'there is the menu item “{label}” in\n{self.outline()}')

    def find_no_menu_item(self, label):
        self.wait(lambda: not self._menu_item(label), lambda: f'the menu item “{label}” is gone from\n{self.outline()}')

    def _menu_item(self, label):
        look, name, mnemonic = self.look(), label.replace('_', ''), re.search('_(.)', label)
        keys = [f'Alt+{mnemonic[1].lower()}'] if mnemonic else []
        items = {item: look.name(item) for role in ('menu item', 'menu item checkbox') for item in look.find_all(role)}
        found = [item for item, its in items.items() if name in its] or [
            item for item, its in items.items() if not its and [key for key in item.attributes.get('keyshortcuts', '').split()
                                                                if key.startswith('Alt+')] == keys]
        return found[0] if len(found) == 1 else None

    def find_gone(self, role=None, name=None, within=None, states=(), seconds=SECONDS):
        """Waits until there is no such object."""
        self.wait(lambda: not self.look().find(role, name, within, states), lambda: f'{role} “{name}” is gone from\n{self.outline()}', seconds)

    def outline(self):
        return self.application.outline()

    def wait_for_text(self, node, pattern, seconds=SECONDS):
        """Waits until the object's text holds the pattern; returns the match."""
        return self.wait(lambda: re.search(pattern, node.text), lambda: f'“{pattern}” stands in {node!r}: “{node.text}”', seconds)

    def find_at_rest(self, *what, **how):
        """As find(), in a window that has nothing left to do: what is still counted comes and goes, and moves what is below."""
        self.find(*what, **how)
        self.rest()
        return self.find(*what, **how)

    # Doing. Keys go to the window on top.

    def press(self, *keys):
        self._take_keyboard()
        for key in keys:
            self.screen.press(key)

    def type(self, text):
        self._take_keyboard()
        self.screen.type(text)

    def _take_keyboard(self):
        self.screen.focus(self.window)
        self.wait(lambda: any('active' in node.states for node in self.application.children()), 'its window is the active one')

    def extents_of(self, node):
        """Where an object of the window on top is: x, y, width, height. What has just come has its place only with the next frame."""
        return self.wait(lambda: node.extents if any(node.extents[2:]) else None, lambda: f'{node!r} has a place')

    def frame(self):
        """Where the window on top lies on the screen, as soon as it says how wide its shadow is, which is a little after it has come."""
        def known():
            frame = self.window.frame
            return frame if any(tuple(node.extents[2:]) == frame[2:] for node in self.application.children()) else None
        return self.wait(known, lambda: f'its window says where it is; it is {self.window.frame}')

    def place_of(self, node, across=0.5, down=0.5):
        """A place on the screen within an object of the window on top: across and down from 0 to 1."""
        x, y, width, height = self.extents_of(node)
        left, top, _, _ = self.frame()
        return left + x + across * width, top + y + down * height

    def click(self, where, **how):
        """Clicks into the middle of an object, or at a place on the screen."""
        self.screen.click(where if isinstance(where, tuple) else self.place_of(where), **how)

    # Seeing.

    def rest(self, seconds=SECONDS):
        """Waits until it has nothing left to do: it shows the same as a moment ago, has not worked since, and does not wait for a
        processor either."""
        def look():
            return self.picture().rgba, processor_time(self.pid), is_working(self.pid)
        last = None

        def rests():
            nonlocal last
            before, last = last, look()
            time.sleep(0.2)
            return before == last and not last[2] and not is_working(self.pid)
        self.wait(rests, 'it rests', seconds)

    def picture(self, popups=False):
        """What the window on top shows, with menus above it when asked."""
        window = self.window
        picture = self.screen.picture(window)
        if popups:
            for popup in self.screen.windows(self.pid):
                if popup.popup:
                    x, y, _, _ = popup.frame
                    picture.draw(self.screen.picture(popup), x - window.frame[0], y - window.frame[1])
        return picture

    def write_picture(self, path, popups=False):
        self.picture(popups).write_png(pathlib.Path(path))

    # Ending.

    def close(self, key='ctrl+q'):
        """Ends it as a person does, and fails unless it ends well and had nothing to say."""
        if self.process.poll() is None:
            self.press(key)
        self.end(4 * SECONDS)

    def end(self, seconds):
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f'the viewer did not end in {seconds} seconds; it said:\n{self.said.read_text()}') from None
        self.check_said()
        if status != 0 and not QUARKS.search(self.said.read_text(errors='replace')):
            raise AssertionError(f'the viewer ended with status {status}, saying:\n{self.said.read_text()}')

    def check_said(self):
        said = QUARKS.sub('', self.said.read_text(errors='replace'))
        check_sanitizers(said)
        said = '\n'.join(line for line in said.splitlines()
                         if line and not OF_GTK.search(line) and not (self.may_say and re.search(self.may_say, line)))
        if said:
            raise AssertionError(f'the viewer said:\n{said[:8000]}')

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


def _text(what):
    return what() if callable(what) else what


# With the words of toolkits GLib's table of quarks grows, and keeps the smaller ones that it had, as its source says: others may be
# reading them. Nothing but its allocation is in the report.
QUARKS = re.compile(r'\n=+\n==\d+==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 16384 byte\(s\) in 1 object\(s\) allocated from:\n'
                    r'(    #\d .*malloc.*\n)+\nSUMMARY: AddressSanitizer: 16384 byte\(s\) leaked in 1 allocation\(s\)\.\n')


# Said where a menu comes up, by GTK 4.24 on X11: a function that no program can call.
OF_GTK = re.compile(r'Gdk-WARNING .*: gdk_frame_timings_submitted\(\) called on submitted frame')


def sanitizers(leaks):
    """What sanitized programs with a toolkit in them are told. Leaks of libraries that lsan.supp lists are none of ours. Where the
    toolkit's own calls lie between, stacks are not whole: unwinding each allocation by tables would take most of the time of a test."""
    return {'LSAN_OPTIONS': f'suppressions={HERE / "lsan.supp"}:print_suppressions=0',
            'ASAN_OPTIONS': f'detect_leaks={int(leaks)}:allocator_may_return_null=1:fast_unwind_on_malloc=1:malloc_context_size=30'}


class WindowCase(TestCase):
    """A test with a desktop, which the tests of a class share, and a home of its own."""

    # Whether a sanitized viewer is asked for leaks. False where GTK's file dialog comes up: that keeps paths, names and icons.
    finds_leaks = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.desktop = cls.make_desktop().start()
        cls.addClassCleanup(cls.desktop.stop)

    @classmethod
    def make_desktop(cls):
        return Desktop()

    def setUp(self):
        super().setUp()
        self.home = self.directory / 'home'
        self.home.mkdir()
        # Where no window is: what the pointer was left on has a tooltip in the next one, which takes a click that is meant for what is
        # beneath it.
        self.desktop.screen.move((1, 1))

    def read_captures_twice(self):
        """Those that were recorded. What make-capture makes is all alike, and test_desktop.py reads it."""
        for path in sorted(self.home.rglob('*.capture')):
            read_twice(path)

    def start(self, *arguments, **how):
        """Starts a viewer, which must have been closed when the test ends, or is then."""
        viewer = Viewer(self.desktop, self.home, *arguments, **{'leaks': self.finds_leaks, **how})
        self.addCleanup(viewer.kill)
        self.addCleanup(self._close, viewer)
        return viewer

    def _close(self, viewer):
        if self._outcome.result.diagnostics:
            return  # a menu that is still open would take the key that closes the window
        if viewer.process.poll() is None:
            viewer.close()
        viewer.check_said()

    def open(self, *paths, size=(1000, 700), page=FLAME, **how):
        """Starts a viewer with files, waits for its window, and shows a page."""
        viewer = self.start(*paths, **how)
        if size:
            viewer.resize(*size)
        if paths and page:
            viewer.press(page)
        return viewer
