# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents: links lead to what is there, and paragraphs are short."""
import re
import unittest

from support import SOURCE, TestCase

PAGES = sorted([*SOURCE.glob('*.md'), *SOURCE.glob('docs/*.md'), *SOURCE.glob('tests/**/*.md'), *SOURCE.glob('examples/**/*.md')])
WORDS = 80
LAWS = [SOURCE / 'docs/format.md']  # a definition stays in one piece
LINK = re.compile(r'\[[^]]*\]\(([^)\s]+)\)')
FENCE = re.compile(r'^```.*?^```', re.MULTILINE | re.DOTALL)


def anchors(path):
    """What headings of a page are called in links."""
    found = set()
    for heading in re.findall(r'^#+ (.*)$', FENCE.sub('', path.read_text()), re.MULTILINE):
        words = re.sub(r'[^\w\- ]', '', heading.replace('`', '').lower())
        found.add(words.replace(' ', '-'))
    return found


def paragraphs(text):
    """Those of prose, without code, tables, headings and pictures; each item of a list is one."""
    for block in re.split(r'\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )', FENCE.sub('', text)):
        if block.strip() and not block.startswith('    ') and not block.lstrip().startswith(('|', '#', '!', '<')):
            yield block


class DocumentsTest(TestCase):
    def test_links_lead_somewhere(self):
        broken = []
        for page in PAGES:
            for link in LINK.findall(FENCE.sub('', page.read_text())):
                if '://' in link or link.startswith('mailto:'):
                    continue
                name, _, anchor = link.partition('#')
                target = (page.parent / name).resolve() if name else page
                if not target.exists() or (anchor and anchor not in anchors(target)):
                    broken.append(f'{page.relative_to(SOURCE)}: {link}')
        self.assertEqual(broken, [])

    def test_paragraphs_are_short(self):
        long = [f'{page.relative_to(SOURCE)}, {len(block.split())} words: {block.strip()[:60]}…'
                for page in PAGES if page not in LAWS for block in paragraphs(page.read_text()) if len(block.split()) > WORDS]
        self.assertEqual(long, [])


if __name__ == '__main__':
    unittest.main()
