"""What a study says: means over seeds, intervals, the best, what is as good."""

import math
from types import SimpleNamespace

import pytest

from emberscope.base.errors import ParamError
from emberscope.project import Recipe
from emberscope.project.model.study import Study
from emberscope.project.store.cell_folder import Result
from emberscope.studies.summary import Place, answer_of, check_score, lacking_words, places_of

KEY = "method_bag_auc"


def place(d, *scores, low=math.nan, high=math.nan):
    return Place({"d": d}, scores, low, high, (high - low) / 4, 0, (), None)


def test_a_mean_is_that_of_its_seeds():
    assert place(2, 0.8, 0.9).mean == pytest.approx(0.85)


def test_the_best_is_the_highest_mean():
    answer = answer_of([place(2, 0.7), place(5, 0.9)], KEY)
    assert answer.words.startswith("Best of 2 places: d 5, held-out bag AUC")


def test_of_errors_the_lowest_is_best():
    for score in ("stress", "bag_rmse"):
        assert answer_of([place(2, 0.7), place(5, 0.9)], score).best.values == {"d": 2}


def test_the_first_within_one_standard_error_is_named():
    places = [place(2, 0.89, low=0.8, high=0.95), place(5, 0.90, low=0.82, high=0.96)]
    assert "the first is d 2 with 0.89" in answer_of(places, KEY).words


def test_a_choice_among_several_is_said_to_be_optimistic():
    assert "optimistic" in answer_of([place(2, 0.7), place(5, 0.9)], KEY).words


def test_without_a_number_there_is_no_answer():
    assert answer_of([place(2)], KEY) is None


def cell(key):
    return SimpleNamespace(key=key)


def test_cells_without_a_number_are_counted_by_their_reasons():
    results = {
        "a": Result(key="a", values={}, error="n_components is 500. Give 1 - 100."),
        "b": Result(key="b", values={}, metrics={KEY: 0.8}),
        "c": Result(key="c", values={}, metrics={"n": 7.0}),
        "d": Result(key="d", values={}, error="n_components is 500. Give 1 - 100."),
    }
    assert lacking_words([cell(key) for key in "abcde"], results, KEY) == [
        "2 cells of 5 without held-out bag AUC: n_components is 500. Give 1 - 100.",
        "1 cell of 5 without held-out bag AUC: The run has none.",
    ]


def test_of_many_reasons_five_are_said_and_the_others_counted():
    results = {key: Result(key=key, values={}, error=f"Reason {key}.") for key in "abcdefg"}
    said = lacking_words([cell(key) for key in results], results, KEY)
    assert (len(said), said[-1]) == (6, "2 cells more without it, for other reasons.")


def test_cells_that_were_given_up_are_not_counted_again():
    results = {"a": Result(key="a", values={}, error="Processes died at it.", given_up=True)}
    assert lacking_words([cell("a")], results, KEY) == []


def test_a_score_that_is_no_measure_is_refused():
    with pytest.raises(ParamError, match="there is no number beauty"):
        check_score(Study(score="beauty", axes={}))


def test_an_interval_of_what_may_be_below_zero_holds_its_mean():
    cells = [SimpleNamespace(key=str(k), values={"seed": k}, recipe=Recipe(seed=k))
             for k in range(2)]
    results = {str(k): Result(key=str(k), values={}, metrics={"bag_r2": score})
               for k, score in enumerate((-0.4, -0.2))}
    (found,) = places_of(Study(axes={"seed": [0, 1]}), cells, results, "bag_r2")
    assert found.low < found.mean < found.high


def test_an_interval_of_an_area_stays_below_one():
    cells = [SimpleNamespace(key=str(k), values={"seed": k}, recipe=Recipe(seed=k))
             for k in range(2)]
    ends = {f"{KEY}_low": 0.6, f"{KEY}_high": 1.0}
    results = {str(k): Result(key=str(k), values={}, metrics={KEY: score, **ends})
               for k, score in enumerate((0.9, 1.0))}
    (found,) = places_of(Study(axes={"seed": [0, 1]}), cells, results, KEY)
    assert (found.low, found.high) == (pytest.approx(0.315, abs=0.01), 1.0)
    assert found.error == pytest.approx(0.102, abs=0.001)
