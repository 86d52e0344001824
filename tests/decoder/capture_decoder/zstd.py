# SPDX-License-Identifier: GPL-3.0-or-later
"""One zstd frame, by the C library (RFC 8878 is not what is checked here)."""
import ctypes

_library = ctypes.CDLL('libzstd.so.1')
for _name in ('ZSTD_decompress', 'ZSTD_findFrameCompressedSize'):
    getattr(_library, _name).restype = ctypes.c_size_t
_library.ZSTD_isError.restype = ctypes.c_uint
_library.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
_library.ZSTD_findFrameCompressedSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
_library.ZSTD_isError.argtypes = [ctypes.c_size_t]


def decompress(stored, length):
    """The content, or None when `stored` is not exactly one frame of `length` bytes."""
    if _library.ZSTD_findFrameCompressedSize(stored, len(stored)) != len(stored):
        return None
    out = ctypes.create_string_buffer(max(length, 1))
    done = _library.ZSTD_decompress(out, length, stored, len(stored))
    return out.raw[:length] if not _library.ZSTD_isError(done) and done == length else None
