# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of names makes naming quicker and changes no name: empty, filled, damaged, missing, in use by others."""
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import perf_oracle
import support


class NamesStore(support.TestCase):
    @classmethod
    def setUpClass(cls):
        """A recording of what is installed here: in other files nothing could be named."""
        super().setUpClass()
        place = tempfile.TemporaryDirectory(prefix='capture-test-')
        cls.addClassCleanup(place.cleanup)
        cls.recording = pathlib.Path(place.name) / 'perf.data'
        perf_oracle.record('-F', '9999', '-g', '-o', cls.recording, '--', support.CAPTURECTL, 'import',
                           '-o', cls.recording.with_name('other.capture'), support.DATA / 'pipeline.perf.data')

    def setUp(self):
        super().setUp()
        self.cache = self.directory / 'cache'
        self.store = self.cache / 'capture' / 'names.sqlite'
        self.count = 0

    def command(self, *words):
        self.count += 1
        output = self.directory / f'{self.count}.capture'
        return output, (support.CAPTURECTL, 'import', '-o', output, *words, self.recording)

    def environment(self, cache=None):
        return support.environment(XDG_CACHE_HOME=str(cache or self.cache))

    def dump(self, output):
        """All records of a capture but its first, which says when it was made."""
        return support.capturectl('dump', output).stdout.split('\n', 1)[1]

    def named(self, cache=None):
        output, command = self.command()
        self.assertEqual(support.run(*command, env=self.environment(cache)).stderr, '')
        return self.dump(output)

    def assert_whole(self):
        with sqlite3.connect(self.store) as database:
            self.assertEqual(database.execute('PRAGMA integrity_check').fetchall(), [('ok',)])
            self.assertEqual(database.execute('SELECT count(*) FROM function WHERE binary NOT IN (SELECT id FROM binary)')
                             .fetchone(), (0,))
        database.close()

    def count_stored(self):
        with sqlite3.connect(self.store) as database:
            answer = database.execute('SELECT count(*), count(name) FROM function').fetchone()
        database.close()
        return answer

    def test_same_names(self):
        without = self.named('/proc/nowhere')
        self.assertIn('function', without)
        cold = self.named()
        functions = self.count_stored()
        self.assertGreater(functions[1], 50)
        self.assertEqual(cold, without)
        self.assertEqual(self.named(), without)
        self.assertEqual(self.count_stored(), functions)
        self.assert_whole()

    def test_report_shares_it(self):
        """What a report stores serves another one, and an import."""
        without = self.named('/proc/nowhere')
        output, command = self.command('--no-names')
        support.run(*command, env=self.environment())
        shown = support.capturectl('report', output, env=self.environment()).stdout
        self.assertGreater(self.count_stored()[1], 50)
        self.assertEqual(support.capturectl('report', output, env=self.environment()).stdout, shown)
        self.assertEqual(support.capturectl('report', output, env=self.environment('/proc/nowhere')).stdout, shown)
        self.assertEqual(self.named(), without)
        self.assertEqual(self.named(), without)

    @unittest.skipIf(os.getuid() != 0, 'for others there is no difference')
    def test_root_with_the_home_of_another(self):
        """As sudo leaves it: nothing of root's is made there."""
        home = self.directory / 'home'
        home.mkdir()
        os.chown(home, 54321, 54321)
        for cache in {}, {'XDG_CACHE_HOME': str(home)}:
            kept = {name: value for name, value in support.environment(HOME=str(home), **cache).items() if name in cache or name != 'XDG_CACHE_HOME'}
            support.capturectl('record', '-q', '-o', self.directory / 'a.capture', '--', 'true', env=kept)
            self.assertEqual(list(home.iterdir()), [])

    def test_damaged(self):
        without = self.named('/proc/nowhere')
        self.named()
        whole = self.store.read_bytes()
        random.seed(1)
        for content in (b'', b'no database', whole[:len(whole) // 2], random.randbytes(len(whole)),
                        whole[:4096] + random.randbytes(len(whole) - 4096)):
            self.store.write_bytes(content)
            self.assertEqual(self.named(), without)
            self.assertEqual(self.named(), without)
            self.assert_whole()
            self.assertGreater(self.count_stored()[1], 50)

    def test_many_at_once(self):
        without = self.named('/proc/nowhere')
        for _ in range(3):
            started = [self.command() for _ in range(4)]
            running = [subprocess.Popen(list(map(str, command)), env=self.environment(), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE) for _, command in started]
            for process in running:
                self.assertEqual(process.communicate()[1], b'')
                self.assertEqual(process.returncode, 0)
            for output, _ in started:
                self.assertEqual(self.dump(output), without)
            self.assert_whole()
            self.store.unlink()

    def test_killed(self):
        without = self.named('/proc/nowhere')
        random.seed(2)
        for _ in range(25):
            _, command = self.command()
            process = subprocess.Popen(list(map(str, command)), env=self.environment(), stdout=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.25))
            process.send_signal(signal.SIGKILL)
            process.wait()
            if self.count % 5 == 0:
                self.store.unlink(missing_ok=True)
        self.assertEqual(self.named(), without)
        self.assertEqual(self.named(), without)
        self.assert_whole()
