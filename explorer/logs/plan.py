"""Where a sample branches: which branch each event belongs to, before events are read.

Inspect writes branches in two ways: as spans of the type ``branch`` in which a `branch` event names
the point of departure, and as timelines of a sample's own. What a span has before its branch event
repeats its parent, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from explorer.logs.archive import text_of
from explorer.logs.errors import LogError

MOST_BRANCHES = 200
MOST_DEPTH = 100
MAIN = ""


@dataclass(frozen=True, slots=True)
class Departure:
    """A branch that is going to begin: its parent's key, and the point that it departs from."""

    name: str
    parent: str
    anchor: str


class Plan:
    """The branches of a sample by key, and the branch of each event."""

    def __init__(self, events: Sequence[Mapping[str, Any]], timelines: object) -> None:
        self.departures: dict[str, Departure] = {}
        self.agents: dict[str, str] = {}
        self._of_span: dict[str, str] = {}
        self._of_uuid: dict[str, str] = {}
        self._read_spans(events)
        if not self.departures and isinstance(timelines, list):
            for timeline in cast("list[object]", timelines)[:1]:
                root = _field(timeline, "root")
                self._read_timeline(root, MAIN, 0)
        if len(self.departures) > MOST_BRANCHES:
            raise LogError(
                f"The sample has {len(self.departures):,} branches; read are {MOST_BRANCHES}."
            )

    def branch_of(self, event: Mapping[str, Any]) -> str:
        """Return the key of an event's branch."""
        uuid, span = event.get("uuid"), event.get("span_id")
        if isinstance(uuid, str) and uuid in self._of_uuid:
            return self._of_uuid[uuid]
        return self._of_span.get(span, MAIN) if isinstance(span, str) else MAIN

    def agent_of(self, event: Mapping[str, Any]) -> str:
        """Return the name of the agent whose span an event is in; empty if there is none."""
        span = event.get("span_id")
        return self.agents.get(span, "") if isinstance(span, str) else ""

    def repeats(self, key: str) -> bool:
        """Return whether a branch begins with what repeats its parent, up to a branch event."""
        return key in self._of_span

    def _read_spans(self, events: Sequence[Mapping[str, Any]]) -> None:
        anchors = {
            event["span_id"]: text_of(event.get("from_anchor") or event.get("from_message"))
            for event in events
            if event.get("event") == "branch" and isinstance(event.get("span_id"), str)
        }
        for event in events:
            span = event.get("id")
            if event.get("event") != "span_begin" or not isinstance(span, str):
                continue
            parent = event.get("parent_id")
            above = self._of_span.get(parent, MAIN) if isinstance(parent, str) else MAIN
            if event.get("type") == "branch" and span in anchors and span not in self.departures:
                name = text_of(event.get("name")) or "branch"
                self.departures[span] = Departure(name, above, anchors[span])
                above = span
            self._of_span[span] = above
            if event.get("type") == "agent":
                self.agents[span] = text_of(event.get("name"))
            elif isinstance(parent, str) and parent in self.agents:
                self.agents[span] = self.agents[parent]

    def _read_timeline(self, span: object, branch: str, depth: int) -> None:
        if depth > MOST_DEPTH:
            raise LogError("The sample's timeline is nested too deeply.")
        for item in _items(span, "content"):
            uuid = _field(item, "event")
            if isinstance(uuid, str):
                self._of_uuid.setdefault(uuid, branch)
            elif _field(item, "type") == "span":
                self._read_timeline(item, branch, depth + 1)
        for item in _items(span, "branches"):
            key = f"timeline {len(self.departures)}"
            name = text_of(_field(item, "name")) or "branch"
            self.departures[key] = Departure(name, branch, text_of(_field(item, "branched_from")))
            self._read_timeline(item, key, depth + 1)


def _field(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def _items(value: object, name: str) -> Iterator[object]:
    items = _field(value, name)
    yield from cast("list[object]", items) if isinstance(items, list) else ()
