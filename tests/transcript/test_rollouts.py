"""Tests of rollouts.py and tensors.py.

Rollouts of every protocol and shape, with anything after their ends, and what is refused.
"""

import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from explorer.notebook import show_rollouts
from explorer.pictures import rollout_picture
from explorer.play.dataframes import COLUMNS, episodes_df, messages_df, rounds_df
from explorer.storage import open_storage
from nip_core import NestedArrayDict, protocol, protocol_names
from nip_core.errors import NipError, PlayError, StepInputError
from nip_core.transcript import NOT_RECORDED, dumps, load, read_rollouts
from tests.depth import FULL, each
from tests.later import tensordict, torch

ROWS, TIME = 6, 14


@cache
def rollout(name, rows=ROWS, time=TIME, seed=0, **parameters):
    """Play at random through the protocol's own step; what follows an end is frozen."""
    handler = protocol(name, **parameters)
    spec, chance = handler.spec, torch.Generator().manual_seed(seed)
    agents, verifier = len(spec.agents), spec.agent_index(spec.verifier)

    def drawn(most):
        return torch.randint(most, (rows, 1), generator=chance).expand(rows, time).clone()

    found = {"y": drawn(2), "seed": drawn(100)}
    found |= {"round": torch.zeros(rows, time, dtype=torch.long)}
    found |= {key: torch.zeros(rows, time, dtype=torch.bool) for key in ("done", "terminated")}
    found |= {"over before": found["done"].clone()}
    decision, reward = torch.full((rows, time, agents), 2), torch.zeros(rows, time, agents)
    over, now = torch.zeros(rows, dtype=torch.bool), torch.zeros(rows, dtype=torch.long)
    for step in range(time):
        found["round"][:, step], found["over before"][:, step] = now, over
        decision[:, step, verifier] = torch.randint(3, (rows,), generator=chance)
        env = {
            "y": found["y"][:, step],
            "seed": found["seed"][:, step],
            "round": now,
            "done": over,
            "terminated": torch.zeros(rows, dtype=torch.bool),
            ("agents", "decision"): decision[:, step],
            ("agents", "done"): torch.zeros(rows, agents, dtype=torch.bool),
        }
        done, _, terminated, reward[:, step] = handler.step_interaction_protocol(env)
        found["done"][:, step], found["terminated"][:, step] = done, terminated
        over = over | done | terminated
        now = torch.where(over, now, now + 1)
    return handler, found, decision, reward


def as_tensordict(found, decision, reward, layout="plain"):
    batch = list(decision.shape[:-1])
    entries = {key: found[key] for key in ("seed", "round")}
    entries["y"] = found["y"].unsqueeze(-1)
    agents = {"decision": decision}
    ends = {key: found[key] for key in ("done", "terminated")}
    if layout == "plain":
        agents["reward"] = reward
        return tensordict.TensorDict({**entries, **ends, "agents": agents}, batch)
    before = found["over before"]
    if layout == "incoming":
        own = {"done": before, "terminated": torch.zeros_like(before)}
        agents["reward"] = reward
        return tensordict.TensorDict({**entries, **own, "agents": agents}, batch)
    later = {
        "done": (ends["done"] | ends["terminated"]).unsqueeze(-1),
        "terminated": ends["terminated"].unsqueeze(-1),
        "agents": {"reward": reward},
    }
    return tensordict.TensorDict(
        {
            **entries,
            "done": before.unsqueeze(-1),
            "agents": agents,
            "next": tensordict.TensorDict(later, batch),
        },
        batch,
    )


def check(handler, read, found, decision, reward):
    """Check that each row is one episode, and agrees with the steps."""
    spec = handler.spec
    assert len(read) == len(decision)
    for row, item in enumerate(read):
        ended = (found["done"] | found["terminated"])[row].nonzero()
        last = int(ended[0]) if len(ended) else TIME - 1
        assert item.name == f"{row},0"
        assert len(item.steps) == last + 1
        assert (item.done, item.terminated) == (
            bool(found["done"][row, last]),
            bool(found["terminated"][row, last]),
        )
        assert list(item.totals.values()) == pytest.approx(reward[row, : last + 1].sum(0).tolist())
        episode = read.episode(item)
        result = episode.result(episode.leaves[-1].id)
        assert (result.done, result.terminated) == (item.done, item.terminated)
        assert [result.totals[a] for a in spec.agent_names] == pytest.approx(
            list(item.totals.values()), abs=1e-6
        )
        assert load(dumps(episode)).over


