"""What every method of the catalogue keeps, whatever it computes."""

import inspect
import io
from functools import cache

import numpy as np
import pytest
from scipy.spatial import procrustes
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from emberscope.base.errors import (
    Cancelled,
    DataError,
    EmberscopeError,
    MissingLabels,
    NoOutOfSample,
    ParamError,
)
from emberscope.base.monitor import Watch
from emberscope.catalogue import EMBEDDERS, load
from emberscope.labels.side_info import Sequence, SideInfo
from emberscope.neighbors.graph import forget

# The contract does not need a finished embedding.
QUICK = {
    "are": {"max_iter": 50},
    "autoencoder": {"n_epochs": 5},
    "charting": {"n_starts": 1},
    "contrastive": {"n_epochs": 2},
    "fa": {"n_iter": 50},
    "gtm": {"max_iter": 20},
    "triplet": {"n_epochs": 2},
    "siamese": {"n_epochs": 2},
    "siamese-triplet": {"n_epochs": 2},
    "largevis": {"n_epochs": 20},
    "mi-umap": {"n_epochs": 20},
    "midr": {"max_iter": 20},
    "mvu": {"max_iter": 200},
    "nmf": {"n_starts": 1},
    "pacmap": {"n_epochs": 30},
    "partial-distance-metric": {"n_iter": 20},
    "sne": {"n_iter": 20},
    "tsne": {"n_iter": 20},
    "umap": {"n_epochs": 20},
}
IDS = [row.id for row in EMBEDDERS]
RANDOM = {
    row.id
    for row in EMBEDDERS
    if any(param.name == "random_state" for param in load(row.id).params)
}
# A layout is chaotic in its start; where the optimum depends on a random start, it depends on the
# order of the rows.
FIXED_AXES = [
    row.id for row in EMBEDDERS if row.family != "layouts" and (row.convex or row.id not in RANDOM)
]
CLASSES = [row.id for row in EMBEDDERS if row.needs == "instance"]
GRAPHS = [row.id for row in EMBEDDERS if "instances_" in load(row.id).state]
CONFIDENT = [
    row.id for row in EMBEDDERS if hasattr(load(row.id), "novelty") and row.needs == "none"
]


INFORMED = {row.id for row in EMBEDDERS if row.needs in ("pairs", "distances")}
FOLLOWING = {row.id for row in EMBEDDERS if row.needs == "actions"}


def side_of(X, y):
    """What labels (N,) say of every two instances, as pairs and as distances."""
    pairs = np.stack(np.triu_indices(len(y), 1), axis=1)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    one = np.ones(len(pairs))
    return SideInfo(
        pairs=pairs,
        same=same,
        pair_weight=one,
        pair_attribute=np.zeros(len(pairs), np.int64),
        distances=pairs,
        distance=np.where(same, 1.0, 3.0),
        distance_weight=one,
    )


def followed(X, y=None):
    """A track through the rows in the order of their first feature; of every ninth step the action
    is known."""
    rows = np.unique([row[0] for row in X], return_index=True)[1]
    actions = np.where(np.arange(len(rows) - 1) % 9, -1, 0)
    return SideInfo(sequences=(Sequence(rows=rows, actions=actions),), actions=("on",))


def informed(cls, side):
    """The method with the side information that it needs, so that all methods can be called
    alike."""
    class Informed(cls):
        def fit(self, X, y=None, *, bags=None, side=None, monitor=None):
            return super().fit(X, y, bags=bags, side=known(X, y), monitor=monitor)

    def known(X, y):
        try:
            return side(X, y)
        except (IndexError, TypeError, ValueError):  # an X of no use
            return SideInfo()

    return Informed


def make(id, **params):
    side = side_of if id in INFORMED else followed if id in FOLLOWING else None
    cls = informed(load(id), side) if side else load(id)
    return cls(**{**QUICK.get(id, {}), **params})


@pytest.fixture(scope="module")
def data():
    """60 points of a bent sheet in 4-D, in two classes."""
    rng = np.random.default_rng(0)
    t, h = rng.uniform(0, 3, 60), rng.uniform(0, 1, 60)
    X = np.column_stack([np.cos(t), np.sin(t), h, t * h]) + 0.01 * rng.normal(size=(60, 4))
    return X, np.where(t + 0.3 * h > 1.6, 1, -1)


