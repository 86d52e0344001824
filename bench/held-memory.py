#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an ordinary user can make the system hold through the service: four own sessions at work with as many windows, threads
and events as there may be, a target that maps ever new files, pages of windows in pipes and sockets, and floods of messages,
on a desk of its own (tests/integration/desk.py).

usage: held-memory.py [SECONDS]     (root; dbus-daemon, polkitd, python3-gi, gcc)

Before are the caller and his targets at rest, so that what they take themselves does not count. Each kind is asked for where it is
counted, since a machine that does something else changes what is available: processes by their private memory, windows by
the service's files, BPF's by the recorders' maps, rings by their size; only events by the kernel's slabs, which are everybody's.
"""
import contextlib
import os
import pathlib
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / 'tests' / 'integration'))
from daemon import THREADS, descendants  # noqa: E402
from desk import Desk, wait_until  # noqa: E402
from recordings import compile_c  # noqa: E402

SESSIONS, EVENTS, WINDOWS = 4, 16, 252
THREADS_EACH = 2048 // EVENTS - 4
KINDS = ('Shmem', 'Slab', 'SUnreclaim', 'Percpu', 'VmallocUsed', 'MemAvailable')

# Maps ever new files, one after another.
MAPS = r'''
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  int from = open("/proc/self/exe", O_RDONLY);
  struct stat status;
  fstat(from, &status);
  for (unsigned long n = 0;; n++) {
    char path[100];
    snprintf(path, sizeof path, "%s/%lu", argv[1], n % 64);
    unlink(path);
    int to = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
    off_t at = 0;
    sendfile(to, from, &at, (size_t)status.st_size);
    void *map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, to, 0);
    close(to);
    munmap(map, 4096);
  }
}
'''

# Says "ready" with its targets at rest; a line begins, and a line ends.
CALLER = f'''
import contextlib

def threads():
    process = subprocess.Popen(['/home/programs/threads', '{THREADS_EACH}', '0'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    children.append(process)
    process.stdout.readline()
    return os.pidfd_open(process.pid)

targets = [[threads(), busy()] for _ in range({SESSIONS})]
os.mkdir('/home/alice/files')
print('ready', flush=True)
sys.stdin.readline()
maps = child('/home/programs/maps', '/home/alice/files')
targets[0][1] = os.pidfd_open(maps.pid)
sessions = [Session(each, events=[('cpu-clock', 999, 0)] * {EVENTS}, window_count={WINDOWS}) for each in targets]
def bomb():
    while True:
        bombard(swollen(65000), 4, 50)
threading.Thread(target=bomb, daemon=True).start()
end = time.monotonic() + SECONDS
while time.monotonic() < end:
    for session in sessions:
        session.take()
    time.sleep(0.05)
for session in sessions:  # of each page a byte, as far as there is room for them
    pair = keep(socket.socketpair())
    pair[0].setblocking(False)
    with contextlib.suppress(OSError):
        for page in range({WINDOWS} * 16):
            os.sendfile(pair[0].fileno(), session.windows, page * 4096, 1)
print('held', flush=True)
sys.stdin.readline()
'''


def meminfo():
    lines = (line.split(':') for line in pathlib.Path('/proc/meminfo').read_text().splitlines())
    return {name: int(value.split()[0]) / 1024 for name, value in lines if name in KINDS}


def private(pids):
    """MiB that only these processes have, by their names."""
    found = {}
    for pid in pids:
        try:
            rollup = pathlib.Path(f'/proc/{pid}/smaps_rollup').read_text()
            name = pathlib.Path(f'/proc/{pid}/comm').read_text().strip()
        except OSError:
            continue
        kib = sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith('Pss_Anon'))
        found[name] = found.get(name, 0) + kib / 1024
    return found


def maps_of_bpf(pids):
    """MiB of the maps that they have open."""
    found = {}
    for pid in pids:
        for path in pathlib.Path(f'/proc/{pid}/fdinfo').glob('*'):
            with contextlib.suppress(OSError):
                info = dict(line.split(':', 1) for line in path.read_text().splitlines() if ':' in line)
                if 'map_id' in info:
                    found[int(info['map_id'])] = int(info['memlock'])
    return sum(found.values()) / 2**20


def windows(pid):
    """MiB of the memory files that the service knows of."""
    found = {}
    for path in pathlib.Path(f'/proc/{pid}/fd').glob('*'):
        with contextlib.suppress(OSError):
            if os.readlink(path).startswith('/memfd:'):
                status = path.stat()
                found[status.st_ino] = status.st_blocks * 512
    return sum(found.values()) / 2**20


def rings(pids):
    """MiB of the mappings of perf events."""
    total = 0
    for pid in pids:
        try:
            lines = pathlib.Path(f'/proc/{pid}/maps').read_text().splitlines()
        except OSError:
            continue
        for line in lines:
            if 'anon_inode:[perf_event]' in line:
                start, end = (int(part, 16) for part in line.split()[0].split('-'))
                total += end - start
    return total / 2**20


def look(desk):
    pids = {desk.captured.pid} | descendants(desk.captured.pid)
    return {**meminfo(), 'windows': windows(desk.captured.pid), 'bpf': maps_of_bpf(pids), 'rings': rings(pids), 'processes': private(pids)}


def tell(what, before, now):
    """What is held now and was not before: the sum."""
    slab = now['Slab'] - before['Slab']
    rows = {'windows': now['windows'] - before['windows'], 'BPF maps': now['bpf'] - before['bpf'],
            'rings': now['rings'] - before['rings'], 'events (Slab)': slab, 'Percpu': now['Percpu'] - before['Percpu'],
            **{f'memory of {name}': mib - before['processes'].get(name, 0) for name, mib in now['processes'].items()}}
    print(f'{what}:')
    for name, mib in rows.items():
        print(f'  {name:32} {mib:8.1f} MiB')
    print(f'  {"in all":32} {sum(rows.values()):8.1f} MiB')
    print('  meminfo: ' + ', '.join(f'{kind} {now[kind] - before[kind]:+.1f}' for kind in KINDS) + ' MiB')
    return sum(rows.values())


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    desk = Desk().start()
    try:
        programs = desk.root / 'home/programs'
        programs.mkdir()
        for name, source in ('threads', THREADS), ('maps', MAPS):
            (programs / name).write_bytes(compile_c(desk.directory, name, source).read_bytes())
            (programs / name).chmod(0o755)
        desk.start_captured()
        desk.call('alice', 'start([own()])')
        with desk.caller('alice', f'SECONDS = {seconds}\n{CALLER}') as caller:
            line = caller.stdout.readline()
            assert line == 'ready\n', line
            wait_until(lambda: windows(desk.captured.pid) == 0, 'nothing is left of the first recording')
            before = look(desk)
            caller.stdin.write('\n')
            caller.stdin.flush()
            line = caller.stdout.readline()
            assert line == 'held\n', line
            held = tell('four sessions at work', before, look(desk))
            caller.kill()
        left = time.monotonic()
        wait_until(lambda: not descendants(desk.captured.pid), 'everything has ended')
        ended = time.monotonic() - left
        time.sleep(2)
        tell(f'after the caller has left (its processes ended within {ended:.1f} s)', before, look(desk))
    finally:
        desk.stop()
    return 0 if held <= 512 else 1


if __name__ == '__main__':
    sys.exit(main())
