"""Pictures are unchanged; after a deliberate change, look at them and update the digests here.

``NIP_RENEW=1 pytest tests/explorer/pictures/test_snapshots.py`` writes the digests anew.
"""

import hashlib
import json
import os
from pathlib import Path

from explorer.pictures import VIEWS, compare_picture, picture
from nip_core import protocol_names, published_names
from nip_core.registry import specification
from tests.explorer.pictures.test_model import written

KEPT = Path(__file__).parent / "snapshots.json"


def drawn():
    for name in (*protocol_names(), *published_names()):
        for view in VIEWS:
            yield f"{name}, {view}", picture(name, view, selected=0 if view == "grid" else None)
    serum = written("truth_serum")
    others = {
        "monitored": written("monitored"),
        "truth_serum": serum,
        "truth_serum of 7": serum.with_settings(people=7),
        "jury of 7": specification("jury").with_settings(jurors=7),
    }
    for name, spec in others.items():
        for view in VIEWS:
            yield f"{name}, {view}", picture(spec, view)
    yield "mnip, grid, dark", picture("mnip", theme="dark")
    yield "mnip, folded", picture("mnip", folded=True)
    yield "khan_debate, written out", picture("khan_debate", folded=False)
    for left, right in (("mnip", "debate"), ("nip", "khan_debate"), ("jury", "michael_debate")):
        yield f"{left} beside {right}", compare_picture(left, right)


def test_pictures_are_what_they_were():
    found = {
        name: {
            "svg": hashlib.sha256(each.svg().encode()).hexdigest()[:16],
            "tikz": hashlib.sha256(each.tikz().encode()).hexdigest()[:16],
        }
        for name, each in drawn()
    }
    if os.environ.get("NIP_RENEW"):
        KEPT.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    kept = json.loads(KEPT.read_text("utf-8"))
    changed = [name for name in found.keys() | kept.keys() if found.get(name) != kept.get(name)]
    assert not changed, f"Look at these, then renew the digests: {', '.join(sorted(changed))}"
