# SPDX-License-Identifier: GPL-3.0-or-later
"""Call tree and functions, by their keys and by the pointer, as a screen reader reads them; their numbers are those of capturectl."""
import re

from window import FUNCTIONS, TREE, WindowCase  # first: it says where others lie

from captures import amount, make, report, share

TREE_ROW = re.compile(r'^(.*), ([<\d.]+ %), total (.+), self (.+)$')
FUNCTION_ROW = re.compile(r'^(.*), self ([<\d.]+ %), total ([<\d.]+ %)$')
STEP = 14  # pixels of indentation; an arrow is a little wider


class PagesCase(WindowCase):
    page = None
    size = 1100, 940

    def setUp(self):
        super().setUp()
        self.path = make(self.directory / 'some.capture', threads=1)
        self.viewer = self.open(self.path, size=self.size)
        self.viewer.press(self.page)

    def rows(self, pattern, within=None):
        """What the rows that are in sight say, from the top."""
        look = self.viewer.look()
        return [pattern.match(look.name(node)).groups() for node in look.find_all('row', pattern, within)]

    def expect_rows(self, expected, pattern, within=None):
        """Waits until the rows are those; so much for the numbers of a filter that is being counted."""
        seen = []

        def are():
            seen[:] = self.rows(pattern, within() if within else None)
            return seen == expected
        try:
            self.viewer.wait(are, 'the rows are there')
        except AssertionError:
            self.assertEqual(seen, expected)

    def click_row(self, pattern, within=None, **how):
        """Once all rows are where they stay."""
        self.viewer.click(self.viewer.find_at_rest('row', pattern, within), **how)

    def focus_row(self, name):
        self.click_row(re.compile(rf'^{re.escape(name)}, '))
        self.expect_focus(name)

    def expect_focus(self, name):
        self.viewer.find('row', re.compile(rf'^{re.escape(name)}, '), states=['focused'])


def flatten(node, samples, closed=None):
    """The rows of a tree of a report in their order, but for those below nodes that are closed."""
    rows = [(node['name'] or 'All Samples', share(node['total'], samples), amount(node, 'total'), amount(node, 'self'))]
    for child in [] if closed and node['name'] == closed else node['children']:
        rows += flatten(child, samples, closed)
    return rows


