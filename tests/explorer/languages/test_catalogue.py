"""Files of translations: complete, without leftovers, and harmless whatever is in them."""

import pytest

from explorer.languages import PO, CatalogueError, languages, read_catalogue, read_messages
from explorer.languages.catalogue import Message, fault_of
from tests import make_catalogue
from tests.depth import each

HEAD = 'msgid ""\nmsgstr "Language: xx\\nX-Name: Ix\\nPlural-Forms: nplurals=2; plural=n>1;\\n"\n\n'
# Lessons that are translated whole into every language of the interface.
LESSONS = ("01_stranger", "06_merlin_arthur")


def written(folder, text):
    path = folder / "xx.po"
    path.write_text(HEAD + text, "utf-8")
    return path


@pytest.mark.parametrize("path", make_catalogue.files(), ids=lambda path: path.name)
def test_every_text_is_translated_and_no_other_one(path):
    _, messages = read_messages(path)
    assert {(m.text, m.many) for m in messages} == {*make_catalogue.texts_for(path)}
    assert [m.text for m in messages if not m.is_translated] == []
    assert read_catalogue(path).faults == ()
    # What `python -m tests.make_catalogue` would write.
    assert path.read_text("utf-8") == make_catalogue.updated(path)


def test_the_same_lessons_are_translated_into_every_language():
    there = {path.name for path in make_catalogue.files() if path.parent != PO}
    assert there == {f"{name}.{code}.po" for name in LESSONS for code in [*languages()][1:]}
    assert [*languages().values()] == ["English", "Deutsch", "Español"]


def test_texts_are_found_in_code_and_planted_ones_too():
    found = make_catalogue.interface()
    assert "explorer/front/tally.js" in found["No guesses yet.", ""]
    assert "explorer/rooms/slides.py" in found["{n} person is here.", "{n} people are here."]
    assert [*make_catalogue.of_python("f(tr('A {b}', b=1), trn('C', 'Cs', n), tr(NAME))")] == [
        ("A {b}", ""),
        ("C", "Cs"),
    ]
    assert [*make_catalogue.of_javascript('x(tr(\n  "A"), trn("B", "Bs", n), str("C"))')] == [
        ("A", ""),
        ("B", "Bs"),
    ]
    with pytest.raises(SystemExit, match="is put together"):
        [*make_catalogue.of_python("tr(f'{n} people')")]


def test_a_file_is_read_as_gettext_writes_it(tmp_path):
    path = written(
        tmp_path,
        '# a translator\n#: a.py\nmsgid "One"\nmsgstr "Eins"\n\nmsgid ""\n"Long "\n"text\\n"\n'
        'msgstr "La\\"ng"\n#, fuzzy\nmsgid "Guess"\nmsgstr "Hm"\n\nmsgid "{n} day"\n'
        'msgid_plural "{n} days"\nmsgstr[0] "ein Tag"\nmsgstr[1] "{n} Tage"\n\nmsgid "None"\n'
        'msgstr ""\n',
    )
    catalogue = read_catalogue(path)
    assert catalogue.name == "Ix"
    assert catalogue.forms == {
        "One": ("Eins",),
        "Long text\n": ('La"ng',),
        "{n} day": ("ein Tag", "{n} Tage"),
    }
    assert catalogue.one("None") == "None"
    # The rule of this file: one form for 0 and 1.
    many = [catalogue.many("{n} day", "{n} days", n) for n in (0, 1, 2)]
    assert many == ["ein Tag", "ein Tag", "{n} Tage"]
    assert catalogue.many("{n} year", "{n} years", 2) == "{n} years"
    assert repr(catalogue) == "Catalogue(Ix, 3 texts)"


@each(
    ("text", "translation"),
    [
        ("{n} of {all}", "{n}"),
        ("{n} of {all}", "{n} von {alle}"),
        ("Hello", "{name.__class__}: {name}"),
        ("Hello", "<b>Hallo</b>"),
        ("Hello", "[Hallo](https://elsewhere.example)"),
        ("Hello", "www.elsewhere.example"),
        ("Hello", "![x](y)"),
        ("Hello", ":red[Hallo]"),
        ("Hello", "`Hallo`"),
    ],
)
def test_a_translation_that_could_do_more_is_left_out(tmp_path, text, translation):
    path = written(tmp_path, f'msgid "{text}"\nmsgstr "{translation}"\n')
    catalogue = read_catalogue(path)
    assert catalogue.one(text) == text
    assert len(catalogue.faults) == 1


def test_a_number_may_be_missing_where_there_are_two_texts():
    assert not fault_of(Message("{n} day", "{n} days", ("ein Tag", "{n} Tage")))
    assert "placeholders" in fault_of(Message("{n} day", "", ("ein Tag",)))
    assert "placeholders" in fault_of(Message("{n} a {b}", "{n} a {b}", ("ein", "{n} {b}")))


@each(
    ("text", "says"),
    [
        ("msgid Hello", "is no text in quotation marks"),
        ('msgid "a\\q"', "is no text in quotation marks"),
        ('msgstr "Plural-Forms: plural=__import__(1);"', ""),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, text, says):
    path = written(tmp_path, text + "\n")
    if says:
        with pytest.raises(CatalogueError, match=says):
            read_catalogue(path)
    else:
        assert read_catalogue(path).rule == "n>1"


def test_a_rule_for_plurals_is_arithmetic(tmp_path):
    path = tmp_path / "xx.po"
    path.write_text('msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n((;\\n"\n', "utf-8")
    with pytest.raises(CatalogueError, match="is no rule for plurals"):
        read_catalogue(path)
