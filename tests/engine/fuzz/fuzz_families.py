"""Every kind of file that the program reads: small whole ones, made here, and the reading of
each."""

import contextlib
import gzip
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import av
import fuzz_absurd
import fuzz_kernels
import fuzz_mutations
import h5py
import imagecodecs
import msgspec
import numpy as np
import tifffile
from PIL import Image
from scipy.io import savemat

from emberscope.bags.recipe import BagRecipe
from emberscope.base.cache_file import SUFFIX
from emberscope.base.errors import EmberscopeError
from emberscope.datasets.points import is_point_set, read_points
from emberscope.features.cache import cached, path_of
from emberscope.features.store import RowStore
from emberscope.findings.concepts import CENTERS, ELLIPSES, GROUND, STARS, WEIGHTS
from emberscope.findings.describe import describe_path, describe_project
from emberscope.frames import open_source
from emberscope.frames.readers.arf import write_arf
from emberscope.frames.truth.agt import Agt, SensorUpdate, Target, TargetUpdate, write_agt
from emberscope.labels import Box, FrameLabel, Ignore, Scribble, Spot
from emberscope.labels.jsonl import LabelInstance, LabelSource, write_jsonl
from emberscope.labels.model import DEFAULT_CLASSES
from emberscope.labels.side_info import Actions, Distance, Invariance, Pair
from emberscope.project import (
    Project,
    PutLabels,
    PutRuns,
    PutSelection,
    PutSettings,
    PutSide,
    Recipe,
    Run,
    SourceRef,
)
from emberscope.project.exchange.label_file import import_labels
from emberscope.project.exchange.side_tables import import_table
from emberscope.project.exchange.sources import add_source
from emberscope.project.exchange.truth import import_truth
from emberscope.project.model.concept_edits import DISTANCES, merge_concepts, rename_concept
from emberscope.project.model.recipe import read_recipe, to_toml
from emberscope.project.store.file import save, to_bytes
from emberscope.project.store.generations import fingerprint_of
from emberscope.project.store.journal import Entry, Header, Saved, fold, frame, journal_path
from emberscope.project.store.lock import Owner, holder, lock_path, this_process
from emberscope.project.store.recovery import look, recover

