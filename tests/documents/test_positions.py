"""Tests of positions.py: every value of a document is found in its text."""

import json
import tomllib

from nip_core.documents import character, find_spots
from tests.depth import each
from tests.language.zoo import PATHS, PUBLISHED, published


def paths(document, at=()):
    """Yield the path of each value in a document, with the value."""
    yield at, document
    if isinstance(document, dict | list):
        items = document.items() if isinstance(document, dict) else enumerate(document)
        for key, inner in items:
            yield from paths(inner, (*at, key))


def check_spots(text, document):
    """Check that the text at each place is that of its key and value."""
    values = dict(paths(document))
    spots = find_spots(text, values)
    for path, value in values.items():
        if not path:
            continue
        (start, end), (begin, stop) = spots[path]
        if isinstance(path[-1], str):
            assert text[start:end].strip('"') in (path[-1], json.dumps(path[-1]).strip('"'))
        if text[0] == "{":
            assert json.loads(text[begin:stop]) == value
        elif not isinstance(value, dict | list):
            assert tomllib.loads(f"k = {text[begin:stop]}")["k"] == value


@each("name", PUBLISHED)
def test_every_value_is_found_in_the_text_of_a_file(name):
    text = PATHS[name].read_text("utf-8")
    check_spots(text, tomllib.loads(text))
    document = published(name).to_dict()
    for indent in (None, 1):
        check_spots(json.dumps(document, indent=indent), document)


ODD = '''\
# "a" = [
a.b."c d" = """
x\\
   y"quoted"" """
e = [ # comment ]
  'it', """z"""", { k = 1, "l m" = [2, 3] },
]
[t.u]
v = 2020-01-01T00:00:00
w = 'C:\\'
[[t.list]]
n = 1
[[t.list]]
n = 2
[t.list.inside]
m = "\\u00e9\\"" # end
'''


def test_odd_toml_is_scanned():
    document = tomllib.loads(ODD)
    spots = find_spots(ODD, dict(paths(document)))
    for path, value in paths(document):
        if not isinstance(value, dict | list):
            begin, stop = spots[path][1]
            assert tomllib.loads(f"k = {ODD[begin:stop]}")["k"] == value, path


@each(
    ("raw", "value"),
    [
        ("'a\\\\b'", "a\\\\b"),
        ('"a\\\\b\\tc"', "a\\b\tc"),
        ('"\\u00e9x"', "éx"),
        ('"""\n  a\\\n   b"""', "  ab"),
        ("12", "12"),
    ],
)
def test_the_characters_of_a_string_are_found(raw, value):
    last = value[-1]
    assert raw[character(raw, len(value) - 1)] == last
