// SPDX-License-Identifier: GPL-3.0-or-later
// Works for so many seconds in stacks that are known, in a worker thread too; or, with "trace", prints each stack that
// it can have: its functions from the outermost to the innermost, with the line that each is at, as V8 itself says them.
'use strict';

const { Worker, isMainThread, workerData } = require('worker_threads');

const stacks = new Set();
let tracing = false;

function note() {
  const prepare = Error.prepareStackTrace;
  Error.prepareStackTrace = (_error, sites) => sites;
  Error.stackTraceLimit = 100;
  const sites = new Error().stack.filter(site => site.getFileName() === __filename && !site.isAsync());
  Error.prepareStackTrace = prepare;
  stacks.add(JSON.stringify(sites.slice(1).map(site => [site.getFunctionName(), site.getLineNumber()]).reverse()));
}

function leaf(n) {
  let total = 0;
  for (let i = 0; i < n; i++) total += (i * i) % 7;
  if (tracing) note();
  return total;
}

function deep(n) {
  if (n === 0)
    return leaf(4000);
  return deep(n - 1);
}

function* numbers(n) {
  for (let i = 0; i < n; i++)
    yield leaf(600) + i;
}

class Größe {
  #value;

  constructor(value) {
    this.#value = value;
    leaf(200);
  }

  get doubled() {
    return leaf(400) + 2 * this.#value;
  }

  static compare(a, b) {
    return leaf(300) * 0 +
           a.#value - b.#value;
  }
}

function closures(n) {
  const add = function () {
    n += leaf(300);
    return n;
  };
  return [1, 2].map(() => add())
    .concat([3].map(function named(x) {
      return leaf(200) + x;
    }));
}

function fail(n) {
  try {
    throw new Error(leaf(n));
  } catch (error) {
    return error.message;
  } finally {
    leaf(n);
  }
}

const made = new Function('leaf', 'return function made(n) { return leaf(n); }')(leaf);

async function ask(n) {
  leaf(n);
  await null;
  return leaf(n) +
         await answer(n);
}

const answer = async n => {
  leaf(n);
  await null;
  return leaf(n);
};

async function turn(i) {
  deep(20);
  for (const n of numbers(5))
    i += n;
  [new Größe(3), new Größe(1), new Größe(2)].sort(Größe.compare);
  JSON.stringify({ toJSON() { return new Größe(i).doubled; } });
  JSON.parse('[1, 2]', (key, value) => leaf(200) + value);
  closures(i);
  fail(300);
  made(300);
  'abc'.replace(/b/, () => String(leaf(200)));
  leaf.call(null, 200) + Reflect.apply(leaf, null, [300]) + leaf.bind(null, 200)();
  await ask(300);
}

async function run(end) {
  for (let i = 0; Date.now() < end; i++)
    await turn(i);
}

async function trace() {
  tracing = true;
  for (let i = 0; i < 3; i++)
    await turn(i);
  process.stdout.write(JSON.stringify([...stacks].map(stack => JSON.parse(stack))));
}

if (!isMainThread)
  run(workerData);
else if (process.argv[2] === 'trace')
  trace();
else {
  const end = Date.now() + 1000 * process.argv[2];
  new Worker(__filename, { workerData: end });
  run(end);
}
