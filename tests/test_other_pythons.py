"""Which Pythons `make pythons` tries, and what it says about those that are not there."""

import sys

from tests import other_pythons
from tests.other_pythons import interpreter, main, versions

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


def test_this_python_is_one_of_those_that_the_package_is_for():
    assert HERE in versions()
    assert interpreter(HERE)
    assert interpreter("2.0") is None


def test_each_version_is_tried_or_named(monkeypatch, capsys):
    monkeypatch.setattr(other_pythons, "versions", lambda: [HERE, "2.0"])
    assert main(lambda program, folder: folder.is_dir()) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"Python {HERE}: works",
        "Python 2.0: not tried, because this machine does not have it",
    ]
    assert main(lambda program, folder: False) == 1
    assert f"Python {HERE}: FAILED" in capsys.readouterr().out
