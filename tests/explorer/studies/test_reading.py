"""Tests of reading.py, points.py and study.py.

A study's file: what is read, what it becomes, and what is refused before anything runs.
"""

import copy
import functools
import itertools
import json
import tomllib

import jsonschema
import pytest

from explorer.studies import SCHEMA, StudyError, load_study, points, read_study
from nip_core.documents import WRITTEN, parse_toml
from tests.depth import FULL, each
from tests.explorer.studies.files import SMALL, with_lines


def names(text: str) -> list[str]:
    return [condition.name for condition in read_study(text).conditions]


def test_conditions_are_every_protocol_with_every_verifier_and_prover():
    assert names(SMALL) == [
        "nip, gullible, hard",
        "nip, coin, hard",
        "debate, gullible, hard",
        "debate, coin, hard",
    ]
    more = with_lines("provers = ['hard', 'easy']", instead_of='provers = "hard"')
    assert len(names(more)) == 8


def test_the_same_file_gives_the_same_episodes_and_a_name_changes_none_of_the_draws():
    first, again = (points(read_study(SMALL)) for _ in range(2))
    assert first == again
    assert len({point.key for point in first}) == len(first) == 16
    # Paired: all conditions play a task with the same draws.
    seeds = {point.task.id: {p.seed for p in first if p.task == point.task} for point in first}
    assert {len(found) for found in seeds.values()} == {1}
    other = points(read_study(with_lines("seed = 4", instead_of="seed = 3")))
    assert {p.key for p in other}.isdisjoint(p.key for p in first)
    apart = points(read_study(with_lines("seed = 3\npaired = false", instead_of="seed = 3")))
    assert len({p.seed for p in apart}) == 16
    # A longer study leaves the earlier episodes unchanged.
    longer = points(read_study(with_lines("seed = 3\nepochs = 2", instead_of="seed = 3")))
    assert {p.key for p in first} < {p.key for p in longer}


def test_sides_players_and_order_are_counterbalanced():
    block = ["[[conditions]]", 'protocols = ["nip"]', 'verifiers = "coin"', 'provers = "easy"']
    study = read_study(with_lines(*block, 'side = "both"'))
    both = [p for p in points(study) if p.condition.side == "both"]
    assert len(both) == 8
    for task in {p.task.id for p in both}:
        arms = [p for p in both if p.task.id == task]
        assert {p.arm.name: p.setup().stance("prover") for p in arms} == {"accept": 1, "reject": 0}
        assert len({p.seed for p in arms}) == 1
    for side, right in (("truth", True), ("lie", False)):
        study = read_study(with_lines(*block, f'side = "{side}"'))
        argued = [p for p in points(study) if p.condition.side == side]
        assert all((p.setup().stance("prover") == p.task.y) == right for p in argued)
    seats = "seats = { prover0 = 'hard', prover1 = 'easy' }"
    lines = ["[[conditions]]", "protocols = ['debate']", "verifiers = 'coin'", seats]
    study = read_study(with_lines(*lines, "swap = true", "order = 'both'"))
    swapped = [p for p in points(study) if p.condition.swap]
    assert len(swapped) == 16
    ways = {
        (
            p.seats()["prover0"].name,
            p.setup().handler.spec.schedules[0].cycle[1].agents[0],
        )
        for p in swapped
    }
    assert ways == {(a, b) for a in ("hard", "easy") for b in ("prover0", "prover1")}


def test_problems_are_drawn_whole_and_by_the_seed():
    bundled = with_lines('source = "bundled"', instead_of='source = "graphs"')
    bundled = bundled.replace('difficulty = ["easy"]', "")
    chosen = {p.task.id: p.task for p in points(read_study(bundled))}
    assert len(chosen) == 8  # both versions of each
    assert sum(task.y for task in chosen.values()) == 4
    # Pairs of graphs are made with both labels in turn.
    graphs = {p.task.id: p.task for p in points(read_study(SMALL))}
    assert sorted(task.y for task in graphs.values()) == [0, 0, 1, 1]
    other = {p.task.id for p in points(read_study(bundled.replace("seed = 3", "seed = 9")))}
    assert other != set(chosen)


