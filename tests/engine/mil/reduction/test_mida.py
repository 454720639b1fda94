"""B-MIDA: closed forms, monotony, and the planted bags of the paper."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.special import logsumexp

from emberscope.bags.model import Bags
from emberscope.base.errors import Cancelled, DataError, MissingLabels, TooLarge
from emberscope.base.monitor import Watch
from emberscope.datasets.planted import planted_bags
from emberscope.mil.density import SIGMAS, negative_log_density
from emberscope.mil.reduction.mida import MIDA, scatters


def hits(est, truth):
    return truth[est.prototype_[est.prototype_ >= 0]].mean()


def random_bags(seed, n_bags=12):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, n_bags)
    X = rng.normal(size=(sizes.sum(), 5))
    return X, Bags.from_column(
        np.repeat(np.arange(n_bags), sizes), np.where(np.arange(n_bags) % 2, -1, 1)
    )


def scatter(A):
    return sum((np.outer(a, a) for a in A), np.zeros((A.shape[1], A.shape[1])))


def test_the_closed_forms_equal_the_sums_over_all_pairs():
    rng = np.random.default_rng(0)
    P, N, center = rng.normal(size=(7, 4)), rng.normal(size=(5, 4)) + 1, rng.normal(size=4)
    between = scatter((P[:, None] - N[None]).reshape(-1, 4))
    within = scatter(P - P.mean(axis=0)) + scatter(N - center)
    Sb, Sw = scatters(P, N, center)
    np.testing.assert_allclose(Sb, between, rtol=1e-12, atol=1e-12 * np.abs(between).max())
    np.testing.assert_allclose(Sw, within, rtol=1e-12, atol=1e-12 * np.abs(within).max())


def test_the_score_equals_its_sum_over_negative_bags():
    X, bags = random_bags(0)
    est = MIDA(n_components=2, alpha=0.5).fit(X, bags=bags)
    A = (X - est.mean_) / est.scale_
    G = est.components_
    N = np.stack([A[bags.of(k)].mean(axis=0) for k in np.flatnonzero(bags.labels < 0)])
    m = A[est.prototype_[est.prototype_ >= 0]].mean(axis=0)
    alpha = 0.5 * 6
    naive = [
        sum(np.square((x - n) @ G).sum() for n in N) - alpha * np.square((x - m) @ G).sum()
        for x in A
    ]
    np.testing.assert_allclose(est.score_, naive)


def test_every_prototype_is_the_best_of_its_bag():
    X, bags = random_bags(1, n_bags=20)
    est = MIDA().fit(X, bags=bags)
    for k in range(20):
        if bags.labels[k] > 0:
            assert est.prototype_[k] in bags.of(k)
            assert est.score_[est.prototype_[k]] == est.score_[bags.of(k)].max()
        else:
            assert est.prototype_[k] == -1


@pytest.mark.parametrize("alpha", [0.0, 0.25, 1.0, 3.0])
def test_the_objective_never_decreases(alpha):
    for seed in range(25):
        X, bags = random_bags(seed)
        history = MIDA(alpha=alpha, n_components=3).fit(X, bags=bags).history_
        assert (np.diff(history) >= -1e-9 * np.abs(history[:-1])).all(), seed


@pytest.mark.parametrize("d", [1, 2, 5])
def test_directions_are_orthonormal_and_the_objective_is_their_trace(d):
    X, bags = random_bags(2)
    est = MIDA(n_components=d).fit(X, bags=bags)
    np.testing.assert_allclose(est.components_.T @ est.components_, np.eye(d), atol=1e-10)
    assert est.history_[-1] == pytest.approx(est.eigenvalues_[:d].sum())


@pytest.mark.parametrize("far", [0.0, 30.0])
def test_the_density_is_the_plain_sum_in_the_log_domain_at_every_width(far):
    rng = np.random.default_rng(0)
    Q, N = rng.normal(size=(4, 3)) + far, rng.normal(size=(9, 3))
    distance2 = np.square(Q[:, None] - N[None]).sum(axis=2)
    plain = [logsumexp(-distance2 / (sigma * 2.0), axis=1) for sigma in SIGMAS]
    np.testing.assert_allclose(negative_log_density(Q, N, 2.0), plain, rtol=1e-9, atol=1e-9)


def test_the_density_does_not_depend_on_how_it_is_cut(monkeypatch):
    rng = np.random.default_rng(0)
    Q, N = rng.normal(size=(40, 3)), rng.normal(size=(9, 3))
    whole = negative_log_density(Q, N, 2.0)
    monkeypatch.setattr("emberscope.mil.density._CHUNK", 30)
    np.testing.assert_allclose(negative_log_density(Q, N, 2.0), whole, rtol=1e-12)


def test_large_features_choose_the_same_prototypes():
    X, bags, _ = planted_bags(seed=0)
    for standardize in (True, False):
        small = MIDA(standardize=standardize).fit(X, bags=bags)
        large = MIDA(standardize=standardize).fit(X * 1e3, bags=bags)
        assert np.array_equal(small.prototype_, large.prototype_)


def test_the_first_prototypes_are_those_of_the_printed_search():
    """Every width in turn, plain sums; the one whose prototypes lie farthest from the mean
    background wins."""
    X, bags = random_bags(3, n_bags=30)
    negative = bags.instance_labels(len(X)) < 0
    distance2 = np.square(X[:, None] - X[negative][None]).sum(axis=2)
    pairs = np.square(X[:, None] - X[None]).sum(axis=2)[np.triu_indices(len(X), 1)]
    tried = []
    for sigma in SIGMAS:
        p = logsumexp(-distance2 / (sigma * np.median(pairs)), axis=1)
        chosen = np.array(
            [bags.of(k)[p[bags.of(k)].argmin()] for k in range(30) if bags.labels[k] > 0]
        )
        tried.append((np.linalg.norm(X[chosen].mean(axis=0) - X[negative].mean(axis=0)), chosen))
    est = MIDA(standardize=False, update="none").fit(X, bags=bags)
    assert (
        est.prototype_[est.prototype_ >= 0].tolist()
        == max(tried, key=lambda one: one[0])[1].tolist()
    )


def test_density_alone_finds_the_planted_targets_as_often_as_published():
    share = [
        hits(MIDA(standardize=False, update="none").fit(X, bags=bags), truth)
        for X, bags, truth in drawn()
    ]
    assert 0.55 <= np.mean(share) <= 0.80


def test_alternation_finds_nearly_all_planted_targets():
    for standardize in (True, False):
        share = [
            hits(MIDA(standardize=standardize).fit(X, bags=bags), truth)
            for X, bags, truth in drawn()
        ]
        assert np.mean(share) >= 0.95  # of this draw; six others: 0.95 to 1.0


def test_some_of_many_background_instances_stand_for_all_and_that_is_noted(monkeypatch):
    monkeypatch.setattr("emberscope.mil.reduction.prototypes.CROWD", 100)
    X, bags, truth = planted_bags(seed=0)
    est = MIDA().fit(X, bags=bags)
    n = int((bags.instance_labels(len(X)) < 0).sum())
    assert est.notes_ == [f"The density of {n} other instances is that of 100 of them."]
    assert hits(est, truth) >= 0.9


def test_the_work_of_the_density_grows_no_faster_than_the_instances(monkeypatch):
    pairs = []

    def counted(Q, negatives, scale, *, monitor):
        pairs.append(len(Q) * len(negatives))
        return negative_log_density(Q, negatives, scale)

    monkeypatch.setattr("emberscope.mil.reduction.prototypes.CROWD", 50)
    monkeypatch.setattr("emberscope.mil.reduction.prototypes.negative_log_density", counted)
    for n_bags in (20, 40):
        X, bags = random_bags(0, n_bags=10 * n_bags)
        MIDA().fit(X, bags=bags)
    assert pairs[1] < 2.2 * pairs[0]


def test_one_direction_is_the_planted_one():
    for X, bags, _ in drawn()[:5]:
        est = MIDA(n_components=1, alpha=0.5).fit(X, bags=bags)
        axis = est.components_[:, 0] / est.scale_
        assert abs(axis[1] - axis[0]) / np.sqrt(2) / np.linalg.norm(axis) >= 0.9


def test_one_direction_finds_the_planted_targets():
    share = [
        hits(MIDA(n_components=1, alpha=0.5).fit(X, bags=bags), truth)
        for X, bags, truth in drawn()[:5]
    ]
    assert np.mean(share) >= 0.95


def drawn():
    return [planted_bags(seed=seed) for seed in range(10)]


def test_unseen_bags_are_classified_by_citation_in_the_plane():
    right = []
    for seed in range(5):
        X, bags, _ = planted_bags(80, seed=seed)
        train = np.flatnonzero(np.arange(80) % 2)
        test = np.flatnonzero(np.arange(80) % 2 == 0)
        inner = Bags.from_lists([bags.of(k) for k in train], bags.labels[train])
        est = MIDA(alpha=1.0).fit(X, bags=inner)
        D = hausdorff_max(est.transform(X), bags)
        right.append(np.mean([citation(D, train, k, bags.labels) == bags.labels[k] for k in test]))
    assert np.mean(right) >= 0.93  # six other draws: 0.99 to 1.0


def hausdorff_max(Z, bags):
    D = np.linalg.norm(Z[:, None] - Z[None], axis=2)
    out = np.zeros((len(bags), len(bags)))
    for i in range(len(bags)):
        for j in range(len(bags)):
            part = D[np.ix_(bags.of(i), bags.of(j))]
            out[i, j] = max(part.min(axis=0).max(), part.min(axis=1).max())
    return out


def citation(D, train, k, labels, references=2, citers=4):
    """Citation-kNN (Wang and Zucker 2000): references of k and the bags that list k among their
    nearest; tie = -1."""
    votes = list(labels[train[np.argsort(D[k, train], kind="stable")[:references]]])
    for t in train:
        others = train[train != t]
        rank = (D[t, others] < D[t, k]).sum()
        if rank < citers:
            votes.append(labels[t])
    return 1 if sum(votes) > 0 else -1


@pytest.mark.parametrize("criterion", ["trace difference", "trace ratio", "ratio trace"])
def test_every_criterion_finds_the_planted_targets(criterion):
    share = [
        hits(MIDA(criterion=criterion).fit(X, bags=bags), truth) for X, bags, truth in drawn()[:5]
    ]
    assert np.mean(share) >= 0.95  # six other draws: 0.99 to 1.0


def test_density_along_the_first_direction_finds_the_planted_targets():
    share = [
        hits(MIDA(update="density", n_components=5).fit(X, bags=bags), truth)
        for X, bags, truth in drawn()[:5]
    ]
    assert np.mean(share) >= 0.95


@pytest.mark.parametrize("shrinkage", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_the_trace_ratio_is_the_trace_difference_at_the_penalty_it_finds(seed, shrinkage):
    X, bags = random_bags(seed)
    ratio = MIDA(criterion="trace ratio", shrinkage=shrinkage, update="none").fit(X, bags=bags)
    difference = MIDA(
        alpha=ratio.penalty_, alpha_mode="raw", shrinkage=shrinkage, update="none"
    ).fit(X, bags=bags)
    np.testing.assert_allclose(ratio.components_, difference.components_, atol=1e-6)
    assert abs(difference.history_[0]) < 1e-6 * np.abs(difference.eigenvalues_).max()


@pytest.mark.parametrize("seed", range(8))
def test_the_trace_ratio_never_decreases(seed):
    X, bags = random_bags(seed)
    history = MIDA(criterion="trace ratio", n_components=3).fit(X, bags=bags).history_
    assert (np.diff(history) >= -1e-9 * history[:-1]).all()


def test_the_ratio_trace_solves_the_generalized_eigenproblem():
    X, bags = random_bags(0)
    est = MIDA(criterion="ratio trace", shrinkage=0.3, n_components=2, update="none").fit(
        X, bags=bags
    )
    A = (X - est.mean_) / est.scale_
    negative = [bags.of(k) for k in np.flatnonzero(bags.labels < 0)]
    N = np.stack([A[rows].mean(axis=0) for rows in negative])
    Sb, Sw = scatters(
        A[est.prototype_[est.prototype_ >= 0]], N, A[np.concatenate(negative)].mean(axis=0)
    )
    Sw = 0.7 * Sw + 0.3 * np.trace(Sw) / 5 * np.eye(5)
    values = eigh(Sb, Sw, eigvals_only=True)[::-1]
    np.testing.assert_allclose(est.eigenvalues_, values, rtol=1e-6)
    for j in range(2):
        w = est.components_[:, j]
        np.testing.assert_allclose(Sb @ w, values[j] * Sw @ w, atol=1e-5 * np.abs(Sb @ w).max())
    np.testing.assert_allclose(np.linalg.norm(est.components_, axis=0), 1.0)


def test_spread_made_round_counts_the_same_in_every_direction():
    X, bags = random_bags(1)
    round_, plain = (MIDA(alpha=a, shrinkage=1.0).fit(X, bags=bags) for a in (0.5, 0.0))
    assert np.ptp(plain.eigenvalues_ - round_.eigenvalues_) < 1e-9 * plain.eigenvalues_[0]


def test_directions_that_do_not_separate_are_noted():
    X, bags = random_bags(2)
    assert any(
        "1 of 3 directions separate" in note
        for note in MIDA(alpha=3, n_components=3).fit(X, bags=bags).notes_
    )


def test_dimensions_that_the_features_lack_are_zero_and_noted():
    X, bags = random_bags(2)
    est = MIDA(n_components=7).fit(X, bags=bags)
    assert (est.embedding_[:, 5:] == 0).all()
    assert "5 dimensions" in est.notes_[-1]


def test_the_kernel_version_is_the_linear_one_on_kernel_principal_components():
    X, bags = random_bags(3)
    est = MIDA(kernel="rbf", standardize=False, width=4.0).fit(X, bags=bags)
    K = np.exp(-np.square(X[:, None] - X[None]).sum(axis=2) / 4.0)
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh(K)
    scores = (vectors * np.sqrt(np.maximum(values, 0)))[:, 1:]
    linear = MIDA(standardize=False).fit(scores, bags=bags)
    assert np.array_equal(est.prototype_, linear.prototype_)
    signs = np.sign((est.embedding_ * linear.embedding_).sum(axis=0))
    np.testing.assert_allclose(est.embedding_ * signs, linear.embedding_, atol=1e-6)


def test_new_instances_go_where_the_kernel_of_the_training_instances_says():
    X, bags = random_bags(4)
    est = MIDA(kernel="rbf").fit(X, bags=bags)
    np.testing.assert_allclose(est.transform(X), est.embedding_)
    far = est.transform(X[:1] + 1e3)
    np.testing.assert_allclose(far, est.transform(X[:1] - 1e3))


def test_the_kernel_finds_targets_that_no_direction_sets_apart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 2))
    X *= (3 / np.linalg.norm(X, axis=1))[:, None]
    truth = np.arange(160) % 8 == 3
    truth[80:] = False
    X[truth] = 0.3 * rng.normal(size=(10, 2))  # in the middle of a ring
    bags = Bags.from_column(np.repeat(np.arange(20), 8), np.where(np.arange(20) < 10, 1, -1))
    est = MIDA(kernel="rbf", update="density", n_components=1).fit(X, bags=bags)
    assert est.embedding_[truth, 0].min() > est.embedding_[~truth, 0].max()


def test_many_instances_are_spanned_by_landmarks_and_noted(monkeypatch):
    monkeypatch.setattr("emberscope.mil.reduction.kernel_features.EXACT_LIMIT", 20)
    X, bags = random_bags(5)
    est = MIDA(kernel="rbf").fit(X, bags=bags)
    assert len(est.references_) == 20
    assert any("spanned by 20" in note for note in est.notes_)


def test_a_kernel_of_too_many_instances_is_refused(monkeypatch):
    monkeypatch.setattr("emberscope.mil.reduction.kernel_features.LARGEST", 20)
    X, bags = random_bags(5)
    with pytest.raises(TooLarge, match="kernel linear"):
        MIDA(kernel="rbf").fit(X, bags=bags)


def test_the_grids_make_no_more_than_thirty_combinations():
    sizes = [len(param.grid) for param in MIDA.params if param.grid]
    assert np.prod(sizes) <= 30


def test_constant_features_change_nothing():
    X, bags = random_bags(3)
    wide = np.hstack([X, np.full((len(X), 2), 0.1)])
    np.testing.assert_allclose(
        MIDA().fit(wide, bags=bags).embedding_, MIDA().fit(X, bags=bags).embedding_, atol=1e-10
    )


def test_labels_alone_make_every_instance_a_bag():
    X, _ = random_bags(4)
    y = np.where(np.arange(len(X)) % 3, 1, -1)
    bags = Bags.from_lists([[i] for i in range(len(X))], y)
    np.testing.assert_allclose(MIDA().fit(X, y).embedding_, MIDA().fit(X, bags=bags).embedding_)


def test_an_instance_marked_background_is_no_prototype():
    X, bags = random_bags(5)
    chosen = MIDA().fit(X, bags=bags).prototype_
    k = next(k for k in np.flatnonzero(bags.labels > 0) if len(bags.of(k)) > 1)
    y = bags.instance_labels(len(X)).astype(int)
    y[chosen[k]] = -1
    assert MIDA().fit(X, y, bags=bags).prototype_[k] not in (chosen[k], -1)


def test_a_positive_bag_without_usable_instance_takes_no_part_and_is_noted():
    X, bags = random_bags(5)
    k = np.flatnonzero(bags.labels > 0)[0]
    y = bags.instance_labels(len(X)).astype(int)
    y[bags.of(k)] = -1
    est = MIDA().fit(X, y, bags=bags)
    assert est.prototype_[k] == -1
    assert est.notes_[0].startswith("1 bags without a usable instance")


def test_more_dimensions_than_prototypes_span_are_filled_and_noted():
    X = np.random.default_rng(0).normal(size=(10, 6))
    bags = Bags.from_lists([range(5), range(5, 10)], [1, -1])
    est = MIDA(n_components=4).fit(X, bags=bags)
    assert len(est.eigenvalues_) == 1
    assert "span 1 dimension;" in est.notes_[0]
    np.testing.assert_allclose(est.components_.T @ est.components_, np.eye(4), atol=1e-10)


def test_a_raw_penalty_is_the_relative_one_times_the_smaller_number_of_bags():
    X, bags = random_bags(6)
    relative = MIDA(alpha=0.5).fit(X, bags=bags)
    raw = MIDA(alpha=0.5 * 6, alpha_mode="raw").fit(X, bags=bags)
    assert np.array_equal(raw.embedding_, relative.embedding_)


def test_flips_count_the_prototypes_that_moved():
    X, bags, _ = planted_bags(seed=1)
    start, end = (MIDA(update=update).fit(X, bags=bags) for update in ("none", "paper"))
    assert start.n_flips_ == 0
    assert end.n_flips_ == (start.prototype_ != end.prototype_).sum()


def test_bags_of_one_class_are_refused():
    X, bags = random_bags(0)
    positive = np.flatnonzero(bags.labels > 0)
    with pytest.raises(MissingLabels):
        MIDA().fit(X, bags=Bags.from_lists([bags.of(k) for k in positive], bags.labels[positive]))


def test_bags_of_other_instances_are_refused():
    X, bags = random_bags(0)
    with pytest.raises(DataError, match="row"):
        MIDA().fit(X[:4], bags=bags)


def test_it_stops_while_the_density_is_computed():
    X, bags, _ = planted_bags(seed=0)
    with pytest.raises(Cancelled):
        MIDA().fit(X, bags=bags, monitor=Watch(stop=lambda: True))
