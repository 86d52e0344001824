# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/tap.py and tests/count.py: nothing that goes wrong may be counted as passed, or not at all."""
import json
import sys
import textwrap

from support import SOURCE, TestCase, environment, run

MODULE = '''
    import os, unittest
    class Various(unittest.TestCase):
        def test_good(self): print('ok 7 - noise')
        def test_wrong(self): self.assertEqual(1, 2)
        def test_error(self): raise OSError('1..9')
        def test_skipped(self): self.skipTest('why not')
        def test_skipped_then_broken(self):
            self.addCleanup(self.fail)
            self.skipTest('why not')
        def test_parts(self):
            for part in range(3):
                with self.subTest(part=part): self.assertNotEqual(part, 1)
        @unittest.expectedFailure
        def test_expected(self): self.fail()
    class Broken(unittest.TestCase):
        @classmethod
        def setUpClass(cls): raise OSError('no ground to stand on')
        def test_never(self): pass
'''


class Tap(TestCase):
    def tap(self, text, *options):
        module = self.directory / 'test_made.py'
        module.write_text(textwrap.dedent(text))
        done = run(sys.executable, SOURCE / 'tests' / 'tap.py', *options, module, status=None)
        return done.status, [line for line in done.stdout.splitlines() if not line.startswith('#')]

    def test_each_outcome_has_its_line(self):
        status, lines = self.tap(MODULE)
        self.assertEqual(status, 1)
        self.assertEqual(lines, ['not ok 1 - setUpClass (test_made.Broken)',
                                 'not ok 2 - test_made.Various.test_error',
                                 'not ok 3 - test_made.Various.test_expected',
                                 'ok 4 - test_made.Various.test_good',
                                 'not ok 5 - test_made.Various.test_parts',
                                 'ok 6 - test_made.Various.test_skipped # SKIP why not',
                                 'not ok 7 - test_made.Various.test_skipped_then_broken',
                                 'not ok 8 - test_made.Various.test_wrong',
                                 '1..8'])

    def test_only_the_tests_asked_for(self):
        self.assertEqual(self.tap(MODULE, '-k', 'good'), (0, ['ok 1 - test_made.Various.test_good', '1..1']))

    def test_no_test_at_all_fails(self):
        self.assertEqual(self.tap(''), (1, ['1..0']))

    def test_crash_leaves_no_plan(self):
        status, lines = self.tap('''
            import os, unittest
            class Crash(unittest.TestCase):
                def test_a(self): pass
                def test_b(self): os.abort()
        ''')
        self.assertNotEqual(status, 0)
        self.assertEqual(lines, ['ok 1 - test_made.Crash.test_a'])


class Count(TestCase):
    def count(self, *tests, known=None, **changes):
        """What count.py says of these (stdout, result, returncode): its status and its last line."""
        logs, info = self.directory / 'meson-logs', self.directory / 'meson-info'
        logs.mkdir(exist_ok=True)
        info.mkdir(exist_ok=True)
        names = [f'test{number}' for number in range(known or len(tests))]
        (info / 'intro-tests.json').write_text(json.dumps([{'name': n, 'suite': ['capture:unit']} for n in names]))
        (logs / 'testlog.json').write_text(''.join(
            json.dumps({'name': f'capture:unit / {name}', 'stdout': stdout, 'result': result, 'returncode': code}) + '\n'
            for name, (stdout, result, code) in zip(names, tests)))
        return self.last_line(f'{self.directory}:unit', **changes)

    def last_line(self, *arguments, ci=''):
        done = run(sys.executable, SOURCE / 'tests' / 'count.py', *arguments, status=None, env=environment(CI=ci))
        return done.status, done.stdout.splitlines()[-1]

    def test_outcomes_are_added_up(self):
        self.assertEqual(self.count(('1..2\nok 1 a\nok 2 - b\n', 'OK', 0), ('ok 1 - c # SKIP why\n1..1\n', 'SKIP', 0)),
                         (0, '2 passed, 0 failed, 1 skipped'))
        self.assertEqual(self.count(('1..2\nok 1 a\nnot ok 2 - b\n# why\n', 'FAIL', 1)), (1, '1 passed, 1 failed, 0 skipped'))

    def test_skips_fail_only_where_it_is_decided(self):
        test = ('1..2\nok 1 a\nok 2 b # SKIP\n', 'OK', 0)
        self.assertEqual(self.count(test), (0, '1 passed, 0 failed, 1 skipped'))
        self.assertEqual(self.count(test, ci='true'), (1, '1 passed, 0 failed, 1 skipped'))

    def test_skipped_as_a_whole(self):
        self.assertEqual(self.count(('1..0 # SKIP no ground\n', 'SKIP', 0), ('1..1\nok 1\n', 'OK', 0)),
                         (0, '1 passed, 0 failed, 1 skipped'))

    def test_bad_ends_are_failures(self):
        for what, test in {'crash': ('1..3\nok 1 a\n', 'ERROR', -11),
                           'timeout': ('ok 1 a\n', 'TIMEOUT', -15),
                           'bad status after good results': ('1..1\nok 1 a\n', 'ERROR', 1),
                           'more results than planned': ('1..0\nok 1 a\n', 'ERROR', 0)}.items():
            with self.subTest(what):
                self.assertEqual(self.count(test), (1, '1 passed, 1 failed, 0 skipped'))

    def test_silence_is_failure(self):
        self.assertEqual(self.count(('', 'SKIP', 0)), (1, '0 passed, 1 failed, 0 skipped'))

    def test_failed_and_crashed_count_twice(self):
        self.assertEqual(self.count(('1..3\nnot ok 1 a\n', 'ERROR', -6)), (1, '0 passed, 2 failed, 0 skipped'))

    def test_what_was_not_run_failed(self):
        self.assertEqual(self.count(('1..1\nok 1 a\n', 'OK', 0), known=3), (1, '1 passed, 2 failed, 0 skipped'))

    def test_what_could_not_be_built_failed(self):
        self.assertEqual(self.last_line(f'{self.directory}/nothing:unit'), (1, '0 passed, 1 failed, 0 skipped'))

    def test_no_test_at_all_fails(self):
        self.assertEqual(self.count(), (1, '0 passed, 0 failed, 0 skipped'))
