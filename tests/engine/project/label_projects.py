"""Random projects with labels of every kind on clips and folders of images, for exports and their
way back."""

import random
from pathlib import Path

import msgspec

from emberscope.bags.make import make_bags
from emberscope.labels import (
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    LabelSet,
    Polygon,
    Polyline,
    Scribble,
    Spot,
    TargetClass,
)
from emberscope.labels.model import BETWEEN, About
from emberscope.labels.side_info import Pair
from emberscope.project import Project, SourceRef
from emberscope.project.exchange.label_file import import_labels
from emberscope.project.exchange.labels_out import Way, write_labels
from emberscope.project.model.next_ids import NextIds

NAMES = (
    "Tank",
    "Small car",
    "目标",
    "Пуск",
    "forêt",
    "a&b <c>",
    '"q"',
    "=1+1",
    "ignore",
    "DontCare",
    "🔥",
    "x" * 110,
    "0",
    "- 7",
    "a,b;c",
    "tab: y",
    "#8",
    " ",
    "'",
    "background noise",
)
CLIPS = (
    "clip", "clip_2", "목표 1", "IR.day", "a:b", "CON", "train", "Клип", "forêt", "😀", "x" * 120,
)  # fmt: skip
STEMS = ("f0", "f 1", "цель", "目标", "classes", "img.v2", "F3", "frame_000007", "a'b", "🔥")
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010800000000"
                    "3a7e9b550000000a49444154789c6360000000020001e221bc330000000049454e44ae426082")


def project_of(root: Path, seed: int) -> Project:
    """The project of a seed. Its folders of images lie below `root`; its clips are nowhere."""
    rng, project = random.Random(seed), Project()
    for key, name in enumerate(rng.sample(NAMES, rng.randint(0, 6)), start=20):
        target = TargetClass(id=key, name=name, role=rng.choice((1, 1, -1)), slot=rng.randint(1, 7))
        project.classes[key] = target
    for key in range(10, 10 + rng.randint(1, 3)):
        project.sources[key] = _a_source(root, key, rng)
    number = iter(range(1, 10_000))
    labels = [
        label for ref in project.sources.values() for label in _labels_of(ref, project, number, rng)
    ]
    project.labels = LabelSet(labels)
    project.next_ids = NextIds(record=1000, label=len(labels) + 1, run=1)
    _mark_some(project, rng)
    return project


def _a_source(root: Path, key: int, rng: random.Random) -> SourceRef:
    name = rng.choice(CLIPS)
    rows, cols = rng.choice(((48, 64), (64, 48), (7, 501), (512, 640)))
    common = {"id": key, "fingerprint": f"{key}-{key}-{key}", "rows": rows, "cols": cols}
    if rng.random() < 0.5:
        return SourceRef(
            path=f"/none/{key}/{name}.mp4",
            name=f"{name}.mp4",
            n_frames=rng.choice((1, 4, 900)),
            format="video",
            **common,
        )
    folder = root / "frames" / str(key) / name.replace(":", "_")
    folder.mkdir(parents=True)
    stems = rng.sample(STEMS, rng.randint(1, 5))
    for stem in stems:
        (folder / f"{stem}.png").write_bytes(PNG)
    return SourceRef(
        path=str(folder), name=folder.name, n_frames=len(stems), format="folder", **common
    )


def _labels_of(ref, project, number, rng):
    for _ in range(rng.choice((0, 1, 5, 20))):
        frame = rng.randrange(ref.n_frames)
        common = {
            "id": next(number),
            "source": ref.id,
            "frame": frame,
            "class_id": rng.choice(list(project.classes)),
            "origin": rng.choice(("manual", "imported", "propagated", "sampled", BETWEEN)),
            "about": _about(rng),
        }
        yield _label(ref, common, rng)


