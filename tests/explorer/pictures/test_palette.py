"""The palette's colours are distinct for every kind of eye, and every letter is legible."""

from itertools import combinations

import numpy as np

from explorer.pictures.chart_style import PAGE
from explorer.pictures.tokens import luminance, seat_styles
from nip_core.handler.zero_knowledge import zero_knowledge
from tests.depth import each
from tests.explorer.pictures.handlers import large_spec, registered

# How an eye without one kind of cone sees linear red, green and blue (Machado et al. 2009).
EYES = {
    "all cones": np.eye(3),
    "no red cones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue cones": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# From linear red, green and blue to Oklab, in which distances are as people perceive them.
TO_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def styles_of(spec):
    """Return the styles of a protocol's seats."""
    return {name: style for name, style in seat_styles(spec).items() if name in spec.agent_names}


STYLES = list(styles_of(zero_knowledge(large_spec(2))).values())


def seen(colour: str, eye: str) -> np.ndarray:
    """Return a colour's place in Oklab for an eye, in hundredths."""
    code = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)
    cones = np.array(TO_CONES) @ np.clip(np.array(EYES[eye]) @ linear, 0, 1)
    return 100 * np.array(TO_LAB) @ np.cbrt(cones)


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@each("theme", ["light", "dark"])
@each("eye", EYES)
def test_colours_are_distinct(theme, eye):
    assert len(STYLES) == 8
    for one, two in combinations(STYLES, 2):
        distance = np.linalg.norm(seen(one.fill(theme), eye) - seen(two.fill(theme), eye))
        assert distance > 9, (one.label, two.label)


@each("theme", ["light", "dark"])
def test_letters_and_cells_can_be_read(theme):
    for style in STYLES:
        # WCAG requires 4.5; a margin keeps text legible on screens that are slightly off.
        assert contrast(style.fill(theme), style.ink(theme)) >= 4.7, style.label
        assert contrast(style.fill(theme), PAGE[theme].paper) >= 3, style.label
    for text in (PAGE[theme].text, PAGE[theme].quiet):
        assert contrast(text, PAGE[theme].paper) >= 4.5
        assert contrast(text, PAGE[theme].lane) >= 4.5


@each("handler", registered(), ids=lambda h: h.spec.name)
def test_letters_distinguish_agents(handler):
    styles = styles_of(handler.spec)
    assert list(styles) == handler.agent_names
    assert len({style.label for style in styles.values()}) == len(styles)


def test_letters_follow_roles_and_order():
    assert [style.label for style in STYLES] == ["P1", "P2", "P3", "P4", "P5", "V", "A", "S"]
