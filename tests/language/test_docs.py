"""Tests of functions.py and syntax.py. The documentation of the language is right."""

import re
from pathlib import Path

from nip_core.language.functions import FUNCTIONS
from nip_core.language.syntax import WORDS

PAGE = Path(__file__).parents[2] / "docs" / "language.md"


def test_the_page_runs(tmp_path, monkeypatch):
    text = PAGE.read_text("utf-8")
    (tmp_path / "open_debate.toml").write_text(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[0])
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)


def test_the_page_names_every_word_and_function():
    text = PAGE.read_text("utf-8")
    assert [word for word in (*WORDS, *FUNCTIONS) if word not in text] == []
