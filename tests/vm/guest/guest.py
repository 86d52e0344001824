#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in the guest, as root: tries the steps that the kernel's command line names (vm.steps=…) and tells the host what
happened, a line of JSON each. It judges nothing.

`guest.py serve SOCKET` is the other end of a Seat: runs commands in the session that it was started in."""

import base64
import glob
import json
import os
import pwd
import re
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, '/mnt/tests/decoder')

from capture_decoder import Capture  # noqa: E402

ENVIRONMENT = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL': 'C.UTF-8', 'HOME': '/root'}
HOME = '/home/someone'
WORK, SOURCE = HOME + '/work', HOME + '/source.c'
SYSTEMD = os.path.exists('/run/systemd/private')
PARANOID = '/proc/sys/kernel/perf_event_paranoid'
COMPLETE, NO_TABLE = 1, 5  # outcomes
HELPERS = ('capture-recorde', 'capture-opener', 'capture-elf-rea')  # as far as the kernel keeps names
OF_A_CAPTURE = ('samples', 'lost', 'throttled', 'ended', 'via', 'unwind', 'outcomes', 'user_stacks', 'events', 'kernel_named',
                'named_functions', 'messages', 'problems', 'duration_ns')
CAPABILITIES = {2: 'dac_read_search', 5: 'kill', 6: 'setgid', 7: 'setuid', 8: 'setpcap', 14: 'ipc_lock', 18: 'sys_chroot',
                19: 'sys_ptrace', 21: 'sys_admin', 34: 'syslog', 35: 'wake_alarm', 38: 'perfmon', 39: 'bpf', 40: 'checkpoint_restore'}


def read(path):
    try:
        with open(path, encoding='utf-8') as file:
            return file.read().strip()
    except OSError:
        return None


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def parameter(name, default=''):
    for word in read('/proc/cmdline').split():
        if word.startswith(f'vm.{name}='):
            return word.partition('=')[2]
    return default


def find_host():
    for path in glob.glob('/sys/class/virtio-ports/*/name'):
        if read(path) == 'results':
            return open('/dev/' + path.split('/')[-2], 'w', encoding='utf-8', buffering=1)
    return sys.stdout


def tell(what, **facts):
    HOST.write(json.dumps({'what': what, 'at': round(time.monotonic(), 1), **facts}) + '\n')
    HOST.flush()


# Who runs a command: root, somebody who is logged in nowhere, or the same at the machine.

def execute(argv, timeout, **how):
    begin = time.monotonic()
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors='replace', **how)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += f'\n(killed after {timeout} s)'
    return {'status': process.returncode, 'out': out, 'err': err[-1500:], 'seconds': round(time.monotonic() - begin, 1)}


class Root:
    name, directory = 'root', '/root'

    def run(self, argv, timeout=150):
        return execute(argv, timeout, env=ENVIRONMENT, cwd=self.directory)


class Someone:
    name, directory = 'someone', HOME

    def run(self, argv, timeout=150):
        return execute(['setpriv', '--reuid=someone', '--regid=someone', '--init-groups', *argv], timeout,
                       env={**ENVIRONMENT, 'HOME': HOME, 'USER': 'someone'}, cwd=HOME)


class Sudo(Someone):
    """The same with sudo, which asks him for nothing here."""
    name = 'sudo'

    def run(self, argv, timeout=150):
        return super().run(['sudo', *argv], timeout)


class Seat:
    """A login at the first console, by the same PAM modules as a real one; there is just nobody at the keyboard."""
    name, directory = 'seat', HOME
    UNIT = f"""[Service]
