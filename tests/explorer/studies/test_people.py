"""Tests of people.py, people_plan.py and people_format.py: a study's file about people."""

import jsonschema
import pytest

from explorer.studies import SCHEMA, AnswerError, Record, StudyError, read_study, run_study
from nip_core.documents import WRITTEN, parse_toml
from tests.depth import each
from tests.explorer.participants.people import EXAMPLE, study_of, study_text, with_two_people


def test_the_example_follows_the_schema_and_is_read():
    document = parse_toml(EXAMPLE, WRITTEN, StudyError, "It")
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    plan = study_of().people
    assert [stage.kind for stage in plan.stages] == [
        "survey", "text", "practice", "check", "play", "survey",
    ]  # fmt: skip
    assert plan.games == 3
    assert study_of(with_two_people()).people.analysis.compare == ()


def test_conditions_are_as_even_as_can_be_and_the_same_each_time():
    study = study_of()
    names = [condition.name for condition in study.conditions]
    orders = [study.people.order(names, 1, number)[0] for number in range(1, 21)]
    assert orders == [study.people.order(names, 1, number)[0] for number in range(1, 21)]
    assert orders.count("debate") == 10
    for place in range(0, 20, 2):
        assert {*orders[place : place + 2]} == {"consultancy", "debate"}
    games = study_of(study_text(vary='"games"'))
    assert [len(games.people.order(names, 1, number)) for number in (1, 2)] == [2, 2]


def test_a_change_of_the_analysis_has_another_digest_and_other_changes_have_not():
    fixed = study_of().people.fixed
    assert study_of(study_text(minutes="50")).people.fixed == fixed
    assert study_of(study_text(faster_than="61")).people.fixed != fixed
    assert study_of(study_text(cluster='"problem"')).people.fixed != fixed


def test_a_study_with_people_is_not_played_by_the_program(tmp_path):
    with pytest.raises(StudyError, match="People take part in this study"):
        run_study(study_of(), Record(tmp_path / "record"))


@each(
    ("line", "instead", "says"),
    [
        ('version = "1"', "", "people.consent lacks the key 'version'"),
        ("(focus)", "()", "people.consent.text does not contain this word"),
        ('"paste", "focus"', '"focus"', "people.exclude.pastes needs 'paste' in people.notes"),
        ('right = ["yes"]', "", "needs `right`, the right answers"),
        ('right = ["yes"]', 'right = ["perhaps"]', "'perhaps' is none of the answers"),
        ('name = "adult"', 'name = "sure"', "two questions called 'sure'; rename one"),
        ("low = 1", "low = 7", "a scale has from 2 to 101 numbers"),
        ('ends = ["guessing", "certain"]', 'ends = ["a", "b", "c"]', "ends must be two texts"),
        ('options = ["yes", "no"]', "", "a `choice` has `options`, and no other question"),
        ("games = 2", "games = 50", "nobody may meet a task twice"),
        ('"accuracy", "brier"', '"luck"', "there is no measure 'luck'"),
        ('["consultancy", "debate"]', '["consultancy", "x"]', "there is no condition 'x'"),
        ('"consultancy", "debate"]\ncl', '"consultancy", "debate", "y"]\ncl', "no condition 'y'"),
        ("[people.ends.removed]", "[people.ends.lost]", "people.ends has a key 'lost'"),
        ('verifiers = "judge"', 'verifiers = "script"', "has no person; give one a seat"),
        ('kind = "scripted"', 'kind = "model"\nmodel = "openai/x"', "has a model; beside people"),
        ("tries = 2", "tries = 0", "tries is 0; it must be from 1 to 20"),
    ],
)
def test_mistakes_are_found_when_the_file_is_read(line, instead, says):
    assert line in EXAMPLE
    with pytest.raises(StudyError) as refused:
        read_study(EXAMPLE.replace(line, instead))
    assert says in str(refused.value)


def test_a_comparison_is_of_two_conditions_and_a_person_needs_the_table():
    three = EXAMPLE.replace(
        "[people]\n",
        '[[conditions]]\nname = "third"\nprotocols = ["khan_debate"]\nverifiers = "judge"\n'
        'provers = "script"\n\n[people]\n',
        1,
    ).replace('compare = ["consultancy", "debate"]', 'compare = ["consultancy", "debate", "third"]')
    with pytest.raises(StudyError, match="compare must name two conditions"):
        read_study(three)
    with pytest.raises(StudyError, match="describe in the table `people` how people take part"):
        read_study(EXAMPLE.partition("[people]")[0])


def test_an_answer_is_read_as_the_question_says():
    questions = {q.name: q for stage in study_of().people.stages for q in stage.questions}
    assert questions["comment"].read("  ") is None
    assert questions["comment"].read("a\0b\ud800") == "ab?"
    assert questions["reading"].read(7) == 7
    with pytest.raises(AnswerError, match="Shorten your answer to 2,000 characters"):
        questions["comment"].read("x" * 2001)
    for name, wrong in (("reading", True), ("reading", "3"), ("adult", "maybe"), ("adult", 1)):
        with pytest.raises(AnswerError, match="This is no answer to the question"):
            questions[name].read(wrong)
