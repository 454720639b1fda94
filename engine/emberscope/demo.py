"""The demonstration: the generated range scene with truth, through the whole loop, without any data
of others."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from emberscope import pipeline
from emberscope.base.errors import ProjectError
from emberscope.base.files import written_whole
from emberscope.base.monitor import Monitor, Portion, monitored
from emberscope.base.out_folders import make_out_folder
from emberscope.catalogue.usual import usual_recipe
from emberscope.figures.maps import map_2d, map_3d
from emberscope.frames.scene.generated import write_range
from emberscope.labels import TargetClass
from emberscope.labels.relax import BASE
from emberscope.looseness import Cell, Chips, looseness_table, study
from emberscope.project import (
    Project,
    PutClasses,
    PutRuns,
    PutSettings,
    Recipe,
)
from emberscope.project.exchange.sources import OpenSources, add_sources
from emberscope.project.exchange.truth import import_truth, truth_of
from emberscope.project.store.file import save
from emberscope.report.drawing import MapLook, map_data
from emberscope.report.page import Report, write_html

CLASSES = (("Pickup", 1), ("SUV", 3), ("BTR70", 4))  # names and slots
# Every third frame is labeled: with every second one MI-UMAP ranks no better and takes half as long
# again
EVERY = 3
OTHERS: tuple[dict[str, Any], ...] = (  # what differs from the usual run
    {"method": "pca", "params": {}}, {"method": "mida"}, {"method": "tsne", "params": {}},
    {"method": "mi-le", "classifier": "mil-boost"},
)
_LEAD = (
    "Nine generated mid-wave infrared sequences: three vehicles on a 100 m circle at 1000, 1500 "
    "and 2000 m, by day and by night. Every third frame carries one loose box with a vehicle "
    "somewhere in it and one box of background, at a place where the vehicle is on another frame: "
    "the ground does not tell them apart. No pixel and no tight box was given to any method."
)


@dataclass(frozen=True, slots=True)
class Scene:
    """Which sequences are generated; frames per sequence, which share the circle out evenly."""

    vehicles: Sequence[str] = ("PICKUP", "SUV", "BTR70")
    ranges: Sequence[int] = (1000, 1500, 2000)
    n_frames: int = 20

    @property
    def n_bytes(self) -> int:
        """How large its frames are on disk: 16-bit counts of 640 x 512 px."""
        return len(self.vehicles) * len(self.ranges) * self.n_frames * 640 * 512 * 2


FULL = Scene()
PROJECT = "demo.ember"  # the file in the folder that is written to


def make_demo(
    out: str | Path, *, seed: int = 0, scene: Scene = FULL, monitor: Monitor | None = None
) -> Path:
    """Write the scene and a project with loose labels and the usual run into `out`; returns the
    project's path."""
    monitor = monitored(monitor)
    project, path = _make(Path(out), scene, seed, Portion(monitor, 0.0, 0.6))
    _run(project, project.recipe, Portion(monitor, 0.6, 1.0))
    save(project, path)
    return path


def run_demo(
    out: str | Path, *, seed: int = 0, scene: Scene = FULL, monitor: Monitor | None = None
) -> list[Path]:
    """The whole loop without a display: project, images of the maps, report.html. Returns the files
    written.

    The usual run is the newest: a project opens on its newest run, and the map of this one shows
    the point.
    """
    monitor = monitored(monitor)
    out = Path(out)
    project, path = _make(out, scene, seed, Portion(monitor, 0.0, 0.27))
    for i, other in enumerate((*OTHERS, {})):
        part = Portion(monitor, 0.27 + 0.1 * i, 0.27 + 0.1 * (i + 1))
        _run(project, msgspec.structs.replace(project.recipe, **other), part)
    cells = _study(project, seed, Portion(monitor, 0.78, 0.95))
    save(project, path)
    monitor.step(0.96, "Images and report")
    return [path, *_maps(project, out), _report(project, cells, seed, out / "report.html")]


def _make(out: Path, scene: Scene, seed: int, monitor: Monitor) -> tuple[Project, Path]:
    """The labeled project, without a run and not yet saved, and where it goes."""
    make_out_folder(out)
    _check_places(out)
    _check_room(out, scene)
    paths = _sequences(scene, out / "range", seed, Portion(monitor, 0.0, 0.9))
    return _labeled(paths, seed, Portion(monitor, 0.9, 1.0)), out / PROJECT


