"""What pages of a running server show of the kept database, to each of its browsers."""

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from http.cookiejar import Cookie, CookieJar
from typing import Any

from google.protobuf.json_format import MessageToDict

from explorer.storage import Criteria
from explorer.visitors import COOKIE
from tests.explorer.frames import FrameServer, Page
from tests.explorer.pinned import pins
from tests.explorer.pinned.browsers import LEADER, SPECTATOR, token
from tests.explorer.pinned.golden import rounded

__all__ = ["FEW", "brief", "elements_of", "pages", "shown"]

# Pages that the quick run compares: each kind of page, in the state in which it shows most.
FEW = (
    *("gathering as lead", "waiting as lead", "running as lead", "revealed as lead"),
    *("waiting as person 1", "running as person 1", "left as person 1", "revealed as gallery"),
    *("lesson: pairs after as projector", "lesson: pairs as lead", "lesson: revealed as lead"),
    *("lesson: a guess as person 1", "lesson: before as lead", "closed as lead"),
    *("all transcripts", "transcripts 371aca7ca0ccdebd81ccc9ef40180fbc"),
    "play 15cf0a941982ded6eeeeb46d2a0ab6e2",
)
# People whose pages of a room are compared: the first three cover all that can be seen.
PEOPLE = (1, 2, 3)
# In the first two, the server's scheduler goes on playing; the others begin a random game.
LEFT_OUT = (
    *("rehearsal", "with a model"),
    *("lesson: alone as person 3", "lesson: own pace as person"),
)
# The properties of an element that people see or hear; the rest is Streamlit's transport.
SEEN = ("body", "label", "options", "help", "placeholder", "default", "disabled", "captions")
LONG = 400  # characters
# What differs from one server, or one run, to the next.
DRAWN = (
    (re.compile(r"127\.0\.0\.1:\d+"), "HOST"),
    (re.compile(r"/media/[0-9a-f]+"), "/media/ID"),
    (re.compile(r"/fronts?/([a-z_]+)[^\"' ]*"), r"/front/\1"),
    # The image of an address contains the port.
    (re.compile(r"(?<=</h1>)<svg.*?</svg>", re.DOTALL), "QR"),
)


@dataclass
class Browser:
    """A browser as `FrameServer.open` takes one, which uses only its cookies."""

    cookies: CookieJar


def browser(number: int) -> Browser:
    """Return a browser that the rooms of the kept database know."""
    jar = CookieJar()
    rest: dict[str, Any] = {"rest": {}, "comment": None, "comment_url": None, "version": 0}
    place = {"domain": "127.0.0.1", "domain_specified": False, "domain_initial_dot": False}
    jar.set_cookie(
        Cookie(
            name=COOKIE,
            value=token(number),
            port=None,
            port_specified=False,
            path="/",
            path_specified=True,
            secure=False,
            expires=None,
            discard=True,
            **place,
            **rest,
        )
    )
    return Browser(jar)


def pages(server: FrameServer) -> dict[str, tuple[int, str, dict[str, str]]]:
    """Return the browser, page and address of everything that is compared."""
    found: dict[str, tuple[int, str, dict[str, str]]] = {}
    for name, code in pins.codes().items():
        for number in PEOPLE:
            found[f"{name} as person {number}"] = number, "room", {"code": code}
        for window in ("lead", "projector"):
            found[f"{name} as {window}"] = LEADER, "room", {"code": code, "as": window}
        found[f"{name} as gallery"] = SPECTATOR, "room", {"code": code, "as": "gallery"}
    for entry in server.storage.find(Criteria(), limit=1000):
        for page in ("play", "transcripts"):
            found[f"{page} {entry.id}"] = LEADER, page, {"episode": entry.id}
    found["all transcripts"] = LEADER, "transcripts", {}
    return {name: what for name, what in found.items() if not name.startswith(LEFT_OUT)}


def shown(server: FrameServer, name: str) -> dict[str, Any]:
    """Return what a page shows, element by element, and the files behind its buttons."""
    number, address, query = pages(server)[name]
    page = server.open(address, visitor=browser(number), **query)
    try:
        elements = elements_of(page)
        taken = {label: pins.text(body) for label, body in page.downloads().items()}
    finally:
        page.close()
    return {"elements": elements, "files": brief(steadied(taken))}


def elements_of(page: Page) -> list[dict[str, Any]]:
    """Return what people see or hear of a page, element by element."""
    seen = (_seen(kind, element) for kind, element in page.elements())
    return [each for each in seen if each]


def _seen(kind: str, element: Any) -> dict[str, Any]:
    """Return what people see of an element, or None."""
    if kind == "bidi_component":
        return {"component": brief(steadied(_data(json.loads(element.json or "null"))))}
    said = MessageToDict(element, preserving_proto_field_name=True)
    seen = {name: said[name] for name in SEEN if name in said}
    return {"kind": kind, **brief(steadied(seen))} if seen else {}


def brief(found: Any) -> Any:
    """Shorten long texts and lists to their beginning and a digest."""
    if isinstance(found, dict):
        return {key: brief(value) for key, value in found.items()}
    text = rounded(json.dumps(found, sort_keys=True))
    if len(text) > LONG:
        return f"{text[:LONG]}... {sha256(text.encode()).hexdigest()[:16]}"
    return found


def _data(data: Any) -> Any:
    """Return a component's data, without its time and the marks of a process."""
    if isinstance(data, dict) and "pieces" in data:
        # The names of a lesson's pieces change with the fronts of its drawings.
        pieces = data["pieces"]
        parts = [pieces[part] | pieces[now] for part, now in data["parts"]]
        return _data({"about": pieces[data["about"]], "parts": parts, "done": data["done"]})
    if isinstance(data, dict):
        left_out = {"clock", "known", "mark"} | ({"now"} if "tables" in data else set())
        return {name: _data(value) for name, value in data.items() if name not in left_out}
    return [_data(each) for each in data] if isinstance(data, list) else data


def steadied(found: Any) -> Any:
    """Return a document without random values."""
    if isinstance(found, dict):
        return {key: steadied(value) for key, value in found.items()}
    if isinstance(found, list):
        return [steadied(value) for value in found]
    if isinstance(found, str):
        for drawn, instead in DRAWN:
            found = drawn.sub(instead, found)
    return found
