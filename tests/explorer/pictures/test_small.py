"""The pictures on the cards of lessons."""

from random import Random

from explorer.lessons import game, lessons, small_picture
from explorer.pictures import PAGE, small_bars, small_dots
from explorer.pictures.drawing import Box, Line


def test_every_lesson_of_ours_has_a_picture_in_light_and_dark():
    found, problems = lessons()
    assert found
    assert not problems
    for lesson in found:
        light, dark = (small_picture(lesson, look) for look in ("light", "dark"))
        assert light.shapes != dark.shapes
        assert len({light.svg(), dark.svg()}) == 2


def test_a_graph_of_the_game_is_drawn_with_all_its_edges():
    (lesson,) = (each for each in lessons()[0] if each.slug == "two-rooms")
    block = next(each for each in lesson.blocks if each.kind == "game")
    played = game(block.name)
    role = block.role or played.roles[0].name
    graph = played.scene(played.start(role, block.settings or {}, Random(1))).drawings[0]
    shapes = small_picture(lesson).shapes
    assert sum(isinstance(shape, Line) for shape in shapes) == len(graph.edges)
    assert sum(isinstance(shape, Box) for shape in shapes) == len(graph.places)


def test_bars_and_dots_keep_the_order_of_their_numbers():
    bars = [s for s in small_bars("", "", [("a", -1.0), ("a", 3.0)]).shapes if isinstance(s, Box)]
    assert [bar.height for bar in bars] == sorted(bar.height for bar in bars)
    assert bars[0].y > bars[1].y
    shapes = small_dots("", "", [(0.2, 0.1, 0.3), (0.9, None, None)]).shapes
    low, high = (s for s in shapes if isinstance(s, Box))
    assert low.x < high.x
    whiskers = [s for s in shapes if isinstance(s, Line) and s.stroke == PAGE["light"].quiet]
    assert len(whiskers) == 1
