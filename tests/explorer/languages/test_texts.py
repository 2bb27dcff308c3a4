"""Texts in the present language."""

import threading

from explorer.front import address, text_at
from explorer.languages import (
    PSEUDO,
    best_of,
    decimal,
    in_english,
    known_language,
    language,
    marked,
    number_with_unit,
    percent_of,
    speaking,
    tr,
    trn,
)
from explorer.rooms.guidance import sign_of
from tests.depth import each


def test_a_text_is_in_the_language_of_its_window_and_english_without_one():
    assert tr("The truth: {number}.", number=3) == "The truth: 3."
    with speaking("de"):
        assert language() == "de"
        assert tr("The truth: {number}.", number=3) == "Richtig ist: 3."
        assert str(sign_of(1)) == "Blau 1"
        with speaking("es"):
            assert tr("Paused") == "Pausa"
        assert tr("This is not in the catalogue") == "This is not in the catalogue"
        other = []
        thread = threading.Thread(target=lambda: other.append(tr("Paused")))
        thread.start()
        thread.join()
        assert other == ["Paused"]
    assert marked("Paused") == tr("Paused") == "Paused"


@each(
    ("code", "texts"),
    [
        ("en", ["0 people are here.", "1 person is here.", "2 people are here."]),
        ("de", ["0 Personen sind da.", "1 Person ist da.", "2 Personen sind da."]),
        ("es", ["Hay 0 personas.", "Hay 1 persona.", "Hay 2 personas."]),
    ],
)
def test_numbers_of_things(code, texts):
    with speaking(code):
        found = [trn("{n} person is here.", "{n} people are here.", n) for n in range(3)]
    assert found == texts


def test_values_are_texts_and_no_places():
    assert tr("{who} and {other}", who="{other}", other="B") == "{other} and B"
    assert tr("{who.x}", who=1) == "{who.x}"


def test_files_are_in_english_whoever_asks():
    with speaking("de"):
        assert in_english(tr)("Paused") == "Paused"
        assert tr("Paused") == "Pause"


def test_numbers_are_written_as_the_language_does():
    assert [decimal("1,234.5"), percent_of(0.125, 1)] == ["1,234.5", "12.5%"]
    with speaking("de"):
        assert [decimal("1,234.5"), percent_of(0.125, 1)] == ["1.234,5", "12,5\u00a0%"]
        assert number_with_unit("3", "Tests") == "3 Tests"


def test_a_browser_gets_the_best_language_that_there_is():
    assert best_of(["de-AT"]) == "de"
    assert best_of(["fr", "es_MX"]) == "es"
    assert best_of([""]) == best_of(["xx"]) == "en"
    assert [known_language(code) for code in ("de", "xx", "../de", None, 3)] == ["de", *[None] * 4]


def test_in_the_language_for_tests_every_text_is_in_brackets():
    with speaking(PSEUDO):
        assert tr("Paused") == "⟦Paused⟧"
        assert trn("{n} test", "{n} tests", 2) == "⟦2 tests⟧"


def test_a_front_is_served_with_the_texts_of_its_language():
    names = {}
    for code in ("en", "de", PSEUDO):
        with speaking(code):
            names[code] = address("tally", "tally").rsplit("/")[-1]
    bundles = {code: text_at(name) for code, name in names.items()}
    assert len({*bundles.values()}) == 3
    assert "Noch keine Sch" in bundles["de"]
    assert "Noch keine Sch" not in bundles["en"]
    # Only its own texts.
    assert "Kommt in diesen Raum" not in bundles["de"]
    for wrong in ("xx", "../de", "de.x", ""):
        assert text_at(names["de"].replace("--de", f"--{wrong}")) is None
