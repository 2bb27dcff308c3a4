"""The skills for coding agents: their files, programs and commands work as they stand there."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.depth import each, exhaustive

ROOT = Path(__file__).parents[2]
SKILLS = sorted((ROOT / "explorer" / ".agents" / "skills").glob("*/SKILL.md"))
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(path: Path, kind: str) -> list[str]:
    return [text for language, text in BLOCK.findall(path.read_text("utf-8")) if language == kind]


@each("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_is_named_and_ends_with_a_check(path):
    text = path.read_text("utf-8")
    head = re.match(r"---\nname: (.*)\ndescription: (.*)\n---\n# ", text)
    assert head
    assert head[1] == path.parent.name
    assert "Use when" in head[2]
    end = text.rpartition("You are done when")[2]
    assert BLOCK.search(end)
    assert len(text) < 6_000


def test_there_are_four():
    assert len(SKILLS) == 4


@exhaustive
@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_works(path, tmp_path):
    for text in blocks(path, "toml"):
        name = re.match(r"# (\S+\.toml)\n", text)[1]
        tomllib.loads(text)
        (tmp_path / name).write_text(text)
    around = {**os.environ, "PYTHONPATH": str(ROOT)}
    programs = blocks(path, "python")
    commands = [[sys.executable, "-c", "\n".join(programs)]] if programs else []
    for line in "".join(blocks(path, "sh")).splitlines():
        words = shlex.split(line)
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            around[name] = value
        start = [sys.executable] if words[0] == "python" else [sys.executable, "-m", "explorer"]
        commands.append([*start, *words[1:]])
    for command in commands:
        done = subprocess.run(
            command, cwd=tmp_path, env=around, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert "warning" not in done.stdout.lower()
