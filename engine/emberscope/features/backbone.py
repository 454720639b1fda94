"""A network in a file of the user's, in ONNX, that turns chips into features; never a download."""

import hashlib
import importlib
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import DataError, FormatError, ParamError
from emberscope.base.files import absolute, check_file
from emberscope.base.kernels import thread_count
from emberscope.features.recipe import FeatureRecipe

# Providers that compute in single precision; others may not, and would change results unsaid.
_PROVIDERS = ("CUDAExecutionProvider", "ROCMExecutionProvider", "DmlExecutionProvider",
              "CPUExecutionProvider")
_TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16}
_IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))  # of most networks that see colors
TAUGHT = "taught"  # what a network says of the clips that it was tuned on, by their contents
_LARGEST = 1 << 31  # bytes: what one message of this format can hold
_WIDEST = 1 << 16
_GRAPH, _OUTPUT, _NAME = 7, 12, 1  # fields of ModelProto, GraphProto and ValueInfoProto


@dataclass(frozen=True, slots=True)
class Backbone:
    """A network that was read. rows, cols : px of its chips; 0 where it takes any. channels : 1 or
    3. first : whether channels come before rows and columns. taught : contents of the sources with
    whose labels it was tuned. width : numbers per chip. seconds : that one chip takes."""

    session: Any
    input: str
    output: str
    dtype: type
    rows: int
    cols: int
    channels: int
    first: bool
    mean: tuple[float, ...]
    std: tuple[float, ...]
    taught: tuple[str, ...] = ()
    width: int = 0
    seconds: float = 0.0

    def describe(self, chips: NDArray[np.float32]) -> NDArray[np.float32]:
        """Chips (N, rows, cols), 0 to 1, as features (N, width).

        One chip at a time in one thread: a row does not depend, to the last bit, on the chips
        beside it or on how many threads there are.
        Raises DataError where the network gives numbers that are not finite.
        """
        with ThreadPoolExecutor(thread_count()) as pool:
            rows = list(pool.map(self._one, chips))
        return np.stack(rows) if rows else np.empty((0, self.width), np.float32)

    def _one(self, chip: NDArray[np.float32]) -> NDArray[np.float32]:
        image = (chip[..., None] - np.asarray(self.mean)) / np.asarray(self.std)
        image = image.transpose(2, 0, 1) if self.first else image
        given: dict[str, NDArray] = {self.input: np.ascontiguousarray(image[None], self.dtype)}
        try:
            found = np.asarray(self.session.run([self.output], given)[0], np.float32)
        except Exception as error:  # of onnxruntime, whose errors have no common class
            raise DataError(f"the network cannot look at a chip of {chip.shape[1]} x "
                            f"{chip.shape[0]} px: {_first_line(error)}",
                            hint="Set the side of the chip that it was made for.") from error
        row = _as_row(found, first=self.first)
        if not np.isfinite(row).all():
            raise DataError("the network gives numbers that are not finite",
                            hint="See whether mean and std are those it was trained with.")
        return row


def backbone_of(recipe: FeatureRecipe) -> Backbone:
    """The network of a recipe of kind "cnn", opened once per process.

    Raises ParamError where the recipe names no file, an output that is not there, or onnxruntime
    is not installed; FormatError where the file is no such network, or another one than when the
    recipe was run (`content`).
    """
    if not recipe.file:
        raise ParamError("cnn features need the file of a network",
                         hint="Give an ONNX file as file.")
    content = content_of(recipe.file)
    if recipe.content and recipe.content != content:
        raise FormatError(recipe.file, None, "this is another network than the one that was used",
                          hint="Put the file back, or run again.")
    return _opened(recipe.file, content, recipe.output, recipe.mean, recipe.std, recipe.chip)


def as_in_file(recipe: FeatureRecipe) -> FeatureRecipe:
    """The recipe; of kind "cnn" with its path from the root and the hash of the file. Raises what
    `backbone_of` does."""
    if recipe.kind != "cnn":
        return recipe
    backbone_of(recipe)
    file = str(absolute(recipe.file))
    return msgspec.structs.replace(recipe, file=file, content=content_of(file))


def content_of(file: str) -> str:
    """What identifies a network: 32 hexadecimal digits of the bytes of its file. Raises
    FormatError where it cannot be read."""
    try:
        check_file(file)
        stat = Path(file).stat()
        if stat.st_size > _LARGEST:
            raise FormatError(file, None, "a network has less than 2 GB",
                              hint="Choose an ONNX file.")
        return _digest(file, stat.st_size, stat.st_mtime_ns)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(file, None, f"the network cannot be read: {why}",
                          hint="Choose the ONNX file again.") from error


@lru_cache(maxsize=16)
def _digest(file: str, size: int, changed: int) -> str:
    with Path(file).open("rb") as opened:
        return hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


@lru_cache(maxsize=2)
def _opened(
    file: str, content: str, output: str, mean: tuple[float, ...], std: tuple[float, ...], chip: int
) -> Backbone:
    runtime = _runtime()
    data = Path(file).read_bytes()
    session = _session(runtime, file, data)
    names = [one.name for one in session.get_outputs()]
    if output and output not in names:
        session = _with_inner(runtime, file, data, output, names)
    found = _reading(session, file, output or names[0], mean, std)
    blank = np.zeros((2, found.rows or chip, found.cols or chip), np.float32)
    found.describe(blank[:1])  # the first one is slow
    begun = time.perf_counter()
    width = found.describe(blank[1:]).shape[1]
    if width > _WIDEST:
        raise ParamError(f"{found.output} has {width} numbers per chip",
                         hint=f"Choose an output of {_WIDEST} at most.")
    kept = {name: getattr(found, name) for name in Backbone.__dataclass_fields__}
    return Backbone(**{**kept, "width": width, "seconds": time.perf_counter() - begun})


