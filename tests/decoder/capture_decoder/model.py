# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples with everything they refer to resolved: threads, stacks, the addresses at which frames were sampled, names.

Sections 3 to 5, 7 and 9 of docs/format.md. What is not defined counts as not known.
"""
import bisect
import collections

from . import container
from .records import Decoder

BINARY, KERNEL, PROCESS, IDENTIFIERS, GUEST = range(1, 6)
PROT_EXEC = 4
BINARY_IS_KERNEL = 8

# address: as sampled, None when no mapping holds it; value: what the space's kind says it is (a file offset …);
# owner: the Binary's or Process's fields, None for the kernel and guests; told: Told for functions without an address, else None.
Frame = collections.namedtuple('Frame', 'kind owner value address told', defaults=[None])
# line: where it begins, executed: where it was; 0 not known.
Told = collections.namedtuple('Told', 'name file line executed')
# frames: from the leaf to the root. off_cpu: OffCpu for samples of time off the CPU, else None.
Sample = collections.namedtuple('Sample', 'time event pid tid command cpu outcome mode weight detail frames off_cpu by_frame_pointers')
# waker, its tid and frames (from the leaf to the root) are of the thread that woke this one; -1 and empty when not known.
OffCpu = collections.namedtuple('OffCpu', 'reason by_interrupt waker waker_command waker_frames')

MachineCode = collections.namedtuple('MachineCode', 'start address machine bytes')

DETAIL_OFF_CPU = 2
REASONS = ('unknown', 'preempted', 'sleeping', 'blocked', 'io', 'stopped')


class Dictionary:
    """The definitions of one stream and epoch, by identifier, and in `mappings` by process."""

    def __init__(self):
        self.strings, self.spaces, self.frames, self.nodes, self.joins = {}, {}, {}, {}, {}
        self.by_word = collections.defaultdict(dict)
        self.mappings = collections.defaultdict(list)
        self.mapping_times = {}

    def define(self, record):
        fields = record.fields
        first = fields.get('first')
        if record.word == 'string':
            self.strings[fields['id']] = fields['value']
        elif record.word == 'frames':
            self.frames.update(enumerate(record.items, first))
        elif record.word == 'nodes':
            self._define_nodes(first, fields['nodes'], record.items)
        elif record.word == 'mapping':
            self.mappings[fields['process']].append(fields)
        elif 'id' in fields:
            self.by_word[record.word][fields['id']] = fields

    def _define_nodes(self, first, count, items):
        current, node, end = 0, first, first + count
        for item, in items:
            tag, identifier = item >> 30, item & 0x3fffffff
            if node == end or tag == 1:
                return
            if tag == 2:
                current = identifier
                continue
            if tag == 0:
                self.nodes[node] = (current if current < node else 0, identifier)
                current = node
            else:
                self.joins[node] = (current, identifier)
                current = 0
            node += 1

    def finish(self):
        for process, mappings in self.mappings.items():
            mappings.sort(key=lambda mapping: mapping['time'])
            self.mapping_times[process] = [mapping['time'] for mapping in mappings]

    def string(self, identifier):
        return self.strings.get(identifier, b'').decode(errors='replace')

    def told(self, identifier):
        line = self.by_word['function_line'].get(identifier, {'function': identifier, 'line': 0})
        function = self.by_word['function'].get(line['function'], {'name': line['function'], 'file': 0, 'line': 0})
        return Told(self.string(function['name']), self.string(function['file']), function['line'], line['line'])

    def path(self, leaf):
        """The frames' identifiers of a node or join, from the leaf to the root."""
        user, kernel = self.joins.get(leaf, (leaf, 0))
        tops = [top for top in (kernel, user) if leaf not in self.joins or top < leaf]
        path = []
        for node in tops:
            while node in self.nodes:
                node, frame = self.nodes[node]
                path.append(frame)
        return path

    def active_mappings(self, process, time):
        """The number of the process's mappings that were made up to that time."""
        return bisect.bisect_right(self.mapping_times.get(process, ()), time)

    def address_of(self, process, binary, offset, active):
        """Where the process had that byte of the binary, executable mappings first; None when nowhere."""
        mappings = self.mappings[process][:active]
        best = None
        for number, mapping in enumerate(mappings):
            if mapping['binary'] != binary or not 0 <= offset - mapping['offset'] < mapping['end'] - mapping['start']:
                continue
            address = mapping['start'] + offset - mapping['offset']
            covered = any(later['start'] <= address < later['end'] for later in mappings[number + 1:])
            rank = (bool(mapping['protection'] & PROT_EXEC), number)
            if not covered and (best is None or rank > best[0]):
                best = rank, address
        return best and best[1]


