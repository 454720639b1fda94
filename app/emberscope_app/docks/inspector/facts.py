"""What can truly be said of an instance, or of many: facts, the ranking of its bag, its neighbors
in the map."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.base.ids import bag_name, instance_name, label_of_bag
from emberscope.findings.coloring import class_slots, instance_classes
from emberscope.findings.concept_looks import concept_name
from emberscope.findings.concepts import SHOWN, SURE
from emberscope.labels import Box, kind
from emberscope.project import Project, Run
from emberscope.project.model.witness import marked_background, witness_scores
from emberscope.project.nouns import nouns_of
from emberscope_app.chips.model import distinct
from emberscope_app.state.knowledge.concepts import run_concepts
from emberscope_app.state.knowledge.points import top_words
from emberscope_app.state.labels.classes import class_title
from emberscope_app.words import LABEL_TITLES, spaced

RANKED = 5      # chips of the bag
NEIGHBORS = 7
_LOW = 0.01     # shares below this are only counted


@dataclass(frozen=True, slots=True)
class Ranking:
    """Chips of a bag, the highest score first. `more`: words about those not shown."""

    title: str
    unit: str
    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    more: str


@dataclass(frozen=True, slots=True)
class Held:
    """A concept that a bag holds: its number from 0, name, with which probability, by which row,
    and whether it tells anything."""

    number: int
    name: str
    probability: float
    row: int
    tells: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """One instance. `lines`: (name, value). `bag`: name of its first one. `held`: concepts of that
    bag, the likeliest first; `several`: words where it surely holds two or more."""

    row: int
    name: str
    verdict: str
    slot: int
    lines: tuple[tuple[str, str], ...]
    ranking: Ranking | None
    bag: str
    held: tuple[Held, ...]
    several: str
    neighbors: NDArray[np.int64]
    distances: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Summary:
    """Many instances. `classes`: (title, slot, count), the most frequent first; `scores` (20,)
    counts from 0 to 1 of what `unit` names."""

    rows: NDArray[np.int64]
    classes: tuple[tuple[str, int, int], ...]
    scores: NDArray[np.int64] | None
    unit: str
    bags: int
    frames: int


def facts(
    project: Project, run: Run, row: int, *, classes: NDArray[np.int64] | None = None
) -> Facts:
    """All about one row of a run. `classes`: those of `instance_classes`, where they are known. O(N
    d)."""
    bags = run.bags
    holding = np.flatnonzero(bags.members == row)
    bag = int(bags.bag_of_member[holding[0]]) if len(holding) else -1
    class_id = int((instance_classes(project, run) if classes is None else classes)[row])
    ranking = _ranking(project, run, bag) if bag >= 0 else None
    held = held_concepts(project, run, bag) if bag >= 0 else ()
    near, distances = nearest(run.Z, row)
    return Facts(
        row,
        instance_name(int(run.ids[row])),
        _verdict(project, run, row, bag, class_id),
        int(class_slots(project, np.array([class_id]))[0]),
        tuple(_lines(project, run, row, bag)),
        ranking,
        bag_name(int(run.bag_ids[bag])) if bag >= 0 else "",
        held,
        several_words(held),
        near,
        distances,
    )


def nearest(
    Z: NDArray, row: int, count: int = NEIGHBORS
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows nearest to a row in the map, and how far; the row itself is left out."""
    gap = np.asarray(Z, np.float64) - Z[row]
    distance = np.sqrt(np.einsum("nd,nd->n", gap, gap))
    distance[row] = np.inf
    distance[~np.isfinite(distance)] = np.inf
    count = min(count, int(np.isfinite(distance).sum()))
    if not count:
        return np.empty(0, np.int64), np.empty(0)
    found = np.argpartition(distance, count - 1)[:count]
    found = found[np.argsort(distance[found], kind="stable")]
    return found.astype(np.int64), distance[found]


def _verdict(project: Project, run: Run, row: int, bag: int, class_id: int) -> str:
    title = class_title(project, class_id)
    if int(run.ids[row]) in project.marks:
        return f"{title}, marked"
    top = top_words(project, run, row, bag)
    # Its own line says more than votes of neighbors
    if top or np.isfinite(_value(run, "witness", row)):
        return f"{title}, {top}" if top else title
    score = run.point_scores.get("score")
    if bag < 0 or score is None or not np.isfinite(score[row]) or run.bag_labels[bag] == 0:
        return title
    target_like = bool(score[row] >= 0.5)
    if target_like == (run.bag_labels[bag] > 0):
        return title
    return f"{title}, looks like {'a target' if target_like else 'background'}"


def _lines(project: Project, run: Run, row: int, bag: int) -> list[tuple[str, str]]:
    known = [
        name for name in ("witness", "score", "classifier") if np.isfinite(_value(run, name, row))
    ]
    if marked_background(project, run.ids[row : row + 1])[0]:
        known = []  # whatever the run thought of it
    shown = [name for name in known if name != "score" or "witness" not in known]
    lines = [(name.capitalize(), f"{_value(run, name, row):.2f}") for name in shown]
    lines.extend(_concept(project, run, row))
    if bag >= 0:
        lines.append(("Bag", _bag_words(project, int(run.bag_ids[bag]))))
        lines.extend(_bag_score(run, bag))
    ref = project.sources.get(int(run.source[row]))
    where = (
        ref.name.rpartition(".")[0] or ref.name
        if ref is not None
        else f"source {int(run.source[row])}"
    )
    frame = nouns_of(project).say("Frame")
    lines.append((frame, f"{where}, {spaced(int(run.frame[row]) + 1)}"))
    trust = _value(run, "trustworthiness", row)
    if np.isfinite(trust):
        lines.append(("Trust", f"{trust:.2f}"))
    novelty = _value(run, "novelty", row)
    if np.isfinite(novelty):
        lines.append(("Novelty", f"{novelty:.2f}, {'new' if novelty > 1 else 'familiar'}"))
    return lines


