"""Concepts on the maps: colors, legend, stars and ellipses."""

import msgspec
import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from emberscope.findings.concept_looks import concept_color
from emberscope.findings.concepts import DISTANCES, ELLIPSES, GROUND, STARS
from emberscope.findings.point_looks import CONCEPT
from emberscope.project import PutRuns
from emberscope_app.latent_view.layers import concept_stars
from emberscope_app.latent_view.layers.concept_stars import ConceptStars
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel
from emberscope_app.latent_view.surfaces.map3d import Map3DPanel
from emberscope_app.state.core.layers_on import GROUND_SQUARES
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.state.knowledge.points import style_points
from emberscope_app.state.points.cloud import cloud_of
from emberscope_app.state.points.placing import frame_of, in_frame_of
from emberscope_app.theme.look import current
from emberscope_app.theme.tokens import DARK, LIGHT


@pytest.fixture
def shown(session, build_run):
    """Run 12 has two concepts: row 0 is surely of the first, row 1 likely of the second, all others
    of none."""
    run = build_run(run_id=12)
    distances = np.full((len(run.ids), 2), 9.0, np.float32)
    distances[0, 0], distances[1, 1] = 0.0, np.log(2)
    named = ("coverage_", "contrast_", "purity_")
    diagnostics = {DISTANCES: distances, STARS: np.zeros((2, 3), np.float32),
                   ELLIPSES: np.stack([np.eye(3), np.full((3, 3), np.nan)]).astype(np.float32)}
    session.do(
        PutRuns(
            after=[
                msgspec.structs.replace(
                    run, state={name: np.full(2, 9.0) for name in named}, diagnostics=diagnostics
                )
            ]
        )
    )
    session.focus.set(color_by=CONCEPT)
    return session


class Canvas(QWidget):
    """A surface of 200 x 200 px on which the middle of the map is at 100, 100."""

    in_space = False

    @property
    def canvas(self):
        return self

    def from_space(self, places):
        return 100 + 40 * places[:, :2]


@pytest.fixture
def canvas(qtbot):
    found = Canvas()
    qtbot.addWidget(found)
    return found


def as_hex(rgb):
    return "#{:02X}{:02X}{:02X}".format(*rgb)


def test_hue_is_the_concept_saturation_how_likely_and_gray_is_none(shown):
    style = style_points(shown.project, shown.run, CONCEPT, DARK)
    assert as_hex(style.rgb[0]) == concept_color(0, DARK.name)
    gray, hue = (
        np.array(QColor(color).getRgb()[:3])
        for color in (DARK.classes[0], concept_color(1, DARK.name))
    )
    np.testing.assert_allclose(style.rgb[1], (gray + hue) / 2, atol=1)
    assert as_hex(style.rgb[2]) == DARK.classes[0]
    assert style.group[:3].tolist() == [1, 2, 0]


def test_the_legend_names_every_concept_and_what_is_of_none(shown):
    style = style_points(shown.project, shown.run, CONCEPT, DARK)
    assert [(entry.title, entry.count) for entry in style.legend] == [
        ("Concept 1", 1), ("Concept 2", 1), ("No concept", len(shown.run.ids) - 2)
    ]


def test_a_run_without_concepts_is_colored_by_class(session):
    session.focus.set(color_by=CONCEPT)
    by_class = style_points(session.project, session.run, "class", DARK)
    np.testing.assert_array_equal(
        style_points(session.project, session.run, CONCEPT, DARK).rgb, by_class.rgb
    )


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_ten_concepts_have_ten_colors(theme):
    assert len({concept_color(k, theme.name) for k in range(10)}) == 10
    assert concept_color(10, theme.name) == concept_color(0, theme.name)


def test_the_map_offers_colors_and_stars_where_a_run_has_concepts(shown, qtbot):
    panel = Map2DPanel(shown)
    qtbot.addWidget(panel)
    assert panel.color_box.findData(CONCEPT) >= 0
    assert panel.toggles["concept_stars"].isEnabled()
    assert panel.toggles["concept_stars"].toolTip() == ConceptStars.title
    shown.focus.set(run=11)
    assert panel.color_box.findData(CONCEPT) < 0
    assert "FCMI" in panel.toggles["concept_stars"].toolTip()


