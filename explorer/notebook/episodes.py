"""Episodes as notebooks: what a seat has seen of one, and one that is over, whole."""

from __future__ import annotations

import json
import re
from typing import Any

from explorer.notebook.document import Cell, as_text, markdown, notebook_document, opening, quoted
from nip_core.play import Episode, View
from nip_core.registry import protocol_title
from nip_core.tasks import Statement
from nip_core.transcript import dump

__all__ = ["transcript_notebook", "view_notebook"]


def view_notebook(view: View) -> dict[str, Any]:
    """What a seat has seen of an episode as a notebook; nothing else of the episode is in it."""
    protocol = as_text(protocol_title(view.spec.name))
    return notebook_document(
        [
            *opening(f"{protocol}, as {as_text(view.spec.seat_phrase(view.agent))} saw it"),
            Cell(f"round_id = {view.round!r}", tag="parameters"),
            *_claim(view.statement),
            markdown("## The protocol"),
            Cell(
                "import json\n\nfrom nip_core import ProtocolSpec\n\n"
                f"view = json.loads({quoted(view.to_json())})\n"
                'spec = ProtocolSpec.from_dict(view["protocol"])\nspec'
            ),
            Cell(
                "from explorer.notebook import show_schedule\n\n"
                "last = spec.max_message_rounds - 1\n"
                "show_schedule(spec, round_id=min(round_id, last))"
            ),
            markdown("## What the seat has read and written", "Rounds count from 0 here."),
            Cell(
                "import pandas as pd\n\n"
                "pd.DataFrame(\n"
                '    [{"round": n, **message} for n, seen in enumerate(view["rounds"])\n'
                '     for message in seen["messages"] if n < round_id],\n'
                '    columns=["round", "channel", "sender", "text"],\n)'
            ),
            markdown("## How it ended", "Nothing stands here of an episode that goes on."),
            Cell('view["ending"]'),
            markdown("## Take a seat yourself", "The same protocol, about another claim."),
            Cell(
                "from explorer.notebook import play\n"
                "from nip_core import Episode, bundled_tasks\n\n"
                f'play(Episode(spec, bundled_tasks("easy")[0]), seat={view.agent!r})'
            ),
        ]
    )


def transcript_notebook(episode: Episode) -> dict[str, Any]:
    """A transcript as a notebook.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    told = episode.finished()
    protocol = as_text(protocol_title(told.spec.name))
    return notebook_document(
        [
            *opening(f"A transcript of {protocol}"),
            *_claim(told.task.statement),
            markdown("## Read it", "Position by position, from all sides or from one seat."),
            Cell(
                "from explorer.notebook import read\n"
                "from nip_core.transcript import load\n\n"
                f"episode = load({quoted(json.dumps(dump(told), sort_keys=True))})\nread(episode)"
            ),
            markdown("## As tables", "Rounds count from 0 here, as everywhere in Python."),
            Cell(
                "from explorer.transcripts import dataframes\n\n"
                'named = [("this one", episode)]\ndataframes.episodes_df(named)'
            ),
            Cell("dataframes.messages_df(named)"),
            Cell("dataframes.rounds_df(named)"),
            markdown("## Why scripted players did what they did"),
            Cell("from explorer.players.scripted import why\n\nwhy(episode)"),
        ]
    )


def _claim(statement: Statement) -> list[Cell]:
    """What an episode is about, to be read without a kernel."""
    title = f"## {as_text(statement.title)}" if statement.title else "## The claim"
    return [markdown(title, *map(as_text, statement.question.split("\n\n")), _code(statement))]


def _code(statement: Statement) -> str:
    longest = max((len(run) for run in re.findall("`+", statement.solution)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{statement.solution}\n{fence}"
