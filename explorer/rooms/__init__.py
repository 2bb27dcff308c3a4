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

from nip_core.lazy import exported
from explorer.rooms.agenda import (
    AgendaStep as AgendaStep,
    about_of as about_of,
    agenda as agenda,
    agenda_minute as agenda_minute,
    class_steps as class_steps,
    minutes_behind as minutes_behind,
    present_step as present_step,
    start_clock as start_clock,
    step_at as step_at,
)
from explorer.rooms.board import (
    LeadPage as LeadPage,
    WallPage as WallPage,
    board as board,
    board_screen as board_screen,
)
from explorer.rooms.course import course_sheet as course_sheet
from explorer.rooms.errors import (
    DoorLockedError as DoorLockedError,
    MayNotOpenError as MayNotOpenError,
    NoSuchRoomError as NoSuchRoomError,
    NotLeaderError as NotLeaderError,
    NotNowError as NotNowError,
    NotYoursError as NotYoursError,
    PlanError as PlanError,
    RemovedError as RemovedError,
    RoomClosedError as RoomClosedError,
    RoomError as RoomError,
    SeatTakenError as SeatTakenError,
    WrongPasswordError as WrongPasswordError,
)
from explorer.rooms.exports import (
    LESSON_COLUMNS as LESSON_COLUMNS,
    files as files,
    lesson_table as lesson_table,
)
from explorer.rooms.guidance import (
    SAME as SAME,
    ACTIONS as ACTIONS,
    FINAL as FINAL,
    Guidance as Guidance,
    Own as Own,
    StatusBanner as StatusBanner,
    guidance as guidance,
    is_watched as is_watched,
    prediction_question as prediction_question,
    recorded as recorded,
    sign_of as sign_of,
    status_banner as status_banner,
    with_clock as with_clock,
)
from explorer.rooms.lesson import (
    ROUNDS as ROUNDS,
    TIMES as TIMES,
    Key as Key,
    lesson_called as lesson_called,
)
from explorer.rooms.lesson_acts import (
    answer_block as answer_block,
    game_of as game_of,
    load_lesson as load_lesson,
    note_guess as note_guess,
    noted_guess as noted_guess,
    pair_answer as pair_answer,
    pair_seat as pair_seat,
    play as play,
    play_again as play_again,
    steer as steer,
)
from explorer.rooms.lesson_answers import (
    Chart as Chart,
    answer as answer,
    predictions as predictions,
)
from explorer.rooms.lesson_parts import (
    Shown as Shown,
    answers_of as answers_of,
    lead_part as lead_part,
    part_had as part_had,
    person_part as person_part,
    reading_part as reading_part,
    reveal_part as reveal_part,
)
from explorer.rooms.lesson_views import (
    LeadView as LeadView,
    LessonPart as LessonPart,
    PersonView as PersonView,
    ProjectorView as ProjectorView,
    lead_view as lead_view,
    part_before as part_before,
    person_view as person_view,
    projector_view as projector_view,
    round_name as round_name,
)
from explorer.rooms.lesson_windows import (
    NOW as NOW,
    lead_now as lead_now,
    person_now as person_now,
    projector_now as projector_now,
)
from explorer.rooms.models import (
    lend_models as lend_models,
    models_lent as models_lent,
)
from explorer.rooms.moderation import (
    clear_idle as clear_idle,
    idle_people as idle_people,
    let_back_in as let_back_in,
    remove_people as remove_people,
    rename_person as rename_person,
    set_door as set_door,
)
from explorer.rooms.opening import (
    PASSWORD as PASSWORD,
    PASSWORD_FILE as PASSWORD_FILE,
    Opened as Opened,
    check_may_open as check_may_open,
    close as close,
    delete as delete,
    lead as lead,
    most_days as most_days,
    most_episode_days as most_episode_days,
    new_password as new_password,
    open_room as open_room,
    password_in as password_in,
    purge_overdue as purge_overdue,
    recover_link as recover_link,
    who_may_open as who_may_open,
)
from explorer.rooms.people import (
    MOST_NAME as MOST_NAME,
    forget as forget,
    hand_back as hand_back,
    join as join,
    leave as leave,
    replace_by_bot as replace_by_bot,
    take_seat as take_seat,
)
from explorer.rooms.plan import (
    CODE as CODE,
    LEAST_SECONDS as LEAST_SECONDS,
    MOST_SECONDS as MOST_SECONDS,
    MOST_TABLES as MOST_TABLES,
    MOST_TASKS as MOST_TASKS,
    MOST_WRITTEN as MOST_WRITTEN,
    PRESETS as PRESETS,
    TASKS as TASKS,
    RoomCondition as RoomCondition,
    RoomPlan as RoomPlan,
    conditions_of as conditions_of,
    materials_for as materials_for,
    preset_of as preset_of,
    tasks_of as tasks_of,
    workshop_lengths as workshop_lengths,
    written_names as written_names,
)
from explorer.rooms.rehearsal import (
    MOST_BOTS as MOST_BOTS,
    bots_answer as bots_answer,
    bots_go as bots_go,
    bots_join as bots_join,
    rehearse as rehearse,
    run_rehearsal as run_rehearsal,
    steer_rehearsal as steer_rehearsal,
    throw_away as throw_away,
)
from explorer.rooms.evidence import expected_right as expected_right
from explorer.rooms.results import (
    Difference as Difference,
    Reference as Reference,
    TableOutcome as TableOutcome,
    counts as counts,
    difference as difference,
    fewest_each as fewest_each,
    least_error as least_error,
    outcomes as outcomes,
    references as references,
    revealed_tables as revealed_tables,
    right_counts as right_counts,
    right_interval as right_interval,
)
from explorer.rooms.room import (
    Access as Access,
    Person as Person,
    Room as Room,
    RoomTable as RoomTable,
    cached_room as cached_room,
    load_room as load_room,
    places_in_browser as places_in_browser,
    read_code as read_code,
    room_of as room_of,
)
from explorer.rooms.running import (
    Scheduler as Scheduler,
    end as end,
    extend as extend,
    pause as pause,
    resume as resume,
    reveal as reveal,
    run_due as run_due,
)
from explorer.rooms.seat import (
    Prediction as Prediction,
    SeatPage as SeatPage,
    Waiting as Waiting,
    act_at_seat as act_at_seat,
    mark_of as mark_of,
    seat_screen as seat_screen,
)
from explorer.rooms.seating import (
    is_counted as is_counted,
    next_task as next_task,
    seats_of_bots as seats_of_bots,
    start as start,
    with_bots as with_bots,
)
from explorer.rooms.slides import (
    lesson_slide as lesson_slide,
    people_here as people_here,
    tables_slide as tables_slide,
)
from explorer.rooms.study_tables import (
    deal_table as deal_table,
    enter_table as enter_table,
    forget_at_table as forget_at_table,
    leave_table as leave_table,
    open_study_room as open_study_room,
    study_episode as study_episode,
    table_over as table_over,
)
from explorer.rooms.tables import (
    SeatedTable as SeatedTable,
    seat_at as seat_at,
)
from explorer.rooms.watching import (
    GalleryPage as GalleryPage,
    RoomPage as RoomPage,
    RoomView as RoomView,
    Watcher as Watcher,
    answer_topics_of as answer_topics_of,
    end_watching as end_watching,
    episodes_of as episodes_of,
    gallery_seat as gallery_seat,
    may_watch_live as may_watch_live,
    view_for as view_for,
    watch as watch,
    watch_link as watch_link,
)

__all__, __getattr__, __dir__ = exported(__name__)
