"""Logs in the form of Inspect 0.3.285, written for these tests."""

import io
import json
import zipfile

LONG = "word " * 3_000


def message(role, text, name, **more):
    """Return a message."""
    return {"id": name, "role": role, "content": text, **more}


def model(given, said, name, role=None, **more):
    """Return a call of a model: the messages that it was given, or their places in the pool."""
    read = {"input": given} if given and isinstance(given[0], dict) else {"input_refs": given}
    output = {"choices": [{"message": message("assistant", said, name, **more)}]}
    event = {"event": "model", "model": "lab/large", "role": role, "input": [], **read}
    return {**event, "output": output, "uuid": f"e-{name}"}


def tool(call, name, result="done"):
    """Return a call of a tool."""
    asked = {"id": call, "function": "bash", "arguments": {"cmd": "ls"}}
    return {"event": "tool", **asked, "result": result, "message_id": name}


def opened(name, kind=None, parent=None):
    """Return the beginning of a span."""
    return {"event": "span_begin", "id": name, "name": name, "type": kind, "parent_id": parent}


def within(span, *events):
    """Return events of a span."""
    return [{"span_id": span, **event} for event in events]


def anchor(name):
    """Return a point from which a branch may depart."""
    return {"event": "anchor", "anchor_id": name}


def branch(name):
    """Return the event with which a branch begins."""
    return {"event": "branch", "from_anchor": name}


TASK = message("user", "Do <b>it</b>.", "m1")
ASKED = [{"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}}]
EVENTS = [
    opened("agent", "agent"),
    *within(
        "agent",
        model([TASK], "I look.", "m2", "untrusted", tool_calls=ASKED),
        tool("c1", "m3"),
        anchor("here"),
    ),
    opened("other", "branch", "agent"),
    # What repeats the parent is left out.
    *within("other", model([TASK], "I look.", "m2", "untrusted"), branch("here")),
    *within("other", model([[0, 3], [4, 5]], "Harm.", "b1", "untrusted")),
    *within("agent", model([[0, 4]], "Done.", "m5", "untrusted")),
    opened("deeper", "branch", "other"),
    *within("deeper", branch("b1"), model([[0, 3]], "Deeper.", "d1")),
    model([message("user", "Is it harm?", "w1")], "No.", "w2", "monitor"),
    {"event": "score", "scorer": "harm", "score": {"value": 0.5}, "intermediate": True},
    {"event": "info", "data": {"a": 1}},
]
POOL = [
    TASK,
    message("assistant", "I look.", "m2"),
    message("tool", "done", "m3", tool_call_id="c1", function="bash"),
    message("user", "attachment://long", "m4"),
    message("user", "Do harm.", "b0"),
]
SCORES = {
    "harm": {
        "value": 0.25,
        "answer": "25",
        "explanation": "It looked [M2], then [1] was <i>told</i> [M4]; see [b1] and [M99].",
        "metadata": {"references": [{"type": "message", "cite": "[1]", "id": "m3"}]},
    },
    "unscored": {"value": float("nan"), "reason": "grader_failed"},
}


def sample(events=EVENTS, **more):
    """Return a sample."""
    return {
        "id": "one",
        "epoch": 1,
        "target": "ok",
        "messages": [message("system", "Be good.", "s"), *POOL[:4]],
        "events": events,
        "events_data": {"messages": POOL, "calls": []},
        "attachments": {"long": LONG},
        "scores": SCORES,
        **more,
    }


HEADER = {"version": 2, "status": "success", "eval": {"task": "harm", "model": "lab/large"}}


def as_json(*samples, **more):
    """Return a log that is one document."""
    return json.dumps({**HEADER, **more, "samples": list(samples)}).encode()


def as_zip(*samples, method=zipfile.ZIP_DEFLATED):
    """Return a log that is a zip."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr("_journal/start.json", json.dumps(HEADER))
        for number, each in enumerate(samples):
            text = each if isinstance(each, str | bytes) else json.dumps(each)
            archive.writestr(f"samples/one_epoch_{number + 1}.json", text)
    return content.getvalue()