def test_a_star_is_painted_where_the_center_lies_on_the_map(shown, canvas):
    cloud = cloud_of(shown)
    middle, half = frame_of(cloud.Z)
    stars = ConceptStars(shown, canvas)
    image = QImage(200, 200, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor("#000000"))
    painter = QPainter(image)
    stars.paint(painter)
    painter.end()
    x, y = (100 + 40 * (0 - middle[:2]) / half).round().astype(int).tolist()
    # Both lie there, the last on top
    assert image.pixelColor(x, y).name().upper() == concept_color(1, current().name)


def test_a_name_for_which_the_map_ends_stands_on_another_side_of_its_star(shown, canvas):
    def left_of_stars(wide):
        canvas.resize(wide, 200)
        image = QImage(200, 200, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(QColor("#000000"))
        with QPainter(image) as painter:
            ConceptStars(shown, canvas).paint(painter)
        return image.copy(0, 0, 90, 200)

    # Both stars lie at 100: the name of the second stands on the left where the first has the right
    assert left_of_stars(112) != left_of_stars(200)


def test_a_concept_that_tells_nothing_has_no_star(shown, canvas, monkeypatch):
    state = {**shown.run.state, "contrast_": np.array([9.0, 0.977])}
    shown.do(PutRuns(after=[msgspec.structs.replace(shown.run, id=14, state=state)]))
    shown.focus.set(run=14)
    painted = []
    monkeypatch.setattr(
        concept_stars, "_paint_star", lambda _painter, _at, color, _size: painted.append(color)
    )
    ConceptStars(shown, canvas).paint(QPainter())
    assert painted == [concept_color(0, current().name)]


def test_clusters_of_negative_instances_are_hollow_squares_once_asked_for(shown, qtbot):
    run = msgspec.structs.replace(
        shown.run,
        id=13,
        diagnostics={
            **shown.run.diagnostics,
            STARS: np.full((2, 3), np.nan, np.float32),
            GROUND: np.zeros((1, 3), np.float32),
        },
    )
    shown.do(PutRuns(after=[run]))
    panel = Map2DPanel(shown)
    qtbot.addWidget(panel)
    panel.resize(700, 560)
    panel.show()
    without = panel.surface.canvas.grab().toImage()
    shown.layers.switch(GROUND_SQUARES, True)
    image, cloud = panel.surface.canvas.grab().toImage(), cloud_of(shown)
    ((x, y),) = (
        panel.surface.from_space(in_frame_of(cloud.Z, np.zeros((1, 3))))
        .round()
        .astype(int)
        .tolist()
    )
    assert image.pixel(x - 5, y) != without.pixel(x - 5, y)
    assert image.pixel(x, y) == without.pixel(x, y)


def test_the_toggle_of_the_2d_map_is_for_both_maps(shown, qtbot):
    flat, space = Map2DPanel(shown), Map3DPanel(shown)
    for panel in (flat, space):
        qtbot.addWidget(panel)
    space.resize(400, 400)
    space.show()
    shown_there = []
    for on in (True, False):
        flat.toggles["concept_stars"].setChecked(on)
        shown_there.append(space.surface.canvas.grab().toImage())
    assert shown_there[0] != shown_there[1]


def test_what_is_behind_the_camera_is_not_drawn(shown, qtbot):
    panel = Map3DPanel(shown)
    qtbot.addWidget(panel)
    camera = panel.surface.camera
    behind = camera.center + 2 * camera.distance * (-camera.axes()[2])
    front, back = panel.surface.from_space(np.stack([camera.center, behind]))
    assert np.isfinite(front).all()
    assert np.isnan(back).all()


def test_an_ellipse_nobody_knows_is_not_drawn(shown):
    outlines = run_concepts(shown.project, shown.run).outlines
    assert np.isfinite(outlines[0]).all()
    assert np.isnan(outlines[1]).all()
