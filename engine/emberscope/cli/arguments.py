"""Arguments that several commands share."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emberscope.base.errors import EmberscopeError

if TYPE_CHECKING:
    from emberscope.project import Project, Run

USAGE = 2  # exit code of wrong usage
_LARGEST_SEED = 2**31 - 1


def add_points(parser: argparse.ArgumentParser) -> None:
    """Options of a command that reads a point set: input, settings, seed, JSON."""
    parser.add_argument(
        "input", type=Path, metavar="IN.npz", help="a point set, or a public benchmark of bags"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="k=v", help="a parameter; classify: or k=auto"
    )
    add_seed(parser)
    add_json(parser)


def add_conversion(parser: argparse._ActionsContainer) -> None:
    """Options of a command that makes one vector of each bag."""
    variants = ["global", "mixed", "per-bag", "aligned", "concepts"]
    own = (
        "global: one map for all bags; per-bag: a map of its own for each, as in the source; "
        "concepts: distances to target concepts"
    )
    parser.add_argument("--variant", choices=variants, default="global", help=own)
    parser.add_argument(
        "--projection",
        choices=["pole", "lpp", "pca"],
        default="pole",
        help="what the map is learned by [pole]",
    )
    length = "length of a vector [10, or as many as there are features]"
    parser.add_argument("--dimensions", type=whole(1, 512), default=None, metavar="r", help=length)
    what = (
        "with --variant concepts: features=nearest or a parameter of fcmi, for example n_concepts=5"
    )
    parser.add_argument("--set", action="append", default=[], metavar="k=v", help=what)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """The option `--seed`, by default 0."""
    seed = whole(0, _LARGEST_SEED)
    parser.add_argument(
        "--seed", type=seed, default=0, metavar="S", help="same seed, same result [0]"
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Options that say how the frames of a source are read."""
    parser.add_argument(
        "--axis", type=whole(0, 3), metavar="N", help="axis of an array that counts frames, from 0"
    )
    swapped = "arrays of HDF5 that h5write of MATLAB wrote, whose rows and columns are swapped"
    parser.add_argument("--columns-first", action="store_true", default=None, help=swapped)
    parser.add_argument("--band", type=whole(1), metavar="N", help="one band of several, from 1")
    lies = (
        "how frames lie in a file of raw binary: WIDTHxHEIGHT,TYPE[,big][,offset=BYTES]; auto: "
        "as they are guessed"
    )
    parser.add_argument("--raw", metavar="LAYOUT", help=lies)
    units = (
        "what frames are read as, by the calibration of their file; of a table without units "
        "what its numbers are"
    )
    parser.add_argument("--units", choices=["counts", "degC", "K", "degF"], help=units)
    known = (
        "an object parameter in place of that in the file: emissivity, reflected, distance, "
        "air, humidity, window, transmission; temperatures in degC, distance in m, the others "
        "from 0 to 1"
    )
    parser.add_argument("--set-object", action="append", default=[], metavar="k=v", help=known)


def reading_options(a: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_reading` as readers take them. Raises EmberscopeError for a parameter
    that is none."""
    from emberscope.frames.radiometry import check_scene

    given = {"axis": a.axis, "band": a.band, "units": a.units, "raw": a.raw,
             "columns_first": a.columns_first}
    scene = check_scene(settings(a.set_object, option="--set-object", example="emissivity=0.95"))
    return {name: value for name, value in given.items() if value is not None} | scene


def reading_flags(a: argparse.Namespace) -> list[str]:
    """Those of the options of `add_reading` that were given, as they are written."""
    given = {"--axis": a.axis, "--band": a.band, "--raw": a.raw, "--units": a.units,
             "--columns-first": a.columns_first}
    given["--set-object"] = a.set_object or None
    return [name for name, value in given.items() if value is not None]


def add_read_sources(parser: argparse.ArgumentParser) -> None:
    """The option `--read-sources` of a command that opens a project."""
    what = ("read sources and networks outside of the folder of a project from elsewhere, now and "
            "later")
    parser.add_argument("--read-sources", action="store_true", help=what)


def ends(words: str) -> tuple[int, int]:
    """Two row numbers, "3:17". Raises EmberscopeError for other words."""
    first, colon, second = words.partition(":")
    if not (colon and all(end.isdecimal() and len(end) < 10 for end in (first, second))):
        raise EmberscopeError(f"{words!r} is no way", hint="Write two rows of X, as --way 3:17.")
    return int(first), int(second)


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option `--json` of a command that has something to print."""
    parser.add_argument("--json", action="store_true", help="for machines")


def settings(
    pairs: list[str], *, option: str = "--set", example: str = "n_components=3"
) -> dict[str, str]:
    """Values of `--set k=v` by key, as text. Raises EmberscopeError for a pair without key or
    equals sign."""
    settings = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise EmberscopeError(
                f"{option} {pair} is not k=v", hint=f"For example {option} {example}."
            )
        settings[key.strip()] = value
    return settings


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Reads a whole number of a range; argparse says what is wrong with any other text."""
    allowed = f"{low} or more" if high is None else f"from {low} to {high}"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if value < low or (high is not None and value > high):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, {allowed}")
        return value

    return read


def run_of(project: "Project", number: int, path: Path) -> "Run":
    """A run of a project by its number. Raises EmberscopeError, naming those there are."""
    if number not in project.runs:
        known = ", ".join(map(str, sorted(project.runs))) or "none"
        hint = f"Its runs: {known}."
        raise EmberscopeError(f"there is no run {number}", where=str(path), hint=hint)
    return project.runs[number]


def run_asked(
    project: "Project", path: Path, number: int | None, usual: int | None = None
) -> "Run":
    """The run of a project that `--run` asks for; else the usual one, or the last one.

    Raises EmberscopeError where there is no such run.
    """
    if not project.runs:
        raise EmberscopeError("the project has no run", where=str(path),
                              hint="Make one: `emberscope run --project P`.")
    wanted = number if number is not None else usual
    return run_of(project, max(project.runs) if wanted is None else wanted, path)
