"""Methods that take distances between instances in place of those between rows of X."""

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist

from emberscope.bags.model import Bags
from emberscope.base.errors import DataError, NoOutOfSample
from emberscope.catalogue import EMBEDDERS, load
from emberscope.datasets.shifted_digits import shifted_digits
from emberscope.embedding.distance.mds import MDS
from emberscope.embedding.kernel.isomap import Isomap
from emberscope.embedding.spectral.laplacian_eigenmaps import LaplacianEigenmaps
from emberscope.labels.side_info import Invariance
from emberscope.metric.chip_distances import ChipDistances, squared_to
from emberscope.metric.dissimilarities import KINDS
from emberscope.neighbors.distances import Distances

pytestmark = pytest.mark.usefixtures("few_trees")
TAKING = [row.id for row in EMBEDDERS if row.measured]
OF_BAGS = [row.id for row in EMBEDDERS if row.measured and row.needs == "bag"]
QUICK = {
    "largevis": {"n_epochs": 20},
    "umap": {"n_epochs": 20},
    "sne": {"n_iter": 20},
    "tsne": {"n_iter": 20},
    "pacmap": {"n_epochs": 20},
    "mi-umap": {"n_epochs": 20},
    **{id: {"max_rounds": 1, "start": "mil-boost"} for id in ("mi-le", "mi-isomap")},
}
SIDEWAYS = (Invariance(id=1, family="translate", step=1, reach=1, direction=0),)


def some(n=60, features=4, seed=0):
    """A bent sheet, in two parts."""
    rng = np.random.default_rng(seed)
    t, h = rng.uniform(0, 3, n), rng.uniform(0, 1, n)
    bent = np.column_stack([np.cos(t), np.sin(t) + 9 * (t > 2), h, t * h])
    return (bent + 0.01 * rng.normal(size=(n, 4))).astype(np.float32)[:, :features]


def plain(X):
    return Distances(cdist(X.astype(float), X.astype(float), "sqeuclidean"))


def make(id, **params):
    return load(id)(**{**QUICK.get(id, {}), **params})


def classes(X):
    """Labels for methods that read them: every other instance."""
    return np.where(np.arange(len(X)) % 2, 1, -1)


def fitted(est, id, X):
    """The method after a fit, with bags of five instances, every other one positive, or labels
    where it reads such."""
    if id not in OF_BAGS:
        return est.fit(X, classes(X))
    bag = np.arange(len(X)) // 5
    return est.fit(X, bags=Bags.from_column(bag, classes(np.unique(bag))))


def chips(n=30, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 36)).astype(np.float32)


@pytest.mark.parametrize("id", TAKING)
def test_with_the_distances_of_the_features_the_embedding_is_the_same(id):
    X = some().astype(float)  # in single precision two neighbors of MI-UMAP change places
    alone = fitted(make(id), id, X).embedding_
    given = fitted(make(id).measured_by(plain(X)), id, X).embedding_
    np.testing.assert_allclose(given, alone, atol=1e-4 * np.abs(alone).max())


@pytest.mark.parametrize("policy", ["bridge", "largest", "per-component"])
@pytest.mark.parametrize("id", ["isomap", "laplacian-eigenmaps", "ltsa", "diffusion-maps"])
def test_parts_of_a_graph_are_joined_by_the_distances_too(id, policy):
    X = some()
    alone = make(id, n_neighbors=6, components=policy).fit(X)
    given = make(id, n_neighbors=6, components=policy).measured_by(plain(X)).fit(X)
    assert alone.component_.any()
    np.testing.assert_allclose(
        given.embedding_, alone.embedding_, atol=1e-4 * np.abs(alone.embedding_).max()
    )


@pytest.mark.parametrize("id", TAKING)
def test_copies_are_merged_and_come_back(id):
    X = np.concatenate([some(), some()[:5]])
    Z = fitted(make(id).measured_by(plain(X)), id, X).embedding_
    np.testing.assert_array_equal(Z[60:], Z[:5])


@pytest.mark.parametrize("id", [row.id for row in EMBEDDERS if row.kind == "embedding"])
def test_the_catalogue_says_which_methods_take_distances(id):
    assert hasattr(load(id), "measured_by") == (id in TAKING)


@pytest.mark.parametrize("id", TAKING)
def test_a_fit_takes_the_distances_of_as_many_instances_as_there_are(id):
    with pytest.raises(DataError, match="60 instances have distances, and X has 50"):
        fitted(make(id).measured_by(plain(some())), id, some()[:50])