User=someone
PAMName=login
TTYPath=/dev/tty1
StandardInput=tty-force
StandardOutput=journal
Environment=LC_ALL=C.UTF-8
WorkingDirectory={HOME}
ExecStart={os.path.abspath(__file__)} serve /run/vm-seat
"""

    def __init__(self):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind('/run/vm-seat')
        os.chmod('/run/vm-seat', 0o666)
        listener.listen()
        listener.settimeout(120)
        write('/run/systemd/system/vm-seat.service', self.UNIT)
        execute(['systemctl', 'daemon-reload'], 60)
        execute(['systemctl', 'stop', 'getty@tty1'], 60)
        tell('seat', **execute(['systemctl', 'start', '--no-block', 'vm-seat'], 60))
        self.connection = listener.accept()[0].makefile('rw')

    def run(self, argv, timeout=150):
        print(json.dumps([argv, timeout]), file=self.connection, flush=True)
        return json.loads(self.connection.readline())


def serve(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    stream = connection.makefile('rw')
    for line in stream:
        argv, timeout = json.loads(line)
        print(json.dumps(execute(argv, timeout)), file=stream, flush=True)


# What is tried.

def when_recording(action):
    """Waits for a recorder, then for a second or two that it takes to begin, on a slow machine."""
    for _ in range(600):
        if named('capture-recorde'):
            break
        time.sleep(0.1)
    time.sleep(2)
    action()


def look_into(path):
    if not os.path.isfile(path):
        return None
    said = execute(['capturectl', 'info', '--json', path], 60, env=ENVIRONMENT)['out']
    try:
        info = {key: value for key, value in json.loads(said).items() if key in OF_A_CAPTURE}
    except ValueError:
        return None
    return {**info, 'whole': execute(['capturectl', 'check', path], 60, env=ENVIRONMENT)['status'] == 0}


def record(name, who, *options, during=None):
    """Records, and tells what became of it. `during` is run in a thread of its own once there is a recorder."""
    path = f'{who.directory}/{name}.capture'
    other = threading.Thread(target=when_recording, args=[during]) if during else None
    if other:
        other.start()
    result = who.run(['capturectl', 'record', '-o', path, *options])
    if other:
        other.join()
    del result['out']
    tell('record', name=name, who=who.name, options=options, info=look_into(path), **result)
    return path


def record_all(name, who, *options, frequency='199', **how):
    """Records everybody; on a machine with nothing to do a handful of stacks would be the judge. Nobody who is not root can
    look into a process of root's that is there already, nor into the opener: says how many samples have stacks that end in one."""
    strangers = {pid for pid in all_pids() if not (read(f'/proc/{pid}/status') or '').partition('\nUid:\t')[2].startswith(str(pwd.getpwnam('someone').pw_uid))}
    load = subprocess.Popen([WORK, '60'], stdout=subprocess.DEVNULL, user='someone', group='someone',
                            extra_groups=[])
    path = record(name, who, '-F', frequency, '-a', *options, **how)
    load.kill()
    load.wait()
    samples = list(Capture(path).samples()) if os.path.isfile(path) else []
    known = {sample.pid for sample in samples if sample.outcome == COMPLETE}
    strangers.update(sample.pid for sample in samples if sample.command in HELPERS[:2] and sample.pid not in known)  # the opener
    tell('owners', name=name, own=sum(sample.pid == load.pid for sample in samples),
         strangers_without_table=sum(sample.outcome == NO_TABLE and sample.pid in strangers for sample in samples))


def doctor(name, who):
    result = who.run(['capturectl', 'doctor', '--json'])
    try:
        said = json.loads(result['out'])
    except ValueError:
        said = None
    del result['out']
    tell('doctor', name=name, who=who.name, said=said, **result)


def processes(pids):
    """What these processes may do."""
    found = []
    for pid in pids:
        status, stat = read(f'/proc/{pid}/status'), read(f'/proc/{pid}/stat')
        if not status or not stat:
            continue
        fields = dict(line.split(':\t', 1) for line in status.splitlines() if ':\t' in line)
        entry = {'name': fields['Name'], 'uid': int(fields['Uid'].split()[0]), 'no_new_privileges': fields['NoNewPrivs'] == '1',
                 'seccomp': fields['Seccomp'] == '2', 'nice': int(stat.rpartition(')')[2].split()[16])}
        for which in ('CapEff', 'CapPrm', 'CapInh', 'CapAmb'):
            bits = int(fields[which], 16)
            entry[which] = sorted(CAPABILITIES.get(bit, str(bit)) for bit in range(64) if bits >> bit & 1)
        found.append(entry)
    return found


def all_pids():
    return [int(pid) for pid in os.listdir('/proc') if pid.isdigit()]


def named(*names):
    return [pid for pid in all_pids() if read(f'/proc/{pid}/comm') in names]


def tell_processes(name):
    """An elf-reader that has just begun has not given everything up yet."""
    def look():
        for _ in range(10):
            found = processes(named('captured', *HELPERS))
            if all(process['seccomp'] for process in found if process['name'] == 'capture-elf-rea'):
                break
            time.sleep(0.5)
        tell('processes', name=name, paranoid=int(read(PARANOID)), user=pwd.getpwnam('captured').pw_uid, processes=found)
    return look


