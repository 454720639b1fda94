"""A network tuned on bag labels alone, where torch is installed."""

import numpy as np
import pytest

from emberscope.base.errors import MissingLabels
from emberscope.base.monitor import Watch
from emberscope.evaluate.scores import auc
from emberscope.features.backbone import backbone_of
from emberscope.features.recipe import FeatureRecipe
from emberscope.project.model.tuned_network import Tuning
from emberscope.tuning import heads
from emberscope.tuning.network import Network
from emberscope.tuning.network_file import write_network
from emberscope.tuning.residual import drawn
from emberscope.tuning.tune import bag_log_odds, tune

from .examples import PER_BAG, spots

torch = pytest.importorskip("torch")
seeded = np.random.default_rng


def a_network(head="noisy-or", width=4, moves=False):
    return Network(drawn(width, 1, seeded(0)), heads.drawn(head, 8 * width, seeded(1)), mean=0.4,
                   std=0.1, moves=moves)


def some_rows():
    return seeded(1).normal(size=(4, 3)).astype(np.float32)


def test_bags_that_it_has_not_seen_are_told_apart_and_their_spots_found():
    chips, bags, _ = spots(60)
    found = tune(chips, bags, Tuning(head="noisy-or", width=8, epochs=25)).network()
    new, of_new, shown = spots(40, seed=9)
    assert auc(of_new.labels, bag_log_odds(found, new, of_new)) > 0.9
    alone = found.log_odds(found.describe(new), np.arange(len(new))[:, None])
    positive = of_new.labels > 0
    assert (alone.reshape(-1, PER_BAG).argmax(axis=1) == shown)[positive].mean() > 0.8


def test_noisy_or_is_one_less_the_chance_that_no_chip_is_a_target():
    head, h = heads.drawn("noisy-or", 3, seeded(0)), some_rows()
    tensors = {name: torch.tensor(value) for name, value in head.items()}
    p = 1 - np.prod(1 - 1 / (1 + np.exp(-(h @ head["vote"]))))
    found = float(heads.log_odds(torch, tensors, torch.tensor(h)))
    assert found == pytest.approx(np.log(p / (1 - p)), rel=1e-4)


def test_attention_is_the_mean_vote_weighted_by_what_each_chip_draws():
    head, h = heads.drawn("attention", 3, seeded(0)), some_rows()
    tensors = {name: torch.tensor(value) for name, value in head.items()}
    e = (np.tanh(h @ head["look"].T) / (1 + np.exp(-(h @ head["gate"].T)))) @ head["attend"]
    a = np.exp(e) / np.exp(e).sum()
    found = float(heads.log_odds(torch, tensors, torch.tensor(h)))
    assert found == pytest.approx(a @ (h @ head["vote"]), rel=1e-4)


def test_a_step_lowers_the_loss_of_the_same_bags():
    chips, bags, _ = spots(8)
    network = a_network(moves=True)
    parts, ones = [chips[bags.of(k)] for k in range(8)], np.ones(8)
    losses = [network.step(parts, bags.labels, ones, 1e-3) for _ in range(5)]
    assert losses[-1] < losses[0]


def test_the_file_says_what_the_network_says(tmp_path):
    pytest.importorskip("onnxruntime")
    network, (chips, _, _) = a_network(), spots(2)
    write_network(tmp_path / "n.onnx", network.arrays()[0], side=16, mean=0.4, std=0.1, said={})
    found = backbone_of(FeatureRecipe(kind="cnn", file=str(tmp_path / "n.onnx"))).describe(chips)
    np.testing.assert_allclose(found, network.describe(chips), rtol=1e-3, atol=1e-4)


def test_weights_that_are_given_keep_their_normalizations():
    chips, bags, _ = spots(12)
    start = drawn(4, 1, seeded(0))
    found = tune(chips, bags, Tuning(epochs=1), start=start).weights
    np.testing.assert_array_equal(found["bn1.running_mean"], start["bn1.running_mean"])
    assert not np.array_equal(found["conv1.weight"], start["conv1.weight"])


def test_each_network_that_is_better_is_handed_on_while_it_goes_on():
    chips, bags, _ = spots(20)
    kept = []
    found = tune(chips, bags, Tuning(width=4, epochs=3), reached=kept.append)
    assert kept[-1].epoch == found.epoch
    assert [one.loss for one in kept] == sorted((one.loss for one in kept), reverse=True)


def test_progress_goes_forward_only():
    chips, bags, _ = spots(12)
    seen = []
    tune(chips, bags, Tuning(width=4, epochs=2), monitor=Watch(lambda at, _: seen.append(at)))
    assert seen == sorted(seen)


def test_without_background_nothing_is_learned():
    chips, bags, _ = spots(6)
    with pytest.raises(MissingLabels, match="no negative bag"):
        tune(chips, bags.take(np.flatnonzero(bags.labels > 0)), Tuning(width=4))
