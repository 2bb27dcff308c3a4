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
mood = { by = "judge", options = ["calm", "cross"] }

[[stages]]
name = "talk"
times = "rounds"
turns = [
  { ann = "debate", bob = "debate" },
  { judge = { say = "notes", choose = "sure", when = "coin = heads" }, \
then = { end = "sure > 90" } },
]

[[stages]]
name = "judgement"
turns = [{ judge = { choose = ["verdict", "mood"] } }]

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
TEXTS = {
    "curly quotes around a text": ('name = "small"', "name = “small”", 'name = "small"'),
    "a colon": ('name = "small"', 'name: "small"', 'name = "small"'),
    "a colon within a table": ("{ ann = 1, bob", "{ ann: 1, bob", "{ ann = 1, bob"),
    "a missing comma in a list": ('["ann", "bob"], quot', '["ann" "bob"], quot', '["ann", "bob"]'),
    "a missing comma in a table": (
        'by = "judge", options = ["A", "B"] }',
        'by = "judge" options = ["A", "B"] }',
        'by = "judge", options = ["A", "B"] }',
    ),
    "a comma at the end of a table": ("most = 100", "most = 100,", "most = 100"),
    "no quotes": ('verdict = "verdict"', "verdict = verdict", 'verdict = "verdict"'),
    "no quotes around an expression": (
        'amount = "quadratic(sure, truth = A)"',
        "amount = quadratic(sure, truth = A)",
        'amount = "quadratic(sure, truth = A)"',
    ),
    "True in TOML": ("quotable = true", "quotable = True", "quotable = true"),
    "a quote that is not closed": ('name = "small"', 'name = "small', 'name = "small"'),
    "a brace that is not closed": ("from = 0, to = 100, step = 10 }", "from = 0, to = 100", ""),
    "one bracket for a list of tables": ("[[pay]]\nto = {", "[pay]\nto = {", "[[pay]]\nto = {"),
    "a table twice": ("[parts]", "[seats]", ""),
    "a key twice": ('question = "everyone"', 'passage = "everyone"', ""),
    "a comment with //": ("[parts]", "// the parts\n[parts]", "# the parts"),
    "a table over several lines": (
        '{ by = "task", options',
        '{ by = "task",\n  options',
        '{ by = "task", options',
    ),
    "a tab in a name": ('name = "talk"', 'name = "ta\tlk"', ""),
    "a semicolon": ("most = 100", "most = 100;", "most = 100"),
    "a space in a key": ("question =", "the question =", '"the question" ='),
    "a dash for minus in TOML": ("bob = -1", "bob = −1", "bob = -1"),
}
MEANINGS = {
    "a near field": ('options = ["A", "B"], seen', 'option = ["A", "B"], seen', "options = ["),
    "a field in another case": ('argues = "A"', 'Argues = "A"', 'argues = "A"'),
    "a near section": ("[channels]", "[channel]", "[channels]"),
    "a section under another name": ("[parts]", "[material]", ""),
    "a field of another place": (
        '[[stages]]\nname = "talk"\n',
        '[[stages]]\nname = "talk"\nseen = "end"\n',
        "",
    ),
    "a setting in the wrong place": ('times = "rounds"', "rounds = 3", ""),
    "everyone as all": ('debate = "everyone"', 'debate = "all"', 'debate = "everyone"'),
    "seen by all": ('question = "everyone"', 'question = { seen = "all" }', '"everyone"'),
    "seen by a seat without a list": ('notes = ["judge"]', 'notes = "judge"', '["judge"]'),
    "seen from never": ('seen = "end" }\ncoin', 'seen = "never" }\ncoin', "seen = []"),
    "seen from the beginning": ('seen = "end" }\ncoin', 'seen = "beginning" }\ncoin', '"start"'),
    "seen from a stage number": ('seen = "end" }\ncoin', "seen = 2 }\ncoin", ""),
    "a seat that is a choice": ("{ ann = 1, bob", "{ verdict = 1, bob", ""),
    "a seat in another case": ('to = "judge"', 'to = "Judge"', 'to = "judge"'),
    "pay to everyone": ('to = "judge"', 'to = "everyone"', '["ann", "bob", "judge"]'),
    "a missing amount": ('amount = "quadratic(sure, truth = A)"\n', "", ""),
    "pay at a stage": ('at = "verdict"', 'at = "judgement"', ""),
    "pay at the start": ('at = "verdict"', 'at = "start"', ""),
    "pay at a near choice": ('at = "verdict"', 'at = "Verdict"', 'at = "verdict"'),
    "options that mix kinds": ('["calm", "cross"]', '["calm", 2]', ""),
    "options that are numbers in quotes": ('["calm", "cross"]', '["1", "2"]', "[1, 2]"),
    "options with a space": ('"calm", "cross"]', '"calm down", "cross"]', '"calm_down"'),
    "options with a dash": ('"calm", "cross"]', '"calm-ish", "cross"]', '"calm_ish"'),
    "options that are decimals": ('["calm", "cross"]', "[0.5, 1.5]", ""),
    "an option twice": ('["calm", "cross"]', '["calm", "calm"]', ""),
    "an option that is a choice": ('["calm", "cross"]', '["calm", "verdict"]', ""),
    "an option that is a word": ('["calm", "cross"]', '["calm", "none"]', ""),
    "true and false as options": ('["calm", "cross"]', "[true, false]", '["yes", "no"]'),
    "options as one text": ('["calm", "cross"]', '"calm, cross"', '["calm", "cross"]'),
    "a range backwards": ("from = 0, to = 100", "from = 100, to = 0", ""),
    "a fine range": ("to = 100, step = 10", "to = 5000", ""),
    "too few weights": ("weights = [1, 2]", "weights = [1]", ""),
    "weights by name": ("weights = [1, 2]", "weights = { heads = 1, tails = 2 }", "[1, 2]"),
    "weights of a seat": ('["A", "B"] }\nm', '["A", "B"], weights = [1, 1] }\nm', ""),
    "rounded weights": ("weights = [1, 2]", 'weights = ["log(5, true)", 2]', ""),
    "a weight that is not known yet": ("weights = [1, 2]", 'weights = ["sure", 2]', ""),
    "made by nobody": ('by = "chance"', 'by = "nature"', 'by = "chance"'),
    "made by random": ('by = "chance"', 'by = "random"', 'by = "chance"'),
    "made by the world": ('by = "task"', 'by = "world"', 'by = "task"'),
    "a choice of another seat": ('choose = "sure"', 'choose = "coin"', ""),
    "a choice that is not there": ('choose = "sure"', 'choose = "shure"', 'choose = "sure"'),
    "an option is chosen": ('choose = ["verdict", "mood"]', 'choose = "A"', ""),
    "the task acts": ('{ ann = "debate", bob', '{ task = { choose = "truth" }, bob', ""),
    "a seat that is not there": ('{ ann = "debate", bob', '{ anna = "debate", bob', "{ ann ="),
    "a channel that is not there": ('{ ann = "debate"', '{ ann = "debat"', '{ ann = "debate"'),
    "a part is written": ('{ ann = "debate"', '{ ann = "question"', ""),
    "writes where it does not read": ('{ ann = "debate"', '{ ann = "notes"', ""),
    "an empty act": ('{ say = "notes", choose = "sure", when', "{ when", ""),
    "a stage that goes back": ('{ end = "sure > 90" }', '{ talk = "sure > 90" }', ""),
    "a stage that is not there": ('{ end = "sure', '{ judgment = "sure', "{ judgement ="),
    "then as a text": ('then = { end = "sure > 90" }', 'then = "judgement"', ""),
    "the end as a stage": ('{ end = "sure', '{ finish = "sure', ""),
    "no turns": ('turns = [{ judge = { choose = ["verdict", "mood"] } }]', "turns = []", ""),
    "one turn without a list": (
        'turns = [{ judge = { choose = ["verdict", "mood"] } }]',
        'turns = { judge = { choose = ["verdict", "mood"] } }',
        'turns = [{ judge = { choose = ["verdict", "mood"] } }]',
    ),
    "no times": ('times = "rounds"', "times = 0", ""),
    "half a time": ('times = "rounds"', "times = 1.5", ""),
    "times of a setting that is no whole number": ('times = "rounds"', 'times = "fee"', ""),
    "times in quotes": ('times = "rounds"', 'times = "3"', "times = 3"),
    "times as an expression": ('times = "rounds"', 'times = "rounds + 1"', ""),
    "the same stage twice": ('name = "judgement"', 'name = "talk"', ""),
    "a stage called end": ('name = "judgement"', 'name = "end"', ""),
    "a limit of tokens": ('of = "words"', 'of = "tokens"', ""),
    "a limit of a word": ('of = "words"', 'of = "word"', 'of = "words"'),
    "a limit of nothing": ("most = 100", "most = 0", ""),
    "a limit in quotes": ("most = 100", 'most = "100"', "most = 100"),
    "a limit for a choice": ('of = "words"', 'of = "sure"', ""),
    "a limit for a choice of another seat": ('of = "words"', 'of = "sure"\noption = 10', ""),
    "a limit for a round": ("most = 100", 'most = 100\nper = "round"', ""),
    "anonymous in quotes": (
        'title = "Ann"',
        'title = "Ann", anonymous = "yes"',
        "anonymous = true",
    ),
    "quotable in quotes": ("quotable = true", 'quotable = "true"', "quotable = true"),
    "a title that means nothing": (
        "settings =",
        'titles = { verdic = "ruling" }\nsettings =',
        "{ verdict =",
    ),
    "a role that is no choice": ("settings =", 'roles = { truth = "question" }\nsettings =', ""),
    "an estimate of a text": (
        "settings =",
        'roles = { estimates = { sure = "A" } }\nsettings =',
        "",
    ),
    "a setting that is a list": ("rounds = 2,", "rounds = [2],", ""),
    "a setting with a dash": ('fee = "1/2"', '"the-fee" = "1/2", fee = 1', '"the_fee"'),
    "a name of a word": ('fee = "1/2"', 'fee = "1/2", repeat = 1', ""),
    "a setting with a percentage": ('fee = "1/2"', 'fee = "50%"', '"1/2"'),
    "another format": (
        'name = "small"',
        'format = "nip-protocol/3"\nname = "small"',
        "nip-protocol/2",
    ),
    "a verdict that is a seat": ('verdict = "verdict"\n', 'verdict = "judge"\n', ""),
    "a verdict that is a condition": ('verdict = "verdict"\n', 'verdict = "verdict = truth"\n', ""),
    "no name": ('name = "small"\n', "", ""),
    "no seats": ("[seats]\n", "", ""),
    "no options": (', options = ["heads", "tails"]', "", ""),
    "a total in a choice": ('seen = "end" }\nverdict', 'seen = "end", total = 100 }\nverdict', ""),
    "a total that cannot be": ('choose = "sure", when', 'choose = "sure", total = 105, when', ""),
    "a total of names": (
        'choose = ["verdict", "mood"] }',
        'choose = ["verdict", "mood"], total = 1 }',
        "",
    ),
}
# Legal, but probably not meant: there is a remark with a remedy.
REMARKS = {
    "a verdict that is a constant": (
        'verdict = "verdict"\n',
        'verdict = "A"\n',
        "verdict-constant",
    ),
    "a choice without an effect": ("sure > 50", "1 > 0", ""),
}
