"""Texts typed but not yet sent, which survive a reload, a restart and a refused move."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Engine, delete, select

from explorer.storage.engines import insert_into, reading, writing
from explorer.storage.entries import stamp
from explorer.storage.errors import StorageInputError
from explorer.storage.schema import drafts
from explorer.storage.written import charge
from nip_core.displays import line

__all__ = ["Drafts"]

MAX_DRAFT = 500_000
MAX_PLACE = 200


class Drafts:
    """Drafts by their owner (the secret token of a seat or a browser) and their place."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return line(self, self._engine.dialect.name)

    def get(self, owner: str, place: str) -> Any:
        """Return a draft, or None."""
        with reading(self._engine) as connection:
            body = connection.scalar(select(drafts.c.body).where(_at(owner, place)))
        return None if body is None else json.loads(body)

    def put(self, owner: str, place: str, draft: Any) -> None:
        """Keep a text, or any JSON value, replacing the earlier draft.

        Raises
        ------
        StorageInputError
            If it is too long.
        """
        body = json.dumps(draft, allow_nan=False)
        if len(body) > MAX_DRAFT:
            raise StorageInputError(
                f"A draft can have at most {MAX_DRAFT:,} characters; it is not kept until it is "
                "shorter."
            )
        charge(len(body))
        insert = insert_into(self._engine, drafts)
        new = {"body": body, "updated": stamp()}
        with writing(self._engine) as connection:
            connection.execute(
                insert.values(
                    owner=_hashed(owner), place=_checked(place), **new
                ).on_conflict_do_update(index_elements=["owner", "place"], set_=new)
            )

    def clear(self, owner: str, place: str) -> None:
        """Delete a draft after it was sent."""
        with writing(self._engine) as connection:
            connection.execute(delete(drafts).where(_at(owner, place)))

    def forget(self, owner: str) -> None:
        """Delete all drafts of an owner."""
        with writing(self._engine) as connection:
            connection.execute(delete(drafts).where(drafts.c.owner == _hashed(owner)))


def _at(owner: str, place: str) -> ColumnElement[bool]:
    return (drafts.c.owner == _hashed(owner)) & (drafts.c.place == _checked(place))


def _hashed(owner: str) -> str:
    return sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()


def _checked(place: str) -> str:
    if not place.isprintable() or not place.isascii() or len(place) > MAX_PLACE:
        raise StorageInputError("A draft's place must be a short name of plain letters.")
    return place
