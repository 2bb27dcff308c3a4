"""Design tokens: colours, fonts, sizes and spaces, and the colours and badges of seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Literal

from explorer.pictures.entrance import specified
from explorer.pictures.folding import Folding
from nip_core.displays import displayed, without_article
from nip_core.language import Specification
from nip_core.registry import AnyProtocol

Theme = Literal["light", "dark"]
# Makers of choices that are not seats, and their badges.
CHANCE, TASK, RULES = "chance", "task", "rules"
NO_SEATS = (CHANCE, TASK, RULES)
BY_CHANCE, BY_TASK = "?", "task"
# The badges of the seats that a zero-knowledge variant adds, by their titles.
ADDED = {"Adversarial verifier": "A", "Simulator": "S"}


@dataclass(frozen=True, slots=True)
class Page:
    """The neutral colours of a page, and those for right and wrong."""

    paper: str  # the background
    text: str
    quiet: str  # secondary text
    line: str  # rules
    lane: str  # the background of an empty cell
    accent: str  # the mark of the selected round and of differences
    sheet: str  # the background of buttons and cards
    border: str  # of buttons and cards
    # For verdicts and answers; always with a sign and a word.
    right: str
    wrong: str


PAGE: dict[Theme, Page] = {
    "light": Page(
        paper="#FBFAF6",
        text="#1A1C22",
        quiet="#5B5E68",
        line="#BDB9AE",
        lane="#F1EFE8",
        accent="#1A1C22",
        sheet="#FFFFFF",
        border="#D8D4C9",
        right="#1C7A3D",
        wrong="#B3261E",
    ),
    "dark": Page(
        paper="#14161C",
        text="#ECEAE4",
        quiet="#A3A7B3",
        line="#4A4E5B",
        lane="#232732",
        accent="#ECEAE4",
        sheet="#1B1E26",
        border="#3A3F4C",
        right="#6FD58F",
        wrong="#FF8A80",
    ),
}

# The colours of text on a seat's colour, of which the one with more contrast is used.
ON_SEATS: dict[Theme, str] = {"light": "#FFFFFF", "dark": "#0E1117"}

# The seats' colours on a light and on a dark page: the provers' in order, the other seats' by
# badge.
PROVERS: tuple[tuple[str, str], ...] = (
    ("#AE5600", "#F59A2B"),
    ("#0E8074", "#8FF5DA"),
    ("#D957DE", "#B06BBD"),
    ("#9A931D", "#F3E650"),
    ("#651305", "#D4583A"),
)
SEATS: dict[str, tuple[str, str]] = {
    "V": ("#1F4FA8", "#5CB5FF"),
    "A": ("#1F1F57", "#7C72FF"),
    "S": ("#544756", "#A3A0A0"),
}

# The fonts of controls and labels, of content, and of programs.
FONTS = {
    "ui": "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    "book": "Newsreader, Georgia, serif",
    "code": "'Plex Mono', ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
}
# In rem, which is larger on a projector's page.
TYPE = {"t1": 0.75, "t2": 0.875, "t3": 1.0, "t4": 1.125, "t5": 1.45, "t6": 2.1, "t7": 3.25}
SPACES = {
    "s1": 0.25, "s2": 0.5, "s3": 0.75, "s4": 1.0, "s5": 1.5, "s6": 2.0, "s7": 3.0, "s8": 4.5,
}  # fmt: skip
RADIUS = "8px"
# The width of the content of every page.
EDGE = "70rem"
# The margin on narrower pages.
GUTTER = "1rem"


def css_variables() -> str:
    """Return all tokens as CSS declarations with the prefix ``--nip-``.

    Colours depend on the ``color-scheme`` where they are used, so that a page that turns dark
    changes completely at once.
    """
    return " ".join(f"--nip-{name}: {value};" for name, value in _variables())


def root_style(more: str) -> str:
    """Return the style of a page that no other program hosts: all tokens, and `more` variables.

    Fronts derive from the background colour whether the page is dark; they cannot read a CSS
    function. A page follows the system, unless its `data-theme` is light or dark.
    """
    papers = {theme: f"--st-background-color: {page.paper};" for theme, page in PAGE.items()}
    chosen = "".join(
        f':root[data-theme="{theme}"] {{ color-scheme: {theme}; {paper} }}\n'
        for theme, paper in papers.items()
    )
    return (
        f":root {{ color-scheme: light dark; {css_variables()} {more} {papers['light']} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {papers['dark']} }} }}\n{chosen}"
    )


def _variables() -> Iterator[tuple[str, str]]:
    for name in (field.name for field in fields(Page)):
        yield name, _either(getattr(PAGE["light"], name), getattr(PAGE["dark"], name))
    provers = {f"P{place}": colours for place, colours in enumerate(PROVERS, start=1)}
    for badge, (light, dark) in {**SEATS, **provers}.items():
        yield f"seat-{badge.lower()}", _either(light, dark)
        yield f"on-{badge.lower()}", _either(on(light), on(dark))
    yield from FONTS.items()
    yield from ((name, f"{rem}rem") for name, rem in {**TYPE, **SPACES}.items())
    yield from (("radius", RADIUS), ("edge", EDGE), ("gutter", GUTTER))


def _either(light: str, dark: str) -> str:
    return f"light-dark({light}, {dark})"


@cache
def on(colour: str) -> str:
    """Return the colour of text on a colour."""
    # Below this luminance, white has more contrast than the dark colour.
    return ON_SEATS["light"] if luminance(colour) < 0.19 else ON_SEATS["dark"]


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour ``#rrggbb``, from 0 to 1, as in the WCAG."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@displayed
@dataclass(frozen=True, slots=True)
class AgentStyle:
    """The name, badge and colours of an agent."""

    agent: str  # its name in the specification
    name: str  # the name of its seat for people: "Verifier", "Prover 1", ...
    # Its badge: V, P1, P2, ... (P if it is the only prover), A for the adversarial verifier, S for
    # the simulator.
    label: str
    # Its colour on a light and on a dark page.
    light: str
    dark: str
    many: int = 1  # how many members of a family are drawn as one

    def fill(self, theme: Theme) -> str:
        """Return its colour on a page."""
        return self.light if theme == "light" else self.dark

    def ink(self, theme: Theme) -> str:
        """Return the colour of text on its colour."""
        return on(self.fill(theme))


def seat_styles(
    protocol: AnyProtocol | Specification,
    folding: Folding | None = None,
    *,
    edited: bool = False,
) -> dict[str, AgentStyle]:
    """Return the styles of seats by name, and of chance and the task, which also make choices.

    The seat whose choice the verdict depends on has the verifier's colour (while a protocol is
    `edited`, the last seat until one decides, so that it keeps its colour); the others have those
    of provers, in order, but for the two that a zero-knowledge variant adds. Members of a large
    family have the same colour, and where they are drawn as one, the same name and badge.
    """
    spec = specified(protocol)
    folding = folding or Folding(spec, members=True)
    badges, alike = _badges(spec, folding), Folding(spec).first
    deciders = spec.roles.deciders or (spec.seat_names[-1:] if edited else ())
    first = list(map(alike, deciders[:1]))
    found = {
        seat: SEATS[ADDED[spec.seat_name(seat)]]
        for seat in spec.seat_names
        if spec.seat_name(seat) in ADDED
    }
    rest = [*spec.provers]
    rest += [seat for seat in spec.seat_names if seat in spec.roles.deciders[1:]]
    colours = [*PROVERS, SEATS["A"], SEATS["S"]]
    rest = [*dict.fromkeys(map(alike, rest))]
    others = enumerate(seat for seat in rest if seat not in found)
    found |= {seat: colours[place % len(colours)] for place, seat in others}
    found |= dict.fromkeys(first, SEATS["V"])
    looks = {
        seat: AgentStyle(
            folding.first(seat),
            folding.title(seat),
            badges[folding.first(seat)],
            *found[alike(seat)],
            folding.many(seat),
        )
        for seat in spec.seat_names
    }
    quiet = (PAGE["light"].quiet, PAGE["dark"].quiet)
    if spec.values:
        looks[RULES] = AgentStyle(RULES, "The rules", "=", *quiet)
    looks[CHANCE] = AgentStyle(CHANCE, "Chance", BY_CHANCE, *quiet)
    looks[TASK] = AgentStyle(TASK, "Task", BY_TASK, *quiet)
    return looks


def _badges(spec: Specification, folding: Folding) -> dict[str, str]:
    """Return a letter for each seat, or two if a letter is not unique."""
    titles = {seat: without_article(folding.stem(seat)) for seat in folding.seats}
    letters = {name: title[0].upper() for name, title in titles.items()}
    groups = Counter([*letters.values(), BY_CHANCE])
    badges: dict[str, str] = {}
    for name, title in titles.items():
        wanted = [letters[name]] if groups[letters[name]] == 1 else []
        wanted += [_initials(title)] if len(title.split()) > 1 else []
        # If two badges would be equal, neither is used.
        alike = [t for t in titles.values() if t != title and t[:1] == title[:1]]
        wanted = [each for each in wanted if not any(_initials(t) == each for t in alike)]
        wanted += [f"{letters[name]}{number}" for number in range(1, len(titles) + 2)]
        badges[name] = next(each for each in wanted if each not in badges.values())
    return badges


def _initials(title: str) -> str:
    return "".join(word[0] for word in title.split()[:2]).upper()


def plain_styles(
    protocol: AnyProtocol | Specification, seats: Collection[str] | None = None
) -> dict[str, dict[str, Any]]:
    """Return styles as plain data for a browser, with colours for light and dark pages.

    They are those of some seats; by default of all, and of chance and the task.
    """
    return {
        look.agent: {
            "name": look.name,
            "label": look.label,
            "light": [look.light, look.ink("light")],
            "dark": [look.dark, look.ink("dark")],
        }
        for look in seat_styles(protocol).values()
        if seats is None or look.agent in seats
    }
