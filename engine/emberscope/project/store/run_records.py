"""One finished run in a project file: its record as JSON, and the bytes of all its arrays in one
data set."""

from typing import Any
from urllib.parse import quote

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ProjectError
from emberscope.project.model.packing import array_bytes, number_type
from emberscope.project.model.project import Run
from emberscope.project.store.hdf5 import Reader, Writer

# {"$array": [dtype, shape, byte]} in the record stands for an array; {"$array": NAME}, in schema 1,
# for a data set
_ARRAY = "$array"
_ALIGNED = 64  # arrays start at a multiple of this, so that they are read in place


def write_run(run: Run, out: Writer) -> None:
    """Put a run under runs/ID. Raises ProjectError for a value that has no place in a file."""
    arrays = _Arrays()
    fields = {name: getattr(run, name) for name in run.__struct_fields__}
    out.json(f"runs/{run.id}/record", _take_arrays(fields, (), arrays))
    out.array(f"runs/{run.id}/arrays", arrays.joined())


def read_run(run_id: int, reader: Reader) -> Run:
    """The run under runs/ID. Raises ProjectError where its arrays do not fit together."""
    group = f"runs/{run_id}"
    record = reader.json(f"{group}/record")
    raw = reader.array(f"{group}/arrays") if f"{group}/arrays" in reader else np.empty(0, np.uint8)
    run = msgspec.convert(_put_arrays(record, group, reader, raw), Run)
    if run.id != run_id:
        raise ProjectError(f"run {run_id} says it is run {run.id}")
    check_run(run)
    return run


class _Arrays:
    """Arrays one after the other, and where each lies."""

    def __init__(self) -> None:
        self._parts: list[NDArray[np.uint8]] = []
        self._size = 0

    def add(self, path: tuple[str, ...], value: NDArray) -> list[object]:
        if value.dtype.kind not in "iufb":
            raise ProjectError(
                f"{_name(path)} holds {value.dtype}, not numbers", hint="Nothing was saved."
            )
        raw = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
        place = self._size
        self._parts += [raw, np.zeros(-len(raw) % _ALIGNED, np.uint8)]
        self._size += len(raw) + len(self._parts[-1])
        return [value.dtype.str, list(value.shape), place]

    def joined(self) -> NDArray[np.uint8]:
        return np.concatenate(self._parts) if self._parts else np.empty(0, np.uint8)


def _take_arrays(value: Any, path: tuple[str, ...], arrays: _Arrays) -> Any:
    """Plain data with every array moved to `arrays`; `path` is where it stands in the record."""
    if isinstance(value, np.ndarray):
        return {_ARRAY: arrays.add(path, value)}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        if not all(isinstance(key, str) and key != _ARRAY for key in value):
            raise ProjectError(
                f"{_name(path)} has a key that a file cannot keep", hint="Nothing was saved."
            )
        return {key: _take_arrays(item, (*path, key), arrays) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_take_arrays(item, (*path, str(i)), arrays) for i, item in enumerate(value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    what = f"{_name(path)} is a {type(value).__name__}, which a file cannot keep"
    raise ProjectError(what, hint="Nothing was saved.")


def _name(path: tuple[str, ...]) -> str:
    return ".".join(quote(key, safe="") for key in path)


def _put_arrays(value: Any, group: str, reader: Reader, raw: NDArray[np.uint8]) -> Any:
    if isinstance(value, dict):
        if value.keys() == {_ARRAY}:
            found = value[_ARRAY]
            return (
                reader.array(f"{group}/{found}") if isinstance(found, str) else _array(found, raw)
            )
        return {key: _put_arrays(item, group, reader, raw) for key, item in value.items()}
    if isinstance(value, list):
        return [_put_arrays(item, group, reader, raw) for item in value]
    return value


def _array(found: Any, raw: NDArray) -> NDArray:
    """The array that lies in `raw`; a view."""
    name, shape, start = msgspec.convert(found, tuple[str, tuple[int, ...], int])
    dtype = number_type(name)
    size = array_bytes(dtype, shape)
    if (
        raw.dtype != np.uint8
        or raw.ndim != 1
        or start % _ALIGNED
        or not 0 <= start <= len(raw) - size
    ):
        raise ProjectError("an array of a run lies outside of it")
    return raw[start:start + size].view(dtype).reshape(shape)


def check_run(run: Run) -> None:
    """Rows of the instance table agree, and bags point into it. Raises ProjectError."""
    n = len(run.ids)
    whole = (
        "ids",
        "source",
        "frame",
        "indptr",
        "members",
        "bag_labels",
        "bag_ids",
        "bag_classes",
        "y",
    )
    broken = [
        name
        for name in whole
        if getattr(run, name).dtype.kind not in "iu" or getattr(run, name).ndim != 1
    ]
    if broken:
        raise ProjectError(f"run {run.id} has {broken[0]} that are no whole numbers")
    rows = {"source": run.source, "frame": run.frame, "y": run.y, **run.point_scores}
    wrong = [name for name, column in rows.items() if column.shape != (n,)]
    if run.box.shape != (n, 4) or run.Z.ndim != 2 or len(run.Z) != n or run.ids.ndim != 1 or wrong:
        raise ProjectError(f"run {run.id} has arrays of different lengths")
    _check_diagnostics(run)
    if len(run.bags.members) and run.bags.members.max() >= n:
        raise ProjectError(f"run {run.id} has a bag that points outside its instances")


def _check_diagnostics(run: Run) -> None:
    """Arrays that belong to instances, bags or to each other have their lengths."""
    d, found = run.Z.shape[1], run.diagnostics
    curve, bins = (
        found.get("curve_k", np.empty(0)).shape,
        found.get("shepard_local", np.empty((0, 0))).shape,
    )
    k = (*found.get("concept_distances", np.empty((0, 0))).shape, 0, 0)[1]
    wanted: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(
            ("concept_centers", "concept_weights", "concept_widths"),
            (k, len(run.state.get("feature_names", ()))),
        ),
        "concept_distances": (len(run.ids), k),
        "concept_stars": (k, d),
        "concept_ellipses": (k, d, d),
        "concept_halves": (len(run.ids), k),
        "concept_ground": (*found.get("concept_ground", np.empty(0)).shape[:1], d),
        **dict.fromkeys(("bag_purity", "bag_score", "bag_fold"), run.bag_ids.shape),
        "ellipses": (len(run.ids), d, d),
        "loadings": (len(run.state.get("feature_names", ())), d),
        "score_loadings": (len(run.state.get("feature_names", ())),),
        "shepard_global": bins,
        "marks": (*found.get("marks", np.empty(0)).shape[:1], 2),
        "shepard_edges_x": (bins[0] + 1,),
        "shepard_edges_z": (bins[-1] + 1,),
        **dict.fromkeys(("q_nx", "r_nx", "lcmc", "b_nx"), curve),
    }
    if any(name in wanted and values.shape != wanted[name] for name, values in found.items()):
        raise ProjectError(f"run {run.id} has diagnostics of different lengths")
