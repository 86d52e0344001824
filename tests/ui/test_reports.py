# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages about the recording itself, its marks and its processes."""
import json
import re
import sys

from window import DETAILS, FUNCTIONS, HEALTH, MARKS, PROCESSES, TREE, WindowCase

from captures import duration, make, report, share
from support import capturectl



def info(path):
    return json.loads(capturectl('info', '--json', path).stdout)


class Reports(WindowCase):
    def open_page(self, key, **numbers):
        """A viewer that shows a page of a capture, and the capture."""
        path = make(self.directory / 'some.capture', **numbers)
        viewer = self.open(path)
        viewer.find('button', 'Whole Recording')
        viewer.press(key)
        return viewer, path

    def test_health_is_what_info_says(self):
        viewer, path = self.open_page(HEALTH, samples=8000, lost=500)
        said = info(path)
        stacks = said['user_stacks']
        lost, all_samples = said['lost'], said['samples'] + said['lost']
        viewer.find('label', f'{share(stacks["complete"], stacks["samples"])} of stacks are complete, and '
                             f'{share(lost, all_samples)} of samples were lost.')
        viewer.find('label', f'{lost} of {all_samples}')
        for entry in stacks['incomplete']:
            viewer.find('label', f'{entry["samples"]} of {stacks["samples"]}')
            # What keeps an option on one line is not seen.
            viewer.find('label', re.compile('^' + re.escape(entry['advice']).replace('\\-', '-\u2060?') + '$'))
            viewer.find('grid cell', entry['binary'])
        _, _, width, _ = viewer.find_at_rest('grid cell', 'Deeper than recorded').extents
        self.assertGreater(width, 100, 'the column is as wide as its texts')

    def test_the_badge_leads_to_what_it_warns_of(self):
        viewer, _ = self.open_page(PROCESSES, lost=500)
        viewer.find('button', '1 Warning').act()
        viewer.find('label', 'Many Samples Were Lost')

    def test_marks_are_what_report_says(self):
        viewer, path = self.open_page(MARKS, marks=2000)
        row, = report(path, '--by', 'mark')['rows']
        viewer.find('grid cell', str(row['count']))
        viewer.find('grid cell', f'{row["category"]}: {row["name"]}')
        viewer.find('label', '2000 marks')

    def test_marks_are_searched(self):
        viewer, _ = self.open_page(MARKS, marks=20)
        viewer.press('ctrl+f')
        viewer.find('search box', 'Search Marks', states=('focused',))
        viewer.type('st')
        viewer.find('status', '20 marks')
        viewer.type('x')
        viewer.find('label', 'No Mark Found')
        viewer.press('Escape')
        viewer.find('label', '20 marks')

    def test_without_marks_there_is_no_page_of_them(self):
        viewer, _ = self.open_page(PROCESSES)
        viewer.find('label', 'program')
        viewer.press(MARKS)
        viewer.rest()
        viewer.find('label', 'program')
        self.assertFalse(viewer.find_all('list item', 'Marks'))

    def test_processes_are_what_report_says(self):
        viewer, path = self.open_page(PROCESSES)
        said = report(path, '--by', 'process')
        for row in said['rows']:
            viewer.find('label', row['name'])
            viewer.find('grid cell', str(row['pid']))
            viewer.find('grid cell', share(row['total'], sum(other['total'] for other in said['rows'])))

    def test_columns_without_a_word_are_left_out(self):
        viewer, _ = self.open_page(MARKS, marks=20)
        viewer.find(name='95th Percentile')
        viewer.find_gone(name='Message')
        viewer.press(PROCESSES)
        viewer.find(name='Command Line')
        for title in 'Start', 'End':
            viewer.find_gone(name=title)

    def test_few_names_of_marks_leave_room_to_marks(self):
        viewer, _ = self.open_page(MARKS, marks=2000)
        _, top, _, _ = viewer.find_at_rest(None, 'Marks by Name').extents
        _, bottom, _, _ = viewer.find_at_rest('label', '2000 marks').extents
        self.assertLess(bottom - top, 130)

    def test_many_threads_push_no_process_out_of_sight(self):
        viewer, _ = self.open_page(PROCESSES, threads=400)
        viewer.find('label', 'program')
        viewer.find('label', 'helper')
        viewer.find_gone('label', 'worker-1')

    def expect_samples(self, viewer, samples):
        """Of all that is shown, as the call tree has it: each stands for a millisecond."""
        viewer.press(TREE)
        viewer.find('row', re.compile(rf'^All Samples, 100\.0 %, total {duration(samples * 1_000_000)}, '))

    def activate(self, viewer, row, key='Return'):
        """Chooses the row that holds the text and presses a key on it."""
        viewer.click(viewer.find_at_rest(None, row))
        viewer.press(key)

    def expect_span(self, viewer, pattern):
        overview = viewer.find('slider', 'Selected Span of Time')
        viewer.wait(lambda: re.search(pattern, overview.description), lambda: f'“{pattern}” is selected; it is “{overview.description}”')

    def test_a_mark_selects_its_time(self):
        viewer, path = self.open_page(MARKS, marks=40)
        self.activate(viewer, '0.600000 s')
        self.expect_span(viewer, r'^0\.60+ s – 0\.80+ s, ')
        viewer.find('label', '40 marks')
        self.expect_samples(viewer, report(path, '--time', '0.6,0.8')['samples'])
        viewer.press(MARKS)
        self.activate(viewer, '1.000000 s')
        self.expect_span(viewer, r'^1\.0+ s – 1\.06\d+ s, ')

    def test_a_double_click_does_what_enter_does(self):
        viewer, _ = self.open_page(MARKS, marks=40)
        viewer.click(viewer.find_at_rest('grid cell', '0.600000 s'), times=2)
        self.expect_span(viewer, r'^0\.60+ s – 0\.80+ s, ')

    def test_a_log_line_selects_the_time_around_it(self):
        viewer, path = self.open_page(MARKS, log=20)
        viewer.find('label', '20 log lines')
        self.activate(viewer, 'line 5')
        self.expect_samples(viewer, report(path, '--time', '1.995,2.005')['samples'])

    def test_only_a_process_is_shown(self):
        viewer, path = self.open_page(PROCESSES)
        viewer.find_at_rest('label', 'program')
        viewer.press('Down', 'Home', 'Return')
        viewer.find('button', 'program (1000)')
        viewer.press('ctrl+z')
        viewer.find_gone('button', 'program (1000)')

    def test_only_a_thread_is_shown(self):
        viewer, path = self.open_page(PROCESSES)
        self.activate(viewer, 'worker-1')
        viewer.find('button', 'worker-1 (1001)')
        self.expect_samples(viewer, report(path, '--thread', '1001')['samples'])

    def test_the_menu_of_a_process_by_its_key(self):
        viewer, path = self.open_page(PROCESSES)
        self.activate(viewer, 'helper', 'shift+F10')
        viewer.find_menu_item('Show Only This _Process').act()
        viewer.find('button', 'helper (2000)')
        self.expect_samples(viewer, report(path, '--process', '2000')['samples'])

    def test_arrows_close_and_open_a_process(self):
        viewer, _ = self.open_page(PROCESSES)
        self.activate(viewer, 'worker-1', 'Left')
        viewer.press('Left')
        viewer.find_gone('label', 'worker-1')
        viewer.press('Right')
        viewer.find('label', 'worker-1')

    def test_tables_that_grow_on_the_details_page_keep_their_size(self):
        """The toolkit complains, and leaves out what it was to draw, where a table gets rows while sizes are given."""
        path = self.directory / 'real.capture'
        capturectl(
            'record', '-q', '-e', 'cpu-clock:u', '-o', path, '--', sys.executable, '-c', 'sum(range(5_000_000))', timeout=60
        )
        viewer = self.open(path)
        viewer.find('button', 'Whole Recording')
        viewer.resize(1000, 700)
        viewer.rest()
        viewer.press(DETAILS)
        viewer.find('tree grid', 'Binaries')
        viewer.rest()

    def test_details_are_what_info_says(self):
        viewer, path = self.open_page(DETAILS)
        said = info(path)
        viewer.find('label', said['command'])
        viewer.find('label', str(said['samples']))
        viewer.find('label', 'The command ended: exit status 0')
        viewer.find('label', re.compile(r'^2023-11-1\d \d\d:\d\d:\d\d$'))
        viewer.press('ctrl+f')  # where nothing can be searched this does nothing
        viewer.find_gone('search box')
        viewer.press(FUNCTIONS)
        viewer.find('search box', 'Search Functions')