@pytest.mark.parametrize("id", TAKING)
def test_none_takes_the_distances_back(id):
    X = some()
    est = fitted(make(id).measured_by(plain(X)).measured_by(None), id, X[:50])
    np.testing.assert_array_equal(est.embedding_, fitted(make(id), id, X[:50]).embedding_)


def test_chips_are_compared_as_they_are_where_the_features_are_standardized():
    X, new = chips(), chips(5, seed=1)
    given = ChipDistances("registration", SIDEWAYS).between(X)
    est = fitted(make("mi-le", standardize=True).measured_by(given), "mi-le", X)
    there = est.placed_by(new, squared_to(given.origin, new, X))
    np.testing.assert_allclose(est.transform(new), there, atol=1e-5 * np.abs(there).max())


@pytest.mark.parametrize("id", [id for id in TAKING if id not in ("lpp", "npe")])
def test_new_chips_are_compared_as_the_known_ones_were(id):
    X = chips()
    rule = ChipDistances("registration", SIDEWAYS)
    est = fitted(make(id).measured_by(rule.between(X)), id, X)
    scale = np.abs(est.embedding_).max()
    np.testing.assert_allclose(est.transform(X), est.embedding_, atol=1e-3 * scale)
    again = load(id).from_state(est.to_state())
    np.testing.assert_allclose(
        again.transform(chips(5, seed=1)), est.transform(chips(5, seed=1)), atol=1e-6 * scale
    )


def test_without_changes_new_chips_come_where_the_pixels_put_them():
    X, new = chips(), chips(5, seed=1)
    for cls in (Isomap, LaplacianEigenmaps, MDS):
        est = cls().measured_by(ChipDistances("registration", ()).between(X)).fit(X)
        np.testing.assert_allclose(est.transform(new), cls().fit(X).transform(new), atol=1e-2)


@pytest.mark.parametrize("id", ["isomap", "mds", "smacof", "umap", "lle"])
def test_what_has_no_distances_to_new_chips_says_so(id):
    X = chips()
    steps = make(id).measured_by(ChipDistances("reconstruction", SIDEWAYS).between(X)).fit(X)
    with pytest.raises(NoOutOfSample, match="step by step"):
        steps.transform(chips(2, seed=1))
    with pytest.raises(NoOutOfSample, match="only distances between the training instances"):
        make(id).measured_by(plain(X)).fit(X).transform(chips(2, seed=1))


def test_isomap_of_registered_chips_is_that_of_a_naive_twin():
    digits = shifted_digits([3, 5, 8], n_shifts=7)[0]
    X, n = digits.reshape(len(digits), -1), len(digits)
    given = ChipDistances("registration", SIDEWAYS, digits.shape[2]).between(X)
    found = Isomap(n_neighbors=6).measured_by(given).fit(X)
    far = np.sqrt(given.squared.astype(float))
    graph = np.zeros_like(far)
    for i, row in enumerate(far):
        near = [j for j in np.argsort(row, kind="stable") if j != i][:6]
        graph[i, near] = row[near]
    way = shortest_path(np.maximum(graph, graph.T), directed=False)
    assert np.isfinite(way).all()
    H = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * H @ way**2 @ H)
    twin = vectors[:, [-1, -2]] * np.sqrt(values[[-1, -2]])
    twin *= np.sign((twin * found.embedding_).sum(axis=0))
    np.testing.assert_allclose(found.embedding_, twin, atol=1e-5 * np.abs(twin).max())


@pytest.mark.parametrize(
    ("id", "params"),
    [
        ("pacmap", {"init": "random"}),
        ("umap", {"init": "random"}),
        ("s-le", {}),
        ("s-le", {"neighborhood": "knn"}),
        ("se-isomap", {}),
        ("se-isomap", {"neighbors": "input"}),
        ("se-isomap", {"scale": "mean square"}),
    ],
)
def test_the_features_do_not_matter_where_distances_are_given(id, params):
    X, other = some(), some(features=3, seed=1)
    by_given = make(id, **params).measured_by(plain(other)).fit(X, classes(X)).embedding_
    by_features = make(id, **params).fit(other, classes(X)).embedding_
    np.testing.assert_allclose(by_given, by_features, atol=1e-4 * np.abs(by_features).max())


def test_few_labels_let_the_others_take_part_by_the_distances():
    X, other, few = some(), some(features=3, seed=1), classes(some()) * (np.arange(60) < 12)
    for id in ("s-le", "se-isomap"):
        by_features = make(id).fit(other, few).embedding_
        by_given = make(id).measured_by(plain(other)).fit(X, few).embedding_
        np.testing.assert_allclose(by_given, by_features, atol=1e-4 * np.abs(by_features).max())


