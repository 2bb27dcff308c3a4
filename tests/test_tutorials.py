"""The notebooks of `notebooks/`: saved outputs equal those of a run, and contain no secrets."""

import copy
import json
import re
from pathlib import Path

import nbformat
import pytest

import nip_core.tasks
from explorer.notebook.document import _forms, _run
from nip_core.tasks import bundled_tasks
from tests.depth import each
from tests.explorer.notebook.test_document import OFFERED
from tests.make_notebooks import KEPT, PLOTLY, cleaned, executed, paths
from tests.noninterference import _other_label

PATHS = paths()
STILL = re.compile(r'^<div class="[^"]*nip-still[^"]*">(.*)</div>$', re.DOTALL)
HOME_OF_NOBODY = re.compile(r"/(?:home|root|Users|tmp|work)/|\\Users\\|0x[0-9a-f]{8}")


def read(path):
    return nbformat.read(path, 4)


def code(document):
    return [cell for cell in document.cells if cell.cell_type == "code"]


def shown(cell):
    """Return the outputs that do not depend on the machine: all but charts, which are counted."""
    return [
        {form: text for form, text in output.data.items() if form != PLOTLY}
        | ({PLOTLY: ""} if PLOTLY in output.data else {})
        if "data" in output
        else output.text
        for output in cell.outputs
    ]


def pictured(cell):
    """Return a cell's displays of ours, live or saved; data frames' widths depend on the kernel."""
    found = [output.data.get("text/html", "") for output in cell.outputs if "data" in output]
    return [re.sub(STILL, r"\1", html).split('class="dataframe"')[0] for html in found if html]


def test_there_are_five():
    names = [path.stem for path in PATHS]
    assert [name[0] for name in names] == ["1", "2", "3", "4", "5"]
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    assert all(f"notebooks/{path.name}" in readme for path in PATHS)


@each("path", PATHS, ids=lambda path: path.stem)
def test_the_file_is_whole_and_tells_nothing_of_a_machine(path):
    document = read(path)
    nbformat.validate(document)
    # `make notebooks` writes it in this form.
    assert cleaned(copy.deepcopy(document)) == document
    assert path.stat().st_size < 300_000
    first = document.cells[0]
    assert "in an environment with NIP Explorer" in first.source
    assert all(cell.outputs or "=" in cell.source for cell in code(document))
    outputs = [output for cell in code(document) for output in cell.outputs]
    assert all(set(output.get("data", {})) <= set(KEPT) for output in outputs)
    text = json.dumps([document.cells, outputs])
    assert not HOME_OF_NOBODY.search(text)
    assert "<script" not in text
    # Large numbers in the text are those of the outputs.
    prose = "\n".join(cell.source for cell in document.cells if cell.cell_type == "markdown")
    assert all(number in json.dumps(outputs) for number in re.findall(r"\d+,\d{3}", prose))
    for link in re.findall(r"\]\(([^)]+)\)", "\n".join(cell.source for cell in document.cells)):
        assert (path.parent / link).exists(), link


def test_a_game_that_goes_on_tells_nothing_of_the_label(monkeypatch):
    path = next(path for path in PATHS if "play" in path.stem)
    cells = code(read(path))
    until = next(n for n, cell in enumerate(cells) if cell.source.startswith("other = "))
    task = bundled_tasks("easy")[6]
    files = []
    for world in (task, _other_label(task)):
        tasks = [world if each is task else each for each in bundled_tasks("easy")]
        monkeypatch.setattr(nip_core, "bundled_tasks", lambda *_, tasks=tasks: tasks, raising=False)
        names = {"__name__": "__main__"}
        values = [_run(cell.source, names) for cell in cells[:until]]
        files.append([_forms(value) for value in values])
        assert names["task"] is world
    assert files[0] == files[1]
    saved = json.dumps(read(path).cells)
    assert task.explanation[:30] not in saved
    assert all(opening[:30] not in saved for opening in task.openings)


@pytest.mark.exhaustive
def test_running_them_gives_what_is_saved():
    """The tutorials, and the notebooks that every page offers, in one kernel."""
    before = [read(path) for path in PATHS]
    made = [make() for kinds in OFFERED.values() for make in kinds.values()]
    pages = [nbformat.from_dict(page) for page in made]
    for number, page in enumerate(pages):
        for cell in page.cells:
            cell.id = f"page-{number}-{cell.id}"
    made = [cleaned(made) for made in executed(copy.deepcopy([*before, *pages]))]
    after = made[: len(before)]
    for page, ran in zip(pages, made[len(before) :], strict=True):
        for old, new in zip(code(page), code(ran), strict=True):
            assert pictured(old) == pictured(new), old.source
    for kept, made, path in zip(before, after, PATHS, strict=True):
        for old, new in zip(code(kept), code(made), strict=True):
            assert shown(old) == shown(new), (path.name, old.source, "`make notebooks` renews it")


def test_what_the_page_about_notebooks_says_runs():
    text = (Path(__file__).parent.parent / "docs" / "howto" / "notebooks.md").read_text("utf-8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, names)
    assert names["game"].episode is names["episode"]
    for link in re.findall(r"\]\((\.\./\.\./[^)]+)\)", text):
        assert (Path(__file__).parent.parent / "docs" / "howto" / link).exists(), link
