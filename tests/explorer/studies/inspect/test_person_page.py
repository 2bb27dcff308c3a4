"""Tests of the server that shows a question to a person."""

import json
from functools import partial
from itertools import count
from urllib.parse import urlsplit

import anyio
import pytest

from explorer.studies.inspect.errors import InspectModelError
from explorer.studies.inspect.person_page import ANSWER, LETTERS, Answer, PersonPage, Question
from tests.depth import each
from tests.explorer.studies.inspect.somebody import Somebody, asked
from tests.hostile_texts import HOSTILE

TOOL = {"name": "add", "description": "", "parameters": {"properties": {"x": {"type": "integer"}}}}


@pytest.fixture(scope="module")
def page():
    return PersonPage()


@pytest.fixture
def somebody(page):
    return Somebody(page.address)


@pytest.fixture
def ask(page):
    return partial(asked, page)


def asking(text="What is 2 + 2?", **more):
    return Question([{"role": "user", "text": text}], **more)


def test_a_question_is_shown_once_and_its_answer_returned(somebody, ask):
    assert somebody.look() == {"name": "", "waiting": 0, "question": None}
    answer = ask(asking())
    shown = somebody.question()
    assert shown["messages"] == [{"role": "user", "text": "What is 2 + 2?"}]
    assert somebody.look(shown["name"])["question"] is None
    assert somebody.send(shown["name"], "4") == (200, "")
    assert answer.result(60) == Answer("4")
    assert somebody.look()["name"] == ""


def test_questions_wait_for_one_another(somebody, ask):
    answers = {}
    for name in "abc":
        answers[name] = ask(asking(name))
        while somebody.look()["waiting"] < len(answers) - 1:
            pass
        somebody.question()
    for name in "abc":
        shown = somebody.question()
        assert shown["messages"][0]["text"] == name
        somebody.send(shown["name"], name.upper())
        assert answers[name].result(60) == Answer(name.upper())


def test_the_second_of_two_sends_is_ignored(somebody, ask):
    first, _ = ask(asking("one")), somebody.question()
    second = ask(asking("two"))
    name = somebody.question()["name"]
    assert somebody.send(name, "yes") == (200, "")
    assert somebody.send(name, "no") == (409, "This question no longer waits for an answer.")
    assert somebody.send("", "no")[0] == 409
    assert first.result(60) == Answer("yes")
    somebody.send(somebody.question()["name"], declined=True)
    assert second.result(60) == Answer("", declined=True)


@each(
    ("given", "status", "said"),
    [
        ({"text": " \n"}, 400, "The answer is empty."),
        ({"text": None}, 400, "An answer has a text"),
        ({"text": "x", "arguments": [1]}, 400, "the name of a tool, and its arguments"),
        ({"tool": "rm"}, 400, "There is no tool of this name."),
        ({"text": "x" * (LETTERS + 1)}, 400, "The answer is too long: at most 200,000"),
        ({"text": "x" * ANSWER.size}, 413, "The answer is too long."),
    ],
)
def test_what_is_no_answer_is_refused_and_the_question_stays(somebody, ask, given, status, said):
    answer = ask(asking(tools=[TOOL]))
    name = somebody.question()["name"]
    found = somebody.send(name, **given)
    assert found[0] == status
    assert said in found[1]
    assert somebody.send(name, "beside", "add", {"x": 4}) == (200, "")
    assert answer.result(60) == Answer("beside", "add", {"x": 4})


def test_a_question_may_want_a_tool(somebody, ask):
    answer = ask(asking(tools=[TOOL], needs_tool=True))
    name = somebody.question()["name"]
    assert somebody.send(name, "4") == (400, "This question wants a tool. Choose one.")
    for body in ("[1]", "{", '{"a": 1, "a": 2}'):
        status, _, said = somebody.request("POST", f"{somebody.path}answer", body)
        assert status == 400
        assert json.loads(said)["problem"]
    assert (
        "An answer is a JSON object."
        in json.loads(somebody.request("POST", f"{somebody.path}answer", "[1]")[2]).values()
    )
    somebody.send(name, tool="add")
    assert answer.result(60) == Answer("", "add")


def test_only_who_has_the_address_gets_anything(somebody, ask):
    answer = ask(asking("a secret"))
    name = somebody.question()["name"]
    wrong = somebody.path[:-2] + ("a/" if somebody.path[-2] != "a" else "b/")
    for path in ("/", "", "/question", wrong, f"{wrong}question", f"/é{somebody.path}", "//"):
        status, _, body = somebody.request("GET", path.replace("é", "%C3%A9"))
        assert (status, body) == (404, b"Not found"), path
    for path in (f"{somebody.path}{rest}" for rest in ("x", "page.py", "answer", "../question")):
        assert somebody.request("GET", path)[0] == 404
    for host in ("evil.example", "127.0.0.1.evil.example", "", "a b"):
        status, _, body = somebody.request("GET", f"{somebody.path}question", host=host or "@")
        assert (status, body) == (403, b"This host is not served here."), host
    # Through a tunnel of another port.
    assert somebody.request("GET", somebody.path, host="localhost:1234")[0] == 200
    somebody.send(name, "4")
    answer.result(60)


def test_the_page_runs_only_its_own_script_and_loads_nothing_else(somebody, page):
    assert urlsplit(page.address).hostname == "127.0.0.1"
    assert len(somebody.path) > 30
    for file, kind in (("", "html"), ("page.js", "javascript"), ("page.css", "css")):
        status, headers, body = somebody.request("GET", somebody.path + file)
        assert status == 200
        assert kind in headers["content-type"]
        assert "default-src 'none'; script-src 'self'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert b"http" not in body.replace(b"http://www.w3.org/2000/svg", b"")


def test_hostile_messages_come_as_data(somebody, ask):
    texts = [*HOSTILE, "</script><script>alert(1)</script>", "\u202eevil"]
    answer = ask(Question([{"role": "user", "text": text} for text in texts]))
    shown = somebody.question()
    assert [message["text"] for message in shown["messages"]] == texts
    somebody.send(shown["name"], "<b>")
    assert answer.result(60) == Answer("<b>")


def test_time_counts_only_while_a_question_is_shown():
    ticks = count(step=60)
    page = PersonPage(clock=lambda: next(ticks))
    with pytest.raises(InspectModelError, match=r"person has not answered in time.*than 5 min"):
        anyio.run(page.ask, asking(minutes=5))
    somebody = Somebody(page.address)
    # The one that was given up is gone.
    assert somebody.look()["name"] == ""
    page.clock = lambda: 0
    first = asked(page, asking("one"))
    somebody.question()
    second = asked(page, asking("two", minutes=5))
    while not somebody.look()["waiting"]:
        pass
    page.clock = lambda: 1000
    # Its time begins only now.
    somebody.send(somebody.question()["name"], "1")
    shown = somebody.question()
    assert shown["messages"][0]["text"] == "two"
    somebody.send(shown["name"], "2")
    assert (first.result(60).text, second.result(60).text) == ("1", "2")


def test_a_port_that_is_taken_is_refused(page):
    with pytest.raises(InspectModelError, match="of this machine is taken"):
        PersonPage(urlsplit(page.address).port)
