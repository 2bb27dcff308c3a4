"""Sentences for people: they contain nothing that looks like a program, and no key of a file."""

import functools
import re

__all__ = ["need_words"]

# What a program has and a sentence has not.
PROGRAM = re.compile(
    r"_|[!<>=]=|=>| [-+*/=<>] |\*\*|−\(|\d\*|\w+\([^()]*\)|\bif\b[^.;,]*\belse\b"
    r"|\([^()]*\b(?:if|unless|until)\b[^()]*\)|\bNone\b"
)
# Texts of tasks and of others, and marks that a model has to write.
OF_OTHERS = re.compile(r"(?ms)^(`{3,}).*?^\1$|^\|[^\n]*$|</?quote>|^ *- ")

# Words of our own sentences that a file may use as keys: "You can ask at most 3 questions".
OUR_WORDS = ["ask"]


@functools.lru_cache(maxsize=64)
def keys_of(spec):
    """Return a pattern of the names of a file that differ from what people are shown."""
    things = (*spec.parts, *spec.channels, *spec.choices, *spec.stages)
    names = {thing.name: spec.title_of(thing.name) for thing in things}
    names |= {name: spec.title_of(name) for name, _ in spec.settings}
    names |= {str(o): spec.title_of(o) for each in spec.options.values() for o in each}
    names |= {seat: spec.seat_phrase(seat) for seat in spec.seat_names}
    names[spec.name] = spec.full_name
    shown = " ".join(names.values()).lower().split()
    shown += OUR_WORDS
    keys = [name for name, title in names.items() if title != name and name.lower() not in shown]
    # What never matches stands for no key at all.
    either = "|".join(map(re.escape, sorted(keys, key=len, reverse=True))) or "(?!)"
    return re.compile(rf"(?<![\w'’-])(?:{either})(?![\w-])")


@functools.lru_cache(maxsize=64)
def odd_titles(spec):
    """Return what an author calls things if it looks like a program: it is not ours."""
    titles = [*dict(spec.titles).values(), *(seat.title for seat in spec.seats), spec.title]
    return sorted(filter(PROGRAM.search, titles), key=len, reverse=True)


def need_words(spec, text, place):
    """Check that a text contains nothing of a program and no key of a file."""
    # The app's texts are escaped for Markdown.
    text = re.sub(r"\\([^\w\s])", r"\1", text)
    for own in filter(None, (spec.about, spec.simplified)):
        text = text.replace(" ".join(own.split()), "…")
    text = OF_OTHERS.sub("", text)
    for title in odd_titles(spec):
        text = re.sub(re.escape(title), "…", text, flags=re.IGNORECASE)
    found = PROGRAM.search(text)
    assert found is None, f"{place}: {text[max(0, found.start() - 60) : found.end() + 60]!r}"
    used = keys_of(spec).search(text)
    assert used is None, f"{place}: the key {used[0]} in {text!r}"
