# SPDX-License-Identifier: GPL-3.0-or-later
"""What perf says about a perf.data, and what the capture that was imported from it says, in the same words."""
import collections
import functools
import re
import signal
import sys

from support import SOURCE, run

sys.path.insert(0, str(SOURCE / 'tests' / 'decoder'))
from capture_decoder import Capture  # noqa: E402

Sample = collections.namedtuple('Sample', 'time pid tid period command chain')
# The innermost place of a sample. symbol: as in the symbol table, None where there is no name.
# other_file: here, what stands at the binary's path could not be opened or is not what was mapped.
Leaf = collections.namedtuple('Leaf', 'time pid tid command event binary symbol address other_file', defaults=[False])

# A frame of a stack.
Place = collections.namedtuple('Place', 'address symbol binary')

CONTEXTS = {(1 << 64) - value for value in (32, 128, 512, 2048, 2176, 2560)}
CONTEXT_MAX = (1 << 64) - 4095
BINARY_SPACE, KERNEL_SPACE = 1, 2
BINARY_IS_DELETED = 1
NAMING_UNREADABLE = 3

_DUMPED = re.compile(r'^(?:\d+ )?(\d+) 0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_SAMPLE\(\w+, 0x\w+\): '
                     r'(-?\d+)/(-?\d+): (?:0x)?([0-9a-f]+) period: (\d+) ')
_ADDRESS = re.compile(r'^\.{5}\s*\d+: ([0-9a-f]{16})$')
_THREAD = re.compile(r'^ \.\.\. thread: (.*):(-?\d+)$')
_SCRIPT = re.compile(r'^(.*?)\s+(-?\d+)/(-?\d+)\s+(?:\[\d+\] )?\s*(\d+)\.(\d{9}):\s+(\d+)\s+(\S+): *(.*)$')
_STACK_HEAD = re.compile(r'^.*?\s+(-?\d+)/(-?\d+)\s+(?:\[\d+\] )?\s*(\d+)\.(\d{9}):\s+\S+: *$')
_OFFSET = re.compile(r'\+0x([0-9a-f]+)$')
_LOCATION = re.compile(r'^\s*([0-9a-f]+) (.*?) \(([/[].*|[^\s()]*)\)$')


def record(*arguments):
    """Runs `perf record`, quietly and without filling its cache; what it wrote to standard output. Again when it was aborted:
    perf 6.1 sometimes is, by an assertion of its own, when it collects build-ids at the end."""
    for _ in range(8):
        done = run('perf', 'record', '-q', '-N', *arguments, status=None, binary=True)
        if done.status != -signal.SIGABRT:
            break
    if done.status:
        raise AssertionError(f'perf record failed: {done}')
    return done.stdout


def dumped_samples(path):
    """Every sample as `perf report -D` prints it: raw addresses, the command by perf's bookkeeping. Sorted."""
    samples, current, chain = [], None, []
    for line in run('perf', 'report', '-D', '-i', path, timeout=600).stdout.splitlines():
        if line.startswith('.....'):
            match = _ADDRESS.match(line)
            if match:
                chain.append(int(match[1], 16))
        elif line.startswith(' ... thread: ') and current:
            *fields, ip = current
            addresses = [address for address in chain if address not in CONTEXTS] or [ip]
            samples.append(Sample(*fields, _THREAD.match(line)[1], tuple(addresses)))
            current = None
        else:
            match = _DUMPED.match(line)
            if match:
                time, pid, tid, ip, period = match.groups()
                current, chain = (int(time), int(pid), int(tid), int(period), int(ip, 16)), []
    return sorted(samples)


def imported_samples(capture):
    """Every sample of a Capture, its addresses rebuilt through the mappings of its process. Sorted."""
    return sorted(Sample(s.time, s.pid, s.tid, s.weight, s.command, tuple(frame.address for frame in s.frames))
                  for s in capture.samples())


def scripted_leaves(path):
    """The innermost place of every sample by `perf script`, sorted. address: as perf prints it, relative to the binary;
    None for samples whose chain perf drops because an address in it looks like a context it does not know."""
    leaves, head = [], None
    for line in run('perf', 'script', '-i', path, '-F', 'comm,tid,pid,time,event,ip,sym,dso,period', '--ns',
                    '--no-inline', '--no-demangle', timeout=600).stdout.splitlines():
        if head:
            leaves.append(_leaf(head, line))
            head = None
        elif line and not line[0].isspace():
            head = _SCRIPT.match(line)
            if head and head[8]:
                leaves.append(_leaf(head, head[8]))
                head = None
    return sorted(leaves, key=_leaf_order)


