# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking through many accessible objects at once. What the program tells of all of them in one answer is taken from there; the rest
is asked of many together.

    look = Look(application)
    for row in look.find_all('row', within=look.find('tree grid', 'Functions')):
        print(look.texts(look.find_all('grid cell', within=row)))

A Look is of one moment: what was answered once is not asked again.
"""
import re

from accessible import ROOT


class Look:
    def __init__(self, root, showing=True):
        self.root, self.bus, self.showing = root, root.bus, showing
        items = self.bus.items(root)
        self._states = {node: item.states for node, item in items.items()}
        self._names = {node: item.name for node, item in items.items()}
        self._without_text = {node for node, item in items.items() if not item.has_text}
        self._below = _children(items)

    def levels(self, within=None):
        """Lists of the objects below one, each list a level deeper; but for those that do not show, when only those are looked at
        that do."""
        level = [within or self.root]
        # Once each: with GTK 4.18 two objects may have the same child, and a child may have what it is in.
        seen = set(level)
        while level:
            level = [node for node in dict.fromkeys(self._children_of(level)) if node not in seen]
            seen.update(level)
            if level:
                yield level

    def _children_of(self, nodes):
        new = [node for node in nodes if node not in self._below]
        for node, children in zip(new, self.bus.children_of(new)):
            self._below[node] = children
        found = [child for node in nodes for child in self._below[node]]
        if self.showing:
            self._ask(self._states, self.bus.states_of, found)
            found = [child for child in found if 'visible' in self._states[child]]
        return found

    def _ask(self, known, of, nodes):
        new = [node for node in nodes if node not in known]
        known.update(zip(new, of(new)))

    def name(self, node):
        """"" for what has gone."""
        self._ask(self._names, self.bus.names_of, [node])
        return self._names[node]

    def texts(self, nodes):
        """What each reads: its text where it has one, else its name."""
        self._ask(self._names, self.bus.names_of, nodes)
        texts = self._texts_of(nodes)
        return [texts.get(node) or self._names[node] for node in nodes]

    def find_all(self, role=None, name=None, within=None, states=()):
        """Outermost first. A name, text or pattern, is also looked for in the text of what has one."""
        return [node for level in self.levels(within) for node in self._matching(level, role, name, states)]

    def find(self, role=None, name=None, within=None, states=()):
        """The first one, or None."""
        return next((node for level in self.levels(within) for node in self._matching(level, role, name, states)), None)

    def _matching(self, nodes, role, name, states):
        if role is not None:
            nodes = [node for node, its in zip(nodes, self.bus.roles_of(nodes)) if its == role]
        if states:
            self._ask(self._states, self.bus.states_of, nodes)
            nodes = [node for node in nodes if self._states[node] >= set(states)]
        return nodes if name is None else self._named(nodes, name)

    def _named(self, nodes, name):
        self._ask(self._names, self.bus.names_of, nodes)
        others = {node for node in nodes if not _is(plain(self._names[node]), name)}
        texts = self._texts_of(others)
        return [node for node in nodes if node not in others or _is(texts.get(node, ''), name)]

    def _texts_of(self, nodes):
        some = [node for node in nodes if node not in self._without_text]
        return dict(zip(some, self.bus.texts_of(some)))


def _children(items):
    """{Node: its children} of those of whom all are known: hidden ones do not count, and some others are made when they are asked for.
    A stack says that it has one, which may be any of its pages; and the root says that it has none."""
    found = {}
    for node, item in sorted(items.items(), key=lambda its: its[1].index):
        if 'visible' in item.states:
            found.setdefault(item.parent, []).append(node)
    return {node: children for node, item in items.items() for children in [found.get(node, [])]
            if item.children == len(children) and len(children) != 1 and node.path != ROOT}


def _is(text, name):
    return bool(name.search(text)) if isinstance(name, re.Pattern) else text == name


def plain(name):
    """A name as it is read: GTK 4.8 calls a button with a mnemonic "_Record Record"."""
    first, second = name[:(len(name) + 1) // 2], name[(len(name) + 1) // 2 + 1:]
    return second if first.replace('_', '', 1) == second and '_' in first else name