LAYOUTS = [(name, layout) for name in protocol_names() for layout in ("plain", "incoming", "next")]


@each(("name", "layout"), LAYOUTS if FULL else LAYOUTS[::4])
def test_every_protocol_and_layout_is_read(name, layout):
    handler, found, decision, reward = rollout(name)
    read = read_rollouts(as_tensordict(found, decision, reward, layout), name)
    check(handler, read, found, decision, reward)


def test_any_batch_shape_and_container():
    handler, found, decision, reward = rollout("mnip")
    whole = as_tensordict(found, decision, reward)
    plain = read_rollouts(whole, "mnip")
    for batch in ([2, 3, TIME], [1, 6, 1, TIME]):
        names = [each.name for each in read_rollouts(whole.reshape(batch), handler)]
        assert len(names) == ROWS
        assert names[0] == ",".join("0" * len(batch))
    assert [each.steps for each in read_rollouts(whole.reshape(2, 3, TIME), "mnip")] == [
        each.steps for each in plain
    ]
    one = read_rollouts(whole[2], handler.spec)
    assert [each.steps for each in one] == [plain[2].steps]
    mapping = {
        **{key: found[key].numpy() for key in ("y", "round", "done", "terminated")},
        "agents": {"decision": decision.numpy(), "reward": reward.numpy()},
    }
    assert [each.steps for each in read_rollouts(mapping, "mnip")] == [e.steps for e in plain]
    ragged = [whole[0, :5], whole[1]]
    assert read_rollouts(ragged, "mnip")[0].name == "0:0"
    assert len(read_rollouts(tensordict.TensorDict.lazy_stack(ragged), "mnip")) == 2
    nested = NestedArrayDict(
        {
            **{key: found[key].numpy() for key in ("y", "round", "done", "terminated")},
            ("agents", "decision"): decision.numpy(),
            ("agents", "reward"): reward.numpy(),
        },
        batch_size=(ROWS, TIME),
    )
    assert [each.steps for each in read_rollouts(nested, "mnip")] == [e.steps for e in plain]


def test_episodes_that_follow_each_other_and_one_that_is_cut_off():
    first, second = (as_tensordict(*rollout("nip", rows=1, seed=seed)[1:]) for seed in (1, 2))
    alone = [read_rollouts(each, "nip")[0] for each in (first, second)]
    lengths = [len(each.steps) for each in alone]
    joined = torch.cat([first[:, : lengths[0]], second[:, : lengths[1]], first[:, :1]], dim=1)
    read = read_rollouts(joined, "nip")
    assert [each.steps for each in read][:2] == [each.steps for each in alone]
    assert [each.name for each in read] == ["0,0", f"0,{lengths[0]}", f"0,{sum(lengths)}"]
    assert read[2].over == (lengths[0] == 1)
    # Without the flags, the rules determine where an episode ends.
    bare = joined.exclude("done", "terminated", ("agents", "reward"))
    assert [len(each.steps) for each in read_rollouts(bare, "nip")] == [
        len(each.steps) for each in read
    ]


def test_padding_with_zeros_or_a_mask_is_no_episode():
    _, found, decision, reward = rollout("nip")
    whole = as_tensordict(found, decision, reward)
    plain = read_rollouts(whole, "nip")
    live = ~found["over before"]
    zeros = whole.clone()
    for key in ("round", "done", "terminated", ("agents", "decision"), ("agents", "reward")):
        entry = zeros.get(key)
        entry[~live] = 0
    assert [each.steps for each in read_rollouts(zeros, "nip")] == [e.steps for e in plain]
    masked = zeros.exclude(("agents", "reward"), "done", "terminated")
    masked["collector"] = tensordict.TensorDict({"mask": live}, masked.batch_size)
    again = read_rollouts(masked, "nip")
    assert [len(each.steps) for each in again] == [len(each.steps) for each in plain]
    # Rewards that are not recorded are those of the rules.
    assert [each.totals for each in again] == [pytest.approx(each.totals) for each in plain]
    # Padding may contain anything.
    masked["round"][~live] = -7
    masked["agents", "decision"][~live] = 99
    assert len(read_rollouts(masked, "nip")) == len(plain)


