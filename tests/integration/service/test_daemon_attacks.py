# SPDX-License-Identifier: GPL-3.0-or-later
"""What callers of the system service should not do, one row each: it is refused with that error, or it is contained and
harms nobody but its caller."""
import json
import os
import pathlib
import unittest

from daemon import BUS_LIMIT, CAPTURED, DaemonCase, processes, status_of
from desk import NAME, SYSTEM, wait_until
from recordings import Load, processor_time

BINARY = 1

# What alice tries without any authorisation, and the error's name. `others` is bob's process, `setuid` one of hers that
# became root's, `undumpable` one of hers that must not be looked into, `gone` one that has ended.
TARGETS = [
    ('targets=[os.open("/etc/passwd", os.O_RDONLY)]', 'InvalidTarget'),
    ('targets=[os.open("/dev/null", os.O_RDWR)]', 'InvalidTarget'),
    ('targets=[os.open("/proc/self", os.O_DIRECTORY)]', 'InvalidTarget'),
    ('targets=[os.open("/proc/self/mem", os.O_RDONLY)]', 'InvalidTarget'),
    ('targets=[os.open("/", os.O_PATH)]', 'InvalidTarget'),
    ('targets=[os.pipe()[0]]', 'InvalidTarget'),
    ('targets=[os.memfd_create("x")]', 'InvalidTarget'),
    ('targets=[os.eventfd(0)]', 'InvalidTarget'),
    ('targets=[keep(select.epoll()).fileno()]', 'InvalidTarget'),
    ('targets=[socket.socketpair()[0].detach()]', 'InvalidTarget'),
    ('targets=[own(), os.open("/etc/passwd", os.O_RDONLY)]', 'InvalidTarget'),
    ('targets=[own()], targets_=V("ah", [1])', 'InvalidTarget'),
    ('targets=[own()], targets_=V("ah", [0x7fffffff])', 'InvalidTarget'),
    ('targets=[own()], targets_=V("ah", [-1])', 'InvalidTarget'),
    ('targets=[gone()]', 'TargetGone'),
    ('targets=[own(), gone()]', 'TargetGone'),
    ('targets=[pidfd(others)]', 'NotAuthorized'),
    ('targets=[pidfd(others)], scope="own"', 'NotPermitted'),
    ('targets=[own(), pidfd(others)], scope="own"', 'NotPermitted'),
    ('targets=[pidfd(setuid)], scope="own"', 'NotPermitted'),
    ('targets=[pidfd(setuid)]', 'NotAuthorized'),
    ('targets=[pidfd(undumpable)], scope="own"', 'NotPermitted'),
    ('targets=[pidfd(undumpable)]', 'NotAuthorized'),
    ('targets=[pidfd(captured)], scope="own"', 'NotPermitted'),
    ('targets=[pidfd(1)], scope="own"', 'NotPermitted'),
    ('targets=[pidfd(2)], scope="own"', 'NotPermitted'),
    ('targets=[pidfd(1)]', 'NotAuthorized'),
    ('targets=[own()], targets_=V("ah", [0] * 300)', 'LimitExceeded'),
]

