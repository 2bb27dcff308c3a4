"""Tests of roles.py: what choices mean, whatever they are called."""

import re

import pytest
from hypothesis import given, settings

from nip_core.errors import SpecError
from nip_core.language import Side, Specification, Wording, toml_text
from tests.depth import cases, each
from tests.language.strategies import accepted, documents
from tests.language.zoo import everything, in_full, published
from tests.make_playthroughs import ROLES, table_of_roles

NAME = re.compile(r"[A-Za-z_]\w*")


def test_the_roles_of_all_protocols_are_as_written_down():
    now = table_of_roles()
    assert now == ROLES.read_text("utf-8"), "run `python -m tests.make_playthroughs` and read it"


# -- names do not matter ---------------------------------------------------------------------------


def renamed(document, names):
    """Return a document with all seats, choices and options renamed."""

    def expression(text):
        return NAME.sub(lambda name: names.get(name[0], name[0]), str(text))

    def one(name):
        if isinstance(name, list):
            return [one(each) for each in name]
        return names.get(name, name) if isinstance(name, str) else name

    def seen(found):
        if isinstance(found, dict):
            return {one(seat): since for seat, since in found.items()}
        return found if isinstance(found, str) else [one(seat) for seat in found]

    def chosen(found):
        if isinstance(found, dict):
            return {
                one(name): options if options == "all" else [one(option) for option in options]
                for name, options in found.items()
            }
        return [one(name) for name in found]

    def act(found):
        changed = {key: expression(found[key]) for key in ("when", "silent") if key in found}
        changed |= {"choose": chosen(found["choose"])} if "choose" in found else {}
        return found | changed

    def acts(found):
        return [act(each) for each in found] if isinstance(found, list) else act(found)

    def turn(found):
        ways = {to: expression(condition) for to, condition in found.get("then", {}).items()}
        copied = {to: expression(source) for to, source in found.get("copy", {}).items()}
        made = {one(s): acts(own) for s, own in found.items() if s not in ("then", "copy")}
        made |= {"copy": copied} if copied else {}
        return made | ({"then": ways} if ways else {})

    def value(found):
        if isinstance(found, str):
            return expression(found)
        (way,) = found.keys() - {"at", "seen"}
        at = found.get("at", [found[way]])
        at = [at] if isinstance(at, str) else at
        collected = {} if way == "is" else {"at": [one(name) for name in at]}
        return {way: expression(found[way]), "seen": seen(found.get("seen", [])), **collected}

    choices = {}
    for name, choice in document.get("choices", {}).items():
        options = choice["options"]
        choices[one(name)] = choice | {
            "by": one(choice["by"]),
            "options": options if isinstance(options, dict) else [one(each) for each in options],
            "seen": seen(choice["seen"]),
            "weights": [expression(weight) for weight in choice.get("weights", ())],
        }
    return {key: value for key, value in document.items() if key != "titles"} | {
        "seats": {
            one(seat): about | {"argues": expression(about.get("argues", "none"))}
            for seat, about in document["seats"].items()
        },
        **{
            key: {
                name: about | {"seen": seen(about["seen"])} for name, about in document[key].items()
            }
            for key in ("parts", "channels")
            if key in document
        },
        **({"experts": one(document["experts"])} if "experts" in document else {}),
        "choices": choices,
        "values": {name: value(own) for name, own in document.get("values", {}).items()},
        "stages": [
            stage | {"turns": [turn(each) for each in stage["turns"]]}
            for stage in document["stages"]
        ],
        "verdict": expression(document.get("verdict", "none")),
        "pay": [
            pay
            | {
                "to": {one(seat): factor for seat, factor in pay["to"].items()},
                "amount": expression(pay["amount"]),
                "when": expression(pay.get("when", "true")),
                "at": one(pay.get("at", "end")),
            }
            for pay in document.get("pay", ())
        ],
        "limits": [
            limit | {key: one(limit[key]) for key in ("seat", "of", "option") if key in limit}
            for limit in document.get("limits", ())
        ],
    }


def new_names(spec):
    words = {option for options in spec.options.values() for option in options}
    old = [*spec.seat_names, *spec.options, *sorted(o for o in words if isinstance(o, str))]
    # In another order than the old ones, so that nothing depends on that either.
    return {name: f"n{len(old) - number}" for number, name in enumerate(dict.fromkeys(old))}


def of_roles(spec, names):
    """Return all roles, with other names."""
    parts = [
        spec.roles.truth, *spec.roles.answers, *spec.roles.verdict, *spec.roles.deciders,
        *spec.roles.experts,
        *((seat, side.option, side.choice, side.other) for seat, side in spec.roles.sides.items()),
        spec.roles.dealt, *spec.roles.go_on.items(),
        *((name, event.about, event.option) for name, event in spec.roles.estimates.items()),
    ]  # fmt: skip
    return [
        tuple(names.get(p, p) for p in part) if isinstance(part, tuple) else names.get(part, part)
        for part in parts
    ]


@each(("name", "spec"), everything())
def test_names_mean_nothing(name, spec):
    names = new_names(spec)
    again = Specification.from_dict(renamed(in_full(spec), names))
    assert of_roles(again, {}) == of_roles(spec, names)


