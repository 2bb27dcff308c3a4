"""Reading a sample of a log: its events, or its messages if it has none, become a trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from explorer.logs.archive import text_of
from explorer.logs.errors import LogError
from explorer.logs.plan import MAIN, Plan
from explorer.logs.traces import Branch, Entry, Kind, Score, Trace
from explorer.logs.words import Texts, a_line, shortened

MOST_EVENTS, MOST_ENTRIES = 50_000, 2_000
# Messages that all calls of models were given, together.
MOST_READ = 300_000
MOST_SCORES, MOST_ATTEMPTS = 50, 20
Fields = Mapping[str, Any]


def read_trace(sample: Fields) -> Trace:
    """Return a sample's document as a trace.

    Raises
    ------
    LogError
        If it exceeds a limit.
    """
    return _Reading(sample).trace()


class _Course:
    """A branch while it is read: its path, and where messages and anchors are in it."""

    def __init__(self, branch: Branch) -> None:
        self.branch = branch
        self.path: list[int] = []
        self.known: dict[str, int] = {}
        self.anchors: dict[str, int] = {}


class _Reading:
    def __init__(self, sample: Fields) -> None:
        self.sample = sample
        self.texts = Texts(sample.get("attachments"))
        self.pool = _list(_fields(sample.get("events_data")).get("messages"))
        self.entries: list[Entry] = []
        self.places: dict[str, int] = {}
        self.left_out = self.read = 0
        # By attempt (0 is the one that counts) and the branch's key in it.
        self.courses: dict[tuple[int, str], _Course] = {}

    def trace(self) -> Trace:
        """Return the trace."""
        events = _events(self.sample)
        main = self._begin((0, MAIN), Branch("main"))
        if not any(event.get("event") == "model" for event in events):
            self._read_messages(main)
        self._read_events(0, events, self.sample.get("timelines"))
        retries = _list(self.sample.get("error_retries"))[:MOST_ATTEMPTS]
        for number, retry in enumerate(map(_fields, retries), 1):
            course = self._begin((number, MAIN), Branch(f"attempt {number}, which failed"))
            self._read_events(number, _events(retry), None)
            self._add(course, "error", "error", "", self.texts.whole(retry.get("message")))
        messages = map(_fields, _list(self.sample.get("messages")))
        epoch = self.sample.get("epoch")
        return Trace(
            text_of(self.sample.get("id")),
            epoch if isinstance(epoch, int) and 0 <= epoch < 1_000_000 else 1,
            a_line(self.texts.content(self.sample.get("target"))),
            tuple(self._scores()),
            tuple(course.branch for course in self.courses.values()),
            tuple(self.entries),
            tuple(tuple(course.path) for course in self.courses.values()),
            self.places,
            tuple(text_of(m.get("id")) for m in messages if m.get("role") != "system"),
            self.left_out,
        )

    # -- branches --------------------------------------------------------------------------------

    def _begin(self, key: tuple[int, str], branch: Branch) -> _Course:
        course = self.courses[key] = _Course(branch)
        return course

    def _course(self, attempt: int, key: str, plan: Plan) -> _Course:
        """Return a branch, which departs from its parent when its first event is read."""
        known = self.courses.get((attempt, key))
        if known is not None:
            return known
        departure = plan.departures[key]
        parent = self._course(attempt, departure.parent, plan)
        at = parent.anchors.get(departure.anchor)
        number = parent.known.get(departure.anchor)
        if at is None and number is not None:
            at = parent.path.index(number) + 1
        problem = "" if at is not None else "The log does not say where it departs."
        at = len(parent.path) if at is None else at
        above = list(self.courses).index((attempt, departure.parent))
        name = a_line(departure.name, 80)
        course = self._begin((attempt, key), Branch(name, above, at, problem))
        course.path = parent.path[:at]
        before = set(course.path)
        course.known = {name: place for name, place in parent.known.items() if place in before}
        return course

    # -- events ----------------------------------------------------------------------------------

    def _read_events(self, attempt: int, events: Sequence[Fields], timelines: object) -> None:
        plan = Plan(events, timelines)
        for event in events:
            key = plan.branch_of(event)
            kind = _name(event.get("event"))
            # A branch repeats its parent until its own event says that it begins.
            if kind == "branch":
                self._course(attempt, key, plan)
            if plan.repeats(key) and (attempt, key) not in self.courses:
                continue
            course = self._course(attempt, key, plan)
            if kind == "anchor":
                course.anchors.setdefault(text_of(event.get("anchor_id")), len(course.path))
            elif kind == "model":
                self._call(course, event, plan.agent_of(event))
            elif kind == "tool":
                self._tool(course, event)
            elif kind == "score":
                self._scored(course, event)
            elif kind in NOTES:
                said = next((event[name] for name in NOTES[kind] if event.get(name)), "")
                error = "error" if kind == "error" else "note"
                message = _fields(said).get("message") if kind == "error" else None
                text = self.texts.whole(message or said)
                self._add(course, error, kind.replace("_", " "), "", text, (event.get("uuid"),))

    def _read_messages(self, course: _Course) -> None:
        """Read the messages of a log that keeps no events."""
        for message in map(_fields, _list(self.sample.get("messages"))):
            self._given(course, message)

    def _add(
        self,
        course: _Course,
        kind: Kind,
        who: str,
        title: str,
        text: str,
        ids: Iterable[object] = (),
        read: Iterable[int] = (),
    ) -> int | None:
        """Add an entry to a branch; return its number, or None if there are too many."""
        if len(self.entries) >= MOST_ENTRIES:
            self.left_out += 1
            return None
        number = len(self.entries) + 1
        kept, left_out = shortened(text)
        who, title = a_line(who, 60) or "?", a_line(title)
        self.entries.append(Entry(number, kind, who, title, kept, left_out, tuple(read)))
        course.path.append(number)
        for name in ids:
            if isinstance(name, str) and name:
                course.known.setdefault(name, number)
                self.places.setdefault(name, number)
        return number

    def _call(self, course: _Course, event: Fields, agent: str) -> None:
        """Add a call of a model, after the messages that it was the first to be given."""
        given = self._input(event)
        self.read += len(given)
        if self.read > MOST_READ:
            raise LogError(
                f"The sample's models were given more than {MOST_READ:,} messages in all."
            )
        read = [number for each in given if (number := self._given(course, each)) is not None]
        choices = _list(_fields(event.get("output")).get("choices"))
        message = _fields(_fields(next(iter(choices), None)).get("message"))
        model = text_of(event.get("model"))
        who = text_of(event.get("role")) or agent or model
        text = self._said(message)
        if event.get("error"):
            text = "\n".join(filter(None, (text, self.texts.whole(event["error"]))))
        ids = (message.get("id"), event.get("uuid"))
        self._add(course, "model", who, model, text, ids, dict.fromkeys(read))

    def _said(self, message: Fields) -> str:
        said = self.texts.content(message.get("content"))
        return "\n\n".join(filter(None, (said, self.texts.calls(message.get("tool_calls")))))

    def _input(self, event: Fields) -> list[Fields]:
        """Return the messages that a call of a model was given."""
        given = _list(event.get("input"))
        if not given:
            left = MOST_READ - self.read + 1
            for ends in _list(event.get("input_refs")):
                if isinstance(ends, list) and len(pair := cast("list[object]", ends)) == 2:
                    begin, end = pair
                    if isinstance(begin, int) and isinstance(end, int) and 0 <= begin < end:
                        given.extend(islice(self.pool, begin, min(end, begin + left)))
                if len(given) > left:
                    break
        return [_fields(each) for each in given]

    def _given(self, course: _Course, message: Fields) -> int | None:
        """Return the entry of a message, which is added if the branch does not have it."""
        role = text_of(message.get("role")) or "user"
        call = message.get("tool_call_id")
        ids = [message.get("id"), f"call {call}" if isinstance(call, str) else None]
        names = [name for name in ids if isinstance(name, str)]
        if not names:
            names = [f"{role}: {self._said(message)}"]
        known = next((course.known[name] for name in names if name in course.known), None)
        if known is not None:
            return known
        kind: Kind = "tool" if role == "tool" else "message"
        who = text_of(message.get("function")) or "tool" if kind == "tool" else role
        return self._add(course, kind, who, "", self._said(message), names)

    def _tool(self, course: _Course, event: Fields) -> None:
        call = event.get("id")
        named = f"call {call}" if isinstance(call, str) else None
        ids = (event.get("message_id"), event.get("uuid"), named)
        error = _fields(event.get("error")).get("message")
        text = self.texts.content(event.get("result"))
        if error:
            text = "\n".join(filter(None, (text, f"Error: {self.texts.whole(error)}")))
        arguments = self.texts.whole(event.get("arguments"))
        self._add(course, "tool", text_of(event.get("function")) or "tool", arguments, text, ids)

    def _scored(self, course: _Course, event: Fields) -> None:
        score = self._score(text_of(event.get("scorer")) or "scorer", event.get("score"))
        title = f"{score.value} (in between)" if event.get("intermediate") is True else score.value
        self._add(course, "score", score.name, title, score.explanation, (event.get("uuid"),))

    # -- scores ----------------------------------------------------------------------------------

    def _scores(self) -> Iterator[Score]:
        for name, given in islice(_fields(self.sample.get("scores")).items(), MOST_SCORES):
            yield self._score(name, given)

    def _score(self, name: str, given: object) -> Score:
        score = _fields(given)
        value = score.get("value")
        said = a_line(self.texts.whole(value)) if value is not None else "no score"
        reason = a_line(self.texts.whole(score.get("reason")), 60)
        return Score(
            a_line(name, 60),
            f"{said} ({reason})" if reason else said,
            a_line(self.texts.whole(score.get("answer"))),
            shortened(self.texts.whole(score.get("explanation")))[0],
            dict(_references(_fields(score.get("metadata")))),
        )


# Events that are shown as notes, and their fields that may hold what they say.
NOTES: Mapping[str, tuple[str, ...]] = {
    "approval": ("explanation", "decision", "message"),
    "compaction": ("type",),
    "error": ("error",),
    "info": ("data",),
    "input": ("input",),
    "interrupt": ("source",),
    "sample_limit": ("message",),
    "subtask": ("result", "name"),
}


def _references(metadata: Fields) -> Iterator[tuple[str, str]]:
    """Yield how a scorer cites messages and events, and their ids."""
    for name in ("references", "scanner_references"):
        for each in map(_fields, _list(metadata.get(name))[:1_000]):
            cite, place = each.get("cite"), each.get("id")
            if isinstance(cite, str) and isinstance(place, str):
                yield cite, place


def _name(value: object) -> str:
    return value if isinstance(value, str) else ""


def _fields(value: object) -> Fields:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return list(cast("list[object]", value)) if isinstance(value, list) else []


def _events(holder: Fields) -> list[Fields]:
    events = _list(holder.get("events"))
    if len(events) > MOST_EVENTS:
        raise LogError(f"The sample has {len(events):,} events; read are {MOST_EVENTS:,}.")
    return [_fields(each) for each in events if not _fields(each).get("pending")]