def _about(rng):
    if rng.random() < 0.5:
        return None
    return About(
        track=rng.choice((None, 0, 1, 2)),
        occluded=rng.random() < 0.5,
        note=rng.choice(("", "left\none")),
        author=rng.choice(("", "Änne")),
        uncertain=rng.random() < 0.2,
    )


def _label(ref, common, rng):
    def place(most):
        value = rng.uniform(-0.2 * most, 1.2 * most)
        return rng.choice(
            (value, float(round(value)), round(2 * value) / 2, round(value, 2), 0.0, float(most))
        )

    x, y, z, w = place(ref.cols), place(ref.rows), place(ref.cols), place(ref.rows)
    kind = rng.choice(
        (
            "box",
            "box",
            "box",
            "relaxed",
            "spot",
            "scribble",
            "frame",
            "ignore",
            "whole",
            "polygon",
            "ellipse",
            "circle",
            "line",
        )
    )
    x0, x1, y0, y1 = min(x, z), max(x, z), min(y, w), max(y, w)
    if kind in ("box", "relaxed"):
        loose = (
            {"looseness": rng.choice((0.5, 1.25)), "core": (x0, y0, x0 + 1, y0 + 1)}
            if kind == "relaxed"
            else {}
        )
        return Box(x0=x0, y0=y0, x1=x1, y1=y1, **loose, **common)
    if kind == "spot":
        return Spot(x=x, y=y, rho=rng.choice((5.0, 0.0, 7.5)), **common)
    if kind == "scribble":
        return Scribble(
            points=((x, y), (z, w), (x1, y0))[: rng.randint(1, 3)],
            certain=rng.random() < 0.5,
            **common,
        )
    if kind == "polygon":
        corners = ((x, y), (z, w), (x1, y0), (x, w), (place(ref.cols), place(ref.rows)))
        return Polygon(points=corners[: rng.randint(3, 5)], **common)
    if kind in ("ellipse", "circle"):
        return Ellipse(x0=x0, y0=y0, x1=x1, y1=y0 + x1 - x0 if kind == "circle" else y1, **common)
    if kind == "line":
        return Polyline(points=((x, y), (z, w), (x1, y0))[: rng.randint(2, 3)],
                        width=rng.choice((4.0, 0.0, 7.5)), **common)
    if kind == "frame":
        return FrameLabel(says=rng.choice(("contains", "empty", "complete")), **common)
    common["class_id"] = 0
    return Ignore(**common) if kind == "whole" else Ignore(x0=x0, y0=y0, x1=x1, y1=y1, **common)


def _mark_some(project, rng):
    ids = make_bags(
        project.labels, project.classes, project.frame_sizes, project.recipe.bags
    ).instances.ids.tolist()
    if len(ids) > 3 and rng.random() < 0.5:
        project.marks = {key: rng.choice([0, *project.classes]) for key in rng.sample(ids, 3)}
        project.side = {900: Pair(id=900, a=ids[0], b=ids[1], same=True)}


def there_and_back(project: Project, folder: Path, form: str, **way) -> tuple[Project, list[str]]:
    """A project with the same sources that an export of the first one was imported into, and the
    notes."""
    notes: list[str] = []
    write_labels(project, folder, Way(form, **way))
    again = Project()
    again.sources = dict(project.sources)
    again.next_ids = NextIds(record=1000, label=1, run=1)
    if len(project.labels):
        again.apply(import_labels(again, folder, notes=notes))
    return again, notes


def content(project: Project) -> dict[str, object]:
    """What a project says, whatever the ids of labels and classes and their colors, in an order of
    its own."""
    names = {key: (target.name, target.role) for key, target in project.classes.items()}
    labels = [
        (names.get(label.class_id), msgspec.structs.replace(label, id=0, class_id=0))
        for label in project.labels
    ]
    marks = {key: names.get(class_id) for key, class_id in project.marks.items()}
    pairs = {(record.a, record.b, record.same) for record in project.side.values()}
    return {"labels": sorted(labels, key=repr), "marks": marks, "pairs": pairs}
