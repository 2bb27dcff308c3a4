"""What studies refuse, with its words; see `tests/test_refusals.py`."""

import errno
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from unittest.mock import patch

import pytest

from explorer.logs import ArchiveLimits
from explorer.studies import Record, ResultRow, StudyError, read_study, run_study
from explorer.studies import record as records
from explorer.studies.http_engine import client_of
from explorer.studies.inspect import archive
from explorer.studies.models import check_settings, model_of
from explorer.studies.services import Services
from explorer.studies.statistics.paired import plan
from explorer.studies.study import models_of
from nip_core.documents import show
from nip_core.errors import NipError
from tests.depth import each, exhaustive
from tests.explorer.studies.files import SMALL, with_lines
from tests.explorer.studies.rows import row
from tests.explorer.studies.test_record import Here

TASKS = '[[tasks]]\nsource = "graphs"\nproblems = 4\ndifficulty = ["easy"]'
CONDITION = '[[conditions]]\nverifiers = ["new"]\nprovers = "hard"\n'
COINS = [f"coin{number}" for number in range(1_001)]
MANY = with_lines(*(f'[players.{name}]\nkind = "random"' for name in COINS))
MANY += f'[[conditions]]\nverifiers = {COINS}\nprovers = "hard"\n'
BLOCK = 'verifiers = ["gullible", "coin"]'


def tasks(*lines):
    return with_lines("[[tasks]]", *lines, instead_of=TASKS)


def player(*lines):
    return with_lines("[players.new]", *lines)


def block(*lines):
    return with_lines(BLOCK, *lines, instead_of=BLOCK)


@each(
    ("words", "text"),
    [
        ("has `protocol` and `document`; take one out", with_lines(
            "[protocols.nip]", 'protocol = "nip"', 'document = "a.json"',
            instead_of="[protocols.nip]",
        )),
        ("This protocol says itself who argues for what and who sees what", with_lines(
            "[protocols.trusted_monitor]", "informed_provers = true", instead_of="[protocols.nip]"
        )),
        ("strategy is for kind = 'scripted'", player('kind = "random"', 'strategy = "careful"')),
        ("has no levels; leave it out", player(
            'kind = "scripted"', 'strategy = "gullible"', 'level = "hard"'
        )),
        ("names no player for", SMALL.replace('provers = "hard"', "")),
        ("no two provers take turns", block('order = "both"')),
        ("and they are called by what they vary", block('name = "all"')),
        ("which only verifiers have", SMALL.replace('provers = "hard"', 'provers = "gullible"')),
        ("split is for dataset folders", tasks('source = "graphs"', 'split = "a"')),
        ("format is for files: give", tasks('source = "graphs"', 'format = "parts"')),
        ("label is for statements that", tasks('source = "passages"', "label = 1")),
        ("ids cannot be given for graphs", tasks('source = "graphs"', 'ids = ["a"]')),
        ("pairs of graphs are made", tasks('source = "graphs"', "problems = 100000")),
        ("tasks[0] has no task", tasks('file = "none.jsonl"', 'format = "parts"')),
        ("conditions; at most 2,000 are", MANY),
        ("is about a statement that holds or", tasks(
            'file = "parts.jsonl"', 'format = "parts"'
        )),
        ("leaves no task; widen", tasks('file = "one.csv"', "label = 0")),
        ("problems is 999, but there are", tasks('source = "bundled"', "problems = 999")),
    ],
)  # fmt: skip
def test_a_study_file_is_refused(tmp_path, words, text):
    (tmp_path / "one.csv").write_text("question,solution,y\na,b,1\n")
    (tmp_path / "none.jsonl").write_text("\n")
    (tmp_path / "parts.jsonl").write_text('{"parts": {"passage": "This."}, "facts": {}}')
    with pytest.raises(StudyError) as error:
        read_study(text, tmp_path)
    assert words in str(error.value)


def model(*lines):
    """Return a player who asks a model."""
    found = read_study(with_lines("[players.new]", 'kind = "model"', *lines) + CONDITION)
    return next(each for each in models_of(found.conditions) if each.name == "new")


def run_until_they_die(record):
    with patch("explorer.studies.executing.MOST_BROKEN", 0):
        run_study(read_study(SMALL), record, executor=lambda: Here(die))


def find_in(record):
    with record.writing(read_study(SMALL)):
        record.episode("gone")


def fill_the_disk(record):
    full = OSError(errno.ENOSPC, "full")
    with patch.object(records, "_replace", side_effect=full), record.writing(read_study(SMALL)):
        pass


def read_row(name, value, _):
    ResultRow.from_dict({**row().to_dict(), name: value})


def stop(_):
    found = Services.__new__(Services)
    found.hopeless = "The key is refused."
    found.check()


def die(_):
    return BrokenProcessPool("died")


@each(
    ("words", "act"),
    [
        ("The workers have died 1 times. Is there enough", run_until_they_die),
        ("has no episode 'gone'", find_in),
        ("Only a run that holds the record", lambda record: record.fail([])),
        ("differ in a share from", lambda _: plan(0.5, 0.9, differing=0.1)),
        ("The log has 2 bytes; at most", lambda _: archive.read_log(
            b"{}", ArchiveLimits(file=1)
        )),
        ("The disk of", fill_the_disk),
        ("The run was stopped; all that was finished", stop),
        ("settings: without Inspect there are", lambda _: client_of(
            model('model = "openai/some"', "settings = { logit_bias = 1 }")
        )),
        ("set OPENAI_API_KEY where", lambda _: client_of(model('model = "openai/some"'))),
        *(
            (f"{name} is {show(value)}, which no row holds", partial(read_row, name, value))
            for name, value in (("decision", 7), ("words", -1))
        ),
        ("estimates holds a list, which no", partial(read_row, "estimates", {"a": (101, 1)})),
        ("use is an object, which no", partial(read_row, "use", {"a": {"calls": -1}})),
        ("The log is damaged: ", lambda _: archive.read_log(b"PK" + b"\0" * 60)),
    ],
)  # fmt: skip
def test_a_study_is_refused(tmp_path_factory, words, act):
    with pytest.raises(NipError) as error:
        act(Record(tmp_path_factory.mktemp("record") / "kept"))
    assert words in str(error.value)


# Inspect takes seconds to import.
@exhaustive
@each(
    ("words", "act"),
    [
        ("may send a request or a key elsewhere", lambda _: model_of(
            model('model = "openai/some"', 'arguments = { base_url = "https://a.example" }')
        )),
        ("What only your provider knows", lambda _: check_settings(
            [model('model = "openai/some"', "settings = { gone = 1 }")]
        )),
    ],
)  # fmt: skip
def test_inspect_is_not_given_everything(words, act):
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    with pytest.raises(StudyError, match=words):
        act(None)
