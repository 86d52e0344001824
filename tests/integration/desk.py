# SPDX-License-Identifier: GPL-3.0-or-later
"""A desk: a private machine around the system service, with a system bus, polkitd, users and their sessions.

Real are dbus-daemon, polkitd, its policy and bus files as installed, its setuid helper and PAM. Made up are the users and what
logind would write: /run/systemd and the cgroups of sessions. All of it is in a mount and a cgroup namespace of its own, so
that nothing of the machine's own bus, users or rules is touched or asked; processes, /tmp and the files of the system are
the machine's. Needs root.

    desk = Desk()
    desk.start()                # … desk.stop(), also after a failure; ends whatever runs on the desk
    desk.run_as('alice', ['pkcheck', …])
"""
import contextlib
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import stat
import subprocess
import tempfile
import time

from support import BUILD, check_sanitizers, environment, run

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = '/usr/bin/python3'  # the one that knows gi
PASSWORD = 'correct horse'
DISMISS = '--dismiss'
PASSWORD_HASH = '$6$capturedesk$D5cgoRvszkx0uldVMJ5eFL1qhmVtJXifxvSNwSAtVDwlhUrOPN4MQzrsE9/3.bcQ74I.MU7h0II0RKZ/XpUHM0'
OWN, SYSTEM = 'org.capturectl.Capture1.profile-own', 'org.capturectl.Capture1.profile-system'

# alice and bob are ordinary users, carol is the administrator, whom polkit asks for a password.
USERS = {'captured': 64990, 'alice': 64001, 'bob': 64002, 'carol': 64003}

# What captured is given, by the design: what it hands on, and what makes it the caller in a child. The last it gives up where
# perf_event_paranoid is not above 2.
CAPTURED_CAPABILITIES = ('perfmon', 'bpf', 'sys_ptrace', 'syslog', 'ipc_lock', 'checkpoint_restore', 'dac_read_search',
                         'setuid', 'setgid', 'wake_alarm', 'sys_admin')
NAME = 'org.capturectl.Capture1'
CAPTURED_SCOPE = 'system.slice/captured.service'

# What to say of a caller's session: (the end of its name, which takes letters and digits only, its file in
# /run/systemd/sessions).
SESSIONS = {
    True: ('active', 'ACTIVE=1\nSTATE=active\nREMOTE=0\nSEAT=seat0\n'),
    False: ('inactive', 'ACTIVE=0\nSTATE=online\nREMOTE=0\nSEAT=seat0\n'),
    'remote': ('remote', 'ACTIVE=1\nSTATE=active\nREMOTE=1\n'),
}

BUS_CONFIG = '''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{directory}/system-services</servicedir>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Introspectable"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Properties"/>
  </policy>
  <includedir>{directory}/system.d</includedir>
</busconfig>
'''

# Tells whether polkitd has read the rules: its answer alternates with their versions.
RULES_ACTION = 'org.capturectl.test.rules'
RULES_POLICY = f'''<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE policyconfig PUBLIC "-//freedesktop//DTD PolicyKit Policy Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/PolicyKit/1.0/policyconfig.dtd">
<policyconfig><action id="{RULES_ACTION}">
  <description>Tests</description><message>Tests</message>
  <defaults><allow_any>no</allow_any><allow_inactive>no</allow_inactive><allow_active>no</allow_active></defaults>
</action></policyconfig>
'''

PAM = ('auth required pam_unix.so nodelay\naccount required pam_unix.so\n'
       'password required pam_deny.so\nsession required pam_permit.so\n')

# What a process does that is put on the desk: join a cgroup, keep the directory, be somebody.
ENTER = 'echo 0 > "/sys/fs/cgroup/$1/cgroup.procs" && cd "$2" && shift 2 && exec "$@"'

AGENT_HELPERS = ('/usr/lib/polkit-1/polkit-agent-helper-1', '/usr/libexec/polkit-agent-helper-1',
                 '/usr/libexec/polkit-1/polkit-agent-helper-1')
POLKITD = ('/usr/lib/polkit-1/polkitd', '/usr/libexec/polkitd', '/usr/libexec/polkit-1/polkitd')


def first_of(paths):
    return next(path for path in paths if os.path.exists(path))


