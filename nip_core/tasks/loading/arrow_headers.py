"""Headers of Parquet pages and Arrow messages, read before anything is unpacked.

The sizes in a file's table of contents may be wrong. A reader allocates memory by the header of
each page, so that header is checked.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Page", "is_compressed", "pages"]

# Types of Thrift's compact protocol.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_DEEPEST = 8

Fields = dict[int, "int | Fields"]


class Page(NamedTuple):
    """A page of a Parquet file.

    Parameters
    ----------
    unpacked : int
        Its unpacked size in bytes.
    encoding : int
        The number of its values' encoding.
    """

    unpacked: int
    encoding: int


def pages(data: bytes, start: int, length: int) -> Iterator[Page]:
    """Yield the pages of a column chunk.

    Raises
    ------
    ValueError
        If the headers contradict themselves or each other.
    """
    end = start + length
    if not 0 < start <= end <= len(data):
        raise ValueError("a column lies outside the file")
    at = start
    while at < end:
        fields, at = _Thrift(data).fields(at)
        unpacked, packed = fields.get(2), fields.get(3)
        if (
            not isinstance(unpacked, int)
            or not isinstance(packed, int)
            or min(unpacked, packed) < 0
        ):
            raise ValueError("a page has no size")
        at += packed
        if at > end:
            raise ValueError("a page is longer than its column")
        yield Page(unpacked, _encoding(fields))


def _encoding(fields: Fields) -> int:
    # The kinds of pages, and the field of each with its encoding.
    for kind, place in ((5, 2), (7, 2), (8, 4)):
        header = fields.get(kind)
        if isinstance(header, dict) and isinstance(encoding := header.get(place), int):
            return encoding
    return -1


class _Thrift:
    """Reads the numbers of a struct in Thrift's compact protocol, and finds its end."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def fields(self, at: int, depth: int = 0) -> tuple[Fields, int]:
        if depth > _DEEPEST:
            raise ValueError("a page's header is nested too deeply")
        found: Fields = {}
        last = 0
        while byte := self._byte(at):
            kind, delta = byte & 15, byte >> 4
            at += 1
            if delta:
                last += delta
            else:
                last, at = self._zigzag(at)
            if last in found:
                raise ValueError("a page's header says something twice")
            found[last], at = self._value(kind, at, depth)
        return found, at + 1

    def _value(self, kind: int, at: int, depth: int) -> tuple[int | Fields, int]:
        if kind in (_TRUE, _FALSE):
            return int(kind == _TRUE), at
        if kind == _BYTE:
            return self._byte(at), at + 1
        if kind in (_I16, _I32, _I64):
            return self._zigzag(at)
        if kind == _DOUBLE:
            return 0, at + 8
        if kind == _BINARY:
            size, at = self._varint(at)
            return 0, at + size
        if kind == _STRUCT:
            return self.fields(at, depth + 1)
        if kind in (_LIST, _SET):
            return 0, self._list(at, depth)
        raise ValueError("a page's header holds what none has")

    def _list(self, at: int, depth: int) -> int:
        byte, at = self._byte(at), at + 1
        count, kind = byte >> 4, byte & 15
        if count == 15:
            count, at = self._varint(at)
        for _ in range(count):
            # In lists, a boolean takes a byte of its own.
            _, at = self._value(_BYTE if kind in (_TRUE, _FALSE) else kind, at, depth + 1)
        return at

    def _byte(self, at: int) -> int:
        if at >= len(self._data):
            raise ValueError("the file ends in a page's header")
        return self._data[at]

    def _varint(self, at: int) -> tuple[int, int]:
        value = shift = 0
        while shift < 64:
            byte, at = self._byte(at), at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value, at
        raise ValueError("a page's header holds a number without end")

    def _zigzag(self, at: int) -> tuple[int, int]:
        value, at = self._varint(at)
        return value >> 1 ^ -(value & 1), at


# -- Arrow messages (flatbuffers) ---------------------------------------------------------------

_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3


def is_compressed(metadata: bytes) -> bool:
    """Return whether an Arrow message contains compressed rows.

    Raises
    ------
    struct.error
        If the message is broken.
    """
    (message,) = struct.unpack_from("<I", metadata)
    kind, header = _field(metadata, message, 1), _field(metadata, message, 2)
    if kind is None or header is None:
        return False
    table = _follow(metadata, header)
    if metadata[kind] == _DICTIONARY_BATCH:
        rows = _field(metadata, table, 1)
        if rows is None:
            return False
        table = _follow(metadata, rows)
    elif metadata[kind] != _RECORD_BATCH:
        return False
    return _field(metadata, table, 3) is not None


def _field(data: bytes, table: int, number: int) -> int | None:
    """Return the position of a table's field; None if it is absent."""
    (back,) = struct.unpack_from("<i", data, table)
    size, place = *struct.unpack_from("<H", data, table - back), 4 + 2 * number
    if place >= size:
        return None
    (offset,) = struct.unpack_from("<H", data, table - back + place)
    return table + offset if offset else None


def _follow(data: bytes, at: int) -> int:
    return at + struct.unpack_from("<I", data, at)[0]
