# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the system service share: a desk with the service on it, and programs to record."""
import contextlib
import json
import os
import pathlib
import re
import shutil

from desk import CAPTURED_SCOPE, Desk, USERS, wait_until
from recordings import BUSY, Load, compile_c
from support import TestCase, check_sanitizers, run

ALICE, BOB, CAPTURED = USERS['alice'], USERS['bob'], USERS['captured']

# The bus has limits of its own, of what it keeps for somebody who does not keep up; the service's relay, of what it passes on.
BUS_LIMIT = 'org.freedesktop.DBus.Error.LimitsExceeded'

# Undumpable, then busy.
UNDUMPABLE = BUSY.replace('int main(int argc, char **argv)\n{', '''#include <sys/prctl.h>
int main(int argc, char **argv)
{
  prctl(PR_SET_DUMPABLE, 0);''')

# Busy as itself until its standard input ends, then what argv[1] says; as a child of itself with argv[2].
THEN_EXEC = r'''
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long counter;

int main(int argc, char **argv)
{
  struct pollfd end = {.fd = 0, .events = POLLIN};
  while (poll(&end, 1, 0) == 0)
    for (int i = 0; i < 200000; i++)
      counter++;
  if (argc > 2 && fork() != 0) {
    for (;;)
      counter++;
  }
  execl(argv[1], "privileged", "0", (char *)0);
  return 1;
}
'''

# As many threads as argv[1] says, a line when there are so many; when a line comes on the standard input, argv[2] more.
THREADS = r'''
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *wait_for_ever(void *data)
{
  for (;;)
    pause();
  return data;
}

static void start(int n)
{
  pthread_attr_t small;
  pthread_t thread;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  while (n-- > 0)
    if (pthread_create(&thread, &small, wait_for_ever, NULL) != 0)
      exit(1);
  puts("started");
  fflush(stdout);
}

int main(int argc, char **argv)
{
  start(atoi(argv[1]));
  getchar();
  start(atoi(argv[2]));
  wait_for_ever(NULL);
}
'''


def status_of(pid, key):
    """A line of /proc/PID/status, or None for a process that is gone, or has no such line."""
    try:
        text = pathlib.Path(f'/proc/{pid}/status').read_text()
    except OSError:
        return None
    found = re.search(rf'^{key}:\s*(.*)$', text, re.M)
    return found and found[1]


def processes(desk, user):
    """The pids of a user's processes on a desk."""
    found = set()
    for cgroup, _, _ in os.walk(desk.root / 'sys/fs/cgroup'):
        with contextlib.suppress(OSError):  # a cgroup may be removed meanwhile, which os.walk() allows too
            found |= {int(pid) for pid in pathlib.Path(cgroup, 'cgroup.procs').read_text().split()}
    return {pid for pid in found if str(user) in (status_of(pid, 'Uid') or '').split()}


def descendants(pid):
    """The pids of a process's children, and theirs."""
    found = set()
    for tasks in pathlib.Path(f'/proc/{pid}/task').glob('*/children'):
        try:
            for child in map(int, tasks.read_text().split()):
                found |= {child} | descendants(child)
        except OSError:
            continue
    return found


def helpers_of(desk):
    """{pid: comm} of what the service started."""
    return {pid: status_of(pid, 'Name') for pid in descendants(desk.captured.pid)}


def members(desk, name):
    """The processes in one of the service's cgroups, None when there is no such."""
    try:
        return {int(pid) for pid in (desk.root / 'sys/fs/cgroup' / CAPTURED_SCOPE / name / 'cgroup.procs').read_text().split()}
    except OSError:
        return None


def recorder_of(desk):
    """The pid of a session's recorder, not of its forks, or None."""
    return next((pid for pid, name in helpers_of(desk).items()
                 if name == 'capture-recorde' and status_of(pid, 'PPid') == str(desk.captured.pid)), None)


def existing(objects):
    """Those of the programs, maps and links that the kernel still has."""
    found = set()
    for kind in {kind for kind, _number in objects}:
        listed = json.loads(run('bpftool', '--json', kind, 'show').stdout or '[]')
        found |= {(kind, each['id']) for each in listed}
    return objects & found


