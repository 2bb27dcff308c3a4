"""Tests of episode.py, moves.py, outcomes.py, setup.py and tree.py.

An episode follows the rules, reveals simultaneous moves together, and grows a tree.
"""

import itertools
import json
import random
from copy import copy

import pytest

from nip_core import (
    ExperimentSettings,
    HyperParameters,
    SpecProtocol,
    build_protocol_handler,
    protocol_spec,
)
from nip_core.errors import IllegalMoveError, PlayError, UnknownNameError, UnsupportedError
from nip_core.play import Commented, Episode, Move, Seated, Setup, Went, Withdrew, event_from_dict
from nip_core.play import episode as episodes
from nip_core.tasks import Task
from tests.depth import cases, each
from tests.noninterference import some_move
from tests.play_worlds import FOREIGN, GRAPHS, ONE_TASK, own, protocols, registered

TASKS = (ONE_TASK, GRAPHS, FOREIGN)
ALL = protocols()


def nip(**options):
    return Episode(HyperParameters(interaction_protocol="nip"), ONE_TASK, **options)


def mnip(**options):
    return Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, **options)


ASK = Move("verifier", {"prover0_channel": "Why?", "prover1_channel": "How?"})
SAY0 = Move("prover0", {"prover0_channel": "Because."})
SAY1 = Move("prover1", {"prover1_channel": "So."})
ACCEPT = Move("verifier", decision=1)
REJECT = Move("verifier", decision=0)


def play(episode, *moves):
    for move in moves:
        episode.play(move)
    return episode


# -- the rules ----------------------------------------------------------------------------------


def test_a_last_turn_is_announced():
    episode = nip()
    turns = []
    while not episode.over:
        agent = episode.to_move[0]
        turns.append((agent, episode.legal(agent).last_turn))
        episode.play(Move(agent, {"main": "word"}))
    assert [agent for agent, last in turns if last] == ["verifier", "prover"]
    assert turns[-2:] == [("verifier", True), ("prover", True)]


def test_moves_are_revealed_together():
    episode = play(mnip(), ASK)
    before = episode.view_for("prover1").to_json()
    episode.play(SAY0)
    assert episode.view_for("prover1").to_json() == before
    assert episode.node.round == 1
    assert episode.view_for("prover0").held == SAY0
    assert episode.legal("prover0").reason.startswith("Your move is made")
    episode.play(SAY1)
    assert episode.node.round == 2
    assert episode.view_for("prover0").held is None
    seen = episode.view_for("verifier").rounds[1].messages
    assert [(m.channel, m.sender, m.text) for m in seen] == [
        ("prover0_channel", "prover0", "Because."),
        ("prover1_channel", "prover1", "So."),
    ]
    assert [m.text for m in episode.view_for("prover0").rounds[1].messages] == ["Because."]


def long(words):
    return Move("verifier", {"main": "word " * words})


@each(
    ("move", "message"),
    [
        (Move("verifier", {}), "Your message is missing: write it, or decide."),
        (Move("verifier", {"main": " \n"}), "a text that is not empty"),
        (Move("verifier", {"main": 5}), "must be a text"),
        (Move("verifier", {"main": "\ud800"}), "lone surrogates"),
        (Move("verifier", {"main": "x"}, 1), "Either decide or write"),
        (Move("verifier", {}, 3), "it must be 0 (reject), 1 (accept) or 2 (none)"),
        (Move("verifier", {}, True), "it must be 0 (reject)"),
        (Move("verifier", {}, "1"), "it must be 0 (reject)"),
        (Move("verifier", "text"), "by channel"),
        (Move("verifier", {"main": "x"}, confidence=101), "from 0 to 100"),
        (Move("verifier", {"main": "x"}, confidence=0.5), "from 0 to 100"),
        (Move("verifier", {"main": "x"}, confidence=True), "from 0 to 100"),
        (Move("verifier", {"main": "x"}, raw=""), "raw text"),
        (long(151), "has 151 words and the limit is 150: take out 1."),
        (
            Move("verifier", {"main": "w" * 99_000}),
            "has 99,000 characters and the limit is 3,200: take out 95,800.",
        ),
    ],
)
def test_illegal_moves_are_refused_with_a_reason(move, message):
    episode = nip()
    before = episode.view_for("verifier").to_json()
    assert not episode.can(move)
    with pytest.raises(IllegalMoveError) as caught:
        episode.play(move)
    assert message in str(caught.value)
    assert episode.events == ()
    assert episode.view_for("verifier").to_json() == before


