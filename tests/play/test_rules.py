"""Tests of rules.py and by_handler.py.

A protocol of rounds is played as a slow reference says, which reads the plain document.
"""

import gc
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core import Episode, protocol
from nip_core.errors import IllegalMoveError
from nip_core.play import Deal, Material, Move, Setup
from nip_core.tasks import VERDICTS, Task
from tests import reference
from tests.depth import cases, each
from tests.language.zoo import in_full
from tests.play_worlds import FOREIGN, ONE_TASK, protocols
from tests.strategies import specs

ALL = protocols()
CODE = (type, types.ModuleType, types.FunctionType)


@settings(max_examples=cases(100), deadline=None)
@given(specs(), st.integers(0, 5), st.sampled_from([ONE_TASK, FOREIGN]), st.booleans(), st.data())
def test_a_game_is_played_as_the_reference_says(spec, seed, task, informed, data):
    setup = Setup.of(spec, task, seed, informed_provers=informed)
    episode, document = Episode.from_setup(setup), in_full(spec)
    seats, number, wanted = spec.agent_names, 0, None
    said = []
    while number < spec.max_message_rounds and not (wanted and ended(wanted)):
        turn = reference.turn(document, number, seed)
        moves = {}
        speakers = [seat for seat in seats if turn.get(seat)]
        if speakers:
            assert {*episode.to_move} == {*speakers}
            assert {seat for seat in seats if not episode.legal(seat).reason} == {*speakers}
        for seat in speakers:
            legal = episode.legal(seat)
            assert legal.last_turn == (spec.last_active_rounds[seat] == number)
            assert {*legal.channels} == {*turn[seat]}
            may = legal.may_decide
            assert may == (seat == spec.verifier and number >= spec.min_message_rounds - 1)
            assert may == episode.can(Move(seat, decision=1))
            texts = {c: data.draw(st.sampled_from("abc")) for c in turn[seat]}
            decision = data.draw(st.integers(0, 1)) if may and data.draw(st.booleans()) else 2
            moves[seat] = Move(seat, {} if decision != 2 else texts, decision)
        wanted = reference.step(
            document,
            {
                "y": task.y,
                "round": number,
                "seed": seed,
                "done": False,
                "terminated": False,
                "agents_done": [False] * len(seats),
                "decision": [moves[s].decision if s in moves else 2 for s in seats],
                "prover_stance": 0,
            },
        )
        for seat in data.draw(st.permutations([*moves])):
            episode.play(moves[seat])
        said.append(moves)
        number += 1
        node = next(n for n in episode.nodes if n.round == number)
        assert [*node.rewards] == wanted["reward"]
        assert (node.done, node.terminated) == (wanted["shared_done"], wanted["terminated"])
    assert episode.over
    check_what_was_seen(episode, said)
    result = episode.result()
    played = episode.path()[1:]
    for place, seat in enumerate(seats):
        assert result.rewards[seat] == tuple(node.rewards[place] for node in played)
        assert result.totals[seat] == sum(result.rewards[seat])
    forced = {None: None, "zero": 0, "one": 1, "y": task.y}[spec.payoff.force_guess]
    last = said[-1].get(spec.verifier)
    decision = last.decision if forced is None and last else forced
    assert result.decision == (decision if wanted["shared_done"] else None)
    assert result.right == (None if result.decision is None else result.decision == task.y)


def ended(outcome):
    return outcome["shared_done"] or outcome["terminated"]


def check_what_was_seen(episode, said):
    """Check that each seat has seen the messages on its channels, and no others."""
    spec, hidden = episode.setup.handler.spec, episode.setup.anonymous_agents
    for seat in spec.agent_names:
        view = episode.view_for(seat)
        assert view.truth == VERDICTS[episode.task.y]
        assert view.argues == (None if view.stance is None else VERDICTS[view.stance])
        for number, seen in enumerate(view.rounds):
            sent = {
                (channel, None if other in hidden and other != seat else other, text)
                for other, move in said[number].items()
                for channel, text in move.messages.items()
                if seat in spec.channel(channel).viewers
            }
            assert {(m.channel, m.sender, m.text) for m in seen.messages} == sent


def test_the_seed_picks_the_schedule_and_the_task_the_side():
    debate = protocol("debate", prover0_first=False)
    for seed in range(4):
        episode = Episode(debate, ONE_TASK, seed)
        assert episode.rules.name == "debate"
        assert episode.chosen(0)["truth"] == VERDICTS[ONE_TASK.y]
    drawn = protocol("nip", randomize_prover_stance=True)
    for side in (0, 1):
        episode = Episode(drawn, ONE_TASK, stances={"prover": side})
        assert episode.view_for("prover").argues == VERDICTS[side]
        assert "side" not in episode.view_for("verifier").facts
        assert episode.chosen(0)["side"] == VERDICTS[side]


def reached_from(thing):
    """Yield all objects that can be reached from one, but through code."""
    waiting, known = [thing], set()
    while waiting:
        here = waiting.pop()
        if id(here) not in known and not isinstance(here, CODE):
            known.add(id(here))
            yield here
            waiting += gc.get_referents(here)


@each("protocol", ["nip", "khan_debate"])
def test_nothing_leads_from_a_view_to_the_episode(protocol):
    task = {"question": "?", "answers": "A, B", "passage": "p", "truth": "A"}
    episode = Episode(protocol, ONE_TASK if protocol == "nip" else task)
    for seat in episode.rules.seat_names:
        hidden = (Episode, Setup, Deal, Task, Material)
        assert not [x for x in reached_from(episode.view_for(seat)) if isinstance(x, hidden)]


@each("choices", [5, ["accept"], ("accept",), "a", {"verdict": ["accept"]}])
def test_choices_of_any_kind_are_read_or_refused(choices):
    for played in ("nip", ALL["debate"]):
        with pytest.raises(IllegalMoveError):
            Episode(played, ONE_TASK).play(Move("verifier", choices=choices))


def test_a_verdict_has_two_forms():
    for move in (Move("verifier", decision=1), Move("verifier", choices={"verdict": "accept"})):
        episode = Episode("nip", ONE_TASK)
        episode.play(move)
        assert episode.node.moves["verifier"] == Move("verifier", decision=1)
        assert episode.result().verdict == "accept"
    episode = Episode("nip", ONE_TASK)
    episode.play(Move("verifier", {"main": "Why?"}, choices={"verdict": "wait"}))
    assert episode.node.moves["verifier"] == Move("verifier", {"main": "Why?"})
