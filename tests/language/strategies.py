"""Random protocols of version 2, as documents; most of them are accepted."""

from hypothesis import assume
from hypothesis import strategies as st

from nip_core.errors import SpecError
from nip_core.language import Specification

SEATS = ("ann", "bea", "cid")
LABEL = "zed"
POOLS = (["x", "y"], ["u", "v", "w"], [0, 50, 100], [1, 2], {"from": 0, "to": 20, "step": 10})


class Writer:
    """Writes expressions of a type about some choices."""

    def __init__(self, draw, choices):
        self.draw, self.choices = draw, choices
        self.words = [n for n, c in choices.items() if is_words(c)]
        self.numbers = [n for n, c in choices.items() if not is_words(c)]
        # Only a choice has a previous value, and another option.
        self.made = [n for n in choices if not n.startswith("v") or n == "vote"]

    def pick(self, items):
        return self.draw(st.sampled_from(list(items)))

    def truth(self, deep=2, over=False):
        ways = ["fixed"]
        ways += ["is", "is", "made"] * bool(self.words) + ["more", "more"] * bool(self.numbers)
        ways += ["joined", "not", "chain"] * (deep > 0) + ["over"] * over + ["repeat"]
        way = self.pick(ways)
        if way == "is":
            name = self.pick(self.words)
            return f"{name} {self.pick(['=', '!='])} {self.pick(self.choices[name]['options'])}"
        if way == "made":
            return f"{self.pick(self.words)} {self.pick(['=', '!='])} none"
        if way == "more":
            mark = self.pick(["<", "<=", ">", ">=", "=", "!="])
            return f"{self.number(deep - 1)} {mark} {self.number(deep - 1)}"
        if way == "joined":
            return f"({self.truth(deep - 1)} {self.pick(['and', 'or'])} {self.truth(deep - 1)})"
        if way == "chain":
            marks = [self.pick(["<", "<=", ">", ">=", "="]) for _ in range(self.pick([2, 3]))]
            parts = [f"{mark} {self.number(deep - 1)}" for mark in marks]
            return " ".join([self.number(deep - 1), *parts])
        if way == "not":
            return f"not ({self.truth(deep - 1)})"
        if way == "repeat":
            return f"repeat {self.pick(['=', '<'])} {self.pick([1, 2])}"
        return "over" if way == "over" else self.pick(["true", "false"])

    def number(self, deep=2):
        made = [name for name in self.numbers if name in self.made]
        ways = ["fixed", "setting"] + ["name", "name"] * bool(self.numbers)
        ways += ["before"] * bool(made)
        ways += ["sum", "case", "function", "divided", "whole", "negative"] * (deep > 0)
        way = self.pick(ways)
        if way == "name":
            return self.pick(self.numbers)
        if way == "before":
            return f"before({self.pick(made)})"
        if way == "sum":
            mark = self.pick(["+", "-", "*"])
            return f"({self.number(deep - 1)} {mark} {self.number(deep - 1)})"
        if way == "case":
            parts = self.number(deep - 1), self.truth(deep - 1), self.number(deep - 1)
            return "({} if {} else {})".format(*parts)
        if way == "function":
            names = ["mean", "median", "min", "max", "quadratic", "power", "at"]
            name = self.pick([*names, "sum", "count", "find"])
            if name == "count":
                return f"count({self.truth(deep - 1)}, {self.truth(deep - 1)})"
            if name == "find":
                among = self.words if self.words and self.pick([True, False]) else self.numbers
                first = self.pick(among or [1])
                return f"find({first}, {self.pick(among or [2])}, {first}, {first})"
            if name == "quadratic":
                return f"quadratic({self.number(deep - 1)}, {self.truth(deep - 1)})"
            if name == "power":
                return f"power({self.pick([2, 0.5, -1])}, repeat)"
            if name == "at":
                return f"at({self.pick([1, 2, 3])}, {self.number(deep - 1)}, {self.pick([3, 5])})"
            return f"{name}({self.number(deep - 1)}, {self.number(deep - 1)})"
        if way == "divided":
            return f"{self.number(deep - 1)} / {self.pick([2, 3, 'scale'])}"
        if way == "whole":
            mark = self.pick(["mod", "div"])
            return f"({self.number(deep - 1)} {mark} {self.pick([2, 3, 'scale', 0.5])})"
        if way == "negative":
            return f"-{self.number(deep - 1)}"
        return "scale" if way == "setting" else str(self.pick([0, 1, 2, 0.5, 10, 100, "1e2"]))

    def option(self):
        if not self.words:
            return "none"
        name = self.pick(self.words)
        ways = ["name", "fixed", "case"] + ["majority"] * (name in self.made)
        ways += ["other"] * (len(self.choices[name]["options"]) == 2 and name in self.made)
        way = self.pick(ways)
        fixed = self.pick([*self.choices[name]["options"], LABEL])
        return {
            "name": name,
            "fixed": fixed,
            "case": f"{name} if {self.truth(1)} else {fixed}",
            "majority": f"majority({name}, before({name}), {fixed})",
            "other": f"other({name})",
        }[way]


