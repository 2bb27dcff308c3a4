"""Tests of graphs/facts.py, graphs/graph.py, graphs/pairs.py and graphs/tasks.py.

Graphs, pairs of graphs, and tasks about them.
"""

import re
from collections import Counter
from itertools import permutations

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nip_core.errors import UnknownNameError
from nip_core.tasks import (
    DEFAULT_NODES,
    DIFFICULTIES,
    LAYOUTS,
    MAX_NODES,
    MIN_NODES,
    Graph,
    TaskError,
    graph_pair,
    graph_task,
)
from tests.depth import cases, each, first, short

seeds = st.integers(0, 10**9)
difficulties = st.sampled_from(DIFFICULTIES)
some = settings(max_examples=cases(25), deadline=None)


def as_networkx(graph):
    made = networkx.Graph()
    made.add_nodes_from(range(len(graph.names)))
    made.add_edges_from(graph.edges)
    return made


def isomorphic_by_trying_all(first, second):
    edges = {frozenset(edge) for edge in second.edges}
    return len(first.edges) == len(edges) and any(
        all(frozenset((order[a], order[b])) in edges for a, b in first.edges)
        for order in permutations(range(len(first.names)))
    )


def counts(graph):
    """Return the counted facts, computed by other means."""
    made = as_networkx(graph)
    cycles = Counter(map(len, networkx.simple_cycles(made, length_bound=5)))
    steps = Counter(
        distance
        for a, reached in networkx.all_pairs_shortest_path_length(made)
        for b, distance in reached.items()
        if a < b
    )
    return {
        "triangle": cycles[3],
        "square (cycle of four)": cycles[4],
        "pentagon (cycle of five)": cycles[5],
        "pair at distance two": steps[2],
        "pair at distance three": steps[3],
    }


@some
@given(seeds, difficulties, st.none() | st.booleans(), st.booleans())
def test_the_label_is_right(seed, difficulty, isomorphic, tell):
    task = graph_task(
        seed,
        n=MIN_NODES[difficulty],
        difficulty=difficulty,
        isomorphic=isomorphic,
        allow_degree_tell=tell and difficulty == "easy",
    )
    assert isomorphic_by_trying_all(task.payload.first, task.payload.second) == (task.y == 1)
    assert isomorphic is None or isomorphic == (task.y == 1)


@some
@given(seeds, st.integers(8, MAX_NODES), difficulties, st.booleans())
def test_pairs_are_as_hard_as_asked(seed, n, difficulty, isomorphic):
    pair = graph_pair(seed, n=n, difficulty=difficulty, isomorphic=isomorphic)
    first, second = as_networkx(pair.first), as_networkx(pair.second)
    assert first.number_of_nodes() == second.number_of_nodes() == n
    assert networkx.is_connected(first)
    assert networkx.is_connected(second)
    assert sorted(pair.first.degrees) == sorted(pair.second.degrees)
    if isomorphic:
        renamed = networkx.relabel_nodes(first, dict(enumerate(pair.certificate)))
        assert networkx.utils.graphs_equal(renamed, second)
        return
    assert pair.certificate is None
    assert networkx.faster_could_be_isomorphic(first, second) or difficulty == "easy"
    triangles = [counts(graph)["triangle"] for graph in (pair.first, pair.second)]
    assert (triangles[0] != triangles[1]) == (difficulty == "easy")
    hashes = {networkx.weisfeiler_lehman_graph_hash(g, iterations=n) for g in (first, second)}
    if difficulty != "easy":
        assert (len(hashes) == 1) == (difficulty == "hard")
    assert counts(pair.first) != counts(pair.second)


@some
@given(seeds, difficulties)
def test_one_graph_alone_says_nothing_about_the_label(seed, difficulty):
    same = graph_pair(seed, difficulty=difficulty, isomorphic=True)
    other = graph_pair(seed, difficulty=difficulty, isomorphic=False)
    drawn = graph_pair(seed, difficulty=difficulty)
    assert same.first == other.first == drawn.first
    assert drawn in (same, other)


def test_labels_are_drawn_fairly():
    labels = [graph_pair(seed).certificate is not None for seed in range(300)]
    assert 100 < sum(labels) < 200


def test_degrees_may_reveal_the_label_if_asked():
    differing = 0
    for seed in range(40):
        pair = graph_pair(seed, isomorphic=False, allow_degree_tell=True)
        differing += sorted(pair.first.degrees) != sorted(pair.second.degrees)
    assert differing > 20


@each(
    ("arguments", "digest"),
    [
        ({"seed": 0}, "c652050a04e1242d3eb6961243c03ae86c7c530cb10f54d7ce33ab9cfb9ca815"),
        (
            {"seed": 1, "difficulty": "medium", "isomorphic": True},
            "c7f07476f28a80f5e87ab367c3e6ef4b18cf5eed1941d0e28d91939805cd3c20",
        ),
        (
            {"seed": 2, "difficulty": "hard", "isomorphic": False},
            "b22edcafcdc2a466ade56ba1e0de0144e2d898e0e44d4e870cac54bccbf07e4e",
        ),
        (
            {"seed": 3, "difficulty": "hard", "n": 13},
            "4a771c5fb3511732589326d15af3dee177ce694b803876c7a147102f209e6e1c",
        ),
        (
            {"seed": 4, "n": 24, "allow_degree_tell": True},
            "c90c2d6ee9217fe777bd758db0ca19e8d4db8193dbb60d042bd127c4d14ff2d7",
        ),
    ],
)
def test_a_seed_gives_the_same_task_for_ever(arguments, digest):
    # Every word of the task, on every platform and in every version of Python and networkx.
    assert graph_task(**arguments).digest == digest


