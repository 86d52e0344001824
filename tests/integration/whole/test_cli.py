# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line as a person meets it: help, mistakes, bad files, and what info, check and dump say."""
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

from support import CAPTURECTL, DATA, SOURCE, TestCase, capturectl, copy_programs, check_sanitizers, environment, run

sys.path.insert(0, str(SOURCE / 'tests' / 'decoder'))
from builder import Builder, fixed, listed, place, record, sample, string  # noqa: E402
from capture_decoder import Capture, container  # noqa: E402

VERBS = ['record', 'report', 'annotate', 'symbols', 'export', 'import', 'info', 'check', 'dump', 'doctor']
# The verbs that read a capture, with what else they need.
READERS = [('info',), ('info', '--json'), ('check',), ('dump',), ('report',), ('report', '--json'), ('annotate', 'main'),
           ('symbols',), ('symbols', '--json'),
           ('annotate', '--json', 'main'), ('annotate', '--code', 'main'),
           ('annotate', '--source', '--code', '--json', 'main'), ('export', '-f', 'folded'), ('export', '-f', 'svg'), ('export', '-f', 'pprof')]

# Cuts a file off and writes it again, without end.
CUT_OFF = '''
import os, random, sys
path = sys.argv[1]
with open(path, 'rb') as file:
    whole = file.read()
with open(path, 'r+b', buffering=0) as file:
    print(flush=True)
    while True:
        os.truncate(path, random.randrange(len(whole)))
        os.pwrite(file.fileno(), whole, 0)
'''

DICTIONARY = [
    string(1, b'/bin/demo'), string(2, b'cpu-clock'), string(3, b'demo'), fixed(2, 'IIIIQ', 1, 1, 1, 0, 0),
    listed(3, 1, 0, 'II', [(1, 0x1050), (1, 0x1100)]), listed(4, 1, 2, 'I', [(1,), (2,)]),
    fixed(6, 'IIQQQQQiI20sI', 1, 1, 1, 2, 0, 0x400000, 0x500000, 10, 0, bytes(20), 0),
    fixed(7, 'IiIIIIQ', 1, 10, 0, 0, 3, 0, 0), fixed(9, 'IIiIQ', 1, 1, 10, 3, 0), fixed(10, 'IIIIIIQQQQQ', 1, 2, 1, 0, 1, 0, 0, 0, 0, 0, 1000)]
SAMPLES = [sample(10 * i, 1, 1 + i % 2) for i in range(20)]


def small(*, dictionary=DICTIONARY, samples=SAMPLES, more=(), reason=9, **how):
    """A small capture in good order, but for what is asked for. more: parts (kind, content, keywords) before the index."""
    builder = Builder(reason=reason)
    builder.part(container.META, record(65, struct.pack('<II', 7, 4) + b'command\0demo\0'), stream=0, epoch=0)
    builder.part(container.DICTIONARY, b''.join(dictionary))
    builder.part(container.SAMPLES, b''.join(samples),
                 **{'event': 1, 'entry_size': 16, 'time_first': 1_000_000_100, 'time_last': 1_000_001_000, 'weight': 1000, **how})
    for kind, content, keywords in more:
        builder.part(kind, content, **keywords)
    return builder


