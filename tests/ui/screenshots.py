#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes pictures of every page: from real recordings of a compiler, a LuaJIT program and the whole system, of one while it goes on; and
from made ones with 4 and 400 threads, with long names, with next to nothing and with nothing. Light and dark, small and large, one also in
high contrast, in German and in Hebrew, which reads from the right. Needs a build in build/, clang, LuaJIT, and the permission to record.

usage: tests/ui/screenshots.py [-o DIRECTORY] [--only NAME-SCENE-LOOK-SIZE…]

They go into build/screenshots/, with the recordings, which are made once; the best of them stand in docs/screenshots/. With --only, those
whose names contain one of the words.
"""
import argparse
import atexit
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'integration')]

from captures import make  # noqa: E402
from desktop import Desktop  # noqa: E402
from examples import build, install  # noqa: E402
from record_page import RecordPage  # noqa: E402
from support import BUILD, capturectl, language  # noqa: E402
from window import DETAILS, FLAME, FUNCTIONS, HEALTH, MARKS, PROCESSES, SUMMARY, TIMELINE, TREE, Viewer  # noqa: E402

SIZES = {'small': (1000, 700), 'large': (1600, 1000)}
LOOKS = {
    'light': {'ADW_DEBUG_COLOR_SCHEME': 'prefer-light'},
    'dark': {'ADW_DEBUG_COLOR_SCHEME': 'prefer-dark'},
    'contrast': {'ADW_DEBUG_HIGH_CONTRAST': '1'},
    'german': language('de'),
    'hebrew': language('he'),
}
USUAL, EVERY = ('light', 'dark'), tuple(LOOKS)

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
# Ten times as much, of which nobody waits for the end.
LONG_SOURCE = SOURCE.replace('<40>', '<400>')


# Of which one sees lines and instructions: its hot line is not where most of its lines are, and has something inlined.
MIX = '''/* Mixes the bits of a value. */
static inline unsigned rotate(unsigned value, unsigned by)
{
  return value << by | value >> (32 - by);
}

static inline unsigned mix(unsigned value)
{
  for (unsigned i = 1; i < 6; i++) {
    value ^= rotate(value, i * 5);
    value = value * 2654435761u + i;
  }
  return value;
}
'''
BUCKETS = '''#include <stdio.h>
#include <stdlib.h>

#include "mix.h"

enum { SIZE = 1 << 16, BUCKETS = 4099 };

static unsigned keys[SIZE], counts[BUCKETS];

/* Keys that look like chance. */
__attribute__((noinline)) static void fill(unsigned seed)
{
  for (unsigned i = 0; i < SIZE; i++)
    keys[i] = seed = seed * 1664525u + 1013904223u;
}

/* How many keys each bucket gets. */
__attribute__((noinline)) static void count(unsigned buckets)
{
  for (unsigned i = 0; i < SIZE; i++) {
    unsigned hash = mix(keys[i]);

    if (hash & 1)
      counts[hash % buckets]++;
    else
      counts[(hash >> 1) % buckets]++;
  }
}

__attribute__((noinline)) static unsigned find_largest(void)
{
  unsigned largest = 0;

  for (unsigned i = 0; i < BUCKETS; i++)
    if (counts[i] > counts[largest])
      largest = i;
  return largest;
}

int main(int argc, char **argv)
{
  unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, sum = 0;

  for (unsigned i = 0; i < rounds; i++) {
    fill(i);
    count(BUCKETS - i % 2);
    sum += find_largest();
  }
  printf("%u\\n", sum);
  return 0;
}
'''


# Recordings.

def record(path, *command, options=(), env=None, cwd=None):
    capturectl('record', '-q', *options, '-o', path, '--', *command, env=env, cwd=cwd, timeout=300)


def record_compiler(path, directory):
    source = directory / 'index.cpp'
    source.write_text(SOURCE)
    record(path, 'clang++', '-O2', '-c', source.name, options=('-F', '2999'), cwd=directory)


def record_luajit(path, directory):
    env = install(directory / 'installed')
    place = build('luajit', directory, env)
    record(path, './luajit-host', 'work.lua', '4', options=('-F', '1999'), env=env, cwd=place)


def record_system(path, directory):
    script = directory / 'work.sh'
    script.write_text(f'for i in 1 2 3; do gzip -9 < "{BUILD}/viewer/capture-viewer" > /dev/null &\n'
                      'python3 -c "sum(i * i for i in range(8_000_000))" &\n'
                      'find /usr/lib -type f | head -n 4000 | xargs -d "\\n" sha1sum > /dev/null; done; wait\n')
    record(path, 'sh', script.name, options=('-a', '-F', '999'), cwd=directory)


def make_many(path, _directory):
    make(path, samples=200_000, threads=400, stacks=4000, functions=300, long_names=True, marks=300, lost=1200)


def make_few(path, _directory):
    make(path, samples=8000, threads=4, marks=40)


def make_empty(path, _directory):
    make(path, samples=0, threads=1)


def write_lines():
    """Where pictures show a path that is nobody's home; as old as if nobody had touched it since."""
    place = pathlib.Path(tempfile.gettempdir()) / 'buckets'
    if not place.exists():
        place.mkdir()
        atexit.register(shutil.rmtree, place)
    for name, text in (('mix.h', MIX), ('buckets.c', BUCKETS)):
        (place / name).write_text(text)
        os.utime(place / name, (10**9, 10**9))
    return place


