"""The residual network with 18 layers as data."""

import numpy as np
import pytest

from emberscope.base.errors import DataError
from emberscope.tuning.residual import checked, convolutions, drawn, is_learned, shapes


def weights(**other):
    return {**drawn(4, 1, np.random.default_rng(0)), **other}


def test_it_has_as_many_weights_as_printed_without_its_last_layer():
    sizes = {name: int(np.prod(shape)) for name, shape in shapes(64, 3).items()}
    learned = sum(size for name, size in sizes.items() if is_learned(name))
    assert learned == 11_689_512 - (512 * 1000 + 1000)


def test_seventeen_convolutions_and_three_beside_blocks_that_shrink():
    sides = [one.side for one in convolutions()]
    assert (sides.count(7), sides.count(3), sides.count(1)) == (1, 16, 3)


def test_weights_are_drawn_as_wide_as_a_rectifier_wants_them():
    kernel = drawn(64, 3, np.random.default_rng(0))["layer2.1.conv1.weight"]
    assert kernel.std() == pytest.approx(np.sqrt(2 / (128 * 9)), rel=0.02)


def test_other_arrays_of_a_file_such_as_its_last_layer_are_left():
    found = checked(weights(**{"fc.weight": np.zeros((1000, 32), np.float32)}), "net")
    assert found.keys() == shapes(4, 1).keys()


@pytest.mark.parametrize(("name", "value", "said"), [
    ("conv1.weight", np.zeros((4, 2, 7, 7)), "no residual network with 18 layers"),
    ("layer1.0.conv1.weight", np.zeros((4, 4, 1, 1)), "layer1.0.conv1.weight is (4, 4, 1, 1)"),
    ("bn1.bias", np.full(4, np.nan), "bn1.bias has numbers that are not finite"),
])
def test_a_file_of_another_network_is_refused_by_what_differs(name, value, said):
    with pytest.raises(DataError) as caught:
        checked(weights(**{name: value}), "net.safetensors")
    assert said in str(caught.value)
    assert "net.safetensors" in str(caught.value)


def test_a_file_without_one_of_its_weights_is_refused_by_that():
    found = weights()
    del found["layer4.1.bn2.running_mean"]
    with pytest.raises(DataError, match=r"has no layer4\.1\.bn2\.running_mean"):
        checked(found, "net")
