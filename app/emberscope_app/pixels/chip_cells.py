"""Image chips of a run as cells of a list."""

from emberscope.project import Run
from emberscope_app.lists.cells import Picture
from emberscope_app.pixels.chip_cache import chip_cache, chip_image
from emberscope_app.state.core.session import Session


def chip_cell(
    session: Session,
    run: Run,
    row: int,
    side: int,
    *,
    hovered: bool,
    does: object = None,
    before: int = 0,
) -> Picture:
    """The chip of one row of a run, `side` px; `hovered`: it is the one pointed at."""
    failed = int(run.source[row]) in chip_cache(session).errors
    image = chip_image(session, run, row, side)
    return Picture(
        image, failed=failed, ring="t2" if hovered else "", wide=side, does=does, before=before
    )
