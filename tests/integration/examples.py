# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of examples/ share: the project as it is installed, the examples built against that, and their recordings judged."""
import bisect
import collections
import json
import math
import pathlib
import re
import shutil

from recordings import SANITISED, Load
from support import BUILD, SOURCE, capturectl, environment, run

EXAMPLES = SOURCE / 'examples'
OWN = 'cpu-time'  # the event of the sampler within a program
# Shares may be off by as much as chance is in one of three million tests.
SIGMAS = 5


def install(directory):
    """Installs the project below the directory. Returns the environment in which pkg-config and the loader find it there."""
    run('meson', 'install', '--no-rebuild', '--quiet', '-C', BUILD, '--destdir', directory)
    config, = directory.rglob('capture-1.pc')
    # What was configured for another prefix stands below it here.
    config.write_text(re.sub(r'^(prefix=)', rf'\g<1>{directory}', config.read_text(), flags=re.M))
    library, = directory.rglob('libcapture-1.so.1')
    flags = '-O2 -g -Werror' + (' -fsanitize=address,undefined' if SANITISED else '')
    return environment(PKG_CONFIG_PATH=str(config.parent), LD_LIBRARY_PATH=str(library.parent), CFLAGS=flags,
                       LDFLAGS='-fsanitize=address,undefined' if SANITISED else '')


def build(name, directory, env):
    """Copies an example into the directory and makes it there; returns where."""
    place = pathlib.Path(directory) / name
    shutil.copytree(EXAMPLES / name, place, ignore=shutil.ignore_patterns('*.o'))
    run('make', '-s', cwd=place, env=env)
    return place


# name, file, line of a frame as report tells it.
Frame = collections.namedtuple('Frame', 'name file line')
# frames: from the root to the leaf.
Path = collections.namedtuple('Path', 'frames count weight')


class Event:
    """One event of a report: every stack that was seen in it."""

    def __init__(self, name, tree):
        self.name, self.paths = name, []
        self._add((), tree)

    def _add(self, frames, node):
        if node['self'] > 0:
            self.paths.append(Path(frames, node['self'], node['self_weight']))
        for child in node['children']:
            self._add(frames + (Frame(child['name'], child.get('file'), child.get('line')),), child)

    def leaves(self, accept):
        """(samples, weight) of the stacks whose innermost frame is accepted."""
        chosen = [path for path in self.paths if path.frames and accept(path.frames[-1])]
        return sum(path.count for path in chosen), sum(path.weight for path in chosen)

    def names(self):
        """{(names from the root to the leaf): samples}"""
        found = collections.Counter()
        for path in self.paths:
            found[tuple(frame.name for frame in path.frames)] += path.count
        return found


class Recorded(Load):
    """A recording of an example: `events` by name, `recorder` the recorder's own."""

    def __init__(self, path, *command, env, cwd=None, options=('-F', '1999')):
        result = capturectl('record', '-q', *options, '-o', path, '--', *command, env=env, cwd=cwd)
        self.said = result.stderr
        super().__init__(path)
        self.info = json.loads(capturectl('info', '--json', path).stdout)
        self.events = {}
        for event in self.info['events']:
            report = json.loads(capturectl('report', '--json', '--tree', '--limit', '0', '-e', event['name'], path).stdout)
            self.events[event['name']] = Event(event['name'], report['tree'])
        self.recorder, = (event for event in self.events.values() if event.name in ('cycles', 'cpu-clock'))

    def of_event(self, name):
        return [sample for sample in self.samples if sample.event == name]

    def spread(self, name):
        """How many samples of that event say as much as one would if all had the same weight: at least 1."""
        weights = [sample.weight for sample in self.of_event(name)]
        return len(weights) * sum(w * w for w in weights) / sum(weights) ** 2


# What ran there, and when: begin and end are times, start and length of its code.
Run = collections.namedtuple('Run', 'begin end start length name rounds')


class Truth:
    """What the compiler's example says it ran."""

    def __init__(self, path):
        self.runs = []
        for line in pathlib.Path(path).read_text().splitlines():
            begin, end, start, length, name, rounds = line.split()
            self.runs.append(Run(int(begin), int(end), int(start, 16), int(length), name, int(rounds)))
        self._begins = [one.begin for one in self.runs]
        self.low = min(one.start for one in self.runs)
        self.high = max(one.start + one.length for one in self.runs)
        self.names = {one.name for one in self.runs}

    def rounds(self, name):
        return sum(one.rounds for one in self.runs if one.name == name)

    def name_of(self, address, time):
        """Which function had that address then; None for addresses that are not in generated code."""
        if address is None or not self.low <= address < self.high:
            return None
        number = bisect.bisect_right(self._begins, time) - 1
        one = self.runs[number] if number >= 0 else None
        if one is None or time > one.end or not one.start <= address <= one.start + one.length:
            return f'nothing at {address:#x}'
        return one.name

    def expected(self, samples):
        """{(names of generated functions from the root to the leaf): samples}, of stacks that have any."""
        found = collections.Counter()
        for sample in samples:
            names = [self.name_of(frame.address, sample.time) for frame in reversed(sample.frames)]
            names = tuple(name for name in names if name)
            if names:
                found[names] += 1
        return found

    def reported(self, event):
        """The same, as the report has it."""
        found = collections.Counter()
        for names, count in event.names().items():
            names = tuple(name for name in names if name in self.names)
            if names:
                found[names] += count
        return found


class Judge:
    """Assertions for test cases."""

    def check_share(self, event, part, rest, share, spread):
        """part and rest are accepting functions of leaves: part has that share of both, but for chance."""
        (n, weight), (n_rest, weight_rest) = event.leaves(part), event.leaves(rest)
        n += n_rest
        self.assertGreater(n, 100, f'{event.name}: too few samples to judge')
        bound = SIGMAS * math.sqrt(share * (1 - share) * spread / n)
        self.assertAlmostEqual(weight / (weight + weight_rest), share, delta=bound, msg=f'{event.name}, {n} samples')
