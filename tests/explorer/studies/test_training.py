"""Every protocol as an environment of verifiers, in an environment of its own.

verifiers needs an older client of OpenAI than the other tests, so it cannot be beside them.
"""

import json
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from nip_core.registry import protocol_names, published_names
from nip_core.transcript import read_training_record
from tests.depth import exhaustive

ROOT = Path(__file__).parents[3]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Install the extra beside the packages of the tests, of which it replaces some."""
    place = tmp_path_factory.mktemp("training")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    found = place / "bin" / "python"
    (packages,) = place.glob("lib/python*/site-packages")
    others = next(Path(each) for each in sys.path if each.endswith("site-packages"))
    (packages / "others.pth").write_text(f"{others}\n", "utf-8")
    pip = [sys.executable, "-m", "pip", "--python", found, "install", "--quiet", "--no-compile"]
    done = subprocess.run([*pip, *EXTRAS["training"]], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"verifiers could not be installed: {done.stderr[-500:]}")
    return found


def driven(python, *arguments):
    """Run the driver, and return the documents that it has printed."""
    done = subprocess.run(
        [python, "-P", ROOT / "tests" / "drive_training.py", *arguments],
        # verifiers keeps a folder in the home.
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(python.parent),
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@exhaustive
def test_models_play_whole_episodes_of_every_protocol(python):
    found = driven(python)
    assert [each["protocol"] for each in found] == [*protocol_names(), *published_names()]
    assert {each["protocol"]: each["problems"] for each in found if each["problems"]} == {}
    for each in found:
        assert len(each["records"]) == 2
        for record in each["records"]:
            read = read_training_record(record)
            assert read.episode.over
            assert read.differences == ()


@exhaustive
def test_what_is_special_about_an_environment(python):
    ((refused, never, scripted, stopped),) = driven(python, "--special")
    for words, said in zip(
        ("no seat or role nobody to freeze", "All seats are scripts; at least", "field of its own"),
        refused,
        strict=True,
    ):
        assert words in said
    # A model that never answers with a move: random moves are played, counted, and paid.
    assert never["problems"] == []
    for record, stood_in in zip(never["records"], never["stood_in"], strict=True):
        path = read_training_record(record).episode.path()
        assert stood_in == Counter(seat for node in path for seat in node.moves)
    # A scripted seat is no agent.
    assert scripted["problems"] == []
    assert scripted["agents"] == ["prover"]
    # An agent that has reached its limit is not asked again.
    assert stopped["problems"] == []
    assert sum(counts["verifier"] for counts in stopped["stood_in"]) > 0
