# SPDX-License-Identifier: GPL-3.0-or-later
"""What outsiders get of libcapture: its symbols, its size, its header, what it does to a program that ends or unloads it."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from support import BUILD, CAPTURECTL, SOURCE, File

LIBRARY = BUILD / 'libcapture' / 'libcapture-1.so.1'
HEADER = SOURCE / 'libcapture' / 'capture.h'


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def declared():
    """The functions that the header declares."""
    return set(re.findall(r'^CAPTURE_API [^;(]*?\b(capture_\w+)\(', HEADER.read_text(), re.M))


class Library(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix='capture-library-')
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)
        (self.path / 'capture-1').mkdir()
        (self.path / 'capture-1' / 'capture.h').symlink_to(HEADER)

    def build(self, name, text, *flags, compiler='gcc', library=LIBRARY):
        source = self.path / (name + ('.cc' if compiler == 'g++' else '.c'))
        source.write_text(text)
        run(compiler, '-Wall', '-Wextra', '-Werror', f'-I{self.path}', '-o', self.path / name, source, *flags,
            *([library, f'-Wl,-rpath,{LIBRARY.parent}'] if library else []))
        return self.path / name

    def assert_whole(self, path):
        file = File(path)
        self.assertEqual(file.ended.reason, 9)
        self.assertTrue(file.has_index)

    def test_exports_what_the_header_declares(self):
        exported = {}
        for line in run('nm', '-D', '--defined-only', LIBRARY).splitlines():
            symbol = line.split()[-1]
            if symbol != 'CAPTURE_1':
                name, _, version = symbol.partition('@@')
                exported[name] = version
        self.assertGreater(len(declared()), 20)
        self.assertEqual(set(exported), declared())
        self.assertEqual(set(exported.values()), {'CAPTURE_1'})

    def test_needs_the_c_library_alone(self):
        needed = re.findall(r'NEEDED.*\[(.*)\]', run('readelf', '-d', LIBRARY))
        self.assertLessEqual({name.split('.so')[0] for name in needed},
                             {'libc', 'libpthread', 'librt', 'libasan', 'libubsan', 'ld-linux-x86-64'})
        self.assertIn('SONAME', run('readelf', '-d', LIBRARY))

    def test_starts_no_thread(self):
        undefined = run('nm', '-D', '--undefined-only', LIBRARY)
        for name in ('pthread_create', 'thrd_create', 'clone', 'fork'):
            self.assertNotRegex(undefined, rf'\b{name}@')

    def test_is_small(self):
        """Optimised as distributions do, whatever this build is."""
        sources = [path for path in sorted((SOURCE / 'libcapture').rglob('*.c'))
                   if not re.match(r'capture-(reader|writer|table|records|sink|file-sink)', path.name)]
        out = self.path / 'libcapture-1.so.1'
        run('gcc', '-shared', '-fPIC', '-O2', '-std=c11', '-D_GNU_SOURCE', '-DCAPTURE_BUILDING', '-fvisibility=hidden',
            f'-I{SOURCE}', f'-Wl,--version-script,{SOURCE}/libcapture/libcapture.map', '-Wl,--no-undefined', '-o', out,
            *sources, '-lpthread')
        text = int(run('size', out).splitlines()[1].split()[0])
        self.assertLess(text, 96 << 10)

    def test_header_compiles_alone(self):
        text = '#include <capture-1/capture.h>\nint main(void) { capture_mark(NULL, 0, 0, NULL); capture_count(NULL, 0, 1); return 0; }\n'
        for compiler, standard in (('gcc', 'c11'), ('gcc', 'c2x'), ('g++', 'c++11'), ('g++', 'c++20')):
            with self.subTest(compiler=compiler, standard=standard):
                program = self.build(f'header-{compiler}-{standard}', text, f'-std={standard}', '-Wpedantic', compiler=compiler)
                run(program)

    def test_program_ends_without_closing(self):
        """The library's destructor finishes the file, while other threads are in the midst of calls."""
        program = self.build('ends', r'''
#include <capture-1/capture.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static capture *c;
static void *work(void *data)
{
  for (;;)
    capture_mark(c, 0, capture_string(c, "busy", CAPTURE_NUL), (const char *)data);
  return NULL;
}
int main(int argc, char **argv)
{
  pthread_t thread;
  (void)argc;
  if (capture_create(&c, open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600), NULL) != 0)
    return 1;
  capture_mark(c, 0, capture_string(c, "the first", CAPTURE_NUL), NULL);
  for (int i = 0; i < 4; i++)
    pthread_create(&thread, NULL, work, NULL);
  usleep(20000);
  return 0;
}
''', '-pthread')
        for i in range(5):
            path = self.path / f'ends-{i}.capture'
            run(program, path, timeout=60)
            self.assertTrue(b'the first' in path.read_bytes())
            self.assert_whole(path)

    def test_is_recorded(self):
        """By a recording that says what it wants: no arguments, as it was told to."""
        program = self.build('recorded', r'''
#include <capture-1/capture.h>
int main(void)
{
  capture *c;
  if (capture_connect(&c, NULL) != 0)
    return 1;
  capture_mark(c, 0, capture_string(c, "a mark of its own", CAPTURE_NUL), NULL);
  capture_close(c);
  return 0;
}
''')
        for more, telling in ([], True), (['--no-command-lines'], False):
            path = self.path / 'recorded.capture'
            run(CAPTURECTL, 'record', '--no-compress', *more, '-o', path, '--', program, 'secretive')
            self.assertTrue(b'a mark of its own' in path.read_bytes())
            self.assertEqual(b'secretive' in path.read_bytes(), telling)

    def test_is_unloaded(self):
        """dlclose ends the capture; neither a fork nor a thread's end calls what is gone."""
        program = self.build('unloads', r'''
#define _GNU_SOURCE
#include <capture-1/capture.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int (*create)(capture **, int, const struct capture_options *);
static int (*begin)(capture *, const char *);
static int (*start)(capture *, const struct capture_sampler_options *);
static capture *c;
static pthread_barrier_t barrier;
static void *work(void *data)
{
  begin(c, "thread");
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return data;
}
int main(int argc, char **argv)
{
  pthread_t thread;
  (void)argc;
  pthread_barrier_init(&barrier, NULL, 2);
  for (int i = 0; i < 20; i++) {
    struct capture_sampler_options options = {.size = sizeof options};
    void *library = dlopen(argv[1], RTLD_NOW);
    int fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600), status;
    if (!library)
      return puts(dlerror()), 1;
    *(void **)&create = dlsym(library, "capture_create");
    *(void **)&begin = dlsym(library, "capture_thread_begin");
    *(void **)&start = dlsym(library, "capture_sampler_start");
    if (create(&c, fd, NULL) != 0 || begin(c, NULL) != 0 || start(c, &options) != 0)
      return 2;
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    if (dlclose(library) != 0 || dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL)
      return 3;
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    if (fork() == 0)
      _exit(0);
    wait(&status);
    if (status != 0)
      return 4;
    close(fd);
  }
  return 0;
}
''', '-pthread', library=None)
        path = self.path / 'unloaded.capture'
        run(program, LIBRARY, path, timeout=60)
        self.assert_whole(path)


if __name__ == '__main__':
    unittest.main()