def _concept(project: Project, run: Run, row: int) -> list[tuple[str, str]]:
    """Of which concept an instance is, with which probability, and how far it is why its bag holds
    one."""
    found = run_concepts(project, run)
    if found is None:
        return []
    k, cause = int(found.concept[row]), float(found.cause[row])
    if k < 0:
        return [("Concept", "none")]
    name = concept_name(project, found, k).removeprefix("Concept ")
    why = f", cause {cause:.2f}" if np.isfinite(cause) else ""
    return [("Concept", f"{name}, p {found.probability[row]:.2f}{why}")]


def held_concepts(project: Project, run: Run, bag: int) -> tuple[Held, ...]:
    """Concepts that a bag may hold, each by the member that is likeliest the cause."""
    found = run_concepts(project, run)
    members = run.bags.of(bag)
    if found is None or not len(members):
        return ()
    whole, own = found.reading.bag[bag], found.reading.probability[members]
    order = [k for k in np.argsort(-whole, kind="stable").tolist() if whole[k] >= SHOWN][:RANKED]
    return tuple(
        Held(
            found.numbers[k],
            concept_name(project, found, k),
            float(whole[k]),
            int(members[own[:, k].argmax()]),
            bool(found.tells[k]),
        )
        for k in order
    )


def several_words(held: tuple[Held, ...]) -> str:
    """"two concepts" where a bag surely holds so many; "" for one or none."""
    count = sum(one.probability > SURE for one in held)
    return "" if count < 2 else f"{'two' if count == 2 else count} concepts"


def _bag_score(run: Run, bag: int) -> list[tuple[str, str]]:
    """What the classifier of the run says of the bag, where there is one: "positive, as
    labeled"."""
    score = run.diagnostics.get("bag_score")
    if score is None or not np.isfinite(score[bag]):
        return []
    says, label = 1 if score[bag] > 0 else -1, int(run.bag_labels[bag])
    sign = "positive" if says > 0 else "negative"
    return [("Judged", f"{sign}, {'as labeled' if says == label else 'not as labeled'}")]


def _value(run: Run, name: str, row: int) -> float:
    """A number of an instance, NaN where the run has none."""
    values = run.point_scores.get(name)
    return float(values[row]) if values is not None else np.nan


def _bag_words(project: Project, bag: int) -> str:
    """"214, relaxed box r 0.80"."""
    words, label_id = bag_name(bag), label_of_bag(bag)
    if label_id not in project.labels:
        return f"{words}, label removed"
    label = project.labels[label_id]
    loose = f" r {label.looseness:.2f}" if isinstance(label, Box) and label.looseness else ""
    if project.of_points:
        return words
    return f"{words}, {LABEL_TITLES[kind(label)]}{loose}"


def _ranking(project: Project, run: Run, bag: int) -> Ranking | None:
    """By evidence, without what is marked as background. Votes of neighbors as each one's share of
    a positive bag's; a method's ranks as they are."""
    members = run.bags.of(bag)
    score = witness_scores(project, run, members)
    if score is None:
        return None
    out = marked_background(project, run.ids[members])
    members, score = members[~out], score[~out]
    if not len(members):
        return None
    values = np.nan_to_num(np.asarray(score, np.float64))
    order = np.argsort(-values, kind="stable")
    rows, values = members[order], values[order]
    name, positive = bag_name(int(run.bag_ids[bag])), run.bag_labels[bag] > 0
    own = "witness" in run.point_scores
    shares = positive and not own and values.sum() > 0
    if shares:
        values = values / values.sum()
    low = max(int((values[RANKED:] < _LOW).sum()), 0)
    rest = len(rows) - RANKED
    more = "" if rest <= 0 else f"{spaced(rest)} more" + (f" below {_LOW}" if low == rest else "")
    title = f"Why is bag {name} positive" if positive else f"Most target-like in bag {name}"
    unit = "witness" if own else "share of score" if shares else "score"
    return Ranking(title, unit, rows[:RANKED], values[:RANKED], more)


def summary(
    project: Project, run: Run, rows: NDArray[np.int64], *, classes: NDArray[np.int64] | None = None
) -> Summary:
    """What many rows have in common. `classes` as for `facts`."""
    known = instance_classes(project, run) if classes is None else classes
    found, _, counts = distinct(known[rows])  # np.unique takes 50 times as long
    slots = class_slots(project, found)
    order = np.argsort(-counts, kind="stable")
    by_class = tuple(
        (class_title(project, int(found[i])), int(slots[i]), int(counts[i])) for i in order
    )
    score = witness_scores(project, run)
    histogram = None
    if score is not None:
        values = score[rows]
        histogram = np.histogram(values[np.isfinite(values)], bins=20, range=(0.0, 1.0))[0]
    inside = np.zeros(len(run.ids), bool)
    inside[rows] = True
    bags = run.bags
    touched = np.zeros(len(bags), bool)
    touched[bags.bag_of_member[inside[bags.members]]] = True
    places = np.sort(run.source[rows] << 32 | run.frame[rows].astype(np.int64))
    frames = int(np.count_nonzero(np.diff(places))) + 1 if len(places) else 0
    unit = "witness" if "witness" in run.point_scores else "score"
    return Summary(rows, by_class, histogram, unit, int(touched.sum()), frames)