# What options cannot be, with a target of her own.
OPTIONS = [
    ('unheard_of=V("b", True)', 'InvalidOption'),
    ('targets_=V("s", "all")', 'InvalidOption'),
    ('targets_=V("ai", [0])', 'InvalidOption'),
    ('targets_=V("ah", [])', 'InvalidOption'),
    ('system_wide=True', 'InvalidOption'),
    ('scope=V("s", "root")', 'InvalidOption'),
    ('scope=V("u", 1)', 'InvalidOption'),
    ('children=V("s", "yes")', 'InvalidOption'),
    ('kernel=V("v", V("b", True))', 'InvalidOption'),
    ('unwind="guess"', 'InvalidOption'),
    ('stack_bytes=0xffffffff', 'InvalidOption'),
    ('stack_bytes=7', 'InvalidOption'),
    ('stack_bytes=V("i", -8)', 'InvalidOption'),
    ('max_stack=0xffffffff', 'InvalidOption'),
    ('max_stack=V("x", -1)', 'InvalidOption'),
    ('window_count=0xffffffff', 'LimitExceeded'),
    ('window_count=1', 'InvalidOption'),
    ('events=V("as", ["cycles"])', 'InvalidOption'),
    ('events=[("cpu-clock", 100, 100)]', 'InvalidOption'),
    ('events=[("cpu-clock", 1, 0)] * 17', 'LimitExceeded'),
    ('events=[("x" * 10000, 1, 0)]', 'InvalidOption'),
    ('events=[("cpu-clock", 0xffffffffffffffff, 0)]', 'InvalidOption'),
    ('events=[("cpu-clock", 10001, 0)]', 'LimitExceeded'),
    ('events=[("cpu-clock", 1, 0)] * 100000', BUS_LIMIT),
    ('events=[("no-such-event", 1, 0)], scope="own"', 'NotPermitted'),
    ('events=[("no-such-event", 1, 0)]', 'NotAuthorized'),
    ('events=[("../../../etc/passwd", 1, 0)]', 'NotAuthorized'),
    ('events=[("cpu-clock", 0, 1)], scope="own"', 'LimitExceeded'),
    ('kernel=True, scope="own"', 'NotPermitted'),
    ('kernel=True', 'NotAuthorized'),
    ('events=[("sched:sched_switch", 0, 1)], scope="own"', 'NotPermitted'),
    ('events=[("off-cpu", 0, 0)], scope="own"', 'NotPermitted'),
    ('events=[("sched:sched_switch", 0, 1)]', 'NotAuthorized'),
    ('events=[("off-cpu", 0, 0)]', 'NotAuthorized'),
]

# What alice changes about an event that she may have: she is authorised for PerfEventOpen.
NOWHERE = 6666  # a kind of events that no kernel has
VALUES = [
    ('type=5', 'NotPermitted'),  # breakpoints
    (f'type=pmu("kprobe", {NOWHERE})', 'NotPermitted'),
    (f'type=pmu("uprobe", {NOWHERE})', 'NotPermitted'),
    (f'type=pmu("intel_pt", {NOWHERE})', 'NotPermitted'),
    (f'type=pmu("msr", {NOWHERE})', 'NotPermitted'),
    (f'type={NOWHERE}', 'NotPermitted'),
    ('type=0xffffffffffffffff', 'InvalidOption'),
    ('type=V("s", "hardware")', 'InvalidOption'),
    ('sample_type=1 << 20', 'InvalidOption'),  # AUX
    ('sample_type=1 << 11', 'InvalidOption'),  # BRANCH_STACK
    ('sample_type=1 << 18', 'InvalidOption'),  # REGS_INTR
    ('sample_type=1 << 19', 'InvalidOption'),  # PHYS_ADDR
    ('sample_type=1 << 63', 'InvalidOption'),
    ('sample_type=V("s", "all")', 'InvalidOption'),
    ('sample_type=V("x", -1)', 'InvalidOption'),
    ('read_format=1 << 40', 'InvalidOption'),
    ('sample_period=1 << 63', 'InvalidOption'),
    ('sample_freq=1000', 'InvalidOption'),  # beside sample_period
    ('sample_max_stack=1 << 40', 'InvalidOption'),
    ('sample_type=1 << 13, sample_stack_user=7', 'InvalidOption'),
    ('sample_type=1 << 13, sample_stack_user=1 << 32', 'InvalidOption'),
    ('sample_type=1 << 12, sample_regs_user=0xffffffffffffffff', 'InvalidOption'),
    ('clockid=1 << 40', 'InvalidOption'),
    ('precise_ip=4', 'InvalidOption'),
    ('disabled=V("s", "yes")', 'InvalidOption'),
    ('disabled=2', 'InvalidOption'),
]
FIELDS = ('size', 'bp_type', 'bp_addr', 'bp_len', 'kprobe_func', 'kprobe_addr', 'uprobe_path', 'probe_offset', 'branch_sample_type',
          'sample_regs_intr', 'aux_watermark', 'aux_sample_size', 'aux_action', 'aux_output', 'config3', 'sig_data', 'sigtrap', 'text_poke',
          'pinned', 'exclusive', '__reserved_1', '__reserved_2', 'unheard_of', '')
