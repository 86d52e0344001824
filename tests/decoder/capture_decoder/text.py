# SPDX-License-Identifier: GPL-3.0-or-later
"""The canonical text of a capture, docs/dump.md."""
from . import container
from .records import Decoder

KINDS = dict(enumerate(('dictionary', 'samples', 'records', 'foreign', 'meta', 'names', 'index', 'footer'), 1))
_HEXADECIMAL = {'base', 'device', 'mapped_start', 'mapped_end', 'flags', 'start', 'end', 'offset', 'protection',
                'config', 'config1', 'config2', 'address', 'mask', 'crc'}
_TEXTS = {'value', 'key', 'text', 'message'}
_PLAIN = {byte: chr(byte) for byte in range(0x20, 0x7f)} | {0x22: '\\"', 0x5c: '\\\\'}


def lines(file):
    """Yields the lines of a container.File."""
    header = {key: value.hex() if isinstance(value, bytes) else value for key, value in file.header._asdict().items()}
    yield 'header ' + ' '.join(f'{key}={value}' for key, value in header.items())
    yield 'ended ' + ' '.join(f'{key}={value}' for key, value in file.ended._asdict().items())
    decoder = Decoder(file.order)
    for part in file.parts:
        yield _part_line(part)
        yield from _content_lines(file, decoder, part)
    yield f'end offset={file.end} size={file.size}'


def _part_line(part):
    fields = {**part._asdict(), 'crc': f'{part.crc:#x}', 'kind': KINDS.get(part.kind, part.kind),
              'flags': f'{part.flags:#x}'}
    return 'part ' + ' '.join(f'{key}={value}' for key, value in fields.items())


def _content_lines(file, decoder, part):
    content = file.content(part)
    if content is None:
        return ['  damaged position=0']
    if part.kind == container.SAMPLES:
        return _sample_lines(file, part, content)
    if part.kind == container.INDEX:
        return _index_lines(file, content)
    if part.kind == container.FOOTER:
        return []
    if part.kind in (container.DICTIONARY, container.RECORDS, container.META, container.NAMES):
        return _record_lines(decoder, content)
    return (f'  bytes {content[start:start + 32].hex()}' for start in range(0, len(content), 32))


def _sample_lines(file, part, content):
    entries = file.entries(part, content)
    if entries is None:
        yield '  damaged position=0'
        return
    for time, thread, leaf, cpu, outcome, mode, *more in entries:
        weight = more[0] if more else part.weight
        detail = f' detail={more[1]:#x}' if part.entry_size == 32 else ''
        yield (f'  sample time={(part.time_first + time) % (1 << 64)} thread={thread} leaf={leaf} cpu={cpu} '
               f'outcome={outcome} mode={mode} weight={weight}{detail}')


def _index_lines(file, content):
    if len(content) % 48:
        yield '  damaged position=0'
        return
    for values in file.iter_unpack('QQQIIIIHHHH', content):
        entry = container.IndexEntry(*values)._asdict()
        entry['flags'] = f'{entry["flags"]:#x}'
        yield '  entry ' + ' '.join(f'{key}={value}' for key, value in entry.items())


def _record_lines(decoder, content):
    for position, record in decoder.records(content):
        if record is None:
            yield f'  damaged position={position}'
            continue
        words = [f'  {record.word}'] + [f'{key}={_value(record.word, key, value)}' for key, value in record.fields.items()]
        if record.word in _ITEMS:
            name, write = _ITEMS[record.word]
            words.append(f'{name}={",".join(map(write, record.items)) or "-"}')
        yield ' '.join(words)
        if record.word in _ITEM_LINES:
            for item in record.items:
                yield f'    {_ITEM_LINES[record.word]} ' + ' '.join(
                    f'{key}={_value(record.word, key, value)}' for key, value in item._asdict().items())


_ITEM_LINES = {'functions': 'function', 'code': 'range', 'place_frames': 'place_frame'}
_ITEMS = {'counts': ('values', lambda item: f'{item[0]}:{item[2]:#x}'),
          'place': ('frames', lambda item: str(item[0])),
          'frames': ('frames', lambda item: f'{item[0]}:{item[1]:#x}'),
          'nodes': ('items', lambda item: f'{("", "?", "^", "+")[item[0] >> 30]}{item[0] & 0x3fffffff}')}


def _value(word, key, value):
    if isinstance(value, bytes):
        is_text = key in _TEXTS or (word == 'stream' and key == 'name')
        return _quote(value) if is_text else value.hex() or '-'
    if isinstance(value, tuple):
        return ','.join(f'{item:#x}' for item in value) or '-'
    return f'{value:#x}' if key in _HEXADECIMAL else str(value)


def _quote(text):
    return '"' + ''.join(_PLAIN.get(byte) or f'\\x{byte:02x}' for byte in text) + '"'
