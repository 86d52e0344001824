# SPDX-License-Identifier: GPL-3.0-or-later
"""The X server as a person meets it: keys, a pointer, windows, and what they show. Xlib and XTest through ctypes.

Nobody manages windows here: `focus` gives one the keyboard, which a window manager would do otherwise. The connection says of itself
that it composes windows and knows shadows, so that toolkits draw those and round corners, as they do on a desktop.
"""
import ctypes
import re
import struct
import time
import zlib

SHIFT, CONTROL, ALT, SUPER = 'Shift_L', 'Control_L', 'Alt_L', 'Super_L'
MODIFIERS = {'shift': SHIFT, 'ctrl': CONTROL, 'alt': ALT, 'super': SUPER}
BUTTONS = {'left': 1, 'middle': 2, 'right': 3, 'up': 4, 'down': 5}
DOUBLE_CLICK = 1.1  # seconds, more than what desktop.py has GTK take for a double click

_VIEWABLE, _REVERT_TO_PARENT, _Z_PIXMAP, _REDIRECT_AUTOMATIC = 2, 2, 2, 0


class _Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ('x', 'y', 'width', 'height', 'border_width', 'depth')] + [
        ('visual', ctypes.c_void_p), ('root', ctypes.c_ulong), ('window_class', ctypes.c_int), ('bit_gravity', ctypes.c_int),
        ('win_gravity', ctypes.c_int), ('backing_store', ctypes.c_int), ('backing_planes', ctypes.c_ulong),
        ('backing_pixel', ctypes.c_ulong), ('save_under', ctypes.c_int), ('colormap', ctypes.c_ulong),
        ('map_installed', ctypes.c_int), ('map_state', ctypes.c_int), ('all_event_masks', ctypes.c_long),
        ('your_event_mask', ctypes.c_long), ('do_not_propagate_mask', ctypes.c_long), ('override_redirect', ctypes.c_int),
        ('screen', ctypes.c_void_p)]


class _Image(ctypes.Structure):
    _fields_ = [('width', ctypes.c_int), ('height', ctypes.c_int), ('xoffset', ctypes.c_int), ('format', ctypes.c_int),
                ('data', ctypes.c_void_p), ('byte_order', ctypes.c_int), ('bitmap_unit', ctypes.c_int),
                ('bitmap_bit_order', ctypes.c_int), ('bitmap_pad', ctypes.c_int), ('depth', ctypes.c_int),
                ('bytes_per_line', ctypes.c_int), ('bits_per_pixel', ctypes.c_int)]


def _library(name, functions):
    library = ctypes.CDLL(name)
    for function, (result, *arguments) in functions.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


_P, _I, _U, _L = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_ulong
_x11 = _library('libX11.so.6', {
    'XOpenDisplay': (_P, ctypes.c_char_p), 'XCloseDisplay': (_I, _P), 'XDefaultRootWindow': (_L, _P), 'XSync': (_I, _P, _I),
    'XStringToKeysym': (_L, ctypes.c_char_p), 'XKeysymToKeycode': (ctypes.c_ubyte, _P, _L),
    'XkbKeycodeToKeysym': (_L, _P, ctypes.c_ubyte, _I, _I), 'XInternAtom': (_L, _P, ctypes.c_char_p, _I), 'XFree': (_I, _P),
    'XQueryTree': (_I, _P, _L, _P, _P, _P, _P), 'XGetWindowAttributes': (_I, _P, _L, _P), 'XRaiseWindow': (_I, _P, _L),
    'XSetInputFocus': (_I, _P, _L, _I, _L), 'XMoveResizeWindow': (_I, _P, _L, _I, _I, _U, _U),
    'XGetWindowProperty': (_I, _P, _L, _L, ctypes.c_long, ctypes.c_long, _I, _L, _P, _P, _P, _P, _P),
    'XChangeProperty': (_I, _P, _L, _L, _L, _I, _I, ctypes.c_char_p, _I), 'XSetSelectionOwner': (_I, _P, _L, _L, _L),
    'XCreateSimpleWindow': (_L, _P, _L, _I, _I, _U, _U, _U, _L, _L), 'XGetImage': (_P, _P, _L, _I, _I, _U, _U, _L, _I),
    'XDestroyImage': (_I, _P), 'XSetErrorHandler': (_P, _P)})
