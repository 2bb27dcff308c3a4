"""Writes the golden playthroughs: a readable file for each protocol, with all that follows from it.

A file contains the grid, the answers to what people ask about a protocol, the instructions of each
seat, what everybody reads turn by turn, what seats are worth under random play, and random steps of
the documented handler. Run ``python -m tests.make_playthroughs`` after adding a protocol or
changing rules or words on purpose, and read the difference before committing it.
"""

import random
import textwrap
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from explorer.pictures import (
    Comparison,
    caption,
    grid_of,
    seat_styles,
    side_by_side_rows,
    turns_data,
)
from explorer.play.screens import Seen
from nip_core import (
    Episode,
    ExperimentSettings,
    HyperParameters,
    Move,
    build_protocol_handler,
    bundled_tasks,
    protocol,
    protocol_infos,
    protocol_names,
    protocol_spec,
    published_names,
    specification,
)
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.language import Specification, Wording, from_version_1
from nip_core.spec.display import schedule_text
from nip_core.values import exact_values, play_values, random_play
from tests.later import tensordict, torch
from tests.play.turn_players import begun, random_turn

FOLDER = Path(__file__).parent / "playthroughs"
ROLES = Path(__file__).parent / "language" / "roles.txt"
SEEDS = range(4)
# Smaller protocols, where the exact values of the whole one take seconds.
SMALLER: dict[str, dict[str, int]] = {"prover_estimator": {"depth": 1, "step": 50}}


def number(value: Any) -> str:
    """Return a number with as many digits as are the same on every machine."""
    if value is None or isinstance(value, Fraction):
        return str(value)
    return f"{round(float(value), 9) + 0.0:.6g}"


