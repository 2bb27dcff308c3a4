"""The debates and consultancies of Khan et al. (2024): CSV files of their program `llm_debate`.

Each row has a transcript, and columns that say how judges decided. No such file was at hand: names
of fields are those of the program's code and of the description of its data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite

from nip_core.documents import Limits, read_csv, read_text
from nip_core.errors import NipError, TranscriptError
from nip_core.language import Specification
from nip_core.language.quotes import quotes_in
from nip_core.play import Episode, Move
from nip_core.registry import specification
from nip_core.transcript.others.older_forms import SIDES, latest_form
from nip_core.transcript.others.recorded import Field, Judgement, Recorded
from nip_core.transcript.others.replaying import NOTHING, Said, begun_for, widened

__all__ = ["is_llm_debate", "read_llm_debate"]

MOST_ROWS, MOST_ROUNDS = 2_000, 20
FILE = Limits(size=20_000_000)
Row = Mapping[str, str]

# What judges write. A letter is that of an answer.
CONFIDENCE = re.compile(r"Confidence correct: ([0-9.]{1,20})\s*\Z")
PROBABILITY = re.compile(r"Prob A: ([0-9.]{1,20})\b")
LETTER = re.compile(r"^(?:Final )?Answer: <?([AB])>?\s*$", re.MULTILINE)
ALONE = re.compile(r"\s*([AB])\)?\s*")
# The program marks quotes as verified and as not verified before it shows them.
MARK = re.compile(r"<(/?)[vu]_quote>")
VERIFIED = re.compile(r"<(/?)v_quote>")


def is_llm_debate(content: str | bytes) -> bool:
    """Return whether a file's first line names the columns of these files."""
    start = content[:20_000]
    text = start if isinstance(start, str) else start.decode("utf-8-sig", "replace")
    names = [name.strip().strip('"') for name in text.partition("\n")[0].split(",")]
    return "transcript" in names


def read_llm_debate(
    content: str | bytes, passages: Mapping[str, str] | None = None
) -> Iterator[Recorded]:
    """Read the rows of a file, which may be untrusted.

    A row that cannot be read is a record without a replay, whose difference says why.

    Parameters
    ----------
    content : str or bytes
    passages : mapping, optional
        Passages by question, for files that leave them out.

    Raises
    ------
    TranscriptError
        If it is not such a file.
    """
    head, rows = read_csv(read_text(content, FILE, TranscriptError), ",", TranscriptError)
    if "transcript" not in head:
        raise TranscriptError("It has no column “transcript”.")
    listed = [
        (line, cells if isinstance(cells, str) else dict(zip(head, cells, strict=True)))
        for line, cells in rows
    ]
    if len(listed) > MOST_ROWS:
        raise TranscriptError(f"It has {len(listed):,} rows; read are {MOST_ROWS:,}. Split it.")
    # Some files have fractions here, others percents.
    given = [_number(row.get("confidence_correct")) for _, row in listed if isinstance(row, dict)]
    scale = 100 if any(number is not None and number > 1 for number in given) else 1
    for line, row in listed:
        try:
            if isinstance(row, str):
                raise TranscriptError(f"it {row}.")
            yield _Debate(row, passages or {}, scale).recorded()
        except NipError as error:
            name = f"Line {line:,}"
            yield Recorded(name, None, (f"{name} cannot be read: {error}",), ())


