# SPDX-License-Identifier: GPL-3.0-or-later
"""CRC-32C: reflected polynomial 0x82F63B78, two tables of 65,536 entries, four bytes a step."""


def _make_tables():
    byte_table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        byte_table.append(value)

    def shift(crc):  # by one zero byte
        return byte_table[crc & 0xff] ^ crc >> 8

    near = [shift(shift(low)) for low in range(65536)]
    return byte_table, near, [shift(shift(crc)) for crc in near]


_BYTES, _NEAR, _FAR = _make_tables()


def crc32c(data, crc=0):
    """The CRC of `data`, going on from the CRC of what stood before it."""
    near, far, crc = _NEAR, _FAR, crc ^ 0xffffffff
    whole = len(data) & ~3
    for low, high in zip(*[iter(memoryview(data)[:whole].cast('B').cast('H'))] * 2):
        crc ^= low | high << 16
        crc = far[crc & 0xffff] ^ near[crc >> 16]
    for byte in memoryview(data)[whole:]:
        crc = _BYTES[(crc ^ byte) & 0xff] ^ crc >> 8
    return crc ^ 0xffffffff
