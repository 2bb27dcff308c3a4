"""Values as the Python that makes them, for what pages show of themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from nip_core.parameters import HyperParameters

__all__ = ["parameters_python"]


def parameters_python(parameters: HyperParameters) -> str:
    """The parameters as Python, without what is left at its default."""
    plain, arguments = HyperParameters().to_dict(), dict[str, Any]()
    for name, value in parameters.to_dict().items():
        if isinstance(value, dict):
            given = cast("dict[str, Any]", value)
            own = {key: item for key, item in given.items() if item != plain[name][key]}
            if own:
                arguments[name] = own
        elif value != plain[name] or name == "interaction_protocol":
            arguments[name] = value
    written = [f"{name}={_literal(value)}" for name, value in arguments.items()]
    if len(written) == 1:
        return f"HyperParameters({written[0]})"
    inside = "".join(f"\n        {argument}," for argument in written)
    return f"\n    HyperParameters({inside}\n    )\n"


def _literal(value: Any) -> str:
    """A value as Python, with double quotes."""
    if isinstance(value, Mapping):
        given = cast("Mapping[Any, Any]", value)
        items = (f"{_literal(key)}: {_literal(item)}" for key, item in given.items())
        return "{" + ", ".join(items) + "}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
