"""Questions to an expert, and its answers."""

from explorer.players import step
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from tests.play_worlds import ONE_TASK

LONG = {"max_message_rounds": 40}


def asked(expert, *questions, task=ONE_TASK, **options):
    """Return an expert's answers to questions, asked one after the other."""
    episode = Episode(HyperParameters(nip_protocol=LONG), task, **options)
    said = []
    for question in questions:
        episode.play(Move("verifier", {"main": question}))
        step(episode, {"prover": expert})
        said.append(episode.node.moves["prover"].messages["main"])
    return said
