"""Readers on real infrared files that never lie in the repository."""

import csv

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.quality import assess
from emberscope.frames.thumbnails import thumbnail

RUNS = {
    "night_60m_30deg_00000-00149": 150,
    "night_130m_50deg_07191-07223": 33,
    "night_130m_30deg_09949-09977": 29,
}
CLIPS = {
    "AIRPLANE_001": 322, "AIRPLANE_006": 301, "BIRD_006": 301, "BIRD_013": 301, "DRONE_001": 301,
    "DRONE_060": 306,
    "HELICOPTER_001": 301, "HELICOPTER_010": 307,
}  # fmt: skip


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("EMBERSCOPE_CACHE", str(tmp_path))


@pytest.mark.parametrize("run", RUNS)
def test_hit_uav_folders_are_sources_in_order(shared_data, run):
    with open_source(shared_data / "ir/hit_uav" / run / "frames") as source:
        assert (source.n_frames, source.shape, source.dtype) == (RUNS[run], (512, 640), np.uint8)
        numbers = [int(name.removesuffix(".jpg").split("_")[-1]) for name in source.names()]
        assert numbers == list(range(numbers[0], numbers[0] + RUNS[run]))
        assert source.read(RUNS[run] - 1).std() > 5


@pytest.mark.parametrize("clip", CLIPS)
def test_every_frame_of_the_drone_clips_is_counted(shared_data, clip):
    with open_source(shared_data / f"ir/drone_ir_video/IR_{clip}.mp4") as source:
        assert (source.n_frames, source.shape, source.fps) == (CLIPS[clip], (256, 320), 30)
        backward = [source.read(i) for i in range(CLIPS[clip] - 1, -1, -25)][::-1]
        forward = source.read_many((CLIPS[clip] - 1) % 25, CLIPS[clip], 25)
        np.testing.assert_array_equal(forward, backward)


def test_the_airplane_is_where_its_box_says(shared_data):
    folder = shared_data / "ir/drone_ir_video"
    with (folder / "derived/IR_AIRPLANE_001_boxes.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if row["frame"] == "200")
    x, y, w, h = (float(row[key]) - (key in "xy") for key in "xywh")
    with open_source(folder / "IR_AIRPLANE_001.mp4") as source:
        frame = source.read(200).astype(float)
    inside = frame[int(y) : int(y + h), int(x) : int(x + w)]
    around = frame[max(int(y - h), 0) : int(y + 2 * h), max(int(x - w), 0) : int(x + 2 * w)]
    assert abs(inside.mean() - around.mean()) > 5


@pytest.mark.parametrize(("name", "frames"), [("possum", 161), ("v2", 100)])
def test_lepton_recordings_keep_their_counts(shared_data, name, frames):
    with open_source(shared_data / f"ir/lepton16/derived/{name}_uint16.tif") as source:
        assert (source.n_frames, source.shape, source.dtype) == (frames, (120, 160), np.uint16)
        assert 2000 < np.median(source.read(frames - 1)) < 3200
        assert assess(source).bit_depth == 12


def test_range_pictures_are_gray_frames(shared_data):
    for path in sorted((shared_data / "ir/dsiac_mwir").rglob("*.jpg")):
        with open_source(path) as source:
            assert (source.shape, source.dtype, source.warnings) == ((512, 640), np.uint8, [])
            assert thumbnail(source.read(0), size=(65, 52)).shape == (52, 65)


def test_sirst_pictures_of_every_mode_have_one_channel(shared_data):
    paths = sorted((shared_data / "ir/sirst_v2/images").glob("*.png"))
    assert len(paths) == 110
    for path in paths:
        with open_source(path) as source:
            assert source.read(0).ndim == 2
            assert source.dtype == np.uint8


def test_a_folder_of_sizes_names_the_odd_file(shared_data):
    with pytest.raises(FormatError, match=r"Misc_\d+\.png has .* but Misc_1\.png has"):
        open_source(shared_data / "ir/sirst_v2/images")


def test_a_radiometric_tiff_of_low_contrast_keeps_its_counts(shared_data):
    with open_source(shared_data / "ir/radiometric/flirpy_example_radiometric.tiff") as source:
        frame = source.read(0)
        assert (frame.shape, frame.dtype, frame.min(), frame.max()) == (
            (512, 640),
            np.uint16,
            6743,
            7077,
        )


def test_a_tiff_that_calls_itself_png_opens_with_a_warning(shared_data):
    with open_source(shared_data / "ir/radiometric/flir_e40bx_test_image.raw.png") as source:
        assert (source.format, source.read(0).min(), source.read(0).max()) == ("tiff", 14686, 20688)
        assert "although its name ends in .png" in source.warnings[0]


def test_temperatures_are_floats(shared_data):
    with open_source(shared_data / "ir/radiometric/flir_e40bx_test_image.temp.tif") as source:
        assert source.dtype == np.float32
        assert source.read(0).max() == pytest.approx(37.44, abs=0.01)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("hit_uav/night_130m_30deg_09949-09977/frames", []),
        ("hit_uav/night_60m_30deg_00000-00149/frames", []),
        ("lepton16/derived/v2_uint16.tif", []), ("radiometric/flirpy_example_radiometric.tiff", []),
        ("radiometric/flir_e40bx_test_image.temp.tif", []),
        ("drone_ir_video/IR_BIRD_013.mp4", ["repeated"]),
        ("sirst_v2/images/Misc_104.png", ["saturated"]), ("sirst_v2/images/Misc_185.png", []),
    ],
)  # fmt: skip
def test_only_what_is_odd_about_real_frames_is_told(shared_data, path, found):
    with open_source(shared_data / "ir" / path) as source:
        assert [finding.code for finding in assess(source).findings] == found