def test_messages_are_read_as_texts_or_symbols():
    handler, found, decision, reward = rollout("mnip")
    spec = handler.spec
    shape = (ROWS, TIME, len(spec.agents), len(spec.channels))
    symbols = torch.arange(int(np.prod(shape)) * 2).reshape(*shape, 2)
    whole = as_tensordict(found, decision, reward)
    whole["agents", "message"] = symbols
    read = read_rollouts(whole, "mnip")
    turn, step = spec.turn(0), read[0].steps[0]
    agent, channel = turn.speakers[0] if isinstance(turn.speakers, tuple) else min(turn.speakers)
    own = symbols[0, 0, spec.agent_index(agent), spec.channel_names.index(channel)]
    assert step.messages[agent][channel] == " ".join(map(str, own.tolist()))
    texts = np.full(shape, "", dtype=object)
    texts[..., 0] = "<b>hello</b>"
    mapping = {
        **{key: found[key] for key in ("y", "round", "done", "terminated")},
        "agents": {"decision": decision, "message": texts},
    }
    read = read_rollouts(mapping, "mnip")
    frame = messages_df(read)
    assert set(frame["text"]) == {"<b>hello</b>"}
    assert set(frame["channel"]) == {spec.channel_names[0]}
    said = {
        t
        for _, e in read.episodes()
        for n in e.nodes
        for m in n.moves.values()
        for t in m.messages.values()
    }
    assert said <= {"<b>hello</b>", NOT_RECORDED}


def test_many_are_filtered_and_aggregated_with_pandas():
    _, found, decision, reward = rollout("nip", rows=200)
    read = read_rollouts(as_tensordict(found, decision, reward), "nip")
    frame = episodes_df(read)
    assert list(frame.columns) == list(COLUMNS["episodes"])
    assert len(frame) == 400
    verifier = frame[frame["agent"] == "verifier"]
    assert verifier["reward"].sum() == pytest.approx(reward[..., 1].sum().item())
    decided = verifier[verifier["decision"] != 2]
    assert (decided["right"] == (decided["decision"] == decided["y"])).all()
    rounds = rounds_df(read)
    assert list(rounds.columns) == list(COLUMNS["rounds"])
    assert len(rounds) == 2 * int(verifier["rounds"].sum())
    assert rounds.groupby("episode")["reward"].sum().sum() == pytest.approx(reward.sum().item())


def broken(**changes):
    _, found, decision, reward = rollout("nip")
    entries = {
        **{key: found[key] for key in ("y", "round", "done", "terminated")},
        "decision": decision,
        "reward": reward,
    }
    entries |= changes
    return {key: value for key, value in entries.items() if value is not None}


@each(
    ("changes", "said"),
    lambda: [
        ({"round": None}, "'round'"),
        ({"y": None}, r"'y', of shape \(6, 14\)"),
        (
            {"decision": None},
            r"rollout needs the key \('agents', 'decision'\), of shape \(6, 14, 2\)",
        ),
        (
            {"decision": torch.zeros(6, 14, dtype=torch.long)},
            r"'decision' has shape \(6, 14\); it ",
        ),
        ({"y": torch.zeros(6, dtype=torch.long)}, r"'y' has shape \(6,\); it must be \(6, 14\)"),
        ({"y": torch.zeros(6, 14)}, "'y' has dtype float32; it must hold whole numbers"),
        ({"y": torch.full((6, 14), 7)}, r"'y' is 7 at \[0,0\]; it must be from 0 to 1"),
        ({"round": torch.arange(14).expand(6, 14) + 8}, r"'round' is 8 at \[0,0\]"),
        ({"done": torch.zeros(6, 14)}, "'done' has dtype float32; it must hold booleans"),
        ({"done": torch.zeros(3, 14, dtype=torch.bool)}, r"'done' has shape \(3, 14\)"),
        ({"reward": torch.zeros(6, 14)}, r"'reward' has shape \(6, 14\); it must be \(6, 14, 2\)"),
        ({"message": torch.zeros(6, 14, 2)}, r"'message' has shape .* \(6, 14, 2, 1\)"),
        ({"decision": torch.full((6, 14, 2), 5)}, r"'decision' is \[5, 5\] at \[0,0\]"),
    ],
)
def test_what_is_wrong_is_named_with_the_shape_that_is_wanted(changes, said):
    with pytest.raises(StepInputError, match=said):
        read_rollouts(broken(**changes), "nip")


