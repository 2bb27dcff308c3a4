"""The exceptions of rooms. Each message is a sentence that says what to do.

.. code-block:: text

    RoomError
    ├── PlanError          what the facilitator chose cannot be played
    ├── NoSuchRoomError    no room has this code
    ├── RoomClosedError    the room is over
    ├── RoomFullError      there is no place left
    ├── DoorLockedError    the facilitator lets nobody new in
    ├── RemovedError       the facilitator has removed this browser's person
    ├── SeatTakenError     somebody sits there
    ├── NotLeaderError     only whoever leads the room may
    ├── NotYoursError      this browser is not that person
    ├── NotNowError        the room is at another point
    ├── TooManyError       more than one person may give, or a server may hold
    └── MayNotOpenError    this visitor may not make rooms here
        └── WrongPasswordError
"""

from __future__ import annotations

__all__ = [
    "DoorLockedError",
    "MayNotOpenError",
    "NoSuchRoomError",
    "NotLeaderError",
    "NotNowError",
    "NotYoursError",
    "PlanError",
    "RemovedError",
    "RoomClosedError",
    "RoomError",
    "RoomFullError",
    "SeatTakenError",
    "TooManyError",
    "WrongPasswordError",
]


class RoomError(Exception):
    """A room cannot do what it was asked."""


class PlanError(RoomError):
    """What the facilitator chose cannot be played."""


class NoSuchRoomError(RoomError):
    """No room has this code."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "There is no room with this code. A code has five letters, such as BCDFG; look at "
            "the projector, or ask whoever leads the room."
        )


class RoomClosedError(RoomError):
    """The room is over."""

    def __init__(self) -> None:
        super().__init__(
            "This room is closed. If your class goes on, ask whoever leads it for the new code."
        )


class RoomFullError(RoomError):
    """There is no place left."""


class DoorLockedError(RoomError):
    """The facilitator lets nobody new in."""

    def __init__(self) -> None:
        super().__init__(
            "The facilitator has locked this room: nobody new can join. Ask whoever leads it to "
            "unlock it, then try again."
        )


class RemovedError(RoomError):
    """The facilitator has removed this browser's person."""

    def __init__(self) -> None:
        super().__init__(
            "The facilitator has removed you from this room. If this is a mistake, ask them to let "
            "you back in."
        )


class SeatTakenError(RoomError):
    """Somebody sits there."""

    def __init__(self) -> None:
        super().__init__("Somebody sits in this seat already. Choose another one.")


class NotLeaderError(RoomError):
    """Only whoever leads the room may."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "Only the facilitator can do this. If you lead this room, open your link to lead it "
            "in this browser; whoever runs the server can make a new one."
        )


class NotYoursError(RoomError):
    """That person is at another browser."""

    def __init__(self) -> None:
        super().__init__(
            "This place belongs to another browser. Open the room's link on the device on which "
            "you have joined, or join with the code."
        )


class NotNowError(RoomError):
    """The room is at another point."""


class TooManyError(RoomError):
    """More than one person may give, or a server may hold."""


class MayNotOpenError(RoomError):
    """Who may make rooms here is decided by the operator."""


class WrongPasswordError(MayNotOpenError):
    """The facilitator's password is another one."""
