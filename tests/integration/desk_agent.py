#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An authentication agent of polkit's for a session, as a desktop has one: it answers each prompt with a password, which
polkit's own helper checks with PAM.

usage: desk_agent.py SESSION HELPER [PASSWORD|--dismiss]

Prints "ready" when it is registered, then "asked ACTION" and "message TEXT" for each prompt. Without a password a prompt stays open until
polkit takes it back, which prints "cancelled". With --dismiss it is closed as a person does who will not answer.
"""
import contextlib
import os
import socket
import subprocess
import sys

import gi
gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib  # noqa: E402

INTERFACE = '''<node><interface name="org.freedesktop.PolicyKit1.AuthenticationAgent">
  <method name="BeginAuthentication">
    <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="a{ss}" direction="in"/><arg type="s" direction="in"/><arg type="a(sa{sv})" direction="in"/>
  </method>
  <method name="CancelAuthentication"><arg type="s" direction="in"/></method>
</interface></node>'''
PATH = '/org/capturectl/test/Agent'
SOCKET = '/run/polkit/agent-helper.socket'


def user_name(identities):
    """The first user among polkit's identities."""
    import pwd
    return next(pwd.getpwuid(details['uid']).pw_name for kind, details in identities if kind == 'unix-user')


@contextlib.contextmanager
def converse(helper, user):
    """What the helper says, and where it is answered: a socket where there is one (since polkit 127), else it is set-uid."""
    if os.path.exists(SOCKET):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(SOCKET)
            with connection.makefile('r') as said, connection.makefile('w') as to_say:
                to_say.write(user + '\n')
                yield said, to_say
        return
    with subprocess.Popen([helper, user], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout, process.stdin


def answer(helper, user, cookie, password):
    """The helper's conversation: a line with the cookie, then an answer to each prompt."""
    with converse(helper, user) as (said, to_say):
        to_say.write(cookie + '\n')
        to_say.flush()
        for line in said:
            if line.startswith('PAM_PROMPT_ECHO'):
                to_say.write(password + '\n')
                to_say.flush()
            print('helper:', line.strip(), flush=True)


def dismiss(invocation):
    invocation.return_dbus_error('org.freedesktop.PolicyKit1.Error.Cancelled', 'Cancelled.')


class Agent:
    def __init__(self, helper, password):
        self.helper, self.password, self.open = helper, password, {}

    def called(self, connection, sender, path, interface, method, parameters, invocation):
        if method == 'BeginAuthentication':
            action, message, _icon, _details, cookie, identities = parameters.unpack()
            print('asked', action, flush=True)
            print('message', message, flush=True)
            if self.password == '--dismiss':
                dismiss(invocation)
                return
            if self.password is None:
                self.open[cookie] = invocation
                return
            answer(self.helper, user_name(identities), cookie, self.password)
            invocation.return_value(None)
            return
        print('cancelled', flush=True)
        waiting = self.open.pop(parameters.unpack()[0], None)
        if waiting is not None:
            dismiss(waiting)
        invocation.return_value(None)


def main():
    session, helper = sys.argv[1:3]
    agent = Agent(helper, sys.argv[3] if len(sys.argv) > 3 else None)
    bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
    bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], agent.called, None, None)
    subject = ('unix-session', {'session-id': GLib.Variant('s', session)})
    bus.call_sync('org.freedesktop.PolicyKit1', '/org/freedesktop/PolicyKit1/Authority',
                  'org.freedesktop.PolicyKit1.Authority', 'RegisterAuthenticationAgent',
                  GLib.Variant('((sa{sv})ss)', (subject, os.environ.get('LANG', 'C'), PATH)), None, 0, -1, None)
    print('ready', flush=True)
    GLib.MainLoop().run()


if __name__ == '__main__':
    main()