class Words(TestCase):
    def test_help_lists_every_verb(self):
        for option in ('--help', '-h'):
            text = capturectl(option).stdout
            self.assertEqual(re.findall(r'^  ([a-z]+) ', text, re.MULTILINE), VERBS)

    def test_version(self):
        version = capturectl('--version').stdout
        self.assertRegex(version, r'^capturectl \d+\.\d+\.\d+\n$')
        for verb in VERBS:
            self.assertEqual(capturectl(verb, '--version').stdout, version)

    def test_help_of_each_verb(self):
        for verb in VERBS:
            self.assertIn(f'capturectl {verb} ', capturectl(verb, '--help').stdout)

    def test_unknown_verbs(self):
        for word, meant in (('rcord', 'record'), ('reprot', 'report'), ('inf', 'info'), ('exp', 'export'), ('docter', 'doctor')):
            result = capturectl(word, status=2)
            self.assertEqual(result.stderr, f'capturectl: There is no verb “{word}”; did you mean “{meant}”?\nTry “capturectl --help”.\n')
        self.assertNotIn('did you mean', capturectl('flamboyant', status=2).stderr)
        self.assertNotIn('did you mean', capturectl('x' * 5000, status=2).stderr)

    def test_no_verb(self):
        self.assertIn('A verb is missing.', capturectl(status=2).stderr)
        self.assertIn('A verb is expected', capturectl('--tree', status=2).stderr)

    def test_without_a_locale(self):
        result = capturectl('info', '/nowhere', status=1, env=environment(LC_ALL='C'))
        self.assertEqual(result.stderr, 'capturectl info: There is no file “/nowhere”.\n')

    def test_wrong_usage(self):
        for arguments in (['info'], ['info', 'a', 'b'], ['check', '--no-such-option', 'a'], ['dump'], ['export', 'a'],
                          ['export', '-f', 'png', 'a'], ['export', '-f', 'svg', '--limit', '101', 'a'],
                          ['export', '-f', 'svg', '--limit', 'x', 'a'], ['export', '-f', 'svg'], ['doctor', 'a'], ['report'],
                          ['export', '-f', 'svg', '-o', '', 'a'], ['import', '-o', '', 'a'], ['check', '--recover', '', 'a'],
                          ['check', 'a', 'b'], ['annotate'], ['annotate', 'f'], ['annotate', 'f', 'a', 'b'],
                          ['symbols'], ['symbols', '--max-size', '-1', 'a'], ['symbols', '--max-time', 'x', 'a'],
                          ['symbols', '--max-size', '0', 'a'], ['symbols', '--max-size', '5G', 'a'], ['symbols', '--max-time', '0', 'a'],
                          ['record', '--download-symbols', '--no-names', 'true'],
                          ['annotate', '--map', 'a', 'f', 'a'], ['annotate', '--map', 'a=', 'f', 'a']):
            with self.subTest(arguments=arguments):
                result = capturectl(*arguments, status=2)
                self.assertEqual(result.stdout, '')
                self.assertRegex(result.stderr, rf'^capturectl {arguments[0]}: .*\nTry “capturectl {arguments[0]} --help”\.\n$')

    def test_a_file_named_like_an_option(self):
        (self.directory / '--json').write_bytes(small().finish().bytes)
        self.assertIn('20', capturectl('info', '--', '--json', cwd=self.directory).stdout)

    def test_every_option_is_in_the_manual(self):
        manual = (SOURCE / 'docs' / 'man' / 'capturectl.1').read_text()
        sections = dict(re.findall(r'^\.Ss (\w+)\n(.*?)(?=^\.S[sh] )', manual, re.MULTILINE | re.DOTALL))
        self.assertEqual([verb for verb in sections if verb not in ('Filters', 'Transforms')], VERBS)
        documented = re.compile(r'Fl -([a-z-]+)')
        for verb in VERBS:
            text = sections[verb] + (sections['Filters'] + sections['Transforms'] if verb in ('report', 'annotate', 'export') else '')
            options = set(re.findall(r'(?<=--)[a-z-]+', capturectl(verb, '--help').stdout.partition('Application Options')[2]))
            missing = options - set(documented.findall(text)) - {'version'}
            self.assertEqual(missing, set(), verb)

    def test_manual_is_well_formed(self):
        page = run('groff', '-mdoc', '-Tascii', '-ww', SOURCE / 'docs' / 'man' / 'capturectl.1')
        self.assertEqual(page.stderr, '')
        self.assertGreater(len(page.stdout.splitlines()), 100)

    def complete(self, *words):
        script = f'''
          source /usr/share/bash-completion/bash_completion
          compopt() {{ :; }}
          PATH={CAPTURECTL.parent}:$PATH
          source {SOURCE}/data/completions/capturectl
          COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${{#COMP_LINE}}
          _capturectl
          printf '%s\\n' "${{COMPREPLY[@]}}"'''
        return run('bash', '-c', script, 'bash', 'capturectl', *words, cwd=self.directory).stdout.split()

    def test_completion(self):
        (self.directory / 'one.capture').touch()
        (self.directory / 'two.txt').touch()
        self.assertEqual(set(VERBS) - set(self.complete('')), set())
        self.assertEqual(self.complete('exp'), ['export'])
        self.assertEqual(self.complete('export', '--fo'), ['--format'])
        self.assertEqual(self.complete('export', '-f', ''), ['svg', 'folded', 'pprof', 'syscap'])
        self.assertEqual(self.complete('export', '--format', 'p'), ['pprof'])
        self.assertEqual(self.complete('report', '--by', 'w'), ['wait', 'waker'])
        self.assertEqual(self.complete('info', ''), ['one.capture'])
        self.assertEqual(self.complete('annotate', 'main', ''), ['one.capture'])
        self.assertEqual(self.complete('annotate', '--al'), ['--all'])
        self.assertEqual(self.complete('annotate', '--co'), ['--code'])
        self.assertEqual(self.complete('record', '--code', ''), [])
        self.assertEqual(self.complete('annotate', '--binary', ''), [])
        self.assertEqual(self.complete('symbols', '--d'), ['--download'])
        self.assertEqual(self.complete('symbols', '--max-time', ''), [])
        self.assertEqual(self.complete('symbols', ''), ['one.capture'])
        self.assertEqual(self.complete('annotate', '--transform', 'drop-'), ['drop-function:'])
        self.assertIn('--recover', self.complete('check', '-'))
        self.assertIn('xmllint', self.complete('record', '--', 'xmlli'))
        self.assertEqual(self.complete('record', '-e', 'page'), ['page-faults'])
        self.assertEqual(self.complete('report', '--transform', 'merge-f'), ['merge-function:'])
        self.assertEqual(self.complete('record', '--unwind', ''), ['auto', 'fp', 'dwarf', 'none'])
        self.assertEqual(self.complete('record', '--via', ''), ['auto', 'direct', 'daemon', 'preload'])

    def test_unwind_is_understood_or_refused(self):
        path = self.directory / 'a.capture'
        for value in ('frames', 'DWARF', 'dwarf,', 'dwarf,x', 'dwarf,7', 'dwarf,65529', 'dwarf,8192,1', 'fp,8192', 'none,', ''):
            with self.subTest(value=value):
                result = capturectl('record', '-o', path, '--unwind', value, 'true', status=2)
                self.assertRegex(result.stderr, r'^capturectl record: “.*” is not a [^\n]*\.\nTry “capturectl record --help”\.\n$')
        for value in ('0', '-1', '513'):
            self.assertIn('from 1 to 512', capturectl('record', '-o', path, f'--max-stack={value}', 'true', status=2).stderr)
        self.assertFalse(path.exists())


