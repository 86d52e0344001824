# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports: what other programs read must be what the capture holds."""
import collections
import json
import pathlib
import re
import shutil
import struct
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from support import CAPTURECTL, DATA, OWN_MOUNTS, SOURCE, TestCase, capturectl, environment, run, unmount

sys.path.insert(0, str(SOURCE / 'tests' / 'decoder'))
from builder import Builder, fixed, listed, record, sample, string  # noqa: E402
from capture_decoder import container  # noqa: E402

SVG = '{http://www.w3.org/2000/svg}'
# Names as a hostile program may bear them, in the order of the made capture's functions.
HOSTILE = [b'plain', b'std::map<int, char>::operator[](int&&)', b'a;b;c', b'</title><script>alert(1)</script>', b'"quoted" & \'quoted\'',
           b'line\nfeed\ttab', b'\xff\xfe not UTF-8', b'bell\x07 escape\x1b[31m', '\u202ereversed\u2066'.encode(), ']]>'.encode(),
           'ünïcödé 漢字'.encode(), b'x' * 3000]


def make_hostile(path):
    """A capture of one process, in which function i calls i + 1, sampled i + 1 times in function i. Returns samples."""
    builder = Builder()
    count = len(HOSTILE)
    builder.part(container.META, b''.join([
        metadata(b'command', b'sh -c "</svg>" & \x01'), metadata(b'hostname', b'<host>')]), stream=0, epoch=0)
    builder.part(container.DICTIONARY, b''.join([
        string(1, b'/bin/<a>&"b"'), string(2, b'cpu-clock'), string(3, b'comm;<&>'),
        fixed(2, 'IIIIQ', 1, 1, 1, 0, 0), listed(3, 1, 0, 'II', [(1, 0x1000 * (i + 1) + 8) for i in range(count)]),
        listed(4, 1, count, 'I', [(i + 1,) for i in range(count)]),
        fixed(6, 'IIQQQQQiI20sI', 1, 1, 1, 2, 0, 0x400000, 0x500000, 10, 0, bytes(20), 20),
        fixed(7, 'IiIIIIQ', 1, 10, 0, 0, 3, 0, 0), fixed(9, 'IIiIQ', 1, 1, 10, 3, 0),
        fixed(10, 'IIIIIIQQQQQ', 1, 2, 1, 0, 1, 0, 0, 0, 0, 0, 1000)]))
    samples = [sample(1000 * n, 1, 1 + leaf) for n, leaf in enumerate(leaf for leaf in range(count) for _ in range(leaf + 1))]
    samples.append(sample(1000 * len(samples), 1, 0, outcome=10))
    builder.part(container.SAMPLES, b''.join(samples), event=1, entry_size=16, time_first=2_000_000_000,
                 time_last=2_000_000_000 + 1000 * len(samples), weight=1_000_000)
    builder.part(container.NAMES, b''.join(
        [string(1, b'/bin/<a>&"b"'), fixed(80, 'IIQQII20sI', 1, 1, 1, 2, 0, 20, bytes(20), 0)] +
        [string(2 + i, name) for i, name in enumerate(HOSTILE)] +
        [listed(81, 1, 0, 'QQIIIIII', [(0x1000 * (i + 1), 0x1000 * (i + 1) + 0x100, 2 + i, 0, 0, 0, 0, 0) for i in range(count)])]),
        stream=0)
    path.write_bytes(builder.finish().bytes)
    return len(samples)


def metadata(key, value):
    return record(65, struct.pack('<II', len(key), len(value)) + key + b'\0' + value + b'\0')


def read_folded(text):
    """{path: samples}"""
    stacks = collections.Counter()
    for line in text.splitlines():
        path, _, count = line.rpartition(' ')
        stacks[path] += int(count)
    return stacks


def bare(name):
    return re.sub(r'_\[[kj]\]$', '', name)


class Frame:
    def __init__(self, element):
        lines = element.find(SVG + 'title').text.split('\n')
        self.name, self.binary, self.numbers = lines
        self.label = element.find(SVG + 'text').text or ''
        self.x, self.y, self.width = (float(element.get(key)) for key in ('x', 'y', 'width'))
        self.begin, self.count, self.depth = (int(element.get(key)) for key in ('data-b', 'data-n', 'data-d'))
        self.kind = element.get('class')[0]


