"""Sentences for people: they contain nothing that looks like a program, and no key of a file."""

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


def keys_of(spec):
    """Return the names of a file that differ from what people are shown."""
    things = (*spec.parts, *spec.channels, *spec.choices, *spec.stages)
    names = {thing.name: spec.title_of(thing.name) for thing in things}
    names |= {name: spec.title_of(name) for name, _ in spec.settings}
    names |= {str(o): spec.title_of(o) for each in spec.options.values() for o in each}
    names |= {seat: spec.seat_phrase(seat) for seat in spec.seat_names}
    names[spec.name] = spec.full_name
    shown = " ".join(names.values()).lower().split()
    shown += OUR_WORDS
    return {name for name, title in names.items() if title != name and name.lower() not in shown}


def need_words(spec, text, place):
    """Check that a text contains nothing of a program and no key of a file."""
    # The app's texts are escaped for Markdown.
    text = re.sub(r"\\([^\w\s])", r"\1", text)
    for own in filter(None, (spec.about, spec.simplified)):
        text = text.replace(" ".join(own.split()), "…")
    text = OF_OTHERS.sub("", text)
    # What an author calls things is not ours.
    titles = [*dict(spec.titles).values(), *(seat.title for seat in spec.seats), spec.title]
    odd = [title for title in titles if PROGRAM.search(title)]
    for title in sorted(odd, key=len, reverse=True):
        text = re.sub(re.escape(title), "…", text, flags=re.IGNORECASE)
    found = PROGRAM.search(text)
    assert found is None, f"{place}: {text[max(0, found.start() - 60) : found.end() + 60]!r}"
    for key in keys_of(spec):
        used = re.search(rf"(?<![\w'’-]){re.escape(key)}(?![\w-])", text)
        assert used is None, f"{place}: the key {key} in {text!r}"
