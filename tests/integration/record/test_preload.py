# SPDX-License-Identifier: GPL-3.0-or-later
"""The sampler in programs that know nothing of it: stacks, allocations, and that the programs do what they do without it."""
import json
import pathlib
import re
import signal
import struct
import tempfile
import unittest

import stacks
from support import BUILD, SOURCE, TestCase, capturectl, environment, run
from stacks import CHAINS
from told import frames

LIBRARY = BUILD / 'helpers' / 'preload' / 'libcapture-preload.so'

ALLOCATION = 14  # of Sysprof's frames

# All that programs may see of it.
INTERPOSED = {
    'malloc', 'calloc', 'realloc', 'reallocarray', 'free', 'posix_memalign', 'aligned_alloc', 'memalign', 'valloc', 'pvalloc',
    'pthread_create', 'thrd_create', 'dlopen', 'dlmopen', 'dlclose', 'sigaction', 'signal', 'sysv_signal', '__sysv_signal', 'raise', '_exit', '_Exit',
}


class Inside(TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.built = pathlib.Path(directory.name)

    def setUp(self):
        super().setUp()
        self.path = self.directory / 'a.capture'

    def record(self, *command, options=(), status=0, **how):
        """Records by the preloaded library; returns what capturectl said, and info's JSON."""
        said = capturectl('record', '-q', '--via', 'preload', *options, '-o', self.path, '--', *command, status=status, **how)
        return said, json.loads(capturectl('info', '--json', self.path, status=None).stdout)

    def report(self, *options):
        return json.loads(capturectl('report', '--json', *options, self.path).stdout)

    def folded(self, event='cpu-time'):
        """{stack from the root on, names separated by semicolons: samples}"""
        text = capturectl('export', '--format', 'folded', '-e', event, '-o', '-', self.path).stdout
        return {stack: int(n) for stack, n in (line.rsplit(' ', 1) for line in text.splitlines())}


class Library(TestCase):
    def test_exports_what_it_interposes(self):
        names = {line.split()[-1] for line in run('nm', '-D', '--defined-only', LIBRARY).stdout.splitlines()}
        self.assertEqual(names, INTERPOSED)

    def test_needs_libc_alone(self):
        needed = re.findall(r'NEEDED.*\[(.*)\]', run('readelf', '-dW', LIBRARY).stdout)
        self.assertEqual([name for name in needed if not name.startswith(('libc.so', 'ld-linux'))], [])

    def test_versions_of_libc(self):
        """Nothing newer than Debian 12's."""
        versions = re.findall(r'GLIBC_2\.(\d+)', run('readelf', '-VW', LIBRARY).stdout)
        self.assertLessEqual(max(map(int, versions)), 36)

    def test_does_nothing_without_a_recording(self):
        for changes in {}, {'CAPTURE_SOCKET': ''}, {'CAPTURE_SOCKET': '/nowhere/socket'}:
            done = run('sh', '-c', 'ls /proc/self/fd | wc -l; echo "$LD_PRELOAD"', env=environment(LD_PRELOAD=str(LIBRARY), **changes))
            bare = run('sh', '-c', 'ls /proc/self/fd | wc -l')
            self.assertEqual(done.stdout.splitlines()[0], bare.stdout.splitlines()[0])
            self.assertEqual(done.stderr, '')


class Stacks(Inside):
    """Of programs without frame pointers, from the sampled function to the root; names by report, which resolves mappings."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = stacks.build(cls.built)

    def check(self, kind, *more, guesses=False, least=0.99):
        for milliseconds in 500, 2000, 8000:
            if kind == 'deleted':
                more = stacks.build_library(self.directory),
            info = self.record(self.program, kind, milliseconds, *more)[1]
            if info['user_stacks']['samples'] >= 30 and not info['lost']:
                break
        judged = info['user_stacks']
        self.assertGreaterEqual(judged['samples'], 30)
        self.assertEqual(info['lost'], 0)
        if not guesses:
            self.assertEqual(judged['by_frame_pointers'], 0)
        self.assertGreaterEqual(judged['complete'], least * judged['samples'], json.dumps(judged))
        chain, wrong = re.compile(f'spin {self.plain(CHAINS[kind])} '), {}
        for stack, n in self.folded().items():
            frames = stack.split(';')[::-1]
            if frames[0] == 'spin' and not chain.fullmatch(' '.join(map(self.system, frames)) + ' '):
                wrong[stack] = n
        self.assertEqual(wrong, {}, chain.pattern)
        return info

    def plain(self, chain):
        """Functions of the system are any here."""
        return chain.replace(r'<libc\.so\.6>', '<>').replace(r'<\S+>', '<>').replace('now |clock_gettime@plt |', '')

    def system(self, name):
        own = {'main', '_start', 'spin', 'middle', 'outer', 'thread', 'handler', 'interrupted', 'deeper', 'aligned', 'coroutine',
               'in_library', 'call', 'open_library', 'call_and_unlink', 'spin_and_leave', 'call_last'}
        return name if name in own or name.startswith('run_') else '<>'

    def test_plain(self):
        self.check('plain')

    def test_threads(self):
        self.assertEqual(self.check('threads')['threads'], 3)

    def test_leader_that_is_gone(self):
        self.check('leader')

    def test_signal_handlers(self):
        self.check('signal')

    def test_signal_handlers_on_another_stack(self):
        self.check('sigaltstack')

    def test_library_that_is_loaded(self):
        self.check('dlopen', stacks.build_library(self.directory))
        self.assertTrue(any('in_library' in stack for stack in self.folded()))

    def test_library_that_is_deleted(self):
        self.check('deleted')

    def test_execs(self):
        self.check('exec')

    def test_realigned_stacks(self):
        self.check('aligned')

    def test_machine_code_made_at_run_time(self):
        self.check('jit', guesses=True)

    def test_last_calls(self):
        self.check('noreturn')

    def test_vdso(self):
        """Its table is the recording's own, and stacks lead through it."""
        judged = self.record(self.program, 'vdso', 1000)[1]['user_stacks']
        self.assertGreaterEqual(judged['samples'], 30)
        self.assertGreaterEqual(judged['complete'], 0.99 * judged['samples'], json.dumps(judged))
        inside = sum(n for stack, n in self.folded().items() if re.search(r'main;.*run_vdso;.*clock_gettime;\S*clock_gettime$', stack))
        self.assertGreater(inside, judged['samples'] / 10, self.folded())

    def test_deep(self):
        """As deep as stacks are kept, with tables."""
        info = self.record(self.program, 'deep', 500)[1]
        self.assertEqual(info['user_stacks']['complete'], info['user_stacks']['samples'])
        self.assertTrue(all(stack.count('deeper') == 301 for stack in self.folded() if stack.endswith('spin')))

    def test_coroutine(self):
        """Its stack is nobody's that is known: that is said, and nothing else is read."""
        outcomes = self.record(self.program, 'context', 500)[1]['outcomes']
        self.assertLessEqual(set(outcomes), {'complete', 'unreadable'})
        self.assertIn('unreadable', outcomes)
        self.assertIn('as coroutines do', capturectl('info', self.path).stdout)

    def test_children_are_followed(self):
        self.assertGreater(self.record(self.program, 'fork', 500)[1]['processes'], 20)


class Programs(Inside):
    """Those that people have."""

    def check_unchanged(self, *command, complete=0.99, by_frame_pointers=True, **how):
        bare = run(*command, **how)
        said, info = self.record(*command, **how)
        self.assertEqual(said.stdout, bare.stdout)
        judged = info['user_stacks']
        self.assertGreater(judged['samples'], 0)
        self.assertGreaterEqual(judged['complete'], complete * judged['samples'], json.dumps(judged))
        return info

    def test_python(self):
        info = self.check_unchanged('/usr/bin/python3', '-c', 'import json\nprint(sum(len(json.dumps({"a": i})) for i in range(200000)))')
        self.assertEqual(info['user_stacks']['by_frame_pointers'], 0)

    def test_gcc(self):
        source = self.directory / 'a.c'
        source.write_text('#include <stdio.h>\n' + ''.join(f'int f{i}(int a) {{ int s = 0; while (a--) s += a * {i}; return s; }}\n' for i in range(2000)))
        info = self.check_unchanged('gcc', '-O2', '-c', '-o', self.directory / 'a.o', source)
        self.assertGreaterEqual(info['processes'], 3)
        self.assertLessEqual(info['user_stacks']['by_frame_pointers'], 0.02 * info['user_stacks']['samples'])

    def test_sqlite(self):
        self.check_unchanged('sqlite3', ':memory:', 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 400000) '
                                                    'select sum(x * x % 7) from c;')

    def test_node(self):
        self.check_unchanged('node', '-e', 'let s = 0; for (let i = 0; i < 8e8; i++) s += i % 7; console.log(s)', complete=0.95)

    def test_java(self):
        run('javac', '-d', self.directory, SOURCE / 'tests' / 'programs' / 'Work.java')
        said, info = self.record('java', '-XX:+PreserveFramePointer', '-cp', self.directory, 'Work', 500)
        self.assertGreater(info['user_stacks']['complete'], 0.8 * info['user_stacks']['samples'])

    def test_shell_that_takes_low_descriptors(self):
        script = f'exec 3>{self.directory}/three; echo three >&3; exec 3>&-; for i in 1 2 3; do ls / >/dev/null; done; exit 7'
        self.record('bash', '-c', script, status=7)
        self.assertEqual((self.directory / 'three').read_text(), 'three\n')

    def test_libraries_are_found_where_the_caller_says(self):
        """The dynamic linker looks at who calls dlopen: DT_RUNPATH is the calling object's."""
        for name, code in (('there/libfound.so', 'int found(void) { return 42; }'),
                           ('libcaller.so', '#include <dlfcn.h>\nint call(void) { void *o = dlopen("libfound.so", RTLD_NOW);\n'
                                            'return o ? ((int (*)(void))dlsym(o, "found"))() : 1; }'),
                           ('program', 'int call(void); int main(void) { return call(); }')):
            path = self.directory / name
            path.parent.mkdir(exist_ok=True)
            path.with_suffix('.c').write_text(code)
            options = {'there/libfound.so': ('-shared', '-fPIC'),
                       'libcaller.so': ('-shared', '-fPIC', '-Wl,-rpath,$ORIGIN/there'),
                       'program': (f'-L{self.directory}', '-lcaller', '-Wl,-rpath,$ORIGIN')}[name]
            run('gcc', '-O1', '-o', path, path.with_suffix('.c'), *options)
        run(self.directory / 'program', status=42)
        self.record(self.directory / 'program', status=42)

    def test_threads_of_c11(self):
        source = self.directory / 'threads.c'
        source.write_text('#include <stdio.h>\n#include <threads.h>\nstatic volatile unsigned long sink;\n'
                          'static int work(void *argument) { for (unsigned long i = 0; i < 300000000; i++) sink++; return 7; }\n'
                          'int main(void) { thrd_t thread; int result = 0;\n'
                          'if (thrd_create(&thread, work, NULL) != thrd_success || thrd_join(thread, &result) != thrd_success) return 1;\n'
                          'return result; }\n')
        run('gcc', '-O1', '-pthread', '-o', self.directory / 'threads', source)
        self.record(self.directory / 'threads', status=7)
        self.assertGreater(sum(n for stack, n in self.folded().items() if stack.endswith('work')), 0)

    def test_little_stacks(self):
        """Threads have all but little of the stack that they asked for, the smallest that there is."""
        source = self.directory / 'little.c'
        source.write_text('#include <pthread.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n'
                          'static volatile unsigned long sink;\n'
                          'static void *work(void *argument) { for (unsigned long i = 0; i < 3000000; i++) sink++; free(malloc(100)); return argument; }\n'
                          'int main(void) { pthread_attr_t little; pthread_t thread; pthread_attr_init(&little);\n'
                          'if (pthread_attr_setstacksize(&little, (size_t)sysconf(_SC_THREAD_STACK_MIN)) != 0) return 1;\n'
                          'while (clock() < CLOCKS_PER_SEC)\n'
                          'if (pthread_create(&thread, &little, work, NULL) != 0 || pthread_join(thread, NULL) != 0) return 2;\n'
                          'return 7; }\n')
        run('gcc', '-O1', '-pthread', '-o', self.directory / 'little', source)
        run(self.directory / 'little', status=7)
        for options in (), ('--allocations=1',):
            info = self.record(self.directory / 'little', options=options, status=7)[1]
            self.assertGreater(info['threads'], 2)

    def test_little_address_space(self):
        said, info = self.record('bash', '-c', 'ulimit -v 500000; /usr/bin/python3 -c "print(sum(range(5000000)))"')
        self.assertEqual(said.stdout, '12499997500000\n')

    def test_set_user_id_programs_are_not_followed(self):
        said, info = self.record('su', '--version')
        self.assertEqual(said.stderr.count('cannot be preloaded'), 0)