def test_other_objects_and_too_large_rollouts_are_refused(monkeypatch):
    for other in (7, "rollout", None, object()):
        with pytest.raises(NipError, match="rollout"):
            read_rollouts(other, "nip")
    monkeypatch.setattr("nip_core.transcript.tensors.MOST_STEPS", 50)
    with pytest.raises(StepInputError, match="at most 50 steps are read"):
        read_rollouts(broken(), "nip")


def test_zero_knowledge_is_read_by_its_flags():
    handler = protocol("nip", zero_knowledge=True)
    agents = len(handler.spec.agents)
    entries = {
        "y": torch.ones(1, 3, dtype=torch.long),
        "round": torch.tensor([[0, 1, 2]]),
        "done": torch.tensor([[False, False, True]]),
        "decision": torch.full((1, 3, agents), 2),
        "reward": torch.ones(1, 3, agents),
    }
    (item,) = read_rollouts(entries, handler)
    assert item.done
    assert set(item.totals.values()) == {3.0}


def test_saved_rollouts_are_imported_without_unpickling(tmp_path):
    _, found, decision, reward = rollout("mnip")
    read = read_rollouts(as_tensordict(found, decision, reward), "mnip")
    path = tmp_path / "rollouts.jsonl"
    assert read.save(path) == ROWS
    with open_storage(f"sqlite:///{tmp_path}/episodes.db") as storage:
        for expected in ("added", "present"):
            with path.open("rb") as file:
                assert [line.status for line in storage.import_all(file)] == [expected] * ROWS
        pickled = tmp_path / "td.jsonl"
        torch.save(as_tensordict(found, decision, reward), pickled)
        with pickled.open("rb") as file:
            assert {line.status for line in storage.import_all(file)} == {"refused"}


def test_a_rollout_is_shown_on_its_schedule_step_by_step():
    handler, found, decision, reward = rollout("mnip")
    shown = show_rollouts(as_tensordict(found, decision, reward), "mnip")
    title, picks, *_ = shown.data()["bar"]
    assert (title["kind"], picks["name"]) == ("text", "rollout")
    for number in range(ROWS):
        shown.receive("press", {"name": "rollout", "value": number + 1})
        item = shown.rollout
        assert item.name == f"{number},0"
        drawn = rollout_picture(item, handler.spec)
        texts = [s.text for s in drawn.shapes if type(s).__name__ == "Text"]
        for agent, paid in item.steps[-1].rewards.items():
            assert (f"{paid:+.3g}".replace("-", "−") if paid else "0") in texts, agent
        verdict = {0: "reject", 1: "accept"}.get(item.decision)
        if verdict is not None:
            assert verdict in texts
        shown.receive("press", {"name": "back", "value": None})
        assert shown.node.round == item.steps[-1].round
    shown.receive("press", {"name": "rollout", "value": ROWS + 1})
    assert shown.rollout.name == f"{ROWS - 1},0"
    with pytest.raises(PlayError, match="which protocol"):
        show_rollouts(as_tensordict(found, decision, reward))
    cut = as_tensordict(found, decision, reward)[:, :1].exclude("done", "terminated").clone()
    cut["agents", "decision"][:] = 2
    with pytest.raises(PlayError, match="None of the 6 episodes"):
        show_rollouts(cut, "mnip")


def test_recognising_a_rollout_imports_no_torch():
    code = "import sys, nip_core.transcript; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
