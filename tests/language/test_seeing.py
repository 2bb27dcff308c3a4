"""Who sees what since when: the short forms of documents."""

import json

from nip_core.language import Specification
from tests.depth import each


def seen_of(seen):
    """Return a small document in which a choice of one of three seats has this field."""
    choice = {"by": "ann", "options": ["x", "y"], "seen": seen}
    return {
        "name": "small",
        "seats": dict.fromkeys(["ann", "bea", "cid"], ""),
        "parts": {"text": seen},
        "choices": {"k": choice},
        "stages": [{"name": "late", "turns": [{"ann": {"choose": "k"}}]}],
    }


@each(
    ("short", "pairs"),
    [
        ("everyone", {"ann": "start", "bea": "start", "cid": "start"}),
        ("end", {"bea": "end", "cid": "end"}),
        ("late", {"bea": "late", "cid": "late"}),
        ("start", {"bea": "start", "cid": "start"}),
        ({"everyone": "end", "cid": "late"}, {"bea": "end", "cid": "late"}),
        ({"everyone": "start", "ann": "end"}, {"bea": "start", "cid": "start", "ann": "end"}),
        (["cid", "bea"], {"cid": "start", "bea": "start"}),
        ([], {}),
    ],
)
def test_short_forms_of_seen_are_written_out_when_read(short, pairs):
    # Who makes a choice sees it anyway, so that short forms do not mean it.
    spec = Specification.from_dict(seen_of(short))
    assert spec.choice("k").seen == tuple(pairs.items())
    assert spec == Specification.from_dict(spec.to_dict())
    for seat, since in pairs.items():
        assert seat == "ann" or dict(spec.parts[0].seen)[seat] == since


@each(
    ("pairs", "short"),
    [
        ({"bea": "end", "cid": "end"}, "end"),
        ({"ann": "end", "bea": "end", "cid": "end"}, {"ann": "end", "bea": "end", "cid": "end"}),
        ({"bea": "late", "cid": "late"}, "late"),
        ({"bea": "start", "cid": "start"}, ["bea", "cid"]),
        ({"bea": "start", "cid": "end"}, {"bea": "start", "cid": "end"}),
    ],
)
def test_what_is_written_in_full_is_kept_in_its_shortest_form(pairs, short):
    assert Specification.from_dict(seen_of(pairs)).to_dict()["choices"]["k"]["seen"] == short


def test_a_part_is_kept_with_exceptions():
    pairs = {"ann": "start", "bea": "start", "cid": "end"}
    kept = Specification.from_dict(seen_of(pairs)).to_dict()["parts"]["text"]["seen"]
    assert kept == {"everyone": "start", "cid": "end"}


def test_seats_and_stages_called_everyone_keep_their_meaning():
    document = json.loads(json.dumps(seen_of({"cid": "end"})).replace("bea", "everyone"))
    document["choices"]["k"]["seen"] = {"everyone": "end"}
    document["parts"]["text"] = {"ann": "end", "everyone": "end", "cid": "start"}
    spec = Specification.from_dict(document)
    assert spec.choice("k").seen == (("everyone", "end"),)
    assert Specification.from_dict(spec.to_dict()) == spec
    document = json.loads(json.dumps(seen_of({"bea": "late", "cid": "late"})))
    spec = Specification.from_dict(json.loads(json.dumps(document).replace("late", "everyone")))
    assert spec.choice("k").seen == (("bea", "everyone"), ("cid", "everyone"))
    assert Specification.from_dict(spec.to_dict()) == spec
