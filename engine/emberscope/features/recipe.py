"""Which features to extract, as data."""

from typing import Annotated, Literal

import msgspec

_Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]


class FeatureRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of `features.extract.extract`.

    kind : "hog" (compact, 324-D at 32 px), "hog-seed" (510 x 720 chip, 11160-D), "statistics"
        (intensity and texture), "pixels" (normalized pixels), "hog+statistics", "infrared" (edges,
        levels and spots relative to the surround, statistics, and what is new at its place: 289-D),
        "ehd" (shares of edges by direction: 80-D), "cnn" (what a network in a file says), "values"
        (the rows of a point set as they are).
    chip : int, px. Side of the square every support is resampled to ("hog-seed" fixes its own
    size).
    low, high : percentiles of the frame clip; the MAD normalization follows. "infrared" is not
        clipped: a hot target is what it looks for.
    keep_aspect : bool. Pad the support to a square before resampling instead of stretching it.
    file : of "cnn", path of a network in ONNX. output : name of the output, or of a value inside,
        that is taken; "" the first output. mean, std : what is subtracted from chips of 0 to 1, and
        what they are divided by, one number or one per channel; () what the file says, else those
        of ImageNet for three channels and 0 and 1 for one. content : hash of the file, filled in by
        a run; another file is refused then.
    units : "counts", as the camera measured them, in whatever units a source is shown; "source", as
        the project reads each source, which may be temperatures.
    width : of "values", how many features a row has.
    bands : 0, features of frames as they are shown; else features of each of the first so many
        bands (colors, or channels of a camera), side by side. Not of "values".
    """

    kind: Literal["hog", "hog-seed", "statistics", "pixels", "hog+statistics", "infrared",
                  "ehd", "cnn", "values"] = "hog"
    chip: Annotated[int, msgspec.Meta(ge=1, lt=2**31)] = 32
    low: _Percent = 0.5
    high: _Percent = 98.0
    keep_aspect: bool = True
    units: Literal["counts", "source"] = "counts"
    file: str = ""
    output: str = ""
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    content: str = ""
    width: Annotated[int, msgspec.Meta(ge=0, lt=2**31)] = 0
    bands: Annotated[int, msgspec.Meta(ge=0, le=64)] = 0

    @property
    def of_one_band(self) -> "FeatureRecipe":
        """The same features of one image."""
        return msgspec.structs.replace(self, bands=0)

    @property
    def is_chip(self) -> bool:
        """Whether a row is the pixels of one chip: it can be shown as such, and shifted."""
        return self.kind == "pixels" and self.bands <= 1

    @property
    def sees(self) -> float:
        """How much wider than an instance its features look."""
        return 2.0 if self.kind == "infrared" else 1.0
