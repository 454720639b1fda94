"""Where the cells of a row stand."""

import pytest
from PySide6.QtCore import QRect

from emberscope_app.lists.cells import REST, Bar, Blank, Row, Words, line
from emberscope_app.lists.layout import placed, width_of

PLACE = QRect(0, 0, 200, 28)
LONG = "a name of so many words that a narrow list has no room for them"


def places(*parts, **place):
    return [rect.getRect() for _, rect in placed(Row((line(*parts, **place),)), PLACE, PLACE)]


def test_cells_stand_beside_one_another_and_one_takes_the_rest():
    assert places(Bar(0.5, wide=20), Words("x", wide=REST, before=4), Bar(0.5, wide=30)) == [
        (12, 0, 20, 28), (36, 0, 122, 28), (158, 0, 30, 28),
    ]  # fmt: skip


def test_a_line_has_a_place_of_its_own_in_a_row():
    assert places(Blank(), top=5, high=17, left=40, right=10) == [(40, 5, 150, 17)]


def test_empty_words_take_no_room_nor_the_gap_before_them(qapp):
    assert places(Words("x", wide=REST), Words("", before=8)) == [(12, 0, 176, 28)]


@pytest.mark.parametrize(("needs", "count"), [(80, 2), (160, 1)])
def test_a_cell_gives_way_where_the_rest_would_have_too_little_room(needs, count):
    assert len(places(Words("x", wide=REST), Bar(0.5, wide=60, gives_way=needs))) == count


def test_words_as_wide_as_their_content_are_shortened_before_others_are_pushed_out(qapp):
    (first, rest, last) = places(Words(LONG), Blank(), Bar(0.5, wide=30))
    assert first[2] == 200 - 24 - 30 < width_of(Words(LONG))
    assert (rest[2], last[0] + last[2]) == (0, 188)


def test_a_line_across_a_table_starts_at_the_left_of_the_row():
    row = Row((line(Blank(), across=True),))
    [(_, rect)] = placed(row, QRect(50, 0, 30, 28), PLACE)
    assert rect.getRect() == (12, 0, 176, 28)
