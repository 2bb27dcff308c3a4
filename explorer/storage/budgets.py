"""What the models of an episode may use, as each visitor says, and what they have used."""

from __future__ import annotations

from sqlalchemy import Engine, ScalarSelect, Select, select, update

from explorer.storage.engines import insert_into, reading, writing
from explorer.storage.records import has_id
from explorer.storage.schema import budgets, episodes, spending
from explorer.usage import Budget, Usage
from nip_core.displays import line

__all__ = ["Budgets"]


class Budgets:
    """Caps by episode and visitor, and the use of an episode, whoever let it be."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return line(self, self._engine.dialect.name)

    def caps(self, episode_id: str, visitor: str) -> Budget | None:
        """What a visitor has said, if they have."""
        here = (budgets.c.episode == _number(episode_id)) & (budgets.c.visitor == visitor)
        with reading(self._engine) as connection:
            row = connection.execute(select(budgets.c.tokens, budgets.c.money).where(here)).first()
        return None if row is None else Budget(row.tokens, row.money)

    def set_caps(self, episode_id: str, visitor: str, caps: Budget) -> None:
        """Keep what a visitor says, in place of what they said before."""
        said = {"tokens": caps.tokens, "money": caps.money}
        insert = insert_into(self._engine, budgets)
        with writing(self._engine) as connection:
            number = connection.scalar(_number_of(episode_id))
            if number is not None:
                connection.execute(
                    insert.values(episode=number, visitor=visitor, **said).on_conflict_do_update(
                        index_elements=["episode", "visitor"], set_=said
                    )
                )

    def use(self, episode_id: str) -> Usage | None:
        """What an episode has used; None if nothing was ever counted.

        Tokens are kept as one sum, which is given as those sent.
        """
        here = spending.c.episode == _number(episode_id)
        with reading(self._engine) as connection:
            row = connection.execute(
                select(spending.c.tokens, spending.c.money).where(here)
            ).first()
        return None if row is None else Usage(tokens_in=row.tokens, money=row.money)

    def spend(self, episode_id: str, use: Usage, before: Usage) -> None:
        """Count some more.

        Parameters
        ----------
        episode_id : str
        use : Usage
        before : Usage
            What was used before anything was counted here: what the record of the episode says.
        """
        insert = insert_into(self._engine, spending)
        with writing(self._engine) as connection:
            number = connection.scalar(_number_of(episode_id))
            if number is None:
                return  # it was deleted for good
            connection.execute(
                insert.values(
                    episode=number, tokens=before.tokens, money=before.money
                ).on_conflict_do_nothing()
            )
            connection.execute(
                update(spending)
                .where(spending.c.episode == number)
                .values(tokens=spending.c.tokens + use.tokens, money=spending.c.money + use.money)
            )


def _number_of(episode_id: str) -> Select[tuple[int]]:
    return select(episodes.c.number).where(has_id(episode_id))


def _number(episode_id: str) -> ScalarSelect[int]:
    return _number_of(episode_id).scalar_subquery()