ATTRIBUTES = VALUES + [(f'**{{{field!r}: 1}}', 'InvalidOption') for field in FIELDS]

# How else alice calls PerfEventOpen.
CALLS = [
    ('perf_event_open(EVENT)', 'InvalidOption'),
    ('perf_event_open({}, cpu=0)', 'InvalidOption'),
    ('perf_event_open({**EVENT, "type": V("h", 0)}, cpu=0)', 'InvalidOption'),
    ('perf_event_open(EVENT, cpu=-2)', 'InvalidOption'),
    ('perf_event_open(EVENT, cpu=99999)', 'InvalidOption'),
    ('perf_event_open(EVENT, cpu=V("s", "all"))', 'InvalidOption'),
    ('perf_event_open(EVENT, pid=V("i", 1))', 'InvalidOption'),
    ('perf_event_open(EVENT, cpu=0, flags=V("t", 8))', 'InvalidOption'),
    ('perf_event_open(EVENT, fds=[os.open("/etc/passwd", os.O_RDONLY)], pidfd=0)', 'InvalidTarget'),
    ('perf_event_open(EVENT, pidfd=7)', 'InvalidTarget'),
    ('perf_event_open(EVENT, fds=[gone()], pidfd=0)', 'TargetGone'),
    ('perf_event_open(EVENT, fds=[os.open("/etc/passwd", os.O_RDONLY)], cpu=0, group=0)', 'InvalidOption'),
    ('perf_event_open(EVENT, cpu=0, group=7)', 'InvalidOption'),
]


class AttackCase(DaemonCase):
    def assert_errors(self, rows, make, user='alice', **names):
        """Each row's error is the one that it names."""
        said = self.caller(user, *(make(what) for what, _error in rows), **names)
        self.assertEqual(len(said), len(rows))
        for (what, expected), outcome in zip(rows, said):
            with self.subTest(what):
                self.assertIn(outcome['error'], expected if isinstance(expected, tuple) else (expected,), outcome['message'])


class TableTest(AttackCase):
    def test_targets(self):
        setuid, undumpable = self.setuid_process('alice'), self.process('alice', 'undumpable')
        self.assert_errors(TARGETS, lambda what: f'tried({what})', others=self.process('bob').pid, setuid=setuid.pid,
                           undumpable=undumpable.pid, captured=self.desk.captured.pid)

    def test_options(self):
        self.assert_errors(OPTIONS, lambda what: f'tried(targets=[own()], {what})')

    def test_nothing_to_record(self):
        self.assert_errors([('tried([])', 'InvalidOption'), ('tried([], system_wide=False)', 'InvalidOption')], str)

    def test_events(self):
        """Refused whoever asks; and the event itself is had, so that the rows say something."""
        self.assert_errors([('', 'NotAuthorized')], lambda what: f'opened({what})')
        self.desk.allow(SYSTEM, 'alice')
        self.addCleanup(self.desk.authorise, '')
        self.assert_errors([('', None), *ATTRIBUTES], lambda what: f'opened({what})')
        self.assert_errors(CALLS, str)


