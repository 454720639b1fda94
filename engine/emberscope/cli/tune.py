"""`emberscope tune`: a network whose features are learned from bag labels."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from emberscope.base.errors import ParamError
from emberscope.base.grouping import how_many
from emberscope.cli.arguments import add_json, add_read_sources, run_asked, whole
from emberscope.cli.printing import complain_of_changes, printed_json
from emberscope.console import ConsoleMonitor, say
from emberscope.project.model.tuned_network import LARGEST, SMALLEST, Head, Tuning

if TYPE_CHECKING:
    from emberscope.project import Project, Recipe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """tune a network on the bag labels of a project, for features of kind cnn"""
    parser.add_argument("project", type=Path)
    parser.add_argument("--to", type=Path, required=True, metavar="NET.onnx", help=(
        "where the network goes, each time it is better: one that is stopped leaves the best"))
    parser.add_argument("--weights", type=Path, default=None, metavar="FILE", help=(
        "a ResNet-18 to begin with: .safetensors, or .onnx of an earlier call [random weights]"))
    parser.add_argument("--head", choices=get_args(Head), default="attention", help=(
        "what makes a bag of its chips [attention]"))
    parser.add_argument("--epochs", type=whole(1), default=30, metavar="n", help=(
        "passes over the bags at most; bags held back end them earlier [30]"))
    parser.add_argument("--side", type=whole(SMALLEST, LARGEST), default=64, metavar="px", help=(
        "of the chips that it looks at [64]"))
    parser.add_argument("--width", type=whole(1), default=64, metavar="n", help=(
        "outputs of its first layer, 64 of a ResNet-18; the features are 8 times as many [64]"))
    parser.add_argument("--rate", type=float, default=0.0, metavar="r", help=(
        "step of Adam [0.0001 from weights, 0.001 from random ones]"))
    parser.add_argument("--run", type=whole(1), default=None, metavar="n", help=(
        "the run whose bags and split are taken [the last one, else the usual ones]"))
    parser.add_argument("--split", metavar="TEXT", help=(
        "what is held out and teaches nothing, as of run: hold-out:night.arf, "
        "column:range test=1500"))
    add_read_sources(parser)
    add_json(parser)


def run(a: argparse.Namespace) -> int:
    """Tune a network; returns the exit code. Raises ParamError for a rate that is none."""
    from emberscope.project import to_snapshot
    from emberscope.project.store.file import load
    from emberscope.project.store.own_sources import allow
    from emberscope.tasks.table import TABLE
    from emberscope.tasks.tuning import TuneNetwork

    if not 0 <= a.rate <= 1:
        raise ParamError(f"--rate is {a.rate:g}", hint="Give a number from 0 to 1.")
    project = load(a.project)
    if a.read_sources:
        allow(project, a.project)
    complain_of_changes(project, a.project)
    recipe = _recipe(project, a)
    settings = Tuning(head=a.head, epochs=a.epochs, rate=a.rate, width=a.width, side=a.side,
                      start=str(a.weights or ""), seed=recipe.seed)
    request = TuneNetwork(snapshot=to_snapshot(project), recipe=recipe, path=str(a.to),
                          settings=settings)
    with ConsoleMonitor("Tuning") as monitor:
        found = TABLE.answer(request, monitor)
    if printed_json(found, as_json=a.json):
        return 0
    say(f"{how_many(found.learned, 'bag')} taught, {found.held} said when to stop: epoch "
        f"{found.epoch} of {found.epochs} at most.")
    if found.judged:
        say(f"{how_many(found.judged, 'held-out bag')}, by the network itself: AUC "
            f"{found.area:.2f} ({found.low:.2f} to {found.high:.2f}).")
    say(f"{found.path}: {how_many(found.features, 'feature')}. A recipe takes them by [features] "
        f'kind = "cnn" and file = "{found.path}".')
    return 0


def _recipe(project: "Project", a: argparse.Namespace) -> "Recipe":
    from msgspec import structs

    from emberscope.bags.split_recipe import split_of
    from emberscope.catalogue.usual import usual_recipe

    asked = a.run is not None or project.runs
    recipe = run_asked(project, a.project, a.run).recipe if asked else usual_recipe(project)[0]
    return recipe if a.split is None else structs.replace(recipe, split=split_of(a.split))