def record_lines(path, _directory):
    place = write_lines()
    subprocess.run(['gcc', '-g', '-O2', '-o', 'buckets', 'buckets.c'], cwd=place, check=True)
    record(path, './buckets', '3000', options=('-F', '2999'), cwd=place)


def record_sleep(path, directory):
    record(path, 'sleep', '0.5', options=('-e', 'cpu-clock:u'), cwd=directory)


# Scenes: what is done before the picture is taken. Names of other languages stand beside the English ones.

def open_page(page, *keys):
    def show(viewer):
        viewer.press(page)
        viewer.rest()
        if keys:
            viewer.press(*keys)
    return show


def choose_view(*names):
    def show(viewer):
        viewer.press(FLAME)
        viewer.find(name=re.compile('^(' + '|'.join(names) + ')$'), states=['focusable']).act()
    return show


def search(viewer, text):
    viewer.press('ctrl+f')
    viewer.type(text)


def search_in_vain(page):
    def show(viewer):
        open_page(page)(viewer)
        search(viewer, 'no such name')
    return show


def stop_searching(viewer):
    viewer.press('ctrl+f', 'Escape')


def drop_everything(page):
    """Drops the samples with the function that all begin with."""
    def show(viewer):
        open_page(TREE)(viewer)
        viewer.press('Home', 'Down', 'd')
        open_page(page)(viewer)
    return show


def take_back(viewer):
    viewer.press('ctrl+z')


top_down = choose_view('Top-Down', 'Von oben', 'מלמעלה למטה')
PAGES = {
    'summary': (open_page(SUMMARY), None),
    'flame': (open_page(FLAME), None),
    'chronological': (choose_view('Chronological', 'Chronologisch', 'כרונולוגי'), top_down),
    'tree': (open_page(TREE), None),
    'functions': (open_page(FUNCTIONS, 'Down', 'Up'), None),
    'timeline': (open_page(TIMELINE), None),
    'marks': (open_page(MARKS), None),
    'processes': (open_page(PROCESSES), None),
    'health': (open_page(HEALTH), None),
    'details': (open_page(DETAILS), None),
}


def open_source(side):
    """By a double click on a box of the flame graph; what stands beside the text is chosen by a click."""
    def show(viewer):
        write_lines()
        open_page(FLAME)(viewer)
        viewer.press('Home')
        while not viewer.find_all('tree item', 'count'):
            viewer.press('Down')
            viewer.rest()
        viewer.click(viewer.find('tree item', 'count'), times=2)
        viewer.find('text box')
        viewer.rest()
        viewer.click(viewer.find('tab', side))
    return show


LINES = {'flame': (open_page(FLAME), None), 'source': (open_source('Hottest Lines'), None), 'code': (open_source('Machine Code'), None)}
# What a page says when there is nothing to show.
SEARCHED = {'flame': FLAME, 'tree': TREE, 'functions': FUNCTIONS, 'timeline': TIMELINE, 'marks': MARKS}
IN_VAIN = {f'in-vain-{name}': (search_in_vain(page), stop_searching) for name, page in SEARCHED.items()}
NOTHING_LEFT = {f'nothing-left-{name}': (drop_everything(page), take_back)
                for name, page in {'summary': SUMMARY, **SEARCHED, 'processes': PROCESSES, 'health': HEALTH}.items()}
SEARCH = {'search': (lambda viewer: (open_page(FLAME)(viewer), search(viewer, 'pass')), stop_searching)}

# name: how it is made, in which looks, which scenes
RECORDINGS = {
    'compiler': (record_compiler, EVERY, {**PAGES, **SEARCH}),
    'luajit': (record_luajit, USUAL, PAGES),
    'system': (record_system, USUAL, PAGES),
    'many': (make_many, EVERY, PAGES),
    'few': (make_few, USUAL, {**PAGES, **IN_VAIN, **NOTHING_LEFT}),
    'lines': (record_lines, USUAL, LINES),
    'sleep': (record_sleep, USUAL, PAGES),
    'empty': (make_empty, USUAL, PAGES),
}


class Live(RecordPage):
    """A compiler that is being recorded, from the start page on."""

    def __init__(self, viewer):
        self.viewer = viewer
        (viewer.home / 'index.cpp').write_text(LONG_SOURCE)
        viewer.click(viewer.find('text box', 'Command and Arguments'))
        viewer.type('clang++ -O2 -c index.cpp')
        viewer.press('Return')
        self.wait_for_samples()
        viewer.find('button', 'Top-Down')

    def wait_for_more(self, samples):
        enough = self.count('Samples') + samples
        self.viewer.wait(lambda: self.count('Samples') >= enough, f'there are {enough} samples')

    def stop(self):
        self.viewer.press('Escape')
        self.expect_document()


