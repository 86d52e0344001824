# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of sampled kernel addresses, from an image with the build-id that the capture has, beside those of elfutils. The image is linked
like a kernel, and the capture says that it was put elsewhere in memory. IMAGE=vmlinux takes that one instead, of which elfutils may read
a line in a thousand otherwise."""
import collections
import json
import os
import pathlib
import re
import struct
import unittest

from support import TestCase, capturectl, environment, run

from builder import Builder, fixed, listed, record, sample, string
from capture_decoder import container

SLIDE = 0x1a200000
KERNEL, KERNEL_SPACE = 8, 2

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

    def write_capture(self, build_id, start, end, addresses):
        """One sample at each address."""
        path = self.directory / 'kernel.capture'
        builder = Builder()
        builder.part(container.META, record(65, struct.pack('<II', 6, 5) + b'kernel\0' + b'6.6.6\0'), stream=0, epoch=0)
        builder.part(container.DICTIONARY, b''.join([
            string(1, b'[kernel]'), string(2, b'cpu-clock'), string(3, b'demo'), fixed(2, 'IIIIQ', 1, KERNEL_SPACE, 0, 0, 0xffffffff << 32),
            fixed(6, 'IIQQQQQiI20sI', 1, 1, 0, 0, 0, start, end, 0, KERNEL, build_id, len(build_id)),
            fixed(7, 'IiIIIIQ', 1, 4242, 0, 0, 3, 0, 0), fixed(9, 'IIiIQ', 1, 1, 4242, 3, 0),
            fixed(10, 'IIIIIIQQQQQ', 1, 2, 1, 0, 1, 0, 0, 1, 2, 0, 4999),
            listed(3, 1, 0, 'II', [(1, address & 0xffffffff) for address in addresses]),
            *(listed(4, number, 1, 'I', [(number,)]) for number in range(1, len(addresses) + 1))]))
        builder.part(container.SAMPLES, b''.join(sample(number, 1, number) for number in range(1, len(addresses) + 1)), event=1, entry_size=16)
        path.write_bytes(builder.finish().bytes)
        return path

    def report(self, path):
        rows = json.loads(capturectl('report', '--json', '--by', 'line', path, env=self.environment).stdout)['rows']
        return {row['name']: row['self'] for row in rows if row['self'] and ':' in row['name']}

    def test_lines(self):
        image = pathlib.Path(os.environ['IMAGE']) if 'IMAGE' in os.environ else self.build()
        build_id = re.search('Build ID: (.*)', run('readelf', '-n', image).stdout)[1]
        text = re.search(r' \.text +PROGBITS +(\w+) \w+ (\w+)', run('readelf', '-SW', image).stdout)
        start, size = (int(number, 16) for number in text.groups())
        addresses = list(range(start, start + size, max(size // 5000, 1)))
        expected = collections.Counter()
        lines = run('eu-addr2line', '-e', image, *map(hex, addresses), timeout=600).stdout.splitlines()
        for line in lines:
            line = ':'.join(os.path.basename(line).split(':')[:2])
            expected[line] += not line.endswith((':0', ':?'))
        path = self.write_capture(bytes.fromhex(build_id), start + SLIDE, start + SLIDE + size, [address + SLIDE for address in addresses])
        self.assertEqual(self.report(path), {})
        place = self.directory / 'debuginfod' / build_id
        place.mkdir(parents=True)
        (place / 'debuginfo').symlink_to(image.resolve())
        found = self.report(path)
        self.assertGreater(len(found), 5)
        different = [line for line in {*found, *+expected} if found.get(line, 0) != expected[line]]
        self.assertLessEqual(len(different), len(addresses) // 1000 if 'IMAGE' in os.environ else 0, different)
        (place / 'debuginfo').unlink()
        self.assertEqual(self.report(path), found, 'from the store, without the image')


if __name__ == '__main__':
    unittest.main()
