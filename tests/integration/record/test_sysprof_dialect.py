# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that speak Sysprof's dialect, through Sysprof's own library, and others that pretend to."""
import collections
import contextlib
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from recordings import start, wait_until
from support import SOURCE, TestCase, capturectl, environment, run
from told import SYSCAP, Told, frames

# From Sysprof 51 on who begins to write does so at the descriptor's beginning, and over what others have just written. BEGIN does that
# whichever library there is.
BEGINS_AGAIN = int(run('pkg-config', '--modversion', 'sysprof-capture-4').stdout.split('.')[0]) >= 51
BEGIN = 'python3 -c "import os; os.lseek(int(os.environ[\'SYSPROF_TRACE_FD\']), 0, 0)"'

SAMPLE, JITMAP, COUNTER_DEFINITION, COUNTER_VALUES, MARK, LOG = 2, 7, 8, 9, 10, 12

# talker trace|rings|full|threads N: writes N samples, marks and counter values through the descriptor; N samples, marks and
# log lines through the rings of two threads, or through one while its reader is stopped; or one mark through the ring of each of N threads, one after the other.
# With a last argument it does all of that once more in another program that it starts.
TALKER = r'''
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sysprof-capture.h>
#include <unistd.h>

static int n;

static int backtrace_two(SysprofCaptureAddress *addresses, unsigned length, void *data)
{
  addresses[0] = 0x1000;
  addresses[1] = 0x2000;
  return 2;
}

static void *fill_ring(void *data)
{
  for (int i = 0; i < n; i++) {
    sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 5, "group", "ring", "a message");
    sysprof_collector_sample(backtrace_two, NULL);
    sysprof_collector_log(1 << 6, "domain", "a line");
  }
  return NULL;
}

static void *mark_once(void *data)
{
  sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 5, "group", "thread", "a message");
  return NULL;
}

static int write_trace(void)
{
  SysprofCaptureWriter *writer = sysprof_capture_writer_new_from_env(0);
  if (!writer)
    return 1;
  unsigned counter = sysprof_capture_writer_request_counter(writer, 1);
  SysprofCaptureCounter definition = {.category = "c", .name = "n", .description = "d", .id = counter, .type = SYSPROF_CAPTURE_COUNTER_INT64};
  sysprof_capture_writer_define_counters(writer, SYSPROF_CAPTURE_CURRENT_TIME, -1, getpid(), &definition, 1);
  for (int i = 0; i < n; i++) {
    SysprofCaptureAddress address = sysprof_capture_writer_add_jitmap(writer, i % 2 ? "odd" : "even");
    SysprofCaptureCounterValue value = {.v64 = i};
    sysprof_capture_writer_add_sample(writer, SYSPROF_CAPTURE_CURRENT_TIME, -1, getpid(), getpid(), &address, 1);
    sysprof_capture_writer_add_mark(writer, SYSPROF_CAPTURE_CURRENT_TIME, -1, getpid(), 7, "group", "trace", "a message");
    sysprof_capture_writer_set_counters(writer, SYSPROF_CAPTURE_CURRENT_TIME, -1, getpid(), &counter, &value, 1);
  }
  sysprof_capture_writer_flush(writer);
  sysprof_capture_writer_unref(writer);
  return 0;
}

static void run_thread(void *(*function)(void *))
{
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
  int status = 0;
  n = atoi(argv[2]);
  sysprof_clock_init();
  if (strcmp(argv[1], "trace") == 0) {
    status = write_trace();
  } else if (strcmp(argv[1], "threads") == 0) {
    for (int i = 0; i < n; i++)
      run_thread(mark_once);
  } else if (strcmp(argv[1], "full") == 0) {
    mark_once(NULL);
    kill(getppid(), SIGSTOP);
    fill_ring(NULL);
    kill(getppid(), SIGCONT);
  } else {
    run_thread(fill_ring);
    fill_ring(NULL);
  }
  if (argc > 3 && fork() == 0) {
    char *again[] = {argv[0], argv[1], argv[2], NULL};
    execv(argv[0], again);
  }
  while (wait(NULL) > 0)
    continue;
  return status;
}
'''

