# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is looked at, every page says the numbers that capturectl says of the same filter: of the whole recording, of a span, after
transforms, of the whole again when steps are taken back; and of each event."""
import re

from window import DETAILS, FLAME, FUNCTIONS, HEALTH, MARKS, PROCESSES, TIMELINE, TREE, WindowCase

from captures import Measure, make, report  # behind what says where it is
from recordings import compile_c
from support import capturectl

EVENTS = 'cpu-clock', 'context-switches'
# Works and waits in turn.
WORKS_AND_WAITS = r'''
#include <time.h>

static volatile unsigned long counter;

__attribute__((noinline)) static void work(void)
{
  struct timespec begin, now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  do {
    for (int i = 0; i < 10000; i++)
      counter++;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 100000000);
}

__attribute__((noinline)) static void nap(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, 0);
}

int main(void)
{
  for (int i = 0; i < 4; i++) {
    work();
    nap();
  }
  return 0;
}
'''
# The keys of transforms, and how capturectl is told of them.
TRANSFORMS = {'f': 'focus-function', 'm': 'merge-function', 'd': 'drop-function', 'c': 'collapse-function', 'r': 'collapse-recursion'}


class NumbersCase(WindowCase):
    numbers = {}

    def make_capture(self, path):
        return make(path, samples=8000, threads=4, **self.numbers)

    def setUp(self):
        super().setUp()
        self.path = self.make_capture(self.directory / 'some.capture')
        self.viewer = self.open(self.path, size=(1600, 900))  # where each table has all of its columns
        self.viewer.find('tree item', 'All Samples')

    def show(self, key, page):
        self.viewer.press(key)
        if page not in ('Health', 'Details'):
            self.viewer.find('list item', page, states=['selected'])

    def rows(self, grid):
        """The texts of a table's rows, cell by cell."""
        look = self.viewer.look()
        table = look.find('tree grid', grid)
        rows = [[(look.find_all('label', within=cell) or [cell])[-1] for cell in look.find_all('grid cell', within=row)]
                for row in (look.find_all('row', within=table) if table else [])]
        texts = iter(look.texts([label for row in rows for label in row]))
        return [[next(texts) for _ in row] for row in rows if row]

    def expect_rows(self, grid, expected):
        """Waits until the table's first rows are these."""
        def same():
            return self.rows(grid)[:len(expected)] == expected
        self.viewer.wait(same, lambda: f'{grid} reads\n{expected}\nit reads\n{self.rows(grid)}')

    def check_functions(self, said):
        self.show(FUNCTIONS, 'Functions')
        measure = Measure(said)
        expected = sorted([measure.share(row, 'self'), measure.amount(row, 'self'), measure.share(row, 'total'),
                           measure.amount(row, 'total'), row['name']] for row in said['rows'] if row['self'] > 0)

        def same():  # a row that goes meanwhile may be found without its cells
            return sorted(row[:5] for row in self.rows('Functions') if row[1:2] != ['0']) == expected
        self.viewer.wait(same, lambda: f'functions are\n{expected}\nthey are\n{self.rows("Functions")}')

    def check_tree(self, said):
        """The heaviest path as far as it is open: with other samples it may divide elsewhere, and what was open stays so."""
        self.show(TREE, 'Call Tree')
        measure, node, expected = Measure(said), said['tree'], []

        def expect(node, name):
            expected.append([measure.share(node, 'total'), measure.amount(node, 'total'), measure.amount(node, 'self'), name])
        expect(node, 'All Samples')
        for _ in range(2):
            child = node['children'][0]
            expect(child, child['name'])
            if not child['children'] or 3 * measure.of(child, 'total') < 2 * measure.of(node, 'total'):
                break
            node = child

        def same():
            return [row[:4] for row in self.rows('Call tree')][:len(expected)] == expected
        self.viewer.wait(same, lambda: f'the call tree reads\n{expected}\nit reads\n{self.rows("Call tree")}')

    def check_flame_graph(self, said):
        self.show(FLAME, 'Flame Graph')
        # What it showed before is laid out anew, by a thread, when it is seen again.
        self.viewer.rest()
        self.viewer.press('Home')
        measure, root = Measure(said), said['tree']
        only = root['children'] if len(root['children']) == 1 else []
        for name, node in ('All Samples', root), *((child['name'], child) for child in only):
            expected = f'{measure.share(node, "total")}, {measure.amount(node, "total")}'

            def says():
                box = self.viewer.find('tree item', states=['focused'])
                return box.name == name and re.match(rf'{re.escape(expected)}($|, )', box.description)
            self.viewer.wait(says, f'the box of “{name}” says {expected}')
            self.viewer.press('Down')

    def check_all(self, *filter_):
        said = report(self.path, '--tree', '--limit', '0', *filter_)
        self.check_functions(said)
        self.check_tree(said)
        self.check_flame_graph(said)
        return said['samples']

    def select_function(self, name):
        """In the list of functions."""
        self.show(FUNCTIONS, 'Functions')
        self.viewer.click(self.viewer.find_at_rest('row', re.compile(rf'^{name}, ')))
        self.viewer.find('row', re.compile(rf'^{name}, '), states=['selected'])

    def select_first_quarter(self):
        overview = self.viewer.find('slider', 'Selected Span of Time')
        self.viewer.click(overview)
        self.viewer.find('slider', 'Selected Span of Time', states=['focused'])
        self.viewer.press('Right')
        self.viewer.press(*['shift+Right'] * 15)
        self.viewer.wait(lambda: overview.description.startswith('0.00 s – 2.00 s'), lambda: f'two seconds are selected; it is {overview.description}')


