# SPDX-License-Identifier: GPL-3.0-or-later
"""What `capturectl record` names in the end, and of which binaries."""
import json
import os
import signal
import unittest

from recordings import Load, compile_c, start, wait_until
from support import CAPTURECTL, OWN_MOUNTS, capturectl, check_sanitizers, run, unmount
from test_record import RecordCase


class Names(RecordCase):
    """What was sampled is named when the recording ends, from files that were opened while they were in use."""

    def record_named(self, *arguments, **how):
        return capturectl('record', '-o', self.path, *arguments, **how)

    def functions(self):
        rows = json.loads(capturectl('report', '--json', self.path).stdout)['rows']
        return {row['name']: row['binary'] for row in rows if row['self']}

    def test_one_file_by_two_paths(self):
        program = compile_c(self.directory, 'first', """
            static volatile long counter;
            static __attribute__((noinline)) void one(void) { for (int i = 0; i < 300000000; i++) counter++; }
            static __attribute__((noinline)) void other(void) { for (int i = 0; i < 300000000; i++) counter--; }
            int main(int argc, char **argv) { if (argc > 1) one(); else other(); return 0; }
            """)
        copy = self.directory / 'second'
        copy.write_bytes(program.read_bytes())
        copy.chmod(0o755)
        self.record_named('--', 'sh', '-c', f'{program} 1; {copy}')
        self.assertLessEqual({'one', 'other'}, set(self.functions()))

    def test_binary_that_is_deleted(self):
        gone = self.directory / 'gone'
        seen = self.directory / 'seen'
        script = f'cp "{self.busy}" {gone}; timeout 100 {gone} 0 & until [ -e {seen} ]; do sleep 0.05; done; rm {gone}; sleep 0.2; kill $!; wait'
        process = start('record', '-o', self.path, '--', 'sh', '-c', script)
        self.addCleanup(process.kill)
        self.assertTrue(wait_until(lambda: self.path.exists() and len(Load(self.path).of_command('gone')) > 100))
        seen.touch()
        check_sanitizers(process.communicate(timeout=60)[1].decode())
        self.assertFalse(gone.exists())
        self.assertIn('gone', self.functions().get('turn', ''))

    @unittest.skipIf(os.getuid() != 0, 'an ordinary user cannot mount')
    def test_binary_in_another_mount_namespace(self):
        inside = self.directory / 'inside'
        inside.mkdir()
        self.addCleanup(unmount, inside)
        script = f'mount -t tmpfs none {inside} && cp "{self.busy}" {inside}/hidden && exec {inside}/hidden 400'
        self.record_named('--', *OWN_MOUNTS, 'sh', '-c', script)
        self.assertIn('hidden', self.functions().get('turn', ''))

    def test_names_stand_in_the_file(self):
        copy = self.directory / 'copy'
        copy.write_bytes(self.busy.read_bytes())
        copy.chmod(0o755)
        self.record_named('--', copy, 200)
        copy.unlink()
        self.assertIn('copy', self.functions().get('turn', ''))
        self.assertTrue(Load(self.path).capture.file.has_index)

    def has_ended(self):
        """True as soon as the header says so: only naming can come after it."""
        head = self.path.read_bytes()[:256] if self.path.exists() else b''
        return len(head) == 256 and head[236:240] != bytes(4)

    def test_interrupt_leaves_the_rest_unnamed(self):
        process = start('record', '-a', '--duration', 0.5, '-o', self.path)
        self.addCleanup(process.kill)
        self.assertTrue(wait_until(self.has_ended))
        process.send_signal(signal.SIGINT)
        stderr = process.communicate(timeout=60)[1].decode()
        check_sanitizers(stderr)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertNotIn('cancelled', stderr)
        load = Load(self.path)
        self.assert_whole(load)
        self.assertEqual(load.ended, 'duration')

    def test_interrupted_recording_has_names(self):
        for signals in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signals):
                process = start('record', '-o', self.path, '--', self.busy, 60_000)
                self.addCleanup(process.kill)
                self.assertTrue(wait_until(lambda: self.path.exists() and Load(self.path).samples))
                process.send_signal(signals)
                stderr = process.communicate(timeout=60)[1].decode()
                check_sanitizers(stderr)
                self.assertNotIn('Naming was interrupted', stderr)
                self.assertTrue(Load(self.path).capture.file.has_index)
                self.assertIn('turn', self.functions())
                self.path.unlink()

    def test_too_few_descriptors(self):
        # 128 are left to everything else.
        result = run('prlimit', '--nofile=130:130', CAPTURECTL, 'record', '-o', self.path, '--', 'gcc', '--version')
        self.assertIn('ulimit -n', result.stderr)
        self.assertTrue(Load(self.path).samples)


if __name__ == '__main__':
    unittest.main()
