"""Protocols of either version from untrusted documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from nip_core.budget import for_document
from nip_core.documents import plain_copy
from nip_core.errors import SpecError
from nip_core.language.document import SPECIFICATION, load, parsed
from nip_core.language.specification import Specification
from nip_core.language.version1 import from_version_1
from nip_core.spec import ProtocolSpec

__all__ = ["load_specification"]

VERSION_1 = "nip-protocol/1"


def load_specification(
    document: object, settings: Mapping[str, object] | None = None
) -> Specification:
    """Return a protocol of either version, as one of version 2.

    Parameters
    ----------
    document : mapping, str or bytes
        A plain document, or a text that is JSON (if it begins with a brace) or TOML.
    settings : mapping of str to number, optional
        Values that replace the document's own; version 1 has none.

    Raises
    ------
    SpecError
        If it is invalid; names the place and what is allowed there.
    UnsupportedError
        For a zero-knowledge variant of version 1.
    """
    text = ""
    if isinstance(document, str | bytes):
        content, text = parsed(document)
    else:
        content = plain_copy(document, SPECIFICATION, SpecError, "The document")
    if not isinstance(content, Mapping):
        raise SpecError("The document must be an object.")
    top = cast("Mapping[str, Any]", content)
    # Version 1 may omit its format. It is recognised by keys that version 2 does not have.
    if top.get("format", VERSION_1 if "agents" in top else None) != VERSION_1:
        return load(top, Specification, settings, text)
    if settings:
        raise SpecError("A document of version 1 has no settings: leave them out.")
    with for_document():
        return from_version_1(ProtocolSpec.from_dict(top))
