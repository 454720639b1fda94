"""The legend of a map: words for points that are pale."""

from dataclasses import replace

import pytest

from emberscope.findings.point_looks import PALE
from emberscope_app.latent_view.surfaces.map2d import Map2DPanel


@pytest.fixture
def panel(map_session, qtbot):
    found = Map2DPanel(map_session(n=60))
    qtbot.addWidget(found)
    found.resize(900, 560)
    found.show()
    return found


@pytest.mark.parametrize("width", [900, 300])
def test_words_about_pale_points_stand_behind_the_entries_and_inside_the_legend(panel, width):
    legend, cloud = panel.legend, panel.cloud
    panel.session.focus.set(color_by="class")
    legend.arrange(width)
    before = legend.width(), legend.height()
    cloud.style = replace(cloud.style, note=PALE)
    legend.arrange(width)
    assert legend.entries
    assert (legend.width(), legend.height()) > before
    x, y = legend._remark_at
    assert all(not entry.geometry().contains(x + 1, y + 5) for entry in legend.entries)
    assert y < legend.height()
    assert PALE in legend._remark
