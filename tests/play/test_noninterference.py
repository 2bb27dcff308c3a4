"""Tests of view.py. What a seat gets depends on nothing that it may not see."""

import dataclasses
import random
from zlib import crc32

import pytest

from nip_core.play import Episode, Setup, View
from nip_core.text import SeenMessage
from tests.depth import FULL, cases, each, first
from tests.noninterference import SURFACES, build, leaks, some_world, vary
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, protocols

# The number of pairs of worlds compared in all: few in each run, many with `NIP_FULL=1`.
PAIRS = 2_000 if FULL else 130
TASKS = (ONE_TASK, GRAPHS, FOREIGN)
ALL = protocols()


def compare(name: str, informed: bool, pairs: int, seed: int) -> tuple[int, int, list[str]]:
    """Compare pairs of worlds for all seats.

    Returns
    -------
    compared, changed : int
        How many pairs, and in how many of them something was really changed.
    found : list of str
        What leaked.
    """
    rng = random.Random(f"{name}/{informed}/{seed}")
    protocol = ALL[name]
    compared = changed = 0
    found: list[str] = []
    while compared < pairs:
        task = rng.choice(TASKS)
        setup = Setup.of(protocol, task, rng.randrange(100), informed_provers=informed)
        world = some_world(rng, setup, rng.randint(0, setup.rules.longest))
        for seat in setup.rules.seat_names:
            other = vary(rng, world, seat)
            found += [f"{name}, {seat}: {what}" for what in leaks(world, other, seat, SURFACES)]
            compared += 1
            changed += dataclasses.replace(other, beside=0) != dataclasses.replace(world, beside=0)
    return compared, changed, found


@pytest.mark.parametrize("name", ALL)
def test_no_seat_learns_what_it_may_not_know(name):
    pairs = PAIRS // (2 * len(ALL))
    both = [compare(name, informed, pairs, seed=0) for informed in (False, True)]
    compared, changed = (sum(each[place] for each in both) for place in (0, 1))
    found = [leak for _, _, leaks_found in both for leak in leaks_found]
    assert not found, found[:5]
    assert compared >= 2 * pairs
    # A harness that changes nothing would find nothing.
    assert changed > compared / 3


def test_informing_provers_changes_the_declared_fields_only():
    rng = random.Random(1)
    for name, protocol in ALL.items():
        for task in TASKS:
            off = Setup.of(protocol, task, rng.randrange(100))
            on = dataclasses.replace(off, informed_provers=True)
            world = some_world(rng, off, rng.randint(0, off.rules.longest))
            episodes = [build(dataclasses.replace(world, setup=s)) for s in (off, on)]
            for seat in off.rules.seat_names:
                uninformed, informed = (episode.view_for(seat).to_dict() for episode in episodes)
                differing = {key for key in informed if informed[key] != uninformed[key]}
                # Whether provers are informed is a rule, which everybody knows.
                rules = ["protocol", "prompt"] if off.rules.provers else []
                declared = {"informed_provers", *rules}
                if seat in off.rules.provers:
                    declared |= {"briefing"} if episodes[0].over else {"briefing", "facts"}
                    assert informed["briefing"]["y"] == task.y
                assert differing == declared, (name, seat)
                assert uninformed["briefing"] is None
                for surface in ("legal moves", "markdown", "plain text"):
                    shown = [SURFACES[surface](episode, seat) for episode in episodes]
                    assert shown[0] == shown[1], (name, seat, surface)


@each("name", ALL)
def test_no_verifiers_view_names_the_label_before_the_end(name):
    """The view contains no text of the task except its statement."""
    rng = random.Random(2)
    secret = "a secret that no statement holds"
    task = dataclasses.replace(
        ONE_TASK,
        explanation=f"{secret} 1",
        openings=(f"{secret} 2", f"{secret} 3"),
        source_id=f"{secret} 4",
    )
    setup = Setup.of(ALL[name], task, 3, informed_provers=True)
    for _ in range(cases(20)):
        world = some_world(rng, setup, rng.randint(0, setup.rules.longest))
        episode = build(world)
        shown = episode.view_for(setup.rules.roles.deciders[0]).to_json()
        assert (secret in shown) == episode.over


# -- the harness finds leaks --------------------------------------------------------------------

view_for = Episode.view_for


def with_view(change):
    """Return an episode method whose views are changed by a function of episode, seat and view."""

    def leaky(self: Episode, agent: str, node: int | None = None) -> View:
        view = view_for(self, agent, node)
        return dataclasses.replace(view, **change(self, agent, view))

    return leaky


def note(value):
    """Return a copy of the view with something added."""
    return {"reading_seed": crc32(repr(value).encode())}


def hidden(episode, agent):
    """Return all messages that a seat may not see."""
    return [
        text
        for node in episode.path()
        for move in node.moves.values()
        for channel, text in move.messages.items()
        if channel not in episode.rules.visible_channels(agent)
    ]


def unmasked(episode, agent, view):
    moves = [
        m for n in episode.path() for m in n.moves.values() if m.agent in episode.rules.provers
    ]
    sender = next((m.agent for m in moves), None)
    rounds = tuple(
        dataclasses.replace(
            seen,
            messages=tuple(
                SeenMessage(m.channel, m.sender or sender, m.text) for m in seen.messages
            ),
        )
        for seen in view.rounds
    )
    return {"rounds": rounds}


PLANTED = {
    "a hidden message": lambda e, a, v: note(hidden(e, a)[-1:]),
    "the length of hidden messages": lambda e, a, v: note(sum(map(len, hidden(e, a))) % 7),
    "the order of moves within a round": lambda e, a, v: note(
        [x.move.agent for x in e.events if x.type == "moved"][-1:]
    ),
    "how many moves wait": lambda e, a, v: note(len(e.held)),
    "the drawn stance": lambda e, a, v: note(e.setup.prover_stance),
    "the label": lambda e, a, v: note(e.task.y),
    "something derived from the label": lambda e, a, v: {"prompt": v.prompt + e.task.digest[:1]},
    "how many lines were undone": lambda e, a, v: note(len(e.nodes)),
    "who is playing": lambda e, a, v: note(e.players),
    "when others moved": lambda e, a, v: note([x.at for x in e.events][-1:]),
    "another seat's own words": lambda e, a, v: note(
        [m.raw for n in e.path() for m in n.moves.values()]
    ),
    "what another seat has thought": lambda e, a, v: note(
        [o.reasoning for n in e.path() for who, o in e.origins(n.id).items() if who != a]
    ),
    "the verifier's confidence": lambda e, a, v: note(e.result().confidence),
    "who the nameless are": unmasked,
    "which seed was drawn": lambda e, a, v: note(e.setup.seed),
}


@pytest.mark.parametrize("leak", first(6, PLANTED))
def test_the_harness_catches_planted_leaks(leak, monkeypatch):
    monkeypatch.setattr(Episode, "view_for", with_view(PLANTED[leak]))
    for name in ("mnip", "mnip, drawn", "merlin_arthur", "four seats"):
        if compare(name, False, 60, seed=3)[2]:
            return
    pytest.fail("it was not caught")