@pytest.mark.parametrize("id", ["s-le", "se-isomap", "smds"])
def test_chips_without_a_label_lie_where_new_ones_would(id):
    X = chips(50)
    most = np.where(np.arange(50) < 40, classes(X), 0)
    est = make(id).measured_by(ChipDistances("registration", SIDEWAYS).between(X)).fit(X, most)
    scale = np.abs(est.embedding_).max()
    np.testing.assert_allclose(est.embedding_[40:], est.transform(X[40:]), atol=1e-3 * scale)


@pytest.mark.parametrize("id", ["s-le", "se-isomap", "smds"])
def test_chips_without_a_label_need_no_rule_for_new_ones(id):
    X = some()
    most = np.where(np.arange(60) < 50, classes(X), 0)
    assert np.isfinite(make(id).measured_by(plain(X)).fit(X, most).embedding_).all()


def test_a_regression_of_new_instances_goes_by_their_features():
    X = some()
    est = make("s-le", out_of_sample="rbf").measured_by(plain(X)).fit(X, classes(X))
    plainly = make("s-le", out_of_sample="rbf").fit(X, classes(X))
    new = some(seed=1)
    np.testing.assert_allclose(
        est.transform(new), plainly.transform(new), atol=1e-3 * np.abs(est.embedding_).max()
    )


def test_the_objective_of_smds_is_that_of_the_given_distances():
    X, y, alpha = chips(), classes(chips()), 0.3
    given = ChipDistances("registration", SIDEWAYS).between(X)
    est = make("smds", alpha=alpha).measured_by(given).fit(X.astype(float), y)
    d, Z = np.sqrt(given.squared.astype(float)), est.embedding_
    apart = Z[None] - Z[:, None]  # from i to j
    stress = np.square(d - np.linalg.norm(apart, axis=2)).sum() / 2
    below = (y[:, None] < y[None])[:, :, None]
    order = (below * np.square(d[:, :, None] / np.sqrt(2) - apart)).sum()
    assert est.objective_ == pytest.approx((1 - alpha) * stress + alpha * order)


@pytest.mark.parametrize("k", [1, 10])
def test_the_nearest_by_the_matrix_are_the_neighbors_of_the_graph(k):
    X = chips()
    given = ChipDistances("registration", SIDEWAYS).between(X)
    est = Isomap(n_neighbors=k).measured_by(given).fit(X)
    for i, row in enumerate(given.squared):
        others = np.argsort(np.where(np.arange(30) == i, np.inf, row), kind="stable")[:k]
        listed = est.graph_indices_[est.graph_indptr_[i] : est.graph_indptr_[i + 1]]
        assert set(others) <= set(listed)


def test_a_matrix_of_distances_beside_given_ones_is_refused():
    D = cdist(some(), some())
    with pytest.raises(DataError, match="others are given beside it"):
        MDS(metric="precomputed").measured_by(plain(some())).fit(D)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.zeros((3, 4)), "do not pair"),
        ([[0, -1], [-1, 0]], "negative"),
        ([[0, np.nan], [np.nan, 0]], "not finite"),
        ([[1, 2], [2, 1]], "from itself"),
        ([[0, 1], [2, 0]], "differ by the way"),
    ],
)
def test_a_table_that_holds_no_distances_is_refused(table, words):
    with pytest.raises(DataError, match=words):
        Isomap().measured_by(Distances(np.array(table, float)))


def test_different_instances_are_apart():
    given = plain(some())
    given.squared[3, 7] = given.squared[7, 3] = 0
    with pytest.raises(DataError, match="rows 3 and 7 of X differ, and their distance is 0"):
        Isomap().measured_by(given).fit(some())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", TAKING)
def test_chips_that_are_one_but_for_a_shift_are_drawn_near_each_other(id, kind):
    dot = np.zeros((20, 6, 8), np.float32)
    dot[:10, 2:4, 3:5] = dot[10:, 2:4, 2:4] = 1 + np.arange(10)[:, None, None]
    X = np.concatenate(
        [dot.reshape(20, -1), np.random.default_rng(0).normal(size=(20, 48)).astype(np.float32)]
    )
    rule = ChipDistances(kind, SIDEWAYS, 8)
    assert np.isfinite(
        fitted(make(id, n_components=1).measured_by(rule.between(X)), id, X).embedding_
    ).all()
