#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the flame graph costs, as bench-flame-graph measures it: on an X server of its own, drawn by cairo.

usage: bench-flame-graph.py [CAPTURE]…     (without: one of 500,000 samples that is made up)
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / 'tests' / 'ui'))
from captures import BUILD, make  # noqa: E402
from desktop import Desktop  # noqa: E402


def measure(desktop, capture):
    """Prints what it measures of a capture."""
    with tempfile.TemporaryDirectory(prefix='capture-bench-') as home:
        subprocess.run([BUILD / 'bench' / 'bench-flame-graph', capture], env=desktop.environment(home), check=True)


def main():
    print(f'load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors', flush=True)
    desktop = Desktop().start()
    try:
        with tempfile.TemporaryDirectory(prefix='capture-bench-') as directory:
            for capture in sys.argv[1:] or [make(pathlib.Path(directory) / 'made.capture', samples=500_000, threads=8, stacks=20_000)]:
                measure(desktop, capture)
    finally:
        desktop.stop()


if __name__ == '__main__':
    main()
