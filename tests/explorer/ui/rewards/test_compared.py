"""Tests of compared.py and panel.py: all protocols in one table, entered through the app."""

import pytest

from tests.explorer.ui.rewards.test_page import opened, said

pytestmark = pytest.mark.usefixtures("database")


def test_all_protocols_are_in_one_table():
    app = opened(q="all")
    assert len(app.dataframe[0].value) > 40
    assert "An opponent repairs most of it" in said(app)