def is_words(choice):
    return isinstance(choice["options"], list) and isinstance(choice["options"][0], str)


@st.composite
def documents(draw):
    """Draw a document; the choices of a seat come before those that may read them."""
    seats = SEATS[: draw(st.integers(1, 3))]
    stages = [f"s{n}" for n in range(draw(st.integers(1, 3)))]
    times = ["start", "end", *stages]

    def seen(*, late=False):
        since = st.sampled_from([*times, *["end of repetition", "end of stage"] * 2 * late])
        short = draw(st.integers(0, 5))
        if short == 0:
            return draw(since)
        pairs = {seat: draw(since) for seat in seats if draw(st.booleans())}
        return {"everyone": draw(since), **pairs} if short == 1 else pairs

    channels = {f"c{n}": {"seen": seen(late=True)} for n in range(draw(st.integers(0, 2)))}
    choices = {}
    for n in range(draw(st.integers(1, 5))):
        by = draw(st.sampled_from([*seats, *seats, "chance", "task"]))
        choice = {"by": by, "options": draw(st.sampled_from(POOLS))}
        choice["seen"] = seen(late=by in seats)
        if by == "chance" and isinstance(choice["options"], list) and draw(st.booleans()):
            # It may read what was drawn before; in a turn, all of it.
            earlier = {m: c for m, c in choices.items() if c["by"] in ("task", "chance")}
            writer = Writer(draw, earlier)
            choice["weights"] = [writer.number(1) for _ in choice["options"]]
        choices[f"k{n}"] = choice
    values, known = {}, dict(choices)
    for n in range(draw(st.integers(0, 3))):
        values[f"v{n}"], known[f"v{n}"] = value(draw, Writer(draw, known), seen)
    writer = Writer(draw, known)
    in_turns = {n for n, c in choices.items() if c["by"] == "chance" and draw(st.booleans())}

    def act(seat, stage, free):
        say = [
            name
            for name, channel in channels.items()
            if reads(since_when(channel["seen"], seat), stage, stages) and draw(st.booleans())
        ]
        own = [n for n in free if choices[n]["by"] == seat and draw(st.booleans())]
        found = {}
        if say:
            found["say"] = say
        if own:
            narrow = draw(st.booleans())
            found["choose"] = own
            if narrow:
                found["choose"] = {n: narrowed(choices[n]) for n in own}
            numbers = [n for n in own if choices[n]["options"] == [0, 50, 100]]
            if len(numbers) == len(own) > 1 and not narrow:
                found["total"] = 100
            elif say and draw(st.integers(0, 3)) == 0:
                found["silent"] = Writer(draw, {n: choices[n] for n in own}).truth(0)
                if "repeat" in found["silent"]:
                    del found["silent"]
        if len(say) == 1 and "silent" not in found and draw(st.integers(0, 3)) == 0:
            found["may_say"] = found.pop("say")
        if found and draw(st.integers(0, 2)) == 0:
            found["when"] = writer.truth(1)
        if found and seat != "chance" and found.keys().isdisjoint({"total", "silent"}):
            found |= {"apart": True} if draw(st.integers(0, 3)) == 0 else {}
        return found

    def narrowed(choice):
        options = choice["options"]
        if isinstance(options, dict) or draw(st.booleans()):
            return "all"
        return options[: draw(st.integers(1, len(options)))]

    def turn(place):
        found = {}
        for seat in draw(st.permutations([*seats, "chance"])):
            free = [n for n in choices if seat != "chance" or n in in_turns]
            acts = [a for _ in range(draw(st.integers(0, 2))) if (a := act(seat, place, free))]
            if acts:
                found[seat] = acts[0] if len(acts) == 1 else acts
        copied = {
            target: draw(
                st.sampled_from([*names, f"{names[0]} if {writer.truth(1)} else {names[-1]}"])
            )
            for target in channels
            for names in [[name for name in channels if name != target]]
            if names and draw(st.integers(0, 2)) == 0
        }
        if copied:
            found["copy"] = copied
        targets = [*stages[place + 1 :], "end"]
        then = {t: writer.truth(1) for t in targets if draw(st.integers(0, 3)) == 0}
        return {**found, **({"then": then} if then else {})}

    document = {
        "name": "drawn",
        "labels": [LABEL],
        "settings": {"scale": draw(st.sampled_from([1, 2, 0.5, "1/3"]))},
        "seats": {
            seat: {"title": "T", "argues": writer.option(), "anonymous": draw(st.booleans())}
            for seat in seats
        },
        "parts": {"text": {"seen": seen(), "quotable": draw(st.booleans())}},
        "channels": channels,
        "choices": choices,
        "values": values,
        "stages": [
            {
                "name": name,
                "times": draw(st.integers(1, 2)),
                "turns": [turn(place) for _ in range(draw(st.integers(1, 2)))],
            }
            for place, name in enumerate(stages)
        ],
        "verdict": writer.option() if draw(st.booleans()) else writer.number(1),
        "pay": [
            {
                "to": {draw(st.sampled_from(seats)): draw(st.sampled_from([1, -1, 0.5]))},
                "amount": writer.number(2),
                "when": writer.truth(1, over=True),
                "at": draw(st.sampled_from(["end", *seats, *choices])),
            }
            for _ in range(draw(st.integers(0, 3)))
        ],
        "limits": [],
    }
    if draw(st.booleans()):
        document["experts"] = [seat for seat in seats if draw(st.booleans())]
    for seat in seats:
        own = [n for n, c in choices.items() if c["by"] == seat and is_words(c)]
        if own and draw(st.integers(0, 3)) == 0:
            name = draw(st.sampled_from(own))
            limit = {"seat": seat, "of": name, "option": choices[name]["options"][0], "most": 1}
            document["limits"].append(limit)
        if draw(st.integers(0, 4)) == 0:
            document["limits"].append({"seat": seat, "of": "words", "most": 5})
        if draw(st.integers(0, 4)) == 0:
            limit = {"seat": seat, "of": "quoted words", "most": 3, "per": "game"}
            document["limits"].append(limit)
    return document


