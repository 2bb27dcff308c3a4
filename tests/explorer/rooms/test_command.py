"""What operators do with rooms, on the command line."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from explorer import cli, rooms
from explorer.rooms import opening
from tests.explorer.rooms.people import LEADER, opened, plan, visitor


def test_a_lost_link_is_made_anew_and_a_room_deleted(
    storage, access, tmp_path, capsys, monkeypatch
):
    database = ["--database", f"sqlite:///{tmp_path / 'rooms.db'}"]

    def say(*words):
        cli.main(["rooms", *database, *words])
        return capsys.readouterr().out

    assert say() == say("list") == "There are no rooms.\n"
    code = opened(storage, 2)
    key = rooms.open_room(storage, plan(), LEADER).key
    assert f"{code}  tables  running         2" in say("list")
    link = say("link", f" {code.lower()} ", "--address", "https://school.example/").split()[-1]
    assert link.startswith(f"https://school.example/lead/{code}/")
    rooms.lead(access(code, visitor(9)), link.rsplit("/", 1)[1])
    assert rooms.load_room(access(code)).leads(visitor(9))
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert say("delete", code) == "Nothing was deleted.\n"
    assert say("delete", code, "--yes") == f"Room {code} is deleted.\n"
    assert say("purge") == "No room is overdue.\n"
    with pytest.raises(SystemExit):
        say("link", code)
    assert "There is no room with the code" in capsys.readouterr().err
    assert key not in repr(storage.rooms.listed())


def test_options_may_come_before_the_command_before_the_act_or_after_both(
    storage, tmp_path, capsys, monkeypatch
):
    url = f"sqlite:///{tmp_path / 'rooms.db'}"
    file = tmp_path / "url"
    file.write_text(url)
    code = opened(storage, 1)
    for named in (["--database", url], [f"--database={url}"], ["--database-file", str(file)]):
        for words in (
            [*named, "rooms", "link", code],
            ["rooms", *named, "link", code],
            ["rooms", "link", *named, code],
            ["rooms", "link", code, *named],
        ):
            cli.main(words)
            assert code in capsys.readouterr().out, words
    cli.main(["rooms", "delete", code, "--database", url, "--yes"])
    assert "is deleted" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.main(["rooms", "--database", url, "list", "--database-file", str(file)])
    assert "exclude each other" in capsys.readouterr().err


def test_a_link_names_the_server_that_was_started_last(storage, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("NIP_EXPLORER_ADDRESS", raising=False)
    database = ["--database", f"sqlite:///{tmp_path / 'rooms.db'}"]
    code = opened(storage, 1)

    def link(*words):
        cli.main(["rooms", "link", code, *database, *words])
        return capsys.readouterr().out

    assert "http://localhost:8501/lead/" in link()
    assert "--address" in link()
    for address in ("http://localhost:8600", "http://192.0.2.7:8700", "http://localhost:8600"):
        storage.presence.serve_at(address)
        assert f"\n{address}/lead/{code}/" in link()
    assert "\nhttps://school.example/lead/" in link("--url", "https://school.example/")
    monkeypatch.setenv("NIP_EXPLORER_ADDRESS", "https://a.example")
    assert "\nhttps://a.example/lead/" in link()


def test_the_password_is_read_from_a_file(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv(opening.PASSWORD, "of the environment")
    monkeypatch.setenv(opening.PASSWORD_FILE, "")  # is reset after the test
    file = tmp_path / "password"
    for content in (None, "", "short", "\xff" * 2_000):
        if content is not None:
            file.write_text(content, encoding="utf-8")
        with pytest.raises(SystemExit):
            cli.main(["--rooms-password-file", str(file)])
        error = capsys.readouterr().err
        assert "password" in error
        assert not content or content not in error
    file.write_text("correct horse\r\n", encoding="utf-8")
    cli.choose_password(file)
    assert rooms.who_may_open() == "password"
    rooms.check_may_open("correct horse")


def test_the_operator_says_for_how_long_rooms_are_kept_at_most(
    storage, access, capsys, monkeypatch
):
    monkeypatch.setenv(opening.DAYS, "")  # is reset after the test
    for wrong in ("0", "367", "-1", "a week", "1.5"):
        with pytest.raises(SystemExit):
            cli.main(["--rooms-days", wrong])
        assert "number of days, from 1 to 366" in capsys.readouterr().err
    cli.choose_days("7", None)
    assert opening.most_days() == 7
    days = {}
    for wanted in (3, 30):
        code = rooms.open_room(storage, replace(plan(), keep_days=wanted), LEADER).code
        room = rooms.load_room(access(code))
        kept = datetime.fromisoformat(room.expires) - datetime.now(UTC)
        days[wanted] = round(kept / timedelta(days=1))
    assert days == {3: 3, 30: 7}
