"""Growing neural gas: the shape of the data as a graph."""

import numpy as np

from emberscope.embedding.principal.gng import GrowingNeuralGas, grow


def disc(n, at):
    rng = np.random.default_rng(1)
    r, a = np.sqrt(rng.uniform(size=n)), rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([r * np.cos(a), r * np.sin(a)]) + at


def test_two_discs_give_two_parts_and_it_is_noted():
    est = GrowingNeuralGas(n_nodes=30).fit(np.vstack([disc(300, 0), disc(300, 10)]))
    assert est.part_.max() == 1
    assert any("2 parts" in note for note in est.notes_)


def test_the_error_falls_while_the_graph_grows():
    est = GrowingNeuralGas(n_nodes=40).fit(disc(500, 0))
    assert est.history_[-1] < 0.5 * est.history_[0]


def test_the_graph_of_a_ring_is_a_ring():
    rng = np.random.default_rng(1)
    a = rng.uniform(0, 2 * np.pi, 600)
    est = GrowingNeuralGas(n_nodes=24).fit(np.column_stack([np.cos(a), np.sin(a)]))
    nodes, edges = len(est.prototypes_), len(est.edges_)
    assert edges - nodes + est.part_.max() + 1 == 1  # one independent cycle


def test_nodes_lie_among_the_data():
    X = disc(400, 3)
    est = GrowingNeuralGas(n_nodes=20).fit(X)
    assert np.linalg.norm(est.prototypes_ - 3, axis=1).max() < 1.05  # six other draws: 0.87 to 0.93


def test_a_plane_is_drawn_as_a_plane():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.uniform(size=(800, 2)), np.zeros(800)])
    Z = GrowingNeuralGas(n_nodes=80).fit(X).embedding_
    A = np.column_stack([Z, np.ones(800)])
    rest = X[:, :2] - A @ np.linalg.lstsq(A, X[:, :2], rcond=None)[0]
    assert np.square(rest).sum() / np.square(X[:, :2] - X[:, :2].mean(axis=0)).sum() < 0.05


def test_one_input_moves_the_winner_and_ties_it_to_the_second():
    W = np.array([[0.0], [1.0], [9.0]], np.float32)
    age = np.full((3, 3), -1, np.int32)
    alive = np.array([True, True, False])
    error = np.zeros(3)
    mean = grow(np.array([[0.2]], np.float32), np.array([0]), W, age, error, alive, 0, 100, 50)
    np.testing.assert_allclose(W[:, 0], [0.01, 1.0 + 0.0006 * 0.0, 9.0], atol=1e-6)
    assert age.tolist() == [[-1, 0, -1], [0, -1, -1], [-1, -1, -1]]
    np.testing.assert_allclose([mean, error[0]], [0.04, 0.04 * 0.995], rtol=1e-5)


def test_a_node_is_added_between_the_worst_and_its_neighbor():
    W = np.array([[0.0], [1.0], [9.0]], np.float32)
    age = np.full((3, 3), -1, np.int32)
    age[0, 1] = age[1, 0] = 0
    alive = np.array([True, True, False])
    grow(np.array([[0.0]], np.float32), np.array([0]), W, age, np.zeros(3), alive, 0, 1, 50)
    assert alive.all()
    assert 0.4 < W[2, 0] < 0.6
    assert age[0, 1] == -1
    assert age[0, 2] == age[1, 2] == 0
