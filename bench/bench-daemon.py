#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the system service costs: from StartRecording to the first sample, and processor time of a recording through it beside
a direct one, on a desk of its own (tests/integration/desk.py).

usage: bench-daemon.py [ROUNDS]     (root; dbus-daemon, polkitd, python3-gi, gcc)

The first sample is the one that was taken first, by its own time: others are written sooner, as some wait for tables. polkit's
time is that of the same question, asked beforehand by the caller. Processor time is that of everything on the desk, bus and polkitd included, without the target, which is elsewhere.
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / 'tests' / 'integration'))
from desk import OWN, SYSTEM, USERS, Desk  # noqa: E402
from recordings import BUSY, Load, compile_c  # noqa: E402

SECONDS = 10

FIRST_SAMPLE = '''
import builder
def clock():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)

def ask(action):
    """Milliseconds of polkit's."""
    began = clock()
    subject = ('system-bus-name', {'name': GLib.Variant('s', bus.get_unique_name())})
    bus.call_sync('org.freedesktop.PolicyKit1', '/org/freedesktop/PolicyKit1/Authority', 'org.freedesktop.PolicyKit1.Authority',
                  'CheckAuthorization', GLib.Variant('((sa{sv})sa{ss}us)', (subject, action, {}, 0, '')), None, 0, -1, None)
    return (clock() - began) / 1e6

def first_samples(session):
    """Times of those that windows begin with, by now."""
    for slot in range(session.window_count):
        header = session.header(slot)
        if header['turn'] and header['kind'] == 2 and header['length']:
            delta, = struct.unpack('<I', os.pread(session.windows, 4, slot * session.window_size + 64))
            yield header['first'] + delta

def measure(action, targets, **options):
    asked = ask(action)
    began = clock()
    session = Session(targets, events=[('cpu-clock', 4999, 0)], **options)
    replied = clock()
    while not any(first_samples(session)):
        time.sleep(0.001)
    time.sleep(0.1)
    first = min(first_samples(session))
    session.stop()
    session.wait()
    session.close()
    return asked, (replied - began) / 1e6, (first - began) / 1e6
'''


def latency(desk, rounds, what, action):
    said = desk.call('alice', f'{FIRST_SAMPLE}\ntarget = busy()\n[measure({action!r}, {what}) for _ in range({rounds})]')[0]
    if said['error']:
        raise AssertionError(said)
    return said['value']


def report(name, rows):
    asked, replied, first = (statistics.median(column) for column in zip(*rows))
    beyond = sorted(row[2] - row[0] for row in rows)
    print(f'{name:24} polkit {asked:6.1f} ms, reply after {replied:6.1f} ms, first sample after {first:6.1f} ms: '
          f'{first - asked:6.1f} ms beyond polkit ({beyond[0]:.1f} to {beyond[-1]:.1f}), medians of {len(rows)}')


def used(desk, part=''):
    """Milliseconds of processor time that the desk has had, or a part of it."""
    said = (desk.root / 'sys/fs/cgroup' / part / 'cpu.stat').read_text()
    return int(said.split('usage_usec')[1].split()[0]) / 1000


def cost(desk, busy, way, user, capture):
    """Processor time of one recording, its samples, and what was copied for it."""
    target = subprocess.Popen(['setpriv', '--reuid', str(USERS['alice']), '--regid', str(USERS['alice']), '--clear-groups', busy, '0'])
    try:
        before = used(desk)
        record = desk.popen([desk.installed_file('bin/capturectl'), 'record', '-q', '--no-names', '--no-compress', '--via', way,
                             '-F', '999', '--duration', SECONDS, '-p', target.pid, '-o', capture], user, None if user == 'root' else True)
        time.sleep(SECONDS - 1)
        copied = moved(record.pid), capture.stat().st_size, windows_of(desk.captured.pid)
        record.wait()
        return used(desk) - before, len(Load(capture).samples), copied
    finally:
        target.kill()
        target.wait()


def moved(pid):
    """Bytes that a process has read and written by system calls."""
    said = pathlib.Path(f'/proc/{pid}/io').read_text()
    return [int(said.split(f'{kind}:')[1].split()[0]) for kind in ('rchar', 'wchar')]


def windows_of(pid):
    """How many mappings of windows a process has."""
    return pathlib.Path(f'/proc/{pid}/maps').read_text().count('/memfd:')


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    desk = Desk().start()
    try:
        desk.start_captured()
        desk.allow(SYSTEM, 'alice')
        measure_latency(desk, rounds)
        measure_cost(desk, rounds)
    finally:
        desk.stop()


def measure_latency(desk, rounds):
    for name, what, action in (('own', '[target]', OWN),
                               ('own, frame pointers', '[target], unwind="fp"', OWN),
                               ('system, one process', '[target], scope="system"', SYSTEM),
                               ('system-wide', '[], system_wide=True', SYSTEM)):
        latency(desk, 1, what, action)
        before = used(desk, 'system.slice/desk.service')
        rows = latency(desk, rounds * 4, what, action)
        report(name, rows)
        print(f'{"":24} {(used(desk, "system.slice/desk.service") - before) / len(rows):.1f} ms of processor time a session, from its '
              'beginning to its end: bus, polkitd, captured, recorder, opener, elf-readers')


def measure_cost(desk, rounds):
    directory = pathlib.Path(tempfile.mkdtemp(dir=desk.directory))
    directory.chmod(0o777)
    busy, capture = compile_c(directory, 'busy', BUSY), directory / 'a.capture'
    results = {'direct': [], 'daemon': []}
    for _ in range(rounds):
        for way, user in ('direct', 'root'), ('daemon', 'alice'):
            results[way].append(cost(desk, busy, way, user, capture))
            capture.unlink()
    for way, rows in results.items():
        (read, written), size, mapped = rows[-1][2]
        print(f'{way:8} {statistics.median(row[0] for row in rows):7.1f} ms of processor time in {SECONDS} s at 999 Hz, '
              f'{statistics.median(row[1] for row in rows):.0f} samples, medians of {rounds}; a second before the end of the last '
              f'{size} bytes were in the file, the collector had read {read} and written {written} bytes by system calls, captured '
              f'had {mapped} mappings of windows')


if __name__ == '__main__':
    main()
