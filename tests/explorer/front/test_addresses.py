"""Each front has its own address, so that an answer to a click carries data and no script."""

import re
from urllib.error import HTTPError

import pytest

from explorer.front import HERE, BundleError, address, text_at

ADDRESS = re.compile(r'new URL\("(/fronts/[\w.-]+)"')


def test_an_address_is_of_one_content():
    link = address("schedule", "schedule", "miniature").removeprefix("/fronts/")
    text = text_at(link)
    assert text is not None
    assert "export { mount };" in text
    assert "export const style = " in text
    for other in (
        link.replace(".miniature", ""),
        link.replace("-", "-0"),
        link[:-3],
        "",
        "-.js",
        "schedule-.js",
        "../bundle-0.js",
        "..-0.js",
        "schedule..-0.js",
        "nothing-0.js",
        "schedule.nothing-0.js",
        "." * 1000,
    ):
        assert text_at(other) is None, other


def test_a_name_that_would_not_be_served_has_no_address():
    assert text_at(address("seat", *["table"] * 15).removeprefix("/fronts/")) is not None
    with pytest.raises(BundleError, match="not a name that is served"):
        address("seat", *["table"] * 16)


@pytest.mark.parametrize("page", ["", "protocols"])
def test_frames_name_a_front_and_a_browser_keeps_it(frames, page):
    opened = frames.open(page)
    parts = [element for kind, element in opened.elements() if kind == "bidi_component"]
    fronts = [each for each in parts if ADDRESS.search(each.js_content)]
    assert fronts
    for each in fronts:
        assert len(each.js_content) < 2_000
        assert each.css_content == ""
        (path,) = ADDRESS.findall(each.js_content)
        with opened._http.open(f"{frames.url}{path}") as answer:
            assert answer.headers["content-type"].startswith("text/javascript")
            assert "immutable" in answer.headers["cache-control"]
            text = answer.read().decode()
        assert text == text_at(path.rpartition("/")[2])
        # No front travels whole in a component.
        name = each.component_name.removeprefix("nip_")
        assert (HERE / f"{name}.js").is_file()
    for wrong in ("/fronts/", "/fronts/a/b.js", "/fronts/bundle-0.js", "/fronts/schedule.js"):
        with pytest.raises(HTTPError, match="404"):
            opened.fetch(wrong)
