"""Free ids go up only."""

import pytest

from emberscope.project.model.next_ids import NextIds


@pytest.mark.parametrize(("table", "expected"), [
    ("sources", NextIds(8, 2, 3)), ("classes", NextIds(8, 2, 3)), ("side", NextIds(8, 2, 3)),
    ("labels", NextIds(1, 8, 3)), ("runs", NextIds(1, 2, 8)), ("settings", NextIds(1, 2, 3)),
])
def test_an_id_that_is_used_takes_those_before_it_in_its_row(table, expected):
    assert NextIds(1, 2, 3).after(table, 7) == expected


def test_an_id_before_the_free_ones_changes_nothing():
    assert NextIds(9, 0, 0).after("sources", 8) == NextIds(9, 0, 0)


def test_what_is_free_of_both_is_the_higher_of_each():
    assert NextIds(1, 5, 3).beyond(NextIds(2, 4, 6)) == NextIds(2, 5, 6)
