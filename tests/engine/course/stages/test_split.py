"""Which bags are held out together, and what spoils that."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from emberscope.bags.split_recipe import SplitRecipe
from emberscope.base.errors import MissingLabels, ParamError
from emberscope.course.plan import plan_of
from emberscope.course.runner import run_stages
from emberscope.course.stage import Given
from emberscope.course.stages.given import LABELS, PARTS, SOURCES
from emberscope.course.stages.split import BOTH_SIDES, SIDES, TAUGHT_ITSELF, UNTAUGHT
from emberscope.findings.notes import weighed
from emberscope.pipeline import run
from emberscope.project import Recipe

from ..conftest import RECIPE
from ..test_split import PROJECT, clips


def said(labels, **split):
    plan = plan_of(Recipe(method="pca", split=SplitRecipe(**split)), PROJECT)
    given = Given().put(SOURCES, PROJECT.sources).put(LABELS, labels)
    given.put(PARTS, plan.split.parts(labels))
    return run_stages(plan, [SIDES], given)[SIDES]


def test_frames_of_one_clip_on_both_sides_are_said_of_a_split_that_was_chosen():
    assert said(clips(), kind="bags").notes == [BOTH_SIDES]
    assert said(clips(), kind="clip").notes == []
    assert said(clips(2)).notes == []  # blocks of frames, which are named beside the number


def test_a_class_that_is_held_out_as_a_whole_is_said():
    labels = clips(2)
    classes = np.where(np.arange(12) < 6, 1, 2) * (labels.bags.labels > 0)
    of_two = replace(labels, bags=replace(labels.bags, classes=classes))
    assert said(of_two, kind="hold-out", sources=("day",)).notes == [
        UNTAUGHT.format("1 class", "is", "it")
    ]
    assert said(of_two, kind="clip").notes == [UNTAUGHT.format("2 classes", "are", "them")]


@pytest.mark.parametrize(("sentence", "kind"), [
    (BOTH_SIDES, "clips-on-both-sides"), (UNTAUGHT.format("1 class", "is", "it"), "class-untaught"),
    (TAUGHT_ITSELF.format("1 clip"), "network-taught"),
])  # fmt: skip
def test_its_notes_are_known_for_what_they_are(sentence, kind):
    assert [note.id for note in weighed([sentence], {})] == [kind]


def chosen(**split):
    return msgspec.structs.replace(RECIPE, split=SplitRecipe(**split), classifier="knn")


def test_a_run_keeps_which_bags_were_held_out_and_judges_by_these(project, cache):
    found = run(project, chosen(kind="bags", folds=4), cache=cache)
    assert sorted(np.unique(found.diagnostics["bag_fold"])) == [0, 1, 2, 3]
    assert found.metrics["method_bag_by_bag"] == 1
    assert BOTH_SIDES in found.notes


def test_a_split_of_its_own_is_not_what_a_method_holds_back_by_itself(project, cache, monkeypatch):
    mi_le = msgspec.structs.replace(
        chosen(kind="bags", folds=2), method="mi-le", params={"start": "density", "max_rounds": 1})
    fitted = []
    monkeypatch.setattr("emberscope.course.stages.separation.fitted_without",
                        lambda make, X, y, bags, parts, **rest: fitted.append(parts.fold.max() + 1))
    with pytest.raises(AttributeError):  # what is made of the fits
        run(project, mi_le, cache=cache, at_any_cost=True)
    assert fitted == [2]


def test_a_split_that_cannot_be_ends_a_run_before_it_begins(project, cache):
    with pytest.raises(
        ParamError, match=r"the split holds out night, which is no source\. Sources: frames.npy"
    ):
        run(project, chosen(kind="hold-out", sources=("night",)), cache=cache)
    with pytest.raises(
        MissingLabels, match="2 folds of clips need 2 with labeled bags, there is 1"
    ):
        run(project, chosen(kind="clip"), cache=cache)
    assert not (cache / "features").exists()
