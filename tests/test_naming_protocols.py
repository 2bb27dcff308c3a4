"""Tests of registry.py and handler/registered.py.

Every public function with a protocol argument accepts every form of a protocol.
"""

import importlib
import inspect
import re
from functools import cache

import pytest

from explorer.notebook import (
    draw,
    play,
    rewards,
    schedule_notebook,
    show_rollouts,
    show_schedule,
    side_by_side,
)
from explorer.pictures import (
    PictureError,
    compare_picture,
    intervals_picture,
    miniature,
    picture,
    rollout_picture,
    small_schedule,
    who_knows_what,
)
from explorer.players import scripted_player
from nip_core import (
    Episode,
    HyperParameters,
    MnipProtocol,
    NipProtocol,
    ProtocolHandler,
    ProtocolSpec,
    build_protocol_handler,
    bundled_tasks,
    parameter_names,
    protocol,
    protocol_names,
    protocol_spec,
    protocol_title,
    specification,
    values,
)
from nip_core.errors import ModelError, NipError, ParameterError, UnknownNameError
from nip_core.handler import registered
from nip_core.language import load_specification
from nip_core.play import Setup, mean_at_random, values_at_chances
from nip_core.registry import register_protocol_handler
from nip_core.transcript import read_rollouts
from tests.depth import each
from tests.language.zoo import published

TASK = bundled_tasks("easy")[0]


class Longer(NipProtocol):
    """A user's own protocol, which is in no registry."""

    @classmethod
    def build_spec(cls, parameters, verifier_name):
        spec = super().build_spec(parameters, verifier_name)
        return spec.replace(name="longer", max_message_rounds=spec.max_message_rounds + 2)


def ways(name="nip"):
    """Return all forms that identify a protocol."""
    made = build_protocol_handler(name)
    return {
        "name": name,
        "parameters": HyperParameters(interaction_protocol=name),
        "specification": made.spec,
        "handler": made,
        "class": type(made),
    }


NIP = values.random_play("nip")
STEPS = {"y": [[1, 1, 1]], "round": [[0, 1, 2]], "agents": {"decision": [[[2, 2], [2, 2], [2, 1]]]}}


@cache
def rollout():
    """Return a rollout, which needs torch."""
    return next(iter(read_rollouts(STEPS, "nip")))


# For each public function, a comparable result for a protocol.
TAKE = {
    "nip_core.registry.protocol": lambda p: protocol(p).spec,
    "nip_core.registry.protocol_spec": protocol_spec,
    "nip_core.registry.specification": specification,
    "nip_core.registry.build_protocol_handler": lambda p: build_protocol_handler(p).spec,
    "nip_core.registry.parameter_names": lambda p: (
        parameter_names(p)[0] in dir(HyperParameters) or "max_message_rounds" in parameter_names(p)
    ),
    "nip_core.values.best_mechanism": lambda p: values.best_mechanism(p, pessimistic=True).value,
    "nip_core.values.exact_values": lambda p: values.exact_values(p, NIP).mean("prover"),
    "nip_core.values.random_play": lambda p: values.random_play(p).decide.tolist(),
    "nip_core.values.simple_play": lambda p: values.simple_play(
        p, decides=0.5, accepts_true=0.9, accepts_false=0.1
    ).decide.tolist(),
    "nip_core.values.verifier_turns": lambda p: values.verifier_turns(p).tolist(),
    "explorer.notebook.draw": lambda p: draw(p).spec.to_dict(),
    "explorer.notebook.play": lambda p: play(p, task=TASK).episode.rules,
    "explorer.notebook.rewards": lambda p: rewards(p).spec,
    "explorer.notebook.schedule_notebook": lambda p: len(schedule_notebook(p)["cells"]),
    "explorer.notebook.show_schedule": lambda p: show_schedule(p).spec,
    "explorer.notebook.side_by_side": lambda p: side_by_side(p).to_numpy().tolist(),
    "explorer.notebook.show_rollouts": lambda p: show_rollouts(STEPS, p).grid().shapes,
    "explorer.pictures.side_by_side": lambda p: side_by_side(p).to_numpy().tolist(),
    "explorer.pictures.rollout_picture": lambda p: rollout_picture(rollout(), p).shapes,
    "explorer.pictures.compare_picture": lambda p: compare_picture(p, "nip").shapes,
    "explorer.pictures.miniature": lambda p: miniature(p).shapes,
    "explorer.pictures.picture": lambda p: picture(p).shapes,
    "explorer.pictures.who_knows_what": lambda p: str(who_knows_what(p)),
    "explorer.pictures.small_schedule": lambda p: small_schedule(p).shapes,
    # Classes
    "nip_core.play.Episode": lambda p: Episode(p, TASK).rules,
    "nip_core.play.mean_at_random": mean_at_random,
    "nip_core.play.values_at_chances": lambda p: values_at_chances(p).completeness,
    "nip_core.play.Setup.of": lambda p: Setup.of(p, TASK).rules,
}
ROOMS = ("nip_core.registry", "nip_core.play", "nip_core.values")
ROOMS += ("explorer.notebook", "explorer.pictures")
# These take only one form, by their purpose.
ONE_KIND = {
    "explorer.pictures.draw_rollout": "what the notebook draws, which has the specification",
    "nip_core.registry.protocol_title": "also names that are not known any more have words",
    "explorer.pictures.end_of_cell": "an entry point, called with what stands at a cell's end",
    **{
        f"explorer.pictures.{name}": "what pictures are made of, which has the specification"
        for name in (
            *("caption", "differences", "grid_data", "grid_of", "grid_rows", "grid_table"),
            *("plain_styles", "seat_styles", "seats_data", "specified", "turns_data"),
            *("read_so_far", "sequence_mermaid"),
        )
    },
    "nip_core.play.verify_move": "a rule of play, called with the episode's facts",
}