@pytest.fixture(scope="module")
def fitted(data):
    """The method of an id, fitted to `data` once and only read."""
    return cache(lambda id: make(id).fit(*data))


def up_to_sign(Z):
    """Largest entry of every column positive, so that runs on permuted rows compare."""
    return Z * np.sign(Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])])


def embedded_or_refused(est, X, y):
    """The embedding and "", or no rows and the words of the refusal."""
    try:
        return est.fit(X, y).embedding_, ""
    except DataError as error:
        return np.empty((0, 2)), str(error)


@pytest.mark.parametrize("id", [row.id for row in EMBEDDERS if row.needs in ("none", "instance")])
def test_scikit_learn_accepts_it(id):
    check_estimator(make(id), on_skip=None)


@pytest.mark.parametrize("id", IDS)
def test_declared_parameters_are_the_signature(id):
    signature = inspect.signature(load(id).__init__).parameters
    assert {p.name: p.default for p in load(id).params} == {
        name: p.default for name, p in signature.items() if name != "self"
    }


@pytest.mark.parametrize("id", IDS)
def test_defaults_are_allowed_values(id):
    for param in load(id).params:
        param.check(param.default)


@pytest.mark.parametrize("id", IDS)
def test_fit_has_the_one_signature(id):
    assert list(inspect.signature(load(id).fit).parameters) == [
        "self",
        "X",
        "y",
        "bags",
        "side",
        "monitor",
    ]


@pytest.mark.parametrize("id", IDS)
def test_a_clone_has_the_parameters_and_nothing_learned(id, data):
    est = make(id, n_components=1).fit(*data)
    copy = clone(est)
    assert copy.get_params() == est.get_params()
    with pytest.raises(NotFittedError):
        copy.transform(data[0])


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("id", IDS)
def test_the_picture_has_the_dimensions_asked_for_and_transform_agrees_with_it(id, d, data):
    X, y = data
    est = make(id, n_components=d)
    Z = est.fit_transform(X, y)
    assert Z.shape == (60, d)
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(est.transform(X), Z, atol=1e-9 * np.abs(Z).max())


@pytest.mark.parametrize("id", IDS)
def test_fitting_again_gives_the_same(id, data, fitted):
    first = fitted(id).embedding_
    forget()
    assert np.array_equal(make(id).fit(*data).embedding_, first)


@pytest.mark.parametrize("id", FIXED_AXES)
def test_the_order_of_instances_does_not_matter(id, data, fitted):
    X, y = data
    order = np.random.default_rng(1).permutation(60)
    Z = up_to_sign(fitted(id).embedding_)
    # Rounding goes through each step of an EM: 1.2e-6 was measured of gtm with another BLAS.
    tolerance = 1e-5 if id == "gtm" else 1e-6
    np.testing.assert_allclose(
        up_to_sign(make(id).fit(X[order], y[order]).embedding_),
        Z[order],
        atol=tolerance * np.abs(Z).max(),
    )


@pytest.mark.parametrize("id", FIXED_AXES)
def test_single_precision_gives_nearly_the_same_in_single_precision(id, data, fitted):
    X, y = data
    Z = make(id).fit(X.astype(np.float32), y).embedding_
    assert Z.dtype == np.float32
    assert procrustes(fitted(id).embedding_, Z)[2] < 1e-6


@pytest.mark.parametrize("id", IDS)
def test_a_stopped_fit_leaves_no_partial_model(id, data):
    est = make(id)
    with pytest.raises(Cancelled):
        est.fit(*data, monitor=Watch(stop=lambda: True))
    assert not hasattr(est, "embedding_")


@pytest.mark.parametrize("id", IDS)
def test_progress_rises_within_0_and_1(id, data):
    forget()
    seen = []
    make(id).fit(*data, monitor=Watch(lambda fraction, message: seen.append(fraction)))
    assert len(seen) >= 2
    assert min(seen) >= 0
    assert max(seen) <= 1
    assert (np.diff(seen) >= -1e-12).all()