def _runtime() -> Any:
    try:
        return importlib.import_module("onnxruntime")
    except ImportError as error:
        raise ParamError("cnn features need onnxruntime, which is not installed",
                         hint='Install it: pip install "emberscope[onnx]".') from error


def _session(runtime: Any, file: str, data: bytes) -> Any:
    """Opened from bytes, so that no other file is read: what is hashed is all there is."""
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    there = runtime.get_available_providers()
    try:
        return runtime.InferenceSession(data, options,
                                        providers=[name for name in _PROVIDERS if name in there])
    except Exception as error:  # of onnxruntime, whose errors have no common class
        what = f"this is not a network in ONNX that can be run: {_first_line(error)}"
        if "external" in str(error):
            what = "the weights of this network lie in another file"
        raise FormatError(file, None, what,
                          hint="Export it again, as one ONNX file.") from error


def _with_inner(runtime: Any, file: str, data: bytes, output: str, names: list[str]) -> Any:
    """The network with one more output, a value inside of it. A message of this format followed by
    another is both merged, so that the name alone is appended."""
    more = _field(_GRAPH, _field(_OUTPUT, _field(_NAME, output.encode())))
    try:
        return _session(runtime, file, data + more)
    except FormatError as error:
        raise ParamError(f"the network has no value {output!r}", where=file,
                         hint=f"Its outputs: {', '.join(names)}.") from error


def _field(number: int, content: bytes) -> bytes:
    """A field of bytes as protocol buffers write it: number and type, length, content."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _reading(
    session: Any, file: str, output: str, mean: tuple[float, ...], std: tuple[float, ...]
) -> Backbone:
    """How a network wants its images. Raises FormatError where it wants none."""
    inputs = session.get_inputs()
    if len(inputs) != 1:
        raise FormatError(file, None, f"the network has {len(inputs)} inputs",
                          hint="Choose one that takes an image alone.")
    (given,) = inputs
    if given.type not in _TYPES:
        raise FormatError(file, None, f"the network takes {given.type}",
                          hint="Export it for images of floating-point numbers.")
    shape = given.shape
    if len(shape) != 4:
        raise FormatError(file, None, f"the input of the network has {len(shape)} dimensions",
                          hint="An image network has 4: images, channels, rows, columns.")
    if isinstance(shape[0], int) and shape[0] > 1:
        raise FormatError(file, None, f"the network takes {shape[0]} images at a time",
                          hint="Export it for one, or for any number.")
    first = not (shape[3] in (1, 3) and shape[1] not in (1, 3))
    channels, sides = (shape[1], shape[2:]) if first else (shape[3], shape[1:3])
    channels = channels if isinstance(channels, int) else 3
    if channels not in (1, 3):
        raise FormatError(file, None, f"the network takes images of {channels} channels",
                          hint="Choose one that takes 1 or 3.")
    rows, cols = (side if isinstance(side, int) else 0 for side in sides)
    said = session.get_modelmeta().custom_metadata_map
    usual = _IMAGENET if channels == 3 else ((0.0,), (1.0,))
    return Backbone(
        session, given.name, output, _TYPES[given.type], rows, cols, channels, first,
        _per_channel("mean", mean or _said(said, "mean", file) or usual[0], channels),
        _per_channel("std", std or _said(said, "std", file) or usual[1], channels),
        tuple(filter(None, said.get(TAUGHT, "").split(","))),
    )


def _said(said: dict[str, str], name: str, file: str) -> tuple[float, ...]:
    """Numbers that the file has of itself, as "0.5, 0.5, 0.5" or a list in JSON; none: empty."""
    words = said.get(name, said.get(f"image_{name}", ""))
    try:
        return tuple(float(value) for value in json.loads(f"[{words.strip().strip('[]()')}]"))
    except (ValueError, TypeError) as error:
        raise FormatError(file, None, f"the file says that {name} is {words!r}",
                          hint=f"Set {name}.") from error


def _per_channel(name: str, values: tuple[float, ...], channels: int) -> tuple[float, ...]:
    wide = values * channels if len(values) == 1 else values
    if len(wide) != channels or not np.isfinite(wide).all() or (name == "std" and min(wide) <= 0):
        raise ParamError(f"{name} is {', '.join(f'{value:g}' for value in values)}",
                         hint=f"Give one number or {channels}"
                              f"{', above 0' if name == 'std' else ''}.")
    return wide


def _as_row(found: NDArray[np.float32], *, first: bool) -> NDArray[np.float32]:
    """What a network says of one image as a row: of a map of places their mean, of a sequence its
    first token, which stands for the image."""
    if found.ndim == 4:
        found = found.mean(axis=(2, 3) if first else (1, 2))
    elif found.ndim == 3:
        found = found[:, 0]
    return found.ravel()


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rpartition(" : ")[2].rstrip(".")
