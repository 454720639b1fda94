"""Side information of a run: what a person said of its instances, and what follows from bag
labels."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from emberscope import catalogue
from emberscope.bags.make import MadeBags
from emberscope.bags.model import Bags
from emberscope.bags.pairs import bag_pairs, labels_of_pairs
from emberscope.catalogue.usual import SIDE_RECORDS
from emberscope.course.plan import Plan
from emberscope.labels.side_info import Invariance, SideInfo, SideRecord, alike_in_all
from emberscope.metric.chip_distances import ChipDistances
from emberscope.metric.dissimilarities import USUAL
from emberscope.neighbors.search import nearest
from emberscope.project.model.project import Project
from emberscope.project.model.recipe import Recipe

_SAMPLE = 2000  # instances of background that witnesses are compared with
_NOVEL = 3      # neighbors in the background whose mean distance says how new an instance is


def wanted(plan: Plan) -> set[str]:
    """The kinds of side information that the method of a plan and its metric read."""
    return set().union(*(catalogue.side_read(row) for row in plan.rows))


def with_labels_of_pairs(made: MadeBags, records: Iterable[SideRecord]) -> MadeBags:
    """The bags and labels, with the labels of instances that follow from marked pairs that are
    alike: as good as marks.

    Pairs of an attribute say nothing of the class. See `bags.pairs.labels_of_pairs`.
    """
    pairs = alike_in_all(records)
    if not pairs:
        return made
    alike = SideInfo.of(pairs, made.instances.ids)
    label = labels_of_pairs(alike.pairs[alike.pair_weight > 0],
                            np.where(made.certain, made.y, 0).astype(np.int8))
    known = label != 0
    if not known.any():
        return made
    note = (
        f"Labels that follow from alike pairs: {(label < 0).sum()} background, "
        f"{(label > 0).sum()} target."
    )
    return replace(made, y=np.where(known, label, made.y), marked=made.marked | known,
                   notes=[*made.notes, note])


def marked_side(project: Project, made: MadeBags, plan: Plan) -> SideInfo:
    """What persons said of the instances: the kinds that the plan wants, nothing where it ignores
    side information.

    Raises DataError for distances of several units.
    """
    kinds: tuple[type[SideRecord], ...] = ()
    if not plan.recipe.ignore_side:
        kinds = tuple(SIDE_RECORDS[kind] for kind in wanted(plan))
        kinds = (*kinds, Invariance) if plan.reads_chips else kinds
    records = [record for record in project.side.values() if isinstance(record, kinds)]
    return SideInfo.of(records, made.instances.ids)


def known_kinds(marked: SideInfo, made: MadeBags, recipe: Recipe) -> set[str]:
    """The kinds of side information there are for a run; bags of both labels make pairs where the
    recipe lets them."""
    both = {-1, 1} <= set(made.bags.labels.tolist()) and recipe.bag_pairs and not recipe.ignore_side
    there = {catalogue.PAIRS: both or len(marked.pairs) > 0,
             catalogue.DISTANCES: len(marked.distances) > 0,
             catalogue.ACTIONS: len(marked.sequences) > 0}
    return {kind for kind, is_there in there.items() if is_there}


def side_of(X: NDArray, marked: SideInfo, made: MadeBags, plan: Plan) -> SideInfo | None:
    """What the method and the metric get: marked side information, and the pairs of bag labels that
    it says nothing of.

    The latter only where one needs pairs: a method that takes them beside its labels reads the bags
    itself.
    X : (N, D) features, in which the witnesses of positive bags are looked for. None where they
    want none.
    """
    recipe, needed = plan.recipe, set().union(*(catalogue.side_needed(row) for row in plan.rows))
    if recipe.ignore_side or not (wanted(plan) or plan.reads_chips):
        return None
    if catalogue.PAIRS not in needed or not recipe.bag_pairs:
        return marked
    certain = np.where(made.certain, made.y, 0)
    confidence = witness_confidence(X, made.bags, seed=recipe.seed)
    return marked.with_pairs_of(bag_pairs(made.bags, len(X), y=certain, confidence=confidence,
                                          seed=recipe.seed))


def side_notes(side: SideInfo | None, marked: SideInfo) -> list[str]:
    """How much side information took part, in sentences."""
    if side is None:
        return []
    own, all_pairs = len(marked.pairs), len(side.pairs)
    notes = []
    if all_pairs:
        notes.append(f"Pairs that took part: {own} marked, {all_pairs - own} from bag labels.")
    if marked.left_out:
        notes.append(f"{marked.left_out} of side information left out: about chips that are not "
                     "among the instances.")
    return notes


def distance_notes(
    side: SideInfo | None, *, alike_to_all: int, rule: ChipDistances
) -> list[str]:
    """What a person should know of distances between chips. alike_to_all : chips that no change
    alters. rule : how they were compared."""
    notes = []
    if side is None or not side.invariances:
        notes.append(f"Nothing is marked as not mattering: shifts of up to {USUAL[0].reach:g} px "
                     "are taken.")
    if alike_to_all:
        many = f"{alike_to_all} chip{'s' * (alike_to_all > 1)}"
        notes.append(f"{many} that no change alters: as far as can be from all.")
    return notes


def witness_confidence(X: NDArray, bags: Bags, *, seed: int = 0) -> NDArray[np.float64]:
    """(N,) in [0, 1], how sure it is that an instance of a positive bag is none of the background.

    Its mean distance to the 3 nearest of one half of the negative bags is compared with that of the
    other half: 0 where half of the background is as new, 1 where none of it is. 0 without two such
    halves. O(N D) times 2000 instances of the background at most.
    """
    confidence = np.zeros(len(X))
    draw = np.random.default_rng(seed)
    halves = _halves(bags, draw)
    rows = np.unique(bags.members[bags.labels[bags.bag_of_member] > 0])
    k = min(_NOVEL, len(halves[0]))
    if not k or not len(halves[1]) or not len(rows):
        return confidence
    ground = np.ascontiguousarray(X[halves[0]])
    usual, new = (nearest(ground, np.ascontiguousarray(X[some]), k).dist.mean(axis=1)
                  for some in (halves[1], rows))
    share = np.searchsorted(np.sort(usual), new) / len(usual)
    confidence[rows] = np.maximum(2 * share - 1, 0.0)
    return confidence


def _halves(bags: Bags, draw: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Instances of two halves of the negative bags, of one bag two halves of it, no instance in
    both."""
    negative = draw.permutation(np.flatnonzero((bags.labels < 0) & (bags.sizes > 0)))
    if len(negative) == 1:
        first, second = np.array_split(draw.permutation(bags.of(int(negative[0]))), 2)
    else:
        first, second = (np.unique(np.concatenate([np.empty(0, np.int64),
                                                   *(bags.of(int(k)) for k in half)]))
                         for half in np.array_split(negative, 2))
        second = np.setdiff1d(second, first)
    return draw.permutation(first)[:_SAMPLE], draw.permutation(second)[:_SAMPLE]
