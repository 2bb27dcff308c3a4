"""Playing in a notebook: the app's table for an episode in the kernel."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.notebook.game import (
    FileJournal,
    Game,
    game_by_key,
    game_of,
    key_of,
    more_tokens,
    usual_file,
)
from explorer.notebook.live import Display, button, in_notebook
from explorer.play import (
    HUMAN,
    choices_shown,
    cover,
    draft_of,
    find_task,
    is_covered,
    move_of,
    refusal,
    seat_at_screen,
    sent_object,
    takes_statements,
    task_shown,
    visible_words,
    what_failed,
    what_goes_on,
    why_paid,
)
from explorer.players import LLMError, LLMFailedError, Player
from nip_core.displays import brief, line
from nip_core.errors import NipError, PlayError
from nip_core.language import START
from nip_core.play import Episode, Move, View
from nip_core.registry import (
    AnyProtocol,
    specification,
    version_2,
)
from nip_core.spec import shown_round
from nip_core.tasks import surprise
from nip_core.transcript import to_markdown

if TYPE_CHECKING:
    from explorer.players import LLMPlayer
    from nip_core.play import View


ASKING = "The model is asked..."
CODE = "font-family:monospace;white-space:pre-wrap"
# Needed for templates of instructions; loaded now, so that the first game starts sooner.
import_module("jinja2")
COVERED = "The table is covered: it is played by several people at one screen."


def play(
    episode: Episode | AnyProtocol,
    seat: str | Sequence[str] = "verifier",
    players: Mapping[str, Player] | None = None,
    *,
    task: Any = None,
    seed: int | None = None,
    helper: LLMPlayer | None = None,
    keep: str | Path | None = None,
    new: bool = False,
) -> PlayDisplay:
    """Take a seat in an episode, at the table of the Play page.

    The episode is played in place, so it contains every move at once. In a notebook, a cell that is
    rerun shows the same game with all its moves, also if the cell creates the episode again, and
    after a restart of the kernel. Several outputs of one game stay in step.

    Parameters
    ----------
    episode : Episode, or anything that :func:`nip_core.protocol` takes
        For a protocol, an episode is created: ``play("mnip")``. Such episodes have
        ``informed_provers=True``, since a person who is a prover should know what they defend; set
        it in episodes that you create yourself.
    seat : str or sequence of str
        The person's seat. If there are several, each has a person of its own, and the table is
        covered until the next one confirms to be at the screen.
    players : mapping of str to Player, optional
        Players of other seats, such as an ``LLMPlayer``, which gets the portable conversation, uses
        its client's budget, and can be stopped. Other seats get scripted players, or random ones
        where no script fits.
    task : Task, optional
        The task, if a protocol is given; by default the seed draws an easy bundled one. In version
        2, anything that :class:`~nip_core.play.Episode` takes.
    seed : int, optional
        The episode's seed, if a protocol is given.
    helper : LLMPlayer, optional
        A model that can be asked for a draft of the person's move.
    keep : str or Path, optional
        A file in which the game is saved. If it exists, the game continues from it. By default, a
        notebook saves its games in the folder ``.nip-games`` beside it; a script saves none. The
        file contains the whole game, including the label.
    new : bool
        Begin a new game and forget the saved one. Remove the argument afterwards to continue the
        new game.

    Returns
    -------
    PlayDisplay
        Shows itself at the end of a cell. Its ``episode`` is the one being played: the given one,
        or another one after "Play again" and with ``new=True`` if the given one was played already.

    Raises
    ------
    UnknownNameError
        If there is no such seat.
    PlayError
        If `keep` names a file with other content, or arguments contradict each other.

    Examples
    --------
    >>> from nip_core.play import Move
    >>> game = play("nip", seat="verifier")
    >>> game.make(Move("verifier", decision=1)) or game.refusal
    True
    """
    seats = (seat,) if isinstance(seat, str) else tuple(seat)
    if not seats:
        raise PlayError("Name at least one seat for a person.")
    if not isinstance(episode, Episode):
        seed = 0 if seed is None else seed
        episode = _episode_of(episode, task, seed, seats)
    elif task is not None or seed is not None:
        raise PlayError("An episode has its task and its seed: leave out task and seed.")
    for agent in (*seats, *(players or {})):
        episode.rules.agent_index(agent)
    both = [agent for agent in seats if agent in (players or {})]
    if both:
        raise PlayError(f"{both[0]!r} is given to a person and to a player: choose one of them.")
    game = _game(episode, seats, keep, new=new)
    seats = game.people_since or seats
    game.sit_down(seats, players or {})
    display = PlayDisplay(game, seats, helper)
    game.go_on()
    return display


def _episode_of(protocol: AnyProtocol, task: Any, seed: int, seats: tuple[str, ...]) -> Episode:
    """Return an episode of a protocol; without a task, the seed draws a bundled one."""
    rules = specification(protocol)
    if task is None:
        easy = takes_statements(rules)
        task = surprise(seed, "easy") if easy else find_task(rules, "", seed)
    # Other protocols say themselves who sees what.
    informed = version_2(protocol) is None and not {*seats} <= {*rules.roles.deciders}
    return Episode(protocol, task, seed, informed_provers=informed)


def _game(episode: Episode, seats: tuple[str, ...], keep: str | Path | None, *, new: bool) -> Game:
    """Return the game to continue, from this kernel or a file, or a new one."""
    known = game_of(episode)
    remembers = in_notebook()
    if new and known is not None:
        key = known.key
        known.forget()
        episode, known = Episode.from_setup(episode.setup), None
    else:
        key = ""
    if remembers and not key:
        key = key_of(episode, seats)
    if known is None and remembers and (other := game_by_key(key)):
        if new:
            other.forget()
        else:
            other.join(episode)
            known = other
    game = known or Game(episode)
    if keep is not None:
        game.keep_in(FileJournal(Path(keep)), anew=new)
    elif remembers and not isinstance(game.journal, FileJournal):
        game.keep_in(FileJournal(usual_file(key), usual=True), anew=new)
    if remembers and not game.key:
        game.remember(key)
    return game


class PlayDisplay(Display):
    """Shows one or several seats of a game; see :func:`play`.

    Attributes
    ----------
    refusal : str
        Why the last :meth:`make` or :meth:`go_on` failed.
    """

    front = "hotseat"
    styles = ("table", "miniature", "lines", "review", "controls", "hotseat", "unset", "desk")

    def __init__(self, game: Game, seats: tuple[str, ...], helper: LLMPlayer | None = None) -> None:
        super().__init__()
        self.game = game
        self.helper = helper
        self.refusal = ""
        self._seats = seats
        self._sits = next(iter(seats), None) if len(seats) == 1 else None
        # Drafts and other data of the person at this screen, forgotten when the next one sits down.
        self._notes: dict[str, Any] = {}
        game.shown_by.add(self)

    # -- from Python -----------------------------------------------------------------------------

    @property
    def episode(self) -> Episode:
        """The episode being played."""
        return self.game.episode

    @property
    def seat(self) -> str:
        """The seat whose view the screen shows once it is not covered."""
        people = self._people
        return seat_at_screen(self.game, self._sits, people) if people else self._seats[0]

    @property
    def view(self) -> View:
        """The seat's view, from which everything shown is made."""
        return self.episode.view_for(self.seat)

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Return the game's lock, since players move in threads of their own."""
        return self.game.lock

    def make(self, move: Move, *, wait: bool = True) -> bool:
        """Make a move and let the others answer; return whether all of it has worked.

        Parameters
        ----------
        wait : bool
            Whether to wait for slow players such as models. Otherwise they answer in the
            background; :meth:`wait` waits for them.

        Returns
        -------
        made : bool
            False if the move was refused, or a player that had to answer has failed; `refusal` says
            which and why. :meth:`go_on` asks a failed player again.
        """
        self.refusal = ""
        try:
            self.game.play(move)
        except NipError as error:
            self.refusal = str(error)
            return False
        return self._waited() if wait else True

    def go_on(self) -> bool:
        """Let the players in turn move, also one that has failed; return whether that worked."""
        self.refusal = ""
        self.game.go_on()
        return self._waited()

    def _waited(self) -> bool:
        try:
            self.wait()
        except BaseException:
            # The cell was interrupted.
            self.game.stop()
            raise
        failed = self.game.failed
        if failed is not None:
            self.refusal, _ = what_failed(failed, self.seat)
        return failed is None

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until no player is at work; return whether that is so."""
        return self.game.wait(seconds)

    # -- showing ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return line(self, repr(self.episode), *map(brief, self._seats))

    @property
    def _people(self) -> list[str]:
        """Return the people at this screen, and those who move in place of a failed player."""
        humans, away = self.game.humans, self.game.stood_in_for
        return [a for a in humans if a in self._seats or a in away]

    @property
    def covered(self) -> bool:
        """Whether the table is covered until the next person is at the screen."""
        return is_covered(self.game, self.seat, self._sits, self._people)

    def data(self) -> dict[str, object]:
        """Return the view of the seat at the screen, or the cover, for the browser."""
        seat, covered = self.seat, self.covered
        return {
            "seat": seat,
            "bar": [] if covered else self._bar(seat),
            "cover": self._cover(seat) if covered else None,
            "trouble": None if covered else self._trouble(seat),
            "table": None if covered else self._table(seat),
        }

    def _table(self, seat: str) -> dict[str, Any]:
        game = self.game
        seen = game.seen_by(seat)
        thinking = None
        if game.at_work and (worker := game.worker) is not None:
            words = what_goes_on(worker, seat, game), visible_words(worker, seat)
            thinking = "\n".join(words).strip()
        return {
            **(seen.screen if self._people else seen.watched),
            "episode": self._name(seat),
            "alone": len(self._people) < 2,
            "hints": seen.hints,
            "desk": seen.desk(self.refresh) if self._people else None,
            "tree": seen.tree,
            "undo": None if game.at_work else seen.undo_to,
            "keep": None,
            "thinking": thinking,
            "note": seen.note,
            "draft": self._notes.get("draft"),
            "error": self._notes.get("refused"),
        }

    def _name(self, seat: str) -> str:
        """Return a key for data in the browser, which is the same after a restart of the kernel.

        It must depend only on what every seat at this screen may know.
        """
        spec, view = self.episode.rules, self.episode.view_for(seat)
        everybody = {(seat, START) for seat in spec.seat_names}
        public = [view.parts[part.name] for part in spec.parts if {*part.seen} == everybody]
        known = repr((spec.to_dict(), view.title, public, self._seats))
        return sha256(known.encode("utf-8", "replace")).hexdigest()[:24]

    def _cover(self, seat: str) -> dict[str, Any]:
        shown = cover(self.game, seat)
        text = f"{shown.coming} {shown.text} {shown.note}".strip()
        choices = [button(f"sit {agent}", says, main=True) for agent, says in shown.seats.items()]
        return {"title": shown.title, "text": text, "choices": choices}

    def _bar(self, seat: str) -> list[dict[str, Any]]:
        game = self.game
        bar: list[dict[str, Any]] = [{"kind": "text", "text": game.spec.full_name}]
        idle = not (game.waits_for or game.over or game.at_work or game.failed)
        if idle:
            bar.append(button("on", "Play on", main=True))
        if self.helper is not None and not game.over:
            asking = bool(self._notes.get("asking"))
            waits = not game.seen_by(seat).view.legal.channels
            hint = "It gets what you see, and nothing else."
            words = ASKING if asking else "Ask a model for a draft"
            bar.append(button("ask", words, disabled=waits or asking, hint=hint))
        for place, (label, _, _) in enumerate(game.next_games):
            bar.append(button(f"game {place}", label, main=place == 0))
        return bar

    def _trouble(self, seat: str) -> dict[str, Any] | None:
        trouble = self._notes.get("trouble")
        if trouble is not None:
            return {**trouble, "choices": [button("dismiss", "Close")]}
        worker = self.game.failed
        if worker is None or self.game.waits_for:
            return None
        words, raw = what_failed(worker, seat)
        more = [button("more", "Let it use as much again")] if worker.over_budget else []
        choices = [
            button("again", "Try again", main=True),
            *more,
            button("mine", "I move for it"),
            button("script", "A scripted player moves for it"),
        ]
        return {"words": words, "raw": raw, "choices": choices}

    def text(self) -> str:
        """Return the view of the seat at the screen, as text."""
        return COVERED if self.covered else to_markdown(self.episode, self.seat)

    def html(self) -> str:
        """Return the view of the seat at the screen."""
        return f"<p>{COVERED}</p>" if self.covered else view_html(self.view)

    # -- events of the browser -------------------------------------------------------------------

    def receive(self, event: str, value: Any) -> None:
        """Carry out an action from the screen; a refusal is shown beside the typed text."""
        request = sent_object(value)
        if request.get("seat") != self.seat:
            self.refresh()
            return
        try:
            if event == "press":
                self._press(request.get("name"))
            elif event == "act" and not self.covered:
                self._act(request)
        except NipError as error:
            if event == "press":
                self._notes["trouble"] = {"words": str(error), "raw": ""}
            else:
                mark = str(request.get("mark"))[:40]
                self._notes["refused"] = {"mark": mark, **refusal(error, self.episode.rules)}
            self.refresh()

    def _act(self, request: dict[str, object]) -> None:
        if "stop" in request:
            self.game.stop()
        elif "undo" in request:
            self._undo(request["undo"])
        elif "goto" in request:
            node = request["goto"]
            if type(node) is not int:
                raise PlayError("There is no such position.")
            self.game.goto(node)
        else:
            if self.seat not in self._people:
                raise PlayError("Nobody sits in this seat.")
            move = move_of(request, self.seat, self.game.round)
            # Only a legal move removes a draft and a refusal.
            self.episode.verify(move)
            self._notes = {}
            self.game.play(move)

    def _undo(self, node: Any) -> None:
        """Take back the seat's last move, which was made at a position."""
        if self.seat not in self._people:
            raise PlayError("Nobody sits in this seat.")
        # It may have been taken back in another output of the same game.
        if node == self.game.seen_by(self.seat).undo_to:
            self.game.undo(self.seat)
        else:
            self.refresh()

    def _press(self, name: Any) -> None:
        name = name if isinstance(name, str) else ""
        what, _, which = name.partition(" ")
        if self.covered:
            if what == "sit" and which in cover(self.game, self.seat).seats:
                self._sits, self._notes = which, {}
                self.refresh()
            return
        known = {
            "on": self.game.go_on,
            "ask": self._ask,
            "again": self.game.go_on,
            "more": self._more,
            "mine": lambda: self.game.replace(HUMAN),
            "script": lambda: self.game.replace("scripted"),
            "dismiss": self._dismiss,
        }
        offered = [*self._bar(self.seat), *(self._trouble(self.seat) or {"choices": []})["choices"]]
        # Ignore choices that were not offered.
        if not any(choice.get("name") == name and not choice.get("disabled") for choice in offered):
            self.refresh()
        elif what == "game":
            _, start, task = self.game.next_games[int(which)]
            self._notes = {}
            # Seats may have been swapped; a single person at the screen need not confirm.
            people = sorted(a for a, kind in start.seats.items() if kind in ("me", "friend"))
            self._seats = tuple(people)
            self._sits = people[0] if len(people) == 1 else None
            self.game.begin(start, task)
        else:
            known[what]()

    def _more(self) -> None:
        more_tokens(self.game.players.values())
        self.game.go_on()

    def _dismiss(self) -> None:
        self._notes.pop("trouble", None)
        self.refresh()

    def _ask(self) -> None:
        """Ask the helper for a draft in a thread; drop it if another person sits down meanwhile."""
        notes, view, helper = self._notes, self.view, self.helper
        if helper is None:
            return
        notes["asking"] = True
        notes.pop("trouble", None)

        def ask() -> None:
            try:
                notes["draft"] = draft_of(helper.turn(view).move, view)
            except LLMError as error:
                raw = error.raw if isinstance(error, LLMFailedError) else ""
                notes["trouble"] = {"words": str(error), "raw": raw}
            except Exception as error:
                words = f"Something went wrong ({type(error).__name__}). Try again."
                notes["trouble"] = {"words": words, "raw": ""}
            finally:
                notes.pop("asking", None)
                self.refresh()

        threading.Thread(target=ask, name="draft", daemon=True).start()
        self.refresh()


