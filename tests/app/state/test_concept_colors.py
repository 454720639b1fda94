"""Colors of concepts: told apart also by eyes that do not see red, green or blue."""

from itertools import combinations

import numpy as np
import pytest

from emberscope.findings.concept_looks import concept_color
from emberscope_app.theme.tokens import DARK, LIGHT

# Linear RGB as such an eye sees it (Machado, Oliveira and Fernandes 2009, severity 1).
EYES = {
    "all": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def linear(color):
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    share = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_no_two_of_ten_concepts_look_alike(theme, eye):
    """The least difference that is seen at once is about 2 to 3 (CIE 1976)."""
    seen = [lab(EYES[eye] @ linear(concept_color(k, theme.name))) for k in range(10)]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 11


@pytest.mark.parametrize(
    ("theme", "ground"), [(DARK, DARK.plot), (LIGHT, LIGHT.plot)], ids=["dark", "light"]
)
def test_every_color_stands_out_from_the_map(theme, ground):
    below = TO_XYZ[1] @ linear(ground) + 0.05
    for k in range(10):
        light = TO_XYZ[1] @ linear(concept_color(k, theme.name)) + 0.05
        assert max(light, below) / min(light, below) >= 3


def test_the_eleventh_concept_has_the_color_of_the_first():
    assert concept_color(10, DARK.name) == concept_color(0, DARK.name)