# Says what else stands in files of Sysprof's: facts, and symbols for what it has sampled.
NOTARY = r'''
import os, sys
sys.path[:0] = [{directory!r}]
from syscap import Syscap
own = dict(pid=os.getpid(), time=int({time}))
file = Syscap().metadata('compiler', 'fast', **own).overlay('/var/app', '/app', **own)
for address in 0x1010, 0x1020, 0x1030, 0x1040:
    file.sample([address], **own)
entries = (0x1010, 0x1010, own['pid'], 160), (0x1020, 0x1030, own['pid'], 164), (0x1040, 0x1040, 1, 160), (0x2000, 0x1000, own['pid'], 9999), (0, 0, 0, 0)
file.file_chunk('__symbols__', b''.join(file.pack('QQIIQ', *entry, 0) for entry in entries) + b'one\0two\0', **own)
os.write(int(os.environ['SYSPROF_TRACE_FD']), file.content)
'''

# Draws N frames in a window, and says how many there were.
WINDOW = r'''
#include <gtk/gtk.h>
#include <stdio.h>
#include <stdlib.h>

static int wanted, drawn;

static gboolean again(GtkWidget *label, GdkFrameClock *clock, gpointer data)
{
  char text[32];
  snprintf(text, sizeof text, "%d", ++drawn);
  gtk_label_set_text(GTK_LABEL(label), text);
  return drawn < wanted;
}

int main(int argc, char **argv)
{
  wanted = atoi(argv[1]);
  gtk_init();
  GtkWidget *window = gtk_window_new(), *label = gtk_label_new("0");
  gtk_window_set_child(GTK_WINDOW(window), label);
  gtk_widget_add_tick_callback(label, again, NULL, NULL);
  gtk_window_present(GTK_WINDOW(window));
  while (drawn < wanted)
    g_main_context_iteration(NULL, TRUE);
  gtk_window_destroy(GTK_WINDOW(window));
  printf("%d\n", drawn);
  return 0;
}
'''

# Asks for a ring, and writes into it, into its head and its tail what comes to its mind.
LIAR = r'''
import array, mmap, os, random, socket, struct, time
control = socket.socket(fileno=int(os.environ['SYSPROF_CONTROL_FD']))
control.send(b'nonsense!!')
control.send(b'CreatRing\0')
_, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(4))
fd = array.array('i', ancillary[0][2])[0]
size = os.fstat(fd).st_size
ring = mmap.mmap(fd, size)
assert struct.unpack_from('IIII', ring) == (0, 0, mmap.PAGESIZE, size - mmap.PAGESIZE)
try:
    os.ftruncate(fd, 0)
except PermissionError:
    pass
else:
    raise SystemExit('the ring could be cut off')
random.seed(1)
end = time.monotonic() + float(os.environ['SECONDS'])
while time.monotonic() < end:
    ring[4096:8192] = random.randbytes(4096)
    struct.pack_into('II', ring, 0, random.getrandbits(32), random.choice([8, 24, 4096, 1 << 19, 1 << 31, 7, random.getrandbits(32)]))
    time.sleep(0.001)
trace = int(os.environ['SYSPROF_TRACE_FD'])
os.write(trace, b'not a frame')
try:
    os.ftruncate(trace, 0)
except PermissionError:
    pass
else:
    raise SystemExit('what others wrote could be cut off')
os.ftruncate(trace, 1 << 40)
os.pwrite(trace, b'behind a hole', 1 << 39)
'''


