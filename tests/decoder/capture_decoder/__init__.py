# SPDX-License-Identifier: GPL-3.0-or-later
"""A second reader of captures, written from docs/format.md alone, to check the first one against.

    container   the file: header, parts, checksums, compression
    records     what stands in a part's content
    text        the canonical text of docs/dump.md
    model       samples with their stacks, addresses and names resolved
"""
from .container import File, NotACapture
from .model import Capture

__all__ = ['Capture', 'File', 'NotACapture']
