# SPDX-License-Identifier: GPL-3.0-or-later
"""Debug information on demand: what debuginfod servers bring, and what they may do without harm."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from servers import debuginfod, free_port, misbehaving, pack
from support import BUILD, CAPTURECTL, ELF_READER, OWN_MOUNTS, RECORDER, TestCase, capturectl, check_sanitizers, environment, run

# Both programs have mix() from one header, so that dwz moves it into the file that they share.
HEADER = '''struct numbers { unsigned long first, second, third; };

static inline unsigned mix(unsigned x, struct numbers *numbers)
{
  for (int i = 0; i < 24; i++)
    x = x * 31 + (x >> 7);
  numbers->first += x;
  return x;
}
'''
PROGRAM = '''#include <stdlib.h>
#include "mix.h"

__attribute__((noinline)) static unsigned WORK(unsigned n, struct numbers *numbers)
{
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++)
    sum += mix(i, numbers);
  return sum;
}

int main(int argc, char **argv)
{
  struct numbers numbers = {0};
  unsigned sum = 0;
  for (int i = 0; i < atoi(argv[1]); i++)
    sum += WORK(100000, &numbers) + i;
  return sum == numbers.second;
}
'''
# Stands for the program that asks servers.
FETCHER = f'''#!{sys.executable}
import array, os, socket, struct, sys, tempfile
owner = socket.socket(fileno=3)
owner.recv(1 << 16)
def answer(data, path=None):
    ancillary = [] if path is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [os.open(path, os.O_RDONLY)]))]
    owner.sendmsg([data], ancillary)
def tell(kind, error, path=None):
    answer(struct.pack('=IiQQ', kind, error, 1 << 63, 1), path)
def make(size):
    file = tempfile.NamedTemporaryFile(delete=False, dir=os.path.dirname(sys.argv[0]))
    file.write(bytes(size))
    file.close()
    return file.name
ANSWERS
'''
FETCH_SOURCE = BUILD / 'tests/unit/profile/fetch-source'


def build_id_of(path):
    return re.search(r'Build ID: (\w+)', run('readelf', '-n', path).stdout)[1]


class Fetch(TestCase):
    @classmethod
    def setUpClass(cls):
        """one has a debug file of its own; two and three share a file of dwz's. What is run has no symbols."""
        super().setUpClass()
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix='capture-fetch-'))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.served = cls.place / 'served'
        cls.served.mkdir()
        (cls.place / 'mix.h').write_text(HEADER, encoding='utf-8')
        cls.place.chmod(0o755)
        for name in 'one', 'two', 'three':
            source = cls.place / f'{name}.c'
            source.write_text(PROGRAM.replace('WORK', f'work_{name}'), encoding='utf-8')
            run('gcc', '-g', '-O2', '-o', cls.place / name, source)
            run('objcopy', '--only-keep-debug', cls.place / name, cls.served / f'{name}.debug')
            run('strip', cls.place / name)
        run('dwz', '-m', cls.served / 'common.debug', '-M', '/gone/common.debug', cls.served / 'two.debug', cls.served / 'three.debug')
        server = debuginfod(cls.served, [build_id_of(path) for path in cls.served.iterdir()])
        cls.server = server.__enter__()
        cls.addClassCleanup(server.__exit__, None, None, None)
        cls.captures = {}
        for name in 'one', 'two':
            cls.captures[name] = cls.place / f'{name}.capture'
            capturectl('record', '--no-kernel', '-q', '-o', cls.captures[name], cls.place / name, '100')

    def setUp(self):
        super().setUp()
        self.cache = self.directory / 'cache' / 'debuginfod_client'
        self.capture = self.copy('one')

    def copy(self, name):
        path = self.directory / f'{name}.capture'
        shutil.copy(self.captures[name], path)
        return path

    def environment(self, servers, **changes):
        return environment(XDG_CACHE_HOME=str(self.directory / 'cache'), XDG_CONFIG_HOME=str(self.directory / 'config'),
                           DEBUGINFOD_URLS=servers, **changes)

    def symbols(self, *arguments, servers=None, status=0):
        return capturectl('symbols', *arguments, env=self.environment(self.server if servers is None else servers), status=status)

    def list_files(self, path, *arguments, **how):
        """{name: what is said of it}"""
        said = json.loads(self.symbols('--json', *arguments, path, **how).stdout)
        return {os.path.basename(file['path']): file for file in said['files']}

    def find_functions(self, path, **changes):
        """What report says, with no server and, by default, no cache: only what the capture itself holds."""
        env = environment(XDG_CACHE_HOME=str(self.directory / 'empty'), DEBUGINFOD_URLS='', **changes)
        report = json.loads(capturectl('report', '--json', path, env=env).stdout)
        return {row['name']: row for row in report['rows']}

    def assert_no_leftovers(self):
        self.assertEqual([path for path in self.cache.glob('.*')] if self.cache.exists() else [], [])

    def test_list(self):
        before = self.capture.read_bytes()
        said = self.list_files(self.capture)['one']
        self.assertEqual((said['reason'], said['server_may_help']), ('no-symbols', True))
        self.assertGreater(said['samples'], 10)
        self.assertNotIn('download', said)
        text = self.symbols(self.capture).stdout
        self.assertRegex(text, rf'{said["samples"]} +[0-9.]+ % +No symbols +{self.place}/one\n')
        self.assertIn(f'--download {self.capture}” asks {self.server}.', text)
        self.assertIn('none is known: put its address into DEBUGINFOD_URLS', self.symbols(self.capture, servers='').stdout)
        self.assertEqual(self.capture.read_bytes(), before)

    def test_names_lines_and_inlined_functions(self):
        self.assertNotIn('work_one', self.find_functions(self.capture))
        said = self.list_files(self.capture, '--download')['one']
        self.assertEqual(said['download'], {'helps': True, 'bytes': (self.served / 'one.debug').stat().st_size, 'error': None})
        self.assertNotIn('one', self.list_files(self.capture))
        functions = self.find_functions(self.capture)
        self.assertEqual(functions['mix']['file'], f'{self.place}/mix.h')
        self.assertEqual(functions['work_one']['file'], f'{self.place}/one.c')
        self.assertEqual(functions['work_one']['line'], 4)
        capturectl('check', self.capture)
        self.assert_no_leftovers()

    def test_lines_of_what_has_names(self):
        """A program with its symbols, but without debug information: nothing lacks names."""
        program, path = self.directory / 'five', self.directory / 'five.capture'
        served = self.directory / 'served'
        served.mkdir()
        run('gcc', '-g', '-O2', '-o', program, '-x', 'c', '-I', self.place, '-', stdin=PROGRAM.replace('WORK', 'work_five').encode())
        run('objcopy', '--only-keep-debug', program, served / 'five.debug')
        run('strip', '--strip-debug', program)
        capturectl('record', '--no-kernel', '-q', '-o', path, program, '50')
        with debuginfod(served, [build_id_of(program)]) as server:
            self.assertNotIn('five', self.list_files(path, servers=server))
            said = self.list_files(path, '--lines', servers=server)['five']
            self.assertEqual((said['reason'], said['server_may_help']), ('no-debug-information', True))
            self.list_files(path, '--lines', '--download', servers=server, status=None)  # libc's may be missing
        self.assertNotIn('five', self.list_files(path, '--lines', servers=''))
        self.assertTrue(self.find_functions(path)['mix']['file'].endswith('/mix.h'))

    def test_nothing_else_is_linked_to_the_network(self):
        for program in CAPTURECTL, ELF_READER, RECORDER, BUILD / 'daemon/captured', BUILD / 'viewer/capture-viewer':
            self.assertNotRegex(run('readelf', '-d', program).stdout, 'NEEDED.*lib(debuginfod|curl)', program)

    def test_fetcher_that_fails(self):
        for program, sentence in (('/nonexistent', 'The program “capture-symbol-fetcher” is not installed.'),
                                  (shutil.which('false'), 'The program “capture-symbol-fetcher” ended without an answer.')):
            done = capturectl('symbols', '--download', self.capture, env=self.environment(self.server, CAPTURE_SYMBOL_FETCHER=program), status=1)
            self.assertEqual(done.stderr, f'capturectl symbols: warning: {sentence}\n')

    def test_dishonest_fetcher(self):
        """It may have been taken over: whatever it says, it brings no file but the one that was asked for."""
        fetcher = self.directory / 'fetcher'
        lost = 'The program “capture-symbol-fetcher” ended without an answer.'
        other = 'What the server sent for “one” is another file, and was thrown away.'
        large = 'What the server has for “one” is larger than 1.0\xa0MB, so it was not fetched.'
        for answers, sentence in (('answer(b"?")', lost), ('answer(bytes(24))', lost), ('answer(bytes(1 << 16))', lost),
                                  ('tell(65, 0)', lost), ('tell(65, 1)', lost), ('tell(65, -1 << 31)', lost), ('tell(66, -2)', lost),
                                  ('tell(64, 0, "/dev/null")', lost), ('tell(65, -2, "/dev/null")', lost),
                                  ('tell(65, 0, "/dev/zero")', other), ('tell(65, 0, "/")', other), ('tell(65, 0, make(2 << 20))', large),
                                  ('tell(65, 0, make(100))', other), ('tell(65, 0, sys.executable)', other + '|' + large),
                                  ('[tell(64, 0) for _ in range(1000)]', lost)):
            fetcher.write_text(FETCHER.replace('ANSWERS', answers), encoding='utf-8')
            fetcher.chmod(0o755)
            with self.subTest(answers):
                done = capturectl('symbols', '--download', '--max-size', '1M', self.capture, status=1,
                                  env=self.environment(self.server, CAPTURE_SYMBOL_FETCHER=str(fetcher)))
                self.assertIn(done.stderr.removeprefix('capturectl symbols: warning: ').removesuffix('\n'), sentence.split('|'))
        self.assertNotIn('work_one', self.find_functions(self.capture))
        self.assert_no_leftovers()

    def test_capture_that_may_be_written(self):
        """Whoever records it would be in the way of who stores names, and the other way round."""
        with subprocess.Popen([CAPTURECTL, 'record', '--no-kernel', '-q', '-o', self.directory / 'growing.capture', self.place / 'one', '100000'],
                              env=environment()) as recorder:
            path = self.directory / 'growing.capture'
            while not path.exists() or path.stat().st_size < 8192:
                time.sleep(0.02)
            done = self.symbols('--download', path, status=1)
            self.assertIn('is still being recorded, or was cut off', done.stderr)
            recorder.send_signal(signal.SIGINT)

    def test_alternate_file(self):
        path = self.copy('two')
        said = self.list_files(path, '--download')['two']
        sizes = [(self.served / name).stat().st_size for name in ('two.debug', 'common.debug')]
        self.assertEqual(said['download'], {'helps': True, 'bytes': sum(sizes), 'error': None})
        self.assertTrue(self.find_functions(path)['mix']['file'].endswith('/mix.h'))

    def test_file_that_is_gone(self):
        """The server has the file itself, too."""
        self.directory.chmod(0o755)  # what only root may see the recorder itself would name
        run('gcc', '-g', '-O2', '-o', self.directory / 'four', '-x', 'c', '-I', self.place, '-',
            stdin=PROGRAM.replace('WORK', 'work_four').encode())
        path = self.directory / 'four.capture'
        capturectl('record', '--no-kernel', '--no-names', '-q', '-o', path, self.directory / 'four', '100')
        served = self.directory / 'served'
        served.mkdir()
        (self.directory / 'four').rename(served / 'four')
        with debuginfod(served, [build_id_of(served / 'four')]) as server:
            self.assertEqual(self.list_files(path, servers=server)['four']['reason'], 'not-readable')
            self.list_files(path, '--download', servers=server)
        self.assertTrue(self.find_functions(path)['mix']['file'].endswith('/mix.h'))

    def test_record(self):
        path = self.directory / 'new.capture'
        capturectl('record', '--no-kernel', '-q', '--download-symbols', '-o', path, self.place / 'one', '50', env=self.environment(self.server))
        self.assertTrue(self.find_functions(path)['mix']['file'].endswith('/mix.h'))
        dead = f'http://127.0.0.1:{free_port()}'
        done = capturectl('record', '--no-kernel', '-q', '--download-symbols', '-o', path, self.place / 'three', '50',
                          env=self.environment(dead))
        self.assertEqual(done.stderr, f'capturectl record: warning: No server can be reached at {dead}: Connection refused.\n')
        self.assertNotIn('mix', self.find_functions(path))
        path.unlink()
        done = capturectl('record', '--download-symbols', '-o', path, self.place / 'one', '50', env=self.environment(''), status=1)
        self.assertIn('No debuginfod server is known', done.stderr)
        self.assertFalse(path.exists())

    def test_local_files_come_first(self):
        """What debuginfod's clients fetched before is local: no server is asked, though asking was permitted."""
        self.list_files(self.capture, '--download')
        path = self.copy('one')
        with misbehaving('slow') as (address, server):
            self.assertNotIn('one', self.list_files(path, servers=address))
            said = self.list_files(path, '--download', servers=address)['one']
            self.assertEqual(said['download'], {'helps': True, 'bytes': 0, 'error': None})
            self.assertEqual(server.asked, 0)
        self.assertTrue(self.find_functions(path)['mix']['file'].endswith('/mix.h'))

    def test_what_is_local_waits_for_no_server(self):
        self.list_files(self.capture, '--download')
        path = self.directory / 'both.capture'
        capturectl('record', '--no-kernel', '-q', '-o', path, 'sh', '-c', f'{self.place}/two 100; {self.place}/one 50')
        with misbehaving('slow') as (address, server):
            said = self.list_files(path, '--download', '--max-time', '1', servers=address, status=1)
            self.assertGreater(server.asked, 0)
        self.assertEqual(said['one']['download'], {'helps': True, 'bytes': 0, 'error': None})
        self.assertIn('did not come within 1 second.', said['two']['download']['error'])
        functions = self.find_functions(path)
        self.assertIn('work_one', functions)
        self.assertNotIn('work_two', functions)

    def test_debug_files_of_a_container(self):
        """They stand where its process sees them, and nobody else."""
        path, debug = self.directory / 'container.capture', '/usr/lib/debug/.build-id'
        build_id = build_id_of(self.place / 'one')
        script = f'mount -t tmpfs tmpfs /usr/lib/debug && mkdir -p {debug}/{build_id[:2]} && ' \
                 f'cp {self.served}/one.debug {debug}/{build_id[:2]}/{build_id[2:]}.debug && echo ready && exec "$0" 1000000'
        with subprocess.Popen([*OWN_MOUNTS, 'sh', '-c', script, self.place / 'one'], stdout=subprocess.PIPE, text=True) as process:
            try:
                self.assertEqual(process.stdout.readline(), 'ready\n')
                while os.readlink(f'/proc/{process.pid}/exe') != str(self.place / 'one'):
                    time.sleep(0.01)
                capturectl('record', '--no-kernel', '-q', '--duration', '1', '-p', process.pid, '-o', path)
            finally:
                process.kill()
        self.assertTrue(self.find_functions(path)['mix']['file'].endswith('/mix.h'))

    def test_extensions_of_flatpak(self):
        """Their trees lack the first folder of the binaries' paths."""
        data = self.directory / 'data'
        place = data / 'flatpak/runtime/org.example.One.Debug/x86_64/stable/active/files' / self.place.relative_to(f'/{self.place.parts[1]}')
        place.mkdir(parents=True)
        shutil.copy(self.served / 'one.debug', place / 'one.debug')
        said = json.loads(capturectl('symbols', '--json', self.capture, env=self.environment('', XDG_DATA_HOME=str(data))).stdout)
        self.assertNotIn(f'{self.place}/one', [file['path'] for file in said['files']])

    def test_wrong_file_in_the_cache(self):
        """It is not believed, and replaced."""
        kept = self.cache / build_id_of(self.place / 'one') / 'debuginfo'
        kept.parent.mkdir(parents=True)
        shutil.copy(self.served / 'two.debug', kept)
        self.assertIn('one', self.list_files(self.capture))
        self.list_files(self.capture, '--download')
        self.assertEqual(kept.read_bytes(), (self.served / 'one.debug').read_bytes())

    def test_no_connection_without_consent(self):
        log = self.directory / 'calls'
        new = self.directory / 'new.capture'
        built, _ = self.record_with_lines()
        # Where the person never said yes, nor says so now. The last ones show that a connection would be seen.
        for arguments, connects in ((['record', '--no-kernel', '-q', '-o', new, self.place / 'one', '30'], False),
                                    (['symbols', self.capture], False), (['report', self.capture], False),
                                    (['annotate', 'main', self.capture], False), (['annotate', 'work_six', built], False),
                                    (['annotate', '--download', 'work_six', built], True), (['symbols', '--download', self.capture], True)):
            run('strace', '-f', '-qq', '-e', 'trace=connect,sendto,sendmsg,execve', '-o', log, CAPTURECTL, *arguments, status=None,
                env=self.environment(self.server, ASAN_OPTIONS='detect_leaks=0'))
            calls = log.read_text(encoding='utf-8', errors='replace')
            self.assertIn('execve', calls)
            self.assertEqual('AF_INET' in calls, connects, arguments)
            self.assertEqual('capture-symbol-fetcher' in calls, connects, arguments)

    def assert_harmless(self, servers, sentence, seconds=60):
        """One sentence, the capture as before, nothing left."""
        before = self.capture.read_bytes()
        done = self.symbols('--download', '--max-time', seconds, '--max-size', '1M', self.capture, servers=servers, status=1)
        self.assertRegex(done.stderr, f'^capturectl symbols: warning: {sentence}\n$')
        self.assertEqual(self.capture.read_bytes(), before)
        self.assertEqual(list(self.cache.rglob('debuginfo*')), [])
        self.assert_no_leftovers()

    def test_misbehaving_servers(self):
        late = 'What the server has for “one” did not come within 1 second[.]'  # of the minute that it would take
        other = 'What the server sent for “one” is another file, and was thrown away[.]'
        large = 'What the server has for “one” is larger than 1.0\xa0MB, so it was not fetched[.]'
        for how, sentence in (('slow', late), ('drip', late), ('broken_off', 'The server broke off what it sent for “one”[.]'),
                              ('another_file', other), ('no_elf_file', other), ('large', large), ('endless', large),
                              ('endless_chunks', large), ('redirected_to_itself', '.*“one”.*[.]'),
                              ('redirected_to_a_file', 'No server gave .*“one”[.]'),
                              ('missing', 'No server gave debug information for “one”[.]')):
            with self.subTest(how), misbehaving(how, self.served / 'one.debug') as (address, server):
                self.assert_harmless(address, sentence, 1 if sentence == late or how == 'redirected_to_itself' else 60)
                self.assertGreater(server.asked, 0)

    def test_dead_server(self):
        dead = f'http://127.0.0.1:{free_port()}'
        self.assert_harmless(dead, f'No server can be reached at {dead}: Connection refused[.]')

    def test_cancel(self):
        """Ctrl+C, while a server keeps silent for a minute."""
        with misbehaving('slow') as (address, server):
            process = subprocess.Popen([CAPTURECTL, 'symbols', '--download', self.capture], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, env=self.environment(address))
            while server.asked == 0 and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            stderr = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn('warning: Fetching was cancelled.\n', stderr)
        check_sanitizers(stderr)
        self.assert_no_leftovers()

    def record_with_lines(self):
        """A capture of a program with lines, whose source is not here any more, and a folder for a server that has it."""
        program, source, served = self.directory / 'six', self.directory / 'six.c', self.directory / 'served'
        served.mkdir()
        source.write_text(PROGRAM.replace('WORK', 'work_six'), encoding='utf-8')
        run('gcc', '-g', '-O2', '-o', program, '-I', self.place, source)
        pack(served / 'six.tar', program, source)
        capturectl('record', '--no-kernel', '-q', '-o', self.directory / 'six.capture', program, '50')
        source.unlink()
        return self.directory / 'six.capture', served

    def annotate(self, path, servers, *arguments):
        """What is said of the one file, and the text that is printed."""
        env = self.environment(servers)
        said = json.loads(capturectl('annotate', '--json', *arguments, 'work_six', path, env=env).stdout)
        [file] = [file for file in said['files'] if file['path'].endswith('/six.c')]
        return file, capturectl('annotate', *arguments, 'work_six', path, env=env).stdout

    def test_annotate(self):
        """Source is asked for when the person said so, now or before."""
        path, served = self.record_with_lines()
        source, line = self.directory / 'six.c', 'sum += mix(i, numbers);'
        with debuginfod(served, [], [(build_id_of(self.directory / 'six'), source)]) as server:
            file, text = self.annotate(path, server)
            self.assertEqual((file['found'], file['origin'], file['download_error']), (False, None, None))
            self.assertIn(f'There is no file “{source}” here: --map FROM=TO says where its folder is, and --download asks servers for it.\n', text)
            file, text = self.annotate(path, server, '--download')
            self.assertEqual((file['found'], file['origin'], file['read_from']), (True, 'server', None))
            self.assertIn(line, text)
            self.assertIn('A server had this text; nothing tells whether the program was built from it.\n', text)
            self.assertIn(line, capturectl('annotate', '--code', '--source', '--download', 'work_six', path, env=self.environment(server)).stdout)
            settings = self.directory / 'config/capture/debug-servers'
            settings.parent.mkdir(parents=True)
            settings.write_text(f'[debug-servers]\nallowed={server};\n', encoding='utf-8')
            self.assertEqual(self.annotate(path, server)[0]['origin'], 'server')
        capturectl('check', path)

    def test_annotate_without_an_answer(self):
        path, _ = self.record_with_lines()
        dead, missing = f'http://127.0.0.1:{free_port()}', f'There is no file “{self.directory}/six.c” here'
        file, text = self.annotate(path, dead, '--download')
        self.assertEqual(file['reason'], 'missing')
        self.assertEqual(file['download_error'], f'No server can be reached at {dead}: Connection refused.')
        self.assertRegex(text, f'{missing}: --map .*\n{re.escape(file["download_error"])}\n')
        with misbehaving('missing') as (address, server):
            self.assertEqual(self.annotate(path, address, '--download')[0]['download_error'], 'No server gave the file “six.c”.')
            self.assertGreater(server.asked, 0)
        self.assertIn(f'{missing}: --map FROM=TO says where its folder is.\n', self.annotate(path, '')[1])
        failed = capturectl('annotate', '--download', 'work_six', path, env=self.environment(''), status=1)
        self.assertIn('No debuginfod server is known', failed.stderr)

    def test_source(self):
        of, source = [self.capture, 'one'], self.place / 'one.c'
        env = self.environment('', CAPTURE_SYMBOL_FETCHER=str(BUILD / 'helpers/symbol-fetcher/capture-symbol-fetcher'))
        fetched = run(FETCH_SOURCE, self.server, *of, source, env=env).stdout
        self.assertEqual(fetched, source.read_text(encoding='utf-8'))
        again = run(FETCH_SOURCE, f'http://127.0.0.1:{free_port()}', *of, source, env=env).stdout
        self.assertEqual(again, fetched)
        failed = run(FETCH_SOURCE, self.server, *of, self.place / 'two.c', env=env, status=1)
        self.assertIn('No server gave the file', failed.stderr)


if __name__ == '__main__':
    unittest.main()
