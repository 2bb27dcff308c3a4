"""The protocols in the folder beside this file, and those of version 1."""

import copy
from functools import cache
from pathlib import Path

import nip_core
from nip_core import protocol_names, protocol_spec, published_names
from nip_core.language import Specification, from_version_1

OURS = Path(nip_core.__file__).parent / "language" / "protocols"
BESIDE = Path(__file__).parent / "protocols"
PATHS = {path.stem: path for folder in (OURS, BESIDE) for path in folder.glob("*.toml")}
PUBLISHED = sorted(PATHS)
# The same as a published one, in another way of writing.
PATHS |= {path.stem: path for path in (Path(__file__).parent / "by_hand").glob("*.toml")}
assert published_names() == tuple(sorted(path.stem for path in OURS.glob("*.toml")))
VERSION_1 = protocol_names()
# Written as by people who have only read the documentation: everything that others get wrong.
STRANGERS = sorted(path.stem for path in BESIDE.glob("*.toml") if path.stem not in VERSION_1)


@cache
def published(name, **settings):
    return Specification.from_toml(PATHS[name].read_text("utf-8"), settings)


@cache
def must_write(name, **settings):
    """Return a published protocol in which a seat may not leave its message out."""
    return Specification.from_toml(
        PATHS[name].read_text("utf-8").replace("may_say", "say"), settings
    )


@cache
def converted(name, **options):
    return from_version_1(protocol_spec(name), **options)


def everything():
    """Return all protocols by name; those of version 1 with their version."""
    yield from ((name, published(name)) for name in PUBLISHED)
    yield from ((f"{name} (version 1)", converted(name)) for name in VERSION_1)


def with_change(name, *path, to):
    """Return the document of a protocol with one place changed."""
    document = here = copy.deepcopy(published(name).to_dict())
    for key in path[:-1]:
        here = here.setdefault(key, {}) if isinstance(here, dict) else here[key]
    here[path[-1]] = to
    return document


def in_full(spec):
    """Return the document of a protocol in which families are written out."""
    return spec.replace().to_dict()