@each(
    "arguments",
    [
        {"n": 5},
        {"n": MAX_NODES + 1},
        {"n": 7, "difficulty": "hard"},
        {"n": "8"},
        {"n": 8.0},
        {"difficulty": "medium", "allow_degree_tell": True},
    ],
    ids=short,
)
def test_impossible_arguments_are_refused(arguments):
    with pytest.raises(TaskError):
        graph_task(0, **arguments)
    with pytest.raises(UnknownNameError, match="medium"):
        graph_task(0, difficulty="simple")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_every_allowed_size_works(difficulty):
    for n in range(MIN_NODES[difficulty], MAX_NODES + 1):
        assert len(graph_pair(n, n=n, difficulty=difficulty).first.names) == n


@each("difficulty", DIFFICULTIES)
def test_the_statement_looks_the_same_for_both_labels(difficulty):
    same, other = (
        graph_task(11, difficulty=difficulty, isomorphic=y).statement for y in (True, False)
    )
    for name in ("kind", "title", "difficulty", "solution", "asks"):
        assert getattr(same, name) == getattr(other, name)
    assert 4 <= len(same.asks) <= 8
    assert f"{DEFAULT_NODES[difficulty]} nodes" in same.title
    before, after = same.question.split("H\n1:")[0], other.question.split("H\n1:")[0]
    assert before == after


def test_the_text_describes_the_graphs():
    task = graph_task(5, difficulty="hard")
    for graph, name in ((task.payload.first, "G"), (task.payload.second, "H")):
        lines = task.question.split(f"\n{name}\n")[1].split("\n\n")[0].splitlines()
        listed = set()
        for line in lines:
            node, joined = line.split(": ")
            listed |= {frozenset((node, other)) for other in joined.split(", ")}
        assert listed == {frozenset(graph.names[node] for node in edge) for edge in graph.edges}
    assert not set(task.payload.first.names) & set(task.payload.second.names)


NUMBERS = re.compile(r"G has (\d+) ([a-z]+ ?[^,.:]*?)(?:,? and (?:H has (\d+)|so has H))")


def counts_in(text):
    """Return the counts that a text claims: what is counted (for one), in G, in H."""
    for one, what, two in NUMBERS.findall(text):
        what = what.strip().replace("triangles", "triangle").replace("pairs", "pair")
        what = what.replace("squares (cycles", "square (cycle").replace("nodes", "node")
        what = what.replace("pentagons (cycles", "pentagon (cycle")
        yield what, (int(one), int(two or one))


def spoken(task, stance):
    return [task.opening(stance), *(chip.answers[stance] for chip in task.questions)]


@some
@given(seeds, difficulties, st.booleans())
def test_honest_experts_say_what_is_true_and_liars_do_not(seed, difficulty, isomorphic):
    task = graph_task(seed, difficulty=difficulty, isomorphic=isomorphic)
    true = {
        what: (count, counts(task.payload.second)[what])
        for what, count in counts(task.payload.first).items()
    }
    for stance in (0, 1):
        claims = {}
        for text in spoken(task, stance):
            for what, numbers in counts_in(text):
                # Nobody contradicts themselves.
                assert claims.setdefault(what, numbers) == numbers
        assert claims.keys() == true.keys()
        if stance == 0:
            assert (claims == true) == (task.y == 0)
            assert any(numbers[0] != numbers[1] for numbers in claims.values())
        elif task.y == 1:
            assert claims == true
        else:
            assert all(numbers[0] == numbers[1] for numbers in claims.values())

    whole = task.answer("What is the whole renaming?", 1)
    renaming = dict(re.findall(r"(\w+) to (\w+)[,.]", whole))
    first, second = task.payload.first, task.payload.second
    assert sorted(renaming) == sorted(first.names)
    assert sorted(renaming.values()) == sorted(second.names)
    edges = {frozenset(second.names[i] for i in edge) for edge in second.edges}
    kept = [{renaming[first.names[i]] for i in edge} in edges for edge in first.edges]
    assert all(kept) == (task.y == 1)
    assert sum(kept) >= len(kept) / 2  # a liar's renaming takes some checking
    for a, b, c, d in re.findall(r"(\w+)-(\w+) becomes (\w+)-(\w+)", " ".join(spoken(task, 1))):
        assert (renaming[a], renaming[b]) == (c, d)
        assert {c, d} in edges


@pytest.mark.parametrize("difficulty", first(1, DIFFICULTIES))
def test_liars_use_the_words_of_the_honest(difficulty):
    words = {}
    for y in (True, False):
        for stance in (0, 1):
            said = words.setdefault((stance, stance == y), set())
            for seed in range(40):
                task = graph_task(seed, difficulty=difficulty, isomorphic=y)
                # Whether the text has one pentagon or more depends on the graphs.
                text = " ".join(spoken(task, stance))
                said |= {word.rstrip("s") for word in re.findall("[A-Za-z]{3,}", text)}
    assert words[0, True] == words[0, False]
    assert words[1, True] == words[1, False]


@each("layout", LAYOUTS)
@each(
    "graph",
    [
        graph_pair(0, difficulty="hard").first,
        graph_pair(1, n=24).second,
        Graph(("x",), ()),
        Graph(("x", "y", "z"), ((0, 1),)),
    ],
)
def test_layouts(layout, graph):
    positions = graph.layout(layout)
    assert positions == graph.layout(layout)
    assert len(set(positions)) == len(positions) == len(graph.names)
    assert all(-1 <= x <= 1 and -1 <= y <= 1 for x, y in positions)


def test_an_unknown_layout_is_refused():
    with pytest.raises(UnknownNameError, match="circular"):
        Graph(("x",), ()).layout("circle")
