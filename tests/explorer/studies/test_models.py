"""Tests of executing.py and models.py.

Studies of any protocol, from the file to the rows, by every engine.
"""

import json
import re

import pytest

from explorer.studies import Record, StudyError, models, points, read_study, run_study
from explorer.studies import run as running
from explorer.studies.executing import play_points
from explorer.studies.models import forecast
from explorer.studies.results import ResultRow
from nip_core.registry import published_document, specification
from tests.depth import each
from tests.explorer.studies.inspect.server import Server
from tests.explorer.studies.test_record import Here

FILE = """
format = "nip-study/1"
name = "reading"
seed = 2

[[tasks]]
source = "passages"
problems = 2

{protocols}
[players.careful]
kind = "scripted"
strategy = "careful"

[players.checker]
kind = "scripted"
strategy = "quote-checker"

[players.easy]
kind = "scripted"
level = "easy"

{more}
[[conditions]]
verifiers = ["careful"]
provers = ["easy"]
"""
MODEL = """
[players.one]
kind = "model"
model = "openai-api/local/one"
base_url = "URL"
settings = { max_connections = 4, max_retries = 0 }
"""


def file(*protocols: str, more: str = "", tasks: str = "") -> str:
    tables = "\n".join(f"[protocols.{name}]" for name in protocols)
    text = FILE.format(protocols=tables, more=more)
    return text.replace('source = "passages"\nproblems = 2', tasks) if tasks else text


def test_a_row_holds_the_outcome_of_an_episode(tmp_path):
    study = read_study(file("michael_debate", "khan_consultancy", "nip"))
    record = Record(tmp_path / "a")
    stage = run_study(study, record, executor=Here)
    assert (stage.done, stage.failed) == (6, 0)
    for row, episode in record.episodes():
        assert ResultRow.from_dict(json.loads(json.dumps(row.to_dict()))) == row
        assert row.words == sum(
            len(text.split())
            for node in episode.path()
            for move in node.moves.values()
            for text in move.messages.values()
        )
        if row.protocol == "nip":
            # Also with passages: one statement about each is drawn.
            assert row.y == (row.truth == "accept")
            assert row.decision == {"accept": 1, "reject": 0, "": None}[row.answer]
            assert row.confidence == episode.result().confidence["verifier"][-1][1]
            assert row.stances == {"prover": 1}
            continue
        made = episode.result().choices
        assert row.truth == made["truth"]
        assert row.y == (row.truth == "A")
        assert row.decision == {"A": 1, "B": 0, "": None}[row.answer]
        assert (row.verdict == "right") == (row.answer == row.truth)
        if row.protocol == "michael_debate":
            assert row.estimates == {"estimate": (made["estimate"], int(row.truth == "A"))}
            assert row.confidence == made["estimate"]
            assert row.stances == {"alice": 1, "bob": 0}
        else:
            assert row.stances == {"consultant": int(made["side"] == "A")}
    assert {row.seats["judge"] for row in record.results() if row.protocol != "nip"} == {"careful"}
    # When the study is continued, nothing is left.
    assert run_study(study, record, executor=Here).left == 0


def played(name, side, **more):
    text = file(name, **more).replace('provers = ["easy"]', f'provers = ["easy"]\nside = "{side}"')
    return [each.result for each in play_points(points(read_study(text)))]


def test_a_randomly_drawn_side_can_be_chosen():
    name = "khan_consultancy"
    for side, honest in (("truth", True), ("lie", False)):
        rows = played(name, side)
        assert {row.truth for row in rows} == {"A", "B"}
        assert [row.choices["side"] == row.truth for row in rows] == [honest] * 2
        assert [row.stances["consultant"] == row.y for row in rows] == [honest] * 2
        assert {row.side for row in rows} == {side}
    assert {row.choices["side"] for row in played(name, "accept")} == {"A"}
    assert {row.choices["side"] for row in played(name, "reject")} == {"B"}
    # Each task twice, with the same seed: once for each answer.
    both = played("michael_consultancy", "both")
    by_task = {}
    for row in both:
        by_task.setdefault((row.task, row.seed), set()).add(row.choices["side"])
    assert list(by_task.values()) == [{"A", "B"}] * 2
    assert len({row.key for row in both}) == 4
    # Without a side, the seed draws it as before.
    assert {row.side for row in played(name, "protocol")} == {"protocol"}
    # A seat that would pick its side is given it.
    for name in ("open_consultancy", "open_debate"):
        rows = played(name, "lie")
        assert [row.choices["side"] != row.truth for row in rows] == [True] * 2
    assert [row.choices["side"] for row in played("open_debate", "B")] == ["B"] * 2
    with pytest.raises(StudyError, match="in 'open_debate' it can be 'protocol', 'A', 'B'"):
        played("open_debate", "C")


def test_in_a_fixed_debate_the_order_of_the_answers_is_chosen():
    assert {row.truth for row in played("khan_debate", "truth")} == {"A"}
    assert {row.truth for row in played("khan_debate", "lie")} == {"B"}
    # Each passage with the same wrong answer, in both orders.
    both = played("khan_debate", "both")
    assert [row.truth for row in both] == ["A", "B"] * 2
    assert [row.seed for row in both[::2]] == [row.seed for row in both[1::2]]
    with pytest.raises(StudyError, match="gives each prover its side"):
        played("prover_estimator", "truth")


