"""The rules of an episode: its turns by the language's machine, their outcomes, and views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import cast

from nip_core.documents import stable_hash
from nip_core.language import Specification
from nip_core.language.data import ALWAYS, Act, Option
from nip_core.language.expressions import OVER, Registers, Value
from nip_core.language.structure import Place
from nip_core.play.answers import as_answer
from nip_core.play.by_handler import outcome_by_handler
from nip_core.play.deal import Deal, Release
from nip_core.play.legal import Legal, legal_of
from nip_core.play.moves import MAX_CONFIDENCE, NO_DECISION, Move
from nip_core.play.outcomes import Ending, Result
from nip_core.play.seen import (
    SeenChoices,
    options_in,
    seen_facts,
    seen_parts,
    seen_turn,
    seen_values,
)
from nip_core.play.setup import Setup
from nip_core.play.tree import Node
from nip_core.play.verifying import as_short, made_by, verify_move
from nip_core.play.view import Briefing, View
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS
from nip_core.text import SeenRound

__all__ = ["Path", "Rules"]

Path = Sequence[Node]
"""The positions from the beginning to another one."""


class Rules:
    """The rules of one episode. They depend on its setup, not on what has happened in it."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        handler = setup.handler
        # The protocol's form in rounds, if it has one: decisions then have a short form.
        self._rounds = None if handler is None else handler.spec
        # A class that steps the rounds itself; the machine then only says who acts.
        self._steps = handler if handler is not None and handler.overrides_rules else None
        self.spec: Specification = setup.rules
        self.deal: Deal = setup.deal
        self._limited = {limit.seat for limit in self.spec.limits if limit.per == "game"}
        # What an act of the protocol allows, by its identity, which is quicker than its hash. Only
        # limits that count earlier moves can change it.
        self._allowed: dict[tuple[int, bool], Legal] = {}
        # For each seat and stage, what its views have in common.
        self._views: dict[tuple[str, int | None], Callable[..., View]] = {}

    def beginning(self) -> Node:
        """Return the first position."""
        machine, registers = self.spec.machine, self.deal.first()
        acts = machine.acts(machine.first, registers)
        return Node(
            id=0,
            parent=None,
            round=0,
            place=machine.first,
            registers=registers,
            acts=acts,
            speakers=self._speakers(acts),
        )

    def most_ahead(self, node: Node) -> int:
        """Return the largest number of positions that may follow one."""
        return self.spec.longest - node.round

    def _speakers(self, acts: Sequence[Act]) -> tuple[str, ...]:
        acting = {act.seat for act in acts}
        return tuple(seat for seat in self.spec.seat_names if seat in acting)

    # -- moves -----------------------------------------------------------------------------------

    def legal(self, node: Node, agent: str, path: Callable[[Node], Path]) -> Legal | None:
        """Return what a seat may do at a position that is not over; None if it is not its turn."""
        act = next((act for act in node.acts if act.seat == agent), None)
        if act is None:
            return None
        last = node.place == self.spec.last_places[agent]
        # A limit for the whole play depends on all earlier messages.
        limited = agent in self._limited
        if limited or self.spec.option_limits:
            return self._legal(act, node, path(node) if limited else (), last=last)
        legal = self._allowed.get((id(act), last))
        if legal is None:
            legal = self._allowed[id(act), last] = self._legal(act, node, (), last=last)
        return legal

    def _legal(self, act: Act, node: Node, path: Path, *, last: bool) -> Legal:
        return legal_of(
            self.spec,
            act,
            node.registers,
            (here.release for here in path if here.release is not None),
            self.setup.max_response_words,
            decides=self._rounds is not None,
            last_turn=last,
        )

    def recorded(self, move: Move) -> Move:
        """Return a move in the form in which it is kept."""
        if self._rounds is not None:
            return as_short(move)
        # An empty box on a screen is no message. A move is checked only after this.
        if not isinstance(move.messages, dict) or "" not in move.messages.values():
            return move
        written = {channel: text for channel, text in move.messages.items() if text != ""}
        return replace(move, messages=written)

    def verify(self, move: Move, legal: Legal, *, recorded: bool = False) -> None:
        """Raise an error for an illegal move; see :meth:`Episode.apply` for `recorded`."""
        verify_move(self.spec, legal, move, self._rounds, recorded=recorded)

    # -- turns -----------------------------------------------------------------------------------

    def after(
        self, parent: Node, moves: Mapping[str, Move], number: int, tainted: frozenset[str]
    ) -> tuple[Node, frozenset[str]]:
        """Return the position after a turn, and the seats that it has shown something."""
        spec = self.spec
        assert parent.place is not None
        chosen: dict[str, Option] = {}
        for act in parent.acts:
            if act.seat in moves:
                chosen |= made_by(moves[act.seat], [name for name, _ in act.choose])
        after, release = self.deal.turn(
            parent.place, parent.registers, parent.round, moves, chosen, parent.release
        )
        place, registers = after.place, after.registers
        over = place is None
        rewards = tuple(_as_float(release.paid.get(seat)) for seat in spec.seat_names)
        ran_out = over and self._rounds is not None and self._said(release.place, registers) is None
        done, terminated = over and not ran_out, ran_out
        if self._steps is not None:
            done, terminated, rewards = outcome_by_handler(
                self._steps, self.setup, parent.round, moves
            )
            place = None if done or terminated else place or spec.after(parent.place)
            terminated = terminated or (place is None and not done)
        acts_next = () if place is None else spec.machine.acts(place, registers)
        node = Node(
            id=number,
            parent=parent.id,
            round=parent.round + 1,
            moves={agent: moves[agent] for agent in spec.seat_names if agent in moves},
            done=done,
            terminated=terminated,
            rewards=rewards,
            tainted=tainted,
            place=place,
            registers=registers,
            release=release,
            acts=acts_next,
            speakers=self._speakers(acts_next),
        )
        return node, self._informed(parent, node, release)

    def _informed(self, parent: Node, node: Node, release: Release) -> frozenset[str]:
        """Return the seats that may have learnt something; in doubt, a seat is included."""
        spec = self.spec
        if node.place is None or parent.place is None:
            return frozenset(spec.seat_names)
        stage, before = node.place.stage, parent.place.stage
        pending = spec.pending(parent.place, node.place)
        # What was seen late of earlier turns, and is seen now.
        ended = frozenset(spec.pending(parent.place, parent.place)) - frozenset(pending)
        # In a protocol of rounds, a choice before the end only says that play goes on.
        news = [*release.choices] if self._rounds is None else []
        informed: set[str] = set()
        for seat in spec.seat_names:
            sight = spec.sight(seat, stage, pending)
            if (
                not release.values.keys().isdisjoint(sight.values)
                or any(
                    (m.seat != seat or m.source) and m.channel in sight.channels
                    for m in release.messages
                )
                or any(name in sight.choices and spec.choice(name).by != seat for name in news)
                or (ended and spec.sees_late(seat, ended))
                # What is seen from this stage on.
                or (stage != before and sight.more_than(spec.sight(seat, before)))
            ):
                informed.add(seat)
        if self._rounds is None:
            # Whether it is a seat's turn may reveal what was chosen.
            informed |= {act.seat for act in spec.turn(node.place).acts if act.when != ALWAYS}
        return frozenset(informed & {*spec.seat_names})

    # -- seeing ----------------------------------------------------------------------------------

    def moment(self, node: Node, here: Node) -> tuple[int | None, tuple[str, ...]]:
        """Return on what it depends what seats see, at a later position, of a position's turn."""
        pending = () if node.release is None else self.spec.pending(node.release.place, here.place)
        return _stage(here), pending

    def seen(self, node: Node, agent: str, here: Node) -> SeenChoices:
        """Return what a seat sees, at a later position, of a position's latest turn."""
        if node.release is None:
            return SeenChoices()
        move = node.moves.get(agent)
        own = None if move is None else self.own_text(move)
        return seen_turn(self.spec, node.release, agent, here.place, own)

    def own_text(self, move: Move) -> str:
        """Return a seat's move as the text that a model would write to make it."""
        if move.raw is not None:
            return move.raw
        return as_answer(self.setup.named(move.agent), move)

    def view(
        self,
        path: Path,
        agent: str,
        *,
        seen: Callable[[Node, str, Node], SeenRound],
        legal: Legal,
        held: Move | None,
        stood_in: Sequence[tuple[int, str]],
    ) -> View:
        """Return what a seat may know at the end of a path."""
        here, spec = path[-1], self.spec
        # Checked before any secret is read, since a traceback would show it.
        argues = spec.expression(spec.seat(agent).argues)
        stage = _stage(here)
        if (agent, stage) not in self._views:
            self._views[agent, stage] = self._view_in_stage(here, agent, stage)
        place = here.place
        if place is None:
            assert here.release is not None
            place = here.release.place
        now = {**spec.machine.here(place, here.registers), OVER: here.over}
        return self._views[agent, stage](
            argues=argues.value(now),
            round=here.round,
            rounds=cast(
                tuple[SeenChoices, ...], tuple([seen(node, agent, here) for node in path[1:]])
            ),
            legal=legal,
            held=held,
            ending=self._ending(path) if here.over else None,
            # The seat itself may know this at once, all others once it is over.
            stood_in=tuple(pair for pair in stood_in if here.over or pair[1] == agent),
            confidence=confidence_course(path, agent),
        )

    def _view_in_stage(self, here: Node, agent: str, stage: int | None) -> Callable[..., View]:
        """Return what a seat's views have in common in a stage."""
        setup, first = self.setup, self.deal.first()
        informed = setup.informed_provers and agent in self.spec.provers
        return partial(
            View,
            agent=agent,
            rules=self.spec,
            title=setup.task.title,
            parts=seen_parts(self.deal, agent, stage),
            facts=seen_facts(self.spec, first, agent, stage),
            values=seen_values(self.spec, first, agent, stage),
            prompt=setup.prompt(agent),
            max_response_words=setup.max_response_words,
            statement=setup.task.statement,
            stance=setup.stance(agent),
            informed_provers=setup.informed_provers,
            briefing=_briefing(setup, agent) if informed else None,
            reading_seed=_reading_seed(setup, agent),
            _handler=setup.handler,
            _named=setup.named(agent),
        )

    # -- results ---------------------------------------------------------------------------------

    def _said(self, place: Place, registers: Registers) -> Value:
        """Return the verdict after a turn with which play ends."""
        now = {**self.spec.machine.here(place, registers), OVER: True}
        return self.spec.expression(self.spec.verdict).value(now)

    def _verdict(self, path: Path) -> Value:
        """Return the verdict of a variation; None while it goes on, or if it has none."""
        here = path[-1]
        if not here.over or here.terminated:
            return None
        if self._steps is not None:
            verifier = here.moves.get(self._steps.spec.verifier)
            decision = NO_DECISION if verifier is None else verifier.decision
            return _in_words(self._steps.rules.forced(decision, self.setup.task.y))
        assert here.release is not None
        return self._said(here.release.place, here.registers)

    def _paid(self, path: Path) -> dict[str, Value]:
        """Return each seat's total pay, exact if it can be."""
        if self._steps is not None:
            return {seat: sum(paid) for seat, paid in self._rewards(path).items()}
        paid: dict[str, Value] = dict.fromkeys(self.spec.seat_names, Fraction(0))
        for release in [node.release for node in path if node.release is not None]:
            for seat, amount in release.paid.items():
                paid[seat] = (paid[seat] or 0) + (amount or 0)
        return paid

    def _rewards(self, path: Path) -> dict[str, tuple[float, ...]]:
        return {
            seat: tuple(node.rewards[index] for node in path[1:])
            for index, seat in enumerate(self.spec.seat_names)
        }

    @property
    def _on_the_word_of(self) -> dict[str, str]:
        return {what: by for what, (by, _) in self.spec.statements.items()}

    def _ending(self, path: Path) -> Ending:
        verdict = self._verdict(path)
        ending = Ending(
            verdict=verdict,
            decision=_decision(verdict),
            paid=self._paid(path),
            rewards=self._rewards(path),
            on_the_word_of=self._on_the_word_of,
        )
        task = self.setup.task
        if task.statement is None:
            return ending
        return replace(
            ending,
            y=task.y,
            explanation=task.explanation,
            exposing=task.exposing,
            proof=None if task.payload is None else task.payload.proof,
            stances={seat: self.setup.stance(seat) for seat in self.spec.seat_names},
        )

    def result(self, path: Path) -> Result:
        """Return the result of a variation."""
        here, verdict = path[-1], self._verdict(path)
        truth = here.registers.get(self.spec.roles.truth or "")
        known = verdict is not None and truth is not None and type(verdict) is type(truth)
        courses = {seat: confidence_course(path, seat) for seat in self.spec.seat_names}
        courses = {seat: course for seat, course in courses.items() if course}
        true = truth == "accept"
        return Result(
            verdict=verdict,
            decision=_decision(verdict),
            done=here.done,
            terminated=here.terminated,
            right=verdict == truth if known else None,
            choices=options_in(here.registers, self.spec.choices),
            values=self._values(here),
            paid=self._paid(path),
            rewards=self._rewards(path),
            on_the_word_of=self._on_the_word_of,
            confidence=courses,
            brier={
                seat: sum((value / MAX_CONFIDENCE - true) ** 2 for _, value in course) / len(course)
                for seat, course in courses.items()
            },
            tainted=frozenset[str]().union(*(node.tainted for node in path)),
        )

    def _values(self, here: Node) -> dict[str, Value]:
        """Return all values that are known at a position."""
        place = here.place if here.release is None else here.release.place
        assert place is not None
        now, names = self.spec.machine.here(place, here.registers), self.spec.names
        return {v.name: names.computed(v.name).value(now) for v in self.spec.values}

    def changed(self, node: Node) -> Mapping[str, Value]:
        """Return the values that a position's latest turn has changed, or those known before."""
        if node.release is not None:
            return node.release.values
        return self.spec.machine.known_before(node.registers)

    def chosen(self, node: Node) -> Mapping[str, Option]:
        """Return the choices of a position's latest turn, or those drawn before the first."""
        if node.release is not None:
            return node.release.choices
        return options_in(node.registers, self.spec.drawn)

    def progress(self, node: Node) -> str:
        """Return the progress of play, for the episode's one-line text."""
        return f"turn {shown_round(node.round)} of at most {self.spec.longest}"

    def verdict(self, path: Path) -> str | None:
        """Return the verdict of a finished variation, in a word."""
        verdict = self._verdict(path)
        return None if verdict is None else str(verdict)

    def said(self, move: Move) -> Iterator[tuple[str | None, str]]:
        """Return a move's texts with their channels; decisions and choices have None."""
        yield from move.messages.items()
        if move.decision != NO_DECISION:
            yield None, VERDICTS[move.decision]
        yield from ((None, f"{name}: {option}") for name, option in move.choices.items())


