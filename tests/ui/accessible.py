# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program tells people who do not see it: its tree of accessible objects, asked for over AT-SPI's bus.

Nothing is cached: each answer is what the program says now.
"""
import ast
import functools
import re
import typing

import gi

gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib  # noqa: E402

STATES = (
    'invalid active armed busy checked collapsed defunct editable enabled expandable expanded focusable focused has-tooltip horizontal '
    'iconified modal multi-line multiselectable opaque pressed resizable selectable selected sensitive showing single-line stale '
    'transient vertical visible manages-descendants indeterminate required truncated animated invalid-entry supports-autocompletion '
    'selectable-text is-default visited checkable has-popup read-only').split()
WINDOW = 1  # coordinates are those of the window
END = 2**31 - 1  # of a text; GTK 4.8 takes -1 for the end in some objects, and for nothing at all in labels
PREFIX = 'org.a11y.atspi.'
ROOT = '/org/a11y/atspi/accessible/root'
# An item of AT-SPI's Cache in GVariant's text format, which takes a fifth of the time of a thousand Python objects.
TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
ITEM = re.compile(rf"\(\('([^']*)', '([^']*)'\), \('[^']*', '[^']*'\), \('([^']*)', '([^']*)'\), (-?\d+), (\d+), "
                  rf"\[([^]]*)\], ({TEXT}), \d+, (?:{TEXT}), \[(\d+), (\d+)\]\)")
TIMEOUT = 60_000  # milliseconds: a program under sanitizers on a busy machine may take its time


class Gone(Exception):
    """The object, or its program, is no longer there."""


class Bus:
    """A connection to AT-SPI's bus."""

    def __init__(self, address):
        self.connection = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        self.connection.set_exit_on_close(False)
        self._roles = {}

    def ask(self, name, path, interface, method, signature='()', *arguments):
        """The answer to a call, a variant."""
        try:
            return self.connection.call_sync(name, path, interface, method, GLib.Variant(signature, arguments), None,
                                             Gio.DBusCallFlags.NONE, TIMEOUT, None)
        except GLib.Error as error:
            raise Gone(f'{method}: {error.message}') from error

    def call(self, *what):
        return self.ask(*what).unpack()

    def call_all(self, calls):
        """Calls of the same kind, all sent before the first answer is waited for. Their answers; None for what is gone."""
        answers, left = [None] * len(calls), len(calls)

        def take(connection, result, number):
            nonlocal left
            left -= 1
            try:
                answers[number] = connection.call_finish(result).unpack()
            except GLib.Error:
                pass
        for number, (name, path, interface, method, signature, *arguments) in enumerate(calls):
            self.connection.call(name, path, interface, method, GLib.Variant(signature, arguments), None, Gio.DBusCallFlags.NONE, TIMEOUT,
                                 None, take, number)
        while left:
            GLib.MainContext.default().iteration(True)
        return answers

    def items(self, application):
        """All that a program says of its objects at once, as {Node: Item}: one message where asking each object takes thousands."""
        text = self.ask(application.bus_name, '/org/a11y/atspi/cache', PREFIX + 'Cache', 'GetItems').print_(False)
        return {Node(self, bus_name, path): Item(Node(self, its_bus_name, its_path), int(index), int(children),
                                                 f"'{PREFIX}Text'" in interfaces, ast.literal_eval(name), state_names((int(low), int(high))))
                for bus_name, path, its_bus_name, its_path, index, children, interfaces, name, low, high in ITEM.findall(text)}

    # Of many objects together, each in its place.

    def _ask(self, nodes, interface, method, signature='()', *arguments):
        return self.call_all([(node.bus_name, node.path, PREFIX + interface, method, signature, *arguments) for node in nodes])

    def _properties(self, nodes, interface, name):
        return self.call_all([(node.bus_name, node.path, 'org.freedesktop.DBus.Properties', 'Get', '(ss)', PREFIX + interface, name)
                              for node in nodes])

    def children_of(self, nodes):
        return [self.nodes(answer[0]) if answer else [] for answer in self._ask(nodes, 'Accessible', 'GetChildren')]

    def nodes(self, references):
        return [Node(self, *reference) for reference in references if reference[1] != '/org/a11y/atspi/null']

    def states_of(self, nodes):
        return [state_names(tuple(answer[0])) if answer else set() for answer in self._ask(nodes, 'Accessible', 'GetState')]

    def names_of(self, nodes):
        return [answer[0] if answer else '' for answer in self._properties(nodes, 'Accessible', 'Name')]

    def roles_of(self, nodes):
        """An object keeps its role for ever."""
        new = [node for node in nodes if node not in self._roles]
        self._roles.update((node, answer[0]) for node, answer in zip(new, self._ask(new, 'Accessible', 'GetRoleName')) if answer)
        return [self._roles.get(node) for node in nodes]

    def texts_of(self, nodes):
        """"" for those without text."""
        return [answer[0] if answer else '' for answer in self._ask(nodes, 'Text', 'GetText', '(ii)', 0, END)]

    def applications(self):
        """The roots of all programs, as pairs (pid, Node)."""
        root = Node(self, PREFIX + 'Registry', ROOT)
        found = []
        for node in root.children():
            try:
                pid, = self.call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus',
                                 'GetConnectionUnixProcessID', '(s)', node.bus_name)
                found.append((pid, node))
            except Gone:
                pass
        return found


