/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes functions, runs each until it is compiled, and forgets it, for as many milliseconds of processor time as it is
 * told; so code comes to stand where other code stood. To be run with --expose-gc --always-sparkplug. */
const begin = process.cpuUsage();
const used = () => process.cpuUsage(begin).user / 1000;
let sum = 0;
for (let n = 0; used() < Number(process.argv[2]); n++) {
  const made = new Function('x', `let s = ${n}; for (let i = 0; i < 3000; i++) s = (s * 31 + i + x) | 0; return s; // made_${n}`);
  for (let i = 0; i < 20; i++)
    sum = (sum + made(i)) | 0;
  if (n % 20 === 0)
    gc();
}
console.log(sum);
