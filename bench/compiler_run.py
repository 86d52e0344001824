# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmarks share: the compilation of sqlite3.c, perf's recording of it, and measuring a command."""
import math
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get('CAPTURE_BUILDDIR', SOURCE / 'build'))
CAPTURECTL = BUILD / 'capturectl' / 'capturectl'
WORK = BUILD / 'bench' / 'work'
SAMPLES_AT_LEAST = 500_000


def samples_of(capture):
    done = subprocess.run([CAPTURECTL, 'info', '--json', capture], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)['samples']


def fetch_sqlite():
    """The path of sqlite3.c, 9 MB, which npm's better-sqlite3 carries, as it is or in an archive."""
    WORK.mkdir(parents=True, exist_ok=True)
    found = list(WORK.rglob('sqlite3.c'))
    if not found:
        subprocess.run(['npm', 'pack', '--silent', 'better-sqlite3'], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(['tar', 'xf', next(WORK.glob('better-sqlite3-*.tgz')), '-C', WORK], check=True)
        for archive in list(WORK.rglob('*.tar.gz')):
            subprocess.run(['tar', 'xf', archive, '-C', WORK], check=True)
        found = list(WORK.rglob('sqlite3.c'))
    return found[0]


def run_perf_record(path, script):
    """perf 6.1 sometimes aborts when it collects build-ids at the end; then again."""
    for _ in range(8):
        done = subprocess.run(['perf', 'record', '-q', '-N', '-F', '20000', '-a', '-g', '-o', path, '--', 'sh', '-c', script],
                              cwd=WORK, stderr=subprocess.DEVNULL)
        if done.returncode != -signal.SIGABRT:
            break
    done.check_returncode()


def perf_data():
    """A perf.data of at least SAMPLES_AT_LEAST samples, made once: the compilation as often as it takes."""
    source, path, trial = fetch_sqlite(), WORK / 'compiler.perf.data', WORK / 'trial.capture'
    if path.exists():
        return path
    for repeat in (1, 2, 4, 8):
        run_perf_record(path, f'for i in $(seq {repeat}); do gcc -O1 -c {source} -o sqlite3.o; done')
        subprocess.run([CAPTURECTL, 'import', '--no-names', path, '-o', trial], check=True, stdout=subprocess.DEVNULL)
        if samples_of(trial) >= SAMPLES_AT_LEAST:
            return path
    raise SystemExit('The compilation gave too few samples.')


def measure(*command):
    """Runs it to its end: seconds, seconds of processor time, peak memory in MiB."""
    begin = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    elapsed = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f'{command} failed with status {child.returncode}.')
    return elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def alternate(rounds, commands):
    """{name: [measure()…]}: all in turns, so that none has the machine to itself; a first round, which warms caches,
    is left out."""
    results = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            result = measure(*command)
            if number > 0:
                results[name].append(result)
    return results


def medians(results):
    return tuple(statistics.median(column) for column in zip(*results))


def interval(pairs):
    """Geometric mean of ratios, and where it lies with 95 % of confidence (two standard errors of the logarithms)."""
    logarithms = [math.log(pair) for pair in pairs]
    error = statistics.stdev(logarithms) / math.sqrt(len(logarithms)) if len(pairs) > 1 else math.inf
    mean = statistics.mean(logarithms)
    return math.exp(mean), math.exp(mean - 2 * error), math.exp(min(mean + 2 * error, 700))
