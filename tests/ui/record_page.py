# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a recording that goes on, in the window `self.viewer` of a test."""
import re


class RecordPage:
    def captures(self):
        """What was recorded with its home."""
        return sorted((self.home / 'cache' / 'capture' / 'recordings').glob('*.capture'))

    def count(self, title):
        """What stands above a number's title, as a number."""
        node = self.viewer.find('label', title)
        value = node.parent().children()[0].name
        return int(re.sub(r'\D', '', value))

    def wait_for_samples(self):
        self.viewer.find('button', 'Stop')
        self.viewer.wait(lambda: self.count('Samples') > 0, 'there are samples')

    def expect_document(self):
        self.viewer.find('button', 'Whole Recording')
