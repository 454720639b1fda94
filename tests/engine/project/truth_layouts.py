"""Random data sets on a disk: clips, their truth, what is loaded of both, and whose truth each file
is."""

import random
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from emberscope.frames.readers.folder import frames_of
from emberscope.project import SourceRef
from emberscope.project.exchange.truth_look import match_truths

NAMES = ("clip", "clip_one", "IR_DRONE", "목표", "目标", "forêt", "Пуск", "run 3", "Tank-a", "🔥")
GROUPS = (
    ("sensor_a", "sensor_b"),
    ("day", "night"),
    ("cam0", "cam1", "cam2"),
    ("рейд", "база"),
    ("north", "south"),
)
TABLE = "frame,x,y,w,h\n0,1,1,2,2\n"
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010800000000"
                    "3a7e9b550000000a49444154789c6360000000020001e221bc330000000049454e44ae426082")


@dataclass
class Layout:
    """sources : what is loaded. truths : what is named. owner : truth file -> path of the clip or
    image it is of."""

    sources: list[SourceRef] = field(default_factory=list)
    truths: list[Path] = field(default_factory=list)
    owner: dict[Path, Path] = field(default_factory=dict)
    in_order: bool = False


def layout(root: Path, seed: int) -> Layout:
    """The data set of a seed, written below `root`."""
    rng, out = random.Random(seed), Layout()
    kind = rng.choice(
        (_clips, _clips, _numbered_clips, _image_folders, _image_folders, _one_box_folder, _generic)
    )
    kind(root, rng, out)
    rng.shuffle(out.sources)
    out.sources = [
        SourceRef(
            id=k + 1,
            path=s.path,
            name=s.name,
            fingerprint="",
            n_frames=s.n_frames,
            rows=1,
            cols=1,
            format=s.format,
            options=s.options,
        )
        for k, s in enumerate(out.sources)
    ]
    named = list(out.owner)
    rng.shuffle(named)
    folder = all(file.suffix == ".xml" for file in named)
    out.truths = (
        [root]
        if rng.random() < 0.6
        else sorted({file.parent for file in named})
        if folder
        else named
    )
    out.in_order = rng.random() < 0.3
    return out


def given(found: Layout) -> tuple[list[tuple[Path, Path]], list[tuple[Path, Path]]]:
    """Truth that went where it belongs, and truth that went elsewhere: (file, the clip or image it
    was given to)."""
    order = (
        {"arguments": range(len(found.sources)), "n_arguments": len(found.sources)}
        if found.in_order
        else {}
    )
    right, wrong = [], []
    for row in match_truths(found.sources, found.truths, **order):
        if row.state != "given":
            continue
        ref = found.sources[row.source]
        files = [(row.truth, Path(ref.path))]
        if row.frames is not None:
            images = frames_of(Path(ref.path))
            files = [(named.truth, images[frame]) for named, frame in row.frames.items()]
        for truth, where in files:
            (right if found.owner[truth] == where else wrong).append((truth, where))
    return right, wrong