_xtst = _library('libXtst.so.6', {
    'XTestFakeKeyEvent': (_I, _P, _U, _I, _L), 'XTestFakeButtonEvent': (_I, _P, _U, _I, _L),
    'XTestFakeMotionEvent': (_I, _P, _I, _I, _I, _L)})
_xcomposite = _library('libXcomposite.so.1', {'XCompositeRedirectSubwindows': (_I, _P, _L, _I)})

# A window may go while it is asked about: whoever asks gets nothing, and Xlib does not end the program.
_ignore_errors = ctypes.CFUNCTYPE(_I, _P, _P)(lambda display, event: 0)
_x11.XSetErrorHandler(ctypes.cast(_ignore_errors, _P))


class Window:
    """A window on the screen: where its whole surface lies, shadow included, and where of it what a person takes for the
    window (`frame`: x, y, width, height on the screen)."""

    def __init__(self, xid, pid, popup, surface, extents):
        self.xid, self.pid, self.popup, self.surface = xid, pid, popup, surface
        left, right, top, bottom = extents
        x, y, width, height = surface
        self.frame = x + left, y + top, width - left - right, height - top - bottom


class Screen:
    """A connection to an X server."""

    def __init__(self, display):
        self.display = _x11.XOpenDisplay(display.encode())
        if not self.display:
            raise AssertionError(f'the X server {display} does not answer')
        self.root = _x11.XDefaultRootWindow(self.display)
        self.last_click = (0, None)
        self._compose()

    def close(self):
        _x11.XCloseDisplay(self.display)

    def _compose(self):
        """Each window keeps its own pixels, also those that others cover."""
        owner = _x11.XCreateSimpleWindow(self.display, self.root, -1, -1, 1, 1, 0, 0, 0)
        _x11.XSetSelectionOwner(self.display, self._atom('_NET_WM_CM_S0'), owner, 0)
        _xcomposite.XCompositeRedirectSubwindows(self.display, self.root, _REDIRECT_AUTOMATIC)
        for window in self.root, owner:
            self._set_numbers(window, '_NET_SUPPORTING_WM_CHECK', 33, owner)  # 33: WINDOW
        self._set_numbers(self.root, '_NET_SUPPORTED', 4, self._atom('_GTK_FRAME_EXTENTS'))  # 4: ATOM
        self.sync()

    def _set_numbers(self, window, name, kind, *numbers):
        data = (_L * len(numbers))(*numbers)
        _x11.XChangeProperty(self.display, window, self._atom(name), kind, 32, 0, ctypes.cast(data, ctypes.c_char_p), len(numbers))

    def _atom(self, name):
        return _x11.XInternAtom(self.display, name.encode(), 0)

    def sync(self):
        _x11.XSync(self.display, 0)

    def set_root_text(self, name, text):
        """Sets a property of the root window, where programs look for what belongs to the whole screen."""
        data = text.encode()
        _x11.XChangeProperty(self.display, self.root, self._atom(name), 31, 8, 0, data, len(data))  # 31: STRING
        self.sync()

    # Keys.

    def _keycode(self, symbol):
        """The key for a keysym, and whether it takes Shift."""
        code = _x11.XKeysymToKeycode(self.display, symbol)
        if not code:
            raise AssertionError(f'no key for {symbol:#x}')
        return code, _x11.XkbKeycodeToKeysym(self.display, code, 0, 0) != symbol

    def _key(self, code, down):
        _xtst.XTestFakeKeyEvent(self.display, code, down, 0)

    def _symbol(self, name):
        if len(name) == 1:
            return ord(name) if ord(name) < 256 else 0x1000000 + ord(name)
        symbol = _x11.XStringToKeysym(name.encode())
        if not symbol:
            raise AssertionError(f'no key is named {name}')
        return symbol

    def press(self, keys):
        """Presses and releases, "ctrl+shift+f", "Escape", "+": words but the last are modifiers. All of it is sent together, so that
        it takes no longer where this program has to wait for a processor."""
        *modifiers, name = [keys] if len(keys) == 1 else keys.split('+')
        code, shifted = self._keycode(self._symbol(name))
        held = [self._keycode(self._symbol(MODIFIERS[modifier]))[0] for modifier in modifiers]
        if shifted and 'shift' not in modifiers:
            held.append(self._keycode(self._symbol(SHIFT))[0])
        for key in held:
            self._key(key, True)
        self._key(code, True)
        self._key(code, False)
        for key in reversed(held):
            self._key(key, False)
        self.sync()

    def type(self, text):
        for letter in text:
            self.press(letter)

    # The pointer. Places are (x, y) on the screen.

    def move(self, place):
        _xtst.XTestFakeMotionEvent(self.display, -1, int(place[0]), int(place[1]), 0)
        self.sync()

    def button(self, button, down):
        self._button(button, down)
        self.sync()

    def _button(self, button, down):
        _xtst.XTestFakeButtonEvent(self.display, BUTTONS[button], down, 0)

    def click(self, place, button='left', times=1, modifiers=()):
        """Clicks; never so soon after another click that both are taken for a double one, and several times at once, so that those
        are one."""
        when, where = self.last_click
        if where == (place, button):
            time.sleep(max(0, when + DOUBLE_CLICK - time.monotonic()))
        self.move(place)
        with Held(self, modifiers):
            for _ in range(times):
                self._button(button, True)
                self._button(button, False)
        self.last_click = time.monotonic(), (place, button)

    def drag(self, begin, end, button='left', steps=8, modifiers=(), drop=True):
        """Presses at one place and moves to another, by steps long enough apart to be seen; with drop, releases there."""
        self.move(begin)
        with Held(self, modifiers):
            self.button(button, True)
            for step in range(1, steps + 1):
                self.move(tuple(a + (b - a) * step / steps for a, b in zip(begin, end)))
                time.sleep(0.02)
            if drop:
                self.button(button, False)

    def scroll(self, place, direction, times=1, modifiers=()):
        """Turns the wheel "up" or "down"."""
        self.move(place)
        with Held(self, modifiers):
            for _ in range(times):
                self.button(direction, True)
                self.button(direction, False)

    # Windows.

    def _property(self, window, name, size=4):
        """A property of numbers: a tuple, empty when there is none."""
        kind, form, count, left, data = (_L(), _I(), _L(), _L(), _P())
        failed = _x11.XGetWindowProperty(self.display, window, self._atom(name), 0, size, 0, 0, *map(
            ctypes.byref, (kind, form, count, left, data)))
        if failed or not data:
            return ()
        values = tuple(ctypes.cast(data, ctypes.POINTER(_L))[:count.value]) if form.value == 32 else ()
        _x11.XFree(data)
        return values

    def _children(self):
        root, parent, list_, count = _L(), _L(), _P(), _U()
        _x11.XQueryTree(self.display, self.root, *map(ctypes.byref, (root, parent, list_, count)))
        found = ctypes.cast(list_, ctypes.POINTER(_L))[:count.value] if list_ else []
        if list_:
            _x11.XFree(list_)
        return found

    def windows(self, pid=None):
        """What is on the screen, the lowest first; pop-ups are menus and the like. Whatever programs asked for before is done by then:
        the server turns to us a second time only after it has turned to everybody."""
        self.sync()
        found = []
        for xid in self._children():
            attributes = _Attributes()
            seen = _x11.XGetWindowAttributes(self.display, xid, ctypes.byref(attributes))
            if not seen or attributes.map_state != _VIEWABLE or attributes.width < 8:
                continue
            surface = attributes.x, attributes.y, attributes.width, attributes.height
            owner = next(iter(self._property(xid, '_NET_WM_PID')), None)
            extents = self._property(xid, '_GTK_FRAME_EXTENTS') or (0, 0, 0, 0)
            if pid in (None, owner) or attributes.override_redirect:
                found.append(Window(xid, owner, bool(attributes.override_redirect), surface, extents))
        return found

    def focus(self, window):
        """Gives a window the keyboard, above all others."""
        _x11.XRaiseWindow(self.display, window.xid)
        _x11.XSetInputFocus(self.display, window.xid, _REVERT_TO_PARENT, 0)
        self.sync()

    def place(self, window, x, y, width, height):
        """Puts what a person takes for the window there."""
        old_x, old_y, old_width, old_height = window.frame
        surface_x, surface_y, surface_width, surface_height = window.surface
        _x11.XMoveResizeWindow(self.display, window.xid, x - (old_x - surface_x), y - (old_y - surface_y),
                               width + surface_width - old_width, height + surface_height - old_height)
        self.sync()

    # What they show.

    def picture(self, window):
        """A Picture of what a person takes for the window, without its shadow."""
        surface_x, surface_y, _, _ = window.surface
        x, y, width, height = window.frame
        image = _x11.XGetImage(self.display, window.xid, x - surface_x, y - surface_y, width, height, _L(-1).value, _Z_PIXMAP)
        if not image:
            raise AssertionError('a window went while it was looked at')
        depth, data = _take(image)
        return Picture.from_bgra(width, height, data, opaque=depth < 32)

    def column(self, window, across):
        """One column of its pixels, blue, green, red and alpha: a glance that costs next to nothing. None when it has gone."""
        surface_x, surface_y, _, _ = window.surface
        x, y, width, height = window.frame
        image = _x11.XGetImage(self.display, window.xid, x - surface_x + int(across * width), y - surface_y, 1, height, _L(-1).value,
                               _Z_PIXMAP)
        return _take(image)[1] if image else None


