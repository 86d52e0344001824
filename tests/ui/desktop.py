# SPDX-License-Identifier: GPL-3.0-or-later
"""A desktop of one's own: an X server that nobody sees, a session bus, and AT-SPI's bus with its registry.

    desktop = Desktop()
    desktop.start()             # … desktop.stop(), also after a failure
    desktop.environment(home)   # for a program that is to run on it
"""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from accessible import Bus
from x11 import Screen

SIZE = 2200, 1300

BUS = '''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  {services}
  <policy context="default">
    {users}
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <limit name="max_message_size">134217728</limit>
</busconfig>
'''
EVERYBODY = '<allow user="*"/>'
REGISTRY = '<servicedir>/usr/share/dbus-1/accessibility-services</servicedir>'

# Nothing moves by itself, and letters look as on a GNOME desktop.
SETTINGS = '''[Settings]
gtk-enable-animations=false
gtk-double-click-time=1000
gtk-cursor-blink=false
gtk-font-name=Cantarell 11
gtk-icon-theme-name=Adwaita
gtk-xft-antialias=1
gtk-xft-hinting=0
'''

_libc = ctypes.CDLL(None)


def end_with_parent():
    """In a child: it ends when whoever started it does, however that ends."""
    _libc.prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Desktop:
    """`screen` is what a person sees and does there, `bus` what a screen reader is told. With a desk (desk.py), the
    users there may use it, too: its buses run where they are known."""

    def __init__(self, desk=None):
        self.desk = desk
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix='capture-desktop-'))
        self.directory.chmod(0o755 if desk else 0o700)
        self.processes, self.screen, self.bus = [], None, None

    def start(self):
        try:
            self.display = f':{self._start_server()}'
            self.screen = Screen(self.display)
            self.session = self._start_bus('session', '')
            self.accessibility = self._start_bus('accessibility', REGISTRY)
            self.screen.set_root_text('AT_SPI_BUS', self.accessibility)
            self.bus = Bus(self.accessibility)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self):
        if self.screen is not None:
            self.screen.close()
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self, command, ready, **how):
        """Starts it and waits for the line that it writes into the pipe `ready` when it can be used."""
        with open(self.directory / f'{command[0]}.log', 'a') as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=end_with_parent, **how)
        self.processes.append(process)
        os.close(ready[1])
        with open(ready[0]) as pipe:
            line = pipe.readline().strip()
        if not line:
            raise AssertionError(f'{command[0]} did not start:\n{(self.directory / f"{command[0]}.log").read_text()}')
        return line

    def _start_server(self):
        # -r: a key that is held repeats nothing, however long this program has to wait for a processor before it lets go.
        ready = os.pipe()
        return self._start(['Xvfb', '-r', '-displayfd', str(ready[1]), '-screen', '0', f'{SIZE[0]}x{SIZE[1]}x24', '-dpi', '96', '-nolisten',
                            'tcp', '-noreset', '+extension', 'Composite'], ready, pass_fds=ready[1:])

    def _start_bus(self, name, services):
        """Its address."""
        config = self.directory / f'{name}.conf'
        config.write_text(BUS.format(path=self.directory / name, services=services, users=EVERYBODY if self.desk else ''))
        ready = os.pipe()
        command = ['dbus-daemon', f'--config-file={config}', '--nofork', '--nopidfile', f'--print-address={ready[1]}']
        return self._start(self.desk.command(command) if self.desk else command, ready, pass_fds=ready[1:],
                           env={**os.environ, 'DISPLAY': self.display, 'AT_SPI_BUS_ADDRESS': ''})

    def environment(self, home):
        """For a program whose files are below `home`, and of nobody's else."""
        home = pathlib.Path(home)
        places = {f'XDG_{name.upper()}_HOME': home / name for name in ('config', 'cache', 'data', 'state')}
        runtime = home / 'run'
        for place in (*places.values(), runtime):
            place.mkdir(parents=True, exist_ok=True)
        runtime.chmod(0o700)
        settings = places['XDG_CONFIG_HOME'] / 'gtk-4.0' / 'settings.ini'
        settings.parent.mkdir(exist_ok=True)
        if not settings.exists():  # a program that runs there already may be reading it
            settings.write_text(SETTINGS)
        changes = {
            'HOME': home, **places, 'XDG_RUNTIME_DIR': runtime, 'DISPLAY': self.display, 'GDK_BACKEND': 'x11', 'GSK_RENDERER': 'cairo',
            'DBUS_SESSION_BUS_ADDRESS': self.session, 'DBUS_SYSTEM_BUS_ADDRESS': f'unix:path={self.directory}/no-such-bus',
            'AT_SPI_BUS_ADDRESS': self.accessibility, 'GTK_A11Y': 'atspi', 'GSETTINGS_BACKEND': 'keyfile', 'ADW_DISABLE_PORTAL': '1',
            'G_DEBUG': 'fatal-criticals', 'LC_ALL': 'C.UTF-8', 'LANGUAGE': ''}
        gone = 'WAYLAND_DISPLAY', 'GTK_THEME', 'GTK_MODULES', 'G_MESSAGES_DEBUG', 'GTK_DEBUG', 'DESKTOP_SESSION', 'XDG_CURRENT_DESKTOP'
        return {**{name: value for name, value in os.environ.items() if name not in gone},
                **{name: str(value) for name, value in changes.items()}}
