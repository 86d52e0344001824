// SPDX-License-Identifier: GPL-3.0-or-later
// Answers over HTTP after waiting as the path says, with its only thread or a worker's. Prints its port.
const { Worker, isMainThread } = require('worker_threads');
const { execFileSync } = require('child_process');
const http = require('http');

function askDatabase() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  return 'asked';
}

function callProgram() {
  return execFileSync('sleep', ['0.02']);
}

function waitForWork() {
  for (;;)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}

const answers = { '/askDatabase': askDatabase, '/callProgram': callProgram };

if (isMainThread) {
  new Worker(__filename);
  const server = http.createServer(function answer(request, response) {
    response.end(answers[request.url]());
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
} else {
  waitForWork();
}
