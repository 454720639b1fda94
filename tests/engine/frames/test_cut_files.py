"""Files that end early or hold something else: one sentence for people, what is whole is read."""

import h5py
import numpy as np
import pytest
from PIL import Image

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

FRAMES = np.random.default_rng(0).integers(0, 255, (8, 24, 32), np.uint8)


def cut(path, share=0.6):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


def animated(path, **options):
    first, *more = map(Image.fromarray, FRAMES)
    first.save(path, save_all=True, append_images=more, **options)
    return path


@pytest.mark.parametrize("name", ["a.gif", "a.apng"])
def test_an_animation_that_is_cut_has_its_whole_frames_and_says_so(tmp_path, name):
    options = {"format": "PNG"} if name == "a.apng" else {}
    with open_source(cut(animated(tmp_path / name, **options))) as source:
        assert 2 < source.n_frames < len(FRAMES)
        assert source.meta()["truncated"]
        source.read(source.n_frames - 1)


@pytest.mark.parametrize("name", ["a.gif", "a.apng"])
def test_a_whole_animation_says_nothing_of_an_end(tmp_path, name):
    options = {"format": "PNG"} if name == "a.apng" else {}
    with open_source(animated(tmp_path / name, **options)) as source:
        assert (source.n_frames, source.meta()["truncated"]) == (len(FRAMES), False)


def written_h5(path, **more):
    with h5py.File(path, "w") as file:
        one = file.create_dataset("frames", data=more.pop("data", FRAMES))
        one.attrs.update(more)
    return path


def test_an_hdf5_file_that_is_cut_says_how_much_is_there(tmp_path):
    whole = written_h5(tmp_path / "a.h5").stat().st_size
    with pytest.raises(FormatError, match=rf"cut off: {int(whole * 0.6)} of {whole} bytes"):
        open_source(cut(tmp_path / "a.h5"))


def test_an_archive_that_is_cut_is_refused_without_words_of_the_decoder(tmp_path):
    np.savez(tmp_path / "a.npz", frames=FRAMES)
    with pytest.raises(FormatError, match="the list of its contents is missing"):
        open_source(cut(tmp_path / "a.npz"))


@pytest.mark.parametrize("name", ["a.bmp", "a.pgm", "a.jp2", "a.webp"])
def test_an_image_that_is_cut_is_refused_without_words_of_the_decoder(tmp_path, name):
    Image.fromarray(FRAMES[0]).save(tmp_path / name)
    with pytest.raises(FormatError, match="its data end early or are damaged"):
        open_source(cut(tmp_path / name))


def test_what_an_hdf5_file_without_frames_holds_is_named(tmp_path):
    path = written_h5(tmp_path / "a.h5", data=FRAMES.astype(np.complex64))
    with pytest.raises(FormatError, match="frames is 8 x 24 x 32 of complex64"):
        open_source(path)


def test_a_rule_from_counts_to_values_is_said(tmp_path):
    path = written_h5(tmp_path / "a.h5", scale_factor=0.01, add_offset=-273.15, units="degC")
    with open_source(path) as source:
        assert source.meta()["warnings"] == [
            "It says that a value is 0.01 times the count plus -273.15 (degC); counts are read as "
            "they are stored."
        ]
