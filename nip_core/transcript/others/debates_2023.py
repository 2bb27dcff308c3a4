"""The debates and consultancies of Michael et al. (2023), one JSON file each.

The files are those of the data that the authors published. A quote is a span of the passage's
tokens, so it is exact. The debate itself is replayed with the limits and the number of rounds of
its own rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from nip_core.errors import NipError, TranscriptError, show
from nip_core.language import Specification
from nip_core.language.data import Limit
from nip_core.play import Episode, Move
from nip_core.registry import specification
from nip_core.transcript.others.recorded import Feedback, Field, Judgement, Recorded
from nip_core.transcript.others.replaying import NOTHING, Said, begun_for, widened
from nip_core.transcript.others.tokens import Passage
from nip_core.transcript.safe_json import parse_json

__all__ = ["is_debate_of_2023", "read_debate_of_2023"]

MOST_ROUNDS = 60
MOST_TOKENS = 1_000_000
# Amounts of pay that differ less are the same when shown.
CLOSE = 0.005
DEBATERS = ("Debater A", "Debater B")
# The one debater that is no person.
MODEL = "GPT-4"
SPEECHES = ("SimultaneousSpeeches", "SequentialSpeeches")


def is_debate_of_2023(document: object) -> bool:
    """Return whether a document looks like one of these files."""
    if not isinstance(document, Mapping):
        return False
    setup = cast("Mapping[str, object]", document).get("setup")
    needed = {"rules", "sourceMaterial", "roles"}
    return isinstance(setup, Mapping) and needed <= cast("Mapping[str, object]", setup).keys()


def read_debate_of_2023(source: str | bytes | Mapping[str, Any]) -> Recorded:
    """Read a file, which may be untrusted.

    Raises
    ------
    TranscriptError
        If it is not such a file; names the place and what is expected.
    """
    document = parse_json(source) if isinstance(source, str | bytes) else source
    return _Debate(Field(document)).recorded()


class _Debate:
    def __init__(self, file: Field) -> None:
        setup = file["setup"]
        material = setup["sourceMaterial"]
        kind, source = material.only()
        if kind != "QuALITYSourceMaterial":
            raise material.wrong("a story of QuALITY (QuALITYSourceMaterial)")
        self.title = source["title"].text()
        self.passage = Passage(source["contents"].texts())
        self.question = setup["question"].text()
        self.answers = [answer.text() for answer in setup["answers"]]
        if len(self.answers) != 2:
            raise setup["answers"].wrong("a list of two answers")
        self.right = setup["correctAnswerIndex"].whole(0, 1)
        self.roles = {role: setup["roles"][role].text() for role in setup["roles"].table()}
        self.debaters = [place for place, role in enumerate(DEBATERS) if role in self.roles]
        self.rules = setup["rules"]
        self.rounds = [each.only() for each in file["rounds"]]
        if len(self.rounds) > MOST_ROUNDS:
            raise TranscriptError(f"rounds has {len(self.rounds)}; read are at most {MOST_ROUNDS}.")
        self.feedback = file.get("feedback")
        self.differences: list[str] = []
        # Probabilities that are not whole percents from 1 to 99.
        self.rounded = 0

    def recorded(self) -> Recorded:
        """Return the record."""
        judgements = (*self._live(), *self._offline())
        names = {self.roles[DEBATERS[place]] for place in self.debaters}
        argued = MODEL if MODEL in names else "people"
        episode = self._replayed()
        feedback = tuple(self._answers(self.feedback)) if self.feedback else ()
        differences = tuple(self.differences)
        return Recorded(
            self.title, episode, differences, judgements, argued=argued, feedback=feedback
        )

    @staticmethod
    def _answers(feedback: Field) -> Iterator[Feedback]:
        """Yield what people answered to questions about the debate."""
        for who in feedback.table():
            for role in feedback[who].table():
                answers = feedback[who][role]["answers"]
                for question, given in answers.table().items():
                    parts = cast(
                        "dict[str, object]", given if isinstance(given, dict) else {"": given}
                    )
                    said = [
                        f"{name} {answer if isinstance(answer, str) else show(answer)}".strip()
                        for name, answer in parts.items()
                    ]
                    yield Feedback(who, role, question, ", ".join(said))

    # -- judgements ------------------------------------------------------------------------------

    def _belief(self, distribution: Field) -> float:
        """Return the probability of the right answer."""
        chances = [each.chance() for each in distribution]
        if len(chances) != 2 or not math.isclose(sum(chances), 1, abs_tol=1e-6):
            raise distribution.wrong("two probabilities whose sum is 1")
        return chances[self.right]

    def _live(self) -> Iterator[Judgement]:
        said = [each["distribution"] for kind, each in self.rounds if kind == "JudgeFeedback"]
        if said:
            beliefs = tuple(map(self._belief, said))
            yield Judgement(self.roles.get("Judge", "Judge"), True, beliefs)

    def _offline(self) -> Iterator[Judgement]:
        for kind, each in self.rounds:
            if kind == "OfflineJudgments":
                judgements = each["judgments"]
                for judge in judgements.table():
                    steps = (step["distribution"] for step in judgements[judge]["judgments"])
                    if beliefs := tuple(map(self._belief, steps)):
                        yield Judgement(judge, False, beliefs)

    # -- the replay ------------------------------------------------------------------------------

    def _replayed(self) -> Episode | None:
        if "Judge" not in self.roles:
            self._note(
                "Nobody judged during the debate, so there is no protocol to replay it with."
            )
            return None
        if not self.debaters:
            self._note("Nobody argued.")
            return None
        moves = [each for kind, said in self.rounds for each in self._moves(kind, said)]
        try:
            episode = self._begun(moves)
            for said in moves:
                texts = {self._channel: said.text} if said.text else {}
                episode.play(Move(said.seat, texts, choices=said.choices))
        except NipError as error:
            self._note(f"It cannot be replayed: {error}")
            return None
        self._compare(episode)
        return episode

    @property
    def _is_debate(self) -> bool:
        return len(self.debaters) == 2

    @property
    def _channel(self) -> str:
        return "debate" if self._is_debate else "talk"

    def _seat(self, debater: int) -> str:
        return ("alice", "bob")[debater] if self._is_debate else "consultant"

    def _moves(self, kind: str, said: Field) -> Iterator[Said]:
        if kind == "JudgeFeedback":
            percent = 100 * next(each.chance() for each in said["distribution"])
            estimate = min(99, max(1, round(percent)))
            if not math.isclose(percent, estimate, abs_tol=1e-6):
                self.rounded += 1
            ends = said["endDebate"].flag()
            text = self._text(said["feedback"]["content"])
            choices = {"estimate": estimate, "going": "stop" if ends else "go_on"}
            yield Said("judge", text, choices)
        elif kind in SPEECHES:
            speeches = said["speeches"]
            for debater in self.debaters:
                speech = speeches.get(str(debater))
                if speech is not None:
                    yield Said(self._seat(debater), self._text(speech["content"]) or NOTHING, {})
        elif kind not in ("OfflineJudgments", "NegotiateEnd"):
            raise TranscriptError(f"{said.at} is of a kind that is not known.")

    def _text(self, content: Field) -> str:
        parts: list[str] = []
        for segment in content:
            kind, given = segment.only()
            if kind == "Text":
                parts.append(given["text"].text())
            elif kind == "Quote":
                parts.append(f"<quote>{self._span(given['span'])}</quote>")
            else:
                raise segment.wrong("a Text or a Quote")
        return "".join(parts).strip()

    def _span(self, span: Field) -> str:
        ends = [*span] if isinstance(span.value, list) else [span["begin"], span["endExclusive"]]
        if len(ends) != 2:
            raise span.wrong("two numbers of tokens")
        # Some end a few tokens after the passage.
        begin, end = (min(each.whole(0, MOST_TOKENS), len(self.passage)) for each in ends)
        return self.passage.between(begin, end)

    def _begun(self, moves: list[Said]) -> Episode:
        """Begin an episode; a consultant has the side of the file."""
        task = {
            "question": self.question,
            "answers": f"A: {self.answers[0]}\nB: {self.answers[1]}",
            "passage": self.passage.text,
            "truth": "AB"[self.right],
        }
        side = None if self._is_debate else "AB"[self.debaters[0]]
        return begun_for(self._protocol(moves), task, side)

    def _protocol(self, moves: list[Said]) -> Specification:
        """Return the protocol with this file's rules; a limit that was exceeded is wider."""
        name = "michael_debate" if self._is_debate else "michael_consultancy"
        spec = specification(name)
        judged = sum(each.seat == "judge" for each in moves)
        limits = widened(spec, moves, self._allowed, self._note)
        return _with_rules(name, max(1, judged), self._turn_cost(), limits)

    def _allowed(self, limit: Limit) -> int | None:
        """Return the largest limit of this kind in the file's rules; None if there is none."""
        judges, key = limit.seat == "judge", "quoteLimit" if "quoted" in limit.of else "charLimit"
        found: list[int] = []
        for kind, given in self._round_types():
            if judges == (kind == "JudgeFeedbackRound"):
                most = given.get(key)
                if most is None:
                    return None
                found.append(most.whole(0, 1_000_000))
        return max(found, default=None)

    def _round_types(self) -> Iterator[tuple[str, Field]]:
        for part in ("fixedOpening", "repeatingStructure"):
            for each in self.rules[part]:
                kind, given = each.only()
                if kind == "JudgeFeedbackRound" or kind.removesuffix("Round") in SPEECHES:
                    yield kind, given

    def _turn_cost(self) -> float:
        """Return what going on costs the judge, who has to be paid by the score of the paper."""
        kind, rule = self.rules["scoringFunction"].only()
        if kind != "LogScoreWithLinearPenalty":
            raise TranscriptError("the judge was paid by another rule than the one in the paper.")
        cost = rule["perTurnPenalty"].chance()
        base = rule["logBase"].value
        if base != 2 or rule["baseCoefficient"].value != 1 or rule["constant"].value != 0:
            raise TranscriptError("the judge was paid by another score than the one in the paper.")
        return cost

    # -- differences -----------------------------------------------------------------------------

    def _note(self, sentence: str) -> None:
        self.differences.append(sentence)

    def _compare(self, episode: Episode) -> None:
        """Say how the replay differs from the file."""
        if self.rounded:
            self._note(f"Rounded to whole percents from 1 to 99: {self.rounded} of the judge's.")
        if not episode.over:
            self._note("It was not finished.")
            return
        (judged,) = self._live()
        going_on = sum(
            not each["endDebate"].flag() for kind, each in self.rounds if kind == "JudgeFeedback"
        )
        last = judged.beliefs[-1]
        theirs = math.log2(last) - self._turn_cost() * going_on if last else -math.inf
        ours = float(episode.result().totals["judge"])
        if abs(theirs - ours) > CLOSE:
            self._note(
                f"The judge is paid {ours:.2f} here, and {theirs:.2f} by its own percentage."
            )


@lru_cache(maxsize=64)
def _with_rules(
    name: str, rounds: int, turn_cost: float, limits: tuple[Limit, ...]
) -> Specification:
    return replace(specification(name, rounds=rounds, turn_cost=turn_cost), limits=limits)