COUNTS = (np.arange(3 * 24 * 32).reshape(3, 24, 32) * 11 % 4000).astype(np.uint16)
GRAY = (COUNTS // 16).astype(np.uint8)
_PAIRS = np.random.default_rng(0).random((12, 3))
_BAG = np.repeat(np.arange(4), 3)

Damage = Callable[[bytes, random.Random], bytes]


@dataclass(frozen=True)
class Family:
    """`seeds`: file name -> what writes it. `read` does with a file what the program does.
    `inside`: damage of a kind that lies behind a checksum. `beside`: what is there besides the
    file."""

    seeds: dict[str, Callable[[Path], object]]
    read: Callable[[Path], object]
    inside: tuple[Damage, ...] = ()
    beside: Callable[[Path], object] = field(default=lambda folder: None)


def damaged(family: Family, data: bytes, draw: random.Random) -> bytes:
    """One damaged file of a family."""
    if family.inside and draw.random() < 0.6:
        return draw.choice(family.inside)(data, draw)
    return fuzz_mutations.damaged(data, draw)


# ---- frames
# --------------------------------------------------------------------------------------------------


def read_frames(path: Path) -> None:
    """What opening, scrubbing and `info` do with a source."""
    with open_source(path) as source:
        for index in {0, 1, source.n_frames // 2, source.n_frames - 1}:
            if 0 <= index < source.n_frames:
                assert source.read(index).shape == source.shape
                source.frame_meta(index)
        source.read_many(0, min(source.n_frames, 3))
        source.valid_mask()
        source.fingerprint()
        json.dumps(source.meta())


def _arf(path: Path) -> None:
    write_arf(
        path,
        COUNTS,
        n_frames=3,
        shape=(24, 32),
        footers=[b"\1" * 40] * 3,
        image_offset=36,
        footer_flags=1,
    )


def _arf_color(path: Path) -> None:
    write_arf(path, COUNTS.astype(np.uint32), n_frames=3, shape=(24, 32), image_type=6)


def _npz(path: Path) -> None:
    np.savez_compressed(path, frames=COUNTS, other=COUNTS[0])


def _hdf5(**options: object) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with h5py.File(path, "w") as file:
            file.create_dataset("a/frames", data=COUNTS, **options)
            file.attrs["made"] = "here"

    return write


def _video(
    codec: str, pixels: str, *, options: dict[str, str] | None = None
) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with av.open(str(path), "w") as container:
            stream = container.add_stream(codec, rate=30, options=options or {})
            stream.width, stream.height, stream.pix_fmt = 32, 24, pixels
            for image in GRAY:
                shown = av.VideoFrame.from_ndarray(image, format="gray").reformat(format=pixels)
                container.mux(stream.encode(shown))
            container.mux(stream.encode(None))

    return write


def _image(**options: object) -> Callable[[Path], None]:
    return lambda path: Image.fromarray(GRAY[0]).save(path, **options)


def _gif(path: Path) -> None:
    first, *rest = (Image.fromarray(image) for image in GRAY)
    first.save(path, save_all=True, append_images=rest)


def _tiff(**options: object) -> Callable[[Path], None]:
    return lambda path: tifffile.imwrite(path, COUNTS, photometric="minisblack", **options)


# ---- truth, labels, recipes ----------------------------------------------------------------------


def _beside_truth(folder: Path) -> None:
    np.save(folder / "clip.npy", COUNTS)


def read_truth(path: Path) -> None:
    """Truth becomes weak labels of a clip of three frames."""
    project = Project()
    project.apply(add_source(project, path.parent / "clip.npy"))
    notes: list[str] = []
    project.apply(
        import_truth(project, next(iter(project.sources)), path, n_background=1, notes=notes)
    )
    describe_project(project)
    assert all(len(note) <= 400 and "\n" not in note for note in notes), (
        f"a note of {max(map(len, notes))} characters"
    )


def _agt(path: Path) -> None:
    target = Target(
        type="T72", ply_id="7", x=5, y=6, aspect=10, range_m=1000, keywords={"speed": (3.0, "m/s")}
    )
    moments = [{"hint": k + 1, "time": (2006, 1, 2, 3, 4, k)} for k in range(3)]
    write_agt(
        path,
        Agt(
            fov=(3.4, 2.6),
            sensor_updates=tuple(SensorUpdate(**moment, fov=(3.4, 2.6)) for moment in moments),
            target_updates=tuple(TargetUpdate(**moment, targets=(target,)) for moment in moments),
        ),
    )


def _voc(path: Path) -> None:
    box = "<bndbox><xmin>3</xmin><ymin>4</ymin><xmax>12</xmax><ymax>11</ymax></bndbox>"
    turned = "<robndbox><cx>15</cx><cy>12</cy><w>9</w><h>5</h><angle>0.6</angle></robndbox>"
    objects = "".join(
        f"<object><name>Car</name><difficult>0</difficult>{kind}</object>" for kind in (box, turned)
    )
    path.write_text(f"<annotation><filename>clip</filename>{objects}</annotation>")


def _table(path: Path) -> None:
    path.write_text(
        "frame,x,y,w,h,name\n" + "".join(f"{k},{3 + k}.5,4,6,5,Car\n" for k in range(3))
    )


def _tracks(path: Path) -> None:
    positions = [
        {"frame_number": k, "x": 3, "y": 4, "width": 6, "height": 5, "blank": False}
        for k in range(3)
    ]
    track = {"id": 1, "positions": positions, "predictions": [{"label": "cat", "confidence": 0.9}]}
    path.write_text(json.dumps({"source": "x", "tracks": [track]}))


def _bbox_met(path: Path) -> None:
    row = "site,NA,base,sensor,scenario,{},7,1.5,NULL,3.0,4.0,10,2,30,30,5,2,40"
    path.write_text("\n".join(row.format(k + 1) for k in range(3)))


def _beside_metrics(folder: Path) -> None:
    _beside_truth(folder)
    _agt(folder / "truth.agt")


def read_metrics(path: Path) -> None:
    read_truth(path.with_suffix(".agt"))


_LABELS = (
    Spot(id=20, source=10, frame=0, x=4.0, y=5.0),
    FrameLabel(id=23, source=10, frame=2),
    Ignore(id=24, source=10, frame=1),
    Ignore(id=25, source=10, frame=1, x0=1.0, y0=2.0, x1=5.0, y1=6.0),
    Scribble(id=21, source=10, frame=1, points=((1.0, 2.0), (9.0, 8.5))),
    Box(
        id=22,
        source=10,
        frame=1,
        x0=2.0,
        y0=2.0,
        x1=9.0,
        y1=9.0,
        looseness=0.5,
        core=(3.0, 3.0, 8.0, 8.0),
    ),
)


def _labels(path: Path) -> None:
    clip = LabelSource(id=10, name="clip.npy", path="/x/clip.npy")
    write_jsonl(path, _LABELS, classes=DEFAULT_CLASSES, sources=[clip])


_SIDE = (
    Pair(id=30, a=1, b=2, same=True),
    Distance(id=31, a=1, b=3, distance=2.5, unit="m", attribute="range"),
    Invariance(id=32, family="translate", step=1.0, reach=3.0, direction=45.0),
    Actions(id=33, instances=(1, 2, 3), actions=("left", "")),
)


def _side(path: Path) -> None:
    clip = LabelSource(id=10, name="clip.npy", path="/x/clip.npy")
    places = [
        LabelInstance(id=k, source=10, frame=k - 1, box=(2.0, 2.0, 10.0, 10.0 + k))
        for k in (1, 2, 3)
    ]
    write_jsonl(
        path, _LABELS[:1], classes=DEFAULT_CLASSES, sources=[clip], instances=places, side=_SIDE
    )


def _distances(path: Path) -> None:
    path.write_text(
        "a,b,distance,unit,weight,attribute\n1,2,0.5,m,1,range\n2,3,1.25,m,,range\n1,3,0,m,0.5,\n"
    )


def read_distances(path: Path) -> None:
    project = _project()
    project.apply(import_table(project, path))
    _used(project)


def read_labels(path: Path) -> None:
    project = Project()
    project.apply(add_source(project, path.parent / "clip.npy"))
    project.apply(import_labels(project, path, source_id=next(iter(project.sources))))
    _used(project)


def _recipe(path: Path) -> None:
    path.write_text(
        to_toml(Recipe(method="mida", params={"alpha": 1.0}, bags=BagRecipe(also=(64,))))
    )


def read_a_recipe(path: Path) -> None:
    to_toml(read_recipe(path, Recipe()))


# ---- projects ------------------------------------------------------------------------------------


def _project() -> Project:
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
    project.apply(PutLabels(after=list(_LABELS)))
    project.apply(PutRuns(after=[_run()]))
    project.apply(PutSelection(name="kept", after=[1, 2]))
    project.apply(PutSettings(after={"recipe": {"method": "mida"}, "zoom": 2}))
    project.marks[1] = 2
    return project


def _run() -> Run:
    n = 3
    return Run(
        id=1,
        recipe=Recipe(method="mida"),
        created="2025-01-01T00:00:00+00:00",
        seconds=0.5,
        versions={"numpy": "2"},
        ids=np.arange(1, n + 1),
        source=np.full(n, 10),
        frame=np.zeros(n, np.int32),
        box=np.zeros((n, 4), np.float32),
        indptr=np.array([0, n]),
        members=np.arange(n),
        bag_labels=np.ones(1, np.int8),
        bag_ids=np.array([22 << 16]),
        bag_classes=np.ones(1, np.int64),
        y=np.zeros(n, np.int8),
        Z=np.zeros((n, 2), np.float32),
        point_scores={"score": np.zeros(n, np.float32)},
        metrics={"purity": 0.5},
        state={"W": np.eye(2), "k": 3},
        diagnostics={"bag_score": np.zeros(1), "marks": np.zeros((0, 2), np.int64)},
    )


def _write_project(path: Path) -> None:
    save(_project(), path)


def _write_concepts(path: Path) -> None:
    """A project with side information, and with a run that found two concepts, which were
    edited."""
    project = _project()
    project.apply(PutSide(after=list(_SIDE)))
    found = {
        "coverage_": np.array([0.6, 0.5]),
        "contrast_": np.array([9.0, 3.0]),
        "purity_": np.array([1.0, 0.7]),
        "scales_": np.array([[1.0, 4.0], [1.0, 0.0]]),
        "gains_": np.array([0.4, 0.3, 0.01]),
        "suggested_": 2,
        "feature_names": ["mean", "edge"],
    }
    maps = {
        CENTERS: np.array([[0.5, 1.0], [1.5, 0.0]]), WEIGHTS: np.array([[0.7, 0.3], [1.0, 0.0]]),
        DISTANCES: np.array([[0.1, 9.0], [9.0, 0.1], [3.0, 3.0]], np.float32),
        STARS: np.array([[0.0, 0.0], [1.0, 1.0]]), ELLIPSES: np.stack([np.eye(2), 2 * np.eye(2)]),
        GROUND: np.array([[2.0, 2.0]]),
    }
    run = msgspec.structs.replace(_run(), id=2, state=found, diagnostics=maps)
    project.apply(PutRuns(after=[run]))
    project.apply(rename_concept(project, run, 0, "Truck"))
    project.apply(merge_concepts(project, run, [0, 1]))
    save(project, path)


def read_project(path: Path) -> None:
    """What `info` shows, and a save of what was read."""
    from emberscope.project.store.file import load

    describe_path(path)
    _used(load(path))


def _used(project: Project) -> None:
    """What every project goes through: it is described, its next recipe is read, and it is
    saved."""
    from emberscope.labels.geometry import bounds, hit

    describe_project(project)
    project.new_ids()
    for label in project.labels:
        bounds(label)
    hit(project.labels, 1.0, 1.0)
    for run in project.runs.values():
        len(run.instances.ids), run.bags.first_bag(len(run.ids))
    to_bytes(project, Path.cwd())


def _beside_journal(folder: Path) -> None:
    for name in ("day.ember", "long.ember"):
        save(_project(), folder / name)


def _journal(path: Path) -> None:
    base = fingerprint_of(path.parent / "day.ember") or ""
    steps = [
        Entry(
            what="do",
            at=1.7e9,
            op=PutLabels(title="Draw", after=[Spot(id=40, source=10, frame=0, x=1.0, y=1.0)]),
        ),
        Entry(what="do", at=1.7e9, op=PutSettings(before={"zoom": 2}, after={"zoom": 3})),
        Entry(what="undo", at=1.7e9, of=1),
        Entry(what="do", at=1.7e9, op=PutRuns(title="Run", before=[_run()])),
    ]
    records = [Header(project="day.ember", base=base, owner=this_process()), *steps]
    path.write_bytes(b"".join(frame(record) for record in records))


def _folded_journal(path: Path) -> None:
    """A long one: its first steps are one entry, and the process was killed once while it saved."""
    base = fingerprint_of(path.parent / "long.ember") or ""
    spots = [Spot(id=40 + k, source=10, frame=0, x=1.0, y=1.0) for k in range(3)]
    steps = [Entry(what="do", at=1.7e9, op=PutLabels(after=[spot])) for spot in spots]
    steps += [Entry(what="do", at=1.7e9, op=PutSettings(before={"zoom": 2}, after={"zoom": 3}))]
    records = [
        Header(project="long.ember", base=base, owner=this_process()),
        fold(steps[:2]),
        steps[2],
        Saved(fingerprint="of a save that did not come about", entries=3),
        steps[3],
    ]
    path.write_bytes(b"".join(frame(record) for record in records))


def read_a_journal(path: Path) -> None:
    work = look(path.with_name(path.name.removesuffix("-journal")))
    if work is not None:
        json.dumps(work.facts())
        assert len(work.words()) <= 300
        _used(recover(work).project)


def _lock(path: Path) -> None:
    path.write_text(
        '{"host": "elsewhere", "pid": 12, "started": "3", "since": 1700000000.0, "user": "who"}'
    )


def read_lock(path: Path) -> None:
    owner = holder(path.with_name("day.ember"))
    assert isinstance(owner, Owner | None)
    str(owner)


# ---- what the program keeps for itself -----------------------------------------------------------

_ROWS = np.arange(24, dtype=np.float32).reshape(6, 4)


def _cache_entry(path: Path) -> None:
    cached(path.parent / "cache", b"key", lambda: (_ROWS, _ROWS[0]))
    path_of(path.parent / "cache", b"key").replace(path)


def read_cache_entry(path: Path) -> None:
    """The damaged file lies in the place of an entry."""
    folder = path.parent / "cache"
    folder.mkdir(exist_ok=True)
    path.replace(path_of(folder, b"key"))
    found = cached(folder, b"key", lambda: (_ROWS, _ROWS[0]))
    assert len(found) == 2


def _store(path: Path) -> None:
    store = RowStore(path.parent / "store", width=4)
    store.add(np.arange(6), _ROWS)
    next((path.parent / "store").iterdir()).replace(path)


def read_store(path: Path) -> None:
    """The damaged file lies among the segments; rows are taken, and one more is added."""
    folder = path.parent / "store"
    folder.mkdir(exist_ok=True)
    path.replace(folder / path.name)
    store = RowStore(folder, width=4)
    store.take(np.arange(6))
    store.add(np.arange(6, 7), _ROWS[:1])
    found, there = store.take(np.arange(7))
    assert found.shape == (7, 4)
    assert there[6]


def _beside_index(folder: Path) -> None:
    _video("mpeg4", "yuv420p")(folder / "clip.avi")


def _video_index(path: Path) -> None:
    """As it is kept for the clip beside it, whose fingerprint differs from file to file."""
    from emberscope.frames.readers.parts import video_index

    _beside_index(path.parent)
    with open_source(path.parent / "clip.avi") as source:
        video_index.store(source.fingerprint(), source._index)
        video_index.kept_at(source.fingerprint())[0].replace(path)


def read_video_index(path: Path) -> None:
    """The damaged file lies where the index of a clip is kept, and says so."""
    from emberscope.frames.readers.parts import video_index

    clip = path.parent / "clip.avi"
    with open_source(clip) as source:
        kept, key = video_index.kept_at(source.fingerprint())
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(fuzz_mutations.with_key(path.read_bytes(), key))
    try:
        read_frames(clip)
    finally:
        kept.unlink(missing_ok=True)


# ---- points --------------------------------------------------------------------------------------


def read_a_point_set(path: Path) -> None:
    if is_point_set(path):
        read_points(path)


def _points(path: Path) -> None:
    np.savez(path, X=_PAIRS, bag=_BAG, bag_y=np.array([1, -1, 1, -1]), y=np.ones(12, np.int64))


def _csv(path: Path) -> None:
    rows = [
        f"b{bag},{bag % 2},{','.join(f'{v:.3f}' for v in x)}"
        for bag, x in zip(_BAG, _PAIRS, strict=True)
    ]
    path.write_text("\n".join(["bag,label,x1,x2,x3", *rows]))


def _arff(path: Path) -> None:
    rows = [
        f"b{bag},{','.join(f'{v:.3f}' for v in x)},{bag % 2}"
        for bag, x in zip(_BAG, _PAIRS, strict=True)
    ]
    head = [
        "@relation r",
        "@attribute molecule_name {b0,b1,b2,b3}",
        *(f"@attribute f{k} numeric" for k in range(3)),
    ]
    path.write_text("\n".join([*head, "@attribute class {0,1}", "@data", *rows]))


def _svm(path: Path) -> None:
    rows = [f"{k}:{bag}:{bag % 2} " + " ".join(f"{i}:{v:.3f}" for i, v in enumerate(x))
            for k, (bag, x) in enumerate(zip(_BAG, _PAIRS, strict=True))]
    path.write_text("\n".join(rows))


def _packed(write: Callable[[Path], object]) -> Callable[[Path], None]:
    def packed(path: Path) -> None:
        write(path)
        path.write_bytes(gzip.compress(path.read_bytes()))

    return packed


def _mat(*, packed: bool) -> Callable[[Path], None]:
    variables = {"X": _PAIRS, "bag_ids": _BAG[None] + 1.0, "labels": (_BAG % 2)[None] * 1.0}
    return lambda path: savemat(path, variables, do_compression=packed)


FAMILIES: dict[str, Family] = {
    "arf": Family({"a.arf": _arf, "color.arf": _arf_color}, read_frames),
    "tiff": Family(
        {
            "a.tif": _tiff(),
            "zlib.tif": _tiff(compression="zlib"),
            "tiles.tif": _tiff(tile=(16, 16), compression="lzw"),
            "big.tif": _tiff(bigtiff=True),
            "ome.ome.tif": _tiff(ome=True),
            "rows.tif": _tiff(rowsperstrip=4),
        },
        read_frames,
    ),
    "png": Family(
        {
            "a.png": lambda path: path.write_bytes(imagecodecs.png_encode(COUNTS[0])),
            "p.png": _image(),
        },
        read_frames,
        (fuzz_mutations.damaged_png,),
    ),
    "jpeg": Family(
        {
            "a.jpg": lambda path: path.write_bytes(imagecodecs.jpeg_encode(GRAY[0])),
            "p.jpg": _image(progressive=True),
        },
        read_frames,
    ),
    "image": Family(
        {
            "a.bmp": _image(),
            "a.gif": _gif,
            "a.webp": _image(lossless=True),
            "a.pgm": _image(),
            "a.jp2": _image(),
            "a.tga": _image(),
            "a.pcx": _image(),
            "a.sgi": _image(),
            "a.qoi": lambda path: Image.fromarray(GRAY[0]).convert("RGB").save(path),
            "a.avif": _image(),
        },
        read_frames,
    ),
    "npy": Family(
        {
            "a.npy": lambda path: np.save(path, COUNTS),
            "f.npy": lambda path: np.save(path, np.asfortranarray(COUNTS)),
        },
        read_frames,
    ),
    "npz": Family({"a.npz": _npz}, read_frames, (fuzz_mutations.damaged_archive,)),
    "hdf5": Family(
        {
            "a.h5": _hdf5(),
            "gzip.h5": _hdf5(chunks=(1, 24, 32), compression="gzip", shuffle=True),
            "lzf.h5": _hdf5(chunks=(2, 8, 8), compression="lzf", fletcher32=True),
        },
        read_frames,
    ),
    "video": Family(
        {
            "a.mp4": _video("mpeg4", "yuv420p"),
            "a.avi": _video("mpeg4", "yuv420p"),
            "a.mkv": _video("ffv1", "gray"),
            "m.avi": _video("mjpeg", "yuvj420p"),
            "a.mpg": _video("mpeg2video", "yuv420p"),
        },
        read_frames,
    ),
    "agt": Family({"truth.agt": _agt}, read_truth, beside=_beside_truth),
    "bbox_met": Family({"truth.bbox_met": _bbox_met}, read_metrics, beside=_beside_metrics),
    "voc": Family({"clip.xml": _voc}, read_truth, beside=_beside_truth),
    "table": Family({"clip.csv": _table}, read_truth, beside=_beside_truth),
    "tracks": Family(
        {"clip.txt": _tracks}, read_truth, (fuzz_mutations.damaged_json,), beside=_beside_truth
    ),
    "labels": Family(
        {"clip.jsonl": _labels, "side.jsonl": _side},
        read_labels,
        (fuzz_mutations.damaged_json,),
        beside=_beside_truth,
    ),
    "distances": Family({"pairs.csv": _distances}, read_distances),
    "recipe": Family({"recipe.toml": _recipe}, read_a_recipe),
    "project": Family(
        {"day.ember": _write_project, "concepts.ember": _write_concepts},
        read_project,
        (fuzz_mutations.damaged_project,),
    ),
    "journal": Family(
        {
            journal_path("day.ember").name: _journal,
            journal_path("long.ember").name: _folded_journal,
        },
        read_a_journal,
        (fuzz_mutations.damaged_journal,),
        _beside_journal,
    ),
    "lock": Family({lock_path("day.ember").name: _lock}, read_lock, (fuzz_mutations.damaged_json,)),
    "cache": Family(
        {f"entry{SUFFIX}": _cache_entry}, read_cache_entry, (fuzz_mutations.damaged_arrays,)
    ),
    "store": Family({f"segment{SUFFIX}": _store}, read_store, (fuzz_mutations.damaged_arrays,)),
    "video-index": Family(
        {f"index{SUFFIX}": _video_index},
        read_video_index,
        (fuzz_mutations.damaged_arrays,),
        _beside_index,
    ),
    "kernel": Family(
        {"more.nbc": fuzz_kernels.write_code},
        fuzz_kernels.read_code,
        (fuzz_mutations.damaged_header,),
        fuzz_kernels.beside_code,
    ),
    "points": Family(
        {"p.npz": _points, "p.npy": lambda path: np.save(path, _PAIRS)},
        read_a_point_set,
        (fuzz_mutations.damaged_archive,),
    ),
    "bags": Family(
        {
            "p.csv": _csv,
            "p.arff": _arff,
            "p.data": _svm,
            "z.csv": _packed(_csv),
            "p.mat": _mat(packed=False),
            "z.mat": _mat(packed=True),
        },
        read_a_point_set,
    ),
}


def _read_links(path: Path) -> None:
    """A link in the place of one file of each kind that is named, read as that."""
    for family, name in (
        ("image", "a.bmp"),
        ("png", "a.png"),
        ("tiff", "a.tif"),
        ("npy", "a.npy"),
        ("voc", "clip.xml"),
        ("labels", "clip.jsonl"),
        ("recipe", "recipe.toml"),
        ("project", "day.ember"),
        ("bags", "p.csv"),
    ):
        known = FAMILIES[family]
        known.beside(path.parent)
        with contextlib.suppress(EmberscopeError):  # one is what it should be
            fuzz_absurd.read_link(path, known.read, name)
        (path.parent / name).unlink(missing_ok=True)


_SPECS = (fuzz_absurd.other_spec,)
FAMILIES |= {
    "links": Family({"link.json": fuzz_absurd.write_spec(target="missing")}, _read_links, _SPECS),
    "names": Family(
        {"name.json": fuzz_absurd.write_spec(name="clip")}, fuzz_absurd.read_names, _SPECS
    ),
    "absurd": Family(
        {"absurd.json": fuzz_absurd.write_spec(kind="labels", n=7)}, fuzz_absurd.read_absurd, _SPECS
    ),
}


def _fill(path: Path) -> None:
    np.ones(1 << 29)  # 4 GiB


# What the tests of the harness itself read with.
BAD_READERS = {"sleeps": Family({}, lambda path: time.sleep(60)), "fills": Family({}, _fill)}


@contextmanager
def own_folders(folder: Path) -> Iterator[None]:
    """Caches and journals of the program lie in a folder that goes."""
    names = {
        "EMBERSCOPE_CACHE": folder / "cache of all",
        "EMBERSCOPE_STATE": folder / "state of all",
    }
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: str(path) for name, path in names.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
