"""Every number that says something of a run, of an embedding or of a classifier: its title, its
unit, what it means."""

from dataclasses import dataclass

from emberscope.findings.shown_axes import axes_of, axes_words, is_of_axes, plain

# What follows the key of a number that belongs to it: ends of its interval, its error, what it
# rests on.
ENDS = ("low", "high", "interval", "error", "sd", "ceiling", "chance", "bags", "groups", "by_clip",
        "clips", "clips_not_judged", "pooled", "seconds")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measure:
    """unit : what it is counted in, or how to read a number without one. means : in a line."""

    title: str
    unit: str
    means: str

    @property
    def counted(self) -> bool:
        """Whether the unit follows the number itself, as in "7.2 dimensions"."""
        return not self.unit.endswith(_SCALES)


_SCALES = ("is perfect", "is chance", "not at all", "the ground", "tight boxes")
_SHARE, _AREA, _ERROR, _CORRELATION = (
    "1 is perfect",
    "0.5 is chance",
    "0 is perfect",
    "1 is perfect, 0 is chance",
)

MEASURES = {
    "method_bag_auc": Measure(
        "Held-out bag AUC", _AREA, "How well bags are separated that were held out"
    ),
    "chosen_bag_auc": Measure("Bag AUC of the trial", _AREA, "Held-out bags, on a sample of them"),
    "witness_found": Measure(
        "Witness found", "share of bags, 1 is perfect", "First of its positive bag is a target"
    ),
    "inside_auc": Measure(
        "AUC inside positive bags", _AREA, "Scores in positive bags, targets against ground"
    ),
    "map_accuracy": Measure(
        "Map accuracy", _AREA, "Neighbors on the map say what is a target, by truth"
    ),
    "knn_balanced": Measure(
        "k-NN against labels of bags", _AREA, "Held-out bags, both classes counting alike"
    ),
    "knn_balanced_map": Measure(
        "k-NN on the map", _AREA, "The same on the map of all bags, which has seen the labels"
    ),
    "knn_balanced_features": Measure(
        "k-NN in the features", _AREA, "The same in the features instead of the map"
    ),
    "trustworthiness": Measure(
        "Trust", _SHARE, "Neighbors on the map are neighbors in the features"
    ),
    "continuity": Measure(
        "Continuity", _SHARE, "Neighbors in the features are neighbors on the map"
    ),
    "r_nx_auc": Measure(
        "Agreement", _CORRELATION, "Neighbors kept above chance; small neighborhoods count more"
    ),
    "q_nx": Measure("Nearest kept", _SHARE, "Share of the 15 nearest that stay"),
    "lcmc": Measure(
        "Nearest kept, above chance", _CORRELATION, "The same less what chance would give"
    ),
    "b_nx": Measure(
        "Nearest pulled in, less pushed out", _ERROR, "Of the 15 nearest: above 0 the map squeezes"
    ),
    "spearman_global": Measure(
        "Far distances", _CORRELATION, "Order of the distances of random pairs"
    ),
    "spearman_local": Measure(
        "Near distances", _CORRELATION, "Order of the distances of neighbors"
    ),
    "pearson_global": Measure(
        "Far distances, correlation", _CORRELATION, "Distances of random pairs as they are"
    ),
    "pearson_local": Measure(
        "Near distances, correlation", _CORRELATION, "Distances of neighbors as they are"
    ),
    "stress": Measure("Stress", _ERROR, "Relative error of the distances of random pairs"),
    "stress_local": Measure(
        "Stress of near distances", _ERROR, "Relative error of the distances of neighbors"
    ),
    "anisotropy": Measure(
        "Anisotropy", "0: not at all", "How unevenly neighborhoods are stretched"
    ),
    "purity": Measure("Purity", _SHARE, "Equal labels among the nearest of other bags"),
    "spread": Measure(
        "Spread", "radii of the map", "How far instances move between fits; 1 is anywhere"
    ),
    "intrinsic_dimension": Measure(
        "Dimensions of the data", "dimensions", "A map of fewer folds or tears them"
    ),
    "short_circuits": Measure(
        "Short circuits", "edges", "Edges that seem to jump between folds of the data"
    ),
    "bag_auc": Measure(
        "Classifier, bag AUC", _AREA, "How well a classifier tells bags apart it was not fitted on"
    ),
    "bag_accuracy": Measure(
        "Classifier, bag accuracy", _SHARE, "Share of bags that it names rightly"
    ),
    "bag_instance_auc": Measure(
        "Classifier, instance AUC", _AREA, "Held-out instances, by the labels of their bags"
    ),
    "class_accuracy": Measure(
        "Classifier, class accuracy", _SHARE, "Share of held-out bags whose class it names rightly"
    ),
    "class_majority": Measure(
        "Always the same class", _SHARE, "What naming the most frequent class would reach"
    ),
    "bag_majority": Measure(
        "Always the same answer", _SHARE, "What naming the more frequent kind would reach"
    ),
    "bag_size_auc": Measure(
        "AUC by size of bag alone", _AREA, "What counting the instances of a bag would reach"
    ),
    "bag_auc_trees": Measure(
        "Bag AUC by trees", _AREA, "Randomized trees on all patches of the bags"
    ),
    "bag_auc_without_targets": Measure(
        "Bag AUC without targets",
        "0.5 is right: far above, it is the ground",
        "The same without any patch that shows a target",
    ),
    "placebo_auc": Measure(
        "Placebo AUC",
        "0.5 is right: far above, it is the ground",
        "Background at places of targets against other background",
    ),
    "bags_missed": Measure(
        "Targets without a patch", "bags", "Positive bags no patch of which lies on the target"
    ),
    "bags_cut": Measure(
        "Targets cut by patches", "bags", "Positive bags whose best patch shows less than half"
    ),
    "label_looseness": Measure(
        "Looseness of labels", "0: tight boxes", "Mean of the boxes that positive bags are made of"
    ),
    "pairs": Measure("Pairs that took part", "pairs", "Marked, and from labels of bags"),
    "marked_pairs": Measure("Marked pairs", "pairs", "Of these, those that somebody marked"),
    "pair_agreement": Measure(
        "Held-out pairs agreed with", _AREA, "Pairs that the metric had not learned from"
    ),
    "trained_pair_agreement": Measure(
        "Learned pairs agreed with", _SHARE, "High whatever the pairs say"
    ),
    "held_out_knn": Measure(
        "Held-out instances named", _SHARE, "By 3 neighbors on the map, kinds counting alike"
    ),
    "distance_correlation": Measure(
        "Held-out distances", _CORRELATION, "Known ones against those learned without them"
    ),
    "method_bag_auc_seconds": Measure(
        "Left out: held-out bags", "s", "What holding bags out would take"
    ),
    "spread_seconds": Measure("Left out: spread", "s", "What more fits would take"),
    "seconds": Measure("Time", "s", "Of everything"),
    "peak_mb": Measure("Memory at most", "MB", "Of this process"),
    "n": Measure("Instances", "instances", "How many"),
    "d": Measure("Features", "features", "How many the method saw"),
    "bags": Measure("Bags", "bags", "How many"),
    "accuracy": Measure("Bag accuracy", _SHARE, "Share of held-out bags that are named rightly"),
    "auc": Measure("Bag AUC", _AREA, "How well held-out bags are separated"),
    "instance_auc": Measure("Instance AUC", _AREA, "How well instances are separated, by truth"),
    "majority": Measure(
        "Always the same answer", _SHARE, "What naming the more frequent kind would reach"
    ),
    "bag_r2": Measure(
        "Classifier, R² of numbers of bags", "0 is the mean of all, 1 is perfect",
        "Variance of numbers of bags that it explains and was not fitted on"
    ),
    "bag_rmse": Measure(
        "Classifier, RMSE of numbers of bags", "0 is perfect, in units of bag_y",
        "Their error, as they are given"
    ),
    "r2": Measure(
        "R²", "0 is the mean of all, 1 is perfect", "Variance of numbers of held-out bags explained"
    ),
    "rmse": Measure(
        "RMSE", "0 is perfect, in units of bag_y", "Error of numbers of held-out bags"
    ),
    "group_first": Measure(
        "Best bag of its group", _SHARE, "Share of groups of bags whose best one is positive"
    ),
    "size_auc": Measure(
        "AUC by size of bag alone", _AREA, "What counting the instances of a bag would reach"
    ),
}


