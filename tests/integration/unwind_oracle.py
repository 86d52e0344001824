# SPDX-License-Identifier: GPL-3.0-or-later
"""Unwind rows of an ELF file as readelf tells them, in the words of tests/unit/unwind/dump-table.

`readelf --debug-dump=frames-interp` has done all the work but for expressions, which it does not show. Functions with
expressions in them are read a second time, instruction by instruction, from `--debug-dump=frames`.
"""
import re
import subprocess

NAMES = {
    'x86-64': {'rsp': 'sp', 'rbp': 'fp', 'rbx': 'base'},
    'aarch64': {'sp': 'sp', 'x29': 'fp'},
}
NUMBERS = {
    'x86-64': ['rax', 'rdx', 'rcx', 'rbx', 'rsi', 'rdi', 'rbp', 'rsp', *(f'r{i}' for i in range(8, 16))],
    'aarch64': [f'x{i}' for i in range(31)],
}
TRACKED = {'x86-64': ('rbp', 'rbx', 'rip'), 'aarch64': ('x29', '', 'x30')}
COLUMNS = {'x86-64': ('rbp', 'rbx', 'ra'), 'aarch64': ('x29', '', 'ra')}

GAP = 'none+0 same same same'
FDE = re.compile(r'([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)$')
CIE = re.compile(r'([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ CIE')
SECTION = re.compile(r'Contents of the (\.\w+) section')


