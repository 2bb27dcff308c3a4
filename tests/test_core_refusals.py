"""What parameters, documents, handlers, texts and values refuse; see `tests/test_refusals.py`."""

from types import SimpleNamespace

import pytest

import nip_core
from nip_core import Episode, ExperimentSettings, HyperParameters
from nip_core.documents import TRANSCRIPT, parse_json
from nip_core.documents.csv import MAX_ROW, read_csv
from nip_core.documents.json_text import Limits
from nip_core.errors import NipError
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.language import Habit
from nip_core.parameters import ParameterGroup, parameter_group, register_parameter_group
from nip_core.text import layer
from nip_core.text.answers import read_answer
from nip_core.text.conversation import check_training_options
from nip_core.text.expected import Expected
from nip_core.text.parsing import split_at_headers
from nip_core.transcript.document import prompts_have_changed
from nip_core.values import exact_values, play_values, random_play
from tests.depth import each
from tests.later import later, torch
from tests.play_worlds import ONE_TASK

masks = later("nip_core.handler.masks")

NIP = nip_core.protocol("nip")
FINDING = Expected({"finding": ("flawed", "sound")})
LIMITS = Limits(size=100, values=3, depth=2)


def zk():
    return zero_knowledge(nip_core.protocol("nip").spec)


class Generous(nip_core.NipProtocol):
    """Somebody's class that is not registered."""

    def _include_prover_rewards(self, made, decision, reward, env):
        reward[..., 0] += 1


class Shares(nip_core.ZeroKnowledgeProtocol):
    """Pays the prover what the adversarial verifier gets."""

    def _include_prover_rewards(self, made, decision, reward, env):
        reward[..., 0] += reward[..., self.spec.agent_index("adversarial_verifier")]


SHARES = Shares(HyperParameters(), ExperimentSettings(), nip_core.NipProtocol)


def keep_what_nobody_could_replay():
    handler = Generous(HyperParameters("code_validation"), ExperimentSettings())
    Episode(handler, ONE_TASK).setup.to_dict()


@each(
    ("words", "act"),
    [
        ("is not JSON: ", lambda: parse_json("{", TRANSCRIPT, NipError, "It")),
        ("holds more than 3 values", lambda: parse_json("[1,2,3,4,5]", LIMITS, NipError, "It")),
        ("is nested too deeply: more", lambda: parse_json("[[[]]]", LIMITS, NipError, "It")),
        ("with the columns' names, is broken", lambda: read_csv("", ",", NipError)),
        ("row larger than field limit", lambda: read_csv(
            "a," * MAX_ROW, ",", NipError
        )),
        ("HyperParameters has no parameter 'gone'", lambda: HyperParameters(gone={})),
        ("HyperParameters has no parameter 'gone'", lambda: HyperParameters().gone),
        ("are frozen: use replace", lambda: setattr(HyperParameters(), "trainer", "")),
        ("HyperParameters are frozen", lambda: delattr(HyperParameters(), "trainer")),
        ("no group of parameters", lambda: parameter_group("gone")),
        ("A group of parameters named", lambda: register_parameter_group(
            "nip_protocol", type("Other", (ParameterGroup,), {})
        )),
        ("has no parameter 'gone'", lambda: parameter_group("nip_protocol").from_dict({"gone": 1})),
        ("A protocol cannot be 7: give its", lambda: nip_core.protocol(7)),
        ("The seed picks one of", lambda: masks.RoundMasks.rows(
            SimpleNamespace(num_variants=2), torch.zeros(1), None
        )),
        ("is outside the episode: rounds are", lambda: masks.check_rounds(torch.tensor([9]), 2)),
        ("is a zero-knowledge variant already", lambda: zero_knowledge(zk())),
        ("has a simulator. Give its base", lambda: layer.text_layer(zk())),
        ("no kind of protocol", lambda: layer.text_layer(7)),
        ("needs y, the true label", lambda: check_training_options(None, True, is_verifier=True)),
        ("replace_last_message_with_true_label needs "
         "ensure_last_message_is_assistant", lambda: check_training_options(
            1, False, is_verifier=True
        )),
        ("The answer chooses finding twice: sound and flawed", lambda: read_answer(
            "finding: sound\nfinding: flawed", FINDING
        )),
        ("for each of: finding: flawed, sound; mood: good, bad.", lambda: read_answer(
            "Why?", Expected({"finding": ("flawed", "sound"), "mood": ("good", "bad")})
        )),
        ("The answer says finding: 'maybe', which is not open", lambda: read_answer(
            "finding: maybe", FINDING
        )),
        ("You write on several channels: begin each message with", lambda: read_answer(
            "Why?", Expected(headers={"left": "To Ada:", "right": "To Bob:"})
        )),
        ("The habit for 'gone': there is no such choice", lambda: play_values(
            nip_core.specification("jury"), [Habit("gone", {"A": 1})]
        )),
        ("has rules in code; register it with", keep_what_nobody_could_replay),
        ("what the verifier does or gets depends on", lambda: exact_values(
            SHARES, random_play(SHARES.spec)
        )),
        ("must have a part for every channel", lambda: split_at_headers("a", {"b": "B:"})),
        ("has no digests of the seats'", lambda: prompts_have_changed({}, None)),
    ],
)  # fmt: skip
def test_the_core_refuses(words, act):
    with pytest.raises((NipError, AttributeError)) as error:
        act()
    assert words in str(error.value)
