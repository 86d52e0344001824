# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers of debug files on loopback: Debian's own, and one that misbehaves."""
import contextlib
import http.server
import os
import pathlib
import shutil
import socket
import subprocess
import tarfile
import threading
import time
import urllib.error
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def debuginfod(directory, build_ids, sources=()):
    """Serves the files of a directory, and of archives there; begins when it knows the debug files of all build-ids, and the sources:
    (build-id, path). Gives the server's address."""
    port = free_port()
    address = f'http://127.0.0.1:{port}'
    # It would ask other servers for what it lacks, and keep that.
    env = {name: value for name, value in os.environ.items() if not name.startswith('DEBUGINFOD_')}
    with subprocess.Popen(['debuginfod', '-F', '-Z', '.tar', '-p', str(port), '-d', ':memory:', directory], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=env) as server:
        try:
            for build_id in build_ids:
                wait_for(f'{address}/buildid/{build_id}/debuginfo', server)
            for build_id, path in sources:
                wait_for(f'{address}/buildid/{build_id}/source{path}', server)
            yield address
        finally:
            server.kill()  # asked to end it takes its time


def pack(archive, *paths):
    """Makes an archive of files under their whole paths: a server has their text although they are not here any more."""
    with tarfile.open(archive, 'w') as packed:
        for path in paths:
            info = packed.gettarinfo(path)
            info.name = str(path)
            with open(path, 'rb') as file:
                packed.addfile(info, file)


def wait_for(url, server):
    while server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=20):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.05)
    raise AssertionError(f'debuginfod ended with status {server.returncode}')


class Misbehaving(http.server.BaseHTTPRequestHandler):
    """Answers as `self.server.how` says; `self.server.asked` counts."""

    protocol_version = 'HTTP/1.1'

    def log_message(self, *_arguments):
        pass

    def do_GET(self):
        self.server.asked += 1
        with contextlib.suppress(OSError):
            getattr(self, self.server.how)()
        self.close_connection = True

    def begin(self, status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.end_headers()

    def slow(self):
        self.server.ended.wait(60)

    def drip(self):
        self.begin(Content_Length='1000000')
        while not self.server.ended.wait(0.1):
            self.wfile.write(b'x' * 100)

    def broken_off(self):
        self.begin(Content_Length='1000000')
        self.wfile.write(b'\x7fELF' + bytes(5000))

    def another_file(self):
        data = pathlib.Path(shutil.which('true')).read_bytes()
        self.begin(Content_Length=str(len(data)))
        self.wfile.write(data)

    def no_elf_file(self):
        self.begin(Content_Length='6')
        self.wfile.write(b'Sorry!')

    def large(self):
        self.begin(Content_Length=str(10 * 10**9))
        self.flood()

    def endless(self):
        self.begin()
        self.flood()

    def endless_chunks(self):
        self.begin(Transfer_Encoding='chunked')
        while not self.server.ended.is_set():
            self.wfile.write(b'100000\r\n' + bytes(0x100000) + b'\r\n')

    def flood(self):
        while not self.server.ended.is_set():
            self.wfile.write(bytes(0x100000))

    def redirected_to_itself(self):
        self.begin(302, Location=self.path, Content_Length='0')

    def redirected_to_a_file(self):
        self.begin(302, Location=f'file://{self.server.file}', Content_Length='0')

    def missing(self):
        self.begin(404, Content_Length='0')


@contextlib.contextmanager
def misbehaving(how, file=None):
    """A server that does that; gives its address, and the server."""
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), Misbehaving) as server:
        server.how, server.file, server.asked, server.ended = how, file, 0, threading.Event()
        thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.02})
        thread.start()
        try:
            yield f'http://127.0.0.1:{server.server_port}', server
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()
