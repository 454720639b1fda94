"""What a loose label costs, on a toy source: bright squares on noise."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.features import FeatureRecipe
from emberscope.features.extract import extract
from emberscope.frames.registry import open_source
from emberscope.labels.truth import TruthBox
from emberscope.looseness import Chips, looseness_table, sample, study

N_FRAMES, SIZE = 20, 16
TRUTH = {
    7: [
        TruthBox(frame, 20 + 3 * frame, 40, 20 + 3 * frame + SIZE, 40 + SIZE, "Car")
        for frame in range(N_FRAMES)
    ]
}
ONE = Chips(per_frame=1, n_background=1)


@pytest.fixture
def opened(tmp_path):
    frames = np.random.default_rng(0).normal(1000, 30, (N_FRAMES, 120, 160))
    for t in TRUTH[7]:
        frames[t.frame, int(t.y0) : int(t.y1), int(t.x0) : int(t.x1)] += 1000
    np.save(tmp_path / "clip.npy", frames.astype(np.uint16))
    with open_source(tmp_path / "clip.npy") as source:
        yield {7: source}.__getitem__


def test_tight_chips_are_the_truth_and_background_has_their_size_and_touches_none(opened):
    instances, y = sample(TRUTH, opened, u=0, chips=ONE, seed=0)
    assert (y == 1).sum() == (y == -1).sum() == N_FRAMES
    np.testing.assert_array_equal(instances.box[y == 1], [t.box for t in TRUTH[7]])
    background = instances.box[y == -1]
    np.testing.assert_array_equal(background[:, 2:] - background[:, :2], SIZE)
    for frame, (x0, y0, x1, y1) in zip(instances.frame[y == -1], background, strict=True):
        t = TRUTH[7][frame]
        assert max(t.x0 - x1, x0 - t.x1, t.y0 - y1, y0 - t.y1) >= 0


@pytest.mark.parametrize("u", [1, 2, 3])
def test_loose_chips_are_u_times_as_large_and_hold_half_of_the_target(opened, u):
    instances, y = sample(TRUTH, opened, u=u, chips=ONE, seed=0)
    box = instances.box[y == 1]
    np.testing.assert_allclose(box[:, 2:] - box[:, :2], u * SIZE)
    truth = np.array([TRUTH[7][frame].box for frame in instances.frame[y == 1]])
    overlap = np.minimum(box[:, 2:], truth[:, 2:]) - np.maximum(box[:, :2], truth[:, :2])
    assert (overlap.clip(0).prod(axis=1) >= 0.5 * SIZE**2).all()


def test_the_accuracy_is_that_of_the_nearest_neighbors_in_other_blocks_of_frames(opened):
    features = FeatureRecipe(kind="statistics", chip=16)
    cells = study(TRUTH, opened, us=(1,), k=1, representations=("features",), chips=ONE, block=5,
                  folds=4,
                  features=features)  # fmt: skip
    instances, y = sample(TRUTH, opened, u=1, chips=ONE, seed=0)
    X = extract(instances, opened, features).astype(float)
    block = instances.frame // 5
    hits = 0
    for n in range(len(X)):
        others = np.flatnonzero(block != block[n])
        hits += y[others[np.square(X[others] - X[n]).sum(axis=1).argmin()]] == y[n]
    assert cells[0].found.n == len(X)
    assert cells[0].found.accuracy == pytest.approx(hits / len(X))


def test_every_level_and_every_representation_has_its_cell(opened):
    cells = study(
        TRUTH,
        opened,
        us=(0, 2),
        d=3,
        representations=("features", "pca", "mida"),
        chips=ONE,
        block=4,
    )
    assert [(cell.u, cell.representation, cell.d) for cell in cells] == [
        (u, name, d) for u in (0, 2) for name, d in (("features", 0), ("pca", 3), ("mida", 3))
    ]
    assert all(cell.found.majority == 0.5 for cell in cells)
    table = looseness_table(cells, where="On a toy.")
    assert list(table.head) == ["Looseness", "Chips", "Majority", "HOG", "PCA", "MIDA"]
    assert [row[:3] for row in table.rows] == [["u = 0", "40", "0.500"], ["u = 2", "40", "0.500"]]
    assert "with 3 dimensions. On a toy." in table.text


def test_the_same_seed_gives_the_same_cells(opened):
    runs = [
        study(TRUTH, opened, us=(3,), representations=("pca",), chips=ONE, block=4, seed=5)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(runs[0][0].found.predictions, runs[1][0].found.predictions)


def test_truth_without_boxes_is_an_error(opened):
    with pytest.raises(DataError, match="no truth box"):
        study({7: [TruthBox(0, 5, 5, 5, 5, "Car")]}, opened)
