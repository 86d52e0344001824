# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands for the system service on a bus, and does what argv[1] says; prints "ready", then what it was asked, as JSON lines."""
import json
import os
import pathlib
import signal
import sys
import time

import gi

gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import fake_pool  # noqa: E402

NAME, PATH = 'org.capturectl.Capture1', '/org/capturectl/Capture1'
SESSION = f'{PATH}/session/1'
XML = f'''<node>
  <interface name="{NAME}.Manager">
    <property name="Version" type="s" access="read"/>
    <property name="Features" type="as" access="read"/>
    <method name="StartRecording"><arg type="a{{sv}}" direction="in"/>OUT</method>
  </interface>
  <interface name="{NAME}.Session">
    <method name="Stop"/>
    <property name="State" type="s" access="read"/>
    <property name="Scope" type="s" access="read"/>
    <property name="Events" type="EVENTS" access="read"/>
    <property name="Unwind" type="s" access="read"/>
    <property name="Notes" type="as" access="read"/>
    <signal name="Ended"><arg type="s"/><arg type="s"/></signal>
  </interface>
</node>'''
MANAGER = {'Version': GLib.Variant('s', '0.1.0'), 'Features': GLib.Variant('as', ['bpf', 'tables'])}
PROPERTIES = {'State': GLib.Variant('s', 'recording'), 'Scope': GLib.Variant('s', 'own'),
              'Events': GLib.Variant('as', ['fake-clock']), 'Unwind': GLib.Variant('s', 'bpf'),
              'Notes': GLib.Variant('as', ['The fake service has a note.'])}
# behaviour: the pool that is handed over
POOLS = {
    'unsealed': {'seals': fake_pool.SHRINK | fake_pool.GROW},
    'unsealed-control': {'control_seals': 0},
    'cut': {'size': fake_pool.SIZE},
}
# behaviour: (reason, message) of Ended, a moment after the beginning
ENDS = {
    'targets-gone': ('targets-gone', ''),
    'failed': ('failed', 'The machine is on fire.'),
    'recorder-died': ('recorder-died', 'The recorder was killed by signal 9.'),
    'service-stopped': ('service-stopped', 'The service is being upgraded.'),
    'nonsense-end': ('because', 'x' + '→' * 2000),
}


def tell(**what):
    print(json.dumps(what), flush=True)


class Service:
    def __init__(self, behaviour):
        self.behaviour = behaviour
        out = {'wrong-type': '<arg type="s" direction="out"/>',
               'wrong-order': '<arg type="h" direction="out"/><arg type="h" direction="out"/><arg type="o" direction="out"/>'}
        xml = XML.replace('OUT', out.get(behaviour, ''.join(f'<arg type="{t}" direction="out"/>' for t in 'ohh')))
        self.node = Gio.DBusNodeInfo.new_for_xml(xml.replace('EVENTS', 'u' if behaviour == 'wrong-properties' else 'as'))
        self.loop = GLib.MainLoop()
        self.bus = self.connect()
        for path, interface in (PATH, 'Manager'), (SESSION, 'Session'):
            self.bus.register_object(path, self.node.lookup_interface(f'{NAME}.{interface}'), self.on_call, self.on_get, None)
        Gio.bus_own_name_on_connection(self.bus, NAME, Gio.BusNameOwnerFlags.NONE, lambda *_: print('ready', flush=True), None)

    @staticmethod
    def connect():
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        return Gio.DBusConnection.new_for_address_sync(os.environ['DBUS_SYSTEM_BUS_ADDRESS'], flags, None, None)

    def on_get(self, bus, sender, path, interface, name):
        if self.behaviour == 'no-bpf' and name == 'Features':
            return GLib.Variant('as', ['tables'])
        if self.behaviour == 'wrong-properties' and name == 'Events':
            return GLib.Variant('u', 7)
        return {**MANAGER, **PROPERTIES}[name]

    def on_call(self, bus, sender, path, interface, method, parameters, invocation):
        if method == 'StartRecording':
            self.start_recording(sender, parameters, invocation)
            return
        tell(method=method)
        invocation.return_value(None)
        if self.behaviour != 'mute':
            self.emit_ended('stopped', '')

    def start_recording(self, sender, parameters, invocation):
        message = invocation.get_message()
        interactive = bool(message.get_flags() & Gio.DBusMessageFlags.ALLOW_INTERACTIVE_AUTHORIZATION)
        fds = message.get_unix_fd_list()
        tell(method='StartRecording', interactive=interactive, fds=fds.get_length() if fds else 0, **parameters.unpack()[0])
        error = 'NotAuthorized' if self.behaviour == 'ask' and not interactive else self.behaviour.partition('refuse:')[2]
        if error:
            invocation.return_dbus_error(error if '.' in error else f'{NAME}.Error.{error}', f'The fake service says {error}.')
        elif self.behaviour == 'silent':
            self.invocation = invocation
        else:
            self.answer(sender, invocation)

    def answer(self, sender, invocation):
        self.client = sender
        body = {'wrong-type': GLib.Variant('(s)', ('hello',)),
                'wrong-order': GLib.Variant('(hho)', (0, 1, SESSION))}.get(self.behaviour, GLib.Variant('(ohh)', (SESSION, 0, 1)))
        fds = Gio.UnixFDList.new()
        for fd in os.pipe() if self.behaviour == 'pipes' else fake_pool.make(time.monotonic_ns(), **POOLS.get(self.behaviour, {})):
            fds.append(fd)
        if self.behaviour == 'one-descriptor':
            fds = Gio.UnixFDList.new_from_array([os.open('/dev/null', os.O_RDONLY)])
        invocation.return_value_with_unix_fd_list(body, None if self.behaviour == 'no-descriptors' else fds)
        self.go_on()

    def go_on(self):
        if self.behaviour == 'at-once':
            self.emit_ended('targets-gone', '')
        elif self.behaviour in ENDS:
            GLib.timeout_add(300, self.emit_ended, *ENDS[self.behaviour])
        elif self.behaviour == 'die':
            GLib.timeout_add(300, os.kill, os.getpid(), signal.SIGKILL)
        elif self.behaviour == 'die-at-once':
            self.bus.flush_sync()
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.behaviour == 'forged-end':
            GLib.timeout_add(200, self.forge)

    def emit_ended(self, reason, message, bus=None, path=SESSION):
        (bus or self.bus).emit_signal(self.client, path, f'{NAME}.Session', 'Ended', GLib.Variant('(ss)', (reason, message)))
        return False

    def forge(self):
        """Somebody else says that the session has ended, and the service that another one has."""
        self.other = self.connect()
        self.emit_ended('failed', 'This was forged.', self.other)
        self.emit_ended('failed', 'This was forged.', self.bus, f'{PATH}/session/2')
        return False


Service(sys.argv[1]).loop.run()
