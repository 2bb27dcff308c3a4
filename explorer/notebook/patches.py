"""What has changed in what a browser shows, so that it is sent that and not everything again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

__all__ = ["changes"]

Path = tuple[str | int, ...]


def changes(old: Any, new: Any, path: Path = ()) -> Iterator[list[Any]]:
    """What makes the new value of the old one; ``explorer/notebook/host.js`` does it.

    Yields
    ------
    change : [path, value] or [path]
        Put the value there, or take away what is there. Of a list, ``"length"`` is a place, too.
    """
    if old is new:
        return
    if _is_object(old) and _is_object(new):
        before, after = cast("Mapping[str, Any]", old), cast("Mapping[str, Any]", new)
        for name in before.keys() - after.keys():
            yield [[*path, name]]
        for name, value in after.items():
            if name in before:
                yield from changes(before[name], value, (*path, name))
            else:
                yield [[*path, name], value]
    elif _is_list(old) and _is_list(new):
        first, second = cast("Sequence[Any]", old), cast("Sequence[Any]", new)
        for place, (one, other) in enumerate(zip(first, second, strict=False)):
            yield from changes(one, other, (*path, place))
        if len(second) < len(first):
            yield [[*path, "length"], len(second)]
        for place in range(len(first), len(second)):
            yield [[*path, place], second[place]]
    elif type(old) is not type(new) or old != new:
        yield [[*path], new]


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)
