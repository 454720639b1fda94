"""Every number of a project at its extremes: what cannot be shown is left out by name, all else is
painted."""

import copy

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest

from emberscope.base.errors import DataError
from emberscope.findings.point_looks import CONCEPT
from emberscope.labels.model import Box, Ignore, Scribble, Spot
from emberscope.project import Project, PutLabels, Run
from emberscope.project.model.unfit_runs import LARGEST, left_out_note, why_unfit
from emberscope.project.store.file import load, save
from emberscope_app.pixels.chip_cache import cut
from emberscope_app.shell.dock_areas import DOCKS
from emberscope_app.state.points.cloud import cloud_of
from emberscope_app.state.points.placing import FARTHEST, place_points

from .everything import full_run

WILD = (np.inf, -np.inf, 3e38, -3e38)
FARTHER = (np.nan, LARGEST, -LARGEST, 1e-45, 0.0)


def numbers_of(run: Run, kinds: str = "f") -> dict[str, np.ndarray]:
    """Every array of floats of a run, or of numbers of other kinds, by its place: "Z",
    "diagnostics.ellipses", ..."""
    found = {name: getattr(run, name) for name in run.__struct_fields__}
    for table in ("point_scores", "diagnostics", "state"):
        found |= {f"{table}.{name}": values for name, values in found.pop(table).items()}
    return {name: values for name, values in found.items()
            if isinstance(values, np.ndarray) and values.dtype.kind in kinds}


def with_numbers(run: Run, place: str, values: np.ndarray, number: int) -> Run:
    table, _, name = place.rpartition(".")
    if not table:
        return msgspec.structs.replace(run, id=number, **{name: values})
    return msgspec.structs.replace(run, id=number, **{table: {**getattr(run, table), name: values}})


def filled(values: np.ndarray, extremes: tuple[float, ...]) -> np.ndarray:
    """The array with the extremes in turn at its first elements; one alone is everywhere."""
    out = values.copy()
    some = slice(len(extremes) if len(extremes) > 1 else None)
    out.flat[some] = np.array(extremes).astype(out.dtype)[: out.size]
    return out


@pytest.fixture
def rich(small_project):
    return full_run(small_project.runs[11])


PLACES = (
    "Z",
    "box",
    "point_scores.score",
    "diagnostics.ellipses",
    "diagnostics.loadings",
    "diagnostics.concept_stars",
    "diagnostics.q_nx",
    "diagnostics.bag_score",
    "diagnostics.shepard_edges_x",
)


@pytest.mark.parametrize("value", WILD)
@pytest.mark.parametrize("place", PLACES)
def test_a_run_with_a_number_that_nothing_can_show_is_unfit(rich, place, value):
    assert why_unfit(rich) == ""
    values = numbers_of(rich)[place].copy()
    values.flat[5 % values.size] = value
    assert why_unfit(with_numbers(rich, place, values, 11)) != ""


@pytest.mark.parametrize("place", [place for place in PLACES if place != "box"])
def test_what_is_missing_makes_no_run_unfit(rich, place):
    assert (
        why_unfit(with_numbers(rich, place, np.full_like(numbers_of(rich)[place], np.nan), 11))
        == ""
    )


@pytest.mark.parametrize("neighbors", [-1, 288, 2**31 - 1])
def test_a_run_whose_neighbors_are_nobody_is_unfit(rich, neighbors):
    rich.diagnostics["neighbors"][3, 1] = neighbors
    assert why_unfit(rich) == "its neighbors are none of its instances"


def test_an_unfit_run_stays_in_the_file_and_is_named(small_project, rich, tmp_path):
    Z = rich.Z.copy()
    Z[7, 1] = np.inf
    small_project.runs = {11: rich, 12: with_numbers(rich, "Z", Z, 12)}
    save(small_project, tmp_path / "p.ember")
    found = load(tmp_path / "p.ember")
    assert (list(found.runs), list(found.left_out), found.next_run) == ([11], [12], 13)
    assert left_out_note(found) == (
        "Run 12 cannot be shown and is left out: its coordinates are infinite, or beyond "
        "1e+30. It stays in the file."
    )
    save(found, tmp_path / "q.ember")
    np.testing.assert_array_equal(load(tmp_path / "q.ember").left_out[12].Z, Z)


def test_the_window_opens_and_says_which_run_it_leaves_out(window, small_project, rich, tmp_path):
    small_project.runs = {12: with_numbers(rich, "Z", filled(rich.Z, (np.inf,)), 12)}
    save(small_project, tmp_path / "p.ember")
    window.files.open([tmp_path / "p.ember"])
    assert any(
        words.startswith("Run 12 cannot be shown and is left out")
        for words in window.messages.words
    )
    window.show_workspace("explore")
    assert window.panels["map2d"].empty.sentence.text() == left_out_note(window.session.project)
    window.grab()


@pytest.mark.parametrize("name", sorted({*PLACES} - {"box"}))
def test_what_a_run_may_hold_is_painted(full_window, rich, tmp_path, name, qtbot):
    """At the extremes together, and at each of them everywhere."""
    paint_all(full_window, rich, name, tmp_path)


