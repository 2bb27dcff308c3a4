"""Every object has a display at the end of a cell: short, readable, and without secrets."""

import importlib
import inspect
import re
import traceback
from fractions import Fraction
from functools import cache
from html import escape
from html.parser import HTMLParser
from pkgutil import walk_packages
from threading import Thread

import numpy as np
import pytest

import nip_core
from nip_core import Episode, HyperParameters, Move, editing, language, parameters
from nip_core import values as worth
from nip_core.code_validation import NipCodeValidationProtocol
from nip_core.displays import (
    MOST_OF_CELL,
    MOST_OF_LINE,
    MOST_ROWS,
    Table,
    Tabular,
    listed,
    with_article,
)
from nip_core.documents import NOTE
from nip_core.errors import PlayError, TaskError
from nip_core.language import checked_quotes
from nip_core.nested_array_dict import NestedArrayDict
from nip_core.parameters import ExperimentSettings, ParameterGroup
from nip_core.play import (
    Answered,
    Briefing,
    Commented,
    Deal,
    Event,
    Origin,
    Refused,
    Seated,
    Went,
    Withdrew,
    continued,
    values_at_chances,
)
from nip_core.registry import protocol_info
from nip_core.spec import Remark, Turn
from nip_core.tasks import (
    ClaimWords,
    Task,
    Tasks,
    graph_task,
    load_quality,
    load_tasks,
    passages,
    problems,
    task_kind,
)
from nip_core.text import Span, default_agent_specs
from nip_core.transcript import Feedback, read_records, read_rollouts
from tests.depth import each
from tests.hostile_texts import HOSTILE
from tests.noninterference import _other_label
from tests.sanitised import DRAWN, Sanitised
from tests.transcript.others import samples

# Users never have the objects that draw the app's pages.
SCREEN = "explorer.ui"
# A long text of several lines, with markup for every reader.
LABEL = "<b>$x$</b> & https://evil.example"
LONG = "Why <i>not</i>? $5 or $6 " * 20
INTENT = {"intent": "harmless"}
NASTY = "".join(HOSTILE) + "\n\x1b[2J\u202e<script>alert(1)</script>" + "x" * 3_000


def public_classes(package):
    """Return all classes that a package and its subpackages export, which users may have in a
    notebook.
    """
    inside = walk_packages(package.__path__, f"{package.__name__}.")
    # The server's classes do not appear in notebooks.
    beside = (SCREEN, "explorer.server")
    rooms = [room.name for room in inside if room.ispkg and not room.name.startswith(beside)]
    modules = [package, *map(importlib.import_module, rooms)]
    found = [getattr(each, name) for each in modules for name in getattr(each, "__all__", ())]
    return {
        each
        for each in found
        if inspect.isclass(each)
        and each.__module__.startswith(package.__name__)
        and not issubclass(each, BaseException | dict | Thread)
        and not getattr(each, "_is_protocol", False)
    }


def hostile_task():
    return Task(question=NASTY, solution=NASTY, y=1, title=LABEL, explanation=NASTY, source_id="1")


@cache
def things():
    """Return at least one object of each public class, with hostile texts in it."""
    parameters_ = HyperParameters(interaction_protocol="nip")
    handler = nip_core.build_protocol_handler(parameters_, ExperimentSettings())
    return [
        parameters_,
        handler,
        *of_protocols(handler),
        *of_tasks(),
        *of_play(),
        *of_values(handler),
        *of_rollouts(),
        *of_others(),
        *of_language(),
        *of_editing(),
        *of_turns(),
    ]


