"""Tests of in_python.py."""

import ast

from nip_core.language import load_specification, python_text
from nip_core.registry import protocol_names, published_names, specification
from tests.depth import each
from tests.hostile_texts import HOSTILE


def imported(text):
    scope = {"__name__": "protocol"}
    exec(compile(text, "protocol.py", "exec"), scope)
    return scope["PROTOCOL"]


@each("name", [*protocol_names(), *published_names()])
def test_it_is_imported_as_the_same_protocol_and_reads_well(name):
    spec = specification(name)
    text = python_text(spec)
    again = imported(text)
    assert again == spec
    assert again.to_dict() == spec.to_dict()
    assert max(map(len, text.splitlines())) <= 100
    assert ast.get_docstring(ast.parse(text)).startswith("A protocol: ")


def test_names_and_texts_may_be_anything():
    for hostile in (*HOSTILE[::3], 'a "b" \\ c"""', "\N{GRINNING FACE} \u2028"):
        document = specification("nip").to_dict()
        document["about"] = f"{hostile} " * 20
        document["seats"]["prover"] = {"title": "\N{GRINNING FACE}"}
        spec = load_specification(document)
        assert imported(python_text(spec)) == spec