class Numbers(NumbersCase):
    def test_of_the_whole_recording(self):
        self.assertEqual(self.check_all(), 8000)

    def test_of_a_span(self):
        self.select_first_quarter()
        self.assertLess(self.check_all('--time', '0,2'), 2100)
        self.viewer.find('button', 'Zoom into Selection').act()
        self.viewer.find('button', re.compile('0.*s – 2.*s'))
        self.check_all('--time', '0,2')
        self.viewer.press('ctrl+z')
        self.check_all()
        self.viewer.press('ctrl+shift+z')
        self.check_all('--time', '0,2')

    def test_after_each_transform(self):
        for key, kind in TRANSFORMS.items():
            with self.subTest(kind):
                self.select_function('fold')
                self.viewer.press(key)
                self.viewer.find('button', re.compile(': fold$'))
                self.check_all('--transform', f'{kind}:fold')
                self.viewer.press('ctrl+z')
                self.viewer.find_gone('button', re.compile(': fold$'))
        self.check_all()

    def test_after_transforms_in_a_row_and_back_by_breadcrumbs(self):
        self.select_function('lex')
        self.viewer.press('m')
        self.viewer.find('button', 'Merge: lex')
        self.select_function('parse_expression')
        self.viewer.press('f')
        self.viewer.find('button', 'Focus: parse_expression')
        both = ['--transform', 'merge-function:lex', '--transform', 'focus-function:parse_expression']
        self.check_all(*both)
        self.viewer.find('button', 'Merge: lex').act()
        self.viewer.find_gone('button', 'Focus: parse_expression')
        self.check_all(*both[:2])
        self.viewer.find('button', 'Whole Recording').act()
        self.check_all()


