"""Documents of up to 100,000 characters that are written to take long, by what is large in them.

Each is near the size at which it takes longest; some are refused, since they exceed another limit.
"""

import json
from collections.abc import Callable
from functools import partial

# The text of each, or how to get it, which may take long.
Documents = dict[str, str | Callable[[], str]]

SIZE = 100_000
TWO = {
    "truth": {"by": "task", "options": ["T", "F"]},
    "verdict": {"by": "judge", "options": ["T", "F"]},
}
END = {"name": "j", "turns": [{"judge": {"choose": "verdict"}}]}
WIDE = {"from": 0, "to": 1000}
BITS = ["h", "t"]
NAMES = [f"x{i}" for i in range(62)]
SEATS = {f"s{i}": "" for i in range(61)}


def document(stages=(), choices=(), **fields):
    """Return a document as text; it has at least a judge, a truth and a verdict."""
    fields["seats"] = {"a": "A", "b": "B", **fields.get("seats", {}), "judge": "J"}
    fields = {"channels": {"c": "everyone"}, "verdict": "verdict", **fields}
    whole = {"name": "x", "choices": {**TWO, **dict(choices)}, "stages": [*stages, END], **fields}
    return json.dumps(whole, separators=(",", ":"))


def largest(make: Callable[[int], str]) -> str:
    """Return the largest document that has at most :data:`SIZE` characters."""
    least, most = 1, 1
    while len(make(most)) <= SIZE:
        least, most = most, 2 * most
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if len(make(middle)) <= SIZE else (least, middle)
    return make(least)


def made(options, by="a", count=62, **fields):
    """Return many choices with the same options."""
    return {name: {"by": by, "options": options, **fields} for name in NAMES[:count]}


def turns(*each, name="w", **fields):
    """Return a stage."""
    return {"name": name, "turns": list(each), **fields}


def chosen(count=62):
    """Return a stage for each of many choices."""
    return [turns({"a": {"choose": name}}, name=f"q{name}") for name in NAMES[:count]]


def say(when, seat="b"):
    """Return a turn in which a seat writes if a condition holds."""
    return {seat: {"say": "c", "when": when}}


def fill(count, one):
    """Return a stage whose turns are numbered."""
    return [turns(*(one(i) for i in range(count)))]


def chain(*names, by="chance"):
    """Return choices of chance whose weights depend on the choices before them."""
    found, before = {}, []
    for name in names:
        some = " or ".join(f"{x}=h" for x in before[-20:])
        weights = [f"1 if {some} else 2" if before else "1", "1"]
        found[name] = {"by": by, "options": BITS, "weights": weights}
        before.append(name)
    return found


def version_1(cycles, provers=1, **fields):
    """Return a document of version 1 with schedules of the given lengths."""
    agents = [{"name": f"p{i}", "role": "prover"} for i in range(provers)]
    agents.append({"name": "v", "role": "verifier"})
    names = [agent["name"] for agent in agents]
    every = {name: ["m"] for name in names}
    schedules = [{"cycle": [{"v": ["m"]}] * (n - 1) + [every], "prelude": []} for n in cycles]
    whole = {"name": "x", "agents": agents, "channels": [{"name": "m", "viewers": names}]}
    return json.dumps(
        {**whole, "schedules": schedules, "max_message_rounds": 10_000, **fields},
        separators=(",", ":"),
    )


SUM, FEW = "+".join(NAMES), "+".join(NAMES[:8])
ANY = " or ".join(f"{name}=h" for name in NAMES)
TINY = "*".join(["1e-399"] * 140)
BINARY = made(BITS)
HIDDEN = made(BITS, seen=[])
WIDE_STAGE = [turns({"a": {"choose": NAMES, "total": 31_000}})]
MANY = [turns({"a": "c"}, name=f"t{i}") for i in range(900)]


def families(turns, **fields):
    """Return a document about 64 seats with a vote each, and 64 facts."""
    bits = {"options": [0, 1]}
    whole = {
        "name": "x",
        "seats": {"a": {"count": 64}},
        "choices": {"v": {"by": "a", **bits}, "b": {"by": "task", "count": 60, **bits}},
        "stages": [{"name": "s", "turns": turns}],
    }
    return json.dumps({**whole, **fields}, separators=(",", ":"))


