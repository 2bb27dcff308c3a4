"""A second implementation of the rules of version 2: slow, from the plain document, independent.

Expressions are read by Python's own parser, plays are enumerated one by one, nothing is merged.
"""

import ast
import itertools
import math
import re
import statistics
from collections import Counter
from fractions import Fraction


class TooManyPlaysError(Exception):
    """There are more plays than the caller wants."""


# -- expressions ---------------------------------------------------------------------------------


def value(doc, text, regs, over=False, repeat=1):
    """Return an expression's value; `regs` maps choices, and ("before", choice), to options."""
    source = re.sub(r"(?<![<>!=])=(?!=)", "==", text.strip())
    source = re.sub(r" div ", " // ", re.sub(r" mod ", " % ", source))
    return _value(doc, ast.parse(source, mode="eval").body, source, regs, over, repeat)


def _value(doc, node, source, regs, over, repeat):
    def at(inner):
        return _value(doc, inner, source, regs, over, repeat)

    match node:
        case ast.Constant():
            return Fraction(ast.get_source_segment(source, node))
        case ast.Name(id=name):
            words = {"true": True, "false": False, "none": None, "over": over, "repeat": repeat}
            if name in words:
                return words[name]
            if name in doc["choices"]:
                return regs.get(name)
            if name in doc.get("values", {}):
                way, expression, _ = way_of(doc, name)
                if way == "is":
                    return value(doc, expression, regs, over, repeat)
                return regs.get(("value", name), 0 if way in ("sum", "count") else None)
            if name in doc.get("settings", {}):
                return Fraction(str(doc["settings"][name]))
            return name
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not at(inner)
        case ast.UnaryOp(operand=inner):
            found = at(inner)
            return None if found is None else -found
        case ast.BoolOp(op=op, values=values):
            found = [at(each) for each in values]
            return all(found) if isinstance(op, ast.And) else any(found)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return at(body) if at(test) else at(orelse)
        case ast.Compare(left=left, ops=ops, comparators=rights):
            found = [at(each) for each in (left, *rights)]
            return all(map(_compared, ops, found, found[1:]))
        case ast.BinOp(left=left, op=op, right=right):
            a, b = at(left), at(right)
            if a is None or b is None:
                return None
            if not isinstance(a, float):
                a = Fraction(a)
            if isinstance(op, ast.Add):
                return a + b
            if isinstance(op, ast.Sub):
                return a - b
            if isinstance(op, ast.FloorDiv):
                return (a - a % b) / b
            if isinstance(op, ast.Mod):
                while a < 0 or a >= b:
                    a += b * (1 if a < 0 else -1) * max(1, int(abs(a / b)) - 1)
                return a
            return a * b if isinstance(op, ast.Mult) else a / b
        case ast.Call(func=ast.Name(id="before"), args=[ast.Name(id=name)]):
            return regs.get(("before", name))
        case ast.Call(func=ast.Name(id="other"), args=[ast.Name(id=name)]):
            one, two = options_of(doc, name)
            return {one: two, two: one}.get(regs.get(name))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _function(name, [at(each) for each in args])
    raise AssertionError(ast.dump(node))


def _compared(op, a, b):
    if isinstance(op, ast.Eq | ast.NotEq):
        return (a == b) == isinstance(op, ast.Eq)
    if a is None or b is None:
        return False
    return {ast.Lt: a < b, ast.LtE: a <= b, ast.Gt: a > b, ast.GtE: a >= b}[type(op)]


def _function(name, given):
    if name == "majority":
        counts = Counter(vote for vote in given if vote is not None)
        best = [vote for vote, n in counts.items() if n == max(counts.values())]
        return best[0] if len(best) == 1 else None
    if name == "unanimous":
        return given[0] if all(vote == given[0] for vote in given) else None
    if name == "at":
        index = given[0]
        return given[int(index)] if index is not None and 1 <= index < len(given) else None
    if name == "find":
        places = [n for n, among in enumerate(given) if n and among == given[0] is not None]
        return places[0] if places else None
    if None in given:
        return None
    if name in ("sum", "count"):
        return sum(map(Fraction, given))
    if name == "mean":
        return sum(map(Fraction, given)) / len(given)
    if name == "median":
        return statistics.median(map(Fraction, given))
    if name in ("min", "max", "abs"):
        return {"min": min, "max": max, "abs": abs}[name](*given)
    if name == "power":
        found = Fraction(1)
        for _ in range(int(given[1])):
            found *= given[0]
        return found
    p = Fraction(given[0]) / 100
    if name == "quadratic":
        return 1 - (p - (1 if given[1] else 0)) ** 2
    chance = p if given[1] else 1 - p
    if name == "log":
        base, floor = (*given[2:], *(2, 1)[len(given[2:]) :])
        return math.log(min(max(chance, Fraction(floor) / 100), 1)) / math.log(base)
    assert name == "spherical"
    return float(chance) / math.sqrt(float(p) ** 2 + float(1 - p) ** 2)


