"""What other people have recorded, as episodes of the protocols that describe it.

Each file is replayed move by move, so views, quotes, limits and scores are those of our rules, and
every difference to the file is listed.
"""

from __future__ import annotations

from nip_core.transcript.document import load
from nip_core.transcript.others.debates_2023 import is_debate_of_2023, read_debate_of_2023
from nip_core.transcript.others.recorded import Judgement, Recorded
from nip_core.transcript.safe_json import parse_json

__all__ = ["Judgement", "Recorded", "read_debate_of_2023", "read_record"]


def read_record(source: str | bytes) -> Recorded:
    """Read a file of one episode, in our format or in one of other people's.

    Raises
    ------
    TranscriptError
        If it is neither; says what is wrong, and where.
    """
    document = parse_json(source)
    if is_debate_of_2023(document):
        return read_debate_of_2023(document)
    episode = load(document)
    return Recorded(episode.setup.task.title, episode, (), ())
