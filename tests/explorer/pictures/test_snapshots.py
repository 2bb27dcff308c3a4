"""Pictures are unchanged; after a deliberate change, look at them and update the digests here.

``NIP_RENEW=1 pytest tests/explorer/pictures/test_snapshots.py`` writes the digests anew.
"""

import hashlib
import json
import os
from pathlib import Path

from explorer.pictures import VIEWS, compare_picture, picture
from nip_core import HyperParameters, protocol_spec
from nip_core.registry import protocol_names
from tests.language.zoo import PUBLISHED, published

KEPT = Path(__file__).parent / "snapshots.json"


def drawn():
    specs = {
        name: protocol_spec(HyperParameters(interaction_protocol=name)) for name in protocol_names()
    }
    for name, spec in specs.items():
        for view in VIEWS:
            yield f"{name}, {view}", picture(spec, view, selected=0 if view == "grid" else None)
    yield "mnip, grid, dark", picture(specs["mnip"], theme="dark")
    yield "mnip beside debate", compare_picture(specs["mnip"], specs["debate"])
    for name in PUBLISHED:
        for view in VIEWS:
            yield f"{name} (version 2), {view}", picture(published(name), view)
    yield "open_debate (version 2), framed", picture(published("open_debate"), selected=1)


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