def test_a_side_that_is_no_answer_is_named():
    name, tasks = "legible_prover", 'prepared_for = "legible_prover"\nproblems = 2'
    assert [row.choices["kind"] for row in played(name, "sneaky", tasks=tasks)] == ["sneaky"] * 2
    assert [(row.arm, row.choices["kind"]) for row in played(name, "both", tasks=tasks)] == [
        (each, each) for _ in range(2) for each in ("helpful", "sneaky")
    ]
    with pytest.raises(StudyError, match="'helpful', 'sneaky', 'both'"):
        played(name, "truth", tasks=tasks)


def test_a_study_of_seats_by_name():
    text = file("jury", more='[players.any]\nkind = "random"')
    text = text.replace('provers = ["easy"]', 'provers = ["easy"]\nseats = { juror2 = "checker" }')
    (condition,) = read_study(text).conditions
    assert condition.verifier == "careful+checker+careful"
    assert condition.provers == "easy"


def answer(messages):
    """Return an answer to any prompt: a sentence, and a line for each choice."""
    prompt = messages[-1]["content"]
    wanted = re.findall(r"^(\w+): <(?:one of: |a whole number from )?(\w+)", prompt, re.M)
    return "\n".join(["I see it so.", *(f"{name}: {option}" for name, option in wanted)])


@pytest.mark.parametrize("engine", ["inspect", "http"])
def test_models_take_its_seats(tmp_path, monkeypatch, engine):
    monkeypatch.setenv("LOCAL_API_KEY", "sk-no-key-of-anybody")
    if engine == "http":
        for module in (running, models):
            monkeypatch.setattr(module, "has_inspect", lambda: False)
    with Server(answer=answer) as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.url)
        text = file("michael_debate", more=MODEL.replace("URL", server.url))
        study = read_study(
            text.replace("problems = 2", "problems = 1").replace('["easy"]', '"one"')
        )
        (asked,) = forecast(points(study))
        record = Record(tmp_path / "a")
        stage = run_study(study, record)
        assert (stage.done, stage.failed) == (1, 0), [f.message for f in record.failures()]
    (row,) = record.results()
    assert (row.engine, row.provers, row.verifier) == (engine, "one", "careful")
    assert row.used.calls == len(server.requests) >= asked.least.calls
    # The scripted judge's view has no passage; the models' views have.
    passage = study.sources[0].tasks[0]
    sent = json.dumps(server.requests)
    assert any(json.dumps(task.text[:60])[1:-1] in sent for task in study.sources[0].tasks)
    assert passage.kind == "passage_question"


def test_own_protocols_and_own_tasks(tmp_path):
    (tmp_path / "mine.toml").write_text(published_document("khan_debate"))
    document = {"format": "nip-protocol/2", **specification("jury").to_dict()}
    (tmp_path / "mine.json").write_text(json.dumps(document))
    line = {"parts": {"question": "Which?", "answers": "A. This\nB. That", "passage": "This."}}
    (tmp_path / "tasks.jsonl").write_text(json.dumps({**line, "facts": {"truth": "A"}}) + "\n\n")
    text = file(tasks='file = "tasks.jsonl"\nformat = "parts"')
    text += '[protocols.own]\ndocument = "mine.toml"\nparameters = { rounds = 1 }\n'
    study = read_study(text, tmp_path)
    (ended,) = play_points(points(study))
    assert (ended.result.rounds, ended.result.truth) == (2, "A")
    quality = {
        "article": "A cat sat. It slept.",
        "questions": [{"question": "Who sat?", "options": ["A cat", "A dog"], "gold_label": 1}],
    }
    (tmp_path / "q.jsonl").write_text(json.dumps(quality))
    text = file(tasks='file = "q.jsonl"\nformat = "quality"')
    text += '[protocols.own]\ndocument = "mine.json"\n'
    (ended,) = play_points(points(read_study(text, tmp_path)))
    assert ended.result.verdict in ("right", "wrong", "none")
    assert {"vote1", "vote2", "vote3"} <= ended.result.choices.keys()


@each(
    ("old", "new", "said"),
    [
        ("[protocols.khan_debate]", "[protocols.khan_debat]", "Did you mean 'khan_debate'"),
        ("[protocols.khan_debate]", "[protocols.jury]\nparameters = { turns = 2 }", "setting"),
        (
            "[protocols.khan_debate]",
            "[protocols.khan_debate]\ninformed_provers = true",
            "informed_provers",
        ),
        ('strategy = "careful"', 'strategy = "tester"', "in this protocol there is no strategy"),
        ('source = "passages"', 'source = "passages"\nlabel = 1', "tasks[0].label"),
        ('source = "passages"', 'source = "bundled"', "khan_debate"),
        ('source = "passages"', 'prepared_for = "nip"', "tasks[0].prepared_for"),
        ('source = "passages"', 'prepared_for = "legible_prover"', "khan_debate"),
        ('source = "passages"', 'source = "passages"\nformat = "parts"', "tasks[0].format"),
        ('provers = ["easy"]', 'provers = ["easy"]\nside = "accept"', "conditions[0].side"),
        ('provers = ["easy"]', 'provers = ["easy"]\norder = "both"', "conditions[0].order"),
        ('provers = ["easy"]', 'provers = ["careful"]', "conditions[0]"),
    ],
)
def test_a_contradiction_is_refused_with_its_place(old, new, said):
    text = file("khan_debate")
    assert old in text
    with pytest.raises(StudyError) as refused:
        read_study(text.replace(old, new).replace("problems = 2", ""))
    assert said in str(refused.value)