def functions():
    """Return the public functions with a protocol argument, and their annotations."""
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing):
                # A data class contains its fields; a handler is made from parameters.
                if issubclass(thing, Exception) or name in ("ZeroKnowledgeProtocol",):
                    continue
                methods = inspect.getmembers(thing, lambda m: inspect.isroutine(m))
                found = [(f"{room}.{name}.{m}", f) for m, f in methods if not m.startswith("_")]
                own = (f"{room}.{name}", thing.__init__)
                yield from (own, *found) if name == "Episode" else found
            elif callable(thing):
                yield f"{room}.{name}", thing


def asks_for_a_protocol(function):
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = r"AnyProtocol|ProtocolSpec|ProtocolHandler|HyperParameters"
    return any(re.search(kinds, str(each.annotation)) for each in given)


def test_every_public_function_that_asks_for_a_protocol_is_tried_here():
    found = {name for name, function in functions() if asks_for_a_protocol(function)}
    assert found - set(ONE_KIND) == set(TAKE)


@each("name", TAKE)
def test_it_takes_whatever_says_which_protocol_is_meant(name):
    take = TAKE[name]
    expected = take("nip")
    for said, given in ways().items():
        assert take(given) == expected or name.endswith("Episode"), said
    with pytest.raises(NipError, match="Did you mean 'nip'"):
        take("nipp")
    with pytest.raises(NipError):
        take(3)


def test_a_users_own_class_is_taken_with_its_own_rounds():
    for given in (Longer, protocol(Longer), protocol(Longer).spec):
        assert protocol_spec(given).max_message_rounds == 10
        assert show_schedule(given).spec.name == "longer"
        assert Episode(given, TASK).rules.longest == 10
        assert play(given, task=TASK).episode.rules.name == "longer"
        assert rewards(given).spec.max_message_rounds == 10
        model = values.random_play(given)
        assert values.exact_values(given, model).spec.name == "longer"
    assert protocol(Longer, rounds=4).spec.max_message_rounds == 6


@pytest.fixture
def registry(monkeypatch):
    """Forget protocols that a test has registered."""
    monkeypatch.setattr(registered, "_handlers", dict(registered._handlers))
    known = importlib.import_module("nip_core.parameters")
    monkeypatch.setattr(known, "_protocols", set(known._protocols))
    monkeypatch.setattr(known, "_scenarios", list(known._scenarios))


@pytest.mark.usefixtures("registry")
def test_a_registered_class_of_ones_own_is_that_class_everywhere():
    @register_protocol_handler("own_class_of_a_test")
    class Mine(MnipProtocol):
        """Registered."""

    assert Episode(Mine, TASK).setup.to_dict()["parameters"] is not None
    made = protocol(Mine, rounds=4)
    assert made.hyper_params.interaction_protocol == "own_class_of_a_test"
    assert made.spec.max_message_rounds == 4


# -- changing parameters ---------------------------------------------------------------------------


@each("name", protocol_names())
def test_every_parameter_that_a_protocol_reads_is_changed_by_its_own_name(name):
    plain = HyperParameters(interaction_protocol=name).to_dict()
    for parameter in parameter_names(name):
        group = next((g for g, v in plain.items() if isinstance(v, dict) and parameter in v), None)
        value = plain[group][parameter] if group else plain[parameter]
        made = protocol(name, **{parameter: value})
        assert isinstance(made, ProtocolHandler)
        assert made.hyper_params.to_dict() == plain


def test_parameters_are_changed_in_one_short_way():
    for given in (*ways("mnip").values(), protocol("mnip", rounds=3)):
        made = protocol(given, rounds=6, verifier_reward=2.0)
        assert made.spec.max_message_rounds == 6
        assert made.payoff.verifier_reward == 2.0
        assert made.spec.name == "mnip"
    assert protocol("nip", zero_knowledge=True).spec.is_zero_knowledge
    hidden = protocol(protocol("nip", zero_knowledge=True), rounds=4)
    assert hidden.spec.is_zero_knowledge
    assert hidden.spec.max_message_rounds == 4
    assert protocol("debate", sequential=True).spec != protocol("debate").spec
    assert isinstance(protocol(protocol_spec("nip"), rounds=3).spec, ProtocolSpec)


