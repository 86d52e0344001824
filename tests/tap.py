#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs unittest modules and speaks TAP, so that Meson counts every single test.

usage: tap.py [-k PATTERN]… MODULE.py…

One line a test, in the order they ran; a test whose subTest failed has failed. What a failure has
to say follows as comments. Whatever the tests themselves print goes to standard error.
Exit status 1 when anything failed, or when there was no test at all.
"""
import argparse
import importlib.util
import os
import signal
import sys
import unittest


class TapResult(unittest.TestResult):
    """Prints a line as each test ends, and the plan at the end."""

    def __init__(self, out):
        super().__init__()
        self.out = out
        self.count = 0
        self.not_ok = 0
        self.diagnostics = []
        self.directive = ''

    def startTest(self, test):
        super().startTest(test)
        self.diagnostics, self.directive = [], ''

    def stopTest(self, test):
        super().stopTest(test)
        self.print_line(test)

    def print_line(self, test):
        self.count += 1
        failed = bool(self.diagnostics)
        self.not_ok += failed
        name = test.id().replace('#', '')
        verdict = f'not ok {self.count} - {name}' if failed else f'ok {self.count} - {name}{self.directive}'
        print(verdict, file=self.out)
        for line in '\n'.join(self.diagnostics).splitlines():
            print(f'# {line}', file=self.out)
        self.out.flush()
        self.diagnostics, self.directive = [], ''

    def fail_with(self, test, text):
        self.diagnostics.append(text)
        if not isinstance(test, unittest.TestCase):  # setUpClass, setUpModule: no test was started
            self.print_line(test)

    def addError(self, test, err):
        self.fail_with(test, self._exc_info_to_string(err, test))

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.diagnostics.append(f'{subtest}\n' + self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        self.directive = f' # SKIP {reason}'
        if not isinstance(test, unittest.TestCase):
            self.print_line(test)

    def addExpectedFailure(self, test, err):
        self.fail_with(test, 'an expected failure is not a test: mend it or delete it')

    def addUnexpectedSuccess(self, test):
        self.fail_with(test, 'marked as an expected failure, but succeeded')


def load(path, patterns):
    """The tests of the module in `path`; its own directory, the one above and this one can be imported from."""
    path = os.path.abspath(path)
    folder = os.path.dirname(path)
    sys.path[:0] = [folder, os.path.dirname(folder), os.path.dirname(os.path.abspath(__file__))]
    spec = importlib.util.spec_from_file_location(os.path.basename(path).removesuffix('.py'), path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    loader = unittest.TestLoader()
    loader.testNamePatterns = patterns
    return loader.loadTestsFromModule(module)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-k', action='append', metavar='PATTERN', help='only tests whose name contains it')
    parser.add_argument('modules', nargs='+', metavar='MODULE.py')
    arguments = parser.parse_args()
    patterns = [f'*{pattern}*' for pattern in arguments.k] if arguments.k else None

    sys.dont_write_bytecode = True
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and whatever tests start would
    out = os.fdopen(os.dup(1), 'w')
    os.dup2(2, 1)
    result = TapResult(out)
    unittest.TestSuite(load(path, patterns) for path in arguments.modules).run(result)
    print(f'1..{result.count}', file=out, flush=True)
    return 1 if result.not_ok or not result.count else 0


if __name__ == '__main__':
    # What runs in the background of a shell script ignores SIGINT, and so would all that is started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
