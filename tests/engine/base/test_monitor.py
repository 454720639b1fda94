"""Long work in parts, each of which can be the last one."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Shared, Watch, slices


def test_slices_cover_every_row_once():
    assert np.concatenate([np.arange(10)[part] for part in slices(10, 4)]).tolist() == list(
        range(10)
    )
    assert [part.stop - part.start for part in slices(10, 4)] == [4, 4, 2]


def test_no_rows_are_no_slices():
    assert list(slices(0, 4)) == []


def test_a_slice_has_a_row_where_not_even_one_fits():
    assert list(slices(2, 0)) == [slice(0, 1), slice(1, 2)]


def test_every_slice_is_reported_before_it_is_worked_on():
    seen = []
    for part in slices(
        8, 4, Watch(lambda fraction, message: seen.append((fraction, message))), "Kernel"
    ):
        seen.append(part.start)
    assert seen == [(0.0, "Kernel"), 0, (0.5, "Kernel"), 4]


def test_slices_end_where_the_user_stops():
    with pytest.raises(Cancelled):
        next(slices(8, 4, Watch(stop=lambda: True)))


def test_the_bar_that_threads_share_shows_the_mean_of_their_fractions():
    seen = []
    shared = Shared(Watch(lambda fraction, message: seen.append((fraction, message))), 4)
    shared.part(0).step(1.0, "Trees")
    shared.part(3).step(0.5, "Kernel")
    assert seen == [(0.25, "Trees"), (0.375, "Kernel")]


def test_what_stops_one_thread_stops_the_others_without_asking_again():
    asked = []
    shared = Shared(Watch(stop=lambda: asked.append(1) or True), 2)
    for number in (0, 1):
        with pytest.raises(Cancelled):
            shared.part(number).step(0.0)
    assert len(asked) == 1