@pytest.mark.parametrize("id", IDS)
def test_the_state_survives_a_file_without_pickle(id, data, fitted):
    est = fitted(id)
    file = io.BytesIO()
    np.savez(file, **est.to_state())
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        again = load(id).from_state(dict(stored))
    X_new = data[0][:7] + 0.01
    assert np.array_equal(again.transform(X_new), est.transform(X_new))
    assert np.array_equal(again.embedding_, est.embedding_)
    assert again.notes_ == est.notes_
    assert again.get_params() == est.get_params()


@pytest.mark.parametrize("id", IDS)
def test_copies_of_an_instance_lie_on_it(id, data):
    X, y = data
    X, y = np.vstack([X, X[:5], X[:1]]), np.concatenate([y, y[:5], y[:1]])
    Z = make(id).fit(X, y).embedding_
    np.testing.assert_allclose(Z[60:], Z[[0, 1, 2, 3, 4, 0]], atol=1e-12 * np.abs(Z).max())


@pytest.mark.parametrize("id", GRAPHS)
def test_copies_do_not_change_the_picture_of_a_graph_method(id, data, fitted):
    X, y = data
    more = make(id).fit(np.vstack([X, X[:20]]), np.concatenate([y, y[:20]]))
    np.testing.assert_allclose(more.embedding_[:60], fitted(id).embedding_)
    assert any("exact copies" in note for note in more.notes_)


BAD = {
    "NaN": (lambda X: np.where(np.arange(4) == 2, np.nan, X), "NaN"),
    "inf": (lambda X: np.where(np.arange(4) == 2, np.inf, X), "inf"),
    "no rows": (lambda X: X[:0], "0 sample"),
    "one row": (lambda X: X[:1], "1 sample|n_samples"),
    "no features": (lambda X: X[:, :0], "0 feature"),
    "one-dimensional": (lambda X: X[:, 0], "2D"),
    "text": (lambda X: np.full(X.shape, "hot"), "convert"),
    "overflowing": (lambda X: X * 1e200, "Scale"),
    "overflowing when squared twice": (lambda X: X * 1e99, "Scale"),
    "vanishing": (lambda X: X * 1e-99, "Scale"),
}


@pytest.mark.parametrize("id", IDS)
def test_unusable_arrays_end_in_one_typed_line(id, data, subtests):
    for case, (change, message) in BAD.items():
        X = change(data[0])
        with subtests.test(case):
            with pytest.raises(DataError, match=message) as caught:
                make(id).fit(X, data[1][: len(X)])
            assert "\n" not in str(caught.value)


ODD = {
    "integers": lambda X: np.rint(X * 50).astype(np.int32),
    "half precision": lambda X: X.astype(np.float16),
    "Fortran order": np.asfortranarray,
    "not contiguous": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "a list": lambda X: X.tolist(),
    "a constant column": lambda X: np.hstack([X, np.full((60, 1), 7.0)]),
    "more features than rows": lambda X: np.hstack(
        [X, np.random.default_rng(0).normal(size=(60, 60))]
    ),
    "two far parts": lambda X: X + 1e4 * (np.arange(60) % 2)[:, None],
    "6 rows": lambda X: X[:6],
    "large single precision": lambda X: (X * 1e19).astype(np.float32),
}


@pytest.mark.parametrize("id", IDS)
def test_odd_arrays_are_embedded(id, data, subtests):
    for case, change in ODD.items():
        X = change(data[0])
        with subtests.test(case):
            Z = make(id).fit(X, np.where(np.arange(len(X)) % 3, 1, -1)).embedding_
            assert Z.shape == (len(X), 2)
            assert np.isfinite(Z).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("times", [1e31, 1e-31])
@pytest.mark.parametrize("id", IDS)
def test_the_largest_and_smallest_features_allowed_are_embedded_without_a_warning(id, times, data):
    Z = make(id).fit(data[0] * times, data[1]).embedding_
    assert np.isfinite(Z).all()
    assert np.ptp(Z) > 0


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("id", IDS)
def test_a_handful_of_rows_is_embedded_or_refused_in_words(id, rows, data):
    Z, refusal = embedded_or_refused(make(id), data[0][:rows], np.array([1, -1, 1])[:rows])
    assert np.isfinite(Z).all()
    assert (len(Z), f"n_samples = {rows}" in refusal) in [(rows, False), (0, True)]


