"""New instances by radial basis functions that know classes, and by a network."""

import io

import numpy as np
import pytest

from emberscope.base.errors import Cancelled, ParamError
from emberscope.base.monitor import Watch
from emberscope.datasets.surfaces import quadratic_surfaces
from emberscope.embedding import regression as module
from emberscope.embedding.out_of_sample import reconstruct
from emberscope.embedding.regression import Perceptron, class_rbf
from emberscope.embedding.supervised.s_le import SLE
from emberscope.embedding.supervised.se_isomap import SEIsomap
from emberscope.evaluate.knn import knn_classify

RULES = ["reconstruction", "rbf", "mlp"]


def two_lines():
    """Two parallel lines 0.1 apart whose embeddings are 100 apart."""
    t = np.linspace(0, 10, 60)
    X = np.concatenate([np.column_stack([t, 0 * t]), np.column_stack([t, 0 * t + 0.1])])
    y = np.repeat([1, -1], 60)
    return X, np.concatenate([t, t + 100])[:, None], y


@pytest.fixture
def short(monkeypatch):
    """A network need not be a good one."""
    monkeypatch.setattr(module, "_EPOCHS", 5)


def test_a_training_instance_gets_its_own_coordinates_by_class_rbf():
    X, Z, y = two_lines()
    np.testing.assert_allclose(class_rbf(X, Z, X, y, np.ones(120)), Z, atol=1e-9)


def test_classes_are_continued_each_by_itself():
    X, Z, y = two_lines()
    Q = np.column_stack([np.linspace(1.02, 9.02, 50), np.zeros(50)])
    placed = class_rbf(X, Z, Q, y, np.ones(120))
    plain = reconstruct(X, Z, Q, rule="rbf").coordinates
    np.testing.assert_allclose(placed[:, 0], Q[:, 0], atol=0.01)
    # One function for both rings where the embedding jumps
    assert np.abs(plain[:, 0] - Q[:, 0]).max() > 5


def test_halfway_between_classes_lies_halfway_between_their_pictures():
    X, Z, y = two_lines()
    placed = class_rbf(X, Z, np.array([[5.0, 0.05]]), y, np.ones(120))
    assert placed[0, 0] == pytest.approx(55, abs=1)


def test_without_two_labels_there_is_one_function_for_all():
    X, Z, y = two_lines()
    Q = X[::7] + 0.01
    plain = reconstruct(X, Z, Q, rule="rbf").coordinates
    np.testing.assert_array_equal(class_rbf(X, Z, Q, np.zeros(120, int), np.zeros(120)), plain)
    np.testing.assert_array_equal(class_rbf(X, Z, Q, np.maximum(y, 0), np.ones(120)), plain)


def test_a_weak_label_counts_less():
    X, Z, y = two_lines()
    Q = np.array([[5.0, 0.05]])
    placed = class_rbf(X, Z, Q, y, np.where(y > 0, 1.0, 0.25))
    assert placed[0, 0] == pytest.approx(5 + 100 / (1 + 4**4), abs=0.5)


def test_far_from_everything_there_still_is_a_place():
    X, Z, y = two_lines()
    assert np.isfinite(class_rbf(X, Z, X[:5] + 1e4, y, np.ones(120))).all()


def test_moving_turning_and_scaling_change_nothing_by_class_rbf(rng):
    X, Z, y = two_lines()
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    Q = X[::7] + 0.02
    moved = class_rbf(7 * X @ turn + 50, Z, 7 * Q @ turn + 50, y, np.ones(120))
    np.testing.assert_allclose(moved, class_rbf(X, Z, Q, y, np.ones(120)), atol=1e-5)


def test_a_new_instance_lies_where_it_does_whoever_comes_with_it(rng):
    X, Z, y = two_lines()
    Q = X + rng.normal(size=X.shape) * 0.02
    alone = class_rbf(X, Z, Q[:1], y, np.ones(120))
    np.testing.assert_allclose(class_rbf(X, Z, Q, y, np.ones(120))[:1], alone, atol=1e-9)


def test_a_network_learns_a_bent_picture(monkeypatch, rng):
    monkeypatch.setattr(module, "_EPOCHS", 150)
    X = rng.normal(size=(400, 3)) * [1.0, 5.0, 0.2] + 3
    Z = np.column_stack([X[:, 0] * X[:, 2], np.sin(X[:, 1] / 2)]) * [10.0, 1.0]
    net = Perceptron.fit(X[:300], Z[:300])
    left = np.square(net(X[300:]) - Z[300:]).mean(axis=0) / Z[300:].var(axis=0)
    assert left.max() < 0.1  # of this draw; six others: 9.2e-3 to 0.25


def test_a_network_survives_as_numbers(rng):
    X, Z = rng.normal(size=(30, 4)), rng.normal(size=(30, 3))
    net = Perceptron(
        [rng.normal(size=(4, 5)), rng.normal(size=(5, 3))],
        [rng.normal(size=5), rng.normal(size=3)],
        X.mean(axis=0),
        X.std(axis=0),
        Z.mean(axis=0),
        Z.std(axis=0),
    )
    np.testing.assert_array_equal(Perceptron.unpack(*net.pack())(X), net(X))


