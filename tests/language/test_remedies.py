"""Tests of translating.py and slips.py: what a newcomer writes wrong is refused with a remedy.

Where there is only one remedy, it can be applied by a click, and then the mistake is gone.
"""

import json

import pytest

from nip_core.errors import SpecError
from nip_core.language import load_specification
from tests.depth import each
from tests.language.newcomer import MISTAKES, SMALL


def test_the_small_protocol_is_right():
    load_specification(SMALL)


def refused(text):
    """Return the mistakes of a text; none if it is right."""
    try:
        load_specification(text)
    except SpecError as error:
        return error.mistakes
    return ()


def check(right, wrong, fixed):
    """Check what is said about a wrong text, and what the fix makes of it."""
    assert right in SMALL
    text = SMALL.replace(right, wrong, 1)
    found = refused(text)
    assert found
    assert all(mistake.line and mistake.column for mistake in found)
    assert [mistake for mistake in found if not mistake.remedy] == []
    fixes = [mistake.fix for mistake in found if mistake.fix is not None]
    assert bool(fixes) == bool(fixed)
    if fixed:
        again = fixes[0].applied(text)
        assert fixed in again
        assert refused(again) == ()


@pytest.mark.parametrize("kind", MISTAKES)
def test_each_mistake_has_a_place_and_a_remedy(kind):
    for change in MISTAKES[kind].values():
        check(*change)


JSON = json.dumps(load_specification(SMALL).to_dict(), indent=1)


@each(
    ("right", "wrong"),
    [
        ("\n ],", ",\n ],"),
        ('"small",', '"small"'),
        ('"small"', "“small”"),
        ("true", "True"),
        ("\n}", ""),
        ('"small",', '"small", "no": zz,'),
    ],
)
def test_texts_that_are_not_json(right, wrong):
    assert right in JSON
    text = JSON.replace(right, wrong, 1) if right != "\n}" else JSON[:-2]
    (mistake,) = refused(text)
    assert mistake.line
    assert mistake.remedy
    if "zz" in wrong:
        assert mistake.fix is None
    else:
        assert refused(mistake.fix.applied(text)) == ()


@each("text", ["& " * 150, "? : " * 75, "if " * 100, "a ** " * 60, "(" * 300])
def test_translating_takes_no_time(text):
    assert refused(SMALL.replace("sure > 90", text))
