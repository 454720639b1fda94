"""Networks in files: weights that are read, and networks in ONNX that are written. Nothing in them
is ever executed: no pickle."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from emberscope.base.errors import FormatError, ParamError
from emberscope.base.files import check_file, check_folder, written_whole
from emberscope.base.out_folders import check_out_file
from emberscope.tuning.residual import STEM, Convolution, Weights, blocks, checked

EPSILON = 1e-5  # of every normalization
_OPSET, _VERSION = 13, 8


def extra(name: str) -> Any:
    """A library of the extra "deep". Raises ParamError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ParamError(f"tuning a network needs {name.partition('.')[0]}, which is not installed",
                         hint='Install it: pip install "emberscope[deep]".') from error


def read_weights(path: Path) -> Weights:
    """Of a residual network with 18 layers, in safetensors, or in ONNX as `write_network` writes
    it.

    Raises FormatError for a file that cannot be read, or in another format; DataError for another
    network; ParamError where the library for it is not installed.
    """
    file = str(path)
    check_file(file)
    kind = path.suffix.lower()
    if kind == ".safetensors":
        read = _from_safetensors
    elif kind == ".onnx":
        read = _from_onnx
    else:
        raise FormatError(file, None, "weights are read from .safetensors and .onnx only",
                          hint="Save them with safetensors.torch.save_file: other files of "
                               "networks can hold programs.")
    return checked(read(path), file)


def _from_safetensors(path: Path) -> Mapping[str, NDArray]:
    library = extra("safetensors.numpy")
    try:
        found: Mapping[str, NDArray] = library.load_file(path)
    except Exception as error:  # of a library whose errors have no common class
        raise FormatError(str(path), None, f"this is no file of weights: {error}",
                          hint="Download it again.") from error
    return found


def _from_onnx(path: Path) -> Mapping[str, NDArray]:
    library, values = extra("onnx"), extra("onnx.numpy_helper")
    try:
        found = library.load(path, load_external_data=False)
        return {one.name: values.to_array(one) for one in found.graph.initializer}
    except Exception as error:  # of a library whose errors have no common class
        raise FormatError(str(path), None, f"this is no network in ONNX: {error}",
                          hint="Choose one that tuning wrote.") from error


def check_room(path: Path) -> None:
    """Raise before anything is computed: ParamError where a library is not installed or a file is
    there already, DataError where there is no such folder."""
    for name in ("torch", "onnx"):
        extra(name)
    check_folder(path.parent)
    check_out_file(path)
    if path.exists():
        raise ParamError("this file is there already", where=str(path),
                         hint="Choose another name for the network.")


def write_network(
    path: Path, weights: Weights, *, side: int, mean: float, std: float, said: Mapping[str, str]
) -> None:
    """Write a network, whole or not at all, that takes chips of `side` px from 0 to 1 and gives
    what its last layer but one says of them.

    weights : arrays by name, see `residual.shapes`. mean, std : what is subtracted from chips, and
    what they are divided by, in each channel. said : further words in the file. Raises OSError
    where it cannot be written.
    """
    onnx, helper, values = extra("onnx"), extra("onnx.helper"), extra("onnx.numpy_helper")
    channels, wide = weights[STEM.weight].shape[1], len(weights[STEM.weight]) * 8
    image = helper.make_tensor_value_info("chips", onnx.TensorProto.FLOAT,
                                          ["n", channels, side, side])
    features = helper.make_tensor_value_info("features", onnx.TensorProto.FLOAT, ["n", wide])
    arrays = [values.from_array(value, name) for name, value in weights.items()]
    graph = helper.make_graph(_nodes(helper), "tuned", [image], [features], arrays)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])
    model.ir_version = _VERSION
    helper.set_model_props(model, {
        "mean": ", ".join([repr(mean)] * channels), "std": ", ".join([repr(std)] * channels),
        **said,
    })  # fmt: skip
    with written_whole(path) as new:
        new.write_bytes(model.SerializeToString())


def _nodes(helper: Any) -> list[Any]:
    """Nodes of the network, by the names of what they give."""
    out: list[Any] = []

    def add(kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        out.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def convolved(one: Convolution, given: str) -> str:
        pad = one.side // 2
        found = add("Conv", [given, one.weight], one.name, strides=[one.stride] * 2,
                    pads=[pad] * 4, kernel_shape=[one.side] * 2)
        return add("BatchNormalization", [found, *one.moments], one.norm, epsilon=EPSILON)

    at = add("Relu", [convolved(STEM, "chips")], "stem")
    at = add("MaxPool", [at], "pooled", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for k, block in enumerate(blocks()):
        inner = add("Relu", [convolved(block.first, at)], f"inner{k}")
        inner = convolved(block.second, inner)
        beside = at if block.beside is None else convolved(block.beside, at)
        at = add("Relu", [add("Add", [inner, beside], f"sum{k}")], f"block{k}")
    add("Flatten", [add("GlobalAveragePool", [at], "mean")], "features")
    return out
