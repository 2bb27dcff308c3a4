"""Small study files for tests to run."""

SMALL = """
format = "nip-study/1"
name = "small"
seed = 3

[[tasks]]
source = "graphs"
problems = 4
difficulty = ["easy"]

[protocols.nip]
[protocols.debate]
parameters = { debate_protocol = { sequential = true } }

[players.gullible]
kind = "scripted"
strategy = "gullible"

[players.hard]
kind = "scripted"
level = "hard"

[players.easy]
kind = "scripted"
level = "easy"

[players.coin]
kind = "random"

[players.gpt]
kind = "model"
model = "openai/some"
prices = { input = 1, output = 2 }

[[conditions]]
verifiers = ["gullible", "coin"]
provers = "hard"
"""


def with_lines(*lines: str, instead_of: str = "") -> str:
    """Return the small file with other lines in place of one, or at its end."""
    text = "\n".join(lines)
    if not instead_of:
        return f"{SMALL}\n{text}\n"
    assert instead_of in SMALL, instead_of
    return SMALL.replace(instead_of, text, 1)