def of_language():
    spec = nip_core.specification("trusted_monitor")
    yield from (spec, spec.seats[0], spec.parts[0], spec.channels[0], spec.choices[0])
    yield from (spec.choices[1].options, spec.stages[0], spec.stages[0].turns[0], spec.pay[0])
    yield from (spec.stages[0].turns[0].acts[0], spec.limits[0], spec.expression("over"))
    deal = Deal(spec, {"mission": NASTY.replace("\0", ""), "side_task": LONG})
    episode = Episode(spec, deal.parts)
    said = f"<quote>{LABEL}</quote> {LONG}"
    episode.play(Move("untrusted", {"proposals": said}, choices={"intent": "harmless"}))
    release, view = episode.node.release, episode.view_for("monitor")
    yield from (deal, release, release.messages[0], view, view.legal, view.rounds[0])
    yield from (view.rounds[0].messages[0], checked_quotes(said, ())[0], continued(episode, spec))
    yield Remark("code", "note", NASTY, ("monitor",), choice="action", place=LABEL, remedy=LONG)
    yield language.StatedChance("truth", LABEL)
    yield language.Side(choice=LABEL, other=True)
    yield language.StatedRoles(LABEL, (LABEL,))
    yield language.Family(LABEL, "seats", (LABEL,))
    yield language.ComputedValue(LABEL, LABEL, "max", (LABEL,))
    yield language.Roles(LABEL)
    habit = language.Habit("action", {"run": 1})
    yield from (habit, language.GivenPlay(spec, [habit]), worth.play_values(spec, [habit]))
    yield worth.plain_values(spec, [habit])


def of_turns():
    task = {"mission": NASTY.replace("\0", ""), "side_task": LONG, "title": LABEL}
    episode = Episode(nip_core.specification("trusted_monitor", steps=1), task)
    yield episode
    episode.play(Move("untrusted", {"proposals": f"<quote>{LABEL}</quote> {LONG}"}, choices=INTENT))
    view = episode.view_for("monitor")
    yield from (view, view.legal, view.rounds[0], episode.node, episode.setup, episode.task)
    chosen = {"suspicion": 50, "action": "run"}
    episode.play(Move("monitor", {"log": NASTY.replace("\0", "")[:200]}, choices=chosen))
    yield from (episode, episode.result(), episode.view_for("monitor").ending)


def of_others():
    (record,) = read_records(samples.text(samples.FINISHED))
    yield from (record, record.judgements[0], Feedback(LONG, NASTY, LONG, NASTY))


def of_rollouts():
    said = {"message": [[[[NASTY], [LONG]]]], "decision": [[[0, 1]]], "y": [[1]], "round": [[0]]}
    rollouts = read_rollouts({key: np.array(value) for key, value in said.items()}, "nip")
    yield from (rollouts, rollouts[0], rollouts[0].steps[0])


def of_protocols(handler):
    spec = handler.spec
    yield from (spec, spec.agents[0], spec.channels[0], spec.schedules[0], spec.payoff, Turn())
    yield from (Remark("code", "warning", NASTY), protocol_info("nip"), ExperimentSettings())
    yield NOTE
    yield from (NestedArrayDict({"y": [1]}, [1]), *(group() for group in groups()))
    scenario = HyperParameters("code_validation")
    yield NipCodeValidationProtocol(scenario, ExperimentSettings())
    yield from (next(iter(default_agent_specs(spec).values())), Span("verdict", 0, 3))


def of_tasks():
    graphs, problem, kind = graph_task(1), problems()[0], task_kind("code_validation")
    yield from (hostile_task(), hostile_task().statement, graphs, graphs.payload)
    yield Tasks([hostile_task(), graphs])
    yield from (graphs.payload.first, problem, problem.cases[0], kind, kind.words)
    yield from (problem.wrong.questions[0], problem.wrong.exposing, ClaimWords())
    report = load_tasks(b"question,solution,y\na,b,2\nc,d,1\n", "x.csv")
    yield from (report, report.problems[0])
    passage = passages()[0]
    yield from (passage, passage.answers[0], passage.pick(1), passage.pick(1).statement)
    yield load_quality(b'{"article": "a", "questions": [{}]}')


