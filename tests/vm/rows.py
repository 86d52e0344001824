# SPDX-License-Identifier: GPL-3.0-or-later
"""What is booted: one row a machine. Add a row here; judge.py says what each of its steps must show."""

import dataclasses


@dataclasses.dataclass
class Row:
    name: str
    kernel: str                  # a release of Debian's, whose kernel is taken
    steps: str                   # functions of guest/guest.py
    userland: str = 'bookworm'
    arch: str = 'amd64'
    systemd: bool = False
    kind: str = 'small'          # what is installed in the userland, see make
    processors: int = 2
    parameters: str = ''         # for the kernel
    walk: str = 'bpf'            # how stacks are found where the rights are there, as in the metadata
    off_cpu: bool = True         # these two: can be had there
    tracepoints: bool = True
    complete: float = 0.99       # of the samples of which it is said how their user stack ended
    lost: float = 0.01           # of the samples
    lacks: tuple = ()            # programs that do not run there
    limits: str = ''             # in words, why one of these six is not as usual


TABLES = ('stacks are found by tables in user space, over copies that are too short for the deepest stacks of gcc, and that '
          'an emulated processor does not always copy fast enough')
OLD = {'walk': 'dwarf', 'off_cpu': False, 'complete': 0.9, 'lost': 0.05,
       'limits': f'Linux 5.10 is too old for walking in BPF and for time off the CPU (6.1): {TABLES}'}
CONFIDENTIAL = {'walk': 'dwarf', 'off_cpu': False, 'tracepoints': False, 'complete': 0.9, 'lost': 0.05,
                'limits': f'lockdown=confidentiality takes BPF and tracefs away: {TABLES}'}
BEGUN = 'the first seconds count, in which the tables of a runtime and the programs for it are still made'
PLAIN = 'direct,language,someone,hotplug,bus'
SYSTEMD = 'service,direct,sudo'

ROWS = [
    Row('5.10', 'bullseye', 'paranoid,' + PLAIN, **OLD),
    Row('6.1', 'bookworm', 'paranoid,' + PLAIN),
    Row('6.12', 'trixie', 'paranoid,' + PLAIN, userland='trixie'),
    Row('sid', 'sid', 'paranoid,' + PLAIN, userland='trixie'),
    Row('6.1-desktop', 'bookworm', 'window', systemd=True, kind='desktop'),
    Row('6.12-desktop', 'trixie', 'window', userland='trixie', systemd=True, kind='desktop'),
    Row('6.1-languages', 'bookworm', 'languages', kind='languages', complete=0.95, limits=BEGUN),
    Row('6.12-languages', 'trixie', 'languages', userland='trixie', kind='languages', complete=0.95, lacks=('java',),
        limits=BEGUN + '. Java was not tried: javac of OpenJDK 21 aborts on the emulated processor'),
    Row('5.10-systemd', 'bullseye', SYSTEMD, systemd=True, **OLD),
    Row('6.1-systemd', 'bookworm', SYSTEMD, systemd=True),
    Row('6.12-systemd', 'trixie', SYSTEMD, userland='trixie', systemd=True),
    Row('sid-systemd', 'sid', SYSTEMD, userland='trixie', systemd=True),
    Row('6.1-arm64', 'bookworm', PLAIN, arch='arm64'),
    Row('6.12-arm64', 'trixie', PLAIN, arch='arm64'),
    Row('6.1-arm64-systemd', 'bookworm', SYSTEMD, arch='arm64', systemd=True),
    Row('6.12-arm64-systemd', 'trixie', SYSTEMD, arch='arm64', systemd=True),
    Row('6.1-one-processor', 'bookworm', 'direct,someone', processors=1),
    Row('6.12-16-processors', 'trixie', 'direct,someone,hotplug', userland='trixie', processors=16),
    Row('6.1-integrity', 'bookworm', 'direct,someone', parameters='lockdown=integrity'),
    Row('6.12-integrity', 'trixie', 'direct,someone', userland='trixie', parameters='lockdown=integrity'),
    Row('6.1-confidentiality', 'bookworm', 'direct,someone', parameters='lockdown=confidentiality', **CONFIDENTIAL),
    Row('6.12-confidentiality', 'trixie', 'direct,someone', userland='trixie', parameters='lockdown=confidentiality', **CONFIDENTIAL),
]
