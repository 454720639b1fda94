"""Arrays whose frames are counted by any axis: what was taken is said, and may be chosen."""

import h5py
import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

# Frames, rows, columns
CLIP = np.random.default_rng(3).integers(0, 60000, (5, 24, 30), dtype=np.uint16)
LAST = np.moveaxis(CLIP, 0, -1)


def npy(folder, array, **options):
    np.save(folder / "a.npy", array)
    return open_source(folder / "a.npy", **options)


def npz(folder, array, **options):
    np.savez(folder / "a.npz", clip=array)
    return open_source(folder / "a.npz", **options)


def hdf5(folder, array, *, matlab="", **options):
    with h5py.File(folder / "a.h5", "w") as file:
        file["clip"] = array
        if matlab:
            file["clip"].attrs["MATLAB_class"] = np.bytes_(matlab)
    return open_source(folder / "a.h5", **options)


every = pytest.mark.parametrize("opened", [npy, npz, hdf5])


@every
@pytest.mark.parametrize("order", ["C", "F"])
def test_frames_counted_by_the_last_axis_are_read_and_said(tmp_path, opened, order):
    with opened(tmp_path, np.asarray(LAST, order=order)) as source:
        np.testing.assert_array_equal(source.read_many(0, 5), CLIP)
        assert source.meta()["warnings"] == [
            "Its shape (24, 30, 5) is taken for 5 frames of 30 x 24 pixels, counted by the last "
            "axis, not for 24 frames of 5 x 30. To read these: File > How this clip is read, or "
            "--axis 0."
        ]


@every
def test_the_axis_that_counts_frames_can_be_chosen(tmp_path, opened):
    with opened(tmp_path, LAST, axis=0) as source:
        np.testing.assert_array_equal(source.read_many(0, 24), LAST)
        assert source.meta()["warnings"] == []


@every
def test_an_axis_that_an_array_does_not_have_is_refused(tmp_path, opened):
    with pytest.raises(FormatError, match="no axis 3 that counts frames"):
        opened(tmp_path, LAST, axis=3)


@every
@pytest.mark.parametrize(
    "array", [CLIP[..., None], CLIP[:, None], CLIP[None]], ids=lambda array: str(array.shape)
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_axis_of_one_channel_is_no_axis(tmp_path, opened, array, order):
    with opened(tmp_path, np.asarray(array, order=order)) as source:
        np.testing.assert_array_equal(source.read_many(0, 5), CLIP)


@every
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_last_axis_of_three_is_color(tmp_path, opened, order):
    color = np.asarray(np.stack([CLIP[0], CLIP[1], CLIP[2]], axis=-1), order=order)
    with opened(tmp_path, color) as source:
        assert (source.n_frames, source.shape, source.units) == (1, (24, 30), "display8")
        np.testing.assert_array_equal(source.read(0), np.rint(color @ [0.299, 0.587, 0.114]))
        assert "not for 24 frames of 3 x 30 pixels" in source.meta()["warnings"][0]


@every
@pytest.mark.parametrize("order", ["C", "F"])
def test_frames_in_color_become_gray(tmp_path, opened, order):
    with opened(
        tmp_path, np.asarray(np.repeat(CLIP[..., None], 3, axis=-1), order=order)
    ) as source:
        np.testing.assert_array_equal(source.read_many(0, 5), CLIP)


@pytest.mark.parametrize(
    ("stored", "frames"),
    [(LAST.T, CLIP), (CLIP.T, CLIP), (CLIP[0].T, CLIP[:1])],
    ids=["frames last in MATLAB", "frames first in MATLAB", "one frame"],
)
def test_what_matlab_wrote_is_put_in_order_and_said(tmp_path, stored, frames):
    with hdf5(tmp_path, stored, matlab="uint16") as source:
        np.testing.assert_array_equal(source.read_many(0, source.n_frames), frames)
        many = f"{len(frames)} frame{'s' * (len(frames) > 1)}"
        said = f"MATLAB wrote it, columns first: it is read as {many} of 30 x 24 pixels."
        assert source.meta()["warnings"][0] == said


def test_frames_higher_than_wide_without_a_mark_may_be_of_h5write_and_that_is_said(tmp_path):
    with hdf5(tmp_path, LAST.T) as source:
        assert source.shape == (30, 24)
        assert source.meta()["warnings"] == [
            "Its frames are 24 x 30 pixels, higher than wide. Where h5write of MATLAB wrote it, "
            "rows and columns are swapped. To read columns first: File > How this clip is read, or "
            "--columns-first."
        ]


@pytest.mark.parametrize(
    ("stored", "frames"),
    [(LAST.T, CLIP), (CLIP.T, CLIP), (CLIP[0].T, CLIP[:1])],
    ids=["frames last in MATLAB", "frames first in MATLAB", "one frame"],
)
def test_what_h5write_wrote_is_put_in_order_where_that_is_asked_for(tmp_path, stored, frames):
    with hdf5(tmp_path, stored, columns_first=True) as source:
        np.testing.assert_array_equal(source.read_many(0, source.n_frames), frames)
        assert source.meta()["warnings"] == []


def test_what_matlab_marks_is_read_as_it_lies_where_that_is_asked_for(tmp_path):
    with hdf5(tmp_path, CLIP, matlab="uint16", columns_first=False) as source:
        np.testing.assert_array_equal(source.read_many(0, 5), CLIP)


def test_text_of_matlab_is_no_frame(tmp_path):
    with pytest.raises(FormatError, match="no data set"):
        hdf5(tmp_path, CLIP[0], matlab="char")


def two(folder, option=None):
    with h5py.File(folder / "a.h5", "w") as file:
        file["big"], file["small"], file["table"] = CLIP, CLIP[:2], CLIP[0]
    return open_source(folder / "a.h5", dataset=option)


def two_packed(folder, option=None):
    np.savez(folder / "a.npz", big=CLIP, small=CLIP[:2], table=CLIP[0])
    return open_source(folder / "a.npz", array=option)


@pytest.mark.parametrize("opened", [two, two_packed])
def test_of_several_arrays_the_one_that_is_read_and_the_others_are_named(tmp_path, opened):
    with opened(tmp_path) as source:
        assert source.meta()["warnings"] == [
            "big is read; it also holds small. Add ::small to its name to read another."]
    with opened(tmp_path, "small") as source:
        assert (source.n_frames, source.meta()["warnings"]) == (2, [])