class _Debate:
    def __init__(self, row: Row, passages: Mapping[str, str], scale: int) -> None:
        file = latest_form(row)
        self.row, self.scale, self.passages = row, scale, passages
        self.file = file
        self.question = file["question"].text()
        self.swap = file["swap"].flag()
        self.truth = "B" if self.swap else "A"
        self.order = SIDES[::-1] if self.swap else SIDES
        self.answers = [file["answers"][side].text() for side in self.order]
        self.rounds = list(file["rounds"])
        if len(self.rounds) > MOST_ROUNDS:
            raise TranscriptError(
                f"its transcript has {len(self.rounds)} rounds; read are {MOST_ROUNDS}."
            )
        self.argued = [side for side in self.order if any(each.get(side) for each in self.rounds)]
        self.asked = [self._asked(each) for each in self.rounds]
        self.differences: list[str] = []

    def recorded(self) -> Recorded:
        """Return the record."""
        judgements = tuple(self._judgements())
        title = self.row.get("story_title") or self._text(self.file, "story_title")
        episode = self._replayed(judgements)
        return Recorded(title or self.question, episode, tuple(self.differences), judgements)

    def _note(self, sentence: str) -> None:
        self.differences.append(sentence)

    @staticmethod
    def _text(fields: Field, key: str) -> str:
        """Return a text that may be missing."""
        given = fields.get(key)
        return "" if given is None else given.text().strip()

    def _asked(self, said: Field) -> str:
        """Return what a judge, or a model in its place, has asked before a round."""
        asked = (self._text(said, "judge"), self._text(said, "cross_examiner"))
        return "\n\n".join(filter(None, asked))

    # -- judgements ------------------------------------------------------------------------------

    def _judgements(self) -> Iterator[Judgement]:
        live = any(self.asked)
        person = _number(self.row.get("confidence_correct"))
        if person is not None and 0 <= person <= self.scale:
            name = self.row.get("judge_id") or "Judge"
            yield Judgement(name, live, (person / self.scale,))
        for column, answer in self.row.items():
            if column.startswith("answer_judge") and (belief := self._belief(answer)) is not None:
                yield Judgement(column, live, (belief,))

    def _belief(self, answer: str) -> float | None:
        """Return the probability of the right answer in a judge's text; 1 or 0 for a letter."""
        if found := CONFIDENCE.search(answer):
            return _chance(found[1])
        if found := PROBABILITY.search(answer):
            of_a = _chance(found[1])
            return of_a if of_a is None or self.truth == "A" else 1 - of_a
        letters = {*LETTER.findall(answer)} or {*ALONE.findall(answer[:4])}
        return float(letters == {self.truth}) if len(letters) == 1 else None

    # -- the replay ------------------------------------------------------------------------------

    def _replayed(self, judgements: tuple[Judgement, ...]) -> Episode | None:
        if not self.argued:
            self._note("Nobody argued.")
            return None
        passage = self._passage()
        if passage is None:
            return None
        task = {
            "question": self.question,
            "answers": f"A: {self.answers[0]}\nB: {self.answers[1]}",
            "passage": passage,
            "truth": self.truth,
        }
        side = None if len(self.argued) == 2 else "AB"[self.order.index(self.argued[0])]
        moves = list(self._moves())
        try:
            episode = begun_for(self._protocol(moves), task, side)
            channel = "talk" if side else "debate"
            for said in moves:
                episode.play(Move(said.seat, {channel: said.text}))
            self._judge(episode, judgements)
        except NipError as error:
            self._note(f"It cannot be replayed: {error}")
            return None
        if self._has_candidates():
            self._note("Candidates that were not chosen (`responses`) are left out.")
        return episode

    @property
    def _name(self) -> str:
        if len(self.argued) == 1:
            return "khan_consultancy"
        if any(self._text(each, "type") == "seq" for each in self.rounds):
            return "khan_debate_sequential"
        return "khan_debate_interactive" if any(self.asked) else "khan_debate"

    @property
    def _has_questions(self) -> bool:
        return self._name in ("khan_debate_interactive", "khan_consultancy")

    def _moves(self) -> Iterator[Said]:
        seats = ("consultant",) if len(self.argued) == 1 else ("alice", "bob")
        for place, said in enumerate(self.rounds):
            asked = self.asked[place]
            if place and self._has_questions:
                if not asked:
                    self._note("A round came without a question of the judge.")
                yield Said("judge", asked or NOTHING, {})
            elif asked:
                self._note(f"A question is left out, since {self._name} has no place for it.")
            for seat, side in zip(seats, self.argued, strict=True):
                yield Said(seat, MARK.sub(r"<\1quote>", self._text(said, side)) or NOTHING, {})

    def _protocol(self, moves: list[Said]) -> Specification:
        spec = specification(self._name)
        words = int(dict(spec.settings)["words"])
        limits = widened(spec, moves, lambda _: words, self._note)
        rounds = "rounds" if self._name == "khan_debate" else "later_rounds"
        times = len(self.rounds) - (rounds != "rounds")
        return replace(specification(self._name, **{rounds: times}), limits=limits)

    def _judge(self, episode: Episode, judgements: tuple[Judgement, ...]) -> None:
        """Play the first verdict, and compare it with the column that says whether it was right."""
        rights = [each.is_right for each in judgements if each.is_right is not None]
        if not rights:
            self._note("It was not judged.")
            return
        wrong = "A" if self.swap else "B"
        episode.play(Move("judge", {}, choices={"verdict": self.truth if rights[0] else wrong}))
        paid = bool(episode.result().totals["judge"])
        counted = {"true": True, "false": False}.get(self.row.get("correct", "").lower())
        if counted is not None and counted != paid:
            ours, theirs = ("right" if each else "wrong" for each in (paid, counted))
            self._note(f"By what the judge said it was {ours}; the column “correct” says {theirs}.")

    def _has_candidates(self) -> bool:
        rounds = self.file.get("responses")
        return rounds is not None and any(
            each.get(side) is not None for each in rounds for side in SIDES
        )

    # -- the passage -----------------------------------------------------------------------------

    def _passage(self) -> str | None:
        """Return the passage; without one, the quotes that the program found in it."""
        given = self._text(self.file, "story") or self.row.get("story", "").strip()
        if given and not given.startswith("<TRUNCATED>"):
            return given
        if known := self.passages.get(self.question):
            return known
        said = [self._text(each, side) for each in self.rounds for side in SIDES]
        if any("<quote>" in text for text in said):
            self._note(
                "The file leaves the passage out, so that its quotes cannot be checked: name a "
                "file of QuALITY that has the question (--passages)."
            )
            return None
        found = [quote for text in said for quote in quotes_in(VERIFIED.sub(r"<\1quote>", text))]
        self._note("The file leaves the passage out; quotes that it marks as verified replace it.")
        return "\n\n".join(found) or NOTHING


def _number(text: str | None) -> float | None:
    """Return the number that a cell holds, if it is one."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if isfinite(number) else None


def _chance(text: str) -> float | None:
    number = _number(text)
    return number if number is not None and 0 <= number <= 1 else None
