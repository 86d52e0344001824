#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first sample through the system service of this tree beside that of an older one: medians of both, and of the differences
of pairs, in which they take turns. Both are built, in build/ of their trees, in the same way.

usage: daemon-pairs.py OLDER-TREE [PAIRS]     (root; as bench-daemon.py, whose way to measure both get)
"""
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve()
SESSIONS = 3  # one after another, in each half of a pair


def load(path):
    spec = importlib.util.spec_from_file_location('bench', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def serve(tree):
    """Answers each kind of session that is asked for with the milliseconds to its first sample, on a desk of that tree's."""
    bench, bench_daemon = load(tree / 'bench' / 'bench-daemon.py'), load(HERE.parent / 'bench-daemon.py')
    kinds = {'own': ('[target]', bench_daemon.OWN, SESSIONS),
             'own, frame pointers': ('[target], unwind="fp"', bench_daemon.OWN, SESSIONS),
             'system-wide': ('[], system_wide=True', bench.SYSTEM, SESSIONS),
             'of a service that has just begun': ('[target]', bench_daemon.OWN, 1)}
    desk = bench.Desk().start()
    try:
        desk.start_captured()
        desk.allow(bench.SYSTEM, 'alice')
        print(json.dumps(list(kinds)), flush=True)
        for line in sys.stdin:
            what, action, sessions = kinds[line.strip()]
            if sessions == 1:
                desk.stop_captured()
                desk.start_captured()
            print(json.dumps([row[2] for row in bench_daemon.latency(desk, sessions, what, action)]), flush=True)
    finally:
        desk.stop()


def ask(worker, kind):
    worker.stdin.write(f'{kind}\n')
    worker.stdin.flush()
    return statistics.median(json.loads(worker.stdout.readline()))


def main(older, pairs):
    workers = [subprocess.Popen([HERE, '--serve', tree], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
               for tree in (older, HERE.parents[1])]
    kinds = [json.loads(worker.stdout.readline()) for worker in workers][0]
    for kind in kinds:
        rows = []
        for i in range(-1, pairs):  # the first warms up
            first = ask(workers[i % 2], kind)
            second = ask(workers[1 - i % 2], kind)
            rows.append((second, first) if i % 2 else (first, second))
        before, after = (sorted(column) for column in zip(*rows[1:]))
        differences = sorted(b - a for a, b in rows[1:])
        print(f'{kind:34} before {statistics.median(before):6.1f} ms ({before[0]:.0f} to {before[-1]:.0f}), after '
              f'{statistics.median(after):6.1f} ms ({after[0]:.0f} to {after[-1]:.0f}), difference {statistics.median(differences):+6.1f} ms '
              f'(half of them from {differences[pairs // 4]:+.1f} to {differences[-1 - pairs // 4]:+.1f}), {pairs} pairs', flush=True)
    for worker in workers:
        worker.stdin.close()
        worker.wait()


if __name__ == '__main__':
    if sys.argv[1] == '--serve':
        serve(pathlib.Path(sys.argv[2]))
    else:
        main(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 12)
