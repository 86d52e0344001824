# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers over HTTP, each caller in a thread of its own, after waiting as its path says. Prints its port."""
import http.server
import queue
import subprocess
import threading
import time

counter = threading.Lock()
jobs = queue.Queue()


def ask_database():
    time.sleep(0.02)
    return b'asked'


def take_turn():
    with counter:
        time.sleep(0.01)
    return b'taken'


def hand_over():
    done = threading.Event()
    jobs.put(done)
    done.wait()
    return b'done'


def call_program():
    return subprocess.run(['sleep', '0.02'], check=True, stdout=subprocess.PIPE).stdout


def work_on_jobs():
    while True:
        job = jobs.get()
        time.sleep(0.01)
        job.set()


ANSWERS = {'/ask_database': ask_database, '/take_turn': take_turn, '/hand_over': hand_over, '/call_program': call_program}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        answer = ANSWERS[self.path]()
        self.send_response(200)
        self.send_header('Content-Length', str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *what):
        pass


def main():
    threading.Thread(target=work_on_jobs, daemon=True).start()
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


main()