class Storms(Inside):
    """The program prints and returns the same, whatever is recorded."""

    WAYS = (), ('--allocations=1',), ('--allocations=4096', '--wall', '-F', '4000')

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = stacks.build(cls.built, program='storms', source='storms.c')
        cls.library = stacks.build_library(cls.built)

    def check(self, kind, times, status=0):
        bare = run(self.program, kind, times, self.library, status=status if status < 128 else 128 - status)
        found = []
        for way in self.WAYS:
            said, info = self.record(self.program, kind, times, self.library, options=way, status=status)
            self.assertEqual(said.stdout, bare.stdout, way)
            found.append(info)
        return found

    def test_threads(self):
        for info in self.check('threads', 2):
            self.assertEqual(info['processes'], 1)

    def test_libraries(self):
        self.check('libraries', 2)

    def test_forks_and_execs(self):
        for info in self.check('forks', 1):
            self.assertIn(info['processes'], range(29, 32))

    def test_program_that_uses_the_signal(self):
        for info in self.check('profiler', 1):
            self.assertIn('SIGPROF', ' '.join(info['messages']))

    def test_program_that_ends_by_the_signal(self):
        self.check('killed', 1, status=128 + signal.SIGPROF)

    def test_program_that_raises_the_signal(self):
        self.check('raises', 5)

    def test_program_that_closes_what_it_does_not_know(self):
        self.check('closer', 1)


