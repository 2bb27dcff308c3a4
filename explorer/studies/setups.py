"""The protocol of a condition as something that can be played."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from explorer.studies.study import ProtocolChoice
from nip_core.documents import canonical
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.registry import build_protocol_handler
from nip_core.spec import ProtocolSpec
from nip_core.text import CodeValidationProtocolHandler, text_layer

__all__ = ["digest_of", "handler_of", "orders_group", "spec_of"]

SCENARIO = "code_validation"


def spec_of(choice: ProtocolChoice) -> ProtocolSpec:
    """The protocol as data."""
    return handler_of(choice).spec


def orders_group(choice: ProtocolChoice) -> str | None:
    """The group of parameters that says which prover speaks first, if it matters."""
    group = f"{choice.protocol}_protocol"
    known = HyperParameters(interaction_protocol=choice.protocol, **choice.parameters).to_dict()
    parameters: dict[str, Any] = known.get(group, {}) if choice.protocol else {}
    return group if "prover0_first" in parameters and parameters.get("sequential") else None


def handler_of(
    choice: ProtocolChoice, *, draws_side: bool = False, prover0_first: bool | None = None
) -> CodeValidationProtocolHandler:
    """The protocol with its text layer.

    Parameters
    ----------
    choice : ProtocolChoice
    draws_side : bool
        Is the provers' side to be chosen, though the protocol has one?
    prover0_first : bool, optional
        Who of two provers who take turns speaks first; as the parameters say if it is left out.
    """
    parameters: dict[str, Any] = dict(choice.parameters)
    if draws_side:
        common: Mapping[str, Any] = parameters.get("protocol_common", {})
        parameters["protocol_common"] = {**common, "randomize_prover_stance": True}
    if prover0_first is not None:
        group = f"{choice.protocol}_protocol"
        parameters[group] = {**parameters.get(group, {}), "prover0_first": prover0_first}
    return _handler(choice.protocol, canonical(parameters), canonical(choice.document))


@lru_cache(64)
def _handler(protocol: str, parameters: str, document: str) -> CodeValidationProtocolHandler:
    groups, specification = json.loads(parameters), json.loads(document)
    settings = ExperimentSettings()
    if specification is not None:
        # Parameters that are no part of a specification: whether sides are drawn, for example.
        spec = ProtocolSpec.from_dict(specification)
        return type(text_layer(spec))(HyperParameters(SCENARIO, **groups), settings, spec)
    settled = HyperParameters(SCENARIO, interaction_protocol=protocol, **groups)
    return text_layer(build_protocol_handler(settled, settings))


@lru_cache(64)
def digest_of(handler: CodeValidationProtocolHandler) -> str:
    """A digest of everything that the protocol's rules and prompts are made from."""
    document = [handler.spec.to_dict(), handler.hyper_params.to_dict()]
    return sha256(canonical(document).encode()).hexdigest()
