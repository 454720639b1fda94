"""Point sets in files: embed them, classify their bags, make vectors of bags, say what is there."""

from typing import Any

import msgspec

from emberscope.base.monitor import Monitor
from emberscope.base.out_folders import check_out_file
from emberscope.tasks.request import Request


class PointReport(msgspec.Struct, frozen=True):
    """What was found, by name. Arrays lie in the file that was asked for."""

    facts: dict[str, Any]


class EmbedPoints(Request[PointReport], frozen=True, kw_only=True):
    """Fit a method to a point set.

    path : of the points, see `datasets.points.read_points`. out : the .npz that gets the arrays.
    distances : path of a table (N, N), "" for none. The rest as `point_tasks.embed_points` has it.
    """

    path: str
    out: str
    method: str
    settings: dict[str, str] = {}
    metric: str = ""
    distances: str = ""
    seed: int = 0
    spread: bool = False
    held_out: bool = False
    bags_only: bool = False
    ways: list[tuple[int, int]] = []
    together: list[str] = []


class ClassifyPoints(Request[PointReport], frozen=True, kw_only=True):
    """Out-of-fold classification of the bags of a point set.

    path : of the points. out : the .npz that gets the arrays, "" for none. classes : name the class
    of every bag, as `course.class_report` does, in place of its label. The rest as
    `point_tasks.classify_points` has it.
    """

    path: str
    method: str
    classes: bool = False
    out: str = ""
    reduce: str | None = None
    settings: dict[str, str] = {}
    folds: int = 10
    repeats: int = 1
    seed: int = 0


class ConvertPoints(Request[PointReport], frozen=True, kw_only=True):
    """One vector per bag of a point set, as a point set of its own.

    path : of the points. out : the .npz that gets the vectors. The rest as
    `point_tasks.convert_points` has it.
    """

    path: str
    out: str
    variant: str = "global"
    projection: str = "pole"
    n_components: int | None = None
    settings: dict[str, str] = {}


class MakePoints(Request[PointReport], frozen=True, kw_only=True):
    """Write a generated point set.

    name : of the set. out : the .npz that gets it; one that is there is replaced. The rest as
    `datasets.generated.generated` has it.
    """

    name: str
    out: str
    number: int | None = None
    noise: float = 0.0
    irrelevant: int = 0
    bag_size: int = 0
    seed: int = 0


class DescribePoints(Request[PointReport], frozen=True, kw_only=True):
    """What a point set holds. path : of the points."""

    path: str


def embed_points(request: EmbedPoints, monitor: Monitor) -> PointReport:
    """See `point_tasks`."""
    from emberscope import point_tasks
    from emberscope.datasets.points import read_distances, read_points
    from emberscope.neighbors.distances import Distances

    points = read_points(request.path, missing=point_tasks.takes_missing(request.method))
    given = request.distances
    distances = Distances(read_distances(given, len(points.X))) if given else None
    check_out_file(request.out)
    arrays, facts = point_tasks.embed_points(
        points, distances=distances, monitor=monitor,
        **_choices(request, "method settings metric seed spread held_out bags_only ways together"),
    )  # fmt: skip
    point_tasks.save_arrays(request.out, arrays)
    return PointReport(facts)


def classify_points(request: ClassifyPoints, monitor: Monitor) -> PointReport:
    """See `point_tasks`."""
    from emberscope import point_tasks
    from emberscope.course.class_report import class_report
    from emberscope.course.classification import model_of
    from emberscope.datasets.points import read_points
    from emberscope.findings.split_sides import dealt_words

    points = read_points(request.path)
    if request.out:
        check_out_file(request.out)
    if request.classes:
        groups = point_tasks.kept_together(points)
        model = model_of(request.method, request.reduce, request.settings, seed=request.seed)
        arrays, facts = class_report(
            model, points.X, points.bags, groups=groups, folds=request.folds,
            seeds=range(request.seed, request.seed + request.repeats), monitor=monitor)
        split = dealt_words(request.folds, arrays["class_said"] >= 0, groups,
                            repeats=request.repeats)
        unlike, notes = point_tasks.bag_novelty(points)
        arrays |= unlike
        facts = {**facts, "method": request.method, "reduce": request.reduce or "", "split": split,
                 "notes": [*facts.get("notes", ()), *notes]}
    else:
        arrays, facts = point_tasks.classify_points(
            points, monitor=monitor,
            **_choices(request, "method reduce settings folds repeats seed")
        )
    if request.out:
        point_tasks.save_arrays(request.out, arrays)
    return PointReport(facts)


def convert_points(request: ConvertPoints, monitor: Monitor) -> PointReport:
    """See `point_tasks`."""
    from emberscope import point_tasks
    from emberscope.datasets.points import read_points

    points = read_points(request.path)
    check_out_file(request.out)
    arrays, facts = point_tasks.convert_points(
        points, monitor=monitor, **_choices(request, "variant projection n_components settings")
    )
    point_tasks.save_arrays(request.out, arrays)
    return PointReport(facts)


def make_points(request: MakePoints, monitor: Monitor) -> PointReport:
    """See `datasets.generated`."""
    from emberscope import point_tasks
    from emberscope.datasets.generated import arrays_of, generated

    check_out_file(request.out)
    monitor.step(0.0, "Drawing")
    made = generated(**_choices(request, "name number noise irrelevant bag_size seed"))
    point_tasks.save_arrays(request.out, arrays_of(made))
    n, d = made.points.X.shape
    facts = {"set": request.name, "instances": n, "features": d, "seed": request.seed,
             "path": request.out}  # fmt: skip
    if made.points.bags is not None:
        facts["bags"] = len(made.points.bags)
    return PointReport(facts)


def describe_points(request: DescribePoints, monitor: Monitor) -> PointReport:
    """See `point_tasks`."""
    from emberscope import point_tasks
    from emberscope.datasets.points import read_points

    return PointReport(point_tasks.describe_points(read_points(request.path), monitor=monitor))


def _choices(request: Request[PointReport], names: str) -> dict[str, Any]:
    """Fields of a request, by name."""
    return {name: getattr(request, name) for name in names.split()}