class Dialect(TestCase):

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix='capture-talker-')
        cls.addClassCleanup(directory.cleanup)
        cls.talker = pathlib.Path(directory.name) / 'talker'
        source = cls.talker.with_suffix('.c')
        source.write_text(TALKER)
        flags = shlex.split(run('pkg-config', '--cflags', '--libs', '--static', 'sysprof-capture-4').stdout)
        run('gcc', '-O1', '-pthread', '-o', cls.talker, source, *flags)

    def record(self, *arguments, **how):
        path = self.directory / 'a.capture'
        self.result = capturectl('record', '-q', '-o', path, *arguments, **how)
        return Told(path)

    def of(self, told, variable):
        found = [foreign for foreign in told.foreign if foreign.name == variable]
        self.assertTrue(all(foreign.kind == SYSCAP for foreign in found))
        return found

    def count(self, data, growing=False):
        found, headers = frames(data, growing)
        return collections.Counter(frame.type for frame in found), headers

    def test_trace(self):
        told = self.record('--', self.talker, 'trace', 3000)
        self.assertEqual(self.of(told, 'GJS_TRACE_FD'), [])
        trace, = self.of(told, 'SYSPROF_TRACE_FD')
        types, headers = self.count(trace.bytes)
        self.assertEqual(headers, 1)
        self.assertEqual(types, {SAMPLE: 3000, MARK: 3000, COUNTER_VALUES: 3000, COUNTER_DEFINITION: 1, JITMAP: 1})
        self.assertEqual({frame.pid for frame in frames(trace.bytes)[0]}, {trace.pid})

    def test_reported(self):
        """What was told is in reports: marks, and samples as an event of their own, by the names that they came with."""
        self.record('--', self.talker, 'trace', 300)
        said = json.loads(capturectl('report', self.directory / 'a.capture', '--by', 'mark', '--json').stdout)
        mark, = said['rows']
        self.assertEqual((mark['category'], mark['name'], mark['count'], mark['median_ns']), ('group', 'trace', 300, 7))
        self.assertIn(('SYSPROF_TRACE_FD', 300), [(event['name'], event['samples']) for event in said['events']])
        report = capturectl('report', self.directory / 'a.capture', '-e', 'SYSPROF_TRACE_FD').stdout
        for name in 'odd', 'even':
            self.assertRegex(report, rf'50\.00%.*150.*\b{name}\b')

    def record_two(self):
        """Two programs that write to one descriptor, the second one when what the first one wrote is in the file."""
        path, again = self.directory / 'a.capture', self.directory / 'again'
        script = f'{self.talker} trace 3000; until [ -e {again} ]; do sleep 0.05; done; {BEGIN}; exec {self.talker} trace 3000'
        with start('record', '-q', '-o', path, '--', 'sh', '-c', script) as process:
            self.addCleanup(process.kill)
            self.expect_copied(process, path, 3000)
            again.touch()
            process.communicate(timeout=30)
        return Told(path)

    def expect_copied(self, process, path, marks):
        """So many marks are in the file, and after that the memory that they took is given back."""
        def told():
            found = self.of(Told(path), 'SYSPROF_TRACE_FD') if path.exists() else []
            return found and self.count(found[0].bytes, growing=True)[0][MARK] == marks
        self.assertTrue(wait_until(told))

        def blocks():
            for entry in pathlib.Path(f'/proc/{process.pid}/fd').iterdir():
                with contextlib.suppress(FileNotFoundError):  # others come and go
                    if os.readlink(entry).startswith('/memfd:capture-syscap ') and os.stat(entry).st_size > 0:
                        return os.stat(entry).st_blocks * 512
        wait_until(lambda: blocks() <= 2 * os.sysconf('SC_PAGESIZE'))
        self.assertLessEqual(blocks(), 2 * os.sysconf('SC_PAGESIZE'))

    def test_trace_shared(self):
        """What both said is there, one behind the other, wherever the second one begins."""
        tolds = [self.record_two()]
        if not BEGINS_AGAIN:
            tolds.append(self.record('--', self.talker, 'trace', 3000, 'again'))
        for told in tolds:
            self.check_two(told)

    def check_two(self, told):
        trace, = self.of(told, 'SYSPROF_TRACE_FD')
        types, headers = self.count(trace.bytes)
        self.assertEqual((headers, types[SAMPLE], types[MARK]), (2, 6000, 6000))
        self.assertEqual(len({frame.pid for frame in frames(trace.bytes)[0]}), 2)

    def test_what_reports_make_of_it(self):
        """Samples with the names of who told them, marks and a counter, of two programs that write to one descriptor."""
        self.record_two()
        path = self.directory / 'a.capture'
        folded = capturectl('export', path, '--format', 'folded', '--event', 'SYSPROF_TRACE_FD').stdout
        self.assertEqual(sorted(folded.splitlines()), ['even_[j] 3000', 'odd_[j] 3000'])
        info = json.loads(capturectl('info', path, '--json').stdout)
        self.assertEqual(info['marks'], 6000)
        counters = [counter for counter in info['counters'] if counter['category'] == 'c']
        self.assertEqual({(counter['name'], counter['description'], counter['last']) for counter in counters}, {('n', 'd', 2999)})
        self.assertEqual(sum(counter['values'] for counter in counters), 6000)
        self.assertEqual(info['problems'], [])

    def test_facts_and_symbols(self):
        """What an import would keep as facts is told as lines of a log, and a file of symbols names what was sampled."""
        script = NOTARY.format(directory=str(SOURCE / 'tests/integration'), time=time.monotonic_ns())
        self.record('--', sys.executable, '-c', script)
        path = self.directory / 'a.capture'
        folded = capturectl('export', path, '--format', 'folded', '--event', 'SYSPROF_TRACE_FD').stdout
        self.assertEqual(sorted(folded.splitlines()), ['0x1040 1', 'one_[j] 1', 'two_[j] 2'])
        info = json.loads(capturectl('info', path, '--json').stdout)
        lines = {(line['domain'], line['severity'], line['text']) for line in info['log']}
        self.assertEqual({(domain.split('.')[0], *rest) for domain, *rest in lines}, {('compiler', 6, 'fast'), ('overlay', 6, '/var/app')})
        self.assertTrue(any(domain.startswith('overlay.') and domain.endswith(' /app') for domain, _, _ in lines), lines)
        self.assertEqual(info['problems'], [])

    def test_trace_while_recording(self):
        """What is written stands in the file before the recording ends, and its memory is given back."""
        path = self.directory / 'a.capture'
        script = f'"{self.talker}" trace 30000; sleep 60'
        with start('record', '-q', '-o', path, '--', 'sh', '-c', script) as process:
            self.addCleanup(process.kill)
            self.expect_copied(process, path, 30000)
            process.send_signal(signal.SIGINT)
            process.wait(30)

    def test_rings(self):
        told = self.record('--', self.talker, 'rings', 500)
        rings = self.of(told, 'SYSPROF_CONTROL_FD')
        self.assertEqual(len(rings), 2)
        for ring in rings:
            types, headers = self.count(ring.bytes)
            self.assertEqual((headers, types), (1, {MARK: 500, SAMPLE: 500, LOG: 500}))
            self.assertEqual({frame.pid for frame in frames(ring.bytes)[0]}, {ring.pid})
        self.assertEqual(told.messages, [])

    def test_rings_shared(self):
        """The socket is inherited: each process has rings of its own."""
        told = self.record('--', self.talker, 'rings', 500, 'again')
        rings = self.of(told, 'SYSPROF_CONTROL_FD')
        self.assertEqual(sorted(collections.Counter(ring.pid for ring in rings).values()), [2, 2])
        self.assertEqual(sum(self.count(ring.bytes)[0][MARK] for ring in rings), 2000)

    def test_rings_full(self):
        """Who writes into a ring that is not emptied is not held up, what arrives is whole, and it is said."""
        told = self.record('--', self.talker, 'full', 30000)
        ring, = self.of(told, 'SYSPROF_CONTROL_FD')
        marks = self.count(ring.bytes)[0][MARK]
        self.assertGreater(marks, 1000)
        self.assertLess(marks, 30000)
        self.assertIn('may be missing', ''.join(told.messages))

    def test_many_threads(self):
        """More threads than rings at the same time, one after the other: each has one."""
        told = self.record('--', self.talker, 'threads', 700)
        self.assertEqual(len(self.of(told, 'SYSPROF_CONTROL_FD')), 700)

    def test_liar(self):
        told = self.record('--', 'python3', '-c', LIAR, env=environment(SECONDS='1'))
        trace, = self.of(told, 'SYSPROF_TRACE_FD')
        self.assertTrue(trace.bytes.startswith(b'not a frame'))
        self.assertIn(b'behind a hole', trace.bytes)
        self.assertLess(len(trace.bytes), 1 << 20)
        rings = self.of(told, 'SYSPROF_CONTROL_FD')
        self.assertIn('not a frame', ''.join(told.messages))
        for ring in rings:
            frames(ring.bytes)
        self.assertEqual(capturectl('check', self.directory / 'a.capture').stdout.splitlines()[-1], 'No problem was found.')

    def test_liar_beside_others(self):
        script = f'python3 -c "$1" & "{self.talker}" rings 500; "{self.talker}" trace 500; wait'
        told = self.record('--', 'sh', '-c', script, 'sh', LIAR, env=environment(SECONDS='0.5'))
        marks = sum(self.count(ring.bytes)[0][MARK] for ring in self.of(told, 'SYSPROF_CONTROL_FD'))
        self.assertGreaterEqual(marks, 1000)
        trace, = self.of(told, 'SYSPROF_TRACE_FD')
        self.assertIn(b'a message', trace.bytes)

    def test_collector_killed(self):
        """Programs go on without the recording: nothing blocks, nothing kills them."""
        done = self.directory / 'done'
        script = f'sleep 1; "{self.talker}" rings 500 && "{self.talker}" trace 500 && touch {done}'
        with start('record', '-q', '-o', self.directory / 'a.capture', '--', 'sh', '-c', script) as process:
            wait_until(lambda: (self.directory / 'a.capture').exists())
            process.kill()
            process.wait()
        self.assertTrue(wait_until(done.exists))

    def test_after_the_end(self):
        """A program that outlives its recording has no ring, and the descriptor takes nothing more."""
        done = self.directory / 'done'
        script = (f'setsid sh -c \'while kill -0 {os.getpid()} && ! [ -e {self.directory}/go ]; do sleep 0.01; done; '
                  f'"{self.talker}" rings 500; "{self.talker}" trace 500; echo $? > {done}.new; mv {done}.new {done}\' '
                  '>/dev/null 2>&1 & sleep 0.1')
        told = self.record('--duration', '0.5', '--', 'sh', '-c', script, status=None)
        (self.directory / 'go').touch()
        self.assertEqual(told.foreign, [])
        self.assertTrue(wait_until(done.exists))
        self.assertEqual(done.read_text(), '1\n')

    def test_none(self):
        told = self.record('--no-sysprof', '--', 'sh', '-c', 'test -z "$SYSPROF_TRACE_FD$GJS_TRACE_FD$SYSPROF_CONTROL_FD"')
        self.assertEqual(told.foreign, [])

    def test_gjs(self):
        """GJS samples its script where the distribution has built it so; elsewhere it runs as ever."""
        script = 'function work(n) { return n < 2 ? n : work(n - 1) + work(n - 2); } print(work(27));'
        told = self.record('--', 'gjs', '-c', script)
        self.assertEqual(self.result.stdout, '196418\n')
        trace = self.of(told, 'GJS_TRACE_FD')
        if 'Profiler is disabled' in self.result.stderr:
            self.assertEqual(trace, [])
        else:
            types, _ = self.count(trace[0].bytes)
            self.assertGreater(types[SAMPLE], 0)
            self.assertIn(b'work', trace[0].bytes)


