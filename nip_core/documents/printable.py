"""Text of others for terminals, logs and plain files, where some characters are commands."""

from __future__ import annotations

import re

__all__ = ["printable"]

# Controls (escape sequences of terminals begin with one, C1 holds one that does so alone), ends of
# lines by other names, what turns the direction of writing round, and halves of characters.
_COMMANDS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str, keep: str = "\n\t") -> str:
    r"""Write out the characters of a text that would do something instead of being shown.

    What was done once is not done again: ``\x1b`` is four plain characters.

    Parameters
    ----------
    text : str
    keep : str
        Those that stay as they are: where a text may have several lines, their ends.
    """

    def written(match: re.Match[str]) -> str:
        found = match[0]
        if found in keep:
            return found
        code = ord(found)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

    return _COMMANDS.sub(written, text)
