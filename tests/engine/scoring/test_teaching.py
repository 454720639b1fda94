"""Which side of a run teaches what scores clips."""

import msgspec
import numpy as np
import pytest

from emberscope.bags.folds import LEARNED, NO_PART
from emberscope.bags.split_recipe import SplitRecipe
from emberscope.labels import BACKGROUND, Box
from emberscope.pipeline import run as make_run
from emberscope.project import Project, PutLabels, PutRuns
from emberscope.project.exchange.sources import add_source
from emberscope.scoring.clips import Scoring
from emberscope.scoring.teaching import side_that_teaches, sources_that_taught

from .conftest import RECIPE, clip_with_blob

HELD = SplitRecipe(kind="hold-out", sources=("far.npy",))
PLACES = [(8 + 2 * n, 6) for n in range(12)]


@pytest.fixture
def held_out(tmp_path, cache, few_trees):
    """A project of a near clip that teaches and a far one that judges, and a run of it. swapped :
    the labels of the far clip say target where the ground is."""

    def build(*, swapped=False, split=HELD, **more):
        project = Project()
        for name, seed in (("near", 0), ("far", 1)):
            path = clip_with_blob(tmp_path / f"{name}.npy", PLACES, seed=seed)
            project.apply(add_source(project, path))
        labels = []
        for source, ref in project.sources.items():
            other = swapped and ref.name == "far.npy"
            kinds = (BACKGROUND, 1) if other else (1, BACKGROUND)
            for frame, (x, y) in enumerate(PLACES):
                for kind, (left, top) in zip(kinds, ((x - 4, y - 4), (x, 26)), strict=True):
                    labels.append(Box(id=len(labels) + 1, source=source, frame=frame, class_id=kind,
                                      x0=left, y0=top, x1=left + 20, y1=top + 20))
        project.apply(PutLabels(after=labels))
        made = make_run(project, msgspec.structs.replace(RECIPE, split=split, **more), cache=cache)
        project.apply(PutRuns(after=[made]))
        return project, made

    return build


def heat_on_far(project, run, cache):
    """Heat of all frames of the clip that judges."""
    scoring = Scoring(project, run, cache)
    (far,) = (ref for ref in project.sources.values() if ref.name == "far.npy")
    scoring.score([far])
    return np.concatenate([block.heat[12] for block in scoring.blocks(far)])


@pytest.mark.parametrize("method", ["pca", "mi-le"])
def test_what_judges_teaches_nothing_of_what_it_judges(held_out, cache, method):
    true = heat_on_far(*held_out(method=method), cache)
    np.testing.assert_array_equal(
        heat_on_far(*held_out(method=method, swapped=True), cache), true)


def test_the_side_that_judges_teaches_no_probability(held_out, cache):
    rules = []
    for swapped in (False, True):
        project, run = held_out(swapped=swapped)
        heat_on_far(project, run, cache)
        rules.append(Scoring(project, run, cache).probability())
    (first, words), (second, same_words) = rules
    assert first is not None, words
    assert (first.arrays()[0] == second.arrays()[0]).all()
    assert words == same_words


def test_targets_are_found_on_the_clip_that_judges(held_out, cache):
    heat = heat_on_far(*held_out(method="mi-le"), cache)
    found = [np.unravel_index(frame.argmax(), frame.shape) for frame in heat]
    assert all(abs(4 * column - x) <= 8 and abs(4 * row - y) <= 8  # in the box of the label
               for (row, column), (x, y) in zip(found, PLACES, strict=True))


def test_the_side_that_teaches_has_the_bags_of_its_clips_alone(held_out):
    project, run = held_out()
    side = side_that_teaches(run)
    assert [project.sources[key].name for key in sources_that_taught(run)] == ["near.npy"]
    assert len(side.bags) == 24
    near = int((run.source == side.source[0]).sum())
    assert len(side.ids) == len(side.box) == len(side.y) == near


def test_a_bag_that_takes_no_part_says_nothing_of_what_teaches(held_out):
    _, run = held_out()
    fold = run.diagnostics["bag_fold"].copy()
    near = np.flatnonzero((fold == LEARNED) & (run.bag_labels > 0))[0]
    row = int(run.bags.of(int(near))[0])
    no_part = np.flatnonzero((fold == LEARNED) & (run.bag_labels < 0))[0]
    fold[no_part] = NO_PART
    at = run.indptr[no_part + 1]
    indptr = run.indptr + (np.arange(len(run.indptr)) > no_part)
    y = run.y.copy()
    y[row] = -1  # as of an instance that lies in background, too
    both = msgspec.structs.replace(
        run, indptr=indptr, members=np.insert(run.members, at, row), y=y,
        diagnostics={**run.diagnostics, "bag_fold": fold},
    )  # fmt: skip
    side = side_that_teaches(both)
    assert side.y[side.ids == run.ids[row]].tolist() == [1]


def test_what_a_mark_says_stays_with_the_side_that_teaches(held_out):
    _, run = held_out()
    row = int(np.flatnonzero(run.y > 0)[0])
    marked = msgspec.structs.replace(
        run, y=np.where(np.arange(len(run.y)) == row, -1, run.y).astype(np.int8),
        diagnostics={**run.diagnostics, "marks": np.array([[run.ids[row], BACKGROUND]])},
    )  # fmt: skip
    side = side_that_teaches(marked)
    assert side.y[side.ids == run.ids[row]].tolist() == [-1]


def test_of_a_split_in_folds_all_clips_teach(held_out):
    _, run = held_out(split=SplitRecipe(kind="clip"))
    assert side_that_teaches(run) is run


def test_the_clip_that_judges_may_be_gone(held_out, cache, tmp_path):
    project, run = held_out()
    clip = tmp_path / "new.npy"
    clip_with_blob(clip, PLACES[:2], seed=2)
    (tmp_path / "far.npy").unlink()
    project.apply(add_source(project, clip))
    (new,) = (ref for ref in project.sources.values() if ref.name == "new.npy")
    assert Scoring(project, run, cache).score([new])[0].found