def amounts(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {number(value)}" for name, value in values.items())


def indented(lines: Iterable[str]) -> Iterator[str]:
    for text in lines:
        yield from textwrap.indent(text, "  ").splitlines()


# -- what is known of a protocol before it is played -----------------------------------------------


def answers(spec: Specification) -> Iterator[str]:
    """Yield what people ask about a protocol, with the answers."""
    for row in side_by_side_rows([spec]):
        _, what, answer, _ = row.values()
        yield f"{what}: {answer}"
    yield from (f"Remark: {remark.code}: {remark.message}" for remark in spec.lint())


def schedule(name: str) -> Iterator[str]:
    """Yield the grid of a registered protocol, and what is said about it."""
    (info,) = [each for each in protocol_infos() if each.name == name]
    spec = protocol_spec(name)
    yield f"{info.full_name}. {info.sentence}"
    yield from schedule_text(spec).splitlines()
    for each in (spec, zero_knowledge(spec)):
        for seed in (None, *range(each.num_variants))[: each.num_variants + 1]:
            yield caption(each, seed)
            lines = turns_data(each, seed).to_dict("records")
            yield from (f"{row['turn']}. {row['what happens']}" for row in lines)
    for finding in spec.lint():
        yield f"Remark: {finding.code}, {finding.tone}, {finding.rounds}: {finding.message}"
    for other in protocol_names():
        if other != name:
            yield Comparison(spec, other).sentence(other)


def stages(spec: Specification) -> Iterator[str]:
    """Yield the turns of a published protocol in words, and each row of its grid."""
    yield caption(spec)
    for row in turns_data(spec).to_dict("records"):
        yield " | ".join(str(cell) for cell in row.values() if cell)
    grid = grid_of(spec)
    brackets = [grid.bracket(number) for number in range(len(spec.stages))]
    yield f"Brackets: {'; '.join(' = '.join(each) for each in brackets if any(each))}"
    yield f"Columns: {', '.join(column.label for column in grid.columns)}"
    for row in grid.rows:
        cells = [
            f"{'pale ' * cell.pale}{cell.state} {'+'.join(cell.seats or ())}".strip()
            for cell in row.cells
        ]
        yield f"{row.of} {row.who or ''}: {' | '.join(cells)}"
    for seat, look in seat_styles(spec).items():
        yield f"{seat}: {look.name}, {look.label}, {look.light}"


# -- an episode ------------------------------------------------------------------------------------


def instructions(episode: Episode) -> Iterator[str]:
    """Yield what a model in each seat is told, without what an earlier seat was told already."""
    known: set[str] = set()
    for seat in episode.rules.seat_names:
        yield f"{seat}:"
        chat = episode.view_for(seat).portable_messages(scratchpad=False)
        lines = [line for line in chat[0]["content"].splitlines() if line and line not in known]
        known |= {*lines}
        yield from indented(lines)


def screens(episode: Episode) -> Iterator[str]:
    """Yield who argues what, and whose channel is whose, on the screens of all seats."""
    for seat in episode.rules.seat_names:
        shown = Seen(episode, seat).screen
        sides = [f"{'+'.join(side['seats'])} {side['text']}" for side in shown["head"]["sides"]]
        named = [f"{each['title']} ({each['note']})" for each in shown["channels"]]
        yield f"  {seat}: {shown['head']['claim']} {'; '.join(sides)}. {', '.join(named)}"


def headline(episode: Episode, seat: str) -> str:
    """Return the line of a seat's screen that says what happens now."""
    head = Seen(episode, seat).screen["head"]
    return f"{head['now']} {head['means']}".strip()


def together(what: str, texts: dict[str, str]) -> Iterator[str]:
    """Yield what seats get, those that get the same in one line."""
    for text in dict.fromkeys(texts.values()):
        yield f"  {what} {', '.join(s for s in texts if texts[s] == text)}: {text}"


def read_in(turn: Any, said: dict[tuple[Any, str], str]) -> Iterator[str]:
    """Yield what a seat has read in a turn; texts only where they differ from what was said."""
    quotes = getattr(turn, "quotes", ()) or [()] * len(turn.messages)
    for message, found in zip(turn.messages, quotes, strict=True):
        same = said.get((message.sender, message.channel)) == message.text
        text = "" if same else f" {message.text!r}"
        checked = "".join(f" [{quote.text!r} {quote.found}]" for quote in found)
        yield f"{message.sender or 'somebody'} on {message.channel}{text}{checked}"
    for known in (getattr(turn, "choices", {}), getattr(turn, "values", {})):
        yield from (f"{name} = {option}" for name, option in known.items())


def asked(episode: Episode, seat: str) -> str:
    """Return the end of what a model is sent in its turn."""
    last = episode.view_for(seat).portable_messages()[-1]["content"].split("\n\n")[-1]
    return last.replace("\n", " ")


def turns(episode: Episode, rng: random.Random, brief: bool = False) -> Iterator[str]:
    """Play an episode with random moves; yield what everybody says and is paid.

    Unless it is brief, also what everybody is asked and reads.
    """
    spec: Any = episode.rules
    known: dict[str, set[str]] = {}
    # Chance may have drawn something already.
    all_said: list[dict[tuple[Any, str], str]] = [{} for _ in range(episode.node.round)]
    before_it: dict[str, list[list[str]]] = {}
    yield from screens(episode)
    while not episode.over:
        yield f"Turn {episode.node.round + 1}"
        if not brief:
            yield from together("screen of", {s: headline(episode, s) for s in spec.agent_names})
            for seat in episode.to_move:
                yield f"  {seat} is asked: {asked(episode, seat)}"
        before = episode.node
        while episode.node is before:
            seat = rng.choice(episode.to_move)
            episode.play(moved(episode, seat, rng))
        # Turns of chance follow by themselves.
        played = episode.path()[len(episode.path(before.id)) :]
        for seat, move in [pair for node in played for pair in node.moves.items()]:
            does = [f"{channel}: {text!r}" for channel, text in move.messages.items()]
            does += [f"{name} = {option}" for name, option in move.choices.items()]
            does += [("rejects", "accepts")[move.decision]] if move.decision != 2 else []
            yield f"  {seat}: {'; '.join(does)}"
        all_said += (
            {(s, c): text for s, move in node.moves.items() for c, text in move.messages.items()}
            for node in played
        )
        read: dict[str, str] = {}
        for seat in () if brief else spec.agent_names:
            view: Any = episode.view_for(seat)
            now = {f"the {part}" for part in getattr(view, "parts", ())}
            now |= {f"{name} = {option}" for name, option in getattr(view, "facts", {}).items()}
            new = sorted(now - known.get(seat, set()))
            known[seat] = now
            rounds = [[*read_in(*turn)] for turn in zip(view.rounds, all_said, strict=True)]
            old = before_it.get(seat, [])
            before_it[seat] = rounds
            late = [
                f"of turn {number}: {item}"
                for number, (once, now_read) in enumerate(zip(old, rounds, strict=False), start=1)
                for item in now_read
                if item not in once
            ]
            fresh = [item for turn in rounds[len(old) :] for item in turn]
            read[seat] = ", ".join([*late, *fresh, *new])
        yield from together("new to", read)
        paid = {
            seat: sum(node.rewards[place] for node in played)
            for place, seat in enumerate(spec.agent_names)
        }
        if any(paid.values()):
            yield f"  Paid: {amounts(paid)}"
    if not brief:
        verdicts = {s: Seen(episode, s).screen["head"]["verdict"] for s in spec.agent_names}
        ended = {s: f"{v['word']}: {v['text']}" for s, v in verdicts.items()}
        yield from together("screen of", ended)
    result: Any = episode.result()
    yield f"  Total: {amounts(result.totals)}; right: {result.right}"


def moved(episode: Episode, seat: str, rng: random.Random) -> Move:
    """Return a random move, made from the seat's view alone."""
    view: Any = episode.view_for(seat)
    if episode.setup.handler is None:
        return random_turn(view, rng)
    if view.legal.may_decide and (view.legal.last_turn or rng.random() < 0.2):
        return Move(seat, decision=rng.randrange(2))
    return Move(seat, {c: rng.choice(("Why?", "So.", "No.")) for c in view.legal.channels})


# -- values and steps ------------------------------------------------------------------------------


def worth(name: str) -> Iterator[str]:
    """Yield what the seats of a registered protocol are worth under random play."""
    for variant in (False, True):
        handler = protocol(name, zero_knowledge=variant)
        values = exact_values(handler, random_play(handler.spec))
        yield "zero knowledge" if variant else "plain"
        for seat in handler.spec.agent_names:
            guess = handler.reward_mid_point_estimate(seat)
            yield (
                f"  {seat}: mean {number(values.mean(seat))}, variance "
                f"{number(values.variance(seat))}, mid-point {number(guess)}"
            )
        yield f"  verdicts: {amounts(dict(values.verdicts))}"
        yield f"  ends in round: {', '.join(map(number, values.rounds))}"


def worth_of_turns(spec: Specification) -> Iterator[str]:
    """Yield what seats are worth where all choices are random."""
    found = play_values(spec)
    for seat in spec.seat_names:
        yield (
            f"{seat}: mean {number(found.means[seat])}, variance {number(found.variances[seat])}"
        )
    yield f"turns {number(found.turns)}, by {found.method}"
    chances = {str(verdict): chance for verdict, chance in found.verdicts.items()}
    yield f"verdicts: {amounts(dict(sorted(chances.items())[:5]))}"
    yield from (f"on the word of {by}: {what}" for what, by in found.on_the_word_of.items())


def valued(name: str) -> Specification:
    """Return a protocol whose exact values are found in a moment."""
    spec = specification(name, **SMALLER.get(name, {}))
    document = spec.to_dict()
    for choice in document["choices"].values():
        # Chance has a weight for each of its options.
        shrinks = isinstance(choice["options"], dict) and choice["by"] != "chance"
        if shrinks and name not in SMALLER:
            step = (choice["options"]["to"] - choice["options"]["from"]) // 2
            choice["options"]["step"] = max(step, 1)
    return Specification.from_dict(document)


def steps(handler: Any, seed: int) -> Iterator[str]:
    """Yield one episode of random tensors, step by step, from its first round to its end."""
    rng, spec = random.Random(seed), handler.spec
    agents, channels = len(spec.agents), len(spec.channels)
    y, stance = rng.randrange(2), rng.randrange(2)
    state = {"done": False, "terminated": False, "agents_done": [False] * agents}
    round_id = 0
    yield f"seed {seed}, y {y}"
    while not (state["done"] or state["terminated"]):
        decision = [rng.choice([0, 1, 2, 2, 2]) for _ in range(agents)]
        seats: dict[str, Any] = {
            "decision": torch.tensor(decision),
            "done": torch.tensor(state["agents_done"]),
        }
        if spec.is_zero_knowledge:
            # Halves, so that the written digits of cosines are the same on every machine.
            def logits(*shape: int) -> list[Any]:
                return [
                    logits(*shape[1:]) if shape[1:] else rng.randint(-4, 4) / 2
                    for _ in range(shape[0])
                ]

            seats["main_message_logits"] = torch.tensor(logits(agents, channels, 1, 2))
            seats["decision_logits"] = torch.tensor(logits(agents, 3))
        env = tensordict.TensorDict(
            {
                "y": torch.tensor([y]),
                "round": torch.tensor(round_id),
                "seed": torch.tensor(seed),
                "prover_stance": torch.tensor(stance),
                "done": torch.tensor(state["done"]),
                "terminated": torch.tensor(state["terminated"]),
                "agents": seats,
            },
            batch_size=[],
        )
        shared_done, agent_done, terminated, reward = handler.step_interaction_protocol(env)
        state = {
            "done": shared_done.item(),
            "terminated": terminated.item(),
            "agents_done": agent_done.tolist(),
        }
        speakers = [f"{agent}/{channel}" for agent, channel in spec.turn(round_id, seed).speakers]
        paid = " ".join(f"{round(value, 4) + 0.0:g}" for value in reward.tolist())
        over = "".join("-+"[each] for each in state["agents_done"])
        ended = "done" if state["done"] else "terminated" if state["terminated"] else "goes on"
        yield (
            f"  {round_id} {'decides' if spec.may_decide(round_id, seed) else 'asks'} "
            f"{decision} paid {paid} {over} {ended}: {' '.join(speakers)}"
        )
        round_id += 1


def random_steps(name: str) -> Iterator[str]:
    for variant in (False, True):
        common = {"zero_knowledge": variant}
        parameters = HyperParameters(interaction_protocol=name, protocol_common=common)
        handler = build_protocol_handler(parameters, ExperimentSettings())
        yield f"{'zero knowledge' if variant else 'plain'}: {' '.join(handler.agent_names)}"
        for seed in SEEDS:
            yield from indented(steps(handler, seed))


# -- files -----------------------------------------------------------------------------------------


def playthrough(name: str) -> str:
    """Return the file of a protocol."""
    rng = random.Random(name)
    if name in protocol_names():
        episode = Episode(name, bundled_tasks()[0], 1)
        sections = {
            "Grid": schedule(name),
            "Answers": answers(from_version_1(protocol_spec(name))),
            "Instructions": instructions(episode),
            "Play": turns(episode, rng),
            "Values under random play": worth(name),
            "Random steps": random_steps(name),
        }
    else:
        spec = specification(name)
        sections = {
            "Grid": stages(spec),
            "Answers": answers(spec),
            "Instructions": instructions(begun(spec, 0)[0]),
            "Play, seed 0": turns(*begun(spec, 0)),
            **{
                f"Play, seed {seed}, without what is read": turns(*begun(spec, seed), brief=True)
                for seed in SEEDS[1:]
            },
            "Values under random play": worth_of_turns(valued(name)),
        }
    lines = [f"# {name}"]
    for title, section in sections.items():
        lines += ["", f"## {title}", "", *section]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def table_of_roles() -> str:
    """Return what was understood of each protocol, registered and published."""
    lines: list[str] = []
    for name in (*protocol_names(), *published_names()):
        lines += [f"# {name}", *Wording(specification(name)).roles(), ""]
    return "\n".join(lines)


def main() -> None:
    ROLES.write_text(table_of_roles(), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    for name in (*protocol_names(), *published_names()):
        (FOLDER / f"{name}.txt").write_text(playthrough(name), encoding="utf-8")


if __name__ == "__main__":
    main()
