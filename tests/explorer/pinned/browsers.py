"""The browsers that the kept database knows, and what they send."""

from typing import Any

from explorer.visitors import visitor_name

__all__ = ["LEADER", "SPECTATOR", "move_of", "token", "visitor"]

# Browsers by number: people of a room are 1, 2, 3, ...
LEADER, SPECTATOR = 900, 901
# Untrusted text that must be shown everywhere exactly as it was entered.
HOSTILE = '=1+1 <b>bold</b> $x$ **bold** "quoted" \u202egnp.exe\u202c https://example.org ü \\n'


def token(number: int) -> str:
    """Return a browser's cookie."""
    return f"{number:064x}"


def visitor(number: int) -> str:
    """Return the visitor's name of a browser."""
    return visitor_name(token(number))


def move_of(screen: dict[str, Any], person: int) -> dict[str, Any] | None:
    """Return the move that a person's browser sends, given their screen; None if they wait.

    What they write follows from the round and the seat; the verifier decides in its last turn.
    """
    table = screen["table"]
    composer = table["composer"]
    if not composer["acts"]:
        return None
    place = {"place": screen["place"], "seat": table["seat"], "round": table["round"]}
    move = {**place, "messages": {}, "decision": 2, "confidence": None, "mark": "1"}
    if composer["verdict"] and composer["verdict"]["open"] and not composer["channels"]:
        return {**move, "decision": person % 2, "confidence": 70}
    words = f"{table['seat']} in round {table['round']}"
    return {**move, "messages": {on: f"{words} on {on}: {HOSTILE}" for on in composer["channels"]}}
