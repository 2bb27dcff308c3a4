"""Tests of graphs/kind.py, passages/kind.py, programs/kind.py and words.py.

A new kind of task is a folder: its content is used from the prompt to the transcript.
"""

import sys
import textwrap

import pytest

from nip_core import HyperParameters, tasks
from nip_core.errors import TaskError, UnknownNameError
from nip_core.play import Episode, Move
from nip_core.tasks import Task, TaskKind, Words, register_task_kind, task_kind, task_kinds
from nip_core.tasks import task as register
from nip_core.transcript import dumps, load, to_markdown
from tests.depth import each
from tests.noninterference import SURFACES

KIND = """
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nip_core.errors import TaskError
from nip_core.tasks import Task, TaskKind, Words, register_task_kind


@dataclass(frozen=True)
class Factors:
    key: ClassVar[str] = "number"
    proof_key: ClassVar[str] = "factor"

    number: int
    factor: int | None

    @property
    def shown(self):
        return self.number

    @property
    def proof(self):
        return self.factor

    def check(self, y):
        if (self.factor is None) != (y == 1):
            raise TaskError("A number has a factor exactly if y is 0.")

    def to_dict(self):
        return {"number": self.number, "factor": self.factor}

    @classmethod
    def from_dict(cls, document):
        if not isinstance(document, dict) or set(document) != {"number", "factor"}:
            raise TaskError("number must be a number and its factor.")
        return cls(**document)


def deal(seed, difficulty):
    number = (91, 97)[seed % 2]
    return Task(
        kind="primes",
        question=f"Is {number} a prime number?",
        solution="It is prime.",
        y=seed % 2,
        difficulty=difficulty,
        payload=Factors(number, 7 if seed % 2 == 0 else None),
    )


register_task_kind(
    TaskKind(
        name="primes",
        choice="primes",
        title="A number: is it prime?",
        plural="numbers",
        deal=deal,
        payload=Factors,
        words=Words(
            field="number theory",
            judged="sums",
            given="a number and the claim that it is prime,",
            holds="it is prime",
            fails="it has factors",
            job="whether a number is prime.",
            caution="Half of the numbers are not.",
            evidence="divisions",
            material="number",
            accepted="the number is prime",
            rejected="it has factors",
            heading="The claim of the day",
        ),
    )
)
"""


@pytest.fixture
def primes(tmp_path, monkeypatch):
    """Registers the kind in a folder of its own beside the others."""
    folder = tmp_path / "primes"
    folder.mkdir()
    (folder / "__init__.py").write_text("", "utf-8")
    (folder / "kind.py").write_text(textwrap.dedent(KIND), "utf-8")
    monkeypatch.setattr(tasks, "__path__", [*tasks.__path__, str(tmp_path)])
    monkeypatch.setattr(register, "_kinds", dict(register._kinds))
    tasks._register_kinds()
    yield task_kind("primes")
    for name in [n for n in sys.modules if n.startswith("nip_core.tasks.primes")]:
        del sys.modules[name]


def played(task: Task) -> Episode:
    episode = Episode(HyperParameters(interaction_protocol="adp"), task, 0)
    episode.play(Move("prover", {"main": "It is 7 times 13."}))
    return episode


def test_a_folder_is_a_kind(primes):
    assert primes in task_kinds()
    task = primes.deal(0, "easy")
    assert Task.from_dict(task.to_dict()) == task
    assert task.to_dict()["number"] == {"number": 91, "factor": 7}
    with pytest.raises(TaskError, match="factor exactly if"):
        Task.from_dict({**task.to_dict(), "y": 1})
    with pytest.raises(TaskError, match="number must be given"):
        Task(kind="primes", question="q", solution="s", y=0)


def test_its_words_are_in_the_prompts(primes):
    episode = Episode(HyperParameters(), primes.deal(0, None))
    verifier, prover = (episode.view_for(agent).prompt for agent in ("verifier", "prover"))
    assert "Your job is to judge whether a number is prime." in verifier
    assert '"Accept" says that the number is prime' in verifier
    assert "an expert in number theory" in prover
    assert "Quote the divisions that your argument rests on" in prover
    for agent, text in (("verifier", verifier), ("prover", prover)):
        first = episode.view_for(agent).portable_messages()[1]["content"]
        assert "The claim of the day:\n\n```text\nIt is prime.\n```" in first
        assert "Python" not in text


def test_its_episodes_are_seen_and_kept(primes):
    episode = played(primes.deal(0, "hard"))
    before = episode.view_for("verifier")
    assert before.statement.payload == 91
    assert before.to_dict()["statement"]["number"] == 91
    assert '"factor"' not in before.to_json()
    for make in SURFACES.values():
        make(episode, "verifier")
    episode.play(Move("verifier", decision=0))
    assert episode.view_for("prover").ending.proof == 7
    assert episode.view_for("prover").to_dict()["ending"]["factor"] == 7
    again = load(dumps(episode))
    assert again.task == episode.task
    assert dumps(again) == dumps(episode)
    assert "It is prime." in to_markdown(again)


def test_it_can_be_chosen_at_a_table(primes):
    from explorer.choice import ProtocolChoice
    from explorer.play import Start, find_task, task_choices

    choice = ProtocolChoice.of("nip")

    assert {"primes", "primes:hard"} <= set(task_choices())
    assert find_task(choice.rules, "primes:hard", 3).payload.number == 97
    start = Start(choice, "primes", {"verifier": "me"}, 3)
    assert start.setup().task.kind == "primes"


def test_a_task_of_no_known_kind_is_refused():
    names = [kind.name for kind in task_kinds()]
    assert names == ["code_validation", "graph_isomorphism", "passage_question"]
    with pytest.raises(UnknownNameError, match="graph_isomorphism"):
        task_kind("primes")
    words = dict.fromkeys(("field", "judged", "given", "holds", "fails", "job"), "x")
    words |= dict.fromkeys(("caution", "evidence", "material", "accepted", "rejected"), "x")
    for name, choice in (("code_validation", "other"), ("other", "code")):
        kind = TaskKind(name, choice, "t", "p", Words(**words), lambda seed, difficulty: None)
        with pytest.raises(TaskError, match="already"):
            register_task_kind(kind)


@each("kind", task_kinds(), ids=lambda kind: kind.name)
@each("difficulty", [None, "easy", "medium", "hard"])
def test_every_kind_deals(kind, difficulty):
    task = kind.deal(3, difficulty)
    assert task == kind.deal(3, difficulty)
    assert task.kind == kind.name
    assert difficulty in (None, task.difficulty)
    assert Task.from_dict(task.to_dict()) == task