def test_a_move_that_is_legal_elsewhere_is_refused_here():
    episode = play(nip(), Move("verifier", {"main": "Why?"}))
    with pytest.raises(IllegalMoveError, match="Only the verifier decides"):
        episode.play(Move("prover", decision=1))
    with pytest.raises(IllegalMoveError, match="Only a verifier says"):
        episode.play(Move("prover", {"main": "x"}, confidence=3))
    with pytest.raises(UnknownNameError, match="Known: 'prover', 'verifier'"):
        episode.play(Move("nobody", {"main": "x"}))
    assert not episode.can(Move("nobody"))
    assert episode.can(Move("prover", {"main": "x"}))
    play(episode, Move("prover", {"main": "x"}), ACCEPT)
    with pytest.raises(IllegalMoveError, match="The episode is over"):
        episode.play(Move("prover", {"main": "x"}))
    episode = mnip()
    with pytest.raises(IllegalMoveError, match="on prover1_channel is missing"):
        episode.play(Move("verifier", {"prover0_channel": "Why?"}))


def test_a_move_that_waits_is_made_where_it_waits_and_nowhere_else():
    episode = play(mnip(), ASK, SAY0)
    assert not episode.legal("prover0").channels
    play(episode, SAY1)
    play(episode, ASK, SAY0)
    assert not episode.legal("prover0").channels
    assert episode.legal("prover0", node=1).channels == ("prover0_channel",)
    assert episode.view_for("prover0", node=1).legal.channels == ("prover0_channel",)


def test_a_move_cannot_be_changed_once_it_is_made():
    messages = {"main": "Why?"}
    episode = play(nip(), Move("verifier", messages))
    messages["main"] = "changed"
    assert episode.view_for("prover").rounds[0].messages[0].text == "Why?"


def test_zero_knowledge_is_refused_with_the_reason():
    zk = HyperParameters(interaction_protocol="nip", protocol_common={"zero_knowledge": True})
    handler = build_protocol_handler(zk, ExperimentSettings())
    for protocol in (zk, handler, handler.spec):
        with pytest.raises(UnsupportedError, match="logits"):
            Episode(protocol, ONE_TASK)


@each(
    "options",
    [
        {"seed": -1},
        {"seed": 1.0},
        {"seed": True},
        {"seed": 2**63},
        {"max_response_words": 0},
        {"max_response_words": "many"},
        {"informed_provers": 1},
        {"stances": {"prover": 0}},
        {"stances": {"prover": "accept"}},
        {"stances": {"verifier": 1}},
    ],
)
def test_a_bad_setup_is_refused(options):
    with pytest.raises(PlayError):
        nip(**options)


def test_a_protocol_that_never_ends_is_not_played():
    endless = HyperParameters(interaction_protocol="nip", nip_protocol={"max_message_rounds": 1001})
    with pytest.raises(PlayError, match="at most 1,000"):
        Episode(endless, ONE_TASK)


def test_a_handler_with_rules_of_its_own_pays_and_ends_by_them():
    class Generous(SpecProtocol):
        def _include_prover_rewards(self, made, decision, reward, env):
            super()._include_prover_rewards(made, decision, reward, env)
            reward[..., 0] += 0.5 * made

    chosen = HyperParameters(interaction_protocol="nip", nip_protocol={"max_message_rounds": 4})
    handler = Generous(chosen, ExperimentSettings(), protocol_spec(chosen))
    ask, say = Move("verifier", {"main": "Why?"}), Move("prover", {"main": "So."})
    episode = play(Episode(handler, ONE_TASK), ask, say)
    assert not episode.over
    play(episode, ACCEPT)
    assert (episode.node.done, episode.node.terminated) == (True, False)
    assert (episode.result().verdict, episode.node.rewards) == ("accept", (1.5, -1))
    episode.goto(2)
    play(episode, ask, say)
    assert (episode.node.done, episode.node.terminated) == (False, True)
    assert (episode.result().verdict, episode.result().paid["verifier"]) == (None, -1)


