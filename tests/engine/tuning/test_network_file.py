"""Networks in files. The libraries of the extra "deep" may be absent; then that is said."""

import importlib

import numpy as np
import pytest

from emberscope.base.errors import DataError, FormatError, ParamError
from emberscope.features.backbone import backbone_of
from emberscope.features.recipe import FeatureRecipe
from emberscope.tuning import network_file
from emberscope.tuning.network_file import check_room, read_weights, write_network
from emberscope.tuning.residual import drawn

WEIGHTS = drawn(4, 1, np.random.default_rng(0))


@pytest.fixture
def present(monkeypatch, tmp_path):
    """As if all libraries were installed."""
    monkeypatch.setattr(network_file, "extra", lambda name: None)
    return tmp_path


def written(path, **said):
    pytest.importorskip("onnx")
    write_network(path, WEIGHTS, side=16, mean=0.25, std=0.5, said=said)
    return path


def test_without_a_library_the_extra_that_brings_it_is_named(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(ParamError, match=r'needs onnx.*pip install "emberscope\[deep\]"'):
        network_file.extra("onnx.helper")


def test_a_file_that_is_there_is_not_replaced(present):
    (present / "net.onnx").write_bytes(b"mine")
    with pytest.raises(ParamError, match="already"):
        check_room(present / "net.onnx")


def test_a_folder_that_is_not_there_is_named(present):
    with pytest.raises(DataError, match="no such folder"):
        check_room(present / "nowhere" / "net.onnx")


def test_weights_in_a_format_that_can_hold_programs_are_refused(tmp_path):
    (tmp_path / "net.pth").write_bytes(b"\x80\x02")
    with pytest.raises(FormatError, match=r"from \.safetensors and \.onnx only"):
        read_weights(tmp_path / "net.pth")


def test_a_network_that_was_written_makes_features_and_says_who_taught_it(tmp_path):
    pytest.importorskip("onnxruntime")
    path = written(tmp_path / "net.onnx", taught="a1,b2")
    found = backbone_of(FeatureRecipe(kind="cnn", file=str(path)))
    assert (found.rows, found.channels, found.width) == (16, 1, 32)
    assert (found.mean, found.std, found.taught) == ((0.25,), (0.5,), ("a1", "b2"))


def test_its_weights_come_back_to_go_on_from(tmp_path):
    found = read_weights(written(tmp_path / "net.onnx"))
    assert all(np.array_equal(found[name], value) for name, value in WEIGHTS.items())


def test_weights_of_others_are_read_from_safetensors(tmp_path):
    library = pytest.importorskip("safetensors.numpy")
    library.save_file(WEIGHTS, tmp_path / "net.safetensors")
    found = read_weights(tmp_path / "net.safetensors")
    assert all(np.array_equal(found[name], value) for name, value in WEIGHTS.items())


@pytest.mark.parametrize(("name", "library"), [("net.safetensors", "safetensors"),
                                               ("net.onnx", "onnx")])
def test_a_damaged_file_is_one_error_that_names_it(tmp_path, name, library):
    pytest.importorskip(library)
    (tmp_path / name).write_bytes(b"\xff" * 40)
    with pytest.raises(FormatError, match=name):
        read_weights(tmp_path / name)
