"""The shape of functions of the application, and who takes what is private to others, read from their source."""

from pathlib import Path

import emberscope_app

from ..engine.test_house import taken_private, too_large, wide_functions

ROOM = Path(emberscope_app.__file__).parent
LONGER = {"theme/sheet.py:style_sheet"}  # a table
# What was there before this rule, and no more: a function that is mended leaves the list.
WIDE = {
    "latent_view/points/kernels_numpy.py:blend",
    "latent_view/points/kernels_numpy.py:project",
    "latent_view/points/kernels_numpy.py:splat",
    "latent_view/points/point_painter.py:draw",
    "theme/table.py:paint_words",
}


def test_functions_of_the_application_fit_on_a_page():
    found = {
        f"{path.relative_to(ROOM).as_posix()}:{name}"
        for path in sorted(ROOM.rglob("*.py")) for name in too_large(path.read_text(encoding="utf-8"))
    }  # fmt: skip
    assert found == LONGER


def test_functions_of_the_application_take_seven_parameters_at_most():
    assert wide_functions(ROOM) == WIDE


def test_no_module_of_the_application_takes_what_is_private_to_others():
    assert taken_private(ROOM) == {}
