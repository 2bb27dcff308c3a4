"""A study with a model on the Studies page: begun from the form, refused, played, read."""

import pytest

from explorer.studies.inspect import has_inspect
from tests.depth import exhaustive
from tests.explorer.frames.serve import set_variable
from tests.explorer.studies.inspect.server import Server
from tests.explorer.studies.test_run import keep_nothing_of

pytestmark = pytest.mark.skipif(not has_inspect(), reason="needs the extra `inspect`")

NAME = "asked"
KEY = "sk-the-key-of-this-server-alone-0123456789"
VARIABLE = "LOCAL_API_KEY"
TIMEOUT = 120


# -- in the server's process --------------------------------------------------------------------


def work():
    from explorer.studies import study_store, work_at

    return work_at(study_store().named(NAME))


def wait_for_its_end():
    found = work()
    found.join(TIMEOUT)
    assert not found.going
    return found.trouble


def rows():
    from explorer.studies import study_store

    return [(row.key, row.used.calls, row.log) for row in study_store().named(NAME).results()]


# -- in the test's process ----------------------------------------------------------------------


@pytest.fixture
def key(frames):
    frames.call(set_variable, VARIABLE, KEY)
    yield KEY
    frames.call(set_variable, VARIABLE, None)


def ask_for(page, server):
    page.choose("study-name", NAME)
    page.choose("study-problems", 5)
    page.choose("Scripted verifiers", [])
    page.choose("Model, as Inspect names it", "openai-api/local/one")
    page.choose("Address of a service of your own", server.url)


def allow(page, server, *where):
    """Confirm that the key may be sent to this server."""
    page.choose("-".join(["study-key", *where, VARIABLE, server.url]), True)


@exhaustive
def test_a_model_plays_a_study_that_was_begun_on_the_page(frames, key):
    with Server() as server:
        page = frames.open("studies", view="new")
        ask_for(page, server)
        assert any("20 episodes under 2 conditions" in text for text in page.texts())
        assert any(VARIABLE in text.replace("\\", "") for text in page.texts())

        # Without permission no key is sent to an address other than its provider's, whatever a
        # browser sends.
        start = page.widget("Start", "button").delta.new_element.button
        assert start.disabled
        page.click("Start")
        assert page.query == {"view": "new"}
        assert server.requests == []
        allow(page, server)

        # A refused key ends the study at the first request, with a message.
        server.statuses = [401] * 50
        page.click("Start")
        assert page.query == {"study": NAME}
        assert "HTTP 401" in frames.call(wait_for_its_end)
        page.rerun()
        assert any("does not accept the key" in text for text in page.texts("alert"))
        assert len(server.requests) == 1
        assert frames.call(rows) == []
        server.statuses.clear()
        page.click("Start")
        assert server.requests[1:] == []

        # When it is begun again, only what is missing is played.
        allow(page, server, NAME)
        page.click("Start")
        assert frames.call(wait_for_its_end) == ""
        page.rerun()
        last = frames.call(rows)
        assert len({name for name, _, _ in last}) == len(last) == 20
        assert sum(calls for _, calls, _ in last) + 1 == len(server.requests)

        # Its numbers, its files and one of its episodes.
        assert any(kind == "plotly_chart" for kind, _ in page.elements())
        read = frames.open("studies", study=NAME, episode=last[0][0])
        assert read.has_table
    texts = [frames.log, page.said, read.said]
    assert not any(KEY in text for text in texts)
    keep_nothing_of(key, frames.folder)


def test_a_key_that_is_missing_is_named_before_a_study_is_made(frames):
    with Server() as server:
        page = frames.open("studies", view="new")
        ask_for(page, server)
        page.choose("Model, as Inspect names it", "openai/one")
        page.choose("Address of a service of your own", "")
        page.click("Start")
        assert "study" not in page.query
        assert any("OPENAI_API_KEY" in text.replace("\\", "") for text in page.texts("alert"))
        assert server.requests == []
