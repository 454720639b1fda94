"""ENVI images."""

import numpy as np
import pytest

from emberscope.base.errors import FormatError
from emberscope.frames import open_source
from emberscope.frames.holdings import sources_at
from emberscope.project.exchange.sources import describe, has_changed

BANDS = np.arange(3 * 4 * 5).reshape(3, 4, 5)
ORDERS = {"bsq": (0, 1, 2), "bil": (1, 0, 2), "bip": (1, 2, 0)}
TYPES = {
    "1": "u1",
    "2": "i2",
    "3": "i4",
    "4": "f4",
    "5": "f8",
    "12": "u2",
    "13": "u4",
    "14": "i8",
    "15": "u8",
}


def envi(
    folder,
    *,
    interleave="bsq",
    kind="12",
    order="0",
    name="scene.img",
    header="scene.hdr",
    more="",
    before=0,
):
    numbers = BANDS.astype(("<" if order == "0" else ">") + TYPES[kind]).transpose(
        ORDERS[interleave]
    )
    (folder / name).write_bytes(bytes(before) + numbers.tobytes())
    (folder / header).write_text(
        f"ENVI\ndescription = {{\n  a scene = of\n  two lines}}\nsamples = 5\nlines   = 4\nbands = "
        "3\n"
        f"header offset = {before}\ndata type = {kind}\ninterleave = {interleave}\nbyte order = "
        f"{order}\n{more}\n"
    )
    return folder / header


@pytest.mark.parametrize("interleave", ORDERS)
@pytest.mark.parametrize("order", ["0", "1"])
@pytest.mark.parametrize("kind", TYPES)
def test_bands_are_frames_in_every_order_and_type(tmp_path, interleave, order, kind):
    with open_source(envi(tmp_path, interleave=interleave, order=order, kind=kind)) as source:
        np.testing.assert_array_equal(source.read_many(0, 3), BANDS)
        assert source.dtype == np.dtype(TYPES[kind])


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a.img", "a.hdr"),
        ("a.dat", "a.hdr"),
        ("a", "a.hdr"),
        ("a.img", "a.img.hdr"),
        ("a.b.bil", "a.b.hdr"),
        ("A.IMG", "A.HDR"),
    ],
)
def test_header_and_numbers_name_the_same_image(tmp_path, name, header):
    envi(tmp_path, name=name, header=header, before=7)
    for path in (tmp_path / name, tmp_path / header):
        with open_source(path) as source:
            np.testing.assert_array_equal(source.read(2), BANDS[2])


def test_a_folder_has_the_image_once(tmp_path):
    header = envi(tmp_path)
    assert [place.path for place in sources_at(tmp_path)] == [header]


def test_one_band_can_be_chosen_and_the_note_says_how(tmp_path):
    path = envi(
        tmp_path, more="band names = {MWIR, LWIR,\n visible}\nwavelength = {4.0, 10.0, 0.5}"
    )
    with open_source(path) as source:
        assert "--band" in source.warnings[0]
        assert "File > How this clip is read" in source.warnings[0]
    with open_source(path, band=2) as source:
        np.testing.assert_array_equal(source.read(0), BANDS[1])
        assert (source.n_frames, source.frame_meta(0)) == (
            1,
            {"band": "LWIR", "wavelength": "10.0"},
        )
    with pytest.raises(FormatError, match="bands 1 to 3, and no band 4"):
        open_source(path, band=4)


def test_what_it_marks_as_no_data_is_no_number(tmp_path):
    with open_source(envi(tmp_path, more="data ignore value = 7")) as source:
        assert np.isnan(source.read(0)[1, 2])
        assert np.isnan(source.read(0)).sum() == 1


def test_numbers_that_change_are_noticed_though_the_header_is_what_was_added(tmp_path):
    ref = describe(envi(tmp_path))
    assert not has_changed(ref)
    (tmp_path / "scene.img").write_bytes(bytes(3 * 4 * 5 * 2 + 2))
    assert has_changed(ref)


def test_an_image_that_ends_early_has_its_whole_bands(tmp_path):
    path = envi(tmp_path)
    (tmp_path / "scene.img").write_bytes((tmp_path / "scene.img").read_bytes()[:-1])
    with open_source(path) as source:
        assert (source.n_frames, source.truncated) == (2, True)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("samples = 5", "samples = 99999", "impossible"),
        ("samples = 5", "samples = many", "many for samples"),
        ("data type = 12", "data type = 6", "data type 6"),
        ("lines   = 4", "", "nothing for lines"),
        ("byte order = 0", "byte order = 0\nfile compression = 1", "packed"),
        ("interleave = bsq", "interleave = tile", "interleaved as tile"),
    ],
)
def test_a_header_that_cannot_be_read_says_what_is_wrong(tmp_path, old, new, what):
    path = envi(tmp_path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(FormatError, match=what):
        open_source(path)


def test_a_header_alone_says_what_is_missing(tmp_path):
    path = envi(tmp_path)
    (tmp_path / "scene.img").unlink()
    with pytest.raises(FormatError, match=r"no file of numbers.*scene\.img"):
        open_source(path)
