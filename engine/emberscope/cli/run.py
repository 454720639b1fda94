"""`emberscope run`: run a recipe on a project."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emberscope.base.errors import ParamError
from emberscope.cli.arguments import add_json, add_read_sources
from emberscope.cli.printing import (
    complain_of_changes,
    print_concepts,
    print_facts,
    print_learned,
    print_parts,
)
from emberscope.console import ConsoleMonitor, complain

if TYPE_CHECKING:
    from emberscope.project import Project, Recipe, Run
    from emberscope.project.store.open_project import OpenProject
    from emberscope.tasks.recipes import SuggestedRecipe

_STDIN = "-"  # in place of the file of a recipe
_RECIPE = """\
A recipe file holds what differs from the recipe that fits the labels of the project, for example:

  method = "mi-umap"         # see `emberscope methods`
  reduce = 0                 # principal components first; 0 keeps all features
  distances = "euclidean"    # or "registration", ... of chips, for methods that take them
  seed = 0
  classifier = "svm-rbf"     # scores bags that it has not seen, beside the map
  classifier_reads = "map"   # the coordinates, or "features"
  classifier_choose = true   # its values are chosen inside the training folds
  map_choose = true          # and those of the method, where it reads the map
  [bags]
  level = "instance"         # or "chip": one instance per label
  patch = 32                 # px
  stride = 20
  also = [64]                # sides of further patches, for targets that differ in size
  [features]
  kind = "infrared"          # or "hog", "statistics", "pixels", "hog+statistics", "hog-seed",
                             # "ehd", or "cnn" and file = "resnet18.onnx"; output, mean, std
  [params]                   # of the method: `emberscope methods mi-umap`
  n_components = 3
  [split]
  kind = "clip"              # whole clips are held out; or "bags", or "hold-out" with
                             # sources = ["night.arf"], which judge what the others taught;
                             # or one line in place of the table, as --split takes it:
                             # split = "column:range test=1500"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """run a recipe on a project and keep the run in it"""
    what = (
        "a recipe file, - for one that is piped in, or the name of one that comes along: "
        "quick-look, weak-labels, ...; without one a few are tried on held-out bags and the best "
        "one runs"
    )
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, _RECIPE
    parser.add_argument("recipe", type=Path, nargs="?", metavar="RECIPE", help=what)
    parser.add_argument("--project", type=Path, required=True, metavar="P")
    held = (
        "what is held out where the run is judged: clip, bags, hold-out:night.arf, column:light, "
        "column:range test=1500; folds=3 after those that are dealt into folds, train=1000,2000 "
        "for what is learned from, shared to let frames of one clip lie on both sides"
    )
    parser.add_argument("--split", metavar="TEXT", help=held)
    slow = "also what takes long and is else left out: bags held out, spread between fits"
    parser.add_argument("--measure", action="store_true", help=slow)
    add_read_sources(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Run a recipe on a project; returns the exit code. Raises ParamError, which names the file of
    the recipe."""
    from emberscope.project.store.open_project import alone

    with alone(a.project, read_sources=a.read_sources) as opened:
        if opened.damage:
            complain(f"{a.project}: {opened.damage}")
        recipe, said = _recipe(a, opened.project) if a.recipe else (None, [])
        try:
            return _run(a, opened, recipe, said)
        except ParamError as error:
            if a.recipe and not error.where:
                where = f"{a.recipe} with --split {a.split}" if a.split else str(a.recipe)
                raise ParamError(error.what, where=where, hint=error.hint) from error
            raise


def _recipe(a: argparse.Namespace, project: "Project") -> tuple["Recipe", list[str]]:
    """From a file, one that comes along, or for "-" what is piped into the command; and what a
    person should know of it."""
    import msgspec

    from emberscope import catalogue
    from emberscope.project import read_recipe
    from emberscope.project.model.recipe import recipe_of

    piped = sys.stdin.buffer.read() if str(a.recipe) == _STDIN else None

    def read(usual: "Recipe") -> "Recipe":
        if piped is None:
            return read_recipe(a.recipe, usual)
        return recipe_of(piped, usual, where="the recipe on stdin")

    usual = _usual(project)
    recipe = read(usual)
    if read(msgspec.structs.replace(usual, method="")).method:
        return recipe, []
    taken = catalogue.method(recipe.method).short
    return recipe, [
        f"The recipe names no method: {taken} is taken, by the labels alone. Without a recipe "
        "held-out bags choose one."
    ]


def _usual(project: "Project") -> "Recipe":
    """What a recipe file leaves out: as of a run without one, of patches that bags judged."""
    from emberscope.catalogue.usual import usual_recipe
    from emberscope.project import to_snapshot
    from emberscope.tasks.recipes import JudgeSizes
    from emberscope.tasks.table import TABLE

    with ConsoleMonitor("Sizes of patches") as monitor:
        sizes = TABLE.answer(JudgeSizes(snapshot=to_snapshot(project)), monitor)
    return usual_recipe(project, sizes)[0]


def _run(
    a: argparse.Namespace, opened: "OpenProject", recipe: "Recipe | None", said: list[str]
) -> int:
    """said : what stands before the notes of the run."""
    from msgspec import structs

    from emberscope.bags.split_recipe import split_of
    from emberscope.project import PutRuns, to_snapshot
    from emberscope.project.model.unfit_runs import left_out_note
    from emberscope.tasks.recipes import SuggestRecipe
    from emberscope.tasks.runs import MakeRun
    from emberscope.tasks.table import TABLE

    project = opened.project
    split = None if a.split is None else split_of(a.split)
    complain_of_changes(project, a.project)
    if note := left_out_note(project):
        complain(f"{a.project}: {note}")
    found: SuggestedRecipe | None = None
    snapshot = to_snapshot(project)
    if recipe is None:
        with ConsoleMonitor("Trying recipes") as monitor:
            found = TABLE.answer(SuggestRecipe(snapshot=snapshot, split=split), monitor)
        recipe = found.recipe
    if split is not None:
        recipe = structs.replace(recipe, split=split)
    chosen = found.area if found is not None else None
    request = MakeRun(snapshot=snapshot, recipe=recipe, at_any_cost=a.measure, chosen=chosen)
    with ConsoleMonitor(recipe.method) as monitor:
        run = TABLE.answer(request, monitor)
    project.apply(PutRuns(title=f"Run {recipe.method}", after=[run]))
    opened.save(project, opened.position)
    reasons = [*said, *_reasons(found, run)]
    _tell(a, project, run, recipe, reasons)
    return 0


def _tell(
    a: argparse.Namespace, project: "Project", run: "Run", recipe: "Recipe", reasons: list[str]
) -> None:
    """Print what the run came to. reasons : why its recipe was taken, where it was suggested."""
    from msgspec import to_builtins

    from emberscope.findings.concept_counts import concept_facts
    from emberscope.findings.concepts import concepts_of
    from emberscope.findings.headline import part_records
    from emberscope.findings.learned import learned_of
    from emberscope.findings.notes import weighed
    from emberscope.findings.split_sides import split_record, split_words
    from emberscope.project.nouns import nouns_of_run

    facts: dict[str, Any] = {
        "run": run.id,
        "method": recipe.method,
        "seconds": round(run.seconds, 3),
    }
    if reasons and a.json:  # it was not written down as it ran
        facts["recipe"] = to_builtins(recipe)
    counts = {
        "instances": len(run.ids),
        "bags": len(run.bag_ids),
        "features": int(run.metrics["d"]),
    }
    scores = {name: value for name, value in run.metrics.items() if name not in ("n", "d", "bags")}
    scores = scores if a.json else _in_words(project, run, scores)
    concepts = concepts_of(run)
    found_out = learned_of(run)
    learned = found_out.to_dict(run) if found_out is not None else None
    known = concept_facts(concepts) if concepts is not None else {}
    if a.json:
        facts |= known
    notes = weighed([*reasons, *run.notes], run.metrics, nouns_of_run(run))
    if a.json:
        facts["learned"] = learned
        parts = {
            "split": split_record(project, run),
            "by_clip_and_class": part_records(project, run),
            "notes": [note.to_dict() for note in notes],
        }
        print_facts({**facts, **counts, **scores, **parts}, as_json=True)
        return
    said = {"split": split_words(run), "notes": [note.text for note in notes]}
    print_facts({**facts, **counts, **scores, **said}, as_json=False)
    print_parts(part_records(project, run), nouns_of_run(run), of=f"Run {run.id}")
    print_learned(learned, of=f"run {run.id}")
    print_concepts(known, of=f"run {run.id}")


def _reasons(found: "SuggestedRecipe | None", run: "Run") -> list[str]:
    """Why the recipe was taken; how well it separated bags in the trial only where the run does not
    say it."""
    if found is None:
        return []
    return found.beside_run if "method_bag_auc" in run.metrics else found.reasons


def _in_words(project: "Project", run: "Run", metrics: dict[str, float]) -> dict[str, Any]:
    """Numbers of a run for a person: the headline first, what each rests on and what spoils it
    beside it."""
    from emberscope.findings.headline import (
        headline,
        made_from_words,
        measured_words,
        split_said,
        with_interval,
    )
    from emberscope.findings.measures import named
    from emberscope.findings.notes import beside

    first = {
        named(line.key): ", ".join(filter(None, (
            with_interval(metrics, line.key, digits=3), line.beside,
            *(note.short for note in beside(run, line.key)))))
        for line in headline(project, run)
    }  # fmt: skip
    rest = measured_words(
        metrics, but=("made_from_labels", *(line.key for line in headline(project, run)))
    )
    for key in metrics:
        if named(key) in rest and (split := split_said(run, key)):
            rest[named(key)] += f", {split}"
    for name in map(named, ("knn_balanced_map", "purity")):
        if name in rest and (from_labels := made_from_words(metrics)):
            rest[name] += f", {from_labels}"
    return first | rest
