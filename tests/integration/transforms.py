# SPDX-License-Identifier: GPL-3.0-or-later
"""Transforms in plain words, on folded stacks: a path is a tuple of names, the outermost first."""
import collections
import itertools
import os


def focus_function(path, what):
    return path[path.index(what):] if what in path else None


def focus_path(path, what):
    return path[len(what) - 1:] if path[:len(what)] == what else None


def focus_path_inverted(path, what):
    return path[:len(path) - len(what) + 1] if path[::-1][:len(what)] == what else None


def merge_function(path, what):
    return tuple(name for name in path if name != what)


def merge_path(path, what):
    return path[:len(what) - 1] + path[len(what):] if path[:len(what)] == what else path


def drop_function(path, what):
    return None if what in path else path


def collapse_function(path, what):
    return path[:path.index(what) + 1] if what in path else path


def collapse_direct_recursion(path, what):
    return tuple(name for number, name in enumerate(path) if not (number and name == what == path[number - 1]))


def collapse_recursion(path, what):
    if what not in path:
        return path
    return path[:path.index(what)] + path[len(path) - 1 - path[::-1].index(what):]


def collapse_binary(path, what, names, collapsed):
    """names: those of the binary's functions."""
    done = []
    for inside, group in itertools.groupby(path, lambda name: name in names):
        done += [collapsed] if inside else group
    return tuple(done)


FUNCTION = {
    'focus-function': focus_function, 'merge-function': merge_function, 'drop-function': drop_function,
    'collapse-function': collapse_function, 'collapse-direct-recursion': collapse_direct_recursion,
    'collapse-recursion': collapse_recursion}
PATH = {'focus-path': focus_path, 'focus-path-inverted': focus_path_inverted, 'merge-path': merge_path}


class Stacks:
    """Folded stacks, and the binary of each name."""

    def __init__(self, counts, binaries):
        self.counts, self.binaries = counts, binaries

    def transformed(self, kind, what):
        """what: a name, a path of names, or the path of a binary."""
        binaries = self.binaries
        if kind == 'collapse-binary':
            names = {name for name, binary in binaries.items() if binary == what}
            collapsed = name_of(what, names)
            binaries = {**binaries, collapsed: what}
            change = lambda path: collapse_binary(path, what, names, collapsed)  # noqa: E731
        else:
            function = FUNCTION.get(kind) or PATH[kind]
            change = lambda path: function(path, what)  # noqa: E731
        counts = collections.Counter()
        for path, count in self.counts.items():
            new = change(path)
            if new is not None:
                counts[new] += count
        return Stacks(counts, binaries)


def name_of(binary, names):
    """What the function is called that a binary's frames are collapsed into, as folded stacks write it."""
    ending = {name[-4:] for name in names} & {'_[k]', '_[j]'}
    return os.path.basename(binary) + ''.join(ending)


def read_folded(text):
    counts = collections.Counter()
    for line in text.splitlines():
        path, _, count = line.rpartition(' ')
        counts[() if path == '[no stack]' else tuple(path.split(';'))] += int(count)
    return counts


def write_what(what):
    return ';'.join(what) if isinstance(what, tuple) else what
