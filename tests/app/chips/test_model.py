"""What the gallery shows, and where each chip lies."""

from itertools import pairwise

import numpy as np
import pytest

from emberscope.labels import BACKGROUND
from emberscope.project import mark
from emberscope_app.chips.model import (
    GAP,
    HEADER,
    NOTHING,
    Arrangement,
    GridLayout,
    arrange,
    shown_rows,
)
from emberscope_app.state.core.row_index import RowIndex


def chips_of(*counts):
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Arrangement(
        np.arange(starts[-1]), np.arange(len(counts)), starts, lambda key: (f"Group {key}", None)
    )


def layout(*counts, width=334, size=56, collapsed=()):
    return GridLayout(chips_of(*counts), width, size, 12, collapsed=frozenset(collapsed))


def test_chips_of_a_line_fill_the_width_exactly():
    grid = layout(20, width=331)
    first, last = grid.rect(0), grid.rect(grid.columns - 1)
    assert first[0] == 12
    assert last[0] + last[2] == 331 - 12


def test_chips_of_a_line_never_touch():
    grid = layout(20, width=331)
    rects = [grid.rect(i) for i in range(grid.columns)]
    assert {b[0] - a[0] - a[2] for a, b in pairwise(rects)} <= {GAP - 1, GAP, GAP + 1}


def test_the_chip_under_a_point_is_the_one_painted_there():
    grid = layout(7, 3, 12)
    for position in range(22):
        x, y, side = grid.rect(position)
        assert grid.at(x + side / 2, y + 5) == position


def test_between_two_chips_there_is_none():
    grid = layout(7)
    x, y, side = grid.rect(0)
    assert grid.at(x + side + 1, y + 5) == -1


def test_headers_lie_above_their_groups():
    grid = layout(7, 3)
    assert grid.header_at(0) == 0
    assert grid.header_at(HEADER) == -1
    assert grid.header_at(int(grid.tops[1]) + 5) == 1


def test_a_folded_group_is_its_header_only():
    grid = layout(7, 3, collapsed=[0])
    assert int(grid.tops[1]) == HEADER
    assert grid.at(*[v + 5 for v in grid.rect(7)[:2]]) == 7


