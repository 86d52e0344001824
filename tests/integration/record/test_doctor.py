# SPDX-License-Identifier: GPL-3.0-or-later
"""What doctor says of this machine, and that what it advises helps."""
import json
import pathlib
import re
import shutil
import tempfile

from support import TestCase, capturectl, copy_programs, environment, run


class Doctor(TestCase):
    IDS = ['recorder', 'own-processes', 'own-kernel', 'system-wide', 'hardware-events', 'tracepoints', 'sample-rate', 'ring-memory',
           'unwinding', 'service', 'preload', 'kernel-names', 'debug-files']

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shared = pathlib.Path(tempfile.mkdtemp(prefix='capture-test-'))
        cls.addClassCleanup(shutil.rmtree, shared, ignore_errors=True)
        cls.capturectl = copy_programs(shared)

    def doctor(self, *prefix, status=None, **how):
        # A service that is installed on this machine would have findings of its own.
        how['env'] = {**how.get('env', environment()), 'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/nowhere'}
        result = run(*prefix, self.capturectl, 'doctor', '--json', status=status, **how)
        found = json.loads(result.stdout)
        self.assertEqual([finding['id'] for finding in found['findings']], self.IDS)
        self.assertEqual(result.status, 0 if found['can_record'] else 1)
        return {finding['id']: finding for finding in found['findings']}

    def as_nobody(self):
        return self.doctor('setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups')

    def setting(self, name, value):
        path = pathlib.Path('/proc/sys/kernel') / name
        before = path.read_text()
        self.addCleanup(path.write_text, before)
        path.write_text(str(value))

    def test_root_may_everything(self):
        found = self.doctor(status=0)
        for name in ('recorder', 'own-processes', 'own-kernel', 'system-wide', 'kernel-names', 'ring-memory'):
            self.assertEqual(found[name]['state'], 'ok', name)

    def test_stacks_in_the_kernel(self):
        self.assertEqual(self.doctor()['unwinding']['state'], 'ok')
        found = self.as_nobody()['unwinding']
        self.assertEqual(found['state'], 'limited')
        self.assertIn('CAP_BPF and CAP_PERFMON', found['text'])

    def test_without_recorder(self):
        found = self.doctor(env=environment(CAPTURE_RECORDER='/nowhere'), status=1)
        self.assertEqual(found['recorder']['state'], 'missing')

    def test_each_level_of_paranoia(self):
        expected = {2: ('ok', 'limited', 'limited'), 1: ('ok', 'ok', 'limited'), 0: ('ok', 'ok', 'ok')}
        for level, states in expected.items():
            self.setting('perf_event_paranoid', level)
            found = self.as_nobody()
            self.assertEqual(tuple(found[name]['state'] for name in ('own-processes', 'own-kernel', 'system-wide')), states, level)
        self.setting('perf_event_paranoid', 2)
        self.assertEqual(self.as_nobody()['own-kernel']['fix'], 'sudo sysctl kernel.perf_event_paranoid=1')

    def test_the_fix_fixes(self):
        self.setting('perf_event_paranoid', 2)
        self.setting('kptr_restrict', 1)
        limited = {name for name, finding in self.as_nobody().items() if finding['fix'] and 'sysctl' in finding['fix']}
        self.assertLessEqual({'own-kernel', 'system-wide', 'kernel-names'}, limited)
        for name in ('system-wide', 'kernel-names', 'own-kernel'):
            found = self.as_nobody()
            for change in re.findall(r'kernel\.(\w+)=(-?\d+)', found[name]['fix'] or ''):
                self.setting(*change)
            self.assertEqual(self.as_nobody()[name]['state'], 'ok', name)

    def test_low_rate(self):
        self.setting('perf_event_max_sample_rate', 500)
        found = self.doctor()
        self.assertEqual(found['sample-rate']['state'], 'limited')
        self.assertIn('500', found['sample-rate']['text'])

    def test_text(self):
        text = capturectl('doctor', env=environment(DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nowhere')).stdout
        for finding in self.doctor().values():
            self.assertIn(finding['text'], text)
