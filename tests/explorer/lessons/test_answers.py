"""What is stored of an answer is the same in every language."""

from explorer.languages import speaking
from explorer.lessons.answers import answer_from_words, answer_in_words, options, own_answers
from explorer.lessons.library import lessons
from explorer.lessons.translated import in_language
from tests.depth import each

TRANSLATED = [lesson for lesson in lessons()[0] if lesson.slug in ("stranger", "merlin-arthur")]


@each("lesson", TRANSLATED, ids=lambda lesson: lesson.slug)
def test_an_answer_is_stored_by_its_number_in_every_language(lesson):
    with speaking("de"):
        german = in_language(lesson)
    for english, other in zip(lesson.blocks, german.blocks, strict=True):
        right = [right for _, right in options(english)]
        assert right == [right for _, right in options(other)]
        assert own_answers(english) == own_answers(other)
        for number in own_answers(english):
            one, two = options(english)[number][0], options(other)[number][0]
            assert answer_from_words(english, one) == answer_from_words(other, two) == str(number)
            assert answer_in_words(other, str(number)) == two


def test_what_is_no_answer_is_none():
    block = next(block for block in TRANSLATED[0].blocks if block.kind == "quiz")
    assert [answer_from_words(block, value) for value in ("", None, 3, [], "1/2")] == [None] * 5
