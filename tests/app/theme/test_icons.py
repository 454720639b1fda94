"""Icons: every one draws, in the color asked for."""

from importlib import resources

import pytest

from emberscope_app.theme import icons
from emberscope_app.theme.icons import pixmap

ICONS = sorted(
    path.name[:-4] for path in (resources.files("emberscope_resources") / "icons").iterdir()
)


@pytest.mark.parametrize("name", ICONS)
def test_every_icon_draws_something_in_its_color(qapp, name):
    image = pixmap(name, "#E69F00", 20).toImage()
    pixels = [image.pixelColor(x, y) for x in range(20) for y in range(20)]
    inked = [color for color in pixels if color.alpha() > 128]
    assert len(inked) > 5
    assert all(abs(color.red() - 0xE6) < 12 and abs(color.blue()) < 12 for color in inked)


def test_another_color_of_an_icon_needs_no_other_drawing(qapp, monkeypatch):
    drawn, renderer = [], icons.QSvgRenderer
    monkeypatch.setattr(icons, "QSvgRenderer", lambda svg: (drawn.append(1), renderer(svg))[1])
    for color in ("#E69F01", "#123456"):
        pixmap("film", color, 37)
    assert len(drawn) == 1


def test_two_colors_of_an_icon_are_two_pixmaps_to_qt(qapp):
    """Else Qt, which keeps what it made of a pixmap, shows the one for the other."""
    keys = {pixmap("film", color, 38).cacheKey() for color in ("#e69f02", "#123457", "#ffffff")}
    assert len(keys) == 3