def _leaf(head, line):
    command, pid, tid, seconds, nanoseconds, _, event, _ = head.groups()
    address, symbol, binary = _location(line) if line else (None, None, None)
    return Leaf(int(seconds + nanoseconds), int(pid), int(tid), command.strip(), event, binary,
                None if symbol == '[unknown]' else symbol, address and int(address, 16))


def _location(line):
    found = _LOCATION.match(line)
    if not found:
        raise ValueError(f'perf script says where in a way that is not known: {line!r}')
    return found.groups()


def scripted_stacks(path):
    """{(time, tid): [[Place …] …]} of every sample by `perf script`, from the leaf on, inlined functions left out: a clock may
    say one time twice. Of callers perf prints the address before the one that is returned to, and of binaries offsets in the file."""
    stacks, current = collections.defaultdict(list), None
    for line in run('perf', 'script', '-i', path, '-F', f'comm,tid,pid,time,event,ip,sym,dso{_offsets()}', '--ns', '--no-inline',
                    '--no-demangle', '--max-stack', '512', timeout=600).stdout.splitlines():
        if not line.strip():
            current = None
        elif current is None:
            pid, tid, seconds, nanoseconds = _STACK_HEAD.match(line).groups()
            current = []
            stacks[int(seconds + nanoseconds), int(tid)].append(current)
        else:
            address, symbol, binary = _location(line)
            offset = _OFFSET.search(binary) if not binary.startswith('[kernel') else None
            current.append(Place(int(offset[1] if offset else address, 16), symbol, _OFFSET.sub('', binary)))
    return stacks


@functools.lru_cache(None)
def _offsets():
    """perf 6.4 and newer print addresses as they were, and offsets in files behind the binaries' names when asked to."""
    return ',dsoff' if ',dsoff,' in run('perf', 'script', '-F', '?', status=None).stderr else ''


def imported_stacks(capture):
    """The same of a Capture: (sample, [Place …]), in perf's way of printing addresses."""
    for sample in capture.samples():
        places, is_caller = [], False
        for frame in sample.frames:
            is_user = frame.kind != KERNEL_SPACE
            name = capture.linkage_name_of(frame, bool(places))
            places.append(Place(frame.value - (is_caller and is_user), name, _binary_name(frame)))
            is_caller |= is_user
        yield sample, places


def imported_leaves(capture):
    """The same of a Capture, with perf's names for binaries."""
    leaves = []
    for sample in capture.samples():
        frame = sample.frames[0]
        leaves.append(Leaf(sample.time, sample.pid, sample.tid, sample.command, sample.event, _binary_name(frame),
                           capture.linkage_name_of(frame, False), frame.address, capture.naming_of(frame) == NAMING_UNREADABLE))
    return sorted(leaves, key=_leaf_order)


def with_names(theirs, ours):
    """perf 6.12 now and then calls a thread that has ended `:TID`: that is whoever we say that this thread was then."""
    names = {(sample.time, sample.tid): sample.command for sample in ours}
    return [sample._replace(command=names.get((sample.time, sample.tid), sample.command)) if sample.command == f':{sample.tid}' else sample
            for sample in theirs]


def _leaf_order(leaf):
    return leaf[:5]


def _binary_name(frame):
    if frame.kind == KERNEL_SPACE:
        return '[kernel.kallsyms]'
    if frame.kind == BINARY_SPACE:
        return frame.owner['path'] + (' (deleted)' if frame.owner['flags'] & BINARY_IS_DELETED else '')
    return '[unknown]'


def files_by_path(capture):
    """What tells the files behind the paths of binaries apart: a file that was mapped by two paths is one."""
    files = {}
    for dictionary in capture.dictionaries.values():
        for binary in dictionary.by_word['binary'].values():
            path = dictionary.string(binary['path'])
            files[path] = binary['build_id'].hex() or files.get(path, path)
    return files


def count(leaves, *fields):
    """How many of the leaves have which values in these fields."""
    return collections.Counter(tuple(getattr(leaf, field) for field in fields) for leaf in leaves)