class Photographer:
    def __init__(self, directory, words):
        self.directory, self.words = directory, words
        self.desktop = Desktop().start()

    def wants(self, *parts):
        return not self.words or any(word in '-'.join(parts) for word in self.words)

    def photograph_start(self):
        for look in LOOKS:
            self.photograph('start', look, {'start': (lambda viewer: None, None)})

    def photograph_live(self):
        """What is recorded never rests: its picture is taken when there is enough to be seen."""
        for look in USUAL:
            sizes = [size for size in SIZES if self.wants('live', 'recording', look, size)]
            if sizes:
                with self.viewer('live', look) as viewer:
                    live = Live(viewer)
                    for size in sizes:
                        viewer.resize(*SIZES[size])
                        self.write(viewer, f'live-recording-{look}-{size}', lambda: live.wait_for_more(4000))
                    live.stop()

    def photograph_recording(self, name):
        write, looks, scenes = RECORDINGS[name]
        wanted = [look for look in looks if any(self.wants(name, scene, look, size) for scene in scenes for size in SIZES)]
        capture = self.directory / f'{name}.capture'
        if wanted and not capture.exists():
            with tempfile.TemporaryDirectory(prefix='capture-work-') as work:
                write(capture, pathlib.Path(work))
        for look in wanted:
            self.photograph(name, look, scenes, capture)

    def photograph_recents(self):
        """The start page of somebody who has recorded before."""
        captures = [self.directory / f'{name}.capture' for name in ('system', 'luajit', 'compiler')]
        for look in USUAL:
            sizes = [size for size in SIZES if self.wants('start', 'recents', look, size)]
            if sizes and all(capture.exists() for capture in captures):
                with self.viewer('start', look, *captures) as viewer:
                    viewer.wait(lambda: len(viewer.windows()) == len(captures), 'each has a window')
                    viewer.press('ctrl+r')
                    viewer.wait(lambda: len(viewer.windows()) == len(captures) + 1, 'there is a start page')
                    viewer.wait(lambda: len(viewer.find_all('button', 'Remove From the List')) == len(captures), 'all are listed')
                    for size in sizes:
                        viewer.resize(*SIZES[size])
                        self.write(viewer, f'start-recents-{look}-{size}', viewer.rest)

    def photograph(self, name, look, scenes, *capture):
        wanted = {scene: scenes[scene] for scene in scenes if any(self.wants(name, scene, look, size) for size in SIZES)}
        if not wanted:
            return
        with self.viewer(name, look, *capture) as viewer:
            if capture:
                viewer.find('button', re.compile('^(Whole Recording|Ganze Aufnahme|ההקלטה כולה)$'))
                if name == 'luajit':  # whose own sampler knows what Lua calls its functions
                    self.choose_second_event(viewer)
            for size in SIZES:
                viewer.resize(*SIZES[size])
                self.photograph_scenes(viewer, (name, look, size), wanted)

    def write(self, viewer, name, wait):
        """Once the pointer is out of the window, where it lights up nothing, and wait() is over."""
        viewer.screen.move((1, 1))
        wait()
        viewer.write_picture(self.directory / f'{name}.png')

    @contextlib.contextmanager
    def viewer(self, name, look, *capture):
        with tempfile.TemporaryDirectory(prefix='capture-home-') as home:
            viewer = Viewer(self.desktop, home, *capture, env=LOOKS[look])
            try:
                yield viewer
            finally:
                viewer.kill()
            print(f'{name} {look}: {viewer.said.read_text() or "nothing to say"}', flush=True)

    @staticmethod
    def choose_second_event(viewer):
        viewer.rest()
        viewer.click(viewer.find('combo box', 'Event'))
        viewer.find('list item', states=('focused',))
        viewer.press('Down', 'Return')

    def photograph_scenes(self, viewer, names, scenes):
        name, look, size = names
        for scene, (begin, end) in scenes.items():
            if self.wants(name, scene, look, size):
                begin(viewer)
                self.write(viewer, f'{name}-{scene}-{look}-{size}', viewer.rest)
                if end:
                    end(viewer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-o', type=pathlib.Path, default=BUILD / 'screenshots', metavar='DIRECTORY')
    parser.add_argument('--only', nargs='*', default=[])
    options = parser.parse_args()
    options.o.mkdir(parents=True, exist_ok=True)
    photographer = Photographer(options.o, options.only)
    try:
        photographer.photograph_start()
        photographer.photograph_live()
        for name in RECORDINGS:
            photographer.photograph_recording(name)
        photographer.photograph_recents()
    finally:
        photographer.desktop.stop()
    subprocess.run(['ls', '-l', options.o], check=True)


if __name__ == '__main__':
    main()