def read_svg(data):
    root = ElementTree.fromstring(data)
    return root, [Frame(element) for element in root.find(f"{SVG}g[@id='frames']")]


class Imported(TestCase):
    """One capture for all tests: a real pipeline of many processes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix='capture-test-'))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.capture = cls.shared / 'pipeline.capture'
        capturectl('import', DATA / 'pipeline.perf.data', '-o', cls.capture)

    def report(self, *filters, capture=None):
        return json.loads(capturectl('report', '--json', *filters, capture or self.capture).stdout)

    def export(self, form, *options, capture=None, **how):
        return capturectl('export', '-f', form, *options, capture or self.capture, **how).stdout

    def busiest_thread(self):
        rows = self.report('--by', 'thread')['rows']
        return str(max(rows, key=lambda row: row['self'])['tid'])


class Folded(Imported):
    def check_against_report(self, *filters):
        report = self.report(*filters)
        stacks = read_folded(self.export('folded', *filters))
        self.assertEqual(sum(stacks.values()), report['samples'])
        selves, totals = collections.Counter(), collections.Counter()
        for path, count in stacks.items():
            names = [bare(name) for name in path.split(';')]
            selves[names[-1]] += count
            for name in set(names):
                totals[name] += count
        rows = collections.defaultdict(list)
        for row in report['rows']:
            rows[row['name']].append(row)
        self.assertGreater(len(rows), 20)
        for name, same in rows.items():
            self.assertEqual(selves[name], sum(row['self'] for row in same), name)
            if len(same) == 1:
                self.assertEqual(totals[name], same[0]['total'], name)

    def test_counts_are_the_reports(self):
        self.check_against_report()

    def test_counts_of_a_thread(self):
        self.check_against_report('--thread', self.busiest_thread())

    def test_counts_of_a_time(self):
        self.check_against_report('--time', '20%,60%')

    def test_counts_of_a_process_by_name(self):
        self.check_against_report('--process', 'sort')

    def test_the_parts_of_a_time_make_the_whole(self):
        parts = [sum(read_folded(self.export('folded', '--time', time)).values()) for time in (',1.5', '1.5,2', '2,')]
        self.assertEqual(sum(parts), self.report()['samples'])
        self.assertTrue(all(parts))

    def test_same_bytes_each_time(self):
        for form in ('folded', 'svg', 'pprof'):
            self.assertEqual(self.export(form, '-o', '-', binary=True), self.export(form, binary=True), form)

    def test_kernel_functions_are_marked(self):
        kernel = {row['name'] for row in self.report()['rows'] if row.get('kernel')}
        marked = {bare(name) for path in read_folded(self.export('folded')) for name in path.split(';') if name.endswith('_[k]')}
        self.assertTrue(kernel)
        self.assertEqual(marked, kernel)

    def test_hostile_names(self):
        path = self.directory / 'hostile.capture'
        total = make_hostile(path)
        text = self.export('folded', capture=path, binary=True)
        lines = text.splitlines()
        self.assertEqual(len(lines), len(HOSTILE) + 1)
        self.assertEqual(lines[0], b'[no stack] 1')
        names = lines[-1].rpartition(b' ')[0].split(b';')
        self.assertEqual(len(names), len(HOSTILE))
        self.assertEqual(names[2], b'a:b:c')
        self.assertEqual(names[5], b'line feed tab')
        self.assertEqual(sum(int(line.rpartition(b' ')[2]) for line in lines), total)


class Pprof(Imported):
    def pprof(self, *options, capture=None, filters=()):
        path = self.directory / 'out.pb.gz'
        self.export('pprof', *filters, '-o', path, capture=capture)
        home = {'HOME': str(self.directory), 'PPROF_BINARY_PATH': str(self.directory), 'PPROF_TMPDIR': str(self.directory)}
        return run('go', 'tool', 'pprof', '-symbolize=none', *options, path, env=environment(**home)).stdout

    def top(self, *filters):
        text = self.pprof('-top', '-nodecount=1000000', '-nodefraction=0', '-edgefraction=0', filters=filters)
        rows = collections.defaultdict(list)
        for line in text[text.index('flat%'):].splitlines()[1:]:
            flat, _, _, cumulative, _, name = line.split(None, 5)
            name = re.sub(r' \((partial-)?inline\)$', '', name)
            rows[name].append((int(flat), int(cumulative)))
        return int(re.search(r'Total samples = (\d+)', text)[1]) if 'Total samples' in text else None, rows

    def check_against_report(self, *filters):
        report = self.report(*filters)
        total, rows = self.top(*filters)
        self.assertEqual(total, report['samples'])
        expected = collections.defaultdict(list)
        for row in report['rows']:
            expected[row['name']].append((row['self'], row['total']))
        self.assertEqual(set(rows), set(expected))
        for name, same in expected.items():
            self.assertEqual(sum(self_ for self_, _ in rows[name]), sum(self_ for self_, _ in same), name)
            if len(same) == 1:
                self.assertEqual(rows[name], same, name)

    def test_top_is_the_report(self):
        self.check_against_report()

    def test_top_of_a_thread_is_the_report(self):
        self.check_against_report('--thread', self.busiest_thread())

    def test_top_of_transformed_stacks_is_the_report(self):
        collapse = ('--transform', 'collapse-binary:[kernel]')
        stacks = read_folded(self.export('folded', *collapse))
        caller, = (collections.Counter(bare(path.split(';')[-2]) for path in stacks if re.search(r';\[kernel\](_\[k\])?$', path))
                   .most_common(1))
        filters = (*collapse, '--transform', f'focus-function:{caller[0]}')
        self.check_against_report(*filters)
        self.assertIn('[kernel]', self.pprof('-top', filters=filters))
        raw = self.pprof('-raw', filters=filters)
        self.assertRegex(raw[raw.index('Locations'):], r'\d+: 0x0 M=\d+ \[kernel\]')

    def test_raw(self):
        text = self.pprof('-raw')
        self.assertRegex(text, r'PeriodType: cpu-clock\S* nanoseconds')
        samples = text[text.index('Samples:'):text.index('Locations')]
        mappings = {}
        for line in text[text.index('Mappings'):].splitlines()[1:]:
            number, start, limit, path = re.match(r'(\d+): (0x\w+)/(0x\w+)/0x\w+ (\S+)', line).groups()
            mappings[number] = (int(start, 16), int(limit, 16), path)
        self.assertGreater(len(mappings), 5)
        placed = 0
        for line in text[text.index('Locations'):text.index('Mappings')].splitlines()[1:]:
            place = re.match(r'\s*(\d+): (0x\w+)(?: M=(\d+))?', line)
            if not place:
                continue  # what something was inlined into stands on a line of its own
            number, address, mapping = place.groups()
            if mapping:
                start, limit, _ = mappings[mapping]
                self.assertTrue(start <= int(address, 16) < limit, line)
                placed += 1
        self.assertGreater(placed, 1000)
        counts = [list(map(int, match)) for match in re.findall(r'^\s*(\d+)\s+(\d+):', samples, re.MULTILINE)]
        self.assertEqual(sum(count for count, _ in counts), self.report()['samples'])
        spans = sorted((start, limit) for start, limit, _ in mappings.values())
        for (_, limit), (start, _) in zip(spans, spans[1:]):
            self.assertLess(limit, start)

    def test_build_ids_are_kept(self):
        text = self.pprof('-raw')
        self.assertRegex(text, r'libc\.so\.6 [0-9a-f]{40} \[FN\]')

    def test_hostile_names(self):
        path = self.directory / 'hostile.capture'
        total = make_hostile(path)
        self.assertIn(f'Total samples = {total}', self.pprof('-top', capture=path))
        self.assertIn('a;b;c', self.pprof('-raw', capture=path))


class Svg(Imported):
    def test_paths_are_the_folded_ones(self):
        root, frames = read_svg(self.export('svg', '--limit', '0'))
        selves, path = collections.Counter(), []
        open_frames = []

        def close(depth):
            while len(open_frames) > depth:
                names, rest = open_frames.pop()
                if rest:
                    selves[';'.join(names[1:]) or '[no stack]'] += rest

        for frame in frames:
            close(frame.depth)
            path[frame.depth:] = [frame.name.replace(';', ':')]
            if open_frames:
                open_frames[-1][1] -= frame.count
            open_frames.append([list(path), frame.count])
        close(0)
        folded = collections.Counter()
        for stack, count in read_folded(self.export('folded')).items():
            folded[';'.join(map(bare, stack.split(';')))] += count
        self.assertEqual(selves, folded)

    def test_frames_stand_below_their_callers(self):
        root, frames = read_svg(self.export('svg'))
        path = []
        for frame in frames:
            path[frame.depth:] = [frame]
            if frame.depth == 0:
                continue
            parent = path[frame.depth - 1]
            self.assertGreater(frame.y, parent.y)
            self.assertGreaterEqual(frame.x, parent.x - 0.02)
            self.assertLessEqual(frame.x + frame.width, parent.x + parent.width + 0.03)
            self.assertAlmostEqual(frame.width / frames[0].width, frame.count / frames[0].count, delta=1e-4)
        by_row = collections.defaultdict(list)
        for frame in frames:
            by_row[frame.y].append(frame)
        for row in by_row.values():
            for left, right in zip(row, row[1:]):
                self.assertLessEqual(left.x + left.width, right.x + 0.03)

    def test_labels_fit(self):
        _, frames = read_svg(self.export('svg'))
        self.assertTrue(any(frame.label.endswith('…') for frame in frames))
        for frame in frames:
            self.assertLessEqual(len(frame.label) * 7.3, max(frame.width - 8, 0), frame.label)
            self.assertTrue(frame.name.startswith(frame.label.rstrip('…')))

    def test_small_functions_are_drawn_as_one(self):
        _, frames = read_svg(self.export('svg', '--limit', '1'))
        total = frames[0].count
        self.assertTrue(all(frame.count >= total * 0.01 for frame in frames))
        self.assertTrue(any(frame.kind == 'o' and 'smaller functions' in frame.name for frame in frames))
        self.assertLess(len(frames), len(read_svg(self.export('svg', '--limit', '0.01'))[1]))

    def test_needs_nothing_else(self):
        text = self.export('svg')
        self.assertNotRegex(text, r'(href|src)\s*=|url\(|@import')
        self.assertEqual(set(re.findall(r'https?://[^"\' ]+', text)),
                         {'http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xhtml'})
        path = self.directory / 'graph.svg'
        path.write_text(text)
        run('xmllint', '--noout', '--nonet', path)
        run('rsvg-convert', '-o', self.directory / 'graph.png', path)
        self.assertGreater((self.directory / 'graph.png').stat().st_size, 10_000)

    def test_can_be_read_aloud(self):
        root, frames = read_svg(self.export('svg', '--title', 'A <title>'))
        self.assertEqual(root.find(SVG + 'title').text, 'A <title>')
        self.assertTrue(root.find(SVG + 'desc').text)
        tree = root.find(f"{SVG}g[@id='frames']")
        self.assertEqual(tree.get('role'), 'tree')
        self.assertTrue(tree.get('aria-label'))
        for element in tree:
            self.assertEqual(element.get('role'), 'treeitem')
            self.assertIn(element.get('tabindex'), ('0', '-1'))
        self.assertRegex(frames[1].numbers, r'^\d+ samples?, \d+\.\d\d %')

    def test_hostile_names(self):
        path = self.directory / 'hostile.capture'
        total = make_hostile(path)
        data = self.export('svg', '--limit', '0', capture=path, binary=True)
        root, frames = read_svg(data)
        self.assertEqual(frames[0].count, total)
        names = [frame.name for frame in frames[1:]]
        self.assertEqual(names[:5], [name.decode() for name in HOSTILE[:5]])
        self.assertEqual(names[5], 'line feed tab')
        self.assertEqual(names[9], ']]>')
        self.assertEqual(names[10], 'ünïcödé 漢字')
        self.assertEqual(len(root.findall(f'.//{SVG}script')), 1)
        self.assertEqual(len(root.findall(f'.//{SVG}title')), len(frames) + 1)
        self.assertNotIn('\u202e', data.decode())
        self.assertNotIn('\x1b', data.decode())

    def test_hostile_names_in_json(self):
        """As they are for whoever reads it; nothing in them that a terminal obeys."""
        path = self.directory / 'hostile.capture'
        make_hostile(path)
        for verb in 'report', 'info':
            printed = capturectl(verb, '--json', path).stdout
            self.assertTrue(all(c.isprintable() or c in '\n\t' for c in printed), verb)
        names = [row['name'] for row in json.loads(capturectl('report', '--json', path).stdout)['rows']]
        self.assertIn('\u202ereversed\u2066', names)
        self.assertIn('bell\x07 escape\x1b[31m', names)


class InBrowser(Imported):
    """The script of the SVG, run by Chromium. What is looked for are the programs' own functions, which bear the program's name wherever
    this runs: those of libraries have names only where the very same library is installed."""

    FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
             '--disable-component-update', '--disable-sync', '--window-size=1400,900', '--virtual-time-budget=4000', '--dump-dom']

    def open(self, fragment='', script='', options=()):
        """The document after its script and `script` ran, parsed."""
        path = self.directory / 'graph.svg'
        text = self.export('svg', *options)
        path.write_text(text.rstrip()[:-len('</svg>')] +
                        f'<script><![CDATA[window.onerror = (m) => document.documentElement.setAttribute("data-error", m);\n{script}]]>'
                        '</script></svg>')
        profile = self.directory / 'profile'
        dom = run('chromium', *self.FLAGS, f'--user-data-dir={profile}', f'file://{path}{fragment}', timeout=180,
                  env=environment(HOME=str(self.directory))).stdout
        start = dom.index('<svg')
        root = ElementTree.fromstring(dom[start:dom.rindex('</svg>') + len('</svg>')])
        self.assertIsNone(root.get('data-error'))
        return root

    def shown(self, root):
        return [element for element in root.find(f"{SVG}g[@id='frames']") if 'display: none' not in element.get('style', '')]

    def text(self, root, identifier):
        return ''.join(root.find(f".//*[@id='{identifier}']").itertext())

    def busiest(self):
        """A function of the svg that is not outermost, and its number there."""
        _, frames = read_svg(self.export('svg'))
        number = max((n for n, frame in enumerate(frames) if frame.depth == 2 and frame.kind != 'o'), key=lambda n: frames[n].count)
        return number, frames

    def test_search_in_the_address(self):
        stacks = read_folded(self.export('folded'))
        expected = sum(count for path, count in stacks.items() if re.search('sort|gzip', path, re.IGNORECASE))
        root = self.open('#search=sort%7Cgzip', options=('--limit', '0'))
        self.assertEqual(int(root.get('data-matched')), expected)
        self.assertIn(f'({expected})', self.text(root, 'found'))
        matching = [element for element in self.shown(root) if 'match' in element.get('class').split()]
        self.assertTrue(matching)
        for element in matching:
            self.assertRegex(element.find(SVG + 'title').text.split('\n')[0], '(?i)sort|gzip')

    def test_nothing_matches(self):
        root = self.open('#search=no+such+function')
        self.assertEqual(self.text(root, 'found'), 'Nothing matches')

    def test_pattern_that_is_none(self):
        root = self.open('#search=%28%5B')
        self.assertEqual(self.text(root, 'found'), 'Nothing matches')

    def test_zoom_in_the_address(self):
        number, frames = self.busiest()
        root = self.open(f'#zoom={number}')
        shown = self.shown(root)
        self.assertLess(len(shown), len(frames))
        zoomed = [element for element in shown if element.get('data-n') == str(frames[number].count) and
                  element.get('data-b') == str(frames[number].begin) and element.get('data-d') == '2'][0]
        self.assertAlmostEqual(float(zoomed.get('width')), 1400 - 24, delta=1)
        self.assertEqual(zoomed.find(SVG + 'text').text.rstrip('…'), frames[number].name[:len(zoomed.find(SVG + 'text').text.rstrip('…'))])
        for element in shown:
            self.assertLessEqual(float(element.get('x')) + float(element.get('width')), 1400 - 11.9)

    def test_click_and_keys(self):
        number, frames = self.busiest()
        root = self.open(script=f'''
          const log = [];
          const frames = document.getElementById('frames').children;
          const key = (name, more) => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', Object.assign({{key: name, bubbles: true, cancelable: true}}, more)));
          const shown = () => Array.from(frames).filter((f) => f.style.display !== 'none').length;
          const focused = () => Array.from(frames).indexOf(document.activeElement);
          log.push(shown());
          frames[{number}].dispatchEvent(new MouseEvent('click', {{bubbles: true}}));
          log.push(location.hash, frames[{number}].getAttribute('width'));
          frames[{number}].focus();
          key('ArrowUp'); log.push(focused());
          key('ArrowDown'); log.push(focused());
          key('Backspace'); log.push(location.hash);
          key('Escape'); log.push(location.hash, shown());
          key('ArrowDown'); key('Enter'); log.push(location.hash === '' ? 'all' : 'zoomed');
          key('Escape');
          key('f', {{ctrlKey: true}}); log.push(document.activeElement.localName);
          const input = document.activeElement;
          input.value = 'sort'; input.dispatchEvent(new Event('input'));
          log.push(location.hash, document.documentElement.dataset.matched > 0);
          key('Enter'); key('Escape'); log.push(location.hash, document.getElementById('found').textContent);
          document.documentElement.setAttribute('data-log', JSON.stringify(log));''')
        log = json.loads(root.get('data-log'))
        parent = max(n for n in range(number) if frames[n].depth == 1)
        self.assertEqual(log[0], len(frames))
        self.assertEqual(log[1], f'#zoom={number}')
        self.assertAlmostEqual(float(log[2]), 1400 - 24, delta=1)
        self.assertEqual(log[3], parent)
        self.assertGreaterEqual(log[4], parent)
        self.assertEqual(log[5], f'#zoom={parent}')
        self.assertEqual(log[6:8], ['', len(frames)])
        self.assertEqual(log[8], 'zoomed')
        self.assertEqual(log[9], 'input')
        self.assertEqual(log[10:12], ['#search=sort', True])
        self.assertEqual(log[12:14], ['', ''])


class Output(Imported):
    def test_to_a_file(self):
        path = self.directory / 'out.folded'
        result = capturectl('export', '-f', 'folded', '-o', path, self.capture)
        self.assertEqual(result.stdout, '')
        self.assertEqual(path.read_text(), self.export('folded'))

    def test_what_stood_there_stays_when_it_fails(self):
        path = self.directory / 'out.svg'
        path.write_text('before')
        result = capturectl('export', '-f', 'svg', '--thread', 'nobody', '-o', path, self.capture, status=1)
        self.assertEqual(result.stderr, 'capturectl export: There is no thread “nobody” in the capture.\n')
        self.assertEqual(path.read_text(), 'before')
        self.assertEqual([entry.name for entry in self.directory.iterdir()], ['out.svg'])

    def test_not_writable(self):
        (self.directory / 'circle').symlink_to('circle')
        for path, why in ((self.directory, 'it is a directory'), (self.directory / 'missing' / 'out.svg', 'its directory does not exist'),
                          ('/dev/full', 'no space is left'), (self.directory / 'circle', 'it is a symbolic link that leads in a circle'),
                          ('/proc/self/out.svg', '')):
            with self.subTest(path=path):
                result = capturectl('export', '-f', 'svg', '-o', path, self.capture, status=1)
                self.assertEqual(len(result.stderr.splitlines()), 1)
                self.assertIn(f'“{path}” could not be written: {why}', result.stderr)
                self.assertEqual(result.stderr.count(str(path)), 1)

    def test_a_full_disk(self):
        """Of a file that was not there nothing is left, one that was stays."""
        small = self.directory / 'small'
        small.mkdir()
        self.addCleanup(unmount, small)
        script = ('mount -t tmpfs -o size=64k none "$1" && cd "$1" && echo before > there.svg; for file in new.svg there.svg; do'
                  ' "$2" export -f syscap -o $file "$3"; echo $?; done; ls -A; cat there.svg')
        done = run(*OWN_MOUNTS, 'sh', '-c', script, 'sh', small, CAPTURECTL, self.capture)
        self.assertEqual(done.stdout, '1\n1\nthere.svg\nbefore\n')
        self.assertEqual(done.stderr.count('no space is left'), 2, done.stderr)

    def test_through_a_link_to_a_file_that_is_not_there_yet(self):
        link, path = self.directory / 'link', self.directory / 'out.folded'
        link.symlink_to('out.folded')
        capturectl('export', '-f', 'folded', '-o', link, self.capture)
        self.assertTrue(link.is_symlink())
        self.assertEqual(path.read_text(), self.export('folded'))

    def test_time_that_is_not_understood(self):
        for time in ('3', '3,1', 'x,', ',-1', '1,2,3'):
            for verb in (('export', '-f', 'folded'), ('report',)):
                with self.subTest(time=time, verb=verb):
                    self.assertIn('--help', capturectl(*verb, f'--time={time}', self.capture, status=2).stderr)
