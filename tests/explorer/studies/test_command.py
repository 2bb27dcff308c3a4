"""Tests of command.py, reading_command.py and tables.py.

The command as people call it: `nip-explorer study ...`.
"""

import io
import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from explorer.cli import main
from explorer.storage import DatabaseUnavailableError
from explorer.storage import storage as storage_module
from explorer.studies import Progress, Record, Usage, read_study, run_study
from explorer.studies.exports import latex_table, rows_frame, written
from explorer.studies.statistics import summarize
from explorer.studies.terminal import ProgressBar, table
from tests.depth import each, exhaustive
from tests.explorer.studies.files import SMALL, with_lines
from tests.explorer.studies.rows import row
from tests.explorer.studies.test_record import Here


def say(capsys, *words) -> str:
    main(["study", *map(str, words)])
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A study's file, with its record beside it."""
    folder = tmp_path_factory.mktemp("study")
    file = folder / "small.toml"
    file.write_text(with_lines("[budget]", "minutes = 50"))
    run_study(read_study(file.read_text()), Record(file.with_suffix("")), executor=Here)
    return file


@exhaustive
def test_processes_give_the_same_bit_for_bit(played, tmp_path):
    main(["study", str(played), "--workers", "2", "--quiet", "--to", str(tmp_path / "two")])
    assert Record(tmp_path / "two").results() == Record(played.with_suffix("")).results()


def test_from_the_file_to_tables_and_exports(played, tmp_path, capsys):
    record = played.with_suffix("")
    assert "16 of 16 done" in say(capsys, played)
    printed = say(capsys, "check", played)
    assert "4 conditions, 4 tasks, 16 episodes, of which 16 are finished" in printed
    printed = say(capsys, "show", record)
    assert printed.splitlines()[2].startswith("nip, gullible, hard")
    assert "16 episodes; 0 failed" in printed
    assert say(capsys, "show", record, "--by", "difficulty,y", "--measures", "rounds")
    printed = say(capsys, "compare", record, "nip, gullible, hard", "debate, gullible, hard")
    assert "4 pairs about 4 problems" in printed
    assert "McNemar" in printed
    assert "Small is good" in say(capsys, "define", "soundness_error")
    assert json.loads(say(capsys, "schema"))["$id"] == "nip-study/1"
    for name, read in (("a.csv", pd.read_csv), ("a.parquet", pd.read_parquet)):
        say(capsys, "export", record, "-o", tmp_path / name)
        frame = read(tmp_path / name)
        assert len(frame) == 16
        assert {"verdict", "reward_verifier", "seat_prover0"} <= set(frame.columns)
        say(capsys, "export", record, "-o", tmp_path / name, "--by", "protocol")
        assert "standard_error" in read(tmp_path / name).columns
    say(capsys, "export", record, "-o", tmp_path / "a.tex")
    text = (tmp_path / "a.tex").read_text()
    assert r"nip, gullible, hard & 50\% [" in text
    assert sum(row.endswith(r"\\") for row in text.splitlines()) == 5


def test_episodes_go_into_a_database_which_may_die(played, tmp_path, capsys, monkeypatch):
    record = Record(played.with_suffix(""))
    url, count = f"sqlite:///{tmp_path}/a.db", []
    real = storage_module.Storage.import_all

    def dies(self, file):
        count.append(1)
        if len(count) == 6:
            raise DatabaseUnavailableError("The database does not answer.")
        return real(self, file)

    monkeypatch.setattr(storage_module.Storage, "import_all", dies)
    with pytest.raises(SystemExit):
        main(["study", "store", str(record.folder), "--database", url])
    assert "does not answer. The results are still" in capsys.readouterr().err
    monkeypatch.undo()
    printed = say(capsys, "store", record.folder, "--database", url)
    assert printed == "16 episodes: 11 stored, 5 were there already.\n"
    with storage_module.open_storage(url) as storage:
        for result in record.results():
            stored = storage.load(result.key)
            assert stored.episode.events == record.episode(result.key).events


def test_a_name_becomes_no_formula_and_no_latex():
    rows = [row(condition="=1+1"), row(condition=r"\input{x} 50% & _$#~^{}")]
    assert b"'=1+1" in written(rows_frame(rows), ".csv")
    text = latex_table(summarize(rows, measures=("accuracy",)), ("condition",), "A_b")
    assert r"\textbackslash{}input\{x\} 50\% \& \_\$\#\textasciitilde{}" in text
    assert r"\caption{A\_b}" in text
    # As narrow as a column of a paper.
    assert r"& 100\% [21, 100] \\" in text
    (heads,) = latex_table(summarize(rows, measures=("accepts_false",)), ()).splitlines()[7:8]
    assert r"\shortstack[r]{Soundness error\\(these provers)}" in heads


