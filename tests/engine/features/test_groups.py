"""Features by what they look at."""

import msgspec
import pytest

from emberscope.features.extract import feature_names
from emberscope.features.groups import group_of
from emberscope.project import Recipe

KINDS = ("infrared", "hog", "statistics", "pixels", "hog+statistics", "hog-seed", "ehd")


@pytest.mark.parametrize("kind", KINDS)
def test_every_feature_has_a_group(kind):
    names = feature_names(msgspec.structs.replace(Recipe(method="pca").features, kind=kind))
    assert [name for name in names if group_of(name)[0] == "others"] == []


@pytest.mark.parametrize(("name", "group"), [
    ("edge cell 0,1 0 deg", ("edges", "vertical")),
    ("hog block 0,0 cell 0,1 80 deg", ("edges", "horizontal")),
    ("hog block 0,0 cell 0,0 157.5 deg", ("edges", "vertical")),
    ("ehd cell 0,3 diagonal", ("edges", "diagonal")),
    ("tile 0,3", ("tiles", "rim")), ("tile 4,3", ("tiles", "center")),
    ("spot 4/32 mean size", ("spots", "mean size")),
    ("hotter than 15 frames away", ("changes over time", "hotter")),
    ("lbp not uniform", ("texture", "all")),
])  # fmt: skip
def test_a_feature_goes_by_what_it_looks_at(name, group):
    assert group_of(name) == group


def test_a_feature_that_nobody_described_is_among_the_others():
    assert group_of("phase of the moon") == ("others", "all")