@functools.lru_cache(None)
def limit_nice():
    """What gives a command the LimitNICE=-10 of the service's unit; nothing where root may not raise limits, as in some containers."""
    raised = ['prlimit', '--nice=30', '--']
    return [] if run(*raised, 'true', status=None).status else raised


def wait_until(condition, what, seconds=60):
    """Fails unless condition() becomes true in that time, which is ample even on a busy machine. `what` is a text, or
    a function that gives one."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        if waited > seconds:
            raise AssertionError(f'waited {seconds} seconds in vain until {what() if callable(what) else what}')
        time.sleep(min(max(0.01, waited / 20), 0.2))  # to look on costs the others time


class Desk:
    """A bus with polkitd on it, and three users. `root` is the file system as the desk's processes see it, `installed`
    what `meson install` made, `directory` one that every user may read. `also` has further files of policy, by directory
    ("actions", "system.d"), `settings` the kernel's while the desk stands, values by path."""

    def __init__(self, also=None, settings=None):
        self.also, self.settings = also or {}, settings or {}
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix='capture-desk-'))
        self.installed = self.directory / 'installed'
        self.keeper = self.root = self.bus = self.polkitd = self.agent_helper = self.captured = None
        self.rules_version = 0

    def start(self):
        try:
            self.directory.chmod(0o755)
            self.install()
            self.write_files()
            self.start_keeper()
            self.write_sessions()
            self.start_bus()
            self.start_polkitd()
            self.start_agent_helper()
            self.authorise('')
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self):
        if self.keeper is not None:
            self.keeper.stdin.close()
            self.keeper.wait()
            self.keeper.stdout.close()
        for process in self.bus, self.polkitd, self.agent_helper, self.captured:
            if process is not None:
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    # What the desk is made of.

    def install(self):
        run('meson', 'install', '--no-rebuild', '--quiet', '-C', BUILD, '--destdir', self.installed, timeout=300)

    def installed_files(self, pattern):
        return sorted(self.installed.rglob(pattern))

    def installed_file(self, pattern):
        """The one installed file whose path ends like that."""
        found = self.installed_files(pattern)
        if len(found) != 1:
            raise AssertionError(f'{len(found)} installed files match {pattern}')
        return found[0]

    def write_files(self):
        for name in 'actions', 'rules.d', 'no-rules', 'system.d', 'system-services', 'pam.d', 'etc':
            (self.directory / name).mkdir()
        (self.directory / 'bus.conf').write_text(BUS_CONFIG.format(directory=self.directory))
        (self.directory / 'actions' / f'{RULES_ACTION}.policy').write_text(RULES_POLICY)
        (self.directory / 'rules.d' / '00-administrators.rules').write_text(
            'polkit.addAdminRule(function(action, subject) { return ["unix-user:carol"]; });\n')
        for name in 'polkit-1', 'other':
            (self.directory / 'pam.d' / name).write_text(PAM)
        for path in self.installed_files('polkit-1/actions/*.policy'):
            shutil.copy(path, self.directory / 'actions')
        polkit_bus = '/usr/share/dbus-1/system.d/org.freedesktop.PolicyKit1.conf'
        for path in [polkit_bus, *self.installed_files('dbus-1/system.d/*.conf')]:
            shutil.copy(path, self.directory / 'system.d')
        for directory, paths in self.also.items():
            for path in paths:
                shutil.copy(path, self.directory / directory)
        self.write_users()

    def write_users(self):
        etc = self.directory / 'etc'
        files = {'passwd': '{name}:x:{uid}:{uid}::/home/{name}:/bin/sh\n', 'group': '{name}:x:{uid}:\n',
                 'shadow': '{name}:' + PASSWORD_HASH + ':19000:0:99999:7:::\n'}
        for name, line in files.items():
            known = [entry for entry in pathlib.Path('/etc', name).read_text().splitlines(keepends=True)
                     if entry.split(':')[0] not in USERS]
            (etc / name).write_text(''.join(known) + ''.join(line.format(name=user, uid=uid) for user, uid in USERS.items()))
        (etc / 'shadow').chmod(0o600)
        (etc / 'nsswitch.conf').write_text('passwd: files\ngroup: files\nshadow: files\nhosts: files\n')

    def start_keeper(self):
        plan = {
            'name': self.directory.name,
            'directory': str(self.directory),
            'settings': self.settings,
            'empty': ['/run', '/home', '/var/cache'],
            'covered': [('/usr/share/polkit-1/actions', f'{self.directory}/actions'),
                        ('/usr/share/polkit-1/rules.d', f'{self.directory}/no-rules'),
                        ('/etc/polkit-1/rules.d', f'{self.directory}/rules.d'),
                        ('/etc/pam.d', f'{self.directory}/pam.d'),
                        *((f'/etc/{name}', f'{self.directory}/etc/{name}')
                          for name in ('passwd', 'group', 'shadow', 'nsswitch.conf'))],
        }
        self.keeper = subprocess.Popen(
            [PYTHON, HERE / 'desk_keeper.py', json.dumps(plan)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.keeper.stdout.readline() != 'ready\n':
            raise AssertionError('the desk could not have namespaces of its own')
        self.root = pathlib.Path(f'/proc/{self.keeper.pid}/root')

    def write_sessions(self):
        """What logind would tell of each user: three sessions, of which none is for processes without one."""
        systemd = self.root / 'run' / 'systemd'
        for name in 'sessions', 'users', 'seats', 'machines':
            (systemd / name).mkdir(parents=True)
        (self.root / 'run' / 'dbus').mkdir()
        self.make_scope('system.slice/desk.service')
        self.make_scope(CAPTURED_SCOPE)
        self.give_scope(CAPTURED_SCOPE, 'captured')
        for user, uid in USERS.items():
            home = self.root / 'home' / user
            home.mkdir(mode=0o700)
            os.chown(home, uid, uid)
            for name, text in SESSIONS.values():
                (systemd / 'sessions' / f'{user}{name}').write_text(
                    f'UID={uid}\nUSER={user}\nTYPE=tty\nCLASS=user\nSCOPE=session-{user}{name}.scope\n{text}')
                self.make_scope(self.scope(user, name))
        (systemd / 'seats' / 'seat0').write_text('IS_SEAT0=1\nCAN_MULTI_SESSION=1\nCAN_TTY=1\nCAN_GRAPHICAL=1\n')
        cache = self.root / 'var' / 'cache' / 'capture'
        cache.mkdir(mode=0o700)
        os.chown(cache, USERS['captured'], USERS['captured'])

    def write_user_state(self, user, active):
        """polkit takes a local session for active when the user is, with whichever session."""
        state = 'online' if active is False else 'active'
        (self.root / 'run/systemd/users' / str(USERS[user])).write_text(f'NAME={user}\nSTATE={state}\n')

    @staticmethod
    def scope(user, session):
        return f'user.slice/user-{USERS[user]}.slice/session-{user}{session}.scope'

    def make_scope(self, scope):
        # /proc/PID/root leads through the mounts of the keeper, whose cgroup file system begins at the desk's own cgroup.
        (self.root / 'sys/fs/cgroup' / scope).mkdir(parents=True, exist_ok=True)

    def give_scope(self, scope, user):
        """To a service, as systemd does with Delegate=."""
        there = self.root / 'sys/fs/cgroup' / scope
        for path in there, there / 'cgroup.procs', there / 'cgroup.subtree_control', there / 'cgroup.threads':
            os.chown(path, USERS[user], USERS[user])

    def start_bus(self):
        with open(self.directory / 'bus.log', 'w') as log:
            self.bus = self.popen(['dbus-daemon', f'--config-file={self.directory}/bus.conf', '--nofork', '--nopidfile'],
                                  stderr=log)
        wait_until((self.root / 'run/dbus/system_bus_socket').exists, 'the bus listens')

    def start_polkitd(self):
        # What GLib calls critical in there is not ours: version 126 says so of a directory that is not there.
        self.polkitd = self.popen(['env', '--unset=G_DEBUG', first_of(POLKITD), '--no-debug'],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for_name('org.freedesktop.PolicyKit1')

    def start_agent_helper(self):
        """What checks passwords. Where it is not set-uid (since polkit 127), systemd starts one for each connection."""
        helper = pathlib.Path(first_of(AGENT_HELPERS))
        if helper.stat().st_mode & stat.S_ISUID:
            return
        address = '/run/polkit/agent-helper.socket'
        there = self.root / address[1:]
        there.parent.mkdir(exist_ok=True)
        self.agent_helper = self.popen(
            ['systemd-socket-activate', '--accept', '--inetd', f'--listen={address}', helper, '--socket-activated'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(there.exists, 'the helper of agents listens')
        there.chmod(0o666)

    def restart_polkitd(self):
        """polkitd forgets agents and authorisations, as when it is upgraded."""
        self.polkitd.kill()
        self.polkitd.wait()
        self.wait_for_name('org.freedesktop.PolicyKit1', owned=False)
        self.start_polkitd()

    def bus_call(self, method, *arguments):
        return self.run(['dbus-send', '--system', '--print-reply', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus',
                         f'org.freedesktop.DBus.{method}', *arguments], status=None)

    def has_name(self, name):
        return 'boolean true' in self.bus_call('NameHasOwner', f'string:{name}').stdout

    def wait_for_name(self, name, owned=True):
        wait_until(lambda: self.has_name(name) == owned, f'{name} is {"" if owned else "not "}on the bus')

    def start_captured(self, *arguments, env=None):
        """The service as its unit starts it, for ever unless told otherwise; returns its Popen. What it says is in log()."""
        with open(self.directory / 'captured.log', 'a') as log:
            self.captured = self.popen([self.installed_file('captured'), *(arguments or ('--idle-seconds', '0'))], 'captured',
                                       capabilities=CAPTURED_CAPABILITIES, env=env, stdout=log, stderr=log)
        wait_until(lambda: self.has_name(NAME) or self.captured.poll() is not None, 'captured is on the bus')
        if self.captured.poll() is not None:
            raise AssertionError(f'captured ended with status {self.captured.returncode}:\n{self.log()}')
        return self.captured

    def stop_captured(self, how=signal.SIGTERM):
        """Ends it and whatever it started; fails when it had anything to say that is a bug."""
        self.captured.send_signal(how)
        status = self.captured.wait(60)
        check_sanitizers(self.log())
        return status

    def make_activatable(self):
        """Lets the bus start the service, in the way of start_captured(), with the arguments of the installed file."""
        installed = self.installed_file(f'{NAME}.service').read_text()
        arguments = re.search(r'^Exec=\S*/captured(.*)$', installed, re.M)[1].split()
        start = shlex.join(self.command([self.installed_file('captured'), *arguments], 'captured',
                                        capabilities=CAPTURED_CAPABILITIES))
        script = self.directory / 'activate'
        script.write_text(f'#!/bin/sh\nexec {start}\n')
        script.chmod(0o755)
        (self.directory / 'system-services' / f'{NAME}.service').write_text(
            f'[D-BUS Service]\nName={NAME}\nExec={script}\nUser=root\n')
        self.bus_call('ReloadConfig')

    def log(self):
        path = self.directory / 'captured.log'
        return path.read_text(errors='replace') if path.exists() else ''

    # Processes on the desk.

    def command(self, argv, user='root', active=None, capabilities=(), stock=False):
        """The command line that puts argv on the desk: as that user, in the user's active, inactive (False) or 'remote'
        session, or in none (None), with only those capabilities, unless the user is root. Its pid is that of argv.
        A process in the inactive session leaves the user inactive until one is put elsewhere. `stock`: the kernel refuses
        perf events, as Debian's and Ubuntu's do."""
        scope = (CAPTURED_SCOPE if user == 'captured' else
                 'system.slice/desk.service' if active is None else self.scope(user, SESSIONS[active][0]))
        become = [PYTHON, HERE / 'desk_stock.py'] if stock else []
        if user != 'root':
            self.write_user_state(user, active)
            kept = ','.join(['-all', *(f'+{name}' for name in capabilities)])
            if user == 'captured':
                become += limit_nice()
            become += ['setpriv', '--reuid', str(USERS[user]), '--regid', str(USERS[user]), '--clear-groups',
                      '--inh-caps', kept, '--ambient-caps', kept,
                      *(['--bounding-set', kept, '--no-new-privs'] if capabilities else []), '--']
        return ['nsenter', f'--mount=/proc/{self.keeper.pid}/ns/mnt', f'--cgroup=/proc/{self.keeper.pid}/ns/cgroup',
                f'--root=/proc/{self.keeper.pid}/root', f'--wd=/proc/{self.keeper.pid}/root',
                '--', 'sh', '-c', ENTER, 'sh', scope, os.getcwd(), *map(str, become), *map(str, argv)]

    @staticmethod
    def environment(user, env=None):
        home = '/root' if user == 'root' else f'/home/{user}'
        private = {'HOME': home, 'USER': user, 'LOGNAME': user, 'XDG_CACHE_HOME': f'{home}/.cache', **(env or {})}
        chosen = environment(**private)
        for name in 'DBUS_SYSTEM_BUS_ADDRESS', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'XDG_SESSION_ID':
            chosen.pop(name, None)
        return chosen

    def popen(self, argv, user='root', active=None, capabilities=(), stock=False, env=None, **how):
        """subprocess.Popen on the desk; see command()."""
        return subprocess.Popen(self.command(argv, user, active, capabilities, stock), env=self.environment(user, env),
                                **{'stdin': subprocess.DEVNULL, **how})

    def run(self, argv, user='root', active=None, stock=False, status=0, timeout=120, env=None, **how):
        """support.run() on the desk."""
        return run(*self.command(argv, user, active, stock=stock), status=status, timeout=timeout, env=self.environment(user, env), **how)

    def run_as(self, user, argv, active=True, **how):
        return self.run(argv, user=user, active=active, **how)

    def call(self, user, *snippets, active=True, **how):
        """Snippets of daemon_caller.py, run by the user; what came of each."""
        done = self.run_as(user, [PYTHON, '-B', HERE / 'daemon_caller.py', *snippets], active, **how)
        return [json.loads(line) for line in done.stdout.splitlines()]

    @contextlib.contextmanager
    def caller(self, user, *snippets, active=True):
        """call() in the background: its Popen, whose stdout has a line a snippet as it ends."""
        caller = self.popen([PYTHON, '-B', HERE / 'daemon_caller.py', *snippets], user, active,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with caller:
            yield caller
            caller.kill()

    # What polkit says.

    def authorise(self, rules):
        """Makes `rules` (JavaScript) polkit's only rules and returns when they hold."""
        self.rules_version += 1
        answer = ('YES', 'NO')[self.rules_version % 2]
        version = (f'polkit.addRule(function(action, subject) {{ if (action.id == "{RULES_ACTION}") '
                   f'return polkit.Result.{answer}; }});\n')
        draft = self.directory / 'rules'
        draft.write_text(version + rules)
        draft.rename(self.directory / 'rules.d' / '10-test.rules')
        expected = 'yes' if answer == 'YES' else 'no'
        wait_until(lambda: self.check('alice', RULES_ACTION) == expected, 'polkitd has read the rules')

    def allow(self, action, user):
        """Only the user is authorised, and only for the action, without being asked."""
        self.authorise(f'polkit.addRule(function(action, subject) {{ if (action.id == "{action}" && '
                       f'subject.user == "{user}") return polkit.Result.YES; }});\n')

    def check(self, user, action, active=True):
        """What polkit says of the user and the action: "yes", "no", or "ask" where it would ask for a password."""
        done = self.run_as(user, ['sh', '-c', 'exec pkcheck --action-id "$0" --process $$', action], active, status=None)
        if done.status not in (0, 1, 2):
            raise AssertionError(str(done))
        return ('yes', 'no', 'ask')[done.status]

    @contextlib.contextmanager
    def agent(self, user, password=PASSWORD, active=True):
        """A polkit agent for the user's session, which answers with the password (None: never answers; DISMISS: closes the
        question). Gives the list of the lines that it printed so far, as a function."""
        log = self.directory / 'agent'
        session = f'{user}{SESSIONS[active][0]}'
        words = [PYTHON, HERE / 'desk_agent.py', session, first_of(AGENT_HELPERS)]
        with open(log, 'w') as out:
            agent = self.popen(words + ([password] if password is not None else []), user, active, stdout=out)
        try:
            wait_until(lambda: 'ready' in log.read_text() or agent.poll() is not None, 'the agent is registered')
            if agent.poll() is not None:
                raise AssertionError('the polkit agent ended')
            yield lambda: log.read_text().splitlines()
        finally:
            agent.kill()
            agent.wait()
