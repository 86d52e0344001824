#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the window keeps a person waiting at a stretch while he looks at large tables: the longest turns of its main loop, drawing
included, of which none is to be longer than a frame, 16 ms. The real window with real keys, on an X server of its own, drawn by cairo,
with a screen reader's bus.

usage: bench-frames.py [--capture FILE] [--rounds N] [--only WORD]

FILE is a capture whose call tree and functions are looked at; without, one is made. Then made ones of a million functions and of three
million marks. With --only, what has WORD in its name.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / 'tests' / 'ui'))
from compiler_run import BUILD, WORK  # noqa: E402
from desktop import Desktop  # noqa: E402
from window import Viewer  # noqa: E402

TURNS = BUILD / 'bench' / 'libbench-turns.so'
FRAME = 16  # milliseconds
OF_DESKTOPS = {'GSETTINGS_BACKEND': 'memory'}  # settings are written by another process there, not by this one into a file
SIZE = 1600, 1000


class Watched:
    """A window of which each step is measured: {step: [(clock, processor) of its longest turn, …]}, milliseconds."""

    def __init__(self, desktop, home, capture, steps):
        self.log, self.steps = home / 'turns', steps
        self.log.touch()
        self.viewer = Viewer(desktop, home, capture, env={**OF_DESKTOPS, 'LD_PRELOAD': TURNS, 'CAPTURE_BENCH_TURNS': str(self.log)})
        self.viewer.resize(*SIZE)
        self.viewer.press()  # takes the keyboard
        self.viewer.rest(600)

    def do(self, step, *keys):
        """Presses keys, one when the work of the one before is done."""
        for key in keys:
            begin = self.log.stat().st_size
            self.viewer.screen.press(key)
            self.viewer.rest(600)
            turns = [tuple(int(word) / 1000 for word in line.split()) for line in self.log.read_text()[begin:].splitlines()]
            longest = [max(column, default=0) for column in (list(zip(*turns)) or [(), ()])]
            self.steps.setdefault(step, []).append(longest)

    def choose(self, name):
        """Clicks the first row of a table, not measured. The titles of its columns are a row, too."""
        table = self.viewer.find('tree grid', name, seconds=600)
        _, first, *_ = self.viewer.find_all('row', within=table)
        self.viewer.click(first)
        self.viewer.rest(600)


def walk(window, what):
    """To the end and back."""
    window.do(f'{what}: End, Home', 'End', 'Home')
    window.do(f'{what}: Page Down', 'Page_Down', 'Page_Down', 'Page_Down')
    window.do(f'{what}: Down', 'Down', 'Down', 'Down')
    window.do(f'{what}: End, Home', 'End', 'Home')


def look_at_tree(window):
    window.do('call tree: shown first', 'alt+2')
    window.choose('Call tree')
    window.do('call tree: all below the root opened', 'asterisk')
    window.do('call tree: rows copied', 'ctrl+shift+c')
    walk(window, 'call tree')
    window.do('call tree: root closed', 'Left')
    window.do('call tree: root opened', 'Right')
    window.do('call tree: root closed', 'Left')
    window.do('call tree: root opened', 'Right')


def look_at_functions(window):
    window.do('functions: shown first', 'alt+3')
    window.do('functions: rows copied', 'ctrl+c')
    window.choose('Functions')
    walk(window, 'functions')


def look_at_marks(window):
    window.do('marks: shown first', 'alt+5')
    window.choose('Marks in the Order of Time')
    window.do('marks: rows copied', 'ctrl+c')
    walk(window, 'marks')


def make(name, *options):
    path = WORK / f'{name}.capture'
    if not path.exists():
        subprocess.run([BUILD / 'tests' / 'ui' / 'make-capture', *options, path], check=True)
    return path


def measure(desktop, title, capture, looks, rounds):
    steps = {}
    for _ in range(rounds):
        for look in looks:
            with tempfile.TemporaryDirectory(prefix='capture-bench-') as home:
                window = Watched(desktop, pathlib.Path(home), capture, steps)
                try:
                    look(window)
                finally:
                    window.viewer.kill()
    print(f'\n{title}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n'
          f'{"milliseconds of the longest turn":44} by the clock: median    of processor time: least, median, most')
    for step, longest in steps.items():
        clock, cpu = zip(*longest)
        print(f'{step:44}{statistics.median(clock):21.1f}{min(cpu):28.1f}{statistics.median(cpu):8.1f}{max(cpu):7.1f}'
              f'{"  longer than a frame" if statistics.median(cpu) > FRAME else ""}', flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--capture', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--only', default='')
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    tables = look_at_tree, look_at_functions
    captures = {
        'tree': (lambda: options.capture.resolve() if options.capture else
                 make('frames-tree', '--samples=500000', '--stacks=40000', '--functions=20000'), tables),
        'functions': (lambda: make('frames-functions', '--samples=2000000', '--stacks=200000', '--functions=1000000'), tables),
        'marks': (lambda: make('frames-marks', '--samples=8000', '--marks=3000000'), (look_at_marks,))}
    desktop = Desktop().start()
    try:
        for name, (capture, looks) in captures.items():
            if options.only in name:
                measure(desktop, name, capture(), looks, options.rounds)
    finally:
        desktop.stop()


if __name__ == '__main__':
    main()
