"""Creates a new database's tables as the migrations do, without running Alembic each time."""

from collections.abc import Callable
from contextlib import contextmanager

import sqlalchemy
from sqlalchemy import Connection

from explorer.storage import schema

__all__ = ["repeating"]


@contextmanager
def recorded(connection: Connection):
    """Return the statements that are executed meanwhile, as (statement, parameters)."""
    written = []

    def keep(_connection, _cursor, statement, parameters, *_):
        if not statement.lstrip().upper().startswith(("SELECT", "PRAGMA")):
            written.append((statement, parameters))

    sqlalchemy.event.listen(connection, "before_cursor_execute", keep)
    try:
        yield written
    finally:
        sqlalchemy.event.remove(connection, "before_cursor_execute", keep)


def repeating(upgrade: Callable[[Connection], None]) -> Callable[[Connection], None]:
    """Make an upgrade of an empty database repeat the statements of the first one.

    Most tests begin with an empty database, and creating its tables takes longer than many of them.
    `test_schema.py` tests the migrations themselves, and runs them.
    """
    said: dict[str, list] = {}

    def again(connection: Connection) -> None:
        kind = connection.dialect.name
        if schema._revision(connection) is not None:
            upgrade(connection)
        elif kind in said:
            for statement, parameters in said[kind]:
                connection.exec_driver_sql(statement, parameters or None)
        else:
            with recorded(connection) as written:
                upgrade(connection)
            said[kind] = written

    again.each_time = upgrade
    return again
