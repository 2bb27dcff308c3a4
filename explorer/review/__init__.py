"""What can be learned from an episode that is over. Made of what everybody may read by then."""

from __future__ import annotations

from explorer.review.beliefs import Course, courses
from explorer.review.calibration import calibrated
from explorer.review.lies import Lie, first_lies
from explorer.review.questions import Asked, best_question, what_could_be_asked
from explorer.review.readings import Reading, readings
from explorer.review.shown import shown
from explorer.review.sights import Sighting, sightings

__all__ = [
    "Asked",
    "Course",
    "Lie",
    "Reading",
    "Sighting",
    "best_question",
    "calibrated",
    "courses",
    "first_lies",
    "readings",
    "shown",
    "sightings",
    "what_could_be_asked",
]
