"""Models in acts with `apart`: each question has its own conversation, and one move results."""

import pytest

from explorer.players.errors import LLMFailedError
from explorer.players.models.player import ModelAnswer, ModelPlayer, ModelTurn
from explorer.players.models.settings import LLMSettings
from nip_core.play import Origin
from nip_core.transcript import dumps, load, to_markdown
from tests.language.test_apart import begun

ANSWERS = [
    "First text.\n\nScore 1: 50",
    "Second text.\n\nScore 2: 100",
    "Third text.\n\nScore 3: 0",
    "Mood: calm",
]


class Fake:
    """A client whose model says prepared answers, and notes what it was asked."""

    offers_scratchpad = False

    def __init__(self, *answers):
        self.settings = LLMSettings("fake", corrections=1, keep_reasoning=True)
        self.answers, self.asked = [*answers], []

    async def complete(self, messages, waiting=None):
        self.asked.append([message["content"] for message in messages])
        waiting.used += type(waiting.used)(calls=1, tokens_in=10, tokens_out=2)
        return ModelAnswer(self.answers.pop(0), reasoning=f"thought {len(self.asked)}")

    def describe(self):
        return {"model": "fake"}


def test_a_model_sees_none_of_its_other_answers_and_makes_one_legal_move():
    episode, client = begun(), Fake(*ANSWERS)
    acted = ModelPlayer(client).turn(episode.view_for("ann"))
    episode.play(acted.move, origin=acted.origin)
    assert dict(acted.move.choices) == {"score1": 50, "score2": 100, "score3": 0, "mood": "calm"}
    assert acted.move.messages["draft2"] == "Second text."
    for number, asked in enumerate(client.asked, start=1):
        assert len(asked) == 2
        assert f"This is question {number} of 4." in asked[-1]
        assert not any(text in part for part in asked for text in ("First", "Second", "Third"))
    assert "Score 2: <" in client.asked[1][-1]
    assert "Score 1: <" not in client.asked[1][-1]
    assert len({asked[0] for asked in client.asked}) == 1
    assert "without your other answers" in client.asked[0][0]
    assert "When you write on several channels at once" not in client.asked[0][0]
    origin = Origin.from_dict(acted.origin)
    assert (origin.attempts, origin.tokens) == (4, 48)
    assert [answered.answer for answered in origin.answered] == ANSWERS
    assert origin.answered[0].question == "draft 1 and score 1"
    assert all(f"thought {number}" in origin.reasoning for number in range(1, 5))
    assert load(dumps(episode)).nodes == episode.nodes
    assert "Asked by itself for draft 2 and score 2, it answered:" in to_markdown(episode)


def test_the_next_turn_begins_with_the_whole_move():
    episode = begun()
    acted = ModelPlayer(Fake(*ANSWERS)).turn(episode.view_for("ann"))
    episode.play(acted.move)
    episode.play(ModelPlayer(Fake("Best: 2")).turn(episode.view_for("judge")).move)
    chat = episode.view_for("ann").questions()[1].portable_messages()
    own = next(message["content"] for message in chat if message["role"] == "assistant")
    assert all(text in own for text in ("First text.", "Third text.", "Score 2: 100", "Mood: calm"))


def test_a_refused_answer_is_asked_for_again_by_itself():
    client = Fake(ANSWERS[0], "Second text.\n\nScore 2: 70", *ANSWERS[1:])
    acted = ModelPlayer(client).turn(begun().view_for("ann"))
    assert acted.move.choices["score2"] == 100
    again = client.asked[2]
    assert "That cannot be used as your move." in again[-1]
    assert len(again) == 4
    assert not any("First text." in part for part in again)
    assert len(client.asked[3]) == 2
    (refused,) = acted.origin["refused"]
    assert refused["answer"] == "Second text.\n\nScore 2: 70"


def test_each_question_has_its_own_corrections():
    turn = ModelTurn(begun().view_for("ann"), corrections=1)
    for answer in ANSWERS[:3]:
        assert turn.read(ModelAnswer("Hm?")) is None
        assert turn.read(ModelAnswer(answer)) is None
    assert turn.read(ModelAnswer("Hm?")) is None
    with pytest.raises(LLMFailedError, match="2 times"):
        turn.read(ModelAnswer("Hm?"))
