# SPDX-License-Identifier: GPL-3.0-or-later
"""Records, as sections 5 to 7 of docs/format.md lay them out.

A record becomes a Record: `word` names its type as docs/dump.md does ('record' and 'invalid' for those that
cannot be read), `fields` are its fixed fields in the order of docs/dump.md, `items` what follows them.
"""
import collections
import struct

Record = collections.namedtuple('Record', 'word fields items', defaults=[()])

# Fixed fields after the first eight bytes: NAME:LAYOUT, the layout of `struct`, u32 when not said; _ is reserved.
_FIXED = {
    2: ('space', 'id kind owner _ base:Q'),
    6: ('binary', 'id path device:Q inode:Q inode_generation:Q mapped_start:Q mapped_end:Q mapped_pid:i flags '
                  'build_id:20s build_id_size'),
    7: ('process', 'id pid:i parent origin name command_line time:Q'),
    8: ('mapping', 'process binary start:Q end:Q offset:Q time:Q protection flags'),
    9: ('thread', 'id process tid:i name time:Q'),
    10: ('event', 'id name unit detail type _ config:Q config1:Q config2:Q period:Q frequency:Q'),
    11: ('kernel_symbol', 'address:Q time:Q length name type flags'),
    12: ('function', 'id name file line'),
    14: ('code_end', 'process _ start:Q length:Q time:Q'),
    16: ('function_line', 'id function line _'),
    15: ('counter', 'id process category name description unit flags _'),
    32: ('lost', 'time:Q samples:Q records:Q reason cpu event _'),
    33: ('throttle', 'time:Q event cpu on _'),
    34: ('fork', 'time:Q pid:i tid:i parent_pid:i parent_tid:i'),
    35: ('exit', 'time:Q pid:i tid:i parent_pid:i parent_tid:i'),
    36: ('cpu', 'time:Q cpu online'),
    80: ('named_binary', 'id path device:Q inode:Q flags build_id_size build_id:20s status'),
    85: ('places_outcome', 'binary outcome'),
}
# Fixed fields, then `count` items of this layout.
_LISTS = {
    3: ('frames', 'first _', 'II'),
    4: ('nodes', 'first nodes', 'I'),
    13: ('code', 'process name start:Q length:Q time:Q file line', 'IIII'),
    39: ('counts', 'time:Q', 'IIQ'),
    81: ('functions', 'binary _', 'QQIIIIII'),
    82: ('place_frames', 'first _', 'IIIIIIII'),
    83: ('place', 'binary _ start:Q end:Q', 'I'),
}
Function = collections.namedtuple('Function', 'start end name linkage_name file line module flags')
PlaceFrame = collections.namedtuple('PlaceFrame', 'name linkage_name file line column declared_file declared_line flags')
Range = collections.namedtuple('Range', 'offset line file function')
# Fixed fields, the last of which is the length of a text after them.
_TEXTS = {
    1: ('string', 'id length', 'value'),
    64: ('stream', 'id kind pid:i length', 'name'),
    38: ('mark', 'time:Q duration:Q thread kind category name length', 'message'),
    40: ('log', 'time:Q thread severity domain length', 'text'),
    66: ('message', 'time:Q severity length', 'text'),
}
# Fixed fields, one of which is the length of bytes after them.
_BYTES = {
    84: ('machine_code', 'binary machine start:Q address:Q length:I flags', 'code'),
    86: ('source_text', 'path length offset:Q', 'content'),
}
_METADATA, _USER_STACK = 65, 37


class _Layout:
    """Fixed fields, compiled for one byte order."""

    def __init__(self, order, specification):
        words = [word.partition(':') for word in specification.split()]
        self.names = [name for name, _, _ in words]
        self.struct = struct.Struct(order + ''.join(layout or 'I' for _, _, layout in words))
        self.end = 8 + self.struct.size

    def read(self, data):
        fields = dict(zip(self.names, self.struct.unpack_from(data, 8)))
        fields.pop('_', None)
        return fields


class Decoder:
    """Decodes the records of one file."""

    def __init__(self, order):
        self.order = order
        self.readers = {_METADATA: self._read_metadata, _USER_STACK: self._read_user_stack}
        for table, make in (_FIXED, self._fixed_reader), (_LISTS, self._list_reader), (_TEXTS, self._text_reader), \
                (_BYTES, self._bytes_reader):
            for kind, (word, specification, *rest) in table.items():
                self.readers[kind] = make(word, _Layout(order, specification), *rest)

    def records(self, content):
        """Yields (position, Record) and, when from some place on nothing makes sense, (position, None) last."""
        position, head = 0, struct.Struct(self.order + 'IHH')
        while position < len(content):
            if len(content) - position < 8:
                yield position, None
                return
            size, kind, count = head.unpack_from(content, position)
            if size % 8 or size < 8 or size > len(content) - position:
                yield position, None
                return
            yield position, self._decode(kind, count, content[position:position + size])
            position += size

    def _decode(self, kind, count, data):
        reader = self.readers.get(kind)
        record = reader(data, count) if reader else None
        return record or Record('invalid' if reader else 'record', {'type': kind, 'count': count, 'bytes': data[8:]})

    def _fixed_reader(self, word, layout):
        def read(data, _count):
            if len(data) < layout.end:
                return None
            fields = layout.read(data)
            if 'build_id' in fields:
                size = fields.pop('build_id_size')
                if size > 20:
                    return None
                fields['build_id'] = fields['build_id'][:size]
            return Record(word, fields)
        return read

    def _list_reader(self, word, layout, item):
        item = struct.Struct(self.order + item)

        def read(data, count):
            end = layout.end + item.size * count
            if len(data) < end:
                return None
            items = list(item.iter_unpack(data[layout.end:end]))
            if word == 'functions':
                items = [Function(*values) for values in items]
            elif word == 'place_frames':
                items = [PlaceFrame(*values) for values in items]
            elif word == 'code':
                items = [Range(*values) for values in items]
            return Record(word, layout.read(data), items)
        return read

    def _text_reader(self, word, layout, text_name):
        def read(data, _count):
            if len(data) < layout.end:
                return None
            fields = layout.read(data)
            text = _text(data, layout.end, fields.pop('length'))
            return None if text is None else Record(word, {**fields, text_name: text})
        return read

    def _bytes_reader(self, word, layout, bytes_name):
        def read(data, _count):
            if len(data) < layout.end:
                return None
            fields = layout.read(data)
            end = layout.end + fields.pop('length')
            return None if end > len(data) else Record(word, {**fields, bytes_name: data[layout.end:end]})
        return read

    def _read_metadata(self, data, _count):
        if len(data) < 16:
            return None
        key_length, value_length = struct.unpack_from(self.order + 'II', data, 8)
        key, value = _text(data, 16, key_length), _text(data, 17 + key_length, value_length)
        return None if key is None or value is None else Record('metadata', {'key': key, 'value': value})

    def _read_user_stack(self, data, count):
        if len(data) < 48:
            return None
        *fields, stack_length = struct.unpack_from(self.order + 'QIIQQQ', data, 8)
        stack = 48 + 8 * count
        if len(data) < stack + stack_length:
            return None
        fields = dict(zip(('time', 'event', 'thread', 'abi', 'mask'), fields))
        fields['registers'] = struct.unpack_from(f'{self.order}{count}Q', data, 48)
        fields['stack'] = data[stack:stack + stack_length]
        return Record('user_stack', fields)


def _text(data, start, length):
    """The bytes of a text that is followed by a NUL; None when data does not hold it."""
    end = start + length
    return data[start:end] if end < len(data) and data[end] == 0 else None
