#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed viewer in a real window, into which somebody types a command and presses Return; in the session that it is started
in. Says where the capture lies that came of it; window.png in DIRECTORY is what one sees then.

usage: window.py DIRECTORY COMMAND"""
import os
import pathlib
import sys

INSTALLED = pathlib.Path('/usr/bin')
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent / 'tests' / 'ui')]


def stand_for_a_build(home):
    """The tests' modules look for programs where they are built."""
    os.environ['CAPTURE_BUILDDIR'] = str(home / 'build')
    (home / 'build' / 'capturectl').mkdir(parents=True)
    (home / 'build' / 'capturectl' / 'capturectl').symlink_to(INSTALLED / 'capturectl')


def main(directory, command):
    home = pathlib.Path(directory)
    stand_for_a_build(home)
    from desktop import Desktop
    from window import Viewer
    desktop = Desktop().start()
    try:
        viewer = Viewer(desktop, home, program=INSTALLED / 'capture-viewer', env={
            'DBUS_SYSTEM_BUS_ADDRESS': 'unix:path=/run/dbus/system_bus_socket'})
        viewer.resize(1000, 700)
        viewer.click(viewer.find_at_rest('text box', 'Command and Arguments'))
        viewer.type(command)
        viewer.press('Return')
        viewer.find('button', 'Whole Recording')
        viewer.rest()
        viewer.write_picture(home / 'window.png')
        capture, = (home / 'cache/capture/recordings').glob('*.capture')
        print(capture)
        viewer.close()
        viewer.check_said()
    finally:
        desktop.stop()


if __name__ == '__main__':
    main(*sys.argv[1:])
