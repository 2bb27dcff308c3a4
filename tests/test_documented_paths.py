"""Tests of experiment_settings.py and utils/.

Code written for the documented module layout finds every name.
"""

import importlib
import subprocess
import sys

import nip_core
from nip_core.registry import protocol_class
from tests.depth import FULL, each

# For each documented module (`nip_core` is the package): its names, with ours if they differ.
DOCUMENTED = {
    "code_validation.protocols": "AdpCodeValidationProtocol CodeValidationAgentSpec "
    "CodeValidationProtocolHandler DebateCodeValidationProtocol MerlinArthurCodeValidationProtocol "
    "MnipCodeValidationProtocol NipCodeValidationProtocol SoloVerifierCodeValidationProtocol",
    "experiment_settings": "ExperimentSettings",
    "parameters": "HyperParameters SpgParameters "
    "CommonProtocolParameters=ProtocolCommonParameters NipProtocolParameters=NipParameters "
    "DebateProtocolParameters=DebateParameters MnipProtocolParameters=MnipParameters "
    "ZkProtocolParameters=ZkParameters",
    "parameters.protocol": "CommonProtocolParameters=ProtocolCommonParameters "
    "LongProtocolParameters=RoundParameters NipProtocolParameters=NipParameters "
    "DebateProtocolParameters=DebateParameters MnipProtocolParameters=MnipParameters "
    "ZkProtocolParameters=ZkParameters",
    "parameters.trainers": "SpgParameters",
    "protocols": "AdpProtocol DebateProtocol DeterministicSingleVerifierProtocolHandler "
    "MerlinArthurProtocol MnipProtocol MultiChannelTestProtocol NipProtocol ProtocolHandler "
    "SingleVerifierProtocolHandler SoloVerifierProtocol ZeroKnowledgeProtocol "
    "build_protocol_handler register_protocol_handler",
    "protocols.main_protocols": "AdpProtocol DebateProtocol MerlinArthurProtocol MnipProtocol "
    "MultiChannelTestProtocol NipProtocol SoloVerifierProtocol",
    "protocols.protocol_base": "DeterministicSingleVerifierProtocolHandler ProtocolHandler "
    "SingleVerifierProtocolHandler",
    "protocols.registry": "build_protocol_handler register_protocol_handler",
    "protocols.zero_knowledge": "ZeroKnowledgeProtocol",
    "utils.nested_array_dict": "NestedArrayDict",
}
ROWS = [
    (module, name.partition("=")[0], name.rpartition("=")[2])
    for module, names in DOCUMENTED.items()
    for name in names.split()
]


@each(("module", "name", "ours"), ROWS)
def test_a_documented_path_gives_the_very_same_object(module, name, ours):
    found = importlib.import_module(f"nip_core.{module}")
    assert getattr(found, name) is getattr(nip_core, ours)
    assert name in found.__all__


@each(
    "name",
    [
        "GenerationError",
        "InvalidDecisionError",
        "InvalidResponseError",
        "NotAllActiveChannelsInResponseError",
    ],
)
def test_errors_about_text_are_where_they_are_documented(name):
    errors = importlib.import_module("nip_core.errors")
    api = importlib.import_module("nip_core.utils.api")
    assert getattr(api, name) is getattr(errors, name)


def test_a_verdict_to_force_has_its_documented_name():
    types, parameters = map(
        importlib.import_module, ("nip_core.parameters.types", "nip_core.parameters")
    )
    assert types.GuessType is parameters.ForceGuess


def test_each_path_can_be_the_first_import_and_brings_no_torch():
    """Importing a documented module first causes no import cycle."""
    modules = [*DOCUMENTED, "parameters.types", "utils.api"][:: 1 if FULL else 3]
    # The package itself is imported before any of its modules; each is imported in a copy.
    code = """
import importlib, os, sys, nip_core
for module in sys.argv[1:]:
    if not (child := os.fork()):
        importlib.import_module(f"nip_core.{module}")
        heavy = [m for m in ("torch", "tensordict", "pandas", "networkx") if m in sys.modules]
        sys.exit(str(heavy) if heavy else 0)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"this is about {module}")
"""
    command = [sys.executable, "-c", code, *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_protocol_written_against_the_documentation():
    """Imports, base class, registration and parameters, as in the documentation's guide."""
    code = """
from nip_core.code_validation.protocols import (
    CodeValidationAgentSpec,
    CodeValidationProtocolHandler,
)
from nip_core.experiment_settings import ExperimentSettings
from nip_core.parameters import CommonProtocolParameters, HyperParameters
from nip_core.parameters.protocol import NipProtocolParameters
from nip_core.protocols.main_protocols import AdpProtocol
from nip_core.protocols.protocol_base import DeterministicSingleVerifierProtocolHandler
from nip_core.protocols.registry import build_protocol_handler, register_protocol_handler


@register_protocol_handler("note_first")
class NoteFirst(DeterministicSingleVerifierProtocolHandler):
    agent_names = ["verifier", "prover"]
    message_channel_names = ["main", "notes"]
    agent_channel_visibility = [("verifier", "main"), ("prover", "main"), ("verifier", "notes")]
    min_message_rounds = 2
    max_message_rounds = 3

    def is_agent_active(self, agent_name, round_id, channel_name):
        order = [("prover", "main"), ("verifier", "notes"), ("verifier", "main")]
        return (agent_name, channel_name) == order[round_id]


@register_protocol_handler("adp_again", "code_validation")
class AdpAgain(CodeValidationProtocolHandler, AdpProtocol):
    agent_specs = {
        "verifier": CodeValidationAgentSpec(human_name="Verifier"),
        "prover": CodeValidationAgentSpec(human_name="Expert"),
    }


parameters = HyperParameters(
    scenario="graph_isomorphism",
    trainer="vanilla_ppo",
    dataset="test",
    interaction_protocol="note_first",
    protocol_common=CommonProtocolParameters(verifier_reward=2.0),
    nip_protocol=NipProtocolParameters(max_message_rounds=4),
)
handler = build_protocol_handler(parameters, ExperimentSettings(device="cpu"))
assert handler.payoff.verifier_reward == 2.0
assert handler.agent_first_active_round == {"prover": 0, "verifier": 1}
spoken = HyperParameters("code_validation", interaction_protocol="adp_again")
adp = build_protocol_handler(spoken, ExperimentSettings())
assert isinstance(adp, AdpProtocol)
print(adp.agent_specs["prover"].human_name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "Expert", done.stderr


def test_every_protocol_of_ours_is_among_the_documented_ones():
    """A new protocol that is documented needs a row above."""
    main = importlib.import_module("nip_core.protocols.main_protocols")
    own = importlib.import_module("nip_core.protocols")
    ours = {
        name
        for name in own.__all__
        if name.endswith("Protocol") and name not in ("SpecProtocol", "ZeroKnowledgeProtocol")
    }
    assert set(main.__all__) == ours
    assert protocol_class("adp") is main.AdpProtocol
