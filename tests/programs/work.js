/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes, in interpreted, in compiled and in C++ code, for as many milliseconds of processor time as it is told. */
const begin = process.cpuUsage();
const used = () => process.cpuUsage(begin).user / 1000;
const collatz = n => n === 1 ? 0 : 1 + collatz(n % 2 === 0 ? n / 2 : 3 * n + 1);
let sum = 0;
for (let n = 1; n % 100 !== 0 || used() < Number(process.argv[2]); n++) {
  for (let i = 0; i < 30; i++)
    sum += collatz((30 * n + i) % 1000 + 1);
  if (n % 10 === 0) {
    const text = JSON.stringify([...Array(200).keys()].map(i => ({ i, name: `item ${(i * 7919 + n) % 997}` })));
    sum += JSON.parse(text).sort((a, b) => a.name < b.name ? -1 : 1).length + text.replace(/\d+/g, m => m + m).length;
  }
}
console.log(sum);
