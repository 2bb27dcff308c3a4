"""What can be learned from an episode that is over. Made of what everybody may read by then."""

from __future__ import annotations

from explorer.review.beliefs import Course, courses
from explorer.review.lies import Lie, first_lies
from explorer.review.questions import Asked, best_question, what_could_be_asked
from explorer.review.sights import Sighting, sightings

__all__ = [
    "Asked",
    "Course",
    "Lie",
    "Sighting",
    "best_question",
    "courses",
    "first_lies",
    "sightings",
    "what_could_be_asked",
]
