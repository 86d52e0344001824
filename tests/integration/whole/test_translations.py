# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of the viewer in other languages: all are found, German has all of them, and is what one gets to see."""
import re
import unittest

from support import BUILD, SOURCE, TestCase, environment, language, run

PO = SOURCE / 'po'
ROOMS = 'viewer', 'profile', 'recording'
KEYWORDS = ('_', 'N_', 'C_:1c,2', 'NC_:1c,2', 'ngettext:1,2', 'g_dngettext:2,3', 'g_dpgettext2:2c,3')
IN_CODE = re.compile(r'\b(?:_|N_|C_|NC_|ngettext)\(')
VIEWER = BUILD / 'viewer' / 'capture-viewer'


def words(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith('#')]


def holds_texts(path):
    if path.suffix == '.c':
        return IN_CODE.search(path.read_text()) is not None
    return path.suffix == '.ui' and 'translatable="yes"' in path.read_text()


class TranslationsTest(TestCase):
    def test_every_file_with_texts_is_named(self):
        found = sorted(str(path.relative_to(SOURCE)) for room in ROOMS for path in (SOURCE / room).rglob('*') if holds_texts(path))
        listed = words(PO / 'POTFILES')
        self.assertEqual([path for path in listed if path.split('/')[0] in ROOMS], found)
        for path in listed:
            self.assertTrue((SOURCE / path).is_file(), path)

    def template(self):
        template = self.directory / 'capturectl.pot'
        run('xgettext', '--from-code=UTF-8', '--add-comments', f'--output={template}', f'--files-from={PO / "POTFILES"}',
            f'--directory={SOURCE}', *(f'--keyword={keyword}' for keyword in KEYWORDS))
        return template

    def test_every_language_is_well_formed(self):
        for language in words(PO / 'LINGUAS'):
            with self.subTest(language):
                run('msgfmt', '--check', '--output-file=/dev/null', PO / f'{language}.po')

    def test_german_has_every_text(self):
        merged = self.directory / 'de.po'
        run('msgmerge', '--quiet', '--no-fuzzy-matching', f'--output-file={merged}', PO / 'de.po', self.template())
        for kind in 'untranslated', 'only-fuzzy':
            self.assertEqual(run('msgattrib', f'--{kind}', '--no-obsolete', '--no-wrap', merged).stdout, '', kind)

    def help_in(self, name):
        leaks = f'suppressions={SOURCE}/tests/ui/lsan.supp:print_suppressions=0'
        return run(VIEWER, '--help', env=environment(LSAN_OPTIONS=leaks, **language(name))).stdout

    def test_the_viewer_speaks_the_language_that_is_asked_for(self):
        self.assertIn('Open a new window', self.help_in(''))
        self.assertIn('Ein neues Fenster öffnen', self.help_in('de'))
        self.assertIn('פתיחת חלון חדש', self.help_in('he'))


if __name__ == '__main__':
    unittest.main()
