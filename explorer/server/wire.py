"""How many values a message in Protocol Buffers' format contains, before it is parsed.

An empty value takes two bytes of a message, and a hundred times as much once it is parsed.
"""

from __future__ import annotations

from google.protobuf.descriptor import Descriptor, FieldDescriptor

__all__ = ["holds_at_most"]

# Fields in which a list of numbers stands in one piece: the bytes of the smallest number.
SMALLEST = {FieldDescriptor.TYPE_DOUBLE: 8, FieldDescriptor.TYPE_FLOAT: 4}
NUMBERS = {
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_UINT64,
    FieldDescriptor.CPPTYPE_DOUBLE,
    FieldDescriptor.CPPTYPE_FLOAT,
    FieldDescriptor.CPPTYPE_BOOL,
    FieldDescriptor.CPPTYPE_ENUM,
}


def holds_at_most(most: int, data: bytes, kind: Descriptor) -> bool:
    """Return whether a message of some kind contains at most so many values.

    This takes time only for values up to the limit. Invalid messages are refused as well.
    """
    values, left = 0, [(0, len(data), kind)]
    try:
        while left:
            place, end, kind = left.pop()
            while place < end:
                values += 1
                if values > most:
                    return False
                tag, place = _varint(data, place)
                field = kind.fields_by_number.get(tag >> 3)
                match tag & 7:
                    case 0:
                        _, place = _varint(data, place)
                    case 1:
                        place += 8
                    case 5:
                        place += 4
                    case 2:
                        size, place = _varint(data, place)
                        if field is not None and field.message_type is not None:
                            left.append((place, min(place + size, end), field.message_type))
                        elif field is not None and field.cpp_type in NUMBERS:
                            values += size // SMALLEST.get(field.type, 1)
                        place += size
                    case _:
                        return False
    except IndexError:
        return False
    return values <= most


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return the number at a place, and the place after it."""
    number = shift = 0
    while shift < 70:
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    return number, place
