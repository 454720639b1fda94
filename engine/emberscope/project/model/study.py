"""What a study asks: a recipe, and the values of the axes that it is run over."""

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from emberscope.base.errors import EmberscopeError, ProjectError
from emberscope.base.files import is_there, open_to_read
from emberscope.base.misfit import misfit_words
from emberscope.base.plain_text import make_showable

_LARGEST = 1 << 16  # bytes
MOST_CELLS = 100_000
SEED = "seed"
_HINT = "`emberscope study --help` shows a study."


class Study(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recipe over a grid.

    title : a question, as "How loose may I label?". score : the measure that cells are compared by
    (`findings.measures`); "" takes the first of the headline that they have. recipe : as in the
    file of a recipe; what it leaves out fits the labels of the project. axes : by name the values
    that are tried, as `emberscope study --help` lists them; the seed repeats a cell.

    Raises EmberscopeError for an axis without values and for too many cells.
    """

    title: str = ""
    score: str = ""
    recipe: dict[str, Any] = {}
    axes: dict[str, list[Any]]

    def __post_init__(self) -> None:
        make_showable(self, "title", "score")
        count = 1
        for name, values in self.axes.items():
            if not values:
                raise EmberscopeError(f"the axis {name} has no values",
                                      hint=f"Give some, as in {name} = [1, 2].")
            count *= len(values)
        if count > MOST_CELLS:
            raise EmberscopeError(f"the study has {count} cells",
                                  hint=f"Leave values out: {MOST_CELLS} are the most.")


def sample_studies() -> dict[str, Traversable]:
    """The studies that come along, by name."""
    folder = resources.files("emberscope_resources") / "studies"
    found = {entry.name.removesuffix(".toml"): entry for entry in folder.iterdir()
             if entry.name.endswith(".toml")}
    return dict(sorted(found.items()))


def read_study(path: str | Path) -> Study:
    """A study from a TOML file, or one that comes along where no file has that name. Raises
    ProjectError that names the field that is wrong."""
    file: Path | Traversable = Path(path)
    if not is_there(path):
        samples = sample_studies()
        if str(path) not in samples:
            raise ProjectError("there is no such study", where=str(path),
                               hint=f"Studies that come along: {', '.join(samples)}.")
        file = samples[str(path)]
    try:
        if isinstance(file, Path):
            with open_to_read(file) as opened:
                content = opened.read(_LARGEST + 1)
        else:
            content = file.read_bytes()
    except OSError as error:
        raise _unreadable(error.strerror or str(error), str(path)) from error
    return study_of(content, where=str(path))


def study_of(content: bytes, *, where: str) -> Study:
    """A study from TOML. where : it stands, for an error. Raises ProjectError."""
    if len(content) > _LARGEST:
        raise _unreadable(f"it has more than {_LARGEST >> 10} KiB, a study has a few lines", where)
    try:
        return msgspec.toml.decode(content, type=Study)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _unreadable(misfit_words(error), where) from error
    except EmberscopeError as error:
        raise ProjectError(error.what, where=where, hint=error.hint) from error


def _unreadable(why: str, where: str) -> ProjectError:
    return ProjectError(f"cannot read the study: {why}", where=where, hint=_HINT)