class Held:
    """Modifiers, held down meanwhile."""

    def __init__(self, screen, modifiers):
        self.screen = screen
        self.codes = [screen._keycode(screen._symbol(MODIFIERS[modifier]))[0] for modifier in modifiers]

    def __enter__(self):
        for code in self.codes:
            self.screen._key(code, True)

    def __exit__(self, *_):
        for code in reversed(self.codes):
            self.screen._key(code, False)
        self.screen.sync()


class Picture:
    """Pixels, `rgba` with four bytes each, not multiplied by alpha."""

    def __init__(self, width, height, rgba):
        self.width, self.height, self.rgba = width, height, rgba

    @classmethod
    def from_bgra(cls, width, height, data, opaque):
        rgba = bytearray(len(data))
        rgba[0::4], rgba[1::4], rgba[2::4] = data[2::4], data[1::4], data[0::4]
        rgba[3::4] = b'\xff' * (width * height) if opaque else data[3::4]
        if not opaque:
            for at in _partly(data[3::4]):
                pixel = rgba[4 * at:4 * at + 4]
                rgba[4 * at:4 * at + 3] = bytes(min(255, value * 255 // pixel[3]) for value in pixel[:3])
        return cls(width, height, rgba)

    def pixel(self, x, y):
        at = 4 * (int(y) * self.width + int(x))
        return tuple(self.rgba[at:at + 3])

    def colours(self):
        """How many different pixels there are."""
        return len({self.rgba[at:at + 3].hex() for at in range(0, len(self.rgba), 4)})

    def draw(self, other, x, y):
        """Lays another picture over this one with its corner at x, y, which may lie outside."""
        for row in range(max(0, -y), min(other.height, self.height - y)):
            first, last = max(0, -x), min(other.width, self.width - x)
            for column in range(first, last):
                source, target = 4 * (row * other.width + column), 4 * ((y + row) * self.width + x + column)
                alpha = other.rgba[source + 3]
                if alpha == 255:
                    self.rgba[target:target + 4] = other.rgba[source:source + 4]
                elif alpha:
                    for i in range(3):
                        self.rgba[target + i] = (other.rgba[source + i] * alpha + self.rgba[target + i] * (255 - alpha)) // 255

    def write_png(self, path):
        clear = self.rgba[3::4].count(255) < self.width * self.height
        samples, kind = 4 if clear else 3, 6 if clear else 2
        pixels = self.rgba
        if not clear:
            pixels = bytearray(3 * self.width * self.height)
            for i in range(3):
                pixels[i::3] = self.rgba[i::4]
        stride = samples * self.width
        rows = b''.join(b'\0' + pixels[at:at + stride] for at in range(0, len(pixels), stride))
        path.write_bytes(b'\x89PNG\r\n\x1a\n' + b''.join((
            _chunk(b'IHDR', struct.pack('>IIBBBBB', self.width, self.height, 8, kind, 0, 0, 0)),
            _chunk(b'IDAT', zlib.compress(rows, 9)), _chunk(b'IEND', b''))))


def _take(image):
    """Depth and bytes of an XImage, which is freed."""
    head = ctypes.cast(image, ctypes.POINTER(_Image)).contents
    depth, data = head.depth, ctypes.string_at(head.data, head.bytes_per_line * head.height)
    _x11.XDestroyImage(image)
    return depth, data


def _partly(alphas):
    """Where alpha is neither nothing nor all: at round corners, so few."""
    return [found.start() for found in re.finditer(rb'[\x01-\xfe]', alphas)]


def _chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
