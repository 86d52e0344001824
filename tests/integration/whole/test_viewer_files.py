# SPDX-License-Identifier: GPL-3.0-or-later
"""What a desktop reads of the viewer before it starts it: desktop file, metainfo, types of files, icons, settings."""
import pathlib
import re
import struct
import unittest
import xml.etree.ElementTree as ElementTree

from support import BUILD, DATA, SOURCE, TestCase, capturectl, environment, run

ID = 'org.capturectl.Viewer'
SVG = '{http://www.w3.org/2000/svg}svg'
PUBLISHED = 'https://example.org/capture/screenshots'


def size_of_png(path):
    """Its width and height, as its first chunk says."""
    signature, width, height = struct.unpack('>8s8x2I', path.read_bytes()[:24])
    assert signature == b'\x89PNG\r\n\x1a\n', path
    return width, height


class ViewerFilesTest(TestCase):
    def test_the_desktop_file_is_valid(self):
        said = run('desktop-file-validate', BUILD / 'data' / f'{ID}.desktop').stdout
        self.assertEqual(said, '')

    def check_metainfo(self, build):
        """Its screenshots: [(address, (width, height)), …]"""
        path = build / 'data' / f'{ID}.metainfo.xml'
        done = run('appstreamcli', 'validate', '--no-net', '--pedantic', path, status=None)
        # There is no homepage to name; version 1 calls that a warning.
        wrong = [line for line in done.stdout.splitlines() if re.match('[EW]:', line)]
        self.assertEqual([line for line in wrong if not line.endswith(' url-homepage-missing')], [])
        self.assertEqual(done.status, 3 if wrong else 0, done)
        images = ElementTree.parse(path).getroot().iterfind('screenshots/screenshot/image')
        return [(image.text, (int(image.get('width')), int(image.get('height')))) for image in images]

    def test_the_metainfo_is_valid(self):
        for address, _ in self.check_metainfo(BUILD):
            self.assertRegex(address, '^https?://')

    def test_the_metainfo_shows_the_pictures_where_they_are_published(self):
        published = self.directory / 'published'
        run('meson', 'setup', f'-Dscreenshots_url={PUBLISHED}/', published, SOURCE, timeout=600)
        run('ninja', '-C', published, f'data/{ID}.metainfo.xml', timeout=600)
        images = self.check_metainfo(published)
        self.assertGreater(len(images), 3)
        for address, size in images:
            with self.subTest(address):
                place, _, name = address.rpartition('/')
                self.assertEqual(place, PUBLISHED)
                self.assertEqual(size_of_png(SOURCE / 'docs' / 'screenshots' / name), size)

    def test_all_is_installed_and_points_to_what_is(self):
        installed = self.directory / 'installed'
        run('meson', 'install', '--no-rebuild', '--quiet', '-C', BUILD, '--destdir', installed, timeout=300)
        for ending in (f'applications/{ID}.desktop', f'metainfo/{ID}.metainfo.xml', f'mime/packages/{ID}.xml',
                       f'glib-2.0/schemas/{ID}.gschema.xml', f'scalable/apps/{ID}.svg', f'symbolic/apps/{ID}-symbolic.svg',
                       'man1/capture-viewer.1', 'de/LC_MESSAGES/capturectl.mo', 'he/LC_MESSAGES/capturectl.mo'):
            with self.subTest(ending):
                self.assertEqual(len([path for path in installed.rglob('*') if str(path).endswith(f'/{ending}')]), 1)
        service, = installed.rglob(f'{ID}.service')
        program = re.search('^Exec=/(.*) --gapplication-service$', service.read_text(), re.M)[1]
        self.assertIn('capture-viewer 0.', run(installed / program, '--version').stdout)

    def test_the_settings_are_valid(self):
        run('glib-compile-schemas', '--strict', '--dry-run', SOURCE / 'data')

    def test_the_manual_page_is_well_formed(self):
        page = run('groff', '-mdoc', '-Tascii', '-ww', SOURCE / 'docs' / 'man' / 'capture-viewer.1')
        self.assertEqual(page.stderr, '')
        for option in re.findall(r'^  (?:-\w, )?(--(?:new-window|version))', run(BUILD / 'viewer' / 'capture-viewer', '--help').stdout, re.M):
            self.assertIn(option, re.sub(r'.\x08', '', page.stdout))

    def test_icons_are_drawings_and_those_that_are_named_are_there(self):
        icons = [*(SOURCE / 'data' / 'icons').rglob('*.svg'), *(SOURCE / 'viewer' / 'icons').rglob('*.svg')]
        for icon in icons:
            with self.subTest(icon.name):
                self.assertEqual(ElementTree.parse(icon).getroot().tag, SVG)
        names = {icon.stem for icon in icons}
        packed = {pathlib.Path(path).stem for path in re.findall('>([^<]*[.]svg)<', (SOURCE / 'viewer' / 'viewer.gresource.xml').read_text())}
        self.assertEqual(names, packed)
        for path in [*(SOURCE / 'viewer').rglob('*.ui'), *(SOURCE / 'viewer').rglob('*.c')]:
            for name in re.findall(r'[">](viewer-\w+-symbolic)["<]', path.read_text()):
                with self.subTest(path.name):
                    self.assertIn(name, names)


class ViewerTypesTest(TestCase):
    """Files are told apart by their first bytes, whatever their names."""

    def setUp(self):
        super().setUp()
        packages = self.directory / 'mime' / 'packages'
        packages.mkdir(parents=True)
        (packages / f'{ID}.xml').write_bytes((SOURCE / 'data' / f'{ID}.mime.xml').read_bytes())
        run('update-mime-database', self.directory / 'mime')

    def type_of(self, path):
        path = path.rename(self.directory / 'without-a-name')
        said = run('gio', 'info', '-a', 'standard::content-type', path,
                   env=environment(XDG_DATA_DIRS=str(self.directory), XDG_DATA_HOME=str(self.directory))).stdout
        return re.search('content-type: (.*)', said)[1]

    def copy(self, name):
        path = self.directory / name
        path.write_bytes((DATA / name).read_bytes())
        return path

    def test_a_capture(self):
        path = self.directory / 'some.capture'
        capturectl('import', '-o', path, DATA / 'chain-fp.perf.data')
        self.assertEqual(self.type_of(path), 'application/x-capture')

    def test_a_recording_of_perf(self):
        self.assertEqual(self.type_of(self.copy('chain-fp.perf.data')), 'application/x-perf-data')

    def test_a_recording_of_sysprof(self):
        self.assertEqual(self.type_of(self.copy('gjs.syscap')), 'application/x-sysprof-capture')

    def test_all_types_are_those_that_the_desktop_file_names(self):
        desktop = (BUILD / 'data' / f'{ID}.desktop').read_text()
        types = ElementTree.parse(SOURCE / 'data' / f'{ID}.mime.xml').getroot()
        self.assertEqual(re.search('^MimeType=(.*);$', desktop, re.M)[1].split(';'), [element.get('type') for element in types])


if __name__ == '__main__':
    unittest.main()
