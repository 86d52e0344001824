#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports a perf.data of a large compilation: time beside `perf report`, and the bytes of the same samples.

usage: bench-import.py [PERF.DATA]     (without: fetches sqlite3.c with npm and records its compilation)
"""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
CAPTURECTL = pathlib.Path(os.environ.get('CAPTURE_BUILDDIR', SOURCE / 'build')) / 'capturectl' / 'capturectl'
PERF_REPORT = ('perf', 'report', '--stdio', '--no-inline', '--no-children', '-g', 'caller', '-i')
SAMPLES_AT_LEAST = 500_000


def measure(*command, times=3):
    """Seconds of the quickest run, and the processor time of that run."""
    best = None
    for _ in range(times):
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        took, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best or (took, cpu), (took, cpu))
    return best


def unpack(archive):
    subprocess.run(('tar', 'xf', archive, '-C', archive.parent), check=True)


def fetch_sqlite(directory):
    """npm's better-sqlite3 carries sqlite3.c, as it is or in an archive."""
    subprocess.run(('npm', 'pack', '--silent', 'better-sqlite3'), cwd=directory, check=True, stdout=subprocess.DEVNULL)
    unpack(next(directory.glob('better-sqlite3-*.tgz')))
    for archive in list((directory / 'package' / 'deps').rglob('*.tar.gz')):
        unpack(archive)
    return next((directory / 'package' / 'deps').rglob('sqlite3.c'))


def run_perf_record(path, directory, script):
    """perf 6.1 sometimes aborts when it collects build-ids at the end; then again."""
    for _ in range(8):
        done = subprocess.run(('perf', 'record', '-q', '-N', '-F', '20000', '-a', '-g', '-o', path, '--', 'sh', '-c', script),
                              cwd=directory, stderr=subprocess.DEVNULL)
        if done.returncode != -signal.SIGABRT:
            break
    done.check_returncode()


def record(directory):
    """A recording of at least SAMPLES_AT_LEAST samples: the compilation as often as it takes."""
    source, path = fetch_sqlite(directory), directory / 'perf.data'
    for repeat in (1, 2, 4, 8):
        run_perf_record(path, directory, f'for i in $(seq {repeat}); do gcc -O1 -c {source} -o sqlite3.o; done')
        if import_raw(path, directory)[0] >= SAMPLES_AT_LEAST:
            return path
    raise SystemExit('The compilation gave too few samples.')


def import_raw(path, directory):
    done = subprocess.run((CAPTURECTL, 'import', '--no-names', '--no-compress', path, '-o', directory / 'raw.capture'),
                          check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout.rsplit(': ', 1)[1].split()[0]), (directory / 'raw.capture').stat().st_size


def report(path, directory):
    capture, perf_bytes = directory / 'all.capture', path.stat().st_size
    samples, raw = import_raw(path, directory)
    bare = measure(CAPTURECTL, 'import', '--no-names', path, '-o', capture)
    compressed = capture.stat().st_size
    named = measure(CAPTURECTL, 'import', path, '-o', capture)
    tree = measure(CAPTURECTL, 'report', '--tree', capture)
    perf = measure(*PERF_REPORT, path, times=2)
    print(f'{samples} samples, perf.data {perf_bytes} bytes, {perf_bytes / samples:.1f} a sample')
    print(f'capture as it is    {raw} bytes, {raw / samples:.1f} a sample, {raw / perf_bytes:.3f} of perf.data (at most 0.333)')
    print(f'capture compressed  {compressed} bytes, {compressed / samples:.1f} a sample, {compressed / perf_bytes:.3f} of '
          'perf.data (at most 0.125)')
    for what, (took, cpu) in (('import --no-names', bare), ('import', named), ('report --tree', tree), ('perf report', perf)):
        print(f'{what:19} {took:.3f} s, {cpu:.3f} s of processor time')
    print(f'import and report take {(named[0] + tree[0]) / perf[0]:.2f} of perf report alone')


def main():
    with tempfile.TemporaryDirectory(prefix='capture-bench-') as name:
        directory = pathlib.Path(name)
        report(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else record(directory), directory)


if __name__ == '__main__':
    main()