def _stage(node: Node) -> int | None:
    return None if node.place is None else node.place.stage


def confidence_course(path: Path, agent: str) -> tuple[tuple[int, int], ...]:
    """Return an agent's confidence by turn."""
    return tuple(
        (node.round - 1, move.confidence)
        for node in path
        if (move := node.moves.get(agent)) is not None and move.confidence is not None
    )


def _briefing(setup: Setup, agent: str) -> Briefing:
    task, stance = setup.task, setup.stance(agent)
    return Briefing(
        y=task.y,
        explanation=task.explanation,
        exposing=task.exposing,
        opening=None if stance is None else task.opening(stance),
        answers={} if stance is None else {c.ask: c.answers[stance] for c in task.questions},
    )


def _reading_seed(setup: Setup, agent: str) -> int:
    """Return one byte of a hash, which suffices to draw an order but does not reveal the seed."""
    if setup.handler is None:
        return 0
    order = setup.handler.agent_specs[agent].channel_order or []
    drawn = any(not isinstance(item, str) for item in order)
    return stable_hash("nip-reading/1", setup.seed, agent)[0] if drawn else 0


def _decision(verdict: Value) -> int | None:
    """Return a verdict to reject or accept as a number."""
    return VERDICTS.index(verdict) if isinstance(verdict, str) and verdict in VERDICTS else None


def _in_words(decision: int) -> str | None:
    return VERDICTS[decision] if decision in (0, 1) else None


def _as_float(amount: Value) -> float:
    return 0.0 if amount is None else float(amount)
