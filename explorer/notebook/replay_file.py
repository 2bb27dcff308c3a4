"""A finished episode as an HTML file that replays it without a server, Python or a network.

It is written by :func:`save_replay` and by the command ``nip-explorer replay``.
"""

from __future__ import annotations

import argparse
import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

from explorer.front import AROUND, module, style
from explorer.notebook.reading import EVERYTHING, ReadDisplay, read
from explorer.pictures import root_style
from nip_core.documents import TRANSCRIPT, read_file
from nip_core.errors import NipError, TranscriptError, UnsupportedError
from nip_core.play import Episode
from nip_core.transcript import load, to_plain_text

# The most screens in a file, and their most characters before they are compressed. Of a long game
# with many variations, later ones are left out. Each screen repeats what was said before it: the
# screens of a transcript of 1 MB had 150 MB.
MOST_SCREENS, MOST_CHARACTERS = 2_000, 15_000_000

PAGE_STYLE = """
* { box-sizing: border-box; }
body { margin: 0; padding: 0.8rem clamp(0.4rem, 2vw, 1.5rem); background: var(--nip-paper);
color: var(--nip-text); font: 400 15px/1.5 var(--nip-ui); }
#place { max-width: 76rem; margin: 0 auto; }
p { max-width: 76rem; margin: 0 auto 0.6rem; color: var(--nip-quiet); }
"""

# Styles are added by script as constructed style sheets, which the page's policy need not allow.
START = """
const unpack = async (text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};
const sheet = (text) => { const made = new CSSStyleSheet(); made.replaceSync(text); return made; };
const { game, page, front } = await unpack(document.getElementById("game").textContent);
document.adoptedStyleSheets = [sheet(page)];
const inside = document.getElementById("place").attachShadow({ mode: "open" });
inside.adoptedStyleSheets = [sheet(front)];
const root = document.createElement("div");
root.className = "nip-front";
inside.append(root);
mount(root, game);
"""


def replay_html(episode: Episode) -> str:
    """Return a page that replays a finished episode from every seat and in every variation.

    It contains the whole episode, including the label, and a text for readers without scripts.

    Raises
    ------
    PlayError
        While the episode goes on.
    UnsupportedError
        If it is too long.
    """
    display = read(episode)
    game, left_out = _game(display)
    title = episode.rules.full_name
    about = episode.task.title or "A problem"
    page = root_style(f"{AROUND} --nip-table-height: 85vh;") + PAGE_STYLE
    packed = json.dumps(
        {"game": game, "page": page, "front": style(*ReadDisplay.styles)},
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode("utf-8", "replace")
    # Base64 contains no characters that could end the element.
    data = b64encode(zlib.compress(packed, 9)).decode("ascii")
    script = f"{module('replay').replace('export { mount };', '')}{START}"
    allowed = b64encode(sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; script-src 'sha256-{allowed}'; img-src data:"
    note = (
        f"<p>{left_out} further variations are left out: the game has too many positions.</p>"
        if left_out
        else ""
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(f'{about}: {title}')}</title>\n</head>\n<body>\n"
        f'<div id="place"></div>\n{note}'
        f"<noscript><pre>{escape(to_plain_text(display.episode, None))}</pre></noscript>\n"
        f'<script type="application/octet-stream" id="game">{data}</script>\n'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def save_replay(episode: Episode, path: str | Path) -> None:
    """Write the page of :func:`replay_html` to a file."""
    Path(path).write_text(replay_html(episode), encoding="utf-8")


def _game(display: ReadDisplay) -> tuple[dict[str, Any], int]:
    """Return the screens of the reader in a notebook, and how many variations are left out."""
    ends, eyes = len(display.ends), (EVERYTHING, *display.episode.rules.seat_names)
    shown = display.ends.index(display.end)
    first = {"line": shown, "place": display.node.round, "eyes": EVERYTHING}
    lines: dict[int, dict[str, Any]] = {}
    room, characters = MOST_SCREENS, MOST_CHARACTERS
    # The episode's present variation is always included.
    for number in sorted(range(ends), key=lambda end: (end != shown, end)):
        display.choose_line(number)
        nodes = [node.id for node in display.line]
        room -= len(nodes) * len(eyes)
        if room < 0 and lines:
            break
        screens: dict[str, list[dict[str, Any]]] = {eye: [] for eye in eyes}
        for eye, place in product(eyes, range(len(nodes))):
            screen = display.screen_at(place, eye)
            characters -= len(json.dumps(screen))
            if characters < 0:
                break
            screens[eye].append(screen)
        if characters < 0:
            break
        lines[number] = {"nodes": nodes, "screens": screens}
    if not lines:
        raise UnsupportedError(
            f"This game is too long for one page: its positions have more than "
            f"{MOST_CHARACTERS:,} characters. Take its transcript instead."
        )
    kept = sorted(lines)
    if len(kept) < ends:
        for line in lines.values():
            _offer_only(kept, line["screens"])
    first["line"] = kept.index(shown)
    return {"lines": [lines[end] for end in kept], "first": first}, ends - len(kept)


def _offer_only(kept: list[int], screens: dict[str, list[dict[str, Any]]]) -> None:
    """Remove variations that are left out from the lists of choices."""
    for shown in screens.values():
        for screen in shown:
            for control in screen["bar"]:
                if control.get("name") == "line":
                    names = [name for _, name in control["options"]]
                    control["options"] = [[f"{n}", names[number]] for n, number in enumerate(kept)]
                    control["value"] = f"{kept.index(int(control['value']))}"


DESCRIPTION = (
    "Make one HTML file of a transcript, which replays the game in any browser, without a network."
)


def main(arguments: Sequence[str]) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="nip-explorer replay", description=DESCRIPTION)
    parser.add_argument("transcript", type=Path, help="a transcript (.json) of a finished game")
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FILE", help="the file to write (.html)"
    )
    chosen = parser.parse_args(arguments)
    try:
        episode = load(read_file(chosen.transcript, TRANSCRIPT, TranscriptError))
        save_replay(episode, chosen.output)
    except NipError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(f"{chosen.output} cannot be written: {error.strerror}.")
