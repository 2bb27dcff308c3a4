"""The protocols beside this file, and those of version 1."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from nip_core import protocol_names, protocol_spec
from nip_core.language import Specification, from_version_1

FOLDER = Path(__file__).parent / "protocols"
PUBLISHED = sorted(path.stem for path in FOLDER.glob("*.toml"))
VERSION_1 = protocol_names()


@cache
def published(name, **settings):
    return Specification.from_toml((FOLDER / f"{name}.toml").read_text("utf-8"), settings)


@cache
def converted(name, **options):
    return from_version_1(protocol_spec(name), **options)


def everything():
    """All of them, by name; those of version 1 with their version."""
    yield from ((name, published(name)) for name in PUBLISHED)
    yield from ((f"{name} (version 1)", converted(name)) for name in VERSION_1)
