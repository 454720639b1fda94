"""What scores mean on screen, and that the end that asks for attention stands out from the
ground."""

import numpy as np
import pytest

from emberscope.findings.coloring import DOUBT, TWO_SIDED
from emberscope.findings.score_words import SCORES, Score, in_order, scale_of, score_of, shades

THEMES = ["dark", "light"]
GROUND = {"dark": "#0F1114", "light": "#FFFFFF"}  # of the map
TRUST = np.array([0.2, 0.97, 0.98, 0.99, 1.0])


def luminance(color):
    """Relative luminance of "#RRGGBB" or three bytes (WCAG)."""
    parts = (
        np.array(
            [int(color[i : i + 2], 16) for i in (1, 3, 5)] if isinstance(color, str) else color
        )
        / 255
    )
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    "name", [name for name, score in SCORES.items() if score.loud in ("low", "high")]
)
def test_the_loud_end_stands_out_and_the_quiet_one_is_still_seen(name, theme):
    values = np.linspace(0, 1, 50) + (SCORES[name].ends[0] or 0)
    loud, quiet = (0, -1) if SCORES[name].loud == "low" else (-1, 0)
    colors = shades(values, scale_of(name, values, theme), theme)
    assert contrast(colors[loud], GROUND[theme]) > 2 * contrast(colors[quiet], GROUND[theme])
    assert contrast(colors[quiet], GROUND[theme]) > 1.6


@pytest.mark.parametrize("theme", THEMES)
def test_the_ramp_is_read_without_hue(theme):
    steps = np.diff([contrast(color, GROUND[theme]) for color in DOUBT[theme]])
    assert (steps > 0).all()


def test_stretch_is_even_in_the_middle_and_says_how_many_times():
    scale = scale_of("stretch", np.log([0.5, 0.5, 1.0, 2.0, 2.0]), "dark")
    assert scale.low == -scale.high
    assert scale.ends == ("0.5\u00d7", "2\u00d7")
    assert scale.means == ("squeezed", "pulled apart")
    even = shades(np.array([0.0]), scale, "dark")[0]
    assert f"#{bytes(even.tolist()).hex()}".upper() == TWO_SIDED["dark"][2]


def test_little_differences_of_trust_stay_little():
    assert scale_of("trustworthiness", np.array([0.98, 0.99, 1.0]), "dark").low == 0.9


def test_values_beyond_an_end_are_announced():
    values = np.concatenate([[0.2], np.full(99, 0.95)])
    assert scale_of("trustworthiness", values, "dark").ends == ("\u2264\u20090.90", "1.00")


def test_shares_keep_their_whole_range():
    scale = scale_of("preservation", np.array([0.4, 0.5]), "dark")
    assert (scale.low, scale.high) == (0.0, 1.0)


def test_what_is_missing_has_a_color_of_its_own():
    scale = scale_of("purity", np.array([0.5]), "dark")
    missing, good = shades(np.array([np.nan, 1.0]), scale, "dark").tolist()
    assert missing == [0x2E, 0x34, 0x3B] != good


@pytest.mark.parametrize("values", [[], [np.nan], [3.0], [3.0, 3.0]], ids=str)
@pytest.mark.parametrize("name", [*SCORES, "depth_of_snow"])
def test_hardly_any_values_still_have_a_scale(name, values):
    values = np.array(values, float)
    scale = scale_of(name, values, "dark")
    assert scale.high > scale.low
    assert shades(values, scale, "dark").shape == (len(values), 3)


def test_a_score_nobody_described_goes_by_its_name():
    assert score_of("depth_of_snow") == Score("depth of snow")


def test_lists_begin_with_what_is_known():
    assert in_order({"snow", "stretch", "score", "amber"}) == ["score", "stretch", "amber", "snow"]
