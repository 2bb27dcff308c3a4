"""Tests of twins.py: pages as Markdown without directives and HTML, and the list of them."""

from docs._ext.check import problems_of_twins
from docs._ext.twins import INDEX, MOST, head, twin
from tests.depth import each, exhaustive


@exhaustive
def test_each_page_has_a_twin_and_the_list_is_short(built):
    files = built.site.rglob("*.html")
    pages = {path.with_suffix("") for path in files if path.parent.name != "_framed"}
    made = {site.stem for site in pages} & {"genindex", "search", "py-modindex"}
    twins = {path.with_suffix("") for path in built.site.rglob("*.md")}
    assert {page for page in pages if page.stem not in made} == twins
    index = (built.site / INDEX).read_text("utf-8")
    assert len(index.encode()) <= MOST
    assert all(f"]({name}.md)" in index for name in ("start/install", "protocols/mnip"))
    api = (built.site / "reference/api/nip_core.values.md").read_text("utf-8")
    assert "play_values(" in api
    assert "Both provers answer at once" in (built.site / "protocols/mnip.md").read_text("utf-8")


@each(
    ("text", "said"),
    [
        ("```{toctree}\n:hidden:\n\na\n```\nAfter.\n", "After.\n"),
        ("````{raw} html\n<b>x</b>\n```\n````\nAfter.\n", "After.\n"),
        ("```python\nf(1)\n```\n", "```python\nf(1)\n```\n"),
        ("![A](../home.png)\n", "![A](../_images/home.png)\n"),
    ],
)
def test_directives_become_words(text, said):
    assert twin(text, "start/page.md") == said


def test_a_page_is_introduced_by_its_first_paragraph():
    assert head("# Title\n\nWhat [it](a.md) is.\nMore.\n\n## Part\n") == (
        "Title",
        "What it is. More.",
    )


@each(
    ("text", "found"),
    [
        ("A <b>word</b>", "page.md: has HTML: <b>"),
        ("[x](gone.md)", "page.md: a link leads nowhere: gone.md"),
        ("![x](gone.svg)", "page.md: a link leads nowhere: gone.svg"),
        ("`<b>` and [x](page.md)\n```html\n<b>\n```", None),
        ("Code:\n\n    <b>x</b>\n\nText.", None),
        ("Code:\n\n    <b>x</b>\n\n<i>Text</i>", "page.md: has HTML: <i>"),
    ],
)
def test_mistakes_in_twins_are_found(tmp_path, text, found):
    (tmp_path / "page.md").write_text(text)
    assert next(problems_of_twins(tmp_path), None) == found
