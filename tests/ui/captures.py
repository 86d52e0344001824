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
    return '<0.1 %' if part and value < 0.05 else '>99.9 %' if part < whole and value >= 99.95 else f'{value:.1f} %'


def duration(nanoseconds):
    """As the window writes durations of less than a minute: four digits, but for nanoseconds."""
    if nanoseconds < 1e3:
        return f'{nanoseconds} ns'
    unit, size = ('µs', 1e3) if nanoseconds < 999.95e3 else ('ms', 1e6) if nanoseconds < 999.95e6 else ('s', 1e9)
    value = nanoseconds / size
    return f'{value:.{3 if value < 9.9995 else 2 if value < 99.995 else 1 if value < 999.95 else 0}f} {unit}'


def amount(row, which):
    """How long a clock's samples stand for, as the window writes it. Of a row, or a node; `which` is "self" or "total"."""
    return duration(row[f'{which}_weight']) if row[which] else '0'


class Measure:
    """What the window compares the samples of a report's first event by: their number, or for how long they say that somebody waited. Of
    a row, or a node, as amount and as share; `which` is "self" or "total". Amounts are times, too, where a clock took the samples."""

    def __init__(self, said):
        event = said['events'][0]
        self.is_time = event['name'] == 'off-cpu'
        self.has_time = self.is_time or event['name'] == 'cpu-clock'
        self.whole = event['weight' if self.is_time else 'samples']

    def of(self, row, which):
        return row[f'{which}_weight' if self.is_time else which]

    def amount(self, row, which):
        return amount(row, which) if self.has_time else str(row[which])

    def share(self, row, which):
        return share(self.of(row, which), self.whole)
