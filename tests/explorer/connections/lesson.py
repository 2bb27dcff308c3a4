"""What tests do in a room that takes a lesson; the functions run in the server's process."""

from explorer import rooms
from explorer.ui.database import storage
from tests.explorer.rooms import lesson_places

GUESS = (lesson_places.GUESS, "before")


def open_lesson(leader: str) -> str:
    return rooms.open_room(
        storage(), rooms.RoomPlan(kind="lesson", lesson="two-rooms"), leader
    ).code


def join(code: str, visitor: str) -> int:
    return rooms.join(rooms.Access(storage(), code, visitor)).number


def steer(code: str, act: str, value: object, leader: str) -> None:
    rooms.steer(rooms.Access(storage(), code, leader), act, value)


def guess(code: str, person: int, value: str, visitor: str) -> None:
    rooms.answer_block(rooms.Access(storage(), code, visitor), person, GUESS, value)
