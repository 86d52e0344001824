# SPDX-License-Identifier: GPL-3.0-or-later
"""What bus, polkit and systemd read of the service: all of it is installed, points to what is installed, and says what
was decided."""
import unittest
import xml.etree.ElementTree as ElementTree

from support import BUILD, TestCase, run

OWN, SYSTEM = 'org.capturectl.Capture1.profile-own', 'org.capturectl.Capture1.profile-system'


class ServiceFilesTest(TestCase):
    def setUp(self):
        super().setUp()
        self.installed = self.directory / 'installed'
        run('meson', 'install', '--no-rebuild', '--quiet', '-C', BUILD, '--destdir', self.installed, timeout=300)

    def find(self, ending):
        found = [path for path in self.installed.rglob('*') if str(path).endswith(ending)]
        self.assertEqual(len(found), 1, f'{ending}: {found}')
        return found[0]

    def test_all_is_there(self):
        for ending in ('/dbus-1/system.d/org.capturectl.Capture1.conf', '/dbus-1/interfaces/org.capturectl.Capture1.xml',
                       '/dbus-1/system-services/org.capturectl.Capture1.service', '/systemd/system/captured.service',
                       '/polkit-1/actions/org.capturectl.Capture1.policy', '/sysusers.d/captured.conf'):
            with self.subTest(ending):
                self.assertGreater(self.find(ending).stat().st_size, 0)

    def program_of(self, path, key):
        lines = [line for line in path.read_text().splitlines() if line.startswith(f'{key}=')]
        self.assertEqual(len(lines), 1)
        return self.installed / lines[0].removeprefix(f'{key}=/')

    def test_bus_and_systemd_start_what_is_installed(self):
        for ending, key in ('system-services/org.capturectl.Capture1.service', 'Exec'), ('captured.service', 'ExecStart'):
            with self.subTest(ending):
                self.assertIn('captured 0.', run(self.program_of(self.find(ending), key), '--version').stdout)

    def test_only_the_services_user_owns_the_name(self):
        policies = ElementTree.parse(self.find('system.d/org.capturectl.Capture1.conf')).getroot().findall('policy')
        owners = [policy.attrib for policy in policies if policy.find('allow[@own]') is not None]
        self.assertEqual(owners, [{'user': 'captured'}])

    def test_who_has_which_right(self):
        actions = ElementTree.parse(self.find('.policy')).getroot().findall('action')
        self.assertEqual([action.get('id') for action in actions], [OWN, SYSTEM])
        for action, expected in zip(actions, (('auth_admin', 'auth_admin', 'yes'), ('auth_admin_keep',) * 3)):
            with self.subTest(action.get('id')):
                self.assertEqual(tuple(action.findtext(f'defaults/allow_{who}') for who in ('any', 'inactive', 'active')), expected)
                self.assertEqual(action.findtext('annotate[@key="org.freedesktop.policykit.owner"]'), 'unix-user:captured')
                for text in 'description', 'message':
                    self.assertEqual(action.find(text).get('gettext-domain'), 'capturectl')

    def test_the_unit_is_as_confined_as_it_says(self):
        run('systemd-analyze', 'security', '--offline=true', '--threshold=26', self.find('captured.service'))

    def test_sysusers_makes_the_user(self):
        (self.directory / 'etc').mkdir()
        run('systemd-sysusers', f'--root={self.directory}', self.find('sysusers.d/captured.conf'))
        name, _, uid, *_, shell = (self.directory / 'etc/passwd').read_text().splitlines()[-1].split(':')
        self.assertEqual(name, 'captured')
        self.assertNotEqual(uid, '0')
        self.assertIn('nologin', shell)


if __name__ == '__main__':
    unittest.main()
