"""Rooms: people on their own devices, at tables or in a lesson, led by a facilitator.

.. code-block:: python

    opened = open_room(storage, RoomPlan(conditions=conditions_of("apart")), visitor)
    facilitator = Access(storage, opened.code, visitor)
    phone = Access(storage, opened.code, another_visitor)
    ada = join(phone)
    start(facilitator)
    seat_at(phone, ada.number).play(act)

Refusals raise :class:`RoomError`; its message says what to do. Rights belong to a browser, named by
its :class:`Access`, and are checked with each call: :class:`NotLeaderError` is raised if the
browser does not lead the room, :class:`NotYoursError` if the person is another browser's, and
:class:`NotNowError` if the room is at another point. An unknown code raises
:class:`NoSuchRoomError`, and a closed room :class:`RoomClosedError`.
"""

from __future__ import annotations

from explorer.lazy import exported
from explorer.rooms.agenda import (
    AgendaStep,
    about_of,
    agenda,
    agenda_minute,
    class_steps,
    minutes_behind,
    start_clock,
    step_at,
)
from explorer.rooms.board import (
    LeadPage,
    WallPage,
    at_present,
    board,
    board_screen,
)
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
    SeatTakenError,
    WrongPasswordError,
)
from explorer.rooms.exports import LESSON_COLUMNS, files, lesson_table
from explorer.rooms.guidance import (
    ACTIONS,
    FINAL,
    SIGN_STYLE,
    Guidance,
    Own,
    StatusBanner,
    guidance,
    is_watched,
    prediction_question,
    recorded,
    sign_html,
    sign_of,
    status_banner,
    with_clock,
)
from explorer.rooms.lesson import ROUNDS, TIMES, Key, lesson_called
from explorer.rooms.lesson_acts import (
    answer_block,
    game_of,
    load_lesson,
    note_guess,
    noted_guess,
    pair_answer,
    pair_seat,
    play,
    play_again,
    steer,
)
from explorer.rooms.lesson_answers import Chart, answer, predictions
from explorer.rooms.lesson_views import (
    LeadView,
    LessonPart,
    PersonView,
    ProjectorView,
    lead_view,
    part_before,
    person_view,
    projector_view,
    round_name,
)
from explorer.rooms.lesson_windows import NOW, lead_now, person_now, projector_now
from explorer.rooms.models import lend_models, models_lent
from explorer.rooms.moderation import (
    clear_idle,
    idle_people,
    let_back_in,
    remove_people,
    rename_person,
    set_door,
)
from explorer.rooms.opening import (
    PASSWORD,
    PASSWORD_FILE,
    Opened,
    check_may_open,
    close,
    delete,
    lead,
    most_days,
    most_episode_days,
    new_password,
    open_room,
    password_in,
    purge_overdue,
    recover_link,
    who_may_open,
)
from explorer.rooms.people import (
    MOST_NAME,
    forget,
    hand_back,
    join,
    leave,
    replace_by_bot,
    take_seat,
)
from explorer.rooms.plan import (
    CODE,
    LEAST_SECONDS,
    MOST_SECONDS,
    MOST_TABLES,
    MOST_TASKS,
    MOST_WRITTEN,
    PRESETS,
    TASKS,
    RoomCondition,
    RoomPlan,
    conditions_of,
    materials_for,
    preset_of,
    tasks_of,
    workshop_lengths,
    written_names,
)
from explorer.rooms.rehearsal import (
    MOST_BOTS,
    bots_answer,
    bots_go,
    bots_join,
    rehearse,
    run_rehearsal,
    steer_rehearsal,
    throw_away,
)
from explorer.rooms.results import (
    FEWEST,
    FEWEST_EACH,
    Difference,
    Reference,
    TableOutcome,
    counts,
    difference,
    least_error,
    outcomes,
    references,
    revealed_tables,
    right_counts,
    right_interval,
)
from explorer.rooms.room import (
    Access,
    Person,
    Room,
    RoomTable,
    cached_room,
    load_room,
    places_in_browser,
    read_code,
    room_of,
)
from explorer.rooms.running import Scheduler, end, extend, pause, resume, reveal, run_due
from explorer.rooms.seat import Prediction, SeatPage, Waiting, act_at_seat, mark_of, seat_screen
from explorer.rooms.seating import is_counted, next_task, seats_of_bots, start, with_bots
from explorer.rooms.tables import SeatedTable, seat_at
from explorer.rooms.watching import (
    GalleryPage,
    RoomPage,
    RoomView,
    Watcher,
    answer_topics_of,
    end_watching,
    episodes_of,
    gallery_seat,
    may_watch_live,
    view_for,
    watch,
    watch_link,
)

__all__, __getattr__, __dir__ = exported(__name__)
