"""Features of frames of several bands."""

import imagecodecs
import numpy as np
import pytest
import tifffile

from emberscope.bags.model import Instances
from emberscope.base.errors import FormatError, ParamError
from emberscope.features.extract import extract, feature_names, n_features
from emberscope.features.groups import group_of
from emberscope.features.on_frame import frames_in_turn
from emberscope.features.recipe import FeatureRecipe
from emberscope.frames import open_source

STATISTICS = FeatureRecipe(kind="statistics")
OF_THREE = FeatureRecipe(kind="statistics", bands=3)
BOXES = [[4, 5, 20, 17], [30, 10, 50, 30]]


@pytest.fixture
def colors():
    return np.random.default_rng(0).integers(0, 255, (48, 64, 3), dtype=np.uint8)


@pytest.fixture
def png(tmp_path, colors):
    path = tmp_path / "color.png"
    path.write_bytes(imagecodecs.png_encode(colors))
    return path


def there(frames=(0, 0), boxes=BOXES):
    return Instances.at(np.zeros(len(boxes)), frames, boxes)


def x_of(path, recipe, **options):
    with open_source(path, **options) as source:
        return extract(there(), {0: source}.__getitem__, recipe)


def test_features_of_bands_are_those_of_each_band_side_by_side(png, tmp_path, colors):
    each = []
    for k in range(3):
        np.save(tmp_path / f"{k}.npy", colors[..., k])
        each.append(x_of(tmp_path / f"{k}.npy", STATISTICS))
    assert np.array_equal(x_of(png, OF_THREE), np.concatenate(each, axis=1))


def test_each_column_has_a_name_that_says_its_band():
    names = feature_names(OF_THREE)
    assert len(names) == n_features(OF_THREE) == 3 * n_features(STATISTICS)
    assert names[0] == f"band 1: {feature_names(STATISTICS)[0]}"
    assert names[-1].startswith("band 3: ")


def test_a_feature_of_a_band_looks_at_what_it_looks_at_without_bands():
    assert group_of("band 2: kurtosis") == group_of("kurtosis")


def test_whole_frames_are_described_as_single_instances_are(png):
    with open_source(png) as source:
        (frame,) = frames_in_turn(source, [0], OF_THREE)
        found = frame.of(np.array(BOXES, np.float32))
    assert np.array_equal(found, x_of(png, OF_THREE))


def test_channels_of_a_camera_are_bands_too(tmp_path):
    cube = np.random.default_rng(1).integers(0, 4000, (48, 64, 4)).astype(np.uint16)
    tifffile.imwrite(tmp_path / "four.tif", cube, photometric="minisblack", planarconfig="contig",
                     extrasamples=["unspecified"] * 3)
    recipe = FeatureRecipe(kind="statistics", bands=4)
    X = x_of(tmp_path / "four.tif", recipe)
    np.save(tmp_path / "last.npy", cube[..., 3])
    width = n_features(STATISTICS)
    assert np.array_equal(X[:, 3 * width :], x_of(tmp_path / "last.npy", STATISTICS))


def test_more_bands_than_there_are_is_one_clear_error(png):
    with pytest.raises(FormatError, match="it has bands 1 to 3, and no band 4"):
        x_of(png, FeatureRecipe(kind="statistics", bands=4))


def test_frames_of_one_band_have_no_bands_to_choose(tmp_path):
    np.save(tmp_path / "clip.npy", np.zeros((2, 48, 64), np.uint16))
    with pytest.raises(FormatError, match="it has 1 band, and no band 2"):
        x_of(tmp_path / "clip.npy", FeatureRecipe(kind="statistics", bands=2))


def test_bands_that_are_read_as_frames_are_refused(tmp_path):
    cube = np.zeros((2, 48, 64), np.uint16)
    (tmp_path / "cube.img").write_bytes(cube.tobytes())
    (tmp_path / "cube.hdr").write_text(
        "ENVI\nsamples = 64\nlines = 48\nbands = 2\ndata type = 12\ninterleave = bsq\n"
    )
    with pytest.raises(ParamError, match="are read as frames"):
        x_of(tmp_path / "cube.hdr", FeatureRecipe(kind="statistics", bands=2))
    both = x_of(tmp_path / "cube.hdr", FeatureRecipe(kind="statistics", bands=2), band=1)
    assert both.shape == (2, 2 * n_features(STATISTICS))
