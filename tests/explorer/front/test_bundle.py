"""Modules are bundled into one text, in the order of their imports."""

import re

import pytest

from explorer.front import HERE, BundleError, module, script


@pytest.fixture
def write(tmp_path):
    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.js").write_text(text)
        return tmp_path

    return write


def test_modules_come_after_those_they_need_and_each_once(write):
    folder = write(
        top='import {\n  a,\n  b as c,\n} from "./low-part.js";\nimport { d } from "./other.js";\n'
        "export function mount(root) { return a + c + d; }\n",
        other='// words\nimport { a } from "./low-part.js";\nexport const d = a;\n',
    )
    (folder / "low-part.js").write_text("export const a = 1;\nexport async function b() {}\n")
    text = script("top", folder)
    order = ("const front_low_part", "const front_other", "const front_top", "const { mount }")
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("const front_low_part") == 1
    assert "const { a, b: c } = front_low_part;" in text
    assert "return { a, b };" in text
    assert "words" not in text
    assert not re.search(r"^\s*(import|export)", text, re.MULTILINE)
    assert module("top", folder).endswith("export { mount };")


def test_comments_and_types_are_left_out(write):
    text = script(
        "x",
        write(
            x="/** @param {number} one */\nexport function mount(one) {\n"
            "  /**\n   * @type {string}\n   */\n"
            '  const two = "/** stays */"; /* stays, too */\n  // goes\n  return two;\n}\n'
        ),
    )
    assert "@" not in text
    assert "goes" not in text
    assert 'const two = "/** stays */"; /* stays, too */\nreturn two;' in text
    assert "export" not in text
    assert "function mount(one) {\nconst two" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("export default 3;", "export default 3"),
        ('import a from "./b.js";', "import a"),
        ("export { a };", "export { a }"),
        ('import { mount } from "./x.js";\n', "circle: x -> x"),
    ],
)
def test_what_cannot_be_bundled_is_refused(write, text, said):
    with pytest.raises(BundleError, match=re.escape(said)):
        script("x", write(x=text))


def test_every_file_of_ours_can_be_bundled_and_knows_no_host():
    for file in HERE.glob("*.js"):
        text = file.read_text("utf-8")
        assert "streamlit" not in text.lower(), file
        if re.search(r"^export (function|const) mount\b", text, re.MULTILINE):
            script(file.stem)