def cgroups(pids):
    """The cgroups of these processes below the service's, with what limits them."""
    found = []
    for pid in pids:
        path = (read(f'/proc/{pid}/cgroup') or '').partition('0::')[2]
        there = f'/sys/fs/cgroup{path}'
        found.append({'name': read(f'/proc/{pid}/comm'), 'path': path, 'max': read(f'{there}/memory.max'),
                      'group': read(f'{there}/memory.oom.group'), 'current': read(f'{there}/memory.current'),
                      'peak': read(f'{there}/memory.peak')})
    return found


def tell_cgroups():
    tell('cgroups', user=pwd.getpwnam('someone').pw_uid, processes=cgroups(named('captured', *HELPERS)))


# Takes memory until it is ended, as a parser with a mistake would: that is what somebody's file made of an elf-reader.
GROW = 'bytes = []\nwhile True: bytes.append(bytearray(1 << 22))'


def out_of_memory():
    """Something in the cgroup of somebody's recordings takes all that there is for them."""
    paths = {each['path'] for each in cgroups(named('capture-recorde'))}
    if len(paths) != 1:
        tell('out-of-memory', error=f'the recorders are in {sorted(paths)}')
        return
    procs = f'/sys/fs/cgroup{paths.pop()}/cgroup.procs'
    grown = execute(['sh', '-c', f'echo $$ > {procs} && exec /usr/bin/python3 -c "$1"', 'sh', GROW], 60, env=ENVIRONMENT)
    time.sleep(1)
    tell('out-of-memory', status=grown['status'], error=grown['err'], left=cgroups(named(*HELPERS)), state=active())


def make_work():
    """Two programs to record: one of ours, and a compiler with something to do for some seconds."""
    functions = ''.join(f'int f{i}(int a) {{ int r = 0; for (int j = 0; j < a; j++) r += (a ^ j) * {i} + (r >> {i % 7}); '
                        f'switch (r & 7) {{ case 1: r += {i}; break; case 5: r ^= a; break; default: r--; }} return r; }}\n'
                        for i in range(int(parameter('functions', '40'))))
    write(SOURCE, functions)
    tell('work', **execute(['gcc', '-O1', '-o', WORK, '/mnt/work.c'], 300, env=ENVIRONMENT))
    os.chmod(HOME, 0o755)


COMPILER = ('--', 'gcc', '-O2', '-c', SOURCE, '-o', '/dev/null')


def facts():
    version = execute(['systemctl', '--version'], 60, env=ENVIRONMENT)['out'].split() if SYSTEMD else None
    tell('facts', release=os.uname().release, version=os.uname().version, machine=os.uname().machine,
         userland=re.search(r'PRETTY_NAME="(.*)"', read('/etc/os-release')).group(1), processors=os.cpu_count(),
         paranoid=read(PARANOID), lockdown=read('/sys/kernel/security/lockdown'), systemd=version[1] if version else None,
         uptime=read('/proc/uptime').split()[0])


def direct():
    """Root, by himself."""
    doctor('root', Root())
    record('root-work', Root(), '-F', '499', '--', WORK, '5', during=tell_processes('root-work'))
    record('root-gcc', Root(), *COMPILER)
    record_all('root-all', Root(), '--duration', '3')
    record('root-off-cpu', Root(), '-F', '199', '--off-cpu=0', '--', WORK, '1', 'sleep')
    record('root-tracepoint', Root(), '-e', 'sched:sched_switch', '-c', '1', '--', WORK, '1', 'sleep')
    record('root-tables', Root(), '-F', '199', '--unwind', 'dwarf', '--', WORK, '1')


# What the system's own Python runs for some seconds: the table of such a binary takes its time here, and so does the kernel.
PYTHON = '''
import time
def spin_in_python(until):
    n = 0
    while time.monotonic() < until:
        n += sum(range(100))
def call_it(until):
    spin_in_python(until)
call_it(time.monotonic() + %d)
'''


def language():
    """Functions of Python, which the kernel has to take a program for."""
    path = record('root-python', Root(), '-F', '199', '--', '/usr/bin/python3', '-c', PYTHON % 20)
    said = execute(['capturectl', 'report', '--json', path], 60, env=ENVIRONMENT)['out']
    rows = json.loads(said)['rows'] if said else []
    tell('functions', name='root-python', total={row['name']: row['total'] for row in rows if row['name'] in ('spin_in_python', 'call_it')})