class TreeTest(PagesCase):
    page = TREE

    def expect_report(self, *arguments):
        said = report(self.path, '--tree', '--limit', '0', *arguments)
        self.expect_rows(flatten(said['tree'], said['samples']), TREE_ROW)

    def open_all(self):
        self.focus_row('All Samples')
        self.viewer.press('asterisk')

    def test_numbers_are_those_of_report(self):
        self.open_all()
        self.expect_report()

    def test_the_heaviest_path_is_open_to_where_it_divides(self):
        main, = report(self.path, '--tree', '--limit', '0')['tree']['children']
        expected = ['All Samples', 'main', *(child['name'] for child in main['children'])]
        self.viewer.wait(lambda: [row[0] for row in self.rows(TREE_ROW)] == expected,
                         lambda: f'{expected} are there; {self.rows(TREE_ROW)} are')

    def test_arrows_open_and_close(self):
        self.focus_row('All Samples')
        self.viewer.press('Left')
        self.viewer.wait(lambda: len(self.rows(TREE_ROW)) == 1, 'the root is closed')
        self.viewer.press('Right')
        self.viewer.wait(lambda: len(self.rows(TREE_ROW)) > 1, 'the root is open')
        self.viewer.press('Right')
        self.expect_focus('main')
        self.viewer.press('Down', 'Right')
        self.viewer.find('row', re.compile('^read_file, '))
        self.viewer.press('Left')
        self.viewer.find_gone('row', re.compile('^read_file, '))
        self.viewer.press('Left')
        self.expect_focus('main')
        self.viewer.press('Left')
        self.viewer.wait(lambda: len(self.rows(TREE_ROW)) == 2, 'main is closed')

    def click_arrow(self, function, depth):
        row = self.viewer.find_at_rest('row', re.compile(f'^{function}, '))
        name = self.viewer.find('grid cell', function, row)
        self.viewer.click(self.viewer.place_of(name, across=(depth * STEP + STEP // 2) / self.viewer.extents_of(name)[2]))
        return row

    def test_the_arrow_is_clicked(self):
        main = self.click_arrow('main', 1)
        self.viewer.wait(lambda: len(self.rows(TREE_ROW)) == 2, 'main is closed')
        self.assertNotIn('selected', main.states)

    def test_closing_and_opening_leaves_the_others_as_they_are(self):
        """Whether what is selected stands there, before or behind."""
        said = report(self.path, '--tree', '--limit', '0')
        self.open_all()
        for selected in 'parse', 'load', 'emit':
            with self.subTest(selected):
                self.focus_row(selected)
                self.click_arrow('parse', 2)
                self.expect_rows(flatten(said['tree'], said['samples'], 'parse'), TREE_ROW)
                self.viewer.find('row', re.compile(f'^{selected}, '), states=['selected'])
                self.click_arrow('parse', 2)
                self.expect_report()
                self.viewer.find('row', re.compile(f'^{selected}, '), states=['selected'])

    def open_large(self, **numbers):
        """Another capture, all rows of its tree open. What they say."""
        self.viewer.close()
        self.path = make(self.directory / 'large.capture', **numbers)
        self.viewer = self.open(self.path, size=self.size)
        self.viewer.press(self.page)
        self.open_all()
        said = report(self.path, '--tree', '--limit', '0')
        return flatten(said['tree'], said['samples'])

    def test_deep_levels_are_seen_as_levels(self):
        """Those that all rows in sight share are left out, so that the deepest row begins where names have room."""
        self.size = 1300, 940  # levels are as wide as can be
        expected = self.open_large(threads=2, stacks=1, depth=100)
        self.viewer.press('End')
        self.viewer.wait(lambda: self.rows(TREE_ROW)[-1] == expected[-1], 'the last row is there')
        self.viewer.rest()
        parent = self.viewer.find_all('row', TREE_ROW)[-2]
        name = self.viewer.find_all('grid cell', TREE_ROW.match(parent.name)[1], parent)[0]
        width = self.viewer.extents_of(name)[2]
        levels = width * 6 // 10 // STEP
        self.viewer.click(self.viewer.place_of(name, across=((levels - 1) * STEP + STEP // 2) / width))
        self.viewer.wait(lambda: self.rows(TREE_ROW)[-1] == expected[-2], 'the row above it is closed')

    def test_a_large_tree_closes_and_opens(self):
        """Whatever is pressed meanwhile."""
        expected = self.open_large(stacks=300)
        self.assertGreater(len(expected), 1000)
        grid = self.viewer.find('tree grid', 'Call tree')
        for keys in ('Left', 'Right'), ('Left', 'Right', 'Left', 'Right'), ('Left', 'End', 'Down', 'Home', 'Right'):
            with self.subTest(keys):
                self.viewer.wait(lambda: self.rows(TREE_ROW)[:20] == expected[:20], 'all is open')
                self.viewer.press(keys[0])
                self.viewer.wait(lambda: len(self.viewer.find_all('row', within=grid)) == 2, 'nothing but titles and the root is left')
                self.assertEqual(self.rows(TREE_ROW), expected[:1])
                self.viewer.press('Right')
                self.viewer.press(*keys)
                self.expect_focus('All Samples')
        self.viewer.wait(lambda: self.rows(TREE_ROW)[:20] == expected[:20], 'all is open')

    def test_going_far(self):
        """There are widgets for rows in sight only, and for the one that has the focus."""
        expected = self.open_large(stacks=300)
        self.viewer.wait(lambda: self.rows(TREE_ROW)[:20] == expected[:20], 'all is open')
        page = len(self.rows(TREE_ROW)) - 2  # of the last one in sight there may be a part only

        def expect(position):
            """That row has the focus, is selected and lies whole among its neighbours."""
            name, share, total, own = expected[position]
            selected = self.viewer.find('row', f'{name}, {share}, total {total}, self {own}', states=['selected', 'focused'])
            rows = self.rows(TREE_ROW)
            first = next(i for i in range(len(expected)) if expected[i:i + len(rows)] == rows)
            self.assertTrue(first <= position < first + len(rows))
            grid = self.viewer.find('tree grid', 'Call tree')
            _, top, _, height = grid.extents
            _, y, _, row_height = selected.extents
            self.assertTrue(top <= y and y + row_height <= top + height)
            return first
        self.viewer.press('End')
        last = len(expected) - 1
        first = expect(last)
        self.assertEqual(first + len(self.rows(TREE_ROW)) - 1, last)
        self.assertLess(len(self.viewer.find_all('row', showing=False)), 3 * page)
        self.viewer.press('Up', 'Page_Up')
        expect(last - 1 - page)
        self.viewer.press('Home')
        self.assertEqual(expect(0), 0)
        self.viewer.press('Page_Down', 'Page_Down')
        expect(2 * page)
        grid = self.viewer.find('tree grid', 'Call tree')
        x, y, width, height = grid.extents
        self.viewer.screen.scroll((x + width // 2, y + height // 2), 'down', 40)
        self.viewer.rest()
        (_, at, _, row_height), = [row.extents for row in self.viewer.find_all('row', states=['focused'])]
        self.assertLess(at, y + row_height, 'what has the focus is out of sight')
        self.viewer.press('Down')
        expect(2 * page + 1)

    def test_transforms_and_back(self):
        self.open_all()
        crumb = re.compile('^(Merge|Collapse|Drop|Focus|Subtree).*: ')
        for key, transform in (('m', 'merge-function:fold'), ('c', 'collapse-function:fold'), ('d', 'drop-function:fold'),
                               ('f', 'focus-function:fold'), ('shift+f', 'focus-path:main;optimise;fold'),
                               ('shift+m', 'merge-path:main;optimise;fold'), ('r', 'collapse-recursion:fold'),
                               ('shift+c', 'collapse-binary:program')):
            with self.subTest(transform):
                self.focus_row('fold')
                self.viewer.press(key)
                self.viewer.find('button', crumb)
                self.open_all()
                self.expect_report('--transform', transform)
                self.viewer.press('ctrl+z')
                self.viewer.find_gone('button', crumb)
                self.open_all()
                self.expect_report()

    def test_only_samples_of_a_binary(self):
        """Stacks stay whole; those of samples that were taken elsewhere are gone."""
        self.open_all()
        self.focus_row('fold')
        self.viewer.press('shift+F10')
        self.viewer.find_menu_item('Show _Only This Binary').act()
        self.viewer.find('button', 'program')
        self.open_all()
        self.expect_report('--binary', 'program')
        self.viewer.press('ctrl+z')
        self.viewer.find_gone('button', 'program')
        self.open_all()
        self.expect_report()

    def test_menu_by_pointer_and_by_key(self):
        self.click_row(re.compile('^main, '), button='right')
        self.viewer.find_menu_item('_Focus on Function')
        self.viewer.press('Escape')
        self.viewer.find_no_menu_item('_Focus on Function')
        self.expect_focus('main')
        self.viewer.press('shift+F10')
        self.viewer.find_menu_item('_Expand All Below').act()
        self.expect_report()

    def test_copying(self):
        self.open_all()
        titles, row = self.viewer.copy().splitlines()
        self.assertEqual(titles.split(), ['Total', '%', 'Total', 'Self', 'Function'])
        self.assertRegex(row, r'^ *100.0 % +\S+ m?s +0  All Samples$')
        said = report(self.path, '--tree', '--limit', '0')
        pattern = re.compile(r' *(\S+ %) +(\S+(?: m?s)?) +(\S+(?: m?s)?)  ((?:  )*)(\S.*?)(?:  \(.*\))?$')
        copied = [pattern.match(line).groups() for line in self.viewer.copy('ctrl+shift+c').splitlines()[1:]]
        self.assertEqual([(name, share, total, own) for share, total, own, _, name in copied], flatten(said['tree'], said['samples']))
        self.assertEqual([(name, len(indentation)) for *_, indentation, name in copied[:3]], [('All Samples', 0), ('main', 2), ('load', 4)])

    def test_search_goes_to_places(self):
        self.viewer.press('ctrl+f')
        self.viewer.type('LEX')
        said = report(self.path, '--tree', '--limit', '0')
        found = []

        def find(node):
            found.extend([node['total']] if node['name'] == 'lex' else [])
            for child in node['children']:
                find(child)
        find(said['tree'])
        total = sum(found)
        self.viewer.find(name=re.compile(rf'^1 function, {re.escape(share(total, said["samples"]))}'))
        self.viewer.press('Return')
        self.viewer.find('row', re.compile('^lex, '), states=['selected'])
        self.viewer.press('Return')
        self.viewer.wait(lambda: len([row for row in self.rows(TREE_ROW) if row[0] == 'lex']) == 2, 'the other one is there, too')

    def test_bottom_up(self):
        said = {row['name']: row for row in report(self.path)['rows'] if row['self']}
        self.viewer.find(None, 'Bottom-Up').act()
        self.viewer.find('row', re.compile('^copy_page, '))
        self.focus_row('All Samples')
        self.viewer.press('Left', 'Right')
        self.viewer.rest()
        for _ in said:
            self.viewer.press('Down', 'Left')

        def seen():
            rows = {row[0]: row[2] for row in self.rows(TREE_ROW)}
            return {name: rows.get(name) for name in said}
        expected = {name: amount(row, 'self') for name, row in said.items()}
        self.viewer.wait(lambda: seen() == expected, lambda: f'{expected} are there; {seen()} are')

    def test_nothing(self):
        viewer = self.viewer
        viewer.close()
        self.viewer = self.open(make(self.directory / 'empty.capture', samples=0))
        for page in (TREE, FUNCTIONS):
            self.viewer.press(page)
            self.viewer.find('label', 'No Samples')
            self.viewer.find('label', re.compile('holds no samples'))


class FunctionsTest(PagesCase):
    page = FUNCTIONS
    size = 1400, 940  # there is room for all columns

    def table(self):
        return self.viewer.find('tree grid', 'Functions')

    def expect_names(self, names):
        self.viewer.wait(lambda: [row[0] for row in self.rows(FUNCTION_ROW, self.table())] == names,
                         lambda: f'{names} are there; {[row[0] for row in self.rows(FUNCTION_ROW, self.table())]} are')

    def test_numbers_are_those_of_report(self):
        said = report(self.path)
        self.expect_rows([(row['name'], share(row['self'], said['samples']), share(row['total'], said['samples']))
                          for row in said['rows']], FUNCTION_ROW, self.table)
        for row in said['rows']:
            node = self.viewer.find('row', re.compile(rf'^{re.escape(row["name"])}, '), self.table())
            look = self.viewer.look()
            texts = look.texts(look.find_all('grid cell', within=node))
            self.assertEqual(texts, [share(row['self'], said['samples']), amount(row, 'self'), share(row['total'], said['samples']),
                                     amount(row, 'total'), row['name'], row['binary'].split('/')[-1]])

    def test_titles_sort(self):
        rows = report(self.path)['rows']
        self.viewer.click(self.viewer.find_at_rest('label', 'Function', self.table()))
        self.expect_names(sorted((row['name'] for row in rows), key=str.lower))
        self.viewer.click(self.viewer.find_at_rest('label', 'Function', self.table()))
        self.expect_names(sorted((row['name'] for row in rows), key=str.lower, reverse=True))
        self.viewer.click(self.viewer.find_at_rest('label', 'Total', self.table()))
        totals = {row['name']: row['total'] for row in rows}
        self.viewer.wait(lambda: [totals[row[0]] for row in self.rows(FUNCTION_ROW, self.table())] == sorted(totals.values()),
                         'the rows are sorted by total')

    def test_search_filters(self):
        self.viewer.press('ctrl+f')
        self.viewer.type('fold')
        self.expect_names(['fold'])
        self.viewer.type('x')
        self.viewer.find('label', 'No Function Found')
        self.viewer.press('Escape')
        self.expect_names([row['name'] for row in report(self.path)['rows']])

    def test_copying(self):
        said = report(self.path)
        rows = ['\t'.join((share(row['self'], said['samples']), amount(row, 'self'), share(row['total'], said['samples']),
                           amount(row, 'total'), str(row['total']), row['name'], row['binary'])) for row in said['rows']]
        titles, *copied = self.viewer.copy().splitlines()
        self.assertEqual(titles, 'Self %\tSelf\tTotal %\tTotal\tSamples\tFunction\tBinary')
        self.assertEqual(copied, rows)
        self.focus_row('fold')
        self.assertEqual(self.viewer.copy().splitlines(), [titles, *(row for row in rows if row.split('\t')[5] == 'fold')])

    def test_numbers_of_samples(self):
        """Are in a column that can be chosen."""
        self.viewer.find_gone('label', 'Samples')
        self.viewer.press('F10')
        self.viewer.find_menu_item('Show Numbers of _Samples').act()
        self.viewer.find('label', 'Samples', self.table())
        for row in report(self.path)['rows']:
            self.viewer.find('grid cell', str(row['total']), self.viewer.find('row', re.compile(rf'^{re.escape(row["name"])}, '), self.table()))

    def test_copying_many(self):
        """As many rows as have room, with a word that there are more."""
        self.viewer.close()
        self.path = make(self.directory / 'many.capture', samples=40000, stacks=20000, functions=12000)
        self.viewer = self.open(self.path, size=self.size)
        self.viewer.press(self.page)
        self.viewer.find('row', FUNCTION_ROW, self.table())
        text = self.viewer.copy(message=re.compile('^The beginning was copied'))
        _, *copied, last = text.splitlines()
        rows = report(self.path, '--limit', '0')['rows']
        self.assertGreater(len(text.encode()), 249000)
        self.assertLess(len(text.encode()), 262144)
        self.assertEqual([row.split('\t')[1] for row in copied], [amount(row, 'self') for row in rows[:len(copied)]])
        self.assertEqual(last, '…')

    def test_callers_and_callees(self):
        self.viewer.find('label', 'No Function Selected')
        self.click_row(re.compile('^fold, '), self.table())
        for name, option in ('Callers', '--callers'), ('Callees', '--callees'):
            said = report(self.path, option, 'fold', '--limit', '0')
            grid = self.viewer.find('tree grid', name)
            self.click_row(re.compile('^fold, '), grid)
            self.viewer.press('asterisk')
            self.expect_rows(flatten(said['tree'], said['tree']['total']), TREE_ROW, lambda: self.viewer.find('tree grid', name))

    def test_without_callers_or_callees(self):
        self.click_row(re.compile('^main, '), self.table())
        self.viewer.find('label', 'Nothing calls it: stacks begin with it.')
        self.viewer.find('tree grid', 'Callees')
        self.click_row(re.compile('^copy_page, '), self.table())
        self.viewer.find('label', 'It calls nothing that was sampled.')
        self.viewer.find_gone('tree grid', 'Callees')
        self.viewer.find('tree grid', 'Callers')

    def test_the_selection_is_shared_with_the_tree(self):
        self.click_row(re.compile('^lex, '), self.table())
        self.viewer.press(TREE)
        self.viewer.find('row', re.compile('^lex, '), self.viewer.find('tree grid', 'Call tree'), states=['selected'])
        self.focus_row('parse')
        self.viewer.press(FUNCTIONS)
        self.viewer.find('row', re.compile('^parse, '), self.table(), states=['selected'])

    def test_a_transform(self):
        self.click_row(re.compile('^fold, '), self.table())
        self.viewer.press('d')
        said = report(self.path, '--transform', 'drop-function:fold')
        self.expect_rows([(row['name'], share(row['self'], said['samples']), share(row['total'], said['samples']))
                          for row in said['rows']], FUNCTION_ROW, self.table)
