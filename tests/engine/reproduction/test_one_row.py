"""A row of a table is measured where the worker runs it."""

import numpy as np
import pytest

from emberscope.base.errors import DataError, FormatError
from emberscope.base.monitor import Silent
from emberscope.reproduction.one_row import measure_row


@pytest.fixture
def table(tmp_path):
    """A table of one generated row, one of a benchmark and one that cannot be measured."""
    path = tmp_path / "mine.toml"
    path.write_text('''
title = "t"
source = "s"
data = "tiny"
seeds = 2
[[rows]]
name = "points"
measure = "map-accuracy"
params = { data = "surfaces", kind = "separable", n = 40 }
[[rows]]
name = "lost"
unavailable = "never published"
''')
    return str(path)


def test_a_row_is_measured_by_its_name(table, tmp_path):
    np.savez(tmp_path / "tiny.npz", X=np.eye(4), bag=np.arange(4), bag_y=[1, 1, -1, -1])
    line = measure_row(table, "points", data=tmp_path, monitor=Silent())
    assert line.seeds == 2
    assert 50 < line.ours <= 100


def test_as_many_draws_as_asked_for_are_made(table, tmp_path):
    np.savez(tmp_path / "tiny.npz", X=np.eye(4), bag=np.arange(4), bag_y=[1, 1, -1, -1])
    assert measure_row(table, "points", data=tmp_path, seeds=1, monitor=Silent()).seeds == 1


def test_what_cannot_be_measured_asks_for_no_data(table):
    assert measure_row(table, "lost", monitor=Silent()).note == "never published"


def test_data_that_are_missing_stop_the_row(table):
    with pytest.raises(FormatError, match="needs a public data set"):
        measure_row(table, "points", monitor=Silent())


def test_a_row_that_is_not_there_is_named(table):
    with pytest.raises(DataError, match="no row 'zz'"):
        measure_row(table, "zz", monitor=Silent())