def hostile_families() -> Documents:
    """Return documents that are short, and would be long with all members written out."""
    votes = [{"a": {"choose": "v"}}]
    nested = "1 = 1"
    for number in range(8):
        nested = f"count({nested} for j{number} in 1..64) > 0"
    guard = {"end": "count(v[j] = 1 for j in a) > 3"}
    weights = {"by": "chance", "options": list(range(1001))}
    weights["weights"] = ["count(b[j] = 1 for j in 1..60)"] * 1001
    many = [f"c{i}" for i in range(60)]
    whole = {
        "nested numbers": families(votes, verdict=f"1 if {nested} else 0"),
        "many families": families(
            votes,
            seats={f"a{i}": {"count": 64} for i in range(64)},
            choices={f"v{i}": {"by": f"a{i}", "options": [0, 1]} for i in range(64)},
        ),
        "values of families of values": families(
            votes,
            values={
                f"w{i}": {"each": "a", "is": f"sum(w{i - 1}[j] for j in 1..64)" if i else "v"}
                for i in range(60)
            },
        ),
        "weights of families": families(
            votes,
            choices={
                "z": weights,
                "b": {"by": "task", "count": 60, "options": [0, 1]},
                "v": {"by": "a", "options": [0, 1]},
            },
        ),
        "found in families": families(
            votes, pay=[{"to": "a", "amount": "b[sum(v) mod 60 + 1] + b[find(1, v)]"}] * 250
        ),
    }
    growing = {
        "guards of families": lambda n: families([{**votes[0], "then": guard} for _ in range(n)]),
        "pay for each": lambda n: families(
            votes, pay=[{"to": "a", "amount": f"sum(v[j] for j in others) + {i}"} for i in range(n)]
        ),
        "one by one": lambda n: families(
            [{"a": {"choose": "v", "one_by_one": True}} for _ in range(n)]
        ),
        "channels of each": lambda n: families(
            [{"a": {"say": many}} for _ in range(n)],
            channels={name: {"each": "a", "seen": "end"} for name in many},
        ),
    }
    return {**whole, **{name: partial(largest, make) for name, make in growing.items()}}


