"""`emberscope run`: run a recipe on a project."""

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emberscope.base.errors import ParamError
from emberscope.cli.arguments import add_json, add_read_sources
from emberscope.cli.printing import print_concepts, print_facts
from emberscope.console import ConsoleMonitor, complain

if TYPE_CHECKING:
    from emberscope.project import Recipe
    from emberscope.project.open_project import OpenProject

_RECIPE = """\
A recipe file holds what differs from the recipe that fits the labels of the project, for example:

  method = "mi-umap"         # see `emberscope methods`
  reduce = 0                 # principal components first; 0 keeps all features
  distances = "euclidean"    # or "registration", ... of chips, for methods that take them
  seed = 0
  [bags]
  level = "instance"         # or "chip": one instance per label
  patch = 32                 # px
  stride = 20
  also = [64]                # sides of further patches, for targets that differ in size
  [features]
  kind = "infrared"          # or "hog", "statistics", "pixels", "hog+statistics", "hog-seed", "ehd"
  [params]                   # of the method: `emberscope methods mi-umap`
  n_components = 3
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """run a recipe on a project and keep the run in it"""
    what = "a recipe file, or the name of one that comes along: quick-look, weak-labels, ...; without one a few are " \
        "tried on held-out bags and the best one runs"
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, _RECIPE
    parser.add_argument("recipe", type=Path, nargs="?", metavar="RECIPE", help=what)
    parser.add_argument("--project", type=Path, required=True, metavar="P")
    slow = "also what takes long and is else left out: bags held out, spread between fits"
    parser.add_argument("--measure", action="store_true", help=slow)
    add_read_sources(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Run a recipe on a project; returns the exit code. Raises ParamError, which names the file of the recipe."""
    from emberscope.catalogue.usual import usual_recipe
    from emberscope.project import read_recipe
    from emberscope.project.open_project import alone

    with alone(a.project, read_sources=a.read_sources) as opened:
        recipe = read_recipe(a.recipe, usual_recipe(opened.project)[0]) if a.recipe else None
        try:
            return _run(a, opened, recipe)
        except ParamError as error:
            if a.recipe and not error.where:
                raise ParamError(error.what, where=str(a.recipe), hint=error.hint) from error
            raise


def _run(a: argparse.Namespace, opened: "OpenProject", recipe: "Recipe | None") -> int:
    from msgspec import to_builtins

    from emberscope import pipeline
    from emberscope.pipeline.suggest import suggest
    from emberscope.project import PutRuns
    from emberscope.project.concepts import TABLE, concepts_of
    from emberscope.project.sources import changed_note, changed_sources
    from emberscope.project.unfit_runs import left_out_note

    project = opened.project
    changed = changed_note(project, changed_sources(project))
    for note in filter(None, (changed, left_out_note(project))):
        complain(f"{a.project}: {note}")
    reasons: list[str] = []
    if recipe is None:
        with ConsoleMonitor("Trying recipes") as monitor:
            found = suggest(project, monitor=monitor)
        recipe, reasons = found.recipe, found.reasons
    with ConsoleMonitor(recipe.method) as monitor:
        run = pipeline.run(project, recipe, at_any_cost=a.measure, monitor=monitor)
    project.apply(PutRuns(title=f"Run {recipe.method}", after=[run]))
    opened.save(project, opened.position)
    facts: dict[str, Any] = {"run": run.id, "method": recipe.method, "seconds": round(run.seconds, 3)}
    if reasons and a.json:
        facts["recipe"] = to_builtins(recipe)
    counts = {"instances": len(run.ids), "bags": len(run.bag_ids), "features": int(run.metrics["d"])}
    scores = {name: value for name, value in run.metrics.items() if name not in ("n", "d", "bags")}
    scores = scores if a.json else _in_words(scores)
    concepts = concepts_of(run)
    rows = [dict(zip(TABLE, row, strict=True)) for row in concepts.table()] if concepts is not None else []
    disagreements = concepts.disagreements if concepts is not None else {}
    if rows and a.json:
        facts |= {"concepts": rows, "disagreements": disagreements}
    print_facts({**facts, **counts, **scores, "notes": [*reasons, *run.notes]}, as_json=a.json)
    if not a.json:
        print_concepts(rows, disagreements, of=f"run {run.id}")
    return 0


def _in_words(metrics: dict[str, float]) -> dict[str, Any]:
    """Numbers of a run for a person: the headline first, intervals beside their numbers, what they rest on said."""
    from emberscope.project.headline import chance_words, held_out_words, made_from_words, named, with_interval

    beside = {"method_bag_auc": held_out_words(metrics), "witness_found": chance_words(metrics),
              "knn_balanced": "against the labels of bags, chance 0.50",
              "knn_balanced_map": made_from_words(metrics), "purity": made_from_words(metrics)}
    first = ("method_bag_auc", "witness_found", "bag_auc", "bag_accuracy", "knn_balanced")
    part = ("_low", "_high", "_chance", "_bags", "_groups", "_by_clip", "_seconds")
    names = dict.fromkeys([*(name for name in first if name in metrics), *metrics])
    return {
        named(name): ", ".join(filter(None, (with_interval(metrics, name, digits=3), beside.get(name, ""))))
        for name in names if name != "made_from_labels" and not name.endswith(part) and math.isfinite(metrics[name])
    }
