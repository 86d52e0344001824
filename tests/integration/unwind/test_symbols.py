# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of many addresses, beside perf's names of the same addresses.

perf is asked through a perf.data made here: one mapping of the whole file and one sample an address. Where both
name an address they must agree, but for what DIFFERENCES explains; and nothing that perf names may stay unnamed. Of
several names for one address each shows another: we the one that people know.
"""
import collections
import os
import pathlib
import random
import re
import struct
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["CAPTURE_BUILDDIR"])
NAME_OFFSETS = BUILD / "tests/unit/profile/name-offsets"
BASE = 0x10000000000
ADDRESSES = 3000

# What perf 6.1 says, what we say, and why they differ. Each is a match for the whole name.
DIFFERENCES = [
    (r"_init", r".*@plt",
     "_init has no size, so perf lets it reach to _start, over the stubs in between; we name the stub"),
    (r".*@plt", r".*@plt",
     "perf 6.1 takes stubs to stand in the order of their relocations; those of indirect functions do not"),
    (None, r".*@plt", "perf 6.1 knows no stubs in .plt.got and .plt.sec"),
]


def explained(theirs, ours):
    for perf, own, _ in DIFFERENCES:
        if (perf is None) == (theirs is None) and own and ours and re.fullmatch(own, ours):
            if theirs is None or re.fullmatch(perf, theirs):
                return True
    return False


def padded(text):
    text = text.encode() + b"\0"
    return text.ljust((len(text) + 7) // 8 * 8, b"\0")


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def write_perf_data(path, mapping, samples, misc):
    """A perf.data with that mapping record and one sample for each of the addresses."""
    sample_type = 1 | 2 | 4  # ip, tid, time
    flags = 1 << 8 | 1 << 9 | 1 << 23  # mmap, comm, mmap2
    attr = struct.pack("<IIQQQQQ", 1, 112, 0, 1000, sample_type, 0, flags).ljust(112, b"\0") + bytes(16)
    data = record(3, 2, struct.pack("<II", 100, 100) + b"program\0") + mapping
    data += b"".join(record(9, misc, struct.pack("<QIIQ", address, 100, 100, i + 1))
                     for i, address in enumerate(samples))
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, len(attr), 104, len(attr), 104 + len(attr), len(data), 0, 0)
    path.write_bytes(header.ljust(104, b"\0") + attr + data)


def names_by_perf(path, count):
    output = subprocess.run(["perf", "script", "-f", "--no-demangle", "-F", "ip,sym", "-i", path],
                            check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(output) == count, (len(output), count)
    names = [line.split(None, 1)[1] for line in output]
    return [None if name == "[unknown]" else name for name in names]


def executable_ranges(binary):
    text = subprocess.run(["readelf", "-lW", binary], check=True, capture_output=True, text=True).stdout
    return [(int(m[1], 16), int(m[2], 16))
            for m in re.finditer(r"LOAD +(0x\w+) 0x\w+ 0x\w+ (0x\w+) 0x\w+ R E", text)]


def segments_of(binary):
    """[offset, address, length] of what is loaded."""
    text = subprocess.run(["readelf", "-lW", binary], check=True, capture_output=True, text=True).stdout
    return [[int(number, 16) for number in m.groups()] for m in re.finditer(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", text)]


def symbols_of(binary):
    """Lines of readelf about its symbols, and those of its debug file."""
    text = subprocess.run(["readelf", "-nW", binary], check=True, capture_output=True, text=True).stdout
    build_id = re.search("Build ID: (..)(.*)", text)
    files = [binary, f"/usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug"] if build_id else [binary]
    lines = subprocess.run(["readelf", "-sW", *filter(os.path.exists, files)], check=True, capture_output=True, text=True).stdout
    return [line.split() for line in lines.splitlines()]


def addresses_by_name(binary):
    """{name without a version: addresses that it stands at}"""
    addresses = collections.defaultdict(set)
    for words in symbols_of(binary):
        if len(words) > 7 and words[6] != "UND":
            addresses[words[7].split("@")[0]].add(words[1])
    return addresses


def functions_of(binary):
    """Where in the file its functions with a size stand, as readelf lists them, those of its debug file too. Ascending."""
    ranges, segments = set(), segments_of(binary)
    for words in symbols_of(binary):
        if len(words) > 7 and words[3] in ("FUNC", "IFUNC") and words[6] != "UND":
            address, size = int(words[1], 16), int(words[2], 0)
            ranges.update((address - start + offset, address - start + offset + size) for offset, start, length in segments
                          if size and start <= address < start + length)
    return sorted(ranges)


def in_functions(offsets, functions):
    """Those of the ascending offsets that lie in a function."""
    found, ends, i = set(), 0, 0
    for offset in offsets:
        while i < len(functions) and functions[i][0] <= offset:
            ends = max(ends, functions[i][1])
            i += 1
        if offset < ends:
            found.add(offset)
    return found


class Names(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.perf_data = pathlib.Path(self.directory.name) / "perf.data"

    def choose_offsets(self, binary):
        choose = random.Random(binary)
        ranges = executable_ranges(binary)
        offsets = set()
        for start, length in ranges:
            offsets.update(start + choose.randrange(length) for _ in range(ADDRESSES // len(ranges)))
        offsets.update(start for start, _end in functions_of(binary)[:1])  # perf 7.2 exports no other
        return sorted(offsets)

    def compare(self, binary):
        binary = os.path.realpath(binary)
        offsets = self.choose_offsets(binary)
        st = os.stat(binary)
        mapping = record(10, 2, struct.pack(
            "<IIQQQIIQQII", 100, 100, BASE, (st.st_size + 4095) // 4096 * 4096, 0, os.major(st.st_dev),
            os.minor(st.st_dev), st.st_ino, 0, 5, 2) + padded(binary))
        write_perf_data(self.perf_data, mapping, [BASE + offset for offset in offsets], 2)
        theirs = names_by_perf(self.perf_data, len(offsets))
        output = subprocess.run([NAME_OFFSETS, binary], input="\n".join(f"{o:x}" for o in offsets), check=True,
                                capture_output=True, text=True).stdout.splitlines()
        ours = [line.split(" ", 1)[1] if " " in line else None for line in output]
        self.assertEqual(len(ours), len(offsets))
        symbols = [None if u and u.startswith("fn@") else u for u in ours]
        addresses = addresses_by_name(binary)
        differences = [(hex(o), t, u) for o, t, u in zip(offsets, theirs, symbols)
                       if t != u and not explained(t, u) and not (t and u and addresses[t.split("@")[0]] & addresses[u.split("@")[0]])]
        self.assertEqual(differences, [])
        known = in_functions(offsets, functions_of(binary))
        self.assertEqual([hex(o) for o, u in zip(offsets, symbols) if o in known and not u], [])
        self.assertGreater(len(known), 0)

    def test_known_names(self):
        """Not cfree, __libc_malloc, __read or _IO_puts."""
        libc = "/lib/x86_64-linux-gnu/libc.so.6"
        segments, names = segments_of(libc), {}
        for words in symbols_of(libc):
            if len(words) > 7 and words[7].split("@@")[0] in "free malloc read poll puts fwrite pthread_create sigaction".split():
                address = int(words[1], 16)
                names.update({address - start + offset: words[7].split("@")[0] for offset, start, length in segments
                              if start <= address < start + length})
        output = subprocess.run([NAME_OFFSETS, libc], input="\n".join(f"{offset:x}" for offset in sorted(names)), check=True,
                                capture_output=True, text=True).stdout
        self.assertEqual([line.split()[1].split("@")[0] for line in output.splitlines()], [names[offset] for offset in sorted(names)])
        self.assertEqual(len(names), 8)

    def test_libc(self):
        self.compare("/lib/x86_64-linux-gnu/libc.so.6")

    def test_dynamic_linker(self):
        self.compare("/lib64/ld-linux-x86-64.so.2")

    def test_compiler(self):
        compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], check=True, capture_output=True, text=True)
        self.compare(compiler.stdout.strip())

    def test_python(self):
        self.compare("/usr/bin/python3")

    def test_cplusplus_library(self):
        library = subprocess.run(["g++", "-print-file-name=libstdc++.so.6"], check=True, capture_output=True,
                                 text=True)
        self.compare(library.stdout.strip())

    def test_own_program(self):
        self.compare(BUILD / "capturectl/capturectl")

    def test_perf(self):
        self.compare("/usr/bin/perf")

    def test_kernel(self):
        """Against kallsyms through perf: kernel samples, named from the running kernel by both."""
        symbols = [line.split() for line in pathlib.Path("/proc/kallsyms").read_text().splitlines()]
        text = [int(s[0], 16) for s in symbols if s[1] in "tTwW" and len(s) == 3]
        start = min(address for address in text if address)
        choose = random.Random("kernel")
        addresses = sorted({choose.choice(text) + choose.randrange(64) for _ in range(ADDRESSES)})
        mapping = record(1, 1, struct.pack("<IIQQQ", 0xffffffff, 0, start, 2**64 - 4096 - start, start)
                         + padded("[kernel.kallsyms]_text"))
        write_perf_data(self.perf_data, mapping, addresses, 1)
        theirs = names_by_perf(self.perf_data, len(addresses))
        output = subprocess.run([NAME_OFFSETS, "[kernel]"], input="\n".join(f"{a:x}" for a in addresses), check=True,
                                capture_output=True, text=True).stdout.splitlines()
        ours = [line.split(" ", 1)[1] if " " in line else None for line in output]
        differences = [(hex(a), t, u) for a, t, u in zip(addresses, theirs, ours) if t != u]
        self.assertEqual(differences, [])
        self.assertGreater(sum(t is not None for t in theirs), 1000)
