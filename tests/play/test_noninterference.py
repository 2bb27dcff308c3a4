"""Tests of view.py. What a seat gets depends on nothing that it may not see."""

import dataclasses
import random
from itertools import islice
from zlib import crc32

import pytest

from nip_core.play import Episode, Setup, View
from nip_core.text import SeenMessage
from tests.depth import FULL, cases, each
from tests.noninterference import SURFACES, build, leaks, some_world, vary
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, protocols

# The number of pairs of worlds compared in all: few in each run, many with `NIP_FULL=1`.
PAIRS = 2_000 if FULL else 130
TASKS = (ONE_TASK, GRAPHS, FOREIGN)
ALL = protocols()


def pairs_of(name: str, informed: bool, seed: int):
    """Yield pairs of worlds that a seat may not tell apart: (seat, episode, world, other world)."""
    rng = random.Random(f"{name}/{informed}/{seed}")
    while True:
        task = rng.choice(TASKS)
        setup = Setup.of(ALL[name], task, rng.randrange(100), informed_provers=informed)
        world = some_world(rng, setup, rng.randint(0, setup.rules.longest))
        episode = build(world)
        for seat in setup.rules.seat_names:
            yield seat, episode, world, vary(rng, world, seat)


@pytest.mark.parametrize("name", ALL)
def test_no_seat_learns_what_it_may_not_know(name):
    pairs = max(PAIRS // (2 * len(ALL)), len(Setup.of(ALL[name], ONE_TASK, 0).rules.seat_names))
    changed = 0
    for informed in (False, True):
        for seat, episode, world, other in islice(pairs_of(name, informed, seed=0), pairs):
            assert leaks(episode, build(other), seat, SURFACES) == [], seat
            changed += dataclasses.replace(other, beside=0) != dataclasses.replace(world, beside=0)
    # A harness that changes nothing would find nothing.
    assert changed > 2 * pairs / 3


def test_informing_provers_changes_the_declared_fields_only():
    rng = random.Random(1)
    for name, protocol in ALL.items():
        task = rng.choice(TASKS)
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
            shown = {name: SURFACES[name] for name in ("legal moves", "markdown", "plain text")}
            assert leaks(*episodes, seat, shown) == [], (name, seat)


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


# Where a leak is found soonest.
ELSEWHERE = {"the drawn stance": "mnip, drawn", "who the nameless are": "merlin_arthur"}
VIEW = {"view": SURFACES["view"]}


@each("leak", PLANTED)
def test_the_harness_catches_planted_leaks(leak):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Episode, "view_for", with_view(PLANTED[leak]))
        tried = islice(pairs_of(ELSEWHERE.get(leak, "mnip"), False, seed=3), 60)
        assert any(leaks(episode, build(other), seat, VIEW) for seat, episode, _, other in tried)