def _put(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def _source(path: Path, *, folder: bool = False) -> SourceRef:
    return SourceRef(
        id=0,
        path=str(path),
        name=path.name,
        fingerprint="",
        n_frames=3,
        rows=1,
        cols=1,
        format="folder" if folder else "npy",
    )


def _spelled(name: str, rng: random.Random) -> str:
    return unicodedata.normalize(rng.choice(("NFC", "NFD")), name)


def _clips(root: Path, rng: random.Random, out: Layout) -> None:
    """Clips of the same names in folders of several groups, truth beside, below or in a tree of its
    own."""
    groups = rng.choice(GROUPS)
    where = rng.choice(("{g}/{n}", "{g}/agt/{n}", "truth/{g}/{n}", "{g}/labels/v/{n}"))
    frames = rng.choice(("{g}/{n}", "{g}/arf/{n}", "clips/{g}/{n}"))
    if where == "{g}/labels/v/{n}":
        where = "{g}/labels/{n}"
    names = rng.sample(NAMES, rng.randint(1, 3))
    end = rng.choice(("", "_boxes", " truth", "-labels"))
    for group in groups:
        for name in names:
            clip = root / f"{frames.format(g=group, n=_spelled(name, rng))}.npy"
            _add(clip, root / f"{where.format(g=group, n=_spelled(name, rng))}{end}.csv", rng, out)


def _numbered_clips(root: Path, rng: random.Random, out: Layout) -> None:
    """Clips that are told apart by numbers, or by the case of letters."""
    stem = rng.choice(NAMES)
    numbers = rng.choice(
        (("1", "10", "11", "2"), ("1", "1_2", "1_2_3"), ("a", "A", "b"), ("001", "01", "1"))
    )
    for number in numbers:
        name = f"{stem}_{number}"
        place = rng.choice(("", "videos/"))
        truth = root / f"{rng.choice(('', 'gt/'))}{name}.csv"
        _add(root / f"{place}{name}.npy", truth, rng, out, gone="A" not in numbers)


def _add(clip: Path, truth: Path, rng: random.Random, out: Layout, *, gone: bool = True) -> None:
    """A clip and its truth: both, one of them, a clip that lies there and is not loaded, or one
    that is gone."""
    state = rng.random()
    if state < 0.8:
        out.sources.append(_source(clip))
    if state < 0.95 or not gone:
        _put(clip, b"frames")
    if rng.random() < 0.8:
        out.owner[_put(truth, TABLE)] = clip


def _voc(name: str, folder: str) -> str:
    inside = (f"<folder>{folder}</folder>" if folder else "") + (
        f"<filename>{name}</filename>" if name else ""
    )
    return f"<annotation>{inside}</annotation>"


def _image_folders(root: Path, rng: random.Random, out: Layout) -> None:
    """Folders of images of equal names, each with a folder of box files."""
    groups = rng.choice(GROUPS)
    frames = rng.choice(("{g}", "{g}/frames", "images/{g}"))
    boxes = rng.choice(("{g}/xml", "xml/{g}", "{g}/Annotations"))
    says_name, says_folder = rng.random() < 0.5, rng.random() < 0.5
    stems = [f"f{k}" for k in range(rng.randint(1, 3))] + rng.sample(["img", "Img", "目标"], 1)
    for group in groups:
        loaded, there = rng.random() < 0.8, rng.random() < 0.9
        folder = root / frames.format(g=group)
        labeled = rng.random() < 0.85
        for stem in stems:
            image = folder / f"{stem}.png"
            if loaded or there:
                _put(image, PNG)
            if labeled and rng.random() < 0.9:
                text = _voc(image.name if says_name else "", folder.name if says_folder else "")
                out.owner[_put(root / boxes.format(g=group) / f"{stem}.xml", text)] = image
        if loaded:
            out.sources.append(_source(folder, folder=True))


def _one_box_folder(root: Path, rng: random.Random, out: Layout) -> None:
    """One folder of box files for several folders of images; which one, the files may say
    inside."""
    for number, group in enumerate(rng.choice(GROUPS)):
        folder = root / group
        for k in range(2):
            stem = f"f{k}" if rng.random() < 0.5 else f"{group}{k}"
            image = _put(folder / f"{stem}.png", PNG)
            text = _voc(image.name, rng.choice((group, group, "")))
            out.owner[
                _put(root / "all" / f"{rng.choice((stem, f'{number}_{stem}'))}.xml", text)
            ] = image
        out.sources.append(_source(folder, folder=True))


def _generic(root: Path, rng: random.Random, out: Layout) -> None:
    """Folders that hold a clip and truth of a name that says nothing."""
    for group in rng.choice(GROUPS):
        name = rng.choice(("video", "x", group))
        truth = rng.choice(("truth", "gt/gt", "labels", "boxes"))
        _add(root / group / f"{name}.npy", root / group / f"{truth}.csv", rng, out)
