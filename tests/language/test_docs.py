"""Tests of functions.py and syntax.py. The documentation of the language is right."""

import re
import tomllib
from pathlib import Path

from nip_core.language import load_specification
from nip_core.language.functions import FUNCTIONS
from nip_core.language.syntax import WORDS

DOCS = Path(__file__).parents[2] / "docs"
# The blocks of the second page continue those of the first.
TEXT = "\n".join(
    (DOCS / page).read_text("utf-8")
    for page in ("howto/write-a-protocol.md", "reference/language.md")
)
# The first blocks of TOML build up a file, which is the next one.
STEPS = 5


def blocks(kind):
    """Return the blocks of code of one kind on the two pages."""
    return re.findall(rf"```{kind}\n(.*?)```", TEXT, re.DOTALL)


def test_the_pages_run(tmp_path, monkeypatch):
    (tmp_path / "open_debate.toml").write_text(blocks("toml")[STEPS])
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks("python"):
        exec(block, names)


def with_step(document, step):
    """Return a document with what a step adds: entries, stages by their name, and pay."""
    document = dict(document)
    for key, value in step.items():
        if key == "stages":
            stages = {stage["name"]: stage for stage in document.get(key, [])}
            new = [stage for stage in value if stage["name"] not in stages]
            changed = {stage["name"]: stages.get(stage["name"], {}) | stage for stage in value}
            document[key] = [*new, *(changed.get(name, old) for name, old in stages.items())]
        elif isinstance(value, list):
            document[key] = [*document.get(key, []), *value]
        elif isinstance(value, dict):
            document[key] = document.get(key, {}) | value
        else:
            document[key] = value
    return document


def test_the_steps_make_the_whole_file():
    *steps, whole = map(tomllib.loads, blocks("toml")[: STEPS + 1])
    document = {}
    for number, step in enumerate(steps, start=1):
        document = with_step(document, step)
        spec = load_specification(document)
        warnings = [remark for remark in spec.lint() if remark.tone == "warning"]
        assert warnings == [], number
    # The order in which things are declared differs.
    assert document == whole


def test_the_pages_name_every_word_and_function():
    assert [word for word in (*WORDS, *FUNCTIONS) if word not in TEXT] == []
