"""Tests of protocol_files.py: the command that checks and formats files of protocols."""

import json

import pytest

from explorer.pictures import protocol_files
from nip_core.language import load_specification, schema
from nip_core.registry import published_document
from tests.language.newcomer import SMALL


@pytest.fixture
def run(capsys):
    """Run the command; return its exit status and what it prints."""

    def run_it(*arguments):
        with pytest.raises(SystemExit) as end:
            protocol_files.main([*map(str, arguments)])
        said = capsys.readouterr()
        return end.value.code, said.out + said.err

    return run_it


def test_all_mistakes_are_listed_with_their_places(run, tmp_path):
    right, wrong = tmp_path / "right.toml", tmp_path / "wrong.toml"
    right.write_text(SMALL)
    wrong.write_text(
        SMALL.replace("verdict = truth and", "verdict == truth and").replace("50", "z")
    )
    status, said = run("check", right)
    assert (status, f"{right}: no mistakes." in said) == (0, True)
    wrong.write_text(SMALL.replace("verdict = truth", "verdict == truth").replace("> 90", "> zz"))
    status, said = run("check", right, wrong)
    assert (status, f"{wrong}: no mistakes." in said) == (1, False)
    lines = [line for line in said.split("\n") if line.startswith(f"{wrong}:")]
    assert len(lines) == 2
    assert lines[0].startswith(f"{wrong}:30:")
    assert "stage 'talk', turn 2, then, end: " in lines[0]
    assert "Equal is `=`." in lines[1]
    status, said = run("check", tmp_path / "none.toml")
    assert (status, "cannot be read" in said) == (1, True)


def test_remarks_are_listed_too(run, tmp_path):
    file = tmp_path / "remarked.toml"
    file.write_text(SMALL.replace('choose = ["verdict", "mood"]', 'choose = "verdict"'))
    status, said = run("check", file)
    assert status == 0
    assert f"{file}: warning: choice 'mood': " in said


def test_files_are_formatted(run, tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace('name = "', 'name="'))
    assert run("fmt", "--check", file) == (1, f"{file} would be changed.\n")
    assert run("fmt", file) == (0, f"{file} written.\n")
    assert file.read_text().startswith('name = "small"')
    assert load_specification(file.read_text()) == load_specification(SMALL)
    assert run("fmt", file) == (0, "")
    assert run("fmt", "--check", file) == (0, "")
    file.write_text(SMALL.replace("[seats]", "[seat]"))
    status, said = run("fmt", file)
    assert (status, "Did you mean 'seats'?" in said) == (1, True)
    assert "[seat]" in file.read_text()


def test_json_becomes_toml(run, tmp_path):
    file, new = tmp_path / "small.json", tmp_path / "small.toml"
    file.write_text(json.dumps(load_specification(SMALL).to_dict()))
    status, said = run("fmt", file)
    assert (status, "name a file with -o" in said) == (1, True)
    assert run("fmt", file, "-o", new)[0] == 0
    assert load_specification(new.read_text()) == load_specification(SMALL)
    status, said = run("fmt", file, new, "-o", new)
    assert (status, "-o is for one file" in said) == (2, True)


def test_the_schema_is_printed(run):
    status, said = run("schema")
    assert (status, json.loads(said)) == (0, schema())


# -- worth -----------------------------------------------------------------------------------------


def test_the_card_of_a_protocol_is_printed(run):
    said = run("worth", "open_consultancy", "--own", "0.5")[1]
    assert "\nMost that one expert gains by another plan\n" in said
    assert "sceptical judge: gain of the consultant: 0.280" in said


def test_the_card_of_a_file_is_printed_as_data(run, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(published_document("khan_debate"))
    status, said = run("worth", str(file), "--json", "--seconds", "5")
    found = json.loads(said)
    assert (status, found["protocol"], len(found["lines"])) == (0, "khan_debate", 8)


def test_what_has_no_card_says_why(run):
    assert run("worth", "nothing.toml")[0] == 1
    assert run("worth", "khan_debate", "--own", "2")[0] == 1