def played(task):
    episode = Episode(HyperParameters(), task)
    episode.play(Move("verifier", {"main": LONG}, confidence=5, raw=NASTY))
    episode.play(Move("prover", {"main": "So."}))
    return episode


def of_play():
    going_on, over = played(hostile_task()), played(hostile_task())
    over.play(Move("verifier", decision=1))
    for episode in (going_on, over):
        view = episode.view_for("verifier")
        yield from (episode, episode.setup, episode.node, episode.result(), view, view.legal)
    yield from (view.ending, view.rounds[0], view.rounds[0].messages[0])
    yield from (over.tree_for("verifier")[0], over.events[0], Event(), Withdrew(agent="prover"))
    yield from (Seated(agent="prover", player={"name": NASTY}), Commented(node=0, text=NASTY))
    yield from (
        Went(node=0),
        Origin(kind="llm", model=NASTY),
        Refused(NASTY, NASTY),
        Answered(NASTY, NASTY),
    )
    yield from (Move("a" * 500, {NASTY: NASTY}, raw=NASTY), Briefing(1, NASTY, None, None, {}))


def of_values(handler):
    model = worth.random_play(handler.spec)
    exact = worth.exact_values(handler, model)
    yield values_at_chances(handler.spec)
    yield from (model, exact, exact.endings, exact.distribution("verifier"))
    yield from worth.verdict_pay(nip_core.specification("nip")).values()
    yield worth.best_mechanism("adp", pessimistic=True)
    yield worth.best_mechanism("debate", pessimistic=True, prover_accuracy=(0.8, 0.7))
    yield from of_solvers(nip_core.specification("adp"))
    heard = [worth.Heard(1, 1, (NASTY,)), worth.Heard(0, 2, (LONG, NASTY)), worth.Heard(0, 1, ())]
    found = worth.recorded_evidence(heard)
    shown = worth.abstracted(nip_core.specification("nip"))
    yield from (shown, shown.evidence, shown.messages[0])
    worthy = worth.card(nip_core.specification("adp"))
    yield from (worthy, worthy.lines[0], worthy.lines[0].readings[0])
    yield from (heard[0], found, found.kinds[0], found.completeness)
    counted = worth.evidence_counts(Episode("nip", graph_task(seed=0)))
    measured = worth.measured_evidence([counted])
    yield from (counted, measured, measured.own)


def of_solvers(spec):
    sides = ("verifier", "prover")
    reply, found = worth.best_reply(spec, "prover"), worth.opposed(spec, *sides)
    mixture = worth.Mixture([(reply.plan, Fraction(1))])
    yield worth.SeatedPlan(reply.plan)
    yield from (reply, reply.plan, mixture, found, found.plans[0], worth.to_efg(spec))
    yield worth.committed(spec, *sides)
    goals = {"useful": {"verifier": 1}, "harm": {"prover": 1}}
    curve = worth.audit_frontier(spec, *sides, **goals, honest={})
    yield from (curve, curve.corners[0], worth.opposed(spec, *sides, seconds=1e-6))


def of_editing():
    history, refused = editing.History.of(editing.Draft.blank()).do("add_seat", {"title": NASTY})
    yield from (refused, *([refused.refused] if refused.refused else ()))
    history, result = history.do("add_seat", {"title": "Judge"})
    yield from (history, history.draft, history.steps[0], result, *result.edits)
    yield from (editing.Add(("seat", 0), {}), editing.Remove(("seat", 0)))
    yield from (editing.Move(("seat", 0), ("seat", 1)), editing.Set(("seat", 0), "title", NASTY))
    yield from (editing.Rename("seat", "judge", "critic"), editing.GESTURES["add_seat"])
    yield editing.Repair(NASTY, "add_seat", {})
    shipped = editing.Draft.of(nip_core.specification("khan_debate"))
    yield from (*editing.pay_tables(shipped)[:1], *editing.ideas_of(shipped)[:1])
    yield editing.mutations_of(shipped)[0]


