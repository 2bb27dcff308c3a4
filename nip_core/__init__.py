"""Interactive-proof protocols, exactly.

All names are loaded on first use, so that ``import nip_core`` is cheap; torch is loaded only by
what returns tensors.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# The module of each public name.
_HOME = {
    "nip_core._version": ("__version__",),
    "nip_core.code_validation": (
        "AdpCodeValidationProtocol",
        "CodeValidationAgentSpec",
        "CodeValidationProtocolHandler",
        "DebateCodeValidationProtocol",
        "MerlinArthurCodeValidationProtocol",
        "MnipCodeValidationProtocol",
        "NipCodeValidationProtocol",
        "SoloVerifierCodeValidationProtocol",
        "text_layer",
    ),
    "nip_core.nested_array_dict": ("NestedArrayDict",),
    "nip_core.parameters": (
        "DebateParameters",
        "ExperimentSettings",
        "HyperParameters",
        "MnipParameters",
        "NipParameters",
        "ParameterGroup",
        "ProtocolCommonParameters",
        "RoundParameters",
        "SpgParameters",
        "TwoProverParameters",
        "ZkParameters",
        "parameter",
        "parameter_group",
        "register_parameter_group",
    ),
    "nip_core.play": ("Episode", "Move", "View"),
    "nip_core.protocols": (
        "AdpProtocol",
        "DebateProtocol",
        "DeterministicSingleVerifierProtocolHandler",
        "MerlinArthurProtocol",
        "MnipProtocol",
        "MultiChannelTestProtocol",
        "NipProtocol",
        "ProtocolHandler",
        "SingleVerifierProtocolHandler",
        "SoloVerifierProtocol",
        "SpecProtocol",
        "ZeroKnowledgeProtocol",
        "ProtocolInfo",
        "build_protocol_handler",
        "parameter_names",
        "protocol",
        "protocol_class",
        "protocol_info",
        "protocol_infos",
        "protocol_names",
        "protocol_spec",
        "protocol_title",
        "published_names",
        "register_protocol_handler",
        "specification",
    ),
    "nip_core.spec": (
        "Agent",
        "Payoff",
        "ProtocolSpec",
        "Remark",
        "Schedule",
        "round_of_shown",
        "shown_round",
        "spec_schema",
    ),
    "nip_core.tasks": (
        "Task",
        "bundled_task",
        "bundled_tasks",
        "graph_task",
        "load_tasks",
        "surprise",
    ),
}
# Subpackages that are used by their own names, such as `nip_core.values.play_values`.
_ROOMS = ("batches", "errors", "language", "transcript", "values")
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted([*_MODULE_OF, *_ROOMS])  # pyright: ignore[reportUnsupportedDunderAll]

if TYPE_CHECKING:
    from nip_core import batches as batches
    from nip_core import errors as errors
    from nip_core import language as language
    from nip_core import transcript as transcript
    from nip_core import values as values
    from nip_core._version import __version__ as __version__
    from nip_core.code_validation import *
    from nip_core.nested_array_dict import *
    from nip_core.parameters import *
    from nip_core.play import *
    from nip_core.protocols import *
    from nip_core.spec import Agent as Agent
    from nip_core.spec import Payoff as Payoff
    from nip_core.spec import ProtocolSpec as ProtocolSpec
    from nip_core.spec import Remark as Remark
    from nip_core.spec import Schedule as Schedule
    from nip_core.spec import round_of_shown as round_of_shown
    from nip_core.spec import shown_round as shown_round
    from nip_core.spec import spec_schema as spec_schema
    from nip_core.tasks import *


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_MODULE_OF[name])
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return __all__
