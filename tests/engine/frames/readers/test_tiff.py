import struct
import zlib

import numpy as np
import pytest
import tifffile

from emberscope.base.errors import FormatError
from emberscope.frames import open_source

from ...peaks import peak_bytes

COUNTS = (np.arange(5 * 24 * 32).reshape(5, 24, 32) * 7).astype(np.uint16)
GRAY = (COUNTS % 251).astype(np.uint8)


def opened(tmp_path, data, **options):
    options.setdefault("photometric", "minisblack")
    tifffile.imwrite(tmp_path / "a.tif", data, **options)
    return open_source(tmp_path / "a.tif")


@pytest.mark.parametrize(
    "options",
    [
        {}, {"byteorder": ">"}, {"bigtiff": True}, {"compression": "zlib"}, {"compression": "lzw"},
        {"compression": "zlib", "predictor": True}, {"tile": (16, 16)}, {"rowsperstrip": 5},
        {"imagej": True},
        {"metadata": None}, {"compression": "zstd", "tile": (16, 16), "bigtiff": True},
    ],
    ids=str,
)  # fmt: skip
def test_every_way_to_store_pages_gives_the_same_frames(tmp_path, options):
    with opened(tmp_path, COUNTS, **options) as source:
        np.testing.assert_array_equal(source.read_many(0, 5), COUNTS)


@pytest.mark.parametrize("dtype", ["u1", "u2", "i2", "u4", "f4", "f8"])
def test_the_sample_type_stays(tmp_path, dtype):
    with opened(tmp_path, COUNTS.astype(dtype)) as source:
        assert source.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(source.read(4), COUNTS[4].astype(dtype))


def test_half_floats_become_floats(tmp_path):
    with opened(tmp_path, (GRAY / 4).astype("f2")) as source:
        assert source.dtype == np.float32
        np.testing.assert_array_equal(source.read(1), GRAY[1] / 4)


def test_one_bit_becomes_black_and_white(tmp_path):
    with opened(tmp_path, GRAY > 100) as source:
        np.testing.assert_array_equal(source.read(2), (GRAY[2] > 100) * np.uint8(255))