def languages():
    """What bench-runtimes.py says of each runtime that is installed: a line of its table."""
    for program in ('python3', 'node', 'java', 'php', 'ruby'):
        said = execute(['/mnt/bench/bench-runtimes.py', '/usr/bin/capturectl', f'/usr/bin/{program}'], 300,
                       env={**ENVIRONMENT, 'SECONDS': '45', 'FREQUENCY': '299'})
        tell('runtime', name=program, row=said['out'].splitlines()[-1:], err=said['err'])


def someone():
    """Who is logged in nowhere, or on a machine without logins: by himself, as auto decides."""
    doctor('someone', Someone())
    record('someone-work', Someone(), '-F', '499', '--', WORK, '2')
    record('someone-all', Someone(), '-F', '199', '-a', '--duration', '1')


def paranoid():
    """Seldom: the rings that a user may have are small, and fill with copies of stacks faster than this machine empties them."""
    before = read(PARANOID)
    for value in ('-1', '0', '1', '2', '3', '4'):
        write(PARANOID, value)
        doctor(f'root-paranoid{value}', Root())
        record(f'root-paranoid{value}', Root(), '-F', '199', '--', WORK, '0.5')
        doctor(f'someone-paranoid{value}', Someone())
        record(f'someone-paranoid{value}', Someone(), '-F', '49', '--', WORK, '2')
        record_all(f'someone-all-paranoid{value}', Someone(), '--duration', '2', frequency='49')
    write(PARANOID, before)


def by_second(path, processor):
    """How many samples that processor has in each second of a recording."""
    counts = {}
    dump = subprocess.Popen(['capturectl', 'dump', path], stdout=subprocess.PIPE, text=True, errors='replace', env=ENVIRONMENT)
    first = None
    for line in dump.stdout:
        at = re.search(r'\btime[= ](\d+)', line)
        on = re.search(r'\bcpu[= ](\d+)', line)
        if line.lstrip().startswith('sample') and at and on:
            first = int(at.group(1)) if first is None else first
            if int(on.group(1)) == processor:
                second = (int(at.group(1)) - first) // 10**9
                counts[second] = counts.get(second, 0) + 1
    dump.wait()
    return [counts.get(second, 0) for second in range(max(counts, default=-1) + 1)]


def switch(processor, *plan):
    """(seconds, '0' or '1')…: after so many, off or on."""
    def go():
        for seconds, state in plan:
            time.sleep(seconds)
            write(f'/sys/devices/system/cpu/cpu{processor}/online', state)
            tell('switched', processor=processor, online=state)
    return go


def hotplug():
    last = os.cpu_count() - 1
    load = [subprocess.Popen([WORK, '60'], stdout=subprocess.DEVNULL, preexec_fn=lambda cpu=cpu: os.sched_setaffinity(0, {cpu}))
            for cpu in (0, last)]
    path = record('off-and-on', Root(), '-F', '199', '-a', '--duration', '24', during=switch(last, (2, '0'), (4, '1')))
    tell('by-second', name='off-and-on', seconds=by_second(path, last))
    for process in load:
        process.kill()
        process.wait()
    record('off-and-on-command', Root(), '-F', '199', '--', 'sh', '-c', f'{WORK} 8 & {WORK} 8 & wait', during=switch(last, (1, '0'), (3, '1')))
    write(f'/sys/devices/system/cpu/cpu{last}/online', '0')
    load = subprocess.Popen([WORK, '60'], stdout=subprocess.DEVNULL)
    path = record('on', Root(), '-F', '199', '-a', '--duration', '9', during=lambda: (
        switch(last, (2, '1'))(), os.sched_setaffinity(load.pid, {last})))
    load.kill()
    load.wait()
    tell('by-second', name='on', seconds=by_second(path, last))


ALLOW = '''polkit.addRule(function(action, subject) {
  if (action.id.indexOf("org.capturectl.") == 0 && subject.user == "someone") return polkit.Result.YES; });
'''


def bus():
    """The service where a bus runs without systemd: the bus starts it. Nobody can be at a seat, so a rule has to say yes."""
    os.makedirs('/run/dbus', exist_ok=True)
    write('/etc/polkit-1/rules.d/10-vm.rules', ALLOW)
    tell('bus', **execute(['dbus-daemon', '--system', '--fork'], 60, env=ENVIRONMENT))
    doctor('bus', Someone())
    record('bus-work', Someone(), '--via', 'daemon', '-F', '499', '--', WORK, '5', during=tell_processes('bus-work'))
    record_all('bus-all', Someone(), '--via', 'daemon', '--duration', '2')


