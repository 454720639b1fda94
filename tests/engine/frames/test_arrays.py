"""NPY, NPZ and HDF5: arrays that hold frames."""

import re
import zipfile

import h5py
import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

COUNTS = np.arange(3 * 5 * 7, dtype=np.uint16).reshape(3, 5, 7)


def npy(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    return open_source(tmp_path / "a.npy")


def npz(tmp_path, options=None, **arrays):
    np.savez(tmp_path / "a.npz", **arrays)
    return open_source(tmp_path / "a.npz", **(options or {}))


def hdf5(tmp_path, fill, **options):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        fill(file)
    return open_source(tmp_path / "a.h5", **options)


@pytest.mark.parametrize(
    "array", [COUNTS, COUNTS.astype(">u2"), np.asfortranarray(COUNTS), COUNTS.astype("f4")]
)
def test_an_npy_of_any_order_is_read(tmp_path, array):
    with npy(tmp_path, array) as source:
        np.testing.assert_array_equal(source.read_many(0, 3), COUNTS)


def test_a_2d_npy_is_one_frame(tmp_path):
    with npy(tmp_path, COUNTS[0]) as source:
        assert (source.n_frames, source.shape) == (1, (5, 7))


ROWS = np.arange(230 * 40).reshape(230, 40)
AS_ONE_FRAME = r"Its shape \(230, 40\) is taken for one frame of 40 x 230 pixels\. "
AS_POINTS = (
    r"If its rows are 230 instances with 40 features, it is a point set: .* emberscope embed a\."
)


@pytest.mark.parametrize("array", [ROWS.astype(float), ROWS])
@pytest.mark.parametrize(
    "save", [npy, lambda folder, array: npz(folder, X=array)], ids=["npy", "npz"]
)
def test_a_table_that_may_be_features_says_what_it_was_taken_for(tmp_path, array, save):
    with save(tmp_path, array) as source:
        (said,) = source.meta()["warnings"]
        assert re.match(AS_ONE_FRAME + AS_POINTS, said)


def test_a_folder_of_one_table_says_it_too(tmp_path):
    npy(tmp_path, ROWS.astype(float)).close()
    with open_source(tmp_path) as source:
        assert re.match(AS_ONE_FRAME + AS_POINTS, source.meta()["warnings"][0])


def test_counts_of_a_camera_are_a_frame_without_a_word(tmp_path):
    with npy(tmp_path, COUNTS[0]) as source:
        assert not source.meta()["warnings"]


def test_truth_values_become_black_and_white(tmp_path):
    with npy(tmp_path, COUNTS > 20) as source:
        np.testing.assert_array_equal(source.read(0), (COUNTS[0] > 20) * np.uint8(255))


@pytest.mark.parametrize(
    "array", [np.zeros(3), np.zeros((2, 2, 2, 2)), np.zeros((0, 5, 7)), np.array(1)]
)
def test_an_array_of_another_shape_is_refused(tmp_path, array):
    with pytest.raises(FormatError, match="it has shape"):
        npy(tmp_path, array)


def test_python_objects_are_never_loaded(tmp_path):
    np.save(tmp_path / "a.npy", np.full((2, 2), None), allow_pickle=True)
    with pytest.raises(FormatError, match="holds Python objects, which are never loaded"):
        open_source(tmp_path / "a.npy")


def test_a_truncated_npy_keeps_its_whole_frames(tmp_path):
    npy(tmp_path, COUNTS).close()
    path = tmp_path / "a.npy"
    path.write_bytes(path.read_bytes()[:-20])
    with open_source(path) as source:
        assert (source.n_frames, source.truncated) == (2, True)
        np.testing.assert_array_equal(source.read(1), COUNTS[1])


def test_a_chunk_of_gigabytes_in_a_small_file_is_refused(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset(
            "frames", (1, 30000, 30000), "u2", chunks=(1, 30000, 30000), compression="gzip"
        )
    with pytest.raises(
        FormatError, match=r"a chunk of 1716 MiB in a file of \d+ bytes is not believed"
    ):
        open_source(tmp_path / "a.h5")


def test_more_frames_than_any_recording_has_are_refused(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("frames", (2**40, 8, 8), "u2", chunks=(1, 8, 8))
    with pytest.raises(FormatError, match="1099511627776 frames are more than any recording has"):
        open_source(tmp_path / "a.h5")


def test_an_archive_that_unpacks_to_a_thousand_times_its_size_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", frames=np.zeros((80, 1000, 1000), np.uint8))
    with pytest.raises(
        FormatError, match=r"an array of 76 MiB in a file of \d+ bytes is not believed"
    ):
        open_source(tmp_path / "a.npz")


def test_an_npy_that_claims_a_huge_array_is_refused(tmp_path):
    header = b"{'descr': '<u2', 'fortran_order': False, 'shape': (60000, 60000), }"
    start = b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little")
    (tmp_path / "a.npy").write_bytes(start + header + b"\0" * 99)
    with pytest.raises(FormatError, match="it announces 7200000000 bytes and holds 99"):
        open_source(tmp_path / "a.npy")


def test_the_largest_3d_array_of_an_npz_is_taken_and_the_others_named(tmp_path):
    with npz(
        tmp_path, mask=np.ones((50, 70)), frames=COUNTS, small=COUNTS[:1], names=np.array(["a"])
    ) as source:
        np.testing.assert_array_equal(source.read(2), COUNTS[2])
        assert source.meta()["array"] == "frames"
        assert source.meta()["other_arrays"] == ["mask", "small", "names"]


def test_another_array_of_an_npz_can_be_asked_for(tmp_path):
    with npz(tmp_path, {"array": "b"}, a=COUNTS, b=COUNTS[:1]) as source:
        assert source.n_frames == 1


def test_an_array_that_is_not_there_is_refused_with_the_names(tmp_path):
    with pytest.raises(FormatError, match=r"it has no array c\. Arrays: a, b"):
        npz(tmp_path, {"array": "c"}, a=COUNTS, b=COUNTS)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (90000, 6000, 6000), }"
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(FormatError, match="MiB of memory"):
        open_source(tmp_path / "a.npz")


def three(file):
    file["deep/frames"] = COUNTS
    file["mask"] = np.ones((50, 70))
    file["names"] = ["a", "b"]


def test_the_largest_3d_data_set_is_taken_and_the_others_named(tmp_path):
    with hdf5(tmp_path, three) as source:
        np.testing.assert_array_equal(source.read_many(0, 3, 2), COUNTS[::2])
        assert source.meta()["dataset"] == "deep/frames"
        assert source.meta()["other_datasets"] == ["mask"]


def test_another_data_set_can_be_asked_for(tmp_path):
    with hdf5(tmp_path, three, dataset="/mask") as source:
        assert (source.n_frames, source.shape) == (1, (50, 70))


def test_a_data_set_that_is_not_there_is_refused_with_the_names(tmp_path):
    with pytest.raises(FormatError, match=r"it has no data set heat .* Usable: deep/frames"):
        hdf5(tmp_path, three, dataset="heat")


def test_big_endian_and_truth_values_become_native_numbers(tmp_path):
    with hdf5(tmp_path, lambda file: file.create_dataset("a", data=COUNTS.astype(">u2"))) as source:
        assert source.read(1).dtype.isnative
        np.testing.assert_array_equal(source.read_many(0, 3), COUNTS)
    with hdf5(tmp_path, lambda file: file.create_dataset("a", data=COUNTS > 9)) as source:
        assert set(np.unique(source.read(0))) == {0, 255}


def outside(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["a"] = COUNTS
    COUNTS.tofile(tmp_path / "secret.bin")


def soft(file):
    file["real"] = COUNTS[:1]
    file["soft"] = h5py.SoftLink("/real")


def external(file):
    file["ext"] = h5py.ExternalLink("secret.h5", "/a")


@pytest.mark.parametrize(("fill", "name"), [(soft, "soft"), (external, "ext"), (external, None)])
def test_soft_and_external_links_are_not_followed(tmp_path, fill, name):
    outside(tmp_path)
    with pytest.raises(FormatError, match="it has no data set"):
        hdf5(tmp_path, fill, dataset=name)


def external_storage(file):
    file.create_dataset(
        "a", COUNTS.shape, COUNTS.dtype, external=[("secret.bin", 0, h5py.h5f.UNLIMITED)]
    )


def virtual(file):
    layout = h5py.VirtualLayout(COUNTS.shape, COUNTS.dtype)
    layout[:] = h5py.VirtualSource("secret.h5", "a", COUNTS.shape)
    file.create_virtual_dataset("a", layout)


@pytest.mark.parametrize("fill", [external_storage, virtual])
def test_data_that_lies_in_other_files_is_refused(tmp_path, fill):
    outside(tmp_path)
    with pytest.raises(FormatError, match="takes its data from other files"):
        hdf5(tmp_path, fill)


def test_frames_of_impossible_size_are_refused(tmp_path):
    with pytest.raises(FormatError, match="pixels are impossible"):
        hdf5(
            tmp_path,
            lambda file: file.create_dataset("a", (1, 9, 70000), "u1", chunks=(1, 9, 1000)),
        )


# --- point sets

X = np.zeros((230, 1320))


@pytest.mark.parametrize(
    "beside", [{"y": np.zeros(230)}, {"bag": np.zeros(230), "bag_y": np.ones(1)}]
)
def test_rows_of_features_with_labels_are_a_point_set(tmp_path, beside):
    with npz(tmp_path, X=X, **beside) as source:
        assert (source.format, source.shape[1]) == ("points", 1320)


def test_frames_beside_features_are_frames_and_so_is_what_is_asked_for(tmp_path):
    with npz(tmp_path, X=X, y=np.zeros(230), frames=COUNTS) as source:
        assert source.n_frames == len(COUNTS)
    with npz(tmp_path, {"array": "X"}, X=X, y=np.zeros(230)) as source:
        assert source.shape == (230, 1320)
    with npz(tmp_path, X=X[:40, :50]) as source:
        assert source.shape == (40, 50)


def test_what_is_masked_is_no_number(tmp_path):
    masked = np.ma.masked_greater(np.arange(2 * 3 * 4, dtype=np.uint16).reshape(2, 3, 4), 20)
    np.savez(tmp_path / "a.npz", data=masked.data, mask=masked.mask)
    with open_source(tmp_path / "a.npz") as source:
        assert np.isnan(source.read(1)).sum() == 3
        assert any("mask marks pixels" in note for note in source.warnings)


def test_a_mask_of_another_array_takes_nothing_away(tmp_path):
    np.savez(tmp_path / "a.npz", images=np.ones((2, 3, 4)), mask=np.ones((2, 3, 4), bool))
    with open_source(tmp_path / "a.npz") as source:
        assert source.read(1).min() == 1
