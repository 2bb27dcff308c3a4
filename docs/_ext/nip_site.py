"""The Sphinx extension of this site: live schedules, the gallery, and references in docstrings.

Nothing is written down twice: pictures and texts are made from the library's protocols.
"""

from __future__ import annotations

import functools
import json
import re
import struct
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from docs._ext.generated import pages_of_names
from docs._ext.references import definition_of, resolved
from explorer.choice import ProtocolChoice
from explorer.front import AROUND, module, style
from explorer.gallery import gallery
from explorer.lessons import all_playables, lessons, small_picture
from explorer.pictures import (
    Picture,
    Shown,
    Theme,
    css_variables,
    picture,
    schedule_payload,
    small_schedule,
)
from nip_core import protocol_names, published_names

LIVE = "_live"
FRAMED = "_framed"  # the folder with lessons and drawings
THEMES: tuple[Theme, ...] = ("light", "dark")


@functools.cache
def still(name: str, theme: Theme) -> Picture:
    """Return the picture of a protocol's schedule."""
    return picture(ProtocolChoice.of(name).spec, "grid", theme=theme)


@functools.cache
def small(name: str, theme: Theme) -> Picture:
    """Return the first turns of a protocol as bars."""
    return small_schedule(ProtocolChoice.of(name).spec, theme)


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
            f'alt="{escape(light.description)}" loading="lazy">'
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


class Lesson(Directive):
    """``{lesson} two-rooms``: a lesson in the page, which begins when somebody presses."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return its question and picture, and a button."""
        lesson = next((one for one in lessons()[0] if one.slug == self.arguments[0]), None)
        if lesson is None:
            raise self.error(f"there is no lesson {self.arguments[0]!r}")
        up = "../" * self.state.document.settings.env.docname.count("/")
        pictures = "".join(
            f'<img class="only-{theme}" src="{up}{FRAMED}/lessons/{lesson.slug}-{theme}.svg" '
            f'alt="" width="144" height="60" loading="lazy">'
            for theme in THEMES
            if small_picture(lesson, theme)
        )
        return [
            framed(
                f"{up}{FRAMED}/embed.html#lesson?lesson={lesson.slug}",
                lesson.title,
                f"{pictures}<strong>{escape(lesson.question)}</strong>",
                f"Begin the lesson here ({lesson.minutes_alone} minutes)",
            )
        ]


class Drawing(Directive):
    """``{playable} two_rooms``: a drawing to touch in the page, which begins with a press."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return its title and a button."""
        name = self.arguments[0]
        if name not in all_playables():
            raise self.error(f"there is no drawing {name!r}")
        up = "../" * self.state.document.settings.env.docname.count("/")
        title = all_playables()[name].TITLE
        address = f"{up}{FRAMED}/embed.html#playable?name={name}"
        return [framed(address, title, f"<strong>{escape(title)}</strong>", "Try it here")]


def framed(address: str, title: str, shown: str, button: str) -> nodes.Node:
    """Return what stands in a page before a frame is opened."""
    return nodes.raw(
        "",
        f'<figure class="nip-framed" data-frame="{address}" data-title="{escape(title)}">{shown}'
        f'<button type="button">{escape(button)}</button>'
        f'<a href="{address}">Open it on a page of its own</a></figure>',
        format="html",
    )


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
                    f'<img class="only-{theme}" src="{up}{LIVE}/{name}-small-{theme}.svg" alt="" '
                    f'loading="lazy" width="144" height="{small(name, theme).height:.0f}">'
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


def shorten_search(app: Sphinx, error: Exception | None) -> None:
    """Take the entries of the index out of the search, which finds the same names as objects."""
    path = Path(app.outdir) / "searchindex.js"
    if error or not path.exists():
        return
    head, _, text = path.read_text("utf-8").partition("(")
    found = json.loads(text.rstrip().removesuffix(")")) | {"indexentries": {}}
    path.write_text(f"{head}({json.dumps(found, separators=(',', ':'))})", "utf-8")


def files(app: Sphinx) -> Iterator[tuple[str, str]]:
    """Yield the name and content of each file."""
    for name in sorted(set().union(*used(app.env).values())):
        yield f"{LIVE}/{name}.json", payload(name)
        for theme in THEMES:
            yield f"{LIVE}/{name}-{theme}.svg", still(name, theme).svg()
            yield f"{LIVE}/{name}-small-{theme}.svg", small(name, theme).svg()
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
        if context.get("page_source_suffix"):
            twin = f"{pagename.rpartition('/')[2]}.md"
            context["metatags"] += f'<link rel="alternate" type="text/markdown" href="{twin}">'


# -- references ------------------------------------------------------------------------------------

OF_DOCSTRING = re.compile(r"docstring of ([\w.]+)")


def aim(app: Sphinx, doctree: nodes.document) -> None:
    """Let each name in a docstring mean what it means in Python.

    One of an object with a page gets the full name that is used there, and one of another object
    stays text, as do words of types. A name in a docstring that means nothing is reported.
    """
    for node in [*doctree.findall(pending_xref)]:
        if node.get("refdomain") != "py" or node["reftype"] == "mod":
            continue
        name = resolved(node["reftarget"], module_of(node), node.get("py:class"))
        page = name and name_on_page(name)
        if page:
            node["reftarget"] = page
            node.attributes.pop("refspecific", None)
        elif name or not isinstance(node[0], nodes.literal):
            node.replace_self(node[0])


def measure(app: Sphinx, doctree: nodes.document) -> None:
    """Say how large pictures are, so that nothing moves when they come."""
    for node in doctree.findall(nodes.image):
        path = Path(app.srcdir) / node["uri"]
        if path.suffix == ".png" and path.is_file():
            wide, high = struct.unpack(">II", path.read_bytes()[16:24])
            node["width"], node["height"] = str(wide), str(high)


def module_of(node: nodes.Element) -> str:
    """Return the module whose names a reference may use: the one that has the docstring."""
    at: nodes.Element | None = node
    while at is not None:
        if of := OF_DOCSTRING.search(at.source or ""):
            return definition_of(of[1]).rpartition(".")[0]
        at = at.parent
    return node.get("py:module") or ""


def name_on_page(full: str) -> str | None:
    """Return the name under which an object, or its class, is documented."""
    names = pages_of_names()
    if page := names.get(definition_of(full)) or names.get(full):
        return page
    owner, _, name = full.rpartition(".")
    page = names.get(definition_of(owner)) if owner else None
    return page and f"{page}.{name}"


def undocumented(app: Sphinx, env: BuildEnvironment, node: Any, shown: Any) -> Any:
    """Leave the name of a field or method without documentation as text."""
    is_ours = node.get("refdomain") == "py" and resolved(node["reftarget"], None, None)
    return shown if is_ours else None


def formula(writer: Any, node: nodes.Element) -> None:
    """Write a formula as it is typed; a program that draws it would come from another server."""
    writer.body.append(f"<code>{escape(node.astext())}</code>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register all of this."""
    app.add_directive("schedule", Schedule)
    app.add_directive("protocol-gallery", Gallery)
    app.add_directive("lesson", Lesson)
    app.add_directive("playable", Drawing)
    app.add_html_math_renderer("typed", (formula, None), (formula, None))
    app.connect("doctree-read", aim)
    app.connect("doctree-read", measure)
    app.connect("missing-reference", undocumented)
    app.connect("html-page-context", preload_fonts)
    app.connect("build-finished", write_files)
    app.connect("build-finished", shorten_search)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
