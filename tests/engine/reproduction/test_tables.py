"""Published tables are read, measured row by row, and say why where they cannot be."""

import numpy as np
import pytest

from emberscope.base.errors import DataError, FormatError, MissingLabels
from emberscope.catalogue import CLASSIFIERS, EMBEDDERS
from emberscope.reproduction.measures import MEASURES
from emberscope.reproduction.tables import (
    Row,
    Table,
    benchmark,
    fill_in,
    has_benchmark,
    not_measured,
    published_tables,
    read_table,
)

NAMES = sorted(published_tables())
KNOWN = {row.id for row in (*CLASSIFIERS, *EMBEDDERS)}


def table(**row):
    return Table(title="t", source="s", rows=[Row(name="a", **row)])


def first(**row):
    def half(*, seed, monitor, points, add=0.0):
        return 0.5 + 0.1 * seed + add

    return next(iter(fill_in(table(**row), {"half": half})))


@pytest.mark.parametrize("name", NAMES)
def test_every_table_that_comes_along_can_be_measured(name):
    found = read_table(name)
    measured = {row.measure or found.measure for row in found.rows if not row.unavailable}
    assert measured <= MEASURES.keys()
    for row in found.rows:
        named = {**found.params, **row.params}
        assert {named[key] for key in ("method", "reduce") if named.get(key)} <= KNOWN, row.name


@pytest.mark.parametrize("name", NAMES)
def test_no_number_in_a_table_is_called_ours(name):
    assert "ours" not in {field for row in read_table(name).rows for field in row.params}


def test_a_row_is_the_mean_over_draws_beside_what_was_printed():
    line = first(measure="half", published=50.0, seeds=3)
    assert (line.ours, line.difference, line.seeds) == (pytest.approx(60.0), pytest.approx(10.0), 3)
    assert line.sd == pytest.approx(10.0)


def test_parameters_of_a_row_go_to_its_measurement():
    assert first(measure="half", params={"add": 0.25}).ours == pytest.approx(75.0)


def test_one_draw_has_no_spread():
    assert np.isnan(first(measure="half").sd)


def test_what_cannot_be_measured_says_why_in_one_line():
    line = first(unavailable="the data were never published", published=88.0)
    assert np.isnan(line.ours)
    assert line.note == "the data were never published"


def test_a_measurement_that_fails_does_not_stop_the_others():
    def fails(*, seed, monitor, points):
        raise MissingLabels("no negative bag", hint="Label one.")

    both = Table(
        title="t", source="s", rows=[Row(name="a", measure="x"), Row(name="b", measure="y")]
    )
    lines = list(fill_in(both, {"x": fails, "y": lambda **_: 1.0}))
    assert "no negative bag" in lines[0].note
    assert lines[1].ours == 100.0


def test_only_some_rows_can_be_asked_for():
    both = Table(title="t", source="s", measure="y", rows=[Row(name="MIDA"), Row(name="PCA")])
    assert [line.name for line in fill_in(both, {"y": lambda **_: 1.0}, only="pca")] == ["PCA"]
    with pytest.raises(DataError, match="MIDA, PCA"):
        list(fill_in(both, {"y": lambda **_: 1.0}, only="lda"))


def test_an_unknown_table_names_the_known_ones():
    with pytest.raises(DataError, match="surfaces"):
        read_table("sufraces")


def test_a_table_with_a_field_nobody_reads_is_refused(tmp_path):
    (tmp_path / "t.toml").write_text('title = "t"\nsource = "s"\nours = 3\nrows = []')
    with pytest.raises(DataError, match="ours"):
        read_table(str(tmp_path / "t.toml"))


def test_a_benchmark_is_found_in_its_folder(tmp_path):
    np.savez(tmp_path / "tiny.npz", X=np.eye(4), bag=np.arange(4), bag_y=[1, 1, -1, -1])
    assert len(benchmark("tiny", tmp_path).X) == 4


def test_a_benchmark_that_is_not_there_says_where_to_put_it(tmp_path):
    with pytest.raises(FormatError, match="--data"):
        benchmark("musk1", None)
    with pytest.raises(FormatError, match="no readable musk1"):
        benchmark("musk1", tmp_path)


@pytest.mark.parametrize(("row", "words"), [
    ({}, "no measure ''"),
    ({"measure": "zz"}, "no measure 'zz'"),
    ({"measure": "half", "params": {"zz": 1}}, "unexpected keyword argument 'zz'"),
    ({"measure": "half", "params": {"add": "much"}}, "row a cannot be measured"),
])
def test_a_row_that_is_written_wrong_is_named(row, words):
    with pytest.raises(DataError, match=words):
        first(**row)


@pytest.mark.parametrize(("params", "named"), [
    ({"data": "surfaces", "kind": "odd"}, "odd"),
    ({"data": "surfaces", "kind": "separable", "method": "pca", "set": {"zz": 1}}, "zz"),
])
def test_a_value_that_a_measurement_does_not_know_is_said_in_its_row(params, named):
    line = next(iter(fill_in(table(measure="map-accuracy", params={"n": 20, **params}), MEASURES)))
    assert named in line.note


@pytest.mark.parametrize("name", NAMES)
def test_the_rows_of_a_table_are_told_apart_by_their_names(name):
    names = [row.name.lower() for row in read_table(name).rows]
    assert len(set(names)) == len(names)


def test_a_benchmark_that_is_damaged_says_where(tmp_path):
    (tmp_path / "musk1.data").write_text("MUSK-1,1_1,4,-2,1.\nMUSK-2,2_1,7,0.\n")
    with pytest.raises(FormatError, match="line 2"):
        benchmark("musk1", tmp_path)


def test_a_data_set_is_a_name_and_no_path(tmp_path):
    with pytest.raises(DataError, match="no name of a data set"):
        benchmark("/etc", tmp_path)


def test_a_row_comes_as_soon_as_it_is_measured():
    drawn = []
    both = Table(title="t", source="s", measure="y", rows=[Row(name="a"), Row(name="b")])
    lines = iter(fill_in(both, {"y": lambda **_: drawn.append(1) or 1.0}))
    assert next(lines).name == "a"
    assert len(drawn) == 1


@pytest.mark.parametrize(
    ("published", "agrees"), [(60.0, True), (56.04, True), (55.9, False), (None, None)]
)
def test_ours_agrees_with_print_as_far_as_the_table_asks(published, agrees):
    def sixty(*, seed, monitor, points):
        return 0.6

    rows = [Row(name="a", measure="y", published=published)]
    (line,) = fill_in(Table(title="t", source="s", tolerance=4.0, rows=rows), {"y": sixty})
    assert line.agrees is agrees


def test_a_table_that_names_no_tolerance_gives_no_verdict():
    assert first(measure="half", published=10.0).agrees is None


def test_the_tolerance_of_a_row_goes_before_that_of_the_table():
    both = Table(title="t", source="s", tolerance=4.0, rows=[Row(name="a", tolerance=9.0)])
    assert not_measured(both, both.rows[0]).tolerance == 9.0


def test_a_set_is_known_by_its_name_alone(tmp_path):
    (tmp_path / "musk1.data").write_text("anything")
    (tmp_path / "elephant").mkdir()
    assert [has_benchmark(name, tmp_path) for name in ("musk1", "elephant", "musk")] == [
        True,
        True,
        False,
    ]
