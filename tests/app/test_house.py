"""The size of functions and classes of the application, read from their source."""

from pathlib import Path

import emberscope_app

from ..engine.test_house import too_large

ROOM = Path(emberscope_app.__file__).parent
LONGER = {"theme/sheet.py:style_sheet"}  # a table


def test_functions_and_classes_of_the_application_fit_on_a_page():
    found = {
        f"{path.relative_to(ROOM).as_posix()}:{name}"
        for path in sorted(ROOM.rglob("*.py")) for name in too_large(path.read_text(encoding="utf-8"))
    }  # fmt: skip
    assert found == LONGER