@settings(max_examples=cases(50), deadline=None)
@given(documents())
def test_names_mean_nothing_in_random_protocols(document):
    spec = accepted(document)
    names = new_names(spec)
    again = Specification.from_dict(renamed(in_full(spec), names))
    assert of_roles(again, {}) == of_roles(spec, names)


# -- stated roles ----------------------------------------------------------------------------------


def stated(name, **roles):
    return Specification.from_dict(published(name).to_dict() | {"roles": roles})


def test_a_document_states_what_its_structure_does_not_show():
    spec = stated("prover_estimator", estimates={"p1": "leaf = holds"})
    event = spec.roles.estimates["p1"]
    assert (event.about, event.option) == ("leaf", "holds")
    assert Specification.from_dict(spec.to_dict()) == spec
    spec = stated("doubly_efficient_debate", verdict="answer", go_on={"answer": "rejects"})
    assert spec.roles.verdict == ("answer",)
    assert spec.roles.deciders == ("bob",)
    assert spec.roles.go_on == {"answer": "rejects"}
    assert next(iter(Wording(spec).roles())) == "The challenger decides."


@each(
    ("name", "roles", "message"),
    [
        ("jury", {"truth": "fact"}, "roles, truth: it is 'fact'; no such choice"),
        ("jury", {"verdict": "truth"}, "roles, verdict: it is 'truth'; no such choice"),
        ("jury", {"verdict": ["vote1", "x"]}, "roles, verdict: it is 'x'; no such choice"),
        ("trusted_monitor", {"verdict": "action"}, "roles, verdict: it is 'action'; no such"),
        ("michael_debate", {"verdict": "going"}, "no such choice fits there. Write 'estimate'"),
        ("michael_debate", {"truth": "going"}, "the verdict can never be one of its options"),
        ("michael_debate", {"go_on": {"going": "on"}}, "option of this choice. Write 'stop' or"),
        ("michael_debate", {"go_on": {"truth": "A"}}, "roles, go_on, truth: it is 'truth'; no"),
        ("michael_debate", {"estimates": {"going": "truth = A"}}, "a percentage, from 0 to 100"),
        ("michael_debate", {"estimates": {"estimate": "truth"}}, "'truth'; that is no event"),
        (
            "michael_debate",
            {"estimates": {"estimate": "truth = C"}},
            "Write a choice and an option",
        ),
        ("michael_debate", {"estimates": {"estimate": 1}}, "roles, estimates, estimate: it is 1"),
        ("khan_debate", {"truth": "verdict", "verdict": "verdict"}, "stated as the truth, too"),
        ("khan_debate", {"judge": "judge"}, "roles, judge: there is no such field. The fi"),
        ("khan_debate", {"truth": 3}, "roles, truth: it is 3, not a text"),
    ],
)
def test_wrong_roles_are_refused_with_their_place(name, roles, message):
    with pytest.raises(SpecError, match=re.escape(message)):
        stated(name, **roles)


# -- experts ---------------------------------------------------------------------------------------


def knowing(name, experts):
    return Specification.from_dict(published(name).to_dict() | {"experts": experts})


def test_experts_argue_for_something_or_write_to_who_decides():
    assert published("single_critique").roles.experts == ("proposer", "critic")
    assert published("iterated_amplification").roles.experts == ("copy_1", "copy_2")
    assert published("sandwiching").roles.experts == ("model",)
    assert published("peer_prediction").roles.experts == ()
    # The estimator writes to the judge, too, but has to find out what the prover knows.
    assert published("prover_estimator").roles.experts == ("prover",)


def test_a_document_names_its_experts():
    assert knowing("single_critique", "critic").roles.experts == ("critic",)
    nobody = knowing("single_critique", [])
    assert nobody.roles.experts == ()
    assert nobody != published("single_critique")
    for spec in (nobody, knowing("single_critique", ["critic", "proposer"])):
        assert Specification.from_dict(spec.to_dict()) == spec
        assert Specification.from_toml(toml_text(spec.to_dict())) == spec
    jurors = knowing("jury", ["juror"])
    assert jurors.roles.experts == ("juror1", "juror2", "juror3")
    assert in_full(jurors)["experts"] == ["juror1", "juror2", "juror3"]
    assert jurors.with_settings(jurors=2).roles.experts == ("juror1", "juror2")


@each(
    ("experts", "message"),
    [
        (["critc"], "experts, number 1: there is no seat 'critc'. Did you mean 'critic'?"),
        (["critic", "critic"], "experts: 'critic' stands there twice. Leave one of them out."),
        ({"critic": 1}, "experts: it is an object, not a list"),
        ([1], "experts, number 1: it is 1, not a text"),
        ([f"x{number}" for number in range(10_000)], "number 1: there is no seat 'x0'"),
    ],
)
def test_wrong_experts_are_refused_with_their_place(experts, message):
    with pytest.raises(SpecError, match=re.escape(message)) as refused:
        knowing("single_critique", experts)
    assert len(refused.value.mistakes) == 1


# -- single roles ----------------------------------------------------------------------------------


def test_a_side_is_known_once_its_choice_is():
    spec = published("open_debate")
    picked, other = spec.roles.sides["protagonist"], spec.roles.sides["opponent"]
    assert picked == Side(choice="side")
    assert other == Side(choice="side", other=True)
    assert other.option_with(spec, {}) is None
    assert picked.option_with(spec, {"side": "A"}) == "A"
    assert other.option_with(spec, {"side": "A"}) == "B"