def test_only_what_is_in_view_is_asked_for():
    grid = layout(100_000)
    found = grid.positions_between(0, 50_000, 50_300)
    assert len(found) <= (300 // grid.pitch + 2) * grid.columns


@pytest.mark.parametrize("top", [0, 40, 90, 150, 260])
def test_what_is_in_view_are_the_lines_that_reach_into_it(top):
    grid, bottom = layout(12, 3, 9), top + 100
    found = [
        position
        for g in grid.groups_between(top, bottom)
        for position in grid.positions_between(g, top, bottom)
    ]
    tops = [grid.rect(position)[1] for position in range(24)]
    assert found == [
        position for position, y in enumerate(tops) if y < bottom and y + grid.pitch > top
    ]


@pytest.mark.parametrize(
    ("start", "key", "end"),
    [
        (0, "right", 1),
        (0, "left", 0),
        (0, "down", 5),
        (5, "down", 7),
        (6, "up", 1),
        (7, "up", 5),
        (9, "home", 0),
        (0, "end", 9),
        (4, "down", 6),
        (9, "up", 6),
        (0, "pageup", 0),
        (0, "pagedown", 5),
    ],
)
def test_arrows_move_line_by_line_across_groups(start, key, end):
    grid = layout(7, 3)
    assert grid.columns == 5
    assert grid.moved(start, key, 100) == end


def test_a_move_into_a_shorter_line_ends_at_its_last_chip():
    grid = layout(5, 2, 5)
    assert grid.columns == 5
    assert (grid.moved(4, "down", 100), grid.moved(11, "up", 100)) == (6, 6)


def test_a_page_is_as_many_lines_as_fit_into_it():
    grid = layout(20)
    assert grid.moved(1, "pagedown", 2 * grid.pitch + 3) == 11
    assert grid.moved(11, "pageup", 2 * grid.pitch + 3) == 1


def test_a_rectangle_touches_the_chips_it_overlaps():
    grid = layout(7)
    x, y, side = grid.rect(1)
    assert grid.inside(x + 5, y + 5, x + side + GAP + 2, y + 8) == [1, 2]


def test_a_header_sticks_once_its_own_place_is_above_the_view():
    grid = layout(7, 3)
    second = int(grid.tops[1])
    assert [grid.sticky(top) for top in (0, 1, second - 1, second, second + 1)] == [-1, 0, 0, -1, 1]


def test_no_chips_have_no_height():
    assert GridLayout(NOTHING, 300, 56, 12, collapsed=frozenset()).height == 0


def test_rows_are_found_by_id(session):
    index = RowIndex(session.run)
    assert index.rows(session.run.ids[[5, 2]]).tolist() == [2, 5]
    assert index.rows(np.array([-1])).tolist() == []
    assert index.row(int(session.run.ids[7])) == 7
    assert index.row(None) == -1


def test_the_largest_class_comes_first_and_the_best_score_in_it(session):
    run = session.run
    chips = arrange(session.project, run, np.arange(len(run.ids)), group="class", sort="score")
    assert [chips.heading(g).title for g in range(2)] == [
        "Patches in 12 boxes of Target",
        "Background",
    ]
    assert chips.heading(0).count == 192
    scores = run.point_scores["score"][chips.rows[:192]]
    assert np.all(np.diff(scores) <= 0)


def test_background_comes_after_targets_however_large_it_is(session):
    run = session.run
    session.do(mark(session.project, run.ids[:150].tolist(), 2))
    chips = arrange(session.project, run, np.arange(len(run.ids)), group="class", sort="score")
    assert chips.heading(0).title == "Patches in 12 boxes of Target"
    assert chips.heading(0).count < chips.heading(1).count


def test_chips_without_a_score_come_last(session):
    run = session.run
    run.point_scores["score"][3] = np.nan
    chips = arrange(session.project, run, np.arange(5), group="nothing", sort="score")
    assert chips.rows[-1] == 3


def test_by_time_the_first_frame_comes_first(session):
    chips = arrange(session.project, session.run, np.arange(288), group="nothing", sort="time")
    assert np.all(np.diff(session.run.frame[chips.rows]) >= 0)


def test_by_size_the_widest_chip_comes_first(session):
    session.run.box[9] = (0, 0, 90, 90)
    chips = arrange(session.project, session.run, np.arange(288), group="nothing", sort="size")
    assert chips.rows[0] == 9


def test_bags_are_groups_with_their_name_and_class(session):
    chips = arrange(session.project, session.run, np.arange(288), group="bag", sort="score")
    assert len(chips.keys) == 18
    assert (chips.heading(0).title, chips.heading(0).slot) == ("Bag 100", 1)


def test_a_marked_chip_moves_to_its_class(session):
    run, project = session.run, session.project
    session.do(mark(project, [int(run.ids[0])], 0))
    chips = arrange(project, run, np.arange(288), group="class", sort="score")
    assert chips.heading(2).title == "Ignored"
    assert chips.rows[-1] == 0


def test_selected_means_all_where_nothing_is(session):
    none, few = np.empty(0, np.int64), np.array([4, 8])
    assert len(shown_rows(session.project, session.run, "selected", none)) == 288
    assert shown_rows(session.project, session.run, "selected", few).tolist() == [4, 8]


def test_conflicts_are_those_of_a_positive_and_a_negative_bag(session):
    assert len(shown_rows(session.project, session.run, "conflicts", np.empty(0, np.int64))) == 0


def test_unlabeled_are_those_in_no_bag_and_without_a_mark(session):
    run = session.run
    run.bag_classes[0] = 99
    session.project.classes.pop(99, None)
    run.bag_labels[0] = 0
    run.bag_classes[0] = 0
    found = shown_rows(session.project, run, "unlabeled", np.empty(0, np.int64))
    assert found.tolist() == run.bags.of(0).tolist()


def test_marked_background_comes_last_among_witnesses(session):
    run = session.run
    first = int(np.argmax(run.point_scores["score"]))
    session.do(mark(session.project, [int(run.ids[first])], BACKGROUND))
    chips = arrange(session.project, run, np.arange(len(run.ids)), group="nothing", sort="witness")
    assert chips.rows[-1] == first
