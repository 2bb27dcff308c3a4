"""Every control that a message about models names is on the page, with that name."""

import ast
import re
from pathlib import Path

from tests.explorer.ui.play.test_page import opened
from tests.sources import nodes

PLAYERS = Path(__file__).parents[2] / "explorer" / "players"
NAMED = re.compile(r"“([A-Z][^”{]+)”")


def named_in_messages():
    texts = (
        node.value
        for path in PLAYERS.rglob("*.py")
        for node in nodes(path.read_text("utf-8"))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return {name for text in texts for name in NAMED.findall(text)}


def test_named_controls_are_on_the_page():
    app = opened(**{"protocol": "nip", "sits.prover": "llm"})
    assert not app.exception
    kinds = ("selectbox", "text_input", "number_input", "text_area", "toggle", "button", "expander")
    labels = [element.label for kind in kinds for element in app.get(kind)]
    named = named_in_messages()
    assert {"Key", "Time for a move", "Longest silence", "Tokens for the whole episode"} <= named
    for name in named:
        assert any(label.startswith(name) for label in labels), (name, labels)
