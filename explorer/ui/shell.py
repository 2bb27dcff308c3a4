"""The frame of every page: navigation, and the message shown when a page fails."""

from __future__ import annotations

import logging
import secrets
import traceback
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import streamlit as st

from explorer.front import address
from explorer.pictures import css_variables
from explorer.server import READING, forget_unreadable, is_served_elsewhere, modules_of
from explorer.ui.layout import counted, link, pages_folder, show_links
from explorer.ui.text import alert, escaped
from explorer.ui.uploads import uploads_in_use
from explorer.ui.visitor import may_go_on, show_sign_in, show_signed_in, signed_in, wanted

EXPLORER = Path(__file__).resolve().parent.parent
FAVICON = EXPLORER / "favicon.svg"
# Its colours follow the page's `color-scheme`, so they change with it at once.
LOGO = EXPLORER / "logo.svg"

# The variables are on the root, from which components inherit them.
HERE = Path(__file__).parent
STYLE = f":root {{ {css_variables()} }}\n{(HERE / 'shell.css').read_text('utf-8')}"
SCRIPTS = "".join(
    f"<script>{(HERE / name).read_text('utf-8')}</script>"
    for name in ("first_paint.js", "leaving.js", "phone_menu.js", "streamlit.js")
)
# Streamlit asks for its fonts late, once it has drawn something that uses them; and for the code of
# text in HTML, such as tables, when the first of it has arrived.
FONTS = "".join(
    f'<link rel="preload" href="/app/static/{name}.woff2" as="font" type="font/woff2" crossorigin>'
    for name in ("inter", "newsreader")
)
MODULES = "".join(
    f'<link rel="modulepreload" crossorigin href="{file}">' for file in modules_of("Html")
)
# What a page needs for its first picture, and would ask for late. The program of figures is large,
# so everything else goes first.
EARLY = {
    "rewards": "".join(
        [
            *(
                f'<link rel="modulepreload" crossorigin href="{file}">'
                for file in (
                    *modules_of("BidiComponent"),
                    address("questions", "paper", "questions"),
                )
            ),
            *(
                f'<link rel="preload" as="script" crossorigin fetchpriority="low" href="{file}">'
                for file in modules_of("PlotlyChart")
            ),
        ]
    )
}
# Inserted by our server at the beginning of every page (`explorer/asgi.py`).
OPENING = f"{FONTS}{MODULES}<style>{STYLE}</style>{SCRIPTS}"

log = logging.getLogger("explorer")


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the navigation.

    Parameters
    ----------
    hidden : bool
        Whether it is left out of the menu.
    joined : bool
        Whether it can be opened without signing in, since people join rooms there.
    """

    title: str
    file: str
    hidden: bool = False
    joined: bool = False

    @property
    def name(self) -> str:
        """The page's name in links."""
        return Path(self.file).stem


# The menu leaves out the first page, to which the name in the header leads, the editor, to which
# the protocols lead, the room, which is joined by a link or a code, and the page of a study.
PAGES = (
    PageEntry("Home", "home.py", hidden=True),
    PageEntry("Protocols", "protocols.py"),
    PageEntry("Draw your own", "draw.py", hidden=True),
    PageEntry("Play", "play.py"),
    PageEntry("Transcripts", "transcripts.py"),
    PageEntry("Studies", "studies.py"),
    PageEntry("Rewards", "rewards.py"),
    PageEntry("Learn", "learn.py"),
    PageEntry("Room", "room.py", hidden=True, joined=True),
    PageEntry("Take part", "take_part.py", hidden=True, joined=True),
)


def run_app() -> None:
    """Show the page that the address asks for."""
    if is_served_elsewhere():
        alert("error", "Stop this server, and start the explorer with the command nip-explorer.")
        return
    st.set_page_config(page_title="NIP Explorer", page_icon=str(FAVICON), layout="wide")
    st.logo(str(LOGO), size="large")
    folder = pages_folder()
    there = [entry for entry in PAGES if (folder / entry.file).is_file()]
    pages = {
        entry: st.Page(
            folder / entry.file,
            title=entry.title,
            url_path=None if number == 0 else entry.name,
            default=number == 0,
            visibility="hidden" if entry.hidden else "visible",
        )
        for number, entry in enumerate(there)
    }
    open_to_all = may_go_on("pages")
    page = st.navigation([*pages.values()], position="top" if open_to_all else "hidden")
    entry = next(entry for entry, candidate in pages.items() if candidate is page)
    try:
        if not open_to_all and not entry.joined:
            show_sign_in("NIP Explorer", "Sign in to go on.", entry.name)
            return
        if signed_in() and entry is there[0] and (back := wanted()):
            name, query = back
            st.switch_page(folder / f"{name}.py", query_params=query)

        @counted
        def run() -> None:
            with uploads_in_use():
                page.run()

        run()
        # A facilitator's participants must be able to open the room's pages.
        if signed_in() and not entry.joined:
            show_signed_in()
    # Streamlit's rerun and stop are not subclasses of Exception, so only real failures get here.
    except Exception as error:
        report_page_error(error)


def is_unreadable(error: Exception) -> bool:
    """Return whether an error arose while Streamlit read a widget's value, and not in our code."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = (str(EXPLORER), str(pages_folder()))
    return READING in codes and not any(
        code.co_filename.startswith(ours) for code in codes[codes.index(READING) :]
    )


def report_page_error(error: Exception) -> bool:
    """Log a page's failure, and show the person what to do."""
    if is_unreadable(error):
        log.warning("Refused what a browser sent (%s)", type(error).__name__)
        forget_unreadable()
        alert("warning", "Your browser has sent something that this page cannot read. Try again.")
        return True
    number = secrets.token_hex(3)
    log.error("Page failed (%s)", number, exc_info=error)
    alert("error", "This page could not be shown completely.")
    st.markdown(
        escaped(
            "The fault is in the explorer, not in what you did. Every move that you sent is kept. "
            f"If it happens again, report the number {number}."
        )
    )
    query = st.query_params.to_dict()
    path = urlsplit(st.context.url or "").path or "/"
    doors = [link(f"{path}?{urlencode(query)}", "Try again", main=True)]
    # A room or an episode is no setting.
    if query and not {"code", "episode"} & {*query}:
        doors.append(link(path, "Open it without its settings", button=True))
    show_links(*doors, link("/", "Back to the start", button=True))
    return True