def hostile() -> Documents:
    """Return each document by its name."""
    wide, plain = made(WIDE), [turns({"a": "c"})]
    channels = {f"c{i}": "everyone" for i in range(64)}
    relay = {f"c{i}": " if x0=h else ".join(f"c{j}" for j in range(2, 32)) for i in (0, 1)}
    primes = [p for p in range(10**9 + 1, 10**9 + 4000, 2) if all(p % d for d in range(3, 999, 2))]
    names = [f"o{i}" for i in range(500)]
    pay = [{"to": "judge", "amount": f"{i}", "when": "verdict=truth"} for i in range(256)]
    pay_all = [{"to": dict.fromkeys(SEATS, 1), "amount": "1", "at": "a"} for _ in range(100)]
    pay_choices = [{"to": "judge", "amount": "1", "when": f"{n}=h"} for n in NAMES]
    steps = made({"from": 0, "to": 30})
    coins = made(BITS, by="chance", count=60)
    pay_coins = [{"to": "judge", "amount": "1", "when": f"majority({','.join(NAMES[:60])}) = h"}]
    weights = [str(i) for i in range(1001)]
    argues = {
        s: {"title": "", "argues": f"x0 if {ANY[:900].rpartition(' or ')[0]} else x1"}
        for s in SEATS
    }
    limits = [{"seat": "a", "of": "quoted words", "most": 1} for _ in range(256)]
    parts = {f"p{i}": {"seen": [], "quotable": True} for i in range(64)}
    limits_options = [
        {"seat": "a", "of": n, "option": i, "most": 1} for n in NAMES[:60] for i in range(4)
    ]
    limits_out = [{"seat": "a", "of": "x0", "option": i, "most": 9} for i in range(200)]
    since = {s: f"t{i * 14}" for i, s in enumerate(SEATS)}
    whole = {
        "powers of powers": document(
            [
                turns(
                    {"b": {"say": "c", "when": "power(power(0.99999999, repeat), 1000)>0"}},
                    times=999,
                )
            ]
        ),
        "powers": document(
            [turns(say("power(0.99, repeat)>0"), say("power(0.97,repeat)>1"), times=600)]
        ),
        "repeated turns": document([turns({"a": "c"}, times=900000)]),
        "repeated stages": document(
            [turns({"a": "c"}, {"b": "c"}, name=f"t{i}", times=900) for i in range(500)]
        ),
        "pay for many seats": document([turns({"a": "c"}, times=10000)], seats=SEATS, pay=pay_all),
        "totals": document(WIDE_STAGE, wide),
        "coins": document((), made(BITS, by="chance")),
        "majority of coins": document((), coins, pay=pay_coins),
        "weights of weights": document((), chain(*NAMES)),
        "many weights": document(
            (), {name: {"by": "chance", "options": WIDE, "weights": weights} for name in NAMES[:16]}
        ),
        "chance shows what is hidden": document(
            MANY,
            {
                **made(BITS, seen=[], count=30),
                **{
                    f"y{i}": {
                        "by": "chance",
                        "options": BITS,
                        "weights": [
                            f"1 if {' or '.join(f'{n}=h' for n in NAMES[:30])} else 2",
                            "1",
                        ],
                    }
                    for i in range(30)
                },
            },
            seats=SEATS,
        ),
        "sides": document(MANY[:300], HIDDEN, seats=argues),
        "options that run out": document(
            [turns({"a": {"choose": "x0"}}, times=900)],
            made({"from": 0, "to": 200}, count=1),
            limits=limits_out,
        ),
        "everyone": document(
            plain,
            seats={f"s{i}": "" for i in range(4000)},
            parts=dict.fromkeys(map(str, range(2500)), "everyone"),
        ),
        "acts of one seat": document(
            [turns({"a": [{"say": "c", "when": f"{i}=1"} for i in range(3500)]})]
        ),
        "seats of a turn": document([turns({f"s{i}": "c" for i in range(9000)})]),
        "states": document(
            [*chosen(20), *MANY[:50]],
            made(BITS, count=20),
            verdict=f"majority({','.join(NAMES[:20])})",
        ),
        "long texts": document(plain, about="x" * 50000, source="y" * 50000),
        "quotation": document(plain, about='\\"' * 12000, source="<quote>" * 7000),
        "long names": document([turns({"a": "c"}, name="n" * 90000)]),
        "huge numbers": document(
            plain,
            settings={f"n{i}": "9" * 59 for i in range(64)},
            pay=[{"to": "a", "amount": "1e29+" * 100 + "1"} for _ in range(99)],
        ),
        "settings": document(plain, settings={f"n{i}": i for i in range(9000)}),
        "keys twice": '{"name":"x",' + ",".join(f'"k{i}":1' for i in range(9000)) + ',"k0":1}',
        "brackets": "{" + '"a":[' * 30000,
        "TOML tables": "name='x'\n" + "".join(f"[a{i}.b.c.d.e.f]\n" for i in range(5000)),
        "TOML dots": "name='x'\n" + ".".join("a" for _ in range(20)) + "=1\n" + "a.b = 1\n" * 10000,
        "TOML quotes": "name='x'\n" + "".join(f"'{i}'.'b' = 1\n" for i in range(7000)),
        "TOML spaces": "a" + " " * 49000 + "." + " " * 49000,
        "TOML lists": "name=[" + "[1,2]," * 15000 + "]",
        "TOML texts": 'name="""' + "\\u0041" * 16000 + '"""',
        "version 1": version_1([97, 101]),
        "version 1 with provers": version_1([31, 32, 5], provers=63),
        "version 1 in cycles": version_1([2, 3, 5, 7, 11, 13]),
        "version 1 in variants": version_1([61] * 40, provers=40),
        "version 1 with many variants": version_1(range(60, 64), provers=20),
    }
    growing = {
        "copies": lambda n: document(
            fill(n, lambda i: {"a": "c2", "copy": relay}), made(BITS), channels=channels
        ),
        "many copies": lambda n: document(
            fill(n, lambda i: {"a": "c2", "copy": {f"c{j}": "c2" for j in range(3, 64)}}),
            channels=channels,
        ),
        "sums": lambda n: document([*chosen(), *fill(n, lambda i: say(f"{SUM}>{i}"))], wide),
        "sums of few": lambda n: document(
            [*chosen(8), *fill(n, lambda i: say(f"{FEW}>{i}"))], made(WIDE, count=8)
        ),
        "products of tiny numbers": lambda n: document(fill(n, lambda i: say(f"{TINY}>{i}"))),
        "sums of fractions": lambda n: document(
            fill(n, lambda i: say("+".join(f"1/{p}" for p in primes[:70]) + f">{i}"))
        ),
        "scores of powers": lambda n: document(
            fill(n, lambda i: say(f"power(0.99,1000)*power(0.98,{i})<power(0.9,900)"))
        ),
        "majorities": lambda n: document(
            [*chosen(), *fill(n, lambda i: say(f"majority({','.join(NAMES)})={'ht'[i % 2]}"))],
            BINARY,
        ),
        "majorities of wide choices": lambda n: document(
            fill(n, lambda i: say(f"majority({','.join(NAMES[:20])})=o{i}")), made(names, count=20)
        ),
        "means": lambda n: document(
            [*chosen(6), *fill(n, lambda i: say(f"mean({','.join(NAMES[:6])})>{i}"))],
            made(WIDE, count=6),
        ),
        "deep": lambda n: document(fill(n, lambda i: say("(" * 39 + f"{i}=1" + ")" * 39))),
        "long comparisons": lambda n: document(
            fill(n, lambda i: say(f"({ANY[:900].rpartition(' or ')[0]}) and {i}<9")), BINARY
        ),
        "turns": lambda n: document(fill(n, lambda i: {"a": "c"})),
        "turns in stages": lambda n: document([turns({"a": "c"}, name=f"t{i}") for i in range(n)]),
        "turns and pay": lambda n: document(fill(n, lambda i: {"a": "c"}), pay=pay),
        "pay for choices": lambda n: document(
            [*chosen(), *fill(n, lambda i: {"a": {"choose": NAMES[:3]}})], BINARY, pay=pay_choices
        ),
        "many acts": lambda n: document(
            fill(
                n,
                lambda i: {
                    s: {"say": "c", "when": f"x{k}=h"} for k, s in enumerate(SEATS) if k < 62
                },
            ),
            HIDDEN,
            seats=SEATS,
        ),
        "conditions on hidden choices": lambda n: document(
            [*chosen(), *fill(n, lambda i: say(ANY[:900].rpartition(" or ")[0]))],
            HIDDEN,
            seats=SEATS,
        ),
        "guards": lambda n: document(
            [
                turns(
                    *({"a": "c", "then": {f"t{k}": "false" for k in range(300)}} for _ in range(n))
                ),
                *(turns({"a": "c"}, name=f"t{i}") for i in range(300)),
            ]
        ),
        "options named again": lambda n: document(
            fill(n, lambda i: {"a": {"choose": dict.fromkeys(NAMES, "all")}}), wide
        ),
        "choices again": lambda n: document(fill(n, lambda i: {"a": {"choose": NAMES}}), wide),
        "different totals": lambda n: document(
            fill(n, lambda i: {"a": {"choose": NAMES[i % 50 :], "total": i}}), steps
        ),
        "total of few": lambda n: document(
            fill(n, lambda i: {"a": {"choose": NAMES[i % 40 : i % 40 + 4], "total": 600 + i % 9}}),
            made({"from": 0, "to": 400}),
        ),
        "quotes": lambda n: document(fill(n, lambda i: {"a": "c"}), limits=limits, parts=parts),
        "limited options": lambda n: document(
            fill(n, lambda i: {"a": {"choose": NAMES[:60]}}),
            made([0, 1, 2, 3, 4]),
            limits=limits_options,
        ),
        "seen since": lambda n: document(
            MANY, seats=SEATS, parts={f"p{i}": since for i in range(n)}
        ),
        "channels": lambda n: document(
            fill(n, lambda i: {s: [*channels] for s in list(SEATS)[:4]}),
            seats=SEATS,
            channels=channels,
        ),
        "channels and turns": lambda n: document(
            fill(n, lambda i: {"a": "c0"}), seats=SEATS, channels=channels
        ),
    }
    return {
        **hostile_families(),
        **whole,
        **{name: partial(largest, make) for name, make in growing.items()},
    }
