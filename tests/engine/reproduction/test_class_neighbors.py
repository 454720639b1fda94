"""Metrics learned from classes on tables that come with scikit-learn."""

import pytest

from emberscope.base.errors import DataError
from emberscope.base.monitor import monitored
from emberscope.reproduction.class_neighbors import neighbor_error
from emberscope.reproduction.measures import MEASURES
from emberscope.reproduction.tables import fill_in, read_table


def error(data, metric=""):
    return neighbor_error(seed=0, monitor=monitored(None), points=None, data=data, metric=metric)


def test_the_error_is_a_share_of_the_rows_that_were_not_learned_from():
    assert error("iris") * 45 == pytest.approx(round(error("iris") * 45))
    assert 0 < error("iris") < 0.2


def test_lmnn_votes_no_worse_on_wine_than_the_features():
    assert error("wine", "lmnn") <= error("wine")


def test_a_row_of_the_table_is_filled_in():
    (line,) = fill_in(read_table("class-neighbors"), MEASURES, only="wine, no metric")
    assert line.agrees


def test_an_unknown_table_or_metric_is_named():
    with pytest.raises(DataError, match="no table 'faces'"):
        error("faces")
    with pytest.raises(DataError, match="no metric 'itml'"):
        error("iris", "itml")
