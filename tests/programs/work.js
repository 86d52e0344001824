/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes, in interpreted, in compiled and in C++ code, for as many milliseconds as it is told. */
const end = Date.now() + Number(process.argv[2]);
const collatz = n => n === 1 ? 0 : 1 + collatz(n % 2 === 0 ? n / 2 : 3 * n + 1);
let sum = 0;
for (let n = 1; Date.now() < end; n++) {
  sum += collatz(n % 1000 + 1);
  if (n % 10 === 0) {
    const text = JSON.stringify([...Array(200).keys()].map(i => ({ i, name: `item ${(i * 7919 + n) % 997}` })));
    sum += JSON.parse(text).sort((a, b) => a.name < b.name ? -1 : 1).length + text.replace(/\d+/g, m => m + m).length;
  }
}
console.log(sum);