def test_what_was_set_on_a_handler_stays():
    plain = build_protocol_handler(HyperParameters("code_validation"))
    own = plain.with_prompt_templates({"prover": "Say {{ agent_stance_string }}."})
    for given in (own, protocol(own), protocol(own, rounds=4)):
        assert Episode(given, TASK).setup.prompt("prover").startswith("Say accept.")
    assert protocol(own, rounds=4).spec.max_message_rounds == 4


@each(
    ("given", "parameters", "says"),
    [
        ("nip", {"round": 3}, "Did you mean 'rounds'"),
        ("nip", {"max_rounds": 3}, "max_message_rounds"),
        ("adp", {"rounds": 3}, "adp reads no parameter"),
        ("nip", {"sequential": True}, "nip reads no parameter 'sequential'"),
        ("nip", {"rounds": 0}, "from 1 to"),
        ("nip", {"verifier_reward": "much"}, "a finite number"),
        (protocol_spec("nip"), {"rounds": "many"}, "whole number"),
        (protocol_spec("nip"), {"verifyer_reward": 1.0}, "Did you mean 'verifier_reward'"),
    ],
)
def test_what_a_protocol_does_not_read_is_refused(given, parameters, says):
    with pytest.raises(ParameterError, match=re.escape(says)):
        protocol(given, **parameters)


# -- names in the wrong place ----------------------------------------------------------------------


@each("scenario", ["graph_isomorphism", "image_classification"])
def test_documented_scenarios_are_valid(scenario):
    assert protocol_spec(HyperParameters(scenario)) == protocol_spec("nip")


@each(
    ("wrong", "says"),
    [
        ({"scenario": "debate"}, "'debate' is a protocol"),
        ({"scenario": "mnip"}, "protocol('mnip')"),
        ({"scenario": "code-validation"}, "Did you mean 'code_validation'"),
        ({"scenario": ""}, "Known: graph_isomorphism"),
        ({"trainer": "mnip"}, "'mnip' is a protocol"),
        ({"dataset": "adp"}, "'adp' is a protocol"),
    ],
)
def test_a_name_in_the_wrong_place_is_refused(wrong, says):
    with pytest.raises(ParameterError, match=re.escape(says)):
        HyperParameters(**wrong)
    with pytest.raises(ParameterError):
        HyperParameters().replace(**wrong)


@pytest.mark.usefixtures("registry")
def test_a_scenario_for_which_somebody_registers_is_known():
    with pytest.raises(ParameterError):
        HyperParameters("scenario_of_a_test")

    @register_protocol_handler("nip", "scenario_of_a_test")
    class There(NipProtocol):
        """Of one scenario."""

    made = protocol(HyperParameters("scenario_of_a_test"))
    assert type(made) is There


# -- arguments that are not used -------------------------------------------------------------------


def test_evidence_that_does_not_exist_is_refused():
    assert rewards("nip", shows="0.9").evidence == values.Evidence(shows="0.9")
    with pytest.raises(UnknownNameError, match="Did you mean 'shows'"):
        rewards("nip", show=0.9)
    with pytest.raises(ModelError, match="from 0 to 1"):
        rewards("nip", shows=7)


def test_a_second_protocol_is_compared_and_what_is_no_view_is_named():
    shown = show_schedule("debate", "mnip")
    assert [one.spec.name for one in shown.shown] == ["debate", "mnip"]
    with pytest.raises(PictureError, match="grid, sequence, visibility"):
        show_schedule("nip", view="seq")
    with pytest.raises(PictureError, match="not three"):
        show_schedule("nip", "mnip", compare="adp")
    with pytest.raises(NipError):
        show_schedule("nip", 1.5)
    for drawn in (
        lambda: picture("nip", theme="drak"),
        lambda: compare_picture("nip", "mnip", theme="drak"),
        lambda: intervals_picture("right", [], theme="drak"),
        lambda: rewards("nip").svg("drak"),
        lambda: show_schedule("nip").svg("drak"),
    ):
        with pytest.raises(PictureError, match="light, dark"):
            drawn()


@each(
    ("agent", "written", "says"),
    [
        ("verifier", {"strategy": "carefull"}, "Did you mean 'careful'"),
        ("verifier", {"level": "hardd"}, "Known: 'strategy', 'seed'"),
        ("prover", {"level": "hardd"}, "Known: 'easy', 'medium', 'hard'"),
        ("prover", {"strategy": "careful"}, "Known: 'level', 'seed'"),
    ],
)
def test_what_a_scripted_player_is_not_is_refused(agent, written, says):
    setup = Setup.of("nip", TASK)
    with pytest.raises(UnknownNameError, match=says):
        scripted_player(setup, agent, written)
    # A record of a transcript may come from another version.
    assert scripted_player(setup, agent, {"kind": "scripted", **written})


def test_a_protocol_of_ones_own_does_not_get_the_title_of_another_one():
    document = published("salon").to_dict() | {"name": "debate"}
    assert protocol_title(load_specification(document)) == "Debate"
    assert protocol_title(load_specification(document | {"name": "nip"})) == "Nip"
    # A file of a registered protocol has its name, and its seats.
    in_rounds = load_specification(protocol_spec("nip").to_dict())
    assert protocol_title(in_rounds) == "Neural interactive proof"