@pytest.mark.parametrize("id", IDS)
def test_one_feature_is_embedded_or_refused_in_words(id, data):
    Z, refusal = embedded_or_refused(make(id), data[0][:, :1], data[1])
    assert np.isfinite(Z).all()
    assert (len(Z), "n_features = 1" in refusal) in [(60, False), (0, True)]


@pytest.mark.parametrize("id", IDS)
def test_equal_rows_only_are_refused_or_lie_on_one_point(id):
    y = np.where(np.arange(12) % 2, 1, -1)
    Z, refusal = embedded_or_refused(make(id), np.ones((12, 4)), y)
    assert (Z == 0).all()
    assert (len(Z), refusal != "") in [(12, False), (0, True)]


@pytest.mark.parametrize("id", GRAPHS)
def test_far_parts_are_noted(id, data):
    X = np.vstack([data[0], data[0] + 1e4])
    est = make(id, **({"neighborhood": "knn", "n_neighbors": 5} if id == "s-le" else {}))
    est.fit(X, np.tile(data[1], 2))
    if id in ("laplacian-eigenmaps", "isomap", "landmark-isomap"):
        assert any("2 components (sizes 60, 60)" in note for note in est.notes_)
    assert np.isfinite(est.embedding_).all()


@pytest.mark.parametrize("id", IDS)
def test_a_parameter_outside_its_range_says_what_is_allowed(id, data):
    with pytest.raises(ParamError, match="n_components is 0"):
        make(id, n_components=0).fit(*data)


@pytest.mark.parametrize("id", sorted(INFORMED))
def test_side_information_is_asked_for_where_it_is_needed(id, data):
    X, y = data
    with pytest.raises(MissingLabels):
        load(id)().fit(X, y)
    with pytest.raises(MissingLabels):
        load(id)().fit(X, y, side=SideInfo())
    with pytest.raises(DataError, match="row 60, but there are 60 instances"):
        load(id)().fit(X, y, side=side_of(X, np.arange(61)))


@pytest.mark.parametrize("id", sorted(FOLLOWING))
def test_actions_are_asked_for_where_they_are_needed(id, data):
    X, y = data
    for nothing in (None, SideInfo()):
        with pytest.raises(MissingLabels, match="actions"):
            load(id)().fit(X, y, side=nothing)
    with pytest.raises(DataError, match="row 60, but there are 60 instances"):
        load(id)().fit(X, y, side=followed(np.vstack([X, X[:1] + 1])))


@pytest.mark.parametrize(
    "id",
    [row.id for row in EMBEDDERS if row.needs != "none" and row.id not in INFORMED | FOLLOWING],
)
def test_labels_are_asked_for_where_they_are_needed(id, data):
    X, _ = data
    with pytest.raises(MissingLabels):
        make(id).fit(X)
    with pytest.raises(MissingLabels):
        make(id).fit(X, np.ones(60, int))
    with pytest.raises(DataError, match="one label per row"):
        make(id).fit(X, np.ones(5, int))


@pytest.mark.parametrize("id", CLASSES)
@pytest.mark.parametrize("names", [[0, 1, 2], ["car", "ground", "person"], [-5, 7, 40]], ids=str)
def test_classes_of_any_names_give_one_picture(id, names, data):
    X, _ = data
    kinds = np.arange(60) % 3
    est = make(id).fit(X, np.array(names)[kinds])
    np.testing.assert_array_equal(est.embedding_, make(id).fit(X, kinds + 3).embedding_)
    assert f"3 classes: {names[0]}, {names[1]}, {names[2]}." in est.notes_


@pytest.mark.parametrize("id", CLASSES)
def test_the_class_of_an_instance_may_be_missing(id, data):
    X, _ = data
    kinds = np.arange(60) % 3
    words = np.array(["car", "ground", "person"])[kinds]
    words[:5] = ""
    numbers = kinds + 3.0
    numbers[:5] = np.nan
    est = make(id).fit(X, words)
    np.testing.assert_array_equal(est.embedding_, make(id).fit(X, numbers).embedding_)
    assert "3 classes: car, ground, person; 5 instances without a label." in est.notes_


