"""Compute the table of all protocols, the numbers of the story, and all cards; write them down.

Run it after a change of a protocol or of a solver; it takes some minutes. Names of
protocols as arguments: only their cards.
"""

import json
import sys
from dataclasses import asdict

from explorer.choice import ProtocolChoice
from explorer.rewards.cards import CARDS, told
from explorer.rewards.comparing import KEPT, STORY, kept_story, names, row_of
from nip_core.values import card

SECONDS = 180.0


def write(path, content):
    path.write_text(f"{json.dumps(content, indent=1, ensure_ascii=False)}\n", "utf-8")


def write_cards(wanted):
    """Compute cards, and keep the others."""
    found = json.loads(CARDS.read_text("utf-8"))
    for name in wanted:
        spec = ProtocolChoice.of(name).rules
        found[name] = {"digest": spec.digest, "lines": told(card(spec, seconds=SECONDS))}
        print(name, found[name]["lines"], flush=True)
        write(CARDS, {known: found[known] for known in names() if known in found})


def write_comparison():
    story = [claim.computed() for claim in STORY]
    rows = []
    for name in names():
        rows.append(asdict(row_of(name)))
        print(rows[-1], flush=True)
    write(KEPT, {"story": story, "rows": rows})
    for sentence, holds in kept_story():
        print("yes" if holds else "NO ", sentence)


if __name__ == "__main__":
    write_cards(sys.argv[1:] or names())
    if not sys.argv[1:]:
        write_comparison()
