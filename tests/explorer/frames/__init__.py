"""A client that speaks Streamlit's own protocol with a real server, frame by frame.

A browser shows what it makes of what it is sent; this client keeps *all* that it is sent, and can
send what no browser would. Take the fixture ``frames`` (one server for all tests of a worker; a
fresh database for each test)::

    def test_begin(frames):
        page = frames.open("play", protocol="mnip")     # a session of its own, like a tab
        page.click("Begin")                             # a button, by label or key
        page.choose("Pace", "every second")             # any widget, by label or key
        page.act(messages={"main": "Why?"})             # a move at the table
        assert page.table["head"]["claim"]          # the data of the table's component
        assert "Truth" not in page.said                 # all that it was sent, as text
        page.download("Download my view (JSON)")    # the bytes behind a download button
        page.upload("Transcripts", "a.json", b"{}")     # a file, as a browser brings it
        page.goto("transcripts", episode=page.query["episode"])
        page.rerun([WidgetState(id="...", string_value="forged")])   # what no browser would

``page.frames`` holds every message byte for byte; ``page.elements()`` what now stands on the page.
A call returns once the server has done all it was asked to, so nothing waits by the clock.
``frames.storage`` is the database that the server uses, ``frames.call(function, ...)`` runs a
function of a test module inside the server's process (``set_variable`` of ``.serve`` sets its
environment), and ``frames.log`` is what it has logged.
"""

from tests.explorer.frames.client import Page
from tests.explorer.frames.server import FrameServer

__all__ = ["FrameServer", "Page"]
