"""Long work in parts, each of which can be the last one."""

import numpy as np
import pytest

from emberscope.base.errors import Cancelled
from emberscope.base.monitor import Watch, slices


def test_slices_cover_every_row_once():
    assert np.concatenate([np.arange(10)[part] for part in slices(10, 4)]).tolist() == list(range(10))
    assert [part.stop - part.start for part in slices(10, 4)] == [4, 4, 2]


def test_no_rows_are_no_slices():
    assert list(slices(0, 4)) == []


def test_a_slice_has_a_row_where_not_even_one_fits():
    assert list(slices(2, 0)) == [slice(0, 1), slice(1, 2)]


def test_every_slice_is_reported_before_it_is_worked_on():
    seen = []
    for part in slices(8, 4, Watch(lambda fraction, message: seen.append((fraction, message))), "Kernel"):
        seen.append(part.start)
    assert seen == [(0.0, "Kernel"), 0, (0.5, "Kernel"), 4]


def test_slices_end_where_the_user_stops():
    with pytest.raises(Cancelled):
        next(slices(8, 4, Watch(stop=lambda: True)))
