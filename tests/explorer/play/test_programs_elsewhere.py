"""What several packages do together: programs of tasks never run in the process of a page.

A page's process answers everybody, so a program that never ends would stop all of them.
"""

import sys

from explorer.play import Table, first_games
from explorer.play.review import reviewed
from explorer.programs import runner
from nip_core.play import Move
from tests.explorer.play.starts import begun


def test_a_game_and_its_review_run_no_program_here():
    start = next(game.start for game in first_games() if game.name == "The runner-up")
    episode = begun(start)
    table = Table(episode)
    here: list[str] = []
    watching = [True]

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event == "exec":
            (code,) = arguments
            names = [each for each in getattr(code, "co_names", ()) if isinstance(each, str)]
            here.extend(name for name in names if name == "runner_up")

    sys.addaudithook(watch)
    try:
        # The hook hears of a program that is run here.
        exec(compile(episode.task.solution, "<test>", "exec"), {})
        assert here
        here.clear()
        runner().run(episode.task.id, "([1, 2, 5],)")
        for asked in ("What does it return for [3, 8, 8, 1]?", "Walk me through [9, 2, 4]."):
            table.play(Move("verifier", {"main": asked}))
            table.play_until_a_person()
        table.play(Move("verifier", decision=1))
        assert reviewed(table.public_episode())["question"]
        assert here == []
    finally:
        watching.clear()
