#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes pictures of every page from real recordings: a compiler, a LuaJIT program, the whole system; and from one that is made up, with
400 threads and long names. Light and dark, small and large. Needs a build in build/, clang, LuaJIT, and the permission to record.

usage: tests/ui/screenshots.py [-o DIRECTORY] [--only NAME-PAGE-SCHEME-SIZE…]

They go into build/screenshots/; the best of them stand in docs/screenshots/. With --only, those whose names contain one of the words.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'integration')]

from captures import make  # noqa: E402
from desktop import Desktop  # noqa: E402
from examples import build, install  # noqa: E402
from support import BUILD, capturectl  # noqa: E402
from window import Viewer  # noqa: E402

SIZES = {'small': (1000, 700), 'large': (1600, 1000)}
SCHEMES = {'light': 'prefer-light', 'dark': 'prefer-dark'}
PAGES = 'flame tree functions timeline marks processes health details'.split()

# Templates, whose functions have the long names that C++ is known for.
SOURCE = '''
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> std::map<std::string, std::vector<int>> index(const std::string &text) {
  std::map<std::string, std::vector<int>> found = index<N - 1>(text);
  std::regex word("[a-z]+" + std::to_string(N));
  for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)
    found[i->str()].push_back(N);
  return found;
}
template <> std::map<std::string, std::vector<int>> index<0>(const std::string &) { return {}; }
int main(int argc, char **argv) { return index<40>(argv[0]).size(); }
'''


def record(path, *command, options=(), env=None, cwd=None):
    capturectl('record', '-q', *options, '-o', path, '--', *command, env=env, cwd=cwd, timeout=300)


def record_compiler(path, directory):
    source = directory / 'index.cpp'
    source.write_text(SOURCE)
    record(path, 'clang++', '-O2', '-c', source.name, options=('-F', '2999'), cwd=directory)


def record_luajit(path, directory):
    env = install(directory / 'installed')
    place = build('luajit', directory, env)
    record(path, place / 'luajit-host', 'work.lua', '4', options=('-F', '1999'), env=env, cwd=place)


def record_system(path, directory):
    script = ('for i in 1 2 3; do gzip -9 < /usr/bin/gdb > /dev/null & python3 -c "sum(i * i for i in range(8_000_000))" & '
              'find /usr/lib -type f | xargs sha1sum > /dev/null; done; wait')
    record(path, 'sh', '-c', script, options=('-a', '-F', '999'), cwd=directory)


def make_threads(path, _directory):
    make(path, samples=200_000, threads=400, stacks=4000, functions=300, long_names=True, marks=300, lost=1200)


CAPTURES = {'compiler': record_compiler, 'luajit': record_luajit, 'system': record_system, 'threads': make_threads}


class Photographer:
    def __init__(self, directory, words):
        self.directory, self.words = directory, words
        self.desktop = Desktop().start()

    def wants(self, *parts):
        return not self.words or any(word in '-'.join(parts) for word in self.words)

    def photograph(self, name, capture):
        for scheme in SCHEMES:
            if any(self.wants(name, page, scheme, size) for page in PAGES for size in SIZES):
                self.photograph_scheme(name, scheme, capture)

    def photograph_scheme(self, name, scheme, *capture):
        with tempfile.TemporaryDirectory(prefix='capture-home-') as home:
            viewer = Viewer(self.desktop, home, *capture, env={'ADW_DEBUG_COLOR_SCHEME': SCHEMES[scheme]})
            try:
                for size, (width, height) in SIZES.items():
                    viewer.resize(width, height)
                    self.photograph_pages(viewer, name, scheme, size, bool(capture))
            finally:
                viewer.kill()
            print(f'{name} {scheme}: {viewer.said.read_text() or "nothing to say"}', flush=True)

    def photograph_pages(self, viewer, name, scheme, size, has_pages):
        for number, page in enumerate(PAGES if has_pages else ['start']):
            if has_pages:
                viewer.find('button', 'Whole Recording')
                viewer.press(f'alt+{number + 1}')
            if self.wants(name, page, scheme, size):
                viewer.rest()
                viewer.write_picture(self.directory / f'{name}-{page}-{scheme}-{size}.png')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-o', type=pathlib.Path, default=BUILD / 'screenshots', metavar='DIRECTORY')
    parser.add_argument('--only', nargs='*', default=[])
    options = parser.parse_args()
    options.o.mkdir(parents=True, exist_ok=True)
    photographer = Photographer(options.o, options.only)
    try:
        for scheme in SCHEMES:
            if photographer.wants('start', scheme):
                photographer.photograph_scheme('start', scheme)
        for name, write in CAPTURES.items():
            capture = options.o / f'{name}.capture'
            if not capture.exists():
                with tempfile.TemporaryDirectory(prefix='capture-work-') as work:
                    write(capture, pathlib.Path(work))
            photographer.photograph(name, capture)
    finally:
        photographer.desktop.stop()
    subprocess.run(['ls', '-l', options.o], check=True)


if __name__ == '__main__':
    main()
