"""`emberscope tune`, called as a person calls it."""

import importlib.util
import json
from pathlib import Path

import pytest

from emberscope.cli import main

DEEP = all(importlib.util.find_spec(name) for name in ("torch", "onnx", "onnxruntime"))


@pytest.mark.skipif(DEEP, reason="torch is installed")
def test_without_torch_the_extra_that_brings_it_is_named(labeled, capsys):
    assert main(["tune", labeled, "--to", "net.onnx"]) == 1
    assert 'pip install "emberscope[deep]"' in capsys.readouterr().err
    assert not Path("net.onnx").exists()


@pytest.mark.skipif(not DEEP, reason="torch is not installed")
def test_a_network_is_written_and_the_recipe_that_takes_it_is_said(labeled, capsys):
    short = ["--side", "16", "--width", "4", "--epochs", "1"]
    assert main(["tune", labeled, "--to", "net.onnx", *short]) == 0
    said = capsys.readouterr()
    assert "Every labeled bag taught the network" in said.err
    assert 'kind = "cnn" and file = "net.onnx"' in said.out
    assert main(["tune", labeled, "--to", "other.onnx", *short, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["features"] == 32


def test_a_rate_that_is_none_is_refused(labeled, capsys):
    assert main(["tune", labeled, "--to", "net.onnx", "--rate", "-1"]) == 1
    assert "--rate is -1" in capsys.readouterr().err
