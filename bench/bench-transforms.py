#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What transforms of stacks cost on a compiler run, and what a changed filter costs with and without them.

bench-transforms.py [--capture FILE] [--rounds N]

Without FILE perf's system-wide recording of a compiler run is imported, which takes root, perf, gcc and npm.
"""
import argparse
import os
import pathlib
import subprocess

from compiler_run import BUILD, CAPTURECTL, WORK, perf_data


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--capture', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    capture = options.capture
    if not capture:
        WORK.mkdir(parents=True, exist_ok=True)
        capture = WORK / 'compiler.capture'
        subprocess.run([CAPTURECTL, 'import', perf_data(), '-o', capture], check=True, stdout=subprocess.DEVNULL)
    print(f'load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors', flush=True)
    subprocess.run([BUILD / 'bench' / 'bench-transforms', capture, str(options.rounds)], check=True)


main()
