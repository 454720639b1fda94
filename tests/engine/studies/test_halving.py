"""Successive halving: the worse places of a grid get little."""

import pytest

from emberscope.base.errors import ParamError
from emberscope.project.store.cell_folder import Result
from emberscope.studies.cells import cells_of
from emberscope.studies.fill import Filled
from emberscope.studies.halving import Rung, fill_by_halving, rungs_of

from .conftest import study

WORTH = {"pca": 0.6, "lpp": 0.9, "lda": 0.7, "npe": 0.5, "mida": 0.8, "fa": 0.4}
SCORE = "method_bag_auc"


def halved(asked, project):
    """The outcome, and the cells of each round; every method has its worth."""
    rounds = []

    def fill(cells, later):
        rounds.append([(cell.recipe.method, cell.recipe.seed, cell.change.share) for cell in cells])
        return Filled({cell.key: Result(key=cell.key, values=cell.values,
                                        metrics={SCORE: WORTH[cell.recipe.method]})
                       for cell in cells}, {})

    return fill_by_halving(asked, project, cells_of(asked, project), fill), rounds


def test_repeats_are_what_the_better_places_get_more_of():
    assert rungs_of(study(method=["pca"], seed=list(range(5)))) == [
        Rung(1, 1.0), Rung(3, 1.0), Rung(5, 1.0)]
    assert rungs_of(study(method=["pca"], seed=[0, 1, 2])) == [Rung(1, 1.0), Rung(3, 1.0)]


def test_without_repeats_it_is_labels():
    assert [round(rung.share, 2) for rung in rungs_of(study(method=["pca"]))] == [0.11, 0.33, 1.0]


def test_with_neither_there_is_nothing_to_halve():
    with pytest.raises(ParamError, match="nothing to halve"):
        rungs_of(study(method=["pca"], share=[0.5, 1]))


def test_the_better_third_goes_on_and_the_best_is_found(project):
    found, rounds = halved(study(method=list(WORTH), seed=[0, 1, 2]), project)
    assert len(rounds[0]) == 6
    assert {method for method, *_ in rounds[1]} == {"lpp", "mida"}
    assert len(rounds[1]) == 6
    assert max(found.places, key=lambda place: place.mean).values["method"] == "lpp"
    assert found.words == ("Successive halving: 12 cells in 2 rounds, 2 places to the end.")


def test_numbers_of_few_labels_are_none_of_the_study(project):
    asked = study(method=list(WORTH))
    found, rounds = halved(asked, project)
    assert [len(cells) for cells in rounds] == [6, 2, 2]
    assert {share for *_, share in rounds[-1]} == {1.0}
    assert set(found.results) <= {cell.key for cell in cells_of(asked, project)}
    assert len(found.results) == 2