def run_readelf(what, path):
    """Its exit status is 1 also for files whose debugging information is elsewhere; what it prints is right then."""
    done = subprocess.run(['readelf', '--wide', f'--debug-dump={what}', '--debug-dump=no-follow-links', path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors='replace')
    if done.returncode not in (0, 1):
        raise RuntimeError(f'readelf {path} ended with status {done.returncode}')
    return done.stdout


def signed(number):
    return f'{number:+d}'


class Fde:
    """A function: [start, end) and its rows, as (address, text). `text` is None where expressions have to be looked at."""

    def __init__(self, offset, cie, start, end, rows):
        self.offset, self.cie, self.start, self.end, self.rows = offset, cie, start, end, rows


class Interpreted:
    """What frames-interp says: `fdes` of one section."""

    def __init__(self, machine):
        self.machine = machine
        self.fdes = []
        self.cies = {}
        self.texts = {}  # of rows already translated

    def cfa(self, text):
        register, sign, offset = re.fullmatch(r'(\w+?)([+-])(\d+)', text).groups()
        name = NAMES[self.machine].get(register)
        if name:
            return f'{name}{sign}{offset}'
        return f'register{sign}{offset}/{NUMBERS[self.machine].index(register)}'

    def saved(self, text, column):
        """Where a register is. readelf says `u` also where nothing was said."""
        if column == 'ra':
            if text in ('u', None):
                return 'undefined' if self.machine == 'x86-64' else 'same'
            if text[0] == 'r':
                return text
        elif text in ('u', 's', None):
            return 'same'
        if text[0] == 'c' and int(text[1:]) % 8 == 0 and -32768 * 8 <= int(text[1:]) < 32768 * 8:
            return text
        return 'unsupported'

    def row(self, columns, fields):
        """The text of a row, or None where an expression is in what counts."""
        key = (columns, fields)
        if key not in self.texts:
            wanted = COLUMNS[self.machine]
            cfa, *values = re.sub(r' \(\w+\)', '', fields).split()
            values = dict(zip(columns.split()[2:], values))
            if cfa == 'exp' or any(values.get(column) == 'exp' for column in wanted):
                self.texts[key] = None
            else:
                self.texts[key] = ' '.join([self.cfa(cfa), *(self.saved(values.get(column), column) for column in wanted)])
        return self.texts[key]

    def parse(self, text):
        """Adds the functions that `text`, the lines of a section, tells of."""
        rows, columns = [], ''
        for line in text.splitlines():
            match = FDE.match(line)
            if match:
                offset, cie, start, end = (int(group, 16) for group in match.groups())
                rows = []
                self.fdes.append(Fde(offset, cie, start, end, rows))
            elif line.startswith('   LOC'):
                columns = line
            elif re.match(r'[0-9a-f]{16} [a-z]', line):
                rows.append((int(line[:16], 16), self.row(columns, line[17:].rstrip())))
            elif CIE.match(line):
                rows = self.cies[int(CIE.match(line)[1], 16)] = []
        for fde in self.fdes:
            # Where a function adds nothing to its CIE readelf shows none of its rows.
            if not fde.rows and self.cies.get(fde.cie):
                fde.rows.append((fde.start, self.cies[fde.cie][-1][1]))


class Replayed:
    """What the instructions of functions say, expressions included."""

    def __init__(self, machine, text):
        self.machine = machine
        self.blocks = {}
        lines = None
        for line in text.splitlines():
            match = FDE.match(line) or CIE.match(line)
            if match:
                lines = self.blocks.setdefault(int(match[1], 16), [])
            elif line.startswith('  DW_CFA_') and lines is not None:
                lines.append(line.strip())

    def rows(self, fde):
        initial = {'cfa': None, 'offset': 0, 'saved': {}}
        self.execute(self.blocks[fde.cie], initial, initial, None)
        state = {**initial, 'saved': dict(initial['saved'])}
        rows = []
        self.execute(self.blocks[fde.offset], state, initial, rows, fde.start)
        return rows

    def execute(self, lines, state, initial, rows, place=0):
        stack = []
        for line in lines:
            name, _, rest = line.partition(':')
            if '(' in name:
                name = name.split()[0]
                rest = line[len(name):].strip()
            name = name[len('DW_CFA_'):]
            if name.startswith('advance_loc') or name == 'set_loc':
                where = int(rest.split()[-1], 16)
                if where != place:
                    rows.append((place, self.text(state)))
                place = where
            elif name == 'remember_state':
                stack.append({**state, 'saved': dict(state['saved'])})
            elif name == 'restore_state':
                state.clear()
                state.update(stack.pop())
            elif name.startswith('def_cfa'):
                self.define(state, name, rest)
            elif name not in ('nop', 'GNU_args_size', 'GNU_window_save', 'AARCH64_negate_ra_state'):
                self.change(state, initial, name, rest)
        if rows is not None:
            rows.append((place, self.text(state)))

    @staticmethod
    def define(state, name, rest):
        if name == 'def_cfa_expression':
            state['cfa'] = rest.strip()[1:-1]
            return
        numbers = [int(number) for number in re.findall(r'(?:^ *r|ofs |^ *)(-?\d+)', rest)]
        if name in ('def_cfa', 'def_cfa_sf'):
            state['cfa'], state['offset'] = numbers[0], int(re.search(r'ofs (-?\d+)', rest)[1])
        elif name == 'def_cfa_register':
            state['cfa'] = numbers[0]
        else:
            state['offset'] = numbers[0]

    @staticmethod
    def change(state, initial, name, rest):
        number = int(re.match(r' *r(\d+)', rest)[1])
        saved = state['saved']
        if name.startswith('restore'):
            if number in initial['saved']:
                saved[number] = initial['saved'][number]
            else:
                saved.pop(number, None)
        elif name == 'undefined':
            saved[number] = ('undefined', None)
        elif name == 'same_value':
            saved.pop(number, None)
        elif name.startswith('offset') or name == 'GNU_negative_offset_extended':
            saved[number] = ('c', int(re.search(r'at cfa([+-]\d+)', rest)[1]))
        elif name == 'expression':
            saved[number] = ('expression', rest[rest.index(') (') + 3:-1])
        elif name == 'register':
            saved[number] = ('register', int(re.search(r'in r(\d+)', rest)[1]))
        else:
            saved[number] = ('unsupported', None)

    def cfa(self, state):
        """The CFA's text, and the register and offset it counts from if it is so simple."""
        names = {NUMBERS[self.machine].index(register): name for register, name in NAMES[self.machine].items()
                 if register in NUMBERS[self.machine]}
        if self.machine == 'aarch64':
            names[31] = 'sp'
        cfa = state['cfa']
        if isinstance(cfa, int):
            if cfa in names:
                return f'{names[cfa]}{signed(state["offset"])}', names[cfa], state['offset']
            return f'register{signed(state["offset"])}/{cfa}', None, 0
        match = re.fullmatch(r'DW_OP_breg7 \(rsp\): (\d+); DW_OP_breg16 \(rip\): 0; DW_OP_lit15; DW_OP_and; DW_OP_lit(\d+); '
                             r'DW_OP_ge; DW_OP_lit3; DW_OP_shl; DW_OP_plus', cfa)
        if match:
            return f'plt+{match[1]}/{match[2]}', None, 0
        match = re.fullmatch(r'DW_OP_breg(\d+) \(\w+\): (-?\d+); DW_OP_deref(?:; DW_OP_plus_uconst: (\d+))?', cfa)
        if match and names.get(int(match[1])) in ('sp', 'fp'):
            added = signed(int(match[3])) if match[3] else ''
            return f'{names[int(match[1])]}-deref{signed(int(match[2]))}{added}', None, 0
        return 'unsupported+0', None, 0

    def saved(self, rule, origin, offset):
        """Where a register is, and from what that is counted."""
        how, what = rule
        if how == 'c' and what % 8 == 0:
            return 'c', what
        if how == 'expression':
            match = re.fullmatch(r'DW_OP_breg(\d+) \(\w+\): (-?\d+)', what)
            names = {7: 'sp', 6: 'fp'} if self.machine == 'x86-64' else {31: 'sp', 29: 'fp'}
            if match and int(match[1]) in names:
                name = names[int(match[1])]
                return ('c', int(match[2]) - offset) if name == origin else (name[0], int(match[2]))
        if how == 'undefined':
            return 'undefined', None
        return ('register', what) if how == 'register' else ('unsupported', None)

    def text(self, state):
        cfa, origin, offset = self.cfa(state)
        numbers = {'x86-64': (6, 3, 16), 'aarch64': (29, None, 30)}[self.machine]
        default = ('undefined', None) if self.machine == 'x86-64' else ('same', None)
        fp, base, ra = (self.saved(state['saved'][number], origin, offset) if number in state['saved'] else ('same', None)
                        for number in numbers)
        if numbers[2] not in state['saved']:
            ra = default
        if cfa.startswith('sp-deref+') and (fp[0], base[0], ra[0]) == ('s', 's', 's'):
            place = int(cfa[len('sp-deref+'):])
            if (fp[1], base[1], ra[1]) == (place - 40, place - 32, place + 8):
                return f'signal+{place - 120} same same same'
        if ra[0] in ('s', 'f'):
            ra = ('unsupported', None)
        if fp[0] in 'csf' and base[0] in 'csf' and fp[0] != base[0]:
            base = ('unsupported', None)
        return ' '.join([cfa, *(self.show(rule, rule is ra) for rule in (fp, base, ra))])

    @staticmethod
    def show(rule, is_ra):
        how, what = rule
        if how == 'register':
            return f'r{what}' if is_ra else 'unsupported'
        if how == 'undefined' and not is_ra:
            return 'same'
        return how if what is None else f'{how}{signed(what)}'


def sections(text):
    """(name, lines) of each section that is told of."""
    places = [match.start() for match in SECTION.finditer(text)] + [len(text)]
    for start, end in zip(places, places[1:]):
        yield SECTION.match(text, start)[1], text[start:end]


def read_fdes(path, machine='x86-64', section='.eh_frame'):
    """The functions that one section describes, in the order of their addresses."""
    interpreted = Interpreted(machine)
    for name, text in sections(run_readelf('frames-interp', path)):
        if name == section:
            interpreted.parse(text)
    if any(text is None for fde in interpreted.fdes for _, text in fde.rows):
        replayed = Replayed(machine, '\n'.join(text for name, text in sections(run_readelf('frames', path)) if name == section))
        for fde in interpreted.fdes:
            if any(text is None for _, text in fde.rows):
                fde.rows = replayed.rows(fde)
    return sorted(interpreted.fdes, key=lambda fde: (fde.start, fde.offset))


def flatten(fdes):
    """One list of (address, text) of all functions: of those that overlap the one that begins last holds."""
    rows = []
    outer = []
    cursor = 0

    def add(address, text):
        if rows and rows[-1][0] == address:
            rows.pop()
        if (rows[-1][1] if rows else GAP) != text:
            rows.append((address, text))

    def say(fde, start, end):
        for (address, text), following in zip(fde.rows, [*(address for address, _ in fde.rows[1:]), end]):
            if following > start and address < end:
                add(max(address, start), text)

    def fill(until):
        nonlocal cursor
        while outer and cursor < until:
            if outer[-1].end > cursor:
                say(outer[-1], cursor, min(outer[-1].end, until))
                cursor = min(outer[-1].end, until)
            if outer[-1].end <= cursor:
                outer.pop()
        if cursor < until:
            add(cursor, GAP)
            cursor = until

    for fde, following in zip(fdes, [*(fde.start for fde in fdes[1:]), 1 << 64]):
        if fde.start == fde.end:
            continue
        fill(fde.start)
        if following < fde.end:
            outer.append(fde)
        end = min(fde.end, following)
        say(fde, fde.start, end)
        cursor = end
    fill(1 << 64)
    return rows
