"""First stages: the labels of a project become bags, the bags' instances become features, kept by
instance."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.make import MadeBags, make_bags
from emberscope.bags.model import Bags
from emberscope.base.cache import keep_bounded
from emberscope.base.errors import EmberscopeError, MissingLabels, ProjectError
from emberscope.base.monitor import Monitor, Portion
from emberscope.course.plan import Plan
from emberscope.course.side import with_labels_of_pairs
from emberscope.course.versions import code_version
from emberscope.datasets.points import BAG_NUMBERS
from emberscope.evaluate.held_out import bag_blocks
from emberscope.features.backbone import as_in_file
from emberscope.features.cache import digest
from emberscope.features.extract import extract, n_features
from emberscope.features.store import RowStore
from emberscope.project.columns import columns_of_bags
from emberscope.project.exchange.sources import for_features, open_ref
from emberscope.project.model.project import Project, Run, SourceRef
from emberscope.project.model.recipe import Recipe, check_reads
from emberscope.project.store.own_sources import check_network, may_be_read


@dataclass(frozen=True, slots=True)
class Inputs:
    """Bags, where the features of each source are kept, and the cache that this is part of."""

    made: MadeBags
    stores: dict[int, RowStore]
    keys: dict[int, str]
    cache: Path

    @property
    def missing(self) -> NDArray[np.bool_]:
        """(N,) True where an instance has no features yet."""
        instances = self.made.instances
        out = np.ones(len(instances), bool)
        for source, store in self.stores.items():
            rows = np.flatnonzero(instances.source == source)
            out[rows] = ~store.find(instances.ids[rows])
        return out


def prepare(project: Project, recipe: Recipe, cache: Path) -> Inputs:
    """Bags of the project's labels, with the labels that follow from its pairs, and the stores of
    their sources.

    Raises MissingLabels where nothing is labeled.
    """
    check_reads(recipe, project.width)
    made = make_bags(project.labels, project.classes, project.frame_sizes, recipe.bags,
                     marks=project.marks)
    if not len(made.instances):
        raise MissingLabels("there are no instances: nothing is labeled",
                            hint="Label a target and some background.")
    if not recipe.ignore_side:
        made = with_labels_of_pairs(made, project.side.values())
    made = replace(made, bags=with_numbers(made.bags, project))
    return _with_stores(project, made, recipe, cache)


def inputs_of(project: Project, run: Run, cache: Path) -> Inputs:
    """Bags of a run as it has them, and the stores of their features. Raises ProjectError where a
    source is gone."""
    refuse_gone(project, run)
    made = MadeBags(run.instances, run.bags, run.y, np.empty(0, np.int64), [], marked_in(run))
    return _with_stores(project, made, run.recipe, cache)


def marked_in(run: Run) -> NDArray[np.bool_]:
    """(N,) whether a mark said what an instance of a run is, or pairs that a person marked did."""
    by_hand = run.diagnostics.get("marks", np.empty((0, 2), np.int64))[:, 0]
    followed = run.diagnostics.get("followed", by_hand[:0])
    return np.isin(run.ids, by_hand) | np.isin(run.ids, followed)


def with_numbers(bags: Bags, project: Project) -> Bags:
    """Bags with the numbers that the column "bag_y" of the project has for them, less their median:
    `Bags.values`; as they are where it has none."""
    numbers = numbers_of_bags(project, bags.ids)
    return bags if numbers is None else replace(bags, values=numbers - np.nanmedian(numbers))


def numbers_of_bags(project: Project, ids: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """(K,) what the column "bag_y" of the project has for bags of these ids, NaN where it has no
    number; None where there is no such column, or fewer than two numbers in it."""
    column = columns_of_bags(project, ids).get(BAG_NUMBERS)
    if column is None or column.kind != "number" or column.known.sum() < 2:
        return None
    return column.values


def refuse_gone(project: Project, run: Run) -> None:
    """Raise ProjectError where a source of a run is not in the project any more."""
    if set(run.source.tolist()) - project.sources.keys():
        what = f"run {run.id} has instances of a source that is not in the project any more"
        raise ProjectError(what, hint="Undo its removal, or run again.")


def _with_stores(project: Project, made: MadeBags, recipe: Recipe, cache: Path) -> Inputs:
    check_network(project, recipe.features)
    used = [int(source) for source in np.unique(made.instances.source)]
    made = replace(made, bags=replace(made.bags, groups=bag_blocks(made.instances, made.bags)))
    keys = {source: _store_key(project.sources[source], recipe) for source in used}
    width = n_features(recipe.features)
    stores = {source: open_store(cache / "features" / keys[source], width) for source in used}
    return Inputs(made, stores, keys, cache)


def features(
    sources: Mapping[int, SourceRef], inputs: Inputs, recipe: Recipe, monitor: Monitor
) -> NDArray[np.float32]:
    """X (N, D). Only rows that no store has, or that are damaged there, are computed, source by
    source, and kept."""
    instances = inputs.made.instances
    X = np.empty((len(instances), n_features(recipe.features)), np.float32)
    missing = np.zeros(len(instances), bool)
    for source, store in inputs.stores.items():
        rows = np.flatnonzero(instances.source == source)
        X[rows], there = store.take(instances.ids[rows])
        missing[rows] = ~there
    total, done = max(int(missing.sum()), 1), 0
    for source, store in inputs.stores.items():
        new = np.flatnonzero(missing & (instances.source == source))
        if len(new):
            part = Portion(monitor, done / total, (done + len(new)) / total)
            with open_ref(for_features(sources[source], recipe.features.units)) as opened:
                X[new] = extract(instances.take(new), {source: opened}.__getitem__, recipe.features,
                                 monitor=part)
            store.add(instances.ids[new], X[new])
            done += len(new)
    keep_bounded(inputs.cache)
    return X


def features_key(inputs: Inputs) -> str:
    """What X was made of."""
    return digest({"ids": inputs.made.instances.ids, "stores": sorted(inputs.keys.values()),
                   "code": code_version()})


def reduced_key(X: str, n: int, plan: Plan) -> str:
    """What features of a key were made into, of n instances: their reduction to `components_wanted`
    columns."""
    return digest({"X": X, "components": components_wanted(n, plan), "code": code_version()})


def components_wanted(n: int, plan: Plan) -> int:
    """Columns of X (n, D) that the method gets: principal components where D is more than the
    recipe wants, but all where chips are compared."""
    wide = n_features(plan.recipe.features)
    if plan.reads_chips:
        return wide
    return min(plan.recipe.reduce or wide, n, wide)


@functools.lru_cache(maxsize=256)
def _kept_open(folder: Path, width: int) -> RowStore:
    return RowStore(folder, width=width)


def open_store(folder: Path, width: int) -> RowStore:
    """The store in a folder; this process keeps it open, and only looks at what changed."""
    store = _kept_open(folder, width)
    store.refresh()
    return store


def _store_key(ref: SourceRef, recipe: Recipe) -> str:
    ref = for_features(ref, recipe.features.units)
    what = {"source": content_of(ref), "options": ref.options,
            "features": as_in_file(recipe.features), "code": code_version()}
    return digest(what)


def content_of(ref: SourceRef) -> str:
    """The fingerprint of the file as it is now; of a file that is gone, the one the project
    knows."""
    if not may_be_read(ref):
        return ref.fingerprint
    try:
        stat = Path(ref.path).stat()
        return _fingerprint(ref.path, tuple(sorted(ref.options.items())), stat.st_size,
                            stat.st_mtime_ns)
    except (OSError, EmberscopeError, TypeError, ValueError):
        return ref.fingerprint


@functools.lru_cache(maxsize=1024)
def _fingerprint(path: str, options: tuple, size: int, changed: int) -> str:
    ref = SourceRef(id=0, path=path, name=path, fingerprint="", n_frames=0, rows=0, cols=0,
                    options=dict(options))
    with open_ref(ref) as source:
        return source.fingerprint()
