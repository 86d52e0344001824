# SPDX-License-Identifier: GPL-3.0-or-later
"""Spans of time, selected by pointer and keyboard on the overview and in tracks: every page's numbers follow, and are those of
capturectl."""
import re

from captures import make, report
from window import FUNCTIONS, TIMELINE, WindowCase


def show_time_line(viewer):
    """Once the file is there; returns the overview."""
    overview = viewer.find('slider', 'Selected Span of Time')
    viewer.press(TIMELINE)
    return overview


class TimeLine(WindowCase):
    def setUp(self):
        super().setUp()
        self.path = make(self.directory / 'some.capture', samples=8000, threads=4, marks=400)
        self.viewer = self.open(self.path)
        self.overview = show_time_line(self.viewer)
        self.ruler = self.viewer.find('slider', 'Selected Span of Tracks')
        self.expect_description('The whole recording')

    def expect_description(self, pattern):
        return self.viewer.wait(lambda: re.search(pattern, self.overview.description),
                                lambda: f'“{pattern}” is selected; it is “{self.overview.description}”')

    def span(self):
        """The beginning and end of what is selected, in seconds."""
        match = self.expect_description(r'^([\d.]+) s – ([\d.]+) s, .* long$')
        return float(match[1]), float(match[2])

    def samples_of(self, name):
        """As many as the time that the track of that name says: each stands for a millisecond."""
        node = self.viewer.find('image', re.compile(rf'^{name}: .* CPU, .* m?s$'))
        value, unit = re.search(r'([\d.]+) (m?s)$', node.name).groups()
        return round(float(value) * {'ms': 1, 's': 1000}[unit])

    def samples_of_recording(self):
        """All samples, as the processes of the tracks say."""
        return self.samples_of('program') + self.samples_of('helper')

    def drag(self, node, begin, end):
        self.viewer.screen.drag(self.viewer.place_of(node, begin, 0.3), self.viewer.place_of(node, end, 0.3))
        self.viewer.rest()  # it has followed to the end

    def zoom(self):
        self.viewer.find('button', 'Zoom into Selection').act()

    def expect_zoomed(self, first, end):
        """What the tracks show is what capturectl counts in that span."""
        said = report(self.path, '--time', f'{first},{end}')
        self.viewer.wait(lambda: abs(self.samples_of_recording() - said['samples']) <= said['samples'] / 50 + 20,
                         lambda: f'tracks have {said["samples"]} samples; they have {self.samples_of_recording()}')

    def test_everything_is_there(self):
        self.assertEqual(self.samples_of_recording(), report(self.path)['samples'])
        for name in ('Marks: 300 marks', 'Marks: 100 marks'):
            self.viewer.find('image', name)

    def test_drag_and_zoom(self):
        self.drag(self.overview, 0.25, 0.5)
        first, end = self.span()
        self.assertAlmostEqual(first, 2, delta=0.1)
        self.assertAlmostEqual(end, 4, delta=0.1)
        self.zoom()
        self.viewer.find('button', re.compile(r'^[\d.]+ s – [\d.]+ s$'))
        self.expect_zoomed(first, end)
        self.viewer.press('ctrl+z')
        self.expect_description('The whole recording')
        self.viewer.wait(lambda: self.samples_of_recording() == report(self.path)['samples'], 'all is shown again')

    def test_drag_in_tracks(self):
        track = self.viewer.find_at_rest('image', re.compile('^program: '))
        self.drag(track, 0.5, 0.75)
        first, end = self.span()
        self.assertAlmostEqual(first, 4, delta=0.1)
        self.assertAlmostEqual(end, 6, delta=0.1)
        self.viewer.press('Escape')
        self.expect_description('The whole recording')

    def test_edges_are_moved(self):
        self.drag(self.overview, 0.25, 0.5)
        first, end = self.span()
        self.drag(self.overview, 0.5, 0.75)
        self.viewer.wait(lambda: self.span()[1] > 5.5, lambda: f'its end has moved to 6 s; it is {self.span()}')
        self.assertAlmostEqual(self.span()[0], first, delta=0.05)

    def test_click_beside_drops(self):
        self.drag(self.overview, 0.25, 0.5)
        self.span()
        self.viewer.click(self.viewer.place_of(self.overview, 0.9, 0.3))
        self.expect_description('The whole recording')

    def test_keys(self):
        self.viewer.click(self.viewer.place_of(self.overview, 0.5, 0.3))
        self.viewer.press('Right')
        self.assertEqual(self.span()[0], 0)
        first, end = self.span()
        self.viewer.press('shift+Right', 'shift+Right')
        self.viewer.wait(lambda: self.span()[1] > end + 0.1, lambda: f'it is wider than {first} to {end}')
        first, end = self.span()
        self.viewer.press('Right')
        self.viewer.wait(lambda: self.span()[0] > first and self.span()[1] > end, lambda: f'it has moved from {first} to {end}')
        self.viewer.press('Escape')
        self.expect_description('The whole recording')
        self.viewer.press('End', 'End', 'Return')
        self.viewer.find('button', re.compile(r'^[\d.]+ s – [\d.]+ s$'))

    def test_edges_by_keys(self):
        self.viewer.click(self.viewer.place_of(self.overview, 0.5, 0.3))
        self.viewer.press('Right', *['shift+Right'] * 10)
        self.viewer.wait(lambda: self.span() == (0, 1.6), lambda: f'it ends at 1.6 s; it is {self.span()}')
        self.viewer.press(*['ctrl+Right'] * 5)
        self.viewer.wait(lambda: self.span() == (0.4, 1.6), lambda: f'it begins at 0.4 s; it is {self.span()}')
        self.viewer.press(*['ctrl+Left'] * 5)
        self.viewer.wait(lambda: self.span() == (0.4, 1.2), lambda: f'it ends at 1.2 s; it is {self.span()}')
        self.viewer.press('Return')
        self.viewer.find('button', re.compile(r'^0\.400 s – 1\.200 s$'))
        self.expect_zoomed(0.4, 1.2)

    def test_other_pages_follow(self):
        self.viewer.press(FUNCTIONS)
        before = report(self.path)['samples']
        self.viewer.wait(lambda: self.viewer.find_all(None, re.compile(r'100\.0 %')), 'functions are there')
        self.viewer.press(TIMELINE)
        self.drag(self.overview, 0.002, 0.25)
        first, end = self.span()
        after = report(self.path, '--time', f'{first},{end}')
        self.assertLess(after['samples'], before)
        self.viewer.press(FUNCTIONS)
        name = max(after['rows'], key=lambda row: row['self'])['name']
        self.viewer.find(None, name)

    def test_tracks_expand_and_narrow(self):
        self.viewer.find('image', re.compile('^worker-1: '))
        self.viewer.find('button', 'Hide What Belongs to It').act()
        self.viewer.find_gone('image', re.compile('^worker-1: '))
        self.viewer.find('button', 'Show What Belongs to It').act()
        worker = self.viewer.find_at_rest('image', re.compile('^worker-1: '))
        self.viewer.click(worker, button='right')
        self.viewer.find_menu_item('Show Only This _Thread').act()
        self.viewer.find('button', 'worker-1')
        self.viewer.find_gone('image', re.compile('^worker-2: '))

    def test_walk_marks(self):
        """From the row of the marks to each of them, in the order of time; one selects how long it took."""
        self.viewer.click(self.viewer.find_at_rest('image', re.compile('^Marks: 300')))
        self.viewer.press('Tab')

        def focused():
            return self.viewer.find('list item', re.compile('step'), states=('focused',))
        names = [focused().name]
        for _ in range(3):
            self.viewer.press('Right')
            self.viewer.wait(lambda: focused().name != names[-1], lambda: f'another mark than “{names[-1]}” has the focus')
            names.append(focused().name)
        times = [float(re.search(r'([\d.]+) s for', name)[1]) for name in names]
        self.assertEqual(times, sorted(times))
        self.viewer.press('space')
        self.assertAlmostEqual(self.span()[0], times[-1], delta=0.01)

    def test_zoom_by_wheel_and_keys(self):
        track = self.viewer.find_at_rest('image', re.compile('^program: '))
        everything = self.samples_of('program')
        self.viewer.screen.scroll(self.viewer.place_of(track), 'up', times=4, modifiers=('ctrl',))
        self.viewer.wait(lambda: self.samples_of('program') < everything / 2, 'the wheel has zoomed')
        self.viewer.rest()
        self.viewer.click(track)
        self.viewer.press('0')
        self.viewer.wait(lambda: self.samples_of('program') == everything, 'all is shown again')
        self.viewer.press('w', 'w')
        self.viewer.wait(lambda: self.samples_of('program') < everything / 2, 'w has zoomed')


class Empty(WindowCase):
    def test_no_samples(self):
        viewer = self.open(make(self.directory / 'none.capture', samples=0, marks=0))
        viewer.find('slider', 'Selected Span of Time')
        viewer.click(viewer.find('list item', 'Time Line'))
        viewer.find(None, 'Nothing Happened')

    def test_many_threads(self):
        path = make(self.directory / 'many.capture', samples=20000, threads=400, marks=100000)
        viewer = self.open(path)
        show_time_line(viewer)
        viewer.find('image', re.compile(r'^program: .* m?s$'))
        viewer.find('button', 'Show What Belongs to It').act()
        viewer.find('image', re.compile('^Marks: .* marks$'))
        self.assertLess(len(viewer.find_all('image', re.compile('CPU, .* m?s$'))), 250)
