"""Reading the documents of tasks: :mod:`nip_core.documents` with this package's error."""

from __future__ import annotations

from functools import partial

from nip_core import documents
from nip_core.errors import TaskError

__all__ = ["as_list", "as_object"]

as_object = partial(documents.as_object, error=TaskError)
as_list = partial(documents.as_list, error=TaskError)
