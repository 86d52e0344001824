# SPDX-License-Identifier: GPL-3.0-or-later
"""What recordings take in beside samples: counters of the machine, perf maps, jitdumps."""
import os
import pathlib
import signal
import subprocess
import unittest

from recordings import BUSY, children, compile_c, start, wait_until
from support import CAPTURECTL, OWN_MOUNTS, SOURCE, TestCase, capturectl, run
from told import JITDUMP, PERF_MAP, Told

PROGRAMS = SOURCE / 'tests' / 'programs'
# Somebody who is neither root nor us.
STRANGER = 54321

TALK = '''
import socket, sys
a, b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
b.bind(('127.0.0.1', 0))
for _ in range(1000):
    a.sendto(bytes(1000), b.getsockname())
    b.recv(2000)
'''


class Sources(TestCase):

    def record(self, *arguments, **how):
        self.path = self.directory / 'a.capture'
        self.result = capturectl('record', '-q', '-o', self.path, *arguments, **how)
        return Told(self.path)

    def shell(self, script, *options):
        return self.record(*options, '--', 'sh', '-c', script)


class Counters(Sources):

    def growth(self, told, counter):
        values = [value for _, value in told.values[counter]]
        self.assertEqual(values, sorted(values), f'{counter} does not only grow')
        return values[-1] - values[0]

    def test_machine(self):
        told = self.shell('i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done; sleep 0.5')
        processors = [name for category, name in told.counters if category == 'CPU' and name != 'All']
        self.assertEqual(len(processors), os.sysconf('SC_NPROCESSORS_ONLN'))
        for name in ['All', *processors]:
            self.assertTrue(told.values['CPU', name])
            self.assertTrue(all(0 <= value <= 100 for _, value in told.values['CPU', name]))
        self.assertGreater(max(value for _, value in told.values['CPU', 'All']), 0)

        total = int(pathlib.Path('/proc/meminfo').read_text().split()[1]) * 1024
        for (_, used), (_, available) in zip(told.values['Memory', 'Used'], told.values['Memory', 'Available']):
            self.assertEqual(used + available, total)
        for name in 'Cached', 'Swap':
            self.assertTrue(all(0 <= value <= 100 * total for _, value in told.values['Memory', name]))
        self.assertGreater(max(value for _, value in told.values['Kernel', 'Context switches']), 0)

        forks = told.values['Kernel', 'Forks']
        times = [time for time, _ in told.values['Memory', 'Used']]
        before = {time: times[times.index(time) - 1] for time, _ in forks}
        self.assertGreaterEqual(sum(rate * (time - before[time]) / 1e9 for time, rate in forks), 299)
        for resource in 'cpu', 'memory', 'io':
            if os.path.exists('/proc/pressure/' + resource):
                name = {'cpu': 'CPU', 'memory': 'Memory', 'io': 'I/O'}[resource] + ' (some)'
                self.assertTrue(all(0 <= value <= 100 for _, value in told.values['Pressure', name]))
                self.assertTrue(told.values['Pressure', name])

    def test_network(self):
        told = self.record('--', 'python3', '-c', TALK)
        for direction in 'received', 'sent':
            self.assertEqual(told.counters['Network', 'lo ' + direction].flags, 1)
            self.assertGreaterEqual(self.growth(told, ('Network', 'lo ' + direction)), 1000000)

    def test_disks(self):
        """A disk has what /proc/diskstats says of it, and parts of disks have no counters."""
        told = self.shell('sleep 0.3')
        disks = {name.rpartition(' ')[0] for category, name in told.counters if category == 'Disk'}
        here = {path.parent.name.replace('!', '/') for path in pathlib.Path('/sys/block').glob('*/device')}
        self.assertEqual(disks, here)
        for name in disks:
            self.growth(told, ('Disk', name + ' read'))
            self.growth(told, ('Disk', name + ' written'))

    def test_times(self):
        """Ten times a second, and every record has its counters before it."""
        told = self.shell('sleep 1.5')
        times = sorted({time for values in told.values.values() for time, _ in values})
        self.assertEqual(len(times), told.records_of_counts)
        self.assertGreaterEqual(len(times), 5)
        self.assertLessEqual(len(times), (times[-1] - times[0]) / 1e8 * 1.5 + 2)

    def test_none(self):
        told = self.shell('sleep 0.2', '--no-counters')
        self.assertEqual(told.counters, {})
        self.assertNotIn(4, [stream.kind for stream in told.streams.values()])

    def test_killed(self):
        """A collector that is killed leaves the values up to then, each with its counter."""
        path = self.directory / 'a.capture'
        busy = compile_c(self.directory, 'busy', BUSY)
        with start('record', '-q', '-o', path, '--', busy, 0) as process:

            def has_values():
                return path.exists() and Told(path).records_of_counts >= 4
            found = wait_until(has_values)
            left = children(process.pid).values()
            process.send_signal(signal.SIGKILL)
            process.wait()
            for child in left:
                try:
                    os.kill(child, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.assertTrue(found)
        told = Told(path)
        self.assertGreaterEqual(told.records_of_counts, 4)
        self.assertIn(('CPU', 'All'), told.values)

    def test_nothing_in_proc(self):
        """Where a file of /proc is missing its counters are, nothing else."""
        path = self.directory / 'a.capture'
        empty = self.directory / 'empty'
        empty.touch()
        hide = ' && '.join(f'mount --bind {empty} /proc/{name}' for name in ('meminfo', 'diskstats'))
        run(*OWN_MOUNTS, 'sh', '-c', f'{hide} && exec "$@"', 'sh', CAPTURECTL, 'record', '-q', '-o', path, '--', 'sleep', 0.3)
        told = Told(path)
        categories = {category for category, _ in told.counters}
        self.assertNotIn('Memory', categories)
        self.assertNotIn('Disk', categories)
        self.assertTrue({'CPU', 'Network', 'Kernel'} <= categories)


class PerfMaps(Sources):

    def maps(self, told):
        return [foreign for foreign in told.foreign if foreign.kind == PERF_MAP]

    def remove_later(self, path):
        self.addCleanup(lambda: os.path.lexists(path) and os.unlink(path))

    def write_map(self, more, wait=True):
        """Records a shell that writes its perf map and then does more; returns what was told."""
        told = self.shell(f'echo $$ > {self.directory}/pid; m=/tmp/perf-$$.map; rm -f $m; echo 1000 10 f > $m; {more}; sleep 0.1')
        self.pid = int((self.directory / 'pid').read_text())
        self.remove_later(f'/tmp/perf-{self.pid}.map')
        return told

    def test_node(self):
        told = self.record('--', 'node', '--perf-basic-prof', PROGRAMS / 'work.js', 300, cwd=self.directory)
        found, = self.maps(told)
        self.remove_later(found.name)
        self.assertEqual(found.name, f'/tmp/perf-{found.pid}.map')
        self.assertEqual(found.bytes, pathlib.Path(found.name).read_bytes())
        self.assertIn(b'collatz', found.bytes)

    def test_java(self):
        run('javac', '-d', self.directory, PROGRAMS / 'Work.java')
        told = self.record('--', 'java', '-XX:+UnlockDiagnosticVMOptions', '-XX:+DumpPerfMapAtExit', '-cp', self.directory,
                           'Work', 500)
        found, = self.maps(told)
        self.remove_later(found.name)
        self.assertEqual(found.bytes, pathlib.Path(found.name).read_bytes())
        self.assertIn(b'Work.collatz', found.bytes)

    def test_of_shell(self):
        found, = self.maps(self.write_map('true'))
        self.assertEqual((found.pid, found.bytes), (self.pid, b'1000 10 f\n'))

    def test_strangers(self):
        """A map that belongs to somebody else than the process's user is not believed, and that is said."""
        told = self.write_map(f'chown {STRANGER} $m')
        self.assertEqual(self.maps(told), [])
        self.assertIn('does not belong to the user', ''.join(told.messages))

    def test_root_only_file_mounted_in_its_place(self):
        """In mounts of its own a program shows there what it may not read, and root who records could."""
        secret = self.directory / 'secret'
        os.chmod(self.directory, 0o755)
        script = ('m=/tmp/perf-$$.map; rm -f $m; echo 1000 10 f > $m && mount --bind "$1" $m && echo $$ >&2; '
                  'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done')
        secret.write_text('1000 10 secret\n')
        secret.chmod(0o600)
        told = self.record('--', 'setpriv', f'--reuid={STRANGER}', f'--regid={STRANGER}', '--clear-groups', 'unshare', '--user',
                           '--map-root-user', '--mount', 'sh', '-c', script, 'sh', secret)
        self.remove_later(f'/tmp/perf-{int(self.result.stderr.splitlines()[0])}.map')
        self.assertEqual(self.maps(told), [])
        self.assertIn('does not belong to the user', ''.join(told.messages))

    def test_links(self):
        secret = self.directory / 'secret'
        secret.write_text('1000 10 secret\n')
        for more in f'ln -sf {secret} $m', f'rm $m; ln {secret} $m', 'rm $m; mkfifo $m', 'rm $m; mkdir $m':
            told = self.write_map(more)
            path = f'/tmp/perf-{self.pid}.map'
            os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
            self.assertEqual(self.maps(told), [], more)
            self.assertIn('it was ignored', ''.join(told.messages), more)

    def test_left_behind(self):
        """A map of another process that had the number before."""
        told = self.write_map('touch -d 2001-01-01 $m')
        self.assertEqual(self.maps(told), [])
        self.assertEqual(told.messages, [])

    def test_attached(self):
        """Of a process that was there before; but not a map that is older than it."""
        script = 'm=/tmp/perf-$$.map; echo 1000 10 f > $m; touch $1 $m; echo ready; while :; do :; done'
        for date, expected in ('-a', [b'1000 10 f\n']), ('-d2001-01-01', []):
            with subprocess.Popen(['sh', '-c', script, 'sh', date], stdout=subprocess.PIPE) as process:
                try:
                    process.stdout.readline()
                    self.remove_later(f'/tmp/perf-{process.pid}.map')
                    told = self.record('-p', process.pid, '--duration', 0.3)
                finally:
                    process.kill()
            self.assertEqual([found.bytes for found in self.maps(told)], expected)

    def test_process_of_another_user(self):
        """Who is not root himself may have his own."""
        script = ('import os, time; os.setgid(65534); os.setuid(65534); p = f"/tmp/perf-{os.getpid()}.map"\n'
                  'open(p, "w").write("1000 10 mine\\n"); print(os.getpid()); time.sleep(0.5); 1')
        told = self.record('--', 'sh', '-c', f"python3 -c '{script}' > {self.directory}/pid")
        path = f'/tmp/perf-{int((self.directory / "pid").read_text())}.map'
        self.remove_later(path)
        found = [each for each in self.maps(told) if each.name == path]
        if not found:
            # It became another user after it was last seen, and had exited when its map was looked for.
            self.assertIn('does not belong to the user', ''.join(told.messages))

    def test_container(self):
        """In a container the file has the number that the process has there, and stands in its /tmp; also when the
        container has ended before the recording."""
        inside = ('mount -t tmpfs none /tmp && echo 1000 10 inside > /tmp/perf-$$.map && '
                  'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done')
        for mount in (), ('--propagation', 'unchanged'):
            told = self.record('--', 'unshare', '--mount', *mount, '--pid', '--fork', 'sh', '-c',
                               'mount --make-rprivate / 2>/dev/null; ' + inside, status=None)
            if self.result.status == 0:
                break
        self.assertEqual(self.result.status, 0, self.result)
        found, = self.maps(told)
        self.assertEqual((found.name, found.bytes), ('/tmp/perf-1.map', b'1000 10 inside\n'))
        self.assertNotEqual(found.pid, 1)


class Jitdumps(Sources):

    def test_node(self):
        told = self.record('--', 'node', '--perf-prof', PROGRAMS / 'work.js', 300, cwd=self.directory)
        dump, = self.directory.glob('jit-*.dump')
        found, = told.foreign
        self.assertEqual((found.kind, found.name), (JITDUMP, str(dump)))
        self.assertEqual(f'jit-{found.pid}.dump', dump.name)
        self.assertEqual(found.bytes, dump.read_bytes())

    def test_deleted(self):
        """Removed before the recording ends: it was kept open."""
        told = self.record('--', 'sh', '-c', 'node --perf-prof "$1" 500; rm jit-*.dump', 'sh', PROGRAMS / 'work.js',
                           cwd=self.directory)
        found, = told.foreign
        self.assertEqual(found.kind, JITDUMP)
        self.assertIn(b'collatz', found.bytes)

    def test_other_content(self):
        """Something else under such a name, mapped as code, is not taken."""
        script = ('import mmap, os, time; f = open("jit-1.dump", "w+b"); f.write(b"x" * 8192); f.flush()\n'
                  'm = mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)\n'
                  'for i in range(3000000): pass')
        told = self.record('--', 'python3', '-c', script, cwd=self.directory)
        self.assertEqual(told.foreign, [])


if __name__ == '__main__':
    unittest.main()
