# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures for the tests of the window, and what capturectl says of them."""
import json
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / 'integration')]

from support import BUILD, capturectl, run  # noqa: E402

MAKE_CAPTURE = BUILD / 'tests' / 'ui' / 'make-capture'


def make(path, *options, **numbers):
    """Writes what make-capture.c describes, make(path, samples=8000, long_names=True); returns the path."""
    for name, value in numbers.items():
        option = f'--{name.replace("_", "-")}'
        options += (option,) if value is True else (f'{option}={value}',)
    run(MAKE_CAPTURE, *options, path, timeout=300)
    return path


def report(path, *arguments):
    """What `capturectl report --json` says."""
    return json.loads(capturectl('report', '--json', *arguments, path).stdout)


def functions(path, *arguments):
    """Its rows by function: {name: row}."""
    return {row['name']: row for row in report(path, *arguments)['rows']}


def share(part, whole):
    """As the window writes shares."""
    value = 100 * part / whole if whole else 0
    return '<0.1 %' if part and value < 0.05 else f'{value:.1f} %'
