"""Tests of command.py: an organiser's commands, and that none of them prints an outside id."""

import pytest

from explorer.cli import COMMANDS
from explorer.participants import StudyDesk
from explorer.participants.command import main
from explorer.storage import open_storage
from tests.explorer.participants.people import EXAMPLE, agreed, to_the_end, with_two_people


@pytest.fixture
def database(tmp_path, monkeypatch):
    address = f"sqlite:///{tmp_path}/people.db"
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", address)
    return address


def test_the_example_is_opened_taken_part_in_and_analysed(database, tmp_path, capsys):
    main(["example"])
    file = tmp_path / "judging.toml"
    file.write_text(capsys.readouterr().out, "utf-8")
    assert file.read_text("utf-8") == EXAMPLE
    main(["open", str(file), "--address", "https://lab.example.org/"])
    link = capsys.readouterr().out.splitlines()[-1]
    assert link.startswith("https://lab.example.org/take_part?study=")
    assert link.endswith("&SESSION_ID={{%SESSION_ID%}}")
    code = link.partition("study=")[2].partition("&")[0]
    with open_storage(database) as storage:
        desk = StudyDesk(storage, code)
        to_the_end(desk, agreed(desk, 1))
        agreed(desk, 2)
    main(["list"])
    main(["progress", code])
    main(["remove", code, "2"])
    main(["table", code])
    main(["table", code, "--file", str(file)])
    main(["export", code, str(tmp_path / "out")])
    main(["close", code])
    main(["list"])
    main(["ids", code, str(tmp_path / "ids.csv")])
    said = capsys.readouterr().out
    assert "SECRET" not in said
    assert "Person 2: removed." in said
    assert "closed" in said
    for each in (tmp_path / "out").iterdir():
        assert b"SECRETPID" not in each.read_bytes()
    assert "SECRETPID1" in (tmp_path / "ids.csv").read_text("utf-8")
    assert (tmp_path / "ids.csv").stat().st_mode & 0o077 == 0
    main(["delete", code, "--yes"])
    main(["list"])
    assert capsys.readouterr().out == "The study is deleted.\n"


def test_a_limit_that_the_file_does_not_give_is_said(database, tmp_path, capsys):
    file = tmp_path / "together.toml"
    file.write_text(with_two_people().replace("round_seconds = 600\n", ""), "utf-8")
    main(["open", str(file)])
    said = capsys.readouterr().out.splitlines()[-1]
    assert "the file has no `round_seconds`: a round takes at most 600 seconds" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["progress", "0" * 16], "There is no such study here"),
        (["open", "nothing.toml"], "nothing.toml"),
    ],
)
def test_a_mistake_is_one_line(database, capsys, words, said):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("nip-explorer people: ")
    assert said in line


def test_nobody_has_an_unknown_number_and_ids_are_never_written_over(database, tmp_path, capsys):
    file = tmp_path / "judging.toml"
    file.write_text(EXAMPLE, "utf-8")
    main(["open", str(file)])
    code = capsys.readouterr().out.partition("study=")[2].partition("&")[0]
    (tmp_path / "ids.csv").write_text("mine", "utf-8")
    (tmp_path / "plain.toml").write_text(
        EXAMPLE.replace('kind = "person"', 'kind = "scripted"').partition("[people]")[0], "utf-8"
    )
    for words, says in (
        (["remove", code, "9"], "Nobody in this study has the number 9"),
        (["ids", code, str(tmp_path / "ids.csv")], "File exists"),
        (["table", code, "--file", str(tmp_path / "plain.toml")], "which has the analysis"),
    ):
        with pytest.raises(SystemExit):
            main(words)
        assert says in capsys.readouterr().err
    assert (tmp_path / "ids.csv").read_text("utf-8") == "mine"


def test_it_is_a_command_of_the_program():
    assert COMMANDS["people"][0] == "explorer.participants.command"
