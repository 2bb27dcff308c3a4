"""Read the part of a study's file about people, and check that they can take part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorer.studies.people_format import NOTES
from explorer.studies.people_plan import (
    Analysis,
    End,
    Exclude,
    PeoplePlan,
    PeopleStage,
    Question,
)
from explorer.studies.study import Condition, Study, StudyError, drawn
from nip_core.documents import canonical, first_repeated, stable_hash

MOST_SCALE = 101  # the numbers of a scale


def people_seats(condition: Condition) -> tuple[str, ...]:
    """Return the seats of people in a condition."""
    return tuple(agent for agent, player in condition.seats.items() if player.kind == "person")


def read_people(fields: Mapping[str, Any]) -> PeoplePlan:
    """Return the people of a study from its checked fields, or raise a StudyError."""
    stages = tuple(_stage(stage, f"people.stages[{n}]") for n, stage in enumerate(fields["stages"]))
    names = [question.name for stage in stages for question in stage.questions]
    if twice := first_repeated(names):
        raise StudyError(f"people.stages has two questions called {twice!r}; rename one.")
    consent, exclude = fields["consent"], fields.get("exclude", {})
    missing = [note for note in fields["notes"] if note not in consent["text"].casefold()]
    if missing:
        raise StudyError(
            f"people.notes names {missing[0]!r}, and people.consent.text does not contain this "
            "word: say in the consent what is counted, or leave it out of the notes."
        )
    needs = {"pastes": "paste", "left_page": "focus"}
    for rule, note in needs.items():
        if rule in exclude and note not in fields["notes"]:
            raise StudyError(f"people.exclude.{rule} needs {note!r} in people.notes.")
    chosen = {**fields["analysis"]}
    for key in ("measures", "compare"):
        chosen[key] = tuple(chosen.get(key, ()))
    plain = ("pay", "places", "minutes", "vary", "others")
    return PeoplePlan(
        **{name: fields[name] for name in plain},
        version=consent["version"],
        consent=consent["text"],
        ids=tuple(fields["ids"]),
        round_seconds=fields.get("round_seconds"),
        notes=tuple(note for note in NOTES if note in fields["notes"]),
        stages=stages,
        ends={name: End(**end) for name, end in fields["ends"].items()},
        exclude=Exclude(**exclude),
        analysis=Analysis(**chosen),
        fixed=stable_hash("nip-people-analysis/1", canonical([exclude, fields["analysis"]])).hex()[
            :16
        ],
    )


def _stage(fields: Mapping[str, Any], at: str) -> PeopleStage:
    values = {**fields}
    if fields["kind"] == "practice":
        values["games"] = 1
    if "questions" in fields:
        values["questions"] = tuple(
            _question(question, f"{at}.questions[{n}]", needs_right=fields["kind"] == "check")
            for n, question in enumerate(fields["questions"])
        )
    return PeopleStage(**values)


def _question(fields: Mapping[str, Any], at: str, *, needs_right: bool) -> Question:
    kind, low, high = fields["kind"], fields["low"], fields["high"]
    if (kind == "choice") != ("options" in fields):
        raise StudyError(f"{at}: a `choice` has `options`, and no other question has.")
    if kind == "scale" and not 1 <= high - low < MOST_SCALE:
        raise StudyError(f"{at}: a scale has from 2 to {MOST_SCALE} numbers, `low` to `high`.")
    if len(fields.get("ends", ("", ""))) != 2:
        raise StudyError(f"{at}.ends must be two texts.")
    if needs_right and "right" not in fields:
        raise StudyError(f"{at} needs `right`, the right answers, since it is in a check.")
    lists: dict[str, Any] = {
        key: tuple(fields.get(key, ())) for key in ("options", "ends", "right", "screens_out")
    }
    known = fields.get("options") or [str(number) for number in range(low, high + 1)]
    for key in ("right", "screens_out"):
        wrong = [answer for answer in lists[key] if kind != "text" and answer not in known]
        if wrong:
            raise StudyError(f"{at}.{key}: {wrong[0]!r} is none of the answers.")
    return Question(**{**fields, **lists})


def check_people(study: Study, people: Sequence[str]) -> None:
    """Check that a study can be taken part in, or raise a StudyError.

    `people` are the names of the players that are people.
    """
    plan = study.people
    if plan is None:
        if people:
            raise StudyError(
                f"players.{people[0]} is a person; describe in the table `people` how people take "
                "part."
            )
        return
    for condition in study.conditions:
        kinds = {player.kind for player in condition.seats.values()}
        if "person" not in kinds:
            raise StudyError(f"The condition {condition.name!r} has no person; give one a seat.")
        if "model" in kinds:
            raise StudyError(
                f"The condition {condition.name!r} has a model; beside people only scripts and "
                "random players can play. Replace it."
            )
    from explorer.studies.statistics import MEASURES

    for name in plan.analysis.measures:
        if name not in MEASURES:
            raise StudyError(f"people.analysis.measures: there is no measure {name!r}.")
    known = [condition.name for condition in study.conditions]
    for name in plan.analysis.compare:
        if name not in known:
            raise StudyError(
                f"people.analysis.compare: there is no condition {name!r}, but there are {known}."
            )
    if plan.analysis.compare and len(plan.analysis.compare) != 2:
        raise StudyError("people.analysis.compare must name two conditions.")
    tasks = [len(people_tasks(study, condition)) for condition in study.conditions]
    if plan.games > min(tasks):
        raise StudyError(
            f"Each person plays {plan.games} games, and there are {min(tasks)} tasks; nobody may "
            "meet a task twice. Name more tasks, or fewer games."
        )


def people_tasks(study: Study, condition: Condition) -> list[Any]:
    """Return the tasks of a condition, in a drawn order; the last one is kept for practice."""
    own = () if study.paired else (condition.name,)
    tasks = drawn(study.sources, study.seed, *own)
    return sorted(tasks, key=lambda task: stable_hash("nip-people-task/1", study.seed, task.id))