def groups():
    return [
        each
        for each in vars(parameters).values()
        if inspect.isclass(each) and issubclass(each, ParameterGroup)
    ]


def html_of(thing):
    if hasattr(thing, "_repr_mimebundle_"):
        return thing._repr_mimebundle_().get("text/html", "")
    return thing._repr_html_() if hasattr(thing, "_repr_html_") else ""


def test_every_public_class_says_something():
    tried = {each.__repr__ for thing in things() for each in type(thing).__mro__[:-1]}
    assert object.__repr__ not in {type(thing).__repr__ for thing in things()}
    untried = {each.__name__ for each in public_classes(nip_core) if each.__repr__ not in tried}
    assert untried == set()


def reads_well(thing):
    said = repr(thing)
    assert said.isprintable(), said
    assert said.startswith(type(thing).__name__), said
    # Parameters show everything that defines them.
    most = 400 if isinstance(thing, HyperParameters) else MOST_OF_LINE
    assert len(said) <= most, said
    assert " at 0x" not in said


def test_what_is_said_is_one_readable_line():
    for thing in things():
        reads_well(thing)


class Tags(HTMLParser):
    """The tags that a browser finds in a text."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found |= {(tag, name) for name, _ in attributes} | {(tag, "")}
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


ELEMENTS = "img details summary table caption thead tbody tr th td div pre strong small"
OURS = set(ELEMENTS.split())
LINES = {"Heard", "Kind", "NestedArrayDict", "Rate", "Span", "TaskKind"}


def looks_well(thing):
    shown = html_of(thing)
    tags = Tags(shown)
    assert tags.open == [], type(thing)
    assert {tag for tag, _ in tags.found} <= OURS | {"style"}, type(thing)
    assert {name for _, name in tags.found} <= {
        "",
        "style",
        "scope",
        "colspan",
        "class",
        "alt",
        "src",
    }
    assert len(shown) < 150_000
    assert "\x1b" not in shown
    # Without styles and drawings, all readable text is still there.
    left = Sanitised(shown)
    assert left.lost == set()
    assert all(image["alt"] and image["src"].startswith(DRAWN) for image in left.images)
    # It is not mathematics either, which notebooks set wherever they find it.
    assert "$" not in shown or "mathjax_ignore" in shown


def test_what_is_shown_is_short_and_every_text_is_text():
    for thing in things():
        looks_well(thing)
    # Objects whose line has all facts.
    assert {type(thing).__name__ for thing in things() if not html_of(thing)} == LINES


def test_whatever_is_a_table_is_a_data_frame_too():
    tables = [thing for thing in things() if isinstance(thing, Tabular)]
    assert {type(each).__name__ for each in tables} >= {"Episode", "View", "ExactValues", "Reply"}
    for thing in tables:
        frame = thing.to_frame()
        assert list(frame.columns) == list(thing.table().head)
        assert len(frame) == len(thing.table().rows)


def test_a_long_table_is_shown_in_part_and_says_so():
    table = Table(("round", "text"), [(n, NASTY) for n in range(MOST_ROWS + 5)], {"round": str})
    shown = table.html("A title")
    assert "and 5 more rows: to_frame() has them all" in shown
    assert len(shown) < (MOST_ROWS + 1) * 6 * MOST_OF_CELL


@each("task", [problems()[0].wrong, graph_task(1), graph_task(2), hostile_task()])
def test_a_task_shows_nothing_of_what_it_is_to_find_out(task):
    other = _other_label(task)
    if other.payload is None:
        assert (other.y, other.source_id) != (task.y, task.source_id)
    assert repr(task) == repr(other)
    assert html_of(task) == html_of(other)
    assert repr(task.payload) == repr(other.payload)
    for hidden in (task.explanation, *(task.openings or ())):
        assert not hidden or hidden == NASTY or hidden[:40] not in html_of(task)


def test_an_episode_that_goes_on_shows_nothing_that_was_said():
    episode = played(problems()[0].wrong)
    for shown in (repr(episode), html_of(episode), repr(episode.setup)):
        assert "Why" not in shown
        assert "So." not in shown
    assert "turn 3 of at most 8" in repr(episode)
    episode.play(Move("verifier", decision=1))
    assert "over: accept" in repr(episode)
    assert escape(LONG[:20]) in html_of(episode)
    # Another variation continues: there are secrets again.
    episode.goto(1)
    episode.play(Move("prover", {"main": "Otherwise."}))
    episode.goto(3)
    assert escape(LONG[:20]) not in html_of(episode)


def test_people_count_rounds_from_1_and_python_from_0():
    episode = played(problems()[0].wrong)
    view = episode.view_for("prover")
    assert view.to_frame()["turn"].tolist() == [0, 1]
    cells = html_of(view).split("<tbody>")[1].split("<tr>")[1:]
    assert [row.split(">")[1].split("<")[0] for row in cells] == ["1", "2"]


def troubles(task):
    """Return errors in a game about a task, with everything that a verbose traceback shows."""
    episode = Episode(HyperParameters(interaction_protocol="mnip"), task)
    view = episode.view_for("verifier")
    for go_wrong in (
        lambda: episode.play(Move("verifier", {"nowhere": "So."})),
        lambda: episode.play(Move("prover0", decision=1)),
        lambda: episode.undo("verifier"),
        lambda: episode.goto(99),
        lambda: episode.view_for("nobody"),
        lambda: episode.finished(),
        lambda: Episode(HyperParameters(), task, stances={"prover": 7}),
        lambda: view.nothing,
    ):
        with pytest.raises(Exception) as found:  # noqa: PT011
            go_wrong()
        yield traceback_of(found.value)


def traceback_of(error):
    trace = traceback.TracebackException.from_exception(error, capture_locals=True)
    return re.sub(r" at 0x[0-9a-f]+", "", "".join(trace.format()))


@each(
    ("title", "phrase"),
    [
        *(("Judge", "the judge"), ("Juror 12", "juror 12"), ("Debater A", "debater A")),
        *(("The host", "the host"), ("A guest", "the guest"), ("A", "A")),
        *(("AI judge", "the AI judge"), ("LLM", "the LLM"), ("Alice", "Alice")),
        *(("法官", "法官"), ("المُدافِع", "المُدافِع"), ("Économiste", "the économiste")),
    ],
)
def test_titles_stand_in_sentences(title, phrase):
    assert with_article(title) == phrase


def test_no_traceback_tells_what_is_true():
    task = problems()[0].wrong
    # The test's own frames contain the task too, like a user's notebook.
    for one, other in zip(troubles(task), troubles(_other_label(task)), strict=True):
        assert one == other
        assert task.explanation[:30] not in one


def test_what_could_not_be_made_is_shown_by_a_traceback():
    with pytest.raises(TaskError) as found:
        Task(question="", solution="x", y=1)
    assert "self = Task('', 'code_validation', no task)" in traceback_of(found.value)
    with pytest.raises(PlayError) as found:
        Episode(HyperParameters(), hostile_task(), seed=-1)
    assert "self = Episode(not begun)" in traceback_of(found.value)


def test_long_runs_of_numbered_names_are_listed_by_their_ends():
    jurors = [f"juror {number}" for number in range(1, 8)]
    assert listed(jurors[:3]) == "juror 1, juror 2 and juror 3"
    assert listed(jurors[:5]) == "jurors 1 to 5"
    assert listed(["you", *jurors[1:], "the judge"]) == "you, jurors 2 to 7 and the judge"
    assert listed([jurors[0], *jurors[2:]]) == "juror 1 and jurors 3 to 7"
    assert listed(["weak copy 1", "weak copy 2", "weak copy 3", "weak copy 4"], "or") == (
        "weak copies 1 to 4"
    )
    assert listed(["1", "2", "3", "4", "5"]) == "1 to 5"