class Allocations(Inside):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = stacks.build(cls.built, '-w', program='allocations', source='allocations.c')

    def record_whole(self, *command, **how):
        """Allocations as fast as they come: beside other work whoever takes them may be too late, and says so."""
        for _ in range(5):
            said, info = self.record(*command, **how)
            if not info['lost']:
                break
        self.assertEqual(info['lost'], 0)
        return said, info

    def known(self, said):
        """{function: (blocks, bytes)}, as the program knows itself."""
        return {name: (int(blocks), int(size)) for name, blocks, size in (line.split() for line in said.stdout.splitlines())}

    def by_function(self, event):
        return {row['name']: (row['self'], row['self_weight']) for row in self.report('-e', event)['rows'] if row['self']}

    def test_each(self):
        said, info = self.record_whole(self.program, 3, 8, options=('--allocations=1',))
        known, found = self.known(said), self.by_function('allocations')
        for name, (blocks, size) in known.items():
            # Of the five reallocations in a round one asks for nothing.
            wanted = blocks - blocks // 5 if name == 'grow_and_shrink' else blocks
            self.assertEqual(found[name], (wanted, size), name)
        freed = self.by_function('frees')
        for name in 'many_mallocs', 'some_callocs', 'an_array', 'aligned_ones', 'grow_and_shrink', 'after_child':
            self.assertEqual(freed[name][1], known[name][1], name)
        self.assertEqual(freed['take_over'][1], known['hand_over'][1])
        self.assertEqual(info['outcomes'], {'complete': info['samples']})

    def test_for_sysprof(self):
        """Every sampled block with its size."""
        self.record(self.program, 3, 8, options=('--allocations=1',))
        exported = self.directory / 'a.syscap'
        capturectl('export', '--format', 'syscap', '-e', 'allocations', '-o', exported, self.path)
        sizes = [struct.unpack_from('q', frame.bytes, 32)[0] for frame in frames(exported.read_bytes())[0] if frame.type == ALLOCATION]
        event = next(event for event in self.report()['events'] if event['name'] == 'allocations')
        self.assertGreater(len(sizes), 100)
        self.assertEqual((len(sizes), sum(sizes)), (event['samples'], event['weight']))

    def test_sampled(self):
        """Shares are those of the bytes, within six standard deviations."""
        interval = 4096
        said, info = self.record_whole(self.program, 400, 4, options=(f'--allocations={interval}',))
        found = self.by_function('allocations')
        for name, (_, size) in self.known(said).items():
            self.assertLess(abs(found.get(name, (0, 0))[1] - size), 6 * (size * interval) ** 0.5 + interval, name)
        self.assertLess(info['events'][0]['samples'], 200000)

    def test_totals(self):
        """Counters are exact, sampled or not: what more rounds add is known."""
        totals = {}
        for rounds in 10, 110:
            said, _ = self.record(self.program, rounds, 4, options=('--allocations=100000000',))
            totals[rounds] = self.last_counts(), self.known(said)
        (few, few_known), (many, many_known) = totals[10], totals[110]
        blocks, size = (sum(many_known[name][i] - few_known[name][i] for name in few_known) for i in (0, 1))
        self.assertEqual(many['Allocations'] - few['Allocations'], blocks)
        self.assertEqual(many['Requested bytes'] - few['Requested bytes'], size)
        self.assertEqual(many['Frees'] - few['Frees'], blocks)
        self.assertEqual(many['Allocated bytes'] - few['Allocated bytes'], many['Freed bytes'] - few['Freed bytes'])
        self.assertEqual(many['Live bytes'], many['Allocated bytes'] - many['Freed bytes'])

    def last_counts(self):
        counters = json.loads(capturectl('info', '--json', self.path).stdout)['counters']
        return {counter['name']: int(counter['last']) for counter in counters if counter['pid'] > 0}


if __name__ == '__main__':
    unittest.main()