# -- stances ------------------------------------------------------------------------------------

DRAWN = HyperParameters(
    interaction_protocol="mnip", protocol_common={"randomize_prover_stance": True}
)


def test_stances_are_the_specs_the_tasks_or_given():
    assert mnip().setup.stance("prover0") == 1
    assert mnip(stances={"prover0": 1}).setup.prover_stance is None
    drawn = {Episode(DRAWN, ONE_TASK, seed).setup.prover_stance for seed in range(30)}
    assert drawn == {0, 1}
    for seed in range(30):
        assert Episode(DRAWN, ONE_TASK, seed).setup.prover_stance == ONE_TASK.stance(seed)
    given = Episode(DRAWN, ONE_TASK, 0, {"prover0": 0, "prover1": 0})
    assert [given.setup.stance(a) for a in given.rules.seat_names] == [0, 0, None]
    assert '"reject"' in given.view_for("prover1").prompt
    play(given, ASK, SAY0, SAY1, REJECT)
    assert given.result().totals["prover0"] == 1
    with pytest.raises(PlayError, match="all argue for the same"):
        Episode(DRAWN, ONE_TASK, 0, {"prover0": 0, "prover1": 1})
    other = Task(question="q", solution="s", y=0, prover_stance=0)
    assert Episode(DRAWN, other, 1).setup.prover_stance == 0


def test_a_verifier_does_not_see_a_drawn_stance():
    for stance in (0, 1):
        episode = Episode(DRAWN, ONE_TASK, 0, {"prover0": stance})
        play(episode, ASK)
        assert episode.view_for("verifier").stance is None
        assert episode.view_for("prover0").stance == stance
        assert episode.view_for("prover0").known_stance("prover1") == stance
        assert episode.view_for("prover0").known_stance("verifier") is None
        play(episode, SAY0, SAY1, ACCEPT)
        assert episode.view_for("verifier").ending.stances["prover0"] == stance


# -- seeing -------------------------------------------------------------------------------------


def test_the_end_reveals_what_the_rules_reveal():
    episode = play(mnip(), ASK, SAY0, SAY1)
    assert all(episode.view_for(a).ending is None for a in episode.rules.seat_names)
    episode.play(ACCEPT)
    for agent in episode.rules.seat_names:
        ending = episode.view_for(agent).ending
        assert (ending.decision, ending.y) == (1, ONE_TASK.y)
        assert ending.explanation == ONE_TASK.explanation
        assert ending.totals == episode.result().totals
    hidden = [m.channel for r in episode.view_for("prover0").rounds for m in r.messages]
    assert set(hidden) == {"prover0_channel"}
    graphs = play(Episode(HyperParameters(), GRAPHS), Move("verifier", decision=1))
    assert graphs.view_for("prover").ending.proof == GRAPHS.payload.certificate


def test_a_view_is_made_once_for_a_position_and_a_seat():
    episode = play(mnip(), ASK)
    before = {agent: episode.view_for(agent) for agent in episode.rules.seat_names}
    assert all(episode.view_for(agent) is view for agent, view in before.items())
    twin = copy(episode)
    episode.play(SAY0)
    assert twin.view_for("prover0") is before["prover0"]
    # A hidden move is seen by its own seat, and changes nothing for others.
    assert episode.view_for("prover0").held == SAY0
    assert episode.view_for("prover1") == before["prover1"]
    episode.undo("prover0")
    assert episode.view_for("prover0") == before["prover0"]
    episode.undo()
    assert episode.view_for("verifier").round == 0
    assert episode.view_for("verifier", 1) == before["verifier"]


def test_informed_provers_know_what_they_defend():
    wrong = next(t for t in (ONE_TASK, GRAPHS) if t.y == 0)
    episode = Episode(HyperParameters(interaction_protocol="debate"), wrong, informed_provers=True)
    for prover, stance in (("prover0", 0), ("prover1", 1)):
        briefing = episode.view_for(prover).briefing
        assert (briefing.y, briefing.explanation) == (wrong.y, wrong.explanation)
        assert briefing.opening == wrong.opening(stance)
        assert briefing.answers == {c.ask: c.answers[stance] for c in wrong.questions}
    assert episode.view_for("verifier").briefing is None
    assert mnip().view_for("prover0").briefing is None