class Toolkit(TestCase):
    """GTK 4 as the distribution builds it, which asks for a ring of each thread that draws."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix='capture-window-')
        cls.addClassCleanup(directory.cleanup)
        cls.window = pathlib.Path(directory.name) / 'window'
        source = cls.window.with_suffix('.c')
        source.write_text(WINDOW)
        run('gcc', '-O1', '-o', cls.window, source, *shlex.split(run('pkg-config', '--cflags', '--libs', 'gtk4').stdout))

    def start_screen(self):
        """The name of an X server that nobody sees."""
        reading, writing = os.pipe()
        server = subprocess.Popen(['Xvfb', '-displayfd', str(writing), '-screen', '0', '400x300x24', '-nolisten', 'tcp'],
                                  pass_fds=[writing], stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        os.close(writing)
        with open(reading) as pipe:
            return f':{pipe.readline().strip()}'

    def test_frames(self):
        """A mark for each turn of the frame clock, with the phases of which it consists, at their times; and GTK's counters."""
        place = environment(DISPLAY=self.start_screen(), GDK_BACKEND='x11', GSK_RENDERER='cairo', GTK_A11Y='none', HOME=str(self.directory),
                            XDG_RUNTIME_DIR=str(self.directory), GSETTINGS_BACKEND='memory', GTK_THEME='Adwaita')
        path = self.directory / 'a.capture'
        said = capturectl('record', '-q', '-o', path, '--', self.window, 100, env=place).stdout
        drawn = int(said)
        self.assertGreaterEqual(drawn, 100)
        # GTK 4.16 and newer write them otherwise.
        rows = {{'validate css': 'css validation'}.get(row['name'].lower(), row['name'].lower()): row
                for row in json.loads(capturectl('report', path, '--by', 'mark', '--json').stdout)['rows'] if row['category'].lower() == 'gtk'}
        for name in 'frameclock cycle', 'frameclock update', 'frameclock layout', 'frameclock paint', 'css validation', 'widget snapshot':
            self.assertGreaterEqual(rows[name]['count'], drawn - 2, rows)
        for name in 'frameclock cycle', 'frameclock paint':
            self.assertEqual(rows[name]['spans'], rows[name]['count'])
        self.assertLess(rows['frameclock paint']['total_ns'], rows['frameclock cycle']['total_ns'])
        info = json.loads(capturectl('info', path, '--json').stdout)
        self.assertEqual(info['problems'], [])


if __name__ == '__main__':
    unittest.main()
