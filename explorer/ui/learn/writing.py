"""How to write a lesson of one's own: the format, and the games and experiments to put into it."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from explorer.lessons.format import BLOCKS, LESSON, Shape, json_schema
from explorer.lessons.library import CONTENT, experiment, game, names
from explorer.ui.header import header
from explorer.ui.learn.links import learn_address
from explorer.ui.links import link
from explorer.ui.tables import wide_table
from explorer.ui.text import small

__all__ = ["show_writing"]


def show_writing() -> None:
    """The format as tables, and two files to begin with."""
    header(
        "A lesson of your own",
        "A lesson is a text file in the TOML format; no code is needed.",
        back=link(learn_address(show="guide"), "For facilitators"),
    )
    st.markdown(
        "Download the file to fill in, put it into a folder of your own, and start the explorer "
        "with that folder in the variable `NIP_LESSONS`. The lesson appears in the list, and is "
        "read again whenever you save it. If something in it is wrong, the list says what and "
        "where."
    )
    with st.container(horizontal=True):
        st.download_button(
            "A lesson to fill in (TOML)",
            (CONTENT / "template.toml").read_bytes(),
            file_name="10_my_lesson.toml",
            mime="application/toml",
            on_click="ignore",
        )
        st.download_button(
            "The format for your editor (JSON Schema)",
            json.dumps(json_schema(), indent=2).encode("utf-8"),
            file_name="lesson.schema.json",
            mime="application/schema+json",
            on_click="ignore",
        )
    small("Beside the lesson, the second file lets an editor complete keys and mark mistakes.")
    st.markdown("#### The file")
    wide_table(_keys({"": LESSON}).drop(columns="kind"), "Keys of a lesson")
    st.markdown("#### Kinds of blocks")
    wide_table(_keys(BLOCKS), "Keys of each kind of block")
    st.markdown("#### Games")
    wide_table(_games(), "Games, their sides and settings")
    st.markdown("#### Experiments")
    wide_table(_experiments(), "Experiments and their settings")


def _keys(shapes: Mapping[str, Shape]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "kind": kind,
                "key": name,
                "needed": "yes" if key.needed else "",
                "what for": key.says,
            }
            for kind, shape in shapes.items()
            for name, key in shape.items()
        ]
    )


def _games() -> pd.DataFrame:
    rows: list[dict[str, str]] = []
    for name in names("games"):
        played = game(name)
        sides = ", ".join(role.name for role in played.roles)
        settings = [
            {"setting": setting, "what it does": says} for setting, says in played.settings.items()
        ]
        rows += _beside({"game": name, "title": played.title, "sides": sides}, settings)
    return pd.DataFrame(rows)


def _experiments() -> pd.DataFrame:
    rows: list[dict[str, str]] = []
    for name in names("experiments"):
        tried = experiment(name)
        settings = [
            {
                "setting": knob.name,
                "what it is": knob.label,
                "values": f"{knob.allowed} ({knob.default})",
            }
            for knob in tried.knobs
        ]
        rows += _beside({"experiment": name, "title": tried.title}, settings)
    return pd.DataFrame(rows)


def _beside(first: dict[str, str], settings: list[dict[str, str]]) -> list[dict[str, str]]:
    """A row for each setting; what they belong to stands in the first only."""
    empty = dict.fromkeys(first, "")
    return [(empty if n else first) | each for n, each in enumerate(settings or [{}])]