def under(line: str, more: str, words: list[str]) -> tuple[str, str, list[str]]:
    """Return a mistake that stands below a line."""
    return line, f"{line}\n{more}", words


under_nip = functools.partial(under, "[protocols.nip]")
under_model = functools.partial(under, 'model = "openai/some"')
# Each mistake, and the words that the refusal must contain: the place, and the remedy.
WRONG = [
    ("seed = 3", "sed = 3", ["sed", "Did you mean 'seed'"]),
    ("seed = 3", "seed = -1", ["seed", "from 0"]),
    ("seed = 3", "seed = 1.5", ["seed", "whole number"]),
    ("seed = 3", "seed = true", ["seed", "whole number"]),
    ("seed = 3", "seed = 2026-01-01", ["seed is '2026-01-01'", "as a text"]),
    ("seed = 3", "epochs = 0", ["epochs", "from 1"]),
    ("seed = 3", "epochs = nan", ["epochs is nan", "finite"]),
    ("output = 2", "output = inf", ["players.gpt.prices.output is inf", "finite"]),
    ("seed = 3", "seed = ", ["TOML", "line 4"]),
    ("seed = 3", "seed = 3\nseed = 4", ["TOML", "line 5"]),
    ('name = "small"', "", ["name", "short name"]),
    ('name = "small"', 'name = "../up"', ["name", "letter or digit"]),
    ('format = "nip-study/1"', 'format = "nip-study/2"', ["format", "nip-study/1"]),
    ('source = "graphs"', 'source = "grphs"', ["tasks[0].source", "Did you mean 'graphs'"]),
    ('source = "graphs"', "", ["tasks[0]", "`source`, `file` or `prepared_for`"]),
    ('source = "graphs"', 'file = "none.csv"', ["tasks[0].file", "no such file"]),
    ('source = "graphs"', 'source = "graphs"\nsplit = "test"', ["tasks[0].split"]),
    ('source = "graphs"', 'source = "bundled"\nids = ["q"]', ["tasks[0].ids[0]", "no such task"]),
    ("problems = 4", "problems = 0", ["tasks[0].problems", "from 1"]),
    ("problems = 4", "problems = 100_000", ["tasks[0].problems", "at most 1,000"]),
    ('difficulty = ["easy"]', 'difficulty = ["esay"]', ["tasks[0].difficulty[0]", "'easy'"]),
    ('difficulty = ["easy"]', "difficulty = []", ["tasks[0].difficulty", "empty"]),
    ('difficulty = ["easy"]', 'difficulty = "easy"', ["tasks[0].difficulty", "in brackets"]),
    ("[[tasks]]", "[tasks]", ["tasks", "each under [[tasks]]"]),
    ("[protocols.nip]", "[protocols.nipp]", ["protocols.nipp", "Did you mean 'nip'"]),
    under_nip(
        "parameters = { nip_protocol = { max_message_rounds = 0 } }",
        ["protocols.nip", "max_message_rounds", "from 1"],
    ),
    under_nip(
        "parameters = { max_mesage_rounds = 4 }",
        ["protocols.nip", "Did you mean 'max_message_rounds'"],
    ),
    under_nip(
        "parameters = { nip_protocl = { max_message_rounds = 4 } }",
        ["protocols.nip", "no setting “nip_protocl.max_message_rounds”"],
    ),
    under_nip(
        "parameters = { nip_protocol = { max_mesage_rounds = 4 } }",
        ["protocols.nip", "Did you mean 'max_message_rounds'"],
    ),
    under_nip(
        "parameters = { protocol_common = { zero_knowledge = true } }", ["nip", "zero-knowledge"]
    ),
    under_nip('document = "none.json"', ["protocols.nip.document", "cannot be read"]),
    ('strategy = "gullible"', 'strategy = "gulible"', ["strategy", "'gullible'"]),
    ('strategy = "gullible"', 'strategy = "gullible"\nlevel = "hard"', ["level", "no levels"]),
    ('kind = "random"', 'kind = "chance"', ["players.coin.kind", "random"]),
    ('kind = "random"', 'kind = "random"\nlevel = "easy"', ["players.coin.level", "scripted"]),
    ('model = "openai/some"', 'model = "some"', ["players.gpt.model", "provider"]),
    ('model = "openai/some"', 'model = "openai/a b"', ["players.gpt.model", "provider"]),
    under_model('base_url = "localhost"', ["players.gpt.base_url", "http://"]),
    under_model(
        'base_url = "http://me:secret@host/v1"', ["players.gpt.base_url", "password", "environment"]
    ),
    ("output = 2", "output = 1e300", ["players.gpt.prices.output", "from 0 to"]),
    ('model = "openai/some"', "", ["players.gpt", "'model'", "provider"]),
    ("output = 2", "output = -2", ["players.gpt.prices.output", "from 0"]),
    ("output = 2", "outptu = 2", ["players.gpt.prices", "'output'"]),
    under_model(
        'settings = { temperature = 1, api_key = "abc" }',
        ["players.gpt.settings.api_key", "environment"],
    ),
    ('provers = "hard"', "", ["conditions[0]", "'prover'", "`provers`"]),
    ('provers = "hard"', 'provers = "hrad"', ["conditions[0]", "Did you mean 'hard'"]),
    ('provers = "hard"', 'provers = "gullible"', ["conditions[0]", "strategy"]),
    ('provers = "hard"', 'provers = "hard"\nside = "lies"', ["conditions[0].side", "lie"]),
    ('provers = "hard"', 'provers = "hard"\nside = "truth"', ["debate", "side"]),
    ('provers = "hard"', 'provers = "hard"\norder = "both"', ["conditions[0].order", "sequential"]),
    ('provers = "hard"', 'provers = "hard"\nname = "x"', ["conditions[0].name", "4"]),
    ('provers = "hard"', 'provers = "hard"\nseats = {p = "hard"}', ["conditions[0].seats", "'p'"]),
    ('provers = "hard"', "provers = 3", ["conditions[0].provers", "a name, or a list"]),
    ('provers = "hard"', 'provers = "hard"\nprotocols = ["n"]', ["conditions[0].protocols[0]"]),
]