class ProcessTest(AttackCase):
    def test_recycled_pid(self):
        """A pidfd is of the process that had the number then."""
        ended = self.background('alice', 'ended = child(); fd = os.pidfd_open(ended.pid); ended.kill(); ended.wait(); '
                                'print(ended.pid, flush=True); sys.stdin.readline(); tried([fd])')
        pid = int(ended.stdout.readline())
        for _ in range(1000):
            pathlib.Path('/proc/sys/kernel/ns_last_pid').write_text(str(pid - 1))
            successor = self.desk.popen(['sleep', '1000'], 'bob', True)
            if successor.pid == pid:
                break
            successor.kill()
            successor.wait()
        self.assertEqual(successor.pid, pid)
        wait_until(lambda: status_of(pid, 'Name') == 'sleep', 'bob has the pid')
        ended.stdin.write('\n')
        ended.stdin.flush()
        self.assertEqual(json.loads(ended.stdout.readline())['error'], 'TargetGone')
        successor.kill()
        successor.wait()

    def assert_nothing_of_the_setuid_program(self, *more):
        """Although it works for a while; gives the samples that came later."""
        said = self.caller('alice', f"""
process = subprocess.Popen(['/home/programs/then-exec', '/home/programs/setuid', *{more!r}], stdin=subprocess.PIPE)
children.append(process)
session = Session([os.pidfd_open(process.pid)], events=[('cpu-clock', 999, 0)])
session.read(0.5)
process.stdin.close()
def privileged():
    found = subprocess.run(['pgrep', '-f', '^privileged 0'], capture_output=True, text=True).stdout.split()
    return [pid for pid in found if '0' in open(f'/proc/{{pid}}/status').read().split('Uid:')[1].split()[:4]]
while not privileged():
    time.sleep(0.01)
began = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
def worked():
    return int(open(f'/proc/{{privileged()[0]}}/stat').read().rpartition(')')[2].split()[11])
while worked() < 20:
    session.read(0.1)
subprocess.run(['kill', '-9', *privileged()])
process.kill()
session.wait()
session.save(out)
began
""")[0]
        self.assertIsNone(said['error'], said)
        samples = Load(self.path).samples
        self.assertGreater(len(samples), 20)
        paths = {frame.owner['path'] for sample in samples for frame in sample.frames if frame.kind == BINARY and frame.owner}
        self.assertTrue(any(path.endswith('/then-exec') for path in paths), paths)
        self.assertFalse(any(path.endswith('/setuid') for path in paths), paths)
        return [sample for sample in samples if sample.time > said['value']]

    def test_target_that_execs_setuid(self):
        self.assertEqual(self.assert_nothing_of_the_setuid_program(), [])

    def test_child_that_execs_setuid(self):
        later = self.assert_nothing_of_the_setuid_program('child')
        self.assertEqual({sample.command for sample in later}, {'then-exec'})


class ConfinedTest(AttackCase):
    """Who is confined to less than his user may do gets no more by way of the service: not even his user's other processes
    without an administrator's authorisation."""

    LANDLOCK = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
rights = struct.pack('<Q', 1 << 13)  # to make links: of no matter
ruleset = libc.syscall(444, rights, len(rights), 0)
assert ruleset >= 0 and libc.prctl(38, 1, 0, 0, 0) == 0 and libc.syscall(446, ruleset, 0) == 0, ctypes.get_errno()
"""

    def assert_confined(self, how):
        other = self.process('alice')
        self.assertIsNone(self.refused('alice', f'start([pidfd({other.pid})], scope="own")'))
        for what, error in ('scope="own"', 'NotPermitted'), ('', 'NotAuthorized'):
            self.assertEqual(self.refused('alice', f'{how}\ntried([pidfd({other.pid})], {what})'), error)

    def test_landlock(self):
        """The kernel itself refuses that process to look into the other."""
        other = self.process('alice')
        self.assertEqual(self.caller('alice', f"""{self.LANDLOCK}
try:
    looked = bool(open('/proc/{other.pid}/auxv', 'rb').read())
except PermissionError:
    looked = False
looked""")[0]['value'], False)
        self.assert_confined(self.LANDLOCK)

    def test_no_new_privileges(self):
        self.assert_confined('import ctypes; ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)')

    def test_user_namespace(self):
        """As root of which he may confine himself without giving up new privileges."""
        said = self.caller('alice', f"""
