"""Which index `pip` should look at for torch, besides its own: an option for pip, or nothing.

On Linux the torch that pip gives by itself brings several GB of CUDA. Where no NVIDIA driver is
present that is a download for nothing, so torch's own index of CPU builds is added, unless the
person has set up indexes for pip, or that index does not answer. `TORCH=cpu` or `TORCH=pip`
chooses.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Mapping
from pathlib import Path

CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
# Seconds, for looking up the name, connecting and answering together.
TIMEOUT = 2.0
# Who has set one of these knows where packages are to come from.
OWN_SETTINGS = ("index-url", "extra-index-url", "find-links", "no-index")
DRIVER = (Path("/proc/driver/nvidia/version"), Path("/usr/lib/wsl/lib/libcuda.so.1"))


def options(environment: Mapping[str, str]) -> tuple[str, str]:
    """What to add to pip's command line, and the reason in a few words."""
    index = environment.get("TORCH_INDEX") or CPU_BUILDS
    added = f"--extra-index-url={index}"
    wish = environment.get("TORCH") or "auto"
    if wish not in ("auto", "cpu", "pip"):
        raise SystemExit(f"TORCH={wish} is not known: say TORCH=cpu, TORCH=pip or nothing.")
    if wish != "auto":
        return (added if wish == "cpu" else ""), "as you said"
    if not sys.platform.startswith("linux"):
        return "", "what pip gives is a CPU build here"
    if has_nvidia_driver():
        return "", "an NVIDIA driver is present, so it comes with CUDA"
    if own := own_settings():
        return "", f"pip is set up with {own}, which is respected"
    if not answers(f"{index.rstrip('/')}/torch/"):
        return "", f"its index of CPU builds did not answer within {TIMEOUT:g} seconds"
    return added, "the CPU build, since no NVIDIA driver is present"


def has_nvidia_driver() -> bool:
    """Could CUDA be of use?"""
    return any(path.exists() for path in DRIVER) or shutil.which("nvidia-smi") is not None


def own_settings() -> str:
    """The first setting of pip's, from a file or a variable, that says where packages come from."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    # A line is `global.index-url='...'` or `:env:.index-url='...'`.
    names = [line.partition("=")[0].rpartition(".")[2] for line in listed.stdout.splitlines()]
    return next((name for name in names if name in OWN_SETTINGS), "")


def answers(address: str) -> bool:
    """Is there an index? Looking up a name takes as long as it likes, so a thread is waited for."""
    found: list[bool] = []

    def ask() -> None:
        request = urllib.request.Request(address, method="HEAD")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                found.append(answer.status == 200)
        except (OSError, ValueError):
            return

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(TIMEOUT)
    return found == [True]


if __name__ == "__main__":
    chosen, reason = options(os.environ)
    sys.stderr.write(f"torch: {reason}.\n")
    sys.stdout.write(chosen)