@each(("line", "instead", "words"), WRONG)
def test_what_is_wrong_is_refused_with_place_and_remedy(line, instead, words):
    with pytest.raises(StudyError) as caught:
        read_study(with_lines(instead, instead_of=line))
    for word in words:
        assert word in str(caught.value)


def test_more_that_is_refused():
    block = '[[conditions]]\nverifiers = "coin"\nprovers = "hard"'
    with pytest.raises(StudyError, match="called 'nip, coin, hard'"):
        read_study(with_lines(block))
    text = with_lines('[[conditions]]\nverifiers = "gpt"\nprovers = "easy"', "[budget]\nmoney=1")
    with pytest.raises(StudyError, match=r"budget\.money .* players\.gpt has no `prices`"):
        read_study(text.replace("prices = { input = 1, output = 2 }", ""))
    secret = "sk-abcdefghijklmnop"
    for given in (
        f'settings = {{ extra_body = {{ a = ["{secret}"] }} }}',
        f'arguments = {{x = "{secret}"}}',
    ):
        with pytest.raises(StudyError, match="looks like a key") as caught:
            read_study(
                with_lines('model = "openai/some"', given, instead_of='model = "openai/some"')
            )
        assert secret not in str(caught.value)
    with pytest.raises(StudyError, match="cannot be read"):
        load_study("/nowhere/study.toml")
    for hostile in (
        "a." * 9000 + "a = 1",
        "a = " + "[" * 9000,
        "x" * 300_000,
        b"\xff",
        "a=" + "9" * 9000,
    ):
        with pytest.raises(StudyError):
            read_study(hostile)


