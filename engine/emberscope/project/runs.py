"""One finished run in a project file: its record as JSON, each of its arrays as a data set beside it."""

from typing import Any
from urllib.parse import quote

import msgspec
import numpy as np
from numpy.typing import NDArray

from emberscope.base.errors import ProjectError
from emberscope.project.hdf5 import Reader, Writer
from emberscope.project.model import Run

_ARRAY = "$array"  # {"$array": NAME} in the record stands for the data set NAME


def write_run(run: Run, out: Writer) -> None:
    """Put a run under runs/ID. Raises ProjectError for a value that has no place in a file."""
    arrays: dict[str, NDArray] = {}
    fields = {name: getattr(run, name) for name in run.__struct_fields__}
    out.json(f"runs/{run.id}/record", _take_arrays(fields, "", arrays))
    for name, array in arrays.items():
        out.array(f"runs/{run.id}/{name}", array)


def read_run(run_id: int, reader: Reader) -> Run:
    """The run under runs/ID. Raises ProjectError where its arrays do not fit together."""
    record = _put_arrays(reader.json(f"runs/{run_id}/record"), f"runs/{run_id}", reader)
    run = msgspec.convert(record, Run)
    if run.id != run_id:
        raise ProjectError(f"run {run_id} says it is run {run.id}")
    _check(run)
    return run


def _take_arrays(value: Any, name: str, arrays: dict[str, NDArray]) -> Any:
    """Plain data with every array moved to `arrays` under a name made of its path."""
    if isinstance(value, np.ndarray):
        while name in arrays or name == "record":
            name += "~"
        arrays[name] = value
        return {_ARRAY: name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        if not all(isinstance(key, str) and key != _ARRAY for key in value):
            raise ProjectError(f"{name} has a key that a file cannot keep", hint="Nothing was saved.")
        return {key: _take_arrays(item, _below(name, key), arrays) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_take_arrays(item, _below(name, str(i)), arrays) for i, item in enumerate(value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    raise ProjectError(f"{name} is a {type(value).__name__}, which a file cannot keep", hint="Nothing was saved.")


def _below(name: str, key: str) -> str:
    return f"{name}.{quote(key, safe='')}" if name else quote(key, safe="")


def _put_arrays(value: Any, group: str, reader: Reader) -> Any:
    if isinstance(value, dict):
        if value.keys() == {_ARRAY}:
            return reader.array(f"{group}/{value[_ARRAY]}")
        return {key: _put_arrays(item, group, reader) for key, item in value.items()}
    if isinstance(value, list):
        return [_put_arrays(item, group, reader) for item in value]
    return value


def _check(run: Run) -> None:
    """Rows of the instance table agree, and bags point into it."""
    n = len(run.ids)
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
    curve, bins = found.get("curve_k", np.empty(0)).shape, found.get("shepard_local", np.empty((0, 0))).shape
    wanted: dict[str, tuple[int, ...]] = {
        "ellipses": (len(run.ids), d, d), "bag_purity": run.bag_ids.shape,
        "bag_score": run.bag_ids.shape, "loadings": (len(run.state.get("feature_names", ())), d),
        "shepard_global": bins,
        "shepard_edges_x": (bins[0] + 1,), "shepard_edges_z": (bins[-1] + 1,),
        **dict.fromkeys(("q_nx", "r_nx", "lcmc", "b_nx"), curve),
    }
    if any(name in wanted and values.shape != wanted[name] for name, values in found.items()):
        raise ProjectError(f"run {run.id} has diagnostics of different lengths")