def test_anonymous_messages_stay_anonymous():
    for seed in (0, 1):
        episode = Episode(HyperParameters(interaction_protocol="merlin_arthur"), ONE_TASK, seed)
        speaker = f"prover{seed}"
        assert episode.to_move == (speaker,)
        episode.play(Move(speaker, {"main": "Trust me."}))
        message = episode.view_for("verifier").rounds[0].messages[0]
        assert (message.sender, message.text) == (None, "Trust me.")
        assert episode.view_for(speaker).rounds[0].messages[0].sender == speaker


def test_a_view_at_an_earlier_position_is_the_view_of_that_time():
    rng = random.Random(3)
    for name, protocol in ALL.items():
        setup = Setup.of(protocol, ONE_TASK, rng.randrange(50))
        episode = Episode.from_setup(setup)
        then = {}
        while not episode.over:
            then[episode.node.id] = [episode.view_for(a).to_json() for a in setup.rules.seat_names]
            for agent in episode.to_move:
                episode.play(some_move(rng, episode, agent))
        for node, views in then.items():
            later = [episode.view_for(a, node).to_json() for a in setup.rules.seat_names]
            assert later == views, name


def test_a_person_s_move_reads_like_a_completion():
    """What a seat is shown as its own words can be read as the same move."""
    rng = random.Random(7)
    for name, protocol in protocols().items():
        episode = Episode(protocol, ONE_TASK, rng.randrange(20))
        while not episode.over:
            moves = {}
            for agent in episode.to_move:
                legal = episode.legal(agent)
                messages = {c: f"word {rng.random()}" for c in legal.channels}
                moves[agent] = (Move(agent, messages), episode.view_for(agent))
            for move, _ in moves.values():
                episode.play(move)
            for agent, (move, view) in moves.items():
                if view.legal.must_decide:
                    continue  # models are asked for the verdict there
                own_words = episode.view_for(agent).rounds[view.round].own
                assert view.read_answer(own_words).messages == move.messages, name


# -- confidence ---------------------------------------------------------------------------------


def test_confidence_is_kept_scored_and_private():
    episode = nip()
    play(episode, Move("verifier", {"main": "Why?"}, confidence=80))
    play(episode, Move("prover", {"main": "So."}), Move("verifier", {}, 1, confidence=90))
    assert episode.task.y == 0
    result = episode.result()
    assert result.confidence == {"verifier": ((0, 80), (2, 90))}
    assert result.brier == {"verifier": pytest.approx((0.8**2 + 0.9**2) / 2)}
    assert episode.view_for("verifier").confidence == ((0, 80), (2, 90))
    assert episode.view_for("prover").confidence == ()
    assert nip().result().brier == {}


# -- the tree -----------------------------------------------------------------------------------


def test_undo_without_a_name_goes_back_a_round_though_a_move_waits():
    episode = play(mnip(), ASK, SAY0)
    assert episode.held
    episode.undo()
    assert (episode.node.round, episode.held) == (0, {})


def test_undo_goes_back_a_round_and_keeps_the_variation():
    episode = play(mnip(), ASK, SAY0, SAY1)
    episode.undo()
    assert episode.node.round == 1
    assert set(episode.to_move) == {"prover0", "prover1"}
    play(episode, Move("prover0", {"prover0_channel": "Otherwise."}), SAY1)
    assert len(episode.leaves) == 2
    assert [n.parent for n in episode.nodes] == [None, 0, 1, 1]
    assert episode.children(1) == episode.nodes[2:]
    episode.undo()
    episode.undo()
    with pytest.raises(PlayError, match="nothing to take back"):
        episode.undo()


def test_a_seat_goes_back_to_where_it_moved():
    episode = play(nip(), Move("verifier", {"main": "a"}), Move("prover", {"main": "b"}))
    episode.undo("verifier")
    assert episode.node.round == 0
    episode.goto(2)
    episode.undo("prover")
    assert episode.node.round == 1
    with pytest.raises(PlayError):
        episode.undo("prover")


def test_a_held_move_can_be_taken_back():
    episode = play(mnip(), ASK, SAY0)
    assert isinstance(episode.undo("prover0"), Withdrew)
    assert set(episode.to_move) == {"prover0", "prover1"}
    with pytest.raises(PlayError):
        episode.apply(Withdrew(agent="prover0"))
    # The position after undoing does not depend on what others have in waiting.
    for others in ([], [SAY1]):
        episode = play(mnip(), ASK, *others)
        assert episode.undo("verifier") == Went(node=0)


