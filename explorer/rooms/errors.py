"""The exceptions of rooms. Each message is a sentence that says what to do."""

from __future__ import annotations

from nip_core.errors import NipError


class RoomError(NipError):
    """A room cannot do what it was asked."""

    # The message where none is given.
    usual = ""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.usual)


class PlanError(RoomError):
    """What the facilitator chose cannot be played."""


class NoSuchRoomError(RoomError):
    """No room has this code."""

    usual = (
        "There is no room with this code. A code has five letters, such as BCDFG; look at the "
        "projector, or ask the facilitator."
    )


class RoomClosedError(RoomError):
    """The room is over."""

    usual = "This room is closed. If your class goes on, ask your facilitator for the new code."


class DoorLockedError(RoomError):
    """The facilitator lets nobody new in."""

    usual = (
        "The facilitator has locked this room: nobody new can join. Ask them to unlock it, then "
        "try again."
    )


class RemovedError(RoomError):
    """The facilitator has removed this browser's person."""

    usual = (
        "The facilitator has removed you from this room. If this is a mistake, ask them to let you "
        "back in."
    )


class SeatTakenError(RoomError):
    """Somebody else has the seat."""

    usual = "Somebody sits in this seat already. Choose another one."


class NotLeaderError(RoomError):
    """The browser does not lead the room."""

    usual = (
        "Only the facilitator can do this. If you lead this room, open your link to lead it in "
        "this browser; the server's operator can make a new one."
    )


class NotYoursError(RoomError):
    """The person belongs to another browser."""

    usual = (
        "This place belongs to another browser. Open the room's link on the device on which you "
        "have joined, or join with the code."
    )


class NotNowError(RoomError):
    """The room is at another point."""


class MovedOnError(NotNowError):
    """Another command came first that was based on the same state of the room."""

    def __init__(self, happened: str) -> None:
        super().__init__(
            f"Somebody was faster: {happened}. Look at the room as it is now, and repeat what you "
            "still want."
        )


class MayNotOpenError(RoomError):
    """The operator's settings do not let this visitor make a room."""


class WrongPasswordError(MayNotOpenError):
    """The facilitator's password is wrong."""