tried_there = "tried([pidfd({self.process('alice').pid})], scope='own')"
done = subprocess.run(['unshare', '--user', '--map-current-user', sys.executable, '-B', sys.argv[0], tried_there],
                      stdout=subprocess.PIPE, check=True)
json.loads(done.stdout)""")[0]
        self.assertEqual(said['value']['error'], 'NotPermitted', said)

    def test_connection_of_a_process_that_is_gone(self):
        """Nobody knows who speaks there now."""
        self.assertEqual(self.refused('alice', """
parent, child_end = socket.socketpair()
pid = os.fork()
if pid == 0:
    far = socket.socket(socket.AF_UNIX)
    far.connect('/run/dbus/system_bus_socket')
    socket.send_fds(child_end, [b'x'], [far.detach()])
    os._exit(0)
_data, fds, _flags, _address = socket.recv_fds(parent, 1, 1)
os.waitpid(pid, 0)
stream = Gio.Socket.new_from_fd(fds[0]).connection_factory_create_connection()
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
inherited = Gio.DBusConnection.new_sync(stream, None, flags, None, None)
call(PATH, MANAGER, 'StartRecording', recording([own()], scope='own'), inherited, fds=[own()])
"""), 'NotPermitted')


class FloodTest(AttackCase):
    def assert_others_are_served(self):
        self.assertIsNone(self.refused('bob', 'start([own()])'))

    def test_thousand_sessions_at_once(self):
        """Ten connections with a hundred calls each: as many as a user may have begin."""
        flood = self.background('alice', 'print(json.dumps(flood(10, 100, [busy()])), flush=True); sys.stdin.readline()')
        counts, messages = json.loads(flood.stdout.readline())
        self.assertEqual(sum(counts.values()), 1000)
        begun = counts.pop('none', 0)
        if BUS_LIMIT in counts:
            # Answers to the service were dropped with the rest, polkit's among them, for which it waits as long as the caller does.
            self.assertLessEqual(begun + counts.pop('unanswered', 0), 4, messages)
            del counts[BUS_LIMIT]
        else:
            self.assertEqual(begun, 4, messages)
        self.assertEqual(set(counts), {'LimitExceeded'}, messages)
        self.assert_others_are_served()
        flood.kill()

    def test_two_hundred_that_wait_for_a_prompt(self):
        """A user's prompts count as sessions; all are taken back when the caller leaves."""
        with self.desk.agent('alice', password=None) as lines:
            flood = self.background('alice', 'flood(2, 100, [], system_wide=True)')
            wait_until(lambda: any(line.startswith('asked') for line in lines()), 'somebody is asked')
            self.assert_others_are_served()
            asked = sum(line.startswith('asked') for line in lines())
            self.assertLessEqual(asked, 4)
            flood.kill()
            wait_until(lambda: lines().count('cancelled') >= asked, 'the prompts are taken back')

    def test_caller_that_never_reads(self):
        """What it does not fetch is counted as lost; its target works on, and so do others' sessions."""
        said = self.background('alice', """
target = busy()
session = Session([target], events=[('cpu-clock', 9999, 0)], window_count=4)
while session.get('Lost') == 0:
    time.sleep(0.1)
print(children[-1].pid, session.get('Lost'), flush=True)
sys.stdin.readline()
""")
        target, lost = map(int, said.stdout.readline().split())
        self.assertGreater(lost, 0)
        before = processor_time(target)
        wait_until(lambda: processor_time(target) > before, 'the target works')
        self.assert_others_are_served()
        for pid in processes(self.desk, CAPTURED):
            self.assertLess(int((status_of(pid, 'VmRSS') or '0').split()[0]), 100 * 1024, status_of(pid, 'Name'))
        said.kill()

    def test_another_users_session(self):
        alice = self.background('alice', 'session = Session([busy()]); print(session.path, flush=True); sys.stdin.readline(); '
                                'other = connect(); print(session.get("State"), flush=True); session.stop(); session.wait()')
        path = alice.stdout.readline().strip()
        listener = self.background('bob', f"""
bus.signal_subscribe(None, None, None, {path!r}, None, 0, lambda *what: print('heard', what, flush=True))
print('listening', flush=True)
GLib.MainLoop().run()
""")
        self.assertEqual(listener.stdout.readline(), 'listening\n')
        tried = [f'call({at!r}, SESSION, "Stop")' for at in (path, '/org/capturectl/Capture1/session/4294967295')]
        for name in 'State', 'Samples', 'Notes':
            tried.append(f'call({path!r}, "org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", (SESSION, {name!r})))')
        tried.append(f'call({path!r}, "org.freedesktop.DBus.Properties", "GetAll", GLib.Variant("(s)", (SESSION,)))')
        for user in 'bob', 'alice':
            self.assert_errors([(each, 'NoSession') for each in tried], str, user=user)
        alice.stdin.write('\n')
        alice.stdin.flush()
        self.assertEqual(alice.stdout.readline(), 'recording\n')
        self.assertEqual(json.loads(alice.stdout.readline())['value'], ['stopped', ''])
        listener.kill()
        self.assertEqual(listener.stdout.read(), '')


