# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of sampled kernel addresses, from an image with the build-id that the capture has, beside those of elfutils. The image is linked
like a kernel, and the capture says that it was put elsewhere in memory. IMAGE=vmlinux takes that one instead, of which elfutils may read
a line in a thousand otherwise. Likewise of a module, the sections of which were put far from one another; MODULE=FILE.ko takes that one."""
import collections
import json
import os
import pathlib
import re
import shutil
import struct
import unittest

from support import CAPTURECTL, OWN_MOUNTS, TestCase, capturectl, environment, run, unmount

from builder import Builder, fixed, listed, record, sample, string
from capture_decoder import container

SLIDE = 0x1a200000
MODULE, KERNEL, KERNEL_SPACE = 4, 8, 2
DEBUG = '/usr/lib/debug'
OWN_USERS = () if os.geteuid() == 0 else ('unshare', '--user', '--map-root-user')
MODULES, APART = 0xffffffffc0300000, 0x400000

SOURCE = r'''
static inline unsigned mix(unsigned x)
{
  for (int i = 0; i < 24; i++)
    x = x * 31 + (x >> 7);
  return x;
}

__attribute__((noinline)) unsigned work(unsigned x)
{
  unsigned sum = 0;
  for (unsigned i = 0; i < x; i++)
    sum += mix(i) ^ mix(sum);
  return sum;
}

unsigned _start(unsigned x)
{
  return work(x) + mix(x);
}
'''


# Two static functions of one name say nothing of where they are, but what stands beside them does.
MODULE_SOURCE = r'''
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
  for (int i = 0; i < 24; i++)
    x = x * 31 + (x >> 7);
  return x;
}

static __attribute__((noinline)) unsigned same(unsigned x)
{
  return mix(x) ^ NUMBER;
}

__attribute__((noinline)) unsigned NAME(unsigned x)
{
  unsigned sum = 0;
  for (unsigned i = 0; i < x; i++)
    sum += mix(i) ^ same(sum);
  return sum;
}

__attribute__((section(".init.text"))) unsigned BEGIN(unsigned x)
{
  return mix(x) + NAME(x);
}
'''


def code_sections(path):
    """{number: (name, size)}"""
    text = run('readelf', '-SW', path).stdout
    return {int(number): (name, int(size, 16)) for number, name, size in
            re.findall(r'\[ *(\d+)\] (\S+) +PROGBITS +\w+ \w+ (\w+) \w+ +AX ', text) if int(size, 16)}


def functions(path):
    """[(section, offset, size, name)]"""
    sections = code_sections(path)
    found = re.findall(r'^ *\d+: (\w+) +(\d+) FUNC +\w+ +\w+ +(\d+) (\S+)$', run('readelf', '-sW', path).stdout, re.M)
    return [(int(section), int(at, 16), int(size), name) for at, size, section, name in found if int(section) in sections and int(size)]


def eu_lines(path, addresses, *options):
    """"FILE:LINE" by address, of those of which elfutils knows it."""
    lines = run('eu-addr2line', *options, '-e', path, *map(hex, addresses), timeout=600).stdout.splitlines()
    short = (':'.join(os.path.basename(line).split(':')[:2]) for line in lines)
    return {address: line for address, line in zip(addresses, short) if not line.endswith((':0', ':?'))}


class KernelPlaces(TestCase):
    def setUp(self):
        super().setUp()
        self.environment = environment(XDG_CACHE_HOME=str(self.directory / 'cache'), DEBUGINFOD_CACHE_PATH=str(self.directory / 'debuginfod'))

    def build(self):
        (self.directory / 'kernel.c').write_text(SOURCE)
        image = self.directory / 'image'
        run('gcc', '-g', '-O2', '-nostdlib', '-static', '-no-pie', '-ffreestanding', '-fno-asynchronous-unwind-tables', '-fno-pie', '-mcmodel=kernel',
            '-Wl,--build-id,-Ttext=0xffffffff81000000', '-o', image, 'kernel.c', cwd=self.directory)
        return image

    def build_module(self):
        (self.directory / 'module.c').write_text(MODULE_SOURCE)
        for name, number in (('first', '1'), ('second', '2')):
            run('gcc', '-c', '-g', '-O2', '-ffreestanding', '-fno-pic', '-mcmodel=kernel', f'-DNAME={name}', f'-DBEGIN=begin_{name}',
                f'-DNUMBER={number}', '-o', f'{name}.o', 'module.c', cwd=self.directory)
        run('ld', '-r', '--build-id', '-o', 'some-module.ko', 'first.o', 'second.o', cwd=self.directory)
        return self.directory / 'some-module.ko'

    def write_capture(self, build_id, start, end, addresses, path=b'[kernel]', flags=KERNEL, names=()):
        """One sample at each address."""
        binary, path = path, self.directory / 'kernel.capture'
        builder = Builder()
        builder.part(container.META, record(65, struct.pack('<II', 6, 5) + b'kernel\0' + b'6.6.6\0'), stream=0, epoch=0)
        builder.part(container.DICTIONARY, b''.join([
            string(1, binary), string(2, b'cpu-clock'), string(3, b'demo'), fixed(2, 'IIIIQ', 1, KERNEL_SPACE, 0, 0, 0xffffffff << 32),
            fixed(6, 'IIQQQQQiI20sI', 1, 1, 0, 0, 0, start, end, 0, flags, build_id, len(build_id)),
            fixed(7, 'IiIIIIQ', 1, 4242, 0, 0, 3, 0, 0), fixed(9, 'IIiIQ', 1, 1, 4242, 3, 0),
            fixed(10, 'IIIIIIQQQQQ', 1, 2, 1, 0, 1, 0, 0, 1, 2, 0, 4999),
            listed(3, 1, 0, 'II', [(1, address & 0xffffffff) for address in addresses]),
            *(listed(4, number, 1, 'I', [(number,)]) for number in range(1, len(addresses) + 1))]))
        builder.part(container.SAMPLES, b''.join(sample(number, 1, number) for number in range(1, len(addresses) + 1)), event=1, entry_size=16)
        builder.part(container.NAMES, b''.join(names))
        path.write_bytes(builder.finish().bytes)
        return path

    def keep(self, file, build_id):
        """As debuginfod's clients keep what they fetched."""
        place = self.directory / 'debuginfod' / build_id
        place.mkdir(parents=True)
        (place / 'debuginfo').symlink_to(file.resolve())
        return place

    def report_with_tree(self, path, module, name, *packer):
        """As where a distribution's debug package of the kernel is installed."""
        debug = self.directory / 'debug'
        tree = debug / 'lib' / 'modules' / '6.6.6' / 'extra'
        tree.mkdir(parents=True)
        (tree / name).write_bytes(run(*packer, module, binary=True).stdout)
        self.addCleanup(unmount, DEBUG)
        found = self.report(path, *OWN_USERS, *OWN_MOUNTS, 'sh', '-c', f'mount --bind {debug} {DEBUG} && exec "$@"', 'sh')
        shutil.rmtree(debug)
        return found

    def report(self, path, *before):
        rows = json.loads(run(*before, CAPTURECTL, 'report', '--json', '--by', 'line', path, env=self.environment).stdout)['rows']
        lines = collections.Counter()
        for row in rows:  # files of several folders may be called alike
            lines.update({row['name']: row['self']} if row['self'] and ':' in row['name'] else {})
        return dict(lines)

    def test_lines(self):
        image = pathlib.Path(os.environ['IMAGE']) if 'IMAGE' in os.environ else self.build()
        build_id = re.search('Build ID: (.*)', run('readelf', '-n', image).stdout)[1]
        text = re.search(r' \.text +PROGBITS +(\w+) \w+ (\w+)', run('readelf', '-SW', image).stdout)
        start, size = (int(number, 16) for number in text.groups())
        addresses = list(range(start, start + size, max(size // 5000, 1)))
        expected = collections.Counter(eu_lines(image, addresses).values())
        path = self.write_capture(bytes.fromhex(build_id), start + SLIDE, start + SLIDE + size, [address + SLIDE for address in addresses])
        self.assertEqual(self.report(path), {})
        place = self.keep(image, build_id)
        found = self.report(path)
        self.assertGreater(len(found), 5)
        different = [line for line in {*found, *expected} if found.get(line, 0) != expected[line]]
        self.assertLessEqual(len(different), len(addresses) // 1000 if 'IMAGE' in os.environ else 0, different)
        (place / 'debuginfo').unlink()
        self.assertEqual(self.report(path), found, 'from the store, without the image')

    def test_module(self):
        """The capture has the names that the kernel says, as the recorder stores them."""
        module = pathlib.Path(os.environ['MODULE']) if 'MODULE' in os.environ else self.build_module()
        build_id = re.search('Build ID: (.*)', run('readelf', '-n', module).stdout)[1]
        put = {number: MODULES + i * APART for i, number in enumerate(code_sections(module))}
        taken = {put[section] + at: (size, name) for section, at, size, name in functions(module)}
        sampled = [start + at for start, (size, _name) in taken.items() for at in range(0, size, max(size * len(taken) // 5000, 1))]
        expected = collections.Counter()
        for number, (name, size) in code_sections(module).items():
            addresses = {address - put[number] for address in sampled if put[number] <= address < put[number] + size}
            expected.update(eu_lines(module, sorted(addresses), '-j', name).values())
        strings = {name: i for i, name in enumerate(sorted({name for _size, name in taken.values()}), 10)}
        names = [string(1, b'[kernel]'), string(2, b'some_module'), *(string(i, name.encode()) for name, i in strings.items()),
                 fixed(80, 'IIQQII20sI', 1, 1, 0, 0, KERNEL, 0, bytes(20), 0),
                 *(listed(81, 1, 0, 'QQIIIIII', [(start, start + size, strings[name], 0, 0, 0, 2, 0)]) for start, (size, name) in sorted(taken.items()))]
        place = self.keep(module, build_id)
        for binary in b'[some_module]', b'/lib/modules/6.6.6/kernel/some-module.ko.xz':  # as perf calls it
            path = self.write_capture(bytes.fromhex(build_id), MODULES, MODULES + APART, sorted(sampled), binary, MODULE, names)
            found = self.report(path)
            self.assertGreater(len(found), 10)
            self.assertEqual(found, dict(expected))
        for by in 'function', 'line', 'file':
            rows = json.loads(capturectl('report', '--json', '--by', by, path, env=self.environment).stdout)['rows']
            self.assertEqual({row['binary'] for row in rows}, {'some_module'})
            self.assertTrue(by != 'function' or 'MODULE' in os.environ or 'mix' in {row['name'] for row in rows}, 'it is inlined everywhere')
        place.rename(self.directory / 'nowhere')
        if os.path.isdir(DEBUG) and not os.path.ismount(DEBUG):
            for packed in ('ko', 'cat'), ('ko.debug', 'cat'), ('ko.xz', 'xz', '--check=crc32', '-c'), ('ko.zst', 'zstd', '-q', '-c'):
                self.assertEqual(self.report_with_tree(path, module, f'some-module.{packed[0]}', *packed[1:]), dict(expected), packed)
            for name in 'some-module.ko.xz', 'some-module.ko.gz', 'some-modules.ko', 'me-module.ko':
                self.assertEqual(self.report_with_tree(path, module, name, 'cat'), {}, name)
        other = self.write_capture(bytes(20), MODULES, MODULES + APART, sorted(sampled), b'[some_module]', MODULE, names)
        (self.directory / 'nowhere').rename(place)
        self.assertEqual(self.report(other), {}, 'of another build')


if __name__ == '__main__':
    unittest.main()
