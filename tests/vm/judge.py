# SPDX-License-Identifier: GPL-3.0-or-later
"""What a row must show. Reads what the guest told, and lists what is not as it should be."""

import re

BPF_RIGHTS = {'perfmon', 'bpf', 'ipc_lock'}
SYSTEM_RIGHTS = BPF_RIGHTS | {'sys_ptrace', 'syslog', 'checkpoint_restore', 'dac_read_search'}
ROOT_RIGHTS = SYSTEM_RIGHTS | {'setuid', 'setgid', 'setpcap', 'sys_chroot', 'kill'}
SERVICE_RIGHTS = SYSTEM_RIGHTS | {'setuid', 'setgid', 'wake_alarm'}


class Judge:
    def __init__(self, row, lines):
        self.row, self.lines = row, lines
        self.checks, self.failures = 0, []
        self.shares = {}
        self.judge()

    def check(self, right, text):
        self.checks += 1
        if not right:
            self.failures.append(text)
        return right

    def find(self, what, name=None):
        """The line, or one that is as good as empty."""
        for line in self.lines:
            if line['what'] == what and (name is None or line['name'] == name):
                return line
        self.check(False, f'{what} {name or ""} was not seen'.replace('  ', ' '))
        return {}

    # Recordings.

    def good(self, name, via, walk=None, left_out=0):
        """left_out: of how many samples the user stack cannot be known."""
        line = self.find('record', name)
        if not line:
            return
        info = line['info']
        if not self.check(line['status'] == 0 and info, f'{name}: status {line["status"]}: {one_line(line["err"])}'):
            return
        self.check(info['whole'] and not info.get('problems'), f'{name}: the capture is damaged: {info.get("problems")}')
        self.check(info['samples'] >= 20, f'{name}: {info["samples"]} samples')
        self.check(info['lost'] <= self.row.lost * info['samples'], f'{name}: {info["lost"]} lost of {info["samples"]}')
        self.check(info['via'] == via, f'{name}: via {info["via"]}, not {via}: {one_line(line["err"])}')
        if walk:
            self.check(info['unwind'] == walk, f'{name}: stacks by {info["unwind"]}, not {walk}: {info["messages"]}')
        stacks = info['user_stacks']
        if stacks['samples']:
            self.shares[name] = share = stacks['complete'] / max(stacks['samples'] - left_out, 1)
            self.check(share >= self.row.complete, f'{name}: {share:.1%} of the stacks are complete: {worst(stacks)}')

    def refused(self, name, words):
        line = self.find('record', name)
        if line:
            self.check(line['status'] != 0 and re.search(words, line['err']),
                       f'{name}: status {line["status"]}, and “{words}” is not in: {one_line(line["err"])}')

    # What doctor says must be what recordings then did.

    def doctor(self, name, recording, auto=None, all_processes=None):
        said, line = self.find('doctor', name).get('said'), self.find('record', recording)
        if not self.check(said, f'doctor {name} says nothing') or not line:
            return
        info = line['info'] or {}
        took = {way['way']: way for way in said['ways']}.get(said['auto'], {})
        # There is nobody who could type a password: recordings then go the next best way.
        asks = took.get('own_processes') == 'password'
        self.check(asks or said['auto'] == info.get('via'), f'doctor {name}: auto is {said["auto"]}, the recording was {info.get("via")}')
        if auto:
            self.check(said['auto'] == auto, f'doctor {name}: auto is {said["auto"]}, not {auto}')
        for way in said['ways']:
            if way is took and not asks:
                self.check(way['unwind'] == info.get('unwind'),
                           f'doctor {name}: stacks by {way["unwind"]}, the recording by {info.get("unwind")}')
            if way['way'] == 'direct' and all_processes:
                could = self.find('record', all_processes).get('status') == 0
                self.check((way['all_processes'] == 'yes') == could,
                           f'doctor {name}: all processes: {way["all_processes"]}; a recording of all {"went" if could else "did not"}')

    def service_way(self, name, **expected):
        said = self.find('doctor', name).get('said') or {'ways': []}
        for way in said['ways']:
            if way['way'] == 'daemon':
                for key, value in expected.items():
                    self.check(way[key] == value, f'doctor {name}: through the service {key} is {way[key]}, not {value}')

    # Rights of processes.

    def rights(self, name, recorder, service):
        line = self.find('processes', name)
        if not line:
            return
        more = {'sys_admin'} if line['paranoid'] > 2 else set()
        seen = {process['name'] for process in line['processes']}
        self.check('capture-recorde' in seen, f'{name}: no recorder among {seen}')
        # A recorder's forks have its name. Where a bus starts the service without systemd, nothing permits precedence.
        precedence = -20 if not service else -10 if self.row.systemd else 0
        nice = sorted((process['nice'], process['name']) for process in line['processes'])
        self.check(nice[0] == (precedence, 'capture-recorde') or precedence == 0, f'{name}: the recorder has not the nice value {precedence}: {nice}')
        self.check(all(value == 0 for value, _ in nice[bool(precedence):]), f'{name}: others than the recorder have precedence: {nice}')
        for process in line['processes']:
            who = f'{name}: {process["name"]} of user {process["uid"]}'
            permitted, effective = set(process['CapPrm']), set(process['CapEff'])
            self.check(process['no_new_privileges'], f'{who} may gain privileges')
            if process['name'] == 'captured':
                self.check(process['uid'] == line['user'] and not effective, f'{who} has in effect {effective}')
                self.check(permitted <= SERVICE_RIGHTS | more, f'{who} may have {permitted - SERVICE_RIGHTS - more}')
            elif process['name'] == 'capture-recorde':
                self.check(permitted | effective <= recorder | more, f'{who} has {(permitted | effective) - recorder - more}')
                self.check(not service or process['uid'] == line['user'], f'{who} is not the service\'s')
            elif process['name'] == 'capture-opener':
                self.check(permitted | effective <= {'wake_alarm'}, f'{who} has {permitted | effective}')
            else:
                self.check(not permitted | effective, f'{who} has {permitted | effective}')
            if service or process['name'] == 'capture-elf-rea':
                self.check(process['seccomp'], f'{who} has no filter of system calls')

    # Steps.

    def direct(self):
        self.doctor('root', 'root-work', 'direct', 'root-all')
        for name in ('root-work', 'root-gcc', 'root-all'):
            self.good(name, 'direct', self.row.walk)
        self.good('root-tables', 'direct', 'dwarf')
        if self.row.off_cpu:
            self.good('root-off-cpu', 'direct')
        else:
            self.refused('root-off-cpu', self.reason())
        if self.row.tracepoints:
            self.good('root-tracepoint', 'direct')
        else:
            self.refused('root-tracepoint', self.reason())
        self.rights('root-work', ROOT_RIGHTS, False)

    def language(self):
        """From the second half of the recording on at the latest, each stack has them."""
        self.good('root-python', 'direct', self.row.walk)
        total = self.find('functions', 'root-python').get('total', {})
        if self.row.walk == 'bpf':
            info = self.find('record', 'root-python').get('info') or {'samples': 0, 'messages': []}
            self.check(total.get('spin_in_python', 0) > 0.5 * info['samples'] and total.get('call_it', 0) >= total.get('spin_in_python', 0),
                       f'functions of Python: {total} of {info["samples"]} samples: {info["messages"]}')
        else:
            self.check(total == {}, f'functions of Python: {total}')

    def languages(self):
        for program in ('python3', 'node', 'java', 'php', 'ruby'):
            line = self.find('runtime', program)
            if program in self.row.lacks:
                continue
            cells = [cell.strip() for cell in ''.join(line.get('row', [])).split('|')][1:-1]
            if not self.check(len(cells) == 6 and cells[1].isdigit(), f'{program}: {one_line(line.get("err", ""))}'):
                continue
            name, samples, complete, named, agree, _cost = cells
            self.check(int(samples) > 500, f'{name}: {samples} samples')
            # A runtime's own threads, and its beginning, have none of the program's functions.
            for what, share, least in (('are complete', complete, 100 * self.row.complete), ('have functions', named, 50), ('agree', agree, 99)):
                self.check(float(share) >= least, f'{name}: {share} % of the stacks {what}')

    def reason(self):
        return 'confidentiality' if 'confidentiality' in self.row.parameters else r'takes 6\.1'

    def someone(self):
        """Debian's kernels permit nothing directly: 3."""
        self.doctor('someone', 'someone-work', 'preload', 'someone-all')
        self.good('someone-work', 'preload')
        self.refused('someone-all', 'perf_event_paranoid')

    def paranoid(self):
        for value in range(-1, 5):
            self.doctor(f'root-paranoid{value}', f'root-paranoid{value}', 'direct')
            self.good(f'root-paranoid{value}', 'direct', self.row.walk)
            name, everything = f'someone-paranoid{value}', f'someone-all-paranoid{value}'
            self.doctor(name, name, 'direct' if value <= 2 else 'preload', everything)
            self.good(name, 'direct' if value <= 2 else 'preload', 'dwarf')
            if value <= 0:
                # Everybody's, but the kernel lets nobody read what processes of root's have mapped before: stacks end there.
                owners = self.find('owners', everything)
                self.good(everything, 'direct', 'dwarf', owners.get('strangers_without_table', 0))
                self.check(owners.get('own', 0) >= 20, f'{everything}: {owners.get("own")} samples of a process of his own')
            else:
                self.refused(everything, 'perf_event_paranoid')

    def bus(self):
        self.good('bus-work', 'daemon', self.row.walk)
        self.good('bus-all', 'daemon', self.row.walk)
        self.service_way('bus', own_processes='yes', all_processes='yes', unwind=self.row.walk)
        self.rights('bus-work', BPF_RIGHTS, True)

    def hotplug(self):
        for name in ('off-and-on', 'off-and-on-command', 'on'):
            self.good(name, 'direct', self.row.walk)
        seconds = self.find('by-second', 'off-and-on').get('seconds', [])
        self.check(re.fullmatch('x+0+x+', ''.join('x' if count else '0' for count in seconds)),
                   f'off-and-on: samples of the processor by second: {seconds}')
        seconds = self.find('by-second', 'on').get('seconds', [])
        self.check(seconds and seconds[0] == 0 and sum(seconds) > 20, f'on: samples of the processor by second: {seconds}')

    def window(self):
        """The viewer records what the command line does, by the same way."""
        self.doctor('seat', 'seat-gcc', 'daemon')
        for name in ('window', 'seat-gcc'):
            self.good(name, 'daemon', self.row.walk)
        self.find('picture')

    def sudo(self):
        self.good('sudo-gcc', 'direct', self.row.walk)
        self.good('sudo-all', 'direct', self.row.walk)

    def service(self):
        states = [self.find('active', name).get('state') for name in ('before', 'after')]
        self.check(states == ['inactive', 'active'], f'the service was {states[0]} before it was called, {states[1]} afterwards')
        self.doctor('someone', 'someone-work', 'daemon')
        self.good('someone-work', 'preload')
        self.service_way('someone', own_processes='password')
        self.refused('someone-refused', 'password|authori[sz]|permitted')
        session = self.find('session').get('out', '')
        for word in ('Active=yes', 'Seat=seat0', 'Remote=no', 'State=active'):
            self.check(word in session, f'the session has not {word}: {one_line(session)}')
        self.doctor('seat', 'seat-work', 'daemon')
        self.service_way('seat', own_processes='yes', all_processes='password', unwind=self.row.walk)
        for name in ('seat-work', 'seat-gcc', 'seat-processes', 'seat-cgroups', 'after-memory', 'after-kill', 'allowed-all'):
            self.good(name, 'daemon', self.row.walk)
        self.refused('seat-all', 'password|authori[sz]|permitted')
        if self.row.off_cpu:
            self.good('allowed-off-cpu', 'daemon')
        else:
            self.refused('allowed-off-cpu', self.reason())
        self.rights('seat-work', BPF_RIGHTS, True)
        self.rights('allowed-all', SYSTEM_RIGHTS, True)
        self.cgroups()
        self.unit()
        self.ends()

    def cgroups(self):
        """Recordings are in their user's cgroup, which is limited, and the service is not."""
        line = self.find('cgroups')
        for process in line.get('processes', []):
            own = '/service' if process['name'] == 'captured' else f'/user-{line["user"]}'
            self.check(process['path'].endswith('/captured.service' + own), f'{process["name"]} is in {process["path"]}')
            if process['name'] != 'captured':
                self.check((process['max'], process['group']) == (str(192 << 20), '1'), f'the limits of {process["name"]}: {process}')
        line = self.find('out-of-memory')
        self.check(line.get('status') == -9, f'out of memory: what took too much ended with {line.get("status")}: {line.get("error")}')
        self.check(line.get('left') == [] and line.get('state') == 'active', f'out of memory: left is {line.get("left")}, captured is {line.get("state")}')
        info = self.find('record', 'seat-memory').get('info') or {}
        self.check(info.get('whole') and info.get('ended') == 'recorder-died', f'out of memory: the recording {info.get("ended")}: {info}')

    def unit(self):
        security = self.find('security')
        level = re.search(r'exposure level for captured.service: ([\d.]+)', security.get('out', ''))
        self.check(level and float(level[1]) <= 2.6, f'systemd-analyze security: {level[1] if level else one_line(security.get("err", ""))}')
        self.level = level[1] if level else None
        verify = self.find('verify')
        self.check('captured' not in verify.get('err', ''), f'systemd-analyze verify: {one_line(verify.get("err", ""))}')
        ours = [text for text in self.find('journal').get('out', '').splitlines() if re.search('capture|polkit', text)]
        self.check(not ours, f'the journal has {len(ours)} warnings: {"; ".join(ours[:3])}')

    def ends(self):
        line = self.find('record', 'stopped')
        info = line.get('info') or {}
        told = line.get('err', '') + ' '.join(info.get('messages', []))
        self.check(info.get('whole') and 'captured was stopped' in told, f'stopped: the caller was told: {one_line(told)} ({info.get("ended")})')
        info = self.find('record', 'killed').get('info') or {}
        self.check(info.get('whole') and info['samples'] > 20, f'killed: {info}')
        self.check(self.find('left').get('processes') == [], f'killed: {self.find("left").get("processes")} are left')
        idle = self.find('idle')
        self.check(idle.get('state') == 'inactive' and idle['seconds'] <= 60, f'idle: {idle.get("state")} after {idle.get("seconds")} s')

    def judge(self):
        for line in self.lines:
            if line['what'] == 'error':
                self.check(False, f'step {line["step"]}: {line["text"]}')
        facts = self.find('facts')
        self.check(facts.get('processors') == self.row.processors, f'{facts.get("processors")} processors')
        for step in self.row.steps.split(','):
            getattr(self, step)()
        self.find('end')


def one_line(text):
    text = ' '.join(text.split())
    return text if len(text) <= 400 else text[:200] + ' … ' + text[-200:]


def worst(stacks):
    return '; '.join(f'{entry["samples"]} {entry["outcome"]} in {entry["binary"]} ({entry["advice"]})' for entry in stacks['incomplete'][:3])