class MessageTest(AttackCase):
    def test_too_long(self):
        """Whoever waits for an answer gets one; what came with the message is closed (as after every test), and the next message is
        heard."""
        said = self.caller('alice', """
bare = Bare()
bare.send(swollen(100000), 2, [os.open('/etc/passwd', os.O_RDONLY) for _ in range(16)])
silent = bytearray(swollen(100000))
silent[2] |= 1
bare.send(bytes(silent), 3)
bare.send(message(PATH, 'org.freedesktop.DBus.Properties', 'Get', V('(ss)', (MANAGER, 'Version'))), 4)
answers = []
while not answers or answers[-1][0] != 4:
    answers.append(bare.receive())
[(serial, error) for serial, error, _values in answers if serial in (2, 3, 4)]
""")[0]
        self.assertEqual(said['value'], [[2, BUS_LIMIT], [4, None]], said)

    def test_signal(self):
        """The bus keeps it away from the service."""
        said = self.caller('alice', """
bare = Bare()
signal_ = Gio.DBusMessage.new_signal('/', 'a.b', 'C')
signal_.set_destination(NAME)
bare.send(signal_, 2)
bare.receive(2)
""")[0]
        self.assertEqual(said['value'][1], 'org.freedesktop.DBus.Error.AccessDenied', said)


class EventsTest(AttackCase):
    """The kernel's memory of events is charged to nobody: it is bounded whoever has them."""

    SIXTEEN = 'events=[("cpu-clock", 1, 0)] * 16'
    MANY = 2000

    def test_threads_that_are_there(self):
        self.assertEqual(self.refused('alice', f"""
process = subprocess.Popen(['/home/programs/threads', '{self.MANY}', '0'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
children.append(process)
process.stdout.readline()
tried([os.pidfd_open(process.pid)], {self.SIXTEEN})
"""), 'LimitExceeded')

    def test_threads_that_come(self):
        said = self.caller('alice', f"""
process = subprocess.Popen(['/home/programs/threads', '1', '{self.MANY}'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
children.append(process)
process.stdout.readline()
session = Session([os.pidfd_open(process.pid)], {self.SIXTEEN})
process.stdin.write(b'x')
process.stdin.flush()
session.wait()
""")[0]
        self.assertIsNone(said['error'], said)
        reason, message = said['value']
        self.assertEqual(reason, 'failed')
        self.assertIn('too many threads', message)

    def test_many_threads_of_one_event(self):
        self.assertIsNone(self.refused('alice', """
process = subprocess.Popen(['/home/programs/threads', '1000', '0'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
children.append(process)
process.stdout.readline()
start([os.pidfd_open(process.pid)], events=[("cpu-clock", 99, 0)])
"""))


if __name__ == '__main__':
    unittest.main()
