"""Reading untrusted documents: limited in cost, and as plain data.

Everything from a file, an address or another program is read through here. So each limit is written
once, and a refusal always names the limit. The caller chooses the error to raise.
"""

from __future__ import annotations

from nip_core.documents import schema
from nip_core.documents.csv import read_csv
from nip_core.documents.hashing import canonical, stable_hash
from nip_core.documents.json_text import (
    MODEL_TABLE,
    NOTE,
    TASK_FILE,
    TASK_LINE,
    TRANSCRIPT,
    WRITTEN,
    Limits,
    parse_json,
    plain_copy,
    read_file,
    read_text,
)
from nip_core.documents.positions import Spot, character, find_spots
from nip_core.documents.printable import printable
from nip_core.documents.python_text import python_literal, python_tree
from nip_core.documents.schema import Schema, checked
from nip_core.documents.shapes import (
    MAX_TEXT,
    as_fields,
    as_list,
    as_object,
    first_repeated,
    leaves,
    text_fault,
)
from nip_core.documents.toml_text import parse_toml
from nip_core.errors import show

__all__ = [
    "MAX_TEXT",
    "MODEL_TABLE",
    "NOTE",
    "TASK_FILE",
    "TASK_LINE",
    "TRANSCRIPT",
    "WRITTEN",
    "Limits",
    "Schema",
    "Spot",
    "as_fields",
    "as_list",
    "as_object",
    "canonical",
    "character",
    "checked",
    "find_spots",
    "first_repeated",
    "leaves",
    "parse_json",
    "parse_toml",
    "plain_copy",
    "printable",
    "python_literal",
    "python_tree",
    "read_csv",
    "read_file",
    "read_text",
    "schema",
    "show",
    "stable_hash",
    "text_fault",
]


def __dir__() -> list[str]:
    return __all__
