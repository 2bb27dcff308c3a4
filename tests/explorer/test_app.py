"""Tests of app.py, ui/layout.py and ui/shell.py.

Every page through the app's entry, and what is shown when one fails.
"""

import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from explorer.ui.layout import pages_folder
from explorer.ui.shell import EXPLORER, PAGES
from tests.depth import cases, each

ENTRY = str(EXPLORER / "app.py")
FAILED = "could not be shown completely"


@pytest.fixture(autouse=True)
def _own_database(tmp_path, monkeypatch):
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", f"sqlite:///{tmp_path}/episodes.db")


def files():
    return [entry.file for entry in PAGES if (pages_folder() / entry.file).is_file()]


def test_every_page_file_is_in_the_navigation():
    assert {path.name for path in pages_folder().glob("*.py")} == set(files())


@each("file", files())
def test_pages_are_thin(file):
    assert len((pages_folder() / file).read_text("utf-8").splitlines()) < 80


def test_a_page_that_fails_shows_a_message_and_a_number(monkeypatch, caplog):
    from explorer.ui.play import page

    def fail():
        raise RuntimeError("a secret detail")

    monkeypatch.setattr(page, "show_page", fail)
    app = AppTest.from_file(ENTRY, default_timeout=600).run()
    with caplog.at_level(logging.ERROR, "explorer"):
        app.switch_page(str(pages_folder() / "play.py")).run()
    assert not app.exception
    (shown,) = app.error
    assert FAILED in shown.value
    page = "".join(each.value for each in (shown, *app.markdown))
    assert "report the number" in page
    assert "secret" not in page
    assert ">Try again<" in "".join(each.proto.body for each in app.get("html"))
    assert "a secret detail" in caplog.text


KEYS = st.sampled_from(
    [
        *("protocol", "episode", "seat", "task", "round", "seed", "view", "compare", "q", "tag"),
        *("max_message_rounds", "mnip_protocol.sequential", "protocol_common.prover_reward", "no"),
    ]
)
VALUES = st.sampled_from(
    [
        *("", "true", "-1", "1e999", "9" * 40, "NaN", "null", "[1]", "mnip", "id:x", "code:hard"),
        *("<script>1</script>", "![x](https://example.com/x.png)", "'; --", "../../etc", "\u202e"),
    ]
) | st.text(max_size=15)


@pytest.mark.parametrize("file", files())
@settings(max_examples=cases(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_any_address_gets_a_page(file, query):
    app = AppTest.from_file(ENTRY, default_timeout=600)
    app.switch_page(str(pages_folder() / file))
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert not any(FAILED in error.value for error in app.error)
    said = " ".join(text.value for text in app.markdown)
    assert "<script>" not in said
    assert "![x](https" not in said
