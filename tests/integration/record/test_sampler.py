# SPDX-License-Identifier: GPL-3.0-or-later
"""The in-process sampler as the kernel sees it."""
import os
import re
import subprocess
import tempfile
import unittest

from support import BUILD

SPIN = BUILD / 'tests' / 'unit' / 'libcapture' / 'sampler-spin'


class SystemCalls(unittest.TestCase):
    def test_handler_makes_none_but_its_return(self):
        """After each signal of a timer, the next that its thread does is to return from it."""
        with tempfile.TemporaryDirectory() as directory:
            log = os.path.join(directory, 'log')
            # Leaks cannot be looked for under ptrace.
            environment = dict(os.environ, ASAN_OPTIONS='detect_leaks=0')
            subprocess.run(['strace', '-f', '-o', log, SPIN], check=True, env=environment)
            with open(log, encoding='utf-8', errors='replace') as lines:
                lines = [line.rstrip('\n').split(maxsplit=1) for line in lines]
        signals = 0
        interrupted = {}
        for thread, what in lines:
            if thread in interrupted:
                self.assertRegex(what, r'^rt_sigreturn\(', f'after {interrupted[thread]}')
                del interrupted[thread]
            elif re.match(r'--- SIGPROF \{.*si_code=SI_TIMER', what):
                interrupted[thread] = what
                signals += 1
        self.assertGreaterEqual(signals, 300)
        self.assertGreaterEqual(len({thread for thread, what in lines if what.startswith('--- SIGPROF')}), 2)


if __name__ == '__main__':
    unittest.main()
