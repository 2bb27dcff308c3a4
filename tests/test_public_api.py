"""The promised names: each is in a stored list with its signature, and means one thing.

`NIP_RENEW=1 pytest tests/test_public_api.py` writes the list; a change of it is a change for users.
"""

import inspect
import os
from importlib import import_module
from pathlib import Path

PROMISED = (
    "nip_core",
    "nip_core.language",
    "nip_core.values",
    "nip_core.transcript",
    "explorer.notebook",
    "explorer.studies",
)
LISTED = Path(__file__).with_name("public_api.txt")


def names_of(module):
    """Return the names of a module, with what they mean."""
    return {name: getattr(module, name) for name in module.__all__}


def said(name, found):
    """Return a line about a name."""
    if not callable(found):
        return f"{name}: {type(found).__name__}"
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        return name
    plain = [
        each.replace(annotation=each.empty, default=shown(each.default))
        for each in signature.parameters.values()
    ]
    return f"{name}{inspect.Signature(plain)}"


class Something:
    """A default that is neither a number nor a text."""

    def __repr__(self):
        return "..."


def shown(default):
    """Return what stands for a default."""
    simple = default is inspect.Parameter.empty or isinstance(default, int | float | str | None)
    return default if simple else Something()


def test_the_promised_names_are_those_of_the_list():
    lines = []
    for module in PROMISED:
        lines += [
            f"# {module}",
            *(said(*each) for each in sorted(names_of(import_module(module)).items())),
            "",
        ]
    text = "\n".join(lines)
    if os.environ.get("NIP_RENEW"):
        LISTED.write_text(text, "utf-8")
    assert LISTED.read_text("utf-8") == text


def test_a_name_means_one_thing():
    meanings = {}
    for module in PROMISED:
        for name, found in names_of(import_module(module)).items():
            meanings.setdefault(name, []).append(found)
    two = [name for name, found in meanings.items() if any(each is not found[0] for each in found)]
    assert two == []
