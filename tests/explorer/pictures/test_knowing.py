"""Who knows what during play, only after the end, or never."""

from explorer.pictures import Folding, who_knows_what
from nip_core import protocol_names, published_names, specification
from tests.depth import each

ALL = [*protocol_names(), *published_names()]
DURING, AFTER, NEVER = "during", "after", "never"


def known(name, **settings):
    rows = who_knows_what(specification(name, **settings))
    return {row.title: (*row.known.values(),) for row in rows}


def test_a_debate_about_a_passage():
    assert known("khan_debate") == {
        "Question and answers": (DURING, DURING, DURING),
        "Passage": (DURING, DURING, AFTER),
        "Truth": (AFTER, AFTER, AFTER),
        "Messages": (DURING, DURING, DURING),
        "Which quotes are real": (DURING, DURING, DURING),
        "Verdict": (DURING, DURING, DURING),
    }


def test_members_of_a_large_family_are_one_seat_that_knows_its_own_vote():
    few, many = known("jury"), known("jury", jurors=9)
    assert few["Vote"] == (AFTER, AFTER, DURING, DURING, DURING)
    assert many["Vote"] == (AFTER, AFTER, DURING)


def test_a_long_row_counts_what_it_leaves_out():
    assert "Value of g at zero, value of g at one, first coin and 6 more" in known("sum_check")


@each("name", ALL)
def test_every_row_agrees_with_the_document(name):
    spec = specification(name)
    folding = Folding(spec)
    rows = who_knows_what(spec)
    assert rows
    for row in rows:
        assert (*row.known,) == folding.seats
    # All that nobody chooses, and that somebody sees, is in one of the rows.
    titled = [thing for row in rows for thing in row.things]
    for part in folding.among(spec.parts):
        assert folding.stem(part.name) in titled
        (row,) = (row for row in rows if folding.stem(part.name) in row.things)
        seen = dict(part.seen)
        for seat in spec.seat_names:
            if len(folding.members(seat)) == 1:
                since = seen.get(seat)
                assert row.known[seat] == (
                    NEVER if since is None else AFTER if since == "end" else DURING
                )
