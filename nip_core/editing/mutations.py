"""Changes to try on any protocol: "add a critic", "let the judge ask", "separate the provers".

Each is a gesture that says in one sentence what it changes. Where it has no sense, it is refused
with a reason, which a page shows beside the greyed button.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from nip_core.displays import displayed
from nip_core.editing.arguments import Count
from nip_core.editing.choices import add_choice_of
from nip_core.editing.draft import Draft
from nip_core.editing.edits import Add, Set
from nip_core.editing.forms import Act, names_of
from nip_core.editing.ideas import hide_part, let_estimate, others_than, until_agreed
from nip_core.editing.naming import fresh, is_family
from nip_core.editing.paying import sides
from nip_core.editing.removing import without
from nip_core.editing.sight import let_read, wall
from nip_core.editing.things import several
from nip_core.editing.work import RefusedError, Work, do, gesture
from nip_core.language.data import CHANCE, END, START

__all__ = ["MUTATIONS", "Mutation", "mutations"]

MUTATIONS = (
    "add_critic",
    "let_the_judge_ask",
    "ask_only_once",
    "separate_the_provers",
    "let_the_provers_read_each_other",
    "one_after_the_other",
    "let_chance_pick_the_liar",
    "hide_the_passage",
    "stop_once_they_agree",
    "make_it_a_jury",
    "judge_by_probability",
    "limit_the_words",
)


@displayed
@dataclass(frozen=True, slots=True)
class Mutation:
    """A change to try: its gesture, its name, what it does here, or why it has no sense here."""

    gesture: str
    name: str
    words: str
    reason: str = ""


def mutations(draft: Draft) -> list[Mutation]:
    """Return all changes to try, each with what it does to this protocol."""
    found: list[Mutation] = []
    for name in MUTATIONS:
        result = do(draft, name)
        reason = "" if result.refused is None else result.refused.message
        words = result.words if not reason else ""
        found.append(Mutation(name, name.replace("_", " "), words, reason))
    return found


def _decider(work: Work) -> str:
    """Return the seat that decides."""
    spec = work.draft.spec
    roles = spec.roles
    # Whoever says how likely an answer is decides, too.
    found = roles.deciders or tuple(spec.choice(name).by for name in roles.estimates)
    families = {m: f.name for f in spec.families for m in f.members}
    names = [families.get(seat, seat) for seat in found]
    if not names:
        raise RefusedError("No seat decides here, so there is nobody whom this could be about.")
    return names[0]


def _provers(work: Work, least: int) -> list[str]:
    """Return the seats that write and do not decide."""
    decider = _decider(work)
    writers = {seat for _, _, seat, act in _acts(work) if act.get("say") or act.get("may_say")}
    found = [seat for seat in others_than(work, decider) if seat in writers]
    if len(found) < least:
        count = "nobody" if not found else "only one seat" if len(found) == 1 else f"{len(found)}"
        raise RefusedError(
            f"This needs {'two seats' if least == 2 else 'a seat'} to argue; {count} does."
        )
    return found


def _acts(work: Work) -> Iterator[tuple[int, int, str, Act]]:
    for s, stage in enumerate(work.document["stages"]):
        for t in range(len(stage["turns"])):
            for seat in work.actors(s, t):
                for act in work.acts(seat, s, t):
                    yield s, t, seat, act


def _channels(act: Act) -> list[str]:
    return [*act.get("say", []), *act.get("may_say", [])]


@gesture("add a critic")
def add_critic(work: Work) -> None:
    """Add a seat that reads what the first prover writes and answers it, for the judge to read."""
    prover, decider = _provers(work, 1)[0], _decider(work)
    stage, turn, channel = next(
        (s, t, _channels(act)[0])
        for s, t, seat, act in _acts(work)
        if seat == prover and _channels(act)
    )
    title, number = "Critic", 2
    titles = {work.entry("seat", seat).get("title") for seat in work.seats}
    while title in titles:
        title, number = f"Critic {number}", number + 1
    name = fresh(work.document, title)
    work.add("seat", name, {"title": title}, work.seats.index(decider))
    if "each" in work.entry("channel", channel):
        channel = fresh(work.document, "critique")
        work.add("channel", channel, {"seen": "everyone"})
    let_read(work, name, channel, stage)
    let_read(work, decider, channel, stage)
    work.do(Add(("turn", stage, turn + 1), {name: {"say": [channel]}}))
    for part in work.table("parts"):
        times = work.seen("part", part)
        if prover in times and name not in times:
            work.set_seen("part", part, times | {name: times[prover]})
    who = work.said("seat", prover)
    work.words = f"add a critic, who answers {who} before {work.said('seat', decider)} goes on"


@gesture("let the judge ask")
def let_the_judge_ask(work: Work) -> None:
    """Let the seat that decides write a question before the others write."""
    decider, provers = _decider(work), _provers(work, 1)
    for _, _, seat, act in _acts(work):
        if seat == decider and _channels(act):
            raise RefusedError(f"{work.said('seat', decider)} writes already, so it can ask.")
    stage, turn = next(
        (s, t) for s, t, seat, act in _acts(work) if seat in provers and _channels(act)
    )
    said = [c for _, _, seat, act in _acts(work) if seat in provers for c in _channels(act)]
    channels = [c for c in dict.fromkeys(said) if "each" not in work.entry("channel", c)]
    if not channels:
        raise RefusedError("There is no channel that the judge could write on.")
    for channel in channels:
        let_read(work, decider, channel, stage)
    work.do(Add(("turn", stage, turn), {decider: {"say": channels}}))
    work.words = f"let {work.said('seat', decider)} ask before {work.said('seats', provers)} answer"


@gesture("let the judge ask only once")
def ask_only_once(work: Work) -> None:
    """Let the seat that decides write only in the first repetition of each stage."""
    decider = _decider(work)
    changed = 0
    for s, stage in enumerate(work.document["stages"]):
        if stage.get("times", 1) == 1:
            continue
        for t in range(len(stage["turns"])):
            acts = work.acts(decider, s, t)
            if not any(_channels(act) for act in acts) or len(acts) > 1 or "when" in acts[0]:
                continue
            (act,) = acts
            asking = {**{k: v for k, v in act.items() if k != "apart"}, "when": "repeat = 1"}
            rest = {k: v for k, v in act.items() if k not in ("say", "may_say", "silent", "apart")}
            work.set_acts(decider, s, t, [asking, *([rest] if rest.get("choose") else [])])
            changed += 1
    if not changed:
        raise RefusedError(f"{work.said('seat', decider)} asks in no stage that is repeated.")
    work.words = f"let {work.said('seat', decider)} ask only once, in the first repetition"


@gesture("separate the provers")
def separate_the_provers(work: Work) -> None:
    """Put a wall between every two provers, so that none reads what another writes."""
    provers = _provers(work, 2)
    for one, other in combinations(provers, 2):
        wall(work, one, other)
    if not work.edits:
        raise RefusedError(f"{work.said('seats', provers)} do not read each other already.")
    work.words = f"put walls between {work.said('seats', provers)}: none reads another"


@gesture("let the provers read each other")
def let_the_provers_read_each_other(work: Work) -> None:
    """Open the wall between every two provers, so that each reads what the others write."""
    provers = _provers(work, 2)
    for one, other in combinations(provers, 2):
        wall(work, one, other, closed=False)
    if not work.edits:
        raise RefusedError(f"{work.said('seats', provers)} read each other already.")
    work.words = f"let {work.said('seats', provers)} read each other"


@gesture("let them write one after the other")
def one_after_the_other(work: Work) -> None:
    """Let provers who write at once write one after the other, so that each answers the last."""
    provers = _provers(work, 2)
    for s in range(len(work.document["stages"])):
        for t in reversed(range(len(work.turns(s)))):
            actors = [seat for seat in work.actors(s, t) if seat in provers]
            turn = work.turns(s)[t]
            if len(actors) < 2 or "then" in turn or "copy" in turn:
                continue
            for number, seat in enumerate(actors[1:], start=1):
                acts = turn[seat]
                work.set_acts(seat, s, t, [])
                work.do(Add(("turn", s, t + number), {seat: acts}))
    if not work.edits:
        raise RefusedError("No two of them write in the same turn.")
    work.words = f"let {work.said('seats', provers)} write one after the other"


@gesture("let chance pick the liar")
def let_chance_pick_the_liar(work: Work) -> None:
    """Let chance say who of two argues for which answer; the judge does not know."""
    argued = sides(work)
    decider = _decider(work)
    truth = work.draft.spec.roles.truth
    two = [seat for seat in argued if seat != decider]
    if len(two) != 2 or truth is None or truth not in work.table("choices"):
        raise RefusedError("This needs two seats that argue for a side, and a truth.")
    if any(is_family(work.document, "seat", seat) for seat in two):
        raise RefusedError("The seats of a family all argue for the same.")
    answers = names_of(work.table("choices")[truth]["options"])
    fixed = {argued[seat] for seat in two}
    if len(answers) != 2 or not fixed <= {*answers}:
        raise RefusedError("Who argues for what is not fixed here, so there is nothing to draw.")
    name = add_choice_of(work, "side", CHANCE, [])
    times = {two[0]: START, two[1]: START, **dict.fromkeys(others_than(work, ""), END)}
    times |= {two[0]: START, two[1]: START}
    work.set(work.place("choice", name), options=answers)
    work.set_seen("choice", name, times)
    for seat, argues in zip(two, (name, f"other({name})"), strict=True):
        old = argued[seat]
        work.set(work.place("seat", seat), argues=argues)
        _follow_side(work, seat, old, argues)
    work.words = f"let chance pick which of {work.said('seats', two)} argues for what"


def _follow_side(work: Work, seat: str, old: str, new: str) -> None:
    """Let payments of a seat that were for its fixed side be for the one that is drawn."""
    for number, rule in enumerate(work.document.get("pay", [])):
        if [*names_of(rule["to"])] == [seat] and "when" in rule:
            when = str(rule["when"])
            verdicts = work.draft.spec.roles.verdict
            for verdict in verdicts:
                if when.endswith(f"{verdict} = {old}"):
                    head = when[: -len(f"{verdict} = {old}")]
                    made = f"{head}{verdict} = {new}"
                    work.do(Set(("pay", number), "when", made))
                    work.note(f"the payment of {work.said('seat', seat)} follows the side it got.")


@gesture("hide the passage from the judge")
def hide_the_passage(work: Work) -> None:
    """Hide the last part of the task from the seat that decides; quotes from it are checked."""
    decider = _decider(work)
    shown = [part for part in work.table("parts") if work.seen("part", part).get(decider) == START]
    if not shown:
        raise RefusedError(
            f"{work.said('seat', decider)} sees no part of the task that could be hidden."
        )
    hide_part(work, shown[-1], decider)
    what = work.said("part", shown[-1])
    work.words = f"hide {what} from {work.said('seat', decider)}, and check quotes from it"


@gesture("stop once they agree")
def stop_once_they_agree(work: Work) -> None:
    """Let the provers say each time whether they agree; once they do, the stage ends."""
    provers = _provers(work, 2)
    for s, stage in enumerate(work.document["stages"]):
        for t in range(len(stage["turns"])):
            actors = [seat for seat in work.actors(s, t) if seat in provers]
            if len(actors) > 1 and stage.get("times", 1) != 1:
                following = work.document["stages"][s + 1 : s + 2]
                target = following[0]["name"] if following else END
                until_agreed(work, s, t, target, actors)
                work.words = f"end {work.said('stage', s)} once {work.said('seats', actors)} agree"
                return
    raise RefusedError("No two of them act at once in a stage that is repeated.")


@gesture("make the judge a jury of {count}")
def make_it_a_jury(work: Work, count: Count = 3) -> None:
    """Let several seats decide instead of one, each by itself; the majority counts."""
    decider = _decider(work)
    if is_family(work.document, "seat", decider):
        raise RefusedError(f"{work.said('seat', decider)} decides already.")
    if work.draft.spec.roles.go_on:
        raise RefusedError("Whoever decides here can also go on, which a majority cannot do.")
    who = work.said("seat", decider)
    several(work, decider, count)
    work.words = f"let {count} decide instead of {who}, by majority"


@gesture("judge by probability")
def judge_by_probability(work: Work) -> None:
    """Let the seat that decides say a probability instead, paid by a proper score."""
    decider, roles = _decider(work), work.draft.spec.roles
    if roles.estimates:
        raise RefusedError("A seat says a probability already.")
    if len(roles.verdict) != 1 or roles.go_on or roles.verdict[0] not in work.table("choices"):
        raise RefusedError("This is about a verdict that one seat gives once.")
    if roles.truth is None or len(roles.answers) != 2:
        raise RefusedError("A probability is about which of two answers is true.")
    verdict = roles.verdict[0]
    places = [(s, t) for s, t, _, act in _acts(work) if verdict in act.get("choose", {})]
    if not places:
        raise RefusedError("The verdict is given in no turn.")
    let_estimate(work, decider, *places[-1])
    made, also = without(work.document, "choice", verdict)
    work.become(made)
    for sentence in also:
        work.note(sentence)
    work.words = f"let {work.said('seat', decider)} say a probability, paid by a proper score"


@gesture("limit every message to {most} words")
def limit_the_words(work: Work, most: Count = 100) -> None:
    """Limit every message of the seats that argue to some words."""
    provers = _provers(work, 1)
    limited = {
        seat
        for rule in work.document.get("limits", [])
        if rule["of"] == "words"
        for seat in names_of(rule["seat"])
    }
    free = [seat for seat in provers if seat not in limited]
    if not free:
        raise RefusedError(f"The words of {work.said('seats', provers)} are limited already.")
    seats = free if len(free) > 1 else free[0]
    place = ("limit", len(work.document.get("limits", [])))
    work.do(Add(place, {"seat": seats, "of": "words", "most": most, "per": "message"}))
    work.words = f"limit every message of {work.said('seats', free)} to {most} words"
