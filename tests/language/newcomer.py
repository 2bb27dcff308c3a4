"""Mistakes that newcomers make: each a change of one small protocol, and the fix that it needs.

The fix is the part of the text that is right again once it was applied by a click; empty if there
is more than one way, so that there is only a remedy in words.
"""

SMALL = """\
name = "small"
verdict = "verdict"
settings = { rounds = 2, fee = "1/2" }

[seats]
ann = { title = "Ann", argues = "A" }
bob = { title = "Bob", argues = "other(truth)" }
judge = "Judge"

[parts]
question = "everyone"
passage = { seen = ["ann", "bob"], quotable = true }

[channels]
debate = "everyone"
notes = ["judge"]

[choices]
truth = { by = "task", options = ["A", "B"], seen = "end" }
coin = { by = "chance", options = ["heads", "tails"], weights = [1, 2], seen = "end" }
sure = { by = "judge", options = { from = 0, to = 100, step = 10 }, seen = "end" }
verdict = { by = "judge", options = ["A", "B"] }

[[stages]]
name = "talk"
times = "rounds"
turns = [
  { ann = "debate", bob = "debate" },
  { judge = { say = "notes", choose = "sure", when = "coin = heads" }, then = { end = "sure > 90" } },
]

[[stages]]
name = "judgement"
turns = [{ judge = { choose = "verdict" } }]

[[pay]]
to = "judge"
amount = "1 if verdict = truth and sure > 50 else 0 - fee"

[[pay]]
to = { ann = 1, bob = -1 }
amount = "quadratic(sure, truth = A)"
when = "sure != none or coin = tails"
at = "verdict"

[[limits]]
seat = ["ann", "bob"]
of = "words"
most = 100
"""

# Each: what is written, what is written instead of it, and what the fix makes of that.
EXPRESSIONS = {
    "==": ("verdict = truth and", "verdict == truth and", "verdict = truth and"),
    "&&": ("truth and sure", "truth && sure", "truth and sure"),
    "||": ("none or coin", "none || coin", "none or coin"),
    "single &": ("truth and sure", "truth & sure", "truth and sure"),
    "!": ('when = "coin = heads"', 'when = "!(coin = heads)"', 'when = "not (coin = heads)"'),
    "<>": ("sure != none", "sure <> none", "sure != none"),
    "≠": ("sure != none", "sure ≠ none", "sure != none"),
    "≥": ("sure > 90", "sure ≥ 90", "sure >= 90"),
    "=>": ("sure > 90", "sure => 90", "sure >= 90"),
    "? :": (
        "1 if verdict = truth and sure > 50 else 0 - fee",
        "verdict = truth ? 1 : 0",
        "1 if verdict = truth else 0",
    ),
    "if then else": (
        "1 if verdict = truth and sure > 50 else 0 - fee",
        "if verdict = truth then 1 else 0",
        "1 if verdict = truth else 0",
    ),
    "%": ("sure > 90", "sure % 2 = 0", "sure mod 2 = 0"),
    "**": ("1 if verdict", "fee**2 if verdict", "power(fee, 2) if verdict"),
    "^": ("1 if verdict", "fee^2 if verdict", "power(fee, 2) if verdict"),
    "//": ("sure > 90", "sure // 10 > 8", "sure div 10 > 8"),
    "×": ("1 if verdict", "2 × fee if verdict", "2 * fee if verdict"),
    "a dash for minus": ("0 - fee", "0 − fee", "0 - fee"),
    "a long dash": ("0 - fee", "0 – fee", "0 - fee"),
    "quoted option": ('"coin = heads"', "\"coin = 'heads'\"", '"coin = heads"'),
    "quoted option with escapes": ('"coin = heads"', '"coin = \\"heads\\""', '"coin = heads"'),
    "curly quotes": ('"coin = heads"', '"coin = “heads”"', '"coin = heads"'),
    "True": ('when = "coin = heads"', 'when = "True"', 'when = "true"'),
    "None": ("sure != none", "sure != None", "sure != none"),
    "AND": ("truth and sure", "truth AND sure", "truth and sure"),
    "is": ("coin = tails", "coin is tails", "coin = tails"),
    "is not": ("sure != none", "sure is not none", "sure != none"),
    "in a list": ("sure > 90", "coin in [heads, tails]", "(coin = heads or coin = tails)"),
    "braces": ("sure > 90", "{sure > 90}", "(sure > 90)"),
    "brackets": ("quadratic(sure, truth = A)", "quadratic[sure, truth = A]", "quadratic(sure, t"),
    "decimal comma": ("0 - fee", "0,5", "0.5"),
    "percent": ("sure > 90", "sure > 90%", "sure > 90"),
    "a dot before": ("0 - fee", ".5", "0.5"),
    "decimal of Python": ("0 - fee", "0_5", ""),
    "unclosed bracket": ("quadratic(sure, truth = A)", "quadratic(sure, truth = A", "truth = A)"),
    "no else": (" else 0 - fee", "", "else none"),
    "missing operator": ("verdict = truth and sure", "verdict truth and sure", ""),
    "assignment with :=": ("coin = tails", "coin := tails", "coin = tails"),
    "wrong case of an option": ("truth = A)", "truth = a)", "truth = A)"),
    "wrong case of a choice": ("verdict = truth and", "Verdict = truth and", "verdict = truth and"),
    "wrong case of a function": ("quadratic(", "Quadratic(", "quadratic("),
    "a typo": ("verdict = truth and", "verdit = truth and", "verdict = truth and"),
    "a number with an option": ("truth = A)", "truth = 1)", ""),
    "a seat for a choice": ("verdict = truth and", "judge = truth and", ""),
    "a condition for a number": (
        '"quadratic(sure, truth = A)"',
        '"truth = A"',
        "1 if truth = A else 0",
    ),
    "a number for a condition": ("sure > 90", "sure", ""),
    "options of another choice": ("coin = tails", "coin = B", ""),
    "a function of Python": ("quadratic(sure, truth = A)", "round(sure)", ""),
    "a method": ("truth = A)", "truth.value = A)", ""),
    "too few values": ("quadratic(sure, truth = A)", "quadratic(sure)", ""),
    "other of a number": ("other(truth)", "other(sure)", ""),
    "divided by a choice": ("quadratic(sure, truth = A)", "1 / sure", ""),
    "over while play goes on": ("sure > 90", "over", ""),
    "free text in argues": ('"other(truth)"', '"that the answer is B"', ""),
    "free text in one word": ('"other(truth)"', '"honesty"', ""),
}
