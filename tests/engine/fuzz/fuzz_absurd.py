"""What is whole and absurd: links in the places of files, names that nobody gives, projects of very
much of one kind.

The file of such a family is a short text that says what is made of it.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from emberscope.findings.describe import describe_project
from emberscope.labels import Box, FrameLabel, Scribble, Spot
from emberscope.labels.label_set import LabelSet
from emberscope.labels.model import TargetClass
from emberscope.labels.side_info import Actions, Pair
from emberscope.project import Project, PutSettings, SourceRef
from emberscope.project.model.action_track import stretches
from emberscope.project.store.file import load, save

TARGETS = (
    "itself",
    "folder",
    "missing",
    "/dev/zero",
    "/dev/null",
    "/proc/self/mem",
    "/dev/stdin",
    "..",
    "a" * 300,
)
NAMES = (
    '<img src="file:///dev/zero">',
    "\x1b[31mred",
    "a\nb",
    "\u202eabc",
    "..",
    "../../x",
    "/dev/zero",
    "x" * 100_000,
    "",
    " ",
    "\ud800",
    "\0",
    "&#47;",
    "CON",
    "%s%n",
    "=1+1",
    "\u0663",
    "\U0001f600" * 300,
)
MOST = 20_000  # of a kind


def write_spec(**spec: object) -> Callable[[Path], None]:
    return lambda path: path.write_text(json.dumps(spec))


def other_spec(data: bytes, draw: random.Random) -> bytes:
    """The same text with other values, each of those that its key knows."""
    try:
        spec = json.loads(data)
    except ValueError:
        return data
    choices: dict[str, Any] = {
        "target": TARGETS,
        "name": NAMES,
        "kind": tuple(ABSURD),
        "n": (0, 1, 7, 1000, MOST),
    }
    return json.dumps(
        {key: draw.choice(choices[key]) if key in choices else spec[key] for key in spec}
    ).encode()


def spec_of(path: Path, **kinds: type) -> dict[str, Any] | None:
    """What the text says; None where another damage hit it."""
    try:
        spec = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    fits = isinstance(spec, dict) and all(
        isinstance(spec.get(key), kind) for key, kind in kinds.items()
    )
    return spec if fits else None


# ---- links
# --------------------------------------------------------------------------------------------------


def read_link(path: Path, read: Callable[[Path], object], name: str) -> None:
    """A link lies in the place of a file that the program is asked to read."""
    spec = spec_of(path, target=str)
    if spec is None or "\0" in spec["target"] or len(spec["target"].encode(errors="ignore")) > 4000:
        return
    place = path.parent / name
    (path.parent / "folder").mkdir(exist_ok=True)
    try:
        place.symlink_to(place if spec["target"] == "itself" else spec["target"])
    except (OSError, ValueError):  # no file system has such a link
        return
    read(place)


# ---- projects ------------------------------------------------------------------------------------


def _base() -> Project:
    project = Project()
    project.sources[10] = SourceRef(
        id=10,
        path="/nowhere/clip.npy",
        name="clip.npy",
        fingerprint="1-2-3",
        n_frames=3,
        rows=24,
        cols=32,
    )
    return project


def _labels(project: Project, n: int) -> None:
    boxes = (
        Box(id=100 + k, source=10, frame=k % 3, x0=1.0, y0=1.0, x1=9.0, y1=9.0) for k in range(n)
    )
    project.labels = LabelSet(boxes)


def _points(project: Project, n: int) -> None:
    line = tuple((float(k % 32), float(k * 7 % 24)) for k in range(max(n, 1)))
    project.labels = LabelSet([
        Scribble(id=100, source=10, frame=0, points=line), FrameLabel(id=101, source=10, frame=0),
        Spot(id=102, source=10, frame=0, x=3.0, y=3.0),
    ])


def _classes(project: Project, n: int) -> None:
    project.classes |= {
        100 + k: TargetClass(id=100 + k, name=f"class {k}", role=1, slot=1) for k in range(n)
    }


def _sources(project: Project, n: int) -> None:
    project.sources |= {
        100 + k: msgspec.structs.replace(project.sources[10], id=100 + k) for k in range(n)
    }


def _settings(project: Project, n: int) -> None:
    project.apply(PutSettings(after={"recipe": {"params": {f"k{k}": k for k in range(n)}}}))


def _selections(project: Project, n: int) -> None:
    project.selections |= {f"set {k}": np.arange(3) for k in range(n)}


def _pairs(project: Project, n: int) -> None:
    project.side |= {100 + k: Pair(id=100 + k, a=k, b=k + 1, same=k % 2 > 0) for k in range(n)}


def _track(project: Project, n: int) -> None:
    names = tuple(f"action {k}" for k in range(max(n, 1)))
    project.side[100] = Actions(id=100, instances=tuple(range(len(names) + 1)), actions=names)
    stretches(project, {k: (10, k) for k in range(len(names) + 1)}, 10)


ABSURD: dict[str, Callable[[Project, int], None]] = {
    "labels": _labels,
    "points": _points,
    "classes": _classes,
    "sources": _sources,
    "settings": _settings,
    "selections": _selections,
    "pairs": _pairs,
    "track": _track,
}


def read_absurd(path: Path) -> None:
    """A whole project of very much of one kind is saved, opened and described."""
    spec = spec_of(path, kind=str, n=int)
    if spec is None or spec["kind"] not in ABSURD or not 0 <= spec["n"] <= MOST:
        return
    project = _base()
    ABSURD[spec["kind"]](project, spec["n"])
    _kept(project, path)


def read_names(path: Path) -> None:
    """A project whose every name is the same odd one is saved, opened and described."""
    spec = spec_of(path, name=str)
    if spec is None:
        return
    project, name = _base(), spec["name"]
    project.sources[10] = msgspec.structs.replace(
        project.sources[10], name=name, path=f"/nowhere/{name}"
    )
    project.classes[1] = msgspec.structs.replace(project.classes[1], name=name)
    project.selections[name] = np.arange(3)
    project.apply(PutSettings(after={name: name}))
    _kept(project, path)


def _kept(project: Project, path: Path) -> None:
    save(project, path.with_name("p.ember"))
    describe_project(load(path.with_name("p.ember")))
