"""A commitment's strategy, without a browser."""

from types import SimpleNamespace
from unittest.mock import MagicMock, patch

from explorer.ui.rewards import clever
from tests.depth import each


@each("is_open", [False, True])
def test_a_strategy_is_worked_out_only_where_it_is_unfolded(is_open):
    tables, screen = [], MagicMock()
    screen.expander.return_value.open = is_open
    found = SimpleNamespace(strategy={}, reached=set())
    with patch.multiple(clever, st=screen, wide_table=lambda *given: tables.append(given)):
        clever._strategy(SimpleNamespace(title="nip"), found, "expert", "the verifier")
    assert len(tables) == is_open
