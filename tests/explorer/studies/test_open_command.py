"""The command ``nip-explorer open``: what it prints of files, and what it keeps."""

import pytest

from explorer.cli import main
from explorer.storage import Criteria, open_storage
from explorer.studies import open_command
from tests.explorer.logs.samples import as_zip, sample
from tests.transcript.others.khan_samples import STORY, table, transcript
from tests.transcript.others.khan_samples import spoken as said_by
from tests.transcript.others.samples import CONSULTED, FINISHED, changed, debate, judged, text


@pytest.fixture
def files(tmp_path):
    """Write files, and return their paths."""

    def write(**documents):
        for name, document in documents.items():
            (tmp_path / f"{name}.json").write_text(text(document), "utf-8")
        return [str(tmp_path / f"{name}.json") for name in documents]

    return write


NOBODY = debate(roles=("Debater A", "Debater B"))


def test_judges_are_compared_with_the_truth(files, capsys):
    by_model = changed(CONSULTED, ("setup", "roles", "Debater B"), "GPT-4")
    main(["open", *files(a=FINISHED, b=CONSULTED, c=NOBODY, d=by_model), "--evidence"])
    said = capsys.readouterr().out
    assert "4 read, 3 of them replayed." in said
    rows = [" ".join(line.split()) for line in said.splitlines()]
    argued, consultancy = "Debate (Michael et al.)", "Consultancy (Michael et al.)"
    right = "right, judged"
    assert f"{argued} people {right} during 100.0% 20.7% to 100.0% 1" in rows
    assert f"{argued} people {right} afterwards 0.0% 0.0% to 79.3% 1" in rows
    # Who argued is told apart.
    assert f"{consultancy} people {right} during 0.0% 0.0% to 79.3% 1" in rows
    assert f"{consultancy} GPT-4 {right} during 0.0% 0.0% to 79.3% 1" in rows
    assert any(row.startswith("1 Nobody judged during the debate") for row in rows)
    assert any(row.startswith("Debate (Michael et al.) shows ") for row in rows)


def test_differences_are_listed_by_file(files, capsys):
    main(["open", *files(a=FINISHED, c=NOBODY), "--all"])
    said = capsys.readouterr().out
    assert "c.json: Nobody judged during the debate" in said
    assert "a.json: " not in said


def test_many_kinds_of_differences_are_counted(files, capsys, monkeypatch):
    monkeypatch.setattr(open_command, "FIRST", 0)
    main(["open", *files(c=NOBODY)])
    assert "and 1 others" in capsys.readouterr().out


def test_episodes_are_kept(files, tmp_path, capsys):
    url = f"sqlite:///{tmp_path}/episodes.db"
    main(["open", *files(a=FINISHED, c=NOBODY), "--store", "--database", url])
    assert "1 stored." in capsys.readouterr().out
    with open_storage(url) as storage:
        (kept,) = storage.find(Criteria(tag="of others"))
        assert kept.title == "Bread"


def test_a_database_that_cannot_be_used_is_said(files):
    with pytest.raises(SystemExit, match=r"nip-explorer open: .* 0 were stored before"):
        main(["open", *files(a=FINISHED), "--store", "--database", "oracle://x"])


def test_what_cannot_be_read_is_said_and_the_rest_is_read(files, tmp_path, capsys, monkeypatch):
    (tmp_path / "wrong.json").write_text("{}", "utf-8")
    monkeypatch.setattr(open_command, "MOST_BYTES", 5_000_000)
    (tmp_path / "large.json").write_bytes(b" " * 5_000_001)
    wrong = [str(tmp_path / name) for name in ("wrong.json", "large.json", "missing.json")]
    with pytest.raises(SystemExit, match="1"):
        main(["open", *files(a=FINISHED), *wrong])
    out, err = capsys.readouterr()
    assert "1 read, 1 of them replayed." in out
    assert "large.json: It is larger than 5 MB." in err
    assert "missing.json: " in err
    assert "wrong.json: " in err


def test_very_many_files_are_refused():
    with pytest.raises(SystemExit, match=r"2,001 files; read are 2,000 at once"):
        main(["open", *["x.json"] * 2_001])


def test_rows_of_llm_debate_are_read_with_passages_of_quality(tmp_path, capsys):
    row = transcript(said_by("See <quote>he lied</quote>."), story=None)
    (tmp_path / "rows.csv").write_text(
        table(*[{"transcript": row, "answer_judge": each} for each in "AB"]), "utf-8"
    )
    question = {"question": "Did the baker lie?", "options": ["Yes", "No"], "gold_label": 1}
    line = {"article": STORY, "title": "Bread", "questions": [question]}
    (tmp_path / "quality.jsonl").write_text(text(line), "utf-8")
    rows = str(tmp_path / "rows.csv")
    main(["open", rows])
    assert "2 read, 0 of them replayed." in capsys.readouterr().out
    main(["open", rows, "--passages", str(tmp_path / "quality.jsonl")])
    said = capsys.readouterr().out
    assert "2 read, 2 of them replayed." in said
    assert "Debate (Khan et al.)" in said
    with pytest.raises(SystemExit, match="nip-explorer open: --passages: "):
        main(["open", rows, "--passages", str(tmp_path / "missing.jsonl")])


def test_texts_of_others_are_no_commands_to_the_terminal(files, capsys):
    with pytest.raises(SystemExit):
        main(["open", *files(a=debate(judged(2))), "--all"])
    bad = debate(judged(0.5), {"\x1b[2J\u202e": {}})
    with pytest.raises(SystemExit):
        main(["open", *files(b=bad), "--all"])
    assert "\x1b" not in "".join(capsys.readouterr())


def test_a_log_is_listed_with_its_branches_and_scores(tmp_path, capsys):
    (tmp_path / "a.eval").write_bytes(as_zip(sample()))
    main(["open", str(tmp_path / "a.eval"), "--all"])
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert said[0] == "a.eval: a log of Inspect, harm (lab/large)."
    assert "one 1 5 1 3 harm 0.25; unscored no score (grader_failed)" in said
    assert said[-3:] == [
        "one: main",
        "one: — other, from entry 3",
        "one: — — deeper, from entry 5",
    ]
