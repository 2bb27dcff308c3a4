"""Protocols with one verdict, and what all of their plays pay: slow, and independent."""

from fractions import Fraction

from hypothesis import assume

from nip_core.errors import UnsupportedError
from nip_core.language.rounds import Rounds
from tests.language import reference
from tests.language.strategies import accepted

# Those of the protocols in files that have one verdict.
PUBLISHED_ONES = {
    *("khan_consultancy", "khan_debate", "khan_debate_interactive", "khan_debate_sequential"),
    *("checkable_answers", "double_consultancy", "self_critique", "single_critique"),
    *("graph_nonisomorphism", "hostile", "nip", "scripts"),
}
# Those with too many plays to count them one by one.
WITH_MANY_PLAYS = {"pixel_debate", "set_size", "sum_check", "three_colouring"}
PUBLISHED_ONES |= WITH_MANY_PLAYS


def with_one_verdict(document):
    """Return the specification of a document; one without just one verdict is no example."""
    spec = accepted(document)
    try:
        Rounds.of(spec)
    except UnsupportedError:
        assume(False)
    return spec


def plays_of(document, *, prior, decides, accepts_true, accepts_false):
    """Yield all plays with a verifier that has fixed probabilities.

    Each is its probability, the label, what each seat is paid, and the verdict (2 for none).
    """
    answers = document["choices"]["truth"]["options"]
    true = "accept" if "accept" in answers else answers[0]
    (false,) = {*answers} - {true}
    numbers = {false: 0, true: 1}

    def play(name, options, registers, repeat):
        if name == "truth":
            return {label: Fraction(1)}
        if name != "verdict":
            return reference.weighted(document, name, options, registers, repeat)
        # Where it must decide, it does.
        stops = decides if {*options} - numbers.keys() else Fraction(1)
        accepts = accepts_true if label == true else accepts_false
        if numbers.keys() - {*options}:
            accepts = Fraction(true in options)
        if not numbers.keys() & {*options}:
            stops = Fraction(0)
        chances = {true: stops * accepts, false: stops * (1 - accepts)}
        return {option: chances.get(option, 1 - stops) for option in options}

    for label, share in ((false, 1 - prior), (true, prior)):
        for chance, _, paid, verdict in reference.plays(document, play):
            totals = {seat: Fraction(paid.get(seat, 0)) for seat in document["seats"]}
            yield share * chance, numbers[label], totals, numbers.get(verdict, 2)
