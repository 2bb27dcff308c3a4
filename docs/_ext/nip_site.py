"""The Sphinx extension of this site: live schedules, the gallery, and references in docstrings.

Nothing is written down twice: pictures and texts are made from the library's protocols.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from docs._ext.references import missing_name, resolved
from explorer.choice import ProtocolChoice
from explorer.front import AROUND, module, style
from explorer.gallery import gallery
from explorer.pictures import (
    Picture,
    Shown,
    Theme,
    css_variables,
    picture,
    schedule_payload,
)
from nip_core import protocol_names, published_names

LIVE = "_live"
THEMES: tuple[Theme, ...] = ("light", "dark")


@functools.cache
def still(name: str, theme: Theme) -> Picture:
    """Return the picture of a protocol's schedule."""
    return picture(ProtocolChoice.of(name).spec, "grid", theme=theme)


@functools.cache
def payload(name: str) -> str:
    """Return what the app's grid draws of a protocol, as JSON."""
    choice = ProtocolChoice.of(name)
    return schedule_payload([Shown(choice.spec, choice.title)])


def known(directive: Directive, name: str) -> str:
    """Return a protocol's name, or fail the build if there is none."""
    if name not in {*protocol_names(), *published_names()}:
        raise directive.error(f"there is no protocol {name!r}")
    return name


class Schedule(Directive):
    """``{schedule} mnip``: a still picture, which becomes the app's own grid when it is near."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the figure; the files that it needs are written when the site is."""
        name = known(self, self.arguments[0])
        env = self.state.document.settings.env
        used(env).setdefault(env.docname, set()).add(name)
        up = "../" * env.docname.count("/")
        light = still(name, "light")
        size = f'width="{light.width:.0f}" height="{light.height:.0f}"'
        images = "".join(
            f'<img class="only-{theme}" src="{up}{LIVE}/{name}-{theme}.svg" {size} '
            f'alt="{escape(light.description)}"{"" if theme == "light" else " loading=lazy"}>'
            for theme in THEMES
        )
        high = json.loads(payload(name))["drawing"]["height"]
        figure = (
            f'<figure class="nip-schedule" style="--nip-live: {high:.0f}px" '
            f'data-live="{up}{LIVE}/{name}.json" '
            f'data-module="{up}{LIVE}/schedule.js" data-style="{up}{LIVE}/schedule.css">'
            f'<div class="nip-still">{images}</div></figure>'
        )
        return [nodes.raw("", figure, format="html")]


class Gallery(Directive):
    """``{protocol-gallery}``: all protocols by family, each with its picture."""

    def run(self) -> list[nodes.Node]:
        """Return a section for each family."""
        env = self.state.document.settings.env
        up = "../" * env.docname.count("/")
        shown = used(env).setdefault(env.docname, set())
        parts: list[str] = []
        for family in gallery():
            cards = ""
            for card in family["cards"]:
                name = card["name"]
                shown.add(name)
                images = "".join(
                    f'<img class="only-{theme}" src="{up}{LIVE}/{name}-{theme}.svg" alt="" '
                    f'loading="lazy" width="480" height="300">'
                    for theme in THEMES
                )
                cards += (
                    f'<a class="nip-card" href="{name}.html">{images}'
                    f"<strong>{escape(card['title'])}</strong><span>{escape(card['note'])}</span></a>"
                )
            head = f"<h2>{escape(family['name'])}</h2><p>{escape(family['about'])}</p>"
            parts.append(f'<section>{head}<div class="nip-gallery">{cards}</div></section>')
        return [nodes.raw("", "".join(parts), format="html")]


def used(env: BuildEnvironment) -> dict[str, set[str]]:
    """Return the protocols that each page shows."""
    if not hasattr(env, "nip_used"):
        env.nip_used = {}
    return env.nip_used


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Write the pictures and data that the pages load."""
    if error or app.builder.name != "html":
        return
    for name, text in files(app):
        place = Path(app.outdir) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")


def files(app: Sphinx) -> Iterator[tuple[str, str]]:
    """Yield the name and content of each file."""
    for name in sorted(set().union(*used(app.env).values())):
        yield f"{LIVE}/{name}.json", payload(name)
        for theme in THEMES:
            yield f"{LIVE}/{name}-{theme}.svg", still(name, theme).svg()
    yield f"{LIVE}/schedule.js", module("schedule")
    host = f":host {{ display: block; {css_variables()} {AROUND} }}\n"
    yield f"{LIVE}/schedule.css", host + style("schedule", "miniature")


def preload_fonts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load the fonts with the page: one that comes later is not used, so that nothing moves."""
    if "pathto" in context:
        context["metatags"] = context.get("metatags", "") + "".join(
            f'<link rel="preload" as="font" type="font/woff2" crossorigin '
            f'href="{context["pathto"](f"_static/fonts/{name}.woff2", 1)}">'
            for name in ("inter", "newsreader")
        )


# -- references ------------------------------------------------------------------------------------


def find_reference(app: Sphinx, env: BuildEnvironment, node: Any, shown: Any) -> Any:
    """Resolve what Sphinx does not find: names of other modules, and words of types.

    A name that means an object of a documented module becomes a link. One that exists, but has no
    page, stays text. Only a name in a docstring that does not exist is reported.
    """
    if node.get("refdomain") != "py":
        return None
    if not isinstance(shown, nodes.literal):
        return shown  # a word of a type
    name = resolved(node["reftarget"], node.get("py:module"), node.get("py:class"))
    if name is None:
        return None
    domain = env.get_domain("py")
    for where in documented(env).get(missing_name(name), ()):
        found = domain.objects[where]
        return nodes.reference(
            "", "", shown, refuri=app.builder.get_relative_uri(env.docname, found.docname)
            + f"#{found.node_id}", internal=True,
        )  # fmt: skip
    return shown


def documented(env: BuildEnvironment) -> dict[str, list[str]]:
    """Return the documented names of each object, by the place of its definition."""
    kept = env.temp_data.get("nip_documented")
    if kept is None:
        kept = env.temp_data["nip_documented"] = {}
        for name in env.get_domain("py").objects:
            kept.setdefault(missing_name(name), []).append(name)
    return kept


def setup(app: Sphinx) -> dict[str, bool]:
    """Register all of this."""
    app.add_directive("schedule", Schedule)
    app.add_directive("protocol-gallery", Gallery)
    app.connect("missing-reference", find_reference)
    app.connect("html-page-context", preload_fonts)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