def measure_of(key: str) -> Measure | None:
    """The measure of a key, of two axes and of what belongs to a number too; None of a key that
    nobody described."""
    name = plain(key)
    return MEASURES.get(name) or MEASURES.get(base_of(name))


def lower_is_better(key: str) -> bool:
    """Whether less of a measure is better, as of an error."""
    measure = measure_of(key)
    return measure is not None and measure.unit.startswith(_ERROR)


def base_of(key: str) -> str:
    """"method_bag_auc" of "method_bag_auc_low" and of "method_bag_groups"; other keys as they
    are."""
    if plain(key) in MEASURES:
        return key
    ends = [end for end in ENDS if key.endswith(f"_{end}")]
    base = key.removesuffix(f"_{max(ends, key=len)}") if ends else key
    return "method_bag_auc" if base == "method_bag" else base


def title_of(key: str) -> str:
    """"Trust", "Trust of axes 1 and 2"; the key of a number that has no name."""
    known = MEASURES.get(plain(key))
    if known is None:
        return key
    if is_of_axes(key):
        return f"{known.title} of {axes_words(axes_of(key))}"
    return known.title


def spoken(key: str) -> str:
    """"agreement": a number of a run as a sentence names it; its key where it has no name."""
    title = title_of(key)
    return title if title == key or title[:3].isupper() else title[:1].lower() + title[1:]


def named(key: str) -> str:
    """"agreement (r_nx_auc)": as the window names a number of a run, and as files and --json do."""
    name = spoken(key)
    return name if name == key else f"{name} ({key})"
