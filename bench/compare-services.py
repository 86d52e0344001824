#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tries what Sysprof's own system service (sysprofd, Debian's package sysprof) lets a caller read and do, and what captured does
of the same: the table in docs/security.md. An ordinary user, without authorisation and with it, on a desk of its own; needs
root. The kernel's settings that are tried are put back.

usage: bench/compare-services.py
"""
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / 'tests' / 'integration'))
from desk import SYSTEM, Desk  # noqa: E402

ACTION = 'org.gnome.sysprof3.profile'
PARANOID = pathlib.Path('/proc/sys/kernel/perf_event_paranoid')

PRELUDE = '''
import ctypes, re
def sysprof(method, parameters, fds=()):
    sent = Gio.DBusMessage.new_method_call('org.gnome.Sysprof3', '/org/gnome/Sysprof3', 'org.gnome.Sysprof3.Service', method)
    sent.set_body(parameters)
    if fds:
        handles = Gio.UnixFDList.new()
        for fd in fds:
            handles.append(fd)
        sent.set_unix_fd_list(handles)
    reply, _serial = bus.send_message_with_reply_sync(sent, 0, 60000, None)
    reply.to_gerror()
    found = reply.get_unix_fd_list()
    return reply.get_body().unpack(), found.steal_fds() if found else []
def path(name):
    return GLib.Variant('(ay)', (name.encode() + b'\\0',))
def get_file(name):
    return bytes(sysprof('GetProcFile', path(name))[0][0])
def get_fd(name):
    return sysprof('GetProcFd', path(name))[1][0]
def event(pid, cpu, kind, config, sample_type=0, flags=0, **more):
    options = {'type': GLib.Variant('u', kind), 'config': GLib.Variant('t', config), 'sample_type': GLib.Variant('t', sample_type),
               'sample_period': GLib.Variant('t', 1000000), 'disabled': GLib.Variant('b', False), **more}
    null = os.open('/dev/null', os.O_RDONLY)
    parameters = GLib.Variant('(a{sv}iiht)', (options, pid, cpu, -1, flags))
    return sysprof('PerfEventOpen', parameters)[1][0]
'''

# What is tried, and the snippet: it gives True when the caller has what it asked for.
TRIES = [
    ('environment of root\'s process', "b'PATH=' in get_file(f'/proc/{ROOTS}/environ')"),
    ('environment of another user\'s process', "b'SECRET=' in os.read(get_fd(f'/proc/{OTHERS}/environ'), 1 << 16)"),
    ('address space layout of another user\'s process', "b'r-xp' in get_file(f'/proc/{OTHERS}/maps')"),
    ('memory of another user\'s process, as a descriptor',
     "m = get_fd(f'/proc/{OTHERS}/mem'); at = int(get_file(f'/proc/{OTHERS}/maps').split(b'-')[0], 16); "
     "os.pread(m, 4, at) == b'\\x7fELF'"),
    ('any file, through /proc/PID/root: /etc/shadow', "b'alice:$' in get_file(f'/proc/{ROOTS}/root/etc/shadow')"),
    ('any file, as a descriptor', "b'alice:$' in os.read(get_fd(f'/proc/{ROOTS}/root/etc/shadow'), 1 << 20)"),
    ('writing what was opened', "os.write(get_fd('/proc/sys/kernel/perf_event_paranoid'), b'2') > 0"),
    ('a file outside of /proc and /sys by its own path', "len(get_file('/etc/shadow')) > 0"),
    ('addresses of the kernel (/proc/kallsyms)', "not get_file('/proc/kallsyms').startswith(b'0000000000000000')"),
    ('command lines of all processes',
     "any('sleep' in each.get('cmdline', '') for each in sysprof('GetProcessInfo', GLib.Variant('(s)', ('cmdline',)))[0][0])"),
    ('address space layouts of all processes',
     "sum('r-xp' in each.get('maps', '') for each in sysprof('GetProcessInfo', GLib.Variant('(s)', ('maps',)))[0][0]) > 5"),
    ('samples of every process on a processor', "event(-1, 0, 1, 0, 1 | 2 | 32) > 0"),
    ('samples of another user\'s process', "event(OTHERS, -1, 1, 0, 1 | 2 | 32) > 0"),
    ('samples of root\'s process', "event(ROOTS, -1, 1, 0, 1 | 2 | 32) > 0"),
    ('a tracepoint with its raw record (system-wide)', "event(-1, 0, 2, TRACEPOINT, 1 | 2 | 1024) > 0"),
    ('registers of another user\'s process in each sample (field is ignored)',
     "event(OTHERS, -1, 1, 0, 4096, sample_regs_user=GLib.Variant('t', 1)) > 0"),
    ('a hardware breakpoint on another user\'s memory', "event(OTHERS, -1, 5, 0, 1) > 0"),
    ('a probe (uprobe)', "event(OTHERS, -1, UPROBE, 0, 1) > 0"),
    ('the flags of perf_event_open as they are', "event(-1, 0, 1, 0, 1, flags=8) > 0"),
    ('perf_event_paranoid for everybody, lasting',
     "sysprof('SetParanoid', GLib.Variant('(i)', (-1,))); open('/proc/sys/kernel/perf_event_paranoid').read().strip() == '-1'"),
    ('the processors\' frequency governor', "sysprof('SetGovernor', GLib.Variant('(s)', ('performance',)))[0] != ''"),
]

# The same of captured, as far as it has a way at all.
CAPTURED_TRIES = [
    ('record a process of one\'s own', "start([own()]) == 'stopped'"),
    ('record every process on every processor', "start(system_wide=True) == 'stopped'"),
    ('record another user\'s process', "start([pidfd(OTHERS)]) == 'stopped'"),
    ('record root\'s process', "start([pidfd(ROOTS)]) == 'stopped'"),
    ('an event on another user\'s process', "opened(pidfd(OTHERS)) > 0"),
    ('a tracepoint with its raw record (system-wide)', "opened(None, type=2, config=TRACEPOINT, sample_type=1 | 2 | 1024) > 0"),
    ('stack memory of another user\'s process', "opened(pidfd(OTHERS), sample_type=8192, sample_stack_user=4096) > 0"),
    ('registers of another user\'s process', "opened(pidfd(OTHERS), sample_type=4096, sample_regs_user=1) > 0"),
    ('a hardware breakpoint on another user\'s memory', "opened(pidfd(OTHERS), type=5) > 0"),
    ('a probe (uprobe)', "opened(pidfd(OTHERS), type=UPROBE) > 0"),
    ('a field of one\'s own invention', "opened(None, bp_addr=1) > 0"),
]
CAPTURED_PRELUDE = '''
def opened(target, **attr):
    if target is None:
        return perf_event_open({**EVENT, **attr}, cpu=0)
    return perf_event_open({**EVENT, **attr}, fds=[target], pidfd=0)
'''


def type_of(pmu):
    path = pathlib.Path('/sys/bus/event_source/devices', pmu, 'type')
    return int(path.read_text()) if path.exists() else -1


def attempt(desk, tries, prelude, names):
    prelude += ''.join(f'{name} = {value}\n' for name, value in names.items())
    return [desk.call('alice', f'{prelude}\n{code}', status=None) for _what, code in tries]


def compare(desk, action, tries, prelude, names):
    """Prints a line each: what, without authorisation, with it."""
    desk.authorise('')
    without = attempt(desk, tries, prelude, names)
    desk.allow(action, 'alice')
    granted = attempt(desk, tries, prelude, names)
    for (what, _code), refused, given in zip(tries, without, granted):
        print(f'| {what} | {said(refused)} | {said(given)} |')


def said(outcome):
    if not outcome:
        return 'error in the attempt'
    found = outcome[0]
    return ('yes' if found['value'] else 'no') if not found['error'] else found['message'].split(':')[-1].strip()[:60]


def effective(pid):
    return pathlib.Path(f'/proc/{pid}/status').read_text().split('CapEff:')[1].split()[0]


def main():
    desk = Desk(also={'actions': ['/usr/share/polkit-1/actions/org.gnome.sysprof3.policy'],
                      'system.d': [f'/usr/share/dbus-1/system.d/org.gnome.Sysprof{version}.conf' for version in (2, 3)]})
    paranoid = PARANOID.read_text()
    try:
        desk.start()
        service = desk.popen(['/usr/libexec/sysprofd'])
        desk.wait_for_name('org.gnome.Sysprof3')
        roots = desk.popen(['sleep', '1000'])
        others = desk.popen(['sleep', '1000'], 'bob', True, env={'SECRET': 'word'})
        tracepoint = next((path for base in ('/sys/kernel/tracing', '/sys/kernel/debug/tracing')
                           if (path := pathlib.Path(base, 'events/raw_syscalls/sys_enter/id')).exists()), None)
        names = {'ROOTS': roots.pid, 'OTHERS': others.pid, 'UPROBE': type_of('uprobe'),
                 'TRACEPOINT': int(tracepoint.read_text()) if tracepoint else 0}
        print('sysprofd')
        compare(desk, ACTION, TRIES, PRELUDE, names)
        print('captured')
        captured = desk.start_captured()
        compare(desk, SYSTEM, CAPTURED_TRIES, CAPTURED_PRELUDE, names)
        print(f'effective capabilities: sysprofd {effective(service.pid)}, captured {effective(captured.pid)}')
    finally:
        PARANOID.write_text(paranoid)
        desk.stop()


if __name__ == '__main__':
    main()