# -- still forms ---------------------------------------------------------------------------------


def view_html(view: View) -> str:
    """Return a view as HTML, with all texts escaped."""
    spec = view.rules
    parts = [f"<h3>{escape(view.title or 'The problem')}</h3>"]
    for part in task_shown(view)["parts"]:
        title = f"<h4>{escape(part['title'])}</h4>" if part["title"] else ""
        tag, style = ("pre", CODE) if part["form"] == "program" else ("p", "white-space:pre-wrap")
        if part["text"] is not None:
            parts.append(f'{title}<{tag} style="{style}">{escape(part["text"])}</{tag}>')
    for channel in spec.channel_names:
        title = f"<h4>{escape(spec.channel_title(channel))}</h4>"
        if channel not in view.visible_channels:
            parts.append(f"{title}<p>Closed to this seat.</p>")
            continue
        messages = "".join(
            f"<li>{escape(_name(view, m.sender))}, turn {shown_round(number)}: "
            f'<span style="white-space:pre-wrap">{escape(m.text)}</span></li>'
            for number, seen in enumerate(view.rounds)
            for m in seen.messages
            if m.channel == channel
        )
        parts.append(f"{title}<ul>{messages or '<li>Nothing yet.</li>'}</ul>")
    told = [(seen.choices, seen.values) for seen in view.rounds]
    made = choices_shown(spec, told, over=view.over)
    if made:
        chosen = (f"{each['what']}: {each['option']}, {each['when']}" for each in made)
        rows = "".join(f"<li>{escape(text)}</li>" for text in chosen)
        parts.append(f"<h4>Choices</h4><ul>{rows}</ul>")
    return "".join([*parts, "" if view.ending is None else _ending_html(view)])


def _name(view: View, sender: str | None) -> str:
    return "Somebody" if sender is None else view.rules.seat_name(sender)


def _ending_html(view: View) -> str:
    ending, spec = view.ending, view.rules
    assert ending is not None
    verdict = "none" if ending.verdict is None else spec.title_of(ending.verdict)
    truth = "" if view.truth is None else f" Truth: {spec.title_of(view.truth)}."
    rewards = "".join(
        f"<li>{escape(spec.seat_name(agent))}: {total:+g}. {escape(why_paid(view, agent))}</li>"
        for agent, total in ending.totals.items()
    )
    return (
        f"<h4>{escape(f'Verdict: {verdict}.{truth}')}</h4>"
        f"<p>{escape(ending.explanation or '')}</p><ul>{rewards}</ul>"
    )
