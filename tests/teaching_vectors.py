"""Teach vectors of words which wordings ask the same: the second half of `tests.make_vectors`.

Each wording of a prepared question has to find the others of its question, among all questions of
its task. What likeness of each kind counts is learned with the vectors, and then again from
strangers' questions, whose prepared ones were chosen by hand.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch.nn.functional import cross_entropy, embedding_bag, normalize

from explorer.players.scripted.noted import ELSE, KINDS, Prepared, shared
from explorer.players.scripted.vectors import WORD
from nip_core.tasks import passages, problems

# How often each task is seen, how much is learned each time, and what keeps words where they were.
ROUNDS, RATE, RATE_OF_WEIGHTS, KEPT = 3, 0.003, 0.05, 1e-4
# What keeps weights small.
SMALL = 2e-4
# How often a question is asked that was not prepared.
NOT_PREPARED = 0.2
# What likeness of each of `noted.KINDS` counts at first, and nearness to none.
FIRST = (3.0, 5.0, 2.0, 3.0, 3.0, 5.0)

Bag = list[int]
Note = tuple[Sequence[str], Sequence[str], str]


@dataclass(frozen=True)
class Lesson:
    """All wordings of the prepared questions of a task, of which each has to find its question."""

    bags: list[Bag]
    # Which question each wording is of, and each answer.
    of: torch.Tensor
    answers: list[Bag]
    told: torch.Tensor
    # What each wording has in common with each question: words, letters, and a piece of a line.
    words: torch.Tensor
    letters: torch.Tensor
    line: torch.Tensor

    @classmethod
    def of_notes(cls, notes: Sequence[Note], bag: Callable[[str], Bag]) -> Self:
        """Return the lesson of a task's notes: the wordings, answers and line of each."""
        known = [Prepared.of(*note) for note in notes]
        asked = [(n, wording) for n, (wordings, _, _) in enumerate(notes) for wording in wordings]
        answers = [
            (n, answer) for n, (_, said, _) in enumerate(notes) for answer in sorted({*said})
        ]
        words, letters = list[list[float]](), list[list[float]]()
        for n, wording in asked:
            wordings, said, line = notes[n]
            less = Prepared.of([each for each in wordings if each != wording], said, line)
            others = [*known[:n], less, *known[n + 1 :]]
            words.append(shared(wording, others))
            letters.append([each.spelled(wording) for each in others])
        quotes = [[float(bool(line) and line in w) for _, _, line in notes] for _, w in asked]
        return cls(
            [bag(wording) for _, wording in asked],
            torch.tensor([n for n, _ in asked]),
            [bag(answer) for _, answer in answers],
            torch.tensor([n for n, _ in answers]),
            torch.tensor(words),
            torch.tensor(letters),
            torch.tensor(quotes),
        )

    def likeness(self, vectors: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """Return how near each wording is to each question, without itself, and to none of them."""
        asked, said = _summed(vectors, self.bags), _summed(vectors, self.answers)
        alike = (asked @ asked.T).masked_fill(torch.eye(len(asked), dtype=torch.bool), 0.0)
        near: list[torch.Tensor] = []
        for n in range(self.words.shape[1]):
            own = self.of == n
            mean = alike[:, own].sum(1) / (own.sum() - own.float())
            told = (asked @ said[self.told == n].T).amax(1)
            kinds = [self.words[:, n], mean, told, self.letters[:, n], self.line[:, n]]
            near.append(torch.stack(kinds, 1) @ weights[:-1])
        return torch.stack([*near, weights[-1].expand(len(asked))], 1)

    def loss(self, vectors: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """Return how far all wordings are from finding theirs, or none where theirs is left out."""
        like = self.likeness(vectors, weights)
        without = like.scatter(1, self.of[:, None], float("-inf"))
        none = torch.full_like(self.of, like.shape[1] - 1)
        return (1 - NOT_PREPARED) * cross_entropy(like, self.of) + NOT_PREPARED * cross_entropy(
            without, none
        )


def _summed(vectors: torch.Tensor, bags: Sequence[Bag]) -> torch.Tensor:
    flat = torch.tensor([place for each in bags for place in each])
    begins = torch.tensor([0, *(len(each) for each in bags[:-1])]).cumsum(0)
    return normalize(embedding_bag(flat, vectors, begins, mode="sum"), dim=1)


def all_notes() -> list[list[Note]]:
    """Return the notes of all tasks: wordings, answers, and a piece of the line."""
    programs = [[(n.asks, n.answers, n.line) for n in each.notes] for each in problems()]
    texts = [[(n.asks, n.answers, "") for n in each.notes] for each in passages()]
    return [*programs, *texts]


def lessons_of(places: Mapping[str, int], tasks: Sequence[Sequence[Note]]) -> list[Lesson]:
    """Return the lessons of some tasks, given the place of each word."""

    def bag(text: str) -> Bag:
        return [places[word] for word in WORD.findall(text.lower()) if word in places]

    return [Lesson.of_notes(notes, bag) for notes in tasks]


def taught(vectors: torch.Tensor, lessons: Sequence[Lesson]) -> torch.Tensor:
    """Return the vectors, of mean length 1, after the lessons."""
    torch.set_num_threads(1)
    order = random.Random(0)
    before = vectors / vectors.norm(dim=1).mean()
    learned = before.clone().requires_grad_()
    weights = torch.tensor(FIRST, requires_grad=True)
    groups = [{"params": [learned], "lr": RATE}, {"params": [weights], "lr": RATE_OF_WEIGHTS}]
    steps = torch.optim.Adam(groups)
    for _ in range(ROUNDS):
        for lesson in order.sample(lessons, len(lessons)):
            loss = lesson.loss(learned, weights) + KEPT * ((learned - before) ** 2).sum()
            steps.zero_grad()
            loss.backward()
            steps.step()
    return learned.detach()


@dataclass(frozen=True)
class Choice:
    """A stranger's question, and which prepared ones would answer it; perhaps none."""

    # For each prepared question, likeness of each kind.
    kinds: torch.Tensor
    meant: Sequence[int]

    def loss(self, weights: torch.Tensor) -> torch.Tensor:
        """Return how unlikely it is that one of them is found."""
        like = torch.cat([self.kinds @ weights[:-1], weights[-1:]]).log_softmax(0)
        return -like[self.meant or [-1]].logsumexp(0)


def weighed(choices: Sequence[Choice]) -> dict[str, float]:
    """Return what likeness of each kind counts, so that the right questions are most likely."""
    weights = torch.tensor(FIRST, requires_grad=True)
    steps = torch.optim.LBFGS([weights], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        steps.zero_grad()
        total = torch.stack([each.loss(weights) for each in choices]).mean()
        total = total + SMALL * (weights**2).sum()
        total.backward()
        return total

    steps.step(loss)
    return dict(zip((*KINDS, ELSE), (round(each, 2) for each in weights.tolist()), strict=True))