class BadFiles(TestCase):
    def check_refused(self, path, *words):
        for verb in READERS:
            with self.subTest(verb=verb):
                result = capturectl(*verb, path, status=1)
                self.assertEqual(result.stdout, '')
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertTrue(result.stderr.startswith(f'capturectl {verb[0]}: '), result.stderr)
                self.assertTrue(result.stderr.endswith('.\n'))
                for word in words:
                    self.assertIn(word, result.stderr)

    def write(self, data, name='bad.capture'):
        path = self.directory / name
        path.write_bytes(data)
        return path

    def test_missing(self):
        self.check_refused(self.directory / 'nothing', 'There is no file', 'nothing')

    def test_directory(self):
        self.check_refused(self.directory, 'is a directory')

    def test_empty(self):
        self.check_refused(self.write(b''), 'is empty')

    def test_something_else(self):
        self.check_refused(self.write(b'\x7fELF' + bytes(500)), 'is not a capture')
        self.check_refused(self.write(b'x'), 'is not a capture')

    def test_perf_data(self):
        self.check_refused(DATA / 'pipeline.perf.data', 'is a perf.data file', 'capturectl import')

    def test_fifo(self):
        os.mkfifo(self.directory / 'fifo')
        self.check_refused(self.directory / 'fifo', 'not a regular file')

    def test_device(self):
        self.check_refused('/dev/zero', 'not a regular file')

    def test_cut_within_the_header(self):
        whole = small().finish().bytes
        self.check_refused(self.write(whole[:255]))
        self.check_refused(self.write(whole[:8]))

    def test_damaged_header(self):
        whole = bytearray(small().finish().bytes)
        whole[30] ^= 1
        self.check_refused(self.write(whole), 'damaged')

    def test_newer_version(self):
        from capture_decoder.crc32c import crc32c
        whole = bytearray(small().finish().bytes)
        whole[8] = 9
        whole[20:24] = struct.pack('<I', crc32c(bytes(whole[:20]) + bytes(4) + bytes(whole[24:232])))
        self.check_refused(self.write(whole))

    def test_cut_off_while_it_is_read(self):
        path = self.directory / 'a.capture'
        capturectl('import', DATA / 'pipeline.perf.data', '-o', path, '--no-names', '--no-compress')
        with subprocess.Popen([CAPTURECTL, 'dump', path], env=environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as dump:
            dump.stdout.readline()  # it goes on when there is room in the pipe again
            os.truncate(path, 256)
            said = dump.communicate(timeout=60)[1]
        path.unlink()
        self.assertEqual((dump.returncode, said), (1, f'capturectl dump: “{path}” became shorter while it was '
                                                      'read; read it again when it is complete.\n'))

    def test_cut_off_again_and_again(self):
        capture, recording = self.directory / 'a.capture', self.directory / 'a.perf.data'
        capturectl('import', DATA / 'pipeline.perf.data', '-o', capture)
        shutil.copy(DATA / 'pipeline.perf.data', recording)
        self.check_cut_off(capture, READERS)
        self.check_cut_off(recording, [('import', '-o', self.directory / 'imported.capture')])

    def check_cut_off(self, path, verbs):
        with subprocess.Popen([sys.executable, '-c', CUT_OFF, path], stdout=subprocess.PIPE) as cutting:
            self.addCleanup(cutting.kill)
            cutting.stdout.readline()
            for verb in verbs * 5:
                done = subprocess.run([CAPTURECTL, *verb, path], env=environment(), stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, text=True, timeout=60)
                check_sanitizers(done.stderr)
                with self.subTest(verb=verb, said=done.stderr):
                    self.assertIn(done.returncode, (0, 1))
                    self.assertTrue(done.returncode == 0 or verb == ('check',) or done.stderr.startswith('capturectl '))
            cutting.kill()

    def test_not_permitted(self):
        path = self.write(small().finish().bytes)
        path.chmod(0)
        program = copy_programs(self.directory)
        result = run('setpriv', '--reuid', '65534', '--clear-groups', program, 'info', path, status=1)
        self.assertIn('permission denied', result.stderr)


class Output(TestCase):
    """Standard output that goes away or is full."""

    def setUp(self):
        super().setUp()
        self.capture = self.directory / 'many.capture'
        self.capture.write_bytes(small(samples=SAMPLES * 20_000, time_last=(1 << 64) - 1).finish().bytes)

    def test_reader_that_went_away(self):
        for ignored in (False, True):
            process = subprocess.Popen([CAPTURECTL, 'dump', self.capture], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=environment(), restore_signals=not ignored)
            process.stdout.read(100)
            process.stdout.close()
            error = process.stderr.read().decode()
            process.stderr.close()
            self.assertIn(process.wait(), (1,) if ignored else (-signal.SIGPIPE,))
            self.assertEqual(error, '')

    def test_full(self):
        for verb in (('dump',), ('export', '-f', 'folded'), ('info',), ('report',)):
            with self.subTest(verb=verb), open('/dev/full', 'wb') as full:
                done = subprocess.run([CAPTURECTL, *verb, self.capture], stdout=full, stderr=subprocess.PIPE, env=environment())
                error = done.stderr.decode()
                check_sanitizers(error)
                self.assertEqual(done.returncode, 1, error)
                self.assertIn('could not be written', error)


class Info(TestCase):
    def info(self, builder):
        path = self.directory / 'made.capture'
        path.write_bytes(builder.finish().bytes)
        return json.loads(capturectl('info', '--json', path).stdout), capturectl('info', path).stdout

    def test_import(self):
        path = self.directory / 'pipeline.capture'
        capturectl('import', DATA / 'pipeline.perf.data', '-o', path)
        info = json.loads(capturectl('info', '--json', path).stdout)
        capture = Capture(path)
        samples = list(capture.samples())
        self.assertEqual(info['samples'], len(samples))
        self.assertEqual(info['events'], [{'name': 'cpu-clock:ppp', 'unit': 'nanoseconds', 'samples': len(samples), 'frequency': 4999,
                                           'period': 0}])
        self.assertEqual((info['ended'], info['lost']), ('imported', 0))
        self.assertEqual(sum(info['outcomes'].values()), len(samples))
        self.assertLessEqual(len({s.pid for s in samples}), info['processes'])
        self.assertLessEqual(len({s.tid for s in samples}), info['threads'])
        self.assertLessEqual(max(s.time for s in samples) - min(s.time for s in samples), info['duration_ns'])
        self.assertEqual(info['size'], path.stat().st_size)
        self.assertEqual(info['source_format'], 'perf.data')
        self.assertTrue(info['index'])
        self.assertEqual(info['problems'], [])

    def test_recorded(self):
        path = self.directory / 'sh.capture'
        capturectl('record', '-q', '-F', '999', '-o', path, '--', 'sh', '-c', 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 3',
                   status=3)
        info = json.loads(capturectl('info', '--json', path).stdout)
        self.assertEqual((info['ended'], info['ended_status']), ('exited', 3 << 8))
        self.assertEqual(info['samples'], len(list(Capture(path).samples())))
        self.assertIn('exit status 3', capturectl('info', path).stdout)

    def test_how_it_ended(self):
        words = ['cut-off', 'exited', 'duration', 'interrupted', 'targets-gone', 'recorder-died', 'output-error', 'failed',
                 'imported', 'written', 'unknown']
        texts = set()
        for reason, word in enumerate(words):
            info, text = self.info(small(reason=reason))
            self.assertEqual(info['ended'], word)
            texts.add(re.search(r'^Ended +(.+)$', text, re.MULTILINE)[1])
        self.assertEqual(len(texts), len(words))

    def test_counts(self):
        lost = fixed(32, 'QQQIIII', 1_000_000_500, 7, 2, 1, 0, 1, 0) + fixed(32, 'QQQIIII', 1_000_000_600, 30, 0, 2, 0xffff, 1, 0)
        message = record(66, struct.pack('<QII', 15, 4, 21) + b'watch \x1b[31mout\n thing\0')
        samples = [sample(10 * i, 1, 1, outcome=(1, 2, 3, 3, 10)[i % 5]) for i in range(20)]
        info, text = self.info(small(samples=samples, more=[(container.RECORDS, lost, {'time_first': 1_000_000_500}),
                                                            (container.META, message, {'stream': 0, 'epoch': 0})]))
        self.assertEqual((info['samples'], info['lost'], info['threads'], info['processes']), (20, 39, 1, 1))
        self.assertEqual(info['outcomes'], {'complete': 4, 'frame-pointers': 4, 'truncated': 8, 'no-stack': 4})
        self.assertEqual(len(info['messages']), 1)
        self.assertNotIn('\x1b', text)
        self.assertRegex(text, r'Lost +39\n')

    def test_losses_are_warned_of(self):
        lost = fixed(32, 'QQQIIII', 1_000_000_500, 7, 0, 1, 0, 1, 0)
        path = self.directory / 'lost.capture'
        path.write_bytes(small(more=[(container.RECORDS, lost, {'time_first': 1_000_000_500})]).finish().bytes)
        for verb in (('info',), ('report',), ('export', '-f', 'folded')):
            self.assertIn('7 samples were lost', capturectl(*verb, path).stderr, verb)

    def test_outcomes_not_known_are_left_out(self):
        info, _ = self.info(small(samples=[sample(10 * i, 1, 1, outcome=0) for i in range(20)]))
        self.assertNotIn('outcomes', info)

    def test_stacks_that_are_not_complete(self):
        """Frame 1 lies in the binary, frame 2 in memory of no file, frame 3 in the kernel."""
        dictionary = DICTIONARY[:3] + [fixed(2, 'IIIIQ', 1, 1, 1, 0, 0), fixed(2, 'IIIIQ', 2, 3, 1, 0, 0), fixed(2, 'IIIIQ', 3, 2, 0, 0, 0),
                                       listed(3, 1, 0, 'II', [(1, 0x1050), (2, 0x9000), (3, 0x7000)]),
                                       listed(4, 1, 1, 'I', [(1,)]), listed(4, 2, 1, 'I', [(2,)]), listed(4, 3, 1, 'I', [(3,)]),
                                       listed(4, 4, 1, 'I', [(2 << 30 | 2,), (1,)])] + DICTIONARY[6:]
        kinds = [(1, 1)] * 9 + [(1, 3)] * 4 + [(4, 2)] * 3 + [(2, 3)] * 2 + [(3, 11), (3, 4)]
        info, text = self.info(small(dictionary=dictionary, samples=[sample(i, 1, leaf, outcome=outcome)
                                                                     for i, (leaf, outcome) in enumerate(kinds)]))
        self.assertEqual((info['user_stacks']['samples'], info['user_stacks']['complete']), (19, 9))
        self.assertEqual([(e['outcome'], e['binary'], e['samples']) for e in info['user_stacks']['incomplete']],
                         [('truncated', '/bin/demo', 4), ('frame-pointers', '[unknown]', 3), ('truncated', '[unknown]', 2), ('lost', None, 1)])
        self.assertRegex(text, r'User stacks +19: 47.37 % complete, 15.79 % by frame pointers \(unproven\)\n')
        for entry, words in zip(info['user_stacks']['incomplete'],
                                ('--max-stack', 'let its compiler keep frame pointers', '--max-stack', 'perf_event_mlock_kb')):
            self.assertIn(words, entry['advice'])
            self.assertIn(entry['advice'], text)
        path = self.directory / 'made.capture'
        report = json.loads(capturectl('report', '--json', path).stdout)
        self.assertEqual(report['user_stacks'], info['user_stacks'])
        self.assertRegex(capturectl('report', path).stdout, r'(?m)^Stacks +47.37 % complete, .*“capturectl info”')

    def test_advice_for_a_runtime(self):
        """Its own flag, and none of another one."""
        dictionary = DICTIONARY[:3] + [fixed(2, 'IIIIQ', 1, 3, 1, 0, 0), listed(3, 1, 0, 'II', [(1, 0x9000)]), listed(4, 1, 1, 'I', [(1,)])] + \
            DICTIONARY[6:]
        for program, words in ((b'/bin/ruby', 'ruby --yjit-perf'), (b'/bin/node', 'let its compiler keep')):
            with self.subTest(program):
                info, _text = self.info(small(dictionary=[record.replace(b'/bin/demo', program) for record in dictionary],
                                              samples=[sample(1, 1, 1, outcome=2)]))
                advice, = (entry['advice'] for entry in info['user_stacks']['incomplete'])
                self.assertIn(words, advice)
                self.assertNotIn('java', advice)

    def test_stacks_that_are_complete_are_no_news(self):
        info, text = self.info(small(samples=[sample(10 * i, 1, 1, outcome=(1, 4, 10)[i % 3]) for i in range(20)]))
        self.assertEqual(info['user_stacks'], {'samples': 7, 'complete': 7, 'by_frame_pointers': 0, 'incomplete': []})
        self.assertRegex(text, r'User stacks +7: 100.00 % complete\n')
        self.assertNotIn('Stacks', capturectl('report', self.directory / 'made.capture').stdout)

    def test_stacks_that_are_complete_by_frame_pointers(self):
        """The root is proven, but not all that lies between, which is said."""
        info, text = self.info(small(samples=[sample(10 * i, 1, 1, outcome=(0x81, 1, 4, 0x85)[i % 4]) for i in range(20)]))
        self.assertEqual(info['outcomes'], {'complete': 10, 'no-user-stack': 5, 'no-table': 5})
        self.assertEqual([info['user_stacks'][member] for member in ('samples', 'complete', 'by_frame_pointers')], [15, 10, 5])
        self.assertRegex(text, r'Partly +5 of the complete ones \(50.00 %\)')
        self.assertRegex(text, r'User stacks +15: 66.67 % complete \(33.33 % partly without tables\)\n')
        info, text = self.info(small(samples=[sample(10 * i, 1, 1, outcome=0x81) for i in range(20)]))
        self.assertRegex(capturectl('report', self.directory / 'made.capture').stdout, r'(?m)^Stacks +100.00 % complete \(100.00 % partly')

    def test_documented(self):
        document = (SOURCE / 'docs' / 'info-json.md').read_text()
        info, _ = self.info(small())
        for member in info:
            self.assertIn(f'`{member}`', document)


class Check(TestCase):
    def check(self, data, *options, status=1):
        path = self.directory / 'made.capture'
        path.write_bytes(data)
        return capturectl('check', *options, path, status=status).stdout

    def test_good(self):
        text = self.check(small().finish().bytes, status=0)
        self.assertIn('20 of 20 samples are whole.', text)
        self.assertIn('No problem was found.', text)

    def test_imports_are_good(self):
        for name in ('chain-fp', 'pipeline', 'chain-dwarf'):
            path = self.directory / f'{name}.capture'
            capturectl('import', DATA / f'{name}.perf.data', '-o', path)
            self.assertIn('No problem', capturectl('check', path).stdout)

    def test_references(self):
        without = DICTIONARY
        cases = {
            'stack': [small(samples=[sample(0, 1, 99)]), small(dictionary=without[:4] + without[5:]), small(dictionary=without[:3] + without[4:]),
                      small(dictionary=without[1:]), small(dictionary=without[:5] + [listed(4, 1, 2, 'I', [(0x80000000 | 5,), (1,), (2,)])] + without[6:])],
            'thread': [small(samples=[sample(0, 7, 1)]), small(dictionary=without[:7] + without[8:])],
            'event': [small(event=3), small(dictionary=without[:1] + without[2:])],
            'earlier than': [small(samples=[sample(50, 1, 1), sample(40, 1, 1)])],
            'later than its window': [small(time_last=1_000_000_120)],
            'whole number of samples': [small(samples=SAMPLES + [b'12345678']), small(entry_size=17)],
            'defined twice': [small(dictionary=DICTIONARY + DICTIONARY[:1])],
            'far beyond': [small(dictionary=DICTIONARY + [string(0xfffffff0, b'far')])],
            'what its type asks for': [small(dictionary=DICTIONARY + [record(9, b'short')])],
            'make no sense': [small(dictionary=DICTIONARY + [struct.pack('<IHH', 4096, 1, 0)])],
            'mapping': [small(dictionary=DICTIONARY + [fixed(8, 'IIQQQQII', 1, 9, 0, 4096, 0, 0, 5, 0)])],
            'named function': [small(more=[(container.NAMES, listed(81, 1, 0, 'QQIIIIII', [(1, 2, 1, 0, 0, 0, 0, 0)]), {'stream': 0})])],
        }
        for words, builders in cases.items():
            for number, builder in enumerate(builders):
                with self.subTest(words=words, number=number):
                    self.assertRegex(self.check(builder.finish().bytes), rf'offset \d+: .*{words}')

    def test_places(self):
        binary = fixed(80, 'IIQQII20sI', 1, 1, 0, 0, 0, 0, bytes(20), 0)
        frames = listed(82, 1, 0, 'IIIIIIII', [(1, 0, 1, 3, 1, 1, 1, 0), (0, 0, 0, 0, 0, 0, 0, 0)])
        good = [string(1, b'text'), binary, frames]
        missing, not_asked = 'refers to is not defined', 'what its type asks for'
        cases = [(None, [place(1, 10, 20, [1, 2]), place(1, 20, 30, [2])]),
                 (missing, [place(2, 10, 20, [1])]), (missing, [place(0, 10, 20, [1])]),
                 (missing, [place(1, 10, 20, [1, 3])]), (missing, [place(1, 10, 20, [0])]),
                 (not_asked, [place(1, 10, 20, [])]), (not_asked, [place(1, 20, 20, [1])]), (not_asked, [record(83, bytes(24), 1)]),
                 ('far beyond', [listed(82, 0xffffffff, 0, 'IIIIIIII', [(1, 0, 0, 0, 0, 0, 0, 0)] * 2)]),
                 ('defined twice', [frames])]
        cases += [(missing, [listed(82, 9, 0, 'IIIIIIII', [tuple(7 * (field == wrong) for field in range(8))])]) for wrong in (0, 1, 2, 5)]
        for words, records in cases:
            with self.subTest(words=words, records=records):
                builder = small(more=[(container.NAMES, b''.join(good + records), {'stream': 0})])
                text = self.check(builder.finish().bytes, status=1 if words else 0)
                self.assertRegex(text, rf'offset \d+: .*{words}' if words else 'No problem was found')

    def test_places_are_defined_in_their_own_epoch(self):
        names = string(1, b'text') + fixed(80, 'IIQQII20sI', 1, 1, 0, 0, 0, 0, bytes(20), 0)
        frames, after = listed(82, 1, 0, 'IIIIIIII', [(1, 0, 0, 0, 0, 0, 0, 0)]), place(1, 10, 20, [1])
        for epoch, status in (1, 0), (2, 1):
            with self.subTest(epoch=epoch):
                builder = small(more=[(container.NAMES, names + after, {'stream': 0}), (container.NAMES, names * (epoch - 1) + frames, {'stream': 0, 'epoch': epoch})])
                self.assertEqual('refers to is not defined' in self.check(builder.finish().bytes, status=status), bool(status))

    def test_definition_after_its_sample(self):
        builder = small(dictionary=[])
        builder.part(container.DICTIONARY, b''.join(DICTIONARY))
        self.assertIn('0 of 20 samples are whole', self.check(builder.finish().bytes))

    def test_unknown_types_are_no_problem(self):
        builder = small(dictionary=DICTIONARY + [record(999, b'later')], more=[(77, b'later', {})])
        self.check(builder.finish().bytes, status=0)

    def test_join_with_no_kernel_stack(self):
        later = [entry for entry in DICTIONARY if entry[4] != 4] + [listed(4, 1, 2, 'I', [(2,), (0xC0000000,)])]
        builder = small(more=[(container.DICTIONARY, b''.join(later), {'epoch': 2}),
                              (container.SAMPLES, sample(0, 1, 2), {'event': 1, 'entry_size': 16, 'epoch': 2, 'weight': 1000,
                                                                    'time_first': 2_000_000_000, 'time_last': 2_000_000_000})])
        path = self.directory / 'made.capture'
        path.write_bytes(builder.finish().bytes)
        folded = capturectl('export', '-f', 'folded', '--time', '0.9,', path).stdout
        self.assertEqual(folded, 'demo+0x1100 1\n')

    def test_cut_off_anywhere(self):
        whole = small().finish().bytes
        end = len(small().bytes)
        for length in range(256, len(whole), 41):
            text = self.check(whole[:length])
            self.assertIn('there is no index' if length < len(whole) else 'No problem', text)
            self.assertIn('20 of 20' if length >= end else '0 of 0', text)

    def test_cut_off_before_the_first_event(self):
        path = self.directory / 'made.capture'
        path.write_bytes(small().finish().bytes[:256])
        for words in (['report'], ['report', '--tree'], *(['export', '--format', name] for name in ('folded', 'svg', 'pprof'))):
            with self.subTest(words=words):
                done = capturectl(*words, path, status=1)
                self.assertEqual(done.stdout, '')
                self.assertIn('holds no samples', done.stderr)

    def test_each_byte_damaged(self):
        whole = small().finish().bytes
        for place in range(0, len(whole), 7):
            data = whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1:]
            with self.subTest(place=place):
                path = self.directory / 'made.capture'
                path.write_bytes(data)
                result = capturectl('check', path, status=1)
                self.assertTrue(result.stdout.startswith('offset ') or 'capturectl check: ' in result.stderr, str(result))

    def recover(self, data):
        path, out = self.directory / 'made.capture', self.directory / 'recovered.capture'
        path.write_bytes(data)
        text = capturectl('check', '--recover', out, path).stdout
        self.assertIn('recovered.capture', text)
        self.assertEqual(path.read_bytes(), data)
        self.assertEqual(sorted(entry.name for entry in self.directory.iterdir()), ['made.capture', 'recovered.capture'])
        self.assertEqual(out.stat().st_mode & 0o777, 0o600, 'as private as a recording')
        return out

    def test_recover_cut_off(self):
        out = self.recover(small(reason=0).bytes + b'CWIN half a window')
        self.assertIn('20 of 20 samples are whole', capturectl('check', out).stdout)
        info = json.loads(capturectl('info', '--json', out).stdout)
        self.assertEqual((info['index'], info['ended'], info['samples']), (True, 'cut-off', 20))
        self.assertEqual(out.read_bytes()[:len(small(reason=0).bytes)], small(reason=0).bytes)

    def test_recover_what_a_killed_collector_left(self):
        path, out = self.directory / 'killed.capture', self.directory / 'recovered.capture'
        # python, not sh: its functions have names wherever a sample hits.
        process = subprocess.Popen([CAPTURECTL, 'record', '-q', '-F', '2000', '-o', path, '--', sys.executable, '-c', 'while True: pass'],
                                   env=environment(), stderr=subprocess.PIPE, start_new_session=True)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not (path.exists() and b'sample' in run(CAPTURECTL, 'dump', path, binary=True).stdout):
            time.sleep(0.1)
        process.kill()
        process.wait()
        os.killpg(process.pid, signal.SIGKILL)
        process.stderr.close()
        text = capturectl('check', path, status=1).stdout
        whole = int(re.search(r'(\d+) of \1 samples are whole', text)[1])
        self.assertGreater(whole, 0)
        capturectl('check', '--recover', out, path)
        capturectl('check', out)
        info = json.loads(capturectl('info', '--json', out).stdout)
        self.assertEqual((info['samples'], info['ended'], info['index']), (whole, 'cut-off', True))
        self.assertGreater(info['named_functions'], 0)
        folded = [capturectl('export', '-f', 'folded', file).stdout for file in (path, out)]
        self.assertEqual(*folded)

    def test_recover_damaged(self):
        builder = small(more=[(container.SAMPLES, b''.join(SAMPLES), {'event': 1, 'entry_size': 16, 'time_first': 1_000_002_000,
                                                                     'time_last': 1_000_003_000, 'weight': 1000})]).finish()
        data = bytearray(builder.bytes)
        data[builder.entries[2][0] + 64] ^= 0xff
        out = self.recover(bytes(data))
        capturectl('check', out)
        self.assertEqual(len(list(Capture(out).samples())), 20)

    def test_recover_in_place(self):
        path = self.directory / 'made.capture'
        path.write_bytes(small(reason=0).bytes + b'rest')
        capturectl('check', '--recover', path, path)
        self.assertIn('No problem', capturectl('check', path).stdout)

    def test_recover_to_nowhere(self):
        path = self.directory / 'made.capture'
        path.write_bytes(small(reason=0).bytes)
        result = capturectl('check', '--recover', self.directory / 'no' / 'out', path, status=1)
        self.assertIn('could not be written', result.stderr)