@pytest.mark.parametrize("id", CLASSES)
def test_zero_and_one_without_bags_are_two_classes_and_noted(id, data, fitted):
    X, y = data
    est = make(id).fit(X, (y > 0).astype(int))
    np.testing.assert_array_equal(est.embedding_, fitted(id).embedding_)
    assert "y holds 0 and 1: two classes. Unknown is 0 beside -1 and +1, or NaN." in est.notes_


@pytest.mark.parametrize("id", CLASSES)
def test_false_and_true_are_background_and_target(id, data, fitted):
    X, y = data
    np.testing.assert_array_equal(make(id).fit(X, y > 0).embedding_, fitted(id).embedding_)


@pytest.mark.parametrize("id", [row.id for row in EMBEDDERS if row.needs == "bag"])
def test_classes_are_refused_by_methods_that_tell_target_from_background(id, data):
    X, _ = data
    if load(id).takes_classes:
        pytest.skip("without bags it is the supervised method")
    with pytest.raises(DataError, match="-1, 0"):
        make(id).fit(X, np.arange(60) % 3)


@pytest.mark.parametrize("id", IDS)
def test_where_a_new_instance_comes_does_not_depend_on_its_company(id, data, fitted):
    est, X_new = fitted(id), data[0][:9] + 0.03 * np.sin(np.arange(36)).reshape(9, 4)
    X_new[-1] *= 5  # one far from all
    crowd = 1 + np.random.default_rng(0).normal(size=(1600, 4))  # more than one thread takes
    alone = np.vstack([est.transform(X_new[i : i + 1]) for i in range(9)])
    together = {
        "alone": est.transform(X_new), "another order": est.transform(X_new[::-1])[::-1],
        "first of many": est.transform(np.vstack([X_new, crowd]))[:9],
        "last of many": est.transform(np.vstack([crowd, X_new]))[-9:],
    }  # fmt: skip
    for company, Z in together.items():
        np.testing.assert_allclose(Z, alone, atol=1e-6 * np.abs(alone).max(), err_msg=company)


@pytest.mark.parametrize("id", IDS)
def test_other_features_are_refused_by_transform(id, data, fitted):
    with pytest.raises(EmberscopeError, match="3 features"):
        fitted(id).transform(data[0][:, :3])


def test_a_method_without_a_rule_for_new_instances_says_so(data):
    from emberscope.base.embedder import Embedder

    class Bare(Embedder):
        def fit(self, X, y=None, *, bags=None, side=None, monitor=None):
            X, _ = self._validate(X)
            self.embedding_ = X
            return self

    with pytest.raises(NoOutOfSample, match="new instances included"):
        Bare().fit(data[0]).transform(data[0])


def test_methods_with_a_map_of_their_own_know_strangers_too():
    assert {"pca", "kpca", "gtm", "som", "autoencoder"} <= set(CONFIDENT)


@pytest.mark.parametrize("id", CONFIDENT)
def test_instances_like_those_of_the_fit_have_confidence_and_strangers_have_none(id):
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(240, 2)) @ rng.normal(size=(2, 4)) + 0.1 * rng.normal(size=(240, 4))
    est = make(id).fit(plane[::2])
    found, strange = est.novelty(plane[1::2]), est.novelty(plane[1::2] + 50)
    assert 0.4 < found.confidence.mean() < 0.6
    assert strange.confidence.max() < 0.01
    again = load(id).from_state(est.to_state()).novelty(plane[1::2])
    np.testing.assert_array_equal(again.confidence, found.confidence)


@pytest.mark.parametrize("row", EMBEDDERS, ids=IDS)
def test_the_catalogue_tells_the_truth_about_the_class(row):
    cls = load(row.id)
    assert row.inverse == hasattr(cls, "inverse_transform")
    assert row.linear == ("components_" in cls.state)
    assert cls().reads_labels == (row.needs != "none" and row.id not in FOLLOWING)


@pytest.mark.parametrize(
    "id", [row.id for row in EMBEDDERS if row.out_of_sample == "reconstruction"]
)
def test_a_method_that_rebuilds_new_instances_from_known_ones_says_how_strange_they_are(id):
    assert hasattr(load(id), "novelty")
