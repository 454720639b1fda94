"""What of the labels of a project a format of another program cannot hold, before anything is
written."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from emberscope.base.grouping import how_many
from emberscope.labels.columns import Value
from emberscope.labels.formats.items import IGNORE, Item
from emberscope.labels.formats.table import Format
from emberscope.labels.geometry import Corners, bounds, inside
from emberscope.labels.model import (
    About,
    Box,
    Ellipse,
    FrameLabel,
    Ignore,
    Label,
    Polygon,
    Polyline,
    Scribble,
    Spot,
    TargetClass,
    is_sampled,
)
from emberscope.labels.outlines import clipped, ellipse_outline
from emberscope.labels.truth_objects import enclosing
from emberscope.project.model.project import Project, SourceRef

# what is lost -> whether the label itself is in the files of the format
_LOST = {
    "spots": False, "scribbles": False, "lines": False, "words about whole frames": False,
    "ignored frames": False,
    "background boxes that the program drew": False, "labels without area in the frame": False,
    "labels past the last frame": False,
    "the part beyond the edge of the frame": True, "the place between pixels": True,
    "the looseness": True,
    "the tight core": True, "the radius": True, "the width of the line": True, "the outline": True,
    "the ellipse, which is a polygon in the files": True, "the track": True,
    "columns (range, aspect and others)": True,
    "that it is occluded": True, "what is noted (author, time, note, check)": True,
    "a class name that is not in Latin letters": True, "marks of instances": False,
    "records of side information": False,
}  # fmt: skip
_ONE = {
    "spots": "spot",
    "scribbles": "scribble",
    "lines": "line",
    "words about whole frames": "word about a whole frame",
    "ignored frames": "ignored frame",
    "labels past the last frame": "label past the last frame",
    "background boxes that the program drew": "background box that the program drew",
    "labels without area in the frame": "label without area in the frame",
    "marks of instances": "mark of an instance",
    "records of side information": "record of side information",
}


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that a format cannot hold: what, and of how many labels. written : the labels
    themselves go out."""

    what: str
    count: int
    written: bool

    @property
    def words(self) -> str:
        """A sentence."""
        if not self.written:
            return (
                f"Only in the side file: {self.count} "
                f"{_ONE[self.what] if self.count == 1 else self.what}."
            )
        return f"Of {how_many(self.count, 'label')} only the side file has {self.what}."


def losses(project: Project, form: Format) -> list[Loss]:
    """What a format cannot hold of a project; all of it goes into the side file. 5 us per label."""
    found = Counter[str]()
    for label in project.labels:
        ref = project.sources.get(label.source)
        if ref is not None:
            found.update(outgoing(label, ref, project.classes, form)[1])
    found["marks of instances"] = len(project.marks)
    found["records of side information"] = len(project.side)
    return [Loss(what, found[what], written) for what, written in _LOST.items() if found[what]]


def outgoing(
    label: Label, ref: SourceRef, classes: Mapping[int, TargetClass], form: Format
) -> tuple[Item | None, list[str]]:
    """A label as a format takes it, None where it does not; and what is lost of it."""
    if not 0 <= label.frame < ref.n_frames:
        return None, ["labels past the last frame"]
    if is_sampled(label):
        return None, ["background boxes that the program drew"]
    if isinstance(label, FrameLabel):
        return None, ["words about whole frames"]
    item, lost = _placed(label, (ref.rows, ref.cols), form)
    if item is None:
        return None, lost
    name = IGNORE if item.ignore else _name(label.class_id, classes)
    about = label.about or About()
    held = About(
        track=about.track if "track" in form.holds else None,
        occluded=about.occluded and "occluded" in form.holds,
        columns=_held(about.columns, form),
    )
    lost += ["the track"] if about.track != held.track else []
    lost += ["that it is occluded"] if about.occluded and not held.occluded else []
    lost += ["columns (range, aspect and others)"] if about.columns != held.columns else []
    noted = about != About(track=about.track, occluded=about.occluded, columns=about.columns)
    lost += ["what is noted (author, time, note, check)"] if noted else []
    if form.latin and not _is_latin(name):
        lost.append("a class name that is not in Latin letters")
    return item._replace(name=name, about=held), lost