@pytest.mark.parametrize("planar", ["contig", "separate"])
def test_color_pages_become_luminance(tmp_path, planar):
    axis = -1 if planar == "contig" else 1
    color = np.stack([GRAY, GRAY // 2, GRAY // 3], axis=axis)
    with opened(tmp_path, color, photometric="rgb", planarconfig=planar) as source:
        expected = np.rint(
            np.stack([GRAY, GRAY // 2, GRAY // 3], axis=-1) @ np.array([0.299, 0.587, 0.114])
        )
        np.testing.assert_array_equal(source.read_many(0, 5), expected)
        assert (source.units, "not radiometric" in source.warnings[0]) == ("display8", True)


def test_a_palette_is_resolved(tmp_path):
    colormap = np.repeat((np.arange(256, dtype=np.uint16) * 256)[None, ::-1], 3, axis=0)
    with opened(tmp_path, GRAY[0], photometric="palette", colormap=colormap) as source:
        np.testing.assert_array_equal(source.read(0), 255 - GRAY[0])


def test_pages_written_one_by_one_are_one_source(tmp_path):
    with tifffile.TiffWriter(tmp_path / "a.tif") as writer:
        for frame in COUNTS:
            writer.write(frame)
    with open_source(tmp_path / "a.tif") as source:
        np.testing.assert_array_equal(source.read_many(0, 5), COUNTS)


def test_pages_of_another_size_are_left_out_with_a_warning(tmp_path):
    with tifffile.TiffWriter(tmp_path / "a.tif") as writer:
        writer.write(COUNTS, photometric="minisblack")
        writer.write(COUNTS[0, :8], photometric="minisblack")
    with open_source(tmp_path / "a.tif") as source:
        assert (source.n_frames, source.shape) == (5, (24, 32))
        assert source.warnings == [
            "It holds 1 more image series of another size or type, which are left out."
        ]


def cut(tmp_path, *, page, extra, **options):
    """A file of 5 pages that ends `extra` bytes into the pixels of a page."""
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, COUNTS, photometric="minisblack", **options)
    with tifffile.TiffFile(path) as file:
        start = file.pages[page].dataoffsets[0]
    path.write_bytes(path.read_bytes()[: start + extra])
    return path


@pytest.mark.parametrize("options", [{}, {"byteorder": ">"}, {"bigtiff": True}], ids=str)
def test_mapped_pages_cut_short_keep_the_whole_frames(tmp_path, options):
    with open_source(cut(tmp_path, page=3, extra=50, **options)) as source:
        assert source.warnings == ["It ends after frame 3 of 5; the first 3 frames can be used."]
        np.testing.assert_array_equal(source.read_many(0, 3), COUNTS[:3])


@pytest.mark.parametrize(
    "options", [{"metadata": None}, {"imagej": True}, {"compression": "zlib"}], ids=str
)
def test_other_pages_cut_short_keep_whole_frames_and_say_so(tmp_path, options):
    with open_source(cut(tmp_path, page=3, extra=4, **options)) as source:
        assert source.truncated
        assert len(source.warnings) == 1
        np.testing.assert_array_equal(
            source.read_many(0, source.n_frames), COUNTS[: source.n_frames]
        )


def test_a_circle_of_pages_is_refused_at_once(tmp_path):
    step = 2 + 4
    directories = b"".join(struct.pack("<HI", 0, 8 + step * ((i + 1) % 150)) for i in range(150))
    (tmp_path / "a.tif").write_bytes(b"II*\0" + struct.pack("<I", 8) + directories)
    with pytest.raises(FormatError, match="runs in a circle after 150 pages"):
        open_source(tmp_path / "a.tif")


def test_complex_values_are_refused(tmp_path):
    with pytest.raises(FormatError, match="not plain numbers"):
        opened(tmp_path, COUNTS.astype("c8"))


def test_a_tiff_named_png_opens_with_a_warning(tmp_path):
    tifffile.imwrite(tmp_path / "a.png", COUNTS[0], photometric="minisblack")
    with open_source(tmp_path / "a.png") as source:
        assert source.format == "tiff"
        assert source.meta()["warnings"] == ["It is a TIFF file, although its name ends in .png."]


def test_a_page_of_gigabytes_in_a_small_file_is_refused(tmp_path):
    strip = zlib.compress(b"\0" * 1000)
    tifffile.imwrite(
        tmp_path / "a.tif",
        iter([strip]),
        shape=(40000, 40000),
        dtype=np.uint8,
        compression="zlib",
        rowsperstrip=40000,
        photometric="minisblack",
    )
    with pytest.raises(
        FormatError, match=r"a frame of 1525 MiB in a file of \d+ bytes is not believed"
    ):
        open_source(tmp_path / "a.tif")


def test_a_page_in_the_middle_that_promises_gigabytes_is_refused_and_the_others_are_read(tmp_path):
    opened(tmp_path, COUNTS, compression="zlib").close()
    with tifffile.TiffFile(tmp_path / "a.tif", mode="r+") as file:
        file.pages[2].tags["StripByteCounts"].overwrite((2**31,))
    source = open_source(tmp_path / "a.tif")
    with pytest.raises(FormatError, match="frame 3 lies beyond the end of the file"):
        source.read(2)
    np.testing.assert_array_equal(source.read(3), COUNTS[3])


def test_planes_that_only_metadata_know_of_take_no_memory(tmp_path):
    sizes = (
        'DimensionOrder="XYCZT" SizeX="32" SizeY="24" SizeC="1" SizeZ="1" SizeT="3000000" '
        'Type="uint8"'
    )
    ome = "http://www.openmicroscopy.org/Schemas/OME/2016-06"
    pixels = f'<Image ID="I:0"><Pixels ID="P:0" {sizes}><TiffData/></Pixels></Image>'
    text = f'<?xml version="1.0"?><OME xmlns="{ome}">{pixels}</OME>'
    tifffile.imwrite(tmp_path / "a.ome.tif", GRAY[0], description=text, metadata=None)
    assert peak_bytes(lambda: open_source(tmp_path / "a.ome.tif").close()) < 4 << 20


def test_an_index_beside_it_makes_it_read_no_other_file(tmp_path):
    """A set of files of Micro-Manager names them in an index, by any path."""
    (tmp_path / "mail").mkdir()
    secret, mine = tmp_path / "secret.tif", tmp_path / "mail" / "mine.tif"
    tifffile.imwrite(secret, np.full((8, 8), 7, np.uint8))
    pixels, text = bytes(64), b"{}"
    head = b"II*\0" + struct.pack("<IIIII", 96, 483729, 2, 2355492, 2) + b"{}"
    tags = [
        (256, 4, 8),
        (257, 4, 8),
        (258, 3, 8),
        (259, 3, 1),
        (262, 3, 1),
        (273, 4, 26),
        (277, 3, 1),
        (279, 4, 64),
        (51123, 2, 90),
    ]
    pages = struct.pack("<H", len(tags)) + b"".join(
        struct.pack("<HHII", code, kind, 2 if kind == 2 else 1, value) for code, kind, value in tags
    )
    mine.write_bytes((head + pixels + text).ljust(96, b"\0") + pages + bytes(4))
    name, axes = str(secret).encode(), b'{"time": 0}'
    index = struct.pack("<I", len(axes)) + axes + struct.pack("<I", len(name)) + name
    at = secret.read_bytes().find(b"\7" * 64)
    (tmp_path / "mail" / "\x4eDTiff.index").write_bytes(
        index + struct.pack("<IiiiiIii", at, 8, 8, 0, 0, 0, 0, 0)
    )
    with open_source(mine) as source:
        assert not source.read(0).any()


# --- what is a frame, and what a count

BANDS = np.stack([GRAY[0], GRAY[1], GRAY[2], GRAY[3], GRAY[4]], axis=-1)


@pytest.mark.parametrize("compression", [None, "lzw"])
@pytest.mark.parametrize(
    ("dtype", "read_as"), [("u1", "f4"), ("u2", "f4"), ("i4", "f8"), ("f4", "f4"), ("f8", "f8")]
)
def test_pixels_that_a_tiff_marks_as_no_data_are_nan(tmp_path, dtype, read_as, compression):
    counts = np.full((2, 4, 6), 40, dtype)
    counts[1, 2, 3:] = 7
    mark = (42113, "s", 2, "7", True)
    with opened(
        tmp_path, counts, extratags=[mark], metadata=None, compression=compression
    ) as source:
        assert source.dtype == np.dtype(read_as)
        np.testing.assert_array_equal(np.isnan(source.read(1)), counts[1] == 7)
        assert np.nanmax(source.read(1)) == 40
        assert any(
            'as "no data": such pixels are read as NaN' in said
            for said in source.meta()["warnings"]
        )


@pytest.mark.parametrize("mark", ["-9999", "nan", "none", "0.5", "1e300"])
def test_a_mark_that_no_count_can_be_changes_nothing(tmp_path, mark):
    tag = (42113, "s", len(mark) + 1, mark, True)
    with opened(tmp_path, COUNTS[0], extratags=[tag], metadata=None) as source:
        assert source.meta()["warnings"] == []
        np.testing.assert_array_equal(source.read(0), COUNTS[0])


@pytest.mark.parametrize("small", [GRAY[0, ::4, ::4], COUNTS[0, ::4, ::4]], ids=["8 bit", "16 bit"])
def test_a_preview_before_the_image_is_no_frame(tmp_path, small):
    with tifffile.TiffWriter(tmp_path / "a.tif") as out:
        out.write(small, subfiletype=1, photometric="minisblack", metadata=None)
        out.write(COUNTS[0], photometric="minisblack", metadata=None)
    with open_source(tmp_path / "a.tif") as source:
        np.testing.assert_array_equal(source.read(0), COUNTS[0])
        assert source.meta()["warnings"] == ["1 preview is left out."]


@pytest.mark.parametrize("planar", ["contig", "separate"])
@pytest.mark.parametrize("bands", [2, 5])
def test_of_several_bands_the_first_is_read_and_another_can_be_chosen(tmp_path, bands, planar):
    image = (
        BANDS[..., :bands]
        if planar == "contig"
        else np.ascontiguousarray(np.moveaxis(BANDS[..., :bands], -1, 0))
    )
    how = {"planarconfig": planar, "extrasamples": ["unspecified"] * (bands - 1), "metadata": None}
    with opened(tmp_path, image, **how) as source:
        np.testing.assert_array_equal(source.read(0), GRAY[0])
        assert (
            f"It has {bands} bands: band 1 is read, the others are left out"
            in source.meta()["warnings"][0]
        )
    with open_source(tmp_path / "a.tif", band=bands) as source:
        np.testing.assert_array_equal(source.read(0), GRAY[bands - 1])


@pytest.mark.parametrize("bands", [4, 5])
def test_bands_beside_color_are_named_and_can_be_chosen(tmp_path, bands):
    how = {"photometric": "rgb", "extrasamples": ["unspecified"] * (bands - 3), "metadata": None}
    with opened(tmp_path, BANDS[..., :bands], **how) as source:
        assert source.meta()["warnings"][0].startswith(
            f"It has {bands} bands: color, from bands 1 to 3, is read"
        )
    with open_source(tmp_path / "a.tif", band=bands) as source:
        assert source.units == "counts"
        np.testing.assert_array_equal(source.read(0), GRAY[bands - 1])


def test_opacity_is_no_band_that_is_left_out(tmp_path):
    with opened(tmp_path, BANDS[..., :2], extrasamples=["unassalpha"], metadata=None) as source:
        assert source.meta()["warnings"] == []


def test_a_band_that_is_not_there_is_refused(tmp_path):
    opened(tmp_path, GRAY).close()
    with pytest.raises(FormatError, match="it has 1 band, and no band 2"):
        open_source(tmp_path / "a.tif", band=2)


@pytest.mark.parametrize(
    "counts", [GRAY[0], COUNTS[0], GRAY[0] > 100], ids=["8 bit", "16 bit", "1 bit"]
)
def test_where_zero_is_white_counts_stay_as_stored_and_a_note_says_so(tmp_path, counts):
    with opened(tmp_path, counts, photometric="miniswhite", metadata=None) as source:
        np.testing.assert_array_equal(
            source.read(0), counts * np.uint8(255) if counts.dtype == bool else counts
        )
        assert source.meta()["warnings"][0].startswith(
            "It says that 0 is white; counts are read as stored"
        )


def test_a_palette_of_two_colors_is_resolved(tmp_path):
    entries = [
        (256, 3, 1, 8),
        (257, 3, 1, 2),
        (258, 3, 1, 1),
        (259, 3, 1, 1),
        (262, 3, 1, 3),
        (273, 4, 1, 8),
        (277, 3, 1, 1),
        (278, 3, 1, 2),
        (279, 4, 1, 2),
        (320, 3, 6, 10),
    ]
    data = struct.pack("<2sHI2B6H", b"II", 42, 22, 0b00001111, 0, *[20 * 257, 220 * 257] * 3)
    data += struct.pack("<H", len(entries)) + b"".join(
        struct.pack("<HHII", *entry) for entry in entries
    )
    (tmp_path / "a.tif").write_bytes(data + bytes(4))
    with open_source(tmp_path / "a.tif") as source:
        np.testing.assert_array_equal(source.read(0), [[20] * 4 + [220] * 4, [20] * 8])


@pytest.mark.parametrize("form", ["imagej", "ome"])
def test_pages_of_several_channels_are_said_to_be_such(tmp_path, form):
    frames = np.arange(2 * 2 * 8 * 9, dtype=np.uint16).reshape(2, 2, 8, 9)
    options = {form: True, "metadata": {"axes": "TCYX"}, "photometric": "minisblack"}
    tifffile.imwrite(tmp_path / "a.tif", frames, **options)
    with open_source(tmp_path / "a.tif") as source:
        assert any("2 channels in turn" in note for note in source.meta()["warnings"])
