"""Text of others for terminals, logs and plain files, where some characters act as commands."""

from __future__ import annotations

import re

__all__ = ["printable"]

# Control characters (escape sequences of terminals begin with one; C1 contains one that acts
# alone), other line separators, characters that change the direction of writing, and lone
# surrogates.
_COMMANDS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str, keep: str = "\n\t") -> str:
    r"""Escape the characters of a text that would act as commands instead of being shown.

    Escaping twice changes nothing: ``\x1b`` is four plain characters.

    Parameters
    ----------
    text : str
    keep : str
        Characters that stay unchanged, such as line ends where a text may have several lines.
    """

    def written(match: re.Match[str]) -> str:
        character = match[0]
        if character in keep:
            return character
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

    return _COMMANDS.sub(written, text)
