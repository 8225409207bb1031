"""Test that every kind of exhibit can be drawn."""

from typing import get_args

from dptopk.ui.exhibits.base import Exhibit
from dptopk.ui.widgets import elements


def test_every_type_of_exhibit_is_drawn_by_one_function():
    assert {*get_args(Exhibit)} - {type(None)} == {*elements.DRAWN}
