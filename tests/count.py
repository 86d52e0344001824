#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the tests that Meson ran, one by one, from what they themselves said in TAP.

usage: count.py BUILD-DIRECTORY:SUITE[,SUITE…]…

A suite with a minus before it is left out.

Whatever did not end well counts as failed: a test that crashed, hung, printed no plan or not as many
results as planned; a test that Meson knows and did not run; a directory without a log, because it could not
be built. The last line is "N passed, N failed, N skipped". Exit status 1 when anything failed, or
nothing passed, or, with CI=true, when anything was skipped.
"""
import collections
import json
import os
import pathlib
import re
import sys

LINE = re.compile(r'(not )?ok\b[ \d]*(?:- )?([^#]*)(# *skip)?', re.IGNORECASE)
PLAN = re.compile(r'1\.\.(\d+)(?: *# *skip)?', re.IGNORECASE)


def count_test(test):
    """Counts one test of Meson's: a Counter of passed, failed, skipped, and what went wrong."""
    counts, wrong, plans = collections.Counter(), [], []
    for line in (test['stdout'] or '').splitlines():
        if match := LINE.match(line):
            outcome = 'failed' if match[1] else 'skipped' if match[3] else 'passed'
            counts[outcome] += 1
            if match[1]:
                wrong.append(match[2].strip())
        elif match := PLAN.match(line):
            plans.append(int(match[1]))
        elif line.startswith('# ') and wrong and outcome == 'failed':
            wrong[-1] += f'\n    {line[2:]}'
    if plans == [0] and test['result'] == 'SKIP':
        counts['skipped'] += 1
    elif plans != [counts.total()] or (test['result'] not in ('OK', 'SKIP') and not counts['failed']):
        counts['failed'] += 1
        wrong.append(f'did not end well: {test["result"]}, status {test["returncode"]}, '
                     f'{counts.total() - 1} results of {plans or "an unknown number"}\n{test.get("stderr", "")[-4000:]}')
    return counts, wrong


def count_directory(directory, suites):
    """Counts what was run in one build directory, and prints what went wrong."""
    log = directory / 'meson-logs' / 'testlog.json'
    if not log.exists():
        print(f'FAILED  {directory}: left no log: it could not be built, or has no such test')
        return collections.Counter(failed=1)
    counts, ran = collections.Counter(), collections.Counter()
    for line in log.read_text().splitlines():
        test = json.loads(line)
        name = test['name'].split(' / ')[-1]
        ran[name] += 1
        test_counts, wrong = count_test(test)
        counts += test_counts
        for text in wrong:
            print(f'FAILED  {directory}: {name}: {text}')
    for name in expected(directory, suites) - ran:
        print(f'FAILED  {directory}: {name}: was not run')
        counts['failed'] += 1
    return counts


def expected(directory, suites):
    """The names of the tests that Meson knows in these suites."""
    tests = json.loads((directory / 'meson-info' / 'intro-tests.json').read_text())
    left_out = {suite.removeprefix('-') for suite in suites if suite.startswith('-')}
    named = ((test['name'], {suite.split(':')[-1] for suite in test['suite']}) for test in tests)
    return collections.Counter(name for name, its in named if its & suites and not its & left_out)


def main():
    counts = collections.Counter()
    for argument in sys.argv[1:]:
        directory, suites = argument.rsplit(':', 1)
        counts += count_directory(pathlib.Path(directory), set(suites.split(',')))
    print(f'{counts["passed"]} passed, {counts["failed"]} failed, {counts["skipped"]} skipped')
    skips_matter = os.environ.get('CI') == 'true'
    return 1 if counts['failed'] or not counts['passed'] or (skips_matter and counts['skipped']) else 0


if __name__ == '__main__':
    sys.exit(main())
