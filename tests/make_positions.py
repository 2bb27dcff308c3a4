"""Write the positions of the Learn page: ``python -m tests.make_positions``."""

import json
from random import Random
from typing import Any

from explorer.choice import ProtocolChoice
from explorer.play.positions import FILE, likeliest, shown_at
from explorer.play.questions import Answered, answers_of_liars
from explorer.play.seats import Start, default_seats
from explorer.players import LEVELS, scripted_player
from nip_core.play import Episode, Move, Seated
from nip_core.tasks import problems

DIFFICULTIES = ("easy", "medium", "hard")
PROTOCOLS = ("nip", "mnip")
# In percentage points of belief: how much the best question must gain, and a weak one may gain at
# most.
BEST_GAINS, WEAK_LACKS = 15, 10


def position_names() -> list[str]:
    """Return the names of the games that positions may be made from: one for each problem."""
    return [
        f"{PROTOCOLS[place % len(PROTOCOLS)]}:{each.slug}" for place, each in enumerate(problems())
    ]


def made_position(name: str) -> dict[str, Any] | None:
    """Make a position from a game; None if no question matters in it.

    Parameters
    ----------
    name : str
        The protocol and the problem, as in ``"nip:runner_up"``.
    """
    protocol, _, problem = name.partition(":")
    episode, node = played(protocol, problem)
    before, answers = answers_of_liars(episode, node, LEVELS.values())
    means = {ask: _mean(found) for ask, found in answers.items()}
    if not means or before - min(means.values()) < BEST_GAINS:
        return None
    if sum(mean - min(means.values()) > WEAK_LACKS for mean in means.values()) < 2:
        return None
    asks = sorted(answers)
    Random(f"order/{name}").shuffle(asks)  # prepared questions would come first otherwise
    return {
        "name": name,
        **shown_at(episode, node),
        "before": before,
        "questions": [
            {"ask": ask, "after": round(means[ask], 1), "likely": likeliest(answers[ask])}
            for ask in asks
        ],
    }


def _mean(answers: list[Answered]) -> float:
    return float(sum(each.chance * each.belief for each in answers))


def played(protocol: str, problem: str) -> tuple[Episode, int]:
    """Play a game about a false claim, and return it with the position before its last question."""
    choice = ProtocolChoice.of(protocol)
    seats = default_seats(choice.rules, "nobody")
    task = next(each.wrong for each in problems() if each.slug == problem)
    random = Random(f"position/1/{protocol}/{problem}")
    start = Start(choice, f"problem:{problem}", seats, random.randrange(1000))
    setup = start.setup(task)
    episode = Episode.from_setup(setup)
    for agent, player in start.players().items():
        episode.apply(Seated(agent=agent, player=player))
    verifier, questions = setup.rules.roles.deciders[0], list(task.statement.asks)
    random.shuffle(questions)
    before, node, heard = random.randrange(2), 0, False
    while not episode.over:
        for agent in list(episode.to_move):
            if agent != verifier:
                heard = True
                player = scripted_player(setup, agent, episode.players[agent])
                episode.play(player.turn(episode.view_for(agent)).move)
                continue
            legal = episode.legal(verifier)
            if not heard:
                ask = questions.pop()
            elif before >= 0 and not legal.last_turn:
                node = episode.node.id
                ask = questions[before]
                before -= 1
            else:
                episode.play(Move(verifier, {}, decision=1))
                break
            episode.play(Move(verifier, dict.fromkeys(legal.channels, ask)))
    return episode, node


def main() -> None:
    """Write the file of all positions."""
    made = [found for name in position_names() if (found := made_position(name))]
    made.sort(key=lambda each: DIFFICULTIES.index(each["difficulty"]))
    FILE.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(made)} positions in {FILE.name}")


if __name__ == "__main__":
    main()
