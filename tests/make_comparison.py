"""Compute the table of all protocols and the numbers of the story, and write them down.

Run it after a change of a protocol or of a solver; it takes some minutes.
"""

import json
from dataclasses import asdict

from explorer.rewards.comparing import KEPT, STORY, kept_story, names, row_of


def main():
    story = [claim.computed() for claim in STORY]
    rows = []
    for name in names():
        rows.append(asdict(row_of(name)))
        print(rows[-1], flush=True)
    text = json.dumps({"story": story, "rows": rows}, indent=1, ensure_ascii=False)
    KEPT.write_text(f"{text}\n", "utf-8")
    for sentence, holds in kept_story():
        print("yes" if holds else "NO ", sentence)


if __name__ == "__main__":
    main()
