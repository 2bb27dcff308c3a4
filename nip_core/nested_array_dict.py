"""Nested dictionaries of numpy arrays with one batch size, for data that tensors cannot hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["NestedArrayDict"]

Key = str | tuple[str, ...]
Array = NDArray[Any]


class NestedArrayDict:
    """A nested dictionary of arrays (strings, numbers, booleans) that share leading dimensions.

    It is like a TensorDict, but may contain strings: keys are strings or tuples of strings, and any
    other index selects items of the batch.

    Parameters
    ----------
    data : mapping or NestedArrayDict, optional
        Values are arrays, other arguments of `numpy.asarray`, or mappings of these.
    batch_size : int or sequence of int, optional
        The leading dimensions of every array. May be left out only without data, or if `data` has a
        batch size.
    """

    def __init__(
        self,
        data: Mapping[Any, Any] | NestedArrayDict | None = None,
        batch_size: int | Sequence[int] | None = None,
    ) -> None:
        if isinstance(data, NestedArrayDict):
            batch_size = data.batch_size if batch_size is None else batch_size
            data = data.to_dict()
        if batch_size is None:
            if data:
                raise ValueError("batch_size must be given with data.")
            batch_size = ()
        self._batch_size = (batch_size,) if isinstance(batch_size, int) else tuple(batch_size)
        self._tree: dict[str, Any] = {}
        for key, value in (data or {}).items():
            self[key] = value

    @property
    def batch_size(self) -> tuple[int, ...]:
        """The dimensions that all arrays share."""
        return self._batch_size

    shape = batch_size

    def __len__(self) -> int:
        return self._batch_size[0] if self._batch_size else 0

    def __setitem__(self, key: Key, value: Any) -> None:
        path = _path(key)
        if isinstance(value, NestedArrayDict):
            value = value.to_dict()
        if isinstance(value, Mapping):
            for name, item in cast("Mapping[Any, Any]", value).items():
                self[(*path, *_path(name))] = item
            return
        array = np.asarray(value)
        if array.shape[: len(self._batch_size)] != self._batch_size:
            raise ValueError(
                f"{key!r} has shape {array.shape}; it must begin with the batch size "
                f"{self._batch_size}."
            )
        tree = self._tree
        for name in path[:-1]:
            branch = cast("object", tree.setdefault(name, {}))
            if not isinstance(branch, dict):
                raise KeyError(f"{name!r} of {key!r} is an array, not a dictionary.")
            tree = cast("dict[str, Any]", branch)
        tree[path[-1]] = array

    def __getitem__(self, key: Any) -> Any:
        if not _is_key(key):
            return self._select(key)
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def get(self, key: Key, default: Any = None) -> Any:
        """Return the array or sub-dictionary at a key, or `default`."""
        node: Any = self._tree
        for name in _path(key):
            if not isinstance(node, dict) or name not in node:
                return default
            node = cast("dict[str, Any]", node)[name]
        if isinstance(node, dict):
            return NestedArrayDict(cast("dict[str, Any]", node), self._batch_size)
        return node

    def _select(self, index: Any) -> NestedArrayDict:
        """Return the items of the batch at an index, which must lie within the batch's shape."""
        probe: Array = np.empty(self._batch_size, dtype=np.bool_)[index]
        result = NestedArrayDict(batch_size=probe.shape)
        for key, array in self.items():
            result[key] = array[index]
        return result

    def items(self) -> Iterator[tuple[tuple[str, ...], Array]]:
        """Yield all arrays with their keys as tuples, in order of insertion."""
        yield from _leaves(self._tree, ())

    def keys(self) -> list[tuple[str, ...]]:
        """Return the keys of all arrays, as tuples."""
        return [key for key, _ in self.items()]

    def __iter__(self) -> Iterator[NestedArrayDict]:
        return (self[index] for index in range(len(self)))

    def __contains__(self, key: object) -> bool:
        return _is_key(key) and self.get(cast("Key", key)) is not None

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain dictionaries that share the arrays."""
        return _copy(self._tree)

    def clone(self) -> NestedArrayDict:
        """Return a copy with its own arrays."""
        result = NestedArrayDict(batch_size=self._batch_size)
        for key, array in self.items():
            result[key] = array.copy()
        return result

    @classmethod
    def stack(cls, items: Sequence[NestedArrayDict]) -> NestedArrayDict:
        """Stack several with the same keys and batch size along a new first dimension."""
        if not items:
            raise ValueError("There is nothing to stack.")
        keys = items[0].keys()
        if any(set(item.keys()) != set(keys) for item in items):
            raise ValueError("Only dictionaries with the same keys can be stacked.")
        result = cls(batch_size=(len(items), *items[0].batch_size))
        for key in keys:
            result[key] = np.stack([item[key] for item in items])
        return result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NestedArrayDict):
            return NotImplemented
        return (
            self._batch_size == other._batch_size
            and set(self.keys()) == set(other.keys())
            and all(np.array_equal(array, other[key]) for key, array in self.items())
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        fields = ", ".join(f"{'.'.join(key)}: {a.dtype}{list(a.shape)}" for key, a in self.items())
        return f"NestedArrayDict({{{fields}}}, batch_size={self._batch_size})"


def _is_key(key: object) -> bool:
    parts = cast("tuple[object, ...]", key) if isinstance(key, tuple) else (key,)
    return bool(parts) and all(isinstance(part, str) for part in parts)


def _path(key: Any) -> tuple[str, ...]:
    if not _is_key(key):
        raise KeyError(f"A key is a string or a tuple of strings, not {key!r}.")
    return (key,) if isinstance(key, str) else key


def _leaves(tree: dict[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Array]]:
    for name, node in tree.items():
        if isinstance(node, dict):
            yield from _leaves(cast("dict[str, Any]", node), (*path, name))
        else:
            yield (*path, name), node


def _copy(tree: dict[str, object]) -> dict[str, object]:
    return {
        name: _copy(cast("dict[str, Any]", node)) if isinstance(node, dict) else node
        for name, node in tree.items()
    }
