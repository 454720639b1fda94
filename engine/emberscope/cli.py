"""The commands of `emberscope`. Each one parses, calls the engine, prints; the science is elsewhere."""

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emberscope import __version__
from emberscope.base.errors import Cancelled, EmberscopeError, FormatError, in_words
from emberscope.base.folders import find_compiled_code
from emberscope.base.threads import SLEEP_WHILE_WAITING
from emberscope.console import ConsoleMonitor, TableRows, complain, print_table, say

if TYPE_CHECKING:
    from emberscope.reproduction.tables import Line, Table

USAGE = 2
_LARGEST_SEED = 2**31 - 1
_RECIPE = """\
A recipe file holds what differs from the defaults, for example:

  method = "mi-umap"         # see `emberscope methods`
  reduce = 0                 # principal components first; 0 keeps all features
  seed = 0
  [bags]
  level = "instance"         # or "chip": one instance per label
  patch = 32
  stride = 16
  also = [64]                # sides of further patches, for targets that differ in size
  [features]
  kind = "infrared"          # or "hog", "statistics", "pixels", "hog+statistics", "hog-seed"
  [params]                   # of the method: `emberscope methods mi-umap`
  n_components = 3
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 1 failed, 2 wrong usage."""
    argv = list(sys.argv[1:] if argv is None else argv)
    find_compiled_code()
    for name, value in SLEEP_WHILE_WAITING.items():  # as in the worker
        os.environ.setdefault(name, value)
    commands = _commands()
    if not argv or argv[0] not in (*commands, "-h", "--help", "--version"):
        return _open_app(argv, commands)
    arguments = _parser(commands).parse_args(argv)
    try:
        code = arguments.call(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever reads the pipe has seen enough; nothing must be written at exit any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (Cancelled, KeyboardInterrupt):
        complain("stopped.")
        return 1
    except Exception as error:
        if arguments.debug:
            raise
        defect = f"this is a defect: {type(error).__name__}: {error}. Run again with --debug and report it."
        complain(in_words(error) or defect)
        return 1


def _commands() -> dict[str, Callable[[argparse.ArgumentParser], None]]:
    return {
        "demo": _add_demo, "methods": _add_methods, "doctor": _add_doctor, "info": _add_info, "embed": _add_embed,
        "classify": _add_classify, "convert": _add_convert, "reproduce": _add_reproduce, "import": _add_import,
        "export": _add_export, "run": _add_run,
    }


def _parser(commands: dict[str, Callable[[argparse.ArgumentParser], None]]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="emberscope",
        description="Label infrared imagery loosely, see the manifold. Without a command: the desktop application.",
    )
    parser.add_argument("--version", action="version", version=f"emberscope {__version__}")
    rows = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, add in commands.items():
        sub = rows.add_parser(name, help=add.__doc__, description=add.__doc__)
        sub.add_argument("--debug", action="store_true", help="show the traceback of an error")
        add(sub)
    return parser


def _open_app(argv: list[str], commands: Collection[str]) -> int:
    if argv and not argv[0].startswith("-") and not Path(argv[0]).exists():
        complain(f"{argv[0]} is neither a command nor a file. Commands: {', '.join(commands)}.")
        return USAGE
    return _app(argv)


def _app(argv: list[str]) -> int:
    if not _has_display():
        complain("there is no display to open the window on. Set DISPLAY, or use a command: emberscope --help.")
        return 1
    try:
        from emberscope_app.main import main as app_main
    except ImportError as error:
        complain(f"the desktop application is not installed here: {error}.")
        return 1
    return app_main(argv)


def _has_display() -> bool:
    """Whether a window can be shown, or Qt was told to draw it elsewhere."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in names)


# --- demo ------------------------------------------------------------------------------------------------------------


def _add_demo(parser: argparse.ArgumentParser) -> None:
    """the generated range scene with truth, whole loop"""
    parser.add_argument("--headless", action="store_true", help="no window: write a project, pictures and report.html")
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help="folder to write to [emberscope-demo]")
    _add_seed(parser)
    parser.set_defaults(call=_demo)


def _demo(a: argparse.Namespace) -> int:
    from emberscope.demo import make_demo, run_demo

    out = a.out or Path("emberscope-demo")
    if a.headless or not _has_display():
        with ConsoleMonitor("Demo") as monitor:
            written = run_demo(out, seed=a.seed, monitor=monitor)
        for path in written:
            say(str(path))
        return 0
    with ConsoleMonitor("Preparing the range scene") as monitor:
        project = make_demo(out, seed=a.seed, monitor=monitor)
    return _app([str(project)])


# --- methods, doctor, info -------------------------------------------------------------------------------------------


def _add_methods(parser: argparse.ArgumentParser) -> None:
    """the catalogue of methods"""
    parser.add_argument("id", nargs="?", help="show the parameters of one method")
    _add_json(parser)
    parser.set_defaults(call=_methods)


def _methods(a: argparse.Namespace) -> int:
    from emberscope import catalogue

    if a.id is not None:
        return _one_method(a.id, as_json=a.json)
    if a.json:
        _print_json(catalogue.describe())
        return 0
    rows = [[row.id, row.title, row.family, row.needs, row.summary] for row in catalogue.METHODS]
    print_table(["id", "title", "family", "labels", "what it does"], rows)
    return 0


def _one_method(name: str, *, as_json: bool) -> int:
    from emberscope import catalogue

    row, params = catalogue.method(name), catalogue.load(name).params
    if as_json:
        _print_json(next(entry for entry in catalogue.describe() if entry["id"] == name))
        return 0
    say(f"{row.id}: {row.title}\n{row.summary}\nReferences: {'; '.join(row.references)}\n")
    head = ["parameter", "default", "range", "unit", "meaning"]
    cells = [[p.name, "auto" if p.default is None else str(p.default), p.range_text, p.unit, p.help] for p in params]
    if any(p.grid for p in params):  # what `emberscope classify --set k=auto` chooses among
        head.insert(3, "tried")
        for cell, p in zip(cells, params, strict=True):
            cell.insert(3, ", ".join(str(value) for value in p.grid))
    print_table(head, cells)
    return 0


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    """versions, OpenGL, caches, threads"""
    _add_json(parser)
    parser.set_defaults(call=_doctor)


def _doctor(a: argparse.Namespace) -> int:
    from emberscope.doctor import examine

    found = examine()
    if a.json:
        _print_json(found)
    else:
        print_table(["what", "found"], [[key, str(value)] for key, value in found.items()])
    return 0


def _add_info(parser: argparse.ArgumentParser) -> None:
    """what a source, a project or a point set holds"""
    parser.add_argument("path", type=Path)
    best = "of a project: also what a classifier that knows every target reaches on the features of the next run"
    parser.add_argument("--ceiling", action="store_true", help=best)
    _add_json(parser)
    parser.set_defaults(call=_info)


def _info(a: argparse.Namespace) -> int:
    from emberscope.datasets.matlab_bags import matlab_facts
    from emberscope.datasets.points import is_point_set, read_points
    from emberscope.datasets.way_out import way_out
    from emberscope.frames.registry import UNKNOWN_FILE
    from emberscope.project.describe import describe_path

    if a.ceiling and a.path.suffix != ".ember":
        raise EmberscopeError(f"{a.path} is no project", hint="A ceiling needs labels that know their targets.")
    frames_inside = _holds_frames(a.path)
    if not frames_inside and is_point_set(a.path):
        from emberscope.point_tasks import describe_points

        with ConsoleMonitor("Neighbors") as monitor:
            found = describe_points(read_points(a.path), monitor=monitor)
        _report(found, as_json=a.json)
        return 0
    if not frames_inside and (facts := matlab_facts(a.path)) is not None:
        _report(facts, as_json=a.json)
        return 0
    try:
        with ConsoleMonitor("Frames") as monitor:
            found = describe_path(a.path, monitor=monitor)
    except FormatError as error:
        if error.what != UNKNOWN_FILE:
            raise
        raise FormatError(str(a.path), None, error.what, f"{error.hint} A set of bags? {way_out(a.path)[1]}") from error
    odd = [finding["text"] for finding in found.get("quality", {}).get("findings", ())]
    for warning in (*found.get("warnings", ()), *odd):
        complain(f"{a.path}: {warning}")
    if a.ceiling:
        found |= _ceiling_of(a.path)
    if a.json:
        _report(found, as_json=True)
        return 0
    said = ("meta", "warnings", "quality", "missing", "changed", "runs", "fitting sizes", "ceiling", "holds")
    shown = {key: value for key, value in found.items() if key not in said}
    if found["kind"] == "project":
        shown |= {"runs": len(found["runs"]), "patches": found["fitting sizes"]["why"]}
    _report(shown, as_json=False)
    if found.get("holds"):
        keys = ("source", "format", "frames", "rows", "cols")
        print_table(list(keys), [[str(held[key]) for key in keys] for held in found["holds"]])
    if found.get("runs"):
        _print_runs(found["runs"])
    if found.get("ceiling"):
        _print_ceiling(found["ceiling"])
    return 0


def _holds_frames(path: Path) -> bool:
    """Whether a path is a folder with frames in it, whatever lies beside them."""
    from emberscope.frames.holdings import sources_at

    try:
        return path.is_dir() and bool(sources_at(path))
    except FormatError:
        return False


def _ceiling_of(path: Path) -> dict[str, Any]:
    """The ceiling of the sources of a project, and what the next run would look at."""
    from emberscope.catalogue.usual import usual_recipe
    from emberscope.pipeline.ceiling import ceilings
    from emberscope.project.differs import data_words
    from emberscope.project.file import load

    project = load(path)
    recipe = project.recipe if "recipe" in project.settings else usual_recipe(project)[0]
    with ConsoleMonitor("Ceiling") as monitor:
        rows, notes = ceilings(project, recipe, monitor=monitor)
    return {"ceiling": rows, "ceiling of": data_words(recipe), "notes": notes}


def _print_ceiling(rows: list[dict[str, Any]]) -> None:
    from emberscope.project.headline import with_interval

    shown = {"pointing": "pointing at best", "pointing_chance": "chance", "auc": "AUC inside bags",
             "balanced": "balanced accuracy"}
    print_table(["source", *shown.values(), "bags", "instances"], [
        [row["source"], *(with_interval(row, name) or "\u2013" for name in shown), str(row["bags"]),
         str(row["instances"])]
        for row in rows
    ])  # fmt: skip


def _print_runs(runs: list[dict[str, Any]]) -> None:
    """A line per run, with the numbers that tell runs apart; all of them are under --json."""
    from emberscope.project.headline import with_interval

    shown = {"method_bag_auc": "held-out bag AUC", "witness_found": "witness found", "trustworthiness": "trust"}
    rows = [
        [str(run["id"]), run["method"], run["data"], _since(run), str(run["instances"]),
         str(run["bags"]), *(with_interval(run["metrics"], name) or "\u2013" for name in shown),
         run["created"][:16].replace("T", " ")]
        for run in runs
    ]
    print_table(["run", "method", "data", "differs in", "instances", "bags", *shown.values(), "created"], rows)


def _since(run: dict[str, Any]) -> str:
    """What differs from the run before, and marks that the run does not know."""
    marks = run["marks since"]
    since = [f"{marks} mark{'s' * (marks != 1)} since"] if marks else []
    return ", ".join([*run["differs"], *since]) or "\u2013"


# --- embed, classify -------------------------------------------------------------------------------------------------


def _add_embed(parser: argparse.ArgumentParser) -> None:
    """coordinates of a point set: IN.npz with X and optionally y, bag, bag_y, X_new"""
    _add_points(parser)
    parser.add_argument("--method", required=True, metavar="ID", help="see `emberscope methods`")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.npz")
    more = "fit twice more to see how far instances move with the seed or the number of neighbors"
    parser.add_argument("--spread", action="store_true", help=more)
    held = "fit once more per fold of the bags to see how well bags are told apart that were not seen"
    parser.add_argument("--held-out", action="store_true", help=held)
    alone = "learn from labels of bags alone; labels of instances (y) only judge"
    parser.add_argument("--bags-only", action="store_true", help=alone)
    parser.set_defaults(call=_embed)


def _embed(a: argparse.Namespace) -> int:
    from emberscope.datasets.points import read_points
    from emberscope.point_tasks import check_place, embed_points, save_arrays, takes_missing

    points = read_points(a.input, missing=takes_missing(a.method))
    check_place(a.out)
    with ConsoleMonitor(a.method) as monitor:
        arrays, report = embed_points(
            points, method=a.method, settings=_settings(a.set), seed=a.seed, spread=a.spread, held_out=a.held_out,
            bags_only=a.bags_only, monitor=monitor,
        )
    save_arrays(a.out, arrays)
    if not a.json:
        report |= report.pop("quality")
    _report(report, as_json=a.json)
    return 0


def _add_classify(parser: argparse.ArgumentParser) -> None:
    """out-of-fold bag classification of a point set; where there are bags, y only judges"""
    from emberscope.catalogue import CLASSIFIERS

    _add_points(parser)
    ids = [row.id for row in CLASSIFIERS]
    parser.add_argument("--method", required=True, metavar="ID", choices=ids, help=", ".join(ids))
    parser.add_argument("--reduce", metavar="ID", help="a method fitted on the training folds before the classifier")
    parser.add_argument("--folds", type=_whole(2), default=10, metavar="n")
    parser.add_argument("--repeats", type=_whole(1), default=1, metavar="n")
    parser.add_argument("--out", type=Path, metavar="OUT.npz")
    parser.set_defaults(call=_classify)


def _classify(a: argparse.Namespace) -> int:
    from emberscope.datasets.points import read_points
    from emberscope.point_tasks import check_place, classify_points, save_arrays

    points = read_points(a.input)
    if a.out is not None:
        check_place(a.out)
    with ConsoleMonitor(a.method) as monitor:
        arrays, report = classify_points(
            points, method=a.method, reduce=a.reduce, settings=_settings(a.set), folds=a.folds, repeats=a.repeats,
            seed=a.seed, monitor=monitor,
        )
    if a.out is not None:
        save_arrays(a.out, arrays)
    if not a.json and "chosen" in report:
        report["chosen"] = "; ".join(
            f"{name} = " + ", ".join(f"{value} in {_folds(count)}" for value, count in counts.items())
            for name, counts in report["chosen"].items()
        )
    _report(report, as_json=a.json)
    return 0


def _folds(count: int) -> str:
    return f"{count} fold{'' if count == 1 else 's'}"


def _add_convert(parser: argparse.ArgumentParser) -> None:
    """one vector per bag of a point set, as a point set that any classifier reads"""
    parser.add_argument("input", type=Path, metavar="IN.npz")
    parser.add_argument("output", type=Path, metavar="OUT.npz")
    _add_conversion(parser)
    _add_json(parser)
    parser.set_defaults(call=_convert)


def _add_conversion(parser: argparse._ActionsContainer) -> None:
    variants, projections = ["global", "mixed", "per-bag", "aligned"], ["pole", "lpp", "pca"]
    own = "global: one map for all bags; per-bag: a map of its own for each, as in the source"
    parser.add_argument("--variant", choices=variants, default="global", help=own)
    parser.add_argument("--projection", choices=projections, default="pole", help="what the map is learned by [pole]")
    length = "length of a vector [10, or as many as there are features]"
    parser.add_argument("--dimensions", type=_whole(1, 512), default=None, metavar="r", help=length)


def _convert(a: argparse.Namespace) -> int:
    from emberscope.datasets.points import read_points
    from emberscope.point_tasks import check_place, convert_points, save_arrays

    points = read_points(a.input)
    check_place(a.output)
    with ConsoleMonitor("Converting") as monitor:
        arrays, report = convert_points(
            points, variant=a.variant, projection=a.projection, n_components=a.dimensions, monitor=monitor
        )
    save_arrays(a.output, arrays)
    _report(report, as_json=a.json)
    return 0


def _add_reproduce(parser: argparse.ArgumentParser) -> None:
    """published tables, measured again: published | ours | difference | note; without a name, which there are"""
    parser.add_argument("table", nargs="?", help="name of a table that comes along, or a TOML file")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the public data sets some tables need")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name has this in it")
    parser.add_argument("--seeds", type=_whole(0), default=0, metavar="n", help="draws per row [as the table says]")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the table too: .csv, .json or .md")
    _add_seed(parser)
    _add_json(parser)
    parser.set_defaults(call=_reproduce)


def _reproduce(a: argparse.Namespace) -> int:
    from emberscope.reproduction.tables import fill_in, published_tables, read_table

    if a.table is None:
        found = {name: read_table(name) for name in published_tables()}
        if a.json:
            _print_json([{"table": name, "title": table.title, "data": table.data} for name, table in found.items()])
        else:
            print_table(["table", "what it shows", "needs"], [[n, t.title, t.data] for n, t in found.items()])
        return 0
    from emberscope.reproduction.measures import MEASURES
    from emberscope.reproduction.written import as_plain, check_suffix, write_table

    table = read_table(a.table)
    if a.out is not None:
        check_suffix(a.out)
    lines: list[Line] = []
    rows: TableRows | None = None
    try:
        with ConsoleMonitor(table.title) as monitor:
            for line in fill_in(table, MEASURES, data=a.data, only=a.only, seeds=a.seeds, seed=a.seed, monitor=monitor):
                lines.append(line)
                if not a.json:
                    rows = rows or _print_head(table)
                    rows.print_row(_cells(table, line))
    finally:  # whoever stops a long table has the rows until then
        if lines and a.json:
            _print_json(as_plain(table, lines))
        if lines and a.out is not None:
            write_table(a.out, table, lines)
    return 0


def _print_head(table: "Table") -> TableRows:
    say(f"{table.title}\nSource: {table.source}.\n{table.about}".strip() + "\n")
    unit, names = f"in {table.unit}" if table.unit else "", max(len(row.name) for row in table.rows)
    return TableRows([unit, "published", "ours", "difference", "note"], [min(names, 44), 9, 12, 12])


def _cells(table: "Table", line: "Line") -> list[str]:
    from emberscope.reproduction.written import shown, verdict

    published, ours, difference = shown(line, table.unit)
    return [line.name, published, ours or "-", f"{difference} {verdict(line) or ' '}", line.note]


def _add_points(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", type=Path, metavar="IN.npz", help="a point set, or a public benchmark of bags")
    parser.add_argument("--set", action="append", default=[], metavar="k=v", help="a parameter; classify: or k=auto")
    _add_seed(parser)
    _add_json(parser)


# --- import, export, run ---------------------------------------------------------------------------------------------


def _add_import(parser: argparse.ArgumentParser) -> None:
    """add sources (and truth as weak labels) to a project; makes the project where there is none"""
    parser.add_argument("project", type=Path)
    holds = "a file, or a folder of images, clips or folders of such"
    parser.add_argument("source", type=Path, nargs="*", help=holds)
    named = "truth files or folders, named like their sources or in their order; labels (jsonl) that were exported"
    parser.add_argument("--truth", type=Path, nargs="+", default=[], help=named)
    loose = "how loose boxes are: 0 tight; 1, 2, 3 that many times the size of the largest box of the truth [1]"
    parser.add_argument("--weaken", type=_whole(0, 3), default=1, metavar="u", help=loose)
    parser.add_argument("--every", type=_whole(1), default=1, metavar="n", help="take truth of every n-th frame [1]")
    parser.add_argument("--background", type=_whole(0), default=4, metavar="n", help="background boxes per frame [4]")
    rules = ["auto", "same-place", "near", "matched", "random"]
    parser.add_argument("--background-rule", choices=rules, default="auto", help="where these are drawn [auto]")
    _add_seed(parser)
    parser.set_defaults(call=_import)


def _import(a: argparse.Namespace) -> int:
    from emberscope.project.batch import Loosely, import_files

    if not a.source and not a.truth:
        complain("nothing to import. Name files or folders, or labels with --truth.")
        return USAGE
    with ConsoleMonitor("Importing") as monitor:
        how = Loosely(u=a.weaken, every=a.every, background=a.background, rule=a.background_rule, seed=a.seed)
        lines, failed = import_files(a.project, a.source, truths=a.truth, how=how, monitor=monitor)
    for line in lines:
        say(line)
    for error in failed:
        complain(str(error))
    return 1 if failed else 0


def _add_export(parser: argparse.ArgumentParser) -> None:
    """write what a project holds: labels (jsonl), instances (csv), arrays (npz), bags, pictures (png), report (html)"""
    parser.add_argument("project", type=Path)
    parser.add_argument("--to", required=True, choices=["jsonl", "csv", "npz", "bags", "png", "html"])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--run", type=_whole(1), default=None, metavar="n", help="this run only [all runs]")
    _add_conversion(parser.add_argument_group("with --to bags, one vector per bag, as in `emberscope convert`"))
    parser.set_defaults(call=_export)


def _export(a: argparse.Namespace) -> int:
    from emberscope.project.file import load
    from emberscope.report.export import export

    choices = {"variant": a.variant, "projection": a.projection, "n_components": a.dimensions}
    if a.to != "bags" and choices != {"variant": "global", "projection": "pole", "n_components": None}:
        what = f"--variant, --projection and --dimensions say nothing of {a.to}"
        raise EmberscopeError(what, hint="Leave them out, or give --to bags.")
    project = load(a.project)
    if a.run is not None:
        if a.run not in project.runs:
            known = ", ".join(str(number) for number in sorted(project.runs)) or "none"
            raise EmberscopeError(f"there is no run {a.run}", where=str(a.project), hint=f"Its runs: {known}.")
        project.runs = {a.run: project.runs[a.run]}
    notes: list[str] = []
    with ConsoleMonitor(f"Export {a.to}") as monitor:
        paths = export(project, a.to, a.folder, name=a.project.stem, vectors=choices, notes=notes, monitor=monitor)
    for path in paths:
        say(str(path))
    for note in notes:
        complain(note)
    return 0


def _add_run(parser: argparse.ArgumentParser) -> None:
    """run a recipe on a project and keep the run in it"""
    what = "a recipe file, or the name of one that comes along: quick-look, weak-labels, ...; without one a few are " \
        "tried on held-out bags and the best one runs"
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, _RECIPE
    parser.add_argument("recipe", type=Path, nargs="?", metavar="RECIPE", help=what)
    parser.add_argument("--project", type=Path, required=True, metavar="P")
    slow = "also what takes long and is else left out: bags held out, spread between fits"
    parser.add_argument("--measure", action="store_true", help=slow)
    _add_json(parser)
    parser.set_defaults(call=_run)


def _run(a: argparse.Namespace) -> int:
    from msgspec import to_builtins

    from emberscope import pipeline
    from emberscope.pipeline.suggest import suggest
    from emberscope.project import PutRuns, read_recipe
    from emberscope.project.file import load, save
    from emberscope.project.sources import changed_sources, said_changed

    recipe = read_recipe(a.recipe) if a.recipe else None
    project = load(a.project)
    changed = said_changed(project, changed_sources(project))
    if changed:
        complain(f"{a.project}: {changed}")
    reasons: list[str] = []
    if recipe is None:
        with ConsoleMonitor("Trying recipes") as monitor:
            found = suggest(project, monitor=monitor)
        recipe, reasons = found.recipe, found.reasons
    with ConsoleMonitor(recipe.method) as monitor:
        run = pipeline.run(project, recipe, at_any_cost=a.measure, monitor=monitor)
    project.apply(PutRuns(title=f"Run {recipe.method}", after=[run]))
    save(project, a.project)
    facts: dict[str, Any] = {"run": run.id, "method": recipe.method, "seconds": round(run.seconds, 3)}
    if reasons and a.json:
        facts["recipe"] = to_builtins(recipe)
    counts = {"instances": len(run.ids), "bags": len(run.bag_ids), "features": int(run.metrics["d"])}
    scores = {name: value for name, value in run.metrics.items() if name not in ("n", "d", "bags")}
    scores = scores if a.json else _in_words(scores)
    _report({**facts, **counts, **scores, "notes": [*reasons, *run.notes]}, as_json=a.json)
    return 0


def _in_words(metrics: dict[str, float]) -> dict[str, Any]:
    """Numbers of a run for a person: the headline first, intervals beside their numbers, what they rest on said."""
    from emberscope.project.headline import chance_words, held_out_words, made_from_words, with_interval

    beside = {"method_bag_auc": held_out_words(metrics), "witness_found": chance_words(metrics),
              "knn_balanced": "against the labels of bags, chance 0.50",
              "knn_balanced_picture": made_from_words(metrics), "purity": made_from_words(metrics)}
    titles = {"method_bag_auc": "held-out bag AUC", "witness_found": "witness found", "bag_auc": "classifier, bag AUC",
              "bag_accuracy": "classifier, bag accuracy", "knn_balanced": "k-NN, balanced"}
    part = ("_low", "_high", "_chance", "_bags", "_groups", "_by_clip", "_seconds")
    names = dict.fromkeys([*(name for name in titles if name in metrics), *metrics])
    return {
        titles.get(name, name): ", ".join(filter(None, (with_interval(metrics, name, digits=3), beside.get(name, ""))))
        for name in names if name != "made_from_labels" and not name.endswith(part) and math.isfinite(metrics[name])
    }


# --- shared ----------------------------------------------------------------------------------------------------------


def _settings(pairs: list[str]) -> dict[str, str]:
    settings = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise EmberscopeError(f"--set {pair} is not k=v", hint="For example --set n_components=3.")
        settings[key.strip()] = value
    return settings


def _whole(low: int, high: int | None = None) -> Callable[[str], int]:
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


def _add_seed(parser: argparse.ArgumentParser) -> None:
    seed = _whole(0, _LARGEST_SEED)
    parser.add_argument("--seed", type=seed, default=0, metavar="S", help="same seed, same result [0]")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for machines")


def _report(facts: dict[str, Any], *, as_json: bool) -> None:
    """Print facts; for a person, the sentences under "notes" come after the table."""
    if as_json:
        _print_json(facts)
        return
    print_table(["what", "value"], [[key, _short(value)] for key, value in facts.items() if key != "notes"])
    for note in facts.get("notes", ()):
        say(note)


def _print_json(value: Any) -> None:
    print(json.dumps(_finite(value), default=str, allow_nan=False))


def _finite(value: Any) -> Any:
    """The same with null for NaN and infinity, which JSON has not."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _short(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_short(item) for item in value)
    return str(value)


if __name__ == "__main__":
    sys.exit(main())
