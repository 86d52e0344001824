# SPDX-License-Identifier: GPL-3.0-or-later
"""What the memory of callers' messages and of the windows that they keep comes to: the service grows by little, and who keeps pays."""
import json
import pathlib
import subprocess
import unittest

from daemon import BUS_LIMIT, DaemonCase, status_of
from desk import wait_until

# A machine that is busy with something else may take longer once; it does not three times.
ATTEMPTS = 3


class MessageTest(DaemonCase):
    """Messages of which a library makes many times as much before anybody is asked."""

    GROWTH_KIB = 32 * 1024

    def bombard(self, size, connections, messages):
        """alice sends that many messages of that size over each of some connections, and fetches the answers; how many had which error, how
        much the service has grown meanwhile, and the longest that bob waited for it."""
        before = int(status_of(self.desk.captured.pid, 'VmRSS').split()[0])
        pathlib.Path(f'/proc/{self.desk.captured.pid}/clear_refs').write_text('5')  # VmHWM begins anew
        done = self.directory / 'done'
        done.unlink(missing_ok=True)
        with self.desk.caller('bob', f'print("here", flush=True); longest_wait(lambda: os.path.exists({str(done)!r}))') as neighbour:
            neighbour.stdout.readline()
            said = self.caller('alice', f'bombard(swollen({size}), {connections}, {messages})', timeout=240)[0]
            done.touch()
            waited = json.loads(neighbour.stdout.readline())
        self.assertIsNone(waited['error'], waited)
        grown = int(status_of(self.desk.captured.pid, 'VmHWM').split()[0]) - before
        print(f'# {connections} x {messages} messages of {size} bytes: {grown} KiB, others waited {waited["value"]:.2f} s')
        self.assertLess(grown, self.GROWTH_KIB)
        return said['value'], waited['value']

    def bombard_briefly(self, *how):
        """Likewise, until nobody waited for a second: how many had which error."""
        for _ in range(ATTEMPTS):
            counts, waited = self.bombard(*how)
            if waited < 1:
                return counts
        self.fail(f'others waited {waited:.2f} s')

    def test_huge(self):
        """They are thrown away, as fast as the bus brings them."""
        self.assertEqual(self.bombard_briefly(31 << 20, 4, 2), {BUS_LIMIT: 8})

    def test_as_long_as_may_be(self):
        """No more of them are taken in than are dealt with, and nobody has more than his share."""
        counts = self.bombard_briefly(65000, 4, 100)
        self.assertEqual(sum(counts.values()), 400)
        self.assertLessEqual(set(counts), {BUS_LIMIT, 'org.capturectl.Capture1.Error.InvalidOption'})

    def test_short(self):
        """Many that are taken for harmless."""
        counts = self.bombard_briefly(4000, 16, 500)
        self.assertEqual(sum(counts.values()), 8000)


