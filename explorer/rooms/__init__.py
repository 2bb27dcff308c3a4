"""Rooms: many people, each at an own device, at tables or in a lesson, led by a facilitator.

.. code-block:: python

    opened = open_room(storage, Plan(conditions=(Condition("isolated", parameters),)), visitor)
    ada = join(storage, opened.code, another_visitor)
    start(storage, opened.code, by=visitor)
    seat_at(storage, opened.code, ada.number, by=another_visitor).play(act)

Whatever is refused raises a :class:`RoomError`, whose sentence says what to do. Rights are those of
a browser (its visitor), looked up in the room with each call.
"""

from __future__ import annotations

from explorer.rooms.answers import Answer, answer, answers, count
from explorer.rooms.board import board, public_board
from explorer.rooms.codes import new_code, read_code
from explorer.rooms.drafts import places_in_browser
from explorer.rooms.errors import (
    DoorLockedError,
    MayNotOpenError,
    NoSuchRoomError,
    NotLeaderError,
    NotNowError,
    NotYoursError,
    PlanError,
    RemovedError,
    RoomClosedError,
    RoomError,
    RoomFullError,
    SeatTakenError,
    TooManyError,
    WrongPasswordError,
)
from explorer.rooms.exports import files
from explorer.rooms.joining import forget, join, leave, take_seat
from explorer.rooms.keeper import Keeper, look
from explorer.rooms.lately import room_lately
from explorer.rooms.lesson_acts import (
    Played,
    answer_block,
    game_of,
    lesson_of,
    load_lesson,
    note_guess,
    noted_guess,
    pair_answer,
    pair_seat,
    play,
    play_again,
    steer,
)
from explorer.rooms.lesson_bots import MOST_BOTS, bots_answer, bots_go, bots_join
from explorer.rooms.lesson_counts import Chart, step_of
from explorer.rooms.lesson_exports import lesson_table
from explorer.rooms.lesson_now import lead_now, person_now, projector_now
from explorer.rooms.lesson_room import LessonRoom, lesson_called
from explorer.rooms.lesson_views import (
    LeadView,
    Paired,
    Part,
    PersonView,
    ProjectorView,
    lead_view,
    part_before,
    person_view,
    projector_view,
)
from explorer.rooms.lesson_windows import NOW
from explorer.rooms.making import check_may_open, who_may_open
from explorer.rooms.models import lend_models, models_lent
from explorer.rooms.moderation import (
    DOORS,
    clear_idle,
    idle_people,
    let_back_in,
    remove_people,
    rename_person,
    set_door,
)
from explorer.rooms.names import MOST_NAME, checked_name
from explorer.rooms.opening import (
    Opened,
    close,
    delete,
    lead,
    open_room,
    purge_overdue,
    recover_link,
)
from explorer.rooms.plan import Condition, Plan
from explorer.rooms.rehearsing import rehearse
from explorer.rooms.replacing import hand_back, replace_by_bot
from explorer.rooms.room import Person, Room, RoomTable, SeatFacts, load_room, room_of
from explorer.rooms.running import end, extend, pause, resume, reveal
from explorer.rooms.seat import act_at_seat, mark_of, seat_screen
from explorer.rooms.signs import SIGN_STYLE, Sign, sign_html, sign_of
from explorer.rooms.spectators import (
    end_watching,
    is_watched,
    lookers_on,
    may_watch_live,
    watch,
    watch_link,
)
from explorer.rooms.starting import next_task, start
from explorer.rooms.strip import Strip, Tone, strip, with_clock
from explorer.rooms.tables import SeatedTable, carry_on, seat_at
from explorer.rooms.told import Outcome, outcomes, told_tables
from explorer.rooms.watching import (
    Shown,
    Watcher,
    answer_topics_of,
    episodes_of,
    gallery_seat,
    may_watch,
    shown_of,
    shown_to,
)

__all__ = [
    "DOORS",
    "MOST_BOTS",
    "MOST_NAME",
    "NOW",
    "SIGN_STYLE",
    "Answer",
    "Chart",
    "Condition",
    "DoorLockedError",
    "Keeper",
    "LeadView",
    "LessonRoom",
    "MayNotOpenError",
    "NoSuchRoomError",
    "NotLeaderError",
    "NotNowError",
    "NotYoursError",
    "Opened",
    "Outcome",
    "Paired",
    "Part",
    "Person",
    "PersonView",
    "Plan",
    "PlanError",
    "Played",
    "ProjectorView",
    "RemovedError",
    "Room",
    "RoomClosedError",
    "RoomError",
    "RoomFullError",
    "RoomTable",
    "SeatFacts",
    "SeatTakenError",
    "SeatedTable",
    "Shown",
    "Sign",
    "Strip",
    "Tone",
    "TooManyError",
    "Watcher",
    "WrongPasswordError",
    "act_at_seat",
    "answer",
    "answer_block",
    "answer_topics_of",
    "answers",
    "board",
    "bots_answer",
    "bots_go",
    "bots_join",
    "carry_on",
    "check_may_open",
    "checked_name",
    "clear_idle",
    "close",
    "count",
    "delete",
    "end",
    "end_watching",
    "episodes_of",
    "extend",
    "files",
    "forget",
    "gallery_seat",
    "game_of",
    "hand_back",
    "idle_people",
    "is_watched",
    "join",
    "lead",
    "lead_now",
    "lead_view",
    "leave",
    "lend_models",
    "lesson_called",
    "lesson_of",
    "lesson_table",
    "let_back_in",
    "load_lesson",
    "load_room",
    "look",
    "lookers_on",
    "mark_of",
    "may_watch",
    "may_watch_live",
    "models_lent",
    "new_code",
    "next_task",
    "note_guess",
    "noted_guess",
    "open_room",
    "outcomes",
    "pair_answer",
    "pair_seat",
    "part_before",
    "pause",
    "person_now",
    "person_view",
    "places_in_browser",
    "play",
    "play_again",
    "projector_now",
    "projector_view",
    "public_board",
    "purge_overdue",
    "read_code",
    "recover_link",
    "rehearse",
    "remove_people",
    "rename_person",
    "replace_by_bot",
    "resume",
    "reveal",
    "room_lately",
    "room_of",
    "seat_at",
    "seat_screen",
    "set_door",
    "shown_of",
    "shown_to",
    "sign_html",
    "sign_of",
    "start",
    "steer",
    "step_of",
    "strip",
    "take_seat",
    "told_tables",
    "watch",
    "watch_link",
    "who_may_open",
    "with_clock",
]
