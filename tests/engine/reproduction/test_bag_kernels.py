"""Vectors of bags beside kernels between bags, a draw each."""

import pytest

from emberscope.base.errors import DataError
from emberscope.base.monitor import Silent
from emberscope.reproduction.measures import MEASURES
from emberscope.reproduction.tables import read_table


def measured(seed=0, **params):
    return MEASURES["compared-accuracy"](seed=seed, monitor=Silent(), points=None, **params)


@pytest.mark.parametrize("by", ["vectors", "mi-kernel"])
def test_topics_whose_means_differ_are_told_apart_either_way(by):
    assert measured(data="topics", by=by) > 0.95


@pytest.mark.parametrize("seed", [0, 1])
def test_coordinates_of_a_map_per_bag_are_no_better_than_chance(seed):
    # chance is .2, two standard errors of 50 bags are .12
    assert measured(seed, data="topics", by="vectors",
                    set={"variant": "per-bag", "projection": "pca"}) < 0.4


@pytest.mark.parametrize("seed", [0, 1])
def test_a_kernel_between_bags_sees_topics_that_components_of_their_means_do_not(seed):
    by_means = measured(seed, data="subspaces", by="vectors",
                        set={"projection": "pca"})
    assert measured(seed, data="subspaces", by="mi-kernel") > by_means + 0.1


@pytest.mark.parametrize(("name", "value"), [("data", "words"), ("by", "tea leaves")])
def test_what_there_is_not_is_refused_with_what_there_is(name, value):
    with pytest.raises(DataError, match="there is no"):
        measured(**{"data": "witness", "by": "vectors", name: value})


def test_the_table_has_both_ways_for_each_kind_of_data():
    rows = read_table("conversion-kernels").rows
    for data in ("topics", "subspaces", "witness"):
        ways = {row.params["by"] for row in rows if row.params["data"] == data}
        assert ways == {"vectors", "mi-kernel", "mi-graph"}