def value(draw, writer, seen):
    """Draw a value that the rules work out, and what a writer needs to know of it."""
    way = draw(st.sampled_from(["is", "max", "min", "sum", "count", "first", "last"]))
    made = [name for name in writer.choices if name.startswith("k")]
    pool = [0, 50, 100]
    words = way in ("is", "first", "last") and bool(writer.words) and draw(st.booleans())
    if words:
        name = writer.pick(writer.words)
        pool = writer.choices[name]["options"]
        expression = f"{name} if {writer.truth(1)} else {name}"
    elif way == "count":
        expression = writer.truth(1)
    else:
        expression = writer.number(1)
    at = draw(st.lists(st.sampled_from(made), min_size=1, max_size=2, unique=True))
    written = {way: expression, "seen": seen(), **({"at": at} if way != "is" else {})}
    return written, {"options": pool, "by": "rules"}


def accepted(document):
    """Return the specification of a document; a refused one is no example."""
    try:
        return Specification.from_dict(document)
    except SpecError:
        assume(False)


def since_when(seen, seat):
    """Return since when a seat sees something, if it does."""
    return seen if isinstance(seen, str) else seen.get(seat, seen.get("everyone"))


def reads(since, stage, stages):
    if since in (None, "end"):
        return False
    return since == "start" or since.startswith("end of") or stage >= stages.index(since)