def test_going_elsewhere_drops_held_moves():
    episode = play(mnip(), ASK, SAY0)
    episode.goto(0)
    episode.goto(1)
    assert episode.held == {}
    assert episode.view_for("prover0").held is None


def test_forks_begin_where_the_episode_goes_on():
    episode = play(nip(), ACCEPT)
    with pytest.raises(PlayError, match="earlier position"):
        episode.fork(1)
    episode.goto(1)
    assert episode.over
    episode.fork(0)
    play(episode, REJECT)
    assert [episode.result(n.id).decision for n in episode.leaves] == [1, 0]
    for bad in (9, -1, "1", True):
        with pytest.raises(UnknownNameError):
            episode.goto(bad)


def test_silent_rounds_are_skipped_at_every_position():
    episode = Episode(own()["four seats"], ONE_TASK)
    for agent in episode.to_move:
        episode.play(Move(agent, {"corridor": "Psst."}))
    assert episode.node.round == 2  # round 1 is silent
    episode.goto(1)
    assert episode.node.round == 2
    assert episode.to_move
    episode.undo()
    assert set(episode.to_move) == {"friend", "foe"}


def test_seats_that_know_another_variation_are_tainted():
    episode = play(mnip(), ASK, SAY0, SAY1)
    assert episode.tainted() == frozenset()
    episode.goto(1)
    # The answers of round 1 have been shown to the verifier alone.
    assert episode.tainted() == {"verifier"}
    play(episode, SAY0, SAY1)
    assert episode.node.tainted == {"verifier"}
    assert episode.result().tainted == {"verifier"}
    # The first variation was played without such knowledge; continuing it now is not.
    assert episode.result(2).tainted == frozenset()
    episode.goto(2)
    episode.play(ACCEPT)
    assert episode.node.tainted == {"verifier"}
    episode.goto(1)
    # After the end everybody knows everything.
    assert episode.tainted() == set(episode.rules.seat_names)


def slow_taint(episode, node):
    """Return who has seen something of positions that are not on the way to `node`."""
    on_path = {n.id for n in episode.path(node)}
    return {
        agent
        for n in episode.nodes
        if n.id not in on_path
        for agent in episode.rules.seat_names
        if n.over
        or any(
            sender != agent and channel in episode.rules.visible_channels(agent)
            for sender, move in n.moves.items()
            for channel in move.messages
        )
    }


@pytest.mark.parametrize("name", ALL)
def test_trees_at_random(name):
    """Undo, goto and play in any order: events, tree and taint stay right."""
    rng = random.Random(f"tree/{name}")
    for _ in range(cases(8)):
        episode = Episode(ALL[name], ONE_TASK, rng.randrange(9))
        for _ in range(40):
            if rng.random() < 0.25:
                episode.goto(rng.randrange(len(episode.nodes)))
            elif rng.random() < 0.1:
                episode.apply(Seated(agent=rng.choice(episode.rules.seat_names), player={"a": 1}))
            elif rng.random() < 0.1:
                episode.apply(Commented(node=episode.node.id, text="Hm."))
            elif episode.to_move:
                agent = rng.choice(episode.to_move)
                before, tainted = len(episode.nodes), slow_taint(episode, episode.node.id)
                episode.play(some_move(rng, episode, agent))
                for node in episode.nodes[before:]:
                    assert node.tainted == tainted
                    assert episode.nodes[node.parent].round == node.round - 1
            assert episode.over or episode.to_move
            for node in (0, len(episode.nodes) - 1):
                assert episode.tainted(node) == slow_taint(episode, node)
        again = Episode.from_setup(
            Setup.from_dict(episode.setup.to_dict()),
            [event_from_dict(event.to_dict()) for event in episode.events],
        )
        assert again.nodes == episode.nodes
        assert again.events == episode.events
        assert again.node == episode.node
        assert again.held == episode.held
        for agent in episode.rules.seat_names:
            assert again.view_for(agent).to_json() == episode.view_for(agent).to_json()
            branches = episode.tree_for(agent)
            assert [b.parent for b in branches] == [n.parent for n in episode.nodes]
            for branch in branches[1:]:
                assert branch.seen == episode.view_for(agent, branch.id).rounds[-1]


