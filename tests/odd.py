"""What strangers may send: JSON values of every kind, and documents with such values in them."""

import copy

from hypothesis import strategies as st

__all__ = ["changed", "json_values", "places", "planted"]


def json_values(*more, keys=None, leaves=6):
    """Return a strategy of JSON values; some of their leaves are taken from more strategies."""
    plain = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    keys = st.text(max_size=5) if keys is None else keys
    return st.recursive(
        st.one_of(plain, numbers, *more),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
        max_leaves=leaves,
    )


def places(value, at=()):
    """Yield the path to each value in a document, also to the document itself."""
    yield at
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*at, key))


def planted(document, path, value=...):
    """Return a copy with another value at a path; `...` takes it out."""
    document = here = copy.deepcopy(document)
    for key in path[:-1]:
        here = here[key]
    if value is ...:
        del here[path[-1]]
    else:
        here[path[-1]] = value
    return document


@st.composite
def changed(draw, documents, values, most=3):
    """Draw one of some documents, with other values at some places, or with something missing."""
    document = draw(st.sampled_from(documents))
    for _ in range(draw(st.integers(1, most))):
        paths = [path for path in places(document) if path]
        if paths:
            value = copy.deepcopy(draw(values)) if draw(st.integers(0, 4)) else ...
            document = planted(document, draw(st.sampled_from(paths)), value)
    return document
