"""Refusals of names: what exists is listed in the same order in every run."""

import re
from pathlib import Path

import pytest

import nip_core.values
from nip_core import Episode, published_names, specification
from nip_core.errors import UnknownNameError, UnsupportedError, known_names
from nip_core.language import from_version_1
from tests.depth import each
from tests.language.one_verdict import PUBLISHED_ONES

ROOT = Path(__file__).parent.parent


def test_names_of_a_set_are_sorted_and_others_keep_their_order():
    names = [f"name {n}" for n in range(60, 40, -1)]
    assert known_names(names) == f" Known: {', '.join(names)}."
    assert known_names({*names}) == f" Known: {', '.join(sorted(names))}."
    assert f"Known: {', '.join(map(repr, sorted(names)))}." in str(
        UnknownNameError("name", "other", frozenset(names))
    )
    assert known_names(()) == " Known: none."


def test_no_other_place_lists_known_names():
    found = [
        path.relative_to(ROOT).as_posix()
        for package in ("nip_core", "explorer")
        for path in (ROOT / package).rglob("*.py")
        if re.search(r"[\"' ]Known: ?[{\"']", path.read_text("utf-8"))
    ]
    assert found == ["nip_core/errors.py"]


@each("name", published_names())
def test_what_has_no_exact_values_is_refused_as_the_protocol_that_it_is(name):
    spec = specification(name)
    if name not in PUBLISHED_ONES:
        for given in (name, spec):
            with pytest.raises(UnsupportedError, match=r"one verdict: .*play_values computes"):
                nip_core.values.random_play(given)
    with pytest.raises(UnsupportedError, match="use it as it is"):
        from_version_1(spec)


def test_a_near_name_of_a_published_protocol_is_proposed():
    with pytest.raises(nip_core.errors.ModelError, match=r"Did you mean 'jury'\?"):
        nip_core.values.random_play("jurry")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'jury'\?"):
        Episode("jurry", None)
