"""What sets targets apart in a run: rules, how they agreed, groups of features, changed labels,
witnesses."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emberscope.bags.reduce import bag_argmax
from emberscope.base.ids import bag_name
from emberscope.base.plain_text import showable
from emberscope.features.groups import group_of
from emberscope.findings.imputed_rounds import rounds_of
from emberscope.project.model.project import Run

GOES_WITH = "score_loadings"  # in `Run.diagnostics`
BEFORE = (
    "This run is of a version that did not keep what its scores went by: run it again to see which "
    "features and rules counted."
)
THROUGH_METRIC = (
    "A metric came between features and rules, so that what the rules used cannot be said by "
    "features."
)
_TITLES = {"mil-boost": "MIL-Boost", "trees": "randomized trees", "kernel": "kernel regression"}
_NAMED = 3  # features of a group
_CLEARLY = 0.1  # correlation with the score from which a group is higher or lower in targets


@dataclass(frozen=True, slots=True)
class RuleShare:
    """weight : how much a rule counts in the score; all of them sum to 1. agreement : its mean rank
    correlation with the others about the instances of positive bags."""

    name: str
    weight: float
    agreement: float

    @property
    def title(self) -> str:
        """As in sentences."""
        return _TITLES.get(self.name, self.name)


@dataclass(frozen=True, slots=True)
class FeatureGroup:
    """share : of the features of a group in rules that ask features one by one; all groups sum to
    1. usual : its share of all features, which chance would give. goes : mean correlation of its
    features with the witness score, each by its share; NaN where it is not known. strongest : names
    of the features with the largest shares."""

    family: str
    channel: str
    share: float
    usual: float
    goes: float
    strongest: tuple[str, ...]

    @property
    def title(self) -> str:
        """"spots, hottest"."""
        return self.family if self.channel == "all" else f"{self.family}, {self.channel}"

    @property
    def goes_words(self) -> str:
        """"higher", "lower", "both": how targets differ in it."""
        if np.isnan(self.goes):
            return ""
        return (
            "higher" if self.goes > _CLEARLY else "lower" if self.goes < -_CLEARLY else "both ways"
        )

    def row(self) -> tuple[str, ...]:
        """Title, share, share of all features, how targets differ, strongest features, in words."""
        return (
            self.title,
            f"{self.share:.0%}",
            f"{self.usual:.0%}",
            self.goes_words,
            ", ".join(self.strongest),
        )


@dataclass(frozen=True)
class Learned:
    """What a run that ranks instances went by.

    rules : of the ensemble, the heaviest first; none where no rule learned. about_targets : whether
    rules weigh by their agreement. groups : of features, the largest share first. goes : (D,)
    correlation of every feature with the witness score; names : of the features. candidates :
    instances of positive bags; targets : how many of these were taken for targets, -1 where nothing
    decides; found_bags : positive bags with one; positive_bags. changed : labels that each round of
    an imputation changed. witnesses : (K,) row of the most target-like instance of every positive
    bag, -1 of other ones. missing : why something is not known, and what to do; "".
    """

    rules: tuple[RuleShare, ...]
    about_targets: bool
    groups: tuple[FeatureGroup, ...]
    goes: NDArray[np.float64]
    names: tuple[str, ...]
    candidates: int
    targets: int
    found_bags: int
    positive_bags: int
    changed: tuple[int, ...]
    witnesses: NDArray[np.int64]
    missing: str = field(default="")

    @property
    def sentences(self) -> list[str]:
        """What it says, a sentence each."""
        return [words for words in (self.rule_words, self.label_words, self.missing) if words]

    @property
    def rule_words(self) -> str:
        """Which rules counted, and why; "" without any."""
        each = ", ".join(f"{rule.title} {rule.weight:.0%}" for rule in self.rules)
        return f"{self.rules_why} {each[:1].upper()}{each[1:]}." if self.rules else ""

    @property
    def rules_why(self) -> str:
        """Why rules counted as they did, and how they agree; "" without any."""
        if not self.rules:
            return ""
        how = "Rules weigh by how they agree with each other about the instances of positive bags"
        if not self.about_targets:
            how = (
                "Rules agreed about ground, so they weigh by how far the best instance stands "
                "out of its bag"
            )
        mean = sum(rule.agreement for rule in self.rules) / len(self.rules)
        return f"{how}. Mean rank correlation between rules: {mean:.2f}."

    @property
    def label_words(self) -> str:
        """How many instances of positive bags do not keep the label of their bag; "" where nothing
        decides."""
        if self.targets < 0:
            return ""
        rounds = (
            f" Rounds changed {', '.join(map(str, self.changed))} labels." if self.changed else ""
        )
        return (
            f"Of {self.candidates} instances of positive bags {self.targets} count as targets, in "
            f"{self.found_bags} of {self.positive_bags} bags; {self.candidates - self.targets} "
            f"changed from the label of their bag to ground.{rounds}"
        )

    def strongest(self, count: int) -> list[tuple[str, float]]:
        """Features that go most with the witness score, either way; the strongest first."""
        order = np.argsort(-np.abs(self.goes), kind="stable")[:count]
        return [(self.names[i], float(self.goes[i])) for i in order.tolist() if self.goes[i]]

    def to_dict(self, run: Run) -> dict[str, Any]:
        """For --json: rules, groups of features and their features, counts of labels, the witness
        of every bag."""
        groups = [
            {
                "family": g.family,
                "channel": g.channel,
                "share": g.share,
                "share_of_features": g.usual,
                "correlation": None if np.isnan(g.goes) else g.goes,
                "strongest": list(g.strongest),
            }
            for g in self.groups
        ]
        best = run.point_scores["witness"]
        return {
            "words": self.sentences,
            "rules": [{"rule": r.name, "weight": r.weight, "agreement": r.agreement}
                      for r in self.rules],
            "rules_weigh_by": None if not self.rules else "agreement" if self.about_targets
            else "standing out",
            "feature_groups": groups,
            "instances_of_positive_bags": self.candidates,
            "taken_for_targets": None if self.targets < 0 else self.targets,
            "labels_changed_by_round": list(self.changed), "missing": self.missing or None,
            "witnesses": [{"bag": bag_name(run.bag_ids[k]), "instance": int(run.ids[row]),
                           "rank": float(best[row])}
                          for k, row in enumerate(self.witnesses.tolist()) if row >= 0],
        }  # fmt: skip


def learned_of(run: Run) -> Learned | None:
    """What a run went by; None where it ranks no instances. O(N + M + D)."""
    if "witness" not in run.point_scores:
        return None
    names = tuple(showable(str(name)) for name in run.state.get("feature_names", ()))
    kept = np.asarray(run.diagnostics.get(GOES_WITH, ()), np.float64)
    goes = kept if kept.shape == (len(names),) else np.empty(0)
    shares, positive = _shares(run, len(names)), run.bag_labels > 0
    target = _targets(run)
    inside = np.unique(run.members[np.isin(run.bags.bag_of_member, np.flatnonzero(positive))])
    found = (
        []
        if target is None
        else [k for k in np.flatnonzero(positive).tolist() if target[run.bags.of(k)].any()]
    )
    rounds = rounds_of(run)
    return Learned(
        _rules(run), bool(run.state.get("rules_about_targets_", True)),
        tuple(_groups(names, shares, goes)), np.nan_to_num(goes), names if len(goes) else (),
        len(inside), -1 if target is None else int(target[inside].sum()), len(found),
        int(positive.sum()),
        tuple(rounds.flipped(i) for i in range(1, rounds.last + 1)) if rounds is not None else (),
        np.where(positive,
                 bag_argmax(np.nan_to_num(run.point_scores["witness"], nan=-1.0), run.bags), -1),
        _missing(run, len(goes)),
    )  # fmt: skip


def _rules(run: Run) -> tuple[RuleShare, ...]:
    names, *numbers = (
        run.state.get(name, ()) for name in ("rule_names_", "rule_weights_", "rule_agreement_")
    )
    weight, agreement = (np.asarray(values, np.float64) for values in numbers)
    if not weight.shape == agreement.shape == (len(names),):
        return ()
    order = np.argsort(-weight, kind="stable").tolist()
    return tuple(
        RuleShare(showable(str(names[i])), float(weight[i]), float(agreement[i])) for i in order
    )


def _shares(run: Run, count: int) -> NDArray[np.float64]:
    """(D,) share of every feature in the rules; (0,) where it is not known. Of principal components
    each feature has its part by the square of its loading."""
    shares, reduction = (
        np.asarray(run.state.get("feature_shares_", ()), np.float64),
        run.state.get("reduction"),
    )
    if "metric" in run.state or shares.ndim != 1:
        return np.empty(0)
    if reduction is not None:
        axes = np.asarray(reduction["components"], np.float64)
        shares = np.square(axes) @ shares if axes.shape == (count, len(shares)) else np.empty(0)
    return shares if shares.shape == (count,) and shares.sum() > 0 else np.empty(0)


def _groups(names: tuple[str, ...], shares: NDArray, goes: NDArray) -> list[FeatureGroup]:
    """Groups of features, the largest share first; none where shares are not known."""
    if not len(shares):
        return []
    rows = defaultdict(list)
    for row, name in enumerate(names):
        rows[group_of(name)].append(row)
    shares = shares / shares.sum()
    out = []
    for (family, channel), at in rows.items():
        own, total = shares[at], float(shares[at].sum())
        most = [at[i] for i in np.argsort(-own, kind="stable")[:_NAMED].tolist() if own[i] > 0]
        mean = float(goes[at] @ own / total) if len(goes) and total > 0 else np.nan
        out.append(
            FeatureGroup(
                family, channel, total, len(at) / len(names), mean, tuple(names[i] for i in most)
            )
        )
    return sorted(out, key=lambda group: -group.share)


def _targets(run: Run) -> NDArray[np.bool_] | None:
    """(N,) which instances count as targets; None of a method that draws no border."""
    rounds, score = rounds_of(run), np.asarray(run.state.get("score_", ()))
    if rounds is not None:
        return np.asarray(rounds.at(None) > 0)
    return score > 0.5 if "held_score_" in run.state and score.shape == run.ids.shape else None


def _missing(run: Run, known: int) -> str:
    """Why features or rules of a run that has scores are not known; "" where they are."""
    if not known:
        return BEFORE if len(run.ids) > 1 else ""
    return (
        THROUGH_METRIC
        if "metric" in run.state and len(run.state.get("feature_shares_", ()))
        else ""
    )