def test_events_from_a_stranger():
    for document in (
        None,
        [],
        {},
        {"type": "exploded"},
        {"type": ["moved"]},
        {"type": "moved"},
        {"type": "moved", "move": 3},
        {"type": "moved", "move": {"agent": "verifier", "strength": 3}},
        {"type": "moved", "move": {"agent": "verifier"}, "origin": 3},
        {"type": "went", "node": "0"},
        {"type": "went", "node": 0, "at": 5},
        {"type": "seated", "agent": "verifier", "player": []},
        {"type": "commented", "node": 0, "text": " "},
        {"type": "commented", "node": 0, "text": "x" * 5001},
    ):
        with pytest.raises(PlayError):
            event_from_dict(document)
    episode = nip()
    for event in (
        Seated(agent="nobody", player={}),
        Went(node=1),
        Commented(node=1, text="x"),
        Withdrew(agent="verifier"),
    ):
        with pytest.raises((PlayError, UnknownNameError)):
            episode.apply(event)
    assert episode.events == ()


# -- setups -------------------------------------------------------------------------------------


def test_setups_are_documents():
    ways = itertools.cycle(itertools.product(TASKS, (False, True)))
    for (name, protocol), (task, informed) in zip(protocols().items(), ways, strict=False):
        setup = Setup.of(protocol, task, 5, informed_provers=informed, max_response_words=30)
        again = Setup.from_dict(setup.to_dict())
        assert again.to_dict() == setup.to_dict()
        assert again.prompts == setup.prompts, name
        assert type(again.handler) is type(setup.handler)
    assert set(registered()) | set(own()) == set(protocols())


def test_a_specification_is_replayed_by_itself_if_the_registered_protocol_has_changed():
    document = mnip().setup.to_dict()
    document["protocol"]["max_message_rounds"] = 4
    again = Setup.from_dict(document)
    assert again.rules.longest == 4
    document["parameters"]["interaction_protocol"] = "unknown"
    with pytest.raises(PlayError, match="cannot be used"):
        Setup.from_dict(document)


def test_prompts_state_the_limit_and_fit_the_kind_of_task():
    for name, protocol in registered().items():
        setup = Setup.of(protocol, GRAPHS, max_response_words=37)
        for agent, prompt in setup.prompts.items():
            assert "graph" in prompt
            assert "Python" not in prompt, name
            assert "code" not in prompt
            if agent in setup.rules.provers:
                assert "at most 37 words" in prompt


def test_an_episode_is_bounded(monkeypatch):
    monkeypatch.setattr(episodes, "MAX_EVENTS", 2)
    ask = Move("verifier", {"main": "Why?"})
    episode = play(nip(), ask, Move("prover", {"main": "x"}))
    with pytest.raises(PlayError, match="at most 2 events"):
        episode.play(ask)
    monkeypatch.setattr(episodes, "MAX_EVENTS", 20)
    # All eight rounds may follow the beginning.
    monkeypatch.setattr(episodes, "MAX_POSITIONS", 9)
    episode = play(nip(), ask)
    episode.goto(0)
    with pytest.raises(PlayError, match="at most 9 positions"):
        episode.play(ask)


def test_only_a_random_order_gives_a_seat_a_number():
    """Otherwise the number would leak a byte of a hash of the seed."""
    episodes_of_nip = [nip(seed=seed) for seed in range(5)]
    assert {e.view_for(a).reading_seed for e in episodes_of_nip for a in e.rules.seat_names} == {0}


def test_a_view_s_document_is_in_canonical_form():
    view = play(nip(), Move("verifier", {"main": "Why?"})).view_for("prover")
    document = json.loads(view.to_json())
    assert view.to_json() == json.dumps(document, sort_keys=True, separators=(",", ":"))


def test_headers_that_a_person_wrote_are_not_repeated():
    headed = {"prover0_channel": "Question for Prover 1: Why?", "prover1_channel": "How?"}
    view = play(mnip(), Move("verifier", headed)).view_for("verifier")
    assert view.rounds[0].own == "Question for Prover 1: Why?\n\nQuestion for Prover 2: How?"
