"""Playing a seat in Jupyter, without a server: widgets over an episode in the kernel."""

from __future__ import annotations

from html import escape
from typing import Any

from explorer.game_table.rewards import why_paid
from explorer.players import Player, play_out, scripted_player
from nip_core.errors import NipError
from nip_core.play import Episode, Move, View
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS

__all__ = ["PlayDisplay", "play", "view_html"]


def play(
    episode: Episode, seat: str = "verifier", players: dict[str, Player] | None = None
) -> PlayDisplay:
    """Take a seat in an episode.

    Parameters
    ----------
    episode : Episode
    seat : str
    players : dict of str to Player, optional
        Who plays the other seats; scripted experts if it is left out.
    """
    others = players or _scripted(episode, seat)
    play_out(episode, others)
    return PlayDisplay(episode, seat, others)


def _scripted(episode: Episode, seat: str) -> dict[str, Player]:
    others = [agent for agent in episode.spec.agent_names if agent != seat]
    return {agent: scripted_player(episode.setup, agent) for agent in others}


class PlayDisplay:
    """A seat at an episode that shows itself.

    Parameters
    ----------
    episode : Episode
    seat : str
    players : dict of str to Player
        Of the other seats.
    """

    def __init__(self, episode: Episode, seat: str, players: dict[str, Player]) -> None:
        self.episode = episode
        self.seat = seat
        self.players = players
        self.refusal = ""

    @property
    def view(self) -> View:
        """What the seat may know: all that is ever shown."""
        return self.episode.view_for(self.seat)

    def make(self, move: Move) -> bool:
        """Make a move and let the others answer; was it made? If not, `refusal` says why."""
        self.refusal = ""
        try:
            self.episode.play(move)
        except NipError as error:
            self.refusal = str(error)
            return False
        play_out(self.episode, self.players)
        return True

    def html(self) -> str:
        """The seat's view."""
        return view_html(self.view)

    def widget(self) -> Any:
        """The view, and boxes and buttons for the seat's move.

        Raises
        ------
        ImportError
            Without ipywidgets, with what to install.
        """
        from explorer.notebook.displays import load_widgets

        return _Widgets(self, load_widgets()).box

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = {"text/plain": _plain(self.view), "text/html": self.html()}
        try:
            live = self.widget()._repr_mimebundle_(**kwargs)
        except ImportError:
            return bundle
        return {**live, **bundle}


class _Widgets:
    """The parts of the widget, which are filled anew after every move."""

    def __init__(self, display: PlayDisplay, widgets: Any) -> None:
        self.display = display
        self.widgets = widgets
        self.box = widgets.VBox([])
        self.fill()

    def fill(self) -> None:
        """Show the view as it is now."""
        display, widgets = self.display, self.widgets
        legal = display.view.legal
        parts = [widgets.HTML(display.html())]
        self.boxes = {
            channel: widgets.Textarea(description=channel, rows=3, layout={"width": "100%"})
            for channel in legal.channels
        }
        parts += self.boxes.values()
        self.refusal = widgets.HTML()
        if legal.channels:
            parts += [widgets.HBox(self.buttons()), self.refusal]
        self.box.children = parts

    def buttons(self) -> list[Any]:
        """What the seat may do."""
        found = [self.button("Send", 2, "primary")]
        if self.display.view.legal.may_decide:
            found += [self.button("Accept", 1), self.button("Reject", 0)]
        return found

    def button(self, text: str, decision: int, style: str = "") -> Any:
        made = self.widgets.Button(description=text, button_style=style)

        def pressed(_: Any) -> None:
            messages = {c: box.value for c, box in self.boxes.items()} if decision == 2 else {}
            seat = self.display.seat
            if self.display.make(Move(seat, messages, decision)):  # pyright: ignore[reportArgumentType]
                self.fill()
            else:
                # What was typed stays where it is.
                self.refusal.value = f"<p>{escape(self.display.refusal)}</p>"

        made.on_click(pressed)
        return made


def view_html(view: View) -> str:
    """A view as HTML in which every text is text."""
    statement = view.statement
    parts = [
        f"<h3>{escape(statement.title or 'The problem')}</h3>",
        f'<p style="white-space:pre-wrap">{escape(statement.question)}</p>',
        f"<pre>{escape(statement.solution)}</pre>",
    ]
    for channel in view.spec.channel_names:
        if channel not in view.visible_channels:
            parts.append(f"<h4>{escape(channel)}</h4><p>Closed to this seat.</p>")
            continue
        said = "".join(
            f"<li>{_name(view, m.sender)}, round {shown_round(number)}: "
            f'<span style="white-space:pre-wrap">{escape(m.text)}</span></li>'
            for number, seen in enumerate(view.rounds)
            for m in seen.messages
            if m.channel == channel
        )
        parts.append(f"<h4>{escape(channel)}</h4><ul>{said or '<li>Nothing yet.</li>'}</ul>")
    if view.ending is not None:
        parts.append(_ending_html(view))
    return "".join(parts)


def _name(view: View, sender: str | None) -> str:
    return "Somebody" if sender is None else escape(view.human_name(sender))


def _ending_html(view: View) -> str:
    ending = view.ending
    assert ending is not None
    verdict = "none" if ending.decision is None else VERDICTS[ending.decision]
    rewards = "".join(
        f"<li>{escape(view.human_name(agent))}: {total:+g}. "
        f"{escape(why_paid(view.spec, ending, agent))}</li>"
        for agent, total in ending.totals.items()
    )
    return (
        f"<h4>Verdict: {verdict}. Truth: {VERDICTS[ending.y]}.</h4>"
        f"<p>{escape(ending.explanation or '')}</p><ul>{rewards}</ul>"
    )


def _plain(view: View) -> str:
    lines = [
        view.statement.title or "The problem",
        view.statement.question,
        view.statement.solution,
    ]
    for number, seen in enumerate(view.rounds):
        for message in seen.messages:
            who = "Somebody" if message.sender is None else view.human_name(message.sender)
            lines.append(f"[{number}] {who} on {message.channel}: {message.text}")
    return "\n".join(lines)
