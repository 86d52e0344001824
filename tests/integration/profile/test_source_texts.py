# SPDX-License-Identifier: GPL-3.0-or-later
"""Source that captures bring along: only where it was asked for, and only of files below the directories that were named."""
import json
import unittest

from support import TestCase, capturectl, run

from capture_decoder import Capture

SOURCE = '''volatile unsigned sink;
#include "inside.h"
#include "../outside/outside.h"
#include "link.h"
int main(void) {
  for (int i = 0; i < 300; i++)
    sink += inside(200000 + i) + outside(200000 + i) + linked(200000 + i);
  return 0;
}
'''
FUNCTION = '''static __attribute__((noinline, noclone, noipa)) unsigned {name}(unsigned n) {{
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++)
    sum = sum * 31 + sink;
  return sum;
}}
'''


class SourceTexts(TestCase):
    def setUp(self):
        super().setUp()
        self.inside, self.outside = self.directory / 'src', self.directory / 'outside'
        for directory in self.inside, self.outside:
            directory.mkdir()
        (self.inside / 'main.c').write_text(SOURCE)
        (self.inside / 'inside.h').write_text(FUNCTION.format(name='inside'))
        (self.outside / 'outside.h').write_text(FUNCTION.format(name='outside'))
        (self.outside / 'linked.h').write_text(FUNCTION.format(name='linked'))
        (self.inside / 'link.h').symlink_to(self.outside / 'linked.h')
        self.program = self.directory / 'program'
        run('gcc', '-O2', '-g', '-o', self.program, self.inside / 'main.c')
        self.path = self.directory / 'program.capture'

    def record(self, *options):
        capturectl('record', '-q', '-F', '1999', *options, '-o', self.path, '--', self.program)

    def texts(self):
        """{path: text}, by the second decoder."""
        return Capture(self.path).sources

    def annotate(self, function):
        return json.loads(capturectl('annotate', '--json', function, self.path).stdout)

    def test_below(self):
        """A link that leads out of the directory leads to a file that is not below it."""
        self.record('--source', self.inside)
        texts = self.texts()
        self.assertEqual({path.rpartition('/')[2] for path in texts}, {'main.c', 'inside.h'})
        self.assertEqual(texts[str(self.inside / 'inside.h')].decode(), FUNCTION.format(name='inside'))

    def test_elsewhere(self):
        """The text that ran is shown although the file has changed, or is gone."""
        self.record('--source', self.inside)
        (self.inside / 'inside.h').write_text('changed\\n')
        files = self.annotate('inside')['files']
        self.assertEqual({file['origin'] for file in files if file['path'].endswith('inside.h')}, {'capture'})
        lines = [line for file in files for line in file['lines']]
        self.assertIn('    sum = sum * 31 + sink;', [line['text'] for line in lines])
        (self.inside / 'inside.h').unlink()
        self.assertIn('sum = sum * 31 + sink;', capturectl('annotate', 'inside', self.path).stdout)
        (self.outside / 'outside.h').unlink()
        self.assertNotIn('sum = sum * 31 + sink;', capturectl('annotate', 'outside', self.path).stdout)

    def test_not_asked(self):
        self.record()
        self.assertEqual(self.texts(), {})

    def test_large(self):
        """In pieces, from the first on."""
        text = FUNCTION.format(name='inside') + '/* ' + 'x' * 700_000 + ' */\\n'
        (self.inside / 'inside.h').write_text(text)
        self.record('--source', self.inside, '--source', self.outside)
        texts = self.texts()
        self.assertEqual(texts[str(self.inside / 'inside.h')].decode(), text)
        self.assertGreaterEqual(len(texts), 4)

    def test_wrong(self):
        done = capturectl('record', '--source', self.program, '--', 'true', status=2)
        self.assertIn('is not a directory; --source takes one that has source files', done.stderr)
        capturectl('record', '--source', self.inside, '--no-names', '--', 'true', status=2)


if __name__ == '__main__':
    unittest.main()
