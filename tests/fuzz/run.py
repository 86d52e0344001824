#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a libFuzzer target over its corpus and then for some seconds on; one TAP test.

usage: run.py TARGET CORPUS        (in the environment FUZZ_SECONDS: how long, 5 when not said; FUZZ_SEED)
With CI=true the seed is always the same, so that a change is judged by what it changed.
An input that crashes the target is kept beside it.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def fuzz(target, corpus):
    """Comments that say what happened, and whether all went well."""
    if not corpus.is_dir() or not any(corpus.iterdir()):
        return False, f'{corpus} holds no input to start from'
    seconds = os.environ.get('FUZZ_SECONDS', '5')
    seed = os.environ.get('FUZZ_SEED', '1' if os.environ.get('CI') == 'true' else '0')  # 0: libFuzzer takes one by chance
    with tempfile.TemporaryDirectory(prefix='capture-fuzz-') as found:
        done = subprocess.run(
            [target, f'-max_total_time={seconds}', f'-seed={seed}', '-timeout=10', '-rss_limit_mb=2048', '-print_final_stats=1',
             f'-artifact_prefix={target}-', found, corpus],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    return done.returncode == 0, done.stdout[-8000:]


def main():
    target, corpus = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    good, text = fuzz(target, corpus)
    print(f'{"ok" if good else "not ok"} 1 - {target.name}')
    for line in text.splitlines():
        print(f'# {line}')
    print('1..1')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
