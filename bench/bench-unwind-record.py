#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stacks by unwind tables cost a recorded program, beside frame pointers and copies of stacks in perf; how soon they are complete,
and whether samples are lost.

usage: bench-unwind-record.py [ROUNDS]     (root; perf, sqlite3, xz, python3, gcc)
"""
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from compiler_run import CAPTURECTL, SOURCE, WORK, interval

sys.path.insert(0, str(SOURCE / 'tests' / 'decoder'))
from capture_decoder import Capture  # noqa: E402

FREQUENCY = '3999'
COMPLETE = 1
SQL = ('WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 6000000) '
       'SELECT sum(n * n % 7), count(DISTINCT n % 1000) FROM numbers')
PROGRAM = 'import json\nfor _ in range(3500): json.loads(json.dumps([{"n": n, "name": str(n)} for n in range(300)], indent=1))'
RUN_AND_TELL = '''
import os, sys, time
begin = time.monotonic()
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ), 0)
open(sys.argv[1], 'w').write(f'{time.monotonic() - begin} {usage.ru_utime + usage.ru_stime}')
sys.exit(os.waitstatus_to_exitcode(status))
'''


def quietly(*command, check=True, **how):
    return subprocess.run([str(word) for word in command], check=check, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, **how)


def info(capture):
    return json.loads(subprocess.run([CAPTURECTL, 'info', '--json', capture], check=True, stdout=subprocess.PIPE).stdout)


def recorders(directory):
    ours, perf = directory / 'a.capture', directory / 'perf.data'
    return {'nothing': [],
            'capturectl': [CAPTURECTL, 'record', '-q', '-F', FREQUENCY, '-o', ours, '--'],
            'perf -g': ['perf', 'record', '-q', '-N', '-F', FREQUENCY, '-g', '-o', perf, '--']}


def measure_times(directory, name, command, rounds):
    """How long the command itself takes under each recorder, in turns: by the clock, and of processor time, which bears a busy machine."""
    told, times, words_of = directory / 'told', {}, recorders(directory)
    for number in range(rounds + 1):
        for recorder in (list(words_of), list(reversed(words_of)))[number % 2]:  # machines change their speed: each goes first
            words = words_of[recorder]
            # perf 6.1 sometimes aborts at the end, when the command has told its times.
            quietly(*words, sys.executable, '-c', RUN_AND_TELL, told, *command, check=False)
            times.setdefault(recorder, []).append(tuple(map(float, told.read_text().split())))
            told.unlink()
    for column, what in enumerate(('elapsed', 'processor')):
        middle = {recorder: statistics.median(run[column] for run in runs[1:]) for recorder, runs in times.items()}
        best = {recorder: min(run[column] for run in runs[1:]) for recorder, runs in times.items()}
        mean, low, high = interval([ours[column] / theirs[column] for ours, theirs in zip(times['capturectl'][1:], times['perf -g'][1:])])
        print(f'{name:8} {what:9} ' + ', '.join(f'{recorder} {middle[recorder]:.3f} s (fastest {best[recorder]:.3f})' for recorder in times)
              + f'; capturectl ÷ perf -g: {middle["capturectl"] / middle["perf -g"]:.3f} of medians, '
              f'{best["capturectl"] / best["perf -g"]:.3f} of the fastest; of rounds {mean:.3f}, with 95 % from {low:.3f} to {high:.3f} '
              f'(wanted: at most 1.02)', flush=True)


def measure_size(directory, name, command):
    ours, perf = directory / 'size.capture', directory / 'size.data'
    quietly(CAPTURECTL, 'record', '-q', '--no-names', '-F', FREQUENCY, '-o', ours, '--', *command)
    quietly('perf', 'record', '-q', '-N', '-F', FREQUENCY, '--call-graph', 'dwarf,8192', '-o', perf, '--', *command, check=False)
    told = info(ours)
    samples = subprocess.run(['perf', 'report', '--stats', '-i', perf], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    count = next((int(line.split()[2]) for line in samples.splitlines() if 'SAMPLE events:' in line), 0)
    ours_each, perf_each = ours.stat().st_size / told['samples'], perf.stat().st_size / max(count, 1)
    print(f'{name:8} capture {ours_each:.1f} bytes per sample ({told["samples"]}), perf dwarf,8192 {perf_each:.0f} ({count}): '
          f'1/{perf_each / ours_each:.0f} (wanted: at most 1/50)')


def record_from(begin, *arguments, cache):
    """Records; when the first sample with a complete stack was taken and the last that was not, in ms after `begin`, and how many."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / 'a.capture'
        quietly(CAPTURECTL, 'record', '-q', '--no-names', '-F', FREQUENCY, '-o', path, *arguments, env={**os.environ, 'XDG_CACHE_HOME': str(cache)})
        samples = [sample for sample in Capture(path).samples() if sample.outcome not in (4, 10)]
        lost = info(path)['lost']
    complete = [sample.time for sample in samples if sample.outcome == COMPLETE]
    share = len(complete) / max(len(samples), 1)
    return (min(complete) - begin) / 1e6 if complete else float('nan'), share, lost


