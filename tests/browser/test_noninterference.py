"""Nothing that reaches a seat's browser depends on what the seat may not see."""

from __future__ import annotations

import dataclasses
import random
import re

from explorer.storage import open_storage
from nip_core.play import Setup
from tests.browser.conftest import SHOTS
from tests.browser.waiting import at_rest, settled
from tests.explorer.frames.worlds import differences
from tests.explorer.test_page_noninterference import seated
from tests.noninterference import build, some_world, vary
from tests.play_worlds import ONE_TASK, protocols

# Everything in the browser: the page with its shadow roots, the values of boxes, and its storage.
# Whether an element was drawn before the page was shown or after (see `first_paint.js`) depends on
# the clock alone.
EVERYTHING = """() => {
  const parts = [];
  const walk = (node) => {
    parts.push(node.nodeName);
    for (const { name, value } of node.attributes ?? [])
      if (name !== "data-nip-stands") parts.push(`${name}=${value}`);
    if (node.nodeType === Node.TEXT_NODE) parts.push(node.data);
    if ("value" in node) parts.push(String(node.value));
    for (const child of node.shadowRoot?.childNodes ?? []) walk(child);
    for (const child of node.childNodes) walk(child);
  };
  walk(document.body);
  parts.push(JSON.stringify(localStorage), JSON.stringify(sessionStorage));
  return parts.join("\\n");
}"""

# Numbers of downloads, of elements, and of the page's own parts.
DRAWN_ANEW = r"\b[0-9a-f]{32,}\b|\$\$ID-[\w-]+|(?<=Id-)[0-9a-z]{10,}|react-aria\d+-:\w+:"


def opened_by(open_page, app, world, seat):
    """Return the browser's content, and everything that the server sent to it."""
    with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage:
        episode_id = storage.create(seated(world, seat))
    frames = []
    page = open_page()

    def listen(socket):
        socket.on("framereceived", lambda frame: frames.append(frame))

    page.on("websocket", listen)
    page.goto(f"{app.url}/play?episode={episode_id}")
    page.locator(".headline").wait_for()
    settled(page)
    held = at_rest(lambda: page.evaluate(EVERYTHING)).replace(episode_id, "ID")
    page.close()
    held = re.sub(DRAWN_ANEW, "N", held)
    return held, b"".join(f if isinstance(f, bytes) else f.encode() for f in frames)


# What the server sends is compared for all protocols without a browser; here, what a browser draws
# and stores.
def test_the_browser_holds_the_same_in_both_worlds(app, open_page):
    name = "mnip, drawn"
    rng = random.Random(f"browser/{name}")
    setup = Setup.of(protocols()[name], ONE_TASK, 2)
    over, seats = True, []
    while over or not seats:
        world = some_world(rng, setup, rng.randint(1, setup.rules.longest - 1))
        # A person who has seen the end knows the truth.
        over = any(node.over for node in build(world).nodes)
        seats = [seat for seat in setup.rules.seat_names if seat not in world.held]
    seat = seats[0]
    other = dataclasses.replace(vary(rng, world, seat), beside=world.beside)
    ends = [opened_by(open_page, app, each, seat) for each in (world, other)]
    alike("browser-holds", *([held] for held, _ in ends))
    for each, (_, sent) in zip((world, other), ends, strict=True):
        for text in hidden_texts(each, seat):
            assert text.encode() not in sent, (name, seat, text)


def alike(name: str, *worlds: list[str]) -> None:
    """Require that all worlds are the same; otherwise, save them beside the screenshots."""
    found = differences(worlds)
    if found:
        SHOTS.mkdir(exist_ok=True)
        for number, seen in enumerate(worlds):
            (SHOTS / f"{name}-{number}.txt").write_text("\n----\n".join(seen), "utf-8")
    assert found == [], f"compare screenshots/{name}-*.txt"


def hidden_texts(world, seat):
    """Return the messages that a seat may not see, if they are longer than a word."""
    episode = build(world)
    sees = set(episode.rules.visible_channels(seat))
    shown = episode.view_for(seat).to_json()
    for node in episode.nodes:
        for move in node.moves.values():
            for channel, text in move.messages.items():
                if channel not in sees and len(text) > 8 and text not in shown:
                    yield text