_UNNAMED = (0, 0, None, None, 0)
NAMELESS = 1  # flag of a function


class Capture:
    """A capture, loaded whole.

    file           the container.File
    dictionaries   {(stream, epoch): Dictionary}
    records        the records of records windows, in file order
    streams        the fields of STREAM records
    metadata       {key: value}, messages: the fields of MESSAGE records
    names          {key of a binary: [Function…]}, see function_of()
    code           {key of a binary: {start: MachineCode}}, see machine_code_of()
    sources        {path: bytes}, text of source files
    places         {key of a binary: [(start, end, [PlaceFrame…])…]} with strings resolved, ascending, see place_of()
    """

    def __init__(self, path):
        self.file = container.File(path)
        self.dictionaries = collections.defaultdict(Dictionary)
        self.records, self.streams, self.messages, self.metadata, self.names, self.naming = [], [], [], {}, {}, {}
        self.places, self.code, self.sources = {}, collections.defaultdict(dict), {}
        self._decoder = Decoder(self.file.order)
        self._names = {}
        for part in self.file.parts:
            if part.kind in (container.DICTIONARY, container.RECORDS, container.META, container.NAMES):
                self._read_records(part)
        for dictionary in self.dictionaries.values():
            dictionary.finish()
        self._read_names()
        self._read_places()
        self._read_code()
        self._read_sources()
        self._paths, self._addresses = {}, {}

    def samples(self):
        """Yields every Sample, in file order."""
        for part in self.file.parts:
            if part.kind == container.SAMPLES:
                yield from self._part_samples(part)

    def lost(self):
        """How many samples the LOST records count."""
        return sum(record.fields['samples'] for record in self.records if record.word == 'lost')

    def function_of(self, frame, is_caller):
        """The name stored for the function of a frame, behind its file's where no symbol names it, or None. Callers are looked up one byte earlier."""
        return self._look_up(frame, is_caller)[2]

    def linkage_name_of(self, frame, is_caller):
        """As symbol_of, but as it stands in the symbol table."""
        found = self._look_up(frame, is_caller)
        return None if found[4] & NAMELESS else found[3]

    def symbol_of(self, frame, is_caller):
        """As function_of, but None where no symbol names it."""
        found = self._look_up(frame, is_caller)
        return None if found[4] & NAMELESS else found[2]

    def naming_of(self, frame):
        """How the naming of a frame's binary ended (NAMED_BINARY's status); None when nothing is said of it."""
        keys = _frame_keys(frame)
        return next((self.naming[key] for key in keys if key in self.naming), None)

    def machine_code_of(self, frame, is_caller):
        """The MachineCode that holds the address of a frame, or None. Callers are looked up as by function_of."""
        value = frame.value - is_caller
        return next((code for key in _frame_keys(frame) for code in self.code.get(key, {}).values()
                     if code.start <= value < code.start + len(code.bytes)), None)

    def place_of(self, frame, is_caller):
        """The PlaceFrames of a frame, innermost first; none where nothing is said of it. Callers are looked up as by function_of."""
        for key in _frame_keys(frame):
            places = self.places.get(key, [])
            value = frame.value - is_caller
            number = bisect.bisect_right(places, value, key=lambda place: place[0]) - 1
            if number >= 0 and value < places[number][1]:
                return places[number][2]
        return []

    def _look_up(self, frame, is_caller):
        for key in _frame_keys(frame):
            starts, functions = self.names.get(key, ((), ()))
            value = frame.value - is_caller
            number = bisect.bisect_right(starts, value) - 1
            if number >= 0 and value < functions[number][1]:
                return functions[number]
        return _UNNAMED

    def _read_records(self, part):
        content = self.file.content(part)
        for _, record in self._decoder.records(content or b''):
            if record is None or record.word in ('record', 'invalid'):
                continue
            if part.kind == container.DICTIONARY:
                self.dictionaries[part.stream, part.epoch].define(record)
            elif part.kind == container.NAMES:
                self._names.setdefault((part.stream, part.epoch), []).append(record)
            elif record.word == 'metadata':
                self.metadata[record.fields['key'].decode()] = record.fields['value'].decode(errors='replace')
            elif record.word == 'stream':
                self.streams.append(record.fields)
            elif record.word == 'message':
                self.messages.append(record.fields)
            elif part.kind == container.RECORDS:
                self.records.append(record)

    def _read_names(self):
        """Functions by binary. Where two name the same address, stream 0 wins, and then the latest epoch."""
        merged = collections.defaultdict(dict)
        for records, strings, binaries in self._epochs_of_names():
            for binary in binaries.values():
                self.naming.update({key: binary['status'] for key in _name_keys(binary)})
            for record in records:
                if record.word != 'functions' or record.fields['binary'] not in binaries:
                    continue
                binary = binaries[record.fields['binary']]
                for key in _name_keys(binary):
                    for function in record.items:
                        linkage_name = strings.get(function.linkage_name, strings.get(function.name, ''))
                        name = strings.get(function.name, linkage_name)
                        if function.flags & NAMELESS:
                            name = f'{binary["path"].rpartition("/")[2]} {name}'
                        merged[key][function.start] = (function.start, function.end, name, linkage_name, function.flags)
        for key, functions in merged.items():
            ordered = [functions[start] for start in sorted(functions)]
            self.names[key] = ([function[0] for function in ordered], ordered)

    def _read_places(self):
        """Places by binary. Where two begin at the same address, stream 0 wins, and then the latest epoch."""
        merged = collections.defaultdict(dict)
        for records, strings, binaries in self._epochs_of_names():
            frames = {}
            for record in records:
                if record.word == 'place_frames':
                    for number, frame in enumerate(record.items, record.fields['first']):
                        frames.setdefault(number, _resolve_place_frame(frame, strings))
            for record in records:
                if record.word != 'place' or record.fields['binary'] not in binaries:
                    continue
                wanted = [number for number, in record.items]
                if wanted and all(number in frames for number in wanted):
                    place = record.fields['start'], record.fields['end'], [frames[number] for number in wanted]
                    for key in _name_keys(binaries[record.fields['binary']]):
                        merged[key][place[0]] = place
        self.places = {key: [places[start] for start in sorted(places)] for key, places in merged.items()}

    def _read_code(self):
        """Machine code by binary and start; what wins stands last."""
        for records, _strings, binaries in self._epochs_of_names():
            for record in records:
                if record.word == 'machine_code' and record.fields['binary'] in binaries:
                    fields = record.fields
                    code = MachineCode(fields['start'], fields['address'], fields['machine'], fields['code'])
                    for key in _name_keys(binaries[fields['binary']]):
                        self.code[key][code.start] = code

    def _read_sources(self):
        """Text of source files by path; pieces that fit nowhere count for nothing."""
        for records, strings, _binaries in self._epochs_of_names():
            for record in records:
                if record.word == 'source_text' and record.fields['path'] in strings:
                    path, offset = strings[record.fields['path']], record.fields['offset']
                    if offset == 0:
                        self.sources[path] = b''
                    if offset == len(self.sources.get(path, b'')) and path in self.sources:
                        self.sources[path] += record.fields['content']

    def _epochs_of_names(self):
        """Records, strings and named binaries of each epoch, those that win last."""
        for _, records in sorted(self._names.items(), key=lambda item: (item[0][0] == 0, item[0][1])):
            strings = {r.fields['id']: r.fields['value'].decode(errors='replace') for r in records if r.word == 'string'}
            binaries = {r.fields['id']: {**r.fields, 'path': strings.get(r.fields['path'], '')}
                        for r in records if r.word == 'named_binary'}
            yield records, strings, binaries

    def _part_samples(self, part):
        content = self.file.content(part)
        entries = None if content is None else self.file.entries(part, content)
        if entries is None:
            return
        dictionary = self.dictionaries[part.stream, part.epoch]
        event_fields = dictionary.by_word['event'].get(part.event)
        event = dictionary.string(event_fields['name']) if event_fields else ''
        threads, processes = dictionary.by_word['thread'], dictionary.by_word['process']
        for delta, thread_id, leaf, cpu, outcome, mode, *more in entries:
            time = part.time_first + delta
            thread = threads.get(thread_id, {'process': 0, 'tid': -1, 'name': 0})
            process = processes.get(thread['process'], {'pid': -1})
            frames = self._stack((part.stream, part.epoch), dictionary, leaf, thread['process'], time)
            detail = more[1] if len(more) > 1 else 0
            off_cpu = None
            if event_fields and event_fields['detail'] == DETAIL_OFF_CPU:
                off_cpu = self._off_cpu((part.stream, part.epoch), dictionary, detail, time)
            yield Sample(time, event, process['pid'], thread['tid'], dictionary.string(thread['name']), cpu, outcome & 0x7f,
                         mode, more[0] if more else part.weight, detail, frames, off_cpu,
                         bool(outcome & 0x80))

    def _off_cpu(self, place, dictionary, detail, time):
        reason = detail >> 56 & 0x7f
        thread = dictionary.by_word['thread'].get(detail >> 32 & 0xffffff, {'process': 0, 'tid': -1, 'name': 0})
        frames = self._stack(place, dictionary, detail & 0xffffffff, thread['process'], time)
        return OffCpu(REASONS[reason] if reason < len(REASONS) else 'unknown', bool(detail >> 63), thread['tid'],
                      dictionary.string(thread['name']), frames)

    def _stack(self, place, dictionary, leaf, process, time):
        active = dictionary.active_mappings(process, time)
        key = (place, leaf, process, active)
        if key not in self._paths:
            self._paths[key] = [self._frame(place, dictionary, frame, process, active) for frame in dictionary.path(leaf)]
        return self._paths[key]

    def _frame(self, place, dictionary, frame, process, active):
        key = (place, frame, process, active)
        if key not in self._addresses:
            self._addresses[key] = self._resolve(dictionary, frame, process, active)
        return self._addresses[key]

    def _resolve(self, dictionary, frame, process, active):
        space_id, offset = dictionary.frames.get(frame, (0, 0))
        space = dictionary.by_word['space'].get(space_id, {'kind': 0, 'owner': 0, 'base': 0})
        value = (space['base'] + offset) % (1 << 64)
        if space['kind'] == IDENTIFIERS:
            return Frame(IDENTIFIERS, dictionary.by_word['process'].get(space['owner']), value, value, dictionary.told(value & 0xffffffff))
        if space['kind'] != BINARY:
            return Frame(space['kind'], dictionary.by_word['process'].get(space['owner']), value, value)
        binary = dictionary.by_word['binary'].get(space['owner'])
        owner = {**binary, 'path': dictionary.string(binary['path'])} if binary else None
        return Frame(BINARY, owner, value, dictionary.address_of(process, space['owner'], value, active))


def _resolve_place_frame(frame, strings):
    """The strings instead of their identifiers, None where there is none."""
    linkage_name = strings.get(frame.linkage_name, strings.get(frame.name))
    return frame._replace(name=strings.get(frame.name, linkage_name), linkage_name=linkage_name, file=strings.get(frame.file),
                          declared_file=strings.get(frame.declared_file))


def _frame_keys(frame):
    """What names windows know the owner of a sampled address by: its build-id where both have one, else path, device and inode."""
    if frame.kind != BINARY or frame.owner is None:
        return ['kernel'] if frame.kind == KERNEL else []
    without, beside = _place_keys(frame.owner)
    return [frame.owner['build_id'], without] if frame.owner['build_id'] else [without, beside]


def _name_keys(binary):
    """The other side of _frame_keys: where what a names window says of a binary is found."""
    if binary is None or binary['flags'] & BINARY_IS_KERNEL:
        return ['kernel'] if binary else []
    without, beside = _place_keys(binary)
    return [binary['build_id'], beside] if binary['build_id'] else [without]


def _place_keys(binary):
    """Of a binary that a names window knows without a build-id, and of one that has one there."""
    place = binary['path'], binary['device'], binary['inode']
    return (*place, False), (*place, True)
