"""The entry of the app: navigation over the pages, nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

# `streamlit run explorer/app.py` puts this folder on the path, not the one above it.
ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from explorer.ui.shell import run_app  # noqa: E402

run_app()
