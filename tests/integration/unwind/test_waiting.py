# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers in Python and JavaScript, off the CPU: where their threads wait stands in their own functions, with the lines."""
import collections
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import subprocess
import threading
import unittest

from recordings import Load
from support import SOURCE, TestCase, capturectl

PROGRAMS = SOURCE / 'tests' / 'programs'
CALLERS = 2  # for each path
MS = 1000000
BUILD_ID = re.compile(rb'\x04\x00\x00\x00\x14\x00\x00\x00\x03\x00\x00\x00GNU\x00.{20}', re.DOTALL)  # a copy with the same one would be known already


def call(port, path, ended):
    with contextlib.closing(http.client.HTTPConnection('127.0.0.1', port)) as connection:
        while not ended.is_set():
            connection.request('GET', path)
            connection.getresponse().read()


def functions_of(sample):
    """From the innermost to the outermost."""
    return [frame.told for frame in sample.frames if frame.told]


def libraries_of(program, name):
    """Those of a name that a program is linked to."""
    linked = subprocess.run(['ldd', program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split()[2] for line in linked.splitlines() if line.split()[0].startswith(name)]


class Waiting(TestCase):
    def record(self, paths, *command):
        """Records the server while it is called, off the CPU."""
        capture = self.directory / 'server.capture'
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        ended = threading.Event()
        try:
            port = int(server.stdout.readline())
            callers = [threading.Thread(target=call, args=(port, path, ended)) for path in paths for _ in range(CALLERS)]
            for caller in callers:
                caller.start()
            capturectl('record', '-q', '-e', 'off-cpu', '--no-children', '--duration', '4', '-p', str(server.pid), '-o', capture)
            ended.set()
            for caller in callers:
                caller.join()
        finally:
            ended.set()
            server.kill()
            server.wait()
            server.stdout.close()
        # What waits longer waits for what the program asked for, not for a lock of the runtime's own.
        waits = [sample for sample in Load(capture).samples if sample.off_cpu and sample.off_cpu.reason != 'preempted' and sample.weight > 5 * MS]
        known = min(sample.time for sample in waits if functions_of(sample))  # before it the tables were not there
        return [sample for sample in waits if sample.time - sample.weight > known]

    def check(self, waits, program, expected):
        """Of waits in which a function takes part: which functions were the innermost, and at which of its lines it was."""
        lines = program.read_text().splitlines()
        for function, (innermost, texts) in expected.items():
            own = [told for told in map(functions_of, waits) if any(one.name == function and one.file == str(program) for one in told)]
            self.assertGreater(len(own), 5, (function, collections.Counter(told[0].name for told in map(functions_of, waits) if told)))
            self.assertLessEqual({told[0].name for told in own}, innermost, function)
            at = {lines[one.executed - 1].strip() for told in own for one in told if one.name == function}
            self.assertLessEqual(at, texts, function)

    def test_python(self):
        program = PROGRAMS / 'server.py'
        waits = self.record(['/ask_database', '/take_turn', '/hand_over', '/call_program'],
                            os.path.realpath(shutil.which('python3', path='/usr/bin:/bin')), program)
        self.check(waits, program, {
            'ask_database': ({'ask_database'}, {'time.sleep(0.02)'}),
            'take_turn': ({'take_turn'}, {'with counter:', 'time.sleep(0.01)'}),
            'hand_over': ({'Condition.wait', 'Condition.notify', 'Condition.__enter__'}, {'jobs.put(done)', 'done.wait()'}),
            'work_on_jobs': ({'work_on_jobs', 'Condition.wait', 'Condition._acquire_restore', 'Condition.__enter__'},
                             {'job = jobs.get()', 'time.sleep(0.01)'}),
        })
        self.assertEqual([sample for sample in waits if not functions_of(sample)], [])

    def look_at_node(self, node):
        program = PROGRAMS / 'server.js'
        waits = self.record(['/askDatabase', '/callProgram'], node, program)
        self.check(waits, program, {
            'askDatabase': ({'askDatabase'}, {'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);'}),
            'callProgram': ({'spawnSync'}, {"return execFileSync('sleep', ['0.02']);"}),
            'waitForWork': ({'waitForWork'}, {'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);'}),
        })

    def test_node(self):
        """Its main thread waits for callers in no function; the worker always in one."""
        self.look_at_node(shutil.which('node') or shutil.which('nodejs'))

    def test_node_that_exports_no_lengths(self):
        """As Debian builds it from version 24 on: baseline code has its lines by the lengths of bytecodes."""
        node = os.path.realpath(shutil.which('node') or shutil.which('nodejs'))
        for path in node, *libraries_of(node, 'libnode'):
            code = pathlib.Path(path).read_bytes().replace(b'kBytecodeSizesE', b'kBytecodeSizesX')
            copy = self.directory / os.path.basename(path)
            copy.write_bytes(BUILD_ID.sub(lambda found: found[0][:-1] + bytes([found[0][-1] ^ 1]), code, count=1))
            copy.chmod(0o755)
        os.environ['LD_LIBRARY_PATH'] = str(self.directory)
        self.addCleanup(os.environ.pop, 'LD_LIBRARY_PATH')
        self.look_at_node(self.directory / os.path.basename(node))


if __name__ == '__main__':
    unittest.main()
