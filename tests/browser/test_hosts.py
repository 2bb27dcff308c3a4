"""Fronts in hosts that cannot run here, imitated by a page.

VS Code draws outputs in a frame of its own origin, whose body names the kind of theme. Colab draws
each in a sandboxed frame whose root names the theme, and which has no storage. Both import an
anywidget's module from the page's own address, and may forbid it to fetch anything.
"""

from __future__ import annotations

import json

import pytest

from explorer.notebook import play, show_schedule
from explorer.notebook.live import _module
from explorer.pictures.tokens import PAGE as PALETTE
from nip_core import Episode, HyperParameters
from tests.browser.acting import fill, press
from tests.browser.waiting import becomes, expect
from tests.play_worlds import ONE_TASK

NOTHING_FETCHED = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data:"
)
HOSTS = {
    "vscode": (
        'class="vscode-dark" data-vscode-theme-kind="vscode-dark" style="color: #ccc"',
        "",
        "allow-scripts allow-same-origin",
    ),
    "vscode-light": (
        'class="vscode-light" data-vscode-theme-kind="vscode-light" style="color: #333"',
        "",
        "allow-scripts allow-same-origin",
    ),
    "colab": ('style="color: #e3e3e3"', 'theme="dark"', "allow-scripts"),
}
PAGE = """<!doctype html><html ROOT><head>
<meta http-equiv="Content-Security-Policy" content="POLICY"></head>
<body BODY><div class="STILL">Still</div><div id="here"></div><script type="module">
const { data, still, text } = FACTS;
const given = { data, still }, heard = {}, sent = [];
const model = {
  get: (name) => given[name],
  send: (message) => sent.push(message),
  on: (event, does) => { heard[event] = does; },
  off: () => {},
};
const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const widget = (await import(address)).default;
widget.render({ model, el: document.getElementById("here") });
window.sent = sent;
window.again = (data) => { given.data = data; heard["change:data"](); };
</script></body></html>"""

# The round that was sent to Python, a little later.
PICKED = """async () => {
  const found = () => sent.find((each) => each.event === "pick");
  while (!found()) await new Promise((on) => setTimeout(on, 20));
  return found().value.round;
}"""


def frame_of(page, host, display):
    body, root, sandbox = HOSTS[host]
    text = _module(display.front, display.styles)
    facts = {"data": display.data(), "still": display._still, "text": text}
    shown = (
        PAGE.replace("ROOT", root)
        .replace("POLICY", NOTHING_FETCHED)
        .replace("BODY", body)
        .replace("STILL", display._still)
        .replace("FACTS", json.dumps(facts).replace("</", "<\\/"))
    )
    page.evaluate(
        """([name, text, sandbox]) => {
  const frame = document.createElement("iframe");
  Object.assign(frame, { name, srcdoc: text, width: 1000, height: 700 });
  frame.setAttribute("sandbox", sandbox);
  document.body.append(frame);
}""",
        [f"{host}-{display.front}", shown, sandbox],
    )
    return page.frame_locator(f'iframe[name="{host}-{display.front}"]')


@pytest.mark.parametrize("host", HOSTS)
def test_fronts_work_where_nothing_is_fetched_and_nothing_kept(host, open_page, shot):
    mnip = HyperParameters(interaction_protocol="mnip")
    page = open_page(width=1040, height=1500)

    grid = frame_of(page, host, show_schedule(mnip))
    press(grid.locator(".view"), "ArrowRight")
    grid.locator(".narration").get_by_text("Turn 2").wait_for()
    becomes(lambda: grid.locator("body").evaluate(PICKED), 1)
    expect(grid.get_by_text("Still")).to_be_hidden()
    paper = PALETTE["light" if "light" in host else "dark"].paper
    ground = "rgb({}, {}, {})".format(*bytes.fromhex(paper[1:]))
    expect(grid.locator(".stage")).to_have_css("background-color", ground)

    display = play(Episode(mnip, ONE_TASK, 1), "verifier")
    table = frame_of(page, host, display)
    box = table.locator("textarea").first
    fill(box, "What I have begun to ask")
    # Redrawing keeps typed text.
    table.locator("body").evaluate("(_, data) => window.again(data)", display.data())
    expect(box).to_have_value("What I have begun to ask")
    shot(page, f"notebook-in-{host}")