def test_the_other_numbers_of_a_run_are_painted(full_window, rich, tmp_path, qtbot):
    """Those of one array at the extremes together, and those of all at each of them everywhere."""
    others = sorted(set(numbers_of(rich)) - set(PLACES))
    runs = [at_extremes(rich, [place], FARTHER) for place in others]
    runs += [at_extremes(rich, others, (extreme,)) for extreme in FARTHER]
    paint_saved(full_window, runs, tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "ids",
        "source",
        "frame",
        "y",
        "bag_ids",
        "bag_classes",
        "diagnostics.concept_halves",
        "state.history_",
        "diagnostics.curve_k",
        "diagnostics.shepard_local",
    ],
)
def test_whole_numbers_of_a_run_are_painted_however_large(full_window, rich, tmp_path, name, qtbot):
    values = numbers_of(rich, "iu")[name]
    bounds = np.iinfo(values.dtype)
    paint_all(
        full_window, rich, name, tmp_path, (bounds.min, bounds.max, 0, -1, 2**31 % bounds.max)
    )


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300, -1e300])
def test_measures_of_a_run_are_painted_whatever_they_are(full_window, rich, value, qtbot):
    run = msgspec.structs.replace(rich, metrics=dict.fromkeys(rich.metrics, value), seconds=value)
    project = copy.copy(full_window.session.project)
    project.runs = {11: run}
    paint_runs(full_window, project)


def paint_all(window, run: Run, place: str, folder, values: tuple[float, ...] = FARTHER) -> None:
    each = [values, *((x,) for x in values)]
    paint_saved(window, [at_extremes(run, [place], extremes) for extremes in each], folder)


def at_extremes(run: Run, places: list[str], extremes: tuple[float, ...]) -> Run:
    for place in places:
        values = filled(numbers_of(run, "iuf")[place], extremes)
        run = with_numbers(run, place, values, run.id)
    return run


def paint_saved(window, runs: list[Run], folder) -> None:
    project = copy.copy(window.session.project)
    project.runs = {
        number: msgspec.structs.replace(run, id=number) for number, run in enumerate(runs, 1)
    }
    save(project, folder / "p.ember")
    paint_runs(window, load(folder / "p.ember"))


def paint_runs(window, project: Project) -> None:
    session, panels = window.session, [window.panels[name] for name in DOCKS]
    session.replace(project, None)
    window.show_workspace("explore")
    flat, space = window.panels["map2d"], window.panels["map3d"]
    for toggle in flat.toggles.values():
        toggle.setChecked(True)
    for action in ("run.learned", "run.believe"):
        window.actions_by_id[action].trigger()
        for number, run in project.runs.items():
            session.focus.set(run=number, color_by=(CONCEPT, "score", "class")[number % 3])
            session.selection.select(run.ids[:5])
            session.selection.set_hover(int(run.ids[0]))
            for panel in (*panels, window.sheet):
                panel.grab()
            for surface in (flat.surface, space.surface):
                surface.fit(everything=True)
            for place in (50, 450):
                flat.slider.slider.setValue(place)
            flat.grab()
            space.grab()
        window.sheet.close_sheet()
    assert cloud_of(session).run is session.run


def test_a_chip_of_a_box_much_larger_than_its_frame_is_bounded():
    assert cut(np.zeros((160, 200), np.uint8), np.array([-1e7, -1e7, 1e7, 1e7])).shape == (600, 600)


@pytest.mark.parametrize("value", [*WILD, np.nan, 1e300, 1e-300])
def test_every_point_has_a_place_that_single_precision_holds_or_none(value):
    Z = np.array([[0.0, 0, 0], [1, 1, 1], [2, 0, 1], [0, value, 0]])
    placed = place_points(Z)
    assert placed.finite[:3].all()
    assert np.isfinite(placed.radius)
    assert np.abs(placed.places[:3]).max() <= FARTHEST
    assert placed.finite[3] == bool(np.isnan(placed.places[3]).sum() == 0)


def test_labels_at_their_bounds_are_painted_and_pointed_at(full_window, qtbot):
    session = full_window.session
    far, at = 1e7, {"source": 10, "frame": 0}
    labels = [
        Box(id=900, x0=-far, y0=-far, x1=far, y1=far, looseness=far, core=(-far, -far, far, far),
            **at),
        Box(id=901, x0=far, y0=far, x1=-far, y1=-far, **at),
        Spot(id=902, x=far, y=-far, rho=far, **at),
        Scribble(id=903, points=((far, far), (-far, -far), (5.0, 5.0)), rho=far, **at),
        Ignore(id=904, x0=-far, y0=-far, x1=far, y1=far, **at),
        Box(id=905, x0=5, y0=5, x1=5, y1=5, class_id=2**61, **at),
        Spot(id=2**61, x=1, y=1, rho=0, source=2**61, frame=2**61),
    ]  # fmt: skip
    for label in labels:
        session.do(PutLabels(after=[label]), focus={"labels": (label.id,)})
        for name in ("frame", "timeline", "labels", "bags", "sources"):
            full_window.panels[name].grab()
    canvas = full_window.panels["frame"].canvas
    for tool in ("select", "box", "relaxed", "scribble", "spot", "frame", "ignore", "erase"):
        session.focus.set(tool=tool)
        QTest.mouseMove(canvas, QPoint(60, 60))
        canvas.grab()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, 1.1e7])
def test_a_label_beyond_its_bounds_is_no_label(value):
    with pytest.raises(DataError, match="not finite, or far out"):
        Box(id=1, source=10, frame=0, x0=0, y0=0, x1=value, y1=5)


def test_selections_and_marks_of_any_numbers_are_shown(full_window, tmp_path, qtbot):
    project = full_window.session.project
    ids = np.array([-(2**63), -1, 0, 2**63 - 1], np.int64)
    project.selections = {"kept": ids}
    project.marks = {
        2**62: 1,
        1: 2**61,
        int(project.runs[11].ids[0]): 2**61,
        int(project.runs[11].ids[1]): 0,
    }
    save(project, tmp_path / "p.ember")
    paint_runs(full_window, load(tmp_path / "p.ember"))
    full_window.session.selection.select(ids)
    full_window.grab()
