"""Tests of references.py: names in docstrings exist, and planted ones that do not are found."""

from pathlib import Path

from docs._ext.references import dead_references, definition_of, resolved
from tests.depth import each, exhaustive

ROOT = Path(__file__).parents[2]


@exhaustive
def test_each_name_in_a_docstring_exists():
    assert [*dead_references(ROOT, "nip_core", "explorer")] == []


@each(
    ("target", "module", "cls", "full"),
    [
        ("Episode", "nip_core.play.episode", "", "nip_core.play.episode.Episode"),
        ("~nip_core.play.Episode", "", "", "nip_core.play.Episode"),
        ("play", "nip_core.play.episode", "Episode", "nip_core.play.episode.Episode.play"),
        ("Episode.play()", "nip_core.play.tree", "", "nip_core.play.Episode.play"),
        ("options", "nip_core.language", "Choice", "nip_core.language.Choice.options"),
        ("no_such_name", "nip_core.play.episode", "Episode", None),
        ("nip_core.play.no_such_name", "", "", None),
        ("Episode.no_such_name", "nip_core.play", "", None),
    ],
)
def test_a_name_is_looked_up_as_python_would(target, module, cls, full):
    assert resolved(target, module, cls) == full


def test_one_object_has_one_name():
    assert definition_of("nip_core.Episode") == definition_of("nip_core.play.Episode")


def test_a_planted_dead_reference_is_found(tmp_path, monkeypatch):
    package = tmp_path / "planted_docs"
    package.mkdir()
    (package / "__init__.py").write_text(
        '"""See :func:`here` and :func:`gone`."""\n\n\ndef here():\n    """See :data:`lost`."""\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = [*dead_references(tmp_path, "planted_docs")]
    assert found == ["planted_docs: gone", "planted_docs: lost"]
