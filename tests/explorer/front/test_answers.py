"""No answer has a value that nobody chose: sliders for answers have none until they are touched."""

from __future__ import annotations

import re

from explorer.front import HERE

# Sliders and numbers that set what is shown: a default is right there. All others are answers.
SETTINGS = {
    "chart.js": "knobs of a chart",
    "controls.js": "knobs of what a notebook or an experiment shows",
    "draw_fields.js": "numbers of a protocol that is drawn",
    "draw_keeping.js": "the step up to which a drawing is played back",
    "draw_panel.js": "from when a seat of it sees something",
    "review.js": "the round up to which something is drawn",
    "site_controls.js": "parameters of a protocol",
}
# The handles of drawings whose place is an answer.
ANSWERS = {"touch_fog.js": "this.chance", "touch_legible.js": "this.score"}


def test_every_slider_in_a_front_is_a_setting_or_begins_unset():
    drawn = {
        f.name
        for f in HERE.glob("*.js")
        if re.search(r'type: "(range|number)"', f.read_text("utf-8"))
    }
    assert drawn == {*SETTINGS, "unset.js"}
    used = {f.name for f in HERE.glob("*.js") if "unsetSlider(" in f.read_text("utf-8")}
    assert used == {"unset.js", "lesson_questions.js", "table_choices.js", "table_composer.js"}
    for name, field in ANSWERS.items():
        text = (HERE / name).read_text("utf-8")
        assert f"{field} = null;" in text
        assert re.search(rf"\.show\(\s*{field},", text)