def _sequences(scene: Scene, folder: Path, seed: int, monitor: Monitor) -> list[Path]:
    """The sequences as ARF + AGT: night at the near and far range, day between."""
    paths: list[Path] = []
    for i, distance in enumerate(scene.ranges):
        part = Portion(monitor, i / len(scene.ranges), (i + 1) / len(scene.ranges))
        paths += write_range(
            folder,
            vehicles=scene.vehicles,
            ranges=(distance,),
            nights=(distance != 1500,),
            n_frames=scene.n_frames,
            seed=seed,
            monitor=part,
        )
    return paths


def _labeled(paths: Sequence[Path], seed: int, monitor: Monitor) -> Project:
    project = Project()
    before = list(project.classes.values())
    ids = [1, *project.new_ids(len(CLASSES) - 1)]
    targets = [
        TargetClass(id=i, name=name, role=1, slot=slot)
        for i, (name, slot) in zip(ids, CLASSES, strict=True)
    ]
    project.apply(PutClasses(before=[before[0]], after=targets))
    operation, errors = add_sources(project, paths)
    if operation is None:
        raise errors[0] if errors else ProjectError("the scene could not be written")
    project.apply(operation)
    for i, ref in enumerate(list(project.sources.values())):
        monitor.step(i / len(project.sources), "Loose labels")
        labels = import_truth(
            project,
            ref.id,
            Path(ref.path),
            kind="relaxed",
            u=1,
            base=BASE,
            every=EVERY,
            n_background=1,
            seed=seed,
        )
        project.apply(labels)
    project.apply(PutSettings(after={"recipe": msgspec.to_builtins(first_recipe(project, seed))}))
    return project


def first_recipe(project: Project, seed: int) -> Recipe:
    """What labels alone suggest, which came from truth and know their targets; for both maps."""
    return msgspec.structs.replace(usual_recipe(project)[0], params={"n_components": 3}, seed=seed)


def _run(project: Project, recipe: Recipe, monitor: Monitor) -> None:
    run = pipeline.run(project, recipe, monitor=monitor)
    project.apply(PutRuns(title=f"Run {recipe.method}", after=[run]))


def _study(project: Project, seed: int, monitor: Monitor) -> list[Cell]:
    truth = {ref.id: truth_of(ref) for ref in project.sources.values()}
    chips = Chips(per_frame=1, n_background=1)
    with OpenSources(project) as sources:
        return study(truth, sources, chips=chips, block=5, seed=seed, monitor=monitor)


def _maps(project: Project, out: Path) -> list[Path]:
    last = project.runs[max(project.runs)]
    light, dark = (map_data(project, last, MapLook(theme=theme)) for theme in ("light", "dark"))
    images = {out / "map_2d.png": map_2d(light), out / "map_3d.png": map_3d(dark)}
    for path, image in images.items():
        with written_whole(path) as partial:
            image.save(partial, "PNG")
    return list(images)


def _report(project: Project, cells: list[Cell], seed: int, path: Path) -> Path:
    report = Report(
        title="Emberscope on the generated range", lead=_LEAD, tables=[looseness_table(cells)],
        command=f"emberscope demo --headless --seed {seed}",
    )
    page = write_html(project, report)
    with written_whole(path) as partial:
        partial.write_text(page, encoding="utf-8")
    return path


def _check_places(out: Path) -> None:
    """Nothing is written through a link that lies there, into a folder or a project of somebody."""
    for name in ("range", "range/cegr", "range/cegr/arf", "range/cegr/agt", PROJECT):
        if (out / name).is_symlink():
            raise ProjectError(
                "this is a link", where=str(out / name), hint="Remove it, or choose another folder."
            )


def _check_room(out: Path, scene: Scene) -> None:
    needed = scene.n_bytes + 50 * 2**20
    free = shutil.disk_usage(out).free
    if free < needed:
        what = f"{free / 2**20:.0f} MiB free, the demo needs {needed / 2**20:.0f}"
        raise ProjectError(what, where=str(out), hint="Choose another folder with --out.")