def _held(columns: Mapping[str, Value], form: Format) -> dict[str, Value]:
    """Those columns that a format has a place for."""
    if "columns" in form.holds:
        return dict(columns)
    names = ("range", "aspect") if "range" in form.holds else ()
    return {name: value for name in names if type(value := columns.get(name)) is float}


def _placed(label: Label, shape: tuple[int, int], form: Format) -> tuple[Item | None, list[str]]:
    if isinstance(label, Spot):
        if "point" not in form.holds:
            return None, ["spots"]
        if not (0 <= label.x < shape[1] and 0 <= label.y < shape[0]):
            return None, ["labels without area in the frame"]
        return Item("point", "", ((label.x, label.y),)), ["the radius"]
    if isinstance(label, Polygon):
        return _outlined(label.points, shape, form)
    if isinstance(label, Ellipse):
        return _round(label, shape, form)
    if isinstance(label, Scribble | Polyline):
        if "line" not in form.holds or len(label.points) < 2:
            return None, ["scribbles" if isinstance(label, Scribble) else "lines"]
        points = tuple((min(max(x, 0.0), float(shape[1])), min(max(y, 0.0), float(shape[0])))
                       for x, y in label.points)
        beyond = ["the part beyond the edge of the frame"] if points != label.points else []
        return Item("line", "", points), [*beyond, "the width of the line"]
    assert isinstance(label, Box | Ignore)
    return _boxed(label, shape, form)


def _round(
    label: Ellipse, shape: tuple[int, int], form: Format
) -> tuple[Item | None, list[str]]:
    """An ellipse as the files can say it: as one, as a polygon, or by its box."""
    corners = label.x0, label.y0, label.x1, label.y1
    circle = label.x1 - label.x0 == label.y1 - label.y0
    held = "ellipse" in form.holds or ("circle" in form.holds and circle)
    if held and inside(corners, shape) == corners:
        return Item("ellipse", "", (corners[:2], corners[2:])), _between_pixels(corners, form)
    if "polygon" not in form.holds:
        return _by_box(inside(corners, shape), corners, form)
    item, lost = _outlined(ellipse_outline(corners), shape, form)
    lost += ["the ellipse, which is a polygon in the files"] if item is not None else []
    return item, lost


def _outlined(
    points: tuple[tuple[float, float], ...], shape: tuple[int, int], form: Format
) -> tuple[Item | None, list[str]]:
    """A polygon, as far as it lies on the frame."""
    here = clipped(points, shape)
    box = inside(enclosing(here), shape) if here else None
    if "polygon" not in form.holds or box is None:
        return _by_box(box, enclosing(points), form)
    beyond = ["the part beyond the edge of the frame"] if here != points else []
    return Item("polygon", "", here), [*beyond, *_between_pixels(box, form)]


def _by_box(
    box: Corners | None, around: Corners, form: Format
) -> tuple[Item | None, list[str]]:
    """An outline in a format of boxes. box : the one around its part on the frame."""
    if box is None:
        return None, ["labels without area in the frame"]
    beyond = ["the part beyond the edge of the frame"] if box != around else []
    lost = [*beyond, *_between_pixels(box, form), "the outline"]
    return Item("box", "", (box[:2], box[2:])), lost


def _between_pixels(box: Corners, form: Format) -> list[str]:
    return ["the place between pixels"] if form.whole and any(value % 1 for value in box) else []


def _boxed(
    label: Box | Ignore, shape: tuple[int, int], form: Format
) -> tuple[Item | None, list[str]]:
    corners = bounds(label)
    if corners is None:
        return None, ["ignored frames"]
    box = inside(corners, shape)
    if box is None:
        return None, ["labels without area in the frame"]
    lost = ["the part beyond the edge of the frame"] if box != corners else []
    lost += _between_pixels(box, form)
    if isinstance(label, Box):
        lost += ["the looseness"] if label.looseness else []
        lost += ["the tight core"] if label.core is not None else []
    return Item("box", "", (box[:2], box[2:]), ignore=isinstance(label, Ignore)), lost


def _name(class_id: int, classes: Mapping[int, TargetClass]) -> str:
    target = classes.get(class_id)
    return target.name.strip() or f"class {class_id}" if target is not None else "unknown"


def _is_latin(name: str) -> bool:
    try:
        name.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True
