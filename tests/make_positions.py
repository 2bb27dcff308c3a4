"""Makes the positions of the Learn page anew: ``python -m tests.make_positions``."""

from __future__ import annotations

import json

from explorer.play.positions import FILE, made_position, position_names

DIFFICULTIES = ("easy", "medium", "hard")


def main() -> None:
    """Write the file of all positions."""
    made = [found for name in position_names() if (found := made_position(name))]
    made.sort(key=lambda each: DIFFICULTIES.index(each["difficulty"]))
    FILE.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(made)} positions in {FILE.name}")


if __name__ == "__main__":
    main()