@st.composite
def judged_documents(draw):
    """Draw a document in which only one verdict, the truth, a side and a variant matter.

    Some of them are refused, since play may go on after an answer.
    """
    waits = draw(st.booleans())
    options = draw(st.permutations(["A", "B"])) + ["wait"] * waits
    choices = {
        "truth": {"by": "task", "options": ["A", "B"]},
        "verdict": {"by": "judge", "options": options},
    }
    if draw(st.booleans()):
        choices["side"] = {"by": "chance", "options": ["B", "A"], "seen": {"ann": "start"}}
    if draw(st.booleans()):
        choices["variant"] = {"by": "chance", "options": ["u", "v", "w"]}
    writer = Writer(draw, choices)
    decided = "verdict = A or verdict = B"
    ends = ["end", decided] if waits else ["end", "verdict != none"]
    drawn = {name: choice for name, choice in choices.items() if choice["by"] == "chance"}

    def acts(seat, done):
        found = []
        for _ in range(draw(st.integers(0, 2))):
            act = {"say": "floor"} if draw(st.booleans()) or seat == "ann" else {}
            if seat == "judge" and (not act or draw(st.booleans())):
                act["choose"] = {
                    "verdict": draw(st.sampled_from(["all", options[:1], options[1:]]))
                }
                done.append(True)
            if drawn and draw(st.booleans()):
                act["when"] = Writer(draw, drawn).truth(0)
            found.append(act)
        return {seat: found[0] if len(found) == 1 else found} if found else {}

    def turn(stage):
        done = []
        found = {**acts("judge", done), **acts("ann", done)}
        then = [ends] * (bool(done) and draw(st.integers(0, 9)) > 0)
        if stage == "first" and draw(st.integers(0, 5)) == 0:
            then.append(["last", f"not ({decided}) and {Writer(draw, drawn).truth(0)}"])
        return {**found, **({"then": dict(then)} if then else {})}

    def paid():
        at = draw(st.sampled_from(["end", "end", "judge", "ann", "verdict"]))
        to = {draw(st.sampled_from(["ann", "judge"])): draw(st.sampled_from([1, -1, 0.5]))}
        when = writer.truth(1, over=True)
        return {"to": to, "amount": writer.number(2), "when": when, "at": at}

    stages = [("first", 3), ("last", 2)]
    return {
        "name": "judged",
        "settings": {"scale": draw(st.sampled_from([1, 0.5]))},
        "seats": {
            "ann": {"argues": "side if side = A else B" if "side" in drawn else "A"},
            "judge": "J",
        },
        "channels": {"floor": "everyone"},
        "choices": choices,
        "stages": [
            {
                "name": name,
                "times": draw(st.integers(1, times)),
                "turns": [turn(name) for _ in range(draw(st.integers(1, 2)))],
            }
            for name, times in stages
        ],
        "verdict": draw(
            st.sampled_from(
                ["verdict", f"verdict if {decided} else none", "truth if verdict != none else none"]
            )
        ),
        "pay": [paid() for _ in range(draw(st.integers(0, 3)))],
        "limits": [{"seat": "judge", "of": "verdict", "option": "wait", "most": 2}]
        * (waits and draw(st.booleans())),
    }