# -- the document --------------------------------------------------------------------------------


def count(doc, number):
    return int(Fraction(str(doc["settings"][number]))) if isinstance(number, str) else number


def way_of(doc, name):
    """Return how a value is worked out: its way, its expression, and where it is collected."""
    written = doc["values"][name]
    if isinstance(written, str):
        return "is", written, []
    (way,) = written.keys() - {"at", "seen"}
    at = written.get("at", written[way])
    return way, written[way], [at] if isinstance(at, str) else at


def collect(doc, regs, made, repeat):
    """Bring collected values up to date in place, in the order of the document."""
    for name in doc.get("values", {}):
        way, expression, at = way_of(doc, name)
        if way == "is" or not set(at) & set(made):
            continue
        more = value(doc, expression, regs, repeat=repeat)
        if more is None:
            continue
        regs.setdefault(("values of", name), [])
        # Every value that was ever collected is kept, and looked at from the beginning.
        regs["values of", name] = [*regs["values of", name], more]
        every = regs["values of", name]
        regs["value", name] = {
            "max": lambda every: max(every),
            "min": lambda every: min(every),
            "sum": lambda every: sum(map(Fraction, every)),
            "count": lambda every: every.count(True),
            "first": lambda every: every[0],
            "last": lambda every: every[-1],
        }[way](every)


def options_of(doc, choice):
    options = doc["choices"][choice]["options"]
    if isinstance(options, list):
        return options
    low, high = count(doc, options["from"]), count(doc, options["to"])
    return list(range(low, high + 1, count(doc, options.get("step", 1))))


def chosen(doc, act):
    """Return the choices of an act, in order, with their open options."""
    named = act.get("choose", [])
    if isinstance(named, list):
        return {name: options_of(doc, name) for name in named}
    return {n: options_of(doc, n) if o == "all" else o for n, o in named.items()}


def acts_of(turn):
    for seat, given in turn.items():
        if seat not in ("then", "copy"):
            for act in given if isinstance(given, list) else [given]:
                yield seat, act


def acting(doc, turn, regs, repeat):
    found = {}
    for seat, act in acts_of(turn):
        if seat not in found and value(doc, act.get("when", "true"), regs, repeat=repeat):
            found[seat] = act
    return found


def open_options(doc, act, choice, regs, made):
    found = []
    given = chosen(doc, act)
    rest = list(given)[list(given).index(choice) + 1 :]
    for option in given[choice]:
        spent = any(
            limit["of"] == choice
            and limit.get("option") == option
            and regs.get(("taken", choice, option), 0) >= count(doc, limit["most"])
            for limit in doc.get("limits", [])
        )
        if spent:
            continue
        if "total" in act:
            so_far = sum(made[name] for name in given if name in made) + option
            sums = {so_far}
            for name in rest:
                sums = {a + b for a in sums for b in given[name]}
            if count(doc, act["total"]) not in sums:
                continue
        found.append(option)
    return found


def weighted(doc, choice, options, regs, repeat=1):
    """Return the chances of a choice of chance; equal ones for all other choices."""
    weights = doc["choices"][choice].get("weights")
    if not weights:
        return {option: Fraction(1, len(options)) for option in options}
    by_option = dict(zip(options_of(doc, choice), weights, strict=True))
    found = {o: value(doc, by_option[o], regs, repeat=repeat) for o in options}
    found = {o: Fraction(0) if w is None or w < 0 else Fraction(w) for o, w in found.items()}
    whole = sum(found.values())
    if not whole:
        return {option: Fraction(1, len(options)) for option in options}
    return {option: weight / whole for option, weight in found.items()}


