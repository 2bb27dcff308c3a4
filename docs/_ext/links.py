"""Check the links of the built site that lead to other servers: ``make links``.

It is no part of the build, which needs no network, and of no test run: other servers fail when they
like. Without a network nothing is checked, and the command says so.
"""

from __future__ import annotations

import argparse
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

from docs._ext.build import ROOT
from docs._ext.check import page

__all__ = ["GONE", "UNKNOWN", "answer_of", "links_of", "main", "problems_of_links"]

SECONDS = 20
AT_ONCE = 8
# Some servers answer only what looks like a browser.
HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; nip-explorer links)", "Accept": "*/*"}
# What a server may say to programs, though people can read the page.
UNSURE = {401, 403, 405, 429}
HERE = ("localhost", "127.0.0.1", "0.0.0.0")
# Names that are reserved for examples, and addresses that a text only shows.
EXAMPLES = ("example.org", "example.com", "example.net")
GONE, UNKNOWN, NOTHING = "gone", "not known", "no answer"


def links_of(site: Path) -> dict[str, list[str]]:
    """Return each address on another server with the pages that link to it."""
    found: dict[str, list[str]] = {}
    for path in sorted(site.rglob("*.html")):
        for link in page(path).links:
            address = urldefrag(link)[0]
            host = urlsplit(address).hostname or ""
            if address.startswith(("http://", "https://")) and not (
                host in HERE or host.endswith(EXAMPLES)
            ):
                found.setdefault(address, []).append(path.relative_to(site).as_posix())
    return {address: sorted(set(pages)) for address, pages in sorted(found.items())}


def answer_of(address: str) -> str:
    """Ask for a page; return what is wrong with it: nothing, or how it failed."""
    try:
        request = urllib.request.Request(address, headers=HEADERS)
        with urllib.request.urlopen(request, timeout=SECONDS):
            return ""
    except urllib.error.HTTPError as error:
        is_gone = error.code < 500 and error.code not in UNSURE
        return f"{GONE if is_gone else UNKNOWN} (HTTP {error.code})"
    except (OSError, ValueError) as error:
        return f"{NOTHING} ({getattr(error, 'reason', error)})"


def problems_of_links(
    links: dict[str, list[str]], ask: Callable[[str], str] = answer_of
) -> dict[str, str] | None:
    """Return what is wrong with addresses; None if no server answers: there is no network."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = dict(zip(links, pool.map(ask, links), strict=True))
    if answers and all(answer.startswith(NOTHING) for answer in answers.values()):
        return None
    return {address: answer for address, answer in answers.items() if answer}


def main(words: Iterable[str] | None = None) -> int:
    """Print the links that are gone; return 1 if there is one."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "build" / "docs" / "html")
    site = parser.parse_args(words if words is None else [*words]).site
    if not (site / "index.html").is_file():
        parser.error(f"there is no built site in {site}; run `make docs` first")
    links = links_of(site)
    found = problems_of_links(links)
    if found is None:
        print(f"No server answers, so there is no network here: {len(links)} links not checked.")
        return 0
    for address, wrong in found.items():
        print(f"{wrong}: {address}   (in {', '.join(links[address][:3])})")
    failed = [wrong for wrong in found.values() if not wrong.startswith(UNKNOWN)]
    print(f"{len(links)} links, {len(failed)} of them gone, {len(found) - len(failed)} not known.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
