"""Pages of the app, run by Streamlit's own tester."""

from streamlit.testing.v1 import AppTest

from explorer.ui.layout import page_file
from explorer.ui.shell import EXPLORER
from explorer.ui.visitor import STATE_KEY

APP = str(EXPLORER / "app.py")


def open_page(name: str, token: str = "", **query: object) -> AppTest:
    """Open a page through the app, as the browser with a token; return it after its first run.

    In names of the query, `__` stands for a dot, and `as_` for `as`.
    """
    app = AppTest.from_file(APP, default_timeout=600)
    if token:
        app.session_state[STATE_KEY] = token
    app.switch_page(str(page_file(name)))
    for key, value in query.items():
        app.query_params[key.rstrip("_").replace("__", ".")] = str(value)
    app.run()
    assert not app.exception
    return app


def sent_by(app: AppTest) -> str:
    """Return all that a page sends to the browser."""
    return "\n".join(str(each.proto) for each in app.main if hasattr(each, "proto"))
