"""A passage, a question about it, and its answers with arguments for and against each."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.documents import canonical, first_repeated, show, stable_hash
from nip_core.errors import TaskError
from nip_core.tasks.parts import DIFFICULTIES, MAX_LABEL, Chip, Difficulty, Note, need_text
from nip_core.tasks.task import Task

__all__ = ["LETTERS", "PASSAGES", "Answer", "Passage", "marked"]

# The name of this kind of task.
PASSAGES = "passage_question"
LETTERS = "ABCD"

# The question of a task contains the passage, the question and all answers.
MAX_PASSAGE = 90_000
MAX_QUESTION = 2_000
MAX_ANSWER = 1_000
MAX_ARGUMENT = 2_000

_QUOTED = re.compile("“([^“”]++)”")


@displayed
@dataclass(frozen=True, slots=True)
class Answer:
    """One of the answers to the question about a passage.

    Parameters
    ----------
    text : str
    support : tuple of str
        Exact quotes from the passage that support this answer.
    argument, rebuttal : str, optional
        The best case for this answer, and the best case against it; empty if none is known. Of the
        right answer, the argument is honest and the rebuttal dishonest; of a wrong one it is the
        other way round. Text between “ and ” is quoted from the passage.
    """

    text: str
    support: tuple[str, ...] = ()
    argument: str = ""
    rebuttal: str = ""


@dataclass(frozen=True, slots=True)
class Passage(Tabular):
    """A passage, a question that cannot be answered without it, and two to four answers.

    Show people only its `parts`, or a task from :meth:`pick`. `right` and the arguments of the
    answers are for the code that prepares an episode.

    Parameters
    ----------
    slug : str
        The name of its file, or its id in a file.
    title : str
    text : str
        Paragraphs separated by empty lines.
    question : str
    answers : tuple of Answer
        Two to four answers; the first one is A.
    right : int
        The index of the right answer, from 0.
    rival : int, optional
        The index of the most tempting wrong answer; by default the one after the right one.
    difficulty : {"easy", "medium", "hard"}, optional
    notes : tuple of Note
        What scripted seats can say besides the arguments of the answers.
    """

    slug: str
    title: str
    text: str
    question: str
    answers: tuple[Answer, ...]
    right: int
    rival: int | None = None
    difficulty: Difficulty | None = None
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        need_text(self.slug, "slug", MAX_LABEL)
        need_text(self.title, "title", MAX_LABEL)
        need_text(self.text, "passage", MAX_PASSAGE)
        need_text(self.question, "question", MAX_QUESTION)
        if self.difficulty is not None and self.difficulty not in DIFFICULTIES:
            known = ", ".join(DIFFICULTIES)
            raise TaskError(f"difficulty is {show(self.difficulty)}; it must be one of {known}.")
        if not 2 <= len(self.answers) <= len(LETTERS):
            raise TaskError(f"answers has {len(self.answers)}; it must have 2 to {len(LETTERS)}.")
        for letter, answer in zip(LETTERS, self.answers, strict=False):
            self._check_answer(answer, f"answer {letter}")
        twice = first_repeated(answer.text.strip() for answer in self.answers)
        if twice is not None:
            raise TaskError(f"answers has {show(twice)} twice; change one of them.")
        places = range(len(self.answers))
        if self.right not in places:
            raise TaskError(f"right is {show(self.right)}; it must be the place of an answer.")
        if self.rival is not None and (self.rival not in places or self.rival == self.right):
            raise TaskError(f"rival is {show(self.rival)}; it must be the place of a wrong answer.")

    def _check_answer(self, answer: Answer, at: str) -> None:
        need_text(answer.text, f"{at}: text", MAX_ANSWER)
        for text, name in ((answer.argument, "argument"), (answer.rebuttal, "rebuttal")):
            if text != "":
                need_text(text, f"{at}: {name}", MAX_ARGUMENT)
        for quote in answer.support:
            need_text(quote, f"{at}: support", MAX_ARGUMENT)
            if quote not in self.text:
                raise TaskError(
                    f"{at}: support has {show(quote)}, which is not in the passage. Copy the "
                    "words from it as they are."
                )

    def __repr__(self) -> str:
        return line(self, brief(self.slug), brief(self.title), f"{len(self.answers)} answers")

    def table(self) -> Table:
        """Return the answers by letter, as everybody may see them."""
        rows = [(letter, answer.text) for letter, answer in self._lettered()]
        return Table(("letter", "answer"), rows)

    def _lettered(self) -> list[tuple[str, Answer]]:
        return list(zip(self.letters, self.answers, strict=True))

    @property
    def kind(self) -> str:
        """The name of this kind of task."""
        return PASSAGES

    @property
    def id(self) -> str:
        """An id made from what everybody may see, independent of its file's name."""
        return self._hash("nip-passage-id/1").hex()[:16]

    @property
    def digest(self) -> str:
        """A digest of everything that an episode depends on."""
        prepared = [(a.support, a.argument, a.rebuttal) for a in self.answers]
        return self._hash("nip-passage/1", self.right, self.rival, prepared).hex()

    def _hash(self, what: str, *more: object) -> bytes:
        texts = [answer.text for answer in self.answers]
        return stable_hash(what, canonical([self.text, self.question, texts, *more]))

    @property
    def letters(self) -> tuple[str, ...]:
        """The names of the answers: A, B, ..."""
        return tuple(LETTERS[: len(self.answers)])

    @property
    def truth(self) -> str:
        """The letter of the right answer, which is the fact `truth` of protocols."""
        return LETTERS[self.right]

    @property
    def parts(self) -> dict[str, str]:
        """The parts for a protocol of version 2: the question, the answers, the passage."""
        answers = "\n".join(f"{letter}. {answer.text}" for letter, answer in self._lettered())
        return {"question": self.question, "answers": answers, "passage": self.text}

    def two(self, seed: int) -> Passage:
        """Return the passage with two answers, the right one and a wrong one.

        For protocols in which two sides argue. The choice of the wrong answer, and of the one
        called A, depends only on the slug and the seed.
        """
        drawn = stable_hash("nip-passage-two/1", self.slug, int(seed))
        others = [place for place in range(len(self.answers)) if place != self.right]
        # Of 256 values, three wrong answers get 86, 85 and 85, which is nearly fair.
        wrong = self.answers[others[drawn[1] % len(others)]]
        right = drawn[0] & 1
        pair = (
            (self.answers[self.right], wrong) if right == 0 else (wrong, self.answers[self.right])
        )
        return replace(self, answers=pair, right=right, rival=1 - right)

    def task(self, place: int) -> Task:
        """Return the statement that one answer is right, for protocols of version 1.

        All seats, including the verifier, then see the passage and all answers.

        Parameters
        ----------
        place : int
            The index of the answer, from 0.
        """
        answer, rival = self.answers[place], self._rival(place)
        true = self.answers[self.right]
        prepared = all((answer.argument, answer.rebuttal, rival.argument, rival.rebuttal))
        return Task(
            kind=PASSAGES,
            question=self._shown(),
            solution=answer.text,
            y=1 if place == self.right else 0,
            title=self.title,
            difficulty=self.difficulty,
            explanation=f"The right answer is: {true.text} {true.argument}".rstrip(),
            openings=(answer.rebuttal, answer.argument) if prepared else None,
            questions=_chips(answer, rival) if prepared else (),
        )

    def pick(self, seed: int) -> Task:
        """Return the right statement or a wrong one, by a fair coin of the seed."""
        drawn = stable_hash("nip-passage-version/1", self.slug, int(seed))
        if drawn[0] & 1:
            return self.task(self.right)
        others = [place for place in range(len(self.answers)) if place != self.right]
        return self.task(others[drawn[1] % len(others)])

    def _rival(self, place: int) -> Answer:
        """Return the answer to compare with one: the right one, or the most tempting wrong one."""
        if place != self.right:
            return self.answers[self.right]
        after = (self.right + 1) % len(self.answers)
        return self.answers[after if self.rival is None else self.rival]

    def _shown(self) -> str:
        answers = "\n".join(f"- {answer.text}" for answer in self.answers)
        return (
            f"{self.text}\n\nQuestion: {self.question}\n\nOne of these answers is right:\n{answers}"
        )


def quotes_in(argument: str) -> list[str]:
    """Return what an argument quotes."""
    return _QUOTED.findall(argument)


def marked(argument: str) -> str:
    """Return an argument with quotes marked by <quote> and </quote>, as in version 2."""
    return _QUOTED.sub(r"<quote>\1</quote>", argument)


def _chips(answer: Answer, rival: Answer) -> tuple[Chip, ...]:
    """Return typical questions about an answer, with the replies of both sides.

    The questions are the same for all answers, so they do not reveal the right one. Replies are by
    stance: reject, accept.
    """
    return (
        Chip("Which words of the passage show that?", (_quotes(rival), _quotes(answer))),
        Chip(
            "Which answer is right, then?",
            (f"The right one is this: {rival.text}", f"The one that is proposed: {answer.text}"),
        ),
        Chip("What about the other answers?", (rival.argument, rival.rebuttal)),
    )


def _quotes(answer: Answer) -> str:
    if not answer.support:
        return f"The whole of it. Read it with this answer in mind: {answer.text}"
    shown = [quote if "“" in quote else f"“{quote}”" for quote in answer.support]
    return f"It says: {' And: '.join(shown)}"
