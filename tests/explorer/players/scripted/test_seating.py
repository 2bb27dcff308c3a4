"""After the end, scripted players explain themselves; before, they reveal nothing of it."""

import pytest

from explorer.choice import ProtocolChoice
from explorer.players import (
    JUDGES,
    STRATEGIES,
    ScriptedVerifier,
    play_out,
    scripted_player,
    scripted_record,
    scripts_for,
)
from explorer.players.scripted import why
from nip_core import HyperParameters
from nip_core.errors import PlayError
from nip_core.play import Episode
from nip_core.tasks import problems
from nip_core.transcript import dumps, load

NUMBERS = next(p for p in problems() if p.slug == "runner_up")


def played(task, protocol="nip", strategy="tester", level="hard", seed=1):
    episode = Episode(HyperParameters(interaction_protocol=protocol), task, seed)
    players = {}
    for agent in episode.rules.seat_names:
        plays = strategy if agent in episode.rules.roles.deciders else None
        record = scripted_record(seed, agent, level, plays)
        players[agent] = scripted_player(episode.setup, agent, record)
    play_out(episode, players)
    return episode


def lines(episode, agent):
    return [line for each in why(episode) if each.agent == agent for line in each.lines]


def test_nothing_is_revealed_before_the_end():
    episode = Episode(HyperParameters(), NUMBERS.wrong)
    play_out(episode, {"verifier": ScriptedVerifier()})
    with pytest.raises(PlayError):
        why(episode)


def test_a_liar_names_its_lies_and_an_honest_expert_has_none():
    lied = lines(played(NUMBERS.wrong), "prover")
    assert any("That was a lie." in line for line in lied)
    assert not any("lie" in line for line in lines(played(NUMBERS.correct), "prover"))


def test_a_verifier_says_what_it_checked_and_what_it_believed_after_each_answer():
    episode = played(NUMBERS.wrong)
    said = lines(episode, "verifier")
    turns = sum("verifier" in node.moves for node in episode.path())
    assert sum("I think that it is true with a chance of" in line for line in said) == turns
    assert any(line.startswith(("I ran what", "I worked out what")) for line in said)


def test_it_is_in_the_transcript_and_in_no_view():
    episode = played(NUMBERS.wrong)
    again = load(dumps(episode))
    assert why(again) == why(episode)
    for agent in episode.rules.seat_names:
        assert "I think that it is true" not in episode.view_for(agent).to_json()


def test_scripts_that_can_sit_in_a_seat_follow_from_what_it_does():
    def found(name, seat):
        scripts = scripts_for(ProtocolChoice.of(name), seat)
        return scripts.title, [*scripts.strategies], bool(scripts.levels)

    assert found("nip", "prover") == ("scripted prover", [], True)
    assert found("nip", "verifier") == ("scripted verifier", [*STRATEGIES], False)
    assert found("khan_debate", "alice") == ("scripted player", [], True)
    assert found("khan_debate", "judge") == ("scripted player", [*JUDGES], False)
    # Without a text, nobody can invent quotes of it.
    assert found("jury", "alice") == ("scripted player", [], False)
    # A model that may do harm has levels; who watches it judges.
    assert found("trusted_monitor", "untrusted") == ("scripted player", [], True)
    assert found("trusted_monitor", "monitor") == ("scripted player", [*JUDGES], False)
