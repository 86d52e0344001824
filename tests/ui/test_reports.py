# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages about the recording itself, its marks and its processes, and what is exported of what one sees."""
import json

from window import WindowCase

from captures import make, report, share
from support import capturectl

HEALTH, MARKS, PROCESSES, DETAILS = 'alt+7', 'alt+5', 'alt+6', 'alt+8'


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
            viewer.find('label', entry['advice'])
            viewer.find('label', entry['binary'])

    def test_the_badge_leads_to_what_it_warns_of(self):
        viewer, _ = self.open_page(PROCESSES, lost=500)
        viewer.find('button', '1 Warning').act()
        viewer.find('label', 'This Recording May Mislead')

    def test_marks_are_what_report_says(self):
        viewer, path = self.open_page(MARKS, marks=2000)
        row, = report(path, '--by', 'mark')['rows']
        viewer.find('label', str(row['count']))
        viewer.find('label', f'{row["category"]}: {row["name"]}')
        viewer.find('label', '2000 marks')

    def test_no_marks_say_what_to_do(self):
        viewer, _ = self.open_page(MARKS)
        viewer.find('label', 'No Marks')
        viewer.press(PROCESSES)
        viewer.find('label', 'program')

    def test_processes_are_what_report_says(self):
        viewer, path = self.open_page(PROCESSES)
        said = report(path, '--by', 'process')
        for row in said['rows']:
            viewer.find('label', row['name'])
            viewer.find('label', str(row['pid']))
            viewer.find('label', share(row['total'], sum(other['total'] for other in said['rows'])))

    def test_only_a_process_is_shown(self):
        viewer, path = self.open_page(PROCESSES)
        viewer.find('label', 'program')
        viewer.press('Down', 'Home', 'Return')
        viewer.find('button', 'program (1000)')
        viewer.press('ctrl+z')
        viewer.find_gone('button', 'program (1000)')

    def test_details_are_what_info_says(self):
        viewer, path = self.open_page(DETAILS)
        said = info(path)
        viewer.find('label', said['command'])
        viewer.find('label', str(said['samples']))
        viewer.find('label', 'The command ended: exit status 0')

    def export(self, viewer, title, path):
        viewer.press('ctrl+e')
        viewer.click(viewer.find('label', title, within=viewer.find(None, 'Export', states=('modal',))))
        viewer.click(viewer.find('label', 'Export…'))
        viewer.find('text box', 'Name:', states=('focused',))
        viewer.screen.focus(viewer.window)
        viewer.screen.press('ctrl+a')
        viewer.screen.type(str(path))
        viewer.screen.press('Return')
        viewer.find('label', 'Exported')

    def test_folded_stacks_are_what_capturectl_exports(self):
        viewer, path = self.open_page(PROCESSES)
        out = self.directory / 'some.folded'
        self.export(viewer, 'Folded Stacks', out)
        self.assertEqual(out.read_text(), capturectl('export', '--format', 'folded', path).stdout)

    def test_a_picture_is_taken(self):
        viewer, _ = self.open_page(HEALTH)
        viewer.find('label', 'This Recording Is Sound, but Not Whole')
        out = self.directory / 'some.png'
        self.export(viewer, 'Picture of This Page', out)
        self.assertEqual(out.read_bytes()[:8], b'\x89PNG\r\n\x1a\n')
