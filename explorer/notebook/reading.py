"""Displays of finished episodes and of training rollouts, with the app's reader."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from explorer.notebook.live import Display, button, choice, slider
from explorer.pictures import Picture, Theme, rollout_picture
from explorer.play import (
    episodes_df,
    gallery,
    reviewed,
    rounds_df,
    screen_at,
    sent_object,
    tree,
    watched,
)
from nip_core.displays import Table, capitalized, line
from nip_core.errors import PlayError, UnsupportedError
from nip_core.language import Specification
from nip_core.play import Episode, Move, Node, chosen_in
from nip_core.registry import AnyProtocol, protocol_title
from nip_core.spec import shown_round
from nip_core.transcript import Rollout, Rollouts, read_rollouts, to_plain_text

if TYPE_CHECKING:
    import pandas as pd


EVERYTHING = ""


def read(episode: Episode) -> ReadDisplay:
    """Return a display of a finished episode, by position, from any seat or with everything.

    Returns
    -------
    ReadDisplay
        Shows itself at the end of a cell, with the moves made until then.

    Raises
    ------
    PlayError
        While the episode goes on, since each seat may see only its own view.

    Examples
    --------
    >>> from nip_core import Episode, HyperParameters, bundled_tasks
    >>> from nip_core.play import Move
    >>> episode = Episode(HyperParameters(interaction_protocol="solo_verifier"), bundled_tasks()[0])
    >>> _ = episode.play(Move("verifier", decision=1))
    >>> read(episode).episode.over
    True
    """
    if not episode.over:
        raise PlayError(
            "The episode is not over, so only its seats can read it, each its own view: "
            "play(episode, seat=...)."
        )
    return ReadDisplay(episode.finished())


class ReadDisplay(Display):
    """Shows a transcript; see :func:`read`.

    `ends` are the ends of its variations, and `end` that of the selected one.
    """

    front = "hotseat"
    styles = ("table", "miniature", "lines", "review", "controls", "hotseat")

    def __init__(self, episode: Episode) -> None:
        super().__init__()
        self._eyes = EVERYTHING
        self._open(episode)

    def _open(self, episode: Episode) -> None:
        """Show an episode from its end, with the same seat as before."""
        self.episode = episode
        self.ends = [leaf for leaf in episode.leaves if leaf.over]
        here = episode.node
        self.end = here if here in self.ends else self.ends[0]
        self._place = self.end.round

    @property
    def node(self) -> Node:
        """The selected position."""
        return self.line[min(self._place, len(self.line) - 1)]

    @property
    def line(self) -> tuple[Node, ...]:
        """The positions of the selected variation, from the beginning."""
        return self.episode.path(self.end.id)

    def choose_line(self, number: int) -> None:
        """Select another variation, by its index in :attr:`ends`."""
        self.end = self.ends[number]
        self._place = min(self._place, len(self.line) - 1)

    def screen_at(self, place: int, eyes: str) -> dict[str, object]:
        """Return the screen after some rounds for a seat, or with everything."""
        self._place, self._eyes = place, eyes
        return self.data()

    # -- showing ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return line(self, repr(self.episode))

    def data(self) -> dict[str, object]:
        """Return the data for the browser; see ``explorer/front/hotseat.js``."""
        return {
            "seat": self._eyes,
            "bar": self._bar(),
            "cover": None,
            "trouble": None,
            "table": self._table(),
        }

    def _bar(self) -> list[dict[str, object]]:
        spec, last = self.episode.rules, len(self.line) - 1
        bar: list[dict[str, object]] = [{"kind": "text", "text": protocol_title(spec)}]
        if len(self.ends) > 1:
            lines = [[f"{n}", f"{n + 1}, {end.round} turns"] for n, end in enumerate(self.ends)]
            bar.append(choice("line", "Line", f"{self.ends.index(self.end)}", lines))
        place = self.node.round
        seats = [[agent, spec.seat_name(agent)] for agent in spec.agent_names]
        return [
            *bar,
            button("back", "‹", disabled=place == 0, hint="Back"),
            slider("place", "After turn", place, 0, last),
            button("next", "›", disabled=place == last, hint="Next"),
            choice("eyes", "Seen by", self._eyes, [[EVERYTHING, "everybody together"], *seats]),
        ]

    def _table(self) -> dict[str, object]:
        episode, node, eyes = self.episode, self.node, self._eyes
        if eyes == EVERYTHING:
            shown, around = gallery(episode, node.id), tree(episode, watched(episode.rules))
            shown["review"] = reviewed(episode, node.id) if node.over else None
        else:
            shown = screen_at(episode, eyes, node.id)
            around = tree(episode, eyes)
        return {
            **shown,
            "replay": True,
            "episode": "",
            "tree": {**around, "here": node.id},
            "keep": None,
            "thinking": None,
            "note": None,
            "draft": None,
            "error": None,
        }

    def text(self) -> str:
        """Return the whole transcript as text."""
        return to_plain_text(self.episode, None)

    def html(self) -> str:
        """Return the moves and messages as a table."""
        whole, spec = self.episode, self.episode.rules
        truth = whole.result(self.end.id).choices.get(spec.roles.truth or "")
        title = whole.task.title or "The problem"
        known = "." if truth is None else f": the truth is {spec.title_of(truth)}."
        table = Table(
            ("turn", "seat", "said"),
            [
                (position.round - 1, spec.seat_name(agent), _said(spec, move))
                for position in self.line[1:]
                for agent, move in position.moves.items()
            ],
            {"turn": shown_round},
        )
        return f"<p>{escape(protocol_title(spec))}. {escape(title + known)}</p>{table.html()}"

    # -- events of the browser -------------------------------------------------------------------

    def receive(self, event: str, value: Any) -> None:
        """Go to the position, seat or variation that was chosen."""
        request = sent_object(value)
        if event == "act":
            self._go_to(request.get("goto"))
        elif event == "press":
            self._press(request.get("name"), request.get("value"))
        self.refresh()

    def _press(self, name: Any, value: Any) -> None:
        place, last = self.node.round, len(self.line) - 1
        if name == "back":
            self._place = max(0, place - 1)
        elif name == "next":
            self._place = min(last, place + 1)
        elif name == "place" and type(value) is int and 0 <= value <= last:
            self._place = value
        elif name == "eyes" and value in (EVERYTHING, *self.episode.rules.agent_names):
            self._eyes = value
        elif name == "line" and value in [f"{n}" for n in range(len(self.ends))]:
            self.choose_line(int(value))

    def _go_to(self, number: Any) -> None:
        for end in (self.end, *self.ends):
            line = self.episode.path(end.id)
            if any(node.id == number for node in line):
                self.end = end
                self._place = next(node.round for node in line if node.id == number)
                return


def _said(spec: Specification, move: Move) -> str:
    made = (
        f"{capitalized(spec.title_of(name))}: {spec.title_of(option)}"
        for name, option in chosen_in(move, spec).items()
    )
    return "\n".join(dict.fromkeys((*move.messages.values(), *made)))


def show_rollouts(rollouts: Any, protocol: AnyProtocol | None = None) -> RolloutsDisplay:
    """Return a display of the episodes of rollouts, drawn over the schedule of their protocol.

    Parameters
    ----------
    rollouts : TensorDict, NestedArrayDict, mapping, list of them, or Rollouts
        See :func:`nip_core.transcript.read_rollouts` for the keys.
    protocol : str, ProtocolSpec, ProtocolHandler or its class, or HyperParameters
        The protocol that was played; not needed for Rollouts, which contain it.

    Returns
    -------
    RolloutsDisplay
        Shows itself at the end of a cell: the reader of transcripts, with a control for the
        episode. ``rollouts`` are the rollouts, ``grid()`` is the picture of the episode over the
        schedule, ``episodes_df()`` and ``rounds_df()`` are tables for pandas.

    Raises
    ------
    StepInputError
        If an entry is missing or invalid; names the key and the expected shape or value.
    PlayError
        If no episode was played from its first round to its end.
    """
    if not isinstance(rollouts, Rollouts):
        if protocol is None:
            raise PlayError('Say which protocol was played: show_rollouts(rollouts, "mnip").')
        rollouts = read_rollouts(rollouts, protocol)
    return RolloutsDisplay(rollouts)


class RolloutsDisplay(ReadDisplay):
    """Shows rollouts; see :func:`show_rollouts`."""

    def __init__(self, rollouts: Rollouts) -> None:
        self.rollouts = rollouts
        self._readable = [item for item in rollouts if item.whole and item.over]
        if not self._readable:
            raise PlayError(
                f"None of the {len(rollouts):,} episodes in these rollouts was played from its "
                "first round to its end, so that there is none to read. Tables hold all of them: "
                "rounds_df(read_rollouts(...))."
            )
        self._number = 0
        super().__init__(rollouts.episode(self._readable[0]))

    @property
    def rollout(self) -> Rollout:
        """The episode that is shown."""
        return self._readable[self._number]

    def go_to(self, number: int) -> None:
        """Show another episode, counted from 0 among the finished ones."""
        if not 0 <= number < len(self._readable):
            raise PlayError(f"There is no episode {number}; there are {len(self._readable):,}.")
        self._number = number
        self._open(self.rollouts.episode(self.rollout))
        self.refresh()

    def grid(self, theme: Theme = "light") -> Picture:
        """Return the episode drawn over the schedule: speakers, decisions and rewards."""
        return rollout_picture(self.rollout, self.rollouts.handler.spec, theme=theme)

    def episodes_df(self) -> pd.DataFrame:
        """Return all episodes as a table for pandas, a row for each episode and seat."""
        return episodes_df(self.rollouts)

    def rounds_df(self) -> pd.DataFrame:
        """Return all rounds as a table for pandas, a row for each round and seat."""
        return rounds_df(self.rollouts)

    def __repr__(self) -> str:
        return line(self, repr(self.rollouts), f"shows {self.rollout.name}")

    def _bar(self) -> list[dict[str, object]]:
        bar = super()._bar()
        count = len(self._readable)
        picks = slider("rollout", f"Episode of {count:,}", self._number + 1, 1, count)
        return [bar[0], picks, *bar[1:]] if count > 1 else bar

    def _press(self, name: Any, value: Any) -> None:
        if name == "rollout":
            if type(value) is int and 1 <= value <= len(self._readable):
                self.go_to(value - 1)
            return
        super()._press(name, value)

    def html(self) -> str:
        """Return the episode drawn over the schedule, and its messages."""
        try:
            drawn = self.grid().html()
        except UnsupportedError:
            drawn = ""
        return f"{drawn}{super().html()}"