class HoldTest(DaemonCase):
    """Windows are made by the service and kept by callers: they count for as long as they are kept, however that is."""

    # Makes and ends recordings with as many windows as there can be, and keeps what `keep_it` keeps of the windows.
    KEEP = """
def hold(n, keep_it):
    target, errors = busy(), []
    for _ in range(n):
        try:
            session = Session([target], window_count=1008)
        except GLib.Error as failure:
            errors.append(Gio.DBusError.get_remote_error(failure).removeprefix(ERRORS))
            continue
        while session.get('Samples') == 0:
            time.sleep(0.01)
        session.stop()
        session.wait()
        keep_it(session.windows)
        session.close()
    return errors
"""

    def assert_counts(self, keep_it):
        """One recording's windows are kept, no more; and when the caller is gone, nothing is."""
        holder = self.background('alice', f'{self.KEEP}print(json.dumps(hold(2, {keep_it})), flush=True); sys.stdin.readline()')
        self.assertEqual(json.loads(holder.stdout.readline()), ['LimitExceeded'])
        self.assertEqual(self.refused('alice', 'start([own()], window_count=1008)'), 'LimitExceeded')
        self.assertIsNone(self.refused('bob', 'start([own()], window_count=1008)'))
        holder.kill()
        holder.wait()
        wait_until(lambda: self.refused('alice', 'start([own()], window_count=1008)') is None, 'the windows count no more')

    def test_descriptors(self):
        self.assert_counts('lambda fd: keep(os.dup(fd))')

    def test_mappings(self):
        self.assert_counts('lambda fd: keep(mmap.mmap(fd, 4096, prot=mmap.PROT_READ))')

    def test_descriptors_of_paths(self):
        self.assert_counts('lambda fd: keep(os.open(f"/proc/self/fd/{fd}", os.O_PATH))')

    def test_descriptors_on_their_way(self):
        self.assert_counts('lambda fd: socket.send_fds(keep(keep(socket.socketpair())[0]), [b"x"], [fd])')

    # The first page of a window that was written; others are none yet.
    WRITTEN = 'next(65536 * slot for slot in range(1008) if any(os.pread(fd, 64, 65536 * slot)))'

    def test_pages_in_sockets(self):
        """A byte of a page keeps it, when the descriptor and the file are gone."""
        self.assert_counts(f'lambda fd: os.sendfile(keep(keep(socket.socketpair())[0]).fileno(), fd, {self.WRITTEN}, 1)')

    def test_pages_in_pipes(self):
        self.assert_counts(f'lambda fd: os.splice(fd, keep(os.pipe())[1], 1, offset_src={self.WRITTEN})')

    def test_page_of_control(self):
        """Of the one page that callers write."""
        holder = self.background('alice', f"""{self.KEEP}
class Control(Session):
    def close(self):
        os.splice(self.control, keep(os.pipe())[1], 1, offset_src=0)
        super().close()
Session = Control
print(json.dumps(hold(2, int)), flush=True); sys.stdin.readline()""")
        self.assertEqual(json.loads(holder.stdout.readline()), ['LimitExceeded'])
        holder.kill()

    def test_nothing_kept(self):
        self.assertEqual(self.caller('alice', f'{self.KEEP}hold(10, int)')[0]['value'], [])

    def test_usual_windows(self):
        """Of the usual size a user may have as many as there are places, and more."""
        holder = self.background('alice', 'for _ in range(7): keep(Session([own()])).stop(); held[-1].wait()\n'
                                 'print("held", flush=True); sys.stdin.readline()')
        self.assertEqual(holder.stdout.readline(), 'held\n')
        self.assertEqual(self.refused('alice', 'start([own()], window_count=256)'), 'LimitExceeded')
        holder.kill()

    def test_windows_cannot_be_written(self):
        """The descriptor is not open for it, and is not to be opened so."""
        said = self.caller('alice', 'import fcntl; session = Session([own()]); flags = fcntl.fcntl(session.windows, fcntl.F_GETFL); session.stop(); '
                           'session.wait(); flags & os.O_ACCMODE == os.O_RDONLY')[0]
        self.assertIs(said['value'], True, said)

    def test_kept_beyond_the_service(self):
        """It stays while something counts: another one would not know of it."""
        self.desk.stop_captured()
        self.addCleanup(self.desk.start_captured)
        holder = self.background('alice', f"""{self.KEEP}
while True:
    print('ready', flush=True)
    sys.stdin.readline()
    print(json.dumps(hold(1, lambda fd: keep(os.dup(fd)))), flush=True)""")
        said = None
        while said != '[]\n':  # on a busy machine it may have ended before it was called
            self.assertEqual(holder.stdout.readline(), 'ready\n')
            if self.desk.captured.poll() is not None:
                self.desk.start_captured('--idle-seconds', '2')
            holder.stdin.write('\n')
            holder.stdin.flush()
            said = holder.stdout.readline()
            self.assertIn(said, ('[]\n', '["org.freedesktop.DBus.Error.ServiceUnknown"]\n'))
        self.assertRaises(subprocess.TimeoutExpired, self.desk.captured.wait, 5)
        holder.kill()
        self.assertEqual(self.desk.captured.wait(60), 0)


if __name__ == '__main__':
    unittest.main()