# -- plays ---------------------------------------------------------------------------------------


def plays(doc, chances=None, most=20_000):
    """Yield every play: (chance, its releases, what each seat is paid, the verdict).

    A release is (acting seats, choices made). `chances(choice, options, regs, repeat)` says how
    everybody plays; all at random if it is left out.
    """
    chances = chances or (lambda c, o, regs, repeat: weighted(doc, c, o, regs, repeat))
    left = [most]
    made_in_turns = {
        name
        for stage in doc["stages"]
        for turn in stage["turns"]
        for _, act in acts_of(turn)
        for name in chosen(doc, act)
    }
    drawn = [
        name
        for name, choice in doc.get("choices", {}).items()
        if choice["by"] in ("task", "chance") and name not in made_in_turns
    ]

    def draw(names, p, regs):
        if not names:
            yield from walk(0, 0, 0, p, regs, (), {})
            return
        for option, q in chances(names[0], options_of(doc, names[0]), regs, 1).items():
            if q:
                after = {**regs, names[0]: option}
                collect(doc, after, [names[0]], 1)
                yield from draw(names[1:], p * q, after)

    def walk(stage, repeat, number, p, regs, releases, totals):
        if stage == len(doc["stages"]):
            raise AssertionError("play ends with its last turn")
        turn = doc["stages"][stage]["turns"][number]
        acts = acting(doc, turn, regs, repeat + 1)
        steps = [(act, name) for act in acts.values() for name in chosen(doc, act)]
        for q, made in fill(steps, Fraction(1), {}, regs, repeat):
            yield from after(stage, repeat, number, p * q, regs, releases, totals, acts, made)

    def fill(steps, p, made, regs, repeat):
        if not steps:
            yield p, made
            return
        act, name = steps[0]
        options = open_options(doc, act, name, regs, made)
        for option, q in chances(name, options, regs, repeat + 1).items():
            if q:
                yield from fill(steps[1:], p * q, {**made, name: option}, regs, repeat)

    def after(stage, repeat, number, p, regs, releases, totals, acts, made):
        regs = dict(regs)
        for name, option in made.items():
            regs["before", name] = regs.get(name)
            regs[name] = option
            regs["taken", name, option] = regs.get(("taken", name, option), 0) + 1
        collect(doc, regs, made, repeat + 1)
        turn = doc["stages"][stage]["turns"][number]
        goes = next(
            (
                target
                for target, condition in turn.get("then", {}).items()
                if value(doc, condition, regs, repeat=repeat + 1)
            ),
            None,
        )
        if goes is not None:
            places = [s["name"] for s in doc["stages"]]
            place = None if goes == "end" else (places.index(goes), 0, 0)
        elif number + 1 < len(doc["stages"][stage]["turns"]):
            place = stage, repeat, number + 1
        elif repeat + 1 < count(doc, doc["stages"][stage].get("times", 1)):
            place = stage, repeat + 1, 0
        else:
            place = (stage + 1, 0, 0) if stage + 1 < len(doc["stages"]) else None
        over = place is None
        happened = [*(seat for seat in acts if seat != "chance"), *made, *(["end"] * over)]
        totals = dict(totals)
        for event, pay in itertools.product(happened, doc.get("pay", [])):
            if pay.get("at", "end") != event:
                continue
            if not value(doc, pay.get("when", "true"), regs, over, repeat + 1):
                continue
            amount = value(doc, pay["amount"], regs, over, repeat + 1)
            if amount is not None:
                for seat, factor in pay["to"].items():
                    factor = Fraction(str(factor))
                    totals[seat] = totals.get(seat, 0) + (
                        float(factor) * amount if isinstance(amount, float) else factor * amount
                    )
        releases = (*releases, (tuple(sorted(acts)), made))
        if not over:
            yield from walk(*place, p, regs, releases, totals)
            return
        left[0] -= 1
        if left[0] < 0:
            raise TooManyPlaysError
        verdict = value(doc, doc.get("verdict", "none"), regs, True, repeat + 1)
        yield p, releases, totals, verdict

    yield from draw(drawn, Fraction(1), {})