def test_rows_of_a_file_that_cannot_be_used_are_not_dropped_silently(tmp_path):
    (tmp_path / "mine.csv").write_text("question,solution,y\nQ,S,1\nQ,T,maybe\n")
    text = with_lines('file = "mine.csv"', instead_of='source = "graphs"')
    text = text.replace('difficulty = ["easy"]', "").replace("problems = 4", "")
    with pytest.raises(StudyError, match=r"tasks\[0\]\.file: 1 of the tasks .* the format “parts”"):
        read_study(text, tmp_path)
    (tmp_path / "mine.csv").write_text("question,solution,y\nQ,S,1\nQ,T,0\n")
    assert len(points(read_study(text, tmp_path))) == 8


@each(
    ("line", "message"),
    [
        ('{"parts": {"question": "Q"}}', ": the task lacks the key 'facts'."),
        ("{", " is not JSON: Expecting property name"),
    ],
)
def test_a_line_of_tasks_that_cannot_be_used_is_named_once(tmp_path, line, message):
    right = '{"parts": {"question": "Q"}, "facts": {"truth": "A"}}'
    (tmp_path / "mine.jsonl").write_text(f"{right}\n\n{line}\n")
    text = with_lines('file = "mine.jsonl"\nformat = "parts"', instead_of='source = "graphs"')
    text = text.replace('difficulty = ["easy"]', "").replace("problems = 4", "")
    with pytest.raises(StudyError) as caught:
        read_study(text, tmp_path)
    assert str(caught.value).startswith(f"tasks[0].file, line 3{message}")
    assert str(caught.value).count("line 3") == 1


def test_the_schema_says_the_same_as_the_reader():
    validator = jsonschema.Draft202012Validator(SCHEMA)

    def accepts(text):
        try:
            return validator.is_valid(parse_toml(text, WRITTEN, StudyError))
        except StudyError:
            return False

    validator.check_schema(SCHEMA)
    assert accepts(SMALL)
    shapes = [
        case for case in WRONG if case[2][-1] in ("from 0", "from 1", "whole number", "empty")
    ]
    assert len(shapes) > 4
    for line, instead, _ in shapes:
        if "max_message_rounds" not in instead:
            assert not accepts(with_lines(instead, instead_of=line)), instead


# -- any value in any place --------------------------------------------------------------------

ODD = [
    *("", "x" * 2000, "\0", "\u202e", "../..", "nip", 0, -1, 1.5, 1e308, 10**18, True),
    *([], {}, [[1]], [""], {"": 1}, {"a": {"b": 1}}, ["nip", "nip"]),
]
RICH = with_lines(
    "[[conditions]]",
    "protocols = ['debate']",
    "verifiers = 'gpt'",
    "seats = { prover0 = 'hard', prover1 = 'easy' }",
    "swap = true",
    "order = 'both'",
    "[[conditions]]",
    "protocols = ['nip']",
    "verifiers = ['coin']",
    "provers = ['easy']",
    "side = 'both'",
    "[budget]",
    "calls = 5",
    "money = 1.5",
)


def toml(value) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value) if isinstance(value, str | bool) else repr(value)


def places(value, at=()):
    if at:
        yield at
    keys = value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0)
    for key in keys:
        yield from places(value[key], (*at, key))


def refusal(document) -> str:
    try:
        points(read_study("\n".join(f"{key} = {toml(v)}" for key, v in document.items())))
    except StudyError as error:
        return str(error)
    return ""


def test_any_value_in_any_place_is_read_or_refused_briefly():
    base = tomllib.loads(RICH)
    assert refusal(base) == ""
    tried = list(itertools.product(places(base), [*ODD, None]))
    for place, odd in tried if FULL else tried[::41]:
        document = copy.deepcopy(base)
        holder = document
        for key in place[:-1]:
            holder = holder[key]
        if odd is None:
            del holder[place[-1]]
        else:
            holder[place[-1]] = odd
        assert len(refusal(document)) < 1500, place