def active():
    return execute(['systemctl', 'is-active', 'captured'], 60)['out'].strip()


def service():
    """Under systemd: who may what, and the life of the service."""
    tell('active', name='before', state=active())
    doctor('someone', Someone())
    record('someone-work', Someone(), '-F', '499', '--', WORK, '2')
    record('someone-refused', Someone(), '--via', 'daemon', '-F', '499', '--', WORK, '1')
    seat = Seat()
    tell('session', **seat.run(['sh', '-c', 'loginctl show-session $XDG_SESSION_ID -p Active -p Seat -p Remote -p Type -p State']))
    doctor('seat', seat)
    record('seat-work', seat, '-F', '499', '--', WORK, '3')
    tell('active', name='after', state=active())
    record('seat-gcc', seat, *COMPILER)
    record('seat-processes', seat, '--via', 'daemon', '-F', '199', '--', WORK, '6', during=tell_processes('seat-work'))
    record('seat-cgroups', seat, '--via', 'daemon', '-F', '199', '--', WORK, '6', during=tell_cgroups)
    record('seat-all', seat, '-F', '199', '-a', '--duration', '1')
    write('/etc/polkit-1/rules.d/10-vm.rules', ALLOW)
    time.sleep(1)
    record_all('allowed-all', seat, '--via', 'daemon', '--duration', '5', during=tell_processes('allowed-all'))
    record('allowed-off-cpu', seat, '--via', 'daemon', '-F', '199', '--off-cpu=0', '--', WORK, '1', 'sleep')
    tell('security', **execute(['systemd-analyze', 'security', 'captured', '--no-pager'], 60, env=ENVIRONMENT))
    tell('verify', **execute(['systemd-analyze', 'verify', '--man=no', 'captured.service'], 60, env=ENVIRONMENT))
    record('stopped', seat, '--via', 'daemon', '-F', '199', '--', WORK, '9',
           during=lambda: (time.sleep(2), execute(['systemctl', 'stop', 'captured'], 60)))
    tell('journal', **execute(['journalctl', '-b', '-p', 'warning', '-o', 'short-monotonic', '--no-pager'], 60))
    record('seat-memory', seat, '--via', 'daemon', '-F', '199', '--', WORK, '9', during=out_of_memory)
    record('after-memory', seat, '--via', 'daemon', '-F', '199', '--', WORK, '1')

    def kill():
        time.sleep(2)
        execute(['systemctl', 'kill', '-s', 'KILL', '--kill-who=main', 'captured'], 60)
        time.sleep(1)
        tell('left', processes=processes(named(*HELPERS)))
    record('killed', seat, '--via', 'daemon', '-F', '199', '--', WORK, '9', during=kill)
    record('after-kill', seat, '--via', 'daemon', '-F', '199', '--', WORK, '1')
    begin = time.monotonic()
    while active() == 'active' and time.monotonic() - begin < 120:
        time.sleep(2)
    tell('idle', state=active(), seconds=round(time.monotonic() - begin))
    tell('own-journal', **execute(['journalctl', '-b', '-u', 'captured', '-o', 'short-monotonic', '--no-pager'], 60))


def window():
    """The installed viewer, used by somebody at the seat; doctor first, which starts the service."""
    seat = Seat()
    doctor('seat', seat)
    directory = HOME + '/window'
    seat.run(['mkdir', directory])
    result = seat.run(['/usr/bin/python3', '/mnt/window.py', directory, f'gcc -O2 -c {SOURCE} -o /dev/null'], 900)
    path = (result.pop('out').strip().splitlines() or [''])[-1]
    tell('record', name='window', who='seat', options=[], info=look_into(path), **result)
    record('seat-gcc', seat, *COMPILER)
    if os.path.exists(directory + '/window.png'):
        with open(directory + '/window.png', 'rb') as file:
            tell('picture', name='window', png=base64.b64encode(file.read()).decode())


def sudo():
    record('sudo-gcc', Sudo(), *COMPILER)
    record_all('sudo-all', Sudo(), '--duration', '2')


def main():
    make_work()
    facts()
    for step in parameter('steps').split(','):
        try:
            globals()[step]()
        except Exception as error:  # the host is to know, whatever it was
            tell('error', step=step, text=repr(error))
    tell('end')
    os.sync()
    if SYSTEMD:
        write('/proc/sysrq-trigger', 'o')


if __name__ == '__main__':
    if sys.argv[1:2] == ['serve']:
        serve(sys.argv[2])
    else:
        HOST = find_host()
        main()
