"""The entries by which a run is judged: held-out scores beside truth, for instances, bags and
detections."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.model import Bags, Instances
from emberscope.base.ids import label_of_bag
from emberscope.course.stages.separation import NOT_HELD_OUT
from emberscope.evaluate.held_out import HeldOut, bag_blocks, bag_clips, bag_scores, labeled_bags
from emberscope.evaluate.knn import knn_classify
from emberscope.findings.judged.levels import (
    BAG,
    CLASSIFIER,
    DETECTION,
    GROUND,
    HELD_NAMES,
    INSTANCE,
    METHOD,
    WhyNot,
)
from emberscope.labels.model import tight_box
from emberscope.pipeline.witnesses import Truth, truth_of
from emberscope.project.model.project import Project, Run
from emberscope.scoring.detections import Detections

OLD = "Run {} is of a version that kept no held-out scores. Run it again."
NOT_HELD = "Run {} has no scores of bags that it has not seen: {}"
NO_TRUTH = WhyNot("No label knows where its target is, so which instances show one is unknown. "
                  "Import truth as weak labels, or judge by bags.", "truth")
NO_ROWS = WhyNot("Which instances of positive bags are targets is unknown. Judge by bags; a file "
                 "that has labels of instances judges by them after import --bags-only.", BAG)
NO_FRAMES = WhyNot("Detections lie on frames, and points have none. Judge by bags.", BAG)
NO_GROUND = WhyNot("All that was held out shows a target. Label some background.", "label")
NO_TARGET = WhyNot("Nothing that was held out shows a target. Label some.", "label")
NO_CLASSIFIER = "Run {} has no classifier. Judge by its method, or run it with a classifier."
MANY_CLIPS = 10  # clips from which on whole ones are drawn for intervals


@dataclass(frozen=True, slots=True)
class Entries:
    """M entries of a level, as of `findings.judged.levels.Level`. bag : (M,) row of the bag of
    each, -1 in none; instance (M,) row of the instance that stands for it: both of `Places`."""

    name: str
    ids: NDArray[np.int64]
    score: NDArray[np.float64]
    truth: NDArray[np.int64]
    said: NDArray[np.int64]
    group: NDArray[np.int64]
    bag: NDArray[np.int64]
    instance: NDArray[np.int64]
    frames: NDArray[np.float64] | None = None  # (G,) of each group, of detections

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Places:
    """Where entries lie. source, frame : (N,) of each instance, or frame. bag_ids : (K,)."""

    source: NDArray
    frame: NDArray
    bag_ids: NDArray[np.int64]


class Evidence:
    """What is known of a run. by : whose scores, those of its method, or of its classifier. held :
    (N,) scores by fits that have not seen the bag of an instance, NaN for none."""

    def __init__(self, project: Project, run: Run, by: str = METHOD) -> None:
        self.project, self.run, self.by = project, run, by
        self.instances: Instances = run.instances
        self.bags: Bags = run.bags
        scores, folds = HELD_NAMES[by]
        self.held = np.asarray(run.diagnostics.get(scores, ()), np.float64)
        self.fold = np.asarray(run.diagnostics.get(folds, ()), np.int64)
        if self.why_not is not None:
            return
        self.truth: Truth = truth_of(project, self.instances, self.bags)
        clip = bag_clips(self.instances, self.bags)
        many = len(np.unique(clip[self.fold >= 0])) >= MANY_CLIPS
        self.by_clip = many
        self.group_of_bag = clip if many else bag_blocks(self.instances, self.bags)
        self.first = self.bags.first_bag(len(run.ids))
        self.said = self._said()

    @property
    def why_not(self) -> WhyNot | None:
        """Why nothing can be judged; None where something can."""
        run = self.run
        if self.by == CLASSIFIER and not run.recipe.classifier:
            return WhyNot(NO_CLASSIFIER.format(run.id), METHOD)
        notes = [note for note in run.notes if note.startswith(NOT_HELD_OUT)]
        if (self.fold >= 0).any() and self.held.shape == (len(run.ids),):
            return None
        if self.by == METHOD and notes:
            why = notes[0].removeprefix(NOT_HELD_OUT)
            measurable = "method_bag_auc_seconds" in run.metrics
            return WhyNot(NOT_HELD.format(run.id, why), "measure" if measurable else "label")
        return WhyNot(OLD.format(run.id), "again")

    @property
    def places(self) -> Places:
        """Those of the instances and bags of the run."""
        return Places(self.run.source, self.run.frame, self.bags.ids)

    def instance_entries(self) -> Entries | WhyNot:
        """Instances whose truth is known: in positive bags that know their target, and in negative
        ones; or why there are none."""
        known = self.known_bags()
        if not len(known):
            return NO_ROWS if self.project.of_points else NO_TRUTH
        negative = np.flatnonzero(self.bags.labels < 0)
        inside = self._members(known) | self._members(negative)
        rows = np.flatnonzero(inside & np.isfinite(self.held))
        truth = self._truth_of(rows)
        return _checked(Entries(
            INSTANCE, self.run.ids[rows], self.held[rows], truth, self.said[rows],
            self.group_of_bag[self.first[rows]], self.first[rows], rows,
        ))  # fmt: skip

    def bag_entries(self) -> Entries | WhyNot:
        """Bags that were held out, by their labels."""
        bags = self.bags
        rows = np.flatnonzero((self.fold >= 0) & labeled_bags(bags))
        none = np.zeros(0, np.int64)
        score = bag_scores(HeldOut(self.held, none, none.astype(float)), bags)[rows]
        if self.by == CLASSIFIER:  # some score whole bags
            score = np.asarray(self.run.diagnostics["bag_score"], np.float64)[rows]
        best = np.array([self._best(k) for k in rows.tolist()], np.int64)
        truth = np.where(bags.labels[rows] > 0, bags.classes[rows], GROUND)
        return _checked(Entries(BAG, bags.ids[rows], score, truth, self.said[best],
                                self.group_of_bag[rows], rows, best))

    def detection_entries(self) -> Entries | WhyNot:
        """Targets of held-out bags with the highest detection on each, and detections on ground: of
        instances near each other on a frame the one of highest score is a detection. Each counts
        for one target, that of its first bag; a target without one is not found."""
        if self.project.of_points:
            return NO_FRAMES
        found = self.instance_entries()
        if isinstance(found, WhyNot):
            return found
        kept = found.instance[self._apart(found)]
        is_target = np.zeros(len(self.run.ids), bool)
        is_target[found.instance] = found.truth != GROUND
        false = kept[~is_target[kept]]
        positive = self.known_bags()
        best, score = self._best_of(positive, kept[is_target[kept]])
        bag = np.concatenate([positive, self.first[false]])
        at = np.concatenate([best, false])
        numbers = np.unique(self.group_of_bag[np.concatenate([found.bag, positive])])
        group = np.searchsorted(numbers, self.group_of_bag[found.bag])
        truth = np.concatenate([self.bags.classes[positive], np.zeros(len(false), np.int64)])
        entries = Entries(
            DETECTION, self.run.ids[at], np.concatenate([score, self.held[false]]), truth,
            self.said[at], np.searchsorted(numbers, self.group_of_bag[bag]), bag, at,
            self._frames(found, group, len(numbers)),
        )  # fmt: skip
        return _checked(entries)

    def known_bags(self) -> NDArray[np.int64]:
        """Held-out positive bags that know where their target is."""
        if self.project.of_points:
            judged = self.truth.bags
            return judged[self.fold[judged] >= 0]
        labels = self.project.labels
        rows = np.flatnonzero((self.fold >= 0) & (self.bags.labels > 0) & (self.bags.sizes > 0))
        known = [k for k in rows.tolist() if (own := label_of_bag(int(self.bags.ids[k]))) in labels
                 and tight_box(labels[own]) is not None]
        return np.array(known, np.int64)

    def _members(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        out = np.zeros(len(self.run.ids), bool)
        out[self.bags.members[np.isin(self.bags.bag_of_member, numbers)]] = True
        return out

    def _truth_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """(R,) class of the target that an instance shows, that of its bag first; 0 for ground."""
        out = np.zeros(len(self.run.ids), np.int64)
        for kind, shows in self.truth.of_class.items():
            out[shows & (out == 0)] = kind
        own = self.bags.classes[self.first]
        for kind, shows in self.truth.of_class.items():
            out[shows & (own == kind)] = kind
        return out[rows]

    def _said(self) -> NDArray[np.int64]:
        """(N,) which class an instance is said to be, were it a target: that of most of the 3
        nearest on the map in positive bags of other folds."""
        bags, first = self.bags, self.first
        inside = (first >= 0) & (bags.instance_labels(len(first)) > 0)
        kinds = np.unique(bags.classes[bags.labels > 0])
        out = np.full(len(first), kinds[0] if len(kinds) else 1, np.int64)
        if len(kinds) < 2:
            return out
        fold = np.where(first >= 0, self.fold[first], -1)
        Z = np.ascontiguousarray(self.run.Z, np.float64)
        for number in np.unique(fold[fold >= 0]):
            voters, asked = np.flatnonzero(inside & (fold != number)), fold == number
            if len(voters):
                out[asked] = knn_classify(Z[voters], bags.classes[first[voters]], Z[asked],
                                          k=min(3, len(voters)))[0]
        return out

    def _best(self, bag: int) -> int:
        rows = self.bags.of(bag)
        held = self.held[rows]
        return int(rows[np.argmax(np.where(np.isnan(held), -np.inf, held))])

    def _apart(self, found: Entries) -> NDArray[np.int64]:
        """Rows of the entries that are detections."""
        place = np.stack([self.run.source[found.instance],
                          self.run.frame[found.instance].astype(np.int64)], axis=1)
        frame = np.unique(place, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
        return Detections(frame, self.run.box[found.instance], found.said,
                          found.score.astype(np.float32)).apart()

    def _best_of(
        self, bags: NDArray[np.int64], hits: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Of each bag the highest of the instances `hits`, and its score; its witness and -inf
        where there is none."""
        best = np.array([self._best(k) for k in bags.tolist()], np.int64)
        score = np.full(len(bags), -np.inf)
        is_hit = np.zeros(len(self.run.ids), bool)
        is_hit[hits] = True
        for at, k in enumerate(bags.tolist()):
            rows = self.bags.of(k)
            rows = rows[is_hit[rows] & (self.first[rows] == k)]
            if len(rows):
                best[at] = rows[np.argmax(self.held[rows])]
                score[at] = self.held[best[at]]
        return best, score

    def _frames(self, found: Entries, group: NDArray, n_groups: int) -> NDArray[np.float64]:
        """(G,) how many frames have entries of each group."""
        place = np.stack([group, self.run.source[found.instance],
                          self.run.frame[found.instance].astype(np.int64)], axis=1)
        of = np.unique(place, axis=0)[:, 0]
        return np.bincount(of, minlength=n_groups).astype(np.float64)


def _checked(entries: Entries) -> Entries | WhyNot:
    if not (entries.truth != GROUND).any():
        return NO_TARGET
    return entries if (entries.truth == GROUND).any() else NO_GROUND