class Item(typing.NamedTuple):
    """What one object said of itself among all others."""

    parent: 'Node'
    index: int  # among the parent's children
    children: int
    has_text: bool
    name: str
    states: frozenset


@functools.cache
def state_names(words):
    return frozenset(state for number, state in enumerate(STATES) if words[number // 32] >> number % 32 & 1)


class Node:
    """An accessible object. Methods raise Gone when it is no more."""

    def __init__(self, bus, bus_name, path):
        self.bus, self.bus_name, self.path = bus, bus_name, path

    def __eq__(self, other):
        return isinstance(other, Node) and (self.bus_name, self.path) == (other.bus_name, other.path)

    def __hash__(self):
        return hash((self.bus_name, self.path))

    def __repr__(self):
        try:
            return f'<{self.role} “{self.name}”>'
        except Gone:
            return '<gone>'

    def _call(self, interface, method, signature='()', *arguments):
        return self.bus.call(self.bus_name, self.path, PREFIX + interface, method, signature, *arguments)

    def _property(self, interface, name):
        value, = self.bus.call(self.bus_name, self.path, 'org.freedesktop.DBus.Properties', 'Get', '(ss)', PREFIX + interface, name)
        return value

    @property
    def name(self):
        return self._property('Accessible', 'Name')

    @property
    def description(self):
        return self._property('Accessible', 'Description')

    @property
    def role(self):
        return self._call('Accessible', 'GetRoleName')[0]

    @property
    def states(self):
        return state_names(tuple(self._call('Accessible', 'GetState')[0]))

    @property
    def interfaces(self):
        return {name.removeprefix(PREFIX) for name in self._call('Accessible', 'GetInterfaces')[0]}

    @property
    def attributes(self):
        return self._call('Accessible', 'GetAttributes')[0]

    def children(self):
        return self.bus.nodes(self._call('Accessible', 'GetChildren')[0])

    def parent(self):
        return Node(self.bus, *self._property('Accessible', 'Parent'))

    @property
    def text(self):
        """What it reads: its text where it has one, else its name."""
        if 'Text' in self.interfaces:
            return self._call('Text', 'GetText', '(ii)', 0, END)[0]
        return self.name

    def set_text(self, text):
        self._call('EditableText', 'SetTextContents', '(s)', text)

    @property
    def value(self):
        return self._property('Value', 'CurrentValue')

    @property
    def actions(self):
        return [name for name, *_ in self._call('Action', 'GetActions')[0]]

    def act(self, number=0):
        """Does what the object offers to do, such as to be clicked."""
        done, = self._call('Action', 'DoAction', '(i)', number)
        if not done:
            raise AssertionError(f'{self!r} did not do its action {number}')

    @property
    def extents(self):
        """x, y, width, height in its window."""
        return self._call('Component', 'GetExtents', '(u)', WINDOW)[0]

    def outline(self, depth=0, seen=None):
        """The tree as text, for whoever wants to know why something was not found."""
        seen = seen or set()
        if self in seen:
            return f'{"  " * depth}(above)'
        seen.add(self)
        try:
            states = ' '.join(sorted(self.states - {'enabled', 'sensitive', 'visible'}))
            lines = [f'{"  " * depth}{self.role} “{self.name[:100]}” {self.extents if "Component" in self.interfaces else ""} {states}']
            return '\n'.join(lines + [child.outline(depth + 1, seen) for child in self.children()])
        except Gone:
            return f'{"  " * depth}(gone)'
