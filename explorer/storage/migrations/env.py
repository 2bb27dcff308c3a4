"""Run by Alembic, on the connection and in the transaction of :mod:`explorer.storage.schema`."""

from __future__ import annotations

from alembic import context

from explorer.storage.schema import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
