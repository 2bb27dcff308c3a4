"""Compiles each statement once for all databases of one kind, and not for each that is opened."""

from collections.abc import Callable

from sqlalchemy import Engine
from sqlalchemy.util import LRUCache

__all__ = ["Statements", "with_kept_statements"]


class Statements(LRUCache):
    """Compiled statements by all that they depend on, except for the database."""

    def get(self, key, default=None):
        return super().get(key[1:], default)

    def __setitem__(self, key, value):
        super().__setitem__(key[1:], value)


def with_kept_statements(create_engine: Callable[..., Engine]) -> Callable[..., Engine]:
    """Let engines share what they have compiled.

    Most tests open a database of their own. SQLAlchemy keeps compiled statements for one engine,
    and compiling them again took a quarter of the time of such tests.
    """
    kept: dict[str, Statements] = {}

    def create(*address, **options) -> Engine:
        engine = create_engine(*address, **options)
        engine._compiled_cache = kept.setdefault(engine.dialect.name, Statements(1_000))
        return engine

    return create
