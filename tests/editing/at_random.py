"""Random gestures: arguments that mostly fit a protocol, for every gesture that there is."""

from nip_core import protocol_names, published_names
from nip_core.editing import GESTURES, USUAL
from tests.language.playing import begin, deal_of, random_move

ALL = (*published_names(), *protocol_names())
IDEAS = ("go on", "agreement", "probability", "budget", "hidden part")
# These make a protocol shorter, or do the same again; the others make it more interesting.
RARE = {"remove", "remove_turn", "clear", "pay_nothing", "become", "set_field", "remove_rule"}
OFTEN = {"write": 6, "choose": 4, "see": 3, "wall": 3, "move_turn": 2, "leave": 2, "only_if": 2}


class Picker:
    """Picks arguments for gestures from a document."""

    def __init__(self, rng, document):
        self.rng, self.document = rng, document
        self.stages = document["stages"]

    def one(self, items, other=None):
        items = [*items]
        return self.rng.choice(items) if items else other

    def names(self, section):
        return [*self.document.get(section, {})]

    def seat(self):
        return self.one(self.names("seats"))

    def choice(self):
        return self.one(self.names("choices"), "verdict")

    def options(self, choice):
        options = self.document.get("choices", {}).get(choice, {}).get("options", ["A"])
        return options if isinstance(options, list) else [0, 10]

    def condition(self):
        choice = self.choice()
        option = self.one(self.options(choice))
        ways = [f"{choice} = {option}", f"{choice} != {option}", "true", "over", "repeat = 1"]
        return self.rng.choice([*ways, f"{choice} = none or {choice} = {option}"])

    def kind(self):
        kinds = ("seat", "part", "channel", "choice", "value", "setting", "stage", "option")
        return self.one(kind for kind in kinds if self.of_kind(kind)) or "seat"

    def of_kind(self, kind):
        if kind == "stage":
            return [stage["name"] for stage in self.stages]
        if kind == "option":
            return [o for c in self.names("choices") for o in self.options(c) if isinstance(o, str)]
        return self.names(f"{kind}s")

    def arguments(self, gesture):
        """Return arguments for a gesture."""
        rng, found = self.rng, {}
        for name in GESTURES[gesture].parameters.checks:
            if name not in GESTURES[gesture].parameters.needed and rng.random() < 0.4:
                continue
            found[name] = self.argument(gesture, name, found)
        if ("stage" in found) != ("turn" in found) and gesture == "add_choice":
            found.pop("stage", None)
            found.pop("turn", None)
        return found

    def argument(self, gesture, name, given):
        rng = self.rng
        if name.endswith("stage"):
            return rng.randrange(len(self.stages))
        if name.endswith("turn"):
            stage = [v for k, v in given.items() if k.endswith("stage")][-1:] or [0]
            return rng.randrange(len(self.stages[stage[0]]["turns"]))
        table = {
            "seat": self.seat,
            "one": self.seat,
            "other": self.seat,
            "channel": lambda: self.one(self.names("channels"), "main"),
            "part": lambda: self.one(self.names("parts"), "question"),
            "choice": self.choice,
            "when": self.condition,
            "source": lambda: self.one([*self.names("channels"), "none"]),
            "seats": lambda: [seat for seat in self.names("seats") if rng.random() < 0.6],
            "title": lambda: rng.choice(
                ["Critic", "Judge", "Prover", "passage", "vote", "Ω", "x y"]
            ),
            "since": lambda: self.one(
                [None, "start", "end", "end of stage", "end of repetition", *self.of_kind("stage")]
            ),
            "target": lambda: self.one(["end", *self.of_kind("stage")[-2:]]),
            "times": lambda: rng.choice([1, 2, 3, *self.names("settings")]),
            "total": lambda: rng.choice([0, 100]),
            "count": lambda: rng.choice([1, 2, 3]),
            "most": lambda: rng.choice([1, 5, 50]),
            "budget": lambda: rng.choice([1, 2]),
            "step": lambda: rng.choice([10, 50]),
            "side": lambda: rng.choice(["none", self.one(self.options(self.choice()))]),
            "way": lambda: (
                self.one(USUAL) if gesture == "usual_pay" else rng.choice(["is", "last"])
            ),
            "value": lambda: rng.choice([0, 1, 2, "1/3"]),
            "amount": lambda: rng.choice(["1", "-0.5", "2 / 3"]),
            "to": lambda: (
                rng.randrange(3) if gesture in ("reorder", "move_stage") else self.factors()
            ),
            "number": lambda: rng.randrange(4),
            "case": lambda: rng.randrange(2),
            "by": lambda: self.by(gesture),
            "of": lambda: self.of(gesture),
            "on": lambda: rng.random() < 0.7,
            "closed": lambda: rng.random() < 0.7,
            "quotable": lambda: rng.random() < 0.5,
            "usual_pay": lambda: rng.random() < 0.7,
            "weights": lambda: rng.choice([None, ["1", "2"], [1, 1, 1]]),
            "new": lambda: f"{rng.choice('abcdefg')}{rng.randrange(99)}",
            "name": lambda: self.name(gesture, given),
            "field": lambda: rng.choice(["about", "source", "title", "anonymous", "times"]),
            "text": lambda: rng.choice(["", "What it is for."]),
            "place": lambda: ["seat", rng.randrange(2)],
            "option": lambda: None,
            "per": lambda: rng.choice(["message", "game"]),
            "at": lambda: self.at(gesture),
            "idea": lambda: rng.choice(IDEAS),
            "about": self.choice,
            "document": lambda: {**self.document, "name": "another"},
            "choices": lambda: [self.choice() for _ in range(rng.randrange(1, 3))],
            "amounts": lambda: self.amounts(given["choices"]),
            "options": lambda: self.some_options(gesture, given),
        }
        return table[name]() if name != "kind" else self.kind_for(gesture)

    def kind_for(self, gesture):
        if gesture == "remove_rule":
            return self.rng.choice(["pay", "limit"])
        if gesture == "see":
            kinds = [k for k in ("part", "channel", "choice", "value") if self.of_kind(k)]
            return self.one(kinds, "part")
        return self.kind()

    def name(self, gesture, given):
        if gesture == "set_setting":
            return self.rng.choice(["rounds", "k", "prize"])
        return self.one(self.of_kind(given["kind"]), "nobody")

    def factors(self):
        return {self.seat(): self.rng.choice([1, -1, 0.5])}

    def by(self, gesture):
        if gesture == "stage_edge":
            return self.rng.choice([-2, -1, 1, 2])
        makers = [*self.names("seats")] * 3 + ["chance", "task"]
        return self.one(makers if gesture == "add_choice" else self.names("seats"))

    def of(self, gesture):
        if gesture == "limit":
            return self.rng.choice(["words", "quoted words", self.choice()])
        return self.seat() if gesture == "audits" else self.rng.choice(["none", self.choice()])

    def at(self, gesture):
        if gesture == "add_seat":
            return self.rng.randrange(2)
        if gesture == "work_out":
            return [self.choice()]
        return self.one(["end", *self.names("seats"), *self.names("choices")])

    def amounts(self, choices):
        sizes = [len(self.options(choice)) for choice in choices] + [1]
        rows = [[self.rng.randrange(3) for _ in range(sizes[1])] for _ in range(sizes[0])]
        return {self.seat(): rows}

    def some_options(self, gesture, given):
        known = self.options(given.get("choice", self.choice()))
        if gesture == "open_options":
            return self.rng.choice(["all", known[:1], known])
        more = [["A", "B"], ["yes", "no"], {"from": 0, "to": 100, "step": 10}, [1, 2, 3]]
        return self.rng.choice([*more, known, known[:-1] or known])


def gesture_at_random(rng, document):
    """Return a gesture and its arguments."""
    names = [n for name in GESTURES for n in [name] * OFTEN.get(name, 1)]
    name = rng.choice(names)
    if name in RARE and rng.random() < 0.6:
        name = rng.choice(names)
    return name, Picker(rng, document).arguments(name)


def play_to_the_end(spec, rng):
    """Play a protocol to its end by random players; return how many moves that took."""
    episode, moves = begin(deal_of(spec, rng.randrange(1_000), rng)), 0
    while not episode.over:
        episode.play(random_move(episode, rng.choice(episode.to_move), rng))
        moves += 1
    return moves
