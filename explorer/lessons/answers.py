"""Answers to a lesson's blocks: as they are stored, in every language the same, and as shown."""

from __future__ import annotations

from explorer.lessons.lesson import Block, words_of

# The first part of the names under which an answer is kept, by the kind of its block.
ANSWERS = {"predict": "guess", "quiz": "quiz", "playable": "result", "say": "said"}


def options(block: Block) -> list[tuple[str, bool]]:
    """Return the options of a guess or quiz question, and whether each is correct.

    Answers are stored as the option's number, since an option's text may be long, and differs by
    language. Of the questions before and after a lesson, those of both count on, in the order of
    the lesson's file.
    """
    if block.kind == "quiz" or block.instead is not None:
        return [(answer.text, answer.right) for asked in block.asks for answer in asked.answers]
    return [(choice, choice == block.right) for choice in block.choices]


def own_answers(block: Block) -> range:
    """Return the numbers of the options of the question that a block asks as it is."""
    if block.instead is None:
        return range(len(options(block)))
    first = len(block.instead.answers) if block.exchanged else 0
    return range(first, first + len(block.answers))


def question_of(block: Block, value: str) -> str:
    """Return the question that a stored answer answers."""
    own = not value.isdigit() or int(value) in own_answers(block)
    return block.question if own or block.instead is None else block.instead.question


def answer_in_words(block: Block, value: str) -> str | float:
    """Return a stored answer as people see it: the text of an option, or a number."""
    texts = [text for text, _ in options(block)]
    if block.kind == "say" and not texts:
        return value
    return texts[int(value)] if texts else float(value)


def answer_from_words(block: Block, value: object) -> str | None:
    """Return an answer that a browser has sent as it is stored; None if there is no such one."""
    known = options(block)
    texts = {known[number][0]: str(number) for number in own_answers(block)}
    if texts:
        return texts.get(value) if isinstance(value, str) else None
    if block.kind == "say":
        return words_of(value)
    return f"{value:g}" if block.takes(value) else None