def test_check_says_what_models_would_take_before_anything_is_asked(tmp_path, capsys):
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    text = with_lines(
        "[[conditions]]", 'protocols = ["nip"]', 'verifiers = "gpt"', 'provers = "gpt"'
    )
    text = text.replace("openai/some", "mockllm/model")
    file = tmp_path / "a.toml"
    file.write_text(text)
    printed = say(capsys, "check", file)
    (line,) = (line for line in printed.splitlines() if line.startswith("nip, gpt, gpt"))
    assert "inspect" in line
    # Four episodes; the verifier decides at once, or in the last of its four turns.
    assert " 4 to 28 " in line
    assert "money 0.0" in printed
    file.write_text(text.replace("prices = { input = 1, output = 2 }", ""))
    assert "no prices" in say(capsys, "check", file)
    # What Inspect would refuse is refused now, with its place; also by a run before it begins.
    for instead, words in (
        ('"mockllm/model"\nsettings = { temprature = 1 }', ["settings", "'temperature'"]),
        ('"mockllm/model"\nsettings = { max_tokens = true }', ["settings.max_tokens", "integer"]),
        ('"mockllm/model"\nsettings = { max_tokens = -5 }', ["settings.max_tokens", "from 1 on"]),
        ('"mockllm/model"\nsettings = { temperature = "hot" }', ["settings.temperature", "number"]),
        ('"openia/model"', ["players.gpt.model", "no provider 'openia'"]),
    ):
        file.write_text(text.replace('"mockllm/model"', instead))
        for asked in (["check", file], [file]):
            with pytest.raises(SystemExit):
                main(["study", *map(str, asked)])
            printed = "".join(capsys.readouterr())
            assert all(word in printed for word in words), printed
    assert not (tmp_path / "a").exists()


def test_plans(played, capsys):
    assert say(capsys, "plan", "--rates", "0.5", "0.7", "--unpaired").startswith("Play 93 ")
    with pytest.raises(SystemExit):
        main(["study", "plan", "--rates", "0.5", "0.5"])
    assert "the same" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["study", "plan", "--pilot", str(played.with_suffix("")), "nip, coin, hard", "x"])
    assert "no condition 'x'" in capsys.readouterr().err


@each(
    ("words", "message"),
    [
        (["nowhere.toml"], "nowhere.toml cannot be read"),
        (["show", "nowhere"], "There is no folder nowhere"),
        (["export", "nowhere", "-o", "a.xls"], "must end in one of"),
        (["define", "nothing"], "There is no number 'nothing'"),
        (["compare", "{record}", "a", "b"], "There is no condition 'a'"),
        (["compare", "{record}", "nip, coin, hard", "nip, coin, hard", "--measure", "x"], "'x'"),
        (["{file}", "--workers", "0"], "from 1"),
        (["{file}", "--to", "{folder}"], "holds something else"),
    ],
)
def test_an_error_is_printed_in_a_line(played, capsys, words, message):
    places = {"file": played, "record": played.with_suffix(""), "folder": played.parent}
    with pytest.raises(SystemExit) as ended:
        main(["study", *(word.format(**places) for word in words)])
    assert ended.value.code == 1
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


@exhaustive
def test_a_killed_run_repeats_nothing_that_was_finished(tmp_path):
    file = tmp_path / "long.toml"
    file.write_text(SMALL.replace("seed = 3", "seed = 3\nepochs = 400"))
    command = [sys.executable, "-m", "explorer", "study", str(file), "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    record, results = Record(tmp_path / "long"), tmp_path / "long" / "results.jsonl"
    try:
        while not results.exists() or results.read_bytes().count(b"\n") < 8:
            assert process.poll() is None
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    before = results.read_bytes()
    before = before[: before.rindex(b"\n") + 1]
    done = {each.key for each in record.results()}
    assert 8 <= len(done) < 6400
    # Continued, and stopped by hand as at a terminal: the rest is left.
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while results.read_bytes().count(b"\n") < len(done) + 8:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    assert process.returncode == 1
    assert "stopped by hand" in out
    rows = record.results()
    assert results.read_bytes().startswith(before)
    assert len({each.key for each in rows}) == len(rows) > len(done)
    assert all(record.episode(each.key).over for each in rows[:2])
    assert os.path.getsize(tmp_path / "long" / "transcripts.jsonl.gz") > 0


def test_the_bar_shows_done_failed_spent_and_what_is_left():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen, seen = Terminal(), []
    progress = Progress(10, 2, 8, watch=seen.append)
    progress.spend(Usage(3, 1000, 200, 0.25))
    progress.done(1)
    progress.failed()
    bar = ProgressBar(screen)
    bar.show(seen[-1])
    bar.close()
    printed = screen.getvalue()
    for words in (
        "3 of 10 done",
        "1 failed",
        "3 calls, 1,200 tokens",
        "spent 0.25",
        "left",
        "[####",
    ):
        assert words in printed
    # In a file, nothing is said twice.
    bar = ProgressBar(plain := io.StringIO())
    for stage in (*seen, seen[-1]):
        bar.show(stage)
    lines = plain.getvalue().splitlines()
    assert lines == list(dict.fromkeys(lines))
    # Names come from strangers: only their letters reach the terminal.
    assert "\x1b" not in table(["a"], [["\x1b[2J"]])
    assert row().verdict == "right"