class EventsCase(NumbersCase):
    """Which of the events is looked at, is chosen beside the breadcrumbs."""

    def choose_event(self, name, key):
        chooser = self.viewer.find('combo box', 'Event')
        self.viewer.click(chooser)
        self.viewer.find('list item', within=chooser, states=('focused',))
        for each in key, 'Return':
            self.viewer.screen.press(each)
        self.viewer.find_gone('list item', within=chooser, states=('focused',))  # until then the list takes all keys
        self.viewer.wait(lambda: chooser.description == name, lambda: f'{name} is chosen; it is {chooser.description}')
        self.viewer.find('label', name, within=chooser)

    def check_processes(self, said):
        self.show(PROCESSES, 'Processes')
        measure = Measure(said)
        expected = {row['name']: {str(row['pid']), measure.amount(row, 'self'), measure.share(row, 'self')} for row in said['rows']}

        def same():
            shown = {}
            for row in self.rows('Processes and Threads'):
                shown.setdefault(row[0], set(row))  # a process stands above its threads, of which one has its name
            return all(expected[name] <= shown.get(name, set()) for name in expected)
        self.viewer.wait(same, lambda: f'processes are\n{expected}\nthey are\n{self.rows("Processes and Threads")}')

    def check_time_line(self, said):
        self.show(TIMELINE, 'Time Line')
        measure = Measure(said)
        for row in said['rows']:
            amount = measure.amount(row, 'self') + ('' if measure.has_time else ' samples')
            self.viewer.find('image', re.compile(rf'^{re.escape(row["name"])}: (.*, )?{amount}$'))

    def check_event(self, name):
        samples = self.check_all('-e', name)
        said = report(self.path, '--by', 'process', '-e', name)
        self.check_processes(said)
        self.check_time_line(said)
        self.viewer.find_gone('label', 'No Samples')
        return samples


class Events(EventsCase):
    numbers = {'switches': 1200, 'marks': 40}

    def test_each_page_is_of_the_event(self):
        self.assertEqual(self.check_event('cpu-clock'), 8000)
        self.choose_event('context-switches', 'Down')
        self.assertEqual(self.check_event('context-switches'), 1200)
        self.choose_event('cpu-clock', 'Up')
        self.assertEqual(self.check_event('cpu-clock'), 8000)

    def test_steps_stay(self):
        self.select_function('parse')
        self.viewer.press('f')
        self.viewer.find('button', 'Focus: parse')
        self.choose_event('context-switches', 'Down')
        self.check_all('-e', 'context-switches', '--transform', 'focus-function:parse')
        self.viewer.find('button', 'Whole Recording').act()
        self.check_all('-e', 'context-switches')

    def test_recents_and_details_say_how_many_of_all_events(self):
        self.show(DETAILS, 'Details')
        self.viewer.find('label', '9200')
        self.viewer.find('label', 'Of all events together')
        self.viewer.press('ctrl+r')
        self.viewer.wait(lambda: len(self.viewer.windows()) == 2, 'there is a start page')
        self.viewer.find('label', re.compile('· 9200 samples in '))

    def test_marks_and_the_recording_itself_stay(self):
        def look(key, page):
            self.show(key, page)
            self.viewer.rest()
            tips = {label for tip in self.viewer.find_all(name='GtkTooltipWindow') for label in self.viewer.find_all('label', within=tip)}
            texts = [node.text for node in self.viewer.find_all('label') if node not in tips]  # the pointer is where another test left it
            texts += [node.name for node in self.viewer.find_all('grid cell')]
            return sorted(text for text in texts if text not in EVENTS)
        pages = (HEALTH, 'Health'), (DETAILS, 'Details')
        before = [look(*page) for page in pages]
        self.viewer.find_gone('combo box', 'Event')
        self.show(FUNCTIONS, 'Functions')
        self.choose_event('context-switches', 'Down')
        self.assertEqual([look(*page) for page in pages], before)
        self.show(MARKS, 'Marks')
        self.viewer.find('label', '40 marks')


class Waiting(EventsCase):
    """Time off the CPU, as `record --off-cpu` found it, is said as time."""

    def make_capture(self, path):
        program = compile_c(self.directory, 'works-and-waits', WORKS_AND_WAITS)
        capturectl('record', '-q', '--off-cpu', '-o', path, '--', program)
        return path

    def test_each_page_says_how_long(self):
        self.choose_event('off-cpu', 'Down')
        self.check_event('off-cpu')
        self.choose_event('cpu-clock', 'Up')
        self.check_tree(report(self.path, '--tree', '--limit', '0', '-e', 'cpu-clock'))
