#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person waits for in the window: until it stands, until the first flame graph, until names are there; and what it takes of
memory. Beside it Debian's Sysprof with a capture of as many samples. On an X server of their own, drawn by cairo.

usage: bench-viewer.py [--capture FILE] [--rounds N] [--large N] [--without-sysprof] [--without-gl]

Without FILE a system-wide recording of a compiler run is made, which takes root, perf, gcc and npm. GTK loads GL even where cairo
draws; without a graphics card that is Mesa's renderer in software with LLVM, some 60 MB, which --without-gl keeps out.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / 'tests' / 'ui'))
from compiler_run import BUILD, CAPTURECTL, WORK, perf_data  # noqa: E402
from desktop import Desktop, end_with_parent  # noqa: E402

VIEWER = BUILD / 'viewer' / 'capture-viewer'
COLUMNS = 12     # of pixels that are looked at
STILL = 5        # seconds without a change of the screen or work: it is done
TOO_LONG = 300   # seconds


class Watched:
    """A program from its start until it stands still. Seconds after its start: `window`, `graph` (boxes cover a fiftieth of what
    lies below the window's upper third; none for who draws none), `still`; MiB: `peak` and `settled`."""

    def __init__(self, desktop, environment, *command):
        self.desktop, self.window, self.graph, self.still = desktop, None, None, None
        self.home = pathlib.Path(tempfile.mkdtemp(prefix='capture-bench-'))
        self.begin = time.monotonic()
        self.process = subprocess.Popen([str(word) for word in command], env=desktop.environment(self.home) | environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=end_with_parent)
        try:
            self._watch()
        finally:
            self.process.kill()
            self.process.wait()
            shutil.rmtree(self.home, ignore_errors=True)

    def _now(self):
        return time.monotonic() - self.begin

    def _watch(self):
        seen, worked, busy = None, 0, 0
        while self._now() < TOO_LONG and self._now() - busy < STILL:
            columns, work, now = self._look(), self._processor_time(), self._now()
            if columns is None or columns != seen or work > worked:
                busy = now
            if columns is not None and columns != seen:
                self.still = now
                self.window = self.window or now
                if self.graph is None and boxes(columns) > 0.02:
                    self.graph = now
            seen, worked = columns, work
            time.sleep(0.004 if self.graph is None else 0.05)
        self.peak, self.settled = self._memory('VmHWM'), self._memory('VmRSS')

    def _look(self):
        """Columns of what the window shows; None before there is one."""
        windows = [window for window in self.desktop.screen.windows(self.process.pid) if not window.popup]
        columns = [self.desktop.screen.column(windows[-1], (i + 0.5) / COLUMNS) for i in range(COLUMNS)] if windows else [None]
        return None if None in columns else columns

    def _processor_time(self):
        fields = pathlib.Path(f'/proc/{self.process.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def _memory(self, field):
        text = pathlib.Path(f'/proc/{self.process.pid}/status').read_text()
        return int(text.split(f'{field}:')[1].split()[0]) / 1024


def boxes(columns):
    """The share of coloured pixels, four bytes each, in the lower two thirds."""
    coloured = total = 0
    for column in columns:
        pixels = column[len(column) // 12 * 4:]
        total += len(pixels) // 4
        coloured += sum(max(pixels[at:at + 3]) - min(pixels[at:at + 3]) > 30 for at in range(0, len(pixels), 4))
    return coloured / total


def show(name, results):
    def column(member, unit):
        values = [getattr(result, member) for result in results]
        if None in values:
            return ' ' * 12
        return f'{statistics.median(values):9.2f} {unit:2}'
    print(f'{name:44} window {column("window", "s")}  graph {column("graph", "s")}  still {column("still", "s")}  '
          f'peak {column("peak", "MB")}  settled {column("settled", "MB")}', flush=True)


def compare(desktop, title, capture, options):
    info = json.loads(subprocess.run([CAPTURECTL, 'info', '--json', capture], check=True, stdout=subprocess.PIPE).stdout)
    size = info['uncompressed_size']
    print(f'\n{title}: {info["samples"]} samples, {capture.stat().st_size / 1e6:.1f} MB, uncompressed {size / 1e6:.1f} MB; '
          f'load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors')
    environment = {'GDK_DEBUG': 'gl-disable'} if options.without_gl else {}
    show('capture-viewer', [Watched(desktop, environment, VIEWER, capture) for _ in range(options.rounds)])
    print(f'  (wanted: graph 0.5 s after the window; memory under {2 * size / 2**20 + 150:.0f} MB)')
    with tempfile.TemporaryDirectory(prefix='capture-bench-') as home:
        subprocess.run([BUILD / 'bench' / 'bench-flame-graph', capture], env=desktop.environment(home), check=True)
    if not options.without_sysprof:
        syscap = capture.with_suffix('.syscap')
        subprocess.run([CAPTURECTL, 'export', '--format', 'syscap', '-o', syscap, capture], check=True)
        show(f'sysprof, of {syscap.stat().st_size / 1e6:.1f} MB', [Watched(desktop, environment, 'sysprof', syscap)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--capture', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--large', type=int, default=10_000_000)
    parser.add_argument('--without-sysprof', action='store_true')
    parser.add_argument('--without-gl', action='store_true')
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    capture = options.capture
    if capture is None:
        capture = WORK / 'compiler.capture'
        subprocess.run([CAPTURECTL, 'import', perf_data(), '-o', capture], check=True, stdout=subprocess.DEVNULL)
    desktop = Desktop().start()
    try:
        compare(desktop, 'A compiler run', capture, options)
        if options.large:
            large = WORK / 'large.capture'
            subprocess.run([BUILD / 'tests' / 'ui' / 'make-capture', f'--samples={options.large}', '--threads=64', '--stacks=200000',
                            '--functions=20000', large], check=True)
            compare(desktop, 'A large one, made up', large, options)
    finally:
        desktop.stop()


if __name__ == '__main__':
    main()
