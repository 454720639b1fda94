"""Counts become temperatures."""

import numpy as np
import pytest

from emberscope.base.errors import ParamError
from emberscope.frames.radiometry import Calibration, Planck, Scene, check_scene

SC660 = Planck(R1=21106.77, R2=0.012545258, B=1501.0, F=1.0, O=-7340)
BLACK = Calibration(SC660, Scene())


def counts_of(celsius):
    return SC660.R1 / (SC660.R2 * (np.exp(SC660.B / (celsius + 273.15)) - SC660.F)) - SC660.O


@pytest.mark.parametrize(("planck", "raw", "celsius"), [
    (Planck(R1=14985.93, B=1398.1, F=1.0, R2=0.0112832, O=-6233), 17034, 16.91),
    (Planck(R1=21170.004, B=1501.9, F=1.0, R2=0.01275674, O=-7482), 16053, 11.78),
])
def test_black_bodies_have_the_temperatures_that_are_known(planck, raw, celsius):
    found = Calibration(planck, Scene()).temperatures(np.array([[raw]], np.uint16))
    assert found.item() == pytest.approx(celsius, abs=0.006)


def test_what_a_gray_body_reflects_is_taken_off():
    scene = Scene(emissivity=0.8, reflected=50.0)
    seen = 0.8 * counts_of(30.0) + 0.2 * counts_of(50.0)
    assert Calibration(SC660, scene).temperatures(np.array([[seen]])).item() == pytest.approx(
        30.0, abs=1e-3
    )


def test_a_window_before_the_lens_is_taken_off():
    scene = Scene(window=5.0, transmission=0.7)
    seen = 0.7 * counts_of(30.0) + 0.3 * counts_of(5.0)
    assert Calibration(SC660, scene).temperatures(np.array([[seen]])).item() == pytest.approx(
        30.0, abs=1e-3
    )


def test_the_air_takes_more_off_the_farther_the_object_is():
    near, far = (
        Calibration(SC660, Scene(distance=d, air=30.0)).air_transmission() for d in (1.0, 500.0)
    )
    assert BLACK.air_transmission() == 1.0 > near > far


def test_kelvin_are_celsius_and_a_constant():
    counts = np.array([[17000]], np.uint16)
    assert BLACK.temperatures(counts, "K") - BLACK.temperatures(counts) == pytest.approx(
        273.15, abs=1e-3
    )


def test_counts_that_no_body_has_are_no_number():
    assert np.isnan(BLACK.temperatures(np.array([[0, 7340]], np.uint16))).tolist() == [[True, True]]


@pytest.mark.parametrize(
    "values", [{"emisivity": 0.9}, {"emissivity": 1.2}, {"humidity": 50}, {"distance": "far"}]
)
def test_a_parameter_that_cannot_be_is_refused_by_its_name(values):
    with pytest.raises(ParamError, match=next(iter(values))):
        check_scene(values)
