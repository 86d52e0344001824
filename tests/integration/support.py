# SPDX-License-Identifier: GPL-3.0-or-later
"""What the integration tests share: where the built programs are, and how to run them."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get('CAPTURE_BUILDDIR', SOURCE / 'build'))
DATA = SOURCE / 'tests' / 'data'
CAPTURECTL = BUILD / 'capturectl' / 'capturectl'
RECORDER = BUILD / 'helpers' / 'recorder' / 'capture-recorder'
CODE_READER = BUILD / 'helpers' / 'elf-reader' / 'capture-code-reader'
ELF_READER = BUILD / 'helpers' / 'elf-reader' / 'capture-elf-reader'
PRELOAD = BUILD / 'helpers' / 'preload' / 'libcapture-preload.so'

sys.path.insert(0, str(SOURCE / 'tests' / 'decoder'))
from capture_decoder import File, NotACapture, text  # noqa: E402

# The caches of the person who runs the tests are left alone, also when the tests are run by hand.
os.environ['XDG_CACHE_HOME'] = str(BUILD / 'tests' / 'cache')

# Put before a command gives it a mount namespace of its own; also where / is no mount point, as in a plain chroot.
# There what it mounts may be seen outside as well: unmount it afterwards with unmount().
OWN_MOUNTS = ('unshare', '--mount', '--propagation', 'unchanged', 'sh', '-c', 'mount --make-rprivate / 2>/dev/null; exec "$@"', 'sh')

SANITIZER_REPORT = re.compile(r'ERROR: (Address|Leak)Sanitizer|runtime error:|AddressSanitizer:DEADLYSIGNAL')


class Result:
    """How a program ended: `status` (negative: killed by that signal), `stdout`, `stderr` (texts)."""

    def __init__(self, command, status, stdout, stderr):
        self.command, self.status, self.stdout, self.stderr = command, status, stdout, stderr

    def __str__(self):
        return (f'{" ".join(map(str, self.command))}: status {self.status}\n'
                f'stdout: {self.stdout[-4000:]}\nstderr: {self.stderr[-4000:]}')


def environment(**changes):
    """The environment for a program: texts in English, no settings of the person who runs the tests, nor servers of the distribution's."""
    return {**os.environ, 'LC_ALL': 'C.UTF-8', 'LANGUAGE': '', 'TERM': 'dumb', 'DEBUGINFOD_URLS': '', **changes}


def language(name):
    """What makes a program speak it, for its environment. C.UTF-8, the one locale that is always there, is English to newer libcs whatever
    LANGUAGE says: so it gets another name, that of the language, which tells newer GTKs the direction of its letters."""
    locales = BUILD / 'tests' / 'locales'
    locales.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (locales / f'{name}.utf8').symlink_to('/usr/lib/locale/C.utf8')
    return {'LOCPATH': str(locales), 'LC_ALL': f'{name}.UTF-8', 'LANGUAGE': name}


def run(*command, timeout=120, status=0, stdin=None, cwd=None, env=None, binary=False):
    """Runs command to its end and fails the test unless it exits with `status` (None: any) and
    without a sanitizer's report. With `binary`, stdout is bytes."""
    done = subprocess.run([str(word) for word in command], timeout=timeout, cwd=cwd, env=env or environment(),
                          input=stdin, stdin=subprocess.DEVNULL if stdin is None else None,
                          capture_output=True)
    stdout = done.stdout if binary else done.stdout.decode(errors='replace')
    result = Result(command, done.returncode, stdout, done.stderr.decode(errors='replace'))
    check_sanitizers(result.stderr)
    if status is not None and done.returncode != status:
        raise AssertionError(f'expected status {status}: {result}')
    return result


def capturectl(*arguments, **how):
    """run() for capturectl."""
    return run(CAPTURECTL, *arguments, **how)


def unmount(directory):
    """Unmounts what is mounted there, if anything is."""
    if os.path.ismount(directory):
        run('umount', directory)


def copy_programs(directory):
    """Copies capturectl and its helpers to where every user may run them, which a build directory need not be;
    returns the path of capturectl."""
    directory.chmod(0o755)
    for program in CAPTURECTL, RECORDER, ELF_READER, CODE_READER, PRELOAD:
        copy = directory / program.relative_to(BUILD)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(program, copy)
    return directory / CAPTURECTL.relative_to(BUILD)


def check_sanitizers(stderr):
    """Fails the test when a program's standard error holds a sanitizer's report."""
    if SANITIZER_REPORT.search(stderr):
        raise AssertionError(f'a sanitizer reported:\n{stderr[:8000]}')


def read_twice(path):
    """Fails the test unless capturectl's dump of a capture is the second decoder's, line by line; returns the lines."""
    ours = capturectl('dump', path, timeout=300, status=None)
    try:
        theirs = list(text.lines(File(path)))
    except NotACapture:
        if ours.status == 0:
            raise AssertionError(f'{path.name} is no capture, but was dumped') from None
        return []
    lines = ours.stdout.splitlines()
    for number, (left, right) in enumerate(zip(lines, theirs)):
        if left != right:
            raise AssertionError(f'line {number + 1} of the dump of {path.name} differs:\n{left}\n{right}')
    if len(lines) != len(theirs):
        raise AssertionError(f'{path.name} has {len(lines)} lines in the dump, {len(theirs)} in the decoder')
    return lines


class TestCase(unittest.TestCase):
    """A test with a directory of its own, `self.directory`, which is gone afterwards. Every capture that the test
    leaves in it is read by both decoders."""

    maxDiff = 4000

    def setUp(self):
        super().setUp()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix='capture-test-'))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.addCleanup(self.read_captures_twice)

    def read_captures_twice(self):
        for path in sorted(self.directory.rglob('*.capture')):
            if path.is_file() and not path.is_symlink():
                read_twice(path)