def test_the_numbers_of_a_network_are_those_of_scikit_learn(short, rng):
    from sklearn.neural_network import MLPRegressor

    X, Z = rng.normal(size=(60, 4)), rng.normal(size=(60, 2))
    net = Perceptron.fit(X, Z)
    oracle = MLPRegressor(hidden_layer_sizes=module._HIDDEN).partial_fit(X, Z)
    oracle.coefs_, oracle.intercepts_ = net.weights, net.biases
    expected = oracle.predict((X - X.mean(axis=0)) / X.std(axis=0)) * Z.std(axis=0) + Z.mean(axis=0)
    np.testing.assert_allclose(net(X), expected)


def test_constant_features_and_flat_axes_are_learned(short, rng):
    X = np.column_stack([rng.normal(size=40), np.full(40, 7.0)])
    net = Perceptron.fit(X, np.column_stack([X[:, 0], np.zeros(40)]))
    assert np.isfinite(net(X)).all()
    np.testing.assert_allclose(net(X)[:, 1], 0, atol=0.5)


@pytest.mark.parametrize("rows", [3, 19, 25])
def test_a_handful_of_rows_is_learned(rows, short, rng):
    X = rng.normal(size=(rows, 2))
    assert np.isfinite(Perceptron.fit(X, X[:, :1])(X)).all()


def test_learning_can_be_stopped_between_epochs(rng):
    X, asked = rng.normal(size=(40, 2)), []

    def stop():
        asked.append(1)
        return len(asked) > 3

    with pytest.raises(Cancelled):
        Perceptron.fit(X, X, monitor=Watch(stop=stop))
    assert len(asked) == 4


def small():
    X, y = quadratic_surfaces(60, kind="crossing")
    return X, y.astype(int)


@pytest.mark.parametrize("rule", ["rbf", "mlp"])
@pytest.mark.parametrize("method", [SLE, SEIsomap])
def test_the_chosen_rule_works_from_a_state_without_pickle(method, rule, short):
    X, y = small()
    est = method(out_of_sample=rule, n_neighbors=10).fit(X, y)
    file = io.BytesIO()
    np.savez(file, **est.to_state())
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        again = method.from_state(dict(stored))
    assert np.array_equal(again.transform(X + 0.1), est.transform(X + 0.1))


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_for_new_instances_leaves_the_picture_as_it_is(rule, short):
    X, y = small()
    np.testing.assert_array_equal(
        SLE(out_of_sample=rule).fit(X, y).embedding_, SLE().fit(X, y).embedding_
    )


@pytest.mark.parametrize("rule", RULES)
def test_new_instances_far_away_are_novel_by_every_rule(rule, short):
    X, y = small()
    est = SEIsomap(out_of_sample=rule, n_neighbors=10).fit(X, y)
    known, strange = est.novelty(X), est.novelty(X + 500)
    assert known.confidence.mean() > 0.5  # six other draws: 1.0
    assert strange.confidence.max() < 1e-6
    assert strange.error.min() > 100


@pytest.mark.parametrize("rule", RULES)
def test_single_precision_stays_single(rule, short):
    X, y = small()
    est = SLE(out_of_sample=rule).fit(X.astype(np.float32), y)
    assert est.transform(X.astype(np.float32)).dtype == np.float32


def test_learning_twice_gives_the_same(short):
    X, y = small()
    first, second = (SLE(out_of_sample="mlp").fit(X, y) for _ in range(2))
    assert np.array_equal(first.network_, second.network_)


def test_a_rule_given_to_transform_comes_before_the_chosen_one(short):
    X, y = small()
    Q = X[:5] + 0.1
    np.testing.assert_array_equal(
        SLE(out_of_sample="mlp").fit(X, y).transform(Q, rule="idw"),
        SLE().fit(X, y).transform(Q, rule="idw"),
    )


def test_an_unknown_rule_for_new_instances_is_refused():
    with pytest.raises(ParamError, match="reconstruction or rbf or mlp"):
        SLE(out_of_sample="magic").fit(*small())


@pytest.mark.parametrize("rule", ["rbf", "mlp"])
def test_regression_separates_unseen_points_of_crossing_surfaces(rule, monkeypatch):
    monkeypatch.setattr(module, "_EPOCHS", 80)
    X, y = quadratic_surfaces(500, kind="crossing", seed=1)
    order = np.random.default_rng(1).permutation(1000)
    X, y = X[order], y[order]
    est = SLE(n_components=1, out_of_sample=rule).fit(X[:700], y[:700])
    # six other draws: 0.96 to 0.99
    assert (
        knn_classify(est.embedding_, y[:700], est.transform(X[700:]))[0] == y[700:]
    ).mean() > 0.94
