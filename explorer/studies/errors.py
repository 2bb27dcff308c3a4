"""What can go wrong with a study.

.. code-block:: text

    StudyError (ValueError)    the file asks for something impossible: where, and what to do
    └── RecordError            the folder with what was played cannot be used
        └── RecordBusyError    another run is at it
"""

from __future__ import annotations

from nip_core.errors import NipError

__all__ = ["RecordBusyError", "RecordError", "StudyError"]


class StudyError(NipError, ValueError):
    """A study's file asks for something impossible: where in it, and what to do."""


class RecordError(StudyError):
    """The folder with what was played cannot be used."""


class RecordBusyError(RecordError):
    """Another run is at this folder."""