def stalled(desk):
    """Seconds so far in which something of the service's waited for a processor, because the machine is busy with something
    else; 0 where the kernel does not count them."""
    try:
        said = (desk.root / f'sys/fs/cgroup/{CAPTURED_SCOPE}/cpu.pressure').read_text()
    except OSError:
        return 0
    return int(re.search(r'some .*total=(\d+)', said)[1]) / 1e6


class DaemonCase(TestCase):
    """A desk with the service for the whole class, and programs in /home/programs."""

    settings = {}  # of the kernel's, while the class is tested

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.desk = Desk(settings=cls.settings).start()
        cls.addClassCleanup(cls.desk.stop)
        cls.make_programs()
        cls.desk.start_captured()
        cls.desk.call('alice', 'start([own()])')
        cls.idle_descriptors = cls.descriptors()

    @classmethod
    def make_programs(cls):
        """In /home, which is the desk's own, so that set-uid programs are what they say on every machine."""
        there = cls.desk.root / 'home' / 'programs'
        there.mkdir()
        for name, source in ('busy', BUSY), ('undumpable', UNDUMPABLE), ('then-exec', THEN_EXEC), ('threads', THREADS), ('setuid', BUSY):
            shutil.copy(compile_c(cls.desk.directory, name, source), there / name)
        (there / 'setuid').chmod(0o4755)

    @classmethod
    def descriptors(cls):
        found = []
        for path in pathlib.Path(f'/proc/{cls.desk.captured.pid}/fd').iterdir():
            with contextlib.suppress(FileNotFoundError):  # it closes windows in its own time
                found.append(os.readlink(path))
        return sorted(found)

    def has_nothing_left(self):
        """Whether captured is as it was before the test: no processes, no descriptors."""
        return (not descendants(self.desk.captured.pid) and
                len(self.descriptors()) <= len(self.idle_descriptors))

    def setUp(self):
        super().setUp()
        self.directory.chmod(0o777)
        self.path = self.directory / 'a.capture'
        self.addCleanup(self.check_service)

    def check_service(self):
        """That captured lives, and that nothing of the test's sessions is left."""
        if self.desk.captured.poll() is not None:
            log = self.desk.log()
            self.desk.start_captured()
            self.fail(f'captured ended:\n{log[-4000:]}')
        wait_until(self.has_nothing_left, 'captured has ended all sessions')
        check_sanitizers(self.desk.log())

    def process(self, user, program='busy', *arguments, **how):
        """A program of the class, running as the user until the test ends."""
        started = self.desk.popen([f'/home/programs/{program}', *(arguments or ['0'])], user, True, **how)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        wait_until(lambda: status_of(started.pid, 'Name') == program, 'the program runs')
        return started

    def setuid_process(self, user):
        """A process that the user started and that is root's."""
        started = self.process(user, 'setuid')
        self.assertIn('0', status_of(started.pid, 'Uid').split())
        return started

    def background(self, user, *snippets, active=True):
        """daemon_caller.py in the background: its Popen, with stdout to be read by lines."""
        return self.enterContext(self.desk.caller(user, *snippets, active=active))

    def caller(self, user, *snippets, active=True, timeout=120, **names):
        """What came of each snippet, in which NAME=VALUE and `out`, a path to save a capture at, are known."""
        names = {'out': str(self.path), **names}
        given = '; '.join(f'{name} = {value!r}' for name, value in names.items())
        return self.desk.call(user, *(f'{given}\n{snippet}' for snippet in snippets), active=active, timeout=timeout)

    def refused(self, user, snippet, active=True, **names):
        """The error's name without its prefix, None when there was none."""
        return self.caller(user, snippet, active=active, **names)[0]['error']

    def recorded(self, user, snippet, active=True, **names):
        """The capture that a snippet saves as `out`."""
        said = self.caller(user, snippet, active=active, **names)[0]
        self.assertIsNone(said['error'], said)
        return Load(self.path)
