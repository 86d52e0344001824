# SPDX-License-Identifier: GPL-3.0-or-later
"""The house as docs/architecture.md draws it: which room includes which, and how large rooms and files are."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
ARCHITECTURE = SOURCE / 'docs/architecture.md'
BESIDE = ('tests', 'bench', 'examples')  # may include whatever they test, measure or show
ANY = ('.c', '.h', '.ui', '.py')

LINES = 600
MODULES = 35
FORMATTER = 14  # .clang-format is for this release: others lay out otherwise


def sources(*suffixes):
    """Files of the tree with one of these suffixes, as paths from its root; what was built or fetched is not the tree's."""
    found = []
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = sorted(name for name in folders if not name.startswith(('.', 'build', 'corpus')) and
                            not (pathlib.Path(folder) / name / 'build.ninja').exists())
        found += [(pathlib.Path(folder) / name).relative_to(SOURCE) for name in sorted(names) if name.endswith(suffixes)]
    return found


def read_arrows():
    """{room: what it may include}, from the table: a room, or with * all rooms below it."""
    rows = re.findall(r'^\| `([a-z-/]+)/` \|.*\| ([^|]+) \|$', ARCHITECTURE.read_text(encoding='utf-8'), re.M)
    return {room: re.findall(r'`([a-z-/]+/\*?)`', allowed) for room, allowed in rows}


def room_of(path, rooms):
    folder = str(path.parent)
    while folder not in rooms:
        folder = os.path.dirname(folder)
        if not folder:
            return None
    return folder


def is_allowed(room, allowed):
    return any(room + '/' == each or each.endswith('*') and (room + '/').startswith(each[:-1]) for each in allowed)


def includes():
    """(file, included file) of the tree's own."""
    files = sources('.c', '.h')
    there = set(files)
    for path in files:
        for name in re.findall(r'^ *# *include "([^"]+)"', (SOURCE / path).read_text(encoding='utf-8'), re.M):
            for place in (pathlib.Path(name), path.parent / name, pathlib.Path('helpers/recorder/bpf') / name):
                if place in there:
                    yield path, place
                    break


def find_circle(arrows):
    """Folders that include each other in a circle, or nothing."""
    done = set()

    def walk(folder, path):
        if folder in path:
            return path[path.index(folder):]
        if folder in done:
            return None
        done.add(folder)
        for other in sorted(arrows[folder]):
            circle = walk(other, path + [folder])
            if circle:
                return circle
        return None

    return next(filter(None, (walk(folder, []) for folder in sorted(arrows))), None)


class RoomsTest(unittest.TestCase):
    def test_arrows(self):
        rooms = read_arrows()
        self.assertGreater(len(rooms), 40)
        for path, included in includes():
            if path.parts[0] in BESIDE:
                continue
            room, other = room_of(path, rooms), room_of(included, rooms)
            self.assertIsNotNone(room, f'{path}: docs/architecture.md has no row for its folder')
            self.assertTrue(room == other or is_allowed(other, rooms[room]),
                            f'{path} includes {included}: docs/architecture.md does not let {room} include {other}')

    def test_arrows_are_there(self):
        """A row says no more than is so: each room that it names is included."""
        rooms, arrows = read_arrows(), collections.defaultdict(set)
        for path, included in includes():
            arrows[room_of(path, rooms)].add(room_of(included, rooms))
        for room, allowed in rooms.items():
            self.assertTrue((SOURCE / room).is_dir(), f'docs/architecture.md has a row for {room}, which is not there')
            for each in allowed:
                self.assertTrue(any(is_allowed(other, [each]) for other in arrows[room]), f'{room} includes nothing of {each}')

    def test_no_circle(self):
        arrows = collections.defaultdict(set)
        for path, included in includes():
            if path.parts[0] not in BESIDE and path.parent != included.parent:
                arrows[str(path.parent)].add(str(included.parent))
                arrows[str(included.parent)]
        self.assertIsNone(find_circle(arrows))

    def test_length_of_files(self):
        for path in sources(*ANY):
            with open(SOURCE / path, encoding='utf-8') as file:
                self.assertLessEqual(sum(1 for _line in file), LINES, path)

    def test_size_of_folders(self):
        """A .c file with its headers and its .ui file is one module."""
        modules = collections.defaultdict(set)
        for path in sources(*ANY):
            modules[path.parent].add(path.name.split('.')[0].removesuffix('-private'))
        for folder, names in modules.items():
            self.assertLessEqual(len(names), MODULES, folder)

    def test_static_functions_name_their_object(self):
        """They stand in flame graphs, where a "take" may be anybody's."""
        for path in sources('.c'):
            if path.parts[0] not in BESIDE:
                names = re.findall(r'^static [\w *]*?\b([a-z0-9]+)\(', (SOURCE / path).read_text(encoding='utf-8'), re.M)
                self.assertEqual(names, [], path)

    def test_sorted_lists(self):
        """Of files in meson.build, as whoever adds one expects."""
        for path in sources('meson.build'):
            for names in re.findall(r"files\(\n((?: +'[^']+',\n)+)", (SOURCE / path).read_text(encoding='utf-8')):
                names = re.findall("'([^']+)'", names)
                self.assertEqual(names, sorted(set(names)), path)

    def test_layout(self):
        # What tests record and compare has the lines that they look for.
        paths = [str(path) for path in sources('.c', '.h') if path.parts[:2] not in (('tests', 'data'), ('tests', 'programs'))]
        done = subprocess.run(['clang-format', '--dry-run', '--Werror', *paths], cwd=SOURCE, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])


# A release that has another one cannot get this one: layout is not judged there.
if shutil.which('clang-format') and f'version {FORMATTER}.' not in subprocess.run(
        ['clang-format', '--version'], capture_output=True, text=True).stdout:
    del RoomsTest.test_layout


if __name__ == '__main__':
    unittest.main()