def measure_start(rounds):
    """Time from starting capturectl to the first sample whose stack is complete."""
    command = ['sqlite3', ':memory:', SQL.replace('6000000', '600000')]
    for name, limits, arguments in (('one process', (50, 35), ['--', *command]), ('60 processes', (300, 150), ['-a', '--duration', '1'])):
        others = start_processes(60) if name != 'one process' else []
        cold, warm = [], []
        for _ in range(rounds):
            cache = tempfile.mkdtemp()
            cold.append(record_from(time.clock_gettime_ns(time.CLOCK_MONOTONIC), *arguments, cache=cache))
            warm.append(record_from(time.clock_gettime_ns(time.CLOCK_MONOTONIC), *arguments, cache=cache))
            shutil.rmtree(cache)
        for process in others:
            process.kill()
            process.wait()
        for kind, results, limit in (('empty', cold, limits[0]), ('filled', warm, limits[1])):
            first = [result[0] for result in results]
            print(f'{name:13} {kind:6} cache: first complete stack after {statistics.median(first):.0f} ms (slowest {max(first):.0f}; wanted: '
                  f'{limit}); {100 * statistics.median(r[1] for r in results):.2f} % complete, {sum(r[2] for r in results)} lost')


def start_processes(count):
    """Processes of several programs that work a little every few milliseconds."""
    kinds = (['/usr/bin/python3', '-c', 'import time, json\nwhile True: json.dumps(list(range(200))); time.sleep(0.02)'],
             ['sh', '-c', 'while :; do sleep 0.05; done'],
             ['perl', '-e', 'while (1) { my %h = map { $_ => 1 } 1..500; select(undef, undef, undef, 0.02); }'],
             ['bash', '-c', 'while :; do for ((i = 0; i < 300; i++)); do :; done; read -t 0.02 <> <(:); done'])
    processes = [subprocess.Popen(kinds[i % len(kinds)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                 for i in range(count)]
    time.sleep(1)
    return processes


def measure_losses(directory):
    source = directory / 'a.c'
    source.write_text(''.join(f'int f{i}(int a) {{ int s = 0; for (int i = 0; i < a; i++) s += i * {i} ^ (s << 3); return s; }}\n' for i in range(3000)))
    capture = directory / 'lost.capture'
    recording = subprocess.Popen([CAPTURECTL, 'record', '-q', '--no-names', '-a', '-F', '4999', '-o', capture], stdin=subprocess.DEVNULL)
    time.sleep(0.5)
    for _ in range(3):
        quietly('gcc', '-O1', '-c', source, '-o', directory / 'a.o')
    recording.send_signal(signal.SIGINT)
    recording.wait()
    told = info(capture)
    judged = told['user_stacks']
    print(f'-a -F 4999 over gcc: {told["samples"]} samples, lost {told["lost"]}, outcome lost {told["outcomes"].get("lost", 0)}, '
          f'{100 * judged["complete"] / judged["samples"]:.2f} % of {judged["samples"]} user stacks complete')


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    WORK.mkdir(parents=True, exist_ok=True)
    print(f'{FREQUENCY} Hz, {rounds} rounds, {os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}')
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        plain = directory / 'plain'
        plain.write_bytes(pathlib.Path(subprocess.run(['gcc', '-print-prog-name=cc1'], check=True, stdout=subprocess.PIPE,
                                                      text=True).stdout.strip()).read_bytes()[:6000000])
        commands = {'sqlite3': ['sqlite3', ':memory:', SQL], 'xz': ['xz', '-k', '-f', '-T1', plain],
                    'python3': ['/usr/bin/python3', '-c', PROGRAM]}
        for name, command in commands.items():
            measure_times(directory, name, command, rounds)
        for name, command in commands.items():
            measure_size(directory, name, command)
        measure_losses(directory)
    measure_start(rounds)


if __name__ == '__main__':
    main()
