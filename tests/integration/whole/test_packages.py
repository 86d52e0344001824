# SPDX-License-Identifier: GPL-3.0-or-later
"""What packages say a second time: versions, what libcapture exports, and that each installed file has its package."""
import fnmatch
import json
import pathlib
import re
import subprocess
import unittest

from support import BUILD, SOURCE


def first(pattern, path):
    return re.search(pattern, (SOURCE / path).read_text(), re.MULTILINE)[1]


class PackagesTest(unittest.TestCase):
    def test_versions_agree(self):
        version = first(r"^  version: '(.*)'", 'meson.build')
        self.assertEqual(first(r'^capture \((.*)\)', 'debian/changelog'), version)
        self.assertEqual(first(r'^Version: +(.*)$', 'packaging/capture.spec'), version)
        self.assertEqual(first(r'<release version="([^"]*)"', 'data/org.capturectl.Viewer.metainfo.xml.in'), version)

    def test_symbols_of_the_library(self):
        exported = set(re.findall(r'(capture_\w+);', (SOURCE / 'libcapture/libcapture.map').read_text()))
        packaged = set(re.findall(r'^ (capture_\w+)@', (SOURCE / 'debian/libcapture1.symbols').read_text(), re.MULTILINE))
        self.assertEqual(packaged, exported)

    def test_each_file_is_in_one_package(self):
        patterns = [(path.name, line.split()[0]) for path in sorted((SOURCE / 'debian').glob('*.install'))
                    for line in path.read_text().splitlines() if path.name != 'capture-doc.install']
        installed = json.loads(subprocess.check_output(['meson', 'introspect', '--installed', BUILD]))
        prefix = next(option['value'] for option in json.loads(subprocess.check_output(
            ['meson', 'introspect', '--buildoptions', BUILD])) if option['name'] == 'prefix')
        self.assertGreater(len(installed), 20)
        for path in installed.values():
            name = 'usr/' + str(pathlib.PurePath(path).relative_to(prefix)).replace('lib64/', 'lib/multiarch/')
            packages = [package for package, pattern in patterns
                        if fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, pattern + '/*')]
            self.assertEqual(len(packages), 1, f'{name} is in {packages}')


if __name__ == '__main__':
    unittest.main()
